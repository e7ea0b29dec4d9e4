//! Methods that stand at another place than their name says, or whose `x-rpc` names what is not there.

use super::{Move, Refusal, Set, check};

#[test]
fn a_method_stands_where_its_name_says() {
    check(&[
        Refusal {
            mistake: "a file of another name",
            edits: &[Move("methods/book/read.json", "methods/book/lend.json")],
            says: &["methods/book/lend.json: `book/read` does not stand at its place"],
        },
        Refusal {
            mistake: "a title of another namespace",
            edits: &[Set("methods/book/read.json#/title", r#""shelf/read""#)],
            says: &["methods/book/read.json: `shelf/read` does not stand at its place"],
        },
        Refusal {
            mistake: "a request of the daemon among the methods",
            edits: &[Move("requests/reader/ask.json", "methods/reader/ask.json")],
            says: &["methods/reader/ask.json: `reader/ask` does not stand at its place"],
        },
        Refusal {
            mistake: "types of another title",
            edits: &[Set("types/limits.json#/title", r#""limits""#)],
            says: &["types/limits.json#/title: the title `limits` is not where the file stands"],
        },
    ]);
}

#[test]
fn what_a_method_names_is_there() {
    check(&[
        Refusal {
            mistake: "an unknown error",
            edits: &[Set("methods/book/read.json#/x-rpc/errors/0", r#""BookLost""#)],
            says: &["methods/book/read.json#/x-rpc/errors/0: there is no error `BookLost`"],
        },
        Refusal {
            mistake: "an error that all methods have",
            edits: &[Set("methods/book/read.json#/x-rpc/errors", r#"["BookNotFound", "InvalidParams"]"#)],
            says: &["methods/book/read.json#/x-rpc/errors/1: `InvalidParams` is common to all methods"],
        },
        Refusal {
            mistake: "an error twice",
            edits: &[Set("methods/book/read.json#/x-rpc/errors", r#"["BookNotFound", "BookNotFound"]"#)],
            says: &["methods/book/read.json#/x-rpc/errors/1: `BookNotFound` is there twice"],
        },
        Refusal {
            mistake: "an unknown rule",
            edits: &[Set("methods/book/read.json#/x-rpc/requirements/0", r#""RE-02""#)],
            says: &["methods/book/read.json#/x-rpc/requirements/0: there is no rule `RE-02`"],
        },
        Refusal {
            mistake: "an unknown verb",
            edits: &[Set("methods/book/read.json#/x-rpc/grant", r#""books:burn""#)],
            says: &["methods/book/read.json#/x-rpc/grant: there is no verb `burn`"],
        },
        Refusal {
            mistake: "an unknown resource",
            edits: &[Set("methods/book/read.json#/x-rpc/grant", r#""boks:read""#)],
            says: &["methods/book/read.json#/x-rpc/grant: there is no resource `boks`"],
        },
        Refusal {
            mistake: "a grant without a verb",
            edits: &[Set("methods/book/read.json#/x-rpc/grant", r#""books""#)],
            says: &["methods/book/read.json#/x-rpc/grant: `books` is not a grant"],
        },
        Refusal {
            mistake: "an unknown transport",
            edits: &[Set("methods/book/read.json#/x-rpc/transports/0", r#""post""#)],
            says: &["methods/book/read.json#/x-rpc/transports/0: there is no transport `post`"],
        },
        Refusal {
            mistake: "parameters that are a text",
            edits: &[Set(
                "methods/book/read.json#/x-rpc/params/$ref",
                r##""../../types/book.json#/$defs/Title""##,
            )],
            says: &[
                "methods/book/read.json#/x-rpc/params/$ref: the parameters of `book/read` are not an object",
            ],
        },
    ]);
}

#[test]
fn what_a_method_says_goes_together() {
    check(&[
        Refusal {
            mistake: "no transport",
            edits: &[Set("methods/book/read.json#/x-rpc/transports", "[]")],
            says: &["methods/book/read.json#/x-rpc/transports: `book/read` is served on no transport"],
        },
        Refusal {
            mistake: "no rule",
            edits: &[Set("methods/book/read.json#/x-rpc/requirements", "[]")],
            says: &["methods/book/read.json#/x-rpc: `book/read` keeps no rule"],
        },
        Refusal {
            mistake: "no example",
            edits: &[Set("methods/book/read.json#/x-rpc/examples", "[]")],
            says: &["methods/book/read.json#/x-rpc: `book/read` has no example"],
        },
        Refusal {
            mistake: "a long method before initialize",
            edits: &[Set("methods/book/read.json#/x-rpc/beforeInitialize", "true")],
            says: &["methods/book/read.json#/x-rpc/runs: a long method before `initialize`"],
        },
        Refusal {
            mistake: "a grant for the daemon",
            edits: &[Set("requests/reader/ask.json#/x-rpc/grant", r#""books:read""#)],
            says: &["requests/reader/ask.json#/x-rpc: the daemon needs no grant from itself"],
        },
    ]);
}
