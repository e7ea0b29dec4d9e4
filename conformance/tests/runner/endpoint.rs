//! An endpoint whose answers are written down in the test.

use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use zeroclaw_conformance::endpoint::Target;
use zeroclaw_conformance::json::{Json, read};
use zeroclaw_conformance::run::{CaseRecord, Options, Summary, run};
use zeroclaw_conformance::spec::Spec;
use zeroclaw_conformance::transcript::Suite;

/// What the endpoint writes for a frame: lines, without their LF where the line has none; `CLOSE` ends the stream.
pub(crate) type Answers = fn(&str, &Json) -> Vec<String>;

pub(crate) const CLOSE: &str = "(close)";

/// Judges an endpoint by transcripts: path and lines.
pub(crate) async fn judged(transcripts: &[(&str, &str)], answers: Answers, options: Options) -> Summary {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("endpoint.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(converse(stream, answers));
        }
    });
    let suite = Suite::from_texts(transcripts.iter().copied());
    assert_eq!(suite.faults, []);
    let spec = Arc::new(Spec::embedded().unwrap());
    let summary = run(spec, &suite, Target::Unix(socket), options, &mut |_| {}).await.unwrap();
    serving.abort();
    summary
}

/// Judges an endpoint by the steps of one case, whose rule is SE-13.
pub(crate) async fn case(steps: &str, answers: Answers) -> CaseRecord {
    let header = r#"{"case":"t.case","rules":["SE-13"],"about":"a test"}"#;
    let options = Options { time_scale: 0.2, ..Options::default() };
    let summary = judged(&[("t/case.ndjson", &format!("{header}\n{steps}"))], answers, options).await;
    summary.records.into_iter().next().unwrap()
}

async fn converse(stream: UnixStream, answers: Answers) {
    let (read_half, mut write) = stream.into_split();
    let mut lines = BufReader::new(read_half).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let frame = read(&line).unwrap_or(Json::Null);
        let method = frame.get("method").and_then(Json::as_str).unwrap_or_default();
        let mut written = answers(method, &frame);
        if written.is_empty() && frame.get("id").is_some() {
            written = usual(method, &frame);
        }
        for text in written {
            if text == CLOSE {
                return;
            }
            let end = if text.ends_with('\n') { "" } else { "\n" };
            if write.write_all(format!("{text}{end}").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// What a daemon that is right would answer; nothing where the test says that nothing comes.
fn usual(method: &str, frame: &Json) -> Vec<String> {
    let id = frame.get("id").cloned().unwrap_or(Json::Null);
    let result = match method {
        "initialize" => INITIALIZED.to_owned(),
        "status" => STATUS.to_owned(),
        "session/state" => r#"{"sessionId":"s","state":"idle"}"#.to_owned(),
        _ => return Vec::new(),
    };
    vec![reply(&id, &result)]
}

pub(crate) fn reply(id: &Json, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub(crate) fn error(id: &Json, code: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no"}}}}"#)
}

pub(crate) fn update(session: &str, rest: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}",{rest}}}}}"#)
}

pub(crate) const STATUS: &str = r#"{"serverVersion":"1","protocolVersion":1,"activeSessions":0,"sessionIds":[],"configDir":"/c","configFile":"/c/config.toml"}"#;

const INITIALIZED: &str = r#"{"protocolVersion":1,"serverVersion":"1","serverPid":1,"capabilities":["initialize","session/prompt","session/state","status"],"limits":{"max_frame_bytes":8388608,"frame_timeout_ms":30000,"initialize_timeout_ms":30000,"write_timeout_ms":30000,"max_local_connections":512,"max_live_sessions":64,"max_waiting_prompts":32,"prompt_wait_ms":30000,"max_queued_bytes":4194304,"approval_timeout_secs":120,"elicitation_timeout_secs":120,"upload_idle_ms":300000,"upload_budget_bytes":268435456,"max_uploads_per_connection":4,"ephemeral_grace_ms":1000,"unwind_ms":5000,"drain_ms":5500},"principalId":"operator","tuiId":"t","tuiSig":"s"}"#;
