//! The spec as an OpenRPC document. OpenRPC has no direction and no long calls: what it cannot say stands in `x-`
//! members of the method.

use serde_json::{Map, Value, json};

use super::schema;
use crate::load::{Example, From, Kind, Outcome, Runs};
use crate::lower::model::{DefinitionKind, Member, Method, Model, Presence, Struct, Union};

/// Where the definitions of this document are.
const SCHEMAS: &str = "#/components/schemas/";

/// The document, as text.
pub fn document(model: &Model) -> String {
    let methods: Vec<Value> = model.methods.iter().map(|method| self::method(model, method)).collect();
    schema::text(&json!({
        "openrpc": "1.3.2",
        "info": {
            "title": model.protocol.title,
            "version": model.protocol.version.to_string(),
            "description": model.protocol.description,
        },
        "methods": methods,
        "components": { "schemas": schema::definitions(model, SCHEMAS) },
    }))
}

fn method(model: &Model, method: &Method) -> Value {
    let mut out = Map::new();
    out.insert("name".into(), json!(method.name));
    out.insert("description".into(), json!(method.description));
    out.insert("paramStructure".into(), json!("by-name"));
    out.insert("params".into(), Value::Array(params(model, &method.params)));
    if let Some(result) = &method.result {
        out.insert("result".into(), json!({ "name": result, "schema": schema::reference(result, SCHEMAS) }));
    }
    if !method.errors.is_empty() {
        let errors = model.errors.iter().filter(|error| method.errors.contains(&error.name));
        let errors = errors.map(|error| json!({ "code": error.code, "message": error.meaning }));
        out.insert("errors".into(), errors.collect());
    }
    let examples: Vec<Value> = method.examples.iter().filter_map(example).collect();
    if !examples.is_empty() {
        out.insert("examples".into(), Value::Array(examples));
    }
    let from = match method.from {
        From::Client => "client",
        From::Daemon => "daemon",
    };
    out.insert("x-from".into(), json!(from));
    if method.kind == Kind::Request && method.from == From::Client {
        let grant = method.grant.as_ref().map(|(resource, verb)| format!("{resource}:{verb}"));
        out.insert("x-runs".into(), json!(if method.runs == Runs::Long { "long" } else { "in-order" }));
        out.insert("x-grant".into(), json!(grant));
        out.insert("x-transports".into(), json!(method.transports));
        out.insert("x-before-initialize".into(), json!(method.before_initialize));
    }
    if let DefinitionKind::Union(_) = model.definition(&method.params).kind {
        // The parameters listed are those of every variant; this is what they are altogether.
        out.insert("x-params".into(), schema::reference(&method.params, SCHEMAS));
    }
    out.insert("x-since".into(), json!(method.since));
    out.insert("x-requirements".into(), json!(method.requirements));
    Value::Object(out)
}

/// The parameters one by one, required ones first.
fn params(model: &Model, name: &str) -> Vec<Value> {
    let descriptor = |member: &Member| {
        json!({
            "name": member.name,
            "description": member.description,
            "required": matches!(member.presence, Presence::Required),
            "schema": schema::undescribed(member, SCHEMAS),
        })
    };
    let (tag, members): (Option<Value>, Vec<&Member>) = match &model.definition(name).kind {
        DefinitionKind::Struct(shape) => (None, shape.members.iter().collect()),
        DefinitionKind::Union(union) => (Some(tag(union)), shared(model, union)),
        _ => (None, Vec::new()),
    };
    let required = |member: &&&Member| matches!(member.presence, Presence::Required);
    let first = members.iter().filter(required).map(|member| descriptor(member));
    let rest = members.iter().filter(|member| !required(member)).map(|member| descriptor(member));
    tag.into_iter().chain(first).chain(rest).collect()
}

fn tag(union: &Union) -> Value {
    let values: Vec<&str> = union.variants.iter().map(|(value, _)| value.as_str()).collect();
    json!({
        "name": union.tag,
        "description": "Which of the variants it is.",
        "required": true,
        "schema": { "type": "string", "enum": values },
    })
}

/// The members that every variant has and requires in the same way.
fn shared<'a>(model: &'a Model, union: &Union) -> Vec<&'a Member> {
    let mut shapes = union.variants.iter().filter_map(|(_, name)| match &model.definition(name).kind {
        DefinitionKind::Struct(shape) => Some(shape),
        _ => None,
    });
    let Some(first) = shapes.next() else { return Vec::new() };
    let rest: Vec<&Struct> = shapes.collect();
    let same = |a: &Member, b: &Member| {
        let required = |member: &Member| matches!(member.presence, Presence::Required);
        a.name == b.name && a.ty == b.ty && required(a) && required(b)
    };
    let everywhere =
        |member: &&Member| rest.iter().all(|shape| shape.members.iter().any(|other| same(member, other)));
    first.members.iter().filter(everywhere).collect()
}

/// An example pairing; a failing call cannot be one.
fn example(example: &Example) -> Option<Value> {
    let result = match &example.outcome {
        Some(Outcome::Error(_)) => return None,
        Some(Outcome::Result(result)) => Some(json!({ "name": "result", "value": result.value })),
        None => None,
    };
    let params = example.params.as_ref().and_then(|params| params.value.as_object());
    let params = params.into_iter().flatten().map(|(name, value)| json!({ "name": name, "value": value }));
    let mut pairing = Map::new();
    pairing.insert("name".into(), json!(example.name));
    pairing.insert("params".into(), params.collect());
    pairing.extend(result.map(|result| ("result".to_owned(), result)));
    Some(Value::Object(pairing))
}
