//! `cover`: what no case is about, and what was never seen on the wire.

use super::Complaint;
use super::options::{EndpointOptions, RunOptions};
use super::run::carry_out;
use crate::spec::Spec;
use crate::transcript::Suite;
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

pub(super) fn cover(
    spec: Spec,
    suite: &Suite,
    endpoint: &EndpointOptions,
    run: RunOptions,
    no_run: bool,
) -> Result<u8, Complaint> {
    let mut out = anstream::stdout();
    let missing: Vec<_> = spec.rules.iter().filter(|rule| suite.cases_of(&rule.id).is_empty()).collect();
    writeln!(out, "rules without a case: {} of {}", missing.len(), spec.rules.len())?;
    for (id, title) in &spec.sections {
        let rules: Vec<_> =
            missing.iter().filter(|rule| rule.section == *id).map(|r| r.id.as_str()).collect();
        if !rules.is_empty() {
            writeln!(out, "  {title}: {}", rules.join(" "))?;
        }
    }
    if no_run {
        return Ok(0);
    }
    let spec = Arc::new(spec);
    let (_, summary) = carry_out(&spec, suite, endpoint, run.options(endpoint)?)?;
    let seen: BTreeSet<_> = summary.records.iter().flat_map(|record| record.seen.iter().cloned()).collect();
    let wanted = spec.branches();
    let unseen: Vec<_> = wanted.iter().filter(|branch| !seen.contains(*branch)).collect();
    writeln!(out, "never seen on the wire: {} of {}", unseen.len(), wanted.len())?;
    for branch in unseen {
        writeln!(out, "  {branch}")?;
    }
    Ok(0)
}
