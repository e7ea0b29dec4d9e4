//! The `zeroclaw` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    zeroclaw::cli::main()
}
