//! The values in a spec: defaults and examples, judged by the types that they have to fit.

use serde_json::{Map, Value};

use crate::load::{Example, Kind, OpenKind, Outcome};
use crate::lower::model::{
    Count, DefinitionKind, ErrorCode, Member, Method, Model, Presence, Struct, Text, Type, Union,
};
use crate::problem::{Located, Place, Problems, listed};

/// The code of an example that may show parameters which do not fit.
const INVALID_PARAMS: i64 = -32602;

/// Every default and every example that does not fit its type.
pub(crate) fn check(model: &Model) -> Result<(), Problems> {
    let mut values = Values { model, problems: Problems::default() };
    for definition in &model.definitions {
        if let DefinitionKind::Struct(shape) = &definition.kind {
            shape.members.iter().for_each(|member| values.default(member));
        }
    }
    for method in &model.methods {
        method.examples.iter().for_each(|example| values.example(method, example));
    }
    values.problems.or(())
}

struct Values<'a> {
    model: &'a Model,
    problems: Problems,
}

impl Values<'_> {
    fn default(&mut self, member: &Member) {
        match &member.presence {
            Presence::Default(default, place) => {
                self.value(&member.ty, default, place);
                if !self.can_default(&member.ty, default) {
                    let remedy = "leave it out and say in the description what an absent member means";
                    self.problems.add(
                        place,
                        "a default of a kind that is not carried to every language",
                        remedy,
                    );
                }
            }
            Presence::Optional if matches!(member.ty, Type::Constant(_)) => {
                let remedy = "put it in `required`, or make it a boolean";
                self.problems.add(&member.place, "a member with one value may be absent", remedy);
            }
            _ => {}
        }
    }

    fn can_default(&self, ty: &Type, default: &Value) -> bool {
        match ty {
            Type::Named(name) => match &self.model.definition(name).kind {
                DefinitionKind::Enum(_) => true,
                DefinitionKind::Plain(ty) => self.can_default(ty, default),
                DefinitionKind::Struct(shape) => {
                    let optional = |member: &Member| !matches!(member.presence, Presence::Required);
                    default.as_object().is_some_and(Map::is_empty) && shape.members.iter().all(optional)
                }
                DefinitionKind::Union(_) => false,
            },
            Type::Map(_) => default.as_object().is_some_and(Map::is_empty),
            Type::List(items, _) => default
                .as_array()
                .is_some_and(|values| values.iter().all(|value| self.can_default(items, value))),
            Type::Open(_) | Type::Constant(_) => false,
            _ => true,
        }
    }

    fn example(&mut self, method: &Method, example: &Example) {
        let shows_bad_params = match &example.outcome {
            Some(Outcome::Error(error)) => error.value["code"].as_i64() == Some(INVALID_PARAMS),
            _ => false,
        };
        if !shows_bad_params {
            let absent = Located { value: Value::Object(Map::new()), place: example.place.clone() };
            let params = example.params.as_ref().unwrap_or(&absent);
            self.value(&Type::Named(method.params.clone()), &params.value, &params.place);
        }
        match (&example.outcome, &method.result) {
            (Some(Outcome::Result(result)), Some(ty)) => {
                self.value(&Type::Named(ty.clone()), &result.value, &result.place);
            }
            (Some(Outcome::Error(error)), _) => self.error(method, error),
            _ => {}
        }
    }

    fn error(&mut self, method: &Method, error: &Located<Value>) {
        let Located { value, place } = error;
        let Some(members) = value.as_object() else {
            self.refuse(place, "is no error object", "write `code`, `message` and where needed `data`");
            return;
        };
        for name in members.keys().filter(|name| !matches!(name.as_str(), "code" | "message" | "data")) {
            let what = format!("an error has no member `{name}`");
            self.problems.add(&place.child(name), what, "its members are `code`, `message` and `data`");
        }
        if !members.get("message").is_some_and(Value::is_string) {
            self.refuse(place, "an error without a message", "write `message`, for people");
        }
        let code = members.get("code").and_then(Value::as_i64);
        let known = self.model.errors.iter().find(|known| Some(i64::from(known.code)) == code);
        let Some(known) = known else {
            self.refuse(place, "an error without a code of errors.json", "write one of its codes");
            return;
        };
        let answered = method.kind == Kind::Request
            && (method.errors.contains(&known.name) || method.errors.len() == method.own_errors);
        if !answered {
            let what = format!("`{}` does not answer `{}`", method.name, known.name);
            self.problems.add(&place.child("code"), what, "list it in `errors`, or show another");
        }
        if let Some(data) = members.get("data") {
            self.data(known, data, &place.child("data"));
        }
    }

    fn data(&mut self, error: &ErrorCode, data: &Value, place: &Place) {
        let Some(shape) = &error.data else {
            let what = format!("`{}` has no `data`", error.name);
            self.problems.add(place, what, "leave it out, or give its schema in errors.json");
            return;
        };
        let shape = Struct { members: shape.members.clone(), tag: None };
        self.object(&shape, data, place);
        let known = |reason: &&str| error.reasons.iter().any(|(known, ..)| known == reason);
        if let Some(reason) = data["reason"].as_str().filter(|reason| !known(reason)) {
            let what = format!("`{}` has no reason `{reason}`", error.name);
            let known = listed(error.reasons.iter().map(|(known, ..)| known.as_str()));
            self.problems.add(&place.child("reason"), what, format!("its reasons are {known}"));
        }
    }

    fn value(&mut self, ty: &Type, value: &Value, place: &Place) {
        match ty {
            Type::Named(name) => {
                let model = self.model;
                match &model.definition(name).kind {
                    DefinitionKind::Struct(shape) => self.object(shape, value, place),
                    DefinitionKind::Union(union) => self.union(union, value, place),
                    DefinitionKind::Enum(values) => {
                        let texts = || values.iter().map(|value| value.value.as_str());
                        if !value.as_str().is_some_and(|text| texts().any(|known| known == text)) {
                            self.unfit(place, &format!("one of {}", listed(texts())));
                        }
                    }
                    DefinitionKind::Plain(ty) => self.value(ty, value, place),
                }
            }
            Type::String if !value.is_string() => self.unfit(place, "a string"),
            Type::Text(text) if !value.as_str().is_some_and(|value| fits(text, value)) => {
                self.unfit(place, &asked(text));
            }
            Type::Constant(text) if value != text => self.unfit(place, &format!("`{text}`")),
            Type::Bounded(min, max)
                if !value.as_i64().is_some_and(|value| (*min..=*max).contains(&value)) =>
            {
                self.unfit(place, &format!("an integer from {min} to {max}"));
            }
            Type::Unsigned if !value.is_u64() => self.unfit(place, "an integer that is not negative"),
            Type::Integer if !value.is_i64() && !value.is_u64() => self.unfit(place, "an integer"),
            Type::Number if !value.is_number() => self.unfit(place, "a number"),
            Type::Boolean if !value.is_boolean() => self.unfit(place, "true or false"),
            Type::List(items, count) => match value.as_array() {
                None => self.unfit(place, "an array"),
                Some(values) => {
                    if !within(*count, values.len()) {
                        self.unfit(place, &format!("{} items", span(*count)));
                    }
                    for (index, value) in values.iter().enumerate() {
                        self.value(items, value, &place.child(index));
                    }
                }
            },
            Type::Map(values) => match value.as_object() {
                None => self.unfit(place, "an object"),
                Some(members) => {
                    for (name, value) in members {
                        self.value(values, value, &place.child(name));
                    }
                }
            },
            Type::Open(Some(OpenKind::Object)) if !value.is_object() => self.unfit(place, "an object"),
            Type::Open(Some(OpenKind::Array)) if !value.is_array() => self.unfit(place, "an array"),
            _ => {}
        }
    }

    fn object(&mut self, shape: &Struct, value: &Value, place: &Place) {
        let Some(members) = value.as_object() else {
            self.unfit(place, "an object");
            return;
        };
        let tag = shape.tag.as_ref();
        for (name, value) in members {
            let place = place.child(name);
            match shape.members.iter().find(|member| member.name == *name) {
                Some(member) => self.value(&member.ty, value, &place),
                None if tag.is_some_and(|(tag, _)| tag == name) => {}
                None => {
                    let declared = shape.members.iter().map(|member| member.name.as_str());
                    let declared = tag.map(|(tag, _)| tag.as_str()).into_iter().chain(declared);
                    let remedy = format!("the members are {}, spelled as documented", listed(declared));
                    self.problems.add(&place, format!("`{name}` is not declared"), remedy);
                }
            }
        }
        for member in &shape.members {
            if matches!(member.presence, Presence::Required) && !members.contains_key(&member.name) {
                let what = format!("`{}` is required and missing", member.name);
                self.problems.add(place, what, "add it");
            }
        }
    }

    fn union(&mut self, union: &Union, value: &Value, place: &Place) {
        let known = listed(union.variants.iter().map(|(value, _)| value.as_str()));
        let Some(tag) = value.get(&union.tag).and_then(Value::as_str) else {
            self.unfit(place, &format!("an object with the tag `{}`", union.tag));
            return;
        };
        match union.variants.iter().find(|(value, _)| value == tag) {
            Some((_, name)) => self.value(&Type::Named(name.clone()), value, place),
            None => self.unfit(&place.child(&union.tag), &format!("one of {known}")),
        }
    }

    fn unfit(&mut self, place: &Place, wanted: &str) {
        self.problems.add(place, "this value does not fit its schema", format!("write {wanted}"));
    }

    fn refuse(&mut self, place: &Place, what: &str, remedy: &str) {
        self.problems.add(place, what, remedy);
    }
}

fn within(count: Count, found: usize) -> bool {
    let found = found as u64;
    count.min <= found && count.max.is_none_or(|max| found <= max)
}

fn fits(text: &Text, value: &str) -> bool {
    let admits = |c: char| match &text.class {
        None => true,
        Some(ranges) => ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)),
    };
    within(text.count, value.chars().count()) && value.chars().all(admits)
}

fn span(count: Count) -> String {
    match count.max {
        None => format!("at least {}", count.min),
        Some(max) if max == count.min => format!("exactly {max}"),
        Some(max) => format!("{} to {max}", count.min),
    }
}

/// A constrained string in words.
pub(crate) fn asked(text: &Text) -> String {
    let count = span(text.count);
    let Some(ranges) = &text.class else { return format!("a string of {count} characters") };
    let ranges: String = ranges
        .iter()
        .map(|(low, high)| if low == high { low.to_string() } else { format!("{low}-{high}") })
        .collect();
    format!("a string of {count} characters of `{ranges}`")
}
