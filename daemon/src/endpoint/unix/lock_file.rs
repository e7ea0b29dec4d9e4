//! Opening and locking a lock file on Unix: no link is followed, nobody else's file is taken (EP-05).

use crate::endpoint::LockError;
use crate::system;
use rustix::fs::{Mode, OFlags};
use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Opens the file, made 0600 if it is not there or is wider.
///
/// # Errors
/// [`LockError::Foreign`] or [`LockError::Failed`].
pub(in crate::endpoint) fn open(path: &Path) -> Result<File, LockError> {
    let failed = |error: io::Error| LockError::Failed(path.to_owned(), error);
    let foreign = |reason| LockError::Foreign { path: path.to_owned(), reason };
    // NONBLOCK: opening a FIFO that lies here must not wait for its other end.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(fd) => File::from(fd),
        Err(rustix::io::Errno::LOOP) => return Err(foreign("it is a link")),
        Err(error) => return Err(failed(error.into())),
    };
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err(foreign("it is no regular file"));
    }
    if !system::is_own_user(found.uid()) {
        return Err(foreign("it belongs to somebody else"));
    }
    if found.nlink() != 1 {
        return Err(foreign("it has more than one name"));
    }
    if found.mode() & 0o7777 != 0o600 {
        file.set_permissions(Permissions::from_mode(0o600)).map_err(failed)?;
    }
    Ok(file)
}

/// Takes the lock without waiting.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if another process has it.
pub(in crate::endpoint) fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}
