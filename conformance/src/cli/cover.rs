//! `cover`: what no case and no tagged test is about, and what was never seen on the wire.

use super::options::{EndpointOptions, RunOptions};
use super::run::carry_out;
use super::{Complaint, bad_usage};
use crate::spec::Spec;
use crate::transcript::Suite;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What `cover` takes beside the endpoint and the run.
#[derive(Debug, clap::Args)]
pub(super) struct CoverOptions {
    /// Count the tests below this directory too: those whose doc comment is a line of rules, `/// EP-05, EP-16`
    #[arg(long, value_name = "DIR")]
    tests: Vec<PathBuf>,
    /// Only what the transcripts say, without running them
    #[arg(long)]
    no_run: bool,
}

pub(super) fn cover(
    spec: Spec,
    suite: &Suite,
    endpoint: &EndpointOptions,
    run: RunOptions,
    CoverOptions { tests, no_run }: CoverOptions,
) -> Result<u8, Complaint> {
    let mut out = anstream::stdout();
    let mut tested = BTreeSet::new();
    for directory in &tests {
        let unreadable = |error: io::Error| bad_usage(format!("{}: {error}", directory.display()));
        collect_tags(directory, &mut tested).map_err(unreadable)?;
    }
    let covered = |id: &str| !suite.cases_of(id).is_empty() || tested.contains(id);
    let missing: Vec<_> = spec.rules.iter().filter(|rule| !covered(&rule.id)).collect();
    let what = if tests.is_empty() { "a case" } else { "a case or a test" };
    writeln!(out, "rules without {what}: {} of {}", missing.len(), spec.rules.len())?;
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

/// The rules that Rust tests below a directory are tagged with. Some rules show only to whoever starts processes.
fn collect_tags(directory: &Path, tags: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_tags(&path, tags)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            tags.extend(text.lines().filter_map(tag_line).flatten().map(str::to_owned));
        }
    }
    Ok(())
}

/// The rules of a doc comment that holds nothing else.
fn tag_line(line: &str) -> Option<Vec<&str>> {
    let rules: Vec<_> = line.trim().strip_prefix("/// ")?.split(", ").collect();
    rules.iter().all(|rule| is_rule(rule)).then_some(rules)
}

fn is_rule(text: &str) -> bool {
    let Some((section, number)) = text.split_once('-') else { return false };
    let all = |text: &str, is: fn(&u8) -> bool| text.len() == 2 && text.bytes().all(|byte| is(&byte));
    all(section, u8::is_ascii_uppercase) && all(number, u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::tag_line;

    #[test]
    fn only_a_line_of_rules_is_a_tag() {
        assert_eq!(tag_line("    /// EP-05, EP-16"), Some(vec!["EP-05", "EP-16"]));
        for line in ["/// EP-05: why", "/// As EP-05 says", "// EP-05", "/// EP-5", "/// ep-05", "///"] {
            assert_eq!(tag_line(line), None, "{line}");
        }
    }
}
