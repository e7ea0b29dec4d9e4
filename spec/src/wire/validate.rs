//! The strict validator: RFC 8259 to the letter, in one iterative pass, before anything else reads a frame.
//! It builds nothing. What it accepts may be walked afterwards without looking at faults again.

/// How deep a frame may nest; the frame itself is level 1 (FR-04).
pub const MAX_DEPTH: u32 = 127;

/// Why and where a text is not JSON, for logs. It holds nothing of the text itself (FR-06, ER-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not JSON at byte {offset}: {reason}")]
pub struct NotJson {
    /// Where, in bytes from the start of the frame.
    pub offset: usize,
    /// What was wrong there.
    pub reason: &'static str,
}

/// Accepts exactly one JSON value with white space around it, and gives it back as text.
///
/// Stricter than most readers where FR-04 wants it: no byte order mark, surrogate escapes only in pairs,
/// every number has a finite double, at most [`MAX_DEPTH`] levels; in members nobody reads too. The stack
/// is bounded, and no memory is taken (FR-05).
///
/// # Errors
/// [`NotJson`] at the first fault.
pub fn validate(bytes: &[u8]) -> Result<&str, NotJson> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| NotJson { offset: error.valid_up_to(), reason: "invalid UTF-8" })?;
    Validator { text, bytes, at: 0, depth: 0, objects: 0 }.document()?;
    Ok(text)
}

struct Validator<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    /// The open containers, innermost in the lowest bit: 1 is an object, 0 an array. `MAX_DEPTH` fits.
    objects: u128,
}

type Step = Result<(), NotJson>;

impl Validator<'_> {
    fn document(&mut self) -> Step {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            return self.fault("a byte order mark");
        }
        'value: loop {
            self.white_space();
            match self.peek() {
                Some(b'{') => {
                    self.open(true)?;
                    self.white_space();
                    if self.peek() != Some(b'}') {
                        self.name()?;
                        continue 'value;
                    }
                }
                Some(b'[') => {
                    self.open(false)?;
                    self.white_space();
                    if self.peek() != Some(b']') {
                        continue 'value;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.literal("true")?,
                Some(b'f') => self.literal("false")?,
                Some(b'n') => self.literal("null")?,
                Some(_) => return self.fault("a value was expected"),
                None => return self.fault("the text ends too early"),
            }
            // A value is complete, or a container that is empty is about to be closed.
            loop {
                self.white_space();
                if self.depth == 0 {
                    return if self.at == self.bytes.len() {
                        Ok(())
                    } else {
                        self.fault("text after the value")
                    };
                }
                let in_object = self.objects & 1 == 1;
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if in_object {
                            self.white_space();
                            self.name()?;
                        }
                        continue 'value;
                    }
                    Some(b'}') if in_object => self.close(),
                    Some(b']') if !in_object => self.close(),
                    Some(_) => return self.fault("a comma or the end of the container was expected"),
                    None => return self.fault("the text ends too early"),
                }
            }
        }
    }

    fn open(&mut self, object: bool) -> Step {
        if self.depth == MAX_DEPTH {
            return self.fault("nested too deeply");
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u128::from(object);
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
        self.at += 1;
    }

    /// A member's name and its colon.
    fn name(&mut self) -> Step {
        if self.peek() != Some(b'"') {
            return self.fault("a member name was expected");
        }
        self.string()?;
        self.white_space();
        if self.peek() != Some(b':') {
            return self.fault("a colon was expected");
        }
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Step {
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(_) => return self.fault("a raw control character in a string"),
                None => return self.fault("the text ends inside a string"),
            }
        }
    }

    fn escape(&mut self) -> Step {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => match self.code_unit(self.at) {
                Some(0xD800..=0xDBFF) => match self.code_unit(self.at + 6) {
                    Some(0xDC00..=0xDFFF) => {
                        self.at += 12;
                        Ok(())
                    }
                    _ => self.fault("a lone surrogate escape"),
                },
                Some(0xDC00..=0xDFFF) => self.fault("a lone surrogate escape"),
                Some(_) => {
                    self.at += 6;
                    Ok(())
                }
                None => self.fault("an escape without four hex digits"),
            },
            _ => self.fault("an unknown escape"),
        }
    }

    /// The code unit that `\uXXXX` at this place stands for.
    fn code_unit(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
    }

    fn number(&mut self) -> Step {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = match self.peek() {
            Some(b'0') => {
                self.at += 1;
                1
            }
            _ => self.digits()?,
        };
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        let mut exponent = 0;
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            exponent = self.digits()?;
        }
        // Below 10^200 and with an exponent of two digits a number is finite without a look at its value.
        let short = whole <= 200 && exponent <= 2;
        if short || self.text[start..self.at].parse::<f64>().is_ok_and(f64::is_finite) {
            Ok(())
        } else {
            self.at = start;
            self.fault("a number without a finite double")
        }
    }

    /// One digit or more; how many.
    fn digits(&mut self) -> Result<usize, NotJson> {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.at += count;
        if count == 0 { Err(self.here("a digit was expected")) } else { Ok(count) }
    }

    fn literal(&mut self, word: &str) -> Step {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            self.fault("a value was expected")
        }
    }

    fn white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn here(&self, reason: &'static str) -> NotJson {
        NotJson { offset: self.at, reason }
    }

    fn fault(&self, reason: &'static str) -> Step {
        Err(self.here(reason))
    }
}

/// How many bytes from the start belong to a string as they are: no quote, no backslash, no control
/// character. Eight bytes a step, because most of a frame is text.
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte that is zero. A borrow can only falsify bits above the lowest set one.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        let word = u64::from_le_bytes(*chunk);
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let special =
            zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\'))) | controls;
        if special != 0 {
            return index * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
    bytes.len() - rest.len() + rest.iter().position(special).unwrap_or(rest.len())
}
