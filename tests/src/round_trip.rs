//! A client that measures, and where it runs.

use std::path::Path;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;

/// The frame that opens a connection.
pub const INITIALIZE: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}\n";

/// The frame whose round trip is measured.
pub const STATUS: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n";

/// One connection on which one request at a time is under way.
#[derive(Debug)]
pub struct Client {
    stream: UnixStream,
    buffer: Vec<u8>,
}

impl Client {
    /// A connection on which nothing has been said.
    ///
    /// # Panics
    /// If nobody listens.
    pub async fn connect(socket: &Path) -> Self {
        Self { stream: UnixStream::connect(socket).await.expect("a server"), buffer: vec![0; 64 * 1024] }
    }

    /// A connection that may be used for everything.
    ///
    /// # Panics
    /// If nobody listens, or nobody answers.
    pub async fn initialized(socket: &Path) -> Self {
        let mut client = Self::connect(socket).await;
        client.round_trip(INITIALIZE).await;
        client
    }

    /// Sends a line and reads one: its size in bytes.
    ///
    /// # Panics
    /// If nobody answers.
    pub async fn round_trip(&mut self, line: &[u8]) -> usize {
        self.stream.write_all(line).await.expect("the server reads");
        let mut size = 0;
        while size == 0 || self.buffer[size - 1] != b'\n' {
            let read = self.stream.read(&mut self.buffer[size..]).await.expect("the server answers");
            assert_ne!(read, 0, "the server has gone");
            size += read;
        }
        size
    }

    /// How long `count` times `status` take, each.
    ///
    /// # Panics
    /// If nobody answers.
    pub async fn measure(&mut self, count: usize) -> Vec<Duration> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let start = Instant::now();
            self.round_trip(STATUS).await;
            times.push(start.elapsed());
        }
        times
    }
}

/// The median.
pub fn p50(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Keeps us, and the servers that we start, on one processor: whether a wake-up crosses processors costs several times
/// what is measured here, and the system decides it anew in each run.
///
/// # Panics
/// If the system does not let us choose.
pub fn stay_on_one_processor() {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let allowed = sched_getaffinity(None).expect("we may ask");
        let first = (0..CpuSet::MAX_CPU).find(|&cpu| allowed.is_set(cpu)).expect("we run on one");
        let mut one = CpuSet::new();
        one.set(first);
        sched_setaffinity(None, &one).expect("we may choose among those we have");
    }
}
