//! Directories that only we may enter (EP-09).

use crate::system;
use std::io;
use std::path::Path;

/// Makes a directory and those above it that are missing, each private from its first instant.
///
/// # Errors
/// As the system says; also if something else is at the path.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    system::private_directory().recursive(true).create(path)
}

/// Makes the directory, or takes away from everybody else what they may do in it.
///
/// # Errors
/// As the system says; also if it is not ours to change.
pub(crate) fn claim(path: &Path) -> io::Result<()> {
    create(path)?;
    system::close_to_others(path)
}
