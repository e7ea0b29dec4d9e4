//! The Unix socket as a transport.

use super::{Credentials, Incoming, Outgoing, PeerGone, Transport, hangup};
use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
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
        // It exists only between the peer's end of writing and the end of the connection.
        hangup::hung_up(self.0.as_ref().as_fd())
    }
}
