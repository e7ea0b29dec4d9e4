//! Reading the spec's files, embedded or in a directory, and laying their references flat.

use super::{ErrorCode, From, Limit, Method, Rule, Side, Spec};
use crate::embedded;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// What is wrong with the spec's files.
#[derive(Debug, thiserror::Error)]
pub enum SpecFault {
    /// A file that cannot be read.
    #[error("{0}: {1}")]
    Unreadable(String, io::Error),
    /// A file that is not what it should be.
    #[error("{0}: {1}")]
    Form(String, String),
}

/// The files: path relative to the spec's root, and text.
type Files<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

impl Spec {
    /// The spec that the binary was built with.
    pub fn embedded() -> Result<Self, SpecFault> {
        Self::from_files(embedded::SPEC.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect())
    }

    /// The spec in a directory.
    pub fn from_directory(root: &Path) -> Result<Self, SpecFault> {
        let mut files = Files::new();
        for part in ["protocol.json", "errors.json", "requirements.json"] {
            read(root, &root.join(part), &mut files)?;
        }
        for part in ["methods", "notifications", "requests", "types"].map(|part| root.join(part)) {
            if part.exists() {
                read(root, &part, &mut files)?;
            }
        }
        Self::from_files(files)
    }

    fn from_files(mut files: Files<'_>) -> Result<Self, SpecFault> {
        files.sort();
        let mut digest = Sha256::new();
        for (path, text) in &files {
            for part in [path.as_bytes(), b"\0", text.as_bytes(), b"\0"] {
                digest.update(part);
            }
        }
        let protocol: ProtocolFile = file(&files, "protocol.json")?;
        let errors: ErrorsFile = file(&files, "errors.json")?;
        let requirements: RequirementsFile = file(&files, "requirements.json")?;
        let mut spec = Self {
            digest: digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
            title: format!("{} {}", protocol.name, protocol.version),
            limits: protocol.limits.into_iter().map(LimitEntry::into_limit).collect(),
            errors: errors.errors.into_iter().map(ErrorEntry::into_code).collect(),
            sections: requirements.sections.into_iter().map(|section| (section.id, section.title)).collect(),
            rules: requirements.requirements.into_iter().map(RuleEntry::into_rule).collect(),
            methods: BTreeMap::new(),
            definitions: BTreeMap::new(),
            update_types: Vec::new(),
        };
        for (path, _) in &files {
            if path.contains('/') {
                spec.add(path, file(&files, path)?)?;
            }
        }
        spec.update_types = spec.tags_of_updates();
        Ok(spec)
    }

    fn tags_of_updates(&self) -> Vec<String> {
        let update = self.methods.get("session/update").map(|method| self.resolve(method.params.schema()));
        let variants = update.and_then(|schema| schema.get("oneOf")?.as_array());
        let tags =
            variants.and_then(|variants| self.tags(variants)).map(|(_, tags)| tags).unwrap_or_default();
        tags.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect()
    }

    fn add(&mut self, path: &str, document: Document) -> Result<(), SpecFault> {
        for (name, mut definition) in document.definitions {
            flatten(&mut definition);
            if self.definitions.insert(name.clone(), definition).is_some() {
                return Err(SpecFault::Form(path.into(), format!("`{name}` is defined twice in the spec")));
            }
        }
        let Some(rpc) = document.rpc else { return Ok(()) };
        let own: Vec<i64> = self
            .errors
            .iter()
            .filter(|error| error.common || rpc.errors.contains(&error.name))
            .map(|e| e.code)
            .collect();
        let side = |mut schema: Value| {
            flatten(&mut schema);
            Side::new(schema)
        };
        let method = Method {
            name: document.title.clone(),
            is_request: rpc.kind == "request",
            from: rpc.from,
            params: side(rpc.params),
            result: rpc.result.map(side),
            codes: own,
            rules: rpc.requirements,
        };
        self.methods.insert(document.title, method);
        Ok(())
    }
}

/// References become `#/$defs/<name>`, since definition names are unique over the whole spec.
fn flatten(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get_mut("$ref")
                && let Some(at) = reference.rfind("#/$defs/")
            {
                reference.drain(..at);
            }
            members.values_mut().for_each(flatten);
        }
        Value::Array(elements) => elements.iter_mut().for_each(flatten),
        _ => {}
    }
}

fn read(root: &Path, path: &Path, into: &mut Files<'_>) -> Result<(), SpecFault> {
    let unreadable = |fault| SpecFault::Unreadable(path.display().to_string(), fault);
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(unreadable)? {
            read(root, &entry.map_err(unreadable)?.path(), into)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "json") {
        let relative = path.strip_prefix(root).unwrap_or(path);
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        into.push((parts.join("/").into(), fs::read_to_string(path).map_err(unreadable)?.into()));
    }
    Ok(())
}

fn file<T: DeserializeOwned>(files: &Files<'_>, wanted: &str) -> Result<T, SpecFault> {
    let form = |what: String| SpecFault::Form(wanted.to_owned(), what);
    let (_, text) = files.iter().find(|(path, _)| path == wanted).ok_or_else(|| form("is missing".into()))?;
    serde_json::from_str(text).map_err(|fault| form(fault.to_string()))
}

#[derive(Deserialize)]
struct ProtocolFile {
    name: String,
    version: i64,
    limits: Vec<LimitEntry>,
}

#[derive(Deserialize)]
struct LimitEntry {
    name: String,
    value: i64,
    unit: String,
    config: Option<String>,
}

impl LimitEntry {
    fn into_limit(self) -> Limit {
        Limit { name: self.name, value: self.value, unit: self.unit, config: self.config }
    }
}

#[derive(Deserialize)]
struct ErrorsFile {
    errors: Vec<ErrorEntry>,
}

#[derive(Deserialize)]
struct ErrorEntry {
    code: i64,
    name: String,
    common: bool,
    data: Option<Value>,
}

impl ErrorEntry {
    fn into_code(self) -> ErrorCode {
        let data = self.data.map(|mut schema| {
            flatten(&mut schema);
            schema
        });
        ErrorCode { code: self.code, name: self.name, common: self.common, data }
    }
}

#[derive(Deserialize)]
struct RequirementsFile {
    sections: Vec<SectionEntry>,
    requirements: Vec<RuleEntry>,
}

#[derive(Deserialize)]
struct SectionEntry {
    id: String,
    title: String,
}

#[derive(Deserialize)]
struct RuleEntry {
    id: String,
    section: String,
    text: String,
}

impl RuleEntry {
    fn into_rule(self) -> Rule {
        Rule { id: self.id, section: self.section, text: self.text }
    }
}

#[derive(Deserialize)]
struct Document {
    title: String,
    #[serde(rename = "x-rpc")]
    rpc: Option<Rpc>,
    #[serde(rename = "$defs", default)]
    definitions: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct Rpc {
    kind: String,
    from: From,
    params: Value,
    result: Option<Value>,
    #[serde(default)]
    errors: Vec<String>,
    #[serde(default)]
    requirements: Vec<String>,
}
