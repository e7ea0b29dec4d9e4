//! The command line: what can be asked, and with which exit status it is answered.

mod cover;
mod explain;
mod list;
mod options;
mod run;

use crate::spec::Spec;
use crate::transcript::{Line, Suite};
use clap::{Parser, Subcommand};
use cover::CoverOptions;
use options::{EndpointOptions, ReportOptions, RunOptions, SuiteOptions};
use std::io::{self, Write};
use std::process::ExitCode;

/// Holds any endpoint, in any language, to the ZeroClaw spec.
#[derive(Parser)]
#[command(name = "zeroclaw-conformance", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit status: 0 conformant; 1 not conformant; 2 usage, or a bad suite; 3 a fault of the \
                        runner; 4 the endpoint never came up; 5 stale known failures."
)]
struct Cli {
    #[command(flatten)]
    suite: SuiteOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the cases against an endpoint and say which rules it keeps and which it breaks
    Run {
        #[command(flatten)]
        endpoint: EndpointOptions,
        #[command(flatten)]
        run: RunOptions,
        #[command(flatten)]
        report: ReportOptions,
    },
    /// Run one case and show all that went over the wire
    Replay {
        /// The case, as `list` names it
        case: String,
        #[command(flatten)]
        endpoint: EndpointOptions,
        #[command(flatten)]
        run: RunOptions,
    },
    /// Name the cases, with what each shows
    List {
        #[command(flatten)]
        run: RunOptions,
    },
    /// Show a rule's text and the cases about it; or a case and its steps
    Explain {
        /// A rule (`SE-10`) or a case (`cancel.running`)
        name: String,
    },
    /// Show what no case covers: rules, methods, error codes, branches of the schemas
    Cover {
        #[command(flatten)]
        endpoint: EndpointOptions,
        #[command(flatten)]
        run: RunOptions,
        #[command(flatten)]
        cover: CoverOptions,
    },
    /// Look for faults in the transcripts without running them
    Lint,
    /// Print the JSON Schema of transcripts (a line) or of reports (an event)
    Schema {
        /// Which of the two
        #[arg(value_enum, default_value = "transcript")]
        what: Format,
    },
}

/// What has a JSON Schema.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A line of a transcript
    Transcript,
    /// A line of the JSON report
    Report,
    /// A profile of another implementation
    Profile,
}

/// Nothing was run or judged: usage, or a suite that cannot be read.
const BAD_USAGE: u8 = 2;
/// The runner itself is at fault.
const RUNNER_FAULT: u8 = 3;

/// Does what the command line asks.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let (spec, suite) = match cli.suite.load() {
        Ok(loaded) => loaded,
        Err(fault) => return complain(&fault, BAD_USAGE),
    };
    let outcome = match cli.command {
        Command::Run { endpoint, run, report } => run::run(spec, &suite, &endpoint, run, &report),
        Command::Replay { case, endpoint, run } => run::replay(spec, &suite, &case, &endpoint, run),
        Command::List { run } => list::list(&suite, &run),
        Command::Explain { name } => explain::explain(&spec, &suite, &name),
        Command::Cover { endpoint, run, cover } => cover::cover(spec, &suite, &endpoint, run, cover),
        Command::Lint => lint(&spec, &suite),
        Command::Schema { what } => schema(what),
    };
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(Complaint { what, status }) => complain(&what, status),
    }
}

/// Why a command could not be carried out, and the exit status that says so.
struct Complaint {
    what: String,
    status: u8,
}

impl From<io::Error> for Complaint {
    fn from(fault: io::Error) -> Self {
        // Whoever read our output went away: that is no fault worth a word.
        let status = if fault.kind() == io::ErrorKind::BrokenPipe { 0 } else { RUNNER_FAULT };
        Self { what: fault.to_string(), status }
    }
}

fn bad_usage(what: impl Into<String>) -> Complaint {
    Complaint { what: what.into(), status: BAD_USAGE }
}

fn complain(what: &str, status: u8) -> ExitCode {
    if status != 0 {
        anstream::eprintln!(
            "{}error:{:#} {what}",
            anstyle::AnsiColor::Red.on_default(),
            anstyle::Style::new()
        );
    }
    ExitCode::from(status)
}

fn lint(spec: &Spec, suite: &Suite) -> Result<u8, Complaint> {
    let findings = suite.lint(spec);
    let mut out = anstream::stdout();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    let (files, cases) = (suite.transcripts.len(), suite.scripts.len());
    writeln!(out, "{files} transcripts, {cases} cases, {} findings", findings.len())?;
    Ok(if findings.is_empty() { 0 } else { BAD_USAGE })
}

fn schema(what: Format) -> Result<u8, Complaint> {
    let schema = match what {
        Format::Transcript => schemars::schema_for!(Line),
        Format::Report => schemars::schema_for!(crate::run::Event),
        Format::Profile => schemars::schema_for!(crate::endpoint::Profile),
    };
    let text = serde_json::to_string_pretty(&schema).map_err(io::Error::from)?;
    writeln!(anstream::stdout(), "{text}")?;
    Ok(0)
}
