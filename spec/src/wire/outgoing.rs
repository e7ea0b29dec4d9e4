//! Frames on their way out: the envelope around JSON that is already encoded, on one line (FR-03).
//! Which frames are sent, and in what order, is the outbox's and its callers' matter.

use std::fmt::Display;

use memchr::memchr;

use super::envelope::Id;
use super::text::escape_into;

/// One JSON object and its LF, ready to be written. There is no other way to make one than from the
/// parts of a message, so nothing else can get onto the stream.
///
/// Parts given as JSON must be valid JSON text; line feeds between their tokens are harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame(Vec<u8>);

impl Frame {
    /// A request of ours. The id is a string; `params` is the text of an object or array.
    pub fn request(id: &impl Display, method: &str, params: Option<&str>) -> Self {
        let mut out = open(params);
        out.push_str(r#","id":"#);
        escape_into(&mut out, &id.to_string());
        call(out, method, params)
    }

    /// A notification. `params` is the text of an object or array.
    pub fn notification(method: &str, params: Option<&str>) -> Self {
        call(open(params), method, params)
    }

    /// The answer to a request that succeeded; `result` is its JSON text.
    pub fn result(id: &Id<'_>, result: &str) -> Self {
        let mut out = open(Some(result));
        out.push_str(r#","id":"#);
        out.push_str(id.as_json());
        out.push_str(r#","result":"#);
        out.push_str(result);
        close(out)
    }

    /// The answer to a request that failed; `data` is JSON text.
    pub fn error(id: &Id<'_>, code: i32, message: &str, data: Option<&str>) -> Self {
        let mut out = open(data);
        out.push_str(r#","id":"#);
        out.push_str(id.as_json());
        out.push_str(r#","error":{"code":"#);
        out.push_str(&code.to_string());
        out.push_str(r#","message":"#);
        escape_into(&mut out, message);
        if let Some(data) = data {
            out.push_str(r#","data":"#);
            out.push_str(data);
        }
        out.push('}');
        close(out)
    }

    /// The bytes on the wire, LF included.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Its size on the wire in bytes, LF included: what LI-13 bounds.
    #[expect(clippy::len_without_is_empty, reason = "a frame is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// The start of every frame, with room for the part that dominates its size.
fn open(part: Option<&str>) -> String {
    let mut out = String::with_capacity(part.map_or(0, str::len) + 128);
    out.push_str(r#"{"jsonrpc":"2.0""#);
    out
}

fn call(mut out: String, method: &str, params: Option<&str>) -> Frame {
    out.push_str(r#","method":"#);
    escape_into(&mut out, method);
    if let Some(params) = params {
        out.push_str(r#","params":"#);
        out.push_str(params);
    }
    close(out)
}

fn close(mut out: String) -> Frame {
    out.push('}');
    let mut bytes = out.into_bytes();
    // FR-03: open data may have been formatted over several lines where it came from. In JSON a raw line
    // feed can only be white space, so a space says the same.
    let mut at = 0;
    while let Some(found) = memchr(b'\n', &bytes[at..]) {
        at += found;
        bytes[at] = b' ';
    }
    bytes.push(b'\n');
    Frame(bytes)
}
