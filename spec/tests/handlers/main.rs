//! A handler that is missing, or that no longer fits its spec, does not compile: the golden protocol's handlers are
//! compiled against changes of its spec, and the compiler must say what is wrong.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use zeroclaw_codegen::{Files, compile, emit, read};

/// A crate with nothing in it but a protocol and its handlers.
struct Handlers {
    directory: PathBuf,
    spec: Files,
}

const LIB: &str = r#"
#![allow(dead_code)]
use zeroclaw_spec::{call, json};
mod librarian;
mod library { include!("protocol.rs"); }
fn serves_everything(_: impl library::Methods) {}
fn check() { serves_everything(librarian::Librarian) }
"#;

impl Handlers {
    fn new() -> Self {
        let spec = Path::new(env!("CARGO_MANIFEST_DIR"));
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("handlers");
        let manifest = format!(
            "[package]\nname = \"handlers\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\nzeroclaw-spec.path = '{}'\nthiserror = \"2\"\n",
            spec.display()
        );
        let own = |path: &str| fs::read_to_string(spec.join(path)).expect(path);
        fs::create_dir_all(directory.join("src")).expect("a directory for the crate");
        for (name, text) in [
            ("Cargo.toml", manifest),
            ("Cargo.lock", own("../Cargo.lock")),
            ("src/lib.rs", LIB.to_owned()),
            ("src/librarian.rs", own("tests/handlers/librarian.rs")),
        ] {
            fs::write(directory.join(name), text).expect(name);
        }
        let golden = spec.join("../codegen/tests/golden/spec");
        Self { directory, spec: read(&golden).expect("the golden spec can be read") }
    }

    /// What the compiler says after `old` became `new` in one file of the spec; nothing if it is content.
    fn after(&self, file: &str, old: &str, new: &str) -> String {
        let mut files = self.spec.clone();
        let text = files.get_mut(file).expect(file);
        assert!(text.contains(old), "{file} has no {old}");
        *text = text.replace(old, new);
        self.compiled(&files)
    }

    /// What the compiler says of the handlers under this spec.
    fn compiled(&self, files: &Files) -> String {
        let model = compile(files).expect("the changed spec is a good one");
        let protocol = self.directory.join("src/protocol.rs");
        fs::write(protocol, emit::rust::protocol(&model)).expect("the protocol can be written");
        let output = Command::new(env!("CARGO"))
            .args(["check", "--offline", "--quiet"])
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", self.directory.join("target"))
            .output()
            .expect("cargo can be run");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.success(), said.is_empty(), "{said}");
        said
    }
}

/// Compares codes and names only: the rest of a compiler's words is its own.
#[track_caller]
fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "nothing is said of {part}:\n{said}");
    }
}

#[test]
fn handlers_that_do_not_follow_their_spec_do_not_compile() {
    let handlers = Handlers::new();
    assert_eq!(handlers.compiled(&handlers.spec), "", "the handlers follow the spec as it is");

    let mut grown = handlers.spec.clone();
    let turn = &grown["methods/book/page-turn.json"];
    let lend = turn.replace("book/page/turn", "book/lend").replace("PageTurn", "BookLend");
    grown.insert("methods/book/lend.json".into(), lend);
    assert_says(&handlers.compiled(&grown), &["error[E0046]", "`lend`", "impl BookMethods for Librarian"]);

    let mut shrunk = handlers.spec.clone();
    shrunk.remove("methods/book/page-turn.json");
    assert_says(&handlers.compiled(&shrunk), &["error[E0407]", "`page_turn`", "`BookMethods`"]);

    let no_longer_long = handlers.after("methods/book/read.json", r#""long""#, r#""in-order""#);
    assert_says(&no_longer_long, &["error[E0271]", "Result<BookReadResult, Refusal>"]);

    let another_name = handlers.after("methods/book/new.json", "readerName", "borrower");
    assert_says(&another_name, &["error[E0560]", "WithReader", "`reader_name`"]);
}
