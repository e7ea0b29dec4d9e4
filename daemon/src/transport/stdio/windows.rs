//! The two streams on Windows: handles.

use crate::transport::PeerGone;
use std::fs::File;
use std::future::pending;
use std::io;
use std::mem::zeroed;
use std::os::windows::io::{AsHandle as _, AsRawHandle as _, IntoRawHandle as _};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_PIPE_CLOSING_STATE, FILE_PIPE_DISCONNECTED_STATE, FILE_PIPE_LOCAL_INFORMATION,
    FilePipeLocalInformation, NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::CloseHandle;
use windows_sys::Win32::System::Console::{STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

/// How often it is asked whether the output's other end is there: nothing tells it unasked.
const PROBE: Duration = Duration::from_secs(1);

/// Standard input and output, with nothing left in their places.
///
/// # Errors
/// As the system says.
pub(super) fn take() -> io::Result<(File, File)> {
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    let errors = io::stderr().as_raw_handle();
    let mut left = vec![io::stdin().as_raw_handle(), io::stdout().as_raw_handle()];
    left.dedup();
    left.retain(|handle| *handle != errors);
    for place in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE] {
        // It stays there as long as the process does.
        let nowhere = File::options().read(true).write(true).open("NUL")?.into_raw_handle();
        // SAFETY: the handle is open and nobody else's.
        if unsafe { SetStdHandle(place, nowhere) } == 0 {
            return Err(io::Error::last_os_error());
        }
    }
    for handle in left {
        // While it is open the client does not see our end.
        // SAFETY: it was the process's own, nobody can get hold of it any more, and standard error is another one.
        unsafe { CloseHandle(handle) };
    }
    Ok((input.into(), output.into()))
}

/// Done when nobody reads the output any more, a second later at most. Never done for what is no pipe.
pub(super) fn hung_up(output: &File) -> PeerGone {
    let watched = output.try_clone();
    Box::pin(async move {
        let Ok(mut watched) = watched else { return pending().await };
        loop {
            sleep(PROBE).await;
            // Beside a write that waits this waits too, and is woken when that one fails.
            let asked = spawn_blocking(move || (state(&watched), watched)).await;
            match asked {
                Ok((Some(FILE_PIPE_CLOSING_STATE | FILE_PIPE_DISCONNECTED_STATE), _)) => return,
                Ok((Some(_), same)) => watched = same,
                Ok((None, _)) | Err(_) => return pending().await,
            }
        }
    })
}

/// The state of a pipe; none if it is something else.
fn state(file: &File) -> Option<u32> {
    // SAFETY: numbers may be zero.
    let (mut status, mut found): (IO_STATUS_BLOCK, FILE_PIPE_LOCAL_INFORMATION) = unsafe { zeroed() };
    // SAFETY: the handle is open, and the results' places are ours and as large as we say.
    let answer = unsafe {
        NtQueryInformationFile(
            file.as_raw_handle(),
            &mut status,
            (&raw mut found).cast(),
            size_of_val(&found) as u32,
            FilePipeLocalInformation,
        )
    };
    (answer >= 0).then_some(found.NamedPipeState)
}

/// Nothing: closing the output ends it.
pub(super) fn end<T>(_output: &T) {}
