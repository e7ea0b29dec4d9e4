//! The whole spec as one JSON Schema 2020-12 document, for validators and for generators in other languages: the root
//! is an index of what is sent, everything named is in `$defs`. Words that such consumers stumble over are left out:
//! extensions, descriptions beside a reference, small `maxItems`.

use serde_json::{Map, Value, json};

use crate::load::{Kind, OpenKind};
use crate::lower::model::{Definition, DefinitionKind, ErrorCode, Member, Model, Presence, Struct, Type};

/// Up to so many items, generators make a tuple of each length.
const SMALL: u64 = 20;

/// The document, as text.
pub fn bundle(model: &Model) -> String {
    let mut requests = Vec::new();
    let mut notifications = Vec::new();
    for method in &model.methods {
        let params = reference(&method.params, DEFS);
        let (list, entry) = match (&method.kind, &method.result) {
            (Kind::Request, Some(result)) => {
                let members = [("params", params), ("result", reference(result, DEFS))];
                (&mut requests, closed(&method.description, members))
            }
            _ => (&mut notifications, closed(&method.description, [("params", params)])),
        };
        list.push((method.name.as_str(), entry));
    }
    let errors: Vec<_> = model
        .errors
        .iter()
        .map(|error| (error.name.as_str(), reference(&error_object(&error.name), DEFS)))
        .collect();
    let index = closed(
        &model.protocol.description,
        [
            ("requests", closed("What is answered, by method.", requests)),
            ("notifications", closed("What is never answered, by method.", notifications)),
            ("errors", closed("What a request fails with, by name.", errors)),
        ],
    );
    let mut root = Map::new();
    root.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".into(), json!("Protocol"));
    if let Value::Object(index) = index {
        root.extend(index);
    }
    let mut definitions = definitions(model, DEFS);
    definitions.extend(model.errors.iter().map(|error| (error_object(&error.name), self::error(error))));
    root.insert("$defs".into(), Value::Object(definitions));
    text(&Value::Object(root))
}

/// Where the definitions of this document are.
const DEFS: &str = "#/$defs/";

/// The name under which an error's object is defined.
pub(crate) fn error_object(error: &str) -> String {
    format!("{error}Object")
}

/// A document's text.
pub(super) fn text(document: &Value) -> String {
    format!("{document:#}\n")
}

/// Every definition, with references that begin with `base`.
pub(super) fn definitions(model: &Model, base: &str) -> Map<String, Value> {
    model
        .definitions
        .iter()
        .map(|definition| (definition.name.clone(), self::definition(definition, base)))
        .collect()
}

/// The schema of a member, with what it is for.
fn member(member: &Member, base: &str) -> Value {
    let mut schema = Map::new();
    if !matches!(member.ty, Type::Named(_)) {
        schema.insert("description".into(), json!(member.description));
    }
    if let Value::Object(rest) = undescribed(member, base) {
        schema.extend(rest);
    }
    Value::Object(schema)
}

/// The schema of a member, for where its description stands beside it.
pub(super) fn undescribed(member: &Member, base: &str) -> Value {
    let mut schema = ty(&member.ty, base);
    if let (Presence::Default(default, _), false) = (&member.presence, matches!(member.ty, Type::Named(_))) {
        schema["default"] = default.clone();
    }
    schema
}

pub(super) fn reference(name: &str, base: &str) -> Value {
    json!({ "$ref": format!("{base}{name}") })
}

/// An object of which every member is there.
fn closed<'a>(description: &str, members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let members: Map<String, Value> =
        members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let required: Vec<&String> = members.keys().collect();
    json!({ "description": description, "type": "object", "required": required, "properties": members })
}

fn definition(definition: &Definition, base: &str) -> Value {
    let schema = match &definition.kind {
        DefinitionKind::Struct(shape) => object(shape, base),
        DefinitionKind::Union(union) => {
            let variants: Vec<_> = union.variants.iter().map(|(_, name)| reference(name, base)).collect();
            json!({ "oneOf": variants })
        }
        DefinitionKind::Enum(values) => {
            let values: Vec<&str> = values.iter().map(|value| value.value.as_str()).collect();
            json!({ "type": "string", "enum": values })
        }
        DefinitionKind::Plain(plain) => ty(plain, base),
    };
    let mut titled = Map::new();
    titled.insert("title".into(), json!(definition.name));
    titled.insert("description".into(), json!(definition.description));
    if let Value::Object(schema) = schema {
        titled.extend(schema);
    }
    Value::Object(titled)
}

fn object(shape: &Struct, base: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some((tag, value)) = &shape.tag {
        properties.insert(tag.clone(), json!({ "type": "string", "enum": [value] }));
        required.push(tag);
    }
    for member in &shape.members {
        properties.insert(member.name.clone(), self::member(member, base));
        if matches!(member.presence, Presence::Required) {
            required.push(&member.name);
        }
    }
    match required.is_empty() {
        true => json!({ "type": "object", "properties": properties }),
        false => json!({ "type": "object", "required": required, "properties": properties }),
    }
}

fn ty(ty: &Type, base: &str) -> Value {
    match ty {
        Type::Named(name) => reference(name, base),
        Type::String => json!({ "type": "string" }),
        Type::Text(text) => {
            let mut schema = Map::new();
            schema.insert("type".into(), json!("string"));
            match (&text.class, text.count.max) {
                (Some(class), Some(max)) => {
                    schema.insert("pattern".into(), json!(pattern(class, text.count.min, max)));
                }
                _ => {
                    schema.extend(
                        (text.count.min > 0).then(|| ("minLength".to_owned(), json!(text.count.min))),
                    );
                    schema.extend(text.count.max.map(|max| ("maxLength".to_owned(), json!(max))));
                }
            }
            Value::Object(schema)
        }
        Type::Constant(value) => json!({ "type": "string", "enum": [value] }),
        Type::Bounded(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Type::Unsigned => json!({ "type": "integer", "minimum": 0 }),
        Type::Integer => json!({ "type": "integer" }),
        Type::Number => json!({ "type": "number" }),
        Type::Boolean => json!({ "type": "boolean" }),
        Type::List(items, count) => {
            let mut schema = Map::new();
            schema.insert("type".into(), json!("array"));
            schema.insert("items".into(), self::ty(items, base));
            schema.extend((count.min > 0).then(|| ("minItems".to_owned(), json!(count.min))));
            schema
                .extend(count.max.filter(|max| *max > SMALL).map(|max| ("maxItems".to_owned(), json!(max))));
            Value::Object(schema)
        }
        Type::Map(values) => json!({ "type": "object", "additionalProperties": self::ty(values, base) }),
        Type::Open(None) => json!({}),
        Type::Open(Some(OpenKind::Object)) => json!({ "type": "object" }),
        Type::Open(Some(OpenKind::Array)) => json!({ "type": "array", "items": {} }),
    }
}

fn pattern(class: &[(char, char)], min: u64, max: u64) -> String {
    let escaped = |c: &char| if *c == '-' { "\\-".to_owned() } else { c.to_string() };
    let class: String = class
        .iter()
        .map(|(low, high)| if low == high { escaped(low) } else { format!("{low}-{high}") })
        .collect();
    format!("^[{class}]{{{min},{max}}}$")
}

fn error(error: &ErrorCode) -> Value {
    let mut properties = Map::new();
    properties.insert("code".into(), json!({ "type": "integer", "enum": [error.code] }));
    properties
        .insert("message".into(), json!({ "type": "string", "description": "What is wrong, for people." }));
    if let Some(data) = &error.data {
        let shape = Struct { members: data.members.clone(), tag: None };
        let mut schema = object(&shape, DEFS);
        schema["description"] = json!(data.description);
        properties.insert("data".into(), schema);
    }
    json!({
        "title": error_object(&error.name),
        "description": error.meaning,
        "type": "object",
        "required": ["code", "message"],
        "properties": properties,
    })
}
