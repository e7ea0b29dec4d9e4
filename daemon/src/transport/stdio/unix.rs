//! The two streams on Unix: descriptors.

use crate::transport::{PeerGone, hangup};
use rustix::net::Shutdown;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

/// Standard input and output, with nothing left in their places.
///
/// # Errors
/// As the system says.
pub(super) fn take() -> io::Result<(File, File)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let nowhere = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    Ok((input.into(), output.into()))
}

/// Done when nobody reads the output any more.
pub(super) fn hung_up(output: &File) -> PeerGone {
    hangup::hung_up(output.as_fd())
}

/// Ends our writing. Input and output may be one socket, which closing the output alone does not end. For a pipe this
/// does nothing.
pub(super) fn end(output: &impl AsFd) {
    let _ = rustix::net::shutdown(output, Shutdown::Write);
}
