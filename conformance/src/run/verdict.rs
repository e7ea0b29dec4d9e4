//! What can be said of a case after it ran, and what a failure shows.

use super::log::WireLine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is said of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It fails.
    Fail,
    /// The suite or the runner is at fault, not the endpoint.
    HarnessFault,
    /// It is listed as a known failure and does not fail.
    Stale,
    /// It fails, as is known.
    KnownFailure,
    /// The case it is a twin of does not pass, so it shows nothing.
    Inconclusive,
    /// It passes, by a behaviour the spec permits beside the usual one.
    PermittedVariant,
    /// It passes.
    Pass,
    /// The endpoint does not declare what it needs.
    NotDeclared,
    /// This command line cannot run it.
    NotInThisRun,
    /// The transport has no such thing.
    NotApplicable,
}

impl Verdict {
    /// Whether the case was carried out to its end and judged good.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Pass | Self::PermittedVariant)
    }

    /// Whether the case was carried out at all.
    pub fn was_run(self) -> bool {
        !matches!(self, Self::NotDeclared | Self::NotInThisRun | Self::NotApplicable)
    }

    /// For a person.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::PermittedVariant => "permitted variant",
            Self::Fail => "fail",
            Self::KnownFailure => "known failure",
            Self::Stale => "stale",
            Self::NotApplicable => "not applicable",
            Self::NotDeclared => "not declared",
            Self::NotInThisRun => "not in this run",
            Self::Inconclusive => "inconclusive",
            Self::HarnessFault => "harness fault",
        }
    }
}

/// What a failure shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The rule that is broken.
    pub rule: String,
    /// The line of the transcript.
    pub line: usize,
    /// What is wrong, in a sentence.
    pub what: String,
    /// What the step expects, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What came, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// Where the two differ: JSON pointer into what came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What went over the wire.
    pub wire: Vec<WireLine>,
}

/// Why a case stops before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The endpoint breaks a rule.
    Fail(Box<Failure>),
    /// The transcript cannot be carried out.
    Suite { line: usize, what: String },
    /// The runner cannot go on.
    Harness(String),
}
