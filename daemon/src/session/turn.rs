//! One turn from its admission to its `turn_complete`: waits for its place, lets the agent work, sends what it says,
//! and ends in exactly one way (TU-02), whoever cancels it and whenever.

use super::{Place, Session};
use crate::agent::{Event, Events, TurnRequest};
use crate::connection::Connection;
use crate::refusal::Refusal;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use zeroclaw_spec::{
    AgentMessageChunk, AgentThoughtChunk, SessionPromptResult, SessionUpdate, SessionUpdateParams,
    StopReason, TurnComplete, TurnId, TurnOutcome, limit,
};

/// How a turn ends. The first verdict holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stopped(StopReason),
    Cancelled,
    Failed,
}

/// One accepted prompt.
#[derive(Debug)]
pub struct Turn {
    id: TurnId,
    started: OnceLock<SystemTime>,
    fate: Mutex<Option<Fate>>,
    cancelled: CancellationToken,
}

/// What a cancel did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancellation {
    /// The turn's outcome is, or already was, `cancelled`.
    Cancelled,
    /// The turn had come to another end.
    TooLate,
}

impl Turn {
    /// A turn that has not begun.
    pub fn new(id: TurnId) -> Arc<Self> {
        Arc::new(Self {
            id,
            started: OnceLock::new(),
            fate: Mutex::new(None),
            cancelled: CancellationToken::new(),
        })
    }

    /// Its id, unique within the session.
    pub fn id(&self) -> &TurnId {
        &self.id
    }

    /// When it began to run.
    pub fn started(&self) -> Option<SystemTime> {
        self.started.get().copied()
    }

    /// Cancels the turn, unless it has ended already (SE-10).
    pub fn cancel(&self) -> Cancellation {
        if self.settle(Fate::Cancelled) == Fate::Cancelled {
            self.cancelled.cancel();
            Cancellation::Cancelled
        } else {
            Cancellation::TooLate
        }
    }

    /// Decides how the turn ends, if that is not decided, and says what holds.
    fn settle(&self, fate: Fate) -> Fate {
        *self.fate.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fate)
    }
}

/// Times and sizes that a turn keeps to.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    prompt_wait: Duration,
    unwind: Duration,
    /// Longest text of one event, in bytes: even with every byte escaped its frame keeps within LI-01.
    piece: usize,
    /// Longest `content` of a reply or a `turn_complete`, in bytes.
    content: usize,
}

impl Bounds {
    fn of(connection: &Connection) -> Self {
        let limits = connection.limits();
        let escaped = usize::try_from(limits.max_frame_bytes / 8).unwrap_or(usize::MAX);
        Self {
            prompt_wait: Duration::from_millis(limits.prompt_wait_ms),
            unwind: Duration::from_millis(limits.unwind_ms),
            piece: escaped.min(256 * 1024),
            content: escaped.min(limit::MAX_REPLY_CONTENT_BYTES as usize),
        }
    }
}

/// Runs an admitted prompt to its end. The caller keeps `place` until the answer is queued.
///
/// # Errors
/// [`Refusal::Busy`] if its place did not come in time, [`Refusal::TurnFailed`] if the agent failed. Both have been
/// announced by a `turn_complete` already.
pub async fn run(
    session: &Session,
    turn: &Turn,
    place: &Place,
    connection: &Connection,
    prompt: String,
) -> Result<SessionPromptResult, Refusal> {
    let bounds = Bounds::of(connection);
    match wait(turn, place, connection, bounds.prompt_wait).await {
        Wait::Reached => {}
        Wait::TooLong => {
            connection.announce_refusal(session.id().as_str()).await;
            return Err(Refusal::Busy("the prompt waited too long for its turn"));
        }
        Wait::Gone => return Err(Refusal::Busy("its client went while the prompt waited")),
    }
    let _ = turn.started.set(SystemTime::now());
    let mut said = Said { piece: bounds.piece, ..Said::default() };
    let history = session.transcript().begin_turn(&prompt);
    if !turn.cancelled.is_cancelled() {
        let request = TurnRequest { history, prompt, cancel: turn.cancelled.clone() };
        let fate = work(session, turn, connection, request, bounds, &mut said).await;
        turn.settle(fate);
    }
    session.transcript().end_turn(&said.text, said.thought);
    finish(session, turn, connection, said, bounds).await
}

/// How a prompt's time in line ended.
enum Wait {
    Reached,
    /// LI-08.
    TooLong,
    /// OR-06: its client is gone, so that nobody hears how it ends, and its place is free at once.
    Gone,
}

/// Waits for the turn's place. A turn that is cancelled meanwhile goes on waiting, so that its end does not come before
/// those of the turns ahead (OR-05); those end soon.
async fn wait(turn: &Turn, place: &Place, connection: &Connection, most: Duration) -> Wait {
    let mut reached = std::pin::pin!(place.reached());
    let mut closed = std::pin::pin!(connection.closed());
    tokio::select! {
        biased;
        () = &mut reached => return Wait::Reached,
        () = &mut closed => {}
        () = tokio::time::sleep(most) => {
            if turn.settle(Fate::Failed) == Fate::Failed {
                return Wait::TooLong;
            }
            tokio::select! {
                biased;
                () = reached => return Wait::Reached,
                () = closed => {}
            }
        }
    }
    tracing::info!(reason = "connection_closed", "the prompt is forgotten while it waits");
    turn.cancel();
    Wait::Gone
}

/// Lets the agent work and sends what it says, until it stops or the turn is cancelled.
async fn work(
    session: &Session,
    turn: &Turn,
    connection: &Connection,
    request: TurnRequest,
    bounds: Bounds,
    said: &mut Said,
) -> Fate {
    let (sender, mut events) = Events::channel();
    // A task of its own: an agent that panics or hangs takes nothing with it.
    let agent = Arc::clone(session.agent());
    let mut agent = AbortOnDropHandle::new(tokio::spawn(async move { agent.turn(request, sender).await }));
    let worked = async {
        loop {
            let event = tokio::select! {
                biased;
                () = turn.cancelled.cancelled() => return Err(Cut),
                event = events.recv() => event,
            };
            let Some(event) = event else { break };
            said.send(event, session, connection, &turn.cancelled).await?;
        }
        // It says no more, and may still take its time to stop: that can be cancelled too.
        tokio::select! {
            biased;
            () = turn.cancelled.cancelled() => Err(Cut),
            stopped = &mut agent => Ok(stopped),
        }
    };
    let stopped = tokio::select! {
        biased;
        () = connection.closed() => Err(Cut),
        stopped = worked => stopped,
    };
    match stopped {
        Ok(Ok(Ok(reason))) => return Fate::Stopped(reason),
        Ok(Ok(Err(error))) => {
            tracing::warn!(%error, "the turn failed");
            return Fate::Failed;
        }
        Ok(Err(error)) => {
            tracing::error!(panicked = error.is_panic(), "the agent broke off");
            return Fate::Failed;
        }
        // Whoever cut it off has cancelled it, but for a connection that is gone.
        Err(Cut) => {
            // OR-06: why nobody asked for it.
            if !turn.cancelled.is_cancelled() {
                tracing::info!(reason = "connection_closed", "the turn is cancelled");
            }
            turn.cancel();
        }
    }
    // OR-08: it has a while to unwind, then it is dropped.
    drop(events);
    if tokio::time::timeout(bounds.unwind, &mut agent).await.is_err() {
        tracing::warn!("the agent did not unwind in time and is abandoned");
    }
    Fate::Cancelled
}

/// Sends the turn's last event and makes its answer.
async fn finish(
    session: &Session,
    turn: &Turn,
    connection: &Connection,
    said: Said,
    bounds: Bounds,
) -> Result<SessionPromptResult, Refusal> {
    // Cancelled before it ran counts too: `settle` gives back what was decided.
    let fate = turn.settle(Fate::Cancelled);
    let (outcome, stop_reason) = match fate {
        Fate::Stopped(reason) => (TurnOutcome::Completed, reason),
        Fate::Cancelled => (TurnOutcome::Cancelled, StopReason::Cancelled),
        Fate::Failed => (TurnOutcome::Failed, StopReason::EndTurn),
    };
    tracing::info!(outcome = outcome.as_str(), bytes = said.text.len(), "the turn ended");
    let (content, truncated) = said.ending(bounds.content);
    let complete = SessionUpdateParams::TurnComplete(TurnComplete {
        session_id: session.id().to_string(),
        turn_id: Some(turn.id.clone()),
        outcome,
        content: content.clone(),
        truncated,
    });
    // A client that is gone hears nothing; the turn has ended all the same.
    let _ = connection.notify::<SessionUpdate>(&complete).await;
    if fate == Fate::Failed {
        return Err(Refusal::TurnFailed);
    }
    let turn_id = turn.id.clone();
    Ok(SessionPromptResult { session_id: session.id().clone(), turn_id, stop_reason, content, truncated })
}

/// A turn's work ended before the agent stopped: cancelled, or nobody is there to hear it.
struct Cut;

/// What the client has been sent of a turn.
#[derive(Debug, Default)]
struct Said {
    text: String,
    thought: bool,
    piece: usize,
}

impl Said {
    /// Sends one event, in as many frames as its length asks for (LI-13). What is counted as said is exactly what was
    /// queued, also when a cancel comes while a frame waits for room (TU-02, TU-06).
    async fn send(
        &mut self,
        event: Event,
        session: &Session,
        connection: &Connection,
        cancelled: &CancellationToken,
    ) -> Result<(), Cut> {
        let (text, thought) = match event {
            Event::Text(text) => (text, false),
            Event::Thought(text) => (text, true),
        };
        for piece in pieces(&text, self.piece) {
            let (session_id, text) = (session.id().clone(), piece.to_owned());
            let update = match thought {
                false => SessionUpdateParams::AgentMessageChunk(AgentMessageChunk { session_id, text }),
                true => SessionUpdateParams::AgentThoughtChunk(AgentThoughtChunk { session_id, text }),
            };
            let mut queueing = connection.queue::<SessionUpdate>(&update);
            let (queued, cut) = tokio::select! {
                biased;
                () = cancelled.cancelled() => (!queueing.withdraw(), true),
                queued = &mut queueing => (queued.is_ok(), queued.is_err()),
            };
            if queued {
                self.thought |= thought;
                if !thought {
                    self.text.push_str(piece);
                }
            }
            if cut {
                return Err(Cut);
            }
        }
        Ok(())
    }

    /// The text's last `most` bytes in whole characters, and whether something was cut off.
    fn ending(self, most: usize) -> (String, Option<bool>) {
        if self.text.len() <= most {
            return (self.text, None);
        }
        let cut = self.text.len() - most;
        let start =
            (cut..self.text.len()).find(|&at| self.text.is_char_boundary(at)).unwrap_or(self.text.len());
        (self.text[start..].to_owned(), Some(true))
    }
}

/// A text in pieces of at most `most` bytes, each of whole characters.
fn pieces(text: &str, most: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.len().min(most.max(char::MAX.len_utf8()));
        let end = (0..=end).rev().find(|&at| rest.is_char_boundary(at))?;
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        let cut: Vec<_> = pieces("aé😀b", 4).collect();
        assert_eq!(cut, ["aé", "😀", "b"]);
        assert_eq!(pieces("", 4).count(), 0);
    }

    #[test]
    fn a_long_text_ends_with_its_end() {
        let said = |text: &str| Said { text: text.to_owned(), ..Said::default() };
        assert_eq!(said("0123456789").ending(10), ("0123456789".to_owned(), None));
        assert_eq!(said("01234567é").ending(3), ("7é".to_owned(), Some(true)));
        assert_eq!(said("01234567é").ending(1), (String::new(), Some(true)));
    }

    #[test]
    fn the_first_verdict_holds() {
        let turn = Turn::new(TurnId::new("t1").unwrap());
        assert_eq!(turn.settle(Fate::Stopped(StopReason::EndTurn)), Fate::Stopped(StopReason::EndTurn));
        assert_eq!(turn.cancel(), Cancellation::TooLate);
        let turn = Turn::new(TurnId::new("t2").unwrap());
        assert_eq!((turn.cancel(), turn.cancel()), (Cancellation::Cancelled, Cancellation::Cancelled));
        assert_eq!(turn.settle(Fate::Failed), Fate::Cancelled);
    }
}
