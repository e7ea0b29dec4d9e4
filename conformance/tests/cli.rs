//! The command line: what it prints, and its exit status.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::process::{Command, Output};

fn runner(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zeroclaw-conformance")).args(arguments).output().unwrap()
}

/// Standard output of a command that succeeds.
fn said(arguments: &[&str]) -> String {
    let output = runner(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Exit status and standard error of one that does not.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = runner(arguments);
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn list_names_the_cases_that_are_chosen() {
    let list = said(&["list", "--rules", "SE-10"]);
    assert!(list.starts_with("cancel.from-elsewhere  SE-10 TU-04\n    another connection"), "{list}");
    assert!(!list.contains("framing."));
    assert!(said(&["list", "--only", "framing.not-json/bom"]).contains("framing.not-json/bom"));
}

#[test]
fn explain_shows_a_rule_with_its_cases_and_a_case_with_its_steps() {
    let rule = said(&["explain", "SE-10"]);
    assert!(rule.contains("`session/cancel {sessionId}`"), "{rule}");
    assert!(rule.contains("cancel.running"), "{rule}");
    assert!(said(&["explain", "EN-09"]).contains("no case is about it yet"));
    let case = said(&["explain", "limits.oversize"]);
    assert!(case.contains("a twin of limits.exact-size, whose step `big` is edited"), "{case}");
    let (status, what) = refused(&["explain", "nothing"]);
    assert_eq!(status, 2);
    assert!(what.contains("neither a rule nor a case"), "{what}");
}

#[test]
fn lint_finds_nothing_in_our_transcripts_and_says_what_is_wrong_in_others() {
    assert!(said(&["lint"]).ends_with(" 0 findings\n"));
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("x.ndjson"), "{\"case\":\"x\"}\n{\"send\":1}").unwrap();
    let output = runner(&["lint", "--transcripts", directory.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("x.ndjson:1: missing field `rules`"), "{text}");
}

#[test]
fn cover_without_a_run_names_the_rules_that_have_no_case() {
    let text = said(&["cover", "--no-run"]);
    assert!(text.starts_with("rules without a case: "), "{text}");
    assert!(text.contains("Durable ACP sessions: DU-01"), "{text}");
}

#[test]
fn schemas_are_printed() {
    for what in ["transcript", "report", "profile"] {
        let schema: serde_json::Value = serde_json::from_str(&said(&["schema", what])).unwrap();
        assert!(schema.get("$schema").is_some(), "{what}");
    }
}

#[test]
fn an_endpoint_that_is_not_there_is_told() {
    let (status, what) = refused(&["run", "--connect", "unix:/no/such/socket"]);
    assert_eq!(status, 4);
    assert!(what.contains("nothing serves unix:/no/such/socket"), "{what}");
    let (status, what) = refused(&["run", "--spawn", "echo no; exit 7", "--only", "cancel.none"]);
    assert_eq!(status, 4);
    assert!(what.contains("ended before it served"), "{what}");
}

#[test]
fn usage_and_suites_that_are_wrong_are_told() {
    assert_eq!(refused(&["run", "--connect", "somewhere"]).0, 2);
    assert_eq!(refused(&["run", "--spec", "/no/such/directory"]).0, 2);
    assert_eq!(refused(&["run", "--connect", "unix:/x", "--profile", "/no/such/file"]).0, 2);
    assert_eq!(refused(&["run", "--connect", "unix:/x", "--known", "/no/such/file"]).0, 2);
    assert_eq!(refused(&["run", "--connect", "unix:/x", "--fix"]).0, 2);
    assert_eq!(refused(&[]).0, 2);
}
