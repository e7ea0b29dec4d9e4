//! Agents that do what no real one should, or what none does on demand.

use std::sync::{Arc, Mutex};
use zeroclaw::agent::{Agent, Event, Events, TurnRequest, Work};
use zeroclaw_spec::StopReason;

/// Never says anything and does not hear that it is cancelled.
#[derive(Debug)]
pub(crate) struct Deaf;

impl Agent for Deaf {
    fn turn(&self, _: TurnRequest, _: Events) -> Work {
        Box::pin(std::future::pending())
    }
}

/// Says a word and panics.
#[derive(Debug)]
pub(crate) struct Panicking;

impl Agent for Panicking {
    fn turn(&self, _: TurnRequest, events: Events) -> Work {
        Box::pin(async move {
            events.send(Event::Text("last word".to_owned())).await?;
            panic!("the agent's own fault, on purpose");
        })
    }
}

/// Panics before there is a turn.
#[derive(Debug)]
pub(crate) struct Stillborn;

impl Agent for Stillborn {
    fn turn(&self, _: TurnRequest, _: Events) -> Work {
        panic!("the agent's own fault, on purpose");
    }
}

/// Answers with the conversation so far, as `User: …|Assistant: …`, and keeps what it was asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recalling {
    pub(crate) prompts: Arc<Mutex<Vec<String>>>,
}

impl Agent for Recalling {
    fn turn(&self, request: TurnRequest, events: Events) -> Work {
        self.prompts.lock().unwrap().push(request.prompt.clone());
        Box::pin(async move {
            let said = |message: &zeroclaw::agent::Message| format!("{:?}: {}", message.role, message.text);
            let history: Vec<_> = request.history.iter().map(said).collect();
            events.send(Event::Text(history.join("|"))).await?;
            if request.prompt == "wait" {
                request.cancel.cancelled().await;
            }
            Ok(StopReason::EndTurn)
        })
    }
}

/// Says one long text at once.
#[derive(Debug)]
pub(crate) struct Verbose(pub(crate) String);

impl Agent for Verbose {
    fn turn(&self, _: TurnRequest, events: Events) -> Work {
        let text = self.0.clone();
        Box::pin(async move {
            events.send(Event::Text(text)).await?;
            Ok(StopReason::EndTurn)
        })
    }
}
