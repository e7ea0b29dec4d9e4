//! What is wrong with a value, told without showing it (FR-06).

use std::borrow::Cow;
use std::fmt;

/// Which of the two ways parameters can be unfit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultReason {
    /// EN-14: missing, of the wrong type, out of range, or given twice.
    InvalidParams,
    /// EN-13: a member the spec does not declare, under strict parameters.
    UnknownMember,
}

impl FaultReason {
    /// The word that stands in an error's `data.reason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidParams => "invalid_params",
            Self::UnknownMember => "unknown_member",
        }
    }
}

/// A value that does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which kind of misfit it is.
    pub reason: FaultReason,
    /// JSON pointer to the place, in the sender's own spelling (SP-04).
    pub path: String,
    /// What was expected there, for a person.
    pub message: Cow<'static, str>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

impl std::error::Error for Fault {}
