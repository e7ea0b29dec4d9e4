//! Defaults and examples that do not fit.

use super::{Refusal, Remove, Set, check};

#[test]
fn defaults_fit_their_types() {
    check(&[
        Refusal {
            mistake: "a default of another type",
            edits: &[Set("types/book.json#/$defs/Book/properties/lent/default", r#""no""#)],
            says: &[
                "types/book.json#/$defs/Book/properties/lent/default: this value does not fit its schema",
            ],
        },
        Refusal {
            mistake: "a default outside of the bounds",
            edits: &[Set("types/book.json#/$defs/Settings/properties/fontSize/default", "5")],
            says: &[
                "types/book.json#/$defs/Settings/properties/fontSize/default: this value does not fit its schema",
            ],
        },
        Refusal {
            mistake: "a default that is no value of its enum",
            edits: &[Set("types/book.json#/$defs/Book/properties/genre/default", r#""drama""#)],
            says: &[
                "types/book.json#/$defs/Book/properties/genre/default: this value does not fit its schema",
            ],
        },
        Refusal {
            mistake: "a default of a required member",
            edits: &[Set("types/book.json#/$defs/Book/required/0", r#""lent""#)],
            says: &[
                "types/book.json#/$defs/Book/properties/lent/default: `lent` is required and has a default",
            ],
        },
        Refusal {
            mistake: "a default of a definition",
            edits: &[Set("types/book.json#/$defs/Title/default", r#""?""#)],
            says: &["types/book.json#/$defs/Title/default: a default of nothing"],
        },
        Refusal {
            mistake: "a default of open data",
            edits: &[Set("types/book.json#/$defs/Book/properties/imprint/default", "{}")],
            says: &[
                "types/book.json#/$defs/Book/properties/imprint/default: a default of a kind that is not carried to every language",
            ],
        },
        Refusal {
            mistake: "a member with one value that may be absent",
            edits: &[Set("methods/book/page-turn.json#/$defs/PageTurnParams/required", "[]")],
            says: &[
                "methods/book/page-turn.json#/$defs/PageTurnParams/properties/direction: a member with one value may be absent",
            ],
        },
    ]);
}

#[test]
fn examples_fit_their_types() {
    check(&[
        Refusal {
            mistake: "a missing member",
            edits: &[Remove("methods/book/new.json#/x-rpc/examples/0/params/title")],
            says: &["methods/book/new.json#/x-rpc/examples/0/params: `title` is required and missing"],
        },
        Refusal {
            mistake: "missing parameters",
            edits: &[Remove("methods/book/read.json#/x-rpc/examples/0/params")],
            says: &["methods/book/read.json#/x-rpc/examples/0: `book_id` is required and missing"],
        },
        Refusal {
            mistake: "an undeclared member",
            edits: &[Set("methods/book/new.json#/x-rpc/examples/0/params/author", r#""Austen""#)],
            says: &["methods/book/new.json#/x-rpc/examples/0/params/author: `author` is not declared"],
        },
        Refusal {
            mistake: "the other spelling",
            edits: &[Set("methods/book/read.json#/x-rpc/examples/0/params", r#"{ "bookId": "b-1" }"#)],
            says: &[
                "methods/book/read.json#/x-rpc/examples/0/params: `book_id` is required and missing",
                "methods/book/read.json#/x-rpc/examples/0/params/bookId: `bookId` is not declared",
            ],
        },
        Refusal {
            mistake: "values of the wrong type, all the way down",
            edits: &[
                Set("methods/book/new.json#/x-rpc/examples/0/params/pages", "1.5"),
                Set("methods/book/new.json#/x-rpc/examples/0/params/isbn", r#""1""#),
                Set("methods/book/new.json#/x-rpc/examples/0/params/price", "true"),
                Set("methods/book/new.json#/x-rpc/examples/0/params/lent", "0"),
                Set("methods/book/new.json#/x-rpc/examples/0/params/ratings/Jane_A", "6"),
                Set("methods/book/new.json#/x-rpc/examples/0/params/keywords", r#"["", 7, "", "", "", ""]"#),
                Set(
                    "methods/book/new.json#/x-rpc/examples/0/params/sequels",
                    r#"[{ "bookId": "b 1", "title": "?", "pages": 0 }]"#,
                ),
                Set("methods/book/new.json#/x-rpc/examples/0/params/type", "null"),
            ],
            says: &[
                "methods/book/new.json#/x-rpc/examples/0/params/isbn: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/keywords: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/keywords/0: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/keywords/1: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/keywords/2: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/keywords/3: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/keywords/4: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/keywords/5: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/lent: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/pages: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/price: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/ratings/Jane_A: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/sequels/0/bookId: this value does not fit its schema",
                "methods/book/new.json#/x-rpc/examples/0/params/type: this value does not fit its schema",
            ],
        },
        Refusal {
            mistake: "a text of another kind of place",
            edits: &[Set("methods/book/new.json#/x-rpc/examples/0/result/place/kind", r#""cellar""#)],
            says: &[
                "methods/book/new.json#/x-rpc/examples/0/result/place/kind: this value does not fit its schema",
            ],
        },
        Refusal {
            mistake: "a member of another variant",
            edits: &[Set("methods/book/new.json#/x-rpc/examples/0/result/place/readerName", r#""Jane""#)],
            says: &[
                "methods/book/new.json#/x-rpc/examples/0/result/place/readerName: `readerName` is not declared",
            ],
        },
        Refusal {
            mistake: "no tag",
            edits: &[Remove("methods/book/new.json#/x-rpc/examples/0/result/place/kind")],
            says: &[
                "methods/book/new.json#/x-rpc/examples/0/result/place: this value does not fit its schema",
            ],
        },
        Refusal {
            mistake: "another value than the one there is",
            edits: &[Set("methods/book/page-turn.json#/x-rpc/examples/0/params/direction", r#""on""#)],
            says: &[
                "methods/book/page-turn.json#/x-rpc/examples/0/params/direction: this value does not fit its schema",
            ],
        },
        Refusal {
            mistake: "parameters of a notification that do not fit",
            edits: &[Remove("notifications/book/event.json#/x-rpc/examples/0/params/text")],
            says: &["notifications/book/event.json#/x-rpc/examples/0/params: `text` is required and missing"],
        },
    ]);
}

#[test]
fn errors_in_examples_are_those_that_the_method_answers() {
    check(&[
        Refusal {
            mistake: "a code that does not exist",
            edits: &[Set("methods/book/read.json#/x-rpc/examples/1/error/code", "-1")],
            says: &["methods/book/read.json#/x-rpc/examples/1/error: an error without a code of errors.json"],
        },
        Refusal {
            mistake: "a code of another method",
            edits: &[Set("methods/book/read.json#/x-rpc/examples/1/error/code", "-32001")],
            says: &[
                "methods/book/read.json#/x-rpc/examples/1/error/code: `book/read` does not answer `BookLent`",
            ],
        },
        Refusal {
            mistake: "no message",
            edits: &[Remove("methods/book/read.json#/x-rpc/examples/1/error/message")],
            says: &["methods/book/read.json#/x-rpc/examples/1/error: an error without a message"],
        },
        Refusal {
            mistake: "another member",
            edits: &[Set("methods/book/read.json#/x-rpc/examples/1/error/name", r#""BookNotFound""#)],
            says: &["methods/book/read.json#/x-rpc/examples/1/error/name: an error has no member `name`"],
        },
        Refusal {
            mistake: "an error that is a text",
            edits: &[Set("methods/book/read.json#/x-rpc/examples/1/error", r#""no such book""#)],
            says: &["methods/book/read.json#/x-rpc/examples/1/error: is no error object"],
        },
        Refusal {
            mistake: "data of an error that has none",
            edits: &[Set("methods/book/read.json#/x-rpc/examples/1/error/data", "{}")],
            says: &["methods/book/read.json#/x-rpc/examples/1/error/data: `BookNotFound` has no `data`"],
        },
        Refusal {
            mistake: "data of another form",
            edits: &[Set("methods/book/new.json#/x-rpc/examples/1/error/data", r#"{ "where": "/title" }"#)],
            says: &[
                "methods/book/new.json#/x-rpc/examples/1/error/data: `reason` is required and missing",
                "methods/book/new.json#/x-rpc/examples/1/error/data/where: `where` is not declared",
            ],
        },
        Refusal {
            mistake: "an unknown reason",
            edits: &[Set("methods/book/new.json#/x-rpc/examples/1/error/data/reason", r#""no_title""#)],
            says: &[
                "methods/book/new.json#/x-rpc/examples/1/error/data/reason: `InvalidParams` has no reason `no_title`",
            ],
        },
    ]);
}
