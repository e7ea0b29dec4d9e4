//! The validator against another reader of the same grammar, and FR-04 word by word.
//!
//! serde_json, reading into a `Value`, draws the same lines: 127 levels, paired surrogates, finite
//! numbers. It differs in one place: near the largest double it rounds in steps and may be one unit off, so
//! that numbers at the very edge can fall on the other side. The generated numbers stay away from that edge;
//! it has a test of its own here. (Skipping values instead of reading them, serde_json lets much more through.)

use proptest::prelude::*;
use zeroclaw_spec::wire::{MAX_DEPTH, NotJson, validate};

fn serde_accepts(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes).is_ok()
}

fn white_space() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 1 => "[ \t\r\n]{1,3}"]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z0-9 {}\\[\\],:/]{0,12}",
        2 => any::<char>().prop_filter("stands as it is", |c| *c >= ' ' && !"\"\\".contains(*c)).prop_map(String::from),
        2 => prop::sample::select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\u0000", "\\uD83D\\uDE00", "\\u00e9"]).prop_map(String::from),
        1 => "\\\\u[0-9a-fA-F]{4}",
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,20})",
        "-?(0|[1-9][0-9]{0,8})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        "-?[1-9](\\.[0-9]{1,3})?[eE][+-]?(0{0,3}[12][0-9]{2}|4[0-9]{2}|[0-9]{6,30})",
        "-?0\\.0{0,400}[1-9]e4[0-9]{2}",
        "[1-9][0-9]{150,299}",
        "[1-9][0-9]{320,500}",
    ]
}

fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        string(),
        number(),
        prop::sample::select(vec!["true", "false", "null"]).prop_map(String::from)
    ];
    let spaced = |inner: BoxedStrategy<String>| {
        (white_space(), inner, white_space()).prop_map(|(before, value, after)| before + &value + &after)
    };
    scalar.prop_recursive(6, 40, 5, move |inner| {
        let value = spaced(inner.boxed()).boxed();
        let member =
            (spaced(string().boxed()), value.clone()).prop_map(|(name, value)| format!("{name}:{value}"));
        prop_oneof![
            prop::collection::vec(value, 0..5).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// What may replace, precede or follow a byte.
fn edit() -> impl Strategy<Value = (prop::sample::Index, u8, u8)> {
    let byte = prop_oneof![
        6 => prop::sample::select(&b"{}[]\",:\\ntf0123456789.eE+-u \t\r\n\x00\x1f\x7f"[..]),
        1 => any::<u8>(),
    ];
    (any::<prop::sample::Index>(), 0..3_u8, byte)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn it_accepts_what_another_strict_reader_accepts(text in json()) {
        prop_assert_eq!(validate(text.as_bytes()).is_ok(), serde_accepts(text.as_bytes()), "{}", text);
    }

    #[test]
    fn it_refuses_what_another_strict_reader_refuses(
        text in json(),
        edits in prop::collection::vec(edit(), 1..4),
    ) {
        let mut bytes = text.into_bytes();
        for (index, kind, byte) in edits {
            let at = index.index(bytes.len() + 1);
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        prop_assert_eq!(validate(&bytes).is_ok(), serde_accepts(&bytes), "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn it_survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match validate(&bytes) {
            Ok(text) => prop_assert_eq!(text.as_bytes(), &bytes[..]),
            Err(NotJson { offset, .. }) => prop_assert!(offset <= bytes.len()),
        }
    }

    #[test]
    fn a_fault_is_found_at_any_place_of_a_long_string(
        length in 0_usize..70,
        place in any::<prop::sample::Index>(),
        fault in prop::sample::select(&[0_u8, 8, 0x1f, b'"', b'\\'][..]),
    ) {
        // Strings are scanned by eights: every alignment is tried.
        let mut bytes = vec![b'"'];
        bytes.extend(std::iter::repeat_n(b'!', length));
        bytes.push(b'"');
        prop_assert!(validate(&bytes).is_ok());
        bytes.insert(1 + place.index(length + 1), fault);
        prop_assert!(validate(&bytes).is_err());
    }
}

#[test]
fn what_fr_04_names_is_refused_also_in_members_nobody_reads() {
    let faults: &[&[u8]] = &[
        b"\"\xff\"",
        b"\"\xc0\x80\"",
        b"\"\xed\xa0\x80\"",
        br#""\ud800""#,
        br#""\udc00""#,
        br#""\ud800\ud800""#,
        br#""\ud800x\udc00""#,
        br#""\udc00\ud800""#,
        b"\"\x01\"",
        b"\"\t\"",
        b"\"\n\"",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e999",
        b"-1e309",
        b"01",
        b"-",
        b"+1",
        b".5",
        b"1.",
        b"1e",
        b"0x1",
        b"1_0",
        b"'a'",
        br#""\x41""#,
        br#""\u12g4""#,
        br#""\u123""#,
        br#""\u+123""#,
        b"tru",
        b"nulll",
        b"True",
        b"[1,]",
        b"[,1]",
        b"[1 2]",
        b"{\"a\":1,}",
        b"{a:1}",
        b"{\"a\" 1}",
        b"{\"a\"}",
        b"{1:2}",
        b"[1}",
        b"{\"a\":1]",
        b"/**/1",
        b"1//",
        b"",
        b"\x0c1",
        "\u{a0}1".as_bytes(),
    ];
    for fault in faults {
        assert!(validate(fault).is_err(), "{}", String::from_utf8_lossy(fault));
        let nested = [br#"{"jsonrpc":"2.0","id":1,"method":"status","x":"#, *fault, b"}"].concat();
        assert!(validate(&nested).is_err(), "{}", String::from_utf8_lossy(&nested));
    }
}

#[test]
fn nothing_but_white_space_surrounds_the_value() {
    for good in ["{}", " \t\r\n{} \t\r\n", "0", "\"\"", "null"] {
        assert!(validate(good.as_bytes()).is_ok(), "{good}");
    }
    for bad in ["{} {}", "{},", "{}x", "\u{feff}{}", "{}\u{feff}", "{}\0", "\u{c}{}", "", " "] {
        assert!(validate(bad.as_bytes()).is_err(), "{bad}");
    }
}

#[test]
fn the_frame_is_level_one_and_127_levels_are_the_most() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |levels: usize| {
            let inner = if open == "[" { "" } else { "0" };
            format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
        };
        let most = MAX_DEPTH as usize;
        assert_eq!(most, 127);
        assert!(validate(nested(most).as_bytes()).is_ok());
        let error = validate(nested(most + 1).as_bytes()).unwrap_err();
        assert_eq!((error.offset, error.reason), (most * open.len(), "nested too deeply"));
        assert!(validate(nested(200_000).as_bytes()).is_err());
    }
    let wide = format!("[{}[]]", "[[]],".repeat(1_000));
    assert!(validate(wide.as_bytes()).is_ok(), "levels that were left do not count");
}

#[test]
fn a_number_needs_a_finite_double_however_it_is_written() {
    let digits = |count: usize| "9".repeat(count);
    for good in [
        "1.7976931348623157e308".to_owned(),
        "-1.7976931348623157E+308".to_owned(),
        // Below halfway to the next power of two, so it rounds down to the largest double.
        "1.7976931348623158e308".to_owned(),
        digits(308),
        "0e999999999999".to_owned(),
        "1e-999999999999".to_owned(),
        format!("0.{}1e500", "0".repeat(400)),
        "1e0000000000000000001".to_owned(),
        format!("0.{}", digits(5_000)),
        "18446744073709551616".to_owned(),
        "-0".to_owned(),
    ] {
        assert!(validate(good.as_bytes()).is_ok(), "{good}");
    }
    for bad in ["1.7976931348623159e308", "1e309", "1e99999999999999999999", &digits(309), &digits(400)] {
        assert!(validate(bad.as_bytes()).is_err(), "{bad}");
        assert!(validate(format!("-{bad}").as_bytes()).is_err(), "-{bad}");
    }
}

#[test]
fn a_refusal_says_where_and_why_and_holds_nothing_of_the_text() {
    let error = validate(br#"{"secret":hunter2}"#).unwrap_err();
    assert_eq!(error.to_string(), "not JSON at byte 10: a value was expected");
}
