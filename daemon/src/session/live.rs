//! The live sessions: made, rebound, found, listed and closed here, each under a generation of its own so that an old
//! call never acts on a session that was made anew under the same id (SE-09).

use super::{Queue, Transcript};
use crate::agent::{Agent, Agents};
use crate::policy::Principal;
use crate::refusal::Refusal;
use crate::{ids, time};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;
use zeroclaw_spec::json::Member;
use zeroclaw_spec::{ChatMode, InteractionSurface, SessionEntry, SessionId, SessionNewParams, TurnId};

const AGENT_ALIAS: &Member = SessionNewParams::SHAPE.named("agentAlias");
const CWD: &Member = SessionNewParams::SHAPE.named("cwd");
const INTERACTION_SURFACE: &Member = SessionNewParams::SHAPE.named("interactionSurface");

/// Tells the sessions apart that bear the same id one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(u64);

/// One session with an owner in memory.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    generation: Generation,
    agent_alias: String,
    agent: Arc<dyn Agent>,
    mode: ChatMode,
    surface: Option<InteractionSurface>,
    workspace: PathBuf,
    owner: Principal,
    created_at: SystemTime,
    /// Who made it or rebound it last.
    client: Mutex<Client>,
    queue: Arc<Queue>,
    transcript: Mutex<Transcript>,
    turns: AtomicU64,
}

impl Session {
    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Which incarnation of its id it is.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The alias of its agent.
    pub fn agent_alias(&self) -> &str {
        &self.agent_alias
    }

    /// The agent that answers in it.
    pub fn agent(&self) -> &Arc<dyn Agent> {
        &self.agent
    }

    /// The directory it works in.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Its prompts, in order.
    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    /// What was said in it.
    pub fn transcript(&self) -> MutexGuard<'_, Transcript> {
        self.transcript.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of its next turn.
    pub fn next_turn_id(&self) -> TurnId {
        let number = self.turns.fetch_add(1, Ordering::Relaxed) + 1;
        TurnId::new(format!("turn-{number}")).expect("a short text is a turn id")
    }

    fn client(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self) -> SessionEntry {
        let transcript = self.transcript();
        SessionEntry {
            session_id: self.id.clone(),
            session_key: format!("{}:{}", self.mode, self.id),
            agent_alias: self.agent_alias.clone(),
            chat_mode: self.mode,
            live: true,
            killed: false,
            message_count: transcript.message_count(),
            created_at: time::timestamp(self.created_at),
            last_activity: time::timestamp(transcript.last_activity()),
        }
    }
}

/// A client as its sessions know it.
#[derive(Debug, Clone)]
pub struct Client {
    /// Its name over reconnects.
    pub tui_id: String,
    /// Triggered when the connection that it came on has ended.
    pub gone: CancellationToken,
}

/// What a session is to be made of.
#[derive(Debug)]
pub struct Create<'a> {
    /// The caller's parameters.
    pub params: &'a SessionNewParams,
    /// Who asks.
    pub principal: &'a Principal,
    /// The client that asks.
    pub client: &'a Client,
    /// Where agents have their workspaces.
    pub agents_dir: &'a Path,
}

/// All live sessions.
#[derive(Debug)]
pub struct Sessions {
    max_live: usize,
    patience: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    live: HashMap<SessionId, Arc<Session>>,
    last_generation: u64,
}

impl Sessions {
    /// No sessions yet; at most `max_live` at once (LI-07). Who closes one waits for its turns as long as `patience`
    /// lasts: they end by themselves when they have had their time to unwind (OR-08), unless a client is slow.
    pub fn new(max_live: usize, patience: Duration) -> Self {
        Self { max_live, patience, state: Mutex::default() }
    }

    /// Makes a session, or rebinds the caller to a live one (SE-01, SE-02).
    ///
    /// # Errors
    /// Parameters that do not fit (SE-01, SE-02), or no room (LI-07).
    pub fn create(&self, agents: &Agents, create: Create<'_>) -> Result<Arc<Session>, Refusal> {
        let Create { params, principal, client, .. } = create;
        let agent = agents
            .get(&params.agent_alias)
            .ok_or_else(|| Refusal::misfit(AGENT_ALIAS, "no agent has this alias"))?;
        if params.interaction_surface.is_some() && params.chat_mode == ChatMode::Chat {
            return Err(Refusal::misfit(
                INTERACTION_SURFACE,
                "only an ACP session has an interaction surface",
            ));
        }
        if let Some(session) = params.session_id.as_ref().and_then(|id| self.find(id)) {
            return rebind(session, &create);
        }
        let workspace = workspace(params, create.agents_dir)?;
        let id = params.session_id.clone().unwrap_or_else(ids::session_id);
        let now = SystemTime::now();
        let make = |generation| Session {
            id: id.clone(),
            generation,
            agent_alias: params.agent_alias.clone(),
            agent,
            mode: params.chat_mode,
            surface: params.interaction_surface,
            workspace,
            owner: principal.clone(),
            created_at: now,
            client: Mutex::new(client.clone()),
            queue: Arc::default(),
            transcript: Mutex::new(Transcript::new(now)),
            turns: AtomicU64::new(0),
        };
        self.insert(&id, make, &create)
    }

    /// Puts a session into the map, after taking out what gives way to it (SE-04, SE-18).
    fn insert(
        &self,
        id: &SessionId,
        make: impl FnOnce(Generation) -> Session,
        create: &Create<'_>,
    ) -> Result<Arc<Session>, Refusal> {
        let mut state = self.state();
        // Somebody else may have made it since we looked.
        if let Some(session) = state.live.get(id) {
            return rebind(Arc::clone(session), create);
        }
        let Create { params, principal, client, .. } = create;
        if !params.keep_siblings {
            state.close_idle(|session| {
                session.mode == params.chat_mode && session.client().tui_id == client.tui_id
            });
        }
        if state.live.len() >= self.max_live {
            // An ACP session can be resumed, a chat session is lost: the first kind goes first.
            let made_room = state.close_longest_idle(|session| session.mode == ChatMode::Acp)
                || state.close_longest_idle(|session| session.owner == **principal);
            if !made_room {
                return Err(Refusal::SessionLimit(self.max_live));
            }
        }
        state.last_generation += 1;
        let session = Arc::new(make(Generation(state.last_generation)));
        state.live.insert(id.clone(), Arc::clone(&session));
        Ok(session)
    }

    /// The live session of that id.
    pub fn find(&self, id: &SessionId) -> Option<Arc<Session>> {
        self.state().live.get(id).cloned()
    }

    /// Closes a session: gives up its live owner, cancels its turns, and waits for them (SE-05, OR-08).
    ///
    /// # Errors
    /// It is not live.
    pub async fn close(&self, id: &SessionId) -> Result<(), Refusal> {
        // SE-09: what is removed here is one incarnation; whoever makes the id anew meanwhile gets another.
        let session = self.state().live.remove(id).ok_or(Refusal::NoSession("the session is not live"))?;
        session.queue.close();
        if tokio::time::timeout(self.patience, session.queue.drained()).await.is_err() {
            tracing::warn!(session = %id, "a turn did not end in time and is abandoned");
        }
        Ok(())
    }

    /// Cancels every turn and waits for them for as long as they may take to unwind (EP-14).
    pub async fn close_all(&self) {
        let sessions: Vec<_> = self.state().live.drain().map(|(_, session)| session).collect();
        for session in &sessions {
            session.queue.close();
        }
        let drained = async {
            for session in &sessions {
                session.queue.drained().await;
            }
        };
        if tokio::time::timeout(self.patience, drained).await.is_err() {
            tracing::warn!("some turns did not end in time and are abandoned");
        }
    }

    /// The ids of the live sessions, sorted.
    pub fn ids(&self) -> Vec<SessionId> {
        let mut ids: Vec<_> = self.state().live.keys().cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// The sessions whose id or agent contains `query`, the latest activity first, at most `limit` (SE-17).
    pub fn list(&self, query: Option<&str>, limit: usize) -> Vec<SessionEntry> {
        let query = query.unwrap_or_default().to_ascii_lowercase();
        let wanted = |session: &&Arc<Session>| {
            let contains = |text: &str| text.to_ascii_lowercase().contains(&query);
            contains(session.id.as_str()) || contains(&session.agent_alias)
        };
        let mut sessions: Vec<_> = self.state().live.values().filter(wanted).cloned().collect();
        // Of two that were active at the same instant, the one that was made later.
        sessions.sort_by_cached_key(|session| {
            Reverse((session.transcript().last_activity(), session.generation))
        });
        sessions.iter().take(limit).map(|session| session.entry()).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Closes the idle sessions that `which` names.
    fn close_idle(&mut self, which: impl Fn(&Session) -> bool) {
        self.live.retain(|_, session| !(which(session) && session.queue.close_if_idle()));
    }

    /// SE-18: closes the one without a client that has been idle longest, of those that `which` names.
    fn close_longest_idle(&mut self, which: impl Fn(&Session) -> bool) -> bool {
        let left = |session: &&Arc<Session>| session.client().gone.is_cancelled() && which(session);
        let mut candidates: Vec<_> = self.live.values().filter(left).cloned().collect();
        candidates.sort_by_key(|session| session.transcript().last_activity());
        let closed = candidates.into_iter().find(|session| session.queue.close_if_idle());
        closed.is_some_and(|session| self.live.remove(&session.id).is_some())
    }
}

/// Binds the caller to a session that is live, if it may be (SE-02).
fn rebind(session: Arc<Session>, create: &Create<'_>) -> Result<Arc<Session>, Refusal> {
    let Create { params, principal, client, .. } = create;
    if session.owner != **principal {
        return Err(Refusal::Forbidden);
    }
    if session.mode != params.chat_mode {
        return Err(Refusal::ModeConflict(session.mode));
    }
    if session.agent_alias != params.agent_alias {
        return Err(Refusal::misfit(AGENT_ALIAS, "the session is live with another agent"));
    }
    if session.surface != params.interaction_surface {
        return Err(Refusal::misfit(INTERACTION_SURFACE, "the session is live on another surface"));
    }
    session.client().clone_from(client);
    Ok(session)
}

/// SE-01: where the session works.
fn workspace(params: &SessionNewParams, agents_dir: &Path) -> Result<PathBuf, Refusal> {
    let Some(cwd) = &params.cwd else {
        let workspace = agents_dir.join(&params.agent_alias);
        crate::private_dir::create(&workspace).map_err(Refusal::internal("making an agent's workspace"))?;
        return Ok(workspace);
    };
    let cwd = PathBuf::from(cwd);
    if !cwd.is_absolute() {
        return Err(Refusal::misfit(CWD, "expected an absolute path"));
    }
    if !cwd.is_dir() {
        return Err(Refusal::misfit(CWD, "expected an existing directory"));
    }
    Ok(cwd)
}
