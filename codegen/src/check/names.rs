//! Names: that each means one thing over the whole spec, in every language it is carried to, and in both spellings.

use std::collections::{BTreeMap, BTreeSet};

use crate::definitions::all;
use crate::emit::schema::error_object;
use crate::load::{Form, MemberSchema, Schema, Spec};
use crate::lower::MethodName;
use crate::problem::{Place, Problems};
use crate::spelling;

/// Type names that the emitted Rust uses itself, whatever the spec.
#[rustfmt::skip]
const TAKEN: &[&str] = &[
    "Answer", "AsRef", "BTreeMap", "Borrow", "Bounded", "Box", "Constant", "Decode", "Default", "Encode", "Err",
    "ErrorCode", "Facts", "Fault", "From", "FromStr", "Future", "Grant", "Integer", "Into", "Kind", "Level",
    "LimitFacts", "Long", "Member", "Messages", "Method", "Methods", "None", "Notification", "Ok", "Option", "Params", "Party",
    "Pin", "RawJson", "Reader", "Reply", "Request", "Requirement", "Resource", "Result", "Runs", "Self", "Send",
    "Server", "Shape", "Slot", "Some", "String", "Sync", "Text", "TransportKind", "Unfit", "UnknownValue", "Vec",
    "Verb", "Writer",
];

/// Words that cannot name a function in Rust.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that cannot even be written raw (`r#…`), and so cannot name a field.
const NEVER_A_FIELD: &[&str] = &["crate", "self", "super"];

/// As many members as the reader of objects keeps account of.
const MOST_MEMBERS: usize = 64;

pub(super) fn check(spec: &Spec, problems: &mut Problems) {
    definitions(spec, problems);
    methods(spec, problems);
    for (name, schema) in all(spec) {
        described(&format!("definition `{name}`"), schema, problems);
        if let Form::Object(members) = &schema.form {
            if members.len() > MOST_MEMBERS {
                let what = format!("`{name}` has more than {MOST_MEMBERS} members");
                problems.add(&schema.place, what, "put some of them into an object of their own");
            }
            object(members, schema.fixed, problems);
        } else if schema.fixed {
            let place = schema.place.child("x-spelling");
            problems.add(&place, "`x-spelling` has nothing to fix", "it stands on an object or on a member");
        }
    }
    for entry in &spec.errors {
        let Some(data) = &entry.data else { continue };
        described(&format!("the data of `{}`", entry.name), data, problems);
        if let Form::Object(members) = &data.form {
            object(members, true, problems);
        }
    }
}

fn definitions(spec: &Spec, problems: &mut Problems) {
    let methods: Vec<_> = spec.methods.iter().map(|method| MethodName::of(&method.title)).collect();
    let traits = methods.iter().map(|method| format!("{}Methods", spelling::pascal(&method.namespace)));
    let objects = spec.errors.iter().map(|entry| error_object(&entry.name));
    let taken: BTreeSet<String> =
        TAKEN.iter().map(|name| (*name).to_owned()).chain(traits).chain(objects).collect();
    let mut seen: BTreeMap<String, (&str, &Place)> = BTreeMap::new();
    for (name, schema) in all(spec) {
        let place = &schema.place;
        if spelling::pascal(name) != name || !spelling::names_type(name) {
            let remedy = format!("call it `{}`", spelling::pascal(name));
            problems.add(place, format!("definition `{name}` is not in PascalCase"), remedy);
        }
        if let Some(title) = schema.title.as_ref().filter(|title| *title != name) {
            let what = format!("the title `{title}` is not the definition's name");
            problems.add(&place.child("title"), what, format!("write `{name}`, or leave it out"));
        }
        if taken.contains(name) {
            let what = format!("`{name}` is a name that the generated code uses itself");
            problems.add(place, what, "choose another");
        }
        if methods.iter().any(|method| method.marker == name) {
            let what = format!("definition `{name}` has the name of a method's own type");
            problems.add(
                place,
                what,
                format!("say what it is: `{name}Params`, `{name}Result`, `{name}Entry`"),
            );
        }
        let folded = name.replace('_', "").to_ascii_lowercase();
        match seen.get(&folded) {
            None => {
                seen.insert(folded, (name, place));
            }
            Some((first, at)) if *first == name => {
                let what = format!("definition `{name}` is also in {at}");
                problems.add(place, what, "keep one of them and refer to it, or rename one");
            }
            Some((first, at)) => {
                let what = format!("definition `{name}` differs from `{first}` in {at} by case and `_` only");
                problems.add(place, what, "rename one of them");
            }
        }
    }
}

fn methods(spec: &Spec, problems: &mut Problems) {
    let mut namespaces: BTreeMap<String, String> = BTreeMap::new();
    let mut functions: BTreeMap<(String, String), &str> = BTreeMap::new();
    let mut markers: BTreeMap<String, &str> = BTreeMap::new();
    let mut titles: BTreeMap<&str, &Place> = BTreeMap::new();
    for method in &spec.methods {
        let place = method.place.child("title");
        if let Some(first) = titles.insert(&method.title, &method.place) {
            let what = format!("the title `{}` is also that of {first}", method.title);
            problems.add(&place, what, "a method has one file");
            continue;
        }
        let name = MethodName::of(&method.title);
        if !spelling::names_type(&method.title) || !well_formed(&method.title) {
            let what = format!("`{}` is not a method's name", method.title);
            problems.add(&place, what, "write lower-case words with `-` or `_`, namespaces before `/`");
        }
        if method.title.starts_with("core/") || method.title == "core" {
            let remedy = "leave `core/` out: that is where names without a namespace are served";
            problems.add(&place, "the namespace `core` is not written", remedy);
        }
        if KEYWORDS.contains(&name.function.as_str()) {
            let what = format!("`{}` cannot name a function", name.function);
            problems.add(&place, what, "choose a word that is not a keyword of Rust");
        }
        let of_trait = spelling::pascal(&name.namespace).to_ascii_lowercase();
        let first = namespaces.entry(of_trait).or_insert_with(|| name.namespace.clone());
        if *first != name.namespace {
            let what = format!("the namespaces `{}` and `{first}` have the same type name", name.namespace);
            problems.add(&place, what, "choose names that differ by more than their separators");
        }
        if let Some(first) = functions.insert((name.namespace, name.function), &method.title) {
            let what = format!("`{}` and `{first}` clash in their namespace", method.title);
            problems.add(&place, what, "choose names that differ by more than `-`, `_` and `/`");
        } else if let Some(first) = markers.insert(name.marker.to_ascii_lowercase(), &method.title) {
            let what = format!("`{}` and `{first}` have the same type name `{}`", method.title, name.marker);
            problems.add(&place, what, "choose names that differ by more than their separators");
        }
    }
}

fn well_formed(title: &str) -> bool {
    title.split('/').all(|part| {
        part.split(['-', '_']).all(|word| !word.is_empty())
            && part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
    })
}

fn described(what: &str, schema: &Schema, problems: &mut Problems) {
    if schema.description.is_none() {
        let remedy = "write a `description`: it becomes the documentation in every language";
        problems.add(&schema.place, format!("{what} has no description"), remedy);
    }
}

/// SP-01: a member is accepted in either spelling, so no spelling may mean two members.
fn object(members: &[MemberSchema], all_fixed: bool, problems: &mut Problems) {
    let mut spellings: BTreeMap<String, &str> = BTreeMap::new();
    let mut snake = None;
    let mut camel = None;
    for member in members {
        let MemberSchema { name, schema, .. } = member;
        described(&format!("member `{name}`"), schema, problems);
        if NEVER_A_FIELD.contains(&name.as_str()) {
            problems.add(&schema.place, format!("no field can be called `{name}`"), "choose another word");
        }
        let Some(other) = spelling::other(name) else {
            let what =
                format!("member `{name}` does not survive the way from one spelling to the other and back");
            let remedy =
                "write camelCase or snake_case words that begin with a lower-case letter, also after `_`";
            problems.add(&schema.place, what, remedy);
            continue;
        };
        let fixed = all_fixed || schema.fixed;
        for spelled in [Some(name.clone()), (!fixed && other != *name).then(|| other.clone())] {
            let Some(spelled) = spelled else { continue };
            if let Some(first) = spellings.insert(spelled.clone(), name) {
                let what = format!("members `{first}` and `{name}` are both spelled `{spelled}`");
                problems.add(&schema.place, what, "rename one of them");
            }
        }
        if !fixed && other != *name {
            let style = if name.contains('_') { &mut snake } else { &mut camel };
            style.get_or_insert((name, &schema.place));
        }
    }
    if let (Some((snake, place)), Some((camel, _))) = (snake, camel) {
        let what = format!("member `{snake}` is in snake_case beside `{camel}` in camelCase");
        problems.add(place, what, "document the members of one object in one spelling");
    }
}
