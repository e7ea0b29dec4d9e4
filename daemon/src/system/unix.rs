//! Unix: modes, user ids, signals, and the service manager's notification socket.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use tokio::signal::unix::{SignalKind, signal};

/// Makes directories that are 0700 from their first instant.
pub(crate) fn private_directory() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Takes away from everybody else what they may do in the directory.
///
/// # Errors
/// As the system says; also if it is not ours to change.
pub(crate) fn close_to_others(directory: &Path) -> io::Result<()> {
    if fs::metadata(directory)?.permissions().mode() & 0o7777 != 0o700 {
        fs::set_permissions(directory, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Whether this is the user we run as.
pub(crate) fn is_own_user(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
}

/// Tells a service manager that waits for it that clients may connect (EP-13).
pub(crate) fn announce_ready() {
    if let Err(error) = sd_notify::notify(&[sd_notify::NotifyState::Ready]) {
        tracing::warn!(%error, "cannot tell the service manager that we are ready");
    }
}

/// Done when a signal asks us to end (EP-14), with its name; listens from the call on.
///
/// # Errors
/// As the system says.
pub(crate) fn stop_signal() -> io::Result<impl Future<Output = &'static str>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        }
    })
}
