//! What was asked on one connection, and so what may come on it: the checks that every frame meets unasked.
//! Each names the rule it keeps. What a frame should say in its case is a pattern's to judge.

use super::frame::{Frame, Violation, violation};
use crate::json::{self, Json};
use crate::spec::{From, Method, Spec, Spelling};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A request that was sent.
#[derive(Debug, Clone)]
struct Asked {
    /// Its place in the order of what was sent.
    turn: u64,
    method: String,
    session: Option<String>,
    /// Whether it must be answered: raw bytes and frames meant to be wrong need not be.
    certain: bool,
    spelling: Option<Spelling>,
}

/// The prompts of one session on this connection.
#[derive(Debug, Clone, Default)]
struct Turns {
    prompted: Vec<u64>,
    ended: usize,
    replied: usize,
}

/// The book of one connection.
pub(super) struct Ledger {
    spec: Arc<Spec>,
    max_frame_bytes: usize,
    sent: u64,
    open: BTreeMap<String, Vec<Asked>>,
    answered: BTreeMap<String, u64>,
    turns: BTreeMap<String, Turns>,
    spelling: Spelling,
    /// Bound by a notification: from when on is not known before the next answer.
    changing: Option<(u64, Spelling)>,
    initialized: bool,
    notified: bool,
    malformed: bool,
    unreadable: bool,
    next_question: u64,
    seen: BTreeSet<String>,
}

/// How sure it is that what was sent is a request as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// It must be answered.
    Valid,
    /// It may be answered.
    Doubtful,
}

impl Ledger {
    pub(super) fn new(spec: Arc<Spec>, max_frame_bytes: usize) -> Self {
        Self {
            spec,
            max_frame_bytes,
            sent: 0,
            open: BTreeMap::new(),
            answered: BTreeMap::new(),
            turns: BTreeMap::new(),
            spelling: Spelling::Documented,
            changing: None,
            initialized: false,
            notified: false,
            malformed: false,
            unreadable: false,
            next_question: 0,
            seen: BTreeSet::new(),
        }
    }

    /// How many frames were sent; what arrives later may answer them.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    /// The branches of the spec that were seen.
    pub(super) fn take_seen(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.seen)
    }

    /// Notes bytes that are no frame, or only part of one.
    pub(super) fn note_malformed(&mut self) {
        self.malformed = true;
    }

    /// Notes a line that is no JSON: whether the daemon takes it for some is the case's to judge.
    pub(super) fn note_unreadable(&mut self) {
        self.unreadable = true;
    }

    /// Notes a frame that is about to be sent.
    pub(super) fn note_sent(&mut self, frame: &Json, certainty: Certainty) {
        self.sent += 1;
        if certainty == Certainty::Doubtful {
            self.malformed = true;
        }
        let Some(method) = frame.get("method").and_then(Json::as_str) else { return };
        let params = frame.get("params");
        let spec = Arc::clone(&self.spec);
        if let Some(known) = spec.methods.get(method) {
            let empty = Json::Object(Vec::new());
            let documented = spec.respell(&known.params, params.unwrap_or(&empty), Spelling::Documented);
            spec.seen(known.params.schema(), &documented, &format!("{method} params"), &mut self.seen);
        }
        let session = session_of(params);
        if method == "session/prompt"
            && let Some(session) = &session
        {
            self.turns.entry(session.clone()).or_default().prompted.push(self.sent);
        }
        let spelling = (method == "initialize").then(|| spelling_of(params));
        let Some(id) = frame.get("id") else {
            self.notified = true;
            if let Some(spelling) = spelling {
                self.changing = Some((self.sent, spelling));
            }
            return;
        };
        let asked = Asked {
            turn: self.sent,
            method: method.to_owned(),
            session,
            certain: certainty == Certainty::Valid,
            spelling,
        };
        self.open.entry(id.to_string()).or_default().push(asked);
    }

    /// The requests that must be answered and are not.
    pub(super) fn unanswered(&self) -> Option<(String, String)> {
        let mut open = self.open.iter().flat_map(|(id, asked)| asked.iter().map(move |asked| (id, asked)));
        open.find(|(_, asked)| asked.certain).map(|(id, asked)| (id.clone(), asked.method.clone()))
    }

    /// Holds a line to everything that needs no pattern. `sent` is how many frames were sent when it arrived.
    pub(super) fn judge(&mut self, line: &[u8], sent: u64) -> Result<Frame, Violation> {
        let (text, wire) = read_line(line)?;
        if line.len() > self.max_frame_bytes {
            return violation("LI-13", format!("a frame of {} bytes, more than {}", line.len(), self.max_frame_bytes));
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

    /// TU-04, OR-05: an update belongs to an open prompt of this connection.
    fn update(&mut self, params: &Json) -> Result<(), Violation> {
        let Some(session) = params.get("sessionId").and_then(Json::as_str) else { return Ok(()) };
        let turns = self.turns.entry(session.to_owned()).or_default();
        if turns.prompted.is_empty() {
            return violation("TU-04", format!("an update of session `{session}`, which this connection did not prompt"));
        }
        if turns.ended >= turns.prompted.len() {
            return violation("OR-05", format!("an update of session `{session}` after its last turn's `turn_complete`"));
        }
        if params.get("type").and_then(Json::as_str) == Some("turn_complete") {
            turns.ended += 1;
        }
        Ok(())
    }

    /// An answer to what was asked.
    fn answer(&mut self, wire: &Json, sent: u64) -> Result<Json, Violation> {
        let Some(id) = wire.get("id") else { return violation("OR-01", "an answer without `id`") };
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

    /// EN-04, OR-01, EN-10: the request that an id answers.
    fn asked(&mut self, id: &Json, wire: &Json, sent: u64) -> Result<Option<Asked>, Violation> {
        let key = id.to_string();
        let code = code_of(wire);
        if let Some(at) = self.meant(&key, wire, sent)
            && let Some(asked) = self.open.get_mut(&key)
        {
            let asked = asked.remove(at);
            *self.answered.entry(key).or_default() += 1;
            return Ok(Some(asked));
        }
        if *id == Json::Null {
            // What cannot be read, and what is refused before anything is read, is answered without an id.
            let notice = matches!(code, Some(-32700 | -32600 | -32004));
            if notice && (self.malformed || !self.notified) {
                return Ok(None);
            }
            if self.notified {
                return violation("EN-10", "a notification is answered");
            }
        }
        if self.answered.contains_key(&key) {
            return violation("OR-01", format!("the request with the id {id} is answered again"));
        }
        if self.unreadable {
            return Ok(None);
        }
        violation("EN-04", format!("no request with the id {id} is open"))
    }

    /// EN-15: of several requests with one id, the one whose session and schema the answer fits; else the oldest.
    fn meant(&self, key: &str, wire: &Json, sent: u64) -> Option<usize> {
        let asked = self.open.get(key)?;
        let fits = |asked: &Asked| {
            let Some(result) = wire.get("result") else { return true };
            let Some(side) = self.spec.methods.get(&asked.method).and_then(|method| method.result.as_ref()) else {
                return true;
            };
            let told = session_of(Some(result));
            let same = told.is_none() || asked.session.is_none() || told == asked.session;
            same && self.spec.fits(side, &self.spec.respell(side, result, Spelling::Documented)).is_ok()
        };
        let before = |asked: &Asked| asked.turn <= sent;
        let several = asked.iter().filter(|asked| before(asked)).count() > 1;
        let best = asked.iter().position(|asked| before(asked) && fits(asked)).filter(|_| several);
        best.or_else(|| asked.iter().position(before))
    }

    /// An answer shows how far the daemon has come, and a good `initialize` how it will spell.
    fn settle(&mut self, asked: &Asked, good: bool) {
        if let Some((since, spelling)) = self.changing
            && asked.turn > since
        {
            self.spelling = spelling;
            self.changing = None;
            self.initialized = true;
        }
        if let Some(spelling) = asked.spelling.filter(|_| good) {
            self.spelling = spelling;
            self.initialized = true;
        }
    }

    /// OR-05, TU-05: the reply to a prompt stands after its `turn_complete`.
    fn replied(&mut self, asked: &Asked, outcome: Result<&Json, &Json>) -> Result<(), Violation> {
        let Some(session) = asked.session.as_ref().filter(|_| asked.method == "session/prompt") else { return Ok(()) };
        if !asked.certain || !self.initialized {
            return Ok(());
        }
        let turns = self.turns.entry(session.clone()).or_default();
        turns.replied += 1;
        if turns.replied > turns.ended {
            let rule = if outcome.is_ok() { "OR-05" } else { "TU-05" };
            return violation(rule, "the reply to `session/prompt` stands before its `turn_complete`");
        }
        Ok(())
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
        side: &crate::spec::Side,
        value: &Json,
        spelling: Spelling,
        member: &str,
    ) -> Result<Json, Violation> {
        if self.changing.is_none()
            && let Some(found) = self.spec.misspelled(side, value, spelling)
        {
            return violation("SP-02", format!("/{member}{}: the member is spelled `{}` here", found.pointer, found.wanted));
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
        let (Some(path), Some(method), Spelling::Snake) = (path, method, self.spelling) else { return wire.clone() };
        let path = self.spec.respell_pointer(&method.params, path, Spelling::Documented);
        let mut documented = wire.clone();
        let edit = json::Operation::Replace { path: "/error/data/path".to_owned(), value: Json::String(path) };
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

/// The session a call names; nothing where two spellings disagree.
fn session_of(params: Option<&Json>) -> Option<String> {
    let (camel, snake) = (params?.get("sessionId"), params?.get("session_id"));
    match (camel, snake) {
        (Some(one), Some(two)) if one != two => None,
        (one, two) => one.or(two)?.as_str().map(str::to_owned),
    }
}

/// SP-02: `protocol_version` and not `protocolVersion` asks for snake_case.
fn spelling_of(params: Option<&Json>) -> Spelling {
    let has = |name| params.is_some_and(|params| params.get(name).is_some());
    if has("protocol_version") && !has("protocolVersion") { Spelling::Snake } else { Spelling::Documented }
}
