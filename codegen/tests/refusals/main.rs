//! Every kind of mistake that a spec can have: the golden spec with one edit, and all that is then said about it. The
//! modules are lists to be read; this file only applies an edit and compares.

mod anything;
mod form;
mod methods;
mod names;
mod schemas;
mod tables;
mod values;

use std::path::Path;

use serde_json::Value;
use zeroclaw_codegen::{Files, Problem, compile, read};

/// A mistake and what is said about it.
struct Refusal {
    /// The mistake in words.
    mistake: &'static str,
    /// How it is made.
    edits: &'static [Edit],
    /// Every problem: its place and what is wrong there.
    says: &'static [&'static str],
}

/// A change to the files of a spec.
enum Edit {
    /// Gives the place `file#pointer` this value, in JSON; its parent is there.
    Set(&'static str, &'static str),
    /// Takes the value at `file#pointer` away.
    Remove(&'static str),
    /// Gives a file this text.
    Write(&'static str, &'static str),
    /// Moves a file.
    Move(&'static str, &'static str),
    /// Takes a file away.
    Delete(&'static str),
    /// Copies a file.
    Copy(&'static str, &'static str),
}

use Edit::{Copy, Delete, Move, Remove, Set, Write};

/// The files of the golden spec, with which nothing is wrong.
fn golden() -> Files {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/spec");
    read(&directory).expect("the golden spec can be read")
}

/// Applies each mistake of a list to the golden spec and compares what is said.
fn check(list: &[Refusal]) {
    let golden = golden();
    let mut wrong = String::new();
    for Refusal { mistake, edits, says } in list {
        let mut files = golden.clone();
        edits.iter().for_each(|edit| apply(edit, &mut files));
        let problems = compile(&files).err().map(|problems| problems.sorted()).unwrap_or_default();
        let said: Vec<String> =
            problems.iter().map(|Problem { place, what, .. }| format!("{place}: {what}")).collect();
        if said != *says {
            wrong.push_str(&format!("\n{mistake}:\n  says    {said:#?}\n  not     {says:#?}\n"));
        }
        for problem in problems {
            assert!(!problem.remedy.is_empty(), "{mistake}: nothing is said about what to do");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn apply(edit: &Edit, files: &mut Files) {
    match edit {
        Set(place, json) => {
            let value = serde_json::from_str(json).expect(json);
            change(files, place, |parent, name| match parent {
                Value::Object(members) => {
                    members.insert(name.to_owned(), value);
                }
                Value::Array(items) => items[name.parse::<usize>().expect(name)] = value,
                _ => panic!("{place}: nothing can be set here"),
            });
        }
        Remove(place) => change(files, place, |parent, name| match parent {
            Value::Object(members) => drop(members.shift_remove(name).expect(place)),
            Value::Array(items) => drop(items.remove(name.parse().expect(name))),
            _ => panic!("{place}: there is nothing here"),
        }),
        Write(file, text) => drop(files.insert((*file).to_owned(), (*text).to_owned())),
        Move(from, to) => {
            let text = files.remove(*from).expect(from);
            files.insert((*to).to_owned(), text);
        }
        Delete(file) => drop(files.remove(*file).expect(file)),
        Copy(from, to) => {
            let text = files.get(*from).expect(from).clone();
            files.insert((*to).to_owned(), text);
        }
    }
}

/// Changes what is at `file#pointer`, given its parent and its name there.
fn change(files: &mut Files, place: &str, change: impl FnOnce(&mut Value, &str)) {
    let (file, pointer) = place.split_once('#').expect(place);
    let (parent, name) = pointer.rsplit_once('/').expect(place);
    let name = name.replace("~1", "/").replace("~0", "~");
    let text = files.get_mut(file).expect(place);
    let mut document: Value = serde_json::from_str(text).expect(place);
    change(document.pointer_mut(parent).expect(place), &name);
    *text = document.to_string();
}

#[test]
fn the_golden_spec_itself_is_not_refused() {
    check(&[Refusal { mistake: "none", edits: &[], says: &[] }]);
}

#[test]
fn all_problems_are_told_at_once_and_each_with_its_remedy() {
    let mut files = golden();
    for edit in [
        Set("methods/book/read.json#/x-rpc/errors/0", r#""BookLost""#),
        Set("methods/book/read.json#/x-rpc/grant", r#""books:burn""#),
        Set("types/book.json#/$defs/Shelf/items/$ref", r##""#/$defs/Board""##),
    ] {
        apply(&edit, &mut files);
    }
    let problems = compile(&files).expect_err("three mistakes");
    let told = "\
        methods/book/read.json#/x-rpc/errors/0: there is no error `BookLost`; \
        errors.json has `InvalidParams`, `BookNotFound` and `BookLent`\n\
        methods/book/read.json#/x-rpc/grant: there is no verb `burn`; \
        the verbs are `create`, `read`, `update`, `delete` and `execute`\n\
        types/book.json#/$defs/Shelf/items/$ref: `#/$defs/Board` leads to no definition; \
        write `#/$defs/Name` for one of this file, `../../types/file.json#/$defs/Name` for another's\n";
    assert_eq!(problems.to_string(), told);
}
