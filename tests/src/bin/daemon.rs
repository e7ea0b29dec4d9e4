//! `zeroclaw`, built for the tests.

fn main() -> std::process::ExitCode {
    zeroclaw::cli::main()
}
