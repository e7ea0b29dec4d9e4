//! Files that have not the form of a spec file.

use super::{Delete, Edit, Refusal, Remove, Set, Write, check};

#[test]
fn what_is_not_a_spec_file_is_refused() {
    check(&[
        Refusal {
            mistake: "no JSON",
            edits: &[Write("types/limits.json", "{ \"title\": }")],
            says: &["types/limits.json: is not JSON: expected value at line 1 column 12"],
        },
        Refusal {
            mistake: "more than one value",
            edits: &[Write("meta/x.json", "{}{}")],
            says: &["meta/x.json: is not JSON: trailing characters at line 1 column 3"],
        },
        Refusal {
            mistake: "a member written twice",
            edits: &[Write("meta/x.json", r#"{ "a": [{ "b": 1, "b": 2 }] }"#)],
            says: &["meta/x.json#/a/0/b: this member is written twice"],
        },
        Refusal {
            mistake: "an array in the place of a document",
            edits: &[Write("types/limits.json", "[]")],
            says: &["types/limits.json: is an array"],
        },
        Refusal {
            mistake: "a file that is not JSON by its name",
            edits: &[Write("types/notes.txt", "")],
            says: &["types/notes.txt: is not a `.json` file"],
        },
        Refusal {
            mistake: "a file deeper than methods stand",
            edits: &[Edit::Copy("methods/book/read.json", "methods/book/page/read.json")],
            says: &["methods/book/page/read.json: no file of a spec stands here"],
        },
        Refusal {
            mistake: "a table that is missing",
            edits: &[Delete("errors.json")],
            says: &["errors.json: the file is missing"],
        },
        Refusal {
            mistake: "another dialect",
            edits: &[Set("methods/book/read.json#/$schema", r#""http://json-schema.org/draft-07/schema""#)],
            says: &["methods/book/read.json#/$schema: is not the dialect of a spec"],
        },
        Refusal {
            mistake: "no title",
            edits: &[Remove("methods/book/read.json#/title")],
            says: &["methods/book/read.json: `title` is missing"],
        },
        Refusal {
            mistake: "a blank description",
            edits: &[Set("methods/book/read.json#/description", r#"" ""#)],
            says: &["methods/book/read.json#/description: is blank"],
        },
        Refusal {
            mistake: "another version of JSON-RPC",
            edits: &[Set("protocol.json#/jsonrpc", r#""1.0""#)],
            says: &["protocol.json#/jsonrpc: is not the version of JSON-RPC that is spoken"],
        },
        Refusal {
            mistake: "an unknown unit",
            edits: &[Set("protocol.json#/limits/1/unit", r#""weeks""#)],
            says: &["protocol.json#/limits/1/unit: `weeks` is not a unit"],
        },
        Refusal {
            mistake: "a limit below zero",
            edits: &[Set("protocol.json#/limits/1/value", "-1")],
            says: &["protocol.json#/limits/1/value: is a number"],
        },
        Refusal {
            mistake: "an unknown level",
            edits: &[Set("requirements.json#/requirements/0/level", r#""may""#)],
            says: &["requirements.json#/requirements/0/level: `may` is not a level"],
        },
        Refusal {
            mistake: "an unknown member of a table",
            edits: &[Set("errors.json#/errors/0/text", r#""?""#)],
            says: &["errors.json#/errors/0/text: `text` is not a member of this object"],
        },
    ]);
}

#[test]
fn an_x_rpc_of_another_form_is_refused() {
    check(&[
        Refusal {
            mistake: "an unknown member",
            edits: &[Set("methods/book/read.json#/x-rpc/grants", "[]")],
            says: &["methods/book/read.json#/x-rpc/grants: `grants` is not a member of this object"],
        },
        Refusal {
            mistake: "an unknown kind",
            edits: &[Set("methods/book/read.json#/x-rpc/kind", r#""call""#)],
            says: &["methods/book/read.json#/x-rpc/kind: `call` is not a choice here"],
        },
        Refusal {
            mistake: "an unknown sender",
            edits: &[Set("methods/book/read.json#/x-rpc/from", r#""server""#)],
            says: &["methods/book/read.json#/x-rpc/from: `server` is not a choice here"],
        },
        Refusal {
            mistake: "a result on a notification",
            edits: &[Set(
                "notifications/book/event.json#/x-rpc/result",
                r##"{ "$ref": "#/$defs/PageEvent" }"##,
            )],
            says: &[
                "notifications/book/event.json#/x-rpc/result: a notification is never answered and has no `result`",
            ],
        },
        Refusal {
            mistake: "no result on a request",
            edits: &[Remove("methods/book/read.json#/x-rpc/result")],
            says: &["methods/book/read.json#/x-rpc: a request has no `result`"],
        },
        Refusal {
            mistake: "a grant on a notification",
            edits: &[Set("notifications/book/event.json#/x-rpc/grant", "null")],
            says: &["notifications/book/event.json#/x-rpc/grant: `grant` is not a member of this object"],
        },
        Refusal {
            mistake: "no word about the grant",
            edits: &[Remove("methods/book/read.json#/x-rpc/grant")],
            says: &["methods/book/read.json#/x-rpc: `grant` is missing"],
        },
        Refusal {
            mistake: "parameters that are no reference",
            edits: &[Set("methods/book/read.json#/x-rpc/params", r#"{ "type": "object" }"#)],
            says: &[
                "methods/book/read.json#/x-rpc/params: `$ref` is missing",
                "methods/book/read.json#/x-rpc/params/type: `type` is not a member of this object",
            ],
        },
        Refusal {
            mistake: "an example with two outcomes",
            edits: &[Set(
                "methods/book/read.json#/x-rpc/examples/0/error",
                r#"{ "code": 1, "message": "" }"#,
            )],
            says: &["methods/book/read.json#/x-rpc/examples/0: an example without exactly one outcome"],
        },
        Refusal {
            mistake: "an example of a notification with an outcome",
            edits: &[Set("notifications/book/event.json#/x-rpc/examples/0/result", "{}")],
            says: &[
                "notifications/book/event.json#/x-rpc/examples/0/result: `result` is not a member of this object",
            ],
        },
    ]);
}

#[test]
fn keywords_outside_of_the_subset_are_refused() {
    check(&[
        Refusal {
            mistake: "a condition",
            edits: &[
                Set("types/book.json#/$defs/Book/if", "{}"),
                Set("types/book.json#/$defs/Book/then", "{}"),
                Set("types/book.json#/$defs/Book/else", "{}"),
            ],
            says: &[
                "types/book.json#/$defs/Book/else: the keyword `else` is forbidden",
                "types/book.json#/$defs/Book/if: the keyword `if` is forbidden",
                "types/book.json#/$defs/Book/then: the keyword `then` is forbidden",
            ],
        },
        Refusal {
            mistake: "anyOf in the place of oneOf",
            edits: &[Set("methods/book/new.json#/$defs/BookPlace/anyOf", "[]")],
            says: &["methods/book/new.json#/$defs/BookPlace/anyOf: the keyword `anyOf` is forbidden"],
        },
        Refusal {
            mistake: "a tuple",
            edits: &[Set("types/book.json#/$defs/Shelf/prefixItems", "[]")],
            says: &["types/book.json#/$defs/Shelf/prefixItems: the keyword `prefixItems` is forbidden"],
        },
        Refusal {
            mistake: "unevaluated members",
            edits: &[Set("types/book.json#/$defs/Book/unevaluatedProperties", "false")],
            says: &[
                "types/book.json#/$defs/Book/unevaluatedProperties: the keyword `unevaluatedProperties` is forbidden",
            ],
        },
        Refusal {
            mistake: "dependent members",
            edits: &[Set("types/book.json#/$defs/Book/dependentRequired", "{}")],
            says: &[
                "types/book.json#/$defs/Book/dependentRequired: the keyword `dependentRequired` is forbidden",
            ],
        },
        Refusal {
            mistake: "an anchor",
            edits: &[Set("types/book.json#/$defs/Book/$anchor", r#""book""#)],
            says: &["types/book.json#/$defs/Book/$anchor: the keyword `$anchor` is forbidden"],
        },
        Refusal {
            mistake: "a format",
            edits: &[Set("types/book.json#/$defs/Title/format", r#""uuid""#)],
            says: &["types/book.json#/$defs/Title/format: the keyword `format` is forbidden"],
        },
        Refusal {
            mistake: "an exclusive bound",
            edits: &[Set("types/book.json#/$defs/PageNumber/exclusiveMinimum", "0")],
            says: &[
                "types/book.json#/$defs/PageNumber/exclusiveMinimum: the keyword `exclusiveMinimum` is forbidden",
            ],
        },
        Refusal {
            mistake: "closed objects",
            edits: &[Set("types/book.json#/$defs/Book/additionalProperties", "false")],
            says: &["types/book.json#/$defs/Book/additionalProperties: a boolean says nothing here"],
        },
        Refusal {
            mistake: "a map with declared members",
            edits: &[Set("types/book.json#/$defs/Book/additionalProperties", r#"{ "type": "string" }"#)],
            says: &[
                "types/book.json#/$defs/Book/properties: `properties` does not go with a map",
                "types/book.json#/$defs/Book/required: `required` does not go with a map",
            ],
        },
        Refusal {
            mistake: "a keyword of another type",
            edits: &[Set("types/book.json#/$defs/PageNumber/minLength", "1")],
            says: &["types/book.json#/$defs/PageNumber/minLength: `minLength` does not go with an integer"],
        },
        Refusal {
            mistake: "words beside a reference",
            edits: &[Set("types/book.json#/$defs/Shelf/items/minLength", "1")],
            says: &["types/book.json#/$defs/Shelf/items/minLength: `minLength` does not go with a reference"],
        },
        Refusal {
            mistake: "an unknown type",
            edits: &[Set("types/book.json#/$defs/PageNumber/type", r#""float""#)],
            says: &["types/book.json#/$defs/PageNumber/type: `float` is not a type a spec has"],
        },
        Refusal {
            mistake: "several types",
            edits: &[Set("types/book.json#/$defs/PageNumber/type", r#"["integer", "null"]"#)],
            says: &["types/book.json#/$defs/PageNumber/type: is an array"],
        },
        Refusal {
            mistake: "no type",
            edits: &[Remove("types/book.json#/$defs/Title/type")],
            says: &["types/book.json#/$defs/Title: this schema does not say what it admits"],
        },
        Refusal {
            mistake: "a list of anything",
            edits: &[Remove("types/book.json#/$defs/Shelf/items")],
            says: &["types/book.json#/$defs/Shelf: `items` is missing"],
        },
        Refusal {
            mistake: "open data of a kind that has no inside",
            edits: &[Set("types/book.json#/$defs/Settings/properties/extra/type", r#""string""#)],
            says: &["types/book.json#/$defs/Settings/properties/extra/type: `string` cannot be open"],
        },
        Refusal {
            mistake: "a spelling that is neither free nor fixed",
            edits: &[Set("types/limits.json#/$defs/Limits/x-spelling", r#""snake""#)],
            says: &["types/limits.json#/$defs/Limits/x-spelling: is not `fixed`"],
        },
        Refusal {
            mistake: "a required member that is not declared",
            edits: &[Set("types/book.json#/$defs/Book/required", r#"["bookId", "author"]"#)],
            says: &["types/book.json#/$defs/Book/required/1: `author` is required and not declared"],
        },
        Refusal {
            mistake: "a union of objects without names",
            edits: &[Set("methods/book/new.json#/$defs/BookPlace/oneOf/0", r#"{ "type": "object" }"#)],
            says: &[
                "methods/book/new.json#/$defs/BookPlace/oneOf/0: a variant of a union is not a reference",
            ],
        },
        Refusal {
            mistake: "an enum of numbers",
            edits: &[Set("types/book.json#/$defs/Genre/type", r#""integer""#)],
            says: &["types/book.json#/$defs/Genre/type: an enum of something else than strings"],
        },
        Refusal {
            mistake: "enum and const",
            edits: &[Set("types/book.json#/$defs/Genre/const", r#""novel""#)],
            says: &["types/book.json#/$defs/Genre/const: stands beside `enum`"],
        },
        Refusal {
            mistake: "a description of a value that is not there",
            edits: &[Set("types/book.json#/$defs/Genre/x-enum-descriptions/drama", r#""For the stage.""#)],
            says: &[
                "types/book.json#/$defs/Genre/x-enum-descriptions/drama: `drama` is not a value of this enum",
            ],
        },
    ]);
}
