//! The run as a stream of events, of which every report is a projection.

use super::case::Ended;
use super::log::WireLine;
use super::verdict::{Failure, Stop, Verdict};
use super::{Declared, Options};
use crate::endpoint::Target;
use crate::spec::{Spec, Spelling};
use crate::transcript::Script;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Something that happened in a run.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Event {
    /// The endpoint can be reached; the cases begin.
    RunStarted {
        /// The endpoint, as a person names it.
        endpoint: String,
        /// The options that name it again.
        options: String,
        /// Its version, if it told it.
        #[serde(skip_serializing_if = "Option::is_none")]
        server_version: Option<String>,
        /// The spec: its name, version, and digest.
        spec: String,
        /// What the order of the cases is shuffled by.
        seed: u64,
        /// How many cases there are.
        cases: usize,
    },
    /// A case has run; what is said of it is not final before all have.
    CaseEnded {
        /// How many have run.
        done: usize,
        /// How many will.
        of: usize,
    },
    /// What is said of a case.
    CaseFinished(Box<CaseRecord>),
    /// What is said of the endpoint.
    RunFinished(Box<Summary>),
}

impl Event {
    pub(super) fn run_started(
        spec: &Spec,
        target: &Target,
        declared: &Declared,
        options: &Options,
        cases: usize,
    ) -> Self {
        let mut again = target.as_options();
        if options.spelling == Spelling::Snake {
            again.push_str(" --spelling snake");
        }
        Self::RunStarted {
            endpoint: target.to_string(),
            options: again,
            server_version: declared.version.clone(),
            spec: format!("{} {:.12}", spec.title, spec.digest),
            seed: options.seed,
            cases,
        }
    }
}

/// What is said of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaseRecord {
    /// The case's name.
    pub case: String,
    /// The file it comes from.
    pub path: String,
    /// The rules it holds the endpoint to.
    pub rules: Vec<String>,
    /// What it shows.
    pub about: String,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why it was not run, or not judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What is wrong, if it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The case it is a twin of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin_of: Option<String>,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What went over the wire.
    #[serde(skip)]
    pub wire: Vec<WireLine>,
    /// The branches of the spec that were seen.
    #[serde(skip)]
    pub seen: BTreeSet<String>,
    /// Whether a fault is the suite's, not the runner's.
    #[serde(skip)]
    pub(crate) suite_fault: bool,
}

impl CaseRecord {
    pub(super) fn of(script: &Script) -> Self {
        Self {
            case: script.id.clone(),
            path: script.path.clone(),
            rules: script.header.rules.clone(),
            about: script.header.about.clone(),
            verdict: Verdict::HarnessFault,
            why: None,
            failure: None,
            twin_of: script.twin_of.clone(),
            ms: 0,
            wire: Vec::new(),
            seen: BTreeSet::new(),
            suite_fault: false,
        }
    }

    pub(super) fn not_run(script: &Script, verdict: Verdict, why: String) -> Self {
        Self { verdict, why: Some(why), ..Self::of(script) }
    }

    pub(super) fn crashed(why: String) -> Self {
        Self {
            case: "(a case)".to_owned(),
            path: String::new(),
            rules: Vec::new(),
            about: String::new(),
            verdict: Verdict::HarnessFault,
            why: Some(why),
            failure: None,
            twin_of: None,
            ms: 0,
            wire: Vec::new(),
            seen: BTreeSet::new(),
            suite_fault: false,
        }
    }

    pub(super) fn conclude(&mut self, ended: Ended) {
        self.wire = ended.wire;
        self.seen = ended.seen;
        match ended.outcome {
            Ok(is_variant) => {
                self.verdict = if is_variant { Verdict::PermittedVariant } else { Verdict::Pass }
            }
            Err(Stop::Fail(failure)) => {
                self.verdict = Verdict::Fail;
                self.failure = Some(*failure);
            }
            Err(Stop::Suite { line, what }) => {
                self.why = Some(format!("{}:{line}: {what}", self.path));
                self.suite_fault = true;
            }
            Err(Stop::Harness(what)) => self.why = Some(what),
        }
    }
}

/// What is said of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleVerdict {
    /// Some case shows it broken.
    Broken,
    /// Some case held the endpoint to it, and none shows it broken.
    Held,
    /// No case that was run is about it.
    Untested,
}

/// What is said of the endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Whether nothing that was run is wrong, and something was run.
    pub conformant: bool,
    /// How many cases got which verdict.
    pub verdicts: BTreeMap<Verdict, usize>,
    /// What is said of every rule of the spec.
    pub rules: BTreeMap<String, RuleVerdict>,
    /// How long the run took, in milliseconds.
    pub ms: u64,
    /// The cases, by name.
    #[serde(skip)]
    pub records: Vec<CaseRecord>,
}

impl Summary {
    /// What the records say.
    pub fn of(spec: &Spec, records: Vec<CaseRecord>, took: Duration) -> Self {
        let mut rules: BTreeMap<_, _> =
            spec.rules.iter().map(|rule| (rule.id.clone(), RuleVerdict::Untested)).collect();
        for record in records.iter().filter(|record| record.verdict.is_good()) {
            for rule in &record.rules {
                rules.insert(rule.clone(), RuleVerdict::Held);
            }
        }
        for record in &records {
            let broken = matches!(record.verdict, Verdict::Fail | Verdict::KnownFailure);
            if let Some(failure) = record.failure.as_ref().filter(|_| broken) {
                rules.insert(failure.rule.clone(), RuleVerdict::Broken);
            }
        }
        let mut verdicts = BTreeMap::new();
        for record in &records {
            *verdicts.entry(record.verdict).or_default() += 1;
        }
        let bad = [Verdict::Fail, Verdict::HarnessFault, Verdict::Stale, Verdict::Inconclusive];
        let conformant = records.iter().any(|record| record.verdict.is_good())
            && !bad.iter().any(|verdict| verdicts.contains_key(verdict));
        Self { conformant, verdicts, rules, ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX), records }
    }

    /// How many rules a case was run for, and how many there are.
    pub fn covered(&self) -> (usize, usize) {
        let tested = self.rules.values().filter(|verdict| **verdict != RuleVerdict::Untested).count();
        (tested, self.rules.len())
    }

    /// How many cases got a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.verdicts.get(&verdict).copied().unwrap_or_default()
    }

    /// The exit status: 0 conformant, 1 not, 2 a bad suite, 3 a fault of the runner, 5 stale known failures.
    pub fn exit_status(&self) -> u8 {
        if self.records.iter().any(|record| record.suite_fault) {
            2
        } else if self.count(Verdict::HarnessFault) > 0 {
            3
        } else if self.count(Verdict::Fail) + self.count(Verdict::Inconclusive) > 0 {
            1
        } else if self.count(Verdict::Stale) > 0 {
            5
        } else {
            u8::from(!self.conformant && self.count(Verdict::KnownFailure) == 0)
        }
    }
}
