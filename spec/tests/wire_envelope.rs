//! Section 3, shape by shape, and every combination of envelope members against the rules written a second way.

use proptest::prelude::*;
use zeroclaw_spec::wire::{Frame, Id, Malformed, Message, Outcome, validate};

/// What the daemon will do about a frame.
#[derive(Debug, PartialEq)]
enum Fate {
    /// Request with this id.
    Request(String),
    Notification,
    /// Response with this id.
    Response(String),
    /// -32600 with this id.
    Answer(String),
    Ignore,
}

fn fate(text: &str) -> Fate {
    let text = validate(text.as_bytes()).expect("a frame in this test is JSON");
    match Message::parse(text) {
        Ok(Message::Request { id, .. }) => Fate::Request(id.to_string()),
        Ok(Message::Notification { .. }) => Fate::Notification,
        Ok(Message::Response { id, .. }) => Fate::Response(id.to_string()),
        Err(Malformed::Answer { id, .. }) => Fate::Answer(id.to_string()),
        Err(Malformed::Ignore { .. }) => Fate::Ignore,
    }
}

#[test]
fn every_shape_of_section_3_meets_its_fate() {
    let request = |id: &str| Fate::Request(id.to_owned());
    let answer = |id: &str| Fate::Answer(id.to_owned());
    let response = |id: &str| Fate::Response(id.to_owned());
    let table = [
        // EN-01
        ("[]", answer("null")),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"status"}]"#, answer("null")),
        ("1", answer("null")),
        ("\"{}\"", answer("null")),
        ("null", answer("null")),
        ("{}", answer("null")),
        // EN-02
        (r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, request("1")),
        (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, request("null")),
        (r#"{"jsonrpc":"2.0","method":"m"}"#, Fate::Notification),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, request("1")),
        (" \t{ \"method\" : \"m\" ,\r\"id\" : 7 , \"jsonrpc\" : \"2.0\" } ", request("7")),
        // EN-03: arrays pass here; null and scalars do not
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}"#, request("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#, request("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#, answer("1")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":"{}"}"#, answer("1")),
        (r#"{"jsonrpc":"2.0","method":"m","params":3}"#, answer("null")),
        // EN-04
        (r#"{"jsonrpc":"2.0","id":"1","method":"m"}"#, request("\"1\"")),
        (r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}"#, request("9007199254740993")),
        (r#"{"jsonrpc":"2.0","id":1e3,"method":"m"}"#, request("1e3")),
        (r#"{"jsonrpc":"2.0","id":1.50,"method":"m"}"#, request("1.50")),
        (r#"{"jsonrpc":"2.0","id":-0,"method":"m"}"#, request("-0")),
        (r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"m"}"#, request("18446744073709551616")),
        (r#"{"jsonrpc":"2.0","id":"\u0061\/\"","method":"m"}"#, request(r#""\u0061\/\"""#)),
        // EN-05
        (r#"{"id":1,"method":"m"}"#, answer("1")),
        (r#"{"jsonrpc":2.0,"id":"a","method":"m"}"#, answer("\"a\"")),
        (r#"{"jsonrpc":"2","id":1,"method":"m"}"#, answer("1")),
        (r#"{"jsonrpc":null,"id":null,"method":"m"}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"m"}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, answer("null")),
        (r#"{"method":"m"}"#, answer("null")),
        // EN-06
        (r#"{"id":"zc-out-0","result":1}"#, Fate::Ignore),
        (r#"{"jsonrpc":"1.0","id":"zc-out-0","result":1}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"x"}}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":null}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"result":1}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"result":1}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":"nope"}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.0,"message":"x"}}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":null}}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"code":1,"message":"x"}}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","result":1}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":false,"result":1}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"result":1}"#, Fate::Ignore),
        (r#"{"jsonrpc":"2.0","id":1,"result":1,"params":{}}"#, Fate::Ignore),
        // EN-07
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","error":{"code":1,"message":"x"}}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":1,"result":1}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":1}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"params":{}}"#, answer("null")),
        // EN-08: well-formed, whether anybody waits is not seen here
        (r#"{"jsonrpc":"2.0","id":null,"result":1}"#, response("null")),
        (
            r#"{"jsonrpc":"2.0","id":"zc-out-0","error":{"code":-1,"message":"x","data":[],"more":1,"more":2}}"#,
            response("\"zc-out-0\""),
        ),
        // EN-09
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, response("1")),
        // EN-11
        (r#"{"JSONRPC":"2.0","id":1,"method":"m"}"#, answer("1")),
        (r#"{"jsonrpc":"2.0","Id":1,"method":"m"}"#, Fate::Notification),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","Method":5,"Result":1,"x":1,"x":2}"#, request("1")),
        (r#"{"jsonrpc":"2.0","id":3,"id":4,"method":"m"}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{},"params":{}}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","method":"m","method":"m"}"#, answer("null")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m","m\u0065thod":"m"}"#, answer("null")),
        (r#"{"\u006asonrpc":"2.0","i\u0064":1,"metho\u0064":"m"}"#, request("1")),
        (r#"{"jsonrpc":"2\u002e0","id":1,"method":"m"}"#, request("1")),
    ];
    for (text, expected) in table {
        assert_eq!(fate(text), expected, "{text}");
    }
}

/// The variants of one member: its text, and what the rules think of it.
#[derive(Clone, Copy, PartialEq)]
enum Is {
    Absent,
    Good,
    Bad,
    Twice,
}

#[test]
fn every_combination_of_members_meets_its_fate() {
    use Is::{Absent, Bad, Good, Twice};
    let versions = [
        ("", Absent),
        (r#""jsonrpc":"2.0""#, Good),
        (r#""jsonrpc":2"#, Bad),
        (r#""jsonrpc":"2.0","jsonrpc":"2.0""#, Twice),
    ];
    let ids = [
        ("", Absent),
        (r#""id":7"#, Good),
        (r#""id":"a""#, Good),
        (r#""id":null"#, Good),
        (r#""id":[]"#, Bad),
        (r#""id":1,"id":1"#, Twice),
    ];
    let methods = [
        ("", Absent),
        (r#""method":"m""#, Good),
        (r#""method":{}"#, Bad),
        (r#""method":"m","method":"m""#, Twice),
    ];
    let params = [
        ("", Absent),
        (r#""params":{"id":1}"#, Good),
        (r#""params":[]"#, Good),
        (r#""params":null"#, Bad),
        (r#""params":{},"params":{}"#, Twice),
    ];
    let results = [("", Absent), (r#""result":null"#, Good), (r#""result":1,"result":1"#, Twice)];
    let errors = [
        ("", Absent),
        (r#""error":{"code":1,"message":""}"#, Good),
        (r#""error":7"#, Bad),
        (r#""error":null,"error":null"#, Twice),
    ];
    let mut seen = 0;
    for version in versions {
        for id in ids {
            for method in methods {
                for param in params {
                    for result in results {
                        for error in errors {
                            let members = [version, id, method, param, result, error];
                            let texts: Vec<_> =
                                members.iter().map(|m| m.0).filter(|t| !t.is_empty()).collect();
                            let own = id.0.strip_prefix("\"id\":").unwrap_or_default();
                            let states = members.map(|member| member.1);
                            let expected = expected(states, own);
                            let forwards = format!("{{{}}}", texts.join(","));
                            assert_eq!(fate(&forwards), expected, "{forwards}");
                            // The order of members means nothing.
                            let backwards = texts.iter().rev().copied().collect::<Vec<_>>().join(" , ");
                            assert_eq!(fate(&format!("{{{backwards}}}")), expected, "{backwards}");
                            seen += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, 4 * 6 * 4 * 5 * 3 * 4);
}

/// The rules, read as sentences rather than as a program.
fn expected([version, id, method, params, result, error]: [Is; 6], own: &str) -> Fate {
    use Is::{Absent, Bad, Good, Twice};
    let any_twice = [version, id, method, params, result, error].contains(&Twice);
    let has = |member: Is| member != Absent;
    let response_shaped = !has(method) && (has(result) || has(error));
    let request_shaped = method == Good && !has(result) && !has(error);
    if response_shaped {
        let one = has(result) != has(error);
        let well_formed = version == Good && id == Good && one && error != Bad && !has(params) && !any_twice;
        return if well_formed { Fate::Response(own.to_owned()) } else { Fate::Ignore };
    }
    if any_twice || !request_shaped {
        return Fate::Answer("null".to_owned());
    }
    let well_formed = version == Good && id != Bad && params != Bad;
    match (well_formed, id) {
        (true, Good) => Fate::Request(own.to_owned()),
        (true, _) => Fate::Notification,
        (false, Good) => Fate::Answer(own.to_owned()),
        (false, _) => Fate::Answer("null".to_owned()),
    }
}

#[test]
fn a_request_gives_its_method_by_meaning_and_its_params_as_text() {
    let text = r#"{"jsonrpc":"2.0","id":1,"params": {"a" : [1.0, "]}"], "b":{}} ,"method":"session\/n\u0065w\ud83d\ude00"}"#;
    let Ok(Message::Request { method, params, .. }) = Message::parse(text) else { panic!("a request") };
    assert_eq!(method, "session/new\u{1f600}");
    assert_eq!(params, Some(r#"{"a" : [1.0, "]}"], "b":{}}"#));
}

#[test]
fn a_malformed_request_still_names_its_method_where_it_is_certain() {
    let refused = |text| match Message::parse(text) {
        Err(Malformed::Answer { call, .. }) => call.map(|(method, params)| (method.into_owned(), params)),
        other => panic!("{other:?}"),
    };
    let prompt = r#"{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}"#;
    assert_eq!(refused(prompt), Some(("session/prompt".to_owned(), Some(r#"{"sessionId":"s"}"#))));
    assert_eq!(refused(r#"{"jsonrpc":"2.0","method":"a","method":"b"}"#), None);
    assert_eq!(refused(r#"{"jsonrpc":"2.0","method":"a","result":1}"#), None);
}

#[test]
fn a_failed_response_gives_code_message_and_data() {
    let text = r#"{"jsonrpc":"2.0","id":1,"error":{"data": {"reason":"x"} ,"message":"a\nb","code":-32000}}"#;
    let Ok(Message::Response { outcome: Outcome::Error(error), .. }) = Message::parse(text) else {
        panic!("a failed response")
    };
    assert_eq!((error.code, &*error.message, error.data), (-32000, "a\nb", Some(r#"{"reason":"x"}"#)));
}

#[test]
fn reasons_hold_nothing_of_the_frame() {
    for text in [r#"{"hunter2":1}"#, r#"{"method":"hunter2"}"#, r#"{"id":"x","result":"hunter2"}"#] {
        let reason = match Message::parse(text) {
            Err(Malformed::Answer { reason, .. } | Malformed::Ignore { reason }) => reason,
            Ok(message) => panic!("{message:?}"),
        };
        assert!(!reason.contains("hunter2"));
    }
}

#[test]
fn ids_differ_by_their_text_and_strings_can_be_read_by_meaning() {
    let id = |text: &'static str| match Message::parse(text) {
        Ok(Message::Request { id, .. }) => id,
        other => panic!("{other:?}"),
    };
    let number = id(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#);
    let string = id(r#"{"jsonrpc":"2.0","id":"1","method":"m"}"#);
    let escaped = id(r#"{"jsonrpc":"2.0","id":"\u0031","method":"m"}"#);
    assert_ne!(number, string);
    assert_ne!(string, escaped);
    assert_eq!(number.string(), None);
    assert_eq!(string.string(), escaped.string());
    assert_eq!(escaped.into_owned().as_json(), r#""\u0031""#);
    assert!(Id::NULL.is_null());
}

#[test]
fn a_frame_is_one_line_whatever_is_put_into_it() {
    let frames = [
        Frame::request(&"zc-out-0", "elicitation/create", Some("{\n  \"a\": \"\\n\"\n}")),
        Frame::notification("session/update", Some("{\"text\":\"\u{2028}é\"}")),
        Frame::result(&Id::NULL, "[\n1,\r\n2]"),
        Frame::error(&Id::NULL, -32600, "a \"quoted\"\\\n\r\t\u{1}\u{1f}\u{7f} message", Some("\n{}\n")),
    ];
    for frame in frames {
        let (last, line) = frame.as_bytes().split_last().unwrap();
        assert_eq!(*last, b'\n');
        assert!(!line.contains(&b'\n'));
        assert!(Message::parse(validate(line).unwrap()).is_ok());
        assert_eq!(frame.len(), line.len() + 1);
    }
}

#[test]
fn an_id_goes_out_as_it_came_in() {
    for text in ["1", "1.50", "-0", "1E+3", "18446744073709551616", "\"\"", r#""\u0061\"\\""#, "null"] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":{text},"method":"status"}}"#);
        let Ok(Message::Request { id, .. }) = Message::parse(&request) else { panic!("{request}") };
        let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":{text},\"result\":{{}}}}\n");
        assert_eq!(Frame::result(&id, "{}").as_bytes(), expected.as_bytes());
        let expected = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{text},\"error\":{{\"code\":-32601,\"message\":\"no\",\"data\":null}}}}\n"
        );
        assert_eq!(Frame::error(&id, -32601, "no", Some("null")).as_bytes(), expected.as_bytes());
    }
}

/// A text made of the pieces that envelopes are made of, in no particular order.
fn shards() -> impl Strategy<Value = String> {
    let shard = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\ud83d",
        "\"jsonrpc\"",
        "\"2.0\"",
        "\"id\"",
        "\"method\"",
        "\"params\"",
        "\"result\"",
        "\"error\"",
        "\"code\"",
        "\"message\"",
        "null",
        "1",
        "-",
        "é",
        "\u{1f600}",
        " ",
    ]);
    prop::collection::vec(shard, 0..30).prop_map(|shards| shards.concat())
}

/// A piece of a string's text: characters as they are, escapes of each kind, surrogates in pairs.
fn escapes() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z\u{80}-\u{ffff}]",
        r#"\\["\\/bfnrt]"#,
        r"\\u([0-9a-ce-fA-CE-F][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{2}",
        r"\\u[dD][89abAB][0-9a-f]{2}\\u[dD][c-fC-F][0-9a-f]{2}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn any_text_gets_a_verdict(text in prop_oneof![shards(), ".{0,60}"]) {
        // Validated or not: the first is FR-05, the second keeps a slip of ours from becoming a crash.
        let verdict = Message::parse(&text);
        let is_json = validate(text.as_bytes()).is_ok();
        if let (true, Ok(Message::Request { id, .. })) = (is_json, verdict) {
            prop_assert!(validate(id.as_json().as_bytes()).is_ok());
        }
    }

    #[test]
    fn a_string_means_the_same_after_going_out_and_in(message in any::<String>(), method in ".{0,20}") {
        let error = Frame::error(&Id::NULL, 1, &message, None);
        let text = validate(error.as_bytes()).unwrap();
        match Message::parse(text) {
            Ok(Message::Response { outcome: Outcome::Error(error), .. }) => prop_assert_eq!(error.message, message),
            other => prop_assert!(false, "{:?}", other),
        }
        let frame = Frame::notification(&method, None);
        let text = validate(frame.as_bytes()).unwrap();
        let Ok(Message::Notification { method: read, .. }) = Message::parse(text) else { panic!("a notification") };
        prop_assert_eq!(read, method);
    }

    #[test]
    fn escapes_mean_what_another_reader_says_they_mean(pieces in prop::collection::vec(escapes(), 0..12)) {
        let text = format!("\"{}\"", pieces.concat());
        let frame = format!(r#"{{"jsonrpc":"2.0","id":{text},"method":{text}}}"#);
        let Ok(Message::Request { id, method, .. }) = Message::parse(&frame) else { panic!("{frame}") };
        let meaning: String = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&*method, &meaning);
        prop_assert_eq!(id.string().unwrap(), meaning);
        prop_assert_eq!(id.as_json(), text);
    }
}
