//! The program: what it prints, and how it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroclaw-codegen"));
    command.args(arguments).current_dir(golden()).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the program writes UTF-8")
}

#[test]
fn a_projection_is_printed_and_nothing_else() {
    let golden = |name: &str| fs::read_to_string(golden().join(name)).expect(name);
    for (projection, golden) in [
        ("schema", golden("schema.json")),
        ("openrpc", golden("openrpc.json")),
        ("protocol", golden("protocol.md")),
        ("reference", golden("reference.md")),
        ("check", String::new()),
    ] {
        let output = run(&["spec", projection]);
        assert!(output.status.success() && output.stderr.is_empty(), "{projection}");
        assert!(text(&output.stdout) == golden, "{projection} is not the golden one");
    }
    let output = run(&["spec", "rust"]);
    assert!(text(&output.stdout).starts_with(&golden("protocol.rs")));
}

#[test]
fn a_directory_that_is_no_spec_is_told_by_its_name() {
    let output = run(&["nowhere", "check"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.starts_with("nowhere: cannot be read: ") && said.contains("errors.json"), "{said}");
}

#[test]
fn an_unknown_projection_is_answered_with_the_known_ones() {
    for arguments in [&["spec", "cobol"][..], &["spec"], &[]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty() && text(&output.stderr).contains("Projections:"));
    }
}
