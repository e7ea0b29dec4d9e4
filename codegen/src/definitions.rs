//! Where a name leads: the definitions of a whole spec, whichever file they stand in, and what the variants
//! of a union have in common.

use std::collections::BTreeMap;

use crate::load::{Form, Reference, Schema, Spec};

/// All definitions of a spec.
#[derive(Debug)]
pub(crate) struct Definitions<'a> {
    /// By file and name: a name that two files define is refused, but then still leads where it is meant to.
    by_file: BTreeMap<&'a str, BTreeMap<&'a str, &'a Schema>>,
}

/// The tag of a union and its value in each variant, in order.
#[derive(Debug)]
pub(crate) struct Tag<'a> {
    pub(crate) member: &'a str,
    pub(crate) values: Vec<&'a str>,
}

/// The definitions of a spec in the order of its files: the shared ones first.
pub(crate) fn all(spec: &Spec) -> impl Iterator<Item = (&str, &Schema)> {
    let shared = spec.types.iter().flat_map(|document| &document.definitions);
    let own = spec.methods.iter().flat_map(|document| &document.definitions);
    shared.chain(own).map(|(name, schema)| (name.as_str(), schema))
}

impl<'a> Definitions<'a> {
    pub(crate) fn of(spec: &'a Spec) -> Self {
        let mut by_file: BTreeMap<&str, BTreeMap<_, _>> = BTreeMap::new();
        for (name, schema) in all(spec) {
            by_file.entry(&schema.place.file).or_default().insert(name, schema);
        }
        Self { by_file }
    }

    /// The definition that a reference names, with its name.
    pub(crate) fn resolve(&self, reference: &Reference) -> Option<(&'a str, &'a Schema)> {
        let (path, name) = reference.uri.split_once("#/$defs/")?;
        let file = join(&reference.place.file, path)?;
        let (name, schema) = self.by_file.get(file.as_str())?.get_key_value(name)?;
        Some((*name, *schema))
    }

    /// What tells the variants of a union apart: the one required member with one value, the same member in all.
    pub(crate) fn tag(&self, variants: &[Reference]) -> Option<Tag<'a>> {
        let mut objects = variants.iter().map(|variant| match &self.resolve(variant)?.1.form {
            Form::Object(members) => Some(members),
            _ => None,
        });
        let first = objects.next()??;
        let rest: Vec<_> = objects.collect::<Option<_>>()?;
        first.iter().find_map(|member| {
            let mut values = vec![single_value(member)?];
            for members in &rest {
                values.push(single_value(members.iter().find(|other| other.name == member.name)?)?);
            }
            Some(Tag { member: &member.name, values })
        })
    }
}

fn single_value(member: &crate::load::MemberSchema) -> Option<&str> {
    match &member.schema.form {
        Form::Enum(values) if member.required && values.len() == 1 => Some(&values[0].0),
        _ => None,
    }
}

/// The file that `path` names, seen from `file`; `None` if it leads out of the spec.
fn join(file: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(file.to_owned());
    }
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for step in path.split('/') {
        match step {
            "" | "." => return None,
            ".." => {
                parts.pop()?;
            }
            step => parts.push(step),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn a_reference_is_read_relative_to_its_file() {
        let join = |path| join("methods/session/new.json", path);
        assert_eq!(join("").as_deref(), Some("methods/session/new.json"));
        assert_eq!(join("../../types/session.json").as_deref(), Some("types/session.json"));
        assert_eq!(join("close.json").as_deref(), Some("methods/session/close.json"));
        assert_eq!(join("../../../types/session.json"), None);
        assert_eq!(join("/types/session.json"), None);
    }
}
