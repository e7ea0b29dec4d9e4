//! Section 16: both spellings come in, one goes out.

use crate::peer::{Peer, Served};
use serde_json::{Value, json};

/// SP-01
#[tokio::test(start_paused = true)]
async fn each_parameter_is_taken_in_either_spelling_one_by_one() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for (id, params) in [
        ("a", json!({"agentAlias": "echo", "sessionId": "a", "keepSiblings": true})),
        ("b", json!({"agent_alias": "echo", "session_id": "b", "keep_siblings": true})),
        ("c", json!({"agent_alias": "echo", "sessionId": "c", "keep_siblings": true})),
        ("d", json!({"agent_alias": "echo", "agentAlias": "echo", "sessionId": "d", "keepSiblings": true})),
        // Beside a null in the other spelling a value counts once.
        ("e", json!({"agentAlias": "echo", "session_id": null, "sessionId": "e", "keepSiblings": true})),
        ("f", json!({"agentAlias": "echo", "sessionId": "f", "session_id": null, "keepSiblings": true})),
    ] {
        assert_eq!(peer.call("session/new", params).await["sessionId"], id);
    }
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 6);
}

/// SP-01
#[tokio::test(start_paused = true)]
async fn both_spellings_with_unequal_values_are_refused() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let params = json!({"agentAlias": "echo", "sessionId": "a", "session_id": "b"});
    let (code, data) = peer.refused("session/new", params).await;
    assert_eq!((code, &data["reason"]), (-32602, &json!("invalid_params")));
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 0);
}

/// The names of all members of a value, however deep.
fn names(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                into.push(name.clone());
                names(value, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, into)),
        _ => {}
    }
}

/// One of each kind of result and notification: the member names in them.
async fn spoken(peer: &mut Peer) -> Vec<String> {
    let mut spoken = Vec::new();
    let params = json!({"agentAlias": "echo", "sessionId": "s", "keepSiblings": true});
    names(&peer.call("session/new", params).await, &mut spoken);
    let asked = peer.prompt("s", "hi @think hm @wait").await;
    for _ in 0..2 {
        names(&peer.update().await, &mut spoken);
    }
    for method in ["session/state", "session/cancel"] {
        names(&peer.call(method, json!({"sessionId": "s"})).await, &mut spoken);
    }
    names(&peer.update().await, &mut spoken);
    names(&peer.result(asked).await, &mut spoken);
    for (method, params) in
        [("status", json!({})), ("session/list", json!({})), ("session/close", json!({"sessionId": "s"}))]
    {
        names(&peer.call(method, params).await, &mut spoken);
    }
    spoken
}

/// SP-02
#[tokio::test(start_paused = true)]
async fn results_and_notifications_are_spelled_as_the_last_initialize_that_succeeded() {
    let served = Served::new();
    let mut peer = served.connect();
    for (params, snake) in [
        (json!({"protocolVersion": 1}), false),
        (json!({"protocol_version": 1}), true),
        (json!({}), false),
        (json!({"protocol_version": 1, "tuiId": "x"}), true),
        (json!({"protocol_version": 1, "protocolVersion": 1}), false),
    ] {
        let result = peer.call("initialize", params.clone()).await;
        let name = if snake { "server_version" } else { "serverVersion" };
        assert!(result[name].is_string(), "{params}: {result}");
        // SP-04: the limits' names are the configuration's, whatever the spelling.
        assert!(result["limits"]["max_frame_bytes"].is_u64());
        assert_eq!(
            peer.refused("initialize", json!({"protocol_version": 2, "protocolVersion": 2})).await.0,
            -32011
        );
        let spoken = spoken(&mut peer).await;
        let is = |test: fn(char) -> bool| spoken.iter().any(|name| name.contains(test));
        assert_eq!((is(|c| c == '_'), is(|c| c.is_ascii_uppercase())), (snake, !snake), "{spoken:?}");
    }
}

/// SP-02
#[tokio::test(start_paused = true)]
async fn a_connection_has_a_spelling_of_its_own() {
    let served = Served::new();
    let mut camel = served.initialized().await;
    let mut snake = served.connect();
    snake.call("initialize", json!({"protocol_version": 1})).await;
    assert!(camel.call("status", json!({})).await["activeSessions"].is_u64());
    assert!(snake.call("status", json!({})).await["active_sessions"].is_u64());
}

/// SP-04
#[tokio::test(start_paused = true)]
async fn error_data_is_in_snake_case_and_its_path_in_the_clients_own_spelling() {
    let served = Served::new();
    let mut camel = served.initialized().await;
    let mut snake = served.connect();
    snake.call("initialize", json!({"protocol_version": 1})).await;
    for peer in [&mut camel, &mut snake] {
        for (params, path) in [
            (json!({"agent_alias": 1}), "/agent_alias"),
            (json!({"agentAlias": 1}), "/agentAlias"),
            (json!({"agentAlias": "nobody"}), "/agentAlias"),
            (json!({"agent_alias": "nobody"}), "/agent_alias"),
            (json!({"agent_alias": "echo", "chat_mode": "x"}), "/chat_mode"),
        ] {
            let expected = json!({"reason": "invalid_params", "path": path});
            assert_eq!(peer.refused("session/new", params).await, (-32602, expected));
        }
    }
    // EN-14: what is missing has no spelling of its own; it is named as the connection spells.
    assert_eq!(camel.refused("session/new", json!({})).await.1["path"], "/agentAlias");
    assert_eq!(snake.refused("session/new", json!({})).await.1["path"], "/agent_alias");
}
