//! Strings with a bound on their length or their characters.

use super::{Fault, Reader};

/// What a constrained string must look like.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Fewest characters.
    pub min: usize,
    /// Most characters.
    pub max: usize,
    /// The ranges its characters come from; any character if absent.
    pub class: Option<&'static [(char, char)]>,
}

impl Text {
    /// Checks a string.
    ///
    /// # Errors
    /// [`Unfit`], which says what is asked for and does not hold the string.
    pub fn check(&'static self, text: &str) -> Result<(), Unfit> {
        let count = text.chars().count();
        let fits =
            |c: char| self.class.is_none_or(|class| class.iter().any(|&(lo, hi)| (lo..=hi).contains(&c)));
        if (self.min..=self.max).contains(&count) && text.chars().all(fits) {
            Ok(())
        } else {
            Err(Unfit(self))
        }
    }
}

/// A string that is too short, too long, or has a character outside its class.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("expected {}", Asked(self.0))]
pub struct Unfit(&'static Text);

struct Asked<'a>(&'a Text);

impl std::fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Text { min, max, class } = *self.0;
        match (min, max) {
            (min, usize::MAX) => write!(f, "at least {min} characters")?,
            (0, max) => write!(f, "at most {max} characters")?,
            (min, max) if min == max => write!(f, "exactly {min} characters")?,
            (min, max) => write!(f, "{min} to {max} characters")?,
        }
        let Some(class) = class else { return Ok(()) };
        f.write_str(" of ")?;
        for &(lo, hi) in class {
            if lo == hi { write!(f, "{lo}")? } else { write!(f, "{lo}-{hi}")? }
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Reads a string and checks it.
    ///
    /// # Errors
    /// Not a string, or not as `text` asks.
    pub fn text(&mut self, text: &'static Text) -> Result<String, Fault> {
        let value = self.string()?;
        match text.check(&value) {
            Ok(()) => Ok(value.into_owned()),
            Err(unfit) => Err(self.fault(unfit.to_string())),
        }
    }
}
