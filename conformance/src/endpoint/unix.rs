//! What is Unix's own: sockets, signals, the shell.

use super::{Receive, Wire};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

/// How long a daemon may take to let go a connection that only showed that it serves.
const PATIENCE: Duration = Duration::from_secs(1);

impl Receive for OwnedReadHalf {
    fn is_hung_up(&self) -> bool {
        hung_up(self.as_ref().as_fd())
    }
}

impl Receive for ChildStdout {
    fn is_hung_up(&self) -> bool {
        hung_up(self.as_fd())
    }
}

fn hung_up(descriptor: BorrowedFd<'_>) -> bool {
    let mut polled = [PollFd::from_borrowed_fd(descriptor, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let asked = poll(&mut polled, Some(&now));
    asked.is_ok() && polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

impl Wire {
    /// Connects to a Unix socket.
    pub async fn to_socket(path: &Path) -> io::Result<Self> {
        let (receive, transmit) = UnixStream::connect(path).await?.into_split();
        Ok(Self { receive: Box::new(receive), transmit: Box::new(transmit), process: None })
    }
}

/// Where a daemon with this directory is told to serve.
pub(super) fn endpoint_of(directory: &Path) -> PathBuf {
    directory.join("daemon.sock")
}

/// Whether a daemon serves there. The connection that shows it is ended, and the daemon given time to let it go too,
/// so that it does not count among those that a case opens.
pub(super) async fn probe(path: &Path) -> io::Result<()> {
    let mut wire = Wire::to_socket(path).await?;
    let mut rest = Vec::new();
    // A daemon that holds on to it, or breaks it, is judged by the cases.
    let _ = wire.transmit.shutdown().await;
    let _ = timeout(PATIENCE, wire.receive.read_to_end(&mut rest)).await;
    Ok(())
}

/// A process for a command line.
pub(super) fn command(line: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("exec {line}"));
    shell
}

/// Whether processes that we start can be asked to end.
pub(crate) fn can_ask_to_end() -> bool {
    true
}

/// Asks a process to end.
pub(super) fn ask_to_end(process: &mut Child) {
    if let Some(id) = process.id().and_then(|id| Pid::from_raw(id.cast_signed())) {
        // Ended already is as good.
        let _ = kill_process(id, Signal::TERM);
    }
}

/// A word for a shell, quoted where it must be.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use crate::endpoint::Target;

    #[test]
    fn an_endpoint_is_quoted_for_a_shell() {
        assert_eq!(Target::Spawn("it's".into()).as_options(), r"--spawn 'it'\''s'");
    }
}
