//! `zeroclaw schema`: what is derived from the spec, for client authors.

use clap::ValueEnum;
use std::io::{self, Write as _};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// What to print.
    form: Form,
    /// Write it to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// One JSON Schema 2020-12 bundle of all methods, notifications, errors and types.
    Json,
    /// One OpenRPC document.
    Openrpc,
    /// The digest of the spec that this program was built from.
    Digest,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<()> {
    let text = match arguments.form {
        Form::Json => zeroclaw_spec::JSON_SCHEMA.to_owned(),
        Form::Openrpc => zeroclaw_spec::OPENRPC.to_owned(),
        Form::Digest => format!("{}\n", zeroclaw_spec::SPEC_DIGEST),
    };
    match &arguments.out {
        Some(file) => std::fs::write(file, text).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot write {}: {error}", file.display()))
        }),
        None => io::stdout().write_all(text.as_bytes()),
    }
}
