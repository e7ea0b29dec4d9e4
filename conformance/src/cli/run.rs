//! `run` and `replay`: carry cases out and report.

use super::options::{EndpointOptions, ReportKind, ReportOptions, RunOptions};
use super::{Complaint, RUNNER_FAULT, bad_usage};
use crate::report;
use crate::run::{self, CaseRecord, Event, Options, Summary};
use crate::spec::Spec;
use crate::transcript::Suite;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

/// The endpoint never came up.
const NO_ENDPOINT: u8 = 4;

pub(super) fn run(
    spec: Spec,
    suite: &Suite,
    endpoint: &EndpointOptions,
    run: RunOptions,
    reports: &ReportOptions,
) -> Result<u8, Complaint> {
    let spec = Arc::new(spec);
    let (events, summary) = carry_out(&spec, suite, endpoint, run.options(endpoint)?)?;
    for kind in &reports.report {
        let text = rendered(*kind, &spec, &events, &summary)?;
        match &reports.out {
            Some(path) => {
                let plain = anstream::adapter::strip_str(&text).to_string();
                fs::write(path.with_extension(kind.extension()), plain)?;
            }
            None => anstream::stdout().write_all(text.as_bytes())?,
        }
    }
    if let (true, Some(path), Some(known)) = (run.fix, &run.known, run.options(endpoint)?.known) {
        fs::write(path, known.fixed(&summary.records))?;
    }
    Ok(summary.exit_status())
}

pub(super) fn replay(
    spec: Spec,
    suite: &Suite,
    case: &str,
    endpoint: &EndpointOptions,
    mut run: RunOptions,
) -> Result<u8, Complaint> {
    run.only.push(case.to_owned());
    let spec = Arc::new(spec);
    let (events, summary) = carry_out(&spec, suite, endpoint, run.options(endpoint)?)?;
    let mut out = anstream::stdout();
    for record in &summary.records {
        wire(record, &mut out)?;
    }
    if let Some(started) = events.first() {
        let text = report::text_of_cases(&spec, started, &summary, screen_width());
        out.write_all(text.as_bytes())?;
    }
    Ok(summary.exit_status())
}

/// All that went over the wire.
fn wire(record: &CaseRecord, out: &mut dyn Write) -> io::Result<()> {
    let strong = anstyle::Style::new().bold();
    writeln!(out, "{strong}{}{strong:#}: {}", record.case, record.verdict.words())?;
    for line in &record.wire {
        writeln!(out, "  {:>8.1} {} {} {}", line.at_ms, line.on, line.direction, line.text)?;
    }
    writeln!(out)?;
    Ok(())
}

/// Runs the cases, with a word on how far it is for whoever waits.
pub(super) fn carry_out(
    spec: &Arc<Spec>,
    suite: &Suite,
    endpoint: &EndpointOptions,
    options: Options,
) -> Result<(Vec<Event>, Summary), Complaint> {
    if !suite.faults.is_empty() {
        let faults: Vec<_> = suite.faults.iter().map(ToString::to_string).collect();
        return Err(bad_usage(format!("the transcripts cannot be run:\n{}", faults.join("\n"))));
    }
    let target = endpoint.target(spec)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let waited_for = io::stderr().is_terminal();
    let mut events = Vec::new();
    let mut on_event = |event: &Event| match event {
        Event::CaseEnded { done, of } => {
            if waited_for {
                eprint!("\r{done} of {of}{}", if done == of { "\r\x1b[K" } else { "" });
            }
        }
        event => events.push(event.clone()),
    };
    let outcome = runtime.block_on(run::run(Arc::clone(spec), suite, target, options, &mut on_event));
    let summary = outcome.map_err(|fault| Complaint { what: fault.to_string(), status: NO_ENDPOINT })?;
    if summary.records.is_empty() {
        return Err(bad_usage("no case matches; `list` names them"));
    }
    Ok((events, summary))
}

fn rendered(kind: ReportKind, spec: &Spec, events: &[Event], summary: &Summary) -> Result<String, Complaint> {
    match kind {
        ReportKind::Text => {
            let Some(started) = events.first() else { return Ok(String::new()) };
            Ok(report::text(spec, started, summary, screen_width()))
        }
        ReportKind::Json => {
            let mut out = Vec::new();
            events.iter().try_for_each(|event| report::json(event, &mut out))?;
            Ok(String::from_utf8_lossy(&out).into_owned())
        }
        ReportKind::Junit => report::junit(summary)
            .map_err(|fault| Complaint { what: fault.to_string(), status: RUNNER_FAULT }),
    }
}

/// What a terminal says of itself; a page's width elsewhere.
fn screen_width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(110)
}
