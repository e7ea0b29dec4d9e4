//! How long a `status` round trip takes, as a ratio to the least it could take: a byte echo with the same sizes over
//! the same kind of socket, with the same client, in the same run.
//!
//! `cargo bench -p zeroclaw-tests --bench status [-- --max-ratio 1.5]`

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixListener;
use zeroclaw_tests::daemon::DaemonProcess;
use zeroclaw_tests::round_trip::{Client, STATUS, p50, stay_on_one_processor};

/// Round trips before the clock counts, and those that count, in rounds that alternate between the two servers.
const WARM_UP: usize = 2_000;
const ROUNDS: usize = 100;
const A_ROUND: usize = 200;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["echo", socket, reply_bytes] => echo(socket, reply_bytes.parse().expect("a number of bytes")),
        [] => compare(None),
        ["--max-ratio", ratio] => compare(Some(ratio.parse().expect("a ratio"))),
        _ => {
            eprintln!("usage: cargo bench -p zeroclaw-tests --bench status [-- --max-ratio RATIO]");
            ExitCode::from(2)
        }
    }
}

/// Measures both servers and prints what came out.
fn compare(max_ratio: Option<f64>) -> ExitCode {
    stay_on_one_processor();
    let daemon = DaemonProcess::start(env!("CARGO_BIN_EXE_daemon-under-test"), "");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (status, echo) = runtime.block_on(async {
        let mut status = Client::initialized(&daemon.socket()).await;
        let reply_bytes = status.round_trip(STATUS).await;
        let echo_socket = daemon.directory().join("echo.sock");
        let _server = Echo::start(&echo_socket, reply_bytes);
        let mut echo = Client::connect(&echo_socket).await;
        assert_eq!(echo.round_trip(STATUS).await, reply_bytes, "the sizes are the same");
        for client in [&mut status, &mut echo] {
            client.measure(WARM_UP).await;
        }
        let (mut of_status, mut of_echo) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            of_status.extend(status.measure(A_ROUND).await);
            of_echo.extend(echo.measure(A_ROUND).await);
        }
        (p50(of_status), p50(of_echo))
    });
    let ratio = status.as_secs_f64() / echo.as_secs_f64();
    println!(
        "status p50 {:.1} us, byte echo p50 {:.1} us, ratio {ratio:.2}",
        status.as_secs_f64() * 1e6,
        echo.as_secs_f64() * 1e6
    );
    match max_ratio {
        Some(most) if ratio > most => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

/// The baseline: a process that answers every line with as many bytes as it was told.
fn echo(socket: &str, reply_bytes: usize) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = UnixListener::bind(socket).expect("a socket");
        println!("ready");
        let (mut stream, _) = listener.accept().await.expect("a client");
        // As the daemon does: each connection is a task on the runtime's own threads.
        let served = tokio::spawn(async move {
            let (mut buffer, mut reply) = (vec![0; 64 * 1024], vec![b' '; reply_bytes]);
            reply[reply_bytes - 1] = b'\n';
            while let Ok(1..) = stream.read(&mut buffer).await {
                stream.write_all(&reply).await.expect("the client reads");
            }
        });
        served.await.expect("the task ends");
    });
    ExitCode::SUCCESS
}

/// The baseline's process. Dropping it kills it.
struct Echo(Child);

impl Echo {
    fn start(socket: &Path, reply_bytes: usize) -> Self {
        let program = std::env::current_exe().expect("our own path");
        let mut command = Command::new(program);
        command.arg("echo").arg(socket).arg(reply_bytes.to_string()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the baseline starts");
        let mut ready = [0; 6];
        let mut stdout = child.stdout.take().expect("it is piped");
        std::io::Read::read_exact(&mut stdout, &mut ready).expect("it says that it is ready");
        Self(child)
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
