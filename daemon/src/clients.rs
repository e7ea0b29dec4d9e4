//! The names of clients over reconnects: `tuiId`, and `tuiSig` that proves it (HS-07). The key that signs is kept in
//! the data directory, so that a client is still known after the daemon has been restarted.

use crate::ids;
use crate::policy::Principal;
use crate::refusal::Refusal;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use std::io::{self, Write as _};
use std::path::Path;

const KEY_BYTES: usize = 32;

/// Makes and proves client names.
pub struct ClientNames {
    key: [u8; KEY_BYTES],
}

impl std::fmt::Debug for ClientNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientNames").finish_non_exhaustive()
    }
}

impl ClientNames {
    /// Reads the key from `<data_dir>/clients.key`, or makes it.
    ///
    /// # Errors
    /// The file cannot be read or written. One of the wrong length is replaced: clients then get new names.
    pub fn open(data_dir: &Path) -> io::Result<Self> {
        let path = data_dir.join("clients.key");
        match std::fs::read(&path).map(TryInto::try_into) {
            Ok(Ok(key)) => return Ok(Self { key }),
            Ok(Err(_)) => {
                tracing::warn!(path = %path.display(), "not a key: a new one is made, clients get new names")
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let key = ids::random();
        let mut file = tempfile::Builder::new().prefix("clients.key.").tempfile_in(data_dir)?;
        file.write_all(&key)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(Self { key })
    }

    /// The name and its proof for a client that asks with `tui_id` and `tui_sig`: the one it reclaims, or a new one.
    ///
    /// # Errors
    /// The proof is not for this name and principal. A name without a proof claims nothing.
    pub fn name(
        &self,
        principal: &Principal,
        tui_id: Option<&str>,
        tui_sig: Option<&str>,
    ) -> Result<(String, String), Refusal> {
        let tui_id = match (tui_id, tui_sig) {
            (Some(tui_id), Some(tui_sig)) if self.proves(principal, tui_id, tui_sig) => tui_id.to_owned(),
            (_, Some(_)) => return Err(Refusal::Unauthenticated("tuiSig does not prove tuiId")),
            (_, None) => format!("tui_{}", ids::hex(&ids::random::<8>())),
        };
        let tui_sig = ids::hex(&self.mac(principal, &tui_id).finalize().into_bytes());
        Ok((tui_id, tui_sig))
    }

    fn proves(&self, principal: &Principal, tui_id: &str, tui_sig: &str) -> bool {
        let bytes =
            (0..tui_sig.len()).step_by(2).map(|at| u8::from_str_radix(tui_sig.get(at..at + 2)?, 16).ok());
        // Compared in constant time.
        bytes
            .collect::<Option<Vec<_>>>()
            .is_some_and(|sig| self.mac(principal, tui_id).verify_slice(&sig).is_ok())
    }

    fn mac(&self, principal: &Principal, tui_id: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes keys of any length");
        mac.update(principal.id().as_bytes());
        mac.update(b"\0");
        mac.update(tui_id.as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_reclaimed_with_its_proof_also_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let (tui_id, tui_sig) =
            ClientNames::open(dir.path()).unwrap().name(&Principal::Operator, None, None).unwrap();
        let restarted = ClientNames::open(dir.path()).unwrap();
        let again = restarted.name(&Principal::Operator, Some(&tui_id), Some(&tui_sig)).unwrap();
        assert_eq!(again, (tui_id.clone(), tui_sig.clone()));
        let flipped = tui_sig.replace(|c| c == tui_sig.chars().next().unwrap(), "z");
        for (id, sig) in
            [("tui_other", tui_sig.as_str()), (&tui_id, &flipped), (&tui_id, ""), (&tui_id, "é0")]
        {
            assert!(restarted.name(&Principal::Operator, Some(id), Some(sig)).is_err());
        }
    }

    #[test]
    fn a_name_without_a_proof_claims_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let names = ClientNames::open(dir.path()).unwrap();
        let (tui_id, _) = names.name(&Principal::Operator, Some("tui_mine"), None).unwrap();
        assert_ne!(tui_id, "tui_mine");
    }
}
