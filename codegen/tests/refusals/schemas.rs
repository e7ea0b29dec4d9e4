//! Schemas that lead nowhere, that nothing fits, or that cannot be told apart.

use super::{Refusal, Remove, Set, check};

#[test]
fn references_lead_to_definitions() {
    check(&[
        Refusal {
            mistake: "no such definition",
            edits: &[Set("types/book.json#/$defs/Shelf/items/$ref", r##""#/$defs/Board""##)],
            says: &["types/book.json#/$defs/Shelf/items/$ref: `#/$defs/Board` leads to no definition"],
        },
        Refusal {
            mistake: "the right name in the wrong file",
            edits: &[Set("types/book.json#/$defs/Shelf/items/$ref", r##""limits.json#/$defs/BookId""##)],
            says: &[
                "types/book.json#/$defs/Shelf/items/$ref: `limits.json#/$defs/BookId` leads to no definition",
            ],
        },
        Refusal {
            mistake: "a place inside a definition",
            edits: &[Set("types/book.json#/$defs/Shelf/items/$ref", r##""#/$defs/Book/properties/title""##)],
            says: &[
                "types/book.json#/$defs/Shelf/items/$ref: `#/$defs/Book/properties/title` leads to no definition",
            ],
        },
        Refusal {
            mistake: "a whole document",
            edits: &[Set("types/book.json#/$defs/Shelf/items/$ref", r#""limits.json""#)],
            says: &["types/book.json#/$defs/Shelf/items/$ref: `limits.json` leads to no definition"],
        },
        Refusal {
            mistake: "an address on the web",
            edits: &[Set(
                "types/book.json#/$defs/Shelf/items/$ref",
                r##""https://example.org/x.json#/$defs/BookId""##,
            )],
            says: &[
                "types/book.json#/$defs/Shelf/items/$ref: `https://example.org/x.json#/$defs/BookId` leads to no definition",
            ],
        },
        Refusal {
            mistake: "parameters that are not there",
            edits: &[Set("methods/book/read.json#/x-rpc/params/$ref", r##""#/$defs/Params""##)],
            says: &["methods/book/read.json#/x-rpc/params/$ref: `#/$defs/Params` leads to no definition"],
        },
        Refusal {
            mistake: "a variant that is not there",
            edits: &[Set("methods/book/new.json#/$defs/BookPlace/oneOf/0/$ref", r##""#/$defs/Lost""##)],
            says: &[
                "methods/book/new.json#/$defs/BookPlace/oneOf/0/$ref: `#/$defs/Lost` leads to no definition",
            ],
        },
        Refusal {
            mistake: "a type that holds itself",
            edits: &[Set(
                "types/book.json#/$defs/Book/properties/sequel",
                r##"{ "$ref": "#/$defs/Book", "description": "?" }"##,
            )],
            says: &["types/book.json#/$defs/Book/properties/sequel/$ref: `Book` holds itself: `Book`"],
        },
        Refusal {
            mistake: "a type that holds itself by way of another",
            edits: &[
                Set(
                    "types/book.json#/$defs/Book/properties/shown",
                    r##"{ "$ref": "#/$defs/Settings", "description": "?" }"##,
                ),
                Set(
                    "types/book.json#/$defs/Settings/properties/of",
                    r##"{ "$ref": "#/$defs/Book", "description": "?" }"##,
                ),
            ],
            says: &[
                "types/book.json#/$defs/Book/properties/shown/$ref: `Settings` holds itself: `Settings` and `Book`",
                "types/book.json#/$defs/Settings/properties/of/$ref: `Book` holds itself: `Book` and `Settings`",
            ],
        },
    ]);
}

#[test]
fn unions_can_be_told_apart() {
    check(&[
        Refusal {
            mistake: "a variant without the tag",
            edits: &[
                Remove("methods/book/new.json#/$defs/OnShelf/properties/kind"),
                Remove("methods/book/new.json#/$defs/OnShelf/required/0"),
            ],
            says: &["methods/book/new.json#/$defs/BookPlace: nothing tells the variants of this union apart"],
        },
        Refusal {
            mistake: "a tag that may be absent",
            edits: &[Remove("methods/book/new.json#/$defs/OnShelf/required/0")],
            says: &["methods/book/new.json#/$defs/BookPlace: nothing tells the variants of this union apart"],
        },
        Refusal {
            mistake: "a tag with two values",
            edits: &[Set(
                "methods/book/new.json#/$defs/OnShelf/properties/kind/enum",
                r#"["shelf", "board"]"#,
            )],
            says: &[
                "methods/book/new.json#/$defs/BookPlace: nothing tells the variants of this union apart",
                "methods/book/new.json#/$defs/OnShelf/properties/kind: an enum without a name",
            ],
        },
        Refusal {
            mistake: "two variants with one tag",
            edits: &[Set("methods/book/new.json#/$defs/OnShelf/properties/kind/enum", r#"["with_reader"]"#)],
            says: &[
                "methods/book/new.json#/$defs/BookPlace/oneOf/1/$ref: two variants have the tag `with_reader`",
            ],
        },
        Refusal {
            mistake: "the tag of what is not known",
            edits: &[Set("methods/book/new.json#/$defs/OnShelf/properties/kind/enum", r#"["unknown"]"#)],
            says: &[
                "methods/book/new.json#/$defs/BookPlace/oneOf/0/$ref: the tag's value `unknown` cannot name a variant",
            ],
        },
        Refusal {
            mistake: "a variant that is no object",
            edits: &[Set(
                "methods/book/new.json#/$defs/BookPlace/oneOf/0/$ref",
                r##""../../types/book.json#/$defs/Title""##,
            )],
            says: &["methods/book/new.json#/$defs/BookPlace: nothing tells the variants of this union apart"],
        },
        Refusal {
            mistake: "a union of nothing",
            edits: &[Set("methods/book/new.json#/$defs/BookPlace/oneOf", "[]")],
            says: &["methods/book/new.json#/$defs/BookPlace: nothing tells the variants of this union apart"],
        },
        Refusal {
            mistake: "a tag with two spellings",
            edits: &[
                Set(
                    "methods/book/new.json#/$defs/OnShelf",
                    r#"{ "type": "object", "description": "?", "required": ["aKind"],
                    "properties": { "aKind": { "enum": ["shelf"], "description": "?" } } }"#,
                ),
                Set(
                    "methods/book/new.json#/$defs/WithReader",
                    r#"{ "type": "object", "description": "?", "required": ["aKind"],
                    "properties": { "aKind": { "enum": ["reader"], "description": "?" } } }"#,
                ),
            ],
            says: &["methods/book/new.json#/$defs/BookPlace: the tag `aKind` has two spellings"],
        },
    ]);
}

#[test]
fn something_fits_every_schema() {
    check(&[
        Refusal {
            mistake: "bounds of an integer the wrong way round",
            edits: &[Set("types/book.json#/$defs/PageNumber/minimum", "10000")],
            says: &["types/book.json#/$defs/PageNumber: `minimum` is above `maximum`"],
        },
        Refusal {
            mistake: "one bound",
            edits: &[Remove("types/book.json#/$defs/PageNumber/maximum")],
            says: &["types/book.json#/$defs/PageNumber: an integer that is bounded on one side"],
        },
        Refusal {
            mistake: "bounds of a text the wrong way round",
            edits: &[Set("types/book.json#/$defs/Title/minLength", "201")],
            says: &["types/book.json#/$defs/Title: `minLength` is above `maxLength`"],
        },
        Refusal {
            mistake: "bounds of a list the wrong way round",
            edits: &[Set("types/book.json#/$defs/Shelf/minItems", "101")],
            says: &["types/book.json#/$defs/Shelf: `minItems` is above `maxItems`"],
        },
        Refusal {
            mistake: "a pattern of another form",
            edits: &[Set("types/book.json#/$defs/BookId/pattern", r#""^b-[0-9]+$""#)],
            says: &[
                "types/book.json#/$defs/BookId/pattern: the pattern `^b-[0-9]+$` is not of the one form that every \
                 reader handles",
            ],
        },
        Refusal {
            mistake: "a pattern beside a length",
            edits: &[Set("types/book.json#/$defs/BookId/maxLength", "128")],
            says: &["types/book.json#/$defs/BookId: a pattern beside `minLength` or `maxLength`"],
        },
        Refusal {
            mistake: "an enum without values",
            edits: &[
                Set("types/book.json#/$defs/Genre/enum", "[]"),
                Remove("types/book.json#/$defs/Genre/x-enum-descriptions"),
            ],
            says: &["types/book.json#/$defs/Genre: an enum without values"],
        },
        Refusal {
            mistake: "a value twice",
            edits: &[Set(
                "types/book.json#/$defs/Genre/enum",
                r#"["novel", "text_book", "poetry", "novel"]"#,
            )],
            says: &[
                "types/book.json#/$defs/Genre: `novel` stands here twice, or differs from another by its separators only",
            ],
        },
        Refusal {
            mistake: "a value that is Rust's own word",
            edits: &[
                Set("types/book.json#/$defs/Genre/enum/2", r#""self""#),
                Set(
                    "types/book.json#/$defs/Genre/x-enum-descriptions",
                    r#"{ "novel": "?", "text_book": "?", "self": "?" }"#,
                ),
            ],
            says: &["types/book.json#/$defs/Genre: `self` cannot name a value"],
        },
        Refusal {
            mistake: "a value that begins with a digit",
            edits: &[
                Set("types/book.json#/$defs/Genre/enum/2", r#""3d""#),
                Set(
                    "types/book.json#/$defs/Genre/x-enum-descriptions",
                    r#"{ "novel": "?", "text_book": "?", "3d": "?" }"#,
                ),
            ],
            says: &["types/book.json#/$defs/Genre: `3d` cannot name a value"],
        },
    ]);
}

#[test]
fn parts_that_need_a_name_have_one() {
    check(&[
        Refusal {
            mistake: "an object in a member",
            edits: &[Set(
                "types/book.json#/$defs/Book/properties/isbn",
                r#"{ "type": "object", "properties": {}, "description": "?" }"#,
            )],
            says: &["types/book.json#/$defs/Book/properties/isbn: an object without a name"],
        },
        Refusal {
            mistake: "a union in a list",
            edits: &[Set(
                "types/book.json#/$defs/Shelf/items",
                r##"{ "oneOf": [{ "$ref": "#/$defs/Book" }] }"##,
            )],
            says: &["types/book.json#/$defs/Shelf/items: an object without a name"],
        },
        Refusal {
            mistake: "an enum in a map",
            edits: &[Set(
                "types/book.json#/$defs/Book/properties/ratings/additionalProperties",
                r#"{ "enum": ["good", "bad"] }"#,
            )],
            says: &[
                "types/book.json#/$defs/Book/properties/ratings/additionalProperties: an enum without a name",
            ],
        },
        Refusal {
            mistake: "a list of one value",
            edits: &[Set("types/book.json#/$defs/Shelf/items", r#"{ "enum": ["book"] }"#)],
            says: &["types/book.json#/$defs/Shelf/items: one value tells nothing here"],
        },
        Refusal {
            mistake: "an error's data that is a list",
            edits: &[Set(
                "errors.json#/errors/0/data",
                r#"{ "type": "array", "items": { "type": "string" }, "description": "?" }"#,
            )],
            says: &["errors.json#/errors/0/data: an error's `data` is not an object"],
        },
    ]);
}
