//! The outbox: the only writer of a connection. Frames leave in the order they were queued (OR-05),
//! the queue is bounded in bytes and producers wait (LI-09), and a peer that takes nothing is given up
//! after a time (LI-04). What the frames say, and what the end of a connection means, is not known here.
//!
//! Whoever queues a frame writes it at once if the transport is free. What the transport does not take
//! is left to the [`Driver`], which alone waits for it to become writable, runs the clock and closes.

mod backlog;

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::time::Sleep;

use self::backlog::{Backlog, Place};
use super::outgoing::Frame;

/// The outbox takes no more frames: it was closed, the peer is gone, or it stalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the connection takes no more frames")]
pub struct Closed;

/// Why a connection can no longer be written to.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A frame was not wholly taken within the time (LI-04).
    #[error("the peer has stopped reading")]
    Stalled,
    /// The transport is gone.
    #[error("the peer is gone")]
    Lost(#[source] io::Error),
}

/// The producers' side of a connection's output. Clones share it; when the last one is dropped, the
/// outbox is closed as by [`close`](Self::close).
#[derive(Debug, Clone)]
pub struct Outbox {
    handle: Arc<Handle>,
}

/// The transport's side: [`run`](Self::run) must be polled beside everything that queues, best as a task of
/// its own. Dropped, it takes the transport with it, and producers find the outbox closed.
#[derive(Debug)]
#[must_use = "nothing that the transport does not take at once is ever written without it"]
pub struct Driver {
    shared: Arc<Shared>,
    write_timeout: Duration,
}

#[derive(Debug)]
struct Shared {
    backlog: Mutex<Backlog>,
}

#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
}

impl Outbox {
    /// An outbox in front of `writer`. At most `max_queued_bytes` are queued (LI-09; a single frame may be
    /// larger), and a frame has `write_timeout` from the moment its first byte is offered (LI-04).
    pub fn new(
        writer: impl AsyncWrite + Send + Unpin + 'static,
        max_queued_bytes: usize,
        write_timeout: Duration,
    ) -> (Self, Driver) {
        let backlog = Mutex::new(Backlog::new(Box::new(writer), max_queued_bytes));
        let shared = Arc::new(Shared { backlog });
        let driver = Driver { shared: Arc::clone(&shared), write_timeout };
        (Self { handle: Arc::new(Handle { shared }) }, driver)
    }

    /// Queues a frame. Its place is taken by this call, not when the future is first polled; the future
    /// is done when the frame has room in the queue, which it mostly has at once. Until then it is not
    /// queued for good: dropping the future takes the frame back, if it still waits.
    ///
    /// Frames that wait for room get it in the order of the calls. One above the bound gets it when
    /// everything before it has been written (LI-13).
    ///
    /// # Errors
    /// [`Closed`] if the frame will not be written. A frame that had room may still be lost with the
    /// connection: success means queued, not received.
    pub fn queue(&self, frame: Frame) -> Queueing {
        let place = self.handle.shared.with(|backlog| backlog.queue(frame));
        Queueing { handle: Arc::clone(&self.handle), place }
    }

    /// Holds queued frames back, so that the replies to pipelined requests leave together. Never holds
    /// back a frame that has begun to leave, nor anything while a producer waits, while someone awaits
    /// [`flushed`](Self::flushed), or after `close`.
    pub fn cork(&self) {
        self.handle.shared.with(Backlog::cork);
    }

    /// Lets frames leave again, and writes what was held back.
    pub fn uncork(&self) {
        self.handle.shared.with(Backlog::uncork);
    }

    /// Done when every frame queued before this call has been handed to the transport.
    ///
    /// # Errors
    /// [`Closed`] if that will not happen any more.
    pub async fn flushed(&self) -> Result<(), Closed> {
        let target = self.handle.shared.with(Backlog::flush_point);
        poll_fn(|cx| self.handle.shared.with(|backlog| backlog.poll_flushed(target, cx))).await
    }

    /// Takes no more frames. Those already queued are written, then the writing side of the transport is
    /// shut down and [`Driver::run`] ends.
    pub fn close(&self) {
        self.handle.shared.with(Backlog::close);
    }

    /// Bytes in the queue; frames that wait for room are not among them.
    pub fn queued_bytes(&self) -> usize {
        self.handle.shared.with(|backlog| backlog.queued_bytes())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.with(Backlog::close);
    }
}

impl Shared {
    /// Runs `act` under the lock, writes what may now be written, and wakes whom it concerns afterwards.
    fn with<T>(&self, act: impl FnOnce(&mut Backlog) -> T) -> T {
        let mut backlog = self.lock();
        let outcome = act(&mut backlog);
        backlog.offer_if_free();
        let wakers = backlog.take_wakers();
        drop(backlog);
        wakers.into_iter().for_each(Waker::wake);
        outcome
    }

    fn lock(&self) -> MutexGuard<'_, Backlog> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A frame on its way into the queue; see [`Outbox::queue`].
#[derive(Debug)]
#[must_use = "a frame that has to wait for room is taken back when this is dropped"]
pub struct Queueing {
    handle: Arc<Handle>,
    place: Place,
}

impl Future for Queueing {
    type Output = Result<(), Closed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Place::Waiting(ticket) = self.place {
            let place = self.handle.shared.lock().place(ticket, cx);
            self.place = place;
        }
        match self.place {
            Place::Waiting(_) => Poll::Pending,
            Place::Queued => Poll::Ready(Ok(())),
            Place::Refused => Poll::Ready(Err(Closed)),
        }
    }
}

impl Queueing {
    /// Takes the frame back. True if it will not be written: it still waited, or was refused. False if it had got its
    /// room already, which whoever polls may not have seen yet.
    pub fn withdraw(mut self) -> bool {
        match std::mem::replace(&mut self.place, Place::Refused) {
            Place::Waiting(ticket) => {
                self.handle.shared.with(|backlog| backlog.is_refused(ticket) || backlog.withdraw(ticket))
            }
            Place::Queued => false,
            Place::Refused => true,
        }
    }
}

impl Drop for Queueing {
    fn drop(&mut self) {
        if let Place::Waiting(ticket) = self.place {
            self.handle.shared.with(|backlog| backlog.withdraw(ticket));
        }
    }
}

impl Driver {
    /// Writes what could not be written at once, until the outbox is closed and empty.
    ///
    /// # Errors
    /// [`Failure`] when the connection cannot be written to any more; what was queued is lost.
    pub async fn run(self) -> Result<(), Failure> {
        let mut alarm: Option<Pin<Box<Sleep>>> = None;
        poll_fn(|cx| self.poll(&mut alarm, cx)).await
    }

    fn poll(&self, alarm: &mut Option<Pin<Box<Sleep>>>, cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        let mut backlog = self.shared.lock();
        let mut outcome = backlog.drive(cx);
        // LI-04: the clock is looked at after a last attempt, and set for the frame now at the front.
        while let (Poll::Pending, Some(offered)) = (&outcome, backlog.offered_at()) {
            let deadline = offered + self.write_timeout;
            let alarm = alarm.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
            if alarm.deadline() != deadline {
                alarm.as_mut().reset(deadline);
            }
            if alarm.as_mut().poll(cx).is_pending() {
                break;
            }
            backlog.fail(Failure::Stalled);
            outcome = backlog.drive(cx);
        }
        let wakers = backlog.take_wakers();
        drop(backlog);
        wakers.into_iter().for_each(Waker::wake);
        outcome
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.shared.with(Backlog::end);
    }
}
