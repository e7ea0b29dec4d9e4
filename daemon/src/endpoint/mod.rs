//! Which address the daemon is reached at, and that nobody else has it: locks, stale sockets, permissions (section 1).

mod inherited;
mod lock;
mod socket;

pub use lock::{Lock, LockError};
pub use socket::{Endpoint, EndpointError};
