//! Whether a value fits a schema of the spec, and where it does not.

use super::{Side, Spec};
use crate::json::Json;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// How a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// JSON pointer into the value.
    pub pointer: String,
    /// What is wrong there.
    pub what: String,
}

impl Spec {
    /// Holds a value, in the documented spelling, to a schema.
    pub(crate) fn fits(&self, side: &Side, value: &Json) -> Result<(), Misfit> {
        let validator = side.compiled.get_or_init(|| self.compile(&side.schema));
        self.held(validator, value)
    }

    /// Holds an error's `data` to what the spec says of its code.
    pub(crate) fn fits_schema(&self, schema: &Value, value: &Json) -> Result<(), Misfit> {
        self.held(&self.compile(schema), value)
    }

    fn held(&self, validator: &jsonschema::Validator, value: &Json) -> Result<(), Misfit> {
        let value = Value::from(value);
        match validator.iter_errors(&value).next() {
            None => Ok(()),
            Some(error) => {
                let mut what = error.to_string();
                if what.len() > 300 {
                    what = format!("{}…", what.chars().take(300).collect::<String>());
                }
                Err(Misfit { pointer: error.instance_path().to_string(), what })
            }
        }
    }

    fn compile(&self, schema: &Value) -> jsonschema::Validator {
        let mut needed = BTreeSet::new();
        self.reach(schema, &mut needed);
        let definitions: Map<_, _> = needed
            .into_iter()
            .filter_map(|name| Some((name.clone(), self.choose_by_tag(self.definitions.get(&name)?))))
            .collect();
        let whole = json!({ "allOf": [self.choose_by_tag(schema)], "$defs": definitions });
        // A schema that does not compile refuses everything: the spec's own tests keep that from happening.
        jsonschema::draft202012::new(&whole)
            .or_else(|_| jsonschema::draft202012::new(&json!(false)))
            .unwrap_or_else(|fault| unreachable!("`false` is a schema: {fault}"))
    }

    fn reach(&self, schema: &Value, names: &mut BTreeSet<String>) {
        match schema {
            Value::Object(members) => {
                if let Some(name) = referred(schema)
                    && names.insert(name.to_owned())
                    && let Some(definition) = self.definitions.get(name)
                {
                    self.reach(definition, names);
                }
                members.values().for_each(|value| self.reach(value, names));
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.reach(element, names)),
            _ => {}
        }
    }

    /// A union told apart by a tag is checked in the variant its tag names, so that the fault found is the one meant.
    /// Unknown tags pass where the union may grow (TU-03).
    fn choose_by_tag(&self, schema: &Value) -> Value {
        let Some(Value::Array(variants)) = schema.get("oneOf") else { return schema.clone() };
        let Some((tag, values)) = self.tags(variants) else { return schema.clone() };
        let choices: Vec<_> = values
            .iter()
            .zip(variants)
            .map(|(value, variant)| {
                json!({ "if": { "properties": { &tag: { "const": value } } }, "then": variant })
            })
            .collect();
        let grows = schema.get("x-extensible") == Some(&Value::Bool(true));
        let tags = if grows { json!({ "type": "string" }) } else { json!({ "enum": values }) };
        json!({ "type": "object", "required": [&tag], "properties": { &tag: tags }, "allOf": choices })
    }

    /// The member that tells the variants apart, and its value for each.
    pub(super) fn tags(&self, variants: &[Value]) -> Option<(String, Vec<Value>)> {
        let shapes: Vec<_> = variants.iter().map(|variant| self.resolve(variant)).collect();
        let candidates = shapes.first()?.get("properties")?.as_object()?.keys();
        candidates.into_iter().find_map(|name| {
            let values = shapes.iter().map(|shape| {
                let member = self.resolve(shape.get("properties")?.get(name)?);
                match member.get("const") {
                    Some(value) => Some(value.clone()),
                    None => {
                        member.get("enum")?.as_array().filter(|values| values.len() == 1)?.first().cloned()
                    }
                }
            });
            Some((name.clone(), values.collect::<Option<Vec<_>>>()?))
        })
    }

    /// The schema that a reference leads to.
    pub(super) fn resolve<'a>(&'a self, mut schema: &'a Value) -> &'a Value {
        while let Some(definition) = referred(schema).and_then(|name| self.definitions.get(name)) {
            schema = definition;
        }
        schema
    }
}

/// The name of the definition a schema refers to.
fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}
