//! Section 4 again: clients that read slowly or not at all, and what others notice of it.

use crate::agents::Deaf;
use crate::peer::{Peer, Served};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use zeroclaw::config::Config;
use zeroclaw::transport::Credentials;

/// A connection over which little is on its way, so that not reading is soon felt.
async fn narrow(served: &Served) -> Peer {
    let mut peer = served.connect_over(1024, Credentials::Inherited);
    peer.initialize().await;
    peer
}

/// LI-04, LI-10
#[tokio::test(start_paused = true)]
async fn who_stops_reading_is_disconnected_and_others_do_not_notice() {
    let served = Served::new();
    let mut other = served.initialized().await;
    let mut peer = narrow(&served).await;
    peer.session("s").await;
    other.session("o").await;
    peer.prompt("s", "@pour 100000000").await;
    let began = Instant::now();
    let state = json!({"sessionId": "s"});
    let mut noticed = Duration::ZERO;
    while other.call("session/state", state.clone()).await["state"] == "running" {
        let asked = Instant::now();
        let prompt = other.prompt("o", "one two").await;
        assert_eq!(other.turn("o").await.0, "one two");
        other.result(prompt).await;
        noticed = noticed.max(asked.elapsed());
        sleep(Duration::from_millis(500)).await;
    }
    assert!((30..32).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert_eq!(noticed, Duration::ZERO);
    peer.leave().await.unwrap();
}

/// LI-04, LI-11
#[tokio::test(start_paused = true)]
async fn a_frame_must_be_taken_wholly_however_steadily_it_drips() {
    let served = Served::limited(|limits| limits.write_timeout_ms = 2000);
    let mut peer = narrow(&served).await;
    peer.session("s").await;
    peer.prompt("s", "@pour 64000").await;
    let began = Instant::now();
    // One kilobyte each 100 ms: the frame of 64 would take more than six seconds.
    while peer.drip().await > 0 {
        sleep(Duration::from_millis(100)).await;
    }
    assert!((2..4).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
}

/// LI-09, LI-10
#[tokio::test(start_paused = true)]
async fn a_slow_reader_gets_everything_in_order_however_long_it_takes() {
    let served = Served::limited(|limits| limits.max_queued_bytes = 4096);
    let mut peer = narrow(&served).await;
    peer.session("s").await;
    let words: Vec<String> = (0..2000).map(|number| format!("word{number} ")).collect();
    let asked = peer.prompt("s", &words.concat()).await;
    let began = Instant::now();
    for word in &words {
        // A kilobyte, the least that is taken at once, holds less than ten of these frames.
        sleep(Duration::from_secs(2)).await;
        assert_eq!(peer.update().await["text"], word.as_str());
    }
    assert_eq!(peer.turn("s").await.1, "completed");
    assert_eq!(peer.result(asked).await["content"], words.concat().as_str());
    assert!(began.elapsed() > Duration::from_secs(3600));
}

/// LI-09
#[tokio::test(start_paused = true)]
async fn a_frame_above_the_bound_of_the_queue_passes_alone() {
    let served = Served::limited(|limits| limits.max_queued_bytes = 1);
    let mut peer = narrow(&served).await;
    peer.session("s").await;
    let asked = peer.prompt("s", "@pour 200000 end").await;
    let states = [peer.ask("status", json!({})).await, peer.ask("status", json!({})).await];
    let (mut text, mut answered) = (String::new(), Vec::new());
    loop {
        let frame = peer.receive().await;
        match frame["params"]["text"].as_str() {
            Some(piece) => text.push_str(piece),
            None if frame["id"].is_null() => assert_eq!(frame["params"]["outcome"], "completed"),
            None => answered.push(frame["id"].clone()),
        }
        if answered.last() == Some(&asked) {
            break;
        }
    }
    assert_eq!(text.len(), 200_003);
    assert_eq!(answered, [&states[..], &[asked]].concat());
}

/// LI-09, LI-10
#[tokio::test(start_paused = true)]
async fn who_asks_without_reading_is_not_read_for_ever_and_loses_nothing() {
    let served = Served::limited(|limits| limits.max_queued_bytes = 4096);
    let mut peer = narrow(&served).await;
    let ask = r#"{"jsonrpc":"2.0","id":7,"method":"status"}"#;
    let mut asked = 0;
    // As long as the daemon goes on reading.
    while tokio::time::timeout(Duration::from_secs(1), peer.send(ask)).await.is_ok() {
        asked += 1;
        assert!(asked < 10_000, "the daemon reads on and keeps what it cannot send");
    }
    for _ in 0..asked {
        peer.result(7).await;
    }
}

/// LI-02, OR-08
#[tokio::test(start_paused = true)]
async fn time_in_which_the_daemon_does_not_read_does_not_count_for_an_unfinished_frame() {
    let mut config = Config::default();
    config.limits.frame_timeout_ms = 6_000;
    config.limits.max_queued_bytes = 1;
    let served = Served::build(config, |daemon| daemon.with_agent("deaf", Arc::new(Deaf)));
    let mut peer = narrow(&served).await;
    peer.session("s").await;
    peer.call("session/new", json!({"agentAlias": "deaf", "sessionId": "d", "keepSiblings": true})).await;
    peer.prompt("d", "x").await;
    peer.until_running("d").await;
    peer.prompt("s", "@pour 500000").await;
    // The close waits five seconds for the agent that does not hear, and then for room in the queue.
    peer.ask("session/close", json!({"sessionId": "d"})).await;
    sleep(Duration::from_secs(1)).await;
    peer.write(br#"{"jsonrpc":"2.0","id":"half","#).await;
    sleep(Duration::from_secs(20)).await;
    // Now the client reads again, and has nearly two seconds of its six left.
    let mut rest = 0;
    while rest < 3 {
        let frame = peer.receive().await;
        rest += usize::from(!frame["id"].is_null());
    }
    sleep(Duration::from_millis(1500)).await;
    peer.write(b"\"method\":\"status\"}\n").await;
    peer.result("half").await;
}

/// TU-02, TU-06
#[tokio::test(start_paused = true)]
async fn what_had_room_when_the_cancel_came_is_part_of_what_was_said() {
    let served = Served::limited(|limits| limits.max_queued_bytes = 1);
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let prompt = peer.prompt("s", "@pour 300000").await;
    // Time passes only when everybody waits: the turn for room, and we for this.
    sleep(Duration::from_secs(1)).await;
    let cancel = peer.ask("session/cancel", json!({"sessionId": "s"})).await;
    let (mut seen, mut said) = (String::new(), None);
    while said.is_none() {
        let frame = peer.receive().await;
        match frame["params"]["type"].as_str() {
            Some("agent_message_chunk") => seen.push_str(frame["params"]["text"].as_str().unwrap()),
            Some("turn_complete") => said = frame["params"]["content"].as_str().map(str::to_owned),
            _ => assert_eq!((&frame["id"], &frame["result"]["cancelled"]), (&cancel, &json!(true))),
        }
    }
    assert_eq!(said.unwrap().len(), seen.len());
    assert_eq!(peer.result(prompt).await["stopReason"], "cancelled");
}

/// OR-06, LI-10
#[tokio::test(start_paused = true)]
async fn who_goes_while_its_prompt_waits_behind_somebody_else_is_forgotten_at_once() {
    let served = Served::new();
    let (mut first, mut second) = (served.initialized().await, served.initialized().await);
    first.session("s").await;
    let running = first.prompt("s", "@wait").await;
    first.until_running("s").await;
    second.prompt("s", "behind it").await;
    second.fence().await;
    let left = Instant::now();
    second.leave().await.unwrap();
    assert!(left.elapsed() < Duration::from_secs(5));
    first.tell("session/cancel", json!({"sessionId": "s"})).await;
    assert_eq!(first.turn("s").await.1, "cancelled");
    assert_eq!(first.result(running).await["stopReason"], "cancelled");
    assert_eq!(first.call("session/state", json!({"sessionId": "s"})).await["state"], "idle");
}
