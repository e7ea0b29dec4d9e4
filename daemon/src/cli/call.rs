//! `zeroclaw call`: one request by hand, through the typed client.

use super::connect::{self, ConnectError, Trust};
use crate::paths::Paths;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use zeroclaw_spec::client::{CallError, Inbox, Unasked};
use zeroclaw_spec::json;
use zeroclaw_spec::wire::validate;
use zeroclaw_spec::{Initialize, InitializeParams, Request as _};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The method, for example `status`.
    method: String,
    /// Its parameters, a JSON object; `-` reads them from standard input.
    #[arg(default_value = "{}")]
    params: String,
    #[command(flatten)]
    trust: Trust,
}

/// Why there is nothing to print.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("the parameters are not a JSON object: {0}")]
    Params(String),
    #[error("the daemon let us in and then failed: {0}")]
    Initialize(CallError),
    #[error("{0}")]
    Call(CallError),
    #[error("cannot read or write: {0}")]
    Io(#[from] io::Error),
}

pub(super) async fn run(arguments: Arguments, paths: &Paths) -> Result<ExitCode, Error> {
    let params = params(arguments.params)?;
    let (client, mut inbox) = connect::open(paths, &arguments.trust).await?;
    if arguments.method != Initialize::METHOD {
        client.call::<Initialize>(&InitializeParams::default()).await.map_err(Error::Initialize)?;
    }
    let call = client.call_text(&arguments.method, Some(&params));
    let mut call = std::pin::pin!(call);
    let answer = loop {
        tokio::select! {
            biased;
            Some(unasked) = inbox.recv() => print(&unasked)?,
            answer = &mut call => break answer,
        }
    };
    // The answer came last; what was sent before it is here already.
    print_rest(&mut inbox)?;
    match answer {
        Ok(result) => {
            writeln!(io::stdout(), "{result}")?;
            Ok(ExitCode::SUCCESS)
        }
        Err(CallError::Refused { code, message, data }) => {
            let data = data.map_or_else(String::new, |data| format!(" {data}"));
            writeln!(io::stderr(), "error {code}: {message}{data}")?;
            Ok(ExitCode::FAILURE)
        }
        Err(error) => Err(Error::Call(error)),
    }
}

fn params(given: String) -> Result<String, Error> {
    let mut text = given;
    if text == "-" {
        text.clear();
        io::stdin().read_to_string(&mut text)?;
    }
    let valid = validate(text.as_bytes()).map_err(|error| Error::Params(error.to_string()))?;
    if !valid.trim_start().starts_with('{') {
        return Err(Error::Params("it is another kind of JSON".to_owned()));
    }
    Ok(text.trim().to_owned())
}

fn print_rest(inbox: &mut Inbox) -> io::Result<()> {
    while let Ok(unasked) = inbox.try_recv() {
        print(&unasked)?;
    }
    Ok(())
}

fn print(unasked: &Unasked) -> io::Result<()> {
    let params = unasked.params.as_deref().unwrap_or("{}");
    writeln!(io::stdout(), r#"{{"method":{},"params":{params}}}"#, json::to_text(&unasked.method))
}
