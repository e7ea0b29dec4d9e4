//! Endpoints that are wrong on purpose: proof that the suite can fail, and fails by the right rule.

mod null;
#[cfg(unix)]
mod proxy;
mod wire;

pub use null::Null;
#[cfg(unix)]
pub use proxy::Proxy;
pub use wire::{Change, Mutant, Variation};

#[cfg(unix)]
pub use null::serve;
