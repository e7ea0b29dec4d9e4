//! Live sessions: who has one, which prompts wait on it, how a turn runs and what is remembered of it.
//!
//! Each piece of state has one owner: [`Sessions`] the map and the generations, a session's [`Queue`] the order of
//! its prompts, a [`Turn`] its own fate, a [`Transcript`] what was said. Locks are held for a few instructions and
//! never over an await.

mod live;
mod queue;
mod transcript;
mod turn;

pub use live::{Client, Create, Generation, Session, Sessions};
pub use queue::{NoRoom, Place, Queue};
pub use transcript::Transcript;
pub use turn::{Cancellation, Turn, run};
