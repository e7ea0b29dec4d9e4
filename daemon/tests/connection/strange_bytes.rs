//! A property of sections 2 and 3: whatever bytes a client sends, the daemon neither panics nor hangs, what it sends
//! back is frames and nothing else, and the next client is served.

use crate::peer::{Served, open};
use crate::splits::paused;
use proptest::prelude::*;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use zeroclaw::transport::Credentials;
use zeroclaw_spec::ErrorCode;

/// Frames that mean something, to be mutated into those that nearly do.
const FRAMES: [&str; 12] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"env":{"A":"B"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocol_version":1}}"#,
    r#"{"jsonrpc":"2.0","id":"é😀","method":"session/new","params":{"agentAlias":"echo","sessionId":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":1.5e3,"method":"session/prompt","params":{"sessionId":"s","prompt":"one @think two"}}"#,
    r#"{"jsonrpc":"2.0","method":"session/prompt","params":{"session_id":"s","prompt":"\ud83d\ude00 @fail"}}"#,
    r#"{"jsonrpc":"2.0","id":null,"method":"session/cancel","params":{"sessionId":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s","sessionId":"s"}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"session/list","params":{"query":"e","limit":10}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"session/state","params":[]}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"status"}"#,
    r#"{"jsonrpc":"2.0","id":"zc-out-0","result":{"action":"accept"}}"#,
    r#"{"jsonrpc":"2.0","id":"zc-out-0","error":{"code":-32000,"message":"no","data":null}}"#,
];

/// Pieces of frames that nobody would put together.
const TOKENS: [&str; 28] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\n",
    "\r\n",
    " ",
    "null",
    "true",
    "-",
    "1e999",
    "\"id\"",
    "\"jsonrpc\"",
    "\"2.0\"",
    "\"method\"",
    "\"params\"",
    "\"result\"",
    "\"error\"",
    "\"status\"",
    "\\ud800",
    "\u{feff}",
    "\u{2028}",
    "\0",
    "{\"jsonrpc\":\"2.0\",",
];

/// One line of whatever kind, its LF included or not.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let frame = prop::sample::select(&FRAMES[..]).prop_map(|frame| format!("{frame}\n").into_bytes());
    let mutation = (any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    let mutated =
        (frame.clone(), prop::collection::vec(mutation, 1..4)).prop_map(|(mut frame, mutations)| {
            for (place, byte, kind) in mutations {
                let place = place.index(frame.len().max(1)).min(frame.len().saturating_sub(1));
                match kind {
                    0 => frame[place] = byte,
                    1 => frame.insert(place, byte),
                    2 if frame.len() > 1 => drop(frame.remove(place)),
                    2 => {}
                    _ => frame.truncate(place.max(1)),
                }
            }
            frame
        });
    let tokens = prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..30)
        .prop_map(|tokens| tokens.concat().into_bytes());
    prop_oneof![
        4 => frame,
        6 => mutated,
        2 => tokens,
        2 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

/// What the daemon may send: one object that is a response or a notification of ours, with nothing else in it.
fn assert_is_frame(line: &str) {
    let Value::Object(mut frame) = serde_json::from_str(line).expect(line) else {
        panic!("no object: {line}")
    };
    assert_eq!(frame.remove("jsonrpc"), Some(Value::from("2.0")), "{line}");
    if let Some(method) = frame.remove("method") {
        assert_eq!(method, "session/update", "{line}");
        let params = frame.remove("params").expect(line);
        assert!(params["type"].is_string(), "{line}");
        assert!(params["sessionId"].is_string() != params["session_id"].is_string(), "{line}");
    } else {
        let id = frame.remove("id").expect(line);
        assert!(id.is_string() || id.is_number() || id.is_null(), "{line}");
        match (frame.remove("result"), frame.remove("error")) {
            (Some(result), None) => assert!(result.is_object(), "{line}"),
            (None, Some(Value::Object(mut error))) => {
                let code = error.remove("code").and_then(|code| code.as_i64()).expect(line);
                assert!(ErrorCode::ALL.iter().any(|known| i64::from(known.code()) == code), "{line}");
                assert!(error.remove("message").is_some_and(|message| message.is_string()), "{line}");
                assert!(error.remove("data").is_none_or(|data| data["reason"].is_string()), "{line}");
                assert!(error.is_empty(), "{line}");
            }
            _ => panic!("neither result nor error object: {line}"),
        }
    }
    assert!(frame.is_empty(), "{line}");
}

/// Sends the pieces to a new connection and ends the writing; what came back until the end of the stream.
async fn answer_to(served: &Served, pieces: &[&[u8]]) -> Vec<u8> {
    let (mut reader, mut writer, connection) = open(&served.daemon, 1024, Credentials::Inherited);
    let written = async {
        for piece in pieces {
            if writer.write_all(piece).await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
        // The daemon may have ended the conversation first.
        let _ = writer.shutdown().await;
    };
    let mut bytes = Vec::new();
    let (read, ()) = tokio::join!(reader.read_to_end(&mut bytes), written);
    read.unwrap();
    drop((reader, writer));
    connection.await.expect("serving a connection does not panic");
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// FR-03, FR-04, FR-05, OR-09, LI-10
    #[test]
    fn whatever_comes_in_only_frames_come_out_and_the_next_client_is_served(
        initialized in any::<bool>(),
        lines in prop::collection::vec(line(), 0..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let hello = if initialized { format!("{}\n", FRAMES[0]).into_bytes() } else { Vec::new() };
        let stream = [hello, lines.concat()].concat();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).chain([0, stream.len()]).collect();
        cuts.sort_unstable();
        let pieces: Vec<_> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
        paused().block_on(async {
            let served = Served::new();
            let answer = tokio::time::timeout(Duration::from_secs(3600), answer_to(&served, &pieces));
            let answer = String::from_utf8(answer.await.expect("the conversation ends")).unwrap();
            prop_assert!(answer.is_empty() || answer.ends_with('\n'));
            answer.lines().for_each(assert_is_frame);
            prop_assert!(!answer.contains(['\r', '\u{b}']), "lines end with LF alone");
            served.initialized().await.fence().await;
            Ok(())
        })?;
    }
}
