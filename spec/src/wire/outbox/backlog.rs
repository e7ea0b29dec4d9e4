//! The queue of one connection's output and the transport behind it: everything that the outbox's lock
//! protects. Nothing here waits; whoever has to is woken.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BytesMut};
use tokio::io::AsyncWrite;
use tokio::time::Instant;

use super::{Closed, Failure};
use crate::wire::outgoing::Frame;

/// A cork holds back no more than this: beyond it, waiting gains nothing.
const CORK_BYTES: usize = 64 * 1024;
/// An empty buffer that was larger than this is given back.
const KEPT_BYTES: usize = 64 * 1024;

/// Numbers frames in the order they were queued.
type Ticket = u64;

/// Where a frame is that was queued.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    Waiting(Ticket),
    Queued,
    Refused,
}

pub(super) struct Backlog {
    /// `None` once the connection cannot or need not be written to any more.
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    bound: usize,
    /// The queued frames back to back, without what the transport has taken.
    buffer: BytesMut,
    /// The buffer's largest size since it was last empty.
    peak: usize,
    /// What is left of each frame in the buffer.
    frames: VecDeque<(Ticket, usize)>,
    /// Frames for which there is no room yet.
    waiting: VecDeque<Waiting>,
    next_ticket: Ticket,
    /// The transport took less than it was offered, and the driver waits for it. Nobody else may poll
    /// the transport now: it remembers one waker only.
    blocked: bool,
    /// The transport has bytes that it may not have passed on yet.
    unflushed: bool,
    /// When the first byte of the frame at the front was offered (LI-04); after the last frame it stays
    /// until the transport is flushed.
    offered: Option<Instant>,
    corked: bool,
    closing: bool,
    /// Set at the end: the first ticket that was not queued.
    refused_from: Option<Ticket>,
    failure: Option<Failure>,
    driver: Option<Waker>,
    flush_wakers: Vec<Waker>,
    /// To be woken when the lock is free again.
    wakers: Vec<Waker>,
}

#[derive(Debug)]
struct Waiting {
    ticket: Ticket,
    frame: Frame,
    waker: Option<Waker>,
}

impl Backlog {
    pub(super) fn new(writer: Box<dyn AsyncWrite + Send + Unpin>, bound: usize) -> Self {
        Self {
            writer: Some(writer),
            bound,
            buffer: BytesMut::new(),
            peak: 0,
            frames: VecDeque::new(),
            waiting: VecDeque::new(),
            next_ticket: 0,
            blocked: false,
            unflushed: false,
            offered: None,
            corked: false,
            closing: false,
            refused_from: None,
            failure: None,
            driver: None,
            flush_wakers: Vec::new(),
            wakers: Vec::new(),
        }
    }

    pub(super) fn queue(&mut self, frame: Frame) -> Place {
        if self.closing || self.writer.is_none() {
            return Place::Refused;
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if self.waiting.is_empty() && self.has_room(&frame) {
            self.append(ticket, &frame);
            Place::Queued
        } else {
            self.waiting.push_back(Waiting { ticket, frame, waker: None });
            Place::Waiting(ticket)
        }
    }

    /// Where the frame is now; whoever asks is woken when that changes.
    pub(super) fn place(&mut self, ticket: Ticket, cx: &Context<'_>) -> Place {
        if let Some(index) = self.find_waiting(ticket) {
            let waker = &mut self.waiting[index].waker;
            if !waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                *waker = Some(cx.waker().clone());
            }
            Place::Waiting(ticket)
        } else if self.refused_from.is_some_and(|first| ticket >= first) {
            Place::Refused
        } else {
            Place::Queued
        }
    }

    /// Takes back a frame that still waits; false if it does not.
    pub(super) fn withdraw(&mut self, ticket: Ticket) -> bool {
        let Some(index) = self.find_waiting(ticket) else { return false };
        self.waiting.remove(index);
        // It may have been the one too large that the others stood behind.
        self.admit();
        self.notice_progress();
        true
    }

    /// Whether the frame was refused: it never was queued and never will be.
    pub(super) fn is_refused(&self, ticket: Ticket) -> bool {
        self.refused_from.is_some_and(|first| ticket >= first)
    }

    pub(super) fn cork(&mut self) {
        self.corked = true;
    }

    pub(super) fn uncork(&mut self) {
        self.corked = false;
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
        self.wakers.extend(self.driver.take());
    }

    pub(super) fn queued_bytes(&self) -> usize {
        self.buffer.len()
    }

    pub(super) fn offered_at(&self) -> Option<Instant> {
        self.offered
    }

    pub(super) fn take_wakers(&mut self) -> Vec<Waker> {
        mem::take(&mut self.wakers)
    }

    /// The ticket before which everything must have left for a flush that is asked for now.
    pub(super) fn flush_point(&mut self) -> Ticket {
        self.next_ticket
    }

    pub(super) fn poll_flushed(&mut self, target: Ticket, cx: &Context<'_>) -> Poll<Result<(), Closed>> {
        let oldest = self.frames.front().map(|frame| frame.0).or(self.waiting.front().map(|w| w.ticket));
        let left = oldest.unwrap_or(self.next_ticket) >= target && (!self.unflushed || oldest.is_some());
        if left && self.refused_from.is_none_or(|first| first >= target) {
            return Poll::Ready(Ok(()));
        }
        if self.writer.is_none() {
            return Poll::Ready(Err(Closed));
        }
        self.flush_wakers.push(cx.waker().clone());
        Poll::Pending
    }

    /// Writes from whichever task holds the lock, if the transport is free and nothing holds back.
    pub(super) fn offer_if_free(&mut self) {
        if self.blocked || self.holds_back() {
            return;
        }
        self.offer(&mut Context::from_waker(Waker::noop()));
        if self.blocked {
            // That waker wakes nobody; the driver offers again with its own.
            self.wakers.extend(self.driver.take());
        }
    }

    /// The driver's turn: writes with its waker, and closes at the end.
    pub(super) fn drive(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        if !self.holds_back() {
            self.offer(cx);
        }
        if self.closing && !self.blocked && self.is_empty() {
            self.shut_down(cx);
        }
        match (self.failure.take(), &self.writer) {
            (Some(failure), _) => Poll::Ready(Err(failure)),
            (None, None) => Poll::Ready(Ok(())),
            (None, Some(_)) => {
                self.driver = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// The end by failure: what is queued is lost.
    pub(super) fn fail(&mut self, failure: Failure) {
        self.failure = Some(failure);
        self.end();
    }

    /// The end: the transport is dropped, and everybody who waits learns it.
    pub(super) fn end(&mut self) {
        let first_waiting = self.waiting.front().map(|waiting| waiting.ticket);
        self.refused_from.get_or_insert(first_waiting.unwrap_or(self.next_ticket));
        self.writer = None;
        self.offered = None;
        self.blocked = false;
        self.buffer = BytesMut::new();
        self.wakers.extend(self.waiting.drain(..).filter_map(|waiting| waiting.waker));
        self.wakers.extend(self.driver.take());
        self.notice_progress();
    }

    fn offer(&mut self, cx: &mut Context<'_>) {
        while let Some(writer) = &mut self.writer {
            let writer = Pin::new(writer);
            if !self.buffer.is_empty() {
                self.offered.get_or_insert_with(Instant::now);
                match writer.poll_write(cx, &self.buffer) {
                    Poll::Ready(Ok(0)) => self.fail(Failure::Lost(io::ErrorKind::WriteZero.into())),
                    Poll::Ready(Ok(count)) => self.taken(count),
                    Poll::Ready(Err(error)) => self.fail(Failure::Lost(error)),
                    Poll::Pending => return self.blocked = true,
                }
            } else if self.unflushed {
                match writer.poll_flush(cx) {
                    Poll::Ready(Ok(())) => {
                        self.unflushed = false;
                        self.offered = None;
                        self.notice_progress();
                    }
                    Poll::Ready(Err(error)) => self.fail(Failure::Lost(error)),
                    Poll::Pending => return self.blocked = true,
                }
            } else {
                return self.blocked = false;
            }
        }
    }

    /// The transport took `count` bytes from the front.
    fn taken(&mut self, mut count: usize) {
        self.unflushed = true;
        self.buffer.advance(count);
        let mut whole = false;
        while let Some((_, left)) = self.frames.front_mut() {
            if *left > count {
                *left -= count;
                break;
            }
            count -= *left;
            self.frames.pop_front();
            whole = true;
        }
        if self.buffer.is_empty() && mem::take(&mut self.peak) > KEPT_BYTES {
            self.buffer = BytesMut::new();
        }
        self.admit();
        if whole {
            // LI-10: each frame has its own time, however long the queue before it was.
            if !self.buffer.is_empty() {
                self.offered = Some(Instant::now());
            }
            self.notice_progress();
        }
    }

    /// Moves waiting frames into the buffer while there is room, oldest first.
    fn admit(&mut self) {
        while let Some(waiting) =
            self.waiting.pop_front_if(|first| has_room(&self.buffer, self.bound, &first.frame))
        {
            self.append(waiting.ticket, &waiting.frame);
            self.wakers.extend(waiting.waker);
        }
    }

    fn append(&mut self, ticket: Ticket, frame: &Frame) {
        self.buffer.extend_from_slice(frame.as_bytes());
        self.peak = self.peak.max(self.buffer.len());
        self.frames.push_back((ticket, frame.len()));
    }

    fn has_room(&self, frame: &Frame) -> bool {
        has_room(&self.buffer, self.bound, frame)
    }

    /// Whether the cork is in and nothing is more urgent.
    fn holds_back(&self) -> bool {
        self.corked
            && !self.closing
            && self.offered.is_none()
            && self.waiting.is_empty()
            && self.flush_wakers.is_empty()
            && self.buffer.len() < CORK_BYTES
    }

    fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.waiting.is_empty()
    }

    fn shut_down(&mut self, cx: &mut Context<'_>) {
        let Some(writer) = &mut self.writer else { return };
        self.offered.get_or_insert_with(Instant::now);
        match Pin::new(writer).poll_shutdown(cx) {
            // A peer that has gone by itself meanwhile has still got everything it could.
            Poll::Ready(_) => self.end(),
            Poll::Pending => {}
        }
    }

    fn find_waiting(&self, ticket: Ticket) -> Option<usize> {
        self.waiting.binary_search_by_key(&ticket, |waiting| waiting.ticket).ok()
    }

    fn notice_progress(&mut self) {
        self.wakers.append(&mut self.flush_wakers);
    }
}

/// LI-09, LI-13: within the bound, or alone.
fn has_room(buffer: &BytesMut, bound: usize, frame: &Frame) -> bool {
    buffer.is_empty() || buffer.len() + frame.len() <= bound
}

impl fmt::Debug for Backlog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // ER-03: sizes, never contents.
        f.debug_struct("Backlog")
            .field("queued_bytes", &self.buffer.len())
            .field("frames", &self.frames.len())
            .field("waiting", &self.waiting.len())
            .field("blocked", &self.blocked)
            .field("corked", &self.corked)
            .field("closing", &self.closing)
            .finish_non_exhaustive()
    }
}
