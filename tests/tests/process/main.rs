//! What needs the daemon as a process: who owns its endpoint, which directories it uses, how it starts and ends, and
//! the command line that calls it. What one connection sees is tested in the daemon's own package, in memory.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise, in its helpers too")]

mod call;
mod chat;
mod clients;
mod configuration;
mod ending;
mod foreign;
mod ownership;
mod program;
mod socket;
mod start;
mod stdio;
