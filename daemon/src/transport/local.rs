//! The Unix socket as a transport.

use super::{Credentials, Incoming, Outgoing, PeerGone, Transport};
use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, Interest, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use zeroclaw_spec::TransportKind;

impl Transport for UnixStream {
    fn kind(&self) -> TransportKind {
        TransportKind::Local
    }

    fn credentials(&self) -> Credentials {
        match self.peer_cred() {
            Ok(peer) => Credentials::Unix { uid: peer.uid(), pid: peer.pid() },
            // Nobody's uid: who cannot be told apart gets nothing.
            Err(_) => Credentials::Unix { uid: u32::MAX, pid: None },
        }
    }

    fn split(self) -> (Box<dyn Incoming>, Outgoing) {
        let (reader, writer) = self.into_split();
        (Box::new(FromPeer(reader)), Box::new(writer))
    }
}

struct FromPeer(OwnedReadHalf);

impl AsyncRead for FromPeer {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, into)
    }
}

impl Incoming for FromPeer {
    fn peer_gone(&self) -> PeerGone {
        // A second descriptor for the same socket: the writing half is the outbox's, and only one task can wait on it.
        // It exists only between the peer's end of writing and the end of the connection.
        let copy = self.0.as_ref().as_fd().try_clone_to_owned();
        let watched = copy.and_then(|fd| UnixStream::from_std(fd.into()));
        Box::pin(async move {
            let watched = match watched {
                Ok(watched) => watched,
                Err(error) => {
                    // No descriptor left. Then a peer that is gone is noticed at the next write.
                    tracing::warn!(%error, "cannot watch for the end of a half-closed connection");
                    return std::future::pending().await;
                }
            };
            while let Ok(ready) = watched.ready(Interest::WRITABLE).await {
                if ready.is_write_closed() {
                    return;
                }
                // Clears the readiness, so that only a change wakes us again.
                let _ = watched.try_io(Interest::WRITABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
            }
        })
    }
}
