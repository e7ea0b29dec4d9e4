//! The text of a transcript to its header and steps; every fault names its line.

use super::{Branch, Common, Fence, Header, Repeat, Step, Unordered, Verb};
use crate::json::{self, Json};
use serde::de::DeserializeOwned;

/// A transcript as written, before `each` and twins are worked out.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    /// The file, relative to the transcripts' root.
    pub path: String,
    /// The first line.
    pub header: Header,
    /// The header's text, for what must see the numbers as written.
    pub header_json: Json,
    /// The other lines, as written and as read.
    pub lines: Vec<(Json, Step)>,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}:{line}: {what}")]
pub struct TranscriptFault {
    /// The file.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong, and if known what to do.
    pub what: String,
}

/// Reads a verb's members; the line is for the steps inside.
type ReadVerb = fn(Json, usize) -> Result<Verb, String>;

/// The members that tell what a step does, with how each is read.
const VERBS: [(&str, ReadVerb); 11] = [
    ("open", |json, _| typed(&json).map(Verb::Open)),
    ("close", |json, _| typed(&json).map(Verb::Close)),
    ("read", |json, _| typed(&json).map(Verb::Read)),
    ("daemon", |json, _| typed(&json).map(Verb::Daemon)),
    ("send", |json, _| typed(&json).map(Verb::Send)),
    ("raw", |json, _| typed(&json).map(Verb::Raw)),
    ("expect", |json, _| typed(&json).map(Verb::Expect)),
    ("fence", |json, line| fence(json, line).map(Verb::Fence)),
    ("unordered", |json, line| unordered(json, line).map(Verb::Unordered)),
    ("repeat", |json, line| repeat(json, line).map(Verb::Repeat)),
    ("check", |json, _| typed(&json).map(Verb::Check)),
];

/// Reads a whole transcript; all faulty lines are reported at once.
pub fn parse(path: &str, text: &str) -> Result<Transcript, Vec<TranscriptFault>> {
    let mut faults = Vec::new();
    let mut header = None;
    let mut lines = Vec::new();
    for (index, text) in text.lines().enumerate() {
        let line = index + 1;
        let outcome = read_line(text).and_then(|json| {
            if line == 1 {
                header = Some((typed::<Header>(&json)?, json));
            } else {
                lines.push((json.clone(), step(json, line)?));
            }
            Ok(())
        });
        if let Err(what) = outcome {
            faults.push(TranscriptFault { path: path.to_owned(), line, what });
        }
    }
    match header {
        Some((header, header_json)) if faults.is_empty() => {
            Ok(Transcript { path: path.to_owned(), header, header_json, lines })
        }
        None if faults.is_empty() => Err(vec![TranscriptFault {
            path: path.to_owned(),
            line: 1,
            what: "the file has no header".into(),
        }]),
        _ => Err(faults),
    }
}

fn read_line(text: &str) -> Result<Json, String> {
    let json = json::read(text).map_err(|fault| format!("not JSON: {fault}"))?;
    if json.is_type("object") { Ok(json) } else { Err("a line is a JSON object".into()) }
}

fn typed<T: DeserializeOwned>(json: &Json) -> Result<T, String> {
    serde_json::from_value(json.into()).map_err(|fault| fault.to_string())
}

/// Reads one step.
pub(super) fn step(json: Json, line: usize) -> Result<Step, String> {
    let Json::Object(members) = json else {
        return Err("a step is a JSON object".into());
    };
    let (common, rest): (Vec<_>, Vec<_>) =
        members.into_iter().partition(|(name, _)| matches!(name.as_str(), "on" | "rule" | "step" | "note"));
    let common: Common = typed(&Json::Object(common))?;
    let verbs: Vec<_> = VERBS.iter().filter(|(verb, _)| rest.iter().any(|(name, _)| name == verb)).collect();
    match verbs[..] {
        [(_, read)] => Ok(Step { common, verb: read(Json::Object(rest), line)?, line }),
        [] => {
            let verbs: Vec<_> = VERBS.iter().map(|(verb, _)| *verb).collect();
            Err(format!("a step has one verb of: {}", verbs.join(", ")))
        }
        [(one, _), (two, _), ..] => Err(format!("a step has one verb, not both `{one}` and `{two}`")),
    }
}

fn steps(json: Json, line: usize) -> Result<Vec<Step>, String> {
    match json {
        Json::Array(elements) => elements.into_iter().map(|element| step(element, line)).collect(),
        _ => Err("steps are an array".into()),
    }
}

/// Takes the members apart that contain steps, which serde does not read.
fn take<const N: usize>(json: Json, verb: &str, names: [&str; N]) -> Result<[Option<Json>; N], String> {
    let Json::Object(members) = json else { return Err(format!("`{verb}` is a JSON object")) };
    let mut taken = [const { None }; N];
    for (name, value) in members {
        match names.iter().position(|known| *known == name) {
            Some(at) => taken[at] = Some(value),
            None => return Err(format!("unknown field `{name}` beside `{verb}`, expected one of {names:?}")),
        }
    }
    Ok(taken)
}

fn fence(json: Json, line: usize) -> Result<Fence, String> {
    let [inner] = take(json, "fence", ["fence"])?;
    Ok(Fence { fence: steps(inner.unwrap_or(Json::Null), line)? })
}

fn unordered(json: Json, line: usize) -> Result<Unordered, String> {
    let [branches, skip] = take(json, "unordered", ["unordered", "skip"])?;
    let Some(Json::Array(branches)) = branches else {
        return Err("`unordered` is an array of branches".into());
    };
    let branches = branches.into_iter().map(|branch| match branch {
        Json::Array(_) => steps(branch, line).map(Branch::Steps),
        _ => repeat(branch, line).map(Branch::Rounds),
    });
    let skip = match skip {
        None => Vec::new(),
        Some(Json::Array(patterns)) => patterns,
        Some(_) => return Err("`skip` is an array of patterns".into()),
    };
    Ok(Unordered { unordered: branches.collect::<Result<_, _>>()?, skip })
}

fn repeat(json: Json, line: usize) -> Result<Repeat, String> {
    let [name, from, to, inner] = take(json, "repeat", ["repeat", "from", "to", "steps"])?;
    let (Some(Json::String(repeat)), Some(to), Some(inner)) = (name, to, inner) else {
        return Err("`repeat` names its number and has `to` and `steps`".into());
    };
    Ok(Repeat { repeat, from, to, steps: steps(inner, line)? })
}
