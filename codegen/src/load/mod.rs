//! Reads a spec directory into documents that know where each of their parts stands.
//! Form only: what the parts mean together is `check`'s matter.

mod document;
mod json;
mod method;
mod node;
mod schema;
mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::problem::{Place, Problems};

pub use document::{Spec, TypesDocument};
pub use method::{Example, From, Kind, MethodDocument, Outcome, Rpc, Runs};
pub use schema::{Form, MemberSchema, OpenKind, Reference, Schema};
pub use tables::{ErrorEntry, Level, LimitEntry, Protocol, Reason, Requirement, Requirements, Section};

/// The files of a spec, by their path in it, sorted.
pub type Files = BTreeMap<String, String>;

/// The directories of a spec; everything else beside the three tables is not part of it.
const DIRECTORIES: [&str; 5] = ["meta", "methods", "notifications", "requests", "types"];

/// The tables that every spec has.
pub(crate) const TABLES: [&str; 3] = ["errors.json", "protocol.json", "requirements.json"];

/// Reads the files that make up the spec in `directory`.
///
/// # Errors
/// If a table or a directory cannot be read, or a file is not UTF-8.
pub fn read(directory: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    for table in TABLES {
        let path = directory.join(table);
        files.insert(table.to_owned(), text(&path)?);
    }
    for name in DIRECTORIES {
        let path = directory.join(name);
        if path.is_dir() {
            walk(&path, name, &mut files)?;
        }
    }
    Ok(files)
}

fn walk(directory: &Path, prefix: &str, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &name, files)?;
        } else {
            files.insert(name, text(&entry.path())?);
        }
    }
    Ok(())
}

fn text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Turns the files of a spec into documents.
///
/// # Errors
/// Every place where a file has not the form of a spec file.
pub fn parse(files: &Files) -> Result<Spec, Problems> {
    let mut problems = Problems::default();
    let mut values = BTreeMap::new();
    for (path, text) in files {
        let place = Place::file(path);
        if !path.ends_with(".json") {
            problems.add(&place, "is not a `.json` file", "move it out of the spec's directories");
        } else if let Some(value) = json::parse(&place, text, &mut problems) {
            values.insert(path.as_str(), value);
        }
    }
    let spec = Spec::read(files, &values, &mut problems);
    problems.or(spec)
}
