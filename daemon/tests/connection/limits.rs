//! Section 4: every limit at its exact value, and what the client sees. Slow readers are in `stalls`, connections that
//! are too many need a daemon's process.

use crate::peer::{Peer, Served};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use zeroclaw::transport::Credentials;
use zeroclaw_spec::Limits;

const STATUS: &str = r#"{"jsonrpc":"2.0","id":7,"method":"status"}"#;

/// A `status` request of exactly so many bytes, its LF included.
fn status_of(bytes: usize) -> String {
    format!("{STATUS}{}\n", " ".repeat(bytes - STATUS.len() - 1))
}

async fn told_too_large(mut peer: Peer, limit: u64) {
    let data = json!({"reason": "frame_too_large", "limit_bytes": limit});
    assert_eq!(peer.error().await, (Value::Null, -32600, data));
    peer.end().await;
}

async fn told_too_slow(mut peer: Peer, limit: u64) {
    let data = json!({"reason": "frame_timeout", "limit_ms": limit});
    assert_eq!(peer.error().await, (Value::Null, -32600, data));
    peer.end().await;
}

/// LI-01
#[tokio::test(start_paused = true)]
async fn a_frame_of_the_whole_size_is_answered_and_one_byte_more_ends_the_stream() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.write(status_of(8_388_608).as_bytes()).await;
    peer.result(7).await;
    peer.write(status_of(8_388_609).as_bytes()).await;
    told_too_large(peer, 8_388_608).await;
}

/// LI-01, LI-11
#[tokio::test(start_paused = true)]
async fn the_size_can_be_set_and_is_told() {
    let served = Served::limited(|limits| limits.max_frame_bytes = 5000);
    let mut peer = served.connect();
    assert_eq!(peer.initialize().await["limits"]["max_frame_bytes"], 5000);
    peer.write(status_of(5000).as_bytes()).await;
    peer.result(7).await;
    peer.write(format!("\n\n{}", status_of(5001)).as_bytes()).await;
    told_too_large(peer, 5000).await;
}

/// LI-01
#[tokio::test(start_paused = true)]
async fn a_frame_that_is_too_large_need_not_end_to_be_refused() {
    let served = Served::limited(|limits| limits.max_frame_bytes = 5000);
    for initialized in [true, false] {
        let mut peer = served.connect();
        if initialized {
            peer.initialize().await;
        }
        let began = Instant::now();
        peer.write(&[b'x'; 5001]).await;
        told_too_large(peer, 5000).await;
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}

/// LI-01, LI-12
#[tokio::test(start_paused = true)]
async fn what_was_asked_before_a_frame_that_is_too_large_is_answered_and_what_comes_after_is_not() {
    let served = Served::limited(|limits| limits.max_frame_bytes = 5000);
    let mut peer = served.initialized().await;
    peer.write(format!("{STATUS}\n{}{STATUS}\n", status_of(5001)).as_bytes()).await;
    peer.result(7).await;
    told_too_large(peer, 5000).await;
}

/// LI-02
#[tokio::test(start_paused = true)]
async fn an_unfinished_frame_has_thirty_seconds() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    sleep(Duration::from_secs(100)).await;
    let began = Instant::now();
    peer.write(b"{").await;
    told_too_slow(peer, 30_000).await;
    assert_eq!(began.elapsed().as_secs(), 30);
}

/// LI-02
#[tokio::test(start_paused = true)]
async fn dripping_does_not_prolong_the_time_of_a_frame() {
    let served = Served::limited(|limits| limits.frame_timeout_ms = 10_000);
    let mut peer = served.initialized().await;
    let began = Instant::now();
    for byte in STATUS.bytes().take(9) {
        peer.write(&[byte]).await;
        sleep(Duration::from_millis(1100)).await;
    }
    told_too_slow(peer, 10_000).await;
    assert_eq!(began.elapsed().as_secs(), 10);
}

/// LI-02
#[tokio::test(start_paused = true)]
async fn each_frame_has_its_own_time() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let (first, second) = STATUS.split_at(9);
    peer.write(first.as_bytes()).await;
    for _ in 0..5 {
        sleep(Duration::from_secs(29)).await;
        // Ends one frame and begins the next.
        peer.write(format!("{second}\n{first}").as_bytes()).await;
        peer.result(7).await;
    }
    sleep(Duration::from_secs(29)).await;
    peer.write(second.as_bytes()).await;
    peer.write(b"\n").await;
    peer.result(7).await;
}

/// LI-02
#[tokio::test(start_paused = true)]
async fn blanks_do_not_begin_a_frame() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for blank in ["\n", " ", "\t", "\r", " \n\r\n  "] {
        peer.write(blank.as_bytes()).await;
        sleep(Duration::from_secs(40)).await;
    }
    peer.send(STATUS).await;
    peer.result(7).await;
}

/// LI-03
#[tokio::test(start_paused = true)]
async fn who_does_not_initialize_in_thirty_seconds_is_closed_without_a_frame() {
    let served = Served::new();
    let began = Instant::now();
    served.connect().end().await;
    assert_eq!(began.elapsed().as_secs(), 30);
}

/// LI-03
#[tokio::test(start_paused = true)]
async fn trying_in_vain_does_not_prolong_the_time_for_initialize() {
    let served = Served::new();
    let began = Instant::now();
    let mut peer = served.connect();
    for _ in 0..9 {
        sleep(Duration::from_secs(3)).await;
        assert_eq!(peer.refused("initialize", json!({"protocolVersion": 2})).await.0, -32011);
        assert_eq!(peer.refused("status", json!({})).await.0, -32010);
    }
    peer.end().await;
    assert_eq!(began.elapsed().as_secs(), 30);
}

/// LI-03
#[tokio::test(start_paused = true)]
async fn the_time_for_initialize_wins_over_that_of_an_unfinished_frame() {
    for frame_timeout_ms in [30_000, 60_000] {
        let served = Served::limited(|limits| limits.frame_timeout_ms = frame_timeout_ms);
        let began = Instant::now();
        let mut peer = served.connect();
        peer.write(b"{").await;
        peer.end().await;
        assert_eq!(began.elapsed().as_secs(), 30);
    }
}

/// LI-06
#[tokio::test(start_paused = true)]
async fn an_initialized_connection_may_be_idle_for_days() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    sleep(Duration::from_secs(3 * 24 * 3600)).await;
    peer.fence().await;
}

/// LI-07
#[tokio::test(start_paused = true)]
async fn no_more_than_sixty_four_sessions_are_live() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for number in 0..64 {
        peer.session(&format!("s{number}")).await;
    }
    let params = json!({"agentAlias": "echo", "keepSiblings": true});
    assert_eq!(peer.refused("session/new", params.clone()).await, (-32001, Value::Null));
    // A rebind needs no room, and a close makes some.
    peer.session("s7").await;
    peer.call("session/close", json!({"sessionId": "s7"})).await;
    peer.call("session/new", params.clone()).await;
    assert_eq!(peer.refused("session/new", params).await.0, -32001);
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 64);
}

/// LI-08, TU-05
#[tokio::test(start_paused = true)]
async fn thirty_two_prompts_wait_and_the_next_is_refused() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let running = peer.prompt("s", "@wait").await;
    let mut waiting = Vec::new();
    for number in 0..32 {
        waiting.push(peer.prompt("s", &format!("{number}")).await);
    }
    peer.fence().await;
    for _ in 0..2 {
        let refused = peer.prompt("s", "one too many").await;
        let complete = json!({"sessionId": "s", "type": "turn_complete", "outcome": "failed", "content": ""});
        assert_eq!(peer.update().await, complete);
        assert_eq!(peer.error().await, (refused, -32002, Value::Null));
    }
    peer.tell("session/cancel", json!({"sessionId": "s"})).await;
    assert_eq!(peer.turn("s").await.1, "cancelled");
    peer.result(running).await;
    for (number, asked) in waiting.into_iter().enumerate() {
        assert_eq!(peer.turn("s").await, (number.to_string(), json!("completed")));
        peer.result(asked).await;
    }
    peer.fence().await;
}

/// LI-08, TU-05
#[tokio::test(start_paused = true)]
async fn a_prompt_waits_thirty_seconds_at_most() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let running = peer.prompt("s", "@wait").await;
    sleep(Duration::from_secs(10)).await;
    let began = Instant::now();
    let first = peer.prompt("s", "first").await;
    peer.fence().await;
    sleep(Duration::from_secs(20)).await;
    let second = peer.prompt("s", "second").await;
    let complete = json!({"sessionId": "s", "type": "turn_complete", "outcome": "failed", "content": ""});
    assert_eq!(peer.update().await, complete);
    assert_eq!(peer.error().await, (first, -32002, Value::Null));
    assert_eq!(began.elapsed().as_secs(), 30);
    // The running turn has no such limit, and the other one still waits.
    peer.tell("session/cancel", json!({"sessionId": "s"})).await;
    assert_eq!(peer.turn("s").await.1, "cancelled");
    peer.result(running).await;
    assert_eq!(peer.turn("s").await.0, "second");
    peer.result(second).await;
}

/// LI-08, LI-11
#[tokio::test(start_paused = true)]
async fn a_session_may_be_told_to_let_nobody_wait() {
    let served = Served::limited(|limits| limits.max_waiting_prompts = 0);
    let mut peer = served.initialized().await;
    peer.session("s").await;
    peer.prompt("s", "@wait").await;
    let refused = peer.prompt("s", "x").await;
    assert_eq!(peer.turn("s").await.1, "failed");
    assert_eq!(peer.error().await, (refused, -32002, Value::Null));
}

/// LI-13
#[tokio::test(start_paused = true)]
async fn no_frame_is_larger_than_what_the_client_may_send() {
    for text in ["\u{1}".repeat(40_000), "\"\\".repeat(20_000), "😀".repeat(10_000)] {
        let expected = text.clone();
        let mut config = zeroclaw::config::Config::default();
        config.limits.max_frame_bytes = Limits::default().max_frame_bytes.min(4096);
        let served = Served::build(config, |daemon| {
            daemon.with_agent("verbose", std::sync::Arc::new(crate::agents::Verbose(text)))
        });
        let mut peer = served.initialized().await;
        peer.call("session/new", json!({"agentAlias": "verbose", "sessionId": "s"})).await;
        let asked = peer.prompt("s", "x").await;
        let mut said = String::new();
        loop {
            let line = peer.receive_text().await;
            assert!(line.len() < 4096, "{}", line.len());
            let frame: Value = serde_json::from_str(&line).unwrap();
            match frame["params"]["type"].as_str() {
                Some("agent_message_chunk") => said += frame["params"]["text"].as_str().unwrap(),
                Some(_) => assert_eq!(frame["params"]["truncated"], true),
                None => {
                    assert_eq!((&frame["id"], &frame["result"]["truncated"]), (&asked, &json!(true)));
                    assert!(expected.ends_with(frame["result"]["content"].as_str().unwrap()));
                    break;
                }
            }
        }
        assert!(said == expected, "the events hold all of it");
        peer.fence().await;
    }
}

/// LI-13
#[tokio::test(start_paused = true)]
async fn an_id_that_leaves_no_room_for_the_answer_gets_a_short_one() {
    let served = Served::limited(|limits| limits.max_frame_bytes = 4096);
    let mut peer = served.connect_over(64 * 1024, Credentials::Inherited);
    peer.initialize().await;
    // An id of almost a frame leaves no room for itself in the answer; a shorter one only none for the result.
    for (method, spare, code) in [("status", 0, -32603), ("no/such", 0, -32601), ("status", 100, -32603)] {
        let bare = format!(r#"{{"jsonrpc":"2.0","id":"","method":"{method}"}}"#);
        let id = "i".repeat(4095 - spare - bare.len());
        peer.send(bare.replace(r#""id":"""#, &format!(r#""id":"{id}""#))).await;
        let reply = peer.receive_text().await;
        assert!(reply.len() < 4096, "{}", reply.len());
        let reply: Value = serde_json::from_str(&reply).unwrap();
        let expected = if spare == 0 { Value::Null } else { json!(id) };
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&expected, &json!(code)), "{method}");
        peer.fence().await;
    }
}
