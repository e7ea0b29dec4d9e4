//! What a proxy does to the frames of a daemon that is right: mutants, each of which breaks a rule, and variations
//! that the protocol permits.

use crate::json::{self, Json, Operation};
use std::collections::BTreeMap;

/// A change of what a daemon writes that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutant {
    /// Replies have another id.
    WrongId,
    /// A number id comes back as a string.
    IdRetyped,
    /// `state` is missing from the result of `session/state`.
    MemberDropped,
    /// `messageCount` is spelled in the other way.
    MemberRespelled,
    /// Every fifth reply is lost.
    FrameLost,
    /// Replies come twice.
    FrameDuplicated,
    /// The reply to a prompt overtakes the frame before it.
    FramesReordered,
    /// Frames end with CR LF.
    CarriageReturn,
    /// An absent session is told as a busy one.
    CodeSwapped,
    /// A notification is answered.
    NotificationAnswered,
}

/// A change of what a daemon writes that no client may notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variation {
    /// Nothing is changed.
    None,
    /// The members of every frame stand the other way round.
    MemberOrder,
    /// White space stands between the tokens.
    WhiteSpace,
    /// Frames and results have members that the spec does not know.
    ExtraMembers,
    /// Frames are written in pieces.
    SplitWrites,
}

/// What a proxy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It breaks a rule.
    Mutant(Mutant),
    /// It does not.
    Variation(Variation),
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::WrongId,
        Self::IdRetyped,
        Self::MemberDropped,
        Self::MemberRespelled,
        Self::FrameLost,
        Self::FrameDuplicated,
        Self::FramesReordered,
        Self::CarriageReturn,
        Self::CodeSwapped,
        Self::NotificationAnswered,
    ];

    /// The rule that it breaks.
    pub fn rule(self) -> &'static str {
        match self {
            Self::WrongId | Self::IdRetyped => "EN-04",
            Self::MemberDropped => "SE-11",
            Self::MemberRespelled => "SP-02",
            Self::FrameLost | Self::FrameDuplicated => "OR-01",
            Self::FramesReordered => "OR-05",
            Self::CarriageReturn => "FR-03",
            Self::CodeSwapped => "ER-02",
            Self::NotificationAnswered => "EN-10",
        }
    }
}

impl Variation {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::None, Self::MemberOrder, Self::WhiteSpace, Self::ExtraMembers, Self::SplitWrites];
}

/// What the proxy knows of one connection.
#[derive(Default)]
pub(super) struct Overheard {
    /// The methods of the requests that are open.
    asked: BTreeMap<String, String>,
    replies: u64,
    held: Option<Vec<u8>>,
}

impl Overheard {
    /// Notes what the client sends; gives back what the mutant answers itself.
    pub(super) fn sent(&mut self, line: &[u8], change: Change) -> Option<Vec<u8>> {
        let frame = frame(line)?;
        let method = frame.get("method")?.as_str()?;
        match frame.get("id") {
            Some(id) => {
                self.asked.insert(id.to_string(), method.to_owned());
                None
            }
            None => (change == Change::Mutant(Mutant::NotificationAnswered))
                .then(|| b"{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}\n".to_vec()),
        }
    }

    /// The pieces in which a line of the daemon reaches the client, and whether anything was changed.
    pub(super) fn received(&mut self, line: &[u8], change: Change) -> (Vec<Vec<u8>>, bool) {
        let Some(frame) = frame(line) else { return (vec![line.to_vec()], false) };
        let reply_to = match frame.get("method") {
            Some(_) => None,
            None => frame.get("id").and_then(|id| self.asked.get(&id.to_string()).cloned()),
        };
        // The handshake stays whole, so that the mutant meets the cases and not only their beginning.
        if reply_to.as_deref() == Some("initialize") {
            return (vec![line.to_vec()], false);
        }
        let changed = match change {
            Change::Mutant(mutant) => self.mutated(mutant, &frame, line, reply_to.as_deref()),
            Change::Variation(variation) => varied(variation, &frame, line),
        };
        match changed {
            Some(pieces) => (pieces, true),
            None => (vec![line.to_vec()], false),
        }
    }

    fn mutated(
        &mut self,
        mutant: Mutant,
        frame: &Json,
        line: &[u8],
        reply_to: Option<&str>,
    ) -> Option<Vec<Vec<u8>>> {
        if mutant == Mutant::CarriageReturn {
            let mut line = line.strip_suffix(b"\n")?.to_vec();
            line.extend(b"\r\n");
            return Some(vec![line]);
        }
        if mutant == Mutant::FramesReordered {
            return self.reordered(line, reply_to);
        }
        let method = reply_to?;
        self.replies += 1;
        match mutant {
            Mutant::WrongId => replaced(frame, "/id", Json::text("nobody's")),
            Mutant::IdRetyped => match frame.get("id")? {
                Json::Number(id) => replaced(frame, "/id", Json::text(id.as_str())),
                _ => None,
            },
            Mutant::MemberDropped if method == "session/state" => {
                edited(frame, Operation::Remove { path: "/result/state".to_owned() })
            }
            Mutant::MemberRespelled => {
                let count = frame.at("/result/messageCount")?.clone();
                let mut frame = frame.clone();
                let remove = Operation::Remove { path: "/result/messageCount".to_owned() };
                let add = Operation::Add { path: "/result/message_count".to_owned(), value: count };
                json::apply_patch(&mut frame, &[remove, add]).ok()?;
                Some(vec![written(&frame)])
            }
            Mutant::FrameLost => self.replies.is_multiple_of(5).then(Vec::new),
            Mutant::FrameDuplicated => Some(vec![line.to_vec(), line.to_vec()]),
            Mutant::CodeSwapped if frame.at("/error/code")?.as_integer() == Some(-32000) => {
                replaced(frame, "/error/code", Json::integer(-32002))
            }
            _ => None,
        }
    }

    /// A `turn_complete` waits for the frame after it.
    fn reordered(&mut self, line: &[u8], reply_to: Option<&str>) -> Option<Vec<Vec<u8>>> {
        if let Some(held) = self.held.take() {
            return Some(vec![line.to_vec(), held]);
        }
        let ends = reply_to.is_none() && frame(line)?.at("/params/type")?.as_str() == Some("turn_complete");
        ends.then(|| {
            self.held = Some(line.to_vec());
            Vec::new()
        })
    }
}

fn varied(variation: Variation, frame: &Json, line: &[u8]) -> Option<Vec<Vec<u8>>> {
    match variation {
        Variation::None => None,
        Variation::MemberOrder => Some(vec![written(&turned(frame))]),
        Variation::WhiteSpace => {
            let mut text = frame.pretty(0).replace('\n', " \t");
            text.push_str(" \n");
            Some(vec![text.into_bytes()])
        }
        Variation::ExtraMembers => {
            let mut frame = frame.clone();
            let extra = |path: &str| Operation::Add { path: path.to_owned(), value: Json::text("x") };
            json::apply_patch(&mut frame, &[extra("/trace")]).ok()?;
            // Errors and params have one too, where they are objects.
            for path in ["/result/somethingNew", "/params/somethingNew", "/error/somethingNew"] {
                let _ = json::apply_patch(&mut frame, &[extra(path)]);
            }
            Some(vec![written(&frame)])
        }
        Variation::SplitWrites => {
            let third = line.len().div_ceil(3);
            Some(line.chunks(third).map(<[u8]>::to_vec).collect())
        }
    }
}

fn turned(value: &Json) -> Json {
    match value {
        Json::Array(elements) => Json::Array(elements.iter().map(turned).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().rev().map(|(name, value)| (name.clone(), turned(value))).collect())
        }
        value => value.clone(),
    }
}

fn frame(line: &[u8]) -> Option<Json> {
    json::read(std::str::from_utf8(line).ok()?.trim()).ok()
}

fn replaced(frame: &Json, path: &str, value: Json) -> Option<Vec<Vec<u8>>> {
    edited(frame, Operation::Replace { path: path.to_owned(), value })
}

fn edited(frame: &Json, operation: Operation) -> Option<Vec<Vec<u8>>> {
    let mut frame = frame.clone();
    json::apply_patch(&mut frame, &[operation]).ok()?;
    Some(vec![written(&frame)])
}

fn written(frame: &Json) -> Vec<u8> {
    format!("{frame}\n").into_bytes()
}
