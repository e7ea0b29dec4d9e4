//! Windows: access lists that are inherited, and the events of the console.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;
use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

/// Makes directories. They inherit the access list of the one above them; within the user's profile that admits the
/// user, SYSTEM and administrators.
pub(crate) fn private_directory() -> DirBuilder {
    DirBuilder::new()
}

/// Nothing: a directory outside the profile has the access list that whoever made it wanted.
///
/// # Errors
/// Never.
pub(crate) fn close_to_others(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Users have no number here, so no number is ours.
pub(crate) fn is_own_user(_uid: u32) -> bool {
    false
}

/// Nobody waits for it.
pub(crate) fn announce_ready() {}

/// Done when the console asks us to end (EP-14), with the event's name; listens from the call on. After a closed window
/// or at a shutdown the system gives us about five seconds.
///
/// # Errors
/// As the system says.
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = &'static str>> {
    let (mut interrupt, mut broken) = (ctrl_c()?, ctrl_break()?);
    let (mut closed, mut shutdown) = (ctrl_close()?, ctrl_shutdown()?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => "Ctrl-C",
            _ = broken.recv() => "Ctrl-Break",
            _ = closed.recv() => "the console was closed",
            _ = shutdown.recv() => "the system shuts down",
        }
    })
}
