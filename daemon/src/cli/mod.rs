//! The command line: what it takes, and what each command is called. What they do is in a file each.

mod call;
mod chat;
mod connect;
mod schema;

use crate::paths::Paths;
use crate::server::{self, Lifetime};
use clap::{Parser, Subcommand};
use std::error::Error;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// The ZeroClaw agent daemon and its command line.
#[derive(Debug, Parser)]
#[command(name = "zeroclaw", version, arg_required_else_help = true, max_term_width = 100)]
struct Arguments {
    /// Directory of config.toml; data is kept in its `data` folder [default: ~/.zeroclaw].
    #[arg(long, global = true, value_name = "DIR")]
    config_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve clients on the local endpoint until a signal ends it.
    ///
    /// Logs go to standard error; RUST_LOG=debug shows more. ZEROCLAW_SOCKET puts the endpoint elsewhere.
    Daemon {
        /// End one second after the last client has gone; never before a first one has come.
        #[arg(long)]
        ephemeral: bool,
        /// Serve one client on standard input and output instead, and end when it has gone. Opens no socket.
        #[arg(long, conflicts_with = "ephemeral")]
        stdio: bool,
    },
    /// Send one request to the running daemon and print what comes: notifications, then the result, a line each.
    ///
    /// The exit status is 0 for a result, 1 for an error object, 2 if the daemon cannot be reached.
    Call(call::Arguments),
    /// Talk with an agent: a line is a prompt, Ctrl-C cancels the turn, Ctrl-D leaves.
    Chat(chat::Arguments),
    /// Print what is derived from the protocol's spec.
    Schema(schema::Arguments),
}

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let log_filter = log_filter();
    tracing_subscriber::fmt()
        .with_env_filter(log_filter)
        .with_writer(std::io::stderr)
        .with_ansi(is_colourful(&std::io::stderr()))
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return complain(error),
    };
    let done = runtime.block_on(run(arguments)).unwrap_or_else(complain);
    // EP-14: what is still stuck does not keep the process.
    runtime.shutdown_background();
    done
}

async fn run(arguments: Arguments) -> Result<ExitCode, Box<dyn Error>> {
    let paths = || Paths::resolve(arguments.config_dir.as_deref());
    match arguments.command {
        Command::Daemon { stdio: true, .. } => server::run_stdio(paths()?).await?,
        Command::Daemon { ephemeral: true, .. } => server::run(paths()?, Lifetime::Ephemeral).await?,
        Command::Daemon { .. } => server::run(paths()?, Lifetime::UntilStopped).await?,
        Command::Call(call) => return Ok(call::run(call, &paths()?).await?),
        Command::Chat(chat) => return Ok(chat::run(chat, &paths()?).await?),
        Command::Schema(schema) => schema::run(&schema)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What RUST_LOG asks for; `info` if it asks for nothing, or for something that is not understood.
fn log_filter() -> EnvFilter {
    let asked = std::env::var("RUST_LOG").unwrap_or_default();
    if asked.is_empty() {
        return EnvFilter::new("info");
    }
    EnvFilter::try_new(&asked).unwrap_or_else(|error| {
        eprintln!("zeroclaw: RUST_LOG is passed over: {error}");
        EnvFilter::new("info")
    })
}

/// Whether to use colour on this stream: on a terminal, unless NO_COLOR is set.
fn is_colourful(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty())
}

/// Says what went wrong, once, and with which status to leave.
fn complain(error: impl std::fmt::Display) -> ExitCode {
    eprintln!("zeroclaw: {error}");
    ExitCode::from(2)
}
