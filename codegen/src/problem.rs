//! What can be wrong with a spec: where it is, what is wrong, and what to do about it.
//! Every stage collects problems and goes on, so that one run shows all of them.

use std::fmt;
use std::sync::Arc;

/// A place in a spec file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, relative to the spec directory, with `/` between its parts.
    pub file: Arc<str>,
    /// The JSON pointer (RFC 6901) inside it; empty for the whole file.
    pub pointer: String,
}

impl Place {
    /// The whole of a file.
    pub fn file(file: &str) -> Self {
        Self { file: file.into(), pointer: String::new() }
    }

    /// The place one step further down.
    pub fn child(&self, step: impl fmt::Display) -> Self {
        let step = step.to_string().replace('~', "~0").replace('/', "~1");
        Self { file: self.file.clone(), pointer: format!("{}/{step}", self.pointer) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => out.write_str(&self.file),
            pointer => write!(out, "{}#{pointer}", self.file),
        }
    }
}

/// A value together with the place it was read from.
#[derive(Debug, Clone)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

/// One thing that is wrong with a spec.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What is wrong, as a sentence without a full stop.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}; {}", self.place, self.what, self.remedy)
    }
}

/// The problems found so far.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Notes a problem.
    pub fn add(&mut self, place: &Place, what: impl Into<String>, remedy: impl Into<String>) {
        self.0.push(Problem { place: place.clone(), what: what.into(), remedy: remedy.into() });
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The problems, in the order of their places, each once.
    pub fn sorted(&self) -> Vec<Problem> {
        let mut problems = self.0.clone();
        problems.sort();
        problems.dedup();
        problems
    }

    /// `value` if nothing is wrong, else the problems.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Problems> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in self.sorted() {
            writeln!(out, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// `a`, `b` and `c`, each in backticks.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        None => "none".into(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
