//! The generator by hand: checks a spec and prints one projection of it. The spec's build script and the drift test
//! use the library.

use std::path::Path;
use std::process::ExitCode;

use zeroclaw_codegen::{compile_directory, emit};

const USAGE: &str = "\
Checks a spec and prints what is derived from it.

Usage: zeroclaw-codegen <spec directory> <projection>

Projections:
  check      nothing: only say what is wrong
  rust       the types, methods and facts in Rust
  schema     one JSON Schema document
  openrpc    one OpenRPC document
  protocol   the rules in Markdown
  reference  the methods, types and errors in Markdown
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, projection] = &arguments[..] else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    let model = match compile_directory(Path::new(directory)) {
        Ok(model) => model,
        Err(problems) => {
            eprint!("{problems}");
            return ExitCode::FAILURE;
        }
    };
    let text = match projection.as_str() {
        "check" => String::new(),
        "rust" => format!("{}\n{}", emit::rust::protocol(&model), emit::rust::embedded(&model)),
        "schema" => emit::schema::bundle(&model),
        "openrpc" => emit::openrpc::document(&model),
        "protocol" => emit::markdown::protocol(&model),
        "reference" => emit::markdown::reference(&model),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    print!("{text}");
    ExitCode::SUCCESS
}
