//! The two halves of a connection, whatever it is made of.

use std::io;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Child;

/// What can be read from, and asked whether the other side is gone without reading.
pub trait Receive: AsyncRead + Send + Unpin {
    /// Whether the other side has gone; what it wrote before may still be unread.
    fn is_hung_up(&self) -> bool;
}

/// What can be written to; shutting it down or dropping it ends our side of the stream.
pub trait Transmit: AsyncWrite + Send + Unpin {}

impl<T: AsyncWrite + Send + Unpin> Transmit for T {}

/// One connection.
pub struct Wire {
    /// What the endpoint writes.
    pub receive: Box<dyn Receive>,
    /// What it reads.
    pub transmit: Box<dyn Transmit>,
    /// The process behind the connection, where it has one of its own.
    pub process: Option<Child>,
}

impl Wire {
    /// Talks to a process over its standard input and output.
    pub fn to_process(mut process: Child) -> io::Result<Self> {
        let gone = || io::Error::other("the process was started without pipes");
        let receive = process.stdout.take().ok_or_else(gone)?;
        let transmit = process.stdin.take().ok_or_else(gone)?;
        Ok(Self { receive: Box::new(receive), transmit: Box::new(transmit), process: Some(process) })
    }
}
