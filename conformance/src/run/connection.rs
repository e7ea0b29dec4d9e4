//! One connection of a case: a task that reads, a task that writes, and the oldest frame not yet looked at.

use super::frame::{Frame, Violation};
use super::ledger::{Certainty, Ledger};
use super::log::WireLog;
use crate::endpoint::{Receive, Transmit, Wire};
use crate::json::{self, Json};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// How often a connection that is not read is asked whether the other side is gone.
const PROBE: Duration = Duration::from_millis(5);
/// How long a process on the other side of its standard streams may take to end.
const PROCESS_PATIENCE: Duration = Duration::from_secs(10);

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Cleanly.
    Eof,
    /// With an error.
    Reset,
    /// Somehow: it was not read.
    Gone,
}

/// What a reader hands over.
enum Arrival {
    Line { bytes: Vec<u8>, at: Instant, sent: u64 },
    End { how: End, at: Instant },
}

/// The oldest thing not yet taken.
#[derive(Debug, Clone)]
pub(super) enum Head {
    /// A frame that passed the checks.
    Frame(Box<Frame>),
    /// A line that did not.
    Broken(Violation, String),
    /// The end of the stream.
    End(End),
}

/// Bytes to write, and how.
pub(super) struct Job {
    pub(super) bytes: Vec<u8>,
    /// Offsets at which the bytes are cut into several writes.
    pub(super) cuts: Vec<usize>,
    /// The pause before each byte but the first.
    pub(super) pause: Option<Duration>,
}

enum Order {
    Write(Job, oneshot::Sender<()>),
    Close,
}

/// A connection as its case sees it.
pub(super) struct Connection {
    name: String,
    ledger: Ledger,
    log: WireLog,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    orders: mpsc::UnboundedSender<Order>,
    head: Option<(Head, Instant)>,
    /// Whether the end was seen and expected.
    pub(super) is_over: bool,
    /// Whether our writing half is closed.
    pub(super) is_half_closed: bool,
    pub(super) last_write: Instant,
    sent: Arc<AtomicU64>,
    reading: watch::Sender<bool>,
    ended: watch::Receiver<bool>,
    unfinished: Vec<u8>,
    tasks: [JoinHandle<()>; 2],
    process: Option<Child>,
}

impl Connection {
    pub(super) fn new(name: &str, wire: Wire, ledger: Ledger, log: WireLog) -> Self {
        let (arrived, arrivals) = mpsc::unbounded_channel();
        let (orders, ordered) = mpsc::unbounded_channel();
        let (reading, is_reading) = watch::channel(true);
        let (end, ended) = watch::channel(false);
        let sent = Arc::new(AtomicU64::new(0));
        let reader = Reader { name: name.to_owned(), log: log.clone(), arrived, sent: Arc::clone(&sent) };
        log.add(name, '*', b"opened");
        Self {
            name: name.to_owned(),
            ledger,
            log,
            arrivals,
            orders,
            head: None,
            is_over: false,
            is_half_closed: false,
            last_write: Instant::now(),
            sent,
            reading,
            ended: ended.clone(),
            unfinished: Vec::new(),
            tasks: [
                tokio::spawn(reader.run(wire.receive, is_reading, end)),
                tokio::spawn(write(wire.transmit, ordered, ended)),
            ],
            process: wire.process,
        }
    }

    /// Writes frames in one piece.
    pub(super) async fn send(&mut self, frames: &[Json], certainty: Certainty, patience: Duration) {
        let mut bytes = Vec::new();
        for frame in frames {
            self.ledger.note_sent(frame, certainty);
            bytes.extend(frame.to_string().into_bytes());
            bytes.push(b'\n');
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.log.add(&self.name, '>', line);
        }
        self.write(Job { bytes, cuts: Vec::new(), pause: None }, patience).await;
    }

    /// Writes bytes, and notes the frames that they make.
    pub(super) async fn send_raw(&mut self, job: Job, patience: Duration) {
        self.log.add(&self.name, '>', &job.bytes);
        self.unfinished.extend(&job.bytes);
        while let Some(at) = self.unfinished.iter().position(|byte| *byte == b'\n') {
            let line: Vec<_> = self.unfinished.drain(..=at).collect();
            self.note_raw(&line);
        }
        self.ledger.note_malformed();
        let pause = job.pause.unwrap_or_default() * u32::try_from(job.bytes.len()).unwrap_or(u32::MAX);
        self.write(job, patience + pause).await;
    }

    fn note_raw(&mut self, line: &[u8]) {
        let frame = std::str::from_utf8(line).ok().and_then(|text| json::read(text.trim()).ok());
        match frame {
            Some(frame) => self.ledger.note_sent(&frame, Certainty::Doubtful),
            None if line.trim_ascii().is_empty() => {}
            None => self.ledger.note_unreadable(),
        }
    }

    /// A failed write is no failure, nor is one that the endpoint does not take: what was received judges.
    async fn write(&mut self, job: Job, patience: Duration) {
        self.sent.store(self.ledger.sent(), Ordering::SeqCst);
        self.last_write = Instant::now();
        let (done, written) = oneshot::channel();
        if self.orders.send(Order::Write(job, done)).is_ok() {
            let mut ended = self.ended.clone();
            tokio::select! {
                _ = timeout(patience, written) => {}
                _ = ended.wait_for(|ended| *ended) => {}
            }
        }
    }

    /// Ends what we write.
    pub(super) fn half_close(&mut self) {
        let rest = std::mem::take(&mut self.unfinished);
        self.note_raw(&rest);
        self.sent.store(self.ledger.sent(), Ordering::SeqCst);
        self.log.add(&self.name, '*', b"our half closed");
        self.is_half_closed = true;
        // A writer that is gone has closed its half already.
        let _ = self.orders.send(Order::Close);
    }

    /// Stops reading, or goes on.
    pub(super) fn read(&mut self, on: bool) {
        if *self.reading.borrow() == on {
            return;
        }
        self.log.add(&self.name, '*', if on { b"read again" } else { b"no longer read" });
        self.reading.send_replace(on);
    }

    /// Whether somebody still waits for what it asked.
    pub(super) fn unanswered(&self) -> Option<(String, String)> {
        self.ledger.unanswered()
    }

    /// The oldest thing not yet taken, with when it arrived; nothing if nothing comes in time.
    pub(super) async fn head(&mut self, deadline: Instant) -> Option<&(Head, Instant)> {
        if self.head.is_none() {
            let arrival = match self.arrivals.try_recv() {
                Ok(arrival) => Some(arrival),
                Err(_) => timeout_at(deadline, self.arrivals.recv()).await.ok().flatten(),
            };
            self.head = Some(match arrival? {
                Arrival::Line { bytes, at, sent } => (self.judged(&bytes, sent), at),
                Arrival::End { how, at } => (Head::End(how), at),
            });
        }
        self.head.as_ref()
    }

    fn judged(&mut self, bytes: &[u8], sent: u64) -> Head {
        match self.ledger.judge(bytes, sent) {
            Ok(frame) => Head::Frame(Box::new(frame)),
            Err(violation) => Head::Broken(violation, super::log::shown(bytes)),
        }
    }

    /// Takes the head away. The end of a stream stays its head.
    pub(super) fn take(&mut self) {
        if !matches!(self.head, Some((Head::End(_), _))) {
            self.head = None;
        }
    }

    /// Closes the connection, and forgets what is unread. Gives back what was seen of the spec on it.
    pub(super) async fn close(mut self) -> BTreeSet<String> {
        for task in &self.tasks {
            task.abort();
        }
        for task in &mut self.tasks {
            // Aborted on purpose.
            let _ = task.await;
        }
        self.log.add(&self.name, '*', b"closed");
        if let Some(mut process) = self.process.take()
            && timeout(PROCESS_PATIENCE, process.wait()).await.is_err()
        {
            let _ = process.kill().await;
        }
        self.ledger.take_seen()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

struct Reader {
    name: String,
    log: WireLog,
    arrived: mpsc::UnboundedSender<Arrival>,
    sent: Arc<AtomicU64>,
}

impl Reader {
    async fn run(
        self,
        mut from: Box<dyn Receive>,
        mut reading: watch::Receiver<bool>,
        ended: watch::Sender<bool>,
    ) {
        let mut line = Vec::new();
        let mut piece = vec![0; 64 * 1024];
        let how = loop {
            if !*reading.borrow_and_update() {
                if from.is_hung_up() {
                    break End::Gone;
                }
                sleep(PROBE).await;
                continue;
            }
            let read = tokio::select! {
                // Told first to read no more, it reads no more, whatever has come meanwhile.
                biased;
                changed = reading.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    continue;
                }
                read = from.read(&mut piece) => read,
            };
            match read {
                Ok(0) => break End::Eof,
                Err(fault) if fault.kind() == io::ErrorKind::BrokenPipe => break End::Eof,
                Err(_) => break End::Reset,
                Ok(length) => self.split(&mut line, &piece[..length]),
            }
        };
        // What was cut off while nobody read is nobody's fault.
        if !line.is_empty() && how != End::Gone {
            self.hand_over(std::mem::take(&mut line));
        }
        let said = match how {
            End::Eof => "end of stream",
            End::Reset => "reset",
            End::Gone => "gone",
        };
        self.log.add(&self.name, '*', said.as_bytes());
        // Whoever waited may be gone.
        let _ = self.arrived.send(Arrival::End { how, at: Instant::now() });
        ended.send_replace(true);
    }

    fn split(&self, line: &mut Vec<u8>, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.hand_over(std::mem::take(line));
            }
        }
    }

    fn hand_over(&self, bytes: Vec<u8>) {
        self.log.add(&self.name, '<', &bytes);
        let sent = self.sent.load(Ordering::SeqCst);
        let _ = self.arrived.send(Arrival::Line { bytes, at: Instant::now(), sent });
    }
}

async fn write(
    mut to: Box<dyn Transmit>,
    mut orders: mpsc::UnboundedReceiver<Order>,
    ended: watch::Receiver<bool>,
) {
    while let Some(order) = orders.recv().await {
        let Order::Write(job, done) = order else { break };
        if write_job(&mut to, &job, &ended).await.is_err() {
            return;
        }
        // The case may have stopped waiting.
        let _ = done.send(());
    }
    let _ = to.shutdown().await;
}

async fn write_job(to: &mut Box<dyn Transmit>, job: &Job, ended: &watch::Receiver<bool>) -> io::Result<()> {
    let mut start = 0;
    let ends = job.cuts.iter().copied().filter(|cut| *cut < job.bytes.len()).chain([job.bytes.len()]);
    for end in ends {
        if start > 0 {
            match job.pause {
                Some(pause) => sleep(pause).await,
                None => tokio::task::yield_now().await,
            }
            // The rest would only meet a closed door.
            if *ended.borrow() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
        }
        to.write_all(&job.bytes[start..end]).await?;
        to.flush().await?;
        start = end;
    }
    Ok(())
}
