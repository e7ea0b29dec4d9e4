//! The order of one session's prompts: one runs, the others wait, and a place is given up only when the answer to its
//! prompt is on its way (OR-05).

use super::Turn;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Why a prompt is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// As many prompts wait as may wait (LI-08).
    Full,
    /// The session is being closed.
    Closed,
}

/// The prompts of one session, the foremost first.
#[derive(Debug, Default)]
pub struct Queue {
    line: Mutex<Line>,
    /// Woken whenever somebody leaves the line.
    moved: Notify,
}

#[derive(Debug, Default)]
struct Line {
    turns: VecDeque<Arc<Turn>>,
    closed: bool,
}

impl Queue {
    /// Puts a turn at the end of the line.
    ///
    /// # Errors
    /// [`NoRoom`]: `max_waiting` turns wait behind the running one already, or the session is closing.
    pub fn join(self: &Arc<Self>, turn: Arc<Turn>, max_waiting: usize) -> Result<Place, NoRoom> {
        let mut line = self.line();
        if line.closed {
            return Err(NoRoom::Closed);
        }
        if line.turns.len() > max_waiting {
            return Err(NoRoom::Full);
        }
        line.turns.push_back(Arc::clone(&turn));
        Ok(Place { queue: Arc::clone(self), turn })
    }

    /// The turn that runs, or is about to.
    pub fn foremost(&self) -> Option<Arc<Turn>> {
        self.line().turns.front().cloned()
    }

    /// Lets nobody in any more and cancels everybody who is in line.
    pub fn close(&self) {
        let turns: Vec<_> = {
            let mut line = self.line();
            line.closed = true;
            line.turns.iter().cloned().collect()
        };
        for turn in turns {
            turn.cancel();
        }
    }

    /// Lets nobody in any more if nobody is in line, and says whether that is so.
    pub fn close_if_idle(&self) -> bool {
        let mut line = self.line();
        line.closed |= line.turns.is_empty();
        line.closed
    }

    /// Whether nobody is in line.
    pub fn is_idle(&self) -> bool {
        self.line().turns.is_empty()
    }

    /// Waits until nobody is in line.
    pub async fn drained(&self) {
        self.wait(|line| line.turns.is_empty()).await;
    }

    async fn wait(&self, done: impl Fn(&Line) -> bool) {
        loop {
            let mut moved = std::pin::pin!(self.moved.notified());
            moved.as_mut().enable();
            if done(&self.line()) {
                return;
            }
            moved.await;
        }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn's place in line; dropping it lets the next one on.
#[derive(Debug)]
pub struct Place {
    queue: Arc<Queue>,
    turn: Arc<Turn>,
}

impl Place {
    /// Waits until this turn is the foremost.
    pub async fn reached(&self) {
        self.queue.wait(|line| line.turns.front().is_some_and(|first| Arc::ptr_eq(first, &self.turn))).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.queue.line().turns.retain(|turn| !Arc::ptr_eq(turn, &self.turn));
        self.queue.moved.notify_waiters();
    }
}
