//! What a crowd costs one client (LI-10): `status` on one connection with nobody else there, and then beside as many
//! idle connections as may be open, one that drips a frame, one that does not read what it asked for, and one that asks
//! without a pause. As a ratio, from one run.
//!
//! `cargo bench -p zeroclaw-tests --bench crowd [-- --max-ratio 2]`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use zeroclaw_tests::daemon::DaemonProcess;
use zeroclaw_tests::round_trip::{Client, INITIALIZE, STATUS, p50};

const MOST: usize = 512;
const WARM_UP: usize = 2_000;
const COUNTED: usize = 10_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let max_ratio = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--max-ratio", ratio] => Some(ratio.parse().expect("a ratio")),
        _ => {
            eprintln!("usage: cargo bench -p zeroclaw-tests --bench crowd [-- --max-ratio RATIO]");
            return ExitCode::from(2);
        }
    };
    let daemon = DaemonProcess::start(env!("CARGO_BIN_EXE_daemon-under-test"), "");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (quiet, crowded) = runtime.block_on(measure(daemon.socket()));
    let ratio = crowded.as_secs_f64() / quiet.as_secs_f64();
    println!(
        "status p50 {:.1} us alone, {:.1} us beside {} others, ratio {ratio:.2}",
        quiet.as_secs_f64() * 1e6,
        crowded.as_secs_f64() * 1e6,
        MOST - 1
    );
    match max_ratio {
        Some(most) if ratio > most => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

async fn measure(socket: PathBuf) -> (Duration, Duration) {
    let mut client = Client::initialized(&socket).await;
    client.measure(WARM_UP).await;
    let quiet = p50(client.measure(COUNTED).await);

    let mut idle = Vec::new();
    for _ in 0..MOST - 4 {
        idle.push(Client::initialized(&socket).await);
    }
    let others = [
        tokio::spawn(drip(open(&socket).await)),
        tokio::spawn(ask_without_reading(open(&socket).await)),
        tokio::spawn(ask_without_pause(open(&socket).await)),
    ];
    refused(&socket).await;
    client.measure(WARM_UP).await;
    let crowded = p50(client.measure(COUNTED).await);
    for other in others {
        assert!(!other.is_finished(), "it is there to the end");
        other.abort();
    }
    (quiet, crowded)
}

async fn open(socket: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(socket).await.expect("the daemon listens");
    stream.write_all(INITIALIZE).await.expect("the daemon reads");
    stream
}

/// LI-05: one more is turned away with a reason, and the end of the stream.
async fn refused(socket: &Path) {
    let mut stream = UnixStream::connect(socket).await.expect("the daemon listens");
    let mut said = String::new();
    stream.read_to_string(&mut said).await.expect("a clean end");
    assert!(said.contains(r#""reason":"connection_limit","limit":512"#), "{said}");
}

/// A frame that is never finished, a byte every 10 ms.
async fn drip(mut stream: UnixStream) {
    let mut ticks = tokio::time::interval(Duration::from_millis(10));
    stream.write_all(b"{").await.expect("the daemon reads");
    while stream.write_all(b" ").await.is_ok() {
        ticks.tick().await;
    }
}

/// Goes on asking until the daemon takes no more, and waits for that to change.
async fn ask_without_reading(mut stream: UnixStream) {
    while stream.write_all(STATUS).await.is_ok() {}
}

/// Reads its answers, and has always asked for more of them already.
async fn ask_without_pause(stream: UnixStream) {
    let (mut answers, mut questions) = stream.into_split();
    let many = STATUS.repeat(64);
    let asking = tokio::spawn(async move { while questions.write_all(&many).await.is_ok() {} });
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(1..) = answers.read(&mut buffer).await {}
    asking.abort();
}
