//! BYTES of transcripts: text, names, lists joined, and what has a form of its own.

use super::{Scopes, SuiteFault, evaluate, fault, integer, text, whole_name};
use crate::json::Json;

/// The bytes that an expression stands for.
pub fn bytes(written: &Json, scopes: &Scopes<'_>) -> Result<Vec<u8>, SuiteFault> {
    if let Json::Array(elements) = written {
        return joined(elements, scopes);
    }
    joined(std::slice::from_ref(written), scopes)
}

/// A list joined. At most one element fills the list up to a size.
fn joined(elements: &[Json], scopes: &Scopes<'_>) -> Result<Vec<u8>, SuiteFault> {
    let mut parts = Vec::new();
    let mut filler = None;
    for element in elements {
        match (element.get("fill"), element.get("to")) {
            (Some(fill), Some(to)) => {
                if filler.is_some() {
                    return fault("two elements fill one list");
                }
                filler = Some((parts.len(), bytes(fill, scopes)?, size(to, scopes)?));
                parts.push(Vec::new());
            }
            _ => parts.push(single(element, scopes)?),
        }
    }
    if let Some((at, fill, to)) = filler {
        let rest: usize = parts.iter().map(Vec::len).sum();
        let Some(missing) = to.checked_sub(rest) else {
            return fault(format!("the list has {rest} bytes already, more than {to}"));
        };
        parts[at] = repeated(&fill, missing)?;
    }
    Ok(parts.concat())
}

fn single(element: &Json, scopes: &Scopes<'_>) -> Result<Vec<u8>, SuiteFault> {
    match element {
        Json::String(written) => match whole_name(written) {
            Some(name) => match scopes.expression(name) {
                Some(expression) => bytes(expression, scopes),
                None => match scopes.get(name)? {
                    Json::String(value) => Ok(value.into_bytes()),
                    value => Ok(value.to_string().into_bytes()),
                },
            },
            None => text(written, scopes).map(String::into_bytes),
        },
        Json::Array(_) => bytes(element, scopes),
        Json::Object(_) => object(element, scopes),
        _ => Ok(element.to_string().into_bytes()),
    }
}

fn object(element: &Json, scopes: &Scopes<'_>) -> Result<Vec<u8>, SuiteFault> {
    if let Some(hex) = element.get("hex").and_then(Json::as_str) {
        let digits: Vec<_> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let pairs = digits.chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2);
            pair.and_then(|pair| u8::from_str_radix(pair, 16).ok())
        });
        return pairs.collect::<Option<_>>().ok_or_else(|| SuiteFault(format!("`{hex}` is not hex")));
    }
    if let (Some(fill), Some(times)) = (element.get("fill"), element.get("times")) {
        return Ok(bytes(fill, scopes)?.repeat(size(times, scopes)?));
    }
    if let (Some(inner), Some(from), Some(to)) =
        (element.get("slice"), element.get("from"), element.get("to"))
    {
        let (inner, from, to) = (bytes(inner, scopes)?, size(from, scopes)?, size(to, scopes)?);
        return match inner.get(from..to) {
            Some(slice) => Ok(slice.to_vec()),
            None => fault(format!("no slice {from}..{to} in {} bytes", inner.len())),
        };
    }
    if let Some(value) = element.get("json") {
        return Ok(evaluate(value, scopes)?.to_string().into_bytes());
    }
    if let Some(frame) = element.get("frame") {
        return Ok(scopes.frame(evaluate(frame, scopes)?).to_string().into_bytes());
    }
    match evaluate(element, scopes)? {
        Json::String(value) => Ok(value.into_bytes()),
        value if value == *element => fault(format!("{element} stands for no bytes")),
        value => Ok(value.to_string().into_bytes()),
    }
}

/// A frame with the version member that transcripts leave out.
pub(super) fn with_version(frame: Json) -> Json {
    match frame {
        Json::Object(members) if !members.iter().any(|(name, _)| name == "jsonrpc") => {
            let version = ("jsonrpc".to_owned(), Json::text("2.0"));
            Json::Object(std::iter::once(version).chain(members).collect())
        }
        frame => frame,
    }
}

fn repeated(fill: &[u8], length: usize) -> Result<Vec<u8>, SuiteFault> {
    if fill.is_empty() {
        return fault("nothing to fill with");
    }
    Ok(fill.iter().copied().cycle().take(length).collect())
}

fn size(value: &Json, scopes: &Scopes<'_>) -> Result<usize, SuiteFault> {
    usize::try_from(integer(value, scopes)?).map_err(|_| SuiteFault(format!("{value} is no size")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use crate::value::Given;
    use std::collections::BTreeMap;

    fn evaluated(written: &str) -> Result<Vec<u8>, SuiteFault> {
        let given = Given {
            names: BTreeMap::from([("n".into(), Json::text("ab"))]),
            limits: BTreeMap::from([("size".into(), 7)]),
        };
        let computed =
            BTreeMap::from([("blob".into(), read(r#"{"$bytes":{"fill":"xyz","times":2}}"#).unwrap())]);
        let each = read(r#"[{"hex":"ef bb"},"$n"]"#).unwrap();
        bytes(&read(written).unwrap(), &Scopes::new(&given, &computed, Some(&each)))
    }

    #[test]
    fn bytes_are_joined_filled_cut_and_computed() {
        for (written, wanted) in [
            (r#"["<","$n",">",{"fill":"-","times":2}]"#, "<ab>--"),
            (r#"["[",{"fill":"xy","to":"$limit.size"},"]"]"#, "[xyxyx]"),
            (r#"{"fill":"x","to":{"$add":["$limit.size",1]}}"#, "xxxxxxxx"),
            (r#"{"slice":"$blob","from":1,"to":4}"#, "yzx"),
            (r#"[{"json":{"s":"$n"}},"${n}$$"]"#, r#"{"s":"ab"}ab$"#),
            (r#"{"frame":{"id":1}}"#, r#"{"jsonrpc":"2.0","id":1}"#),
        ] {
            assert_eq!(String::from_utf8(evaluated(written).unwrap()).unwrap(), wanted, "{written}");
        }
        assert_eq!(evaluated(r#"["$each"]"#).unwrap(), b"\xef\xbbab");
    }

    #[test]
    fn what_stands_for_no_bytes_is_a_fault_of_the_suite() {
        for written in
            [r#"{"hex":"e"}"#, r#"["toolong!",{"fill":"x","to":3}]"#, r#"{"what":1}"#, r#""$unbound""#]
        {
            assert!(evaluated(written).is_err(), "{written}");
        }
    }
}
