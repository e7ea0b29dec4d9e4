//! Who a connection acts for (section 12). The roster, profiles and tokens come with the configuration; until then the
//! operator is whoever the operating system says we are, and nobody else gets in.

use crate::refusal::Refusal;
use crate::system;
use crate::transport::Credentials;
use zeroclaw_spec::Grant;

/// Who a connection acts for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Principal {
    /// The owner of the daemon, who may do everything.
    Operator,
}

impl Principal {
    /// Its name, as the client is told it.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Operator => "operator",
        }
    }

    /// Whether it holds this grant.
    pub const fn may(&self, _grant: Grant) -> bool {
        match self {
            Self::Operator => true,
        }
    }
}

/// The principal that these credentials stand for (AU-01, AU-10).
///
/// # Errors
/// Another user, root included, and tokens: none has been given out.
pub fn authenticate(credentials: &Credentials, token: Option<&str>) -> Result<Principal, Refusal> {
    match (token, credentials) {
        (Some(_), _) => Err(Refusal::Unauthenticated("the token is not known")),
        (None, Credentials::Inherited | Credentials::Pipe) => Ok(Principal::Operator),
        (None, Credentials::Unix { uid, .. }) if system::is_own_user(*uid) => Ok(Principal::Operator),
        (None, Credentials::Unix { .. }) => Err(Refusal::Unauthenticated("this user is not known here")),
    }
}
