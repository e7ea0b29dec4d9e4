//! `session/…`: makes, prompts, cancels, closes and shows sessions.

use crate::connection::Call;
use crate::daemon::Daemon;
use crate::refusal::Refusal;
use crate::session::{self, Cancellation, Create, NoRoom, Session, Turn};
use crate::time;
use std::sync::Arc;
use tracing::Instrument as _;
use zeroclaw_spec::json::{self, Member};
use zeroclaw_spec::{
    Long, SessionActivity, SessionCancelParams, SessionCancelResult, SessionCloseParams, SessionCloseResult,
    SessionId, SessionListParams, SessionListResult, SessionMethods, SessionNewParams, SessionNewResult,
    SessionPromptParams, SessionPromptResult, SessionStateParams, SessionStateResult, limit,
};

const PROMPT: &Member = SessionPromptParams::SHAPE.named("prompt");
const ATTACHMENTS: &Member = SessionPromptParams::SHAPE.named("attachments");

impl SessionMethods for Daemon {
    async fn new(&self, call: Call, params: SessionNewParams) -> Result<SessionNewResult, Refusal> {
        let binding = call.binding()?;
        let client = call.connection.client(&binding);
        let agents_dir = self.paths().agents_dir();
        let create = Create {
            params: &params,
            principal: &binding.principal,
            client: &client,
            agents_dir: &agents_dir,
        };
        let session = self.sessions().create(self.agents(), create)?;
        let message_count = session.transcript().message_count();
        Ok(SessionNewResult {
            session_id: session.id().clone(),
            agent_alias: session.agent_alias().to_owned(),
            workspace_dir: session.workspace().display().to_string(),
            message_count,
        })
    }

    async fn prompt(
        &self,
        call: Call,
        params: SessionPromptParams,
    ) -> Result<Long<SessionPromptResult, Refusal>, Refusal> {
        if params.attachments.is_some_and(|attachments| !attachments.is_empty()) {
            return Err(Refusal::misfit(ATTACHMENTS, "this daemon does not take files yet"));
        }
        if params.prompt.is_empty() {
            return Err(Refusal::misfit(PROMPT, "expected a text that is not empty"));
        }
        let session = self.live(&params.session_id)?;
        let max_waiting = usize::try_from(self.limits().max_waiting_prompts).unwrap_or(usize::MAX);
        let turn = Turn::new(session.next_turn_id());
        let place =
            session.queue().join(Arc::clone(&turn), max_waiting).map_err(|no_room| match no_room {
                NoRoom::Full => Refusal::Busy("as many prompts wait on the session as may wait"),
                NoRoom::Closed => Refusal::NoSession(NOT_LIVE),
            })?;
        let span = tracing::info_span!("turn", session = %session.id(), id = %turn.id());
        let rest = async move {
            let result = session::run(&session, &turn, &place, &call.connection, params.prompt).await;
            // OR-05: the next turn begins when the answer to this one is queued.
            call.hold(place);
            result
        };
        Ok(Box::pin(rest.instrument(span)))
    }

    async fn cancel(&self, _: Call, params: SessionCancelParams) -> Result<SessionCancelResult, Refusal> {
        let session = self.live(&params.session_id)?;
        let cancelled =
            session.queue().foremost().is_some_and(|turn| turn.cancel() == Cancellation::Cancelled);
        Ok(SessionCancelResult { session_id: params.session_id, cancelled })
    }

    async fn close(&self, _: Call, params: SessionCloseParams) -> Result<SessionCloseResult, Refusal> {
        self.sessions().close(&params.session_id).await?;
        Ok(SessionCloseResult { session_id: params.session_id, closed: true })
    }

    async fn state(&self, _: Call, params: SessionStateParams) -> Result<SessionStateResult, Refusal> {
        let session = self.live(&params.session_id)?;
        let foremost = session.queue().foremost();
        let running =
            foremost.as_ref().and_then(|turn| turn.started().map(|started| (turn.id().clone(), started)));
        Ok(SessionStateResult {
            session_id: params.session_id,
            state: if foremost.is_some() { SessionActivity::Running } else { SessionActivity::Idle },
            turn_id: running.as_ref().map(|(id, _)| id.clone()),
            turn_started_at: running.map(|(_, started)| time::timestamp(started)),
            plan: None,
        })
    }

    async fn list(&self, _: Call, params: SessionListParams) -> Result<SessionListResult, Refusal> {
        let limit = params.limit.min(limit::MAX_PAGE_ENTRIES) as usize;
        let mut sessions = self.sessions().list(params.query.as_deref(), limit);
        // LI-13: a page that does not fit is cut short. Room is left for the envelope around it.
        let room = (self.limits().max_frame_bytes / 2) as usize;
        let mut bytes = 0;
        let fitting = sessions.iter().take_while(|entry| {
            bytes += json::to_text(*entry).len() + 1;
            bytes <= room
        });
        sessions.truncate(fitting.count());
        Ok(SessionListResult { sessions })
    }
}

const NOT_LIVE: &str = "the session is not live";

impl Daemon {
    fn live(&self, id: &SessionId) -> Result<Arc<Session>, Refusal> {
        self.sessions().find(id).ok_or(Refusal::NoSession(NOT_LIVE))
    }
}
