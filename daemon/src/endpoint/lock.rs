//! Ownership as a kernel lock on a file: it ends with its process, however that ends, so nothing of it can be stale.

#[cfg(unix)]
use super::unix::lock_file;
#[cfg(windows)]
use super::windows::lock_file;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// A lock that is held until it is dropped. Its file stays: unlinking it would let two daemons hold "the" lock.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why the lock is not ours.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another daemon lives.
    #[error("a daemon owns {what} already{owner}", owner = owned_by(*.pid))]
    Owned {
        /// What the lock stands for, as a person knows it.
        what: String,
        /// The owner's process, as far as it can be told.
        pid: Option<u32>,
    },
    /// What is at the path is no lock file of ours.
    #[error("{path} is not a lock file of ours: {reason}; move it away", path = path.display())]
    Foreign {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The system refused.
    #[error("cannot lock {0}: {1}")]
    Failed(PathBuf, io::Error),
}

fn owned_by(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (pid {pid})"))
}

impl Lock {
    /// Takes the lock on the file at `path`, made private if need be; `what` is what it stands for (EP-05, EP-16).
    ///
    /// # Errors
    /// [`LockError`]; the file, and whoever holds the lock, are left as they were.
    pub fn take(path: &Path, what: &str) -> Result<Self, LockError> {
        let failed = |error: io::Error| LockError::Failed(path.to_owned(), error);
        let mut file = lock_file::open(path)?;
        match lock_file::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The pid is there for people only; without it the message is still true.
                let _ = file.read_to_string(&mut text);
                return Err(LockError::Owned { what: what.to_owned(), pid: text.trim().parse().ok() });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(failed)?;
        Ok(Self { _file: file })
    }
}
