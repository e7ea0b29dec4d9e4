//! The spec as data: read from its JSON, never from generated code, so that the runner judges by the
//! same files as everybody else. What frames mean is in `schema`, their spellings in `spelling`.

mod branches;
mod load;
mod schema;
mod spelling;

pub use load::SpecFault;
pub use spelling::Spelling;

use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Everything the runner knows of the protocol.
pub struct Spec {
    /// Hex SHA-256 over the files: path, NUL, bytes, NUL, in the order of their paths.
    pub digest: String,
    /// The protocol's name and version, `zeroclaw 1`.
    pub title: String,
    /// The named limits.
    pub limits: Vec<Limit>,
    /// The error codes.
    pub errors: Vec<ErrorCode>,
    /// The sections of the requirements: id and title, in their order.
    pub sections: Vec<(String, String)>,
    /// Every rule, in its order.
    pub rules: Vec<Rule>,
    /// Every method, notification and daemon request, by name.
    pub methods: BTreeMap<String, Method>,
    /// Every definition, by its name, which is unique over the whole spec; references lead to `#/$defs/<name>`.
    pub(crate) definitions: BTreeMap<String, Value>,
    update_types: Vec<String>,
}

/// A named limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Its name.
    pub name: String,
    /// Its value where nothing else is configured.
    pub value: i64,
    /// `bytes`, `ms`, `s` or `count`.
    pub unit: String,
    /// The property that sets it, if it can be set.
    pub config: Option<String>,
}

/// An error code.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorCode {
    /// The number on the wire.
    pub code: i64,
    /// Its name in the spec.
    pub name: String,
    /// Whether it may answer any method.
    pub common: bool,
    /// The schema of its `data`.
    pub data: Option<Value>,
}

/// A rule of the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// `SE-10`.
    pub id: String,
    /// Its section, `SE`.
    pub section: String,
    /// What it says.
    pub text: String,
}

/// Who sends a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum From {
    /// The client.
    Client,
    /// The daemon.
    Daemon,
}

/// A method, a notification or a request of the daemon.
pub struct Method {
    /// Its name on the wire.
    pub name: String,
    /// Whether it is answered.
    pub is_request: bool,
    /// Who sends it.
    pub from: From,
    /// What its `params` are.
    pub params: Side,
    /// What its `result` is; nothing for a notification.
    pub result: Option<Side>,
    /// The codes it may be answered with, the common ones included.
    pub codes: Vec<i64>,
    /// The rules it is made of; the first is named when its schema is broken.
    pub rules: Vec<String>,
}

impl Method {
    /// The rule that is broken when a frame does not fit this method's schema.
    pub fn first_rule(&self) -> &str {
        self.rules.first().map_or("OR-09", String::as_str)
    }
}

/// A schema, with its compiled form once it was needed.
pub struct Side {
    schema: Value,
    compiled: OnceLock<jsonschema::Validator>,
}

impl Side {
    fn new(schema: Value) -> Self {
        Self { schema, compiled: OnceLock::new() }
    }

    /// The schema, its references flat.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}

impl Spec {
    /// The rule of that id.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The limit of that name.
    pub fn limit(&self, name: &str) -> Option<&Limit> {
        self.limits.iter().find(|limit| limit.name == name)
    }

    /// The error of that code.
    pub fn error(&self, code: i64) -> Option<&ErrorCode> {
        self.errors.iter().find(|error| error.code == code)
    }

    /// The kinds of `session/update` that the spec knows.
    pub(crate) fn update_types(&self) -> &[String] {
        &self.update_types
    }
}
