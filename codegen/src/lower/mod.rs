//! Turns checked documents into the model that the emitters read.

pub mod model;
pub(crate) mod pattern;

use crate::definitions::{Definitions, all};
use crate::load::{ErrorEntry, Form, From, Kind, MemberSchema, MethodDocument, Reference, Schema, Spec};
use crate::spelling;
use model::{
    Count, Data, Definition, DefinitionKind, EnumValue, ErrorCode, Member, Method, Model, Presence, Struct,
    Text, Type, Union,
};

/// Why lowering may rely on what `check` has seen.
const CHECKED: &str = "`check` has refused what cannot be lowered";

/// The model of a spec that has been checked.
pub(crate) fn lower(spec: &Spec) -> Model {
    let definitions = Definitions::of(spec);
    let tags = tags(spec, &definitions);
    let lower = Lower { definitions, tags };
    Model {
        files: spec.files.clone(),
        protocol: spec.protocol.clone(),
        errors: spec.errors.iter().map(|entry| lower.error(entry)).collect(),
        requirements: spec.requirements.clone(),
        definitions: all(spec).map(|(name, schema)| lower.definition(name, schema)).collect(),
        methods: spec.methods.iter().map(|document| lower.method(document, spec)).collect(),
    }
}

/// The variants of all unions: their name, their tag and its value.
fn tags(spec: &Spec, definitions: &Definitions<'_>) -> Vec<(String, (String, String))> {
    let mut tags = Vec::new();
    for (_, schema) in all(spec) {
        let Form::Union { variants, .. } = &schema.form else { continue };
        let tag = definitions.tag(variants).expect(CHECKED);
        for (variant, value) in variants.iter().zip(tag.values) {
            let name = definitions.resolve(variant).expect(CHECKED).0.to_owned();
            tags.push((name, (tag.member.to_owned(), value.to_owned())));
        }
    }
    tags
}

struct Lower<'a> {
    definitions: Definitions<'a>,
    tags: Vec<(String, (String, String))>,
}

impl Lower<'_> {
    fn named(&self, reference: &Reference) -> String {
        self.definitions.resolve(reference).expect(CHECKED).0.to_owned()
    }

    fn definition(&self, name: &str, schema: &Schema) -> Definition {
        let kind = match &schema.form {
            Form::Object(members) => {
                let tag = self.tags.iter().find(|(variant, _)| variant == name).map(|(_, tag)| tag.clone());
                let members = members
                    .iter()
                    .filter(|member| tag.as_ref().is_none_or(|(tag, _)| *tag != member.name))
                    .map(|member| self.member(member, schema.fixed));
                DefinitionKind::Struct(Struct { members: members.collect(), tag })
            }
            Form::Union { variants, extensible } => {
                let tag = self.definitions.tag(variants).expect(CHECKED);
                let names = variants.iter().map(|variant| self.named(variant));
                let values = tag.values.into_iter().map(str::to_owned);
                DefinitionKind::Union(Union {
                    tag: tag.member.to_owned(),
                    variants: values.zip(names).collect(),
                    extensible: *extensible,
                })
            }
            Form::Enum(values) => {
                let values = values.iter().map(|(value, description)| EnumValue {
                    value: value.clone(),
                    description: description.clone().unwrap_or_else(|| format!("`{value}`.")),
                });
                DefinitionKind::Enum(values.collect())
            }
            form => DefinitionKind::Plain(self.ty(form)),
        };
        Definition {
            name: name.to_owned(),
            place: schema.place.clone(),
            description: schema.description.clone().expect(CHECKED),
            kind,
        }
    }

    fn member(&self, member: &MemberSchema, all_fixed: bool) -> Member {
        let schema = &member.schema;
        let presence = match &schema.default {
            _ if member.required => Presence::Required,
            Some(default) => Presence::Default(default.value.clone(), default.place.clone()),
            None => Presence::Optional,
        };
        let fixed = all_fixed || schema.fixed;
        let other = if fixed { member.name.clone() } else { spelling::other(&member.name).expect(CHECKED) };
        Member {
            name: member.name.clone(),
            other,
            fixed,
            place: schema.place.clone(),
            description: schema.description.clone().expect(CHECKED),
            ty: self.ty(&schema.form),
            presence,
        }
    }

    fn ty(&self, form: &Form) -> Type {
        match form {
            Form::Reference(reference) => Type::Named(self.named(reference)),
            Form::Open(kind) => Type::Open(*kind),
            Form::Map(values) => Type::Map(Box::new(self.ty(&values.form))),
            Form::Text { pattern: Some(pattern), .. } => {
                Type::Text(pattern::parse(&pattern.value).expect(CHECKED))
            }
            Form::Text { min: None, max: None, .. } => Type::String,
            Form::Text { min, max, .. } => {
                Type::Text(Text { count: Count { min: min.unwrap_or(0), max: *max }, class: None })
            }
            Form::Enum(values) => Type::Constant(values[0].0.clone()),
            Form::Integer { min: Some(min), max: Some(max) } => Type::Bounded(*min, *max),
            Form::Integer { min: Some(_), .. } => Type::Unsigned,
            Form::Integer { .. } => Type::Integer,
            Form::Number => Type::Number,
            Form::Boolean => Type::Boolean,
            Form::Array { items, min, max } => {
                Type::List(Box::new(self.ty(&items.form)), Count { min: min.unwrap_or(0), max: *max })
            }
            Form::Object(_) | Form::Union { .. } => unreachable!("{CHECKED}"),
        }
    }

    fn error(&self, entry: &ErrorEntry) -> ErrorCode {
        let data = entry.data.as_ref().map(|schema| {
            let Form::Object(members) = &schema.form else { unreachable!("{CHECKED}") };
            Data {
                description: schema.description.clone().expect(CHECKED),
                members: members.iter().map(|member| self.member(member, true)).collect(),
            }
        });
        let reasons = entry.reasons.iter();
        ErrorCode {
            code: i32::try_from(entry.code).expect(CHECKED),
            name: entry.name.clone(),
            meaning: entry.meaning.clone(),
            common: entry.common,
            data,
            reasons: reasons.map(|r| (r.reason.clone(), r.rule.value.clone(), r.meaning.clone())).collect(),
            requirements: entry.requirements.iter().map(|rule| rule.value.clone()).collect(),
        }
    }

    fn method(&self, document: &MethodDocument, spec: &Spec) -> Method {
        let rpc = &document.rpc;
        let name = MethodName::of(&document.title);
        let mut errors: Vec<String> = rpc.errors.iter().map(|error| error.value.clone()).collect();
        let own_errors = errors.len();
        if rpc.kind == Kind::Request && rpc.from == From::Client {
            errors.extend(spec.errors.iter().filter(|entry| entry.common).map(|entry| entry.name.clone()));
        }
        let grant = rpc.grant.as_ref().map(|grant| grant.value.split_once(':').expect(CHECKED));
        Method {
            name: document.title.clone(),
            namespace: name.namespace,
            function: name.function,
            marker: name.marker,
            place: document.place.clone(),
            description: document.description.clone(),
            kind: rpc.kind,
            from: rpc.from,
            runs: rpc.runs,
            params: self.named(rpc.params.as_ref().expect(CHECKED)),
            result: rpc.result.as_ref().map(|result| self.named(result)),
            errors,
            own_errors,
            grant: grant.map(|(resource, verb)| (resource.to_owned(), verb.to_owned())),
            transports: rpc.transports.iter().map(|transport| transport.value.clone()).collect(),
            before_initialize: rpc.before_initialize,
            announce_refusal: rpc.announce_refusal,
            since: rpc.since.clone(),
            requirements: rpc.requirements.iter().map(|rule| rule.value.clone()).collect(),
            examples: rpc.examples.clone(),
        }
    }
}

/// What a method's name on the wire makes of its other names.
pub(crate) struct MethodName {
    pub(crate) namespace: String,
    pub(crate) function: String,
    pub(crate) marker: String,
    /// Its file within its kind's directory.
    pub(crate) file: String,
}

impl MethodName {
    /// `file/upload/begin` is `upload_begin` of `file`, `FileUploadBegin`, and stands in `file/upload-begin.json`;
    /// a name without a namespace is served in `core`.
    pub(crate) fn of(title: &str) -> Self {
        let (namespace, rest) = title.split_once('/').unwrap_or(("core", title));
        Self {
            namespace: namespace.to_owned(),
            function: rest.replace(['/', '-'], "_"),
            marker: spelling::pascal(title),
            file: format!("{namespace}/{}.json", rest.replace('/', "-")),
        }
    }
}
