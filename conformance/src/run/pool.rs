//! The daemons of a run: one for each configuration, shared by the cases that can share it.

use super::demand::Demand;
use super::{Declared, Options};
use crate::endpoint::{Daemon, StartFault, Target, Wire};
use crate::json::{self, Json};
use crate::spec::Spec;
use crate::transcript::{Need, Script};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::{Mutex, OnceCell, RwLock};
use tokio::time::timeout;

/// A daemon that cases use, and the gate that keeps others away from one that must be alone.
pub(super) struct Seat {
    pub(super) daemon: Mutex<Daemon>,
    pub(super) gate: RwLock<()>,
}

/// The daemons of a run.
pub(super) struct Pool {
    target: Target,
    options: Arc<Options>,
    seats: Mutex<HashMap<String, Arc<OnceCell<Arc<Seat>>>>>,
}

impl Pool {
    pub(super) fn new(target: Target, options: Arc<Options>) -> Self {
        Self { target, options, seats: Mutex::default() }
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Whether a case has a daemon of its own.
    pub(super) fn is_private(&self, script: &Script, demand: &Demand) -> bool {
        let spawned = matches!(self.target, Target::Spawn(_));
        matches!(self.target, Target::Stdio(_))
            || spawned && (!script.header.needs.is_empty() || demand.process)
    }

    /// Whether nobody else may be on the daemon.
    pub(super) fn is_alone(&self, script: &Script) -> bool {
        script.header.needs.contains(&Need::Alone)
    }

    /// A daemon with that configuration: a new one, or the one that others use too.
    pub(super) async fn seat(
        &self,
        config: &BTreeMap<String, Json>,
        private: bool,
    ) -> Result<Arc<Seat>, StartFault> {
        if private {
            return self.start(config).await;
        }
        let mut key = format!("{:?}", config);
        if !self.target.is_ours() {
            key.clear();
        }
        let cell = Arc::clone(self.seats.lock().await.entry(key).or_default());
        cell.get_or_try_init(|| self.start(config)).await.cloned()
    }

    async fn start(&self, config: &BTreeMap<String, Json>) -> Result<Arc<Seat>, StartFault> {
        let daemon = Daemon::start(&self.target, &self.options.profile, config).await?;
        Ok(Arc::new(Seat { daemon: Mutex::new(daemon), gate: RwLock::default() }))
    }

    /// Asks every daemon to end, all at once, and waits for them.
    pub(super) async fn stop(&self) {
        let mut ending = tokio::task::JoinSet::new();
        for (_, cell) in self.seats.lock().await.drain() {
            if let Some(seat) = cell.get().cloned() {
                ending.spawn(async move { seat.daemon.lock().await.stop().await });
            }
        }
        while ending.join_next().await.is_some() {}
    }

    /// What the endpoint says of itself. That it can be reached is all that must be; what it says is the cases' to judge.
    pub(super) async fn probe(&self, spec: &Spec) -> Result<Declared, StartFault> {
        let seat = self.seat(&BTreeMap::new(), matches!(self.target, Target::Stdio(_))).await?;
        let daemon = seat.daemon.lock().await;
        let wire =
            daemon.connect().await.map_err(|fault| StartFault::NotServed(self.target.to_string(), fault))?;
        let patience = super::case::PATIENCE.mul_f64(self.options.time_scale);
        let answer = timeout(patience, introduce(wire)).await.ok().flatten();
        let mut declared = declared(answer.as_ref());
        for limit in &spec.limits {
            declared.limits.entry(limit.name.clone()).or_insert(limit.value);
        }
        Ok(declared)
    }
}

/// Sends `initialize` and gives back the result, if one comes.
async fn introduce(mut wire: Wire) -> Option<Json> {
    let hello = b"{\"jsonrpc\":\"2.0\",\"id\":\"init-0\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n";
    wire.transmit.write_all(hello).await.ok()?;
    wire.transmit.flush().await.ok()?;
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    while !line.contains(&b'\n') {
        let length = wire.receive.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        line.extend_from_slice(&piece[..length]);
    }
    let end = line.iter().position(|byte| *byte == b'\n')?;
    let text = std::str::from_utf8(&line[..end]).ok()?;
    let result = json::read(text.trim()).ok()?.get("result").cloned();
    drop(wire.transmit);
    if let Some(mut process) = wire.process {
        // A process that does not end by itself is killed when it is dropped.
        let _ = timeout(Duration::from_secs(2), process.wait()).await;
    }
    result
}

fn declared(result: Option<&Json>) -> Declared {
    let Some(result) = result else { return Declared::default() };
    let capabilities = result
        .get("capabilities")
        .filter(|names| names.is_type("array"))
        .map(|names| names.elements().iter().filter_map(|name| name.as_str().map(str::to_owned)).collect());
    let limits = result.get("limits").map(Json::members).unwrap_or_default();
    let limits = limits.iter().filter_map(|(name, value)| Some((name.clone(), value.as_integer()?)));
    Declared {
        capabilities,
        limits: limits.collect(),
        version: result.get("serverVersion").and_then(Json::as_str).map(str::to_owned),
    }
}
