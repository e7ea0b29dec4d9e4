//! What is derived from a spec, one projection a module. Each is a function of the model alone, so that the same
//! spec always gives the same text.

pub mod markdown;
pub mod openrpc;
pub mod rust;
pub mod schema;
