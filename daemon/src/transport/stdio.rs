//! Standard input and output as a transport, for the one client that started us (EP-15).

#[cfg_attr(unix, path = "stdio/unix.rs")]
#[cfg_attr(windows, path = "stdio/windows.rs")]
mod streams;

use super::{Credentials, Incoming, Outgoing, PeerGone, Transport};
use std::fs;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::AbortOnDropHandle;
use zeroclaw_spec::TransportKind;

/// Most bytes on their way to the system at once. What the system does not take is the outbox's, which counts it.
const WRITE_BYTES: usize = 64 * 1024;

/// What were our standard input and output.
#[derive(Debug)]
pub struct Stdio {
    input: fs::File,
    output: fs::File,
}

impl Stdio {
    /// Takes standard input and output for the protocol alone. What else in this process, or in one that it starts,
    /// reads the one finds its end, and what is written to the other goes nowhere (FR-03).
    ///
    /// # Errors
    /// As the system says.
    pub fn take() -> io::Result<Self> {
        let (input, output) = streams::take()?;
        Ok(Self { input, output })
    }
}

impl Transport for Stdio {
    fn kind(&self) -> TransportKind {
        TransportKind::Stdio
    }

    fn credentials(&self) -> Credentials {
        Credentials::Inherited
    }

    // They stay as blocking as they were made: their modes may be shared with whoever gave them to us, a shell say. So
    // reads and writes are made on threads of the runtime's; one that is stuck there does not keep the process.
    fn split(self) -> (Box<dyn Incoming>, Outgoing) {
        let gone = CancellationToken::new();
        let (hung_up, noticed) = (streams::hung_up(&self.output), gone.clone());
        let watch = AbortOnDropHandle::new(tokio::spawn(async move {
            hung_up.await;
            noticed.cancel();
        }));
        let mut output = File::from_std(self.output);
        output.set_max_buf_size(WRITE_BYTES);
        let input = File::from_std(self.input);
        let noticed = Box::pin(gone.clone().cancelled_owned());
        (Box::new(FromClient { input, gone, noticed }), Box::new(ToClient { output, _watch: watch }))
    }
}

struct FromClient {
    input: File,
    /// Triggered when nobody reads our output any more.
    gone: CancellationToken,
    noticed: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl AsyncRead for FromClient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Who closed our output has left, even if the input is still held open, by a shell's pipeline say.
        if self.noticed.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        Pin::new(&mut self.input).poll_read(cx, into)
    }
}

impl Incoming for FromClient {
    fn peer_gone(&self) -> PeerGone {
        Box::pin(self.gone.clone().cancelled_owned())
    }
}

/// Dropping it closes the output: the client sees the end of the stream.
struct ToClient {
    output: File,
    /// Holds a descriptor of the output and so must not outlive it.
    _watch: AbortOnDropHandle<()>,
}

impl AsyncWrite for ToClient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.output).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.output).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.output).poll_flush(cx));
        streams::end(&self.output);
        Poll::Ready(flushed)
    }
}
