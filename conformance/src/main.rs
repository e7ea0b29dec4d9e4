//! The conformance runner's command.

use std::process::ExitCode;

fn main() -> ExitCode {
    zeroclaw_conformance::cli_main()
}
