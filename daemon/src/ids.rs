//! Ids and secrets that cannot be guessed (SE-16, AS-05).

use zeroclaw_spec::SessionId;

/// Random bytes from the operating system.
///
/// # Panics
/// If it has none to give: nothing safe can be done without.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An id for a session whose maker named none: 128 random bits.
pub(crate) fn session_id() -> SessionId {
    SessionId::new(hex(&random::<16>())).expect("hexadecimal digits are a session id")
}
