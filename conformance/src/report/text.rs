//! The report that a person reads: failures first, each with all that is needed to understand and repeat it; then
//! how every section stands; the sum at the end, where the eye is when the run is over.

use crate::json;
use crate::run::{CaseRecord, Event, Failure, RuleVerdict, Summary, Verdict, WireLine};
use crate::spec::Spec;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const DOUBTFUL: Style = AnsiColor::Yellow.on_default().bold();
const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Lines of the wire log that are shown around a failure.
const SHOWN_WIRE: usize = 14;

/// The report, with colours as ANSI sequences; `width` is the screen's.
pub fn text(spec: &Spec, started: &Event, summary: &Summary, width: usize) -> String {
    let mut report = begun(spec, started, summary, width);
    report.sections(summary);
    report.sum(summary);
    report.out
}

/// What is to be said of a few cases: no sections, no sum.
pub fn text_of_cases(spec: &Spec, started: &Event, summary: &Summary, width: usize) -> String {
    begun(spec, started, summary, width).out
}

fn begun<'a>(spec: &'a Spec, started: &'a Event, summary: &Summary, width: usize) -> Text<'a> {
    let mut report = Text { out: String::new(), spec, width: width.clamp(60, 160), options: "" };
    if let Event::RunStarted { endpoint, options, server_version, spec, seed, .. } = started {
        report.options = options;
        let version =
            server_version.as_ref().map(|version| format!(", version {version}")).unwrap_or_default();
        report.line(format_args!(
            "{STRONG}{endpoint}{STRONG:#}{version} {FAINT}· spec {spec} · seed {seed}{FAINT:#}"
        ));
    }
    for record in &summary.records {
        report.case(record);
    }
    report.not_judged(summary);
    report
}

struct Text<'a> {
    out: String,
    spec: &'a Spec,
    width: usize,
    options: &'a str,
}

impl Text<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a String does not fail.
        let _ = writeln!(self.out, "{line}");
    }

    fn paragraph(&mut self, indent: &str, text: &str) {
        for line in wrapped(text, self.width - indent.len()) {
            self.line(format_args!("{indent}{line}"));
        }
    }

    fn case(&mut self, record: &CaseRecord) {
        let (style, word) = match record.verdict {
            Verdict::Fail => (BAD, "FAIL"),
            Verdict::HarnessFault => (BAD, "HARNESS FAULT"),
            Verdict::Stale => (DOUBTFUL, "STALE"),
            Verdict::Inconclusive => (DOUBTFUL, "INCONCLUSIVE"),
            _ => return,
        };
        self.out.push('\n');
        let rule = record.failure.as_ref().map(|failure| format!("  {style}{}{style:#}", failure.rule));
        let rule = rule.unwrap_or_default();
        self.line(format_args!("{style}{word}{style:#}  {STRONG}{}{STRONG:#}{rule}", record.case));
        self.paragraph("  ", &record.about);
        if let Some(why) = &record.why {
            self.paragraph("  ", why);
        }
        if let (Some(failure), Verdict::Fail) = (&record.failure, record.verdict) {
            self.failure(record, failure);
        }
    }

    fn failure(&mut self, record: &CaseRecord, failure: &Failure) {
        let rule =
            self.spec.rule(&failure.rule).map_or("a rule that the spec does not have", |rule| &rule.text);
        self.out.push('\n');
        self.paragraph("  │ ", &format!("{} {rule}", failure.rule));
        self.out.push('\n');
        self.paragraph("  ", &format!("{} line {}: {}", record.path, failure.line, failure.what));
        self.sides(failure);
        self.wire(&failure.wire);
        let options = self.options;
        self.line(format_args!(
            "\n  {FAINT}again:{FAINT:#} zeroclaw-conformance replay {} {options}",
            record.case
        ));
    }

    /// What was expected and what came, side by side; an arrow shows where they differ.
    fn sides(&mut self, failure: &Failure) {
        let column = (self.width - 9) / 2;
        let lines = |side: &Option<String>| -> Vec<String> {
            let text = side.as_deref().unwrap_or("nothing");
            text.lines().flat_map(|line| laid_out(line, column)).collect()
        };
        let (expected, got) = (lines(&failure.expected), lines(&failure.got));
        let member =
            failure.pointer.as_deref().and_then(|pointer| pointer.rsplit('/').next()).unwrap_or_default();
        let member = format!("\"{member}\":");
        let differs = got.iter().position(|line| line.contains(&member));
        self.out.push('\n');
        self.line(format_args!("  {FAINT}{:<column$} │ got{FAINT:#}", "expected"));
        for index in 0..expected.len().max(got.len()) {
            let side = |lines: &Vec<String>| lines.get(index).cloned().unwrap_or_default();
            let (one, two) = (side(&expected), side(&got));
            let arrow = if differs == Some(index) { format!(" {BAD}◂{BAD:#}") } else { String::new() };
            let line = format!("  {one:<column$} {FAINT}│{FAINT:#} {two}{arrow}");
            self.line(format_args!("{}", line.trim_end()));
        }
    }

    fn wire(&mut self, wire: &[WireLine]) {
        let hidden = wire.len().saturating_sub(SHOWN_WIRE);
        let earlier = if hidden > 0 { format!(" ({hidden} lines before)") } else { String::new() };
        self.line(format_args!("\n  {FAINT}wire, ms{earlier}{FAINT:#}"));
        for line in &wire[hidden..] {
            let style = if line.direction == '<' { STRONG } else { Style::new() };
            let room = self.width.saturating_sub(16 + line.on.len());
            let shown = clipped(&line.text, room);
            let (at, on, direction) = (line.at_ms, &line.on, line.direction);
            self.line(format_args!("  {FAINT}{at:>8.1}{FAINT:#} {on} {style}{direction} {shown}{style:#}"));
        }
    }

    /// What was not run, by reason, so that nothing is left out in silence.
    fn not_judged(&mut self, summary: &Summary) {
        let kinds = [
            Verdict::KnownFailure,
            Verdict::PermittedVariant,
            Verdict::NotDeclared,
            Verdict::NotInThisRun,
            Verdict::NotApplicable,
        ];
        for verdict in kinds {
            let records: Vec<_> = summary.records.iter().filter(|record| record.verdict == verdict).collect();
            let Some(first) = records.first() else { continue };
            let names: Vec<_> = records.iter().map(|record| record.case.as_str()).collect();
            let why = first
                .why
                .as_ref()
                .filter(|why| records.iter().all(|record| record.why.as_ref() == Some(*why)));
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            self.out.push('\n');
            self.paragraph("", &format!("{}{why}: {}", verdict.words(), names.join(", ")));
        }
    }

    fn sections(&mut self, summary: &Summary) {
        self.line(format_args!("\n{FAINT}section{:42}rules  held  broken  untested{FAINT:#}", ""));
        for (id, title) in &self.spec.sections {
            let verdicts: Vec<_> = self.spec.rules.iter().filter(|rule| rule.section == *id).collect();
            let count =
                |wanted| verdicts.iter().filter(|rule| summary.rules.get(&rule.id) == Some(&wanted)).count();
            let (held, broken, untested) =
                (count(RuleVerdict::Held), count(RuleVerdict::Broken), count(RuleVerdict::Untested));
            let style = if broken > 0 {
                BAD
            } else if held > 0 {
                GOOD
            } else {
                FAINT
            };
            let dot = |number: usize| if number == 0 { "·".to_owned() } else { number.to_string() };
            self.line(format_args!(
                "{style}{id}{style:#}  {title:<45} {:>5} {:>5} {style}{:>7}{style:#} {:>9}",
                verdicts.len(),
                dot(held),
                dot(broken),
                dot(untested),
            ));
        }
    }

    fn sum(&mut self, summary: &Summary) {
        let (covered, rules) = summary.covered();
        let verdicts: Vec<_> =
            summary.verdicts.iter().map(|(verdict, count)| format!("{count} {}", verdict.words())).collect();
        let seconds = summary.ms as f64 / 1000.0;
        let (style, word) = if summary.conformant { (GOOD, "conformant") } else { (BAD, "not conformant") };
        self.line(format_args!(
            "\n{style}{word}{style:#}: {} cases: {}; rules covered {covered} of {rules}; {seconds:.1} s",
            summary.records.len(),
            verdicts.join(", "),
        ));
    }
}

/// A line of JSON on several lines; any other text broken where the column ends.
fn laid_out(line: &str, column: usize) -> Vec<String> {
    let pretty = json::read(line).map_or_else(|_| line.to_owned(), |json| json.pretty(column));
    pretty.lines().flat_map(|line| chopped(line, column)).collect()
}

fn chopped(line: &str, column: usize) -> Vec<String> {
    let letters: Vec<_> = line.chars().collect();
    if letters.is_empty() {
        return vec![String::new()];
    }
    letters.chunks(column.max(1)).map(|chunk| chunk.iter().collect()).collect()
}

fn clipped(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut clipped: String = text.chars().take(room.saturating_sub(1)).collect();
    clipped.push('…');
    clipped
}

/// A text broken between words.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
