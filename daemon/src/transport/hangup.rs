//! When the other end of a stream has gone, told by the system and not by a write that fails.

use super::PeerGone;
use std::future::pending;
use std::os::fd::{BorrowedFd, OwnedFd};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Done when nobody can read any more what is written to this descriptor. Never done for what has no other end, a file
/// say. Keeps a second descriptor of its own meanwhile: the first is the outbox's, and only one task can wait on it.
pub(super) fn hung_up(writing: BorrowedFd<'_>) -> PeerGone {
    let watched = writing.try_clone_to_owned();
    Box::pin(async move {
        match watched {
            Ok(watched) => watch(watched).await,
            Err(error) => {
                // No descriptor left. Then a peer that has gone is noticed at the next write.
                tracing::warn!(%error, "cannot watch for the end of a connection");
                pending().await
            }
        }
    })
}

async fn watch(writing: OwnedFd) {
    // SAFETY: an OwnedFd has the same open descriptor for as long as it lives, and `watched` has it to its end.
    let watched = unsafe { AsyncFd::register_with_interest(writing, Interest::WRITABLE) };
    let Ok(watched) = watched else {
        // A file is always ready, and so the system refuses to watch it.
        return pending().await;
    };
    while let Ok(mut ready) = watched.writable().await {
        if ready.ready().is_write_closed() {
            return;
        }
        // So that only a change wakes us again.
        ready.clear_ready();
    }
}
