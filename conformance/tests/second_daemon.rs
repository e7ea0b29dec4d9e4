//! The second daemon, in Python, written from the protocol's text alone: it is judged like ours, and each of its
//! deliberate faults is found by the rule that it breaks. Where there is no `python3` it is left out; CI has one.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Arc;
use zeroclaw_conformance::endpoint::{Profile, Target};
use zeroclaw_conformance::run::{Options, Summary, Verdict, run};
use zeroclaw_conformance::spec::Spec;
use zeroclaw_conformance::transcript::Suite;

/// A fault, the cases that meet it, and the rule that they must name.
const FAULTS: [(&str, &str, &str); 16] = [
    ("id", "envelope.id-echo", "EN-04"),
    ("double", "envelope.id-echo", "EN-04"),
    ("order", "turns.chunks", "OR-05"),
    ("twice", "turns.chunks", "OR-05"),
    ("spelling", "spelling.turn", "SP-02"),
    ("unequal", "spelling.unequal", "SP-01"),
    ("code", "handshake.unknown-first", "HS-01"),
    ("cancel", "cancel.running", "SE-10"),
    ("framing", "turns.chunks", "FR-03"),
    ("null-id", "framing.not-json", "FR-04"),
    ("answer", "envelope.notification", "EN-10"),
    ("depth", "framing.too-deep", "FR-04"),
    ("surrogate", "framing.not-json", "FR-04"),
    ("limit", "limits.oversize", "LI-01"),
    ("half-close", "order.half-close*", "OR-06"),
    ("refusal", "turns.refused*", "TU-05"),
];

/// Whether there is a Python to run it with. Building and testing ask for nothing but Rust and a C compiler.
fn python_is_there() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|said| said.status.success());
    assert!(there || std::env::var_os("CI").is_none(), "CI has to judge the second daemon: install python3");
    if !there {
        eprintln!("left out: there is no python3 to run the second daemon with");
    }
    there
}

async fn judged(fault: &str, only: &[&str]) -> Summary {
    let daemon = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tiny_daemon.py");
    let target = Target::Spawn(format!("python3 '{daemon}'"));
    let environment = BTreeMap::from([("TINY_FAULT".to_owned(), fault.to_owned())]);
    let options = Options {
        only: only.iter().map(|pattern| (*pattern).to_owned()).collect(),
        time_scale: if fault.is_empty() { 1.0 } else { 0.2 },
        profile: Profile { environment, ..Profile::default() },
        ..Options::default()
    };
    let spec = Arc::new(Spec::embedded().unwrap());
    run(spec, &Suite::embedded(), target, options, &mut |_| {}).await.unwrap()
}

fn failing(summary: &Summary) -> BTreeMap<&str, &str> {
    let bad = summary.records.iter().filter(|record| record.verdict == Verdict::Fail);
    bad.filter_map(|record| Some((record.case.as_str(), record.failure.as_ref()?.rule.as_str()))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_every_rule_that_it_declares() {
    if !python_is_there() {
        return;
    }
    let summary = judged("", &[]).await;
    assert_eq!(failing(&summary), BTreeMap::new());
    assert!(summary.conformant, "{:?}", summary.verdicts);
}

#[tokio::test(flavor = "multi_thread")]
async fn its_deliberate_faults_are_found_by_their_rules() {
    if !python_is_there() {
        return;
    }
    for (fault, only, rule) in FAULTS {
        let summary = judged(fault, &[only]).await;
        let rules: BTreeSet<_> = failing(&summary).into_values().collect();
        assert!(rules.contains(rule), "{fault} should break {rule}: {:?}", failing(&summary));
    }
}
