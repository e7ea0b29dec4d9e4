//! Endpoints that know nothing of the protocol pass nothing.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::sync::Arc;
use tokio::net::UnixListener;
use zeroclaw_conformance::endpoint::Target;
use zeroclaw_conformance::mutate::{Null, serve};
use zeroclaw_conformance::run::{Options, Summary, run};
use zeroclaw_conformance::spec::Spec;
use zeroclaw_conformance::transcript::Suite;

async fn judged(kind: Null) -> Summary {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("null.sock");
    let serving = tokio::spawn(serve(UnixListener::bind(&socket).unwrap(), kind));
    let spec = Arc::new(Spec::embedded().unwrap());
    let options = Options { time_scale: 0.02, jobs: 32, ..Options::default() };
    let summary = run(spec, &Suite::embedded(), Target::Unix(socket), options, &mut |_| {}).await.unwrap();
    serving.abort();
    summary
}

#[tokio::test(flavor = "multi_thread")]
async fn null_endpoints_pass_nothing() {
    for kind in Null::ALL {
        let summary = judged(kind).await;
        let passed: Vec<_> = summary.records.iter().filter(|record| record.verdict.is_good()).collect();
        let names: Vec<_> = passed.iter().map(|record| record.case.as_str()).collect();
        assert_eq!(names, Vec::<&str>::new(), "{kind:?} passes");
        assert_eq!(summary.exit_status(), 1, "{kind:?}: {:?}", summary.verdicts);
    }
}
