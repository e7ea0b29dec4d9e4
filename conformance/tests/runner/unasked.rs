//! The checks that every received frame meets, whatever the case is about.

use super::endpoint::{Answers, error, reply, update};
use super::{PROMPT, fails, id, turn};
use zeroclaw_conformance::json::Json;

/// The rule by which a case fails that asks for the state of a session.
async fn broken(answers: Answers) -> String {
    let steps = r#"{"send":{"id":1,"method":"session/state","params":{"sessionId":"s"}}}
{"expect":{"id":1}}
{"fence":[]}"#;
    fails(steps, answers).await.0
}

macro_rules! state {
    (|$frame:ident| $lines:expr) => {
        |method: &str, $frame: &Json| if method == "session/state" { $lines } else { Vec::new() }
    };
}

const IDLE: &str = r#"{"sessionId":"s","state":"idle"}"#;

#[tokio::test]
async fn framing_is_checked() {
    assert_eq!(broken(state!(|frame| vec![format!("{}\r", reply(id(frame), IDLE))])).await, "FR-03");
    assert_eq!(broken(state!(|frame| vec![String::new(), reply(id(frame), IDLE)])).await, "FR-03");
    assert_eq!(broken(state!(|frame| vec![format!("[{}]", reply(id(frame), IDLE))])).await, "FR-03");
    assert_eq!(broken(state!(|frame| vec![format!("{} x", reply(id(frame), IDLE))])).await, "FR-03");
    assert_eq!(broken(state!(|frame| vec![reply(id(frame), IDLE).replace("idle", "i\tdle")])).await, "FR-03");
}

#[tokio::test]
async fn the_envelope_is_checked() {
    assert_eq!(broken(state!(|frame| vec![reply(id(frame), IDLE).replace("2.0", "2")])).await, "EN-01");
    assert_eq!(
        broken(state!(|frame| vec![reply(id(frame), IDLE).replace('}', r#","x":1,"x":2}"#)])).await,
        "EN-11"
    );
    assert_eq!(
        broken(state!(|frame| vec![reply(id(frame), "1").replace("1}", r#"1,"error":{}}"#)])).await,
        "OR-01"
    );
    assert_eq!(broken(state!(|_frame| vec![r#"{"jsonrpc":"2.0","result":{}}"#.to_owned()])).await, "OR-01");
}

#[tokio::test]
async fn ids_are_checked() {
    assert_eq!(broken(state!(|_frame| vec![reply(&Json::text("1"), IDLE)])).await, "EN-04");
    assert_eq!(broken(state!(|_frame| vec![reply(&Json::integer(2), IDLE)])).await, "EN-04");
    assert_eq!(broken(state!(|_frame| vec![reply(&Json::Number("1.0".into()), IDLE)])).await, "EN-04");
    assert_eq!(broken(state!(|frame| vec![reply(id(frame), IDLE), reply(id(frame), IDLE)])).await, "OR-01");
    let notified = r#"{"send":{"method":"session/state","params":{"sessionId":"s"}}}
{"fence":[]}"#;
    let (rule, ..) = fails(notified, state!(|_frame| vec![reply(&Json::Null, IDLE)])).await;
    assert_eq!(rule, "EN-10");
    let (rule, ..) = fails(notified, state!(|_frame| vec![error(&Json::Null, -32600)])).await;
    assert_eq!(rule, "EN-10");
}

#[tokio::test]
async fn results_and_errors_are_held_to_the_spec() {
    assert_eq!(broken(state!(|frame| vec![reply(id(frame), r#"{"sessionId":"s"}"#)])).await, "SE-11");
    assert_eq!(
        broken(state!(|frame| vec![reply(id(frame), r#"{"sessionId":"s","state":"busy"}"#)])).await,
        "SE-11"
    );
    assert_eq!(
        broken(state!(|frame| vec![reply(id(frame), r#"{"session_id":"s","state":"idle"}"#)])).await,
        "SP-02"
    );
    assert_eq!(broken(state!(|frame| vec![error(id(frame), -32002)])).await, "ER-02");
    assert_eq!(broken(state!(|frame| vec![error(id(frame), -1)])).await, "ER-02");
    assert_eq!(
        broken(state!(|frame| vec![error(id(frame), 1).replace("\"message\"", "\"text\"")])).await,
        "ER-01"
    );
    assert_eq!(
        broken(state!(|frame| vec![
            error(id(frame), -32602).replace("\"no\"", r#""no","data":{"path":"/x"}"#)
        ]))
        .await,
        "ER-01"
    );
}

#[tokio::test]
async fn what_the_daemon_sends_by_itself_must_be_in_the_spec() {
    let unknown: Answers = state!(|_frame| vec![r#"{"jsonrpc":"2.0","method":"session/gossip"}"#.to_owned()]);
    assert_eq!(broken(unknown).await, "OR-09");
    let clients: Answers = state!(|_frame| vec![r#"{"jsonrpc":"2.0","method":"status"}"#.to_owned()]);
    assert_eq!(broken(clients).await, "OR-09");
    let asking: Answers =
        state!(|_frame| vec![r#"{"jsonrpc":"2.0","id":1,"method":"session/update"}"#.to_owned()]);
    assert_eq!(broken(asking).await, "OR-09");
    let incomplete: Answers = state!(|_frame| vec![update("s", r#""type":"agent_message_chunk""#)]);
    assert_eq!(broken(incomplete).await, "TU-03");
}

#[tokio::test]
async fn updates_belong_to_an_open_turn() {
    let unprompted: Answers =
        state!(|_frame| vec![update("s", r#""type":"agent_message_chunk","text":"x""#)]);
    assert_eq!(broken(unprompted).await, "TU-04");
    let late: Answers = |method, frame| {
        let mut lines = turn(method, frame);
        if method == "session/prompt" {
            lines.push(update("s", r#""type":"agent_message_chunk","text":"late""#));
        }
        lines
    };
    let steps = format!("{PROMPT}\n{}", r#"{"expect":{"id":1},"skip":[{"method":"session/update"}]}"#);
    assert_eq!(fails(&steps, late).await.0, "OR-05");
    let early: Answers = |method, frame| {
        let mut lines = turn(method, frame);
        let last = lines.len();
        if last > 1 {
            lines.swap(last - 2, last - 1);
        }
        lines
    };
    assert_eq!(fails(&steps, early).await.0, "OR-05");
}
