//! What is generated and checked in is what the generator writes: the projections of the spec that people and other
//! tools read, and the golden ones, which show what a change of the generator changes.

use std::path::{Path, PathBuf};
use std::{env, fs};

use zeroclaw_codegen::{Files, Model, compile, compile_directory, emit, read};

/// A projection of a model: its text.
type Projection = fn(&Model) -> String;

/// How to make the files what they should be.
const REFRESH: &str = "ZEROCLAW_UPDATE=1 cargo test -p zeroclaw-codegen --test drift";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn model(directory: &Path) -> Model {
    compile_directory(directory).unwrap_or_else(|problems| panic!("{}:\n{problems}", directory.display()))
}

/// Compares each file with its projection, or writes it where that is asked for.
fn compare(directory: &Path, model: &Model, projections: &[(&str, Projection)]) {
    let update = env::var_os("ZEROCLAW_UPDATE").is_some();
    let mut stale = Vec::new();
    for (file, project) in projections {
        let path = directory.join(file);
        let text = project(model);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        if update {
            fs::write(&path, text).expect("the file can be written");
        } else {
            stale.push(*file);
        }
    }
    assert!(
        stale.is_empty(),
        "{} are not what the spec says; refresh them with\n  {REFRESH}",
        stale.join(", ")
    );
}

#[test]
fn the_checked_in_projections_are_those_of_the_spec() {
    let model = model(&root().join("spec"));
    let projections: [(&str, Projection); 4] = [
        ("docs/protocol.md", emit::markdown::protocol),
        ("docs/reference.md", emit::markdown::reference),
        ("spec/export/zeroclaw.schema.json", emit::schema::bundle),
        ("spec/export/zeroclaw.openrpc.json", emit::openrpc::document),
    ];
    compare(&root(), &model, &projections);
}

const GOLDEN: [(&str, Projection); 5] = [
    ("protocol.rs", emit::rust::protocol),
    ("schema.json", emit::schema::bundle),
    ("openrpc.json", emit::openrpc::document),
    ("protocol.md", emit::markdown::protocol),
    ("reference.md", emit::markdown::reference),
];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

#[test]
fn the_golden_spec_gives_the_golden_projections() {
    compare(&golden(), &model(&golden().join("spec")), &GOLDEN);
}

#[test]
fn the_order_in_which_files_are_read_changes_nothing() {
    let files = read(&golden().join("spec")).unwrap();
    let backwards: Files = files.iter().rev().map(|(path, text)| (path.clone(), text.clone())).collect();
    let (first, second) = (compile(&files).unwrap(), compile(&backwards).unwrap());
    for (file, project) in GOLDEN {
        assert_eq!(project(&first), project(&second), "{file}");
    }
    assert_eq!(emit::rust::embedded(&first), emit::rust::embedded(&second));
}
