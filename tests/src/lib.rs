//! What the process tests and the benchmarks share: a daemon of their own in a directory of its own.

pub mod daemon;
pub mod round_trip;
