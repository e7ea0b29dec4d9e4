//! The conformance runner: holds any endpoint, in any language, to the spec alone.
//!
//! It reads the spec's JSON and the transcripts, and has readers and writers of its own: it shares no wire code
//! with the daemon, and so cannot be blind to the daemon's faults.

mod cli;
pub mod endpoint;
pub mod json;
#[cfg(unix)]
pub mod mutate;
pub mod report;
pub mod run;
pub mod spec;
pub mod transcript;
pub mod value;

pub use cli::main as cli_main;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}
