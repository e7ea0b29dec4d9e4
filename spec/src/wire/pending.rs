//! Our own requests until they are answered (OR-02): numbers, waiters, and how they end.
//! Sending the request and limiting the time are the caller's; dropping the waiter is how time ends it.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::sync::oneshot;

use super::envelope::{Id, Outcome};

const PREFIX: &str = "zc-out-";

/// The id of a request of ours, `zc-out-<n>`: n counts from 0 and is never used again on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutgoingId(u64);

impl OutgoingId {
    /// The one that an answer's id means. Only a string that reads exactly as we wrote it does, however
    /// it is escaped.
    fn meant_by(id: &Id<'_>) -> Option<Self> {
        let text = id.string()?;
        let number = text.strip_prefix(PREFIX)?.parse().ok().map(Self)?;
        // `zc-out-007` and `zc-out-+7` parse, but we never sent them.
        (number.to_string() == text).then_some(number)
    }
}

impl fmt::Display for OutgoingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

/// What a request of ours came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The result's JSON text.
    Result(Box<str>),
    /// The peer refused or failed.
    Error {
        /// The stable code.
        code: i64,
        /// For people only.
        message: Box<str>,
        /// The JSON text of `data`.
        data: Option<Box<str>>,
    },
}

impl From<Outcome<'_>> for Answer {
    fn from(outcome: Outcome<'_>) -> Self {
        match outcome {
            Outcome::Result(result) => Self::Result(result.into()),
            Outcome::Error(error) => Self::Error {
                code: error.code,
                message: error.message.into(),
                data: error.data.map(Into::into),
            },
        }
    }
}

/// No answer will come: the peer has ended its side, or the connection is gone (OR-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the peer can no longer answer")]
pub struct Refused;

/// The requests of ours that are in flight on one connection. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    closed: bool,
    waiting: HashMap<OutgoingId, oneshot::Sender<Answer>>,
}

impl Pending {
    /// Nothing in flight, and 0 is the next number.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next number. Register first, then queue the request: its answer may come at once.
    pub fn register(&self) -> (OutgoingId, Waiter) {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        let id = OutgoingId(state.next);
        state.next += 1;
        // Once closed, the sender is dropped here and the waiter finds itself refused.
        if !state.closed {
            state.waiting.insert(id, sender);
        }
        drop(state);
        (id, Waiter { id, receiver, pending: self.clone() })
    }

    /// Hands an answer to who waits for it. False if nobody does: the id is unknown, null or not ours, or
    /// the answer is late or a second one, and it is to be ignored (EN-08).
    pub fn resolve(&self, id: &Id<'_>, outcome: Outcome<'_>) -> bool {
        let sender = OutgoingId::meant_by(id).and_then(|id| self.lock().waiting.remove(&id));
        sender.is_some_and(|sender| sender.send(outcome.into()).is_ok())
    }

    /// Nobody can answer any more: all that wait are refused, and all that register later (OR-06).
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let refused = std::mem::take(&mut state.waiting);
        drop(state);
        drop(refused);
    }

    /// How many requests are in flight.
    pub fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Whether none is in flight.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for one answer. Dropped, it forgets the request, and the answer is a late one (OR-03).
#[derive(Debug)]
#[must_use = "dropping the waiter forgets the request"]
pub struct Waiter {
    id: OutgoingId,
    receiver: oneshot::Receiver<Answer>,
    pending: Pending,
}

impl Future for Waiter {
    type Output = Result<Answer, Refused>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(ready!(Pin::new(&mut self.receiver).poll(cx)).map_err(|_| Refused))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.pending.lock().waiting.remove(&self.id);
    }
}
