//! Our own daemon, found beside the runner and checked to be of the same spec. Under `cargo run` it is built first, so
//! that one command works on a fresh clone.

use super::quoted;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

/// Why our daemon is not used.
#[derive(Debug, thiserror::Error)]
pub enum FindFault {
    /// It is not there.
    #[error(
        "no daemon beside the runner (looked for {looked}); build it with `cargo build --release --bin zeroclaw`, \
         or name an endpoint with --connect or --spawn"
    )]
    NotThere {
        /// Where it was looked for.
        looked: String,
    },
    /// It cannot be built.
    #[error("our daemon does not build: {0}")]
    NotBuilt(io::Error),
    /// It does not say which spec it is of.
    #[error(
        "{path} does not answer `schema digest`: {fault}; build it anew with `cargo build --release --bin zeroclaw`"
    )]
    Mute {
        /// Where it is.
        path: String,
        /// What went wrong.
        fault: String,
    },
    /// It was built from another spec.
    #[error(
        "{path} was built from another spec ({theirs:.12}…, the runner's is {ours:.12}…); build both anew with \
         `cargo build --release --bin zeroclaw --bin zeroclaw-conformance`"
    )]
    OtherSpec {
        /// Where it is.
        path: String,
        /// Its digest.
        theirs: String,
        /// The runner's.
        ours: String,
    },
}

/// The command that starts our daemon, if it is there and of the spec with this digest.
pub fn find_ours(digest: &str) -> Result<String, FindFault> {
    if let (Some(cargo), Some(package)) = (env::var_os("CARGO"), env::var_os("CARGO_MANIFEST_DIR")) {
        build(cargo.as_ref(), package.as_ref())?;
    }
    let places = places().unwrap_or_default();
    let Some(path) = places.iter().find(|place| place.is_file()) else {
        let looked: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        return Err(FindFault::NotThere { looked: looked.join(", ") });
    };
    let theirs =
        digest_of(path).map_err(|fault| FindFault::Mute { path: shown(path), fault: fault.to_string() })?;
    if theirs == digest {
        Ok(format!("{} daemon", quoted(&path.display().to_string())))
    } else {
        Err(FindFault::OtherSpec { path: shown(path), theirs, ours: digest.to_owned() })
    }
}

/// Builds the daemon beside the runner, with the profile that the runner was built with.
fn build(cargo: &Path, package: &Path) -> Result<(), FindFault> {
    let own = env::current_exe().map_err(FindFault::NotBuilt)?;
    let Some((profile, target)) =
        own.parent().and_then(|beside| Some((beside.file_name()?, beside.parent()?)))
    else {
        return Ok(());
    };
    let mut command = Command::new(cargo);
    command.current_dir(package).args(["build", "--quiet", "--package", "zeroclaw", "--bin", "zeroclaw"]);
    command.arg("--target-dir").arg(target).arg("--profile");
    // The profile `dev` is the one whose directory has another name.
    command.arg(if profile == "debug" { "dev".as_ref() } else { profile });
    let status = command.status().map_err(FindFault::NotBuilt)?;
    if status.success() { Ok(()) } else { Err(FindFault::NotBuilt(io::Error::other(status.to_string()))) }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Beside the runner's own executable, then in the sibling directories of a build.
fn places() -> io::Result<Vec<PathBuf>> {
    let own = env::current_exe()?;
    let name = format!("zeroclaw{}", env::consts::EXE_SUFFIX);
    let beside = own.parent().unwrap_or(Path::new("."));
    let mut places = vec![beside.join(&name)];
    for sibling in ["release", "debug"] {
        let place = beside.with_file_name(sibling).join(&name);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

fn digest_of(daemon: &Path) -> io::Result<String> {
    let output = Command::new(daemon).args(["schema", "digest"]).output()?;
    if !output.status.success() {
        return Err(io::Error::other(output.status.to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
