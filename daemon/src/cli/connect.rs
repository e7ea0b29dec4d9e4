//! How our own commands reach the daemon: its endpoint, and the check that it is ours before anything is said (EP-19).

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix::dial;
#[cfg(windows)]
use windows::dial;

use crate::paths::Paths;
use std::io;
use std::path::PathBuf;
use zeroclaw_spec::client::{Client, Inbox};

/// Why the daemon is not reached.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("no daemon answers on {path}: {error}; start one with `zeroclaw daemon`", path = path.display())]
    Unreachable { path: PathBuf, error: io::Error },
    #[error("the daemon on {path} belongs to another user ({owner}): nothing was sent", path = path.display())]
    Foreign { path: PathBuf, owner: String },
    #[cfg(windows)]
    #[error(transparent)]
    NotLocal(#[from] crate::endpoint::NotLocal),
}

/// A client on the daemon's local endpoint.
pub(super) async fn open(paths: &Paths) -> Result<(Client, Inbox), ConnectError> {
    let (from_daemon, to_daemon) = dial(paths.endpoint()).await?;
    Ok(Client::new(from_daemon, to_daemon))
}
