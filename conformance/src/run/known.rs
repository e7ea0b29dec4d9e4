//! Known failures: a list that says which cases fail by which rule, and that must stay true.

use super::{CaseRecord, Verdict};
use serde::{Deserialize, Serialize};

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    case: String,
    rule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// The known failures of an endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    entries: Vec<Entry>,
}

/// A line of the list that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {fault}; a known failure is {{\"case\":…,\"rule\":…}} with `why` if wanted")]
pub struct KnownFault {
    line: usize,
    fault: serde_json::Error,
}

impl Known {
    /// Reads the list: NDJSON, one entry a line.
    pub fn read(text: &str) -> Result<Self, KnownFault> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let entries = lines.map(|(index, line)| {
            serde_json::from_str(line).map_err(|fault| KnownFault { line: index + 1, fault })
        });
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// Marks what fails as known, and what is listed and does not fail so as stale.
    pub fn judge(&self, records: &mut [CaseRecord]) {
        for record in records.iter_mut() {
            let Some(entry) = self.entries.iter().find(|entry| entry.case == record.case) else { continue };
            match (record.verdict, &record.failure) {
                (Verdict::Fail, Some(failure)) if failure.rule == entry.rule => {
                    record.verdict = Verdict::KnownFailure
                }
                // It fails by another rule: that is news.
                (Verdict::Fail, _) => {}
                (verdict, _) if verdict.is_good() => {
                    record.verdict = Verdict::Stale;
                    record.why = Some(format!("listed as failing by {}, and passes", entry.rule));
                }
                _ => {}
            }
        }
    }

    /// The list as it is true after a run: reasons are kept, cases that were not run too.
    pub fn fixed(&self, records: &[CaseRecord]) -> String {
        let mut lines = String::new();
        let mut add = |entry: &Entry| {
            if let Ok(line) = serde_json::to_string(entry) {
                lines.push_str(&line);
                lines.push('\n');
            }
        };
        for entry in &self.entries {
            let record = records.iter().find(|record| record.case == entry.case);
            if record.is_some_and(|record| !record.verdict.was_run()) {
                add(entry);
            }
        }
        for record in records {
            let failing = matches!(record.verdict, Verdict::Fail | Verdict::KnownFailure);
            let Some(failure) = record.failure.as_ref().filter(|_| failing) else { continue };
            let known =
                self.entries.iter().find(|entry| entry.case == record.case && entry.rule == failure.rule);
            let why = known.and_then(|entry| entry.why.clone());
            add(&Entry { case: record.case.clone(), rule: failure.rule.clone(), why });
        }
        lines
    }
}
