//! Tables that name a thing twice, or name what is not there, or disagree with what clients are told.

use super::{Refusal, Remove, Set, check};

#[test]
fn everything_is_in_its_table_once() {
    check(&[
        Refusal {
            mistake: "a section twice",
            edits: &[
                Set("requirements.json#/sections/1", r#"{ "id": "LE", "number": 1, "title": "Reading" }"#),
                Set("requirements.json#/requirements/2/section", r#""LE""#),
            ],
            says: &[
                "requirements.json#/requirements/2/id: rule `RE-01` stands in section `LE`",
                "requirements.json#/sections/1: section `LE` is there twice",
                "requirements.json#/sections/1: section number `1` is there twice",
            ],
        },
        Refusal {
            mistake: "a rule twice",
            edits: &[
                Set("requirements.json#/requirements/1/id", r#""LE-01""#),
                Set("requests/reader/ask.json#/x-rpc/requirements/0", r#""LE-01""#),
            ],
            says: &["requirements.json#/requirements/1: rule `LE-01` is there twice"],
        },
        Refusal {
            mistake: "a rule in no section",
            edits: &[Set("requirements.json#/requirements/1/section", r#""EN""#)],
            says: &["requirements.json#/requirements/1/section: there is no section `EN`"],
        },
        Refusal {
            mistake: "an error code twice",
            edits: &[Set("errors.json#/errors/2/code", "-32000")],
            says: &["errors.json#/errors/2: error code `-32000` is there twice"],
        },
        Refusal {
            mistake: "an error's name twice",
            edits: &[
                Set("errors.json#/errors/2/name", r#""BookNotFound""#),
                Set("methods/book/new.json#/x-rpc/errors", "[]"),
            ],
            says: &["errors.json#/errors/2: error `BookNotFound` is there twice"],
        },
        Refusal {
            mistake: "an error's name that is no type's",
            edits: &[
                Set("errors.json#/errors/2/name", r#""book_lent""#),
                Set("methods/book/new.json#/x-rpc/errors", "[]"),
            ],
            says: &["errors.json#/errors/2/name: error `book_lent` is not in PascalCase"],
        },
        Refusal {
            mistake: "a code that is too long",
            edits: &[Set("errors.json#/errors/2/code", "-3200000000")],
            says: &["errors.json#/errors/2/code: is not an error code"],
        },
        Refusal {
            mistake: "a reason of an unknown rule",
            edits: &[Set("errors.json#/errors/0/reasons/0/rule", r#""RE-99""#)],
            says: &["errors.json#/errors/0/reasons/0/rule: there is no rule `RE-99`"],
        },
        Refusal {
            mistake: "an error of an unknown rule",
            edits: &[Set("errors.json#/errors/1/requirements/0", r#""RE-99""#)],
            says: &["errors.json#/errors/1/requirements/0: there is no rule `RE-99`"],
        },
        Refusal {
            mistake: "a limit of an unknown rule",
            edits: &[Set("protocol.json#/limits/0/rule", r#""RE-99""#)],
            says: &["protocol.json#/limits/0/rule: there is no rule `RE-99`"],
        },
        Refusal {
            mistake: "a limit twice",
            edits: &[Set("protocol.json#/limits/2/name", r#""loan_ms""#)],
            says: &["protocol.json#/limits/2: limit `loan_ms` is there twice"],
        },
        Refusal {
            mistake: "a limit whose name is no constant's",
            edits: &[Set("protocol.json#/limits/2/name", r#""max-title""#)],
            says: &["protocol.json#/limits/2/name: limit `max-title` is not in snake_case"],
        },
    ]);
}

#[test]
fn the_limits_that_are_told_are_those_that_are_configured() {
    check(&[
        Refusal {
            mistake: "a limit that is not told",
            edits: &[
                Remove("types/limits.json#/$defs/Limits/properties/loan_ms"),
                Set("types/limits.json#/$defs/Limits/required", r#"["max_loans"]"#),
            ],
            says: &[
                "types/limits.json#/$defs/Limits/properties: limit `loan_ms` of protocol.json is not told",
            ],
        },
        Refusal {
            mistake: "a member that is no limit",
            edits: &[Set("protocol.json#/limits/1/config", "null")],
            says: &[
                "types/limits.json#/$defs/Limits/properties/loan_ms: protocol.json has no limit `loan_ms` that `rpc` sets",
            ],
        },
        Refusal {
            mistake: "a value outside of the bounds that are told",
            edits: &[Set("protocol.json#/limits/0/value", "11")],
            says: &[
                "types/limits.json#/$defs/Limits/properties/max_loans: protocol.json gives 11 outside these bounds",
            ],
        },
        Refusal {
            mistake: "a limit that is a text",
            edits: &[Set(
                "types/limits.json#/$defs/Limits/properties/loan_ms",
                r#"{ "type": "string", "description": "?" }"#,
            )],
            says: &["types/limits.json#/$defs/Limits/properties/loan_ms: is not a limit"],
        },
        Refusal {
            mistake: "a limit that may be absent",
            edits: &[Remove("types/limits.json#/$defs/Limits/required/1")],
            says: &["types/limits.json#/$defs/Limits/properties/loan_ms: limit `loan_ms` may be absent"],
        },
        Refusal {
            mistake: "limits that would be respelled",
            edits: &[Remove("types/limits.json#/$defs/Limits/x-spelling")],
            says: &[
                "types/limits.json#/$defs/Limits/properties/loan_ms: a limit's name would be respelled",
                "types/limits.json#/$defs/Limits/properties/max_loans: a limit's name would be respelled",
            ],
        },
        Refusal {
            mistake: "another default in words",
            edits: &[Set(
                "types/limits.json#/$defs/Limits/properties/loan_ms/description",
                r#""Default 1,209,600 ms.""#,
            )],
            says: &[
                "types/limits.json#/$defs/Limits/properties/loan_ms/description: the description gives another default \
                 than the 1209600000 of protocol.json",
            ],
        },
        Refusal {
            mistake: "another name in the configuration",
            edits: &[Set("protocol.json#/limits/0/config", r#""rpc.loans""#)],
            says: &[
                "protocol.json#/limits/0/config: limit `max_loans` has another name in the configuration",
            ],
        },
        Refusal {
            mistake: "a least value above the default",
            edits: &[Set("protocol.json#/limits/0/minimum", "4")],
            says: &["protocol.json#/limits/0/minimum: is above the value"],
        },
        Refusal {
            mistake: "limits that are a list",
            edits: &[Set(
                "types/limits.json#/$defs/Limits",
                r#"{ "type": "array", "items": { "type": "string" }, "description": "?" }"#,
            )],
            says: &["types/limits.json#/$defs/Limits: the limits are not an object"],
        },
    ]);
}

#[test]
fn rules_that_are_mentioned_are_there() {
    check(&[
        Refusal {
            mistake: "a rule that mentions another",
            edits: &[Set(
                "requirements.json#/requirements/0/text",
                r#""Three books, unless LE-9 or RE-01 say otherwise.""#,
            )],
            says: &[
                "requirements.json#/requirements/0/text: the rule `LE-9` that this mentions is not there",
            ],
        },
        Refusal {
            mistake: "descriptions that do",
            edits: &[
                Set("types/book.json#/$defs/Book/properties/isbn/description", r#""See RE-07, not UTF-8.""#),
                Set("types/book.json#/$defs/Genre/x-enum-descriptions/novel", r#""RE-07.""#),
                Set("methods/book/read.json#/description", r#""As (LE-03) says.""#),
                Set("errors.json#/errors/0/reasons/0/meaning", r#""RE-07""#),
            ],
            says: &[
                "errors.json#/errors/0/reasons/0/meaning: the rule `RE-07` that this mentions is not there",
                "methods/book/read.json#/description: the rule `LE-03` that this mentions is not there",
                "types/book.json#/$defs/Book/properties/isbn/description: the rule `RE-07` that this mentions is not there",
                "types/book.json#/$defs/Genre/x-enum-descriptions/novel: the rule `RE-07` that this mentions is not there",
            ],
        },
    ]);
}
