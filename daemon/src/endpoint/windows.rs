//! The named pipe: its first instance is made exclusively, so that nobody can have taken the name before us, and only
//! its owner and SYSTEM may open it (EP-10). It goes when its last handle is closed: nothing of it can be stale.

pub(super) mod lock_file;
pub(crate) mod security;

use super::{Lock, LockError};
use crate::transport::Pipe;
use security::Descriptor;
use std::io;
use std::mem;
use std::os::windows::io::AsRawHandle as _;
use std::path::{Path, PathBuf};
use std::ptr;
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use tokio::sync::Mutex;
use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_NO_DATA, ERROR_PIPE_BUSY};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::System::Pipes::GetNamedPipeHandleStateW;

/// What the names of this machine's pipes begin with.
const LOCAL: &str = r"\\.\pipe\";

/// Most characters in such a name.
const MAX_NAME: usize = 256;

/// Why the endpoint cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// What `ZEROCLAW_SOCKET` names is no pipe of this machine.
    #[error(transparent)]
    NotLocal(#[from] NotLocal),
    /// EP-04.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// EP-10: another process has made a pipe of this name.
    #[error("somebody serves {} already; set ZEROCLAW_SOCKET to another name", .0.display())]
    Taken(PathBuf),
    /// The system refused.
    #[error("cannot serve {path}: {error}", path = path.display())]
    Failed {
        /// The pipe's name.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
}

/// The name is not one of a pipe on this machine.
#[derive(Debug, thiserror::Error)]
#[error(r"{} is no endpoint here: set ZEROCLAW_SOCKET to \\.\pipe\NAME, of at most {MAX_NAME} characters", .0.display())]
pub struct NotLocal(PathBuf);

/// Checks that this names a pipe on this machine.
///
/// # Errors
/// It is a file, say, or a pipe of another machine.
pub(crate) fn check_name(path: &Path) -> Result<(), NotLocal> {
    let text = path.to_str().unwrap_or_default();
    let local = text.get(..LOCAL.len()).is_some_and(|start| start.eq_ignore_ascii_case(LOCAL));
    let fits = local && text.len() > LOCAL.len() && text.chars().count() <= MAX_NAME;
    if fits { Ok(()) } else { Err(NotLocal(path.to_owned())) }
}

/// A pipe that clients may connect to.
#[derive(Debug)]
pub struct Endpoint {
    name: PathBuf,
    access: Descriptor,
    /// The instance that the next client gets. There always is one, so that the name stays ours.
    next: Mutex<NamedPipeServer>,
    /// Of a name that does not come from the data directory, whose own lock is held already.
    _lock: Option<Lock>,
}

impl Endpoint {
    /// A pipe that was handed to us: there is no such thing here (EP-13).
    ///
    /// # Errors
    /// Never.
    pub fn inherited() -> Result<Option<Self>, EndpointError> {
        Ok(None)
    }

    /// Whether a pipe can have this name at all. Touches nothing.
    ///
    /// # Errors
    /// It is not the name of a pipe of this machine.
    pub fn check(name: &Path) -> Result<(), EndpointError> {
        Ok(check_name(name)?)
    }

    /// Makes the pipe; `own_directory` says that its name comes from the data directory.
    ///
    /// # Errors
    /// [`EndpointError`]; a pipe that is there already is not disturbed.
    pub fn bind(name: &Path, own_directory: bool) -> Result<Self, EndpointError> {
        check_name(name)?;
        let lock = if own_directory { None } else { Some(lock_name(name)?) };
        let failed = |error| EndpointError::Failed { path: name.to_owned(), error };
        let access = security::current_user().and_then(|user| Descriptor::parse(&access_of(&user)));
        let access = access.map_err(failed)?;
        let taken = || EndpointError::Taken(name.to_owned());
        let first = create(name, &access, true)
            .map_err(|error| if is_taken(&error) { taken() } else { failed(error) })?;
        // Wine does not heed the flag that asks for it: so it is counted, too.
        if instances(&first).map_err(failed)? != 1 {
            return Err(taken());
        }
        Ok(Self { name: name.to_owned(), access, next: Mutex::new(first), _lock: lock })
    }

    /// Where clients reach it.
    pub fn path(&self) -> &Path {
        &self.name
    }

    /// The next client.
    ///
    /// # Errors
    /// As the system says; the endpoint is as good as before, and a client that has connected meanwhile is the next.
    pub async fn accept(&self) -> io::Result<Pipe> {
        let mut next = self.next.lock().await;
        let left = match next.connect().await {
            Ok(()) => false,
            // Came and went before we looked: a client all the same (EM-03).
            Err(error) if error.raw_os_error() == Some(ERROR_NO_DATA.cast_signed()) => true,
            Err(error) => {
                // Whatever state it is in, it can be waited on again.
                let _ = next.disconnect();
                return Err(error);
            }
        };
        let another = create(&self.name, &self.access, false)?;
        Ok(Pipe::new(mem::replace(&mut *next, another), left))
    }
}

/// The access list: our user, who owns it whatever token we run with, and SYSTEM, with nothing inherited (EP-10).
fn access_of(user: &str) -> String {
    format!("O:{user}D:P(A;;FA;;;{user})(A;;FA;;;SY)")
}

/// EP-04: two daemons of one user that were given the same name. The pipe itself cannot tell who owns it without
/// being connected to, which would count as a client.
fn lock_name(name: &Path) -> Result<Lock, LockError> {
    let name = name.display().to_string();
    let file = format!("zeroclaw-{}.lock", crate::paths::short_hash(&name.to_lowercase()));
    Lock::take(&std::env::temp_dir().join(file), &name)
}

/// How the system says that the name is somebody else's, or that its own access list keeps us out.
fn is_taken(error: &io::Error) -> bool {
    let codes = [ERROR_ACCESS_DENIED, ERROR_PIPE_BUSY];
    codes.iter().any(|code| error.raw_os_error() == Some(code.cast_signed()))
}

/// How many instances of this pipe there are, whoever made them.
fn instances(pipe: &NamedPipeServer) -> io::Result<u32> {
    let (mut count, none) = (0, ptr::null_mut());
    // SAFETY: the handle is open, and the result's place is ours.
    let done = unsafe {
        GetNamedPipeHandleStateW(pipe.as_raw_handle(), none, &mut count, none, none, ptr::null_mut(), 0)
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(count) }
}

fn create(name: &Path, access: &Descriptor, first: bool) -> io::Result<NamedPipeServer> {
    let mut attributes = SECURITY_ATTRIBUTES {
        nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
        lpSecurityDescriptor: access.as_ptr(),
        bInheritHandle: 0,
    };
    let mut options = ServerOptions::new();
    options.first_pipe_instance(first).reject_remote_clients(true);
    // SAFETY: the attributes, and the descriptor that they point at, are valid during the call.
    unsafe { options.create_with_security_attributes_raw(name, (&raw mut attributes).cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::windows::io::{AsHandle as _, BorrowedHandle};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::windows::named_pipe::ClientOptions;

    fn fresh_name() -> PathBuf {
        format!(r"\\.\pipe\zeroclaw-test-{}", crate::ids::hex(&crate::ids::random::<8>())).into()
    }

    fn borrowed(pipe: &impl std::os::windows::io::AsRawHandle) -> BorrowedHandle<'_> {
        // SAFETY: the pipe outlives the borrow.
        unsafe { BorrowedHandle::borrow_raw(pipe.as_raw_handle()) }
    }

    /// EP-10
    #[tokio::test]
    async fn its_access_list_read_back_is_our_user_and_system_and_nobody_else() {
        let name = fresh_name();
        let endpoint = Endpoint::bind(&name, true).unwrap();
        let user = security::current_user().unwrap();
        assert!(user.starts_with("S-1-5-"), "{user}");
        let wanted = [
            format!("D:P(A;;FA;;;{user})(A;;FA;;;SY)"),
            format!("D:P(A;;0x1f01ff;;;{user})(A;;0x1f01ff;;;SY)"),
        ];
        let client = ClientOptions::new().open(&name).unwrap();
        let first = endpoint.accept().await.unwrap();
        let next = endpoint.next.lock().await;
        for (end, handle) in [
            ("the instance that waits", borrowed(&*next)),
            ("the client's end", borrowed(&client)),
            ("the connected instance", first.as_handle()),
        ] {
            let read = security::describe(handle).unwrap();
            println!("{end}: O:{} {}", read.owner, read.access_list);
            assert_eq!(read.owner, user, "{end}");
            assert!(wanted.contains(&read.access_list), "{end}: {}", read.access_list);
        }
        assert!(!client.as_raw_handle().is_null());
    }

    /// EP-10
    #[tokio::test]
    async fn a_name_that_somebody_has_is_refused_and_theirs_is_not_disturbed() {
        let name = fresh_name();
        let theirs = ServerOptions::new().create(&name).unwrap();
        let refused = Endpoint::bind(&name, true);
        assert!(matches!(refused, Err(EndpointError::Taken(_))), "{refused:?}");
        let client = ClientOptions::new().open(&name).unwrap();
        theirs.connect().await.unwrap();
        drop(client);
    }

    /// EP-04
    #[tokio::test]
    async fn the_second_daemon_on_a_given_name_is_told_the_firsts_pid() {
        let name = fresh_name();
        let _first = Endpoint::bind(&name, false).unwrap();
        let error = Endpoint::bind(&name, false).unwrap_err().to_string();
        assert_eq!(error, format!("a daemon owns {} already (pid {})", name.display(), std::process::id()));
    }

    #[test]
    fn only_pipes_of_this_machine_are_endpoints() {
        for name in [r"\\.\pipe\z", r"\\.\PIPE\z"] {
            check_name(Path::new(name)).unwrap();
        }
        for name in [r"\\.\pipe\", r"\\server\pipe\z", r"C:\z.sock", "z", ""] {
            assert!(check_name(Path::new(name)).is_err(), "{name}");
        }
    }

    /// EM-03
    #[tokio::test]
    async fn a_client_that_has_left_already_is_a_client_that_has_ended() {
        let name = fresh_name();
        let endpoint = Endpoint::bind(&name, true).unwrap();
        drop(ClientOptions::new().open(&name).unwrap());
        let (mut incoming, _) = crate::transport::Transport::split(endpoint.accept().await.unwrap());
        assert_eq!(incoming.read(&mut [0; 8]).await.unwrap(), 0);
    }

    /// LI-12
    #[tokio::test]
    async fn what_was_written_arrives_though_the_pipe_is_closed_and_input_was_unread() {
        let name = fresh_name();
        let endpoint = Endpoint::bind(&name, true).unwrap();
        let mut client = ClientOptions::new().open(&name).unwrap();
        let (incoming, mut outgoing) = crate::transport::Transport::split(endpoint.accept().await.unwrap());
        client.write_all(b"never read").await.unwrap();
        outgoing.write_all(b"the last notice\n").await.unwrap();
        outgoing.shutdown().await.unwrap();
        drop((incoming, outgoing));
        let mut read = Vec::new();
        client.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, b"the last notice\n");
    }

    /// LI-04
    #[tokio::test]
    async fn dropping_a_side_that_is_stuck_disconnects_the_client() {
        let name = fresh_name();
        let endpoint = Endpoint::bind(&name, true).unwrap();
        let mut client = ClientOptions::new().open(&name).unwrap();
        let (incoming, mut outgoing) = crate::transport::Transport::split(endpoint.accept().await.unwrap());
        let flood = vec![b'x'; 1 << 20];
        let stuck = tokio::time::timeout(std::time::Duration::from_millis(200), outgoing.write_all(&flood));
        assert!(stuck.await.is_err(), "nobody reads");
        drop((incoming, outgoing));
        let mut read = Vec::new();
        let end = client.read_to_end(&mut read).await;
        assert!(end.is_err() || read.len() < flood.len());
    }
}
