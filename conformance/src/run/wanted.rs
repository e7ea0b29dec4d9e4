//! What a step waits for, and whether a frame is it.

use super::frame::Frame;
use super::verdict::Stop;
use crate::json::Json;
use crate::transcript::{Expect, Send, Step};
use crate::value::{Mismatch, Scopes, Subject, SuiteFault, evaluate, match_pattern};
use std::collections::BTreeMap;

/// What is waited for on a connection.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) on: String,
    pub(super) rule: Option<String>,
    pub(super) line: usize,
    pub(super) what: What,
    pub(super) skip: Vec<Json>,
    variant: Vec<Json>,
    bytes: Option<Json>,
    pub(super) took: Option<String>,
    pub(super) since: Option<String>,
    join: BTreeMap<String, Json>,
    /// What is still to come of a joined text, once its first frame came.
    rest: Option<Vec<(String, String)>>,
}

/// A frame, or the end of the stream.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    Frame(Json),
    Eof,
    Reset,
    Lost,
}

impl What {
    fn of(expect: &Json) -> Self {
        match expect.as_str() {
            Some("eof") => Self::Eof,
            Some("reset") => Self::Reset,
            Some("lost") => Self::Lost,
            _ => Self::Frame(expect.clone()),
        }
    }
}

/// How a frame and what is waited for go together.
pub(super) enum Fit {
    /// It is it; the names are bound. True if only as a permitted variant.
    Taken { bound: Vec<(String, Json)>, is_variant: bool },
    /// It is a part of it; more must come.
    Part { bound: Vec<(String, Json)> },
    /// It is something else.
    Other(Mismatch),
}

impl Wanted {
    pub(super) fn expect(step: &Step, expect: &Expect) -> Self {
        Self {
            on: step.on(),
            rule: step.common.rule.clone(),
            line: step.line,
            what: What::of(&expect.expect),
            skip: expect.skip.clone(),
            variant: expect.variant.clone(),
            bytes: expect.bytes.clone(),
            took: expect.took.clone(),
            since: expect.since.clone(),
            join: expect.join.clone(),
            rest: None,
        }
    }

    /// The reply of a request: its id is filled in.
    pub(super) fn reply(step: &Step, send: &Send, frame: &Json) -> Option<Self> {
        let id = frame.get("id")?;
        let with_id = |pattern: &Json| match pattern {
            Json::Object(members) if pattern.get("id").is_none() => {
                let id = ("id".to_owned(), literal(id));
                Json::Object(std::iter::once(id).chain(members.iter().cloned()).collect())
            }
            pattern => pattern.clone(),
        };
        Some(Self {
            on: step.on(),
            rule: step.common.rule.clone(),
            line: step.line,
            what: What::Frame(with_id(send.reply.as_ref()?)),
            skip: send.skip.clone(),
            variant: send.variant.iter().map(with_id).collect(),
            bytes: send.bytes.clone(),
            took: send.took.clone(),
            since: send.since.clone(),
            join: BTreeMap::new(),
            rest: None,
        })
    }

    /// The reply of a fence, result or error.
    pub(super) fn fence(step: &Step, on: &str, id: &str) -> Self {
        let absent = Json::Object(vec![("$absent".to_owned(), Json::Bool(true))]);
        Self {
            on: on.to_owned(),
            rule: step.common.rule.clone(),
            line: step.line,
            what: What::Frame(Json::Object(vec![
                ("id".to_owned(), Json::text(id)),
                ("method".to_owned(), absent),
            ])),
            skip: Vec::new(),
            variant: Vec::new(),
            bytes: None,
            took: None,
            since: None,
            join: BTreeMap::new(),
            rest: None,
        }
    }

    /// Whether a frame is what is waited for.
    pub(super) fn fits(&self, frame: &Frame, exact: bool, scopes: &Scopes<'_>) -> Result<Fit, SuiteFault> {
        let What::Frame(pattern) = &self.what else {
            let expected = self.expected(scopes);
            return Ok(Fit::Other(Mismatch { pointer: String::new(), expected, got: "a frame".to_owned() }));
        };
        let value = if exact { &frame.wire } else { &frame.documented };
        let subject = Subject { value, source: Some(&frame.line), is_frame: true };
        let mut bound = match match_pattern(pattern, subject, scopes)? {
            Ok(bound) => bound,
            Err(mismatch) => {
                for variant in &self.variant {
                    if let Ok(bound) = match_pattern(variant, subject, scopes)? {
                        return Ok(Fit::Taken { bound, is_variant: true });
                    }
                }
                return Ok(Fit::Other(mismatch));
            }
        };
        if let Some(bytes) = &self.bytes {
            let line = Json::text(frame.line.as_str());
            let subject = Subject { value: &line, source: None, is_frame: false };
            match match_pattern(bytes, subject, scopes)? {
                Ok(more) => bound.extend(more),
                Err(mismatch) => return Ok(Fit::Other(mismatch)),
            }
        }
        if self.join.is_empty() {
            return Ok(Fit::Taken { bound, is_variant: false });
        }
        match self.joined(value, scopes)? {
            Ok(true) => Ok(Fit::Taken { bound: self.first_only(bound), is_variant: false }),
            Ok(false) => Ok(Fit::Part { bound: self.first_only(bound) }),
            Err(mismatch) => Ok(Fit::Other(mismatch)),
        }
    }

    /// The first frame of a joined text binds for all of them.
    fn first_only(&self, bound: Vec<(String, Json)>) -> Vec<(String, Json)> {
        if self.rest.is_none() { bound } else { Vec::new() }
    }

    /// Takes a part of a joined text into account.
    pub(super) fn advance(
        &mut self,
        frame: &Frame,
        exact: bool,
        scopes: &Scopes<'_>,
    ) -> Result<(), SuiteFault> {
        let value = if exact { &frame.wire } else { &frame.documented };
        let rest = self.rest(scopes)?.into_iter().map(|(pointer, text)| {
            let part = value.at(&pointer).and_then(Json::as_str).unwrap_or_default();
            let rest = text.strip_prefix(part).unwrap_or_default().to_owned();
            (pointer, rest)
        });
        self.rest = Some(rest.collect());
        Ok(())
    }

    fn rest(&self, scopes: &Scopes<'_>) -> Result<Vec<(String, String)>, SuiteFault> {
        if let Some(rest) = &self.rest {
            return Ok(rest.clone());
        }
        let texts = self.join.iter().map(|(pointer, text)| match evaluate(text, scopes)? {
            Json::String(text) => Ok((pointer.clone(), text)),
            other => Err(SuiteFault(format!("`join` joins texts, not {other}"))),
        });
        texts.collect()
    }

    /// Whether the texts are whole with this frame; where they differ if it cannot be a part of them.
    fn joined(&self, value: &Json, scopes: &Scopes<'_>) -> Result<Result<bool, Mismatch>, SuiteFault> {
        let mut whole = true;
        for (pointer, rest) in self.rest(scopes)? {
            let part = value.at(&pointer).and_then(Json::as_str);
            let after = part.and_then(|part| rest.strip_prefix(part));
            let fresh = self.rest.is_none() || !rest.is_empty();
            match after.filter(|_| fresh) {
                Some(after) => whole &= after.is_empty(),
                None => {
                    let expected = format!("a beginning of {}", Json::text(rest));
                    let got = value.at(&pointer).map_or_else(|| "nothing".to_owned(), Json::to_string);
                    return Ok(Err(Mismatch { pointer, expected, got }));
                }
            }
        }
        Ok(Ok(whole))
    }

    /// What is waited for, with its names replaced where they are known.
    pub(super) fn expected(&self, scopes: &Scopes<'_>) -> String {
        match &self.what {
            What::Eof => "\"eof\": a clean end of the stream".to_owned(),
            What::Reset => "\"reset\": the connection is reset".to_owned(),
            What::Lost => "\"lost\": the connection ends".to_owned(),
            What::Frame(pattern) => resolved(pattern, scopes).to_string(),
        }
    }

    /// The same branch of a transcript may stand there twice.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.on == other.on && self.what == other.what && self.join == other.join && self.bytes == other.bytes
    }
}

impl Step {
    /// The connection that a step is about.
    pub(super) fn on(&self) -> String {
        self.common.on.clone().unwrap_or_else(|| "a".to_owned())
    }
}

/// A pattern for a person: names replaced where they are known, operators as they are.
fn resolved(pattern: &Json, scopes: &Scopes<'_>) -> Json {
    match pattern {
        Json::String(_) => evaluate(pattern, scopes).unwrap_or_else(|_| pattern.clone()),
        Json::Array(elements) => {
            Json::Array(elements.iter().map(|element| resolved(element, scopes)).collect())
        }
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| match name.as_str() {
                "$bind" => (name.clone(), value.clone()),
                _ => (name.clone(), resolved(value, scopes)),
            });
            Json::Object(members.collect())
        }
        _ => pattern.clone(),
    }
}

/// A pattern that only this value matches.
fn literal(value: &Json) -> Json {
    match value {
        Json::String(text) => Json::String(text.replace('$', "$$")),
        value => value.clone(),
    }
}

impl Stop {
    pub(super) fn suite(line: usize) -> impl FnOnce(SuiteFault) -> Self {
        move |fault| Self::Suite { line, what: fault.0 }
    }
}
