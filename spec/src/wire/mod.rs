//! The wire, bottom up: bytes become frames, frames become JSON, JSON becomes messages, and back.
//! Nothing here knows a method, a session or a grant; what a message asks for is the dispatch's matter.
//!
//! | in | |
//! |---|---|
//! | [`frame`] | bytes in, bounded lines out, without I/O (section 2, LI-01) |
//! | [`validate`](validate()) | one strict pass over a line before anything else reads it (FR-04, FR-05) |
//! | [`envelope`] | request, notification, response, or what to do about what is none of them (section 3) |
//! | `pending` | our own requests until they are answered (OR-02, OR-03) |
//!
//! | out | |
//! |---|---|
//! | [`outgoing`] | puts a frame around JSON that is already encoded (FR-03) |
//! | `outbox` | the only writer of a connection (OR-05, LI-04, LI-09) |
//!
//! `outbox` and `pending` need tokio and come with the feature `peer`; the rest is plain computation.

pub mod envelope;
pub mod frame;
#[cfg(feature = "peer")]
pub mod outbox;
pub mod outgoing;
#[cfg(feature = "peer")]
pub mod pending;
mod text;
mod validate;

pub use envelope::{ErrorObject, Id, Malformed, Message, Outcome};
pub use frame::{FrameReader, TooLarge};
#[cfg(feature = "peer")]
pub use outbox::{Closed, Driver, Failure, Outbox, Queueing};
pub use outgoing::Frame;
#[cfg(feature = "peer")]
pub use pending::{Answer, Pending};
pub use validate::{MAX_DEPTH, NotJson, validate};
