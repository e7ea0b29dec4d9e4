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

#[cfg(unix)]
mod unix {
    use super::*;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::path::Path;
    use tokio::net::UnixStream;
    use tokio::net::unix::OwnedReadHalf;
    use tokio::process::ChildStdout;

    fn hung_up(descriptor: BorrowedFd<'_>) -> bool {
        let mut polled = [PollFd::from_borrowed_fd(descriptor, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let asked = poll(&mut polled, Some(&now));
        asked.is_ok() && polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
    }

    impl Receive for OwnedReadHalf {
        fn is_hung_up(&self) -> bool {
            hung_up(self.as_ref().as_fd())
        }
    }

    impl Receive for ChildStdout {
        fn is_hung_up(&self) -> bool {
            hung_up(self.as_fd())
        }
    }

    impl Wire {
        /// Connects to a Unix socket.
        pub async fn to_socket(path: &Path) -> io::Result<Self> {
            let (receive, transmit) = UnixStream::connect(path).await?.into_split();
            Ok(Self { receive: Box::new(receive), transmit: Box::new(transmit), process: None })
        }
    }
}

#[cfg(windows)]
mod windows {
    use super::*;
    use std::path::Path;
    use tokio::io::{ReadHalf, split};
    use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient};
    use tokio::process::ChildStdout;

    impl Receive for ReadHalf<NamedPipeClient> {
        fn is_hung_up(&self) -> bool {
            false
        }
    }

    impl Receive for ChildStdout {
        fn is_hung_up(&self) -> bool {
            false
        }
    }

    impl Wire {
        /// Connects to a named pipe.
        pub async fn to_socket(path: &Path) -> io::Result<Self> {
            let (receive, transmit) = split(ClientOptions::new().open(path)?);
            Ok(Self { receive: Box::new(receive), transmit: Box::new(transmit), process: None })
        }
    }
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
