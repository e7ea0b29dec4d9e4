//! Writes JSON text, each declared member in the spelling of the connection it leaves on.

use super::{Encode, Member, Spelling};
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

/// A growing JSON text.
#[derive(Debug)]
pub struct Writer {
    text: String,
    spelling: Spelling,
    /// Whether what comes next in the open object or array needs a comma before it.
    comma: bool,
}

impl Writer {
    /// An empty text.
    pub fn new(spelling: Spelling) -> Self {
        Self { text: String::new(), spelling, comma: false }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    /// An object; `members` writes what is in it.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.enclosed('{', '}', members);
    }

    /// A member that is always there.
    pub fn member(&mut self, member: &Member, value: &impl Encode) {
        self.named(member.spelled(self.spelling), value);
    }

    /// A member that is left out when it has no value.
    pub fn optional(&mut self, member: &Member, value: Option<&impl Encode>) {
        if let Some(value) = value {
            self.member(member, value);
        }
    }

    /// The member that tells a union's variant.
    pub fn tag(&mut self, name: &str, value: &'static str) {
        self.separate();
        self.string(name);
        self.text.push(':');
        self.string(value);
        self.comma = true;
    }

    /// A member whose name is data or is spelled in one way only.
    pub fn named(&mut self, name: &str, value: &impl Encode) {
        self.separate();
        self.string(name);
        self.text.push(':');
        value.encode(self);
        self.comma = true;
    }

    /// A string, escaped.
    pub fn string(&mut self, text: &str) {
        match serde_json::to_string(text) {
            Ok(quoted) => self.text.push_str(&quoted),
            Err(_) => unreachable!("a str always has a JSON text"),
        }
    }

    /// Text that is JSON already.
    pub fn raw(&mut self, json: &str) {
        self.text.push_str(json);
    }

    /// A value whose `Display` is its JSON text.
    pub fn display(&mut self, value: impl Display) {
        let written = write!(self.text, "{value}");
        debug_assert!(written.is_ok(), "writing to a String does not fail");
    }

    fn enclosed(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) {
        self.text.push(open);
        self.comma = false;
        inside(self);
        self.text.push(close);
        self.comma = true;
    }

    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut Writer) {
        out.enclosed('[', ']', |out| {
            for value in self {
                out.separate();
                value.encode(out);
                out.comma = true;
            }
        });
    }
}

impl<T: Encode> Encode for BTreeMap<String, T> {
    fn encode(&self, out: &mut Writer) {
        out.object(|out| {
            for (key, value) in self {
                out.named(key, value);
            }
        });
    }
}
