//! The exports say what the spec says: as schemas that admit its examples, and as documents whose parts hang together.

use jsonschema::Validator;
use serde_json::{Value, json};
use zeroclaw_spec::{ErrorCode, JSON_SCHEMA, Method, OPENRPC, SENT, SPEC_FILES};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("an export is JSON")
}

/// The documents of methods and notifications.
fn documents() -> Vec<Value> {
    let documents = SPEC_FILES.iter().map(|(_, text)| parsed(text));
    documents.filter(|document| document["x-rpc"].is_object()).collect()
}

/// A validator for what `pointer` leads to in the bundle.
fn validator(bundle: &Value, pointer: &str) -> Validator {
    let mut schema = bundle.clone();
    let target = bundle.pointer(pointer).unwrap_or_else(|| panic!("the bundle has no {pointer}"));
    let members = schema.as_object_mut().expect("the bundle is an object");
    members.retain(|name, _| name == "$schema" || name == "$defs");
    members.insert("allOf".into(), json!([target]));
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{pointer}: {error}"))
}

#[track_caller]
fn assert_admits(validator: &Validator, value: &Value) {
    let problems: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{value}: {problems:?}");
}

/// Every value in a document, with its name or index.
fn walk<'a>(value: &'a Value, visit: &mut impl FnMut(&str, &'a Value)) {
    match value {
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            visit(name, value);
            walk(value, visit);
        }),
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        _ => {}
    }
}

fn assert_references_lead_somewhere(document: &Value) {
    walk(document, &mut |name, value| {
        if let ("$ref", Some(target)) = (name, value.as_str()) {
            let pointer =
                target.strip_prefix('#').unwrap_or_else(|| panic!("{target} leads out of the document"));
            assert!(document.pointer(pointer).is_some(), "{target} leads nowhere");
        }
    });
}

#[test]
fn the_schema_indexes_every_message_and_every_error() {
    let bundle = parsed(JSON_SCHEMA);
    let names = |list: &str| -> Vec<String> {
        let list = &bundle["properties"][list];
        let members = list["properties"].as_object().expect("an index is an object");
        assert_eq!(list["required"].as_array().map(Vec::len), Some(members.len()));
        members.keys().cloned().collect()
    };
    let mut listed: Vec<String> = [names("requests"), names("notifications")].concat();
    let served = Method::ALL.iter().map(|method| method.name().to_owned());
    let mut all: Vec<String> = served.chain(SENT.iter().map(|facts| facts.name.to_owned())).collect();
    listed.sort();
    all.sort();
    assert_eq!(listed, all);
    assert_eq!(names("errors"), ErrorCode::ALL.iter().map(|error| error.name()).collect::<Vec<_>>());
    assert_references_lead_somewhere(&bundle);
}

#[test]
fn the_schema_has_no_words_that_validators_and_generators_stumble_over() {
    let bundle = parsed(JSON_SCHEMA);
    for (name, definition) in bundle["$defs"].as_object().expect("definitions") {
        assert_eq!(definition["title"], *name);
    }
    walk(&bundle, &mut |name, value| {
        assert!(!name.starts_with("x-") && name != "format", "{name}");
        if let Some(members) = value.as_object().filter(|members| members.contains_key("$ref")) {
            assert_eq!(members.len(), 1, "{value} has words beside its reference");
        }
    });
}

#[test]
fn the_schema_admits_every_example() {
    let bundle = parsed(JSON_SCHEMA);
    for document in documents() {
        let title = document["title"].as_str().expect("a document has a title").replace('/', "~1");
        let list = if document["x-rpc"]["kind"] == "request" { "requests" } else { "notifications" };
        let message = format!("/properties/{list}/properties/{title}/properties");
        let params = validator(&bundle, &format!("{message}/params"));
        for example in document["x-rpc"]["examples"].as_array().expect("a document has examples") {
            if example["error"]["code"] != -32602 {
                assert_admits(&params, example.get("params").unwrap_or(&json!({})));
            }
            if let Some(result) = example.get("result") {
                assert_admits(&validator(&bundle, &format!("{message}/result")), result);
            }
            if let Some(error) = example.get("error") {
                let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok()).expect("a code");
                let name = ErrorCode::from_code(code).expect("a known code").name();
                assert_admits(&validator(&bundle, &format!("/properties/errors/properties/{name}")), error);
            }
        }
    }
}

#[test]
fn the_openrpc_document_describes_every_message_once() {
    let document = parsed(OPENRPC);
    assert_eq!(document["openrpc"], "1.3.2");
    assert_references_lead_somewhere(&document);
    let methods = document["methods"].as_array().expect("a document has methods");
    assert_eq!(methods.len(), Method::ALL.len() + SENT.len());
    for method in methods {
        let name = method["name"].as_str().expect("a method has a name");
        let facts = Method::parse(name).map(Method::facts).or(SENT.iter().find(|facts| facts.name == name));
        let facts = facts.unwrap_or_else(|| panic!("{name} is no message of the spec"));
        let params = method["params"].as_array().expect("params are a list");
        let required: Vec<bool> = params.iter().map(|param| param["required"] == true).collect();
        assert!(required.is_sorted_by(|before, after| before >= after), "{name}: required ones come first");
        assert_eq!(method.get("result").is_some(), facts.kind == zeroclaw_spec::Kind::Request, "{name}");
        for error in method["errors"].as_array().into_iter().flatten() {
            let members: Vec<&String> = error.as_object().expect("an error is an object").keys().collect();
            assert_eq!(members, ["code", "message"], "{name}");
        }
        let known = ["name", "description", "paramStructure", "params", "result", "errors", "examples"];
        for member in method.as_object().expect("a method is an object").keys() {
            assert!(known.contains(&member.as_str()) || member.starts_with("x-"), "{name} has {member}");
        }
    }
}
