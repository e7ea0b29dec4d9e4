//! The run as it is: its events, one JSON object a line.

use crate::run::Event;
use std::io::{self, Write};

/// Writes an event.
pub fn json(event: &Event, out: &mut dyn Write) -> io::Result<()> {
    // How far a run is interests whoever waits, not whoever reads what came out.
    if matches!(event, Event::CaseEnded { .. }) {
        return Ok(());
    }
    serde_json::to_writer(&mut *out, event)?;
    out.write_all(b"\n")
}
