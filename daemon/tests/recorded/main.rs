//! What a client in use sends, frame by frame as it was recorded (snake_case, string ids, prompts as notifications, its
//! whole environment in `initialize`), while another client speaks the documented way. A program of its own, since its
//! log is the whole process's.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise, in its helpers too")]

#[path = "../connection/peer.rs"]
#[allow(dead_code, reason = "the connection tests need more of it")]
mod peer;

use peer::{Peer, Served};
use serde_json::{Map, Value, json};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tracing_subscriber::fmt::MakeWriter;
use zeroclaw_spec::Method;

const RECORDED: &str = include_str!("zerocode-0.8.4.ndjson");

/// SP-02, SP-04, EN-12, HS-08, ER-03
#[tokio::test]
async fn a_recorded_client_and_a_documented_one_are_each_answered_in_their_own_spelling() {
    let log = Log::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let served = Served::new();
    let mut documented = served.initialized().await;
    let mut recorded = served.connect();
    let mut names = Names::new(served.directory.path());

    for line in RECORDED.lines() {
        let frame: Value = serde_json::from_str(&names.ours(line)).unwrap();
        recorded.send(&frame).await;
        match frame.get("id") {
            Some(id) => names.learn(id, &reply(&mut recorded, id, &frame).await),
            None => turn(&mut recorded, &frame).await,
        }
        let status = documented.call("status", json!({})).await;
        assert!(status["activeSessions"].is_number() && status.get("active_sessions").is_none(), "{status}");
    }

    // HS-08: the values that stand in its environment are nowhere.
    let log = log.text();
    assert!(log.contains("initialized"), "the log was heard");
    let kept = files(served.directory.path());
    for secret in ["xterm-256color", "C.UTF-8", "/usr/bin:/bin"] {
        assert!(!log.contains(secret), "{secret} is in the log");
        assert!(kept.iter().all(|text| !text.contains(secret)), "{secret} is on the disk");
    }
    // ER-03: nor is what was said.
    assert!(!log.contains("hi there") && !log.contains("SHELL please"));
}

/// The answer to one request, in snake_case.
async fn reply(recorded: &mut Peer, id: &Value, frame: &Value) -> Value {
    let reply = recorded.receive().await;
    assert_eq!(&reply["id"], id, "{reply}");
    let method = frame["method"].as_str().unwrap();
    match Method::parse(method) {
        None => assert_eq!(reply["error"]["code"], -32601, "{method} is refused politely"),
        Some(_) => assert_snake(reply.get("result").unwrap_or_else(|| panic!("{method}: {reply}"))),
    }
    reply
}

/// A prompt that came as a notification: the turn ends with its `turn_complete`, and nothing answers it.
async fn turn(recorded: &mut Peer, frame: &Value) {
    loop {
        let update = recorded.update().await;
        assert_snake(&update);
        assert_eq!(update["session_id"], frame["params"]["session_id"]);
        if update["type"] == "turn_complete" {
            assert_eq!(
                (&update["outcome"], &update["content"]),
                (&json!("completed"), &frame["params"]["prompt"])
            );
            return;
        }
    }
}

/// No declared member is spelled in camelCase.
fn assert_snake(value: &Value) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            assert!(!name.contains(|c: char| c.is_ascii_uppercase()), "{name}");
            assert_snake(value);
        }),
        Value::Array(elements) => elements.iter().for_each(assert_snake),
        _ => {}
    }
}

/// What the recording calls things, and what they are called here.
struct Names(Map<String, Value>);

impl Names {
    fn new(directory: &Path) -> Self {
        let names = [("tester", "echo"), ("/home/user/project", directory.to_str().unwrap())];
        Self(names.into_iter().map(|(theirs, ours)| (theirs.to_owned(), json!(ours))).collect())
    }

    fn ours(&self, line: &str) -> String {
        let quoted = |text: &str| format!("\"{text}\"");
        self.0
            .iter()
            .fold(line.to_owned(), |line, (theirs, ours)| line.replace(&quoted(theirs), &ours.to_string()))
    }

    /// The sessions that the recorded client made have other ids here.
    fn learn(&mut self, id: &Value, reply: &Value) {
        let theirs = match id.as_str() {
            Some("zc-out-85") => "249170af-37de-4aaf-81b0-eeda55f66e20",
            Some("zc-out-90") => "030e410b-df4d-4e62-983d-56c1b9b5e9e2",
            _ => return,
        };
        self.0.insert(theirs.to_owned(), reply["result"]["session_id"].clone());
    }
}

/// The texts of all files below a directory.
fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()],
        })
        .collect()
}

/// A log that is kept in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
