//! The wire log of a case: what was sent and received, when, on which connection; secrets masked, long texts cut.

use regex::Regex;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tokio::time::Instant;

/// Longer texts are cut in the log.
const SHOWN_BYTES: usize = 600;
/// Lines a log keeps at most; the oldest go.
const KEPT_LINES: usize = 400;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WireLine {
    /// Milliseconds since the case began.
    pub at_ms: f64,
    /// The connection.
    pub on: String,
    /// `>` sent, `<` received, `*` something else that happened.
    pub direction: char,
    /// The text.
    pub text: String,
}

/// The log of one case, shared with its readers.
#[derive(Clone)]
pub(super) struct WireLog {
    begun: Instant,
    lines: Arc<Mutex<Vec<WireLine>>>,
}

impl WireLog {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), lines: Arc::default() }
    }

    pub(super) fn add(&self, on: &str, direction: char, bytes: &[u8]) {
        let at_ms = (self.begun.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
        let line = WireLine { at_ms, on: on.to_owned(), direction, text: shown(bytes) };
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.remove(0);
        }
        lines.push(line);
    }

    /// The last lines.
    pub(super) fn last(&self, count: usize) -> Vec<WireLine> {
        let lines = self.lines();
        lines[lines.len().saturating_sub(count)..].to_vec()
    }

    pub(super) fn lines(&self) -> Vec<WireLine> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Bytes for a person: cut, what is not text escaped, secrets masked.
pub(super) fn shown(bytes: &[u8]) -> String {
    let (head, cut) = match bytes.len().checked_sub(SHOWN_BYTES) {
        Some(cut) if cut > 0 => (&bytes[..SHOWN_BYTES], cut),
        _ => (bytes, 0),
    };
    let mut text = String::new();
    for chunk in head.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                letter if letter.is_control() => text.push_str(&letter.escape_unicode().to_string()),
                letter => text.push(letter),
            }
        }
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    let text = text.strip_suffix("\\n").map(str::to_owned).unwrap_or(text);
    let masked = masked(&text);
    if cut > 0 { format!("{masked}… ({cut} bytes more)") } else { masked }
}

/// Tokens and signatures are nobody's business in a report.
fn masked(text: &str) -> String {
    static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#""(authToken|auth_token|tuiSig|tui_sig)"\s*:\s*"[^"]*("|$)"#)
            .expect("the pattern is a constant")
    });
    SECRETS.replace_all(text, r#""$1":"***""#).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_long_texts_cut() {
        assert_eq!(shown(b"{\"authToken\":\"abc\",\"x\":1}\n"), r#"{"authToken":"***","x":1}"#);
        assert!(shown(&[b'x'; 1000]).ends_with("… (400 bytes more)"));
        assert_eq!(shown(b"a\xffb\r\nc\x01"), "a\\xffb\\r\\nc\\u{1}");
    }
}
