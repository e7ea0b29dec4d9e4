//! What is said of cases together: twins, what is declared, known failures, what the command line chooses.

use super::endpoint::{Answers, STATUS, judged, reply};
use super::{id, usual};
use std::collections::BTreeMap;
use zeroclaw_conformance::run::{Known, Options, Summary, Verdict};

const POSITIVE: (&str, &str) = (
    "t/good.ndjson",
    r#"{"case":"t.good","rules":["SE-13"],"about":"status answers"}
{"step":"ask","send":{"id":1,"method":"status"},"reply":{"result":{"activeSessions":0}}}"#,
);
const TWIN: (&str, &str) = (
    "t/wrong.ndjson",
    r#"{"case":"t.wrong","rules":["SE-11"],"about":"a state is no status","twin":{"of":"t.good","edit":"ask","patch":[{"op":"replace","path":"/send","value":{"id":1,"method":"session/state","params":{"sessionId":"s"}}}]}}
{"expect":{"id":1,"result":{"state":"idle"}}}"#,
);
const UNDECLARED: (&str, &str) = (
    "t/list.ndjson",
    r#"{"case":"t.list","rules":["SE-12"],"about":"a list"}
{"send":{"id":1,"method":"session/list"},"reply":{"result":{}}}"#,
);

fn options() -> Options {
    Options { time_scale: 0.2, ..Options::default() }
}

fn verdicts(summary: &Summary) -> BTreeMap<&str, Verdict> {
    summary.records.iter().map(|record| (record.case.as_str(), record.verdict)).collect()
}

/// Every status has seven sessions.
const BUSY: Answers = |method, frame| match method {
    "status" => vec![reply(id(frame), &STATUS.replace("\"activeSessions\":0", "\"activeSessions\":7"))],
    _ => Vec::new(),
};

#[tokio::test]
async fn a_twin_shows_nothing_when_its_positive_case_fails() {
    let summary = judged(&[POSITIVE, TWIN], usual, options()).await;
    assert_eq!(verdicts(&summary), BTreeMap::from([("t.good", Verdict::Pass), ("t.wrong", Verdict::Pass)]));
    assert!(summary.conformant);
    let summary = judged(&[POSITIVE, TWIN], BUSY, options()).await;
    assert_eq!(
        verdicts(&summary),
        BTreeMap::from([("t.good", Verdict::Fail), ("t.wrong", Verdict::Inconclusive)])
    );
}

#[tokio::test]
async fn a_twin_brings_its_positive_case_along() {
    let summary =
        judged(&[POSITIVE, TWIN], usual, Options { only: vec!["t.wrong".into()], ..options() }).await;
    assert_eq!(summary.records.len(), 2);
    let summary =
        judged(&[POSITIVE, TWIN], usual, Options { skip: vec!["*wrong".into()], ..options() }).await;
    assert_eq!(summary.records.len(), 1);
    let summary =
        judged(&[POSITIVE, UNDECLARED], usual, Options { rules: vec!["SE-*".into()], ..options() }).await;
    assert_eq!(summary.records.len(), 2);
}

#[tokio::test]
async fn what_is_not_declared_is_not_run() {
    let summary = judged(&[POSITIVE, UNDECLARED], usual, options()).await;
    assert_eq!(verdicts(&summary)["t.list"], Verdict::NotDeclared);
    assert_eq!(summary.exit_status(), 0);
    let summary = judged(&[UNDECLARED], usual, options()).await;
    assert_eq!(summary.exit_status(), 1, "nothing run is never 0");
}

#[tokio::test]
async fn what_needs_a_daemon_of_its_own_is_not_run_on_a_running_one() {
    let fresh = POSITIVE.1.replace("\"about\"", "\"needs\":[\"fresh\"],\"about\"");
    let configured = POSITIVE.1.replace("\"about\"", "\"config\":{\"rpc.frame_timeout_ms\":300},\"about\"");
    let met = POSITIVE.1.replace("\"about\"", "\"config\":{\"rpc.frame_timeout_ms\":30000},\"about\"");
    for (text, verdict) in
        [(fresh, Verdict::NotInThisRun), (configured, Verdict::NotInThisRun), (met, Verdict::Pass)]
    {
        let summary = judged(&[("t/good.ndjson", &text)], usual, options()).await;
        assert_eq!(verdicts(&summary)["t.good"], verdict, "{text}");
    }
}

#[tokio::test]
async fn each_makes_a_case_of_each_value() {
    let text = r#"{"case":"t.each","rules":["EN-04"],"about":"ids","each":{"one":1,"two":"2"}}
{"send":{"id":"$each","method":"status"},"reply":{"id":"$each","result":{}}}"#;
    let summary = judged(&[("t/each.ndjson", text)], usual, options()).await;
    assert_eq!(
        verdicts(&summary),
        BTreeMap::from([("t.each/one", Verdict::Pass), ("t.each/two", Verdict::Pass)])
    );
}

#[tokio::test]
async fn known_failures_are_matched_by_case_and_rule() {
    let known = |text: &str| Options { known: Some(Known::read(text).unwrap()), ..options() };
    let list = r#"{"case":"t.good","rule":"SE-13","why":"it counts wrongly"}"#;
    let summary = judged(&[POSITIVE], BUSY, known(list)).await;
    assert_eq!((verdicts(&summary)["t.good"], summary.exit_status()), (Verdict::KnownFailure, 0));
    let other_rule = list.replace("SE-13", "SE-11");
    let summary = judged(&[POSITIVE], BUSY, known(&other_rule)).await;
    assert_eq!((verdicts(&summary)["t.good"], summary.exit_status()), (Verdict::Fail, 1));
    let summary = judged(&[POSITIVE], usual, known(list)).await;
    assert_eq!((verdicts(&summary)["t.good"], summary.exit_status()), (Verdict::Stale, 5));
}

#[tokio::test]
async fn the_list_of_known_failures_is_put_right() {
    let known = Known::read(
        r#"{"case":"t.good","rule":"SE-11","why":"old"}
{"case":"t.list","rule":"SE-12","why":"kept: it was not run"}"#,
    )
    .unwrap();
    let summary = judged(&[POSITIVE, UNDECLARED], BUSY, options()).await;
    let fixed = known.fixed(&summary.records);
    let wanted = "{\"case\":\"t.list\",\"rule\":\"SE-12\",\"why\":\"kept: it was not run\"}\n\
                  {\"case\":\"t.good\",\"rule\":\"SE-13\"}\n";
    assert_eq!(fixed, wanted);
    assert!(Known::read("{\"case\":1}").is_err());
}
