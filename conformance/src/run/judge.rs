//! The checks that every received frame meets unasked; each names the rule it keeps. What a frame should say in its
//! case is a pattern's to judge.

use super::frame::{Frame, Violation, violation};
use super::ledger::{Asked, Ledger};
use crate::json::{self, Json};
use crate::spec::{From, Method, Side, Spelling};
use std::sync::Arc;

impl Ledger {
    /// Holds a line to everything that needs no pattern. `sent` is how many frames were sent when it arrived.
    pub(super) fn judge(&mut self, line: &[u8], sent: u64) -> Result<Frame, Violation> {
        let (text, wire) = read_line(line)?;
        if line.len() > self.max_frame_bytes {
            return violation(
                "LI-13",
                format!("a frame of {} bytes, more than {}", line.len(), self.max_frame_bytes),
            );
        }
        if wire.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return violation("EN-01", "no `\"jsonrpc\":\"2.0\"`");
        }
        for (index, (name, _)) in wire.members().iter().enumerate() {
            if wire.members()[..index].iter().any(|(earlier, _)| earlier == name) {
                return violation("EN-11", format!("`{name}` stands twice in the envelope"));
            }
        }
        let documented = match wire.get("method") {
            Some(Json::String(method)) => {
                if wire.get("result").or(wire.get("error")).is_some() {
                    return violation("OR-01", "a frame with `method` and `result` or `error`");
                }
                self.call(method, &wire)?
            }
            Some(_) => return violation("EN-02", "`method` is not a string"),
            None => self.answer(&wire, sent)?,
        };
        Ok(Frame { line: text, wire, documented })
    }

    /// A notification or a request of the daemon.
    fn call(&mut self, name: &str, wire: &Json) -> Result<Json, Violation> {
        let spec = Arc::clone(&self.spec);
        let Some(method) = spec.methods.get(name).filter(|method| method.from == From::Daemon) else {
            return violation("OR-09", format!("the daemon sends `{name}`, which the spec does not list"));
        };
        if method.is_request != wire.get("id").is_some() {
            let kind = if method.is_request { "a request" } else { "a notification" };
            return violation("OR-09", format!("`{name}` is {kind}"));
        }
        if method.is_request {
            // OR-02: n from 0, never reused; the daemon's own requests are in camelCase (SP-04).
            let wanted = format!("zc-out-{}", self.next_question);
            let id = wire.get("id").and_then(Json::as_str);
            if id != Some(&wanted) {
                return violation("OR-02", format!("the daemon's next request has the id `{wanted}`"));
            }
            self.next_question += 1;
        }
        let empty = Json::Object(Vec::new());
        let params = wire.get("params").unwrap_or(&empty);
        let spelling = if method.is_request { Spelling::Documented } else { self.spelling };
        let documented = self.held(method.first_rule(), &method.params, params, spelling, "params")?;
        spec.seen(method.params.schema(), &documented, &format!("{name} params"), &mut self.seen);
        if name == "session/update" {
            self.update(&documented)?;
        }
        Ok(with_member(wire, "params", documented))
    }

    /// An answer to what was asked.
    fn answer(&mut self, wire: &Json, sent: u64) -> Result<Json, Violation> {
        let Some(id) = wire.get("id") else {
            // What answers a frame that was wrong is the case's to judge, its `id: null` too.
            return if self.malformed {
                Ok(wire.clone())
            } else {
                violation("OR-01", "an answer without `id`")
            };
        };
        if !(id.is_type("string") || id.is_type("number") || id.is_type("null")) {
            return violation("EN-04", format!("the id {id} is neither string nor number nor null"));
        }
        let outcome = match (wire.get("result"), wire.get("error")) {
            (Some(result), None) => Ok(result),
            (None, Some(error)) => Err(error),
            _ => return violation("OR-01", "an answer has exactly one of `result` and `error`"),
        };
        let asked = self.asked(id, wire, sent)?;
        let method = asked.as_ref().and_then(|asked| self.spec.methods.get(&asked.method));
        let spec = Arc::clone(&self.spec);
        let known = method.and_then(|method| spec.methods.get(&method.name));
        if let Some(asked) = &asked {
            self.settle(asked, outcome.is_ok());
        }
        let documented = match outcome {
            Ok(result) => match known.and_then(|method| Some((method, method.result.as_ref()?))) {
                Some((method, side)) => {
                    let documented = self.held(method.first_rule(), side, result, self.spelling, "result")?;
                    let at = format!("{} result", method.name);
                    spec.seen(side.schema(), &documented, &at, &mut self.seen);
                    with_member(wire, "result", documented)
                }
                None => wire.clone(),
            },
            Err(error) => {
                self.error(error, asked.as_ref(), known)?;
                spec.seen_error(known, code_of(wire).unwrap_or_default(), &mut self.seen);
                self.documented_error(wire, known)
            }
        };
        if let Some(asked) = &asked {
            self.replied(asked, outcome)?;
        }
        Ok(documented)
    }

    /// ER-01, ER-02: the form of an error, and which codes a method may answer with.
    fn error(&self, error: &Json, asked: Option<&Asked>, method: Option<&Method>) -> Result<(), Violation> {
        let code = error.get("code").filter(|code| code.is_type("integer")).and_then(Json::as_integer);
        let (Some(code), Some(_)) = (code, error.get("message").and_then(Json::as_str)) else {
            return violation("ER-01", "an error has an integer `code` and a text `message`");
        };
        let Some(entry) = self.spec.error(code) else {
            return violation("ER-02", format!("the spec has no error {code}"));
        };
        let allowed = match (asked, method) {
            (None, _) => true,
            (Some(_), Some(method)) => method.codes.contains(&code),
            (Some(_), None) => entry.common,
        };
        if !allowed {
            let name = asked.map_or("", |asked| &asked.method);
            return violation("ER-02", format!("`{name}` does not answer with {code}"));
        }
        if let (Some(schema), Some(data)) = (&entry.data, error.get("data"))
            && let Err(misfit) = self.spec.fits_schema(schema, data)
        {
            return violation("ER-01", format!("at /error/data{}: {}", misfit.pointer, misfit.what));
        }
        Ok(())
    }

    /// SP-02 and the schema: gives back the value in the documented spelling.
    fn held(
        &self,
        rule: &str,
        side: &Side,
        value: &Json,
        spelling: Spelling,
        member: &str,
    ) -> Result<Json, Violation> {
        if self.changing.is_none()
            && let Some(found) = self.spec.misspelled(side, value, spelling)
        {
            return violation(
                "SP-02",
                format!("/{member}{}: the member is spelled `{}` here", found.pointer, found.wanted),
            );
        }
        let documented = self.spec.respell(side, value, Spelling::Documented);
        match self.spec.fits(side, &documented) {
            Ok(()) => Ok(documented),
            Err(misfit) => violation(rule, format!("at /{member}{}: {}", misfit.pointer, misfit.what)),
        }
    }

    /// SP-04: `data.path` uses the client's own spelling; it is read back into the documented one.
    fn documented_error(&self, wire: &Json, method: Option<&Method>) -> Json {
        let path = wire.at("/error/data/path").and_then(Json::as_str);
        let (Some(path), Some(method), Spelling::Snake) = (path, method, self.spelling) else {
            return wire.clone();
        };
        let path = self.spec.respell_pointer(&method.params, path, Spelling::Documented);
        let mut documented = wire.clone();
        let edit =
            json::Operation::Replace { path: "/error/data/path".to_owned(), value: Json::String(path) };
        // The path was there a moment ago.
        let _ = json::apply_patch(&mut documented, &[edit]);
        documented
    }
}

/// FR-03: one JSON object and one LF, UTF-8, nothing else.
fn read_line(line: &[u8]) -> Result<(String, Json), Violation> {
    let Some(line) = line.strip_suffix(b"\n") else {
        return violation("FR-03", "the stream ends inside a frame");
    };
    if line.ends_with(b"\r") {
        return violation("FR-03", "a frame ends with CR LF");
    }
    let Ok(text) = std::str::from_utf8(line) else {
        return violation("FR-03", "a frame is not UTF-8");
    };
    if text.trim().is_empty() {
        return violation("FR-03", "a blank line");
    }
    let json = match json::read(text) {
        Ok(json) => json,
        Err(fault) => return violation("FR-03", format!("a frame is not JSON: {fault}")),
    };
    if !json.is_type("object") {
        return violation("FR-03", "a frame is not a JSON object");
    }
    Ok((text.to_owned(), json))
}

fn with_member(frame: &Json, member: &str, value: Json) -> Json {
    let mut value = Some(value);
    let members = frame.members().iter().map(|(name, old)| {
        let new = if name == member { value.take() } else { None };
        (name.clone(), new.unwrap_or_else(|| old.clone()))
    });
    Json::Object(members.collect())
}

fn code_of(wire: &Json) -> Option<i64> {
    wire.at("/error/code")?.as_integer()
}
