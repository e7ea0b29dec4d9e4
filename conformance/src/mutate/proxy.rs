//! A proxy between clients and a daemon that changes what the daemon writes.

use super::wire::{Change, Overheard};
use crate::endpoint::Receive as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Longer lines are passed on without being overheard.
const OVERHEARD_BYTES: usize = 64 * 1024;

/// How often a client that has ended its writing is asked whether it is gone.
const PROBE: Duration = Duration::from_millis(5);

/// A running proxy.
pub struct Proxy {
    acted: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Listens at `at` and connects every client to `upstream`.
    pub fn start(at: &Path, upstream: &Path, change: Change) -> io::Result<Self> {
        let listener = UnixListener::bind(at)?;
        let acted = Arc::new(AtomicU64::new(0));
        let task = tokio::spawn(accept(listener, upstream.to_owned(), change, Arc::clone(&acted)));
        Ok(Self { acted, task })
    }

    /// How many frames were changed.
    pub fn acted(&self) -> u64 {
        self.acted.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: UnixListener, upstream: PathBuf, change: Change, acted: Arc<AtomicU64>) {
    while let Ok((client, _)) = listener.accept().await {
        let Ok(daemon) = UnixStream::connect(&upstream).await else { continue };
        let (client_read, client_write) = client.into_split();
        let (daemon_read, daemon_write) = daemon.into_split();
        let line = Line {
            overheard: Arc::default(),
            client: Arc::new(tokio::sync::Mutex::new(client_write)),
            change,
            acted: Arc::clone(&acted),
        };
        let back = tokio::spawn(line.clone().towards_client(daemon_read));
        tokio::spawn(line.towards_daemon(client_read, daemon_write, back));
    }
}

/// One client's connection.
#[derive(Clone)]
struct Line {
    overheard: Arc<Mutex<Overheard>>,
    client: Arc<tokio::sync::Mutex<OwnedWriteHalf>>,
    change: Change,
    acted: Arc<AtomicU64>,
}

impl Line {
    /// Bytes go on as they come; whole lines are overheard first.
    async fn towards_daemon(
        self,
        mut client: OwnedReadHalf,
        mut daemon: OwnedWriteHalf,
        back: JoinHandle<()>,
    ) {
        let mut unfinished = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = client.read(&mut piece).await {
            let mut answers = Vec::new();
            for part in piece[..length].split_inclusive(|byte| *byte == b'\n') {
                if unfinished.len() < OVERHEARD_BYTES {
                    unfinished.extend_from_slice(part);
                }
                if part.ends_with(b"\n") {
                    answers.extend(self.overhear(&unfinished));
                    unfinished.clear();
                }
            }
            // A daemon that takes no more still has something to say; what the client writes is thrown away then.
            let _ = daemon.write_all(&piece[..length]).await;
            for answer in answers {
                self.acted.fetch_add(1, Ordering::Relaxed);
                let _ = self.client.lock().await.write_all(&answer).await;
            }
        }
        self.overhear(&unfinished);
        let _ = daemon.shutdown().await;
        // OR-06: who has only ended its writing still reads; who is gone must be gone for the daemon too.
        while !back.is_finished() {
            if client.is_hung_up() {
                back.abort();
            }
            sleep(PROBE).await;
        }
    }

    fn overhear(&self, line: &[u8]) -> Option<Vec<u8>> {
        self.overheard.lock().unwrap_or_else(PoisonError::into_inner).sent(line, self.change)
    }

    async fn towards_client(self, daemon: OwnedReadHalf) {
        let mut daemon = BufReader::new(daemon);
        let mut line = Vec::new();
        while let Ok(1..) = daemon.read_until(b'\n', &mut line).await {
            let (pieces, changed) =
                self.overheard.lock().unwrap_or_else(PoisonError::into_inner).received(&line, self.change);
            self.acted.fetch_add(u64::from(changed), Ordering::Relaxed);
            for piece in pieces {
                // A client that is gone is the daemon's to notice.
                let _ = self.client.lock().await.write_all(&piece).await;
                tokio::task::yield_now().await;
            }
            line.clear();
        }
        let _ = self.client.lock().await.shutdown().await;
    }
}
