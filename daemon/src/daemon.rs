//! What all connections share: the sessions, the agents, the limits, and the order to stop.

use crate::agent::{Agent, Agents};
use crate::clients::ClientNames;
use crate::config::Config;
use crate::paths::Paths;
use crate::session::Sessions;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use zeroclaw_spec::Limits;

/// The version that `initialize` and `status` tell.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The daemon, whatever transports it serves.
#[derive(Debug)]
pub struct Daemon {
    paths: Paths,
    /// As clients reach it; absent when there is no local endpoint.
    endpoint: Option<String>,
    config: Config,
    limits: Arc<Limits>,
    agents: Agents,
    sessions: Sessions,
    clients: ClientNames,
    started: Instant,
    stop: CancellationToken,
}

impl Daemon {
    /// A daemon with its embedded agents and no sessions.
    pub fn new(paths: Paths, endpoint: Option<String>, config: Config, clients: ClientNames) -> Self {
        let limits = Arc::new(config.limits.clone());
        let max_live = usize::try_from(limits.max_live_sessions).unwrap_or(usize::MAX);
        Self {
            paths,
            endpoint,
            config,
            agents: Agents::embedded(),
            // Longer than a turn has to unwind, so that its last frames come before the answer that it was awaited for.
            sessions: Sessions::new(max_live, Duration::from_millis(limits.unwind_ms.max(limits.drain_ms))),
            clients,
            limits,
            started: Instant::now(),
            stop: CancellationToken::new(),
        }
    }

    /// The same with one agent more, for whoever builds a daemon around agents of their own.
    #[must_use]
    pub fn with_agent(mut self, alias: &str, agent: Arc<dyn Agent>) -> Self {
        self.agents.add(alias, agent);
        self
    }

    /// Where it keeps its things.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Its local endpoint, if it has one.
    pub fn endpoint(&self) -> Option<&str> {
        self.endpoint.as_deref()
    }

    /// The limits in force.
    pub fn limits(&self) -> &Arc<Limits> {
        &self.limits
    }

    /// Whether members that the spec does not declare are refused (EN-13).
    pub fn strict_params(&self) -> bool {
        self.config.strict_params
    }

    /// The version it reports (CL-06).
    pub fn reported_version(&self) -> &str {
        self.config.server_version.as_deref().unwrap_or(VERSION)
    }

    /// How long it has been there.
    pub fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Its agents.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// Its live sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Names clients over reconnects.
    pub fn clients(&self) -> &ClientNames {
        &self.clients
    }

    /// Orders the stop: nobody is let in any more, turns are cancelled, connections end (EP-14).
    pub async fn stop(&self) {
        self.stop.cancel();
        self.sessions.close_all().await;
    }

    /// Done when the stop was ordered.
    pub async fn stopping(&self) {
        self.stop.cancelled().await;
    }

    /// Done when connections have had their time since the stop was ordered.
    pub async fn drained(&self) {
        self.stopping().await;
        tokio::time::sleep(Duration::from_millis(self.limits.drain_ms)).await;
    }
}
