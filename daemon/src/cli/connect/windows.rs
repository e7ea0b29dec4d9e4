//! Over the named pipe; whose daemon it is, the pipe's owner says, which nobody can set to somebody else.

use super::{ConnectError, Trust};
use crate::endpoint::{check_name, security};
use std::io;
use std::os::windows::io::{AsRawHandle as _, BorrowedHandle};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{ReadHalf, WriteHalf, split};
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient};
use tokio::time::{Instant, sleep};
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;

/// How long a pipe may have no instance free before we give up.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

pub(super) async fn dial(
    path: PathBuf,
    trust: &Trust,
) -> Result<(ReadHalf<NamedPipeClient>, WriteHalf<NamedPipeClient>), ConnectError> {
    check_name(&path)?;
    let unreachable = |error| ConnectError::Unreachable { path: path.clone(), error };
    let pipe = open(&path).await.map_err(unreachable)?;
    // SAFETY: the pipe outlives the borrow.
    let handle = unsafe { BorrowedHandle::borrow_raw(pipe.as_raw_handle()) };
    let owner = security::describe(handle).map_err(unreachable)?.owner;
    let known = owner == security::SYSTEM || owner == security::current_user().map_err(unreachable)?;
    if !known && !trust.covers(&owner) {
        return Err(ConnectError::Foreign { path, owner });
    }
    Ok(split(pipe))
}

/// Opens the pipe. Between two clients there is an instant in which no instance is free.
async fn open(path: &Path) -> io::Result<NamedPipeClient> {
    let begun = Instant::now();
    loop {
        // By default the server learns who we are and cannot act as us.
        match ClientOptions::new().open(path) {
            Err(error)
                if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed())
                    && begun.elapsed() < PATIENCE =>
            {
                sleep(PAUSE).await;
            }
            opened => return opened,
        }
    }
}
