//! Frames that can be told apart, transports that take what a test wants, and waiting without time.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWrite, DuplexStream, duplex};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::timeout;
use zeroclaw_spec::wire::{Failure, Frame, Outbox};

pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// A frame of exactly `size` bytes that says `number`.
pub(crate) fn frame(number: usize, size: usize) -> Frame {
    let empty = Frame::notification("n", Some(&format!("[{number},\"\"]"))).len();
    let pad = "x".repeat(size.checked_sub(empty).expect("room for the envelope"));
    let frame = Frame::notification("n", Some(&format!("[{number},\"{pad}\"]")));
    assert_eq!(frame.len(), size);
    frame
}

/// The number and size of each frame of a stream.
pub(crate) fn read_back(bytes: &[u8]) -> Vec<(usize, usize)> {
    let line = |line: &[u8]| {
        let start = line.iter().position(|byte| *byte == b'[').expect("params") + 1;
        let digits = line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        (std::str::from_utf8(&line[start..start + digits]).unwrap().parse().unwrap(), line.len())
    };
    assert!(bytes.is_empty() || bytes.ends_with(b"\n"), "a frame was cut off");
    bytes.split_inclusive(|byte| *byte == b'\n').map(line).collect()
}

/// A transport of `capacity` bytes, its reading end, and a running driver.
pub(crate) fn connect(
    capacity: usize,
    bound: usize,
) -> (Outbox, DuplexStream, JoinHandle<Result<(), Failure>>) {
    let (writer, reader) = duplex(capacity);
    let (outbox, driver) = Outbox::new(writer, bound, TIMEOUT);
    (outbox, reader, tokio::spawn(driver.run()))
}

/// Whether it is still pending when asked once.
pub(crate) fn waits(future: &mut (impl Future + Unpin)) -> bool {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

/// Lets every other task run until it waits.
pub(crate) async fn settle() {
    for _ in 0..20 {
        yield_now().await;
    }
}

/// Takes what there is to take without waiting.
pub(crate) async fn drain(reader: &mut DuplexStream) -> Vec<u8> {
    let mut taken = Vec::new();
    while timeout(Duration::ZERO, reader.read_buf(&mut taken)).await.is_ok_and(|count| count.unwrap() > 0) {}
    taken
}

/// A transport that remembers each write. It takes everything, but one that hoards does not flush before it
/// is released, and then once; one that is full takes nothing.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    writes: Arc<Mutex<Vec<Vec<u8>>>>,
    hoards: bool,
    is_full: bool,
    flush: Arc<Mutex<(bool, Option<Waker>)>>,
    is_shut_down: Arc<AtomicBool>,
}

impl Recorder {
    pub(crate) fn hoarding() -> Self {
        Self { hoards: true, ..Self::default() }
    }

    pub(crate) fn full() -> Self {
        Self { is_full: true, ..Self::default() }
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.is_shut_down.load(Ordering::SeqCst)
    }

    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.writes.lock().unwrap().iter().map(Vec::len).collect()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.writes.lock().unwrap().concat()
    }

    pub(crate) fn release(&self) {
        let mut flush = self.flush.lock().unwrap();
        flush.0 = true;
        flush.1.take().expect("somebody waits for the flush").wake();
    }
}

impl AsyncWrite for Recorder {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.writes.lock().unwrap().push(bytes.to_vec());
        if self.is_full {
            return Poll::Pending;
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut flush = self.flush.lock().unwrap();
        if !self.hoards || std::mem::take(&mut flush.0) {
            return Poll::Ready(Ok(()));
        }
        flush.1 = Some(cx.waker().clone());
        Poll::Pending
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.is_shut_down.store(true, Ordering::SeqCst);
        Poll::Ready(Ok(()))
    }
}
