//! Where the daemon keeps its things and where it is reached; the same answer for daemon and clients (EP-01 to EP-03).

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The directories of one daemon, absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Where `config.toml` is.
    pub config_dir: PathBuf,
    /// Where everything else is.
    pub data_dir: PathBuf,
    /// What `ZEROCLAW_SOCKET` puts in the place of the default endpoint.
    pub socket_override: Option<PathBuf>,
}

/// There is no way to tell where the daemon's directory is.
#[derive(Debug, thiserror::Error)]
pub enum NoPaths {
    /// Nothing is set and there is no home directory.
    #[error("no home directory: set ZEROCLAW_CONFIG_DIR, or give --config-dir")]
    NoHome,
    /// A relative path, and no directory that it is relative to.
    #[error("cannot make {0} absolute: {1}")]
    Relative(PathBuf, std::io::Error),
}

impl Paths {
    /// Resolves the directories from `--config-dir` and the environment (EP-02).
    ///
    /// # Errors
    /// [`NoPaths`].
    pub fn resolve(config_dir: Option<&Path>) -> Result<Self, NoPaths> {
        Self::resolve_with(config_dir, |name| env::var_os(name), env::home_dir())
    }

    fn resolve_with(
        config_dir: Option<&Path>,
        variable: impl Fn(&str) -> Option<OsString>,
        home: Option<PathBuf>,
    ) -> Result<Self, NoPaths> {
        let set = |name| variable(name).filter(|value| !is_blank(value)).map(PathBuf::from);
        let below = |config_dir: PathBuf| (config_dir.join("data"), config_dir);
        let (data_dir, config_dir) = match config_dir {
            Some(config_dir) => below(absolute(config_dir)?),
            None => match (set("ZEROCLAW_CONFIG_DIR"), set("ZEROCLAW_DATA_DIR")) {
                (Some(config_dir), _) => below(absolute(&config_dir)?),
                (None, Some(data_dir)) => {
                    let data_dir = absolute(&data_dir)?;
                    (data_dir.clone(), data_dir)
                }
                (None, None) => {
                    below(home.filter(|home| home.is_absolute()).ok_or(NoPaths::NoHome)?.join(".zeroclaw"))
                }
            },
        };
        let socket_override = variable("ZEROCLAW_SOCKET").filter(|value| !is_blank(value)).map(trimmed);
        Ok(Self { config_dir, data_dir, socket_override })
    }

    /// The configuration file, whether or not it is there.
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// The local endpoint: a socket's path, on Windows a pipe's name (EP-01, EP-03).
    pub fn endpoint(&self) -> PathBuf {
        self.socket_override.clone().unwrap_or_else(|| default_endpoint(&self.data_dir))
    }

    /// Where agents have their workspaces.
    pub fn agents_dir(&self) -> PathBuf {
        self.data_dir.join("agents")
    }
}

#[cfg(unix)]
fn default_endpoint(data_dir: &Path) -> PathBuf {
    data_dir.join("daemon.sock")
}

#[cfg(windows)]
fn default_endpoint(data_dir: &Path) -> PathBuf {
    // Made of its parts again, so that they stand between single backslashes.
    pipe_name(&data_dir.components().collect::<PathBuf>().to_string_lossy()).into()
}

/// EP-01: the pipe of a data directory, the same in whatever case that was written.
#[cfg(any(windows, test))]
fn pipe_name(data_dir: &str) -> String {
    let text = data_dir.to_lowercase();
    format!(r"\\.\pipe\zeroclaw-{}", short_hash(text.trim_end_matches('\\')))
}

/// The first 16 hex digits of the text's SHA-256.
#[cfg(any(windows, test))]
pub(crate) fn short_hash(text: &str) -> String {
    use sha2::{Digest as _, Sha256};
    crate::ids::hex(&Sha256::digest(text)[..8])
}

fn absolute(path: &Path) -> Result<PathBuf, NoPaths> {
    std::path::absolute(path).map_err(|error| NoPaths::Relative(path.to_owned(), error))
}

fn is_blank(value: &OsString) -> bool {
    value.to_str().is_some_and(|text| text.trim().is_empty())
}

/// White space around the path is dropped where the path is text.
fn trimmed(value: OsString) -> PathBuf {
    match value.to_str() {
        Some(text) => PathBuf::from(text.trim()),
        None => PathBuf::from(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An absolute path: on Windows that has a drive.
    fn rooted(path: &str) -> PathBuf {
        std::path::absolute(path).unwrap()
    }

    fn resolve(flag: Option<&str>, variables: &[(&str, &str)]) -> Paths {
        let variable =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        Paths::resolve_with(flag.map(Path::new), variable, Some(rooted("/home/u"))).unwrap()
    }

    #[test]
    fn the_first_that_is_set_decides_where_the_data_directory_is() {
        let all = [("ZEROCLAW_CONFIG_DIR", "/c"), ("ZEROCLAW_DATA_DIR", "/d")];
        for (flag, variables, config_dir, data_dir) in [
            (Some("/f"), &all[..], "/f", "/f/data"),
            (None, &all[..], "/c", "/c/data"),
            (None, &all[1..], "/d", "/d"),
            (None, &[], "/home/u/.zeroclaw", "/home/u/.zeroclaw/data"),
            (
                None,
                &[("ZEROCLAW_CONFIG_DIR", " "), ("ZEROCLAW_DATA_DIR", "")],
                "/home/u/.zeroclaw",
                "/home/u/.zeroclaw/data",
            ),
        ] {
            let paths = resolve(flag, variables);
            assert_eq!((paths.config_dir, paths.data_dir), (rooted(config_dir), rooted(data_dir)));
        }
    }

    #[test]
    fn a_named_socket_replaces_the_endpoint_and_a_blank_one_does_not() {
        assert_eq!(
            resolve(None, &[("ZEROCLAW_SOCKET", " /run/z.sock\n")]).endpoint(),
            Path::new("/run/z.sock")
        );
        assert_eq!(
            resolve(None, &[("ZEROCLAW_SOCKET", " \t")]).endpoint(),
            default_endpoint(&rooted("/home/u/.zeroclaw/data"))
        );
    }
    #[test]
    fn a_pipe_is_named_by_the_data_directory_in_any_case() {
        for data_dir in [r"c:\users\ada\.zeroclaw\data", r"C:\Users\Ada\.zeroclaw\data\"] {
            assert_eq!(pipe_name(data_dir), r"\\.\pipe\zeroclaw-25bb9061bdd6d5e4");
        }
    }
}
