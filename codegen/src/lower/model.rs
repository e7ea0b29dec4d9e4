//! The spec as the emitters see it: names resolved, spellings computed, unions with their tags.
//! Nothing here can be wrong any more; what could be is refused before.

use serde_json::Value;

use crate::load::{Example, Files, From, Kind, LimitEntry, OpenKind, Protocol, Requirements, Runs};
use crate::problem::Place;

/// A whole spec.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its files.
    pub files: Files,
    /// Its name, version and limits.
    pub protocol: Protocol,
    /// Its error codes.
    pub errors: Vec<ErrorCode>,
    /// Its rules.
    pub requirements: Requirements,
    /// Its types: the shared ones, then each method's own.
    pub definitions: Vec<Definition>,
    /// Its methods and notifications, in the order of their files.
    pub methods: Vec<Method>,
}

/// An error code.
#[derive(Debug, Clone)]
pub struct ErrorCode {
    /// The code.
    pub code: i32,
    /// Its name.
    pub name: String,
    /// When it is answered.
    pub meaning: String,
    /// Whether any method may answer it.
    pub common: bool,
    /// What its `data` holds.
    pub data: Option<Data>,
    /// The values of `data.reason`, each with the rule that defines it and its meaning.
    pub reasons: Vec<(String, String, String)>,
    /// The rules that ask for it.
    pub requirements: Vec<String>,
}

/// What an error's `data` holds.
#[derive(Debug, Clone)]
pub struct Data {
    /// What it is for.
    pub description: String,
    /// Its members.
    pub members: Vec<Member>,
}

/// A named type.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// What it is.
    pub description: String,
    /// What it admits.
    pub kind: DefinitionKind,
}

/// What a named type admits.
#[derive(Debug, Clone)]
pub enum DefinitionKind {
    /// An object.
    Struct(Struct),
    /// One of several objects.
    Union(Union),
    /// One of several strings, each with its description.
    Enum(Vec<EnumValue>),
    /// What the type says.
    Plain(Type),
}

/// A value of a string enum.
#[derive(Debug, Clone)]
pub struct EnumValue {
    /// The string.
    pub value: String,
    /// What it means.
    pub description: String,
}

/// An object with declared members.
#[derive(Debug, Clone)]
pub struct Struct {
    /// The members, without the tag.
    pub members: Vec<Member>,
    /// The member and its value that tell it from the other variants, if it is one.
    pub tag: Option<(String, String)>,
}

/// A declared member.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name as documented.
    pub name: String,
    /// Its other spelling; the same name where there is none.
    pub other: String,
    /// Whether it is spelled only as documented.
    pub fixed: bool,
    /// Where it is declared.
    pub place: Place,
    /// What it is.
    pub description: String,
    /// What it admits.
    pub ty: Type,
    /// Whether it may be absent.
    pub presence: Presence,
}

/// Whether a member may be absent.
#[derive(Debug, Clone)]
pub enum Presence {
    /// It may not.
    Required,
    /// It may.
    Optional,
    /// It may, and then means this.
    Default(Value, Place),
}

/// One of several objects, told apart by a tag.
#[derive(Debug, Clone)]
pub struct Union {
    /// The member that tells them apart.
    pub tag: String,
    /// The tag's value and the type of each.
    pub variants: Vec<(String, String)>,
    /// Whether readers ignore tags that they do not know.
    pub extensible: bool,
}

/// What a value admits.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// What the definition of this name admits.
    Named(String),
    /// Any string.
    String,
    /// A string with a bound on its length or its characters.
    Text(Text),
    /// This string and no other.
    Constant(String),
    /// An integer within bounds, both included.
    Bounded(i64, i64),
    /// An integer that is not negative.
    Unsigned,
    /// Any integer.
    Integer,
    /// Any finite number.
    Number,
    /// True or false.
    Boolean,
    /// A list of so many items.
    List(Box<Type>, Count),
    /// An object whose keys are data.
    Map(Box<Type>),
    /// A value that is never looked into, perhaps of one kind.
    Open(Option<OpenKind>),
}

/// How many of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// At least so many.
    pub min: u64,
    /// At most so many.
    pub max: Option<u64>,
}

/// What a constrained string looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// How many characters.
    pub count: Count,
    /// The ranges that they come from; any character if absent.
    pub class: Option<Vec<(char, char)>>,
}

/// A method or notification.
#[derive(Debug, Clone)]
pub struct Method {
    /// Its name on the wire.
    pub name: String,
    /// The namespace that it is served in.
    pub namespace: String,
    /// Its name within that, as a Rust function's.
    pub function: String,
    /// Its name as a Rust type's.
    pub marker: String,
    /// Where it is defined.
    pub place: Place,
    /// What it does.
    pub description: String,
    /// Whether it is answered.
    pub kind: Kind,
    /// Who sends it.
    pub from: From,
    /// Whether it holds up those after it.
    pub runs: Runs,
    /// The type of its parameters.
    pub params: String,
    /// The type of its result; `None` on notifications.
    pub result: Option<String>,
    /// The names of the errors that it answers with: its own, then those common to all.
    pub errors: Vec<String>,
    /// How many of those are its own.
    pub own_errors: usize,
    /// The resource and verb of the right it needs.
    pub grant: Option<(String, String)>,
    /// The transports it is served on.
    pub transports: Vec<String>,
    /// Whether it may come before `initialize` has succeeded.
    pub before_initialize: bool,
    /// Whether a refusal is announced by a notification too.
    pub announce_refusal: bool,
    /// The protocol version that brought it.
    pub since: String,
    /// The rules that it keeps.
    pub requirements: Vec<String>,
    /// Calls as they may be made.
    pub examples: Vec<Example>,
}

impl Model {
    /// The definition of this name.
    pub(crate) fn definition(&self, name: &str) -> &Definition {
        self.definitions
            .iter()
            .find(|definition| definition.name == name)
            .expect("every reference was resolved before the model was made")
    }

    /// The requests that clients make.
    pub(crate) fn served(&self) -> impl Iterator<Item = &Method> {
        self.methods.iter().filter(|method| method.from == From::Client && method.kind == Kind::Request)
    }

    /// The limits that a client is told: those the configuration sets under `rpc`.
    pub(crate) fn told_limits(&self) -> impl Iterator<Item = &LimitEntry> {
        self.protocol.limits.iter().filter(|limit| limit.is_told())
    }
}

impl LimitEntry {
    /// Whether `initialize` tells it: whether the configuration sets it under `rpc` (HS-03).
    pub(crate) fn is_told(&self) -> bool {
        self.config.as_ref().is_some_and(|config| config.starts_with("rpc."))
    }
}
