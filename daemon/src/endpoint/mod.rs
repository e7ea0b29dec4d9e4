//! Which address the daemon is reached at, and that nobody else has it (section 1): on Unix a socket, its lock and its
//! permissions; on Windows a named pipe and its access list. Both files give the same names.

mod lock;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use lock::{Lock, LockError};
#[cfg(unix)]
pub use unix::{Endpoint, EndpointError};
#[cfg(windows)]
pub use windows::{Endpoint, EndpointError, NotLocal};
#[cfg(windows)]
pub(crate) use windows::{check_name, security};
