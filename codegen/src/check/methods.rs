//! Methods: that each stands where its name says, and that what its `x-rpc` names is there.

use std::collections::BTreeSet;

use super::tables;
use crate::definitions::Definitions;
use crate::load::{Form, From, Kind, MethodDocument, Reference, Runs, Spec};
use crate::lower::MethodName;
use crate::problem::{Located, Problems, listed};

/// AU-03: what may be done with a resource.
pub(crate) const VERBS: [&str; 5] = ["create", "read", "update", "delete", "execute"];

/// EP-15: what a frame may come over.
pub(crate) const TRANSPORTS: [&str; 3] = ["local", "stdio", "wss"];

pub(super) fn check(spec: &Spec, definitions: &Definitions<'_>, problems: &mut Problems) {
    for document in &spec.types {
        let title = document.place.file.trim_end_matches(".json");
        if document.title != title {
            let what = format!("the title `{}` is not where the file stands", document.title);
            problems.add(&document.place.child("title"), what, format!("write `{title}`"));
        }
    }
    for method in &spec.methods {
        stands(method, problems);
        types(method, definitions, problems);
        names(method, spec, problems);
        tables::rules(spec, &method.rpc.requirements, problems);
        combinations(method, problems);
    }
}

fn stands(method: &MethodDocument, problems: &mut Problems) {
    let directory = match (method.rpc.kind, method.rpc.from) {
        (Kind::Request, From::Client) => "methods",
        (Kind::Request, From::Daemon) => "requests",
        (Kind::Notification, _) => "notifications",
    };
    let wanted = format!("{directory}/{}", MethodName::of(&method.title).file);
    if *method.place.file != *wanted {
        let what = format!("`{}` does not stand at its place", method.title);
        problems.add(
            &method.place,
            what,
            format!("move the file to `{wanted}`, or change `title`, `kind` or `from`"),
        );
    }
}

fn types(method: &MethodDocument, definitions: &Definitions<'_>, problems: &mut Problems) {
    let rpc = &method.rpc;
    for (reference, what) in [(&rpc.params, "parameters"), (&rpc.result, "result")] {
        let Some(reference) = reference else { continue };
        match definitions.resolve(reference).map(|(_, schema)| &schema.form) {
            Some(Form::Object(_) | Form::Union { .. }) => {}
            Some(_) => {
                let remedy = "a method takes and gives objects, so that members can be added";
                problems.add(
                    &reference.place,
                    format!("the {what} of `{}` are not an object", method.title),
                    remedy,
                );
            }
            None => dangling(reference, problems),
        }
    }
}

fn dangling(reference: &Reference, problems: &mut Problems) {
    let what = format!("`{}` leads to no definition", reference.uri);
    let remedy =
        "write `#/$defs/Name` for one of this file, `../../types/file.json#/$defs/Name` for another's";
    problems.add(&reference.place, what, remedy);
}

fn names(method: &MethodDocument, spec: &Spec, problems: &mut Problems) {
    let rpc = &method.rpc;
    for error in &rpc.errors {
        let name = &error.value;
        match spec.errors.iter().find(|entry| entry.name == *name) {
            None => {
                let known = listed(spec.errors.iter().map(|entry| entry.name.as_str()));
                problems.add(
                    &error.place,
                    format!("there is no error `{name}`"),
                    format!("errors.json has {known}"),
                );
            }
            Some(entry) if entry.common => {
                let what = format!("`{name}` is common to all methods");
                problems.add(&error.place, what, "list only the errors beyond the common ones");
            }
            Some(_) => {}
        }
    }
    for transport in &rpc.transports {
        if !TRANSPORTS.contains(&transport.value.as_str()) {
            let what = format!("there is no transport `{}`", transport.value);
            problems.add(&transport.place, what, format!("the transports are {}", listed(TRANSPORTS)));
        }
    }
    if let Some(grant) = &rpc.grant {
        let verb = grant
            .value
            .split_once(':')
            .filter(|(resource, _)| !resource.is_empty() && resource.chars().all(|c| c.is_ascii_lowercase()));
        match verb {
            None => {
                let what = format!("`{}` is not a grant", grant.value);
                problems.add(&grant.place, what, "write `resource:verb`, the resource in lower-case letters");
            }
            Some((_, verb)) if !VERBS.contains(&verb) => {
                let what = format!("there is no verb `{verb}`");
                problems.add(&grant.place, what, format!("the verbs are {}", listed(VERBS)));
            }
            Some((resource, _)) => {
                let known = spec.protocol.resources.iter().map(|known| known.value.as_str());
                if !known.clone().any(|known| known == resource) {
                    let what = format!("there is no resource `{resource}`");
                    problems.add(&grant.place, what, format!("protocol.json has {}", listed(known)));
                }
            }
        }
    }
    for list in [&rpc.errors, &rpc.transports, &rpc.requirements] {
        once(list, problems);
    }
}

fn once(list: &[Located<String>], problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    for item in list {
        if !seen.insert(&item.value) {
            problems.add(&item.place, format!("`{}` is there twice", item.value), "keep one of them");
        }
    }
}

fn combinations(method: &MethodDocument, problems: &mut Problems) {
    let rpc = &method.rpc;
    let served = rpc.kind == Kind::Request && rpc.from == From::Client;
    if served && rpc.transports.is_empty() {
        let what = format!("`{}` is served on no transport", method.title);
        problems.add(&rpc.place.child("transports"), what, format!("list some of {}", listed(TRANSPORTS)));
    }
    if !served && rpc.kind == Kind::Request && (rpc.grant.is_some() || !rpc.transports.is_empty()) {
        let remedy = "leave `grant` and `transports` out: they are about methods that clients call";
        problems.add(&rpc.place, "the daemon needs no grant from itself", remedy);
    }
    if rpc.before_initialize && rpc.runs == Runs::Long {
        let remedy = "what comes before `initialize` has succeeded ends in order";
        problems.add(&rpc.place.child("runs"), "a long method before `initialize`", remedy);
    }
    if rpc.requirements.is_empty() {
        let what = format!("`{}` keeps no rule", method.title);
        problems.add(&rpc.place, what, "name in `requirements` the rules that ask for it");
    }
    if rpc.examples.is_empty() {
        let what = format!("`{}` has no example", method.title);
        problems.add(&rpc.place, what, "write at least one in `examples`");
    }
}
