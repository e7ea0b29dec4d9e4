//! Text to [`Json`], strictly: RFC 8259 and what FR-04 adds (no lone surrogates, no number without a finite double).

use super::{Json, pointer_tokens};

/// Deeper nesting is refused, so that a hostile endpoint cannot exhaust the runner's stack.
const MAX_DEPTH: usize = 512;

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct ReadFault {
    /// Offset into the text.
    pub at: usize,
    /// What stands there, or should.
    pub what: &'static str,
}

/// Reads exactly one value; white space around it is allowed.
pub fn read(text: &str) -> Result<Json, ReadFault> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let value = reader.value()?;
    reader.blank();
    if reader.at < text.len() { Err(reader.fault("text after the value")) } else { Ok(value) }
}

/// The source text of the value at a JSON pointer in a text that [`read`] accepts.
pub fn source_at<'a>(text: &'a str, pointer: &str) -> Option<&'a str> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    for token in pointer_tokens(pointer) {
        reader.blank();
        match reader.peek()? {
            b'{' => {
                reader.at += 1;
                loop {
                    reader.blank();
                    let name = reader.string().ok()?;
                    reader.blank();
                    reader.at += 1;
                    if name == token {
                        break;
                    }
                    reader.pass_element()?;
                }
            }
            b'[' => {
                reader.at += 1;
                for _ in 0..token.parse::<usize>().ok()? {
                    reader.pass_element()?;
                }
            }
            _ => return None,
        }
    }
    reader.blank();
    let start = reader.at;
    reader.value().ok()?;
    Some(&text[start..reader.at])
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn fault(&self, what: &'static str) -> ReadFault {
        ReadFault { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Passes a value and the comma after it; nothing when no further element follows.
    fn pass_element(&mut self) -> Option<()> {
        self.value().ok()?;
        self.blank();
        (self.peek()? == b',').then(|| self.at += 1)
    }

    fn value(&mut self) -> Result<Json, ReadFault> {
        self.blank();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.fault("no value")),
            None => Err(self.fault("the text ends")),
        }
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Result<Json, ReadFault>) -> Result<Json, ReadFault> {
        if self.depth == MAX_DEPTH {
            return Err(self.fault("nesting too deep"));
        }
        self.depth += 1;
        self.at += 1;
        let value = inner(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, ReadFault> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.fault("no value"))
        }
    }

    /// What separates elements: true after a comma, false at the end.
    fn more(&mut self, close: u8) -> Result<bool, ReadFault> {
        self.blank();
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == close => {
                self.at += 1;
                return Ok(false);
            }
            _ => return Err(self.fault("no comma and no end")),
        }
        Ok(true)
    }

    fn array(&mut self) -> Result<Json, ReadFault> {
        let mut elements = Vec::new();
        self.blank();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value()?);
            if !self.more(b']')? {
                return Ok(Json::Array(elements));
            }
        }
    }

    fn object(&mut self) -> Result<Json, ReadFault> {
        let mut members = Vec::new();
        self.blank();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(members));
        }
        loop {
            self.blank();
            let name = self.string()?;
            self.blank();
            if self.peek() != Some(b':') {
                return Err(self.fault("no colon"));
            }
            self.at += 1;
            members.push((name, self.value()?));
            if !self.more(b'}')? {
                return Ok(Json::Object(members));
            }
        }
    }

    fn digits(&mut self) -> Result<(), ReadFault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.fault("no digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<Json, ReadFault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        // FR-04: a number with no finite double is not JSON here.
        if text.parse::<f64>().is_ok_and(f64::is_finite) {
            Ok(Json::Number(text.to_owned()))
        } else {
            Err(ReadFault { at: start, what: "a number with no finite double" })
        }
    }

    fn string(&mut self) -> Result<String, ReadFault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("no string"));
        }
        self.at += 1;
        let mut out = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.fault("a control character that is not escaped")),
                None => return Err(self.fault("the string does not end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ReadFault> {
        self.at += 1;
        let letter = self.peek().ok_or_else(|| self.fault("the string does not end"))?;
        self.at += 1;
        Ok(match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex()?;
                if (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    let low = self.hex()?;
                    if !(0xdc00..0xe000).contains(&low) {
                        return Err(self.fault("a lone surrogate"));
                    }
                    let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                    return char::from_u32(code).ok_or_else(|| self.fault("a lone surrogate"));
                }
                char::from_u32(unit).ok_or_else(|| self.fault("a lone surrogate"))?
            }
            _ => return Err(self.fault("no such escape")),
        })
    }

    fn hex(&mut self) -> Result<u32, ReadFault> {
        let digits =
            self.text.get(self.at..self.at + 4).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        unit.ok_or_else(|| self.fault("no four hex digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "+1",
            "NaN",
            "1e999",
            "\"\u{1}\"",
            r#""\ud800""#,
            r#""\ud800\u0041""#,
            r#""\x""#,
            "{} {}",
            "tru",
            "{1:2}",
            r#""\u12"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn surrogate_pairs_are_one_character() {
        assert_eq!(read(r#""\ud83d\ude00""#), Ok(Json::text("😀")));
    }

    #[test]
    fn the_source_of_a_value_is_found_by_its_pointer() {
        let text = r#" {"x": [1, {"y" : "\u0061"}], "id":1e3 }"#;
        assert_eq!(source_at(text, "/id"), Some("1e3"));
        assert_eq!(source_at(text, "/x/1/y"), Some(r#""\u0061""#));
        assert_eq!(source_at(text, "/x/1"), Some(r#"{"y" : "\u0061"}"#));
        assert_eq!(source_at(text, "/z"), None);
    }
}
