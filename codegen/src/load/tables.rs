//! The three tables of a spec: `protocol.json`, `errors.json` and `requirements.json`.

use super::node::Node;
use super::schema::Schema;
use crate::problem::{Located, Place, Problems};

/// `protocol.json`: what the protocol is called and what bounds it.
#[derive(Debug, Clone, Default)]
pub struct Protocol {
    /// Its short name.
    pub name: String,
    /// Its version.
    pub version: u64,
    /// Its name for people.
    pub title: String,
    /// What it is.
    pub description: String,
    /// What grants are given on (AU-05).
    pub resources: Vec<Located<String>>,
    /// Every time and size that it names (LI-11).
    pub limits: Vec<LimitEntry>,
}

/// A named time, size or count.
#[derive(Debug, Clone)]
pub struct LimitEntry {
    /// Where it stands.
    pub place: Place,
    /// Its name.
    pub name: String,
    /// Its value, where the configuration sets no other.
    pub value: u64,
    /// What it counts: `bytes`, `ms`, `s` or `count`.
    pub unit: String,
    /// The configuration property that sets it, if one does.
    pub config: Option<String>,
    /// The rule that names it.
    pub rule: Located<String>,
    /// The least that the configuration may set.
    pub minimum: Option<u64>,
    /// What it bounds.
    pub description: String,
}

/// An error code of `errors.json`.
#[derive(Debug, Clone)]
pub struct ErrorEntry {
    /// Where it stands.
    pub place: Place,
    /// The code.
    pub code: i64,
    /// Its name.
    pub name: String,
    /// When it is answered.
    pub meaning: String,
    /// Whether any method may answer it.
    pub common: bool,
    /// What its `data` holds, if it has any.
    pub data: Option<Schema>,
    /// The values of `data.reason`.
    pub reasons: Vec<Reason>,
    /// The rules that ask for it.
    pub requirements: Vec<Located<String>>,
}

/// A value of an error's `data.reason`, on which clients decide (ER-01).
#[derive(Debug, Clone)]
pub struct Reason {
    /// Where it stands.
    pub place: Place,
    /// The word.
    pub reason: String,
    /// The rule that defines it.
    pub rule: Located<String>,
    /// When it is given.
    pub meaning: String,
}

/// `requirements.json`: the protocol, rule by rule.
#[derive(Debug, Clone, Default)]
pub struct Requirements {
    /// The title over all of them.
    pub title: String,
    /// What stands before the first section, in Markdown.
    pub preamble: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The rules, in order.
    pub rules: Vec<Requirement>,
}

/// A section of the protocol.
#[derive(Debug, Clone)]
pub struct Section {
    /// Where it stands.
    pub place: Place,
    /// The two letters before its rules' numbers.
    pub id: String,
    /// Its number.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// What stands before its first rule, in Markdown.
    pub intro: Option<String>,
}

/// A rule of the protocol.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// Where it stands.
    pub place: Place,
    /// Its identifier, kept for ever.
    pub id: String,
    /// How binding it is.
    pub level: Level,
    /// Its section.
    pub section: String,
    /// What it says, in Markdown.
    pub text: String,
}

/// How binding a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Without exception.
    Must,
    /// Where nothing speaks against it.
    Should,
}

impl Protocol {
    pub(super) fn read(node: &Node<'_>, problems: &mut Problems) -> Self {
        let members =
            ["$schema", "name", "version", "title", "description", "jsonrpc", "resources", "limits"];
        node.object(&members, problems);
        node.need("resources", problems);
        if let Some(version) = node.need("jsonrpc", problems).filter(|version| version.value != "2.0") {
            problems.add(&version.place, "is not the version of JSON-RPC that is spoken", "write `2.0`");
        }
        let limits = node.need("limits", problems).map(|node| node.items(problems)).unwrap_or_default();
        Self {
            name: node.need_text("name", problems),
            version: node.need("version", problems).and_then(|node| node.size(problems)).unwrap_or_default(),
            title: node.need_text("title", problems),
            description: node.need_text("description", problems),
            resources: node.texts("resources", problems),
            limits: limits.iter().map(|node| LimitEntry::read(node, problems)).collect(),
        }
    }
}

impl LimitEntry {
    fn read(node: &Node<'_>, problems: &mut Problems) -> Self {
        node.object(&["name", "value", "unit", "config", "rule", "minimum", "description"], problems);
        let unit = node.need_text("unit", problems);
        if !matches!(unit.as_str(), "bytes" | "ms" | "s" | "count") {
            let place = node.place.child("unit");
            problems.add(&place, format!("`{unit}` is not a unit"), "write `bytes`, `ms`, `s` or `count`");
        }
        Self {
            place: node.place.clone(),
            name: node.need_text("name", problems),
            value: node.need("value", problems).and_then(|node| node.size(problems)).unwrap_or_default(),
            unit,
            config: node.get_text("config", problems),
            rule: located_text(node, "rule", problems),
            minimum: node.get("minimum").and_then(|node| node.size(problems)),
            description: node.need_text("description", problems),
        }
    }
}

impl ErrorEntry {
    pub(super) fn read_all(node: &Node<'_>, problems: &mut Problems) -> Vec<Self> {
        node.object(&["$schema", "errors"], problems);
        let errors = node.need("errors", problems).map(|node| node.items(problems)).unwrap_or_default();
        errors.iter().map(|node| Self::read(node, problems)).collect()
    }

    fn read(node: &Node<'_>, problems: &mut Problems) -> Self {
        node.object(&["code", "name", "meaning", "common", "data", "reasons", "requirements"], problems);
        let data = node.get("data").filter(|data| !data.value.is_null());
        let reasons = node.get("reasons").map(|node| node.items(problems)).unwrap_or_default();
        Self {
            place: node.place.clone(),
            code: node.need("code", problems).and_then(|node| node.integer(problems)).unwrap_or_default(),
            name: node.need_text("name", problems),
            meaning: node.need_text("meaning", problems),
            common: node.flag("common", problems),
            data: data.and_then(|data| Schema::read(&data, problems)),
            reasons: reasons.iter().map(|node| Reason::read(node, problems)).collect(),
            requirements: node.texts("requirements", problems),
        }
    }
}

impl Reason {
    fn read(node: &Node<'_>, problems: &mut Problems) -> Self {
        node.object(&["reason", "rule", "meaning"], problems);
        Self {
            place: node.place.clone(),
            reason: node.need_text("reason", problems),
            rule: located_text(node, "rule", problems),
            meaning: node.need_text("meaning", problems),
        }
    }
}

impl Requirements {
    pub(super) fn read(node: &Node<'_>, problems: &mut Problems) -> Self {
        node.object(&["$schema", "title", "preamble", "sections", "requirements"], problems);
        let sections = node.need("sections", problems).map(|node| node.items(problems)).unwrap_or_default();
        let rules = node.need("requirements", problems).map(|node| node.items(problems)).unwrap_or_default();
        Self {
            title: node.need_text("title", problems),
            preamble: node.need_text("preamble", problems),
            sections: sections.iter().map(|node| Section::read(node, problems)).collect(),
            rules: rules.iter().map(|node| Requirement::read(node, problems)).collect(),
        }
    }
}

impl Section {
    fn read(node: &Node<'_>, problems: &mut Problems) -> Self {
        node.object(&["id", "number", "title", "intro"], problems);
        Self {
            place: node.place.clone(),
            id: node.need_text("id", problems),
            number: node.need("number", problems).and_then(|node| node.size(problems)).unwrap_or_default(),
            title: node.need_text("title", problems),
            intro: node.get_text("intro", problems),
        }
    }
}

impl Requirement {
    fn read(node: &Node<'_>, problems: &mut Problems) -> Self {
        node.object(&["id", "level", "section", "text"], problems);
        let level = node.need_text("level", problems);
        if !matches!(level.as_str(), "must" | "should") {
            let place = node.place.child("level");
            problems.add(&place, format!("`{level}` is not a level"), "write `must` or `should`");
        }
        Self {
            place: node.place.clone(),
            id: node.need_text("id", problems),
            level: if level == "should" { Level::Should } else { Level::Must },
            section: node.need_text("section", problems),
            text: node.need_text("text", problems),
        }
    }
}

fn located_text(node: &Node<'_>, name: &str, problems: &mut Problems) -> Located<String> {
    Located { value: node.need_text(name, problems), place: node.place.child(name) }
}
