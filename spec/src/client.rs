//! The typed client: one connection to a daemon, calls by their spec'd types, and what the daemon sends unasked.
//! How the connection is made, and whether the other side can be trusted, is the caller's matter (EP-19).

use crate::call::{Notification, Params, Request};
use crate::json::{self, Fault};
use crate::limit;
use crate::wire::pending::Refused;
use crate::wire::{Answer, Closed, Frame, FrameReader, Id, Message, Outbox, Pending, validate};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallError {
    /// The daemon refused.
    #[error("{message} ({code})")]
    Refused {
        /// The stable code, of `errors.json`.
        code: i64,
        /// For people only.
        message: String,
        /// The JSON text of `data`, where the stable `reason` is.
        data: Option<String>,
    },
    /// The connection ended before the answer came.
    #[error("the daemon closed the connection")]
    Closed,
    /// The answer is not what the spec says.
    #[error("the daemon's answer does not fit the spec: {0}")]
    Unfit(#[from] Fault),
}

impl From<Closed> for CallError {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

impl From<Refused> for CallError {
    fn from(_: Refused) -> Self {
        Self::Closed
    }
}

/// What the daemon sends that is no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Unasked {
    /// The id to answer with, if it is a request.
    pub id: Option<Id<'static>>,
    /// The method's name.
    pub method: String,
    /// The JSON text of the parameters.
    pub params: Option<String>,
}

impl Unasked {
    /// The parameters, if this is an `N`.
    ///
    /// # Errors
    /// They do not fit the spec.
    pub fn decode<N: Notification>(&self) -> Option<Result<N::Params, Fault>> {
        (self.method == N::METHOD).then(|| Params::new(self.params.as_deref()).decode())
    }
}

/// One connection to a daemon. Dropping it ends the connection.
#[derive(Debug)]
pub struct Client {
    outbox: Outbox,
    pending: Pending,
    reader: JoinHandle<()>,
}

/// What comes unasked, in order. It is kept until it is taken; whoever is not interested drops this.
pub type Inbox = mpsc::UnboundedReceiver<Unasked>;

impl Client {
    /// A client on an open stream. Nothing is sent yet: `initialize` is the first call to make.
    pub fn new(
        from_daemon: impl AsyncRead + Send + Unpin + 'static,
        to_daemon: impl AsyncWrite + Send + Unpin + 'static,
    ) -> (Self, Inbox) {
        let stall = Duration::from_millis(limit::WRITE_TIMEOUT_MS);
        let (outbox, driver) = Outbox::new(to_daemon, limit::MAX_QUEUED_BYTES as usize, stall);
        let pending = Pending::new();
        let (sender, inbox) = mpsc::unbounded_channel();
        tokio::spawn(driver.run());
        let reader = tokio::spawn(read(from_daemon, pending.clone(), sender));
        (Self { outbox, pending, reader }, inbox)
    }

    /// Makes a call and waits for its result.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn call<R: Request>(&self, params: &R::Params) -> Result<R::Result, CallError> {
        let result = self.call_text(R::METHOD, Some(&json::to_text(params))).await?;
        Ok(json::from_text(&result)?)
    }

    /// Makes a call by name, with parameters that are JSON text already, and gives back the result's JSON text.
    ///
    /// # Errors
    /// [`CallError`], but never [`CallError::Unfit`].
    pub async fn call_text(&self, method: &str, params: Option<&str>) -> Result<String, CallError> {
        let (id, answer) = self.pending.register();
        self.outbox.queue(Frame::request(&id, method, params)).await?;
        match answer.await? {
            Answer::Result(result) => Ok(result.into()),
            Answer::Error { code, message, data } => {
                Err(CallError::Refused { code, message: message.into(), data: data.map(Into::into) })
            }
        }
    }

    /// Sends a call that is not to be answered.
    ///
    /// # Errors
    /// [`CallError::Closed`].
    pub async fn send<R: Request>(&self, params: &R::Params) -> Result<(), CallError> {
        let params = json::to_text(params);
        Ok(self.outbox.queue(Frame::notification(R::METHOD, Some(&params))).await?)
    }

    /// Ends our writing; what was asked is still answered (OR-06).
    pub fn finish(&self) {
        self.outbox.close();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.outbox.close();
        self.reader.abort();
    }
}

async fn read(mut stream: impl AsyncRead + Unpin, pending: Pending, inbox: mpsc::UnboundedSender<Unasked>) {
    let mut frames = FrameReader::new(limit::MAX_FRAME_BYTES as usize);
    loop {
        match frames.next_frame() {
            Ok(Some(frame)) => take(&frame, &pending, &inbox),
            Ok(None) => match stream.read_buf(&mut frames.room()).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => break,
            },
            Err(error) => {
                tracing::warn!(%error, "the daemon breaks the protocol");
                break;
            }
        }
    }
    pending.close();
}

fn take(frame: &[u8], pending: &Pending, inbox: &mpsc::UnboundedSender<Unasked>) {
    let (id, method, params) = match validate(frame).map(Message::parse) {
        Ok(Ok(Message::Response { id, outcome })) => {
            pending.resolve(&id, outcome);
            return;
        }
        Ok(Ok(Message::Request { id, method, params })) => (Some(id.into_owned()), method, params),
        Ok(Ok(Message::Notification { method, params })) => (None, method, params),
        Ok(Err(_)) | Err(_) => {
            tracing::warn!(bytes = frame.len(), "the daemon sent a frame that is no message");
            return;
        }
    };
    // Nobody may want it.
    let _ = inbox.send(Unasked { id, method: method.into_owned(), params: params.map(str::to_owned) });
}
