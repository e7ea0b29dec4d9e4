//! JSON as it stood on the wire: members in their order, repeated ones too, numbers in their text.
//! The reader is the runner's own, so that a fault of the daemon's reader cannot hide behind it.

mod patch;
mod read;

pub use patch::{Operation, PatchFault, apply as apply_patch};
pub use read::{ReadFault, read, source_at};

use std::borrow::Cow;
use std::fmt;

/// A JSON value that keeps what matters to a judge of the wire.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, in the text it came in.
    Number(String),
    /// A string, its escapes resolved.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object: its members in order, repeated ones included.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A string value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::String(text.into())
    }

    /// An integer value.
    pub fn integer(number: i64) -> Self {
        Self::Number(number.to_string())
    }

    /// The first member of that name, if this is an object that has one.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.members().iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// The members of an object; nothing for any other value.
    pub fn members(&self) -> &[(String, Json)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array; nothing for any other value.
    pub fn elements(&self) -> &[Json] {
        match self {
            Self::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a number that is written as an integer and fits.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The value at a JSON pointer.
    pub fn at(&self, pointer: &str) -> Option<&Json> {
        pointer_tokens(pointer).try_fold(self, |value, token| match value {
            Self::Object(_) => value.get(&token),
            Self::Array(elements) => elements.get(token.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Whether the value is what JSON Schema calls by that name; `integer` is written without fraction or exponent.
    pub fn is_type(&self, name: &str) -> bool {
        match self {
            Self::Null => name == "null",
            Self::Bool(_) => name == "boolean",
            Self::Number(text) => name == "number" || name == "integer" && !text.contains(['.', 'e', 'E']),
            Self::String(_) => name == "string",
            Self::Array(_) => name == "array",
            Self::Object(_) => name == "object",
        }
    }

    /// Equal as values: numbers by what they mean, objects whatever the order of their members.
    pub fn same(&self, other: &Json) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => same_number(one, two),
            (Self::Array(one), Self::Array(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.same(two))
            }
            (Self::Object(one), Self::Object(two)) => {
                one.len() == two.len()
                    && one.iter().all(|(name, value)| other.get(name).is_some_and(|twin| value.same(twin)))
            }
            _ => self == other,
        }
    }

    /// The value on several lines, two spaces a level; what is short stays on one line.
    pub fn pretty(&self, width: usize) -> String {
        let mut out = String::new();
        pretty(self, 0, 0, width, &mut out);
        out
    }
}

fn same_number(one: &str, two: &str) -> bool {
    match (one.parse::<i128>(), two.parse::<i128>()) {
        (Ok(one), Ok(two)) => one == two,
        _ => one.parse::<f64>().ok() == two.parse::<f64>().ok(),
    }
}

/// The tokens of a JSON pointer, unescaped.
pub fn pointer_tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(|token| {
        if token.contains('~') {
            Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
        } else {
            token.into()
        }
    })
}

/// Adds a token to a JSON pointer.
pub fn pointer_push(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}

/// `before` is what stands on the line already: the member's name, and the comma after the value.
fn pretty(value: &Json, indent: usize, before: usize, width: usize, out: &mut String) {
    let compact = value.to_string();
    let (open, close, children): (char, char, Vec<(Option<&str>, &Json)>) = match value {
        Json::Array(elements) => ('[', ']', elements.iter().map(|element| (None, element)).collect()),
        Json::Object(members) => {
            ('{', '}', members.iter().map(|(name, value)| (Some(name.as_str()), value)).collect())
        }
        _ => return out.push_str(&compact),
    };
    if children.is_empty() || indent + before + compact.chars().count() <= width {
        return out.push_str(&compact);
    }
    out.push(open);
    let last = children.len() - 1;
    for (index, (name, child)) in children.into_iter().enumerate() {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent + 2));
        let label = name.map(|name| format!("{}: ", Json::text(name))).unwrap_or_default();
        out.push_str(&label);
        pretty(child, indent + 2, label.chars().count() + 1, width, out);
        if index < last {
            out.push(',');
        }
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    out.push(close);
}

/// The compact text.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("null"),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Number(text) => out.write_str(text),
            Self::String(text) => write_string(out, text),
            Self::Array(elements) => {
                out.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        out.write_str(",")?;
                    }
                    element.fmt(out)?;
                }
                out.write_str("]")
            }
            Self::Object(members) => {
                out.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.write_str(",")?;
                    }
                    write_string(out, name)?;
                    out.write_str(":")?;
                    value.fmt(out)?;
                }
                out.write_str("}")
            }
        }
    }
}

fn write_string(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape: Cow<'_, str> = match byte {
            b'"' => "\\\"".into(),
            b'\\' => "\\\\".into(),
            b'\n' => "\\n".into(),
            b'\r' => "\\r".into(),
            b'\t' => "\\t".into(),
            0..=0x1f => format!("\\u{byte:04x}").into(),
            _ => continue,
        };
        out.write_str(&text[plain..at])?;
        out.write_str(&escape)?;
        plain = at + 1;
    }
    out.write_str(&text[plain..])?;
    out.write_str("\"")
}

impl From<&serde_json::Value> for Json {
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Number(number.to_string()),
            serde_json::Value::String(text) => Self::String(text.clone()),
            serde_json::Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            serde_json::Value::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect())
            }
        }
    }
}

/// For what needs serde's own type (schema checks, typed reading): numbers become what serde makes of them.
impl From<&Json> for serde_json::Value {
    fn from(value: &Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(text) => serde_json::from_str(text).unwrap_or(Self::Null),
            Json::String(text) => Self::String(text.clone()),
            Json::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Json::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect())
            }
        }
    }
}

impl<'de> serde::Deserialize<'de> for Json {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde_json::Value::deserialize(deserializer).map(|value| Self::from(&value))
    }
}

impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::Value::from(self).serialize(serializer)
    }
}

impl schemars::JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_repeated_members_come_back_as_they_were() {
        let text = r#"{"a":9007199254740993,"b":1e3,"a":-0,"c":"\u00e9\n"}"#;
        let value = read(text).unwrap();
        assert_eq!(value.to_string(), r#"{"a":9007199254740993,"b":1e3,"a":-0,"c":"é\n"}"#);
    }

    #[test]
    fn values_are_the_same_whatever_their_order_and_spelling_of_numbers() {
        assert!(read(r#"{"a":1.0,"b":[2]}"#).unwrap().same(&read(r#"{"b":[2],"a":1}"#).unwrap()));
        assert!(!read("9007199254740993").unwrap().same(&read("9007199254740992").unwrap()));
    }

    #[test]
    fn a_pointer_finds_what_it_points_at() {
        let value = read(r#"{"a/b":[{"~":1}]}"#).unwrap();
        assert_eq!(value.at("/a~1b/0/~0"), Some(&Json::integer(1)));
        assert_eq!(value.at("/a~1b/1"), None);
        assert_eq!(value.at(""), Some(&value));
    }
}
