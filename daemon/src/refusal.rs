//! Why a call is refused, and the one place where that becomes an error object (ER-01). What is for the log stays
//! here: nothing of it reaches the wire (ER-02).

use std::borrow::Cow;
use std::fmt::Display;
use zeroclaw_spec::json::{Fault, Integer, Member, Spelling, Writer};
use zeroclaw_spec::{ChatMode, ErrorCode, Params};

/// A call that is not done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The parameters are not what the spec says.
    #[error("{0}")]
    Unfit(#[from] Fault),
    /// A parameter fits its schema and is still no good.
    #[error("{message}")]
    Misfit {
        /// The parameter.
        member: &'static Member,
        /// What was expected.
        message: Cow<'static, str>,
    },
    /// SE-02: the id is live in this other mode.
    #[error("the session is live in {0} mode")]
    ModeConflict(ChatMode),
    /// No session, or none of the kind asked for.
    #[error("{0}")]
    NoSession(&'static str),
    /// LI-07.
    #[error("{0} sessions are live and none can be closed")]
    SessionLimit(usize),
    /// LI-08.
    #[error("{0}")]
    Busy(&'static str),
    /// HS-01, AU-01.
    #[error("{0}")]
    Unauthenticated(&'static str),
    /// HS-02.
    #[error("this protocol version is not spoken here; version {version} is", version = zeroclaw_spec::PROTOCOL_VERSION)]
    Version(Integer),
    /// AU-06 and whatever else a principal may not do.
    #[error("not allowed")]
    Forbidden,
    /// EN-12.
    #[error("no such method")]
    NoMethod,
    /// TU-02.
    #[error("the turn failed")]
    TurnFailed,
    /// Our own fault; what exactly is in the log.
    #[error("internal error")]
    Internal,
}

impl Refusal {
    /// A parameter that fits its schema and is still no good.
    pub fn misfit(member: &'static Member, message: &'static str) -> Self {
        Self::Misfit { member, message: message.into() }
    }

    /// An internal failure: `doing` and the error go to the log, the client learns that it is not its fault.
    pub fn internal<E: Display>(doing: &'static str) -> impl Fn(E) -> Self {
        move |error| {
            tracing::error!(%error, "failed: {doing}");
            Self::Internal
        }
    }

    /// The code that stands in the error object.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unfit(_) | Self::Misfit { .. } | Self::ModeConflict(_) => ErrorCode::InvalidParams,
            Self::NoSession(_) => ErrorCode::SessionNotFound,
            Self::SessionLimit(_) => ErrorCode::SessionLimitReached,
            Self::Busy(_) => ErrorCode::SessionBusy,
            Self::Unauthenticated(_) => ErrorCode::AuthRequired,
            Self::Version(_) => ErrorCode::VersionMismatch,
            Self::Forbidden => ErrorCode::Forbidden,
            Self::NoMethod => ErrorCode::MethodNotFound,
            Self::TurnFailed | Self::Internal => ErrorCode::InternalError,
        }
    }

    /// The error's `data`, its names always in snake_case (SP-04); `params` tell how the client spells a parameter.
    pub fn data(&self, params: Params<'_>) -> Option<String> {
        let reason = match self {
            Self::Unfit(fault) => fault.reason.as_str(),
            Self::Misfit { .. } => "invalid_params",
            Self::ModeConflict(_) => "mode_conflict",
            Self::Version(_) => "version_mismatch",
            Self::TurnFailed => "turn_failed",
            _ => return None,
        };
        let mut out = Writer::new(Spelling::Documented);
        out.object(|out| {
            out.named("reason", &reason.to_owned());
            match self {
                Self::Unfit(fault) => out.named("path", &fault.path),
                Self::Misfit { member, .. } => out.named("path", &format!("/{}", params.spelling_of(member))),
                Self::Version(requested) => {
                    out.named("supported", &vec![zeroclaw_spec::PROTOCOL_VERSION]);
                    out.named("requested", requested);
                }
                _ => {}
            }
        });
        Some(out.finish())
    }
}
