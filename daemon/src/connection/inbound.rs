//! A connection's input: bytes into frames, with the time that an unfinished frame may take (LI-02), and reading ahead
//! while a call is under way (OR-08).

use super::Connection;
use crate::transport::Incoming;
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;
use zeroclaw_spec::wire::{FrameReader, Message, validate};

/// What keeping a frame costs beside its bytes, so that many small ones are not kept for nothing.
const HANDLE_BYTES: usize = 64;

/// What comes next.
#[derive(Debug)]
pub(super) enum Next {
    Frame(Bytes),
    /// LI-01.
    TooLarge,
    /// LI-02.
    TimedOut,
    /// The peer has ended its writing.
    End,
}

/// The reading side of one connection.
pub(super) struct Inbound {
    connection: Arc<Connection>,
    incoming: Box<dyn Incoming>,
    frames: FrameReader,
    /// Frames read ahead, and what they cost together.
    ahead: VecDeque<Bytes>,
    ahead_bytes: usize,
    /// When the unfinished frame must be complete.
    deadline: Option<Instant>,
    /// Since when we have not been reading, by our own choice: that time is not the client's.
    paused: Option<Instant>,
    timed_out: bool,
    ended: bool,
    /// From the end of the peer's writing on: waits for the end of its reading.
    watch: Option<AbortOnDropHandle<()>>,
}

impl Inbound {
    pub(super) fn new(connection: Arc<Connection>, incoming: Box<dyn Incoming>) -> Self {
        let limit = usize::try_from(connection.limits().max_frame_bytes).unwrap_or(usize::MAX);
        Self {
            connection,
            incoming,
            frames: FrameReader::new(limit),
            ahead: VecDeque::new(),
            ahead_bytes: 0,
            deadline: None,
            paused: None,
            timed_out: false,
            ended: false,
            watch: None,
        }
    }

    /// The next frame, read if need be.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            if let Some(next) = self.ready() {
                self.pause();
                return next;
            }
            self.fill().await;
        }
    }

    /// Whether the next frame is here already, so that answers may leave together.
    pub(super) fn has_frame(&mut self) -> bool {
        !self.ahead.is_empty() || self.frames.has_complete_frame()
    }

    /// From now on, until reading goes on, the clock of an unfinished frame stands still (OR-08).
    pub(super) fn pause(&mut self) {
        self.paused.get_or_insert_with(Instant::now);
    }

    /// Reads on while a call is under way: takes answers as they arrive, keeps the rest in order, notices the end of
    /// the stream. Never done: the caller drops it when the call is over.
    pub(super) async fn read_ahead(&mut self) {
        loop {
            while let Ok(Some(frame)) = self.frames.next_frame() {
                self.deadline = None;
                let is_answer =
                    matches!(validate(&frame).map(Message::parse), Ok(Ok(Message::Response { .. })));
                if is_answer {
                    self.connection.take_answer(&frame);
                } else {
                    self.ahead_bytes += frame.len() + HANDLE_BYTES;
                    self.ahead.push_back(frame);
                }
            }
            // A frame that is too large shows itself again in its turn.
            let over = self.ended || self.timed_out || self.frames.next_frame().is_err();
            if over || self.ahead_bytes >= self.frames.limit() {
                self.pause();
                return std::future::pending().await;
            }
            self.fill().await;
        }
    }

    /// What the bytes come from, when there is nothing more to read from it.
    pub(super) fn incoming(&mut self) -> &mut dyn Incoming {
        &mut *self.incoming
    }

    fn ready(&mut self) -> Option<Next> {
        if let Some(frame) = self.ahead.pop_front() {
            self.ahead_bytes -= frame.len() + HANDLE_BYTES;
            return Some(Next::Frame(frame));
        }
        match self.frames.next_frame() {
            Ok(Some(frame)) => {
                self.deadline = None;
                Some(Next::Frame(frame))
            }
            Err(_) => Some(Next::TooLarge),
            Ok(None) if self.ended => Some(Next::End),
            Ok(None) if self.timed_out => Some(Next::TimedOut),
            Ok(None) => None,
        }
    }

    /// Reads once. Dropping it loses nothing.
    async fn fill(&mut self) {
        let now = Instant::now();
        if let (Some(paused), Some(deadline)) = (self.paused.take(), &mut self.deadline) {
            *deadline += now - paused;
        }
        let deadline = if self.frames.is_partial() {
            let allowed = Duration::from_millis(self.connection.limits().frame_timeout_ms);
            Some(*self.deadline.get_or_insert(now + allowed))
        } else {
            self.deadline = None;
            None
        };
        let mut room = self.frames.room();
        let read = self.incoming.read_buf(&mut room);
        let read = match deadline {
            Some(deadline) => tokio::time::timeout_at(deadline, read).await,
            None => Ok(read.await),
        };
        match read {
            Ok(Ok(0)) => self.end(),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "reading failed");
                self.connection.closed.cancel();
                self.end();
            }
            Err(_) => self.timed_out = true,
        }
    }

    /// OR-06: the peer asks nothing more and answers nothing more. It may still read.
    fn end(&mut self) {
        self.ended = true;
        self.frames.finish();
        self.connection.pending.close();
        let (connection, gone) = (Arc::clone(&self.connection), self.incoming.peer_gone());
        self.watch = Some(AbortOnDropHandle::new(tokio::spawn(async move {
            gone.await;
            connection.closed.cancel();
        })));
    }
}

impl Connection {
    /// Hands an answer to whoever waits for it (EN-08).
    pub(super) fn take_answer(&self, frame: &[u8]) {
        let taken = match validate(frame).map(Message::parse) {
            Ok(Ok(Message::Response { id, outcome })) => self.pending.resolve(&id, outcome),
            _ => false,
        };
        if !taken {
            tracing::debug!(bytes = frame.len(), "ignored an answer that nobody waits for");
        }
    }
}
