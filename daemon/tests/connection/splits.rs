//! A property of section 2: however a stream is cut into pieces, the replies are the same, byte for byte.

use crate::peer::{daemon_in, open};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Runtime};
use zeroclaw::config::Config;
use zeroclaw::transport::Credentials;

/// Every case begins with this key on the disk, so that each daemon gives out and knows the same names.
const KEY: [u8; 32] = *b"the same key for each of daemons";

/// A runtime whose time is paused.
pub(crate) fn paused() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// What a new daemon in `directory` sends to a client whose bytes come in `pieces`.
async fn replies(directory: &TempDir, capacity: usize, pieces: &[&[u8]]) -> Vec<u8> {
    let daemon = Arc::new(daemon_in(directory, Config::default()));
    let (mut reader, mut writer, served) = open(&daemon, capacity, Credentials::Inherited);
    let written = async {
        for piece in pieces {
            writer.write_all(piece).await.unwrap();
            // The daemon acts on what it has before more comes.
            tokio::task::yield_now().await;
        }
        writer.shutdown().await.unwrap();
    };
    let mut bytes = Vec::new();
    let (read, ()) = tokio::join!(reader.read_to_end(&mut bytes), written);
    read.unwrap();
    served.await.unwrap();
    bytes
}

fn frame(id: &Value, method: &str, params: Value) -> Vec<u8> {
    let mut frame = json!({"jsonrpc": "2.0", "method": method, "params": params});
    if !id.is_null() {
        frame["id"] = id.clone();
    }
    format!("{frame}\n").into_bytes()
}

/// Requests, good and bad, whose replies depend on nothing but the requests before them.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let id = prop_oneof![
        Just(Value::Null),
        any::<u32>().prop_map(Value::from),
        "[a-zé😀\\\\\"]{0,8}".prop_map(Value::from)
    ];
    let session = prop::sample::select(&["s", "t", "no id", ""]);
    let call = (id, session, 0_usize..8).prop_map(|(id, session, which)| match which {
        0 => frame(&id, "session/new", json!({"agentAlias": "echo", "sessionId": session})),
        1 => frame(&id, "session/new", json!({"agent_alias": session})),
        2 => frame(&id, "session/state", json!({"sessionId": session})),
        3 => frame(&id, "session/close", json!({"sessionId": session})),
        4 => frame(&id, "session/cancel", json!({"sessionId": session})),
        5 => frame(&id, "session/prompt", json!({"sessionId": session, "prompt": ""})),
        6 => frame(&id, "initialize", json!({"protocol_version": 7})),
        _ => frame(&id, "status", json!({})),
    });
    let other = prop::sample::select(&[
        "\n",
        "\r\n",
        " \t\n",
        "no JSON\n",
        "[]\n",
        "{}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\",\"x\":\"\u{2028}é😀\"}\n",
        "\u{feff}{}\n",
    ]);
    prop_oneof![3 => call, 2 => other.prop_map(|line| line.as_bytes().to_vec())]
}

/// A conversation: the handshake, requests, a turn at the end, and perhaps no last LF.
fn conversation() -> impl Strategy<Value = Vec<u8>> {
    let requests = prop::collection::vec(request(), 0..20);
    (any::<bool>(), requests, any::<bool>()).prop_map(|(snake, requests, last_line_feed)| {
        let version = if snake { "protocol_version" } else { "protocolVersion" };
        let mut stream = frame(&json!("hello"), "initialize", handshake(version));
        requests.iter().for_each(|request| stream.extend(request));
        stream.extend(frame(&json!(1), "session/new", json!({"agentAlias": "echo", "sessionId": "last"})));
        stream.extend(frame(
            &json!(2),
            "session/prompt",
            json!({"sessionId": "last", "prompt": "one é two"}),
        ));
        if !last_line_feed {
            stream.pop();
        }
        stream
    })
}

fn handshake(version: &str) -> Value {
    json!({version: 1, "tuiId": "tui-same", "tuiSig": SIGNATURE})
}

/// Proves `tui-same` to a daemon with [`KEY`]: HMAC-SHA-256 over `operator`, a zero byte and the name.
const SIGNATURE: &str = "771ac9ab6629f819a1367d62e1dd841adc16faf0f8bbc771878657dc46a63e5c";

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// FR-02, FR-03
    #[test]
    fn any_split_of_a_stream_gives_the_same_replies(
        stream in conversation(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        byte_by_byte in prop::bool::weighted(0.1),
        capacity in prop::sample::select(&[1_usize, 7, 64, 65536][..]),
    ) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("clients.key"), KEY).unwrap();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).chain([0, stream.len()]).collect();
        cuts.sort_unstable();
        if byte_by_byte {
            cuts = (0..=stream.len()).collect();
        }
        let pieces: Vec<_> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
        let (whole, split) = paused().block_on(async {
            (replies(&directory, 65536, &[&stream]).await, replies(&directory, capacity, &pieces).await)
        });
        let (whole, split) = (String::from_utf8(whole).unwrap(), String::from_utf8(split).unwrap());
        prop_assert!(whole.contains("tui-same") && whole.contains("one é two"), "{}", whole);
        prop_assert_eq!(whole, split);
    }
}
