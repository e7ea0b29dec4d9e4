//! Names that mean two things, or that do not survive the way into another language or spelling.

use super::{Copy, Move, Refusal, Remove, Set, check};

#[test]
fn a_definition_has_one_name_and_the_name_one_definition() {
    check(&[
        Refusal {
            mistake: "the same definition in two files",
            edits: &[Set(
                "methods/book/read.json#/$defs/Shelf",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "methods/book/read.json#/$defs/Shelf: definition `Shelf` is also in types/book.json#/$defs/Shelf",
            ],
        },
        Refusal {
            mistake: "names that differ by case",
            edits: &[Set(
                "methods/book/read.json#/$defs/PagenUmber",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "methods/book/read.json#/$defs/PagenUmber: definition `PagenUmber` differs from `PageNumber` in \
                 types/book.json#/$defs/PageNumber by case and `_` only",
            ],
        },
        Refusal {
            mistake: "names that differ by an underscore, which no name has",
            edits: &[Set(
                "methods/book/read.json#/$defs/Page_Number",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "methods/book/read.json#/$defs/Page_Number: definition `Page_Number` differs from `PageNumber` in \
                 types/book.json#/$defs/PageNumber by case and `_` only",
                "methods/book/read.json#/$defs/Page_Number: definition `Page_Number` is not in PascalCase",
            ],
        },
        Refusal {
            mistake: "a title that is another name",
            edits: &[Set("types/book.json#/$defs/Book/title", r#""Volume""#)],
            says: &["types/book.json#/$defs/Book/title: the title `Volume` is not the definition's name"],
        },
        Refusal {
            mistake: "a name of the generated code",
            edits: &[Set("types/book.json#/$defs/Reply", r#"{ "type": "string", "description": "?" }"#)],
            says: &["types/book.json#/$defs/Reply: `Reply` is a name that the generated code uses itself"],
        },
        Refusal {
            mistake: "the name of a method's marker",
            edits: &[Set("types/book.json#/$defs/BookRead", r#"{ "type": "string", "description": "?" }"#)],
            says: &[
                "types/book.json#/$defs/BookRead: definition `BookRead` has the name of a method's own type",
            ],
        },
        Refusal {
            mistake: "the name of a namespace's trait",
            edits: &[Set(
                "types/book.json#/$defs/BookMethods",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "types/book.json#/$defs/BookMethods: `BookMethods` is a name that the generated code uses itself",
            ],
        },
        Refusal {
            mistake: "the name of an error's object",
            edits: &[Set(
                "types/book.json#/$defs/BookLentObject",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "types/book.json#/$defs/BookLentObject: `BookLentObject` is a name that the generated code uses itself",
            ],
        },
    ]);
}

#[test]
fn everything_is_described() {
    check(&[
        Refusal {
            mistake: "a definition without a description",
            edits: &[Remove("types/book.json#/$defs/Shelf/description")],
            says: &["types/book.json#/$defs/Shelf: definition `Shelf` has no description"],
        },
        Refusal {
            mistake: "a member without a description",
            edits: &[Remove("types/book.json#/$defs/Book/properties/isbn/description")],
            says: &["types/book.json#/$defs/Book/properties/isbn: member `isbn` has no description"],
        },
        Refusal {
            mistake: "a member of an error's data without a description",
            edits: &[Remove("errors.json#/errors/0/data/properties/path/description")],
            says: &["errors.json#/errors/0/data/properties/path: member `path` has no description"],
        },
        Refusal {
            mistake: "an error's data without a description",
            edits: &[Remove("errors.json#/errors/0/data/description")],
            says: &["errors.json#/errors/0/data: the data of `InvalidParams` has no description"],
        },
        Refusal {
            mistake: "a value without a description",
            edits: &[Remove("types/book.json#/$defs/Genre/x-enum-descriptions/poetry")],
            says: &["types/book.json#/$defs/Genre: value `poetry` has no description"],
        },
    ]);
}

#[test]
fn a_member_is_spelled_in_two_ways_and_no_way_means_two_members() {
    check(&[
        Refusal {
            mistake: "a name that does not come back",
            edits: &[Set(
                "types/book.json#/$defs/Book/properties/part_2",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "types/book.json#/$defs/Book/properties/part_2: member `part_2` does not survive the way from one \
                 spelling to the other and back",
            ],
        },
        Refusal {
            mistake: "a name that is not a word",
            edits: &[Set(
                "types/book.json#/$defs/Book/properties/Author",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "types/book.json#/$defs/Book/properties/Author: member `Author` does not survive the way from one \
                 spelling to the other and back",
            ],
        },
        Refusal {
            mistake: "a name that Rust cannot have",
            edits: &[Set(
                "types/book.json#/$defs/Book/properties/self",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &["types/book.json#/$defs/Book/properties/self: no field can be called `self`"],
        },
        Refusal {
            mistake: "two members with a spelling in common",
            edits: &[Set(
                "types/book.json#/$defs/Book/properties/shelfMark",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "types/book.json#/$defs/Book/properties/shelfMark: members `shelf_mark` and `shelfMark` are both \
                 spelled `shelf_mark`",
            ],
        },
        Refusal {
            mistake: "both styles in one object",
            edits: &[Set(
                "types/book.json#/$defs/Settings/properties/line_width",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &[
                "types/book.json#/$defs/Settings/properties/line_width: member `line_width` is in snake_case beside \
                 `fontSize` in camelCase",
            ],
        },
        Refusal {
            mistake: "a fixed spelling of what has none",
            edits: &[Set("types/book.json#/$defs/Title/x-spelling", r#""fixed""#)],
            says: &["types/book.json#/$defs/Title/x-spelling: `x-spelling` has nothing to fix"],
        },
        Refusal {
            mistake: "a fixed spelling of items",
            edits: &[Set("types/book.json#/$defs/Shelf/items/x-spelling", r#""fixed""#)],
            says: &["types/book.json#/$defs/Shelf/items/x-spelling: `x-spelling` has nothing to fix"],
        },
    ]);
}

#[test]
fn methods_do_not_clash() {
    check(&[
        Refusal {
            mistake: "a title that two files have",
            edits: &[
                Copy("notifications/book/event.json", "notifications/book/again.json"),
                Set("notifications/book/again.json#/$defs", "{}"),
                Set(
                    "notifications/book/again.json#/x-rpc/params/$ref",
                    r##""event.json#/$defs/BookEventParams""##,
                ),
            ],
            says: &[
                "notifications/book/again.json: `book/event` does not stand at its place",
                "notifications/book/event.json#/title: the title `book/event` is also that of notifications/book/again.json",
            ],
        },
        Refusal {
            mistake: "names that differ by their separators",
            edits: &[
                Copy("methods/book/page-turn.json", "methods/book/page_turn.json"),
                Set("methods/book/page_turn.json#/title", r#""book/page_turn""#),
                Set("methods/book/page_turn.json#/$defs", "{}"),
                Set(
                    "methods/book/page_turn.json#/x-rpc/params/$ref",
                    r##""page-turn.json#/$defs/PageTurnParams""##,
                ),
                Set(
                    "methods/book/page_turn.json#/x-rpc/result/$ref",
                    r##""page-turn.json#/$defs/PageTurnResult""##,
                ),
            ],
            says: &[
                "methods/book/page_turn.json#/title: `book/page_turn` and `book/page/turn` clash in their namespace",
            ],
        },
        Refusal {
            mistake: "one type name from two namespaces",
            edits: &[
                Copy("methods/book/page-turn.json", "methods/core/book-page-turn.json"),
                Set("methods/core/book-page-turn.json#/title", r#""book-page-turn""#),
                Set("methods/core/book-page-turn.json#/$defs", "{}"),
                Set(
                    "methods/core/book-page-turn.json#/x-rpc/params/$ref",
                    r##""../book/page-turn.json#/$defs/PageTurnParams""##,
                ),
                Set(
                    "methods/core/book-page-turn.json#/x-rpc/result/$ref",
                    r##""../book/page-turn.json#/$defs/PageTurnResult""##,
                ),
            ],
            says: &[
                "methods/core/book-page-turn.json#/title: `book-page-turn` and `book/page/turn` have the same type \
                 name `BookPageTurn`",
            ],
        },
        Refusal {
            mistake: "namespaces that differ by their separators",
            edits: &[
                Copy("methods/book/page-turn.json", "methods/text-book/turn.json"),
                Copy("methods/book/page-turn.json", "methods/text_book/back.json"),
                Set("methods/text-book/turn.json#/title", r#""text-book/turn""#),
                Set("methods/text-book/turn.json#/$defs", "{}"),
                Set(
                    "methods/text-book/turn.json#/x-rpc/params/$ref",
                    r##""../book/page-turn.json#/$defs/PageTurnParams""##,
                ),
                Set(
                    "methods/text-book/turn.json#/x-rpc/result/$ref",
                    r##""../book/page-turn.json#/$defs/PageTurnResult""##,
                ),
                Set("methods/text_book/back.json#/title", r#""text_book/back""#),
                Set("methods/text_book/back.json#/$defs", "{}"),
                Set(
                    "methods/text_book/back.json#/x-rpc/params/$ref",
                    r##""../book/page-turn.json#/$defs/PageTurnParams""##,
                ),
                Set(
                    "methods/text_book/back.json#/x-rpc/result/$ref",
                    r##""../book/page-turn.json#/$defs/PageTurnResult""##,
                ),
            ],
            says: &[
                "methods/text_book/back.json#/title: the namespaces `text_book` and `text-book` have the same type name",
            ],
        },
        Refusal {
            mistake: "a namespace that is not written",
            edits: &[Set("methods/core/status.json#/title", r#""core/status""#)],
            says: &["methods/core/status.json#/title: the namespace `core` is not written"],
        },
        Refusal {
            mistake: "a name in capitals",
            edits: &[
                Move("methods/book/read.json", "methods/book/Read.json"),
                Set("methods/book/Read.json#/title", r#""book/Read""#),
            ],
            says: &["methods/book/Read.json#/title: `book/Read` is not a method's name"],
        },
        Refusal {
            mistake: "a keyword of Rust",
            edits: &[
                Move("methods/book/read.json", "methods/book/move.json"),
                Set("methods/book/move.json#/title", r#""book/move""#),
            ],
            says: &["methods/book/move.json#/title: `move` cannot name a function"],
        },
    ]);
}
