//! How our own commands reach the daemon: its endpoint, and the check that it is ours before anything is said (EP-19).

use crate::paths::Paths;
use std::io;
use std::path::PathBuf;
use tokio::net::UnixStream;
use zeroclaw_spec::client::{Client, Inbox};

/// Why the daemon is not reached.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("no daemon answers on {path}: {error}; start one with `zeroclaw daemon`", path = path.display())]
    Unreachable { path: PathBuf, error: io::Error },
    #[error("the daemon on {path} belongs to another user (uid {uid}): nothing was sent", path = path.display())]
    Foreign { path: PathBuf, uid: u32 },
}

/// A client on the daemon's local endpoint.
pub(super) async fn open(paths: &Paths) -> Result<(Client, Inbox), ConnectError> {
    let path = paths.endpoint();
    let unreachable = |error| ConnectError::Unreachable { path: path.clone(), error };
    let stream = UnixStream::connect(&path).await.map_err(unreachable)?;
    let uid = stream.peer_cred().map_err(unreachable)?.uid();
    if uid != 0 && uid != rustix::process::geteuid().as_raw() {
        return Err(ConnectError::Foreign { path, uid });
    }
    let (from_daemon, to_daemon) = stream.into_split();
    Ok(Client::new(from_daemon, to_daemon))
}
