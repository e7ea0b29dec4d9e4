//! A daemon under test: started in a fresh directory with its configuration, or one that runs already.

use super::{Profile, Target, Wire, system};
use crate::json::Json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use std::{fs, io};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

/// How long a daemon may take to come up, and to end when asked, before it is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a daemon did not come up.
#[derive(Debug, thiserror::Error)]
pub enum StartFault {
    /// The command could not be run.
    #[error("`{0}` cannot be run: {1}")]
    NotRun(String, io::Error),
    /// It ended before it served.
    #[error("`{command}` ended before it served ({status}){said}")]
    Ended {
        /// The command.
        command: String,
        /// How it ended.
        status: String,
        /// The end of its stderr.
        said: String,
    },
    /// It never served.
    #[error("nothing serves {0}: {1}")]
    NotServed(String, io::Error),
    /// The fresh directory could not be made.
    #[error("no fresh directory: {0}")]
    NoDirectory(io::Error),
}

/// One daemon.
pub struct Daemon {
    target: Target,
    profile: Profile,
    directory: TempDir,
    process: Option<Child>,
}

impl Daemon {
    /// Makes the directory with the configuration, and starts the process if the target has one that serves many.
    pub async fn start(
        target: &Target,
        profile: &Profile,
        config: &BTreeMap<String, Json>,
    ) -> Result<Self, StartFault> {
        let directory = tempfile::Builder::new().prefix("zc-").tempdir().map_err(StartFault::NoDirectory)?;
        let file = directory.path().join(&profile.config_file);
        let parent = file.parent().unwrap_or(directory.path());
        let text = format!("{}{}", profile.config, toml(config));
        fs::create_dir_all(parent).and_then(|()| fs::write(&file, text)).map_err(StartFault::NoDirectory)?;
        let mut daemon = Self { target: target.clone(), profile: profile.clone(), directory, process: None };
        if matches!(target, Target::Spawn(_)) {
            daemon.launch().await?;
        }
        Ok(daemon)
    }

    /// The fresh directory.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Starts the process, and waits until it serves.
    pub async fn launch(&mut self) -> Result<(), StartFault> {
        let Target::Spawn(command) = &self.target else { return Ok(()) };
        let log = fs::File::create(self.log()).map_err(StartFault::NoDirectory)?;
        let mut process = self
            .command(command)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|fault| StartFault::NotRun(command.clone(), fault))?;
        let begun = Instant::now();
        loop {
            match system::probe(&self.socket()).await {
                Ok(()) => break,
                Err(fault) if begun.elapsed() > PATIENCE => {
                    return Err(StartFault::NotServed(self.socket().display().to_string(), fault));
                }
                Err(_) => {}
            }
            if let Ok(Some(status)) = process.try_wait() {
                let command = command.clone();
                return Err(StartFault::Ended { command, status: status.to_string(), said: self.said() });
            }
            sleep(Duration::from_millis(2)).await;
        }
        self.process = Some(process);
        Ok(())
    }

    /// Opens a connection.
    pub async fn connect(&self) -> io::Result<Wire> {
        let Target::Stdio(command) = &self.target else { return self.dial().await };
        let log = fs::File::options().create(true).append(true).open(self.log())?;
        let process =
            self.command(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn()?;
        Wire::to_process(process)
    }

    async fn dial(&self) -> io::Result<Wire> {
        match &self.target {
            Target::Unix(path) => Wire::to_socket(path).await,
            Target::Pipe(name) => Wire::to_socket(Path::new(name)).await,
            Target::Spawn(_) | Target::Stdio(_) => Wire::to_socket(&self.socket()).await,
        }
    }

    /// Ends the process at once.
    pub async fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            // Ended already is as good.
            let _ = process.kill().await;
        }
    }

    /// Asks the process to end, and waits for it.
    pub async fn stop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        system::ask_to_end(&mut process);
        if timeout(PATIENCE, process.wait()).await.is_err() {
            let _ = process.kill().await;
        }
    }

    /// Where a spawned daemon serves.
    pub fn socket(&self) -> PathBuf {
        system::endpoint_of(self.directory.path())
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("stderr.log")
    }

    /// The end of what the process wrote to stderr.
    fn said(&self) -> String {
        let text = fs::read(self.log()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(8)..].iter().fold(String::new(), |mut said, line| {
            let _ = write!(said, "\n    {line}");
            said
        })
    }

    fn command(&self, command: &str) -> Command {
        let mut shell = system::command(command);
        let (directory, socket) = (self.directory.path(), self.socket());
        shell
            .env("ZEROCLAW_CONFIG_DIR", directory)
            .env("ZEROCLAW_SOCKET", &socket)
            .env_remove("ZEROCLAW_DATA_DIR")
            .kill_on_drop(true);
        for (name, value) in &self.profile.environment {
            let value = value
                .replace("{dir}", &directory.display().to_string())
                .replace("{socket}", &socket.display().to_string());
            shell.env(name, value);
        }
        shell
    }
}

/// Dotted properties as TOML: one table a line group, values as TOML writes them.
fn toml(config: &BTreeMap<String, Json>) -> String {
    let mut tables: BTreeMap<&str, Vec<(&str, &Json)>> = BTreeMap::new();
    for (property, value) in config {
        let (table, key) = property.rsplit_once('.').unwrap_or(("", property));
        tables.entry(table).or_default().push((key, value));
    }
    let mut text = String::new();
    for (table, entries) in tables {
        if !table.is_empty() {
            let _ = writeln!(text, "[{table}]");
        }
        for (key, value) in entries {
            let _ = writeln!(text, "{key} = {}", toml_value(value));
        }
    }
    text
}

fn toml_value(value: &Json) -> String {
    match value {
        Json::Array(elements) => {
            format!("[{}]", elements.iter().map(toml_value).collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) => {
            let entries: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{} = {}", Json::text(name), toml_value(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        // JSON's strings, numbers and booleans are TOML's.
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_become_tables() {
        let config = BTreeMap::from([
            ("rpc.frame_timeout_ms".to_owned(), Json::integer(300)),
            ("rpc.strict_params".to_owned(), Json::Bool(true)),
            ("users.bob.permission_profiles".to_owned(), Json::Array(vec![Json::text("a")])),
        ]);
        let wanted = "[rpc]\nframe_timeout_ms = 300\nstrict_params = true\n[users.bob]\npermission_profiles = [\"a\"]\n";
        assert_eq!(toml(&config), wanted);
    }
}
