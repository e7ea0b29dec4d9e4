//! What a method and a notification are to Rust: a name with the types of what goes in and comes out.

use crate::json::{Decode, Encode, Fault, FaultReason, Member, Reader, Spelling};
use std::pin::Pin;

/// A method that is answered.
pub trait Request {
    /// Its name on the wire.
    const METHOD: &'static str;
    /// What it is called with.
    type Params: Encode + Decode + Send;
    /// What it answers when it succeeds.
    type Result: Encode + Decode + Send;
}

/// A message that is never answered.
pub trait Notification {
    /// Its name on the wire.
    const METHOD: &'static str;
    /// What it carries.
    type Params: Encode + Decode + Send;
}

/// The second phase of a long method: it runs beside the methods that came after it (OR-04).
pub type Long<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'static>>;

/// A frame's `params` before they have a type.
#[derive(Debug, Clone, Copy)]
pub struct Params<'a> {
    text: Option<&'a str>,
    spelling: Spelling,
    strict: bool,
}

impl<'a> Params<'a> {
    /// The source text of `params`, already validated; `None` if the frame has none.
    pub const fn new(text: Option<&'a str>) -> Self {
        Self { text, spelling: Spelling::Documented, strict: false }
    }

    /// Names missing members as the connection spells them.
    #[must_use]
    pub const fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// Refuses members that the spec does not declare (EN-13).
    #[must_use]
    pub const fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// The parameters as a `T`. Absent and `[]` mean `{}`; another array is refused, parameters go by name (EN-03).
    ///
    /// # Errors
    /// What does not fit, with its place.
    pub fn decode<T: Decode>(&self) -> Result<T, Fault> {
        let text = match self.text {
            None => "{}",
            Some(text) if text.starts_with('[') => match text[1..].trim_start().starts_with(']') {
                true => "{}",
                false => return Err(Reader::new(text).fault("parameters go by name: expected an object")),
            },
            Some(text) => text,
        };
        let mut reader = Reader::new(text).spelled(self.spelling);
        let value = T::decode(&mut reader)?;
        for path in reader.unknown_members() {
            if self.strict {
                let message = "the spec declares no such member".into();
                return Err(Fault { reason: FaultReason::UnknownMember, path: path.clone(), message });
            }
            tracing::debug!(member = %path.escape_debug(), "ignored an unknown member");
        }
        Ok(value)
    }

    /// The spelling of `member` that these parameters use; the documented one where they use neither (SP-04).
    pub fn spelling_of(&self, member: &Member) -> &'static str {
        if self.has(member.other()) && !self.has(member.documented()) {
            member.other()
        } else {
            member.documented()
        }
    }

    /// Whether there is a member of exactly this name; null counts as absent (EN-03).
    pub fn has(&self, name: &str) -> bool {
        self.text.is_some_and(|text| Reader::new(text).has(name))
    }

    /// The string that `member` has as its value, in whichever spelling, whatever is wrong with the rest.
    pub fn string(&self, member: &Member) -> Option<String> {
        let find = |name| self.text.and_then(|text| Reader::new(text).string_of(name));
        find(member.documented()).or_else(|| find(member.other()))
    }
}
