//! The program under test with a home directory of its own, and a client that speaks lines.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_daemon-under-test");

/// Longer than anything here takes, so that a test that waits in vain fails instead of hanging.
const IN_VAIN: Duration = Duration::from_secs(20);

/// Waits until it is so.
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < IN_VAIN, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A home directory, where the defaults are.
pub(crate) struct Home {
    directory: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// One whose configuration file says this.
    pub(crate) fn configured(text: &str) -> Self {
        let home = Self::new();
        std::fs::create_dir(home.path().join(".zeroclaw")).unwrap();
        std::fs::write(home.path().join(".zeroclaw/config.toml"), text).unwrap();
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join(".zeroclaw/data")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.data().join("daemon.sock")
    }

    /// The program with these arguments; nothing of our own environment but `PATH` reaches it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path()).current_dir(self.path()).stdin(Stdio::null());
        command
    }

    /// The daemon, ready.
    pub(crate) fn start(&self) -> Running {
        Running::start(self.command(&["daemon"]))
    }

    /// What a command says that ends by itself.
    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        Said::by(self.command(arguments))
    }
}

/// The end of a command: its exit status, and what it said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn by(mut command: Command) -> Self {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Who does not end by itself is ended, and its test fails for what it did not say.
        let (sender, ended) = std::sync::mpsc::channel::<()>();
        let pid = rustix::process::Pid::from_child(&child);
        let watch = std::thread::spawn(move || {
            if ended.recv_timeout(IN_VAIN) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        drop(sender);
        watch.join().unwrap();
        Self { status, out: String::from_utf8(stdout).unwrap(), err: String::from_utf8(stderr).unwrap() }
    }

    /// It did not start, and its one message says each of these.
    pub(crate) fn refuses_to_start(&self, because: &[&str]) {
        assert!(!self.status.success() && self.status.code().is_some(), "{self:?}");
        assert!(!self.err.contains("is ready"), "{self:?}");
        let messages: Vec<_> = self.err.lines().filter(|line| line.starts_with("zeroclaw: ")).collect();
        let [message] = messages[..] else { panic!("one message: {self:?}") };
        for reason in because {
            assert!(message.contains(reason), "{reason}: {self:?}");
        }
    }
}

/// A daemon that is ready. Dropping it kills it.
pub(crate) struct Running {
    child: Child,
    heard: Arc<Mutex<String>>,
    listener: Option<JoinHandle<()>>,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let heard = Arc::new(Mutex::new(String::new()));
        let hear = move |stderr: &mut BufReader<ChildStderr>, heard: &Mutex<String>| {
            let mut line = String::new();
            let more = stderr.read_line(&mut line).is_ok_and(|bytes| bytes > 0);
            heard.lock().unwrap().push_str(&line);
            more.then_some(line)
        };
        while !hear(&mut stderr, &heard)
            .unwrap_or_else(|| panic!("it did not start: {}", heard.lock().unwrap()))
            .contains("is ready on")
        {}
        let hearing = Arc::clone(&heard);
        let listener = std::thread::spawn(move || while hear(&mut stderr, &hearing).is_some() {});
        Self { child, heard, listener: Some(listener) }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said so far.
    pub(crate) fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until it has ended by itself: how, and all that it said.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let mut status = None;
        until("the daemon ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        self.listener.take().unwrap().join().unwrap();
        (status.unwrap(), self.heard())
    }

    /// Ends it as a service manager does.
    pub(crate) fn stop(self) {
        self.signal(rustix::process::Signal::TERM);
        let (status, heard) = self.ended();
        assert!(status.success(), "{status}: {heard}");
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(self) {
        self.signal(rustix::process::Signal::KILL);
        self.ended();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection, line by line.
pub(crate) struct Line {
    reader: BufReader<UnixStream>,
    asked: u32,
}

impl Line {
    pub(crate) fn open(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(IN_VAIN)).unwrap();
        stream.set_write_timeout(Some(IN_VAIN)).unwrap();
        Self { reader: BufReader::new(stream), asked: 0 }
    }

    /// One on which the handshake is done.
    pub(crate) fn initialized(socket: &Path) -> Self {
        let mut line = Self::open(socket);
        assert_eq!(line.call("initialize", json!({}))["protocolVersion"], 1);
        line
    }

    pub(crate) fn stream(&self) -> &UnixStream {
        self.reader.get_ref()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.reader.get_mut().write_all(bytes)
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let frame = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.write(format!("{frame}\n").as_bytes()).unwrap();
        json!(self.asked)
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("a frame, not the end of the stream")
    }

    /// Makes a call whose result is the next frame.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let mut reply = self.receive();
        assert_eq!((&reply["id"], reply.get("error")), (&id, None), "{reply}");
        reply["result"].take()
    }

    /// Makes a session with the agent `echo`.
    pub(crate) fn session(&mut self, id: &str) {
        self.call("session/new", json!({"agentAlias": "echo", "sessionId": id}));
    }

    /// Starts a turn that says `one ` and waits until it is cancelled.
    pub(crate) fn waiting_turn(&mut self, session_id: &str) -> Value {
        let asked = self.ask("session/prompt", json!({"sessionId": session_id, "prompt": "one @wait"}));
        assert_eq!(self.receive()["params"]["text"], "one ");
        asked
    }

    /// The connection is alive, and nothing has come that was not taken.
    pub(crate) fn fence(&mut self) {
        self.call("status", json!({}));
    }

    /// The stream ends here, cleanly.
    pub(crate) fn end(mut self) {
        let mut rest = String::new();
        self.reader.read_to_string(&mut rest).expect("a clean end, no reset");
        assert_eq!(rest, "");
    }
}

/// The permissions of what is at the path.
pub(crate) fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
