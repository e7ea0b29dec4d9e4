//! Section 3: which frames are requests, notifications and responses, and what becomes of those that are none.

use crate::peer::{Peer, Served};
use serde_json::{Value, json};
use zeroclaw::config::Config;

/// Each of these is answered with -32600 and that id, and nothing else happens.
async fn refused_as_invalid(peer: &mut Peer, frames: &[(&str, Value)]) {
    for (frame, id) in frames {
        peer.send(frame).await;
        assert_eq!(peer.error().await, (id.clone(), -32600, Value::Null), "{frame}");
        peer.fence().await;
    }
}

/// Each of these is not answered at all.
async fn ignored(peer: &mut Peer, frames: &[&str]) {
    for frame in frames {
        peer.send(frame).await;
        peer.fence().await;
    }
}

/// EN-01
#[tokio::test(start_paused = true)]
async fn arrays_and_scalars_are_no_frames_and_nothing_in_them_runs() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let make = r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"agentAlias":"echo"}}"#;
    let batch = format!("[{make},{make}]");
    let frames = ["[]", "[[]]", &batch, "1", "-0.5e3", "\"status\"", "null", "true", "false"];
    refused_as_invalid(&mut peer, &frames.map(|frame| (frame, Value::Null))).await;
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 0);
}

/// EN-02
#[tokio::test(start_paused = true)]
async fn an_id_that_is_null_is_an_id_and_is_answered() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.send(r#"{"jsonrpc":"2.0","id":null,"method":"status"}"#).await;
    peer.result(Value::Null).await;
    peer.send(r#"{"jsonrpc":"2.0","id":null,"method":"no/such"}"#).await;
    assert_eq!(peer.error().await, (Value::Null, -32601, Value::Null));
}

/// EN-02
#[tokio::test(start_paused = true)]
async fn a_notification_acts_and_is_not_answered() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.tell("session/new", json!({"agentAlias": "echo", "sessionId": "quiet"})).await;
    assert_eq!(peer.call("status", json!({})).await["sessionIds"], json!(["quiet"]));
}

/// EN-03
#[tokio::test(start_paused = true)]
async fn absent_and_empty_parameters_are_the_same_and_positions_are_refused() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for params in
        ["", r#","params":[]"#, r#","params":[ ]"#, r#","params":{}"#, r#","params":{"limit":null}"#]
    {
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/list"{params}}}"#)).await;
        assert_eq!(peer.result(1).await, json!({"sessions": []}), "{params}");
    }
    for params in ["[1]", "[{}]", "[[]]", "[null]"] {
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/list","params":{params}}}"#)).await;
        let (id, code, data) = peer.error().await;
        assert_eq!((id, code, &data["reason"]), (json!(1), -32602, &json!("invalid_params")), "{params}");
    }
}

/// EN-04
#[tokio::test(start_paused = true)]
async fn an_id_comes_back_in_the_text_it_came_in() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for id in [
        "0",
        "-0",
        "1",
        "\"1\"",
        "1.5",
        "1.0",
        "1e3",
        "1E+3",
        "9007199254740993",
        "18446744073709551616",
        "-7",
        "123456789012345678901234567890.00",
        "\"\"",
        "\"\\u0041\"",
        "\"é😀\\n\"",
        "null",
    ] {
        peer.send(format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"status"}}"#)).await;
        let reply = peer.receive_text().await;
        assert!(reply.contains(&format!(r#""id":{id},"result""#)), "{id}: {reply}");
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"no/such"}}"#)).await;
        let reply = peer.receive_text().await;
        assert!(reply.contains(&format!(r#""id":{id},"error""#)), "{id}: {reply}");
    }
}

/// EN-05
#[tokio::test(start_paused = true)]
async fn a_malformed_request_is_answered_with_its_id_where_that_is_one() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames = [
        (r#"{"id":1,"method":"status"}"#, json!(1)),
        (r#"{"jsonrpc":"1.0","id":"a","method":"status"}"#, json!("a")),
        (r#"{"jsonrpc":2.0,"id":2,"method":"status"}"#, json!(2)),
        (r#"{"jsonrpc":null,"id":null,"method":"status"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":3,"method":"status","params":null}"#, json!(3)),
        (r#"{"jsonrpc":"2.0","id":4,"method":"status","params":1}"#, json!(4)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"no/such","params":"x"}"#, json!(5)),
        (r#"{"jsonrpc":"2.0","id":true,"method":"status"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"status"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"status"}"#, Value::Null),
    ];
    refused_as_invalid(&mut peer, &frames).await;
}

/// EN-05, EN-10
#[tokio::test(start_paused = true)]
async fn a_malformed_notification_is_answered_without_an_id() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames = [
        r#"{"method":"status"}"#,
        r#"{"jsonrpc":"2.1","method":"status"}"#,
        r#"{"jsonrpc":"2.0","method":"status","params":null}"#,
        r#"{"jsonrpc":"2.0","method":"session/new","params":"echo"}"#,
    ];
    refused_as_invalid(&mut peer, &frames.map(|frame| (frame, Value::Null))).await;
}

/// EN-06
#[tokio::test(start_paused = true)]
async fn a_malformed_response_is_never_answered() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames = [
        r#"{"id":1,"result":1}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":1,"result":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":1,"result":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":2}}"#,
        r#"{"jsonrpc":"2.0","result":1}"#,
        r#"{"jsonrpc":"2.0","id":true,"result":1}"#,
        r#"{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":1,"params":{}}"#,
    ];
    ignored(&mut peer, &frames).await;
}

/// EN-07
#[tokio::test(start_paused = true)]
async fn a_frame_of_ambiguous_direction_is_answered_without_an_id() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames = [
        "{}",
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"status","result":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"status","error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":["status"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":1,"result":1}"#,
    ];
    refused_as_invalid(&mut peer, &frames.map(|frame| (frame, Value::Null))).await;
}

/// EN-08, EN-09
#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_waits_for_is_ignored() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames = [
        r#"{"jsonrpc":"2.0","id":"zc-out-0","result":null}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":1}"#,
        r#"{"jsonrpc":"2.0","id":"zc-out-0","error":{"code":-32603,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"m","data":[]}}"#,
    ];
    ignored(&mut peer, &frames).await;
}

/// EN-10
#[tokio::test(start_paused = true)]
async fn a_well_formed_notification_is_not_answered_whatever_is_wrong_with_it() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames = [
        r#"{"jsonrpc":"2.0","method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","method":""}"#,
        r#"{"jsonrpc":"2.0","method":"session/new"}"#,
        r#"{"jsonrpc":"2.0","method":"session/new","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"session/close","params":{"sessionId":"none"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/list","params":{"limit":-1}}"#,
        r#"{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":2}}"#,
    ];
    ignored(&mut peer, &frames).await;
}

/// EN-11
#[tokio::test(start_paused = true)]
async fn a_repeated_member_of_the_envelope_is_refused_and_neither_value_acts() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames = [
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"status"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"status"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"status","method":"status"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"status","\u006dethod":"status"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"agentAlias":"echo"},"params":{"agentAlias":"echo"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/new","params":{},"params":{"agentAlias":"echo"}}"#,
    ];
    refused_as_invalid(&mut peer, &frames.map(|frame| (frame, Value::Null))).await;
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 0);
}

/// EN-11
#[tokio::test(start_paused = true)]
async fn a_repeated_parameter_is_refused_and_open_data_is_not_looked_into() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let new =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/new","params":{params}}}"#);
    peer.send(new(r#"{"agentAlias":"echo","agentAlias":"echo"}"#)).await;
    let (id, code, data) = peer.error().await;
    let expected = json!({"reason": "invalid_params", "path": "/agentAlias"});
    assert_eq!((id, code, data), (json!(1), -32602, expected));
    peer.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"env":{"A":1,"A":2,"a":{"x":1,"x":1}}}}"#,
    )
    .await;
    peer.result(1).await;
}

/// EN-11
#[tokio::test(start_paused = true)]
async fn names_have_their_case_and_unknown_members_of_the_envelope_do_not_count() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.send(r#"{"x":1,"x":2,"Method":"no","ID":5,"jsonrpc":"2.0","id":1,"method":"status","Params":7}"#)
        .await;
    peer.result(1).await;
    peer.send(r#"{"jsonrpc":"2.0","id":1,"Method":"status"}"#).await;
    assert_eq!(peer.error().await, (Value::Null, -32600, Value::Null));
    assert_eq!(peer.refused("Status", json!({})).await.0, -32601);
    assert_eq!(peer.refused("session/new", json!({"AgentAlias": "echo"})).await.0, -32602);
}

/// EN-12
#[tokio::test(start_paused = true)]
async fn checks_are_made_in_their_order() {
    let served = Served::new();
    let mut peer = served.connect();
    // The envelope before the handshake, the handshake before the method, the method before its parameters.
    peer.send(r#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":1}"#).await;
    assert_eq!(peer.error().await, (json!(1), -32600, Value::Null));
    assert_eq!(peer.refused("no/such", json!([1])).await.0, -32010);
    assert_eq!(peer.refused("session/new", json!([1])).await.0, -32010);
    peer.initialize().await;
    assert_eq!(peer.refused("no/such", json!([1])).await.0, -32601);
    assert_eq!(peer.refused("session/close", json!({"sessionId": 1})).await.0, -32602);
    assert_eq!(peer.refused("session/close", json!({"sessionId": "1"})).await.0, -32000);
}

/// EN-13
#[tokio::test(start_paused = true)]
async fn unknown_parameters_are_ignored() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let params = json!({"agentAlias": "echo", "sessionId": "s", "x": 1, "sessionID": "t"});
    assert_eq!(peer.call("session/new", params).await["sessionId"], "s");
}

/// EN-13
#[tokio::test(start_paused = true)]
async fn strict_parameters_refuse_what_the_spec_does_not_declare() {
    let served = Served::configured(Config { strict_params: true, ..Config::default() });
    let mut peer = served.initialized().await;
    let params = json!({"agentAlias": "echo", "na/me~": 1});
    let expected = json!({"reason": "unknown_member", "path": "/na~1me~0"});
    assert_eq!(peer.refused("session/new", params).await, (-32602, expected));
    assert_eq!(peer.call("status", json!({})).await["activeSessions"], 0);
    // SP-01: the other spelling is declared too, and open data is open.
    peer.call("session/new", json!({"agent_alias": "echo", "session_id": "s"})).await;
    peer.call("initialize", json!({"env": {"ANY": "thing"}})).await;
}

/// EN-14
#[tokio::test(start_paused = true)]
async fn a_parameter_that_does_not_fit_is_named_by_its_place() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for (method, params, path) in [
        ("session/new", r#"{}"#, "/agentAlias"),
        ("session/new", r#"{"agentAlias":null}"#, "/agentAlias"),
        ("session/new", r#"{"agentAlias":1}"#, "/agentAlias"),
        ("session/new", r#"{"agentAlias":"echo","chatMode":"loud"}"#, "/chatMode"),
        ("session/new", r#"{"agentAlias":"echo","keepSiblings":"yes"}"#, "/keepSiblings"),
        ("session/list", r#"{"limit":1.0}"#, "/limit"),
        ("session/list", r#"{"limit":1e1}"#, "/limit"),
        ("session/list", r#"{"limit":-1}"#, "/limit"),
        ("session/list", r#"{"limit":"1"}"#, "/limit"),
        ("session/list", r#"{"query":[]}"#, "/query"),
        ("session/prompt", r#"{"prompt":"x"}"#, "/sessionId"),
    ] {
        peer.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)).await;
        let expected = json!({"reason": "invalid_params", "path": path});
        assert_eq!(peer.error().await, (json!(1), -32602, expected), "{method} {params}");
    }
}
