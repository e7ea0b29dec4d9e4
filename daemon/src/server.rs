//! The daemon's process: takes what it owns, serves until it is told to stop, and leaves in order (EP-14).

use crate::clients::ClientNames;
use crate::config::{Config, ConfigError};
use crate::connection::{notice, refuse, serve};
use crate::daemon::Daemon;
use crate::endpoint::{Endpoint, EndpointError, Lock, LockError};
use crate::paths::{NoPaths, Paths};
use crate::presence::Presence;
use crate::private_dir;
use crate::system;
use crate::transport::{Stdio, Transport};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;
use zeroclaw_spec::{ErrorCode, limit};

/// How many refused clients may keep their descriptors while they read why. Those beyond are told and dropped at once,
/// so that a storm of them cannot use up what the others need (LI-10).
const MAX_LINGERING: usize = 64;

/// Why the daemon did not start, or could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Where it should keep its things is unknown.
    #[error(transparent)]
    Paths(#[from] NoPaths),
    /// The configuration is not understood.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// EP-16.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The endpoint is not to be had.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The data directory cannot be used.
    #[error("cannot use {0}: {1}")]
    DataDir(PathBuf, io::Error),
    /// The system does not let us hear its signals.
    #[error("cannot listen for signals: {0}")]
    Signals(io::Error),
    /// Standard input and output cannot be served.
    #[error("cannot take over standard input and output: {0}")]
    Stdio(io::Error),
}

/// How long a daemon lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Until a signal ends it; the number of clients means nothing (EM-02).
    UntilStopped,
    /// Until its last client has gone, too (EM-01).
    Ephemeral,
}

/// Runs a daemon on its local endpoint.
///
/// # Errors
/// [`ServerError`], with what a person can do about it.
pub async fn run(paths: Paths, lifetime: Lifetime) -> Result<(), ServerError> {
    let inherited = Endpoint::inherited()?;
    if inherited.is_none() {
        // EP-08: before anything is made.
        Endpoint::check(&paths.endpoint())?;
    }
    let Estate { config, clients, _owner } = Estate::claim(&paths)?;
    let endpoint = match inherited {
        Some(endpoint) => endpoint,
        None => Endpoint::bind(&paths.endpoint(), paths.socket_override.is_none())?,
    };
    let path = endpoint.path().display().to_string();
    let daemon = Arc::new(Daemon::new(paths, Some(path.clone()), config, clients));
    let ended = system::stop_signal().map_err(ServerError::Signals)?;
    // EP-13: whoever waits for us may connect now.
    let ready = format!("zeroclaw {} is ready on {path}\n", crate::daemon::VERSION);
    // Nobody may listen any more; that is no reason not to serve.
    let _ = io::stderr().write_all(ready.as_bytes());
    system::announce_ready();
    tracing::info!(endpoint = %path, pid = std::process::id(), "ready");
    let (connections, presence) = (TaskTracker::new(), Presence::default());
    let alone = async {
        match lifetime {
            Lifetime::UntilStopped => std::future::pending().await,
            Lifetime::Ephemeral => {
                presence.deserted(Duration::from_millis(daemon.limits().ephemeral_grace_ms)).await;
            }
        }
    };
    tokio::select! {
        () = accept(&daemon, &endpoint, &connections, &presence) => {}
        () = alone => tracing::info!("stopping: the last client has gone"),
        signal = ended => tracing::info!(signal, "stopping"),
    }
    // EP-07: gone before the last connection is, so that nobody new comes.
    drop(endpoint);
    leave(&daemon, &connections).await;
    Ok(())
}

/// Runs a daemon for one client on standard input and output, until that client has gone or a signal comes (EP-15).
///
/// # Errors
/// [`ServerError`], with what a person can do about it.
pub async fn run_stdio(paths: Paths) -> Result<(), ServerError> {
    let Estate { config, clients, _owner } = Estate::claim(&paths)?;
    let ended = system::stop_signal().map_err(ServerError::Signals)?;
    let client = Stdio::take().map_err(ServerError::Stdio)?;
    let daemon = Arc::new(Daemon::new(paths, None, config, clients));
    tracing::info!(pid = std::process::id(), "ready on standard input and output");
    let connections = TaskTracker::new();
    let served = serve(Arc::clone(&daemon), client).instrument(tracing::info_span!("connection"));
    let served = connections.spawn(served);
    tokio::select! {
        _ = served => tracing::info!("stopping: the client has gone"),
        signal = ended => tracing::info!(signal, "stopping"),
    }
    leave(&daemon, &connections).await;
    Ok(())
}

/// What a daemon owns before it serves anybody, whatever it serves them on.
struct Estate {
    config: Config,
    clients: ClientNames,
    /// EP-16: one data directory has one owner.
    _owner: Lock,
}

impl Estate {
    fn claim(paths: &Paths) -> Result<Self, ServerError> {
        let config = Config::read(&paths.config_file())?;
        let unusable = |error| ServerError::DataDir(paths.data_dir.clone(), error);
        private_dir::claim(&paths.data_dir).map_err(unusable)?;
        let owner = Lock::take(&paths.data_dir.join("daemon.lock"), &paths.data_dir.display().to_string())?;
        let clients = ClientNames::open(&paths.data_dir).map_err(unusable)?;
        Ok(Self { config, clients, _owner: owner })
    }
}

/// Ends what runs, and waits for it as long as it may take (EP-14).
async fn leave(daemon: &Daemon, connections: &TaskTracker) {
    connections.close();
    let goodbye = async {
        daemon.stop().await;
        connections.wait().await;
    };
    if tokio::time::timeout(Duration::from_millis(daemon.limits().drain_ms), goodbye).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
    tracing::info!("stopped");
}

/// Lets clients in, for ever.
async fn accept(daemon: &Arc<Daemon>, endpoint: &Endpoint, connections: &TaskTracker, presence: &Presence) {
    let most = daemon.limits().max_local_connections;
    let room =
        Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)));
    let lingering = Arc::new(Semaphore::new(MAX_LINGERING));
    let mut refusing = false;
    let mut number = 0_u64;
    loop {
        let stream = match endpoint.accept().await {
            Ok(stream) => stream,
            Err(error) => {
                // EP-12: descriptors may be free again soon.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(limit::ACCEPT_RETRY_MS)).await;
                continue;
            }
        };
        number += 1;
        let daemon = Arc::clone(daemon);
        match Arc::clone(&room).try_acquire_owned() {
            Ok(permit) => {
                refusing = false;
                let client = presence.arrive();
                let served = async move {
                    serve(daemon, stream).await;
                    drop((permit, client));
                };
                connections.spawn(served.instrument(tracing::info_span!("connection", number)));
            }
            Err(_) => {
                if !std::mem::replace(&mut refusing, true) {
                    tracing::warn!(limit = most, "refusing connections: as many are open as may be");
                }
                let linger = Arc::clone(&lingering).try_acquire_owned().ok();
                connections.spawn(turn_away(daemon, stream, most, linger));
            }
        }
    }
}

/// LI-05.
async fn turn_away(
    daemon: Arc<Daemon>,
    stream: impl Transport,
    most: u64,
    linger: Option<OwnedSemaphorePermit>,
) {
    let message = "as many connections are open as may be";
    let frame = notice(ErrorCode::ConnectionLimitReached, message, "connection_limit", "limit", most);
    refuse(daemon.limits(), stream, frame, linger.is_some()).await;
}
