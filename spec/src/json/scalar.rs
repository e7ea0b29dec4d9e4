//! Numbers and the other values without parts.

use super::{Decode, Encode, Fault, Reader, Writer};
use std::fmt;

/// An integer from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const MIN: i64, const MAX: i64>(i64);

/// A number outside the bounds of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an integer from {min} to {max}")]
pub struct OutOfRange {
    min: i64,
    max: i64,
}

impl<const MIN: i64, const MAX: i64> Bounded<MIN, MAX> {
    /// Checks the bounds.
    ///
    /// # Errors
    /// [`OutOfRange`].
    pub const fn new(value: i64) -> Result<Self, OutOfRange> {
        if value < MIN || value > MAX { Err(OutOfRange { min: MIN, max: MAX }) } else { Ok(Self(value)) }
    }

    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl<const MIN: i64, const MAX: i64> TryFrom<i64> for Bounded<MIN, MAX> {
    type Error = OutOfRange;

    fn try_from(value: i64) -> Result<Self, OutOfRange> {
        Self::new(value)
    }
}

impl<const MIN: i64, const MAX: i64> Decode for Bounded<MIN, MAX> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let out_of_range = OutOfRange { min: MIN, max: MAX };
        let text = reader.integer(|| out_of_range.to_string().into())?;
        text.parse()
            .ok()
            .and_then(|n| Self::new(n).ok())
            .ok_or_else(|| reader.fault(out_of_range.to_string()))
    }
}

impl<const MIN: i64, const MAX: i64> Encode for Bounded<MIN, MAX> {
    fn encode(&self, out: &mut Writer) {
        out.display(self.0);
    }
}

/// Any JSON integer, kept as the text it came in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Integer(Box<str>);

impl Integer {
    /// The digits, with their sign.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number, where it fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Self(value.to_string().into())
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Decode for Integer {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(Self(reader.integer(|| "expected an integer".into())?.into()))
    }
}

impl Encode for Integer {
    fn encode(&self, out: &mut Writer) {
        out.raw(&self.0);
    }
}

impl Decode for u64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let text = reader.integer(|| "expected a non-negative integer".into())?;
        // `-0` is zero, and an integer by its form.
        if text == "-0" {
            Ok(0)
        } else {
            text.parse().map_err(|_| reader.fault("expected an integer from 0 to 2^64 - 1"))
        }
    }
}

impl Encode for u64 {
    fn encode(&self, out: &mut Writer) {
        out.display(*self);
    }
}

impl Decode for f64 {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let text = reader.number().ok_or_else(|| reader.fault("expected a number"))?;
        text.parse().map_err(|_| reader.fault("expected a number"))
    }
}

impl Encode for f64 {
    /// JSON has no text for infinities and NaN; they are written as null.
    fn encode(&self, out: &mut Writer) {
        match serde_json::Number::from_f64(*self) {
            Some(number) => out.display(number),
            None => out.raw("null"),
        }
    }
}

impl Decode for bool {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        match reader.word() {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => Err(reader.fault("expected true or false")),
        }
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut Writer) {
        out.raw(if *self { "true" } else { "false" });
    }
}

impl Decode for String {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(reader.string()?.into_owned())
    }
}

impl Encode for String {
    fn encode(&self, out: &mut Writer) {
        out.string(self);
    }
}
