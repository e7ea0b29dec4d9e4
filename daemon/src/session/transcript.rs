//! What was said in a session, and when something last happened in it.

use crate::agent::{Message, Role};
use std::time::SystemTime;

/// The visible transcript of one session and the context that its agent goes on from.
#[derive(Debug)]
pub struct Transcript {
    messages: Vec<Message>,
    thoughts: u64,
    last_activity: SystemTime,
}

impl Transcript {
    /// An empty transcript.
    pub fn new(now: SystemTime) -> Self {
        Self { messages: Vec::new(), thoughts: 0, last_activity: now }
    }

    /// Adds what the user said and gives back the conversation before it.
    pub fn begin_turn(&mut self, prompt: &str) -> Vec<Message> {
        let history = self.messages.clone();
        self.messages.push(Message { role: Role::User, text: prompt.to_owned() });
        self.last_activity = SystemTime::now();
        history
    }

    /// Adds what the agent said; of a turn that was cut short, the part that was sent (TU-06).
    pub fn end_turn(&mut self, text: &str, thought: bool) {
        if !text.is_empty() {
            self.messages.push(Message { role: Role::Assistant, text: text.to_owned() });
        }
        self.thoughts += u64::from(thought);
        self.last_activity = SystemTime::now();
    }

    /// How many messages a client is shown: prompts, answers and thoughts.
    pub fn message_count(&self) -> u64 {
        self.messages.len() as u64 + self.thoughts
    }

    /// When a turn last began or ended, or the session was made.
    pub fn last_activity(&self) -> SystemTime {
        self.last_activity
    }
}
