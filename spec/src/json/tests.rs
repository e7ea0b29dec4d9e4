//! The rules of typed reading, on a type written by hand the way the generator writes them.

use super::*;
use crate::call::Params;

#[derive(Debug, Clone, PartialEq)]
struct Order {
    item_name: String,
    how_many: Option<Bounded<1, 9>>,
    gift: bool,
    note_text: Option<RawJson>,
    parts: Vec<Order>,
}

impl Order {
    const SHAPE: &'static Shape = &Shape::new(
        "Order",
        &[
            Member::new("itemName", "item_name"),
            Member::new("howMany", "how_many"),
            Member::fixed("gift"),
            Member::new("noteText", "note_text"),
            Member::new("parts", "parts"),
        ],
    );
}

impl Decode for Order {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut item_name = Slot::new();
        let mut how_many = Slot::new();
        let mut gift = Slot::new();
        let mut note_text = Slot::new();
        let mut parts = Slot::new();
        reader.object(Self::SHAPE, |reader, member| match member {
            0 => item_name.fill(reader, String::decode),
            1 => how_many.fill_optional(reader, Bounded::decode),
            2 => gift.fill_optional(reader, bool::decode),
            3 => note_text.fill_optional(reader, RawJson::decode),
            _ => parts.fill_optional(reader, |reader| reader.array(0, 2, Order::decode)),
        })?;
        Ok(Self {
            item_name: item_name.required(reader, &Self::SHAPE.members[0])?,
            how_many: how_many.optional(),
            gift: gift.or(false),
            note_text: note_text.optional(),
            parts: parts.or(Vec::new()),
        })
    }
}

impl Encode for Order {
    fn encode(&self, out: &mut Writer) {
        out.object(|out| {
            out.member(&Self::SHAPE.members[0], &self.item_name);
            out.optional(&Self::SHAPE.members[1], self.how_many.as_ref());
            out.member(&Self::SHAPE.members[2], &self.gift);
            out.optional(&Self::SHAPE.members[3], self.note_text.as_ref());
            out.member(&Self::SHAPE.members[4], &self.parts);
        });
    }
}

fn read(text: &str) -> Result<Order, Fault> {
    Params::new(Some(text)).decode()
}

fn refused(text: &str) -> (String, String) {
    let fault = read(text).expect_err(text);
    (fault.path, fault.message.into_owned())
}

fn at(path: &str, message: &str) -> (String, String) {
    (path.to_owned(), message.to_owned())
}

#[test]
fn either_spelling_is_read_and_equal_values_count_once() {
    for text in [
        r#"{"itemName":"tea","howMany":2}"#,
        r#"{"item_name":"tea","how_many":2}"#,
        r#"{"itemName":"tea","item_name":"t\u0065a","how_many":2,"howMany":2}"#,
        " { \"item\\u004eame\" : \"tea\" ,\r\n \"how_many\" : 2 } ",
    ] {
        let order = read(text).unwrap();
        assert_eq!((order.item_name.as_str(), order.how_many.unwrap().get()), ("tea", 2), "{text}");
    }
}

#[test]
fn unequal_spellings_and_repeats_are_refused() {
    let differ = "the two spellings of this member have different values";
    assert_eq!(refused(r#"{"itemName":"a","item_name":"b"}"#), at("/item_name", differ));
    let twice = "this member is given twice";
    assert_eq!(refused(r#"{"item_name":"a","item_name":"a"}"#), at("/item_name", twice));
    assert_eq!(
        refused(r#"{"itemName":"a","parts":[{"itemName":"b","gift":true,"gift":true}]}"#),
        at("/parts/0/gift", twice)
    );
    assert_eq!(refused(r#"{"itemName":"a","howMany":null,"howMany":null}"#), at("/howMany", twice));
}

#[test]
fn null_is_absent_where_a_member_is_optional_and_wrong_where_it_is_required() {
    let order = read(r#"{"itemName":"a","howMany":null,"gift":null,"noteText":null}"#).unwrap();
    assert_eq!((order.how_many, order.gift, order.note_text), (None, false, None));
    assert_eq!(refused(r#"{"itemName":null}"#), at("/itemName", "expected a string"));
}

#[test]
fn a_missing_member_is_named_in_the_spelling_of_the_connection() {
    assert_eq!(refused("{}"), at("/itemName", "this member is required"));
    let snake = Params::new(None).spelled(Spelling::Snake).decode::<Order>().unwrap_err();
    assert_eq!(snake.path, "/item_name");
}

#[test]
fn integers_have_no_fraction_and_no_exponent() {
    for number in ["1.0", "1e0", "0", "10", "-1", "\"1\"", "99999999999999999999", "true", "[]"] {
        let text = format!(r#"{{"itemName":"a","howMany":{number}}}"#);
        assert_eq!(refused(&text), at("/howMany", "expected an integer from 1 to 9"), "{number}");
    }
}

#[test]
fn arrays_are_bounded_and_faults_point_into_them() {
    let three = r#"{"itemName":"a","parts":[{"itemName":"b"},{"itemName":"c"},{"itemName":"d"}]}"#;
    assert_eq!(refused(three), at("/parts", "expected at most 2 elements"));
    assert_eq!(
        refused(r#"{"itemName":"a","parts":[{"itemName":"b"},7]}"#),
        at("/parts/1", "expected an object")
    );
}

#[test]
fn parameters_go_by_name() {
    assert_eq!(refused("[1]"), at("", "parameters go by name: expected an object"));
    assert_eq!(refused("[ ]"), at("/itemName", "this member is required"));
}

#[test]
fn unknown_members_are_passed_over_or_refused_when_strict() {
    let text = r#"{"itemName":"a","parts":[{"itemName":"b","si/ze":{"x":["]"]}}],"noteText":{"any":1}}"#;
    assert!(read(text).is_ok());
    let fault = Params::new(Some(text)).strict(true).decode::<Order>().unwrap_err();
    assert_eq!((fault.reason, fault.path.as_str()), (FaultReason::UnknownMember, "/parts/0/si~1ze"));
}

#[test]
fn open_data_keeps_its_text_and_compares_by_value() {
    let text = r#"{"itemName":"a","noteText":{ "snake_key": 1e3, "b":"\u00e9" }}"#;
    let order = read(text).unwrap();
    assert_eq!(order.note_text.as_ref().unwrap().as_str(), r#"{ "snake_key": 1e3, "b":"\u00e9" }"#);
    assert!(read(r#"{"itemName":"a","noteText":{"a":1,"b":2},"note_text":{"b":2,"a":1}}"#).is_ok());
    assert!(read(r#"{"itemName":"a","noteText":{"a":1},"note_text":{"a":2}}"#).is_err());
}

#[test]
fn a_value_is_written_in_the_spelling_asked_for() {
    let order =
        read(r#"{"itemName":"te\na","howMany":3,"parts":[{"itemName":"b"}],"noteText":{"camelKey":1}}"#)
            .unwrap();
    let documented = to_text(&order);
    assert_eq!(
        documented,
        r#"{"itemName":"te\na","howMany":3,"gift":false,"noteText":{"camelKey":1},"parts":[{"itemName":"b","gift":false,"parts":[]}]}"#
    );
    let mut snake = Writer::new(Spelling::Snake);
    order.encode(&mut snake);
    assert_eq!(
        snake.finish(),
        r#"{"item_name":"te\na","how_many":3,"gift":false,"note_text":{"camelKey":1},"parts":[{"item_name":"b","gift":false,"parts":[]}]}"#
    );
    assert_eq!(from_text::<Order>(&documented).unwrap(), order);
}

proptest::proptest! {
    #[test]
    fn text_that_was_never_validated_is_refused_or_read_but_never_panics(text in r#"[{}\[\]",:\\a-z0-9 .-]{0,40}"#) {
        let _ = read(&text);
        let _ = read(&format!("{{\"itemName\":\"a\",\"parts\":{text}"));
    }
}
