//! Requests of ours: their numbers, their answers, and every way of not getting one.
#![cfg(feature = "peer")]

use zeroclaw_spec::wire::pending::Refused;
use zeroclaw_spec::wire::{Answer, Message, Pending};

/// Lets a response with this id text and outcome arrive.
fn arrive(pending: &Pending, id: &str, outcome: &str) -> bool {
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},{outcome}}}"#);
    match Message::parse(&text) {
        Ok(Message::Response { id, outcome }) => pending.resolve(&id, outcome),
        other => panic!("{other:?}"),
    }
}

/// OR-01, OR-02
#[tokio::test]
async fn each_answer_reaches_the_one_who_asked() {
    let pending = Pending::new();
    let (first, first_answer) = pending.register();
    let (second, second_answer) = pending.register();
    assert_eq!((first.to_string(), second.to_string()), ("zc-out-0".to_owned(), "zc-out-1".to_owned()));
    assert!(arrive(&pending, r#""zc-out-1""#, r#""error":{"code":-32601,"message":"no","data":[1]}"#));
    assert!(arrive(&pending, r#""zc-out-0""#, r#""result":null"#));
    assert_eq!(first_answer.await, Ok(Answer::Result("null".into())));
    let expected = Answer::Error { code: -32601, message: "no".into(), data: Some("[1]".into()) };
    assert_eq!(second_answer.await, Ok(expected));
    assert!(pending.is_empty());
}

/// EN-08, OR-03
#[tokio::test]
async fn an_answer_that_nobody_waits_for_is_ignored() {
    let pending = Pending::new();
    let (_, answer) = pending.register();
    for id in [
        "null",
        "0",
        "\"\"",
        "\"0\"",
        "\"zc-out-\"",
        "\"zc-out-1\"",
        "\"zc-out-00\"",
        "\"zc-out-+0\"",
        "\"ZC-OUT-0\"",
    ] {
        assert!(!arrive(&pending, id, r#""result":1"#), "{id}");
    }
    assert!(!arrive(&pending, "\"zc-out-99999999999999999999999\"", r#""result":1"#));
    assert!(arrive(&pending, r#""zc-out-0""#, r#""result":2"#));
    assert!(!arrive(&pending, r#""zc-out-0""#, r#""result":3"#), "only the first counts");
    assert_eq!(answer.await, Ok(Answer::Result("2".into())));
}

#[tokio::test]
async fn an_id_is_recognised_however_it_is_escaped() {
    let pending = Pending::new();
    let (_, answer) = pending.register();
    assert!(arrive(&pending, r#""\u007ac-out\u002D\u0030""#, r#""result":1"#));
    assert_eq!(answer.await, Ok(Answer::Result("1".into())));
}

/// OR-02, OR-03
#[tokio::test]
async fn who_stops_waiting_is_forgotten_and_the_number_is_not_used_again() {
    let pending = Pending::new();
    let (_, waiter) = pending.register();
    drop(waiter);
    assert_eq!(pending.len(), 0);
    assert!(!arrive(&pending, r#""zc-out-0""#, r#""result":1"#));
    assert_eq!(pending.register().0.to_string(), "zc-out-1");
}

/// OR-06
#[tokio::test]
async fn closing_refuses_who_waits_and_who_comes_later() {
    let pending = Pending::new();
    let (_, before) = pending.register();
    pending.clone().close();
    let (id, after) = pending.register();
    assert_eq!(before.await, Err(Refused));
    assert_eq!(after.await, Err(Refused));
    assert_eq!(id.to_string(), "zc-out-1");
    assert!(!arrive(&pending, r#""zc-out-0""#, r#""result":1"#));
}

#[tokio::test]
async fn an_answer_given_before_closing_is_kept() {
    let pending = Pending::new();
    let (_, waiter) = pending.register();
    assert!(arrive(&pending, r#""zc-out-0""#, r#""result":1"#));
    pending.close();
    assert_eq!(waiter.await, Ok(Answer::Result("1".into())));
}
