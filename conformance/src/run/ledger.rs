//! What was asked on one connection, and so what may come on it: ids, turns, the spelling.
//! How a frame is held to it is in `judge`.

use super::frame::{Violation, violation};
use crate::json::Json;
use crate::spec::{Spec, Spelling};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A request that was sent.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// Its place in the order of what was sent.
    turn: u64,
    pub(super) method: String,
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
    pub(super) spec: Arc<Spec>,
    pub(super) max_frame_bytes: usize,
    sent: u64,
    open: BTreeMap<String, Vec<Asked>>,
    answered: BTreeMap<String, u64>,
    turns: BTreeMap<String, Turns>,
    pub(super) spelling: Spelling,
    /// Bound by a notification: from when on is not known before the next answer.
    pub(super) changing: Option<(u64, Spelling)>,
    initialized: bool,
    notified: bool,
    pub(super) malformed: bool,
    unreadable: bool,
    pub(super) next_question: u64,
    pub(super) seen: BTreeSet<String>,
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

    /// TU-04, OR-05: an update belongs to an open prompt of this connection.
    pub(super) fn update(&mut self, params: &Json) -> Result<(), Violation> {
        let Some(session) = params.get("sessionId").and_then(Json::as_str) else { return Ok(()) };
        let turns = self.turns.entry(session.to_owned()).or_default();
        if turns.prompted.is_empty() {
            return violation(
                "TU-04",
                format!("an update of session `{session}`, which this connection did not prompt"),
            );
        }
        if turns.ended >= turns.prompted.len() {
            return violation(
                "OR-05",
                format!("an update of session `{session}` after its last turn's `turn_complete`"),
            );
        }
        if params.get("type").and_then(Json::as_str) == Some("turn_complete") {
            turns.ended += 1;
        }
        Ok(())
    }

    /// EN-04, OR-01, EN-10: the request that an id answers.
    pub(super) fn asked(&mut self, id: &Json, wire: &Json, sent: u64) -> Result<Option<Asked>, Violation> {
        let key = id.to_string();
        let code = wire.at("/error/code").and_then(Json::as_integer);
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
            if code.is_some() && self.malformed || notice && !self.notified {
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
            let Some(side) = self.spec.methods.get(&asked.method).and_then(|method| method.result.as_ref())
            else {
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
    pub(super) fn settle(&mut self, asked: &Asked, good: bool) {
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
    pub(super) fn replied(&mut self, asked: &Asked, outcome: Result<&Json, &Json>) -> Result<(), Violation> {
        let Some(session) = asked.session.as_ref().filter(|_| asked.method == "session/prompt") else {
            return Ok(());
        };
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
}

/// The session a call names. TU-05: where two spellings name one each, the documented one is told.
fn session_of(params: Option<&Json>) -> Option<String> {
    let params = params?;
    let named = |name| params.get(name).and_then(Json::as_str);
    named("sessionId").or(named("session_id")).map(str::to_owned)
}

/// SP-02: `protocol_version` and not `protocolVersion` asks for snake_case. EN-03: null is neither.
fn spelling_of(params: Option<&Json>) -> Spelling {
    let has =
        |name| params.and_then(|params| params.get(name)).is_some_and(|value| !matches!(value, Json::Null));
    if has("protocol_version") && !has("protocolVersion") { Spelling::Snake } else { Spelling::Documented }
}
