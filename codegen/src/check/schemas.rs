//! Schemas: that references lead somewhere, bounds are in order, unions can be told apart, and types end.

use std::collections::BTreeSet;

use crate::definitions::{Definitions, all};
use crate::load::{Form, MemberSchema, Reference, Schema, Spec};
use crate::lower::pattern;
use crate::problem::{Located, Place, Problems, listed};
use crate::spelling;

pub(super) fn check(spec: &Spec, definitions: &Definitions<'_>, problems: &mut Problems) {
    let mut schemas = Schemas { definitions, problems };
    for (name, schema) in all(spec) {
        schemas.definition(schema);
        schemas.ends(name, schema);
    }
    for entry in &spec.errors {
        match &entry.data {
            Some(Schema { form: Form::Object(members), .. }) => schemas.members(members),
            Some(data) => {
                schemas.problems.add(&data.place, "an error's `data` is not an object", "write an object");
            }
            None => {}
        }
    }
}

struct Schemas<'a> {
    definitions: &'a Definitions<'a>,
    problems: &'a mut Problems,
}

impl Schemas<'_> {
    fn definition(&mut self, schema: &Schema) {
        self.no_default(schema);
        match &schema.form {
            Form::Object(members) => self.members(members),
            Form::Enum(values) => self.enumeration(schema, values),
            Form::Union { variants, .. } => self.union(schema, variants),
            _ => self.form(schema),
        }
    }

    fn members(&mut self, members: &[MemberSchema]) {
        for member in members {
            match &member.schema.default {
                Some(default) if member.required => {
                    let what = format!("`{}` is required and has a default", member.name);
                    self.problems.add(
                        &default.place,
                        what,
                        "take it out of `required`, or leave the default out",
                    );
                }
                _ => {}
            }
            self.form(&member.schema);
        }
    }

    /// What stands inside another schema: a member, an item, a map's value.
    fn inner(&mut self, schema: &Schema) {
        self.no_default(schema);
        if schema.fixed {
            let remedy = "it stands on an object's definition or on a member";
            self.problems.add(&schema.place.child("x-spelling"), "`x-spelling` has nothing to fix", remedy);
        }
        match &schema.form {
            Form::Enum(values) if values.len() == 1 => {
                let remedy = "say in the description what it is, or give it a definition";
                self.problems.add(&schema.place, "one value tells nothing here", remedy);
            }
            _ => self.form(schema),
        }
    }

    fn no_default(&mut self, schema: &Schema) {
        if let Some(default) = &schema.default {
            self.problems.add(
                &default.place,
                "a default of nothing",
                "a default stands on an optional member",
            );
        }
    }

    fn form(&mut self, schema: &Schema) {
        match &schema.form {
            Form::Reference(reference) => self.reference(reference),
            Form::Object(_) | Form::Union { .. } => {
                let remedy = "give it a definition with a name of its own, and refer to it";
                self.problems.add(&schema.place, "an object without a name", remedy);
            }
            Form::Enum(values) if values.len() == 1 => {}
            Form::Enum(_) => {
                let remedy = "give it a definition with a name of its own, and refer to it";
                self.problems.add(&schema.place, "an enum without a name", remedy);
            }
            Form::Map(values) => self.inner(values),
            Form::Array { items, min, max } => {
                self.ordered(schema, *min, *max, "minItems", "maxItems");
                self.inner(items);
            }
            Form::Text { min, max, pattern } => {
                self.ordered(schema, *min, *max, "minLength", "maxLength");
                if let Some(pattern) = pattern {
                    self.pattern(schema, pattern, min.is_some() || max.is_some());
                }
            }
            Form::Integer { min, max } => self.integer(schema, *min, *max),
            Form::Open(_) | Form::Number | Form::Boolean => {}
        }
    }

    fn reference(&mut self, reference: &Reference) {
        if self.definitions.resolve(reference).is_none() {
            let what = format!("`{}` leads to no definition", reference.uri);
            let remedy = "write `#/$defs/Name` for one of this file, `../../types/file.json#/$defs/Name` for another's";
            self.problems.add(&reference.place, what, remedy);
        }
    }

    fn ordered<T: PartialOrd>(
        &mut self,
        schema: &Schema,
        min: Option<T>,
        max: Option<T>,
        least: &str,
        most: &str,
    ) {
        if min.zip(max).is_some_and(|(min, max)| min > max) {
            let what = format!("`{least}` is above `{most}`");
            self.problems.add(&schema.place, what, "nothing would fit: put them in order");
        }
    }

    fn integer(&mut self, schema: &Schema, min: Option<i64>, max: Option<i64>) {
        self.ordered(schema, min, max, "minimum", "maximum");
        if !matches!((min, max), (Some(_), Some(_)) | (None, None) | (Some(0), None)) {
            let what = "an integer that is bounded on one side";
            let remedy = "write both bounds, or only `\"minimum\": 0`, or none for an integer of any size";
            self.problems.add(&schema.place, what, remedy);
        }
    }

    fn pattern(&mut self, schema: &Schema, pattern: &Located<String>, bounded: bool) {
        if pattern::parse(&pattern.value).is_none() {
            let what =
                format!("the pattern `{}` is not of the one form that every reader handles", pattern.value);
            let remedy =
                "write `^[class]{min,max}$`; a class has characters and ranges, and `\\-` for a hyphen";
            self.problems.add(&pattern.place, what, remedy);
        }
        if bounded {
            let what = "a pattern beside `minLength` or `maxLength`";
            self.problems.add(&schema.place, what, "the pattern says the length: leave the others out");
        }
    }

    fn enumeration(&mut self, schema: &Schema, values: &[(String, Option<String>)]) {
        let mut seen = BTreeSet::new();
        for (value, description) in values {
            let variant = spelling::pascal(value);
            if !spelling::names_type(value) {
                let what = format!("`{value}` cannot name a value");
                self.problems.add(&schema.place, what, "begin it with a letter; `self` is taken");
            } else if !seen.insert(variant) {
                let what =
                    format!("`{value}` stands here twice, or differs from another by its separators only");
                self.problems.add(&schema.place, what, "keep one of them");
            }
            if description.is_none() {
                let remedy = "describe it in `x-enum-descriptions`";
                self.problems.add(&schema.place, format!("value `{value}` has no description"), remedy);
            }
        }
        if values.is_empty() {
            self.problems.add(&schema.place, "an enum without values", "list them");
        }
    }

    fn union(&mut self, schema: &Schema, variants: &[Reference]) {
        let before = variants.len();
        let resolved = variants.iter().filter(|variant| self.definitions.resolve(variant).is_some()).count();
        for variant in variants {
            self.reference(variant);
        }
        if resolved != before {
            return;
        }
        let Some(tag) = self.definitions.tag(variants) else {
            let what = "nothing tells the variants of this union apart";
            let remedy = "give each object the same required member with an `enum` of one value";
            self.problems.add(&schema.place, what, remedy);
            return;
        };
        if spelling::other(tag.member).as_deref() != Some(tag.member) {
            let what = format!("the tag `{}` has two spellings", tag.member);
            self.problems.add(&schema.place, what, "choose one lower-case word");
        }
        let mut seen = BTreeSet::new();
        for (variant, value) in variants.iter().zip(&tag.values) {
            let name = spelling::pascal(value);
            if !spelling::names_type(value) || name == "Unknown" {
                let what = format!("the tag's value `{value}` cannot name a variant");
                let remedy = "begin it with a letter; `self` and `unknown` are taken";
                self.problems.add(&variant.place, what, remedy);
            }
            if !seen.insert(name) {
                let what = format!("two variants have the tag `{value}`");
                self.problems.add(&variant.place, what, "give each its own");
            }
        }
    }

    /// A value of the type must be able to end: a type holds itself only in a list or a map.
    fn ends(&mut self, name: &str, schema: &Schema) {
        let mut way = vec![name.to_owned()];
        if let Some(place) = self.returns(name, schema, &mut way) {
            let what = format!("`{name}` holds itself: {}", listed(way.iter().map(String::as_str)));
            self.problems.add(&place, what, "let it hold a list of itself");
        }
    }

    fn returns(&self, name: &str, schema: &Schema, way: &mut Vec<String>) -> Option<Place> {
        let references: Vec<&Reference> = match &schema.form {
            Form::Reference(reference) => vec![reference],
            Form::Union { variants, .. } => variants.iter().collect(),
            Form::Object(members) => {
                let held = members.iter().filter_map(|member| match &member.schema.form {
                    Form::Reference(reference) => Some(reference),
                    _ => None,
                });
                held.collect()
            }
            _ => Vec::new(),
        };
        for reference in references {
            let Some((target, schema)) = self.definitions.resolve(reference) else { continue };
            if target == name {
                return Some(reference.place.clone());
            }
            if way.iter().any(|passed| passed == target) {
                continue;
            }
            way.push(target.to_owned());
            if let Some(place) = self.returns(name, schema, way) {
                return Some(place);
            }
            way.pop();
        }
        None
    }
}
