//! The runner against endpoints whose answers are written down: what it takes, what it refuses, and by which rule.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

mod endpoint;
mod suites;
mod unasked;

use endpoint::{Answers, CLOSE, STATUS, case, error, reply, update};
use zeroclaw_conformance::json::Json;
use zeroclaw_conformance::run::{CaseRecord, Verdict};

fn id(frame: &Json) -> &Json {
    frame.get("id").unwrap_or(&Json::Null)
}

async fn passes(steps: &str, answers: Answers) {
    let record = case(steps, answers).await;
    assert_eq!(record.verdict, Verdict::Pass, "{steps}\n{record:#?}");
}

/// The failure of a case that must fail: its rule, its line, and what is said.
async fn fails(steps: &str, answers: Answers) -> (String, usize, String) {
    let record = case(steps, answers).await;
    assert_eq!(record.verdict, Verdict::Fail, "{steps}\n{record:#?}");
    let failure = record.failure.unwrap();
    (failure.rule, failure.line, failure.what)
}

/// Why a case is a fault of the suite.
async fn faulty(steps: &str, answers: Answers) -> String {
    let record: CaseRecord = case(steps, answers).await;
    assert_eq!(record.verdict, Verdict::HarnessFault, "{steps}\n{record:#?}");
    record.why.unwrap()
}

fn usual(_: &str, _: &Json) -> Vec<String> {
    Vec::new()
}

#[tokio::test]
async fn a_reply_that_fits_passes() {
    passes(r#"{"send":{"id":1,"method":"status"},"reply":{"result":{"activeSessions":0}}}"#, usual).await;
}

#[tokio::test]
async fn the_step_and_the_place_of_a_difference_are_named() {
    let steps = r#"{"send":{"id":1,"method":"status"},"reply":{"result":{}}}
{"send":{"id":2,"method":"status"},"reply":{"result":{"activeSessions":7}},"rule":"LI-07"}"#;
    let (rule, line, what) = fails(steps, usual).await;
    assert_eq!((rule.as_str(), line), ("LI-07", 3));
    assert_eq!(what, "at /result/activeSessions: expected 7, got 0");
}

#[tokio::test]
async fn a_frame_that_does_not_come_fails_the_step_that_waits() {
    let (rule, line, what) = fails(r#"{"expect":{"method":"session/update"}}"#, usual).await;
    assert_eq!((rule.as_str(), line, what.as_str()), ("SE-13", 2, "nothing came on `a` in time"));
}

/// A turn: two chunks, the end, the reply; what a test wants else stands between.
fn turn(method: &str, frame: &Json) -> Vec<String> {
    if method != "session/prompt" {
        return Vec::new();
    }
    vec![
        update("s", r#""type":"agent_message_chunk","text":"one ""#),
        update("s", r#""type":"context_usage","inputTokens":3"#),
        update("s", r#""type":"agent_message_chunk","text":"two""#),
        update("s", r#""type":"something_new","x":1"#),
        update("s", r#""type":"turn_complete","turnId":"t","outcome":"completed","content":"one two""#),
        reply(id(frame), r#"{"sessionId":"s","turnId":"t","stopReason":"end_turn","content":"one two"}"#),
    ]
}

const PROMPT: &str = r#"{"send":{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":"x"}}}"#;
const TURN_END: &str = r#"{"expect":{"method":"session/update","params":{"type":"turn_complete"}}}
{"expect":{"id":1,"result":{}}}"#;

#[tokio::test]
async fn a_text_is_joined_however_it_is_cut() {
    let joined = r#"{"expect":{"method":"session/update","params":{"type":"agent_message_chunk"}},"join":{"/params/text":"one two"}}"#;
    passes(&format!("{PROMPT}\n{joined}\n{TURN_END}"), turn).await;
    let longer = joined.replace("one two", "one two three");
    let (_, line, what) = fails(&format!("{PROMPT}\n{longer}\n{TURN_END}"), turn).await;
    assert_eq!(line, 3);
    assert!(what.contains("expected \"agent_message_chunk\", got \"turn_complete\""), "{what}");
    let other = joined.replace("one two", "one 2");
    let (_, _, what) = fails(&format!("{PROMPT}\n{other}\n{TURN_END}"), turn).await;
    assert!(what.starts_with("at /params/text: expected a beginning of \"2\""), "{what}");
}

#[tokio::test]
async fn frames_to_skip_are_dropped_and_no_others() {
    let skipping = r#"{"expect":{"id":1,"result":{}},"skip":[{"method":"session/update"}]}"#;
    passes(&format!("{PROMPT}\n{skipping}"), turn).await;
    let too_few = r#"{"expect":{"id":1,"result":{}},"skip":[{"params":{"type":"agent_message_chunk"}}]}"#;
    fails(&format!("{PROMPT}\n{too_few}"), turn).await;
}

#[tokio::test]
async fn what_is_left_at_the_end_fails_the_case() {
    let (_, line, _) = fails(PROMPT, turn).await;
    assert_eq!(line, 2, "the end is judged where the last step stands");
}

#[tokio::test]
async fn a_send_that_is_never_answered_fails_the_case() {
    let silent: Answers = |_, _| Vec::new();
    let (rule, _, what) = fails(PROMPT, silent).await;
    assert_eq!((rule.as_str(), what.as_str()), ("OR-01", "`session/prompt` with the id 1 is never answered"));
    passes(r#"{"send":{"id":1,"method":"no/such"},"invalid":true}"#, silent).await;
}

#[tokio::test]
async fn a_fence_holds_what_comes_before_it() {
    let inner = TURN_END.replace('\n', ",");
    let chunk = r#"{"expect":{"params":{"type":"agent_message_chunk"}},"join":{"/params/text":"one two"}}"#;
    passes(
        &format!(
            r#"{PROMPT}
{{"fence":[{chunk},{inner}]}}"#
        ),
        turn,
    )
    .await;
    fails(&format!("{PROMPT}\n{{\"fence\":[]}}"), turn).await;
}

#[tokio::test]
async fn an_end_that_nobody_expects_fails_the_case() {
    let closing: Answers = |method, frame| match method {
        "session/state" => vec![reply(id(frame), r#"{"sessionId":"s","state":"idle"}"#), CLOSE.to_owned()],
        _ => Vec::new(),
    };
    let send =
        r#"{"send":{"id":1,"method":"session/state","params":{"sessionId":"s"}},"reply":{"result":{}}}"#;
    fails(send, closing).await;
    passes(&format!("{send}\n{{\"expect\":\"eof\"}}"), closing).await;
    passes(&format!("{send}\n{{\"expect\":\"lost\"}}"), closing).await;
    fails(&format!("{send}\n{{\"expect\":\"reset\"}}"), closing).await;
    fails(&format!("{send}\n{{\"expect\":{{\"id\":2}}}}"), closing).await;
}

#[tokio::test]
async fn a_permitted_variant_is_told_as_such() {
    let steps = r#"{"send":{"id":1,"method":"status"},"reply":{"error":{}},"variant":[{"result":{}}]}"#;
    assert_eq!(case(steps, usual).await.verdict, Verdict::PermittedVariant);
}

/// Two turns whose frames are mixed.
fn mixed(method: &str, frame: &Json) -> Vec<String> {
    if method != "session/prompt" {
        return Vec::new();
    }
    let end = |session: &str| {
        update(session, r#""type":"turn_complete","turnId":"t","outcome":"completed","content":"""#)
    };
    let result = |session: &str| {
        format!(r#"{{"sessionId":"{session}","turnId":"t","stopReason":"end_turn","content":""}}"#)
    };
    match frame.at("/params/sessionId").and_then(Json::as_str) {
        Some("s1") => vec![end("s1")],
        _ => {
            vec![end("s2"), reply(&Json::integer(2), &result("s2")), reply(&Json::integer(1), &result("s1"))]
        }
    }
}

const MIXED: &str = r#"{"send":[{"id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":"x"}},{"id":2,"method":"session/prompt","params":{"sessionId":"s2","prompt":"x"}}]}"#;

#[tokio::test]
async fn branches_keep_their_own_order_only() {
    let branch = |session: &str, id: u8| {
        format!(r#"[{{"expect":{{"params":{{"sessionId":"{session}"}}}}}},{{"expect":{{"id":{id}}}}}]"#)
    };
    passes(&format!("{MIXED}\n{{\"unordered\":[{},{}]}}", branch("s2", 2), branch("s1", 1)), mixed).await;
    let rounds = r#"{"unordered":[{"repeat":"i","from":1,"to":3,"steps":[{"expect":{"params":{"sessionId":"s${i}","turnId":{"$bind":"t"}}}},{"expect":{"id":{"$any":true},"result":{"sessionId":"s${i}","turnId":"$t"}}}]}]}"#;
    passes(&format!("{MIXED}\n{rounds}"), mixed).await;
    let wrong = r#"{"unordered":[[{"expect":{"params":{"sessionId":"s1"}}},{"expect":{"id":1}}],[{"expect":{"id":2}},{"expect":{"params":{"sessionId":"s2"}}}]]}"#;
    fails(&format!("{MIXED}\n{wrong}"), mixed).await;
}

#[tokio::test]
async fn a_frame_that_two_branches_wait_for_is_a_fault_of_the_suite() {
    let steps = r#"{"unordered":[[{"expect":{"method":"session/update"}},{"expect":{"id":1}}],[{"expect":{"params":{"sessionId":"s1"}}},{"expect":{"id":2}}]]}"#;
    let why = faulty(&format!("{MIXED}\n{steps}"), mixed).await;
    assert_eq!(why, "t/case.ndjson:3: two branches (lines 3 and 3) wait for the same frame");
}

#[tokio::test]
async fn what_a_transcript_sends_must_fit_the_spec() {
    let why = faulty(r#"{"send":{"id":1,"method":"session/state","params":{"sessionId":7}}}"#, usual).await;
    assert!(
        why.starts_with("t/case.ndjson:2: the params of `session/state` do not fit at `/sessionId`"),
        "{why}"
    );
    let why = faulty(r#"{"check":"$nothing","is":1}"#, usual).await;
    assert_eq!(why, "t/case.ndjson:2: `$nothing` is not bound yet");
}

#[tokio::test]
async fn names_are_bound_once_and_known_afterwards() {
    let steps = r#"{"send":{"id":1,"method":"status"},"reply":{"result":{"serverVersion":{"$bind":"v"},"activeSessions":{"$bind":"n"}}}}
{"check":["$v","<${v}>",{"$add":["$n",2]}],"is":["1","<1>",2]}
{"send":{"id":"$n","method":"status"},"reply":{"result":{"serverVersion":"$v"}}}"#;
    passes(steps, usual).await;
    let twice = r#"{"check":1,"is":{"$bind":"x"}}
{"check":2,"is":{"$bind":"x"}}"#;
    assert_eq!(faulty(twice, usual).await, "t/case.ndjson:3: `$x` is bound twice");
    let (_, line, _) = fails(r#"{"check":1,"is":{"$gt":1}}"#, usual).await;
    assert_eq!(line, 2);
    passes(r#"{"repeat":"i","to":3,"steps":[{"check":"$i","is":{"$bind":"x","$lt":3}}]}"#, usual).await;
}

#[tokio::test]
async fn what_comes_too_early_fails() {
    let closing: Answers = |method, frame| match method {
        "session/state" => vec![reply(id(frame), r#"{"sessionId":"s","state":"idle"}"#), CLOSE.to_owned()],
        _ => Vec::new(),
    };
    let steps = r#"{"send":{"id":1,"method":"session/state","params":{"sessionId":"s"}},"reply":{"result":{}}}
{"expect":"eof","took":"frame_timeout_ms","rule":"LI-02"}"#;
    let (rule, _, what) = fails(steps, closing).await;
    assert_eq!(rule, "LI-02");
    assert!(what.starts_with("too early: after "), "{what}");
}

#[tokio::test]
async fn split_bytes_make_one_frame_and_raw_frames_need_no_answer() {
    let split = r#"{"raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n","split":"bytes"}"#;
    passes(&format!("{split}\n{{\"expect\":{{\"id\":1,\"result\":{STATUS}}}}}"), usual).await;
    passes(r#"{"raw":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}\n"}"#, usual).await;
    let ids = r#"{"raw":"{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"status\"}\n"}
{"expect":{"id":{"$text":"1e3"}},"bytes":{"$re":"1e3"}}"#;
    passes(ids, usual).await;
}

#[tokio::test]
async fn a_connection_that_is_not_read_is_seen_to_be_lost() {
    let closing: Answers = |method, frame| match method {
        "session/state" => vec![error(id(frame), -32000), CLOSE.to_owned()],
        _ => Vec::new(),
    };
    let steps = r#"{"send":{"id":1,"method":"status"},"reply":{"result":{}}}
{"read":false}
{"send":{"id":2,"method":"session/state","params":{"sessionId":"s"}}}
{"expect":"lost"}"#;
    passes(steps, closing).await;
}
