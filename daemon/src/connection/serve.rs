//! The life of one connection from accept to end: reads frame by frame, checks in the order of EN-12, dispatches, and
//! closes so that the last frame arrives.

use super::inbound::{Inbound, Next};
use super::{Call, Closed, Connection, Held};
use crate::daemon::Daemon;
use crate::refusal::Refusal;
use crate::transport::{Incoming, Outgoing, Transport};
use bytes::Bytes;
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::task::{JoinError, JoinHandle};
use tracing::Instrument as _;
use zeroclaw_spec::json::{Spelling, Writer};
use zeroclaw_spec::wire::{Driver, Failure, Frame, Id, Malformed, Message, Outbox, validate};
use zeroclaw_spec::{
    Answer, ErrorCode, InitializeParams, Limits, Long, Method, Params, Reply, SessionPromptParams, dispatch,
    limit,
};

/// Why the conversation is over.
enum End {
    /// The peer has ended its writing, or we are stopping: what was asked is still answered.
    Done,
    /// A limit was broken: one last frame says which.
    Notice(Frame),
    /// LI-03: over without a word.
    Closed,
    /// Nobody is there any more.
    Lost,
}

/// Serves one connection until it ends. At the daemon's stop what runs is given time to end (EP-14).
pub async fn serve(daemon: Arc<Daemon>, transport: impl Transport) {
    let (kind, credentials) = (transport.kind(), transport.credentials());
    let (incoming, outgoing) = transport.split();
    let limits = Arc::clone(daemon.limits());
    let (outbox, driver) = outbox(outgoing, &limits);
    let mut writing = tokio::spawn(driver.run());
    let connection = Connection::new(kind, credentials, limits, outbox);
    tracing::debug!(peer = %connection.credentials, "connected");
    let inbound = Inbound::new(Arc::clone(&connection), incoming);
    let mut talk = Conversation { daemon, connection: Arc::clone(&connection), inbound };
    let end = tokio::select! {
        biased;
        written = &mut writing => {
            report(&written);
            End::Lost
        }
        () = connection.never_initialized() => End::Closed,
        end = talk.run() => end,
    };
    talk.finish(end, writing).await;
    tracing::debug!(peer = %connection.credentials, "disconnected");
}

/// Turns a connection away with one frame and, if there is time to `linger`, a clean end (LI-05, LI-12).
pub async fn refuse(limits: &Limits, transport: impl Transport, notice: Frame, linger: bool) {
    let (mut incoming, outgoing) = transport.split();
    let (outbox, driver) = outbox(outgoing, limits);
    if outbox.queue(notice).await.is_ok() {
        outbox.close();
        let _ = driver.run().await;
        if linger {
            discard(&mut *incoming, limits).await;
        }
    }
}

fn outbox(outgoing: Outgoing, limits: &Limits) -> (Outbox, Driver) {
    let bound = usize::try_from(limits.max_queued_bytes).unwrap_or(usize::MAX);
    Outbox::new(outgoing, bound, Duration::from_millis(limits.write_timeout_ms))
}

/// Throws away what still comes, so that closing does not turn into a reset that would overtake our last frame. What
/// a peer goes on sending is bounded in bytes and in time (LI-12).
async fn discard(incoming: &mut dyn Incoming, limits: &Limits) {
    let (mut rest, mut nowhere) = (incoming.take(limit::NOTICE_DRAIN_BYTES), tokio::io::sink());
    let drained = tokio::io::copy(&mut rest, &mut nowhere);
    // How it ends does not matter any more.
    let _ = tokio::time::timeout(Duration::from_millis(limits.drain_ms), drained).await;
}

fn report(written: &Result<Result<(), Failure>, JoinError>) {
    match written {
        Ok(Err(Failure::Stalled)) => tracing::warn!("disconnected: the client has stopped reading"),
        Ok(Err(Failure::Lost(error))) => tracing::debug!(%error, "the client is gone"),
        Ok(Ok(())) => {}
        Err(error) => tracing::error!(%error, "the writer broke off"),
    }
}

impl Connection {
    /// LI-03: done when the time for `initialize` is over and it has not succeeded.
    async fn never_initialized(&self) {
        let allowed = Duration::from_millis(self.limits.initialize_timeout_ms);
        if tokio::time::timeout(allowed, self.initialized.cancelled()).await.is_ok() {
            std::future::pending().await
        }
    }

    /// TU-05: a refused prompt that names a session gets its `turn_complete`, whatever it was refused for.
    async fn announce(&self, method: Option<Method>, params: Params<'_>) {
        if self.binding().is_none() || !method.is_some_and(|method| method.facts().announce_refusal) {
            return;
        }
        if let Some(session_id) = params.string(const { SessionPromptParams::SHAPE.named("sessionId") }) {
            self.announce_refusal(&session_id).await;
        }
    }
}

struct Conversation {
    daemon: Arc<Daemon>,
    connection: Arc<Connection>,
    inbound: Inbound,
}

impl Conversation {
    async fn run(&mut self) -> End {
        loop {
            let next = tokio::select! {
                biased;
                () = self.connection.closed.cancelled() => return End::Lost,
                () = self.daemon.stopping() => return End::Done,
                next = self.inbound.next() => next,
            };
            match next {
                Next::Frame(frame) => {
                    // Answers to frames that came together leave together.
                    if self.inbound.has_frame() {
                        self.connection.outbox.cork();
                    }
                    if let Err(Closed) = self.take(&frame).await {
                        return End::Lost;
                    }
                    if !self.inbound.has_frame() {
                        self.connection.outbox.uncork();
                    }
                }
                Next::TooLarge => return End::Notice(frame_too_large(&self.connection.limits)),
                Next::TimedOut => return End::Notice(frame_timeout(&self.connection.limits)),
                Next::End => return End::Done,
            }
        }
    }

    async fn take(&mut self, frame: &Bytes) -> Result<(), Closed> {
        let text = match validate(frame) {
            Ok(text) => text,
            Err(error) => {
                tracing::debug!(%error, bytes = frame.len(), "refused a frame");
                return self
                    .connection
                    .refuse_frame(&Id::NULL, ErrorCode::ParseError, "the frame is not JSON")
                    .await;
            }
        };
        match Message::parse(text) {
            Ok(Message::Request { id, method, params }) => self.call(Some(id), &method, params).await,
            Ok(Message::Notification { method, params }) => self.call(None, &method, params).await,
            Ok(Message::Response { .. }) => {
                self.connection.take_answer(frame);
                Ok(())
            }
            Err(Malformed::Answer { id, reason, call }) => {
                if let Some((method, params)) = call {
                    self.connection.announce(Method::parse(&method), Params::new(params)).await;
                }
                self.connection.refuse_frame(&id, ErrorCode::InvalidRequest, reason).await
            }
            Err(Malformed::Ignore { reason }) => {
                tracing::debug!(reason, bytes = frame.len(), "ignored a malformed answer");
                Ok(())
            }
        }
    }

    async fn call(&mut self, id: Option<Id<'_>>, method: &str, params: Option<&str>) -> Result<(), Closed> {
        let params =
            Params::new(params).spelled(self.connection.spelling()).strict(self.daemon.strict_params());
        let method = Method::parse(method);
        let call = Call::new(Arc::clone(&self.connection), opening_spelling(method, params));
        let held = call.held.clone();
        let outcome = match self.admit(method) {
            Ok(method) => self.dispatch(method, call, params).await,
            Err(refusal) => Err(refusal),
        };
        match (outcome, id) {
            (Ok(Answer::Later(rest)), id) => {
                let id = id.map(Id::into_owned);
                let rest = run_long(Arc::clone(&self.connection), id, rest, held);
                self.connection.calls.spawn(rest.in_current_span());
                Ok(())
            }
            (Ok(Answer::Now(reply)), Some(id)) => self.connection.answer(&id, &reply).await,
            (Ok(Answer::Now(_)), None) => Ok(()),
            (Err(refusal), id) => {
                tracing::debug!(
                    method = method.map(Method::name),
                    code = refusal.code().code(),
                    "refused a call"
                );
                self.connection.announce(method, params).await;
                match id {
                    Some(id) => self.connection.refuse(&id, &refusal, params).await,
                    None => Ok(()),
                }
            }
        }
    }

    /// EN-12: what is checked before the parameters, in order.
    fn admit(&self, method: Option<Method>) -> Result<Method, Refusal> {
        let binding = self.connection.binding();
        let early = method.is_some_and(|method| method.facts().before_initialize);
        if binding.is_none() && !early {
            return Err(Refusal::Unauthenticated("initialize comes first"));
        }
        let method = method.ok_or(Refusal::NoMethod)?;
        let facts = method.facts();
        let granted =
            facts.grant.is_none_or(|grant| binding.is_some_and(|binding| binding.principal.may(grant)));
        if !facts.transports.contains(&self.connection.kind) || !granted {
            return Err(Refusal::Forbidden);
        }
        Ok(method)
    }

    /// Runs a method's in-order phase. While it waits for something, input is read ahead (OR-08). It is dropped where
    /// it stands if the connection is lost.
    async fn dispatch(
        &mut self,
        method: Method,
        call: Call,
        params: Params<'_>,
    ) -> Result<Answer<Refusal>, Refusal> {
        let daemon = Arc::clone(&self.daemon);
        let work = AssertUnwindSafe(dispatch(&*daemon, method, call, params)).catch_unwind();
        let mut work = std::pin::pin!(work);
        let outcome = match (&mut work).now_or_never() {
            Some(outcome) => outcome,
            None => {
                self.connection.outbox.uncork();
                let outcome = tokio::select! {
                    biased;
                    outcome = &mut work => outcome,
                    () = self.inbound.read_ahead() => unreachable!("reading ahead has no end of its own"),
                };
                self.inbound.pause();
                outcome
            }
        };
        outcome.unwrap_or_else(|_| Err(panicked(method.name())))
    }

    async fn finish(mut self, end: End, mut writing: JoinHandle<Result<(), Failure>>) {
        let connection = &self.connection;
        connection.pending.close();
        connection.calls.close();
        connection.outbox.uncork();
        let clean = match end {
            End::Done => {
                // OR-06: who only stopped asking still gets all it asked for.
                tokio::select! {
                    biased;
                    () = connection.calls.wait() => true,
                    () = connection.closed.cancelled() => false,
                    () = self.daemon.drained() => true,
                    written = &mut writing => {
                        report(&written);
                        false
                    }
                }
            }
            End::Notice(frame) => connection.outbox.queue(frame).await.is_ok(),
            End::Closed => true,
            End::Lost => false,
        };
        // Nothing that still runs can put a frame behind the last one.
        connection.outbox.close();
        connection.closed.cancel();
        if clean {
            report(&writing.await);
            discard(self.inbound.incoming(), &connection.limits).await;
        }
        // Whatever was started here ends before the connection is forgotten; turns know when to give up (OR-08).
        connection.calls.wait().await;
    }
}

/// The second phase of a long method, beside the calls that came after it (OR-04).
async fn run_long(
    connection: Arc<Connection>,
    id: Option<Id<'static>>,
    rest: Long<Reply, Refusal>,
    held: Held,
) {
    let outcome =
        AssertUnwindSafe(rest).catch_unwind().await.unwrap_or_else(|_| Err(panicked("a long method")));
    if let Some(id) = id {
        // A client that is gone gets no answer.
        let _ = match outcome {
            Ok(reply) => connection.answer(&id, &reply).await,
            Err(refusal) => connection.refuse(&id, &refusal, Params::new(None)).await,
        };
    }
    held.release();
}

/// ER-02: a fault of ours ends one call, not the connection.
fn panicked(method: &'static str) -> Refusal {
    tracing::error!(method, "a handler panicked");
    Refusal::Internal
}

/// SP-02: which spelling a successful `initialize` asks for.
fn opening_spelling(method: Option<Method>, params: Params<'_>) -> Spelling {
    let version = const { InitializeParams::SHAPE.named("protocolVersion") };
    let snake = method == Some(Method::Initialize) && params.spelling_of(version) != version.documented();
    if snake { Spelling::Snake } else { Spelling::Documented }
}

fn frame_too_large(limits: &Limits) -> Frame {
    notice(
        ErrorCode::InvalidRequest,
        "the frame is too large",
        "frame_too_large",
        "limit_bytes",
        limits.max_frame_bytes,
    )
}

fn frame_timeout(limits: &Limits) -> Frame {
    notice(
        ErrorCode::InvalidRequest,
        "the frame took too long",
        "frame_timeout",
        "limit_ms",
        limits.frame_timeout_ms,
    )
}

/// The one frame that says which limit ended a connection.
pub fn notice(code: ErrorCode, message: &str, reason: &'static str, name: &'static str, value: u64) -> Frame {
    let mut data = Writer::new(Spelling::Documented);
    data.object(|data| {
        data.tag("reason", reason);
        data.named(name, &value);
    });
    Frame::error(&Id::NULL, code.code(), message, Some(&data.finish()))
}
