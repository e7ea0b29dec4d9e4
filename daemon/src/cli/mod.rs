//! The command line: what it takes, and what each command is called. What they do is in a file each.

mod call;
mod connect;
mod schema;

use crate::paths::Paths;
use crate::server::{self, Lifetime};
use clap::{Parser, Subcommand};
use std::io::IsTerminal as _;
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
    },
    /// Send one request to the running daemon and print what comes: notifications, then the result, a line each.
    ///
    /// The exit status is 0 for a result, 1 for an error object, 2 if the daemon cannot be reached.
    Call(call::Arguments),
    /// Print what is derived from the protocol's spec.
    Schema(schema::Arguments),
}

/// Reads the command line and does what it says.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let log_filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(log_filter)
        .with_writer(std::io::stderr)
        .with_ansi(
            std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty()),
        )
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return complain(error),
    };
    let done = runtime.block_on(async {
        match arguments.command {
            Command::Daemon { ephemeral } => match Paths::resolve(arguments.config_dir.as_deref()) {
                Ok(paths) => {
                    server::run(paths, if ephemeral { Lifetime::Ephemeral } else { Lifetime::UntilStopped })
                        .await
                        .map_or_else(complain, |()| ExitCode::SUCCESS)
                }
                Err(error) => complain(error),
            },
            Command::Call(call) => match Paths::resolve(arguments.config_dir.as_deref()) {
                Ok(paths) => call::run(call, &paths).await.unwrap_or_else(complain),
                Err(error) => complain(error),
            },
            Command::Schema(schema) => schema::run(&schema).map_or_else(complain, |()| ExitCode::SUCCESS),
        }
    });
    // EP-14: what is still stuck does not keep the process.
    runtime.shutdown_background();
    done
}

/// Says what went wrong, once, and with which status to leave.
fn complain(error: impl std::fmt::Display) -> ExitCode {
    eprintln!("zeroclaw: {error}");
    ExitCode::from(2)
}
