//! The tables: that codes, rules and limits are each there once, and that the limits which a client is told
//! are the ones the configuration sets.

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::definitions::all;
use crate::load::{Form, Schema, Spec};
use crate::problem::{Located, Place, Problems};
use crate::spelling;

/// The definition whose members are the limits that a client is told.
pub(crate) const LIMITS: &str = "Limits";

pub(super) fn check(spec: &Spec, problems: &mut Problems) {
    requirements(spec, problems);
    errors(spec, problems);
    limits(spec, problems);
}

/// Refuses rule ids that `requirements.json` does not have.
pub(super) fn rules(spec: &Spec, rules: &[Located<String>], problems: &mut Problems) {
    for rule in rules {
        if !spec.requirements.rules.iter().any(|known| known.id == rule.value) {
            let what = format!("there is no rule `{}`", rule.value);
            problems.add(&rule.place, what, "name a rule of requirements.json");
        }
    }
}

fn requirements(spec: &Spec, problems: &mut Problems) {
    let sections = &spec.requirements.sections;
    let mut ids = Once::new("section");
    for section in sections {
        ids.see(&section.id, &section.place, problems);
    }
    let mut numbers = Once::new("section number");
    for section in sections {
        numbers.see(section.number, &section.place, problems);
    }
    let mut ids = Once::new("rule");
    for rule in &spec.requirements.rules {
        ids.see(&rule.id, &rule.place, problems);
        if !sections.iter().any(|section| section.id == rule.section) {
            let what = format!("there is no section `{}`", rule.section);
            problems.add(&rule.place.child("section"), what, "name one of `sections`");
        } else if rule.id.split('-').next() != Some(&rule.section) {
            let what = format!("rule `{}` stands in section `{}`", rule.id, rule.section);
            problems.add(&rule.place.child("id"), what, "a rule's id begins with its section's");
        }
    }
}

fn errors(spec: &Spec, problems: &mut Problems) {
    let mut codes = Once::new("error code");
    let mut names = Once::new("error");
    for entry in &spec.errors {
        codes.see(entry.code, &entry.place, problems);
        names.see(&entry.name, &entry.place, problems);
        if spelling::pascal(&entry.name) != entry.name || !spelling::names_type(&entry.name) {
            let what = format!("error `{}` is not in PascalCase", entry.name);
            problems.add(
                &entry.place.child("name"),
                what,
                format!("call it `{}`", spelling::pascal(&entry.name)),
            );
        }
        if i32::try_from(entry.code).is_err() {
            problems.add(&entry.place.child("code"), "is not an error code", "error codes have 32 bits");
        }
        let mut reasons = Once::new("reason");
        for reason in &entry.reasons {
            reasons.see(&reason.reason, &reason.place, problems);
            rules(spec, std::slice::from_ref(&reason.rule), problems);
        }
        rules(spec, &entry.requirements, problems);
    }
}

fn limits(spec: &Spec, problems: &mut Problems) {
    let limits = &spec.protocol.limits;
    let mut names = Once::new("limit");
    let mut configs = Once::new("configuration property");
    for limit in limits {
        names.see(&limit.name, &limit.place, problems);
        if spelling::other(&limit.name).is_none() || spelling::snake(&limit.name) != limit.name {
            let what = format!("limit `{}` is not in snake_case", limit.name);
            problems.add(&limit.place.child("name"), what, "write lower-case words with `_` between them");
        }
        if let Some(config) = &limit.config {
            configs.see(config, &limit.place, problems);
        }
        rules(spec, std::slice::from_ref(&limit.rule), problems);
        if limit.minimum.is_some_and(|minimum| minimum > limit.value) {
            let remedy = "the configuration could not even set the default: put them in order";
            problems.add(&limit.place.child("minimum"), "is above the value", remedy);
        }
        if limit.is_told() && limit.config.as_deref() != Some(&format!("rpc.{}", limit.name)) {
            let what = format!("limit `{}` has another name in the configuration", limit.name);
            problems.add(&limit.place.child("config"), what, format!("write `rpc.{}`", limit.name));
        }
    }
    if let Some((_, schema)) = all(spec).find(|(name, _)| *name == LIMITS) {
        told(spec, schema, problems);
    }
}

/// HS-03: the members of `Limits` are exactly the limits that `[rpc]` sets.
fn told(spec: &Spec, schema: &Schema, problems: &mut Problems) {
    let Form::Object(members) = &schema.form else {
        problems.add(&schema.place, "the limits are not an object", "give each limit a member");
        return;
    };
    for limit in spec.protocol.limits.iter().filter(|limit| limit.is_told()) {
        let Some(member) = members.iter().find(|member| member.name == limit.name) else {
            let what = format!("limit `{}` of protocol.json is not told", limit.name);
            problems.add(&schema.place.child("properties"), what, "give it a member here");
            continue;
        };
        let place = &member.schema.place;
        match member.schema.form {
            Form::Integer { min: Some(min), max: Some(max) } => {
                if i64::try_from(limit.value).is_ok_and(|value| !(min..=max).contains(&value)) {
                    let what = format!("protocol.json gives {} outside these bounds", limit.value);
                    problems.add(place, what, "let the two agree");
                }
            }
            Form::Integer { min: Some(0), max: None } => {}
            _ => problems.add(place, "is not a limit", "write `\"type\": \"integer\", \"minimum\": 0`"),
        }
        let told = member.schema.description.as_deref().and_then(told_default);
        if told.is_some_and(|told| told != limit.value) {
            let what =
                format!("the description gives another default than the {} of protocol.json", limit.value);
            problems.add(&place.child("description"), what, "let the two agree");
        }
        if !member.required {
            problems.add(place, format!("limit `{}` may be absent", limit.name), "put it in `required`");
        }
    }
    for member in members {
        let told = spec.protocol.limits.iter().any(|limit| limit.is_told() && limit.name == member.name);
        if !told {
            let what = format!("protocol.json has no limit `{}` that `rpc` sets", member.name);
            problems.add(&member.schema.place, what, "add it there, or leave it out here");
        }
        if !(schema.fixed || member.schema.fixed) {
            let remedy = "write `\"x-spelling\": \"fixed\"`: it is a name of the configuration";
            problems.add(&member.schema.place, "a limit's name would be respelled", remedy);
        }
    }
}

/// The number that a description gives as the default: `… Default 30,000 ms …`.
fn told_default(description: &str) -> Option<u64> {
    let number = description.split_once("Default ")?.1;
    let number = number.split(|c: char| !(c.is_ascii_digit() || c == ',')).next()?;
    number.replace(',', "").parse().ok()
}

/// Things that may be there once.
struct Once {
    what: &'static str,
    seen: BTreeSet<String>,
}

impl Once {
    fn new(what: &'static str) -> Self {
        Self { what, seen: BTreeSet::new() }
    }

    fn see(&mut self, name: impl Display, place: &Place, problems: &mut Problems) {
        if !self.seen.insert(name.to_string()) {
            problems.add(place, format!("{} `{name}` is there twice", self.what), "keep one of them");
        }
    }
}
