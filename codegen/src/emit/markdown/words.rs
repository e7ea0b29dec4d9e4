//! Types in words, with links to the definitions that they name.

use std::collections::BTreeSet;

use crate::check::asked;
use crate::load::{OpenKind, Requirement};
use crate::lower::model::{Count, Member, Presence, Type};

/// What a member or value is.
pub(super) fn ty(ty: &Type) -> String {
    match ty {
        Type::Named(name) => link(name),
        Type::String => "string".into(),
        Type::Text(text) => asked(text).trim_start_matches("a ").to_owned(),
        Type::Constant(value) => format!("`\"{value}\"`"),
        Type::Bounded(min, max) if min == max => format!("`{min}`"),
        Type::Bounded(min, max) => format!("integer from {min} to {max}"),
        Type::Unsigned => "integer, not negative".into(),
        Type::Integer => "integer".into(),
        Type::Number => "number".into(),
        Type::Boolean => "boolean".into(),
        Type::List(items, Count { min: 0, max: None }) => format!("list of {}", self::ty(items)),
        Type::List(items, Count { min, max: None }) => format!("list of {min} or more {}", self::ty(items)),
        Type::List(items, Count { min, max: Some(max) }) => {
            format!("list of {min} to {max} {}", self::ty(items))
        }
        Type::Map(values) => format!("object, each member {}", self::ty(values)),
        Type::Open(None) => "any JSON, not looked into".into(),
        Type::Open(Some(OpenKind::Object)) => "object, not looked into".into(),
        Type::Open(Some(OpenKind::Array)) => "array, not looked into".into(),
    }
}

/// A link to a definition of this page.
pub(super) fn link(name: &str) -> String {
    format!("[{name}](#{})", anchor(name))
}

/// The anchor that a heading gets.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether a member has to be there.
pub(super) fn presence(member: &Member) -> String {
    match &member.presence {
        Presence::Required => "required".into(),
        Presence::Optional => "optional".into(),
        Presence::Default(default, _) => format!("default `{default}`"),
    }
}

/// A page in which each mention of a rule, outside of code, links to the page of the rules beside it.
pub(super) fn linked(page: &str, rules: &[Requirement]) -> String {
    let rules: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    let mut out = String::with_capacity(page.len() * 2);
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        for (index, part) in line.split('`').enumerate() {
            if index > 0 {
                out.push('`');
            }
            if fenced || index % 2 == 1 {
                out.push_str(part);
                continue;
            }
            for word in part.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
                let id = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
                if rules.contains(id) {
                    out.push_str(&format!("[{id}](protocol.md#{id}){}", &word[id.len()..]));
                } else {
                    out.push_str(word);
                }
            }
        }
        out.push('\n');
    }
    out
}
