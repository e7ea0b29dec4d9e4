//! `explain`: a rule with its text and cases, or a case with its steps.

use super::{Complaint, bad_usage};
use crate::report::wrapped;
use crate::spec::{Rule, Spec};
use crate::transcript::{Suite, Transcript};
use std::io::Write;

pub(super) fn explain(spec: &Spec, suite: &Suite, name: &str) -> Result<u8, Complaint> {
    if let Some(rule) = spec.rule(name) {
        return explain_rule(spec, suite, rule);
    }
    let case = name.split('/').next().unwrap_or(name);
    match suite.transcripts.iter().find(|transcript| transcript.header.case == case) {
        Some(transcript) => explain_case(spec, transcript),
        None => Err(bad_usage(format!("`{name}` is neither a rule nor a case; `list` names the cases"))),
    }
}

fn explain_rule(spec: &Spec, suite: &Suite, rule: &Rule) -> Result<u8, Complaint> {
    let mut out = anstream::stdout();
    let strong = anstyle::Style::new().bold();
    let title = spec.sections.iter().find(|(id, _)| *id == rule.section).map_or("", |(_, title)| title);
    writeln!(out, "{strong}{}{strong:#}  {title}\n", rule.id)?;
    for line in wrapped(&rule.text, 96) {
        writeln!(out, "  {line}")?;
    }
    let methods: Vec<_> = spec
        .methods
        .values()
        .filter(|method| method.rules.contains(&rule.id))
        .map(|m| m.name.as_str())
        .collect();
    if !methods.is_empty() {
        writeln!(out, "\nmethods: {}", methods.join(", "))?;
    }
    let cases = suite.cases_of(&rule.id);
    writeln!(out, "\n{}", if cases.is_empty() { "no case is about it yet" } else { "cases:" })?;
    for transcript in cases {
        writeln!(out, "  {strong}{}{strong:#}  {}", transcript.header.case, transcript.header.about)?;
    }
    Ok(0)
}

fn explain_case(spec: &Spec, transcript: &Transcript) -> Result<u8, Complaint> {
    let mut out = anstream::stdout();
    let strong = anstyle::Style::new().bold();
    let faint = anstyle::Style::new().dimmed();
    let header = &transcript.header;
    writeln!(out, "{strong}{}{strong:#}  {}\n", header.case, header.about)?;
    for rule in header.rules.iter().filter_map(|id| spec.rule(id)) {
        for (index, line) in wrapped(&rule.text, 90).iter().enumerate() {
            writeln!(out, "  {strong}{:<6}{strong:#}{line}", if index == 0 { rule.id.as_str() } else { "" })?;
        }
    }
    if let Some(twin) = &header.twin {
        writeln!(out, "\na twin of {strong}{}{strong:#}, whose step `{}` is edited", twin.of, twin.edit)?;
    }
    for label in header.each.keys() {
        writeln!(out, "  {faint}{}/{label}{faint:#}", header.case)?;
    }
    writeln!(out, "\n{faint}transcripts/{}{faint:#}", transcript.path)?;
    for (json, step) in &transcript.lines {
        writeln!(out, "  {faint}{:>3}{faint:#} {json}", step.line)?;
    }
    Ok(0)
}
