//! Directories that only we may enter (EP-09).

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

/// Makes a directory and those above it that are missing, each 0700 from its first instant.
///
/// # Errors
/// As the system says; also if something else is at the path.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Makes the directory, or takes away from everybody else what they may do in it.
///
/// # Errors
/// As the system says; also if it is not ours to change.
pub(crate) fn claim(path: &Path) -> io::Result<()> {
    create(path)?;
    if fs::metadata(path)?.permissions().mode() & 0o7777 != 0o700 {
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
    }
    Ok(())
}
