//! Compiles the spec: its files become `protocol.rs` and the exports that are embedded. A spec that is wrong does not
//! build; every problem is shown with its file, its place and what to do.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use zeroclaw_codegen::{compile_directory, emit};

fn main() -> ExitCode {
    for path in [
        "errors.json",
        "protocol.json",
        "requirements.json",
        "meta",
        "methods",
        "notifications",
        "requests",
        "types",
    ] {
        println!("cargo::rerun-if-changed={path}");
    }
    let directory = env::var("CARGO_MANIFEST_DIR").expect("cargo tells build scripts where the manifest is");
    let out = env::var("OUT_DIR").expect("cargo tells build scripts where to write");
    let model = match compile_directory(Path::new(&directory)) {
        Ok(model) => model,
        Err(problems) => {
            for problem in problems.sorted() {
                println!("cargo::error=spec/{problem}");
            }
            return ExitCode::FAILURE;
        }
    };
    for (name, text) in [
        ("protocol.rs", format!("{}\n{}", emit::rust::protocol(&model), emit::rust::embedded(&model))),
        ("zeroclaw.schema.json", emit::schema::bundle(&model)),
        ("zeroclaw.openrpc.json", emit::openrpc::document(&model)),
    ] {
        fs::write(Path::new(&out).join(name), text).expect("OUT_DIR can be written to");
    }
    ExitCode::SUCCESS
}
