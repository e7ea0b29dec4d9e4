//! A received frame, as it came and as the spec spells it, and what may be wrong with one before any pattern.

use crate::json::Json;

/// A frame that passed every check that needs no pattern.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// The line, without its LF.
    pub(super) line: String,
    /// As it came.
    pub(super) wire: Json,
    /// Its declared members in the documented spelling.
    pub(super) documented: Json,
}

/// A rule that a frame breaks whatever the case is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    pub(super) rule: String,
    pub(super) what: String,
}

pub(super) fn violation<T>(rule: &str, what: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { rule: rule.to_owned(), what: what.into() })
}
