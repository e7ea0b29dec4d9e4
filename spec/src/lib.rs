//! The ZeroClaw protocol, as data and as Rust.
//!
//! The files of this crate's directory are the protocol: methods, notifications, errors, limits and rules. What stands
//! at the top level here is generated from them by `zeroclaw-codegen` when the crate is built: the types, [`Method`]
//! with its facts, one trait a namespace and [`dispatch`]. Written by hand is what that needs: [`json`] reads and
//! writes typed values, [`call`] says what a method is to Rust, [`wire`] turns bytes into messages and back, and
//! `client` (feature `client`) is the other end.

pub mod call;
#[cfg(feature = "client")]
pub mod client;
pub mod json;
pub mod wire;

pub use call::{Long, Notification, Params, Request};

pub use generated::*;

mod generated {
    include!(concat!(env!("OUT_DIR"), "/protocol.rs"));
}
