//! The ZeroClaw daemon: serves the protocol of `zeroclaw-spec` to the clients of one machine.
//!
//! A frame comes in through a [`transport`], is read and checked by its [`connection`], dispatched to a handler in
//! `methods`, and answered through the connection's outbox. Handlers act on the [`session`]s, whose turns are worked by
//! [`agent`]s. [`endpoint`] decides who owns the address, [`server`] is the process around it all.

pub mod agent;
pub mod cli;
pub mod clients;
pub mod config;
pub mod connection;
pub mod daemon;
pub mod endpoint;
mod ids;
mod methods;
pub mod paths;
pub mod policy;
mod presence;
mod private_dir;
pub mod refusal;
pub mod server;
pub mod session;
mod system;
mod time;
pub mod transport;
