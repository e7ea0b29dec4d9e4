//! `zeroclaw call`: what it prints and with which status it ends.

use crate::program::{Home, Said};
use serde_json::{Value, json};
use std::io::Write as _;
use std::os::unix::net::UnixListener;
use std::process::Stdio;

/// What was printed, a JSON text a line.
fn lines(said: &Said) -> Vec<Value> {
    said.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// EP-03, SE-13
#[test]
fn a_call_prints_the_result_and_succeeds() {
    let home = Home::new();
    let daemon = home.start();
    let said = home.run(&["call", "status"]);
    assert_eq!((said.status.code(), said.err.as_str()), (Some(0), ""), "{said:?}");
    assert_eq!(lines(&said)[0]["localIpcEndpoint"], json!(home.socket()));
    let said = home.run(&["call", "initialize", r#"{"protocolVersion":1}"#]);
    assert_eq!(lines(&said)[0]["serverPid"], daemon.pid());
    // The daemon and its clients find each other by the same settings.
    let mut elsewhere = home.command(&["call", "status"]);
    elsewhere.env("HOME", "/nowhere").env("ZEROCLAW_SOCKET", home.socket());
    assert_eq!(Said::by(elsewhere).status.code(), Some(0));
}

/// TU-02, TU-03
#[test]
fn what_comes_unasked_is_printed_before_the_result() {
    let home = Home::new();
    let _daemon = home.start();
    assert!(home.run(&["call", "session/new", r#"{"agentAlias":"echo","sessionId":"s"}"#]).status.success());
    let said = home.run(&["call", "session/prompt", r#"{"sessionId":"s","prompt":"hello world"}"#]);
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    let [one, two, complete, result] = &lines(&said)[..] else { panic!("{said:?}") };
    for (update, text) in [(one, "hello "), (two, "world")] {
        assert_eq!((&update["method"], &update["params"]["text"]), (&json!("session/update"), &json!(text)));
    }
    assert_eq!(complete["params"]["type"], "turn_complete");
    assert_eq!(result["content"], "hello world");
}

/// ER-01
#[test]
fn an_error_goes_to_standard_error_with_its_code_and_data() {
    let home = Home::new();
    let _daemon = home.start();
    for (arguments, expected) in [
        (&["call", "no/such"][..], "error -32601"),
        (&["call", "session/close", r#"{"sessionId":"none"}"#], "error -32000"),
        (&["call", "session/close"], r#"{"reason":"invalid_params","path":"/sessionId"}"#),
        (&["call", "initialize", r#"{"protocolVersion":2}"#], r#""supported":[1]"#),
    ] {
        let said = home.run(arguments);
        assert_eq!((said.status.code(), said.out.as_str()), (Some(1), ""), "{said:?}");
        assert!(said.err.contains(expected), "{said:?}");
    }
}

#[test]
fn parameters_may_come_from_standard_input() {
    let home = Home::new();
    let _daemon = home.start();
    let mut command = home.command(&["call", "session/new", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\n \"agentAlias\": \"echo\",\n \"sessionId\": \"s\"\n}\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["sessionId"], "s");
}

#[test]
fn parameters_that_are_no_object_are_not_sent() {
    let home = Home::new();
    let _daemon = home.start();
    for params in ["{", "[1]", "x", "", "null", r#"{"a":1e999}"#] {
        let said = home.run(&["call", "status", params]);
        assert_eq!((said.status.code(), said.out.as_str()), (Some(2), ""), "{params}: {said:?}");
        assert!(said.err.contains("not a JSON object"), "{params}: {said:?}");
    }
}

#[test]
fn a_daemon_that_is_not_there_is_said_to_be_so_with_what_to_do() {
    let home = Home::new();
    std::fs::create_dir_all(home.data()).unwrap();
    for socket_left_behind in [false, true] {
        if socket_left_behind {
            drop(UnixListener::bind(home.socket()).unwrap());
        }
        let said = home.run(&["call", "status"]);
        assert_eq!((said.status.code(), said.out.as_str()), (Some(2), ""), "{said:?}");
        let (path, remedy) = (home.socket(), "zeroclaw daemon");
        assert!(said.err.contains(path.to_str().unwrap()) && said.err.contains(remedy), "{said:?}");
    }
}

#[test]
fn a_server_that_hangs_up_ends_the_call() {
    let home = Home::new();
    std::fs::create_dir_all(home.data()).unwrap();
    let listener = UnixListener::bind(home.socket()).unwrap();
    let server = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let said = home.run(&["call", "status"]);
    assert_eq!((said.status.code(), said.out.as_str()), (Some(2), ""), "{said:?}");
    server.join().unwrap();
}
