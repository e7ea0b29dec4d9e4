//! Socket activation: a listening socket that a service manager made and hands to us (EP-13).

use super::{Endpoint, EndpointError};
use crate::system;
use listenfd::ListenFd;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use tokio::net::UnixListener;

impl Endpoint {
    /// The socket that was handed to us, if one was.
    ///
    /// # Errors
    /// [`EndpointError::Inherited`]: it is no Unix socket with a path, it belongs to somebody else, or others may connect
    /// to it (EP-09). It is left where it is.
    pub fn inherited() -> Result<Option<Self>, EndpointError> {
        let refused = |reason| Err(EndpointError::Inherited(reason));
        let mut handed = ListenFd::from_env();
        if handed.len() > 1 {
            return refused("there is more than one");
        }
        let listener = match handed.take_unix_listener(0) {
            Ok(Some(listener)) => listener,
            Ok(None) => return Ok(None),
            Err(_) => return refused("it is not a listening Unix socket"),
        };
        let address = listener.local_addr().ok();
        let Some(path) = address.as_ref().and_then(|address| address.as_pathname()) else {
            return refused("it has no path");
        };
        let failed = |error| EndpointError::Failed { path: path.to_owned(), error };
        let found = fs::symlink_metadata(path).map_err(failed)?;
        if found.uid() != 0 && !system::is_own_user(found.uid()) {
            return refused("it belongs to somebody else");
        }
        if found.mode() & 0o077 != 0 {
            return refused("its mode is wider than 0600");
        }
        listener.set_nonblocking(true).map_err(failed)?;
        let path = path.to_owned();
        let listener = UnixListener::from_std(listener)
            .map_err(|error| EndpointError::Failed { path: path.clone(), error })?;
        Ok(Some(Self { listener, path, bound: None }))
    }
}
