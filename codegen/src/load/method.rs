//! The document of a method or notification: one schema document whose `x-rpc` says what is not schema.

use serde_json::Value;

use super::document::{DIALECT, definitions};
use super::node::Node;
use super::schema::{Reference, Schema};
use crate::problem::{Located, Place, Problems, listed};

/// A file under `methods/`, `notifications/` or `requests/`.
#[derive(Debug, Clone)]
pub struct MethodDocument {
    /// Where it stands.
    pub place: Place,
    /// The method's name on the wire.
    pub title: String,
    /// What it does, for people.
    pub description: String,
    /// What is not schema.
    pub rpc: Rpc,
    /// The definitions that only it needs, or that others refer to.
    pub definitions: Vec<(String, Schema)>,
}

/// The `x-rpc` of a method.
#[derive(Debug, Clone)]
pub struct Rpc {
    /// Where it stands.
    pub place: Place,
    /// Whether it is answered.
    pub kind: Kind,
    /// Who sends it.
    pub from: From,
    /// Whether it holds up those after it.
    pub runs: Runs,
    /// What it is called with.
    pub params: Option<Reference>,
    /// What it answers.
    pub result: Option<Reference>,
    /// The names of the errors it answers with, beyond those common to all.
    pub errors: Vec<Located<String>>,
    /// The right it needs, `resource:verb`.
    pub grant: Option<Located<String>>,
    /// The transports it is served on.
    pub transports: Vec<Located<String>>,
    /// Whether it may come before `initialize` has succeeded (HS-01).
    pub before_initialize: bool,
    /// Whether a refusal is announced by a notification too (TU-05).
    pub announce_refusal: bool,
    /// The protocol version that brought it.
    pub since: String,
    /// The rules that it keeps.
    pub requirements: Vec<Located<String>>,
    /// Calls as they may be made, with their outcome.
    pub examples: Vec<Example>,
}

/// Whether a message is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is.
    Request,
    /// It never is.
    Notification,
}

/// Who sends a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// Whoever connects.
    Client,
    /// Whoever serves.
    Daemon,
}

/// Whether a method holds up those that come after it on its connection (OR-04).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// It ends before the next begins.
    InOrder,
    /// It runs beside the others.
    Long,
}

/// A call and its outcome.
#[derive(Debug, Clone)]
pub struct Example {
    /// Where it stands.
    pub place: Place,
    /// What it shows.
    pub name: String,
    /// The parameters; `None` where they are left out.
    pub params: Option<Located<Value>>,
    /// What comes of it; `None` on notifications.
    pub outcome: Option<Outcome>,
}

/// What comes of a call.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It succeeds.
    Result(Located<Value>),
    /// It fails with an error object.
    Error(Located<Value>),
}

impl MethodDocument {
    pub(super) fn read(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        node.object(&["$schema", "title", "description", "x-rpc", "$defs"], problems)?;
        let title = node.need_text("title", problems);
        let description = node.need_text("description", problems);
        let dialect = node.need("$schema", problems)?;
        if dialect.text(problems)? != DIALECT {
            problems.add(&dialect.place, "is not the dialect of a spec", format!("write `{DIALECT}`"));
        }
        let definitions = definitions(node, problems);
        let rpc = Rpc::read(&node.need("x-rpc", problems)?, problems)?;
        Some(Self { place: node.place.clone(), title, description, rpc, definitions })
    }
}

const REQUEST: &[&str] = &[
    "kind",
    "from",
    "runs",
    "params",
    "result",
    "errors",
    "grant",
    "transports",
    "beforeInitialize",
    "announceRefusal",
    "since",
    "requirements",
    "examples",
];
const NOTIFICATION: &[&str] = &["kind", "from", "params", "result", "since", "requirements", "examples"];

impl Rpc {
    fn read(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        let kinds = [("request", Kind::Request), ("notification", Kind::Notification)];
        let kind = choice(node, "kind", &kinds, problems)?;
        node.object(if kind == Kind::Request { REQUEST } else { NOTIFICATION }, problems)?;
        let from = choice(node, "from", &[("client", From::Client), ("daemon", From::Daemon)], problems)?;
        let runs = match node.get("runs") {
            None => Runs::InOrder,
            Some(_) => choice(node, "runs", &[("in-order", Runs::InOrder), ("long", Runs::Long)], problems)?,
        };
        if kind == Kind::Request && node.get("result").is_none() {
            let remedy = "give a `$ref` to what it answers, or make it a notification";
            problems.add(&node.place, "a request has no `result`", remedy);
        }
        if let Some(result) = node.get("result").filter(|_| kind == Kind::Notification) {
            let remedy = "leave it out, or make it a request";
            problems.add(&result.place, "a notification is never answered and has no `result`", remedy);
        }
        if kind == Kind::Request && from == From::Client {
            node.need("grant", problems);
            node.need("transports", problems);
        }
        let examples = node.need("examples", problems).map(|node| node.items(problems)).unwrap_or_default();
        Some(Self {
            place: node.place.clone(),
            kind,
            from,
            runs,
            params: node.need("params", problems).and_then(|node| reference(&node, problems)),
            result: node.get("result").and_then(|node| reference(&node, problems)),
            errors: node.texts("errors", problems),
            grant: node
                .get("grant")
                .filter(|node| !node.value.is_null())
                .and_then(|node| Some(Located { value: node.text(problems)?.to_owned(), place: node.place })),
            transports: node.texts("transports", problems),
            before_initialize: node.flag("beforeInitialize", problems),
            announce_refusal: node.flag("announceRefusal", problems),
            since: node.need_text("since", problems),
            requirements: node.texts("requirements", problems),
            examples: examples.iter().filter_map(|node| Example::read(node, kind, problems)).collect(),
        })
    }
}

impl Example {
    fn read(node: &Node<'_>, kind: Kind, problems: &mut Problems) -> Option<Self> {
        let request = kind == Kind::Request;
        node.object(
            if request { &["name", "params", "result", "error"] } else { &["name", "params"] },
            problems,
        )?;
        let located = |node: Node<'_>| Located { value: node.value.clone(), place: node.place };
        let outcome = match (node.get("result"), node.get("error")) {
            (Some(result), None) => Some(Outcome::Result(located(result))),
            (None, Some(error)) => Some(Outcome::Error(located(error))),
            (None, None) if !request => None,
            _ => {
                let remedy = "write exactly one of `result` and `error`";
                problems.add(&node.place, "an example without exactly one outcome", remedy);
                None
            }
        };
        Some(Self {
            place: node.place.clone(),
            name: node.need_text("name", problems),
            params: node.get("params").map(located),
            outcome,
        })
    }
}

fn choice<T: Copy>(node: &Node<'_>, name: &str, choices: &[(&str, T)], problems: &mut Problems) -> Option<T> {
    let node = node.need(name, problems)?;
    let text = node.text(problems)?;
    let chosen = choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    if chosen.is_none() {
        let names = listed(choices.iter().map(|(name, _)| *name));
        problems.add(&node.place, format!("`{text}` is not a choice here"), format!("choose from {names}"));
    }
    chosen
}

fn reference(node: &Node<'_>, problems: &mut Problems) -> Option<Reference> {
    node.object(&["$ref"], problems)?;
    Reference::read(&node.need("$ref", problems)?, problems)
}
