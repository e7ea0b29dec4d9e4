//! `zeroclaw chat`: a conversation by hand. What the agent does is shown as it comes; how it looks is in [`screen`].

mod screen;

use super::connect::{self, ConnectError, Trust};
use crate::paths::Paths;
use screen::Screen;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::signal::ctrl_c;
use tokio::sync::mpsc;
use zeroclaw_spec::client::{CallError, Client, Inbox};
use zeroclaw_spec::{
    ChatMode, Initialize, InitializeParams, SessionCancel, SessionCancelParams, SessionId, SessionNew,
    SessionNewParams, SessionPrompt, SessionPromptParams, SessionPromptResult, SessionUpdate, UnknownValue,
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The agent to talk with.
    #[arg(long, value_name = "ALIAS", default_value = "echo")]
    agent: String,
    /// Go on with this session, or make one of this id.
    #[arg(long, value_name = "ID", value_parser = |id: &str| SessionId::new(id).map_err(|unfit| unfit.to_string()))]
    session: Option<SessionId>,
    /// `chat` or `acp`; neither outlives the daemon yet.
    #[arg(long, default_value = "chat", value_parser = |mode: &str| mode.parse::<ChatMode>().map_err(|unknown: UnknownValue| unknown.to_string()))]
    mode: ChatMode,
    #[command(flatten)]
    trust: Trust,
}

/// Why there is no conversation, or no more of it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("the daemon did not let us in: {0}")]
    Refused(CallError),
    #[error("{0}")]
    Lost(CallError),
    #[error("cannot read or write: {0}")]
    Io(#[from] io::Error),
}

/// How a turn ended, as far as the conversation goes on from it.
enum Turn {
    Done,
    Failed,
    /// Ctrl-C a second time.
    Left,
}

struct Chat {
    client: Client,
    inbox: Inbox,
    /// Each Ctrl-C, also one that comes while nobody waits for it.
    interrupts: mpsc::UnboundedReceiver<()>,
    session_id: SessionId,
    screen: Screen,
}

pub(super) async fn run(arguments: Arguments, paths: &Paths) -> Result<ExitCode, Error> {
    let (client, inbox) = connect::open(paths, &arguments.trust).await?;
    client.call::<Initialize>(&InitializeParams::default()).await.map_err(Error::Refused)?;
    let wanted = SessionNewParams {
        agent_alias: arguments.agent,
        cwd: None,
        session_id: arguments.session,
        chat_mode: arguments.mode,
        interaction_surface: None,
        exclude_memory: false,
        keep_siblings: true,
    };
    let session = client.call::<SessionNew>(&wanted).await.map_err(Error::Refused)?;
    let mut chat = Chat {
        client,
        inbox,
        interrupts: interrupts(),
        session_id: session.session_id,
        screen: Screen::new(),
    };
    let interactive = io::stdin().is_terminal();
    if interactive {
        chat.screen
            .note(&format!("{} listens; Ctrl-C cancels a turn, Ctrl-D leaves", session.agent_alias))?;
    }
    let failed = chat.talk(interactive).await?;
    if interactive {
        chat.screen.note(&format!("to go on: zeroclaw chat --session {}", chat.session_id))?;
    }
    // Whoever pipes prompts in learns whether all of them were answered.
    Ok(if failed && !interactive { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// From now on Ctrl-C is ours to hear.
fn interrupts() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move { while ctrl_c().await.is_ok() && sender.send(()).is_ok() {} });
    receiver
}

impl Chat {
    /// Takes prompts until there are no more: whether a turn failed.
    async fn talk(&mut self, interactive: bool) -> Result<bool, Error> {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        let mut failed = false;
        loop {
            if interactive {
                self.screen.ask()?;
            }
            let line = tokio::select! {
                line = lines.next_line() => line?,
                Some(()) = self.interrupts.recv() => None,
            };
            let Some(prompt) = line else {
                self.screen.end_line()?;
                return Ok(failed);
            };
            if prompt.trim().is_empty() {
                continue;
            }
            match self.turn(prompt).await? {
                Turn::Done => {}
                Turn::Failed => failed = true,
                Turn::Left => return Ok(failed),
            }
        }
    }

    /// One prompt, shown while it is worked on.
    async fn turn(&mut self, prompt: String) -> Result<Turn, Error> {
        let params = SessionPromptParams { session_id: self.session_id.clone(), prompt, attachments: None };
        match self.watch(&params).await? {
            Some(answer) => self.end(answer),
            None => {
                self.screen.end_line()?;
                Ok(Turn::Left)
            }
        }
    }

    /// Shows what comes until the answer is there; nothing if the person has left before.
    async fn watch(
        &mut self,
        params: &SessionPromptParams,
    ) -> Result<Option<Result<SessionPromptResult, CallError>>, Error> {
        let mut answer = std::pin::pin!(self.client.call::<SessionPrompt>(params));
        let cancel = SessionCancelParams { session_id: self.session_id.clone() };
        let mut cancelled = false;
        loop {
            tokio::select! {
                biased;
                Some(unasked) = self.inbox.recv() => {
                    if let Some(Ok(update)) = unasked.decode::<SessionUpdate>() {
                        self.screen.show(&update)?;
                    }
                }
                answer = &mut answer => return Ok(Some(answer)),
                Some(()) = self.interrupts.recv() => {
                    if std::mem::replace(&mut cancelled, true) {
                        return Ok(None);
                    }
                    // The turn's own end says whether it was in time.
                    self.client.send::<SessionCancel>(&cancel).await.map_err(Error::Lost)?;
                }
            }
        }
    }

    fn end(&mut self, answer: Result<SessionPromptResult, CallError>) -> Result<Turn, Error> {
        // The answer came last; what was sent before it is here already.
        while let Ok(unasked) = self.inbox.try_recv() {
            if let Some(Ok(update)) = unasked.decode::<SessionUpdate>() {
                self.screen.show(&update)?;
            }
        }
        match answer {
            Ok(result) => {
                self.screen.stopped(result.stop_reason)?;
                Ok(Turn::Done)
            }
            Err(CallError::Refused { message, .. }) => {
                self.screen.note(&message)?;
                Ok(Turn::Failed)
            }
            Err(error) => Err(Error::Lost(error)),
        }
    }
}
