//! What can be seen of the spec on the wire: methods called and answered, codes, members, enumerated values, variants.
//! Each has a name; `cover` compares all of them with those that were seen.

use super::{Method, Spec};
use crate::json::Json;
use serde_json::Value;
use std::collections::BTreeSet;

impl Spec {
    /// Every branch of the spec that a run could show.
    pub fn branches(&self) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for method in self.methods.values() {
            self.enumerate(method.params.schema(), &format!("{} params", method.name), &mut all, 0);
            if let Some(result) = &method.result {
                self.enumerate(result.schema(), &format!("{} result", method.name), &mut all, 0);
                let own =
                    method.codes.iter().filter(|code| self.error(**code).is_some_and(|error| !error.common));
                all.extend(own.map(|code| format!("{} error {code}", method.name)));
            }
        }
        all.extend(self.errors.iter().map(|error| format!("error {}", error.code)));
        all
    }

    /// The branches that an error shows.
    pub(crate) fn seen_error(&self, method: Option<&Method>, code: i64, into: &mut BTreeSet<String>) {
        into.insert(format!("error {code}"));
        into.extend(method.map(|method| format!("{} error {code}", method.name)));
    }

    /// The branches that a value in the documented spelling shows.
    pub(crate) fn seen(&self, schema: &Value, value: &Json, at: &str, into: &mut BTreeSet<String>) {
        into.insert(at.to_owned());
        if schema.get("x-open").is_some() {
            return;
        }
        let schema = self.resolve(schema);
        if let Some(variants) = schema.get("oneOf").and_then(Value::as_array) {
            let Some((tag, values)) = self.tags(variants) else { return };
            let chosen = value.get(&tag).map(Value::from);
            for (known, variant) in values.iter().zip(variants) {
                if Some(known) == chosen.as_ref() {
                    self.seen(variant, value, &format!("{at} {}", plain(known)), into);
                }
            }
            return;
        }
        if choices(schema).is_some() {
            into.insert(format!("{at} = {}", plain(&Value::from(value))));
        }
        if let Some(items) = schema.get("items") {
            value.elements().iter().for_each(|element| self.seen(items, element, &format!("{at}[]"), into));
        }
        if let Some(shape) = schema.get("properties").and_then(Value::as_object) {
            for (name, value) in value.members() {
                if let Some(member) = shape.get(name) {
                    self.seen(member, value, &format!("{at}.{name}"), into);
                }
            }
        }
    }

    fn enumerate(&self, schema: &Value, at: &str, into: &mut BTreeSet<String>, depth: usize) {
        into.insert(at.to_owned());
        // Definitions that contain themselves would have no end.
        if schema.get("x-open").is_some() || depth > 8 {
            return;
        }
        let schema = self.resolve(schema);
        if let Some(variants) = schema.get("oneOf").and_then(Value::as_array) {
            let Some((_, values)) = self.tags(variants) else { return };
            for (known, variant) in values.iter().zip(variants) {
                self.enumerate(variant, &format!("{at} {}", plain(known)), into, depth + 1);
            }
            return;
        }
        for value in choices(schema).into_iter().flatten() {
            into.insert(format!("{at} = {}", plain(value)));
        }
        if let Some(items) = schema.get("items") {
            self.enumerate(items, &format!("{at}[]"), into, depth + 1);
        }
        for (name, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.enumerate(member, &format!("{at}.{name}"), into, depth + 1);
        }
    }
}

/// The values to choose from; where there is only one, there is no choice to be seen.
fn choices(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum").and_then(Value::as_array).filter(|values| values.len() > 1)
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
