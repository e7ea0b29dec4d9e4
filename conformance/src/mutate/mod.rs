//! Endpoints that are wrong on purpose: proof that the suite can fail, and fails by the right rule.

mod null;
mod proxy;
mod wire;

pub use null::{Null, serve};
pub use proxy::Proxy;
pub use wire::{Change, Mutant, Variation};
