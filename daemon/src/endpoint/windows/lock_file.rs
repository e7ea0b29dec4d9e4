//! Opening and locking a lock file on Windows: no link is followed, and the file cannot be deleted or renamed while it
//! is open.

use crate::endpoint::LockError;
use std::fs::{File, TryLockError};
use std::io;
use std::mem::zeroed;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_OPEN_REPARSE_POINT, FILE_SHARE_READ, FILE_SHARE_WRITE,
    GetFileInformationByHandle, LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

/// Opens the file, made if it is not there, with the access list of its directory.
///
/// # Errors
/// [`LockError::Foreign`] or [`LockError::Failed`].
pub(in crate::endpoint) fn open(path: &Path) -> Result<File, LockError> {
    let failed = |error: io::Error| LockError::Failed(path.to_owned(), error);
    let foreign = |reason| LockError::Foreign { path: path.to_owned(), reason };
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)
        .map_err(failed)?;
    let kind = file.metadata().map_err(failed)?.file_type();
    if kind.is_symlink() {
        return Err(foreign("it is a link"));
    }
    if !kind.is_file() {
        return Err(foreign("it is no regular file"));
    }
    if names(&file).map_err(failed)? != 1 {
        return Err(foreign("it has more than one name"));
    }
    Ok(file)
}

/// Takes the lock without waiting. It is on a byte far beyond the end: locks are mandatory here, and the second daemon
/// is to read the first one's pid.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if another process has it.
pub(in crate::endpoint) fn try_lock(file: &File) -> Result<(), TryLockError> {
    // SAFETY: an OVERLAPPED of zeros is valid.
    let mut place: OVERLAPPED = unsafe { zeroed() };
    place.Anonymous.Anonymous.Offset = u32::MAX;
    place.Anonymous.Anonymous.OffsetHigh = u32::MAX >> 1;
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the file was not opened for overlapped use, so the call is over when it returns.
    if unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &mut place) } != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let held = [ERROR_LOCK_VIOLATION, ERROR_IO_PENDING].map(|code| Some(code.cast_signed()));
    if held.contains(&error.raw_os_error()) {
        Err(TryLockError::WouldBlock)
    } else {
        Err(TryLockError::Error(error))
    }
}

fn names(file: &File) -> io::Result<u32> {
    // SAFETY: numbers may be zero.
    let mut found: BY_HANDLE_FILE_INFORMATION = unsafe { zeroed() };
    // SAFETY: the result's place is ours.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &mut found) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(found.nNumberOfLinks)
}
