//! The subset of JSON Schema 2020-12 that a spec is written in. What every consumer of the spec handles is in
//! it, everything else is refused here, with the words that are allowed in its place.

use serde_json::Value;

use super::node::Node;
use crate::problem::{Located, Place, Problems, listed};

/// A schema: of a definition, a member, an item or a map's values.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Where it stands.
    pub place: Place,
    /// Its title, which repeats the definition's name.
    pub title: Option<String>,
    /// What it is, for people.
    pub description: Option<String>,
    /// What an absent member means.
    pub default: Option<Located<Value>>,
    /// Whether it (or each of its members) is spelled only as written (`x-spelling`).
    pub fixed: bool,
    /// What it admits.
    pub form: Form,
}

/// What a schema admits.
#[derive(Debug, Clone)]
pub enum Form {
    /// What the definition that it names admits.
    Reference(Reference),
    /// A value that is never looked into (`x-open`), of any kind or of one.
    Open(Option<OpenKind>),
    /// An object with declared members.
    Object(Vec<MemberSchema>),
    /// An object whose keys are data.
    Map(Box<Schema>),
    /// A string; bounds count characters.
    Text {
        /// Fewest characters.
        min: Option<u64>,
        /// Most characters.
        max: Option<u64>,
        /// The characters it consists of, as a regular expression.
        pattern: Option<Located<String>>,
    },
    /// One of some strings, each with what it means.
    Enum(Vec<(String, Option<String>)>),
    /// An integer.
    Integer {
        /// The least.
        min: Option<i64>,
        /// The greatest.
        max: Option<i64>,
    },
    /// A finite number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    Array {
        /// What each item is.
        items: Box<Schema>,
        /// Fewest items.
        min: Option<u64>,
        /// Most items.
        max: Option<u64>,
    },
    /// One of several objects, told apart by a tag.
    Union {
        /// The objects.
        variants: Vec<Reference>,
        /// Whether readers ignore tags that they do not know.
        extensible: bool,
    },
}

/// The outermost kind of open data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenKind {
    /// An object.
    Object,
    /// An array.
    Array,
}

/// A `$ref`.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The URI as written.
    pub uri: String,
    /// Where it is written.
    pub place: Place,
}

/// A declared member of an object.
#[derive(Debug, Clone)]
pub struct MemberSchema {
    /// Its name as documented.
    pub name: String,
    /// Whether it has to be there.
    pub required: bool,
    /// What it admits.
    pub schema: Schema,
}

const KEYWORDS: &[&str] = &[
    "$ref",
    "additionalProperties",
    "const",
    "default",
    "description",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "x-enum-descriptions",
    "x-extensible",
    "x-open",
    "x-spelling",
];

/// Words that go with every form.
const COMMON: &[&str] = &["title", "description", "default", "x-spelling"];

impl Schema {
    /// Reads the schema at `node`; `None` if it has no form that could be gone on with.
    pub(super) fn read(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        if !node.value.is_object() {
            node.wrong_kind("a schema, which is an object,", problems);
            return None;
        }
        for (name, keyword) in node.members(problems) {
            if !KEYWORDS.contains(&name) {
                problems.add(&keyword.place, format!("the keyword `{name}` is forbidden"), advice(name));
            }
        }
        let form = Form::read(node, problems)?;
        let fixed = node.get_text("x-spelling", problems);
        if fixed.as_deref().is_some_and(|fixed| fixed != "fixed") {
            problems.add(&node.place.child("x-spelling"), "is not `fixed`", "write `fixed`, or leave it out");
        }
        Some(Self {
            place: node.place.clone(),
            title: node.get_text("title", problems),
            description: node.get_text("description", problems),
            default: node.get("default").map(|node| Located { value: node.value.clone(), place: node.place }),
            fixed: fixed.is_some(),
            form,
        })
    }
}

impl Form {
    fn read(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        let has = |name| node.get(name).is_some();
        if let Some(target) = node.get("$ref") {
            allow(node, "a reference", &["$ref"], problems);
            return Reference::read(&target, problems).map(Self::Reference);
        }
        if node.flag("x-open", problems) {
            allow(node, "open data", &["x-open", "type"], problems);
            let kind = match node.get("type") {
                None => None,
                Some(kind) => match kind.text(problems)? {
                    "object" => Some(OpenKind::Object),
                    "array" => Some(OpenKind::Array),
                    other => {
                        let remedy =
                            "open data is an `object`, an `array`, or of any type: then leave `type` out";
                        problems.add(&kind.place, format!("`{other}` cannot be open"), remedy);
                        return None;
                    }
                },
            };
            return Some(Self::Open(kind));
        }
        if let Some(variants) = node.get("oneOf") {
            allow(node, "a union", &["oneOf", "x-extensible"], problems);
            return Some(Self::union(&variants, node.flag("x-extensible", problems), problems));
        }
        if has("enum") || has("const") {
            allow(node, "a string enum", &["type", "enum", "const", "x-enum-descriptions"], problems);
            return Self::strings(node, problems);
        }
        let Some(kind) = node.get("type") else {
            let remedy = "write `type`, `$ref`, `oneOf`, `enum` or `\"x-open\": true`";
            problems.add(&node.place, "this schema does not say what it admits", remedy);
            return None;
        };
        match kind.text(problems)? {
            "object" => Self::object(node, problems),
            "string" => {
                allow(node, "a string", &["type", "minLength", "maxLength", "pattern"], problems);
                let pattern = node.get("pattern").and_then(|pattern| {
                    let value = pattern.text(problems)?.to_owned();
                    Some(Located { value, place: pattern.place })
                });
                Some(Self::Text {
                    min: size(node, "minLength", problems),
                    max: size(node, "maxLength", problems),
                    pattern,
                })
            }
            "integer" => {
                allow(node, "an integer", &["type", "minimum", "maximum"], problems);
                let min = node.get("minimum").and_then(|bound| bound.integer(problems));
                let max = node.get("maximum").and_then(|bound| bound.integer(problems));
                Some(Self::Integer { min, max })
            }
            "number" => {
                allow(node, "a number", &["type"], problems);
                Some(Self::Number)
            }
            "boolean" => {
                allow(node, "a boolean", &["type"], problems);
                Some(Self::Boolean)
            }
            "array" => {
                allow(node, "an array", &["type", "items", "minItems", "maxItems"], problems);
                let items = node.need("items", problems)?;
                Some(Self::Array {
                    items: Box::new(Schema::read(&items, problems)?),
                    min: size(node, "minItems", problems),
                    max: size(node, "maxItems", problems),
                })
            }
            other => {
                let remedy = "the types are `object`, `array`, `string`, `integer`, `number` and `boolean`";
                problems.add(&kind.place, format!("`{other}` is not a type a spec has"), remedy);
                None
            }
        }
    }

    fn object(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        if let Some(values) = node.get("additionalProperties") {
            if values.value.is_boolean() {
                let remedy = "leave it out (EN-13 decides about unknown members), or give the schema of a map's values";
                problems.add(&values.place, "a boolean says nothing here", remedy);
                return None;
            }
            allow(node, "a map", &["type", "additionalProperties"], problems);
            return Some(Self::Map(Box::new(Schema::read(&values, problems)?)));
        }
        allow(node, "an object", &["type", "properties", "required"], problems);
        let declared = node.get("properties").map(|node| node.members(problems)).unwrap_or_default();
        let required = node.texts("required", problems);
        for name in &required {
            if !declared.iter().any(|(declared, _)| *declared == name.value) {
                let what = format!("`{}` is required and not declared", name.value);
                problems.add(&name.place, what, "declare it under `properties`");
            }
        }
        let members = declared.into_iter().filter_map(|(name, node)| {
            let required = required.iter().any(|required| required.value == name);
            Some(MemberSchema { name: name.to_owned(), required, schema: Schema::read(&node, problems)? })
        });
        Some(Self::Object(members.collect()))
    }

    fn union(variants: &Node<'_>, extensible: bool, problems: &mut Problems) -> Self {
        let variants = variants.items(problems).into_iter().filter_map(|variant| {
            let Some(target) = variant.get("$ref") else {
                let remedy = "give it a definition of its own and write `{\"$ref\": …}`";
                problems.add(&variant.place, "a variant of a union is not a reference", remedy);
                return None;
            };
            variant.object(&["$ref"], problems)?;
            Reference::read(&target, problems)
        });
        Self::Union { variants: variants.collect(), extensible }
    }

    fn strings(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        if let Some(kind) = node.get("type").filter(|kind| kind.value != "string") {
            problems.add(&kind.place, "an enum of something else than strings", "its type is `string`");
            return None;
        }
        let described = node.get("x-enum-descriptions");
        let described = described.map(|node| node.members(problems)).unwrap_or_default();
        let values = match (node.get("enum"), node.get("const")) {
            (Some(_), Some(constant)) => {
                problems.add(&constant.place, "stands beside `enum`", "keep one of them");
                return None;
            }
            (Some(values), None) => values.items(problems),
            (None, constant) => constant.into_iter().collect(),
        };
        let values: Vec<&str> = values.iter().filter_map(|value| value.text(problems)).collect();
        for (name, description) in &described {
            if !values.contains(name) {
                let what = format!("`{name}` is not a value of this enum");
                problems.add(&description.place, what, format!("its values are {}", listed(values.clone())));
            }
        }
        let values = values.into_iter().map(|value| {
            let description = described.iter().find(|(name, _)| *name == value);
            let description = description.and_then(|(_, node)| node.text(problems));
            (value.to_owned(), description.map(str::to_owned))
        });
        Some(Self::Enum(values.collect()))
    }
}

impl Reference {
    pub(super) fn read(node: &Node<'_>, problems: &mut Problems) -> Option<Self> {
        Some(Self { uri: node.text(problems)?.to_owned(), place: node.place.clone() })
    }
}

fn size(node: &Node<'_>, name: &str, problems: &mut Problems) -> Option<u64> {
    node.get(name).and_then(|bound| bound.size(problems))
}

/// Refuses the known words that do not go with what the schema is.
fn allow(node: &Node<'_>, form: &str, allowed: &[&str], problems: &mut Problems) {
    for (name, keyword) in node.members(problems) {
        if KEYWORDS.contains(&name) && !COMMON.contains(&name) && !allowed.contains(&name) {
            let what = format!("`{name}` does not go with {form}");
            problems.add(&keyword.place, what, format!("{form} takes {}", listed(allowed.iter().copied())));
        }
    }
}

/// What to write where `keyword` is not allowed.
fn advice(keyword: &str) -> String {
    match keyword {
        "anyOf" | "allOf" | "not" | "if" | "then" | "else" | "discriminator" => {
            "a union is a `oneOf` of `$ref`s to objects that share a required one-value tag".into()
        }
        "prefixItems" | "contains" | "minContains" | "maxContains" | "unevaluatedItems" | "uniqueItems" => {
            "a list has one schema for its `items`, with `minItems` and `maxItems`".into()
        }
        "patternProperties"
        | "propertyNames"
        | "unevaluatedProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "minProperties"
        | "maxProperties" => {
            "an object has `properties` and `required`, a map has `additionalProperties` with a schema".into()
        }
        "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            "an integer is bounded with `minimum` and `maximum`".into()
        }
        "$anchor" | "$id" | "$dynamicRef" | "$dynamicAnchor" | "$defs" | "definitions" => {
            "definitions stand in the file's own `$defs` and are named by `$ref` alone".into()
        }
        "format" | "contentEncoding" | "contentMediaType" => "say it in the description".into(),
        "examples" => "examples stand in the method's `x-rpc`".into(),
        _ => format!("the keywords are {}", listed(KEYWORDS.iter().copied())),
    }
}
