//! The Unix socket: bound where nobody else's is, private from its first instant, removed only if it is still ours.

mod inherited;
pub(super) mod lock_file;

use super::{Lock, LockError};
use crate::{private_dir, system};
use rustix::fs::Mode;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream as Probe;
use std::path::{Path, PathBuf};
use tokio::net::{UnixListener, UnixStream};
use zeroclaw_spec::limit;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;

#[cfg(target_os = "linux")]
const MAX_PATH: u64 = limit::LINUX_SOCKET_PATH_BYTES;
#[cfg(not(target_os = "linux"))]
const MAX_PATH: u64 = limit::MACOS_SOCKET_PATH_BYTES;

/// Why the endpoint cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// EP-08.
    #[error("the socket path {path} has {length} bytes, {MAX_PATH} are allowed: set ZEROCLAW_SOCKET to a shorter one", path = path.display())]
    TooLong {
        /// The path.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
    },
    /// EP-09.
    #[error("{path} is no place for a socket: {reason}", path = path.display())]
    UnsafeDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// EP-04, EP-05.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// EP-06.
    #[error("{path} is in the way: {what}; move it away", path = path.display())]
    InTheWay {
        /// The path.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// EP-13.
    #[error("the socket that was handed to us cannot be served: {0}")]
    Inherited(&'static str),
    /// The system refused.
    #[error("cannot serve {path}: {error}", path = path.display())]
    Failed {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
}

/// A listening socket.
#[derive(Debug)]
pub struct Endpoint {
    listener: UnixListener,
    path: PathBuf,
    /// Of a socket that we bound; one that was handed to us is not ours to remove.
    bound: Option<Bound>,
}

/// What makes a socket ours.
#[derive(Debug)]
struct Bound {
    /// Device and inode of what was bound.
    identity: (u64, u64),
    _lock: Lock,
}

impl Endpoint {
    /// Whether a socket can have this path at all. Touches nothing.
    ///
    /// # Errors
    /// [`EndpointError::TooLong`] (EP-08).
    pub fn check(path: &Path) -> Result<(), EndpointError> {
        let length = path.as_os_str().len();
        if length as u64 > MAX_PATH {
            return Err(EndpointError::TooLong { path: path.to_owned(), length });
        }
        Ok(())
    }

    /// Binds the socket at `path`; `own_directory` says that it lies in the data directory.
    ///
    /// # Errors
    /// [`EndpointError`]; whatever is at the path is left untouched, unless it is a dead socket of ours.
    pub fn bind(path: &Path, own_directory: bool) -> Result<Self, EndpointError> {
        Self::check(path)?;
        let failed = |error: io::Error| EndpointError::Failed { path: path.to_owned(), error };
        if !own_directory {
            check_directory(
                path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")),
            )?;
        }
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".lock");
        let lock = Lock::take(Path::new(&lock_path), &path.display().to_string())?;
        remove_stale(path)?;
        let listener = listen(path).map_err(failed)?;
        let found = fs::symlink_metadata(path).map_err(failed)?;
        let listener = UnixListener::from_std(listener).map_err(failed)?;
        let bound = Bound { identity: (found.dev(), found.ino()), _lock: lock };
        Ok(Self { listener, path: path.to_owned(), bound: Some(bound) })
    }

    /// Where clients reach it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next client.
    ///
    /// # Errors
    /// As the system says; the endpoint is as good as before.
    pub async fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }
}

impl Drop for Endpoint {
    /// EP-07: whoever put another socket in our place keeps it.
    fn drop(&mut self) {
        let Some(bound) = &self.bound else { return };
        let identity = fs::symlink_metadata(&self.path).map(|found| (found.dev(), found.ino()));
        let ours = identity.is_ok_and(|identity| identity == bound.identity);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, "cannot remove the socket");
        }
    }
}

/// EP-09: a directory that is not ours to change must be one in which nobody else can replace the socket.
fn check_directory(directory: &Path) -> Result<(), EndpointError> {
    let failed = |error| EndpointError::Failed { path: directory.to_owned(), error };
    let refused = |reason| Err(EndpointError::UnsafeDirectory { path: directory.to_owned(), reason });
    private_dir::create(directory).map_err(failed)?;
    let found = fs::metadata(directory).map_err(failed)?;
    let sticky = 0o1000;
    if found.uid() != 0 && !system::is_own_user(found.uid()) {
        return refused("it belongs to somebody else");
    }
    if found.mode() & 0o022 != 0 && found.mode() & sticky == 0 {
        return refused("others may write in it and it is not sticky");
    }
    Ok(())
}

/// EP-06: removes a socket of ours that nobody serves. Called under the lock.
fn remove_stale(path: &Path) -> Result<(), EndpointError> {
    let failed = |error: io::Error| EndpointError::Failed { path: path.to_owned(), error };
    let in_the_way = |what| Err(EndpointError::InTheWay { path: path.to_owned(), what });
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    if !found.file_type().is_socket() {
        return in_the_way("it is not a socket");
    }
    if !system::is_own_user(found.uid()) {
        return in_the_way("the socket belongs to somebody else");
    }
    match Probe::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(failed)
        }
        Err(error) => Err(failed(error)),
        Ok(_) => in_the_way("somebody serves this socket without holding its lock"),
    }
}

/// A listening socket that has never been wider than 0600.
fn listen(path: &Path) -> io::Result<std::os::unix::net::UnixListener> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let private = Mode::RUSR | Mode::WUSR;
    let address = SocketAddrUnix::new(path)?;
    if cfg!(target_os = "linux") {
        // Linux gives the file the mode that the unbound socket has, less the umask.
        rustix::fs::fchmod(&socket, private)?;
        rustix::net::bind(&socket, &address)?;
    } else {
        let others = rustix::process::umask(Mode::RWXG | Mode::RWXO | Mode::XUSR);
        let bound = rustix::net::bind(&socket, &address);
        rustix::process::umask(others);
        bound?;
    }
    rustix::net::listen(&socket, BACKLOG)?;
    Ok(socket.into())
}
