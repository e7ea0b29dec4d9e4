//! What every operating system has in its own way: private directories, users, the order to stop, the word that we are
//! ready. Both files give the same names. Addresses are `endpoint`'s, streams are `transport`'s.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{announce_ready, close_to_others, is_own_user, private_directory, stop_signal};
#[cfg(windows)]
pub(crate) use windows::{announce_ready, close_to_others, is_own_user, private_directory, stop_signal};
