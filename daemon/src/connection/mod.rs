//! One connection: what others need of it while it lives. How it reads is in [`serve`], how it ends too.

mod inbound;
mod serve;

pub use serve::{notice, refuse, serve};
pub use zeroclaw_spec::wire::Closed;

use crate::policy::Principal;
use crate::refusal::Refusal;
use crate::session::Client;
use crate::transport::Credentials;
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zeroclaw_spec::json::{Encode, Spelling, Writer};
use zeroclaw_spec::wire::{Frame, Id, Outbox, Pending, Queueing};
use zeroclaw_spec::{
    ErrorCode, Limits, Notification, Params, SessionUpdate, SessionUpdateParams, TransportKind, TurnComplete,
    TurnOutcome,
};

/// What a successful `initialize` binds a connection to.
#[derive(Debug, Clone)]
pub struct Binding {
    /// Whom it acts for.
    pub principal: Principal,
    /// The client's name over reconnects.
    pub tui_id: String,
}

/// One open connection, shared between its reader and the turns that it started.
#[derive(Debug)]
pub struct Connection {
    kind: TransportKind,
    credentials: Credentials,
    limits: Arc<Limits>,
    outbox: Outbox,
    pending: Pending,
    binding: Mutex<Option<Binding>>,
    snake: AtomicBool,
    initialized: CancellationToken,
    closed: CancellationToken,
    /// The long calls under way.
    calls: TaskTracker,
}

impl Connection {
    fn new(kind: TransportKind, credentials: Credentials, limits: Arc<Limits>, outbox: Outbox) -> Arc<Self> {
        Arc::new(Self {
            kind,
            credentials,
            limits,
            outbox,
            pending: Pending::new(),
            binding: Mutex::default(),
            snake: AtomicBool::new(false),
            initialized: CancellationToken::new(),
            closed: CancellationToken::new(),
            calls: TaskTracker::new(),
        })
    }

    /// The limits in force on it.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Who is at its other end.
    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Whom it acts for, once initialized.
    pub fn binding(&self) -> Option<Binding> {
        self.binding_slot().clone()
    }

    /// Binds it anew (HS-04), from the next frame on in `spelling` (SP-02).
    pub fn bind(&self, binding: Binding, spelling: Spelling) {
        *self.binding_slot() = Some(binding);
        self.snake.store(spelling == Spelling::Snake, Ordering::Relaxed);
        self.initialized.cancel();
    }

    /// Its client, as sessions know it.
    pub fn client(&self, binding: &Binding) -> Client {
        Client { tui_id: binding.tui_id.clone(), gone: self.closed.clone() }
    }

    /// How results and notifications are spelled on it.
    pub fn spelling(&self) -> Spelling {
        if self.snake.load(Ordering::Relaxed) { Spelling::Snake } else { Spelling::Documented }
    }

    /// Done when nobody is there any more to send anything to.
    pub async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Queues a notification. Its place among the others is taken at once; while it waits for room it can be withdrawn.
    pub fn queue<N: Notification>(&self, params: &N::Params) -> Queueing {
        self.outbox.queue(Frame::notification(N::METHOD, Some(&self.encode(params))))
    }

    /// Queues a notification, and waits until there is room for it.
    ///
    /// # Errors
    /// [`Closed`] when nobody is there any more.
    pub async fn notify<N: Notification>(&self, params: &N::Params) -> Result<(), Closed> {
        self.queue::<N>(params).await
    }

    /// TU-05: tells the client that a prompt was refused, so that it does not wait for a turn.
    pub async fn announce_refusal(&self, session_id: &str) {
        let complete = TurnComplete {
            session_id: session_id.to_owned(),
            turn_id: None,
            outcome: TurnOutcome::Failed,
            content: String::new(),
            truncated: None,
        };
        let params = self.encode(&SessionUpdateParams::TurnComplete(complete));
        let frame = Frame::notification(SessionUpdate::METHOD, Some(&params));
        // LI-13: an absurd id that filled the prompt's frame does not fit into ours.
        if self.fits(&frame) {
            // Who is gone need not be told.
            let _ = self.outbox.queue(frame).await;
        }
    }

    async fn answer(&self, id: &Id<'_>, result: &impl Encode) -> Result<(), Closed> {
        let frame = Frame::result(id, &self.encode(result));
        self.queue_answer(frame, id, ErrorCode::InternalError, "the result does not fit into a frame").await
    }

    async fn refuse(&self, id: &Id<'_>, refusal: &Refusal, params: Params<'_>) -> Result<(), Closed> {
        let (code, data) = (refusal.code(), refusal.data(params));
        let frame = Frame::error(id, code.code(), &refusal.to_string(), data.as_deref());
        self.queue_answer(frame, id, code, code.name()).await
    }

    async fn refuse_frame(&self, id: &Id<'_>, code: ErrorCode, message: &str) -> Result<(), Closed> {
        self.queue_answer(Frame::error(id, code.code(), message, None), id, code, message).await
    }

    /// Queues an answer, or a short error in its place if it does not fit into a frame (LI-13).
    async fn queue_answer(
        &self,
        mut frame: Frame,
        id: &Id<'_>,
        code: ErrorCode,
        short: &str,
    ) -> Result<(), Closed> {
        for id in [id, &Id::NULL] {
            if self.fits(&frame) {
                break;
            }
            frame = Frame::error(id, code.code(), short, None);
        }
        self.outbox.queue(frame).await
    }

    fn fits(&self, frame: &Frame) -> bool {
        frame.len() as u64 <= self.limits.max_frame_bytes
    }

    fn encode(&self, value: &impl Encode) -> String {
        let mut out = Writer::new(self.spelling());
        value.encode(&mut out);
        out.finish()
    }

    fn binding_slot(&self) -> MutexGuard<'_, Option<Binding>> {
        self.binding.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One call: who makes it, on what.
#[derive(Debug, Clone)]
pub struct Call {
    /// The connection that it came on.
    pub connection: Arc<Connection>,
    /// The spelling that this call asks for, if it is an `initialize` (SP-02).
    pub opens_in: Spelling,
    held: Held,
}

/// What a call keeps until its answer is queued.
#[derive(Debug, Clone, Default)]
struct Held(Arc<Mutex<Vec<Box<dyn Any + Send>>>>);

impl Call {
    fn new(connection: Arc<Connection>, opens_in: Spelling) -> Self {
        Self { connection, opens_in, held: Held::default() }
    }

    /// Keeps `guard` until the answer to this call is queued (OR-05), or until it is known that none will be.
    pub fn hold(&self, guard: impl Any + Send) {
        self.held.0.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(guard));
    }

    /// What the connection is bound to.
    ///
    /// # Errors
    /// HS-01: `initialize` has not succeeded yet.
    pub fn binding(&self) -> Result<Binding, Refusal> {
        self.connection.binding().ok_or(Refusal::Unauthenticated("initialize comes first"))
    }
}

impl Held {
    fn release(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
