//! Null endpoints: they know nothing of the protocol, and so must pass nothing.

use crate::json::{self, Json};
use std::io;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};

/// What a null endpoint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    /// Reads, and says nothing.
    Silent,
    /// Closes every connection at once.
    Closes,
    /// Sends every line back.
    Echoes,
    /// Answers every line with `-32603`, with its id if it finds one.
    InternalError,
    /// Answers every line with `{}` as the result.
    EmptyResult,
    /// Answers every line with the frame `{}`.
    EmptyFrame,
}

impl Null {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Silent, Self::Closes, Self::Echoes, Self::InternalError, Self::EmptyResult, Self::EmptyFrame];
}

/// Serves connections until the task is dropped.
pub async fn serve(listener: UnixListener, kind: Null) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(converse(stream, kind));
    }
}

async fn converse(stream: UnixStream, kind: Null) -> io::Result<()> {
    if kind == Null::Closes {
        return Ok(());
    }
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut line = Vec::new();
    while read.read_until(b'\n', &mut line).await? > 0 {
        if let Some(answer) = answer(kind, &line) {
            write.write_all(&answer).await?;
        }
        line.clear();
    }
    Ok(())
}

fn answer(kind: Null, line: &[u8]) -> Option<Vec<u8>> {
    let frame = std::str::from_utf8(line).ok().and_then(|text| json::read(text.trim()).ok());
    let id = frame.as_ref().and_then(|frame| frame.get("id")).cloned().unwrap_or(Json::Null);
    match kind {
        Null::Silent | Null::Closes => None,
        Null::Echoes => Some(line.to_vec()),
        Null::InternalError => Some(
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32603,\"message\":\"no\"}}}}\n")
                .into(),
        ),
        Null::EmptyResult => Some(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n").into()),
        Null::EmptyFrame => Some(b"{}\n".to_vec()),
    }
}
