//! What an agent is to the daemon: given what was said, it says something, event by event, and stops when asked to.
//! How turns are queued, sent and kept is the session's business, not the agent's.

mod echo;

pub use echo::Echo;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zeroclaw_spec::StopReason;

/// Events that may be on their way between an agent and the wire before the agent has to wait.
const EVENTS_IN_FLIGHT: usize = 32;

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person who prompts.
    User,
    /// The agent.
    Assistant,
}

/// One message of the conversation so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
}

/// What an agent is asked to go on from.
#[derive(Debug)]
pub struct TurnRequest {
    /// The conversation before this turn, oldest first.
    pub history: Vec<Message>,
    /// What the user says now.
    pub prompt: String,
    /// Triggered when the turn is cancelled. An agent that does not return soon after is dropped (OR-08).
    pub cancel: CancellationToken,
}

/// Something an agent says or does in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A piece of the answer.
    Text(String),
    /// A piece of reasoning.
    Thought(String),
}

/// Where an agent's events go. Sending waits while the client is slow.
#[derive(Debug, Clone)]
pub struct Events(mpsc::Sender<Event>);

/// The session no longer listens: the turn is over.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the turn is over")]
pub struct TurnOver;

impl Events {
    /// A sender for the agent and the receiver for the turn.
    pub fn channel() -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(EVENTS_IN_FLIGHT);
        (Self(sender), receiver)
    }

    /// Hands over one event, in order.
    ///
    /// # Errors
    /// [`TurnOver`] when nobody listens any more.
    pub async fn send(&self, event: Event) -> Result<(), TurnOver> {
        self.0.send(event).await.map_err(|_| TurnOver)
    }
}

/// Why an agent could not finish its turn. The text is for the log, never for the wire (ER-02).
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The agent was asked to fail.
    #[error("the prompt asked the agent to fail")]
    Asked,
    /// The turn ended under it.
    #[error(transparent)]
    TurnOver(#[from] TurnOver),
}

/// A turn at work.
pub type Work = Pin<Box<dyn Future<Output = Result<StopReason, AgentError>> + Send>>;

/// Something that answers prompts.
pub trait Agent: Send + Sync + std::fmt::Debug {
    /// Works on one turn: sends its events in the order they happen, then says why it stopped.
    fn turn(&self, request: TurnRequest, events: Events) -> Work;
}

/// The agents of this daemon, by alias.
#[derive(Debug)]
pub struct Agents(BTreeMap<String, Arc<dyn Agent>>);

impl Agents {
    /// The agents that need no configuration: `echo`.
    pub fn embedded() -> Self {
        Self(BTreeMap::from([("echo".to_owned(), Arc::new(Echo) as Arc<dyn Agent>)]))
    }

    /// Adds an agent; one of the same alias gives way.
    pub fn add(&mut self, alias: &str, agent: Arc<dyn Agent>) {
        self.0.insert(alias.to_owned(), agent);
    }

    /// The agent of that alias.
    pub fn get(&self, alias: &str) -> Option<Arc<dyn Agent>> {
        self.0.get(alias).cloned()
    }
}
