//! `zeroclaw daemon --stdio`: one client, no socket.

use crate::program::{Home, Said};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What the command says to somebody who says all of this at once and then no more.
pub(crate) fn told(mut command: Command, text: &str) -> Said {
    let (reader, mut writer) = std::io::pipe().unwrap();
    command.stdin(Stdio::from(reader));
    let text = text.to_owned();
    let teller = std::thread::spawn(move || writer.write_all(text.as_bytes()));
    let said = Said::by(command);
    teller.join().unwrap().unwrap();
    said
}

/// EP-15, OR-06, FR-02
#[test]
fn one_client_is_answered_on_standard_output_and_nothing_else_is_there() {
    let home = Home::new();
    let frames = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"agentAlias":"echo","sessionId":"s"}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":"hello"}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":4,"method":"status"}"#,
    );
    let said = told(home.command(&["daemon", "--stdio"]), frames);
    assert!(said.status.success(), "{said:?}");
    let frames: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let reply = |id: i64| frames.iter().find(|frame| frame["id"] == id).expect("every request is answered");
    assert_eq!(reply(3)["result"]["content"], "hello");
    assert_eq!(reply(4)["result"].get("localIpcEndpoint"), None);
    assert!(!home.socket().exists());
}

/// EP-16
#[test]
fn it_owns_its_data_directory_like_any_other() {
    let home = Home::new();
    let daemon = home.start();
    let refused = told(home.command(&["daemon", "--stdio"]), "");
    refused.refuses_to_start(&[home.data().to_str().unwrap(), &daemon.pid().to_string()]);
}

/// EP-15, EN-01
#[test]
fn it_has_no_second_client_to_wait_for() {
    let home = Home::new();
    let said = told(home.command(&["daemon", "--stdio"]), "{}\n");
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.status.code(), &answer["error"]["code"]), (Some(0), &json!(-32600)));
    assert!(!home.run(&["daemon", "--stdio", "--ephemeral"]).status.success(), "they exclude each other");
}
