//! Rules that a text mentions: a reader must be able to look them up.

use std::collections::BTreeSet;

use crate::definitions::all;
use crate::load::{Form, Schema, Spec};
use crate::problem::{Place, Problems};

pub(super) fn check(spec: &Spec, problems: &mut Problems) {
    let rules = spec.requirements.rules.iter().map(|rule| rule.id.as_str()).collect();
    let sections = spec.requirements.sections.iter().map(|section| section.id.as_str()).collect();
    let mut mentions = Mentions { rules, sections, problems };
    for rule in &spec.requirements.rules {
        mentions.text(&rule.text, &rule.place.child("text"));
    }
    for section in &spec.requirements.sections {
        mentions.text(section.intro.as_deref().unwrap_or_default(), &section.place.child("intro"));
    }
    for limit in &spec.protocol.limits {
        mentions.text(&limit.description, &limit.place.child("description"));
    }
    for entry in &spec.errors {
        mentions.text(&entry.meaning, &entry.place.child("meaning"));
        for reason in &entry.reasons {
            mentions.text(&reason.meaning, &reason.place.child("meaning"));
        }
        entry.data.iter().for_each(|data| mentions.schema(data));
    }
    for method in &spec.methods {
        mentions.text(&method.description, &method.place.child("description"));
    }
    for (_, schema) in all(spec) {
        mentions.schema(schema);
    }
}

struct Mentions<'a> {
    rules: BTreeSet<&'a str>,
    sections: BTreeSet<&'a str>,
    problems: &'a mut Problems,
}

impl Mentions<'_> {
    fn schema(&mut self, schema: &Schema) {
        self.text(schema.description.as_deref().unwrap_or_default(), &schema.place.child("description"));
        match &schema.form {
            Form::Object(members) => members.iter().for_each(|member| self.schema(&member.schema)),
            Form::Map(inner) | Form::Array { items: inner, .. } => self.schema(inner),
            Form::Enum(values) => {
                let place = schema.place.child("x-enum-descriptions");
                for (value, description) in values {
                    self.text(description.as_deref().unwrap_or_default(), &place.child(value));
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str, place: &Place) {
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
            let names_a_section = word.split_once('-').is_some_and(|(section, number)| {
                self.sections.contains(section) && number.starts_with(|c: char| c.is_ascii_digit())
            });
            if names_a_section && !self.rules.contains(word) {
                let what = format!("the rule `{word}` that this mentions is not there");
                self.problems.add(place, what, "mention a rule of requirements.json");
            }
        }
    }
}
