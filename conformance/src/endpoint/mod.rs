//! The endpoint under test: where it is, how it is started, and one connection's two halves.
//! What goes over a connection is `run`'s.

mod daemon;
mod find;
mod profile;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;
mod wire;

pub use daemon::{Daemon, StartFault};
pub use find::{FindFault, find_ours};
pub use profile::Profile;
pub(crate) use system::{can_ask_to_end, quoted};
pub use wire::{Receive, Transmit, Wire};

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// How the endpoint under test is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// One that runs already, at a Unix socket.
    Unix(PathBuf),
    /// One that runs already, at a Windows named pipe.
    Pipe(String),
    /// A command that serves one client on its standard input and output; one process a connection.
    Stdio(String),
    /// A command that serves a socket in a fresh directory.
    Spawn(String),
}

impl Target {
    /// Whether the runner starts the process, and so can configure it.
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::Stdio(_) | Self::Spawn(_))
    }

    /// Whether it is reached over a named pipe.
    pub fn is_pipe(&self) -> bool {
        matches!(self, Self::Pipe(_)) || cfg!(windows) && matches!(self, Self::Spawn(_))
    }

    /// The options that name this target again.
    pub fn as_options(&self) -> String {
        match self {
            Self::Spawn(command) => format!("--spawn {}", quoted(command)),
            Self::Stdio(command) => format!("--connect {}", quoted(&format!("stdio:{command}"))),
            Self::Unix(_) | Self::Pipe(_) => format!("--connect {}", quoted(&self.to_string())),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(out, "unix:{}", path.display()),
            Self::Pipe(name) => write!(out, "pipe:{name}"),
            Self::Stdio(command) => write!(out, "stdio:{command}"),
            Self::Spawn(command) => write!(out, "spawned: {command}"),
        }
    }
}

/// The form of `--connect`.
impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            Some(("pipe", name)) if !name.is_empty() => Ok(Self::Pipe(name.to_owned())),
            Some(("stdio", command)) if !command.is_empty() => Ok(Self::Stdio(command.to_owned())),
            Some(("wss", _)) => Err("endpoints over WSS cannot be tested yet".to_owned()),
            _ => Err("an endpoint is unix:PATH, pipe:NAME or stdio:'COMMAND'".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_named_by_its_transport() {
        assert_eq!("unix:/run/z.sock".parse(), Ok(Target::Unix("/run/z.sock".into())));
        assert_eq!("stdio:z daemon --stdio".parse(), Ok(Target::Stdio("z daemon --stdio".into())));
        assert!("/run/z.sock".parse::<Target>().is_err());
    }
}
