//! Where a connection's bytes come from and go to. Whatever can be split into two directions and says who is at the
//! other end plugs in here; dispatch and sessions know nothing of it (EP-15).

#[cfg(unix)]
mod hangup;
#[cfg(unix)]
mod local;
#[cfg(windows)]
mod pipe;
mod stdio;

#[cfg(windows)]
pub use pipe::Pipe;
pub use stdio::Stdio;

use std::fmt;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};
use zeroclaw_spec::TransportKind;

/// Who is at the other end, as far as the operating system tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// The process that connected to the socket.
    Unix {
        /// Its effective user when it connected.
        uid: u32,
        /// Its process, where the system tells.
        pid: Option<i32>,
    },
    /// Whoever the pipe's access list let in: our user, or SYSTEM (EP-10).
    Pipe,
    /// Whoever started us and holds our standard input and output.
    Inherited,
}

/// As the audit log names it (EP-11).
impl fmt::Display for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix { uid, pid: Some(pid) } => write!(f, "unix:pid={pid},uid={uid}"),
            Self::Unix { uid, pid: None } => write!(f, "unix:uid={uid}"),
            Self::Pipe => f.write_str("pipe:local"),
            Self::Inherited => f.write_str("stdio"),
        }
    }
}

/// Done when the peer can no longer read what we write.
pub type PeerGone = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The direction from the peer to us.
pub trait Incoming: AsyncRead + Send + Unpin {
    /// Once the peer has ended its writing: when it is wholly gone, and not only done with asking (OR-06).
    fn peer_gone(&self) -> PeerGone;
}

/// The direction from us to the peer.
pub type Outgoing = Box<dyn AsyncWrite + Send + Unpin>;

/// One connection before anything has been said on it.
pub trait Transport: Send + 'static {
    /// Which methods may come over it.
    fn kind(&self) -> TransportKind;

    /// Who is at the other end.
    fn credentials(&self) -> Credentials;

    /// Its two directions.
    fn split(self) -> (Box<dyn Incoming>, Outgoing);
}
