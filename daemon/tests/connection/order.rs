//! Section 6: what acts when, what leaves when, and how the end of a connection looks from both sides.

use crate::agents::Deaf;
use crate::peer::Served;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

/// OR-04
#[tokio::test(start_paused = true)]
async fn requests_act_in_the_order_they_arrive() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let mut frames = String::new();
    for round in 0..100 {
        for (method, params) in [
            ("session/new", json!({"agentAlias": "echo", "sessionId": "s"})),
            ("session/state", json!({"sessionId": "s"})),
            ("session/close", json!({"sessionId": "s"})),
            ("session/state", json!({"sessionId": "s"})),
        ] {
            let id = format!("{method} {round}");
            frames +=
                &format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        }
    }
    peer.write(frames.as_bytes()).await;
    for round in 0..100 {
        peer.result(format!("session/new {round}")).await;
        assert_eq!(peer.result(format!("session/state {round}")).await["state"], "idle");
        peer.result(format!("session/close {round}")).await;
        assert_eq!(peer.error().await, (json!(format!("session/state {round}")), -32000, Value::Null));
    }
}

/// OR-04
#[tokio::test(start_paused = true)]
async fn a_turn_holds_up_nothing_else() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let asked = peer.prompt("s", "@wait").await;
    peer.fence().await;
    let state = peer.call("session/state", json!({"sessionId": "s"})).await;
    assert_eq!((&state["state"], &state["turnId"]), (&json!("running"), &json!("turn-1")));
    let cancelled = peer.ask("session/cancel", json!({"sessionId": "s"})).await;
    assert_eq!(peer.result(cancelled).await["cancelled"], true);
    assert_eq!(peer.turn("s").await, (String::new(), json!("cancelled")));
    assert_eq!(peer.result(asked).await["stopReason"], "cancelled");
}

/// OR-05
#[tokio::test(start_paused = true)]
async fn a_turn_ends_with_turn_complete_and_its_reply_before_the_next_turn_begins() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let asked = [peer.prompt("s", "one two").await, peer.prompt("s", "three four").await];
    for (asked, words) in asked.into_iter().zip([["one ", "two"], ["three ", "four"]]) {
        for word in words {
            let update = peer.update().await;
            assert_eq!((&update["type"], &update["text"]), (&json!("agent_message_chunk"), &json!(word)));
        }
        let complete = peer.update().await;
        assert_eq!(
            (&complete["type"], &complete["content"]),
            (&json!("turn_complete"), &json!(words.concat()))
        );
        let result = peer.result(asked).await;
        assert_eq!((&result["content"], &result["turnId"]), (&json!(words.concat()), &complete["turnId"]));
    }
    peer.fence().await;
}

/// OR-05
#[tokio::test(start_paused = true)]
async fn the_reply_to_a_later_request_is_a_fence_behind_an_ended_turn() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for round in 0..50 {
        let id = format!("s{round}");
        peer.session(&id).await;
        peer.prompt(&id, "one two three @wait").await;
        assert_eq!(peer.update().await["text"], "one ");
        for _ in 0..round % 7 {
            yield_now().await;
        }
        let closed = peer.ask("session/close", json!({"sessionId": id})).await;
        // Everything of the turn stands before the reply that says it has ended.
        let mut before = Vec::new();
        loop {
            let frame = peer.receive().await;
            if frame["id"] == closed {
                break;
            }
            before.push(frame);
        }
        let [.., complete, reply] = &before[..] else { panic!("{before:?}") };
        assert_eq!(complete["params"]["outcome"], "cancelled");
        assert_eq!(reply["result"]["stopReason"], "cancelled");
        peer.fence().await;
    }
}

/// EN-15
#[tokio::test(start_paused = true)]
async fn two_prompts_with_the_same_id_are_both_answered() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    for prompt in ["one", "two"] {
        peer.send(json!({
            "jsonrpc": "2.0", "id": "twin", "method": "session/prompt",
            "params": {"sessionId": "s", "prompt": prompt},
        }))
        .await;
    }
    for prompt in ["one", "two"] {
        assert_eq!(peer.turn("s").await.0, prompt);
        assert_eq!(peer.result("twin").await["content"], prompt);
    }
    peer.fence().await;
}

/// SE-10, OR-04
#[tokio::test(start_paused = true)]
async fn a_cancel_in_the_same_write_as_its_prompt_hits_that_prompt() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    for cancel_id in [r#""id":"c","#, ""] {
        peer.write(
            format!(
                "{}\n{{\"jsonrpc\":\"2.0\",{cancel_id}\"method\":\"session/cancel\",\"params\":{{\"sessionId\":\"s\"}}}}\n",
                r#"{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"s","prompt":"a b"}}"#
            )
            .as_bytes(),
        )
        .await;
        if !cancel_id.is_empty() {
            assert_eq!(peer.result("c").await["cancelled"], true);
        }
        assert_eq!(peer.turn("s").await.1, "cancelled");
        assert_eq!(peer.result("p").await["stopReason"], "cancelled");
        peer.fence().await;
    }
}

/// SE-10
#[tokio::test(start_paused = true)]
async fn a_cancel_that_races_the_end_of_a_turn_says_true_exactly_if_the_turn_is_cancelled() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let mut seen = [0, 0];
    for round in 0..200 {
        let prompted = peer.prompt("s", "one two three").await;
        for _ in 0..round % 20 {
            yield_now().await;
        }
        let cancel = peer.ask("session/cancel", json!({"sessionId": "s"})).await;
        let (mut outcome, mut stop_reason, mut cancelled) = (None, None, None);
        while stop_reason.is_none() || cancelled.is_none() {
            let frame = peer.receive().await;
            if frame["id"] == cancel {
                cancelled = frame["result"]["cancelled"].as_bool();
            } else if frame["id"] == prompted {
                assert!(outcome.is_some(), "turn_complete stands before the reply");
                stop_reason = frame["result"]["stopReason"].as_str().map(str::to_owned);
            } else if frame["params"]["type"] == "turn_complete" {
                assert!(outcome.is_none(), "turn_complete is sent once");
                outcome = frame["params"]["outcome"].as_str().map(str::to_owned);
            } else {
                assert!(outcome.is_none(), "turn_complete is the turn's last event");
            }
        }
        let expected =
            if cancelled == Some(true) { ("cancelled", "cancelled") } else { ("completed", "end_turn") };
        assert_eq!((outcome.as_deref(), stop_reason.as_deref()), (Some(expected.0), Some(expected.1)));
        seen[usize::from(cancelled == Some(true))] += 1;
        peer.fence().await;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "the race has one winner only: {seen:?}");
}

/// OR-06
#[tokio::test(start_paused = true)]
async fn a_client_that_only_stops_writing_gets_everything_it_asked_for() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let asked = [peer.prompt("s", "@pour 300000").await, peer.prompt("s", "after").await];
    let state = peer.ask("session/state", json!({"sessionId": "s"})).await;
    peer.finish().await;
    assert_eq!(peer.result(state).await["state"], "running");
    assert_eq!(peer.turn("s").await.0.len(), 300_000);
    let [first, second] = asked;
    assert_eq!(peer.result(first).await["stopReason"], "end_turn");
    assert_eq!(peer.turn("s").await.0, "after");
    assert_eq!(peer.result(second).await["stopReason"], "end_turn");
    peer.end().await;
}

/// OR-06
#[tokio::test(start_paused = true)]
async fn the_turns_of_a_client_that_is_gone_are_cancelled_and_its_sessions_stay() {
    let served = Served::new();
    for words_read in 0..4 {
        let mut peer = served.initialized().await;
        peer.session("s").await;
        peer.prompt("s", "one two three @wait").await;
        peer.prompt("s", "behind it").await;
        for _ in 0..words_read {
            peer.update().await;
        }
        let began = Instant::now();
        let mut other = served.initialized().await;
        peer.leave().await.unwrap();
        assert!(began.elapsed().as_secs() < 5);
        assert_eq!(other.call("session/state", json!({"sessionId": "s"})).await["state"], "idle");
    }
}

/// OR-06
#[tokio::test(start_paused = true)]
async fn a_client_that_stopped_writing_and_then_left_is_gone_too() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    peer.prompt("s", "one @wait").await;
    peer.finish().await;
    assert_eq!(peer.update().await["text"], "one ");
    let mut other = served.initialized().await;
    assert_eq!(other.call("session/state", json!({"sessionId": "s"})).await["state"], "running");
    peer.leave().await.unwrap();
    assert_eq!(other.call("session/state", json!({"sessionId": "s"})).await["state"], "idle");
}

/// OR-07
#[tokio::test(start_paused = true)]
async fn a_partly_read_frame_survives_what_is_written_meanwhile() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let frame =
        json!({"jsonrpc": "2.0", "id": "halves", "method": "session/state", "params": {"sessionId": "s"}});
    let frame = format!("{frame}\n");
    for cut in 1..frame.len() {
        let first = format!("{}\n", prompt_frame("one two"));
        peer.write(&[first.as_bytes(), &frame.as_bytes()[..cut]].concat()).await;
        assert_eq!(peer.turn("s").await.0, "one two");
        peer.result("p").await;
        peer.write(&frame.as_bytes()[cut..]).await;
        assert_eq!(peer.result("halves").await["state"], "idle");
    }
}

fn prompt_frame(prompt: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "p", "method": "session/prompt", "params": {"sessionId": "s", "prompt": prompt}})
}

/// OR-08, OR-06
#[tokio::test(start_paused = true)]
async fn the_end_of_the_stream_is_noticed_while_an_in_order_method_waits() {
    let served = Served::with_agent("deaf", Deaf);
    let mut peer = served.initialized().await;
    peer.session("s").await;
    peer.call("session/new", json!({"agentAlias": "deaf", "sessionId": "d", "keepSiblings": true})).await;
    for session in ["s", "d"] {
        peer.prompt(session, "@wait").await;
        peer.until_running(session).await;
    }
    peer.ask("session/close", json!({"sessionId": "d"})).await;
    let mut watcher = served.initialized().await;
    sleep(Duration::from_secs(1)).await;
    let left = Instant::now();
    peer.leave();
    while watcher.call("session/state", json!({"sessionId": "s"})).await["state"] == "running" {
        sleep(Duration::from_millis(1)).await;
    }
    assert!(left.elapsed() < Duration::from_millis(100), "the close still waits, and nobody waited for it");
}

/// OR-08
#[tokio::test(start_paused = true)]
async fn what_comes_while_an_in_order_method_waits_acts_after_it_in_order() {
    let served = Served::with_agent("deaf", Deaf);
    let mut peer = served.initialized().await;
    peer.call("session/new", json!({"agentAlias": "deaf", "sessionId": "d"})).await;
    let prompted = peer.prompt("d", "x").await;
    peer.until_running("d").await;
    let closed = peer.ask("session/close", json!({"sessionId": "d"})).await;
    let again = peer.ask("session/new", json!({"agentAlias": "echo", "sessionId": "d"})).await;
    peer.send(r#"{"jsonrpc":"2.0","id":"zc-out-0","result":null}"#).await;
    peer.send("no JSON").await;
    let state = peer.ask("session/state", json!({"sessionId": "d"})).await;
    let began = Instant::now();
    assert_eq!(peer.turn("d").await, (String::new(), json!("cancelled")));
    assert_eq!(peer.result(prompted).await["stopReason"], "cancelled");
    assert_eq!(peer.result(closed).await["closed"], true);
    assert_eq!(began.elapsed().as_secs(), 5, "an agent that does not unwind is abandoned");
    assert_eq!(peer.result(again).await["messageCount"], 0);
    assert_eq!(peer.error().await.1, -32700);
    assert_eq!(peer.result(state).await["state"], "idle");
    peer.fence().await;
}

/// EP-14
#[tokio::test(start_paused = true)]
async fn a_stop_cancels_the_turns_answers_them_and_ends_the_connections() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let idle = served.initialized().await;
    peer.session("s").await;
    let asked = [peer.prompt("s", "one @wait").await, peer.prompt("s", "two").await];
    assert_eq!(peer.update().await["text"], "one ");
    served.daemon.stop().await;
    for asked in asked {
        assert_eq!(peer.turn("s").await, (String::new(), json!("cancelled")));
        assert_eq!(peer.result(asked).await["stopReason"], "cancelled");
    }
    peer.end().await;
    idle.end().await;
}
