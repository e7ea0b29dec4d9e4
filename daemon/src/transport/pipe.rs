//! The named pipe as a transport. It has no half-close: a client that has ended its writing is gone (OR-06), and
//! clients see our end only when the pipe is closed. What was written by then they still read.

use super::{Credentials, Incoming, Outgoing, PeerGone, Transport};
use std::future::ready;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle as _, BorrowedHandle};
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::windows::named_pipe::NamedPipeServer;
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use zeroclaw_spec::TransportKind;

/// Most bytes on their way to the system at once. What the system does not take is the outbox's, which counts it.
const WRITE_BYTES: usize = 64 * 1024;

/// A connected instance of a pipe.
#[derive(Debug)]
pub struct Pipe {
    instance: NamedPipeServer,
    /// Nothing more is read: the client has left, or we have said all we had to say.
    ended: AtomicBool,
}

impl Pipe {
    /// An instance that a client has connected to; `left` if that client has gone by now.
    pub(crate) fn new(instance: NamedPipeServer, left: bool) -> Self {
        Self { instance, ended: AtomicBool::new(left) }
    }

    /// Whether a client is there, or has left something to read.
    fn is_open(&self) -> bool {
        let (handle, none) = (self.instance.as_raw_handle(), ptr::null_mut());
        // SAFETY: nothing is asked for but whether it can be asked.
        unsafe { PeekNamedPipe(handle, ptr::null_mut(), 0, none, none, none) != 0 }
    }
}

impl AsHandle for Pipe {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        // SAFETY: the instance owns it and lives as long as we do.
        unsafe { BorrowedHandle::borrow_raw(self.instance.as_raw_handle()) }
    }
}

impl Transport for Pipe {
    fn kind(&self) -> TransportKind {
        TransportKind::Local
    }

    fn credentials(&self) -> Credentials {
        Credentials::Pipe
    }

    fn split(self) -> (Box<dyn Incoming>, Outgoing) {
        let pipe = Arc::new(self);
        (Box::new(FromPeer(Arc::clone(&pipe))), Box::new(ToPeer { pipe, under_way: false }))
    }
}

struct FromPeer(Arc<Pipe>);

impl AsyncRead for FromPeer {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let pipe = &self.0;
        while !pipe.ended.load(Ordering::Acquire) && into.remaining() > 0 {
            ready!(pipe.instance.poll_read_ready(cx))?;
            match pipe.instance.try_read_buf(into) {
                // A client may write nothing, which is not its end.
                Ok(0) if pipe.is_open() => {}
                Ok(0) => pipe.ended.store(true, Ordering::Release),
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Incoming for FromPeer {
    fn peer_gone(&self) -> PeerGone {
        Box::pin(ready(()))
    }
}

struct ToPeer {
    pipe: Arc<Pipe>,
    /// The system may not have taken all that was written.
    under_way: bool,
}

impl AsyncWrite for ToPeer {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if bytes.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let bytes = &bytes[..bytes.len().min(WRITE_BYTES)];
        loop {
            let instance = &self.pipe.instance;
            ready!(instance.poll_write_ready(cx))?;
            let mut written = Err(io::ErrorKind::WouldBlock.into());
            // A write is only begun by this. Refusing what came of it forgets that the pipe was writable, unless it is
            // so again by now: from here on "writable" means that the system has taken all.
            let _ = instance.try_io(Interest::WRITABLE, || {
                written = instance.try_write(bytes);
                Err::<(), _>(io::ErrorKind::WouldBlock.into())
            });
            match written {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
                Ok(count) => {
                    self.under_way = true;
                    return Poll::Ready(Ok(count));
                }
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.under_way {
            ready!(self.pipe.instance.poll_write_ready(cx))?;
            self.under_way = false;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(cx))?;
        // LI-12: the client keeps what the system has taken, whatever of its own we have not read. There is nothing to
        // wait for: it cannot know that we have ended before the pipe is closed.
        self.pipe.ended.store(true, Ordering::Release);
        Poll::Ready(Ok(()))
    }
}

impl Drop for ToPeer {
    fn drop(&mut self) {
        if self.under_way {
            // LI-04: what the client does not take would keep the pipe open.
            let _ = self.pipe.instance.disconnect();
        }
    }
}
