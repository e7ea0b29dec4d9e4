//! The two spellings of declared members (SP-01 to SP-04), worked out from the schemas.
//! Map keys and open data are never respelled.

use super::{Side, Spec};
use crate::json::{Json, pointer_push, pointer_tokens};
use serde_json::{Map, Value};

/// How declared members are spelled on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Spelling {
    /// As the spec's files say: camelCase, `file/*` in snake_case.
    Documented,
    /// All in snake_case.
    Snake,
}

impl Spelling {
    /// How a declared member is spelled.
    fn of(self, declared: &str, schema: &Value) -> String {
        match self {
            Self::Snake if !is_fixed(schema) => snake(declared),
            _ => declared.to_owned(),
        }
    }
}

fn is_fixed(schema: &Value) -> bool {
    schema.get("x-spelling").is_some_and(|spelling| spelling == "fixed")
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut raise = false;
    for letter in name.chars() {
        match letter {
            '_' => raise = !out.is_empty(),
            _ if raise => {
                out.push(letter.to_ascii_uppercase());
                raise = false;
            }
            _ => out.push(letter),
        }
    }
    out
}

/// A member that is declared, but spelled the other way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misspelling {
    /// JSON pointer to the member, as it came.
    pub pointer: String,
    /// How it should have been spelled.
    pub wanted: String,
}

impl Spec {
    /// The value with its declared members spelled so, whichever way they were spelled.
    pub(crate) fn respell(&self, side: &Side, value: &Json, spelling: Spelling) -> Json {
        self.respelled(&side.schema, value, spelling)
    }

    /// A frame whose declared members are spelled so; what is not declared, results included, stays.
    pub(crate) fn respell_call(&self, frame: &Json, spelling: Spelling) -> Json {
        let method = frame.get("method").and_then(Json::as_str).and_then(|name| self.methods.get(name));
        let (Some(method), Json::Object(members)) = (method, frame) else { return frame.clone() };
        let members = members.iter().map(|(name, value)| match name.as_str() {
            "params" => (name.clone(), self.respell(&method.params, value, spelling)),
            _ => (name.clone(), value.clone()),
        });
        Json::Object(members.collect())
    }

    /// The first declared member that is not spelled so.
    pub(crate) fn misspelled(&self, side: &Side, value: &Json, spelling: Spelling) -> Option<Misspelling> {
        self.search(&side.schema, value, spelling, &mut String::new())
    }

    /// A JSON pointer into params with its declared members spelled so.
    pub(crate) fn respell_pointer(&self, side: &Side, pointer: &str, spelling: Spelling) -> String {
        let mut out = String::new();
        let mut schema = Some(&side.schema);
        for token in pointer_tokens(pointer) {
            let Some(inner) = schema.map(|schema| self.resolve(schema)) else {
                pointer_push(&mut out, &token);
                continue;
            };
            let found =
                inner.get("properties").and_then(Value::as_object).and_then(|shape| declared(shape, &token));
            match found {
                Some((name, member)) => {
                    let fixed = is_fixed(inner);
                    pointer_push(&mut out, &if fixed { name.clone() } else { spelling.of(name, member) });
                    schema = Some(member);
                }
                None => {
                    pointer_push(&mut out, &token);
                    schema = inner.get("items").or_else(|| inner.get("additionalProperties"));
                }
            }
        }
        out
    }

    fn respelled(&self, schema: &Value, value: &Json, spelling: Spelling) -> Json {
        let schema = self.shape(schema, value);
        match value {
            Json::Array(elements) => match schema.get("items") {
                Some(items) => Json::Array(
                    elements.iter().map(|element| self.respelled(items, element, spelling)).collect(),
                ),
                None => value.clone(),
            },
            Json::Object(members) => {
                let shape = schema.get("properties").and_then(Value::as_object);
                let values = schema.get("additionalProperties").filter(|values| values.is_object());
                let fixed = is_fixed(schema);
                let members =
                    members.iter().map(|(name, value)| match shape.and_then(|s| declared(s, name)) {
                        Some((_, member)) if fixed => (name.clone(), self.respelled(member, value, spelling)),
                        Some((known, member)) => {
                            (spelling.of(known, member), self.respelled(member, value, spelling))
                        }
                        None => match values {
                            Some(values) => (name.clone(), self.respelled(values, value, spelling)),
                            None => (name.clone(), value.clone()),
                        },
                    });
                Json::Object(members.collect())
            }
            _ => value.clone(),
        }
    }

    fn search(
        &self,
        schema: &Value,
        value: &Json,
        spelling: Spelling,
        at: &mut String,
    ) -> Option<Misspelling> {
        let schema = self.shape(schema, value);
        let here = at.len();
        let mut look = |schema: &Value, name: &str, value: &Json| {
            pointer_push(at, name);
            let found = self.search(schema, value, spelling, at);
            at.truncate(here);
            found
        };
        match value {
            Json::Array(elements) => {
                let items = schema.get("items")?;
                elements
                    .iter()
                    .enumerate()
                    .find_map(|(index, element)| look(items, &index.to_string(), element))
            }
            Json::Object(members) => {
                let shape = schema.get("properties").and_then(Value::as_object);
                let values = schema.get("additionalProperties").filter(|values| values.is_object());
                members.iter().find_map(|(name, value)| match shape.and_then(|shape| declared(shape, name)) {
                    Some((known, member)) => {
                        let wanted =
                            if is_fixed(schema) { known.clone() } else { spelling.of(known, member) };
                        if *name == wanted {
                            return look(member, name, value);
                        }
                        let mut pointer = String::new();
                        pointer_push(&mut pointer, name);
                        Some(Misspelling { pointer, wanted })
                    }
                    None => look(values?, name, value),
                })
            }
            _ => None,
        }
    }

    /// The schema that says how a value's members are declared: references followed, the variant of a union chosen,
    /// nothing for open data.
    fn shape<'a>(&'a self, schema: &'a Value, value: &Json) -> &'a Value {
        static OPEN: Value = Value::Null;
        let open = |schema: &Value| schema.get("x-open") == Some(&Value::Bool(true));
        if open(schema) {
            return &OPEN;
        }
        let schema = self.resolve(schema);
        if open(schema) {
            return &OPEN;
        }
        let Some(Value::Array(variants)) = schema.get("oneOf") else { return schema };
        let Some((tag, values)) = self.tags(variants) else { return &OPEN };
        let chosen = value.get(&tag).map(Value::from);
        let at = values.iter().position(|value| Some(value) == chosen.as_ref());
        at.map_or(&OPEN, |at| self.resolve(&variants[at]))
    }
}

/// The declared member that a name means, in either spelling.
fn declared<'a>(shape: &'a Map<String, Value>, name: &str) -> Option<(&'a String, &'a Value)> {
    shape.get_key_value(name).or_else(|| {
        shape
            .iter()
            .find(|(known, member)| !is_fixed(member) && (snake(known) == name || camel(known) == name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;

    fn spec() -> Spec {
        Spec::embedded().unwrap()
    }

    #[test]
    fn members_have_two_spellings() {
        for (documented, other) in
            [("agentAlias", "agent_alias"), ("sha256", "sha256"), ("dataB64", "data_b64")]
        {
            assert_eq!(snake(documented), other);
            assert_eq!(camel(other), documented);
        }
    }

    #[test]
    fn only_declared_members_are_respelled() {
        let spec = spec();
        let side = &spec.methods["initialize"].params;
        let value = read(r#"{"protocolVersion":1,"env":{"someThing":1},"unknownOne":2}"#).unwrap();
        let snake = spec.respell(side, &value, Spelling::Snake);
        assert_eq!(snake.to_string(), r#"{"protocol_version":1,"env":{"someThing":1},"unknownOne":2}"#);
        assert_eq!(spec.respell(side, &snake, Spelling::Documented), value);
    }

    #[test]
    fn a_member_in_the_wrong_spelling_is_found() {
        let spec = spec();
        let side = &spec.methods["session/update"].params;
        let value =
            read(r#"{"sessionId":"s","type":"turn_complete","turn_id":"t","outcome":"completed"}"#).unwrap();
        let found = spec.misspelled(side, &value, Spelling::Documented).unwrap();
        assert_eq!((found.pointer.as_str(), found.wanted.as_str()), ("/turn_id", "turnId"));
    }
}
