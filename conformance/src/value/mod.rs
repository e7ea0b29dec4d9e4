//! Values in transcripts: names, text with names in it, computed values. Bytes are in `bytes`, patterns in `pattern`.

mod bytes;
mod pattern;
mod scope;

pub use bytes::bytes;
pub use pattern::{Mismatch, Subject, match_pattern};
pub use scope::{Given, Scopes};

use crate::json::Json;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// A transcript that cannot be carried out: the suite's fault, not the endpoint's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SuiteFault(pub String);

pub(crate) fn fault<T>(what: impl Into<String>) -> Result<T, SuiteFault> {
    Err(SuiteFault(what.into()))
}

/// The name that a text stands for as a whole: `$name`.
pub(crate) fn whole_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix('$')?;
    let mut letters = name.chars();
    let first = letters.next()?;
    let named =
        first.is_ascii_alphabetic() && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    named.then_some(name)
}

/// A piece of a text with names in it.
enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// `${name}` is a name, `$$` a `$`; every other `$` is itself.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        pieces.push(Piece::Text(before));
        if let Some(after) = after.strip_prefix("$$") {
            pieces.push(Piece::Text("$"));
            rest = after;
        } else if let Some((name, after)) = after.strip_prefix("${").and_then(|after| after.split_once('}')) {
            pieces.push(Piece::Name(name));
            rest = after;
        } else {
            pieces.push(Piece::Text("$"));
            rest = &after[1..];
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// The names that a text uses.
pub(crate) fn names_in(text: &str) -> Vec<&str> {
    match whole_name(text) {
        Some(name) => vec![name],
        None => pieces(text)
            .into_iter()
            .filter_map(|piece| if let Piece::Name(name) = piece { Some(name) } else { None })
            .collect(),
    }
}

/// A text with its names replaced: strings by their text, everything else by its JSON.
pub fn text(text: &str, scopes: &Scopes<'_>) -> Result<String, SuiteFault> {
    let mut out = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Text(plain) => out.push_str(plain),
            Piece::Name(name) => match scopes.get(name)? {
                Json::String(value) => out.push_str(&value),
                value => out.push_str(&value.to_string()),
            },
        }
    }
    Ok(out)
}

/// A value with its names replaced and its computed values computed.
pub fn evaluate(value: &Json, scopes: &Scopes<'_>) -> Result<Json, SuiteFault> {
    match value {
        Json::String(written) => match whole_name(written) {
            Some(name) => scopes.get(name),
            None => text(written, scopes).map(Json::String),
        },
        Json::Array(elements) => elements
            .iter()
            .map(|element| evaluate(element, scopes))
            .collect::<Result<_, _>>()
            .map(Json::Array),
        Json::Object(members) => {
            if let [(operator, inner)] = members.as_slice()
                && let Some(computed) = computed(operator, inner, scopes)
            {
                return computed;
            }
            let members =
                members.iter().map(|(name, value)| Ok((text(name, scopes)?, evaluate(value, scopes)?)));
            members.collect::<Result<_, _>>().map(Json::Object)
        }
        _ => Ok(value.clone()),
    }
}

fn computed(operator: &str, inner: &Json, scopes: &Scopes<'_>) -> Option<Result<Json, SuiteFault>> {
    let of_bytes = |make: fn(Vec<u8>) -> Result<String, SuiteFault>| {
        bytes(inner, scopes).and_then(make).map(Json::String)
    };
    Some(match operator {
        "$b64" => of_bytes(|bytes| Ok(STANDARD.encode(bytes))),
        "$sha256" => {
            of_bytes(|bytes| Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()))
        }
        "$bytes" => of_bytes(|bytes| {
            String::from_utf8(bytes).map_err(|_| SuiteFault("`$bytes` as a JSON value must be UTF-8".into()))
        }),
        "$add" => sum(inner, scopes).map(Json::integer),
        _ => return None,
    })
}

fn sum(summands: &Json, scopes: &Scopes<'_>) -> Result<i64, SuiteFault> {
    summands.elements().iter().try_fold(0_i64, |sum, summand| {
        let value = integer(summand, scopes)?;
        sum.checked_add(value).ok_or_else(|| SuiteFault("`$add` overflows".into()))
    })
}

/// A value that must be an integer.
pub fn integer(value: &Json, scopes: &Scopes<'_>) -> Result<i64, SuiteFault> {
    let value = evaluate(value, scopes)?;
    value.as_integer().ok_or_else(|| SuiteFault(format!("{value} is no integer")))
}
