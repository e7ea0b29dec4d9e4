//! Our daemon behind a proxy: what breaks a rule is caught by a case that names it, what the protocol permits is not.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use zeroclaw_conformance::endpoint::{Daemon, Profile, Target};
use zeroclaw_conformance::mutate::{Change, Mutant, Proxy, Variation};
use zeroclaw_conformance::run::{Options, Summary, Verdict, run};
use zeroclaw_conformance::spec::Spec;
use zeroclaw_conformance::transcript::Suite;

/// The daemon's executable, built by the same cargo into the same directory.
fn daemon() -> &'static PathBuf {
    static DAEMON: OnceLock<PathBuf> = OnceLock::new();
    DAEMON.get_or_init(|| {
        let runner = PathBuf::from(env!("CARGO_BIN_EXE_zeroclaw-conformance"));
        let profile = runner.parent().unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", "zeroclaw", "--bin", "zeroclaw", "--target-dir"]);
        cargo.arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success(), "the daemon does not build");
        profile.join("zeroclaw")
    })
}

/// Runs the suite against the daemon with a proxy before it. Gives back how often the proxy acted, too.
async fn judged(change: Change) -> (Summary, u64) {
    let command = format!("{} daemon", daemon().display());
    let target = Target::Spawn(command);
    let mut daemon = Daemon::start(&target, &Profile::default(), &BTreeMap::new()).await.unwrap();
    let socket = daemon.directory().join("proxy.sock");
    let proxy = Proxy::start(&socket, &daemon.socket(), change).unwrap();
    let spec = Arc::new(Spec::embedded().unwrap());
    // A mutant makes cases wait for what does not come; what only tests sizes shows nothing more of it.
    let is_mutant = matches!(change, Change::Mutant(_));
    let skip = if is_mutant { vec!["limits.*".to_owned(), "framing.*".to_owned()] } else { Vec::new() };
    let time_scale = if is_mutant { 0.1 } else { 1.0 };
    let options = Options { time_scale, skip, jobs: 16, seed: 1, ..Options::default() };
    let summary = run(spec, &Suite::embedded(), Target::Unix(socket), options, &mut |_| {}).await.unwrap();
    daemon.stop().await;
    (summary, proxy.acted())
}

fn failing(summary: &Summary) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut rules = BTreeMap::<_, BTreeSet<_>>::new();
    for record in &summary.records {
        if let (Verdict::Fail, Some(failure)) = (record.verdict, &record.failure) {
            rules.entry(failure.rule.as_str()).or_default().insert(record.case.as_str());
        }
    }
    rules
}

#[tokio::test(flavor = "multi_thread")]
async fn every_mutant_is_caught_by_the_rule_it_breaks() {
    for mutant in Mutant::ALL {
        let (summary, acted) = judged(Change::Mutant(mutant)).await;
        assert!(acted > 0, "{mutant:?} never acted");
        let failing = failing(&summary);
        assert!(
            failing.contains_key(mutant.rule()),
            "{mutant:?} should break {}: {failing:#?}",
            mutant.rule()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_protocol_permits_stays_green() {
    for variation in Variation::ALL {
        let (summary, acted) = judged(Change::Variation(variation)).await;
        assert_eq!(acted > 0, variation != Variation::None, "{variation:?}");
        let failing = failing(&summary);
        assert!(failing.is_empty(), "{variation:?}: {failing:#?}");
        assert!(summary.conformant, "{variation:?}: {:?}", summary.verdicts);
    }
}
