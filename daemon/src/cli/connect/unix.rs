//! Over the Unix socket; whose daemon it is, its credentials say.

use super::{ConnectError, Trust};
use crate::system;
use std::path::PathBuf;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

pub(super) async fn dial(
    path: PathBuf,
    trust: &Trust,
) -> Result<(OwnedReadHalf, OwnedWriteHalf), ConnectError> {
    let unreachable = |error| ConnectError::Unreachable { path: path.clone(), error };
    let stream = UnixStream::connect(&path).await.map_err(unreachable)?;
    let uid = stream.peer_cred().map_err(unreachable)?.uid();
    let owner = uid.to_string();
    if uid != 0 && !system::is_own_user(uid) && !trust.covers(&owner) {
        return Err(ConnectError::Foreign { path, owner });
    }
    Ok(stream.into_split())
}
