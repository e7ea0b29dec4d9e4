//! Connections to a daemon in memory, by the sections of the protocol. Time is paused: it passes only where
//! everything waits for it, so limits of seconds and minutes are tested at their exact value and at once.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise, in its helpers too")]

mod agents;
mod envelope;
mod framing;
mod handshake;
mod limits;
mod order;
mod peer;
mod sessions;
mod spelling;
mod splits;
mod stalls;
mod strange_bytes;
mod turns;
