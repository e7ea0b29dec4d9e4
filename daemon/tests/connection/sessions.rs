//! Section 7 as far as sessions live in memory: made, rebound, closed, cancelled, listed, and made room for.

use crate::peer::{Peer, Served};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

fn misfit(path: &str) -> (i64, Value) {
    (-32602, json!({"reason": "invalid_params", "path": path}))
}

async fn live(peer: &mut Peer) -> Vec<String> {
    serde_json::from_value(peer.call("status", json!({})).await["sessionIds"].take()).unwrap()
}

/// SE-01
#[tokio::test(start_paused = true)]
async fn a_new_session_says_what_it_is() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let made = peer.call("session/new", json!({"agentAlias": "echo"})).await;
    let workspace = served.directory.path().join("agents").join("echo");
    assert!(workspace.is_dir());
    assert_eq!(
        made,
        json!({"sessionId": made["sessionId"], "agentAlias": "echo", "workspaceDir": workspace, "messageCount": 0})
    );
    let directory = served.directory.path();
    let acp = json!({
        "agentAlias": "echo", "sessionId": "mine", "chatMode": "acp", "cwd": directory,
        "interactionSurface": "zerocode_code", "excludeMemory": true,
    });
    let made = peer.call("session/new", acp).await;
    assert_eq!((&made["sessionId"], &made["workspaceDir"]), (&json!("mine"), &json!(directory)));
}

/// SE-01
#[tokio::test(start_paused = true)]
async fn what_a_session_cannot_be_made_of_is_refused_by_its_member() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let file = served.directory.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    for (params, path) in [
        (json!({"agentAlias": "nobody"}), "/agentAlias"),
        (json!({"agentAlias": ""}), "/agentAlias"),
        (json!({"agentAlias": "echo", "interactionSurface": "zerocode_code"}), "/interactionSurface"),
        (json!({"agentAlias": "echo", "chatMode": "acp", "interactionSurface": "x"}), "/interactionSurface"),
        (json!({"agentAlias": "echo", "cwd": "relative"}), "/cwd"),
        (json!({"agentAlias": "echo", "cwd": ""}), "/cwd"),
        (json!({"agentAlias": "echo", "cwd": served.directory.path().join("none")}), "/cwd"),
        (json!({"agentAlias": "echo", "cwd": file}), "/cwd"),
    ] {
        assert_eq!(peer.refused("session/new", params.clone()).await, misfit(path), "{params}");
    }
    assert_eq!(live(&mut peer).await, [""; 0]);
}

/// SE-02
#[tokio::test(start_paused = true)]
async fn a_live_id_rebinds_the_caller_with_the_history_untouched() {
    let served = Served::with_agent("other", crate::agents::Deaf);
    let mut peer = served.initialized().await;
    peer.session("s").await;
    peer.prompt("s", "hello").await;
    peer.turn("s").await;
    peer.receive().await;
    let mut second = served.initialized().await;
    let params = json!({"agentAlias": "echo", "sessionId": "s"});
    assert_eq!(second.call("session/new", params).await["messageCount"], 2);
    for (params, refusal) in [
        (json!({"agentAlias": "other", "sessionId": "s"}), misfit("/agentAlias")),
        (
            json!({"agentAlias": "echo", "sessionId": "s", "chatMode": "acp"}),
            (-32602, json!({"reason": "mode_conflict"})),
        ),
    ] {
        assert_eq!(second.refused("session/new", params.clone()).await, refusal, "{params}");
    }
    let acp = json!({"agentAlias": "echo", "sessionId": "a", "chatMode": "acp"});
    second.call("session/new", acp.clone()).await;
    let mut surfaced = acp.clone();
    surfaced["interactionSurface"] = json!("zerocode_code");
    assert_eq!(second.refused("session/new", surfaced).await, misfit("/interactionSurface"));
    assert_eq!(second.call("session/new", acp).await["messageCount"], 0);
}

/// SE-04
#[tokio::test(start_paused = true)]
async fn a_new_session_closes_the_idle_ones_of_the_same_client_and_mode() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let mut other = served.initialized().await;
    other.session("theirs").await;
    peer.session("idle").await;
    peer.session("busy").await;
    peer.prompt("busy", "@wait").await;
    peer.call("session/new", json!({"agentAlias": "echo", "sessionId": "acp", "chatMode": "acp"})).await;
    assert_eq!(live(&mut peer).await, ["acp", "busy", "idle", "theirs"]);
    // A rebind makes no session, so it closes none.
    peer.call("session/new", json!({"agentAlias": "echo", "sessionId": "busy"})).await;
    assert_eq!(live(&mut peer).await, ["acp", "busy", "idle", "theirs"]);
    peer.call("session/new", json!({"agentAlias": "echo", "sessionId": "new"})).await;
    assert_eq!(live(&mut peer).await, ["acp", "busy", "new", "theirs"]);
    assert_eq!(peer.refused("session/state", json!({"sessionId": "idle"})).await.0, -32000);
}

/// SE-04, HS-07
#[tokio::test(start_paused = true)]
async fn sessions_outlive_their_connection_and_belong_to_the_client_that_comes_back() {
    let served = Served::new();
    let mut peer = served.connect();
    let name = peer.initialize().await;
    peer.session("s").await;
    peer.leave().await.unwrap();
    let mut again = served.connect();
    again.call("initialize", json!({"tuiId": name["tuiId"], "tuiSig": name["tuiSig"]})).await;
    assert_eq!(live(&mut again).await, ["s"]);
    again.call("session/new", json!({"agentAlias": "echo", "sessionId": "t"})).await;
    assert_eq!(live(&mut again).await, ["t"]);
}

/// SE-05
#[tokio::test(start_paused = true)]
async fn a_close_ends_the_running_turn_and_those_that_wait_before_it_is_answered() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let asked =
        [peer.prompt("s", "one @wait").await, peer.prompt("s", "two").await, peer.prompt("s", "three").await];
    assert_eq!(peer.update().await["text"], "one ");
    let closed = peer.ask("session/close", json!({"sessionId": "s"})).await;
    for asked in asked {
        assert_eq!(peer.turn("s").await, (String::new(), json!("cancelled")));
        assert_eq!(peer.result(asked).await["stopReason"], "cancelled");
    }
    assert_eq!(peer.result(closed).await, json!({"sessionId": "s", "closed": true}));
    for method in ["session/close", "session/state", "session/cancel"] {
        assert_eq!(peer.refused(method, json!({"sessionId": "s"})).await, (-32000, Value::Null), "{method}");
    }
    peer.session("s").await;
    assert_eq!(peer.call("session/state", json!({"sessionId": "s"})).await["state"], "idle");
}

/// SE-10
#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_foremost_prompt_and_those_behind_it_run() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let cancel = json!({"sessionId": "s"});
    assert_eq!(
        peer.call("session/cancel", cancel.clone()).await,
        json!({"sessionId": "s", "cancelled": false})
    );
    let running = peer.prompt("s", "one @wait").await;
    let behind = peer.prompt("s", "two").await;
    assert_eq!(peer.update().await["text"], "one ");
    assert_eq!(
        peer.call("session/cancel", cancel.clone()).await,
        json!({"sessionId": "s", "cancelled": true})
    );
    assert_eq!(peer.turn("s").await.1, "cancelled");
    // It never surfaces as an error of the prompt.
    let result = peer.result(running).await;
    assert_eq!((&result["stopReason"], &result["content"]), (&json!("cancelled"), &json!("one ")));
    assert_eq!(peer.turn("s").await, ("two".to_owned(), json!("completed")));
    peer.result(behind).await;
    assert_eq!(peer.call("session/cancel", cancel).await["cancelled"], false);
}

/// SE-10
#[tokio::test(start_paused = true)]
async fn a_cancel_may_come_as_a_notification_and_from_another_connection() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let mut other = served.initialized().await;
    peer.session("s").await;
    peer.tell("session/cancel", json!({"sessionId": "none"})).await;
    for _ in 0..2 {
        peer.prompt("s", "@wait").await;
        peer.until_running("s").await;
        peer.tell("session/cancel", json!({"sessionId": "s"})).await;
        assert_eq!(peer.turn("s").await.1, "cancelled");
        peer.receive().await;
        peer.prompt("s", "@wait").await;
        peer.until_running("s").await;
        assert_eq!(other.call("session/cancel", json!({"sessionId": "s"})).await["cancelled"], true);
        assert_eq!(peer.turn("s").await.1, "cancelled");
        peer.receive().await;
    }
    other.fence().await;
}

/// SE-11
#[tokio::test(start_paused = true)]
async fn the_state_is_running_from_the_prompt_to_its_answer() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let state = json!({"sessionId": "s"});
    assert_eq!(peer.call("session/state", state.clone()).await, json!({"sessionId": "s", "state": "idle"}));
    let asked = peer.prompt("s", "@wait").await;
    assert_eq!(peer.call("session/state", state.clone()).await["state"], "running");
    peer.until_running("s").await;
    let running = peer.call("session/state", state.clone()).await;
    assert_eq!(running["turnId"], "turn-1");
    let started = running["turnStartedAt"].as_str().unwrap();
    assert!(started.len() == 24 && started.ends_with('Z'), "{started}");
    peer.tell("session/cancel", state.clone()).await;
    peer.turn("s").await;
    peer.result(asked).await;
    // Its place is given up right behind the answer; whoever asks because of the answer sees it idle.
    assert_eq!(peer.call("session/state", state).await["state"], "idle");
}

/// SE-12, SE-17
#[tokio::test(start_paused = true)]
async fn sessions_are_listed_by_what_they_are_called() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for (id, mode) in [("alpha", "chat"), ("beta", "acp"), ("alphabet", "chat")] {
        let params = json!({"agentAlias": "echo", "sessionId": id, "chatMode": mode, "keepSiblings": true});
        peer.call("session/new", params).await;
    }
    let mut listed = async |params: Value| {
        let entries = peer.call("session/list", params).await["sessions"].take();
        let mut ids: Vec<_> = entries
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["sessionId"].as_str().unwrap().to_owned())
            .collect();
        ids.sort_unstable();
        (ids, entries)
    };
    let (ids, entries) = listed(json!({})).await;
    assert_eq!(ids, ["alpha", "alphabet", "beta"]);
    let beta = entries.as_array().unwrap().iter().find(|entry| entry["sessionId"] == "beta").unwrap();
    let expected = json!({
        "sessionId": "beta", "sessionKey": "acp:beta", "agentAlias": "echo", "chatMode": "acp", "live": true,
        "killed": false, "messageCount": 0, "createdAt": beta["createdAt"], "lastActivity": beta["lastActivity"],
    });
    assert_eq!(beta, &expected);
    assert_eq!(listed(json!({"query": "ALPHA"})).await.0, ["alpha", "alphabet"]);
    assert_eq!(listed(json!({"query": "eta"})).await.0, ["beta"]);
    assert_eq!(listed(json!({"query": "echo"})).await.0.len(), 3);
    assert_eq!(listed(json!({"query": "none"})).await.0.len(), 0);
    assert_eq!(listed(json!({"limit": 2})).await.0.len(), 2);
    assert_eq!(listed(json!({"limit": 0})).await.0.len(), 0);
}

/// SE-13
#[tokio::test(start_paused = true)]
async fn the_status_names_the_daemon_its_files_and_its_sessions() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("b").await;
    peer.session("a").await;
    let directory = served.directory.path();
    let expected = json!({
        "serverVersion": env!("CARGO_PKG_VERSION"), "protocolVersion": 1, "activeSessions": 2,
        "sessionIds": ["a", "b"], "configDir": directory, "configFile": directory.join("config.toml"),
    });
    assert_eq!(peer.call("status", json!({})).await, expected);
}

/// SE-16
#[tokio::test(start_paused = true)]
async fn a_session_id_is_up_to_128_plain_characters() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let longest = "x".repeat(128);
    for id in ["a", "A-Z_a.z:0", "-", "..", &longest] {
        peer.session(id).await;
    }
    for id in ["", "a b", "a/b", "é", "a\n", "a\u{0}", &format!("{longest}x")] {
        for (method, params) in [
            ("session/new", json!({"agentAlias": "echo", "sessionId": id})),
            ("session/state", json!({"sessionId": id})),
        ] {
            assert_eq!(peer.refused(method, params).await, misfit("/sessionId"), "{method} {id:?}");
        }
    }
}

/// SE-16
#[tokio::test(start_paused = true)]
async fn an_id_that_the_daemon_makes_cannot_be_guessed() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..20 {
        let made = peer.call("session/new", json!({"agentAlias": "echo"})).await;
        let id = made["sessionId"].as_str().unwrap().to_owned();
        assert!(id.len() >= 32, "{id}");
        assert!(ids.insert(id));
    }
}

/// SE-18
#[tokio::test(start_paused = true)]
async fn when_there_is_no_room_a_session_without_a_client_gives_way() {
    let served = Served::limited(|limits| limits.max_live_sessions = 5);
    let mut gone = served.initialized().await;
    for (id, mode) in [("chat1", "chat"), ("acp1", "acp"), ("acp2", "acp"), ("chat2", "chat")] {
        let params = json!({"agentAlias": "echo", "sessionId": id, "chatMode": mode, "keepSiblings": true});
        gone.call("session/new", params).await;
    }
    // The clock of sessions is the real one; activity decides, and `acp1` has the later one.
    gone.prompt("acp1", "x").await;
    gone.turn("acp1").await;
    gone.receive().await;
    let mut peer = served.initialized().await;
    peer.session("held").await;
    let new = |id: &str| json!({"agentAlias": "echo", "sessionId": id, "keepSiblings": true});
    assert_eq!(peer.refused("session/new", new("early")).await, (-32001, Value::Null));
    gone.leave().await.unwrap();
    sleep(Duration::from_secs(1)).await;
    for (id, left) in [
        ("n1", ["acp1", "chat1", "chat2", "held", "n1"]),
        ("n2", ["chat1", "chat2", "held", "n1", "n2"]),
        ("n3", ["chat2", "held", "n1", "n2", "n3"]),
        ("n4", ["held", "n1", "n2", "n3", "n4"]),
    ] {
        peer.session(id).await;
        assert_eq!(live(&mut peer).await, left);
    }
    assert_eq!(peer.refused("session/new", new("late")).await, (-32001, Value::Null));
}
