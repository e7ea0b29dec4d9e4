//! The place of one member while its object is being read.

use super::{Fault, Member, Reader};

/// Holds a member's value until the object has been read to its end.
#[derive(Debug)]
pub struct Slot<T>(Option<T>);

impl<T: PartialEq> Slot<T> {
    /// An empty slot.
    #[expect(clippy::new_without_default, reason = "generated code says `new`, nothing asks for a default")]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Reads the value of a member that must be there. A second value comes from the other spelling; it must be
    /// equal to the first (SP-01).
    ///
    /// # Errors
    /// The value's own fault, or that the two spellings differ.
    pub fn fill<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        decode: impl FnOnce(&mut Reader<'a>) -> Result<T, Fault>,
    ) -> Result<(), Fault> {
        let value = decode(reader)?;
        match &self.0 {
            Some(first) if *first != value => {
                Err(reader.fault("the two spellings of this member have different values"))
            }
            Some(_) => Ok(()),
            None => {
                self.0 = Some(value);
                Ok(())
            }
        }
    }

    /// Reads the value of a member that may be absent; null counts as absent (EN-03).
    ///
    /// # Errors
    /// As [`Slot::fill`].
    pub fn fill_optional<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        decode: impl FnOnce(&mut Reader<'a>) -> Result<T, Fault>,
    ) -> Result<(), Fault> {
        if reader.skip_null() { Ok(()) } else { self.fill(reader, decode) }
    }

    /// The value of a required member.
    ///
    /// # Errors
    /// That it is missing, with the place where it should be.
    pub fn required(self, reader: &Reader<'_>, member: &Member) -> Result<T, Fault> {
        self.0.ok_or_else(|| reader.missing(member))
    }

    /// The value of an optional member.
    pub fn optional(self) -> Option<T> {
        self.0
    }

    /// The value of a member with a default.
    pub fn or(self, default: T) -> T {
        self.0.unwrap_or(default)
    }
}
