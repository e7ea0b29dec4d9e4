//! A daemon process, for as long as a test needs it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A running daemon and its directory. Dropping it kills the one and removes the other.
#[derive(Debug)]
pub struct DaemonProcess {
    child: Child,
    directory: TempDir,
}

impl DaemonProcess {
    /// Starts `program` with a configuration of this text, and waits until it says that it is ready.
    ///
    /// # Panics
    /// If it does not come up.
    pub fn start(program: &str, config: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(directory.path().join("config.toml"), config).expect("a file in it");
        let mut child = Command::new(program)
            .args(["daemon", "--config-dir"])
            .arg(directory.path())
            .env_remove("ZEROCLAW_SOCKET")
            .env("RUST_LOG", "warn")
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        stderr.read_line(&mut line).expect("it says something");
        assert!(line.contains("is ready on"), "the daemon says: {line}");
        // Somebody has to read what it says from now on.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::stderr()));
        Self { child, directory }
    }

    /// Its configuration directory.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Where it listens.
    pub fn socket(&self) -> PathBuf {
        self.directory.path().join("data/daemon.sock")
    }
}

impl Drop for DaemonProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
