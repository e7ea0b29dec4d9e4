//! The spec's files agree with their meta-schemas, with their own examples, and with each other.
//! Reads the JSON alone: what is generated from it has tests of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

/// The files of the spec by their path from its root, with `/` between its parts.
struct Spec(BTreeMap<String, Value>);

impl Spec {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut pending: Vec<PathBuf> =
            ["methods", "notifications", "requests", "types", "meta"].map(|name| root.join(name)).into();
        pending.extend(["protocol.json", "errors.json", "requirements.json"].map(|name| root.join(name)));
        let mut files = BTreeMap::new();
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(&path).expect("a directory of the spec can be read");
                pending
                    .extend(entries.map(|entry| entry.expect("a directory of the spec can be read").path()));
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let text =
                    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let value =
                    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let name = path.strip_prefix(root).expect("it was found below the root");
                let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
                files.insert(parts.join("/"), value);
            }
        }
        Self(files)
    }

    fn file(&self, path: &str) -> &Value {
        self.0.get(path).unwrap_or_else(|| panic!("{path} is missing"))
    }

    /// The files of the spec proper, without their meta-schemas.
    fn content(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().filter(|(path, _)| !path.starts_with("meta/")).map(|(path, file)| (path.as_str(), file))
    }

    /// Methods and notifications: path, file and its `x-rpc`.
    fn calls(&self) -> impl Iterator<Item = (&str, &Value, &Value)> {
        self.content().filter_map(|(path, file)| Some((path, file, file.get("x-rpc")?)))
    }

    fn errors(&self) -> &Vec<Value> {
        list(self.file("errors.json"), "errors")
    }

    fn error(&self, key: &str, value: &Value) -> Option<&Value> {
        self.errors().iter().find(|error| error[key] == *value)
    }

    /// All files that are schemas, so that references between them resolve as they do between files.
    fn registry(&self) -> Registry<'_> {
        let schemas = self.0.iter().filter(|(path, _)| path.contains('/'));
        let schemas = schemas.map(|(path, file)| (format!("{BASE}{path}"), file));
        let registry = Registry::new().extend(schemas).expect("each file is a schema");
        registry.prepare().expect("each reference leads to a file of the spec")
    }
}

const BASE: &str = "spec:///";

/// A validator of `schema`, whose references are relative to the root of the spec.
fn validator(registry: &Registry<'_>, schema: &Value) -> Validator {
    let options = jsonschema::options().with_base_uri(BASE).with_registry(registry);
    options.build(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

/// What is wrong with `value`, a line each; nothing if it is valid.
fn problems(validator: &Validator, value: &Value, what: &str) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{what}: {}: {error}", error.instance_path())).collect()
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("`{key}` is no list in {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("`{key}` is no text in {value}"))
}

fn texts<'a>(value: &'a Value, key: &str) -> Vec<&'a str> {
    list(value, key).iter().map(|item| item.as_str().unwrap_or_else(|| panic!("{item} is no text"))).collect()
}

fn meta_schema(path: &str) -> &'static str {
    match path.split('/').next() {
        Some("methods" | "notifications" | "requests") => "meta/method.json",
        Some("types") => "meta/types.json",
        Some("protocol.json") => "meta/protocol.json",
        Some("errors.json") => "meta/errors.json",
        Some("requirements.json") => "meta/requirements.json",
        _ => panic!("no meta-schema is known for {path}"),
    }
}

/// Every object in `value`, itself included, that is not below an example.
fn objects(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(members) => {
            let below =
                members.iter().filter(|(name, _)| *name != "examples").flat_map(|(_, value)| objects(value));
            std::iter::once(value).chain(below).collect()
        }
        Value::Array(items) => items.iter().flat_map(objects).collect(),
        _ => Vec::new(),
    }
}

/// The rule identifiers in a text: two capitals, a hyphen, two digits, and no letter or digit beside them.
fn rules_in(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| matches!(word.as_bytes(), [a, b, b'-', m, n] if [a, b].iter().all(|c| c.is_ascii_uppercase()) && [m, n].iter().all(|c| c.is_ascii_digit()))).collect()
}

#[test]
fn every_file_fits_its_meta_schema() {
    let spec = Spec::read();
    let registry = spec.registry();
    let problems: Vec<_> = spec
        .content()
        .flat_map(|(path, file)| {
            problems(&validator(&registry, &json!({ "$ref": meta_schema(path) })), file, path)
        })
        .collect();
    assert_none(&problems);
}

#[test]
fn every_schema_is_json_schema_2020_12() {
    let spec = Spec::read();
    for (path, file) in spec.0.iter().filter(|(path, _)| path.contains('/')) {
        assert_eq!(file["$schema"], "https://json-schema.org/draft/2020-12/schema", "{path}");
        jsonschema::meta::validate(file).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

#[test]
fn a_meta_schema_refuses_what_the_spec_may_not_say() {
    let spec = Spec::read();
    let registry = spec.registry();
    let cancel = "methods/session/cancel.json";
    let update = "notifications/session/update.json";
    let params = "/$defs/SessionCancelParams";
    let member = "/$defs/SessionCancelParams/properties/sessionId";
    let open = "/$defs/ToolCall/properties/rawInput";
    for (path, at, edit) in [
        (cancel, "/x-rpc", json!({ "deprecated": true })),
        (cancel, "/x-rpc", json!({ "grant": "sessions:modify" })),
        (cancel, "/x-rpc", json!({ "requirements": [] })),
        (cancel, "/x-rpc/examples/0", json!({ "error": { "code": -32000, "message": "beside a result" } })),
        (cancel, params, json!({ "additionalProperties": false })),
        (cancel, params, json!({ "anyOf": [] })),
        (cancel, params, json!({ "description": null })),
        (cancel, member, json!({ "type": "string" })),
        (cancel, member, json!({ "$ref": "#/properties/sessionId" })),
        (cancel, "/$defs/SessionCancelParams/properties", json!({ "session-id": { "type": "string" } })),
        (update, "/x-rpc", json!({ "grant": "sessions:read" })),
        (update, "/$defs/SessionUpdateParams", json!({ "discriminator": { "propertyName": "type" } })),
        (update, open, json!({ "properties": {} })),
        ("types/session.json", "/$defs/SessionId", json!({ "pattern": "^\\w+$" })),
        ("types/session.json", "/$defs/ChatMode", json!({ "enum": [1] })),
        ("types/handshake.json", "/$defs/ProtocolVersion", json!({ "minimum": null, "maximum": 1 })),
        ("types/handshake.json", "/$defs/ProtocolVersion", json!({ "default": 1 })),
        ("protocol.json", "/limits/0", json!({ "minimum": null })),
        ("protocol.json", "/limits/0", json!({ "unit": "minutes" })),
        ("errors.json", "/errors/0", json!({ "code": -1 })),
        ("requirements.json", "/requirements/0", json!({ "level": "may" })),
        ("requirements.json", "/requirements/0", json!({ "id": "EP-1" })),
    ] {
        let mut file = spec.file(path).clone();
        let place = file
            .pointer_mut(at)
            .and_then(Value::as_object_mut)
            .unwrap_or_else(|| panic!("{path} has no {at}"));
        for (name, value) in edit.as_object().expect("an edit is an object") {
            if value.is_null() {
                place.remove(name)
            } else {
                place.insert(name.clone(), value.clone())
            };
        }
        let meta = validator(&registry, &json!({ "$ref": meta_schema(path) }));
        assert!(!meta.is_valid(&file), "{path} was accepted with {edit} at {at}");
    }
}

#[test]
fn a_file_stands_where_its_title_says() {
    let spec = Spec::read();
    for (path, file) in spec.content().filter(|(path, _)| path.contains('/')) {
        let title = text(file, "title");
        let expected = match path.split('/').next() {
            Some("types") => format!("{title}.json"),
            Some(folder) => {
                let (namespace, name) = title.split_once('/').unwrap_or(("core", title));
                format!("{folder}/{namespace}/{}.json", name.replace('/', "-"))
            }
            None => unreachable!("`split` gives at least one part"),
        };
        assert_eq!(path, expected);
    }
}

#[test]
fn every_example_fits_its_schema() {
    let spec = Spec::read();
    let registry = spec.registry();
    let mut wrong = Vec::new();
    for (path, _, rpc) in spec.calls() {
        for example in list(rpc, "examples") {
            let what = format!("{path}: {}", text(example, "name"));
            for part in ["params", "result"] {
                if let Some(value) = example.get(part) {
                    let schema = json!({ "$ref": format!("{path}{}", text(&rpc[part], "$ref")) });
                    wrong.extend(problems(&validator(&registry, &schema), value, &format!("{what}: {part}")));
                }
            }
            let Some(error) = example.get("error") else { continue };
            let Some(entry) = spec.error("code", &error["code"]) else {
                wrong.push(format!("{what}: {} is no error code", error["code"]));
                continue;
            };
            if entry["common"] != true && !list(rpc, "errors").contains(&entry["name"]) {
                wrong.push(format!("{what}: the method does not list {}", entry["name"]));
            }
            let Some(data) = error.get("data") else { continue };
            wrong.extend(problems(&validator(&registry, &entry["data"]), data, &what));
            if !list(entry, "reasons").iter().any(|reason| reason["reason"] == data["reason"]) {
                wrong.push(format!("{what}: {} is no reason of {}", data["reason"], entry["name"]));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_outcome_that_a_call_declares_has_an_example() {
    let spec = Spec::read();
    for (path, file, rpc) in spec.calls() {
        let examples = list(rpc, "examples");
        if rpc["kind"] == "request" {
            assert!(examples.iter().any(|example| example.get("result").is_some()), "{path}: none succeeds");
        }
        for name in rpc.get("errors").map(|_| list(rpc, "errors")).into_iter().flatten() {
            let entry = spec.error("name", name).unwrap_or_else(|| panic!("{path}: {name} is no error"));
            assert_eq!(
                entry["common"], false,
                "{path}: {name} is common to all methods and need not be listed"
            );
            assert!(
                examples.iter().any(|example| example["error"]["code"] == entry["code"]),
                "{path}: none for {name}"
            );
        }
        let pointer = text(&rpc["params"], "$ref").trim_start_matches('#');
        let params = file.pointer(pointer).unwrap_or_else(|| panic!("{path}: no {pointer}"));
        for variant in params.get("oneOf").map(|_| list(params, "oneOf")).into_iter().flatten() {
            let variant = text(variant, "$ref").trim_start_matches('#');
            let tag = &file.pointer(variant).unwrap_or_else(|| panic!("{path}: no {variant}"))["properties"]
                ["type"]["enum"][0];
            assert!(
                examples.iter().any(|example| example["params"]["type"] == *tag),
                "{path}: none for {tag}"
            );
        }
    }
}

#[test]
fn every_value_of_a_string_enum_is_documented() {
    let spec = Spec::read();
    for (path, file) in spec.content() {
        for schema in objects(file) {
            if let Some(Value::Object(described)) = schema.get("x-enum-descriptions") {
                let described: Vec<_> = described.keys().map(String::as_str).collect();
                assert_eq!(described, texts(schema, "enum"), "{path}");
            }
        }
    }
}

#[test]
fn every_limit_that_can_be_set_is_named_by_li_11_and_told_at_initialize() {
    let spec = Spec::read();
    let rule = list(spec.file("requirements.json"), "requirements").iter().find(|rule| rule["id"] == "LI-11");
    let rule = text(rule.expect("LI-11 names the limits"), "text");
    let (_, names) = rule.split_once("Under `[rpc]`:").expect("LI-11 lists the names of `[rpc]`");
    let named: Vec<_> = names.split('`').skip(1).step_by(2).collect();

    let limits = list(spec.file("protocol.json"), "limits");
    let set: Vec<_> = limits
        .iter()
        .filter(|limit| limit["config"].as_str().is_some_and(|key| key.starts_with("rpc.")))
        .collect();
    assert_eq!(set.iter().map(|limit| text(limit, "name")).collect::<Vec<_>>(), named);
    let told = &spec.file("types/limits.json")["$defs"]["Limits"];
    assert_eq!(told["x-spelling"], "fixed");
    assert_eq!(texts(told, "required"), named);
    assert_eq!(
        told["properties"].as_object().map(|members| members.keys().map(String::as_str).collect()),
        Some(named)
    );

    for limit in set {
        let name = text(limit, "name");
        assert_eq!(text(limit, "config"), format!("rpc.{name}"));
        assert!(
            limit["minimum"].as_u64() <= limit["value"].as_u64(),
            "{name}: the default is below the minimum"
        );
        let unit = match text(limit, "unit") {
            "count" => String::new(),
            unit => format!(" {unit}"),
        };
        let value = grouped(limit["value"].as_u64().unwrap_or_else(|| panic!("{name} has no value")));
        let said = format!("Default {value}{unit} ({}).", text(limit, "rule"));
        assert!(
            text(&told["properties"][name], "description").ends_with(&said),
            "{name}: does not say {said:?}"
        );
    }
}

/// `8388608` as `8,388,608`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let places = digits.char_indices().flat_map(|(at, digit)| {
        let comma = (at > 0 && (digits.len() - at).is_multiple_of(3)).then_some(',');
        comma.into_iter().chain([digit])
    });
    places.collect()
}

#[test]
fn limits_errors_and_definitions_have_names_of_their_own() {
    let spec = Spec::read();
    let mut names: Vec<String> = Vec::new();
    names.extend(
        list(spec.file("protocol.json"), "limits").iter().map(|limit| text(limit, "name").to_owned()),
    );
    names.extend(
        spec.errors().iter().flat_map(|error| [text(error, "name").to_owned(), error["code"].to_string()]),
    );
    names.extend(spec.calls().map(|(_, file, _)| text(file, "title").to_owned()));
    for (_, file) in spec.content() {
        names.extend(
            file["$defs"].as_object().into_iter().flat_map(|definitions| definitions.keys().cloned()),
        );
    }
    names.sort();
    let repeated: Vec<_> =
        names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()).collect();
    assert_none(&repeated);
}

#[test]
fn section_er_lists_exactly_the_error_codes() {
    let spec = Spec::read();
    let section =
        list(spec.file("requirements.json"), "sections").iter().find(|section| section["id"] == "ER");
    let intro = text(section.expect("there is a section ER"), "intro");
    let listed: Vec<_> =
        spec.errors().iter().map(|error| format!("`{}` {}", error["code"], text(error, "name"))).collect();
    assert_eq!(intro, format!("{}.", listed.join(", ")));
}

#[test]
fn rules_are_numbered_from_one_in_the_order_of_the_sections() {
    let spec = Spec::read();
    let file = spec.file("requirements.json");
    let rules = list(file, "requirements");
    let mut expected = Vec::new();
    for (at, section) in list(file, "sections").iter().enumerate() {
        assert_eq!(section["number"], at + 1, "{section}");
        let count = rules.iter().filter(|rule| rule["section"] == section["id"]).count();
        assert!(count > 0, "{section} has no rules");
        expected.extend((1..=count).map(|number| format!("{}-{number:02}", text(section, "id"))));
    }
    assert_eq!(rules.iter().map(|rule| text(rule, "id")).collect::<Vec<_>>(), expected);
}

#[test]
fn every_rule_that_is_named_exists() {
    let spec = Spec::read();
    let rules: Vec<_> =
        list(spec.file("requirements.json"), "requirements").iter().map(|rule| text(rule, "id")).collect();
    for (path, file) in spec.content() {
        for rule in rules_in(&file.to_string()) {
            assert!(rules.contains(&rule), "{path} names {rule}, which is not there");
        }
    }
}
