//! Every example of the spec, read and written by the types that are generated from it, in both spellings.

use serde_json::Value;
use zeroclaw_spec::json::{Decode, Encode, Spelling, Writer};
use zeroclaw_spec::{Messages, Notification, Params, Request, SPEC_FILES, each_message};

/// A kind of message with its examples.
fn examples(method: &str) -> Vec<Value> {
    let documents =
        SPEC_FILES.iter().map(|(_, text)| serde_json::from_str::<Value>(text).expect("a file is JSON"));
    let document =
        documents.into_iter().find(|document| document["title"] == method && document["x-rpc"].is_object());
    let document = document.unwrap_or_else(|| panic!("no file has the title {method}"));
    document["x-rpc"]["examples"].as_array().expect(method).clone()
}

fn write(value: &impl Encode, spelling: Spelling) -> String {
    let mut out = Writer::new(spelling);
    value.encode(&mut out);
    out.finish()
}

fn read<T: Decode>(text: &str) -> T {
    // Strict: what the types do not know would be lost unseen.
    Params::new(Some(text)).strict(true).decode().unwrap_or_else(|fault| panic!("{fault} in {text}"))
}

/// Whether `part` is in `whole`: equal but for members that are only in `whole`, which are defaults.
fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| holds(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| holds(whole, part))
        }
        _ => whole == part,
    }
}

#[derive(Default)]
struct Examples {
    seen: usize,
}

impl Examples {
    fn check<T: Decode + Encode>(&mut self, value: &Value) {
        let value: T = {
            let read: T = read(&value.to_string());
            let written: Value =
                serde_json::from_str(&write(&read, Spelling::Documented)).expect("JSON is written");
            assert!(holds(&written, value), "{value} became {written}");
            read
        };
        let documented = write(&value, Spelling::Documented);
        let respelled: T = self::read(&write(&value, Spelling::Snake));
        assert_eq!(write(&respelled, Spelling::Documented), documented);
        self.seen += 1;
    }
}

impl Messages for Examples {
    fn request<R: Request>(&mut self) {
        for example in examples(R::METHOD) {
            // An example of refused parameters may show ones that do not fit.
            if example["error"]["code"] != -32602 {
                self.check::<R::Params>(example.get("params").unwrap_or(&serde_json::json!({})));
            }
            if let Some(result) = example.get("result") {
                self.check::<R::Result>(result);
            }
        }
    }

    fn notification<N: Notification>(&mut self) {
        for example in examples(N::METHOD) {
            self.check::<N::Params>(&example["params"]);
        }
    }
}

/// SP-01, SP-02, SP-03
#[test]
fn the_types_read_and_write_every_example_in_both_spellings() {
    let mut examples = Examples::default();
    each_message(&mut examples);
    assert!(examples.seen > 0);
}
