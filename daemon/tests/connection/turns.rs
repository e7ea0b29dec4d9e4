//! Section 8: prompts, what a turn says, and how it ends.

use crate::agents::{Deaf, Panicking, Recalling, Stillborn};
use crate::peer::{Peer, Served};
use serde_json::{Value, json};
use zeroclaw_spec::{
    ChatMode, SessionNew, SessionNewParams, SessionPrompt, SessionPromptParams, SessionUpdate,
    SessionUpdateParams, StopReason, TurnOutcome,
};

/// A prompt is refused: one `turn_complete` that names no turn, and after it the error.
async fn refused_and_announced(peer: &mut Peer, params: Value, code: i64) {
    let asked = peer.ask("session/prompt", params.clone()).await;
    let expected = json!({"sessionId": params["sessionId"], "type": "turn_complete", "outcome": "failed", "content": ""});
    assert_eq!(peer.update().await, expected, "{params}");
    let (id, refused, _) = peer.error().await;
    assert_eq!((id, refused), (asked, code), "{params}");
}

/// TU-01, TU-02, TU-03
#[tokio::test(start_paused = true)]
async fn a_turn_is_streamed_completed_and_answered() {
    let served = Served::new();
    let (client, mut inbox) = served.client().await;
    let new = SessionNewParams {
        agent_alias: "echo".to_owned(),
        cwd: None,
        session_id: None,
        chat_mode: ChatMode::Chat,
        interaction_surface: None,
        exclude_memory: false,
        keep_siblings: false,
    };
    let session_id = client.call::<SessionNew>(&new).await.unwrap().session_id;
    let prompt = SessionPromptParams {
        session_id: session_id.clone(),
        prompt: "hello @think hm @say world".to_owned(),
        attachments: None,
    };
    let result = client.call::<SessionPrompt>(&prompt).await.unwrap();
    assert_eq!((result.stop_reason, result.content.as_str()), (StopReason::EndTurn, "hello world"));
    assert_eq!((result.session_id, result.truncated), (session_id.clone(), None));
    let mut said = Vec::new();
    while let Ok(unasked) = inbox.try_recv() {
        said.push(match unasked.decode::<SessionUpdate>().unwrap().unwrap() {
            SessionUpdateParams::AgentMessageChunk(chunk) => ("text", chunk.text),
            SessionUpdateParams::AgentThoughtChunk(chunk) => ("thought", chunk.text),
            SessionUpdateParams::TurnComplete(complete) => {
                assert_eq!(complete.outcome, TurnOutcome::Completed);
                assert_eq!(complete.turn_id.as_ref(), Some(&result.turn_id));
                ("complete", complete.content)
            }
            other => panic!("{other:?}"),
        });
    }
    let expected = [("text", "hello "), ("thought", "hm "), ("text", "world"), ("complete", "hello world")];
    assert_eq!(said, expected.map(|(kind, text)| (kind, text.to_owned())));
}

/// TU-01, TU-05
#[tokio::test(start_paused = true)]
async fn an_empty_prompt_and_one_with_attachments_are_refused() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    refused_and_announced(&mut peer, json!({"sessionId": "s", "prompt": ""}), -32602).await;
    let attachments = json!([{"data_b64": "aGk=", "filename": "a.txt"}]);
    refused_and_announced(
        &mut peer,
        json!({"sessionId": "s", "prompt": "x", "attachments": attachments}),
        -32602,
    )
    .await;
    peer.prompt("s", " ").await;
    assert_eq!(peer.turn("s").await.0, " ");
}

/// TU-01
#[tokio::test(start_paused = true)]
async fn a_prompt_may_be_a_notification_and_its_turn_complete_is_all_the_answer_there_is() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    peer.tell("session/prompt", json!({"sessionId": "s", "prompt": "one"})).await;
    peer.tell("session/prompt", json!({"sessionId": "s", "prompt": "@fail"})).await;
    assert_eq!(peer.turn("s").await, ("one".to_owned(), json!("completed")));
    assert_eq!(peer.turn("s").await.1, "failed");
    peer.fence().await;
}

/// TU-02
#[tokio::test(start_paused = true)]
async fn a_turn_says_why_it_stopped() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    for (prompt, reason) in
        [("a @max_tokens b", "max_tokens"), ("a @refusal b", "refusal"), ("a b", "end_turn")]
    {
        let asked = peer.prompt("s", prompt).await;
        assert_eq!(peer.turn("s").await.1, "completed");
        assert_eq!(peer.result(asked).await["stopReason"], reason);
    }
}

/// TU-02
#[tokio::test(start_paused = true)]
async fn of_a_long_text_the_answer_has_the_last_mebibyte_and_the_events_have_all() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    for (poured, truncated) in [(1_048_576, Value::Null), (1_048_577, json!(true))] {
        let asked = peer.prompt("s", &format!("@pour {poured}")).await;
        let mut text = String::new();
        let complete = loop {
            let mut update = peer.update().await;
            match update["text"].as_str() {
                Some(piece) => text.push_str(piece),
                None => break update["content"].take(),
            }
        };
        let result = peer.result(asked).await;
        assert_eq!((text.len(), &result["truncated"]), (poured, &truncated));
        assert!(result["content"] == text[poured - 1_048_576..] && result["content"] == complete);
    }
}

/// TU-02
#[tokio::test(start_paused = true)]
async fn a_failed_turn_is_an_error_after_its_turn_complete_and_the_session_goes_on() {
    let served = Served::build(zeroclaw::config::Config::default(), |daemon| {
        daemon
            .with_agent("panicking", std::sync::Arc::new(Panicking))
            .with_agent("stillborn", std::sync::Arc::new(Stillborn))
    });
    let mut peer = served.initialized().await;
    for (agent, prompt, said) in
        [("echo", "last word@ @fail", "last word@ "), ("panicking", "x", "last word"), ("stillborn", "x", "")]
    {
        let params = json!({"agentAlias": agent, "sessionId": agent, "keepSiblings": true});
        peer.call("session/new", params).await;
        for turn in ["turn-1", "turn-2"] {
            let asked = peer.prompt(agent, prompt).await;
            let mut text = String::new();
            let complete = loop {
                let update = peer.update().await;
                match update["text"].as_str() {
                    Some(piece) => text.push_str(piece),
                    None => break update,
                }
            };
            let expected = json!({
                "sessionId": agent, "type": "turn_complete", "turnId": turn, "outcome": "failed", "content": said,
            });
            assert_eq!((complete, text.as_str()), (expected, said));
            assert_eq!(peer.error().await, (asked, -32603, json!({"reason": "turn_failed"})));
        }
        assert_eq!(peer.call("session/state", json!({"sessionId": agent})).await["state"], "idle");
    }
    peer.fence().await;
}

/// TU-04
#[tokio::test(start_paused = true)]
async fn updates_go_to_the_connection_that_prompted() {
    let served = Served::new();
    let mut one = served.initialized().await;
    let mut two = served.initialized().await;
    one.session("s").await;
    two.session("s").await;
    let first = one.prompt("s", "one @wait").await;
    assert_eq!(one.update().await["text"], "one ");
    let second = two.prompt("s", "from two").await;
    two.fence().await;
    assert_eq!(two.call("session/cancel", json!({"sessionId": "s"})).await["cancelled"], true);
    assert_eq!(one.turn("s").await.1, "cancelled");
    one.result(first).await;
    assert_eq!(two.turn("s").await.0, "from two");
    two.result(second).await;
    one.fence().await;
    two.fence().await;
}

/// TU-04
#[tokio::test(start_paused = true)]
async fn two_sessions_have_their_turns_beside_each_other() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("a").await;
    peer.session("b").await;
    peer.prompt("a", "@wait").await;
    let asked = peer.prompt("b", "at once").await;
    assert_eq!(peer.turn("b").await.0, "at once");
    peer.result(asked).await;
    peer.fence().await;
}

/// TU-05
#[tokio::test(start_paused = true)]
async fn every_refused_prompt_that_names_a_session_is_told_to_be_over() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    for (params, code) in [
        (json!({"sessionId": "none", "prompt": "x"}), -32000),
        (json!({"sessionId": "s"}), -32602),
        (json!({"sessionId": "s", "prompt": 1}), -32602),
        (json!({"sessionId": "s", "prompt": "x", "attachments": 1}), -32602),
        (json!({"sessionId": "no session id", "prompt": "x"}), -32602),
        (json!({"sessionId": "", "prompt": "x"}), -32602),
    ] {
        refused_and_announced(&mut peer, params.clone(), code).await;
        peer.tell("session/prompt", params.clone()).await;
        assert_eq!(peer.update().await["outcome"], "failed", "{params}");
        peer.fence().await;
    }
    // Who names no session hears the error alone.
    for params in [json!({}), json!({"sessionId": 1, "prompt": "x"}), json!({"prompt": "x"})] {
        assert_eq!(peer.refused("session/prompt", params).await.0, -32602);
    }
}

/// TU-05, EN-05
#[tokio::test(start_paused = true)]
async fn a_prompt_in_a_malformed_envelope_is_a_refused_one() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frame = |rest: &str| {
        format!(r#"{{"method":"session/prompt","params":{{"sessionId":"s","prompt":"x"}}{rest}}}"#)
    };
    for (rest, id) in [
        (r#","id":1"#, json!(1)),
        (r#","id":"a","jsonrpc":"1""#, json!("a")),
        (r#","id":[],"jsonrpc":"2.0""#, Value::Null),
        ("", Value::Null),
    ] {
        peer.send(frame(rest)).await;
        assert_eq!(peer.update().await["outcome"], "failed", "{rest}");
        assert_eq!(peer.error().await, (id, -32600, Value::Null), "{rest}");
        peer.fence().await;
    }
}

/// TU-05, HS-01
#[tokio::test(start_paused = true)]
async fn before_initialize_a_refused_prompt_is_an_error_only() {
    let served = Served::new();
    let mut peer = served.connect();
    assert_eq!(peer.refused("session/prompt", json!({"sessionId": "s", "prompt": "x"})).await.0, -32010);
    peer.tell("session/prompt", json!({"sessionId": "s", "prompt": "x"})).await;
    peer.fence().await;
}

/// TU-06
#[tokio::test(start_paused = true)]
async fn after_a_cancel_the_next_prompt_has_the_history_with_the_partial_text() {
    let agent = Recalling::default();
    let served = Served::with_agent("recalling", agent.clone());
    let mut peer = served.initialized().await;
    peer.call("session/new", json!({"agentAlias": "recalling", "sessionId": "s"})).await;
    peer.prompt("s", "first").await;
    assert_eq!(peer.turn("s").await.0, "");
    peer.receive().await;
    peer.prompt("s", "wait").await;
    assert_eq!(peer.update().await["text"], "User: first");
    peer.tell("session/cancel", json!({"sessionId": "s"})).await;
    assert_eq!(peer.turn("s").await.1, "cancelled");
    peer.receive().await;
    peer.prompt("s", "last").await;
    assert_eq!(peer.turn("s").await.0, "User: first|User: wait|Assistant: User: first");
    assert_eq!(*agent.prompts.lock().unwrap(), ["first", "wait", "last"]);
}

/// OR-08, SE-10
#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_hear_is_abandoned_after_five_seconds() {
    let served = Served::with_agent("deaf", Deaf);
    let mut peer = served.initialized().await;
    peer.call("session/new", json!({"agentAlias": "deaf", "sessionId": "s"})).await;
    let asked = peer.prompt("s", "x").await;
    peer.until_running("s").await;
    let began = tokio::time::Instant::now();
    assert_eq!(peer.call("session/cancel", json!({"sessionId": "s"})).await["cancelled"], true);
    assert_eq!(began.elapsed().as_millis(), 0, "a cancel does not wait for the turn");
    assert_eq!(peer.turn("s").await.1, "cancelled");
    assert_eq!(peer.result(asked).await["stopReason"], "cancelled");
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(peer.call("session/state", json!({"sessionId": "s"})).await["state"], "idle");
}
