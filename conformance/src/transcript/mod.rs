//! The form of a transcript: a header, then one step a line. Only what is written; running it is `run`'s.
//! The JSON Schema of the format is made from these types.

mod expand;
mod lint;
mod read;
mod suite;

pub use expand::{Script, expand};
pub(crate) use lint::walk;
pub use lint::{Finding, lint};
pub use read::{Transcript, TranscriptFault, parse};
pub use suite::{Suite, matches_glob};

use crate::json::{Json, Operation};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The first line of a transcript: what the case is about and what it needs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The case's permanent name.
    pub case: String,
    /// The rules the case holds an endpoint to; the first judges steps that name none.
    pub rules: Vec<String>,
    /// What the case shows, in one sentence.
    pub about: String,
    /// What the case needs beyond what its steps show.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// Configuration the daemon must run with: dotted property to value.
    #[serde(default)]
    pub config: BTreeMap<String, Json>,
    /// Other people than the operator: name to grants.
    #[serde(default)]
    pub users: BTreeMap<String, Json>,
    /// Names for computed values, evaluated where they are used.
    #[serde(default, rename = "let")]
    pub names: BTreeMap<String, Json>,
    /// One case for each member: its label becomes part of the case's name, its value is `$each`.
    #[serde(default)]
    pub each: BTreeMap<String, Json>,
    /// Frames that may come at any time and are dropped then.
    #[serde(default)]
    pub skip: Vec<Json>,
    /// The case this one differs from in one edit.
    #[serde(default)]
    pub twin: Option<Twin>,
    /// `exact`: frames are sent and matched as written, in every spelling.
    #[serde(default)]
    pub spelling: Option<Exact>,
}

/// What a case needs beyond what its steps show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// A daemon of its own.
    Fresh,
    /// Nobody else on the daemon while the case runs.
    Alone,
}

/// The only value of a header's `spelling`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Exact {
    /// Frames are sent and matched as written.
    Exact,
}

/// A negative case: a positive one with one step edited.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Twin {
    /// The positive case.
    pub of: String,
    /// The label of the step that is edited; the steps after it are this file's.
    pub edit: String,
    /// What is edited.
    pub patch: Vec<Operation>,
}

/// One line after the header: a verb, and what goes with any verb.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Step {
    /// What goes with any verb.
    #[schemars(flatten)]
    pub common: Common,
    /// What is done.
    #[schemars(flatten)]
    pub verb: Verb,
    /// The line of the file.
    #[schemars(skip)]
    pub line: usize,
}

/// What goes with any verb.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// The connection; without it `a`. `model` and `model.<name>` are the model server's requests.
    pub on: Option<String>,
    /// The rule that a failure of this step shows broken; without it the case's first.
    pub rule: Option<String>,
    /// The step's label, for `since` and for twins.
    pub step: Option<String>,
    /// For whoever reads the transcript.
    pub note: Option<String>,
}

/// What a step does. Each is told by the member it is named after.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[serde(untagged)]
pub enum Verb {
    /// Opens a connection.
    Open(Open),
    /// Closes one.
    Close(Close),
    /// Stops reading from one, or goes on.
    Read(Read),
    /// Kills, stops or starts the daemon.
    Daemon(DaemonStep),
    /// Sends frames in one write.
    Send(Send),
    /// Sends bytes.
    Raw(Raw),
    /// Waits for the next frame, or for the end of the stream.
    Expect(Expect),
    /// Everything up to the reply of a `status` sent now.
    Fence(Fence),
    /// Branches whose frames may come between each other.
    Unordered(Unordered),
    /// The same steps for each number of a range.
    Repeat(Repeat),
    /// Compares what was bound.
    Check(Check),
}

/// Opens a connection, and initializes it unless told otherwise.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct Open {
    /// The connection's name.
    pub open: String,
    /// `false`: not initialized. An object: further parameters of `initialize`.
    pub initialize: Option<Initialize>,
    /// One of the header's `users`.
    #[serde(rename = "as")]
    pub user: Option<String>,
    /// The transport, where it matters.
    pub over: Option<Over>,
}

/// How a connection is initialized when it is opened.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Initialize {
    /// `false`: not at all.
    Whether(bool),
    /// With these parameters beside the usual ones.
    With(BTreeMap<String, Json>),
}

/// A transport that a step asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Over {
    /// WebSocket over TLS.
    Wss,
}

/// Closes a connection, or only its writing half.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct Close {
    /// The connection's name.
    pub close: String,
    /// Only what we write ends; what the daemon writes is still read.
    #[serde(default)]
    pub half: bool,
}

/// Stops reading from a connection, or goes on.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct Read {
    /// Whether it is read.
    pub read: bool,
}

/// Acts on the daemon's process.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct DaemonStep {
    /// What happens to it.
    pub daemon: DaemonVerb,
}

/// What happens to the daemon's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DaemonVerb {
    /// At once, without a chance to tidy up.
    Kill,
    /// Asked to end, and awaited.
    Stop,
    /// Started again in the same directory.
    Start,
}

/// Sends frames in one write; `jsonrpc` is added.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct Send {
    /// The frame, or several.
    pub send: OneOrMany,
    /// The frame may break the spec's schemas, and stay unanswered.
    #[serde(default)]
    pub invalid: bool,
    /// What comes next; the id is filled in.
    pub reply: Option<Json>,
    /// Frames that may come before the reply and are dropped.
    #[serde(default)]
    pub skip: Vec<Json>,
    /// Replies that are also good.
    #[serde(default)]
    pub variant: Vec<Json>,
    /// A pattern on the text of the reply's line.
    pub bytes: Option<Json>,
    /// The limit by whose time the reply comes.
    pub took: Option<String>,
    /// The step from which `took` counts.
    pub since: Option<String>,
}

/// One frame or several.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// Several frames.
    Many(Vec<Json>),
    /// One frame.
    One(Json),
}

impl OneOrMany {
    /// The frames.
    pub fn frames(&self) -> &[Json] {
        match self {
            Self::Many(frames) => frames,
            Self::One(frame) => std::slice::from_ref(frame),
        }
    }
}

/// Sends bytes as they are.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct Raw {
    /// The bytes.
    pub raw: Json,
    /// `"bytes"`, or the offsets at which the bytes are cut into several writes.
    pub split: Option<Split>,
    /// A byte each twentieth of that limit's time.
    pub drip: Option<String>,
    /// The kind of WebSocket message.
    pub opcode: Option<String>,
}

/// Where bytes are cut into several writes.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Split {
    /// After every byte.
    Every(EveryByte),
    /// At these offsets.
    At(Vec<usize>),
}

/// The word for a cut after every byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EveryByte {
    /// After every byte.
    Bytes,
}

/// Waits for the next frame, or for the end of the stream.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct Expect {
    /// A pattern, or `"eof"` (a clean end), `"reset"`, `"lost"` (either).
    pub expect: Json,
    /// Frames that may come before it and are dropped.
    #[serde(default)]
    pub skip: Vec<Json>,
    /// Frames that are also good.
    #[serde(default)]
    pub variant: Vec<Json>,
    /// A pattern on the text of the line.
    pub bytes: Option<Json>,
    /// The limit by whose time it comes: not before 95 %, not after that and five seconds.
    pub took: Option<String>,
    /// The step from which `took` counts; without it the last write.
    pub since: Option<String>,
    /// One frame or more: the texts at these pointers, joined, are these.
    #[serde(default)]
    pub join: BTreeMap<String, Json>,
}

/// Everything up to the reply of a `status` that is sent now.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
pub struct Fence {
    /// The frames that come before that reply, in their order.
    pub fence: Vec<Step>,
}

/// Branches whose frames may come between each other.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
pub struct Unordered {
    /// The branches; each keeps its own order.
    pub unordered: Vec<Branch>,
    /// Frames that may come between and are dropped.
    #[serde(default)]
    pub skip: Vec<Json>,
}

/// One branch, or one for each round of a repetition.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[serde(untagged)]
pub enum Branch {
    /// The branch's steps.
    Steps(Vec<Step>),
    /// A branch for each round.
    Rounds(Repeat),
}

/// The same steps for each number of a range.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
pub struct Repeat {
    /// The name of the number.
    pub repeat: String,
    /// The first number.
    #[serde(default)]
    pub from: Option<Json>,
    /// The number after the last.
    pub to: Json,
    /// The steps of a round.
    pub steps: Vec<Step>,
}

/// Compares what was bound.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_closing)]
pub struct Check {
    /// The value.
    pub check: Json,
    /// What it must match.
    pub is: Json,
}

/// A verb's members stand beside those of any step, so that only the step as a whole can be closed.
fn without_closing(schema: &mut schemars::Schema) {
    schema.remove("additionalProperties");
}

/// One line of a transcript, for its JSON Schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(title = "TranscriptLine")]
pub enum Line {
    /// The first line.
    Header(Header),
    /// Every other line.
    Step(Step),
}
