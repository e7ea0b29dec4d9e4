//! Reads the protocol's spec and writes what is derived from it: load → check → lower → emit.
//!
//! `load` turns files into documents that know their places, `check` refuses what does not fit together, `lower`
//! makes the model of what is left, and `emit` has one projection of it a module. The spec crate's build script
//! drives it; nothing of it is in the daemon.

mod check;
mod definitions;
pub mod emit;
pub mod load;
mod lower;
pub mod problem;
mod spelling;

use std::path::Path;

pub use load::{Files, read};
pub use lower::model;
pub use model::Model;
pub use problem::{Place, Problem, Problems};

/// The model of a spec.
///
/// # Errors
/// Everything that is wrong with the spec. Values (defaults, examples) are judged once the types are sound, and
/// what the documents mean once each has the right form.
pub fn compile(files: &Files) -> Result<Model, Problems> {
    let spec = load::parse(files)?;
    check::check(&spec)?;
    let model = lower::lower(&spec);
    check::values(&model)?;
    Ok(model)
}

/// Reads and compiles the spec in a directory.
///
/// # Errors
/// As [`compile`]; a file that cannot be read is a problem too.
pub fn compile_directory(directory: &Path) -> Result<Model, Problems> {
    let files = read(directory).map_err(|error| {
        let mut problems = Problems::default();
        let place = Place::file(&directory.display().to_string());
        problems.add(&place, format!("cannot be read: {error}"), "name the directory of a spec");
        problems
    })?;
    compile(&files)
}
