//! Section 5: what `initialize` binds, and what is refused until it has.

use crate::peer::{Peer, Served};
use serde_json::{Value, json};

/// HS-01
#[tokio::test(start_paused = true)]
async fn until_initialize_succeeds_every_other_request_is_refused_and_nothing_acts() {
    let served = Served::new();
    let mut peer = served.connect();
    for method in ["status", "session/new", "session/list", "session/prompt", "no/such", ""] {
        let params = json!({"agentAlias": "echo", "sessionId": "s", "prompt": "x"});
        assert_eq!(peer.refused(method, params).await, (-32010, Value::Null), "{method}");
    }
    assert_eq!(peer.refused("initialize", json!({"protocolVersion": 2})).await.0, -32011);
    assert_eq!(peer.refused("status", json!({})).await.0, -32010);
    peer.initialize().await;
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 0);
}

/// HS-01
#[tokio::test(start_paused = true)]
async fn until_initialize_succeeds_notifications_and_answers_are_dropped_silently() {
    let served = Served::new();
    let mut peer = served.connect();
    peer.tell("session/new", json!({"agentAlias": "echo"})).await;
    peer.tell("session/prompt", json!({"sessionId": "s", "prompt": "x"})).await;
    peer.send(json!({"jsonrpc": "2.0", "id": "zc-out-0", "result": null})).await;
    peer.fence().await;
    peer.initialize().await;
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 0);
}

/// HS-02
#[tokio::test(start_paused = true)]
async fn another_version_is_refused_and_may_be_followed_by_another_attempt() {
    let served = Served::new();
    let mut peer = served.connect();
    for requested in ["0", "2", "-1", "9007199254740993", "18446744073709551616"] {
        let params = format!(r#"{{"protocolVersion":{requested}}}"#);
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#)).await;
        let reply = peer.receive_text().await;
        let data =
            format!(r#""data":{{"reason":"version_mismatch","supported":[1],"requested":{requested}}}"#);
        assert!(reply.contains(r#""code":-32011,"#) && reply.contains(&data), "{reply}");
    }
    for not_integer in ["1.0", "1e0", "\"1\"", "true", "[1]", "{}"] {
        let params = format!(r#"{{"protocolVersion":{not_integer}}}"#);
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#)).await;
        let expected = json!({"reason": "invalid_params", "path": "/protocolVersion"});
        assert_eq!(peer.error().await, (json!(1), -32602, expected), "{not_integer}");
    }
    assert_eq!(peer.call("initialize", json!({})).await["protocolVersion"], 1);
}

/// HS-03
#[tokio::test(start_paused = true)]
async fn the_client_learns_what_is_served_and_within_which_limits() {
    let served = Served::limited(|limits| limits.max_live_sessions = 9);
    let mut result = served.connect().initialize().await;
    assert_eq!(result["protocolVersion"], 1);
    assert_eq!(result["serverPid"], std::process::id());
    assert_eq!(result["principalId"], "operator");
    assert_eq!(result["limits"]["max_live_sessions"], 9);
    assert_eq!(result["limits"]["max_frame_bytes"], 8_388_608);
    assert_eq!(result["limits"].as_object().unwrap().len(), 17);
    let capabilities: Vec<String> = serde_json::from_value(result["capabilities"].take()).unwrap();
    let mut sorted = capabilities.clone();
    sorted.sort_unstable();
    assert_eq!(capabilities, sorted);
    for method in ["initialize", "session/prompt", "status"] {
        assert!(capabilities.iter().any(|capability| capability == method));
    }
}

/// HS-04
#[tokio::test(start_paused = true)]
async fn initialize_may_be_repeated_and_a_failure_leaves_the_binding() {
    let served = Served::new();
    let mut peer = served.connect();
    let first = peer.initialize().await;
    assert_eq!(peer.refused("initialize", json!({"protocol_version": 2})).await.0, -32011);
    assert_eq!(peer.refused("initialize", json!({"tuiSig": "00"})).await.0, -32010);
    assert_eq!(peer.refused("initialize", json!({"authToken": "none"})).await.0, -32010);
    assert_eq!(peer.refused("initialize", json!([1])).await.0, -32602);
    // Still bound, and still spelled as the last success asked for (SP-02).
    assert_eq!(peer.call("status", json!({})).await["protocolVersion"], 1);
    let again = peer.initialize().await;
    assert_ne!(first["tuiId"], again["tuiId"]);
}

/// HS-04
#[tokio::test(start_paused = true)]
async fn repeating_initialize_leaves_the_running_turn_alone() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    peer.prompt("s", "one @wait").await;
    assert_eq!(peer.update().await["text"], "one ");
    peer.initialize().await;
    assert_eq!(peer.call("session/state", json!({"sessionId": "s"})).await["state"], "running");
}

/// HS-04
#[tokio::test(start_paused = true)]
async fn as_a_notification_it_binds_silently() {
    let served = Served::new();
    let mut peer = served.connect();
    peer.tell("initialize", json!({"protocolVersion": 2})).await;
    assert_eq!(peer.refused("status", json!({})).await.0, -32010);
    peer.tell("initialize", json!({"protocolVersion": 1})).await;
    peer.call("status", json!({})).await;
}

/// HS-05
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn whoever_has_our_uid_needs_no_token_and_nobody_else_gets_in() {
    use zeroclaw::transport::Credentials;
    let served = Served::new();
    let me = rustix::process::geteuid().as_raw();
    let mut mine = served.connect_over(4096, Credentials::Unix { uid: me, pid: Some(1) });
    mine.initialize().await;
    let mut other = served.connect_over(4096, Credentials::Unix { uid: me + 1, pid: Some(1) });
    assert_eq!(other.refused("initialize", json!({})).await, (-32010, Value::Null));
    assert_eq!(other.refused("status", json!({})).await.0, -32010);
}

async fn name(peer: &mut Peer, params: Value) -> (Value, Value) {
    let mut result = peer.call("initialize", params).await;
    (result["tuiId"].take(), result["tuiSig"].take())
}

/// HS-07
#[tokio::test(start_paused = true)]
async fn a_client_reclaims_its_name_with_its_proof_and_only_with_it() {
    let served = Served::new();
    let mut peer = served.connect();
    let (id, sig) = name(&mut peer, json!({})).await;
    drop(peer);
    let mut peer = served.connect();
    let reclaim = |id: &Value, sig: &Value| json!({"tuiId": id, "tuiSig": sig});
    for (id, sig) in [(&id, &json!("00")), (&id, &json!("")), (&json!("tui-other"), &sig)] {
        assert_eq!(peer.refused("initialize", reclaim(id, sig)).await, (-32010, Value::Null));
    }
    assert_ne!(name(&mut peer, json!({"tuiId": id})).await.0, id);
    assert_eq!(name(&mut peer, reclaim(&id, &sig)).await, (id, sig));
}

/// HS-08
#[tokio::test(start_paused = true)]
async fn the_environment_is_taken_and_told_to_nobody() {
    let served = Served::new();
    let mut peer = served.connect();
    let result =
        peer.call("initialize", json!({"env": {"TOKEN": "sk-5ecret", "N": [1, {"deep": null}]}})).await;
    assert!(!result.to_string().contains("sk-5ecret"));
    assert!(!peer.call("status", json!({})).await.to_string().contains("sk-5ecret"));
}
