//! Embeds the spec's JSON and the transcripts, so that the binary stands alone.
//! It only copies bytes: what they mean is read at run time, from the files or from the copies alike.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What makes up the spec, beside the crate that is generated from it.
const SPEC_PARTS: [&str; 7] =
    ["protocol.json", "errors.json", "requirements.json", "methods", "notifications", "requests", "types"];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it for build scripts"));
    let spec = here.join("../spec").canonicalize()?;
    let transcripts = here.join("transcripts");

    let mut spec_files = Vec::new();
    for part in SPEC_PARTS {
        collect(&spec, &spec.join(part), "json", &mut spec_files)?;
    }
    let mut transcript_files = Vec::new();
    collect(&transcripts, &transcripts, "ndjson", &mut transcript_files)?;

    let mut code = String::new();
    table(&mut code, "SPEC", "The spec's files: path and text, in the order of their paths.", spec_files);
    table(
        &mut code,
        "TRANSCRIPTS",
        "The transcripts: path and text, in the order of their paths.",
        transcript_files,
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it for build scripts"));
    fs::write(out.join("embedded.rs"), code)
}

/// Adds every file with `extension` at or below `path`, named relative to `root` with `/` between the parts.
fn collect(root: &Path, path: &Path, extension: &str, into: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", path.display());
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(root, &entry?.path(), extension, into)?;
        }
    } else if path.extension().is_some_and(|found| found == extension) {
        let relative = path.strip_prefix(root).expect("it was found below the root");
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        into.push((parts.join("/"), path.to_path_buf()));
    }
    Ok(())
}

fn table(code: &mut String, name: &str, about: &str, mut files: Vec<(String, PathBuf)>) {
    files.sort();
    let _ = writeln!(code, "/// {about}\npub(crate) const {name}: &[(&str, &str)] = &[");
    for (relative, path) in files {
        let _ = writeln!(code, "    ({relative:?}, include_str!({:?})),", path.display().to_string());
    }
    let _ = writeln!(code, "];");
}
