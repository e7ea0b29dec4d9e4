//! The reports on fixed runs: a green one and a bad one. A change of their looks is reviewed like code.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::path::Path;
use std::time::Duration;
use zeroclaw_conformance::report;
use zeroclaw_conformance::run::{CaseRecord, Event, Summary};
use zeroclaw_conformance::spec::Spec;

fn record(json: serde_json::Value) -> CaseRecord {
    serde_json::from_value(json).unwrap()
}

fn passing(case: &str, rules: &[&str]) -> CaseRecord {
    record(serde_json::json!({
        "case": case, "path": format!("{}.ndjson", case.replace('.', "/")), "rules": rules,
        "about": "what it shows", "verdict": "pass", "ms": 12,
    }))
}

fn green() -> Vec<CaseRecord> {
    vec![passing("cancel.running", &["SE-10", "OR-05"]), passing("framing.split", &["FR-02", "FR-01"])]
}

fn bad() -> Vec<CaseRecord> {
    let mut records = green();
    records.push(record(serde_json::json!({
        "case": "cancel.none", "path": "cancel/none.ndjson", "rules": ["SE-10"],
        "about": "nothing to cancel is no error", "verdict": "fail", "ms": 3,
        "failure": {
            "rule": "SE-10", "line": 3, "what": "at /result/cancelled: expected false, got true",
            "expected": "{\"id\":2,\"result\":{\"sessionId\":\"s1\",\"cancelled\":false}}",
            "got": "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"sessionId\":\"s1\",\"cancelled\":true}}",
            "pointer": "/result/cancelled",
            "wire": [
                { "atMs": 0.1, "on": "a", "direction": "*", "text": "opened" },
                { "atMs": 0.4, "on": "a", "direction": ">", "text": "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"s1\"}}" },
                { "atMs": 0.9, "on": "a", "direction": "<", "text": "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"sessionId\":\"s1\",\"cancelled\":true}}" },
            ],
        },
    })));
    for (case, verdict, why) in [
        ("turns.usage", "not-in-this-run", "the runner's model server does not speak yet"),
        ("files.attach", "not-declared", "`file/attach` is not in `capabilities`"),
        ("turns.refused", "inconclusive", "`turns.accepted`, of which it is a twin, does not pass"),
        ("limits.idle", "stale", "listed as failing by OR-05, and passes"),
        ("limits.wrong", "harness-fault", "limits/wrong.ndjson:4: `$sid` is not bound yet"),
    ] {
        let mut record = passing(case, &["OR-05"]);
        record.verdict = serde_json::from_value(verdict.into()).unwrap();
        record.why = Some(why.to_owned());
        records.push(record);
    }
    records.sort_by(|one, two| one.case.cmp(&two.case));
    records
}

fn events(records: Vec<CaseRecord>) -> (Spec, Vec<Event>, Summary) {
    // A spec of its own: what the rules are changes, how a run looks does not.
    let spec = Spec::from_directory(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spec"))).unwrap();
    let summary = Summary::of(&spec, records, Duration::from_millis(1234));
    let started = Event::RunStarted {
        endpoint: "unix:/run/daemon.sock".into(),
        options: "--connect unix:/run/daemon.sock".into(),
        server_version: Some("0.1.0".into()),
        spec: "zeroclaw 1 0123456789ab".into(),
        seed: 7,
        cases: summary.records.len(),
    };
    let finished = summary.records.iter().map(|record| Event::CaseFinished(Box::new(record.clone())));
    let mut events: Vec<_> = std::iter::once(started).chain(finished).collect();
    events.push(Event::RunFinished(Box::new(summary.clone())));
    (spec, events, summary)
}

fn text(records: Vec<CaseRecord>) -> String {
    let (spec, events, summary) = events(records);
    anstream::adapter::strip_str(&report::text(&spec, &events[0], &summary, 100)).to_string()
}

fn json(records: Vec<CaseRecord>) -> String {
    let (_, events, _) = events(records);
    let mut out = Vec::new();
    events.iter().for_each(|event| report::json(event, &mut out).unwrap());
    String::from_utf8(out).unwrap()
}

#[test]
fn a_green_run_is_short() {
    insta::assert_snapshot!("text_green", text(green()));
}

#[test]
fn a_bad_run_shows_failures_first() {
    insta::assert_snapshot!("text_bad", text(bad()));
}

#[test]
fn the_json_report_is_the_run_as_it_was() {
    insta::assert_snapshot!("json_green", json(green()));
    insta::assert_snapshot!("json_bad", json(bad()));
}

#[test]
fn the_junit_report_has_a_suite_for_each_section() {
    for (name, records) in [("junit_green", green()), ("junit_bad", bad())] {
        let (_, _, summary) = events(records);
        insta::assert_snapshot!(name, report::junit(&summary).unwrap());
    }
}

#[test]
fn the_exit_status_tells_what_is_wrong() {
    let status = |records| events(records).2.exit_status();
    assert_eq!(status(green()), 0);
    assert_eq!(status(bad()), 3, "a fault of the runner is told before a failure of the endpoint");
    let only = |verdict: &str| {
        let mut records = bad();
        records.retain(|record| serde_json::to_value(record.verdict).unwrap() == verdict);
        status(records)
    };
    assert_eq!(only("fail"), 1);
    assert_eq!(only("inconclusive"), 1);
    assert_eq!(only("stale"), 5);
    assert_eq!(only("not-declared"), 1, "nothing run is never 0");
}
