//! The envelope: what a frame is, by section 3, from validated text and without copying it.
//! Whether its method exists, its parameters fit or its id is known is not decided here.
//!
//! Only the members `jsonrpc`, `id`, `method`, `params`, `result` and `error` count, by their names after
//! unescaping; all others are ignored, repeated or not (EN-11). The first row that fits decides:
//!
//! | the frame | becomes | rule |
//! |---|---|---|
//! | is no object | answer, id null | EN-01 |
//! | no `method`, `result` or `error`: | | |
//! | … a known member is repeated | ignore | EN-11, EN-06 |
//! | … `result` and `error`; `params`; `jsonrpc` not `"2.0"`; `id` missing or no string, number, null | ignore | EN-06 |
//! | … `error` no object with an integer `code` and a string `message`, or one of its members repeated | ignore | EN-06 |
//! | … else | response | EN-08, EN-09 |
//! | a known member is repeated | answer, id null | EN-11 |
//! | `method` with `result` or `error`; `method` no string; none of the three | answer, id null | EN-07 |
//! | `jsonrpc` not `"2.0"`, or `params` neither object nor array; `id` valid | answer, with its id | EN-05 |
//! | the same, `id` missing (a malformed notification) | answer, id null | EN-05, EN-10 |
//! | `id` neither string, number nor null | answer, id null | EN-05 |
//! | an `id` | request | EN-02 |
//! | no `id` | notification | EN-02 |
//!
//! An `id` that is null is an id. An array of parameters passes: that only `[]` is good is the
//! dispatch's to say, with another code (EN-03).

use std::borrow::Cow;
use std::fmt;

use super::text::{Members, unescape};

/// A request id in the text it came in (EN-04): a JSON string, number or null.
///
/// Equality is that of the text: `1` is not `"1"`, and `1e3` is not `1000`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Id<'a>(Cow<'a, str>);

impl<'a> Id<'a> {
    /// The id of an answer to a frame whose own id cannot be used.
    pub const NULL: Id<'static> = Id(Cow::Borrowed("null"));

    /// The id that a value's text stands for; `None` for what cannot be one: boolean, object, array.
    fn of(text: &'a str) -> Option<Self> {
        matches!(text.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9' | b'n'))
            .then_some(Self(Cow::Borrowed(text)))
    }

    /// Its JSON text, to be echoed as it is.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.0 == "null"
    }

    /// What it means if it is a string: `"a"` and `"\u0061"` are written differently and mean the same.
    pub fn string(&self) -> Option<Cow<'_, str>> {
        self.0.starts_with('"').then(|| unescape(&self.0))
    }

    /// The same id, for keeping longer than the frame.
    pub fn into_owned(self) -> Id<'static> {
        Id(Cow::Owned(self.0.into_owned()))
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A well-formed frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<'a> {
    /// Wants an answer with its id.
    Request {
        /// To be echoed exactly.
        id: Id<'a>,
        /// Not yet known to exist.
        method: Cow<'a, str>,
        /// The text of an object or an array.
        params: Option<&'a str>,
    },
    /// Is never answered.
    Notification {
        /// Not yet known to exist.
        method: Cow<'a, str>,
        /// The text of an object or an array.
        params: Option<&'a str>,
    },
    /// Answers a request of ours, if its id is that of one (EN-08).
    Response {
        /// Whose answer it is.
        id: Id<'a>,
        /// Success or failure.
        outcome: Outcome<'a>,
    },
}

/// What a response says.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<'a> {
    /// The result's text; `null` is a success like any other (EN-09).
    Result(&'a str),
    /// The request failed.
    Error(ErrorObject<'a>),
}

/// The error object of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorObject<'a> {
    /// The stable code.
    pub code: i64,
    /// For people only (ER-01).
    pub message: Cow<'a, str>,
    /// The text of `data`, whatever it is.
    pub data: Option<&'a str>,
}

/// A frame that is JSON and no message.
#[derive(Debug, Clone, PartialEq)]
pub enum Malformed<'a> {
    /// To be answered with -32600.
    Answer {
        /// The id to answer with: the frame's own where EN-05 says so, else null.
        id: Id<'a>,
        /// What is wrong, without a word of the frame (FR-06).
        reason: &'static str,
        /// The method and the parameters where EN-05 applies and so the frame names one for certain:
        /// a malformed `session/prompt` is a refused one (TU-05). The parameters may be any value.
        call: Option<(Cow<'a, str>, Option<&'a str>)>,
    },
    /// Response-shaped: logged by length only and dropped (EN-06).
    Ignore {
        /// What is wrong, without a word of the frame.
        reason: &'static str,
    },
}

impl<'a> Message<'a> {
    /// Reads the envelope of a frame that [`validate`](super::validate()) has accepted. On any other text the
    /// answer means nothing, but there is one.
    ///
    /// # Errors
    /// [`Malformed`] says what is to be done with a frame that is no message.
    pub fn parse(text: &'a str) -> Result<Self, Malformed<'a>> {
        let Some(members) = Members::of(text) else {
            return Err(answer_null("a frame is one JSON object"));
        };
        let frame = Frame::collect(members);
        if frame.method.is_none() && (frame.result.is_some() || frame.error.is_some()) {
            frame.response().map_err(|reason| Malformed::Ignore { reason })
        } else {
            frame.call()
        }
    }
}

fn answer_null(reason: &'static str) -> Malformed<'static> {
    Malformed::Answer { id: Id::NULL, reason, call: None }
}

/// The members that count, as text.
#[derive(Default)]
struct Frame<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    repeated: bool,
}

impl<'a> Frame<'a> {
    fn collect(members: Members<'a>) -> Self {
        let mut frame = Self::default();
        for (name, value) in members {
            let member = match &*unescape(name) {
                "jsonrpc" => &mut frame.jsonrpc,
                "id" => &mut frame.id,
                "method" => &mut frame.method,
                "params" => &mut frame.params,
                "result" => &mut frame.result,
                "error" => &mut frame.error,
                _ => continue,
            };
            frame.repeated |= member.replace(value).is_some();
        }
        frame
    }

    fn is_version_2(&self) -> bool {
        self.jsonrpc.and_then(string).is_some_and(|version| version == "2.0")
    }

    /// A request or a notification.
    fn call(self) -> Result<Message<'a>, Malformed<'a>> {
        if self.repeated {
            return Err(answer_null("a member of the envelope is repeated"));
        }
        if self.result.is_some() || self.error.is_some() {
            return Err(answer_null("a request has neither result nor error"));
        }
        let Some(method) = self.method.and_then(string) else {
            return Err(answer_null("a request has a method, and it is a string"));
        };
        // From here on the frame is request-shaped, and EN-05 gives it its own id back.
        let id = self.id.map(Id::of);
        let reason = if id == Some(None) {
            "an id is a string, a number or null"
        } else if !self.is_version_2() {
            "jsonrpc is the string 2.0"
        } else if !self.params.is_none_or(|params| params.starts_with(['{', '['])) {
            "params is an object or an array"
        } else {
            let params = self.params;
            return Ok(match id.flatten() {
                Some(id) => Message::Request { id, method, params },
                None => Message::Notification { method, params },
            });
        };
        let id = id.flatten().unwrap_or(Id::NULL);
        Err(Malformed::Answer { id, reason, call: Some((method, self.params)) })
    }

    fn response(self) -> Result<Message<'a>, &'static str> {
        if self.repeated {
            return Err("a member of the envelope is repeated");
        }
        if self.params.is_some() {
            return Err("a response has no params");
        }
        if !self.is_version_2() {
            return Err("jsonrpc is the string 2.0");
        }
        let id = self.id.and_then(Id::of).ok_or("a response has an id: a string, a number or null")?;
        let outcome = match (self.result, self.error) {
            (Some(result), None) => Outcome::Result(result),
            (None, Some(error)) => Outcome::Error(ErrorObject::parse(error)?),
            _ => return Err("a response has either result or error"),
        };
        Ok(Message::Response { id, outcome })
    }
}

impl<'a> ErrorObject<'a> {
    fn parse(text: &'a str) -> Result<Self, &'static str> {
        let (mut code, mut message, mut data) = (None, None, None);
        for (name, value) in Members::of(text).ok_or("error is an object")? {
            let member = match &*unescape(name) {
                "code" => &mut code,
                "message" => &mut message,
                "data" => &mut data,
                _ => continue,
            };
            if member.replace(value).is_some() {
                return Err("a member of the error is repeated");
            }
        }
        // EN-14: an integer is written without fraction or exponent, which is what Rust's parser takes.
        let code = code.and_then(|text| text.parse().ok()).ok_or("an error's code is an integer")?;
        let message = message.and_then(string).ok_or("an error's message is a string")?;
        Ok(Self { code, message, data })
    }
}

fn string(text: &str) -> Option<Cow<'_, str>> {
    text.starts_with('"').then(|| unescape(text))
}
