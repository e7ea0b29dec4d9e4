//! Options that several commands share, and what they are turned into.

use super::{Complaint, bad_usage};
use crate::endpoint::{Profile, Target, find_ours};
use crate::run::{Known, Options};
use crate::spec::{Spec, Spelling};
use crate::transcript::Suite;
use clap::{Args, ValueEnum};
use std::fs;
use std::path::PathBuf;

/// Where the spec and the transcripts come from.
#[derive(Args)]
pub(super) struct SuiteOptions {
    /// Take the spec from this directory, not from the binary
    #[arg(long, global = true, value_name = "DIR")]
    spec: Option<PathBuf>,
    /// Take the transcripts from this directory, not from the binary
    #[arg(long, global = true, value_name = "DIR")]
    transcripts: Option<PathBuf>,
}

impl SuiteOptions {
    pub(super) fn load(&self) -> Result<(Spec, Suite), String> {
        let spec = match &self.spec {
            Some(directory) => Spec::from_directory(directory),
            None => Spec::embedded(),
        };
        let spec = spec.map_err(|fault| format!("the spec cannot be read: {fault}"))?;
        let suite = match &self.transcripts {
            Some(directory) => Suite::from_directory(directory)
                .map_err(|fault| format!("{}: {fault}", directory.display()))?,
            None => Suite::embedded(),
        };
        Ok((spec, suite))
    }
}

/// The endpoint under test. Without any of these: our daemon, found beside the runner.
#[derive(Args)]
pub(super) struct EndpointOptions {
    /// An endpoint that runs already: unix:PATH, pipe:NAME, or stdio:'COMMAND' (a process for each connection)
    #[arg(long, value_name = "ENDPOINT", conflicts_with = "spawn")]
    connect: Option<Target>,
    /// A command that serves the socket ZEROCLAW_SOCKET with the configuration in ZEROCLAW_CONFIG_DIR
    #[arg(long, value_name = "COMMAND")]
    spawn: Option<String>,
    /// How another implementation is configured and spoken to: a JSON file, see `schema profile`
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
}

impl EndpointOptions {
    pub(super) fn target(&self, spec: &Spec) -> Result<Target, Complaint> {
        match (&self.connect, &self.spawn) {
            (Some(target), _) => Ok(target.clone()),
            (None, Some(command)) => Ok(Target::Spawn(command.clone())),
            (None, None) => match find_ours(&spec.digest) {
                Ok(command) => Ok(Target::Spawn(command)),
                Err(fault) => Err(bad_usage(fault.to_string())),
            },
        }
    }

    fn profile(&self) -> Result<Profile, Complaint> {
        let Some(path) = &self.profile else { return Ok(Profile::default()) };
        let text =
            fs::read_to_string(path).map_err(|fault| bad_usage(format!("{}: {fault}", path.display())))?;
        serde_json::from_str(&text).map_err(|fault| bad_usage(format!("{}: {fault}", path.display())))
    }
}

/// Which cases run, and how.
#[derive(Args, Clone)]
pub(super) struct RunOptions {
    /// Only cases that match (`*` stands for any text; may be given more than once)
    #[arg(long, value_name = "GLOB")]
    pub(super) only: Vec<String>,
    /// No case that matches
    #[arg(long, value_name = "GLOB")]
    skip: Vec<String>,
    /// Only cases about rules that match, `EP-*`
    #[arg(long, value_name = "GLOB")]
    rules: Vec<String>,
    /// How many cases run at once
    #[arg(short, long, value_name = "N", default_value_t = 8)]
    jobs: usize,
    /// What the order of the cases is shuffled by; without it a new one each time
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What waiting times are multiplied by, on slow machines
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    time_scale: f64,
    /// The spelling that is spoken; without it the profile's, or the documented one
    #[arg(long, value_enum)]
    spelling: Option<Spelling>,
    /// Run cases too that only take longer because a limit cannot be set
    #[arg(long)]
    slow: bool,
    /// Failures that are known: a line {"case":…,"rule":…} each; entries that no longer fail are reported
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// Rewrite the file of known failures as this run found them
    #[arg(long, requires = "known")]
    pub(super) fix: bool,
}

impl RunOptions {
    pub(super) fn options(&self, endpoint: &EndpointOptions) -> Result<Options, Complaint> {
        let profile = endpoint.profile()?;
        Ok(Options {
            spelling: self.spelling.or(profile.spelling).unwrap_or(Spelling::Documented),
            profile,
            known: self.known()?,
            ..self.choice()
        })
    }

    /// What chooses cases, without an endpoint.
    pub(super) fn choice(&self) -> Options {
        Options {
            only: self.only.clone(),
            skip: self.skip.clone(),
            rules: self.rules.clone(),
            jobs: self.jobs,
            seed: self.seed.unwrap_or_else(some_seed),
            time_scale: self.time_scale,
            slow: self.slow,
            ..Options::default()
        }
    }

    fn known(&self) -> Result<Option<Known>, Complaint> {
        let Some(path) = &self.known else { return Ok(None) };
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            // With --fix the list may begin with this run.
            Err(fault) if self.fix && fault.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(fault) => return Err(bad_usage(format!("{}: {fault}", path.display()))),
        };
        Known::read(&text).map(Some).map_err(|fault| bad_usage(format!("{}: {fault}", path.display())))
    }
}

/// Small enough to be typed again.
fn some_seed() -> u64 {
    let mut bytes = [0; 2];
    // Without randomness every run has the same order, which is an order too.
    let _ = getrandom::fill(&mut bytes);
    u64::from(u16::from_le_bytes(bytes))
}

/// What is written about a run, and where.
#[derive(Args)]
pub(super) struct ReportOptions {
    /// Reports to write
    #[arg(long, value_enum, value_delimiter = ',', default_value = "text")]
    pub(super) report: Vec<ReportKind>,
    /// Write each report to FILE.<kind's extension> instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

/// The kinds of reports.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportKind {
    /// For a person
    Text,
    /// The run's events, one JSON object a line
    Json,
    /// For build servers
    Junit,
}

impl ReportKind {
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Json => "ndjson",
            Self::Junit => "xml",
        }
    }
}
