//! The handlers: one file a namespace, each an impl of the trait that the spec gives its methods.

mod core;
mod session;

use crate::connection::Call;
use crate::daemon::Daemon;
use crate::refusal::Refusal;
use zeroclaw_spec::Server;

impl Server for Daemon {
    type Call = Call;
    type Error = Refusal;
}
