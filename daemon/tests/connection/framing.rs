//! Section 2: bytes into frames, and frames that are not JSON.

use crate::peer::Served;
use serde_json::{Value, json};

const STATUS: &str = r#"{"jsonrpc":"2.0","id":7,"method":"status"}"#;

/// FR-02
#[tokio::test(start_paused = true)]
async fn a_frame_may_come_one_byte_at_a_time_and_inside_a_character() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let prompt = "{\"jsonrpc\":\"2.0\",\"id\":\"é😀\",\"method\":\"session/prompt\",\
                  \"params\":{\"sessionId\":\"s\",\"prompt\":\"ü\u{2028}\"}}\n";
    for byte in prompt.as_bytes() {
        peer.write(&[*byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(peer.turn("s").await, ("ü\u{2028}".to_owned(), json!("completed")));
    assert_eq!(peer.result("é😀").await["content"], "ü\u{2028}");
}

/// FR-02
#[tokio::test(start_paused = true)]
async fn many_frames_may_come_in_one_piece() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let frames: String =
        (0..500).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"status\"}}\n")).collect();
    peer.write(frames.as_bytes()).await;
    for id in 0..500 {
        peer.result(id).await;
    }
}

/// FR-02
#[tokio::test(start_paused = true)]
async fn a_carriage_return_before_the_line_feed_and_blank_lines_mean_nothing() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.write(format!("\n\r\n \t\r\n\r\r\n  {STATUS}\r\n\n\t{STATUS}  \r\n").as_bytes()).await;
    peer.result(7).await;
    peer.result(7).await;
    peer.fence().await;
}

/// FR-02
#[tokio::test(start_paused = true)]
async fn only_a_line_feed_ends_a_frame() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.send(STATUS.replace('7', "\"\u{2028}\u{2029}\u{85}\"")).await;
    peer.result("\u{2028}\u{2029}\u{85}").await;
    // Two frames on one line are one that is no JSON.
    for between in ["\r", "\u{2028}", " ", ""] {
        peer.send(format!("{STATUS}{between}{STATUS}")).await;
        assert_eq!(peer.error().await, (Value::Null, -32700, Value::Null));
    }
    peer.fence().await;
}

/// FR-02
#[tokio::test(start_paused = true)]
async fn the_last_line_counts_without_a_line_feed() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.write(STATUS.as_bytes()).await;
    peer.finish().await;
    peer.result(7).await;
    peer.end().await;
}

/// FR-02
#[tokio::test(start_paused = true)]
async fn half_a_last_line_is_answered_as_what_it_is() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.write(&STATUS.as_bytes()[..20]).await;
    peer.finish().await;
    assert_eq!(peer.error().await, (Value::Null, -32700, Value::Null));
    peer.end().await;
}

/// FR-03
#[tokio::test(start_paused = true)]
async fn whatever_the_text_a_frame_is_one_line_without_raw_control_characters() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    peer.session("s").await;
    let text: String =
        (0..0x20).map(char::from).chain("\"\\/\u{7f}\u{2028}\u{2029}\u{feff}😀".chars()).collect();
    peer.prompt("s", &text).await;
    let mut said = String::new();
    loop {
        let line = peer.receive_text().await;
        assert!(line.starts_with('{') && line.ends_with('}'), "{line}");
        assert!(!line.bytes().any(|byte| byte < 0x20), "a raw control character");
        let mut frame: Value = serde_json::from_str(&line).unwrap();
        match frame["params"]["type"].as_str() {
            Some("agent_message_chunk") => said.push_str(frame["params"]["text"].as_str().unwrap()),
            Some(_) => assert_eq!(frame["params"]["content"].take(), text.as_str()),
            None => break assert_eq!(frame["result"]["content"].take(), text.as_str()),
        }
    }
    assert_eq!(said, text);
}

/// Frames that are not JSON, each for a reason of its own.
fn not_json() -> Vec<Vec<u8>> {
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"status","unread":{open}{close}}}"#).into_bytes()
    };
    let unread =
        |value: &[u8]| [br#"{"jsonrpc":"2.0","id":7,"method":"status","unread":"#, value, b"}"].concat();
    let mut frames = vec![
        format!("\u{feff}{STATUS}").into_bytes(),
        format!("{STATUS} x").into_bytes(),
        format!("{STATUS},").into_bytes(),
        nested(128),
        nested(100_000),
        b"status".to_vec(),
        b"'".to_vec(),
        b"{".to_vec(),
        b"\"open".to_vec(),
        b"\0".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"status\",}".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":7 \"method\":\"status\"}".to_vec(),
        b"{jsonrpc:\"2.0\"}".to_vec(),
        b"// a comment".to_vec(),
    ];
    let values: [&[u8]; 28] = [
        b"\"\xff\"",
        b"\"\xc3\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xc0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
        br#""\ud800""#,
        br#""\udc00""#,
        br#""\ud800\ud800""#,
        br#""\udc00\ud800""#,
        br#"{"\ud83d":1}"#,
        br#""\u12""#,
        br#""\x41""#,
        b"\"\t\"",
        b"\"\x00\"",
        b"\"\x1f\"",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e999",
        b"-1e999",
        b"[1,2,]",
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"True",
        b"nul",
        b"\x0b1",
    ];
    frames.extend(values.map(unread));
    // A number as long as the frame is one too.
    frames.push(unread("9".repeat(400).as_bytes()));
    frames
}

/// FR-04
#[tokio::test(start_paused = true)]
async fn what_is_not_json_is_answered_without_an_id_and_the_connection_goes_on() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for frame in not_json() {
        peer.write(&[&frame[..], b"\n"].concat()).await;
        assert_eq!(peer.error().await, (Value::Null, -32700, Value::Null), "{}", frame.escape_ascii());
        peer.fence().await;
    }
}

/// FR-04, HS-01
#[tokio::test(start_paused = true)]
async fn what_is_not_json_is_answered_before_initialize_too() {
    let served = Served::new();
    let mut peer = served.connect();
    for frame in not_json() {
        peer.write(&[&frame[..], b"\n"].concat()).await;
        assert_eq!(peer.error().await, (Value::Null, -32700, Value::Null));
    }
    peer.initialize().await;
}

/// FR-04
#[tokio::test(start_paused = true)]
async fn what_is_json_just_so_is_read() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let (open, close) = ("[".repeat(126), "]".repeat(126));
    for unread in [
        format!("{open}{close}").as_str(),
        r#""\ud83d\ude00\u0000""#,
        "1e308",
        "1e-999",
        "-0",
        "9".repeat(300).as_str(),
        "\"\u{feff}\u{7f}\u{ffff}\"",
        "[ 1 ,\t2 , { } , [ ] ]",
    ] {
        peer.send(format!(r#"{{"unread":{unread},"jsonrpc":"2.0","id":7,"method":"status"}}"#)).await;
        peer.result(7).await;
    }
}

/// FR-05
#[tokio::test(start_paused = true)]
async fn a_frame_of_a_million_brackets_takes_no_stack() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    for brackets in ["[", "{\"a\":"] {
        peer.send(brackets.repeat(1_000_000)).await;
        assert_eq!(peer.error().await, (Value::Null, -32700, Value::Null));
    }
    // Wide instead of deep is fine.
    let wide = "[],".repeat(1_000_000);
    peer.send(format!(r#"{{"unread":[{wide}1],"jsonrpc":"2.0","id":7,"method":"status"}}"#)).await;
    peer.result(7).await;
}

/// FR-06
#[tokio::test(start_paused = true)]
async fn an_error_says_nothing_of_the_frame_nor_of_the_parser() {
    let served = Served::new();
    let mut peer = served.initialized().await;
    let secret = "sk-5ecret";
    for frame in [
        format!("{{\"{secret}\": {secret}}}"),
        format!("\"{secret}"),
        format!("[\"{secret}\"]"),
        format!(r#"{{"jsonrpc":"{secret}","id":1,"method":"{secret}","params":"{secret}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{secret}"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/new","params":{{"agentAlias":"{secret}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/close","params":{{"sessionId":"{secret}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/list","params":{{"limit":"{secret}"}}}}"#),
    ] {
        peer.send(frame).await;
        let answer = peer.receive_text().await;
        assert!(answer.contains(r#""error""#) && !answer.contains(secret), "{answer}");
        for internal in [".rs", "line ", "column", "serde", "byte ", "/src/"] {
            assert!(!answer.contains(internal), "{answer}");
        }
    }
}
