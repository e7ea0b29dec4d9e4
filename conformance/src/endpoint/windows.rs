//! What is Windows' own: named pipes, console events, command lines. A pipe has no half-close: shutting a writer down
//! does nothing, the end comes when both halves are dropped.

use super::{Receive, Wire};
use std::ffi::c_void;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf, ReadHalf, split};
use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{Instant, sleep};
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent, GetConsoleProcessList,
};
use windows_sys::Win32::System::Pipes::{PeekNamedPipe, WaitNamedPipeW};
use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;

/// What the names of this machine's pipes begin with.
const LOCAL: &str = r"\\.\pipe\";

/// How long a pipe may have no instance free: between two clients there is such an instant.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// The reading half of a pipe, with its handle to ask about.
struct FromPipe {
    half: ReadHalf<NamedPipeClient>,
    /// Open as long as `half` is there. A number, because handles may go from thread to thread.
    handle: usize,
}

impl AsyncRead for FromPipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.half).poll_read(cx, into)
    }
}

impl Receive for FromPipe {
    fn is_hung_up(&self) -> bool {
        hung_up(self.handle as *mut c_void)
    }
}

impl Receive for ChildStdout {
    /// Unknown: a read that is under way must not be disturbed by questions to the same handle.
    fn is_hung_up(&self) -> bool {
        false
    }
}

/// Whether the pipe is disconnected. One that is only closed is not seen so while something is unread.
fn hung_up(pipe: *mut c_void) -> bool {
    let none = ptr::null_mut();
    // SAFETY: the handle is open, and nothing is asked for but whether it can be asked.
    unsafe { PeekNamedPipe(pipe, ptr::null_mut(), 0, none, none, none) == 0 }
}

impl Wire {
    /// Connects to a named pipe.
    pub async fn to_socket(path: &Path) -> io::Result<Self> {
        let path = full_name(path);
        let begun = Instant::now();
        let pipe = loop {
            match ClientOptions::new().open(&path) {
                Err(fault)
                    if fault.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed())
                        && begun.elapsed() < PATIENCE =>
                {
                    sleep(PAUSE).await;
                }
                opened => break opened?,
            }
        };
        let handle = pipe.as_raw_handle() as usize;
        let (half, transmit) = split(pipe);
        let receive = Box::new(FromPipe { half, handle });
        Ok(Self { receive, transmit: Box::new(transmit), process: None })
    }
}

/// A pipe may be named with or without what all such names begin with.
fn full_name(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(name) if !name.contains('\\') => format!("{LOCAL}{name}").into(),
        _ => path.to_owned(),
    }
}

/// Where a daemon with this directory is told to serve.
pub(super) fn endpoint_of(directory: &Path) -> PathBuf {
    full_name(Path::new(directory.file_name().unwrap_or_default()))
}

/// Whether a daemon serves there. It is not connected to: it could not tell us that it has let go.
pub(super) async fn probe(path: &Path) -> io::Result<()> {
    let name: Vec<u16> = full_name(path).as_os_str().encode_wide().chain([0]).collect();
    // SAFETY: the name ends with a zero.
    if unsafe { WaitNamedPipeW(name.as_ptr(), 1) } == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A process for a command line, whose first word, in double quotes if it has spaces, is the program. It can be asked
/// to end without those who share its console.
pub(super) fn command(line: &str) -> Command {
    let line = line.trim_start();
    let (program, arguments) = match line.strip_prefix('"') {
        Some(rest) => rest.split_once('"').unwrap_or((rest, "")),
        None => line.split_once(' ').unwrap_or((line, "")),
    };
    let mut command = Command::new(program);
    command.raw_arg(arguments).creation_flags(CREATE_NEW_PROCESS_GROUP);
    command
}

/// Whether processes that we start can be asked to end: they share our console, if we have one.
pub(crate) fn can_ask_to_end() -> bool {
    // SAFETY: there is room for one.
    unsafe { GetConsoleProcessList(&mut 0, 1) != 0 }
}

/// Asks a process to end: Ctrl-Break, if it shares our console. Otherwise it is ended at once.
pub(super) fn ask_to_end(process: &mut Child) {
    // SAFETY: it takes numbers only.
    let asked = process.id().is_some_and(|id| unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, id) != 0 });
    if !asked {
        // Ended already is as good.
        let _ = process.start_kill();
    }
}

/// A word of a command line, quoted where it must be. Names of files hold no double quotes.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || r"-_./:=,@\".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("\"{word}\"") }
}
