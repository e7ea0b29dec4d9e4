//! The transcripts themselves, and what lint says of wrong ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::BTreeSet;
use zeroclaw_conformance::spec::Spec;
use zeroclaw_conformance::transcript::{Line, Suite};

fn findings(lines: &str) -> Vec<String> {
    let suite = Suite::from_texts([("t/case.ndjson", lines)]);
    suite.lint(&Spec::embedded().unwrap()).iter().map(ToString::to_string).collect()
}

const HEADER: &str = r#"{"case":"t.case","rules":["SE-13"],"about":"a test"}"#;

fn finding(step: &str) -> String {
    let found = findings(&format!("{HEADER}\n{step}"));
    assert_eq!(found.len(), 1, "{step}: {found:?}");
    found.into_iter().next().unwrap()
}

#[test]
fn our_transcripts_have_no_faults() {
    let suite = Suite::embedded();
    assert_eq!(suite.lint(&Spec::embedded().unwrap()), []);
    assert!(suite.transcripts.len() >= 80, "{} transcripts", suite.transcripts.len());
}

#[test]
fn every_line_of_our_transcripts_fits_their_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(Line)).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for transcript in Suite::embedded().transcripts {
        for line in
            std::iter::once(&transcript.header_json).chain(transcript.lines.iter().map(|(json, _)| json))
        {
            assert!(validator.is_valid(&line.into()), "{}: {line}", transcript.path);
        }
    }
    for wrong in [r#"{"case":"x"}"#, r#"{"send":{},"on":7}"#, r#"{"close":"a","half":"yes"}"#, "[]"] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn every_step_s_rule_is_one_that_its_case_or_another_is_about() {
    let suite = Suite::embedded();
    let about: BTreeSet<_> =
        suite.transcripts.iter().flat_map(|transcript| &transcript.header.rules).collect();
    for transcript in &suite.transcripts {
        for (_, step) in &transcript.lines {
            let rule = step.common.rule.as_ref();
            assert!(rule.is_none_or(|rule| about.contains(rule)), "{} line {}", transcript.path, step.line);
        }
    }
}

#[test]
fn a_finding_names_file_and_line() {
    assert_eq!(
        finding(r#"{"send":{"id":1,"method":"status"},"expect":{}}"#),
        "t/case.ndjson:2: a step has one verb, not both `send` and `expect`"
    );
}

#[test]
fn steps_that_are_no_steps_are_found() {
    assert!(finding(r#"{"do":1}"#).contains("a step has one verb of: open, close"));
    assert!(finding(r#"{"send":{"id":1,"method":"status"},"replay":{}}"#).contains("unknown field `replay`"));
    assert!(finding(r#"{"fence":[],"skip":[]}"#).contains("unknown field `skip` beside `fence`"));
    assert!(finding(r#"{"send":{"id":1}"#).contains("not JSON"));
    assert!(finding("[1]").contains("a line is a JSON object"));
    assert!(finding(r#"{"raw":"x","split":"words"}"#).contains("did not match"));
}

#[test]
fn names_that_lead_nowhere_are_found() {
    assert!(finding(r#"{"check":"$nobody","is":1}"#).contains("`$nobody` is bound nowhere"));
    assert!(finding(r#"{"raw":"x${nobody}"}"#).contains("`$nobody` is bound nowhere"));
    assert!(finding(r#"{"check":"$limit.no_such","is":1}"#).contains("`$limit.no_such` is bound nowhere"));
    assert!(finding(r#"{"raw":"x","drip":"no_such"}"#).contains("`no_such` is no limit"));
    assert!(finding(r#"{"expect":"eof","since":"nowhere"}"#).contains("no step is labelled `nowhere`"));
    assert!(finding(r#"{"on":"b","fence":[]}"#).contains("connection `b` is opened nowhere"));
    assert!(finding(r#"{"expect":"eof","rule":"XX-01"}"#).contains("`XX-01` is no rule"));
    assert!(finding(r#"{"send":{"id":1,"method":"no/such"}}"#).contains("`no/such` is no method"));
}

#[test]
fn patterns_that_cannot_hold_are_found() {
    assert!(finding(r#"{"expect":{"a":{"$like":1}}}"#).contains("`$like` is no operator"));
    assert!(finding(r#"{"expect":{"$bind":"x","a":1}}"#).contains("operators and members"));
    assert!(finding(r#"{"expect":{"a":{"$re":"("}}}"#).contains("`$re`"));
    assert!(finding(r#"{"expect":"end"}"#).contains("\"eof\", \"reset\" or \"lost\""));
}

#[test]
fn what_other_tools_would_read_differently_is_found() {
    assert!(finding(r#"{"check":1e3,"is":{"$any":true}}"#).contains("number 1e3"));
    assert!(finding(r#"{"check":9007199254740993,"is":{"$any":true}}"#).contains("beyond 2^53"));
    assert!(finding(r#"{"expect":{"a":1,"a":2}}"#).contains("`a` stands twice"));
}

#[test]
fn verbs_that_do_not_go_together_are_found() {
    assert!(
        finding(r#"{"send":[{"id":1,"method":"status"}],"reply":{}}"#)
            .contains("`reply` goes with one frame")
    );
    assert!(finding(r#"{"send":{"method":"status"},"reply":{}}"#).contains("a frame without id"));
    assert!(finding(r#"{"send":{"id":"fence-1","method":"status"}}"#).contains("the runner's own"));
    assert!(finding(r#"{"unordered":[[{"fence":[]}]]}"#).contains("a fence inside `unordered`"));
    assert!(finding(r#"{"unordered":[[{"unordered":[]}]]}"#).contains("`unordered` inside `unordered`"));
}

#[test]
fn headers_are_looked_at_too() {
    let header = |header: &str| findings(header).join("\n");
    assert!(
        header(r#"{"case":"t.other","rules":["SE-13"],"about":"x"}"#).contains("belongs in `t/other.ndjson`")
    );
    assert!(header(r#"{"case":"t.case","rules":[],"about":"x"}"#).contains("at least one rule"));
    assert!(header(r#"{"case":"t.case","rules":["SE-13"],"about":""}"#).contains("`about`"));
    assert!(header(r#"{"case":"t.case","rules":["SE-13"]}"#).contains("missing field `about`"));
    assert!(header("").contains("the file has no header"));
    let config = r#"{"case":"t.case","rules":["SE-13"],"about":"x","config":{"rpc.no_such":1}}"#;
    assert!(header(config).contains("`rpc.no_such` is no property"));
    let twin =
        r#"{"case":"t.case","rules":["SE-13"],"about":"x","twin":{"of":"t.none","edit":"x","patch":[]}}"#;
    assert!(header(twin).contains("`t.none`, which is no case"));
}
