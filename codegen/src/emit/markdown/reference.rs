//! `docs/reference.md`: one section a method, then the types that they share, the errors and the limits.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::words::{anchor, link, linked, presence, ty};
use super::{limits, notice, table};
use crate::load::{Example, From, Kind, Outcome, Runs};
use crate::lower::model::{
    Definition, DefinitionKind, ErrorCode, Member, Method, Model, Struct, Type, Union,
};

/// The page, as text.
pub fn reference(model: &Model) -> String {
    let shared = shared(model);
    let mut out = notice("the files under spec/");
    out.push_str(&format!(
        "# Reference\n\n{} This page is about its messages; the rules they keep are in \
         [protocol.md](protocol.md).\n\nMembers are named as documented; either spelling of each is accepted \
         (SP-01).\n",
        model.protocol.description
    ));
    let groups = [
        ("Methods that clients call", Kind::Request, From::Client),
        ("Notifications of the client", Kind::Notification, From::Client),
        ("Requests of the daemon", Kind::Request, From::Daemon),
        ("Notifications of the daemon", Kind::Notification, From::Daemon),
    ];
    let of =
        |kind, from| model.methods.iter().filter(move |method| method.kind == kind && method.from == from);
    out.push('\n');
    for (title, kind, from) in groups {
        let names: Vec<String> =
            of(kind, from).map(|method| format!("[{0}](#{1})", method.name, anchor(&method.name))).collect();
        if !names.is_empty() {
            out.push_str(&format!("- {title}: {}\n", names.join(", ")));
        }
    }
    out.push_str(
        "- [Types](#types), [Errors](#errors), [Times, sizes and counts](#times-sizes-and-counts)\n",
    );
    for (title, kind, from) in groups {
        if of(kind, from).next().is_some() {
            out.push_str(&format!("\n## {title}\n"));
        }
        for method in of(kind, from) {
            out.push_str(&self::method(model, method, &shared));
        }
    }
    out.push_str("\n## Types\n");
    for definition in model.definitions.iter().filter(|definition| shared.contains(definition.name.as_str()))
    {
        out.push_str(&format!("\n### {}\n\n{}\n\n", definition.name, definition.description));
        out.push_str(&self::definition(model, definition));
    }
    out.push_str(
        "\n## Errors\n\nThose marked common may answer any method; the others only where listed.\n\n",
    );
    out.push_str(&errors(model));
    out.push_str(&format!("\n## Times, sizes and counts\n\n{}", limits(model)));
    linked(&out, &model.requirements.rules)
}

/// The definitions that have a section of their own: all but what is shown with its one method or union.
fn shared(model: &Model) -> BTreeSet<&str> {
    let mut uses: Vec<&str> = Vec::new();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for method in &model.methods {
        for name in std::iter::once(&method.params).chain(&method.result) {
            uses.push(name);
            shown.insert(name);
            if let DefinitionKind::Union(union) = &model.definition(name).kind {
                shown.extend(union.variants.iter().map(|(_, variant)| variant.as_str()));
            }
        }
    }
    for definition in &model.definitions {
        match &definition.kind {
            DefinitionKind::Struct(shape) => {
                shape.members.iter().for_each(|member| names(&member.ty, &mut uses))
            }
            DefinitionKind::Union(union) => uses.extend(union.variants.iter().map(|(_, name)| name.as_str())),
            DefinitionKind::Plain(ty) => names(ty, &mut uses),
            DefinitionKind::Enum(_) => {}
        }
    }
    let once = |name: &str| uses.iter().filter(|used| **used == name).count() == 1;
    let all = model.definitions.iter().map(|definition| definition.name.as_str());
    all.filter(|name| !(shown.contains(name) && once(name))).collect()
}

fn names<'a>(ty: &'a Type, out: &mut Vec<&'a str>) {
    match ty {
        Type::Named(name) => out.push(name),
        Type::List(inner, _) | Type::Map(inner) => names(inner, out),
        _ => {}
    }
}

fn method(model: &Model, method: &Method, shared: &BTreeSet<&str>) -> String {
    let mut out = format!("\n### {}\n\n{}\n\n", method.name, method.description);
    if method.kind == Kind::Request && method.from == From::Client {
        let grant = method.grant.as_ref().map(|(resource, verb)| format!("`{resource}:{verb}`"));
        out.push_str(&format!("- Grant: {}\n", grant.as_deref().unwrap_or("none")));
        out.push_str(&format!("- Transports: {}\n", method.transports.join(", ")));
        if method.runs == Runs::Long {
            out.push_str("- Long: runs beside the calls after it (OR-04)\n");
        }
        if method.before_initialize {
            out.push_str("- May come before `initialize` has succeeded\n");
        }
        if method.announce_refusal {
            out.push_str("- A refusal is announced too (TU-05)\n");
        }
    }
    let own = &method.errors[..method.own_errors];
    if !own.is_empty() {
        let own: Vec<String> = own.iter().map(|error| format!("[{error}](#errors)")).collect();
        out.push_str(&format!("- Errors beyond the common ones: {}\n", own.join(", ")));
    }
    out.push_str(&format!("- Rules: {}\n- Since: {}\n", method.requirements.join(", "), method.since));
    out.push_str(&part(model, &format!("Parameters of {}", method.name), &method.params, shared));
    if let Some(result) = &method.result {
        out.push_str(&part(model, &format!("Result of {}", method.name), result, shared));
    }
    out.push_str(&format!("\n#### Examples of {}\n", method.name));
    for example in &method.examples {
        out.push_str(&self::example(method, example));
    }
    out
}

fn part(model: &Model, title: &str, name: &str, shared: &BTreeSet<&str>) -> String {
    let definition = model.definition(name);
    let mut out = format!("\n#### {title}\n\n");
    if shared.contains(name) {
        out.push_str(&format!("{}\n", link(name)));
    } else {
        out.push_str(&format!("{}\n\n{}", definition.description, self::definition(model, definition)));
    }
    out
}

fn definition(model: &Model, definition: &Definition) -> String {
    match &definition.kind {
        DefinitionKind::Struct(shape) => members(shape),
        DefinitionKind::Union(union) => variants(model, union),
        DefinitionKind::Enum(values) => {
            let rows =
                values.iter().map(|value| vec![format!("`{}`", value.value), value.description.clone()]);
            table(&["Value", "Meaning"], rows)
        }
        DefinitionKind::Plain(plain) => format!("A {}.\n", ty(plain)),
    }
}

fn members(shape: &Struct) -> String {
    if shape.members.is_empty() {
        return "It has no members.\n".into();
    }
    table(&["Member", "Type", "", "Description"], shape.members.iter().map(row))
}

fn row(member: &Member) -> Vec<String> {
    let fixed = if member.fixed { " Spelled only so." } else { "" };
    let description = format!("{}{fixed}", member.description);
    vec![format!("`{}`", member.name), ty(&member.ty), presence(member), description]
}

fn variants(model: &Model, union: &Union) -> String {
    let mut out = format!("Told apart by `{}`.", union.tag);
    if union.extensible {
        out.push_str(" Readers pass over values that they do not know.");
    }
    out.push('\n');
    for (value, name) in &union.variants {
        let variant = model.definition(name);
        out.push_str(&format!("\n**`{value}`** {}\n\n", variant.description));
        out.push_str(&self::definition(model, variant));
    }
    out
}

/// The frames of an example, as they are on the wire.
fn example(method: &Method, example: &Example) -> String {
    let frame = |id: bool, members: [(&str, Option<&Value>); 2]| {
        let mut frame = json!({ "jsonrpc": "2.0" });
        if id {
            frame["id"] = json!(1);
        }
        for (name, value) in members {
            if let Some(value) = value {
                frame[name] = value.clone();
            }
        }
        frame
    };
    let answered = method.kind == Kind::Request;
    let name = json!(method.name);
    let params = example.params.as_ref().map(|params| &params.value);
    let mut frames = vec![frame(answered, [("method", Some(&name)), ("params", params)])];
    frames.extend(example.outcome.as_ref().map(|outcome| match outcome {
        Outcome::Result(result) => frame(true, [("result", Some(&result.value)), ("error", None)]),
        Outcome::Error(error) => frame(true, [("error", Some(&error.value)), ("result", None)]),
    }));
    let frames: String = frames.iter().map(|frame| format!("{frame}\n")).collect();
    format!("\n{}:\n\n```json\n{frames}```\n", capitalized(&example.name))
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn errors(model: &Model) -> String {
    let row = |error: &ErrorCode| {
        let common = if error.common { "common" } else { "" };
        vec![format!("`{}`", error.code), error.name.clone(), common.into(), error.meaning.clone()]
    };
    let mut out = table(&["Code", "Name", "", "When"], model.errors.iter().map(row));
    let reasons: Vec<Vec<String>> = model
        .errors
        .iter()
        .flat_map(|error| error.reasons.iter().map(move |reason| (error, reason)))
        .map(|(error, (reason, rule, meaning))| {
            vec![format!("`{reason}`"), error.name.clone(), rule.clone(), meaning.clone()]
        })
        .collect();
    if !reasons.is_empty() {
        out.push_str("\nClients decide on the code and on `data.reason` (ER-01):\n\n");
        out.push_str(&table(&["`data.reason`", "Error", "Rule", "When"], reasons));
    }
    for error in &model.errors {
        if let Some(data) = &error.data {
            out.push_str(&format!("\n`data` of {}: {}\n\n", error.name, data.description));
            out.push_str(&members(&Struct {
                members: data.members.iter().map(unmarked).collect(),
                tag: None,
            }));
        }
    }
    out
}

/// A member of `data`, where all are spelled in one way (SP-04) and none needs to say so.
fn unmarked(member: &Member) -> Member {
    Member { fixed: false, ..member.clone() }
}
