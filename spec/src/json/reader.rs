//! A cursor over JSON text that has been validated: it reads what a type asks for and skips the rest, in one pass and
//! without recursion of its own.

use super::{Decode, Fault, FaultReason, Member, Shape, Spelling};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Longest pointer that a fault shows; a name may be as long as a frame.
const MAX_POINTER: usize = 512;

/// How many unknown members are remembered; a frame may hold a million of them.
const MAX_UNKNOWN: usize = 16;

/// One step of the way from the root to the reader's place.
#[derive(Debug)]
enum Step<'a> {
    Member(Cow<'a, str>),
    Index(usize),
}

/// Reads values from JSON text.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    path: Vec<Step<'a>>,
    unknown: Vec<String>,
    spelling: Spelling,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, path: Vec::new(), unknown: Vec::new(), spelling: Spelling::Documented }
    }

    /// The spelling in which a missing member is named: the sender's, as far as it is known (SP-04).
    #[must_use]
    pub fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// Pointers of the first members met that no shape declares.
    pub fn unknown_members(&self) -> &[String] {
        &self.unknown
    }

    /// A fault at the reader's place.
    pub fn fault(&self, message: impl Into<Cow<'static, str>>) -> Fault {
        Fault { reason: FaultReason::InvalidParams, path: self.pointer(), message: message.into() }
    }

    /// The fault of a required member that is not there.
    pub(super) fn missing(&self, member: &Member) -> Fault {
        let path = format!("{}/{}", self.pointer(), member.spelled(self.spelling));
        Fault { reason: FaultReason::InvalidParams, path, message: "this member is required".into() }
    }

    /// An object: `read` is called with the index of each member of `shape` that is there, the reader at its value.
    ///
    /// # Errors
    /// Not an object, a member given twice in one spelling (EN-11), or what `read` refuses.
    pub fn object(
        &mut self,
        shape: &Shape,
        mut read: impl FnMut(&mut Self, usize) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        // One bit a member: seen in its documented, seen in its other spelling.
        let mut seen = [0_u64; 2];
        let mut tag_seen = false;
        self.members(|reader, name| {
            if shape.tag == Some(name.as_ref()) {
                return reader.once(&mut tag_seen).and_then(|()| reader.skip());
            }
            let Some((index, documented)) = shape.find(name.as_ref()) else {
                if reader.unknown.len() < MAX_UNKNOWN {
                    reader.unknown.push(reader.pointer());
                }
                return reader.skip();
            };
            let bits = &mut seen[usize::from(!documented)];
            let mut repeated = *bits & (1 << index) != 0;
            *bits |= 1 << index;
            reader.once(&mut repeated)?;
            read(reader, index)
        })
    }

    /// An object whose keys are data.
    ///
    /// # Errors
    /// Not an object, a key given twice, or a value's own fault.
    pub fn map<T>(
        &mut self,
        decode: impl Fn(&mut Self) -> Result<T, Fault>,
    ) -> Result<BTreeMap<String, T>, Fault> {
        let mut map = BTreeMap::new();
        self.members(|reader, name| {
            let value = decode(reader)?;
            match map.insert(name.as_ref().to_owned(), value) {
                None => Ok(()),
                Some(_) => Err(reader.fault("this member is given twice")),
            }
        })?;
        Ok(map)
    }

    /// An array of `min` to `max` elements.
    ///
    /// # Errors
    /// Not an array, too few or too many elements, or an element's own fault.
    pub fn array<T>(
        &mut self,
        min: usize,
        max: usize,
        decode: impl Fn(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut values = Vec::new();
        if !self.take(b'[') {
            return Err(self.fault("expected an array"));
        }
        while !self.take(b']') {
            self.take(b',');
            self.path.push(Step::Index(values.len()));
            let value = decode(self)?;
            self.path.pop();
            if values.len() == max {
                return Err(self.fault(format!("expected at most {max} elements")));
            }
            values.push(value);
        }
        if values.len() < min {
            return Err(self.fault(format!("expected at least {min} elements")));
        }
        Ok(values)
    }

    /// The value of the object's member `name`, which tells the variant of a union; the reader stays before the object.
    ///
    /// # Errors
    /// Not an object, or no such member with a string value.
    pub fn tag(&mut self, name: &'static str) -> Result<Cow<'a, str>, Fault> {
        let (start, depth) = (self.at, self.path.len());
        let mut found = None;
        self.members(|reader, key| {
            if found.is_none() && key.as_ref() == name {
                found = Some(reader.string()?);
                return Ok(());
            }
            reader.skip()
        })?;
        self.at = start;
        self.path.truncate(depth);
        found.ok_or_else(|| self.missing(&Member::fixed(name)))
    }

    /// Whether the object here has a member of exactly this name whose value is not null (EN-03).
    pub(crate) fn has(mut self, name: &str) -> bool {
        let mut found = false;
        let read = self.members(|reader, key| {
            if reader.skip_null() {
                return Ok(());
            }
            found |= key.as_ref() == name;
            reader.skip()
        });
        found && read.is_ok()
    }

    /// The value of the object's member of exactly this name, if it is a string.
    pub(crate) fn string_of(mut self, name: &str) -> Option<String> {
        let mut found = None;
        let read = self.members(|reader, key| {
            if key.as_ref() == name && reader.peek() == Some(b'"') {
                found = Some(reader.string()?.into_owned());
                return Ok(());
            }
            reader.skip()
        });
        found.filter(|_| read.is_ok())
    }

    /// The fault of a union whose tag has a value that no variant has.
    pub fn unknown_tag(&self, name: &'static str, known: &[&str]) -> Fault {
        let path = format!("{}/{name}", self.pointer());
        let message = format!("expected one of {}", known.join(", "));
        Fault { reason: FaultReason::InvalidParams, path, message: message.into() }
    }

    /// A string, its escapes resolved.
    ///
    /// # Errors
    /// Not a string.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        let quoted = self.quoted().ok_or_else(|| self.fault("expected a string"))?;
        match quoted.contains('\\') {
            false => Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1])),
            true => serde_json::from_str(quoted).map(Cow::Owned).map_err(|_| self.fault("expected a string")),
        }
    }

    /// Any one value, as its text.
    ///
    /// # Errors
    /// There is no value: the text was never validated.
    pub fn raw(&mut self) -> Result<&'a str, Fault> {
        self.white_space();
        let start = self.at;
        self.skip()?;
        Ok(&self.text[start..self.at])
    }

    /// Skips a null, and says whether there was one.
    pub fn skip_null(&mut self) -> bool {
        self.white_space();
        let null = self.text[self.at..].starts_with("null");
        if null {
            self.at += "null".len();
        }
        null
    }

    /// The source text of an integer: without fraction or exponent (EN-14).
    pub(super) fn integer(&mut self, expected: impl Fn() -> Cow<'static, str>) -> Result<&'a str, Fault> {
        match self.number() {
            Some(text) if !text.contains(['.', 'e', 'E']) => Ok(text),
            _ => Err(self.fault(expected())),
        }
    }

    /// The source text of a number.
    pub(super) fn number(&mut self) -> Option<&'a str> {
        self.run(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
            .filter(|text| text.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
    }

    /// One of JSON's three words.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.run(|byte| byte.is_ascii_lowercase())
    }

    fn once(&self, seen: &mut bool) -> Result<(), Fault> {
        match std::mem::replace(seen, true) {
            false => Ok(()),
            true => Err(self.fault("this member is given twice")),
        }
    }

    /// Calls `read` for each member of an object, the reader at its value and the path ending in its name.
    fn members(
        &mut self,
        mut read: impl FnMut(&mut Self, &Cow<'a, str>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if !self.take(b'{') {
            return Err(self.fault("expected an object"));
        }
        while !self.take(b'}') {
            self.take(b',');
            let name = self.string()?;
            if !self.take(b':') {
                return Err(self.fault("expected a member"));
            }
            self.path.push(Step::Member(name.clone()));
            read(self, &name)?;
            self.path.pop();
        }
        Ok(())
    }

    /// Skips one value of any kind.
    fn skip(&mut self) -> Result<(), Fault> {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.quoted().ok_or_else(|| self.fault("expected a value"))?;
                }
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b',' | b':') if depth > 0 => self.at += 1,
                Some(_) => {
                    self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'))
                        .ok_or_else(|| self.fault("expected a value"))?;
                }
                None => return Err(self.fault("expected a value")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// A string with its quotes, escapes as they are.
    fn quoted(&mut self) -> Option<&'a str> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at;
        let mut end = start + 1;
        loop {
            end += memchr::memchr2(b'"', b'\\', self.text.as_bytes().get(end..)?)?;
            if self.text.as_bytes()[end] == b'"' {
                break;
            }
            // The escaped character may be a quote; every other escape continues with plain characters.
            end += 2;
        }
        self.at = end + 1;
        self.text.get(start..self.at)
    }

    /// The longest run of bytes that `belongs` takes, if there is one.
    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> Option<&'a str> {
        self.white_space();
        let rest = &self.text[self.at..];
        let length = rest.bytes().position(|byte| !belongs(byte)).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn peek(&mut self) -> Option<u8> {
        self.white_space();
        self.text.as_bytes().get(self.at).copied()
    }

    fn white_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    /// The JSON pointer of the reader's place.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.path {
            pointer.push('/');
            match step {
                Step::Member(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        if pointer.len() > MAX_POINTER {
            let end = (0..=MAX_POINTER).rev().find(|&end| pointer.is_char_boundary(end)).unwrap_or(0);
            pointer.truncate(end);
            pointer.push('…');
        }
        pointer
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.array(0, usize::MAX, T::decode)
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.map(T::decode)
    }
}
