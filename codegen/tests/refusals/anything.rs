//! Whatever is wrong with a spec, it is refused, or what comes of it is Rust: the generator does not panic, so nobody
//! who edits a spec meets a backtrace in the place of a message.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use zeroclaw_codegen::{Files, compile, emit};

use super::golden;

/// The pointers of all values in a document, without the document itself.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    for (name, value) in inner {
        let at = format!("{at}/{name}");
        pointers(value, &at, out);
        out.push(at);
    }
}

fn generate(files: &Files) {
    if let Ok(model) = compile(files) {
        emit::rust::protocol(&model);
        emit::schema::bundle(&model);
        emit::openrpc::document(&model);
        emit::markdown::reference(&model);
    }
}

#[test]
fn no_value_in_the_place_of_another_makes_the_generator_panic() {
    let strange = [
        json!(null),
        json!(-1),
        json!({}),
        json!(u64::MAX),
        json!(""),
        json!([]),
        json!("type"),
        json!({ "type": "object", "description": "?" }),
        json!(true),
        json!(["type"]),
        json!({ "$ref": "#/$defs/Book", "description": "?" }),
        json!("#/$defs/Book"),
        json!({ "type": "string", "maxLength": 3, "description": "?" }),
    ];
    let golden = golden();
    let mut panics = Vec::new();
    // Each value meets one strange one; which, goes round over the whole spec.
    let mut turn = strange.iter().cycle();
    for (path, text) in &golden {
        let document: Value = serde_json::from_str(text).expect(path);
        let mut places = Vec::new();
        pointers(&document, "", &mut places);
        for place in places {
            let (mut changed, mut files) = (document.clone(), golden.clone());
            let value = turn.next().expect("it goes round for ever");
            *changed.pointer_mut(&place).expect("the place is in the document") = value.clone();
            files.insert(path.clone(), changed.to_string());
            if catch_unwind(AssertUnwindSafe(|| generate(&files))).is_err() {
                panics.push(format!("{path}#{place} as {value}"));
            }
        }
    }
    assert!(panics.is_empty(), "{panics:#?}");
}
