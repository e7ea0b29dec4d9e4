//! The bounded line reader, without I/O: bytes go in at any cut, frames come out (section 2, LI-01).
//! What a frame says is not looked at here, and no clock runs here: LI-02 is the connection's.

use bytes::buf::Limit;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use memchr::{memchr, memrchr};

/// Room kept ready for a read.
const READ_BYTES: usize = 16 * 1024;
/// The most that one read takes, however much room there is: what comes after a frame that is too large
/// costs no more memory than this.
const LARGEST_READ_BYTES: usize = 128 * 1024;
/// A frame above this size takes its buffer with it, so that an idle connection does not keep it.
const LARGE_FRAME_BYTES: usize = 64 * 1024;

/// Cuts a stream of bytes into frames.
///
/// A frame is one line; LF alone ends it, a CR before the LF is dropped, and blank lines are skipped
/// (FR-02). A frame *begins* with its first byte that is not blank: spaces, tabs and CRs in front of it
/// are dropped as they come, so that neither memory nor LI-02's clock is spent on them. They count
/// towards the frame's size once it has begun, because the limit is on the line; a line that stays
/// blank is no frame and has no limit.
///
/// Who takes every frame before reading again holds at most the limit and one read.
///
/// ```
/// # use zeroclaw_spec::wire::FrameReader;
/// let mut reader = FrameReader::new(1024);
/// reader.extend(b"\r\n{\"a\":1}\r\n{\"b\"");
/// assert_eq!(reader.next_frame()?.as_deref(), Some(&b"{\"a\":1}"[..]));
/// assert_eq!(reader.next_frame()?, None);
/// assert!(reader.is_partial());
/// reader.extend(b":2}");
/// reader.finish();
/// assert_eq!(reader.next_frame()?.as_deref(), Some(&b"{\"b\":2}"[..]));
/// # Ok::<(), zeroclaw_spec::wire::TooLarge>(())
/// ```
#[derive(Debug)]
pub struct FrameReader {
    limit: usize,
    /// What has been read and not yet taken. Once `scan` has run it starts with a frame's first byte.
    buffer: BytesMut,
    /// Blanks dropped from the line on which the frame at the front begins.
    leading: usize,
    /// So many bytes of `buffer` hold no LF. Bytes that come one at a time are each looked at once.
    scanned: usize,
    finished: bool,
    refused: bool,
}

/// The frame at the front is larger than the limit (LI-01). The stream cannot be read any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame is larger than {limit} bytes")]
pub struct TooLarge {
    /// The limit in bytes, LF included.
    pub limit: usize,
}

impl FrameReader {
    /// A reader of frames of at most `limit` bytes, LF included.
    pub fn new(limit: usize) -> Self {
        Self { limit, buffer: BytesMut::new(), leading: 0, scanned: 0, finished: false, refused: false }
    }

    /// The limit in force, in bytes, LF included.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Changes the limit, also for the frame that has already begun (EP-18 widens it after `initialize`).
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Where the next read goes: `transport.read_buf(&mut reader.room())`. Never empty.
    pub fn room(&mut self) -> Limit<&mut BytesMut> {
        self.buffer.reserve(READ_BYTES);
        let spare = self.buffer.capacity() - self.buffer.len();
        (&mut self.buffer).limit(spare.min(LARGEST_READ_BYTES))
    }

    /// Takes in bytes that were read elsewhere.
    pub fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The stream has ended: a last line without LF counts too (FR-02).
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// The next whole frame without its line end, or `None` until more has been read.
    ///
    /// # Errors
    /// [`TooLarge`] as soon as it is known that the frame at the front exceeds the limit, before its end
    /// has come, and from then on at every call: what was read of it has been thrown away.
    pub fn next_frame(&mut self) -> Result<Option<Bytes>, TooLarge> {
        match self.scan() {
            Scan::TooLarge => {
                self.refused = true;
                self.buffer = BytesMut::new();
                self.scanned = 0;
                Err(TooLarge { limit: self.limit })
            }
            Scan::Whole(size) => Ok(Some(self.take(size))),
            Scan::Nothing | Scan::Partial => Ok(None),
        }
    }

    /// Whether [`next_frame`](Self::next_frame) would give a frame now. While it does, replies may wait
    /// so that they leave together.
    pub fn has_complete_frame(&mut self) -> bool {
        matches!(self.scan(), Scan::Whole(_))
    }

    /// Whether a frame has begun and not ended, so that LI-02's time runs. The clock starts anew with
    /// each frame: whoever keeps it forgets the old time whenever a frame was taken.
    pub fn is_partial(&mut self) -> bool {
        matches!(self.scan(), Scan::Partial)
    }

    /// Bytes held: whole frames not yet taken and the unfinished one.
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    fn scan(&mut self) -> Scan {
        if self.refused {
            return Scan::TooLarge;
        }
        if self.scanned == 0 {
            self.skip_blanks();
        }
        if self.buffer.is_empty() {
            return Scan::Nothing;
        }
        let end = memchr(b'\n', &self.buffer[self.scanned..]);
        // On a line feed the position stays before it: asking again finds it at once.
        self.scanned = end.map_or(self.buffer.len(), |found| self.scanned + found);
        let size = self.scanned + usize::from(end.is_some());
        // LI-01: leading blanks are part of the line, and so is the LF, once there is one.
        if self.leading.saturating_add(size) > self.limit {
            Scan::TooLarge
        } else if end.is_some() || self.finished {
            Scan::Whole(size)
        } else {
            Scan::Partial
        }
    }

    /// Drops blank lines, and the blanks in front of a frame.
    fn skip_blanks(&mut self) {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let blanks = self.buffer.iter().position(|byte| !is_blank(byte)).unwrap_or(self.buffer.len());
        match memrchr(b'\n', &self.buffer[..blanks]) {
            Some(line_end) => self.leading = blanks - line_end - 1,
            None => self.leading = self.leading.saturating_add(blanks),
        }
        self.buffer.advance(blanks);
    }

    fn take(&mut self, size: usize) -> Bytes {
        let mut line = self.buffer.split_to(size);
        self.leading = 0;
        self.scanned = 0;
        if line.ends_with(b"\n") {
            line.truncate(line.len() - 1);
        }
        if line.ends_with(b"\r") {
            line.truncate(line.len() - 1);
        }
        if line.len() > LARGE_FRAME_BYTES && self.buffer.len() <= LARGE_FRAME_BYTES {
            self.buffer = BytesMut::from(&self.buffer[..]);
        }
        line.freeze()
    }
}

/// What the buffer starts with.
enum Scan {
    Nothing,
    Partial,
    /// A whole frame of so many bytes, its line end included.
    Whole(usize),
    TooLarge,
}
