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

/// Whose daemon may be talked to, beside our own and the system's.
#[derive(Debug, clap::Args)]
pub(super) struct Trust {
    /// Talk to a daemon of this other user, too: a uid, on Windows a SID.
    #[arg(long, value_name = "USER")]
    trust_user: Option<String>,
}

impl Trust {
    fn covers(&self, owner: &str) -> bool {
        self.trust_user.as_deref() == Some(owner)
    }
}

/// Why the daemon is not reached.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("no daemon answers on {path}: {error}; start one with `zeroclaw daemon`", path = path.display())]
    Unreachable { path: PathBuf, error: io::Error },
    #[error("the daemon on {path} belongs to another user: nothing was sent; --trust-user {owner} talks to it", path = path.display())]
    Foreign { path: PathBuf, owner: String },
    #[cfg(windows)]
    #[error(transparent)]
    NotLocal(#[from] crate::endpoint::NotLocal),
}

/// A client on the daemon's local endpoint.
pub(super) async fn open(paths: &Paths, trust: &Trust) -> Result<(Client, Inbox), ConnectError> {
    let (from_daemon, to_daemon) = dial(paths.endpoint(), trust).await?;
    Ok(Client::new(from_daemon, to_daemon))
}
