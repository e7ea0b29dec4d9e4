//! A JSON value that knows its place, and the few ways in which spec files are read from it.
//! Each of them notes a problem and goes on when the value is of another kind.

use serde_json::{Map, Value};

use crate::problem::{Located, Place, Problems, listed};

/// A value in a spec file.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) value: &'a Value,
    pub(super) place: Place,
}

impl<'a> Node<'a> {
    pub(super) fn new(value: &'a Value, place: Place) -> Self {
        Self { value, place }
    }

    /// The member `name`, if it is there.
    pub(super) fn get(&self, name: &str) -> Option<Node<'a>> {
        self.value.get(name).map(|value| Node::new(value, self.place.child(name)))
    }

    /// The member `name`; a problem if it is missing.
    pub(super) fn need(&self, name: &str, problems: &mut Problems) -> Option<Node<'a>> {
        let member = self.get(name);
        if member.is_none() {
            problems.add(&self.place, format!("`{name}` is missing"), format!("write `{name}` here"));
        }
        member
    }

    /// Its members, if it is an object that has no others than the `allowed` ones.
    pub(super) fn object(&self, allowed: &[&str], problems: &mut Problems) -> Option<&'a Map<String, Value>> {
        let object = self.members_map(problems)?;
        for name in object.keys().filter(|name| !allowed.contains(&name.as_str())) {
            problems.add(
                &self.place.child(name),
                format!("`{name}` is not a member of this object"),
                format!("its members are {}", listed(allowed.iter().copied())),
            );
        }
        Some(object)
    }

    /// Its members, whatever their names are.
    pub(super) fn members(&self, problems: &mut Problems) -> Vec<(&'a str, Node<'a>)> {
        let Some(object) = self.members_map(problems) else { return Vec::new() };
        object.iter().map(|(name, value)| (name.as_str(), Node::new(value, self.place.child(name)))).collect()
    }

    fn members_map(&self, problems: &mut Problems) -> Option<&'a Map<String, Value>> {
        if !self.value.is_object() {
            self.wrong_kind("an object", problems);
        }
        self.value.as_object()
    }

    /// Its items.
    pub(super) fn items(&self, problems: &mut Problems) -> Vec<Node<'a>> {
        let Some(items) = self.value.as_array() else {
            self.wrong_kind("an array", problems);
            return Vec::new();
        };
        items.iter().enumerate().map(|(index, value)| Node::new(value, self.place.child(index))).collect()
    }

    /// Its text, if it is a string that is not blank.
    pub(super) fn text(&self, problems: &mut Problems) -> Option<&'a str> {
        let text = self.value.as_str();
        match text {
            None => self.wrong_kind("a string", problems),
            Some(text) if text.trim().is_empty() => {
                problems.add(&self.place, "is blank", "write a text here");
            }
            Some(_) => {}
        }
        text
    }

    /// Its value, if it is an integer.
    pub(super) fn integer(&self, problems: &mut Problems) -> Option<i64> {
        let integer = self.value.as_i64();
        if integer.is_none() {
            self.wrong_kind("an integer within ±2^63", problems);
        }
        integer
    }

    /// Its value, if it is an integer that is not negative.
    pub(super) fn size(&self, problems: &mut Problems) -> Option<u64> {
        let size = self.value.as_u64();
        if size.is_none() {
            self.wrong_kind("an integer that is not negative", problems);
        }
        size
    }

    /// Its value, if it is a boolean.
    pub(super) fn boolean(&self, problems: &mut Problems) -> Option<bool> {
        let boolean = self.value.as_bool();
        if boolean.is_none() {
            self.wrong_kind("true or false", problems);
        }
        boolean
    }

    /// The member `name` as text; a problem if it is missing.
    pub(super) fn need_text(&self, name: &str, problems: &mut Problems) -> String {
        let text = self.need(name, problems).and_then(|node| node.text(problems));
        text.unwrap_or_default().to_owned()
    }

    /// The member `name` as text, if it is there and not null.
    pub(super) fn get_text(&self, name: &str, problems: &mut Problems) -> Option<String> {
        let node = self.get(name).filter(|node| !node.value.is_null())?;
        node.text(problems).map(str::to_owned)
    }

    /// The member `name` as a boolean; absent means false.
    pub(super) fn flag(&self, name: &str, problems: &mut Problems) -> bool {
        self.get(name).and_then(|node| node.boolean(problems)).unwrap_or(false)
    }

    /// The member `name` as a list of texts; absent means none.
    pub(super) fn texts(&self, name: &str, problems: &mut Problems) -> Vec<Located<String>> {
        let Some(node) = self.get(name) else { return Vec::new() };
        let items = node.items(problems);
        let texts = items.iter().map(|item| (item.text(problems), &item.place));
        texts
            .filter_map(|(text, place)| Some(Located { value: text?.to_owned(), place: place.clone() }))
            .collect()
    }

    pub(super) fn wrong_kind(&self, wanted: &str, problems: &mut Problems) {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        problems.add(&self.place, format!("is {found}"), format!("write {wanted} here"));
    }
}
