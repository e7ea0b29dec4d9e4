//! Which file of a spec holds what, and the documents with shared definitions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::method::MethodDocument;
use super::node::Node;
use super::schema::Schema;
use super::tables::{ErrorEntry, Protocol, Requirements};
use super::{Files, TABLES};
use crate::problem::{Place, Problems};

/// The one dialect of the schema documents.
pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A spec as it is written.
#[derive(Debug, Clone)]
pub struct Spec {
    /// All files, by their path.
    pub files: Files,
    /// `protocol.json`.
    pub protocol: Protocol,
    /// `errors.json`.
    pub errors: Vec<ErrorEntry>,
    /// `requirements.json`.
    pub requirements: Requirements,
    /// `types/*.json`.
    pub types: Vec<TypesDocument>,
    /// `methods/`, `notifications/` and `requests/`.
    pub methods: Vec<MethodDocument>,
}

/// A file under `types/`.
#[derive(Debug, Clone)]
pub struct TypesDocument {
    /// Where it stands.
    pub place: Place,
    /// Its path without the ending.
    pub title: String,
    /// What its definitions have in common.
    pub description: String,
    /// The definitions.
    pub definitions: Vec<(String, Schema)>,
}

impl Spec {
    pub(super) fn read(files: &Files, values: &BTreeMap<&str, Value>, problems: &mut Problems) -> Self {
        for table in TABLES.iter().filter(|table| !files.contains_key(**table)) {
            problems.add(&Place::file(table), "the file is missing", "a spec has the three tables");
        }
        let table = |path: &str| values.get(path).map(|value| Node::new(value, Place::file(path)));
        let protocol = table("protocol.json").map(|node| Protocol::read(&node, problems));
        let errors = table("errors.json").map(|node| ErrorEntry::read_all(&node, problems));
        let requirements = table("requirements.json").map(|node| Requirements::read(&node, problems));
        let mut spec = Self {
            files: files.clone(),
            protocol: protocol.unwrap_or_default(),
            errors: errors.unwrap_or_default(),
            requirements: requirements.unwrap_or_default(),
            types: Vec::new(),
            methods: Vec::new(),
        };
        for (path, value) in values {
            let node = Node::new(value, Place::file(path));
            match path.split('/').collect::<Vec<_>>()[..] {
                ["types", _] => spec.types.extend(TypesDocument::read(&node, problems)),
                ["methods" | "notifications" | "requests", _, _] => {
                    spec.methods.extend(MethodDocument::read(&node, problems));
                }
                // The schemas of these files themselves: for editors and for `meta`'s own test.
                ["meta", _] => {}
                [table] if TABLES.contains(&table) => {}
                _ => problems.add(
                    &node.place,
                    "no file of a spec stands here",
                    "put it under `types/`, or under `methods/<namespace>/`, `notifications/<namespace>/` or \
                     `requests/<namespace>/`",
                ),
            }
        }
        spec
    }
}

impl TypesDocument {
    fn read(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        node.object(&["$schema", "title", "description", "$defs"], problems)?;
        Some(Self {
            place: node.place.clone(),
            title: node.need_text("title", problems),
            description: node.need_text("description", problems),
            definitions: definitions(node, problems),
        })
    }
}

/// The `$defs` of a document.
pub(super) fn definitions(node: &Node<'_>, problems: &mut Problems) -> Vec<(String, Schema)> {
    let Some(definitions) = node.get("$defs") else { return Vec::new() };
    let definitions = definitions.members(problems).into_iter();
    definitions.filter_map(|(name, node)| Some((name.to_owned(), Schema::read(&node, problems)?))).collect()
}
