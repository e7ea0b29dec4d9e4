//! Typed values in and out of JSON text, by the protocol's own rules: both spellings of a member (SP-01),
//! null for absent (EN-03), repeats refused (EN-11), unknown members reported (EN-13), every refusal with a
//! JSON pointer (EN-14). The impls are generated; this module is what they call.
//!
//! The text read here has passed [`crate::wire::validate`]. Reading other text is safe, but its faults are vague.

mod fault;
mod raw;
mod reader;
mod scalar;
mod shape;
mod slot;
mod text;
mod writer;

pub use fault::{Fault, FaultReason};
pub use raw::RawJson;
pub use reader::Reader;
pub use scalar::{Bounded, Integer, OutOfRange};
pub use shape::{Member, Shape, Spelling};
pub use slot::Slot;
pub use text::{Text, Unfit};
pub use writer::Writer;

/// A value that can be read from JSON text.
pub trait Decode: Sized {
    /// Reads the value at the reader's place and leaves the reader behind it.
    ///
    /// # Errors
    /// A [`Fault`] that names the place and what was expected there, never what was found.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault>;
}

/// A value that can be written as JSON text.
pub trait Encode {
    /// Writes the value, its members in the writer's spelling.
    fn encode(&self, out: &mut Writer);
}

/// The value written as documented, for whoever wants the text alone.
pub fn to_text(value: &impl Encode) -> String {
    let mut out = Writer::new(Spelling::Documented);
    value.encode(&mut out);
    out.finish()
}

/// Reads one value that stands alone in `text`; unknown members are ignored.
///
/// # Errors
/// As [`Decode::decode`].
pub fn from_text<T: Decode>(text: &str) -> Result<T, Fault> {
    T::decode(&mut Reader::new(text))
}

#[cfg(test)]
mod tests;
