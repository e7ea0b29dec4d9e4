//! A daemon in a directory of its own, and the other end of a connection to it: lines in, lines out. What a line
//! should say is the tests' matter.

use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadBuf, ReadHalf,
    WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use zeroclaw::agent::Agent;
use zeroclaw::clients::ClientNames;
use zeroclaw::config::Config;
use zeroclaw::connection::serve;
use zeroclaw::daemon::Daemon;
use zeroclaw::paths::Paths;
use zeroclaw::transport::{Credentials, Incoming, Outgoing, PeerGone, Transport};
use zeroclaw_spec::client::{Client, Inbox};
use zeroclaw_spec::{Initialize, InitializeParams, Limits, TransportKind};

/// Bytes on their way in one direction before the writer waits.
const CAPACITY: usize = 64 * 1024;

/// Longer than any limit, so that a test that waits in vain fails instead of hanging. The time is not real.
const IN_VAIN: Duration = Duration::from_secs(7 * 24 * 3600);

/// A daemon and its directory.
pub(crate) struct Served {
    pub(crate) daemon: Arc<Daemon>,
    pub(crate) directory: TempDir,
}

impl Served {
    pub(crate) fn new() -> Self {
        Self::configured(Config::default())
    }

    pub(crate) fn limited(set: impl FnOnce(&mut Limits)) -> Self {
        let mut config = Config::default();
        set(&mut config.limits);
        Self::configured(config)
    }

    pub(crate) fn configured(config: Config) -> Self {
        Self::build(config, |daemon| daemon)
    }

    pub(crate) fn with_agent(alias: &str, agent: impl Agent + 'static) -> Self {
        Self::build(Config::default(), |daemon| daemon.with_agent(alias, Arc::new(agent)))
    }

    pub(crate) fn build(config: Config, build: impl FnOnce(Daemon) -> Daemon) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let daemon = build(daemon_in(&directory, config));
        Self { daemon: Arc::new(daemon), directory }
    }

    /// A connection on which nothing has been said.
    pub(crate) fn connect(&self) -> Peer {
        self.connect_over(CAPACITY, Credentials::Inherited)
    }

    /// One over which only `capacity` bytes are on their way at once, from whom `credentials` say.
    pub(crate) fn connect_over(&self, capacity: usize, credentials: Credentials) -> Peer {
        let (reader, writer, served) = open(&self.daemon, capacity, credentials);
        Peer { reader: BufReader::new(reader), writer, served, asked: 0 }
    }

    /// A connection that may be used for everything.
    pub(crate) async fn initialized(&self) -> Peer {
        let mut peer = self.connect();
        peer.initialize().await;
        peer
    }

    /// The typed client, on a connection of its own.
    pub(crate) async fn client(&self) -> (Client, Inbox) {
        let (reader, writer, _) = open(&self.daemon, CAPACITY, Credentials::Inherited);
        let (client, inbox) = Client::new(reader, writer);
        client.call::<Initialize>(&InitializeParams::default()).await.unwrap();
        (client, inbox)
    }
}

/// A daemon that keeps its things in `directory`.
pub(crate) fn daemon_in(directory: &TempDir, config: Config) -> Daemon {
    let path = directory.path().to_owned();
    let clients = ClientNames::open(&path).unwrap();
    let paths = Paths { config_dir: path.clone(), data_dir: path, socket_override: None };
    Daemon::new(paths, None, config, clients)
}

/// Opens a connection and serves it.
pub(crate) fn open(
    daemon: &Arc<Daemon>,
    capacity: usize,
    credentials: Credentials,
) -> (Reading, WriteHalf<DuplexStream>, JoinHandle<()>) {
    let (ours, theirs) = duplex(capacity);
    let gone = CancellationToken::new();
    let (reader, writer) = split(ours);
    let reader = Reading { half: reader, _gone: gone.clone().drop_guard() };
    let served = tokio::spawn(serve(Arc::clone(daemon), Wire { stream: theirs, credentials, gone }));
    (reader, writer, served)
}

/// A client's end of one connection. Dropping it is a client that is gone.
pub(crate) struct Peer {
    reader: BufReader<Reading>,
    writer: WriteHalf<DuplexStream>,
    served: JoinHandle<()>,
    asked: u32,
}

impl Peer {
    /// Sends one frame.
    pub(crate) async fn send(&mut self, frame: impl ToString) {
        self.write(format!("{}\n", frame.to_string()).as_bytes()).await;
    }

    /// Sends bytes as they are.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        timeout(IN_VAIN, self.writer.write_all(bytes)).await.expect("the daemon takes bytes").unwrap();
    }

    /// Ends our writing; we still read.
    pub(crate) async fn finish(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    /// The next frame as it stands, without its LF; `None` at the end of the stream.
    pub(crate) async fn next_text(&mut self) -> Option<String> {
        let mut line = String::new();
        timeout(IN_VAIN, self.reader.read_line(&mut line))
            .await
            .expect("the daemon sends something")
            .unwrap();
        if line.is_empty() {
            return None;
        }
        Some(line.strip_suffix('\n').expect("a frame ends with LF").to_owned())
    }

    /// The next frame as it stands.
    pub(crate) async fn receive_text(&mut self) -> String {
        self.next_text().await.expect("a frame, not the end of the stream")
    }

    /// The next frame.
    pub(crate) async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.receive_text().await).unwrap()
    }

    /// The next frame is a reply to `id`: its result.
    pub(crate) async fn result(&mut self, id: impl Into<Value>) -> Value {
        let mut reply = self.receive().await;
        assert_eq!((&reply["id"], reply.get("error")), (&id.into(), None), "{reply}");
        reply["result"].take()
    }

    /// The next frame is an error: its id, code and data.
    pub(crate) async fn error(&mut self) -> (Value, i64, Value) {
        let mut reply = self.receive().await;
        let error = &mut reply["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
        let (code, data) = (error["code"].as_i64().unwrap(), error["data"].take());
        (reply["id"].take(), code, data)
    }

    /// The next frame is a `session/update`: its parameters.
    pub(crate) async fn update(&mut self) -> Value {
        let mut update = self.receive().await;
        assert_eq!((update["method"].as_str(), update.get("id")), (Some("session/update"), None), "{update}");
        update["params"].take()
    }

    /// Makes a call; its reply is the next frame, and it is a result.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        self.result(id).await
    }

    /// Makes a call; its reply is the next frame, and it is an error: its code and data.
    pub(crate) async fn refused(&mut self, method: &str, params: Value) -> (i64, Value) {
        let asked = self.ask(method, params).await;
        let (id, code, data) = self.error().await;
        assert_eq!(id, asked);
        (code, data)
    }

    /// Sends a request under an id of its own.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = json!(format!("ask-{}", self.asked));
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// Sends a notification.
    pub(crate) async fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(crate) async fn initialize(&mut self) -> Value {
        self.call("initialize", json!({"protocolVersion": 1})).await
    }

    /// Makes a session of that id with the agent `echo`, and spares the others.
    pub(crate) async fn session(&mut self, id: &str) {
        let params = json!({"agentAlias": "echo", "sessionId": id, "keepSiblings": true});
        assert_eq!(self.call("session/new", params).await["sessionId"], id);
    }

    /// Sends a prompt: the id of its request.
    pub(crate) async fn prompt(&mut self, session_id: &str, prompt: &str) -> Value {
        self.ask("session/prompt", json!({"sessionId": session_id, "prompt": prompt})).await
    }

    /// Takes updates up to the `turn_complete` of this session: the text of the chunks, and the outcome.
    pub(crate) async fn turn(&mut self, session_id: &str) -> (String, Value) {
        let mut text = String::new();
        loop {
            let update = self.update().await;
            assert_eq!(update["sessionId"], session_id, "{update}");
            match update["type"].as_str() {
                Some("agent_message_chunk") => text.push_str(update["text"].as_str().unwrap()),
                Some("turn_complete") => return (text, update["outcome"].clone()),
                _ => {}
            }
        }
    }

    /// Waits until a turn of the session is not only queued but under way.
    pub(crate) async fn until_running(&mut self, session_id: &str) {
        while self.call("session/state", json!({"sessionId": session_id})).await["turnId"].is_null() {
            tokio::task::yield_now().await;
        }
    }

    /// The connection is alive, and nothing has come on it that was not taken.
    pub(crate) async fn fence(&mut self) {
        let id = self.ask("status", json!({})).await;
        let reply = self.receive().await;
        assert_eq!(reply["id"], id, "something else came: {reply}");
        let early = reply["error"]["code"] == -32010;
        assert!(early || reply["result"]["protocolVersion"] == 1 || reply["result"]["protocol_version"] == 1);
    }

    /// Takes what is there, a kilobyte at most: how many bytes.
    pub(crate) async fn drip(&mut self) -> usize {
        let mut bytes = [0; 1024];
        timeout(IN_VAIN, self.reader.read(&mut bytes)).await.expect("the daemon sends something").unwrap()
    }

    /// The stream ends here, and the connection is forgotten.
    pub(crate) async fn end(mut self) {
        assert_eq!(self.next_text().await, None);
        drop((self.reader, self.writer));
        timeout(IN_VAIN, self.served).await.expect("the connection ends").unwrap();
    }

    /// Leaves without a word. Done when the daemon has forgotten the connection.
    pub(crate) fn leave(self) -> JoinHandle<()> {
        self.served
    }
}

/// The client's reading direction. Without it nobody can read what the daemon writes.
pub(crate) struct Reading {
    half: ReadHalf<DuplexStream>,
    _gone: DropGuard,
}

impl AsyncRead for Reading {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.half).poll_read(cx, into)
    }
}

/// A transport in memory.
struct Wire {
    stream: DuplexStream,
    credentials: Credentials,
    gone: CancellationToken,
}

impl Transport for Wire {
    fn kind(&self) -> TransportKind {
        TransportKind::Local
    }

    fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    fn split(self) -> (Box<dyn Incoming>, Outgoing) {
        let (reader, writer) = split(self.stream);
        (Box::new(FromPeer { half: reader, gone: self.gone }), Box::new(writer))
    }
}

struct FromPeer {
    half: ReadHalf<DuplexStream>,
    gone: CancellationToken,
}

impl AsyncRead for FromPeer {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.half).poll_read(cx, into)
    }
}

impl Incoming for FromPeer {
    fn peer_gone(&self) -> PeerGone {
        Box::pin(self.gone.clone().cancelled_owned())
    }
}
