//! JUnit's XML: a suite for each section of transcripts, a test for each case.

use crate::run::{CaseRecord, Summary, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;
use std::time::Duration;

/// The report, as one text.
pub fn junit(summary: &Summary) -> Result<String, quick_junit::SerializeError> {
    let mut sections: BTreeMap<&str, Vec<&CaseRecord>> = BTreeMap::new();
    for record in &summary.records {
        sections.entry(record.case.split('.').next().unwrap_or_default()).or_default().push(record);
    }
    let mut report = Report::new("zeroclaw-conformance");
    report.set_time(Duration::from_millis(summary.ms));
    for (section, records) in sections {
        let mut suite = TestSuite::new(section);
        suite.add_test_cases(records.into_iter().map(test));
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn test(record: &CaseRecord) -> TestCase {
    let status = match record.verdict {
        Verdict::Pass | Verdict::PermittedVariant => TestCaseStatus::success(),
        Verdict::Fail | Verdict::Stale | Verdict::Inconclusive => bad(record, NonSuccessKind::Failure),
        Verdict::HarnessFault => bad(record, NonSuccessKind::Error),
        Verdict::KnownFailure | Verdict::NotApplicable | Verdict::NotDeclared | Verdict::NotInThisRun => {
            let mut status = TestCaseStatus::skipped();
            let why = record.why.as_deref().unwrap_or_default();
            status.set_message(format!("{}: {why}", record.verdict.words()));
            status
        }
    };
    let mut test = TestCase::new(&record.case, status);
    test.set_classname(record.rules.join(" "));
    test.set_time(Duration::from_millis(record.ms));
    test
}

fn bad(record: &CaseRecord, kind: NonSuccessKind) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    match &record.failure {
        Some(failure) => {
            status.set_type(&failure.rule);
            status.set_message(&failure.what);
            let mut text = format!("{} line {}\n", record.path, failure.line);
            for (label, side) in [("expected", &failure.expected), ("got", &failure.got)] {
                if let Some(side) = side {
                    text.push_str(&format!("{label}: {side}\n"));
                }
            }
            status.set_description(text);
        }
        None => {
            status.set_message(format!(
                "{}: {}",
                record.verdict.words(),
                record.why.as_deref().unwrap_or_default()
            ));
        }
    }
    status
}
