//! Open data: JSON that the protocol carries and never looks into (SP-01).

use super::{Decode, Encode, Fault, Reader, Writer};

/// One JSON value as the text it came in: numbers, order and spelling untouched.
#[derive(Debug, Clone)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&serde_json::Value> for RawJson {
    fn from(value: &serde_json::Value) -> Self {
        Self(value.to_string().into())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        Self::from(&value)
    }
}

/// Equal as JSON values: white space and the order of members do not count.
impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        let value = |raw: &Self| serde_json::from_str::<serde_json::Value>(&raw.0).ok();
        self.0 == other.0 || matches!((value(self), value(other)), (Some(a), Some(b)) if a == b)
    }
}

impl Decode for RawJson {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(Self(reader.raw()?.into()))
    }
}

impl Encode for RawJson {
    fn encode(&self, out: &mut Writer) {
        out.raw(&self.0);
    }
}
