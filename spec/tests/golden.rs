//! Every form that a spec can have, compiled and used: the golden protocol of the generator, over the runtime of this
//! crate. The real protocol need not have each form for it to work.

use zeroclaw_spec::json::{
    self, Decode, Fault, FaultReason, Integer, RawJson, Spelling, Writer, from_text, to_text,
};
use zeroclaw_spec::{call, json::Encode};

#[allow(dead_code, unreachable_pub, reason = "a part of the protocol is used here, and only here")]
mod library {
    include!("../../codegen/tests/golden/protocol.rs");
}

/// Its handlers, which a change of that spec no longer compiles: see `handlers.rs`.
#[path = "handlers/librarian.rs"]
mod librarian;

use librarian::{Librarian, Refusal};
use library::*;

fn read<T: Decode>(text: &str) -> T {
    from_text(text).expect(text)
}

fn refused<T: Decode + std::fmt::Debug>(text: &str) -> (String, String) {
    let fault: Fault = from_text::<T>(text).expect_err(text);
    (fault.path, fault.message.into_owned())
}

fn snake(value: &impl Encode) -> String {
    let mut out = Writer::new(Spelling::Snake);
    value.encode(&mut out);
    out.finish()
}

const EMMA: &str = r#"{"bookId":"b-1","title":"Emma","pages":474}"#;

#[test]
fn absent_members_have_their_defaults() {
    let emma: Book = read(EMMA);
    assert_eq!((emma.genre, emma.price, emma.lent), (Genre::Novel, 9.5, false));
    assert_eq!(
        (emma.keywords, emma.neighbours, emma.r#type.as_str()),
        (vec!["book".into()], Vec::new(), "paper")
    );
    assert_eq!(
        (emma.isbn, emma.sequels, emma.ratings, emma.imprint, emma.reader),
        (None, None, None, None, None)
    );
    let settings = Settings::default();
    assert_eq!((settings.font_size.get(), settings.first.get(), settings.marker.as_str()), (12, 1, "none"));
    assert_eq!(settings.warmth.get(), -4);
    assert_eq!(read::<BookReadParams>(r#"{"book_id":"b-1"}"#).settings, settings);
}

#[test]
fn everything_that_is_read_is_written_in_the_order_of_the_spec() {
    let full = concat!(
        r#"{"bookId":"b-1","title":"Emma","genre":"text_book","pages":474,"isbn":97801914780000000000,"price":1.5,"#,
        r#""lent":true,"keywords":["a","b"],"neighbours":["b-2"],"sequels":[],"ratings":{"Jane_A":5,"johnB":1},"#,
        r#""imprint":{"printedIn": 1.50},"type":"vellum","reader":"me","shelf_mark":"A7"}"#
    );
    let sequel = full.replace("[]", &format!("[{}]", to_text(&read::<Book>(EMMA))));
    assert_eq!(to_text(&read::<Book>(&sequel)), sequel);
    let respelled = sequel.replace("bookId", "book_id");
    assert_eq!(snake(&read::<Book>(&sequel)), respelled);
    assert_eq!(read::<Book>(&respelled), read::<Book>(&sequel));
}

#[test]
fn each_bound_is_kept_and_named() {
    let book = |member: &str| EMMA.replace("\"pages\"", &format!("{member},\"pages\""));
    for (member, path, message) in [
        (r#""keywords":[]"#, "/keywords", "expected at least 1 elements"),
        (r#""keywords":["a",""]"#, "/keywords/1", "expected 1 to 20 characters"),
        (r#""ratings":{"Jane_A":6}"#, "/ratings/Jane_A", "expected an integer from 1 to 5"),
        (r#""neighbours":["*"]"#, "/neighbours/0", "expected 1 to 128 characters of A-Za-z0-9._:-"),
        (r#""genre":"drama""#, "/genre", "expected one of novel, text_book, poetry"),
        (r#""isbn":1e3"#, "/isbn", "expected an integer"),
        (
            r#""reader":"12345678901234567890123456789012345678901""#,
            "/reader",
            "expected at most 40 characters",
        ),
    ] {
        assert_eq!(refused::<Book>(&book(member)), (path.into(), message.into()), "{member}");
    }
    assert_eq!(refused::<Settings>(r#"{"extra":[]}"#), ("/extra".into(), "expected an object".into()));
    assert_eq!(refused::<Settings>(r#"{"lamps":{}}"#), ("/lamps".into(), "expected an array".into()));
}

#[test]
fn a_fixed_member_has_one_spelling() {
    let params = EMMA.replace("\"pages\"", r#""shelfMark":"A7","pages""#);
    let fault = call::Params::new(Some(&params)).strict(true).decode::<Book>().expect_err("unknown");
    assert_eq!((fault.reason, fault.path.as_str()), (FaultReason::UnknownMember, "/shelfMark"));
}

#[test]
fn a_member_with_one_value_is_checked_and_written() {
    assert_eq!(
        to_text(&read::<PageTurnParams>(r#"{"direction":"back","member":7}"#)),
        r#"{"direction":"back","member":7}"#
    );
    assert_eq!(
        refused::<PageTurnParams>(r#"{"direction":"on"}"#),
        ("/direction".into(), "expected back".into())
    );
    assert_eq!(refused::<PageTurnParams>("{}"), ("/direction".into(), "this member is required".into()));
}

#[test]
fn a_union_is_told_by_its_tag_wherever_it_stands() {
    let text = r#"{"bookId":"b-1","text":"It is","type":"page"}"#;
    let event: BookEventParams = read(text);
    let BookEventParams::Page(page) = &event else { panic!("{event:?}") };
    assert_eq!((page.text.as_str(), event.tag()), ("It is", Some("page")));
    assert_eq!(snake(&event), r#"{"type":"page","book_id":"b-1","text":"It is"}"#);
    let strict = call::Params::new(Some(text)).strict(true);
    assert_eq!(strict.decode::<BookEventParams>(), Ok(event));
}

#[test]
fn an_extensible_union_keeps_what_it_does_not_know_and_a_closed_one_refuses_it() {
    let text = r#"{"type":"torn","page":7.0}"#;
    let event: BookEventParams = read(text);
    assert!(matches!(event, BookEventParams::Unknown(_)));
    assert_eq!((event.tag(), to_text(&event).as_str()), (None, text));
    let answer = ("/action".into(), "expected one of promise, decline".into());
    assert_eq!(refused::<ReaderAskResult>(r#"{"action":"burn"}"#), answer);
    assert_eq!(refused::<ReaderAskResult>("{}"), ("/action".into(), "this member is required".into()));
    assert_eq!(read::<ReaderAskResult>(r#"{"action":"decline"}"#).tag(), "decline");
}

#[test]
fn every_method_is_found_by_its_name_and_no_other() {
    for &method in Method::ALL {
        assert_eq!(Method::parse(method.name()), Some(method));
        assert_eq!(Method::parse(&method.name().to_uppercase()), None);
    }
    assert_eq!(Method::parse("book/event"), None);
    assert_eq!(Method::BookRead.facts().errors, [ErrorCode::BookNotFound, ErrorCode::InvalidParams]);
    assert!(Method::BookRead.facts().announce_refusal && Method::Status.facts().before_initialize);
    assert_eq!(SENT.iter().map(|facts| facts.name).collect::<Vec<_>>(), ["book/event", "reader/ask"]);
}

#[test]
fn the_limits_begin_as_the_protocol_has_them() {
    let limits = Limits::default();
    assert_eq!((limits.max_loans.get(), limits.loan_ms), (3, limit::LOAN_MS));
    assert_eq!(snake(&limits), r#"{"max_loans":3,"loan_ms":1209600000}"#);
    assert_eq!(LIMITS.len(), 3);
}

async fn answer(method: &str, params: Option<&str>) -> Result<String, Refusal> {
    let method = Method::parse(method).expect(method);
    Ok(match dispatch(&Librarian, method, "Jane", call::Params::new(params)).await? {
        Answer::Now(reply) => format!("now {}", to_text(&reply)),
        Answer::Later(rest) => format!("later {}", to_text(&rest.await?)),
    })
}

#[tokio::test]
async fn a_call_reaches_its_handler_and_comes_back_as_text() {
    let new = answer("book/new", Some(EMMA)).await;
    let placed = r#"now {"bookId":"b-1","place":{"kind":"with_reader","readerName":"Jane"}}"#;
    assert_eq!(new.as_deref(), Ok(placed));
    let read = answer("book/read", Some(r#"{"bookId":"b-1"}"#)).await;
    assert_eq!(read.as_deref(), Ok(r#"later {"pages_read":3}"#));
    let status = answer("status", None).await;
    assert_eq!(status.as_deref(), Ok(r#"now {"open":true,"limits":{"max_loans":3,"loan_ms":1209600000}}"#));
    let refused = Err(Refusal("/bookId: this member is required".into()));
    assert_eq!(answer("book/new", Some("[]")).await, refused);
    let turn = answer("book/page/turn", Some(r#"{"direction":"back"}"#)).await;
    assert_eq!(turn, Err(Refusal("pages only turn forward".into())));
}

#[test]
fn values_are_made_in_rust_too() {
    let book = Book {
        isbn: Some(Integer::from(-1)),
        imprint: Some(RawJson::from(serde_json::json!({"a": [1]}))),
        ratings: Some([("J".to_owned(), json::Bounded::new(5).expect("in bounds"))].into()),
        ..read(EMMA)
    };
    assert_eq!(read::<Book>(&to_text(&book)), book);
    assert!(BookId::new("with space").is_err() && "b-1".parse::<BookId>().is_ok());
    assert_eq!("poetry".parse(), Ok(Genre::Poetry));
    assert_eq!(
        "x".parse::<Genre>().map_err(|unknown| unknown.to_string()),
        Err("expected one of novel, text_book, poetry".into())
    );
}
