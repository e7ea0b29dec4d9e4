//! Walking JSON text that the validator has accepted, and the texts of strings both ways.
//! On any other text the walk ends early; it never panics and never runs for ever.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The members of an object as they stand: names with their quotes, values as text.
pub(super) struct Members<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Members<'a> {
    /// `None` if the text is no object.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let at = skip_white_space(text.as_bytes(), 0);
        (text.as_bytes().get(at) == Some(&b'{')).then_some(Self { text, at: at + 1 })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let name = skip_white_space(bytes, self.at);
        if bytes.get(name) != Some(&b'"') {
            return None;
        }
        let name_end = skip_string(bytes, name);
        let colon = skip_white_space(bytes, name_end);
        if bytes.get(colon) != Some(&b':') {
            return None;
        }
        let value = skip_white_space(bytes, colon + 1);
        let value_end = skip_value(bytes, value);
        let comma = skip_white_space(bytes, value_end);
        // Past the comma, or on the closing brace, where the next name is not found.
        self.at = comma + usize::from(bytes.get(comma) == Some(&b','));
        Some((&self.text[name..name_end], &self.text[value..value_end]))
    }
}

fn skip_white_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The place after the value that begins here.
fn skip_value(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = skip_string(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            // Numbers and literals; between values of a container, punctuation too.
            _ => at += 1,
        }
        let ends = matches!(bytes.get(at), None | Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'));
        if depth == 0 && ends {
            break;
        }
    }
    at
}

/// The place after the string that begins here, at its opening quote.
fn skip_string(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// What a string means, from its text with quotes.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_suffix('"').unwrap_or(text);
    let Some(first) = memchr(b'\\', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut units = Vec::new();
    let mut rest = &text[first..];
    while let Some(escaped) = rest.strip_prefix('\\') {
        // Escapes that follow one another are collected first, for surrogates come in pairs.
        let taken = match escaped.as_bytes().first() {
            Some(b'u') => {
                let unit = escaped.get(1..5).and_then(|digits| u16::from_str_radix(digits, 16).ok());
                units.push(unit.unwrap_or(0xFFFD));
                5
            }
            Some(b'b') => push_unit(&mut units, 0x08),
            Some(b'f') => push_unit(&mut units, 0x0C),
            Some(b'n') => push_unit(&mut units, 0x0A),
            Some(b'r') => push_unit(&mut units, 0x0D),
            Some(b't') => push_unit(&mut units, 0x09),
            Some(&byte) if byte.is_ascii() => push_unit(&mut units, u16::from(byte)),
            _ => 0,
        };
        rest = escaped.get(taken..).unwrap_or("");
        if !rest.starts_with('\\') {
            out.extend(char::decode_utf16(units.drain(..)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
            let plain = memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            rest = &rest[plain..];
        }
    }
    Cow::Owned(out)
}

fn push_unit(units: &mut Vec<u16>, unit: u16) -> usize {
    units.push(unit);
    1
}

/// Appends a string with its quotes; control characters are escaped (FR-03).
pub(super) fn escape_into(out: &mut String, text: &str) {
    use std::fmt::Write;
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => write!(out, "\\u{control:04x}").expect("writing to a String cannot fail"),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}
