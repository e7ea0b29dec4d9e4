//! Several clients on a real socket: too many of them, and those that break off.

use crate::program::{Home, Line, PROGRAM, Running, until};
use serde_json::{Value, json};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::Command;

/// LI-05
#[test]
fn one_connection_too_many_gets_one_notice_and_the_end_of_the_stream() {
    let home = Home::configured("[rpc]\nmax_local_connections = 3\n");
    let daemon = home.start();
    let mut lines: Vec<_> = (0..3).map(|_| Line::initialized(&home.socket())).collect();
    let notice = json!({
        "jsonrpc": "2.0", "id": null,
        "error": {"code": -32004, "message": "", "data": {"reason": "connection_limit", "limit": 3}},
    });
    for unread in ["", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n"] {
        let mut refused = Line::open(&home.socket());
        // Unread input does not turn the notice into a reset.
        let _ = refused.write(unread.as_bytes());
        let mut heard = refused.receive();
        heard["error"]["message"] = json!("");
        assert_eq!(heard, notice);
        refused.end();
    }
    lines.iter_mut().for_each(Line::fence);
    drop(lines.pop());
    until("there is room again", || {
        let mut line = Line::open(&home.socket());
        line.ask("initialize", json!({}));
        line.receive()["result"].is_object()
    });
    let warnings = daemon.heard().lines().filter(|line| line.contains("refusing connections")).count();
    assert!(warnings >= 1, "{}", daemon.heard());
}

/// LI-05
#[test]
fn one_warning_is_logged_when_refusing_begins() {
    let home = Home::configured("[rpc]\nmax_local_connections = 1\n");
    let daemon = home.start();
    let line = Line::initialized(&home.socket());
    for _ in 0..5 {
        let mut refused = Line::open(&home.socket());
        assert_eq!(refused.receive()["error"]["code"], -32004);
        refused.end();
    }
    drop(line);
    daemon.signal(rustix::process::Signal::TERM);
    let (_, heard) = daemon.ended();
    assert_eq!(heard.lines().filter(|line| line.contains("refusing connections")).count(), 1, "{heard}");
}

/// LI-01, LI-12
#[test]
fn a_frame_that_is_too_large_does_not_lose_its_notice_to_a_reset() {
    let home = Home::configured("[rpc]\nmax_frame_bytes = 4096\n");
    let _daemon = home.start();
    for size in [4097, 100_000, 1_000_000] {
        let mut line = Line::initialized(&home.socket());
        // The daemon may have closed before it has taken all of it.
        let _ = line.write(&vec![b'x'; size]);
        let notice = line.receive();
        assert_eq!(notice["error"]["data"], json!({"reason": "frame_too_large", "limit_bytes": 4096}));
        let _ = line.stream().shutdown(Shutdown::Write);
        line.end();
    }
}

/// OR-06
#[test]
fn a_client_that_only_stops_writing_gets_its_turn_to_the_end() {
    let home = Home::new();
    let _daemon = home.start();
    let mut line = Line::initialized(&home.socket());
    line.session("s");
    let asked = line.ask("session/prompt", json!({"sessionId": "s", "prompt": "@pour 3000000"}));
    line.stream().shutdown(Shutdown::Write).unwrap();
    let mut bytes = 0;
    loop {
        let frame = line.receive();
        match frame["params"]["text"].as_str() {
            Some(text) => bytes += text.len(),
            None if frame["id"] == asked => break assert_eq!(frame["result"]["stopReason"], "end_turn"),
            None => assert_eq!(frame["params"]["outcome"], "completed"),
        }
    }
    assert_eq!(bytes, 3_000_000);
    line.end();
}

/// OR-06
#[test]
fn the_turns_of_a_client_that_is_gone_are_cancelled() {
    let home = Home::new();
    let _daemon = home.start();
    let mut watcher = Line::initialized(&home.socket());
    // Gone at once, and gone after a half-close that looked like patience.
    for half_close in [false, true] {
        let mut line = Line::initialized(&home.socket());
        line.session("s");
        line.waiting_turn("s");
        if half_close {
            line.stream().shutdown(Shutdown::Write).unwrap();
            assert_eq!(watcher.call("session/state", json!({"sessionId": "s"}))["state"], "running");
        }
        drop(line);
        until("the turn has ended", || {
            watcher.call("session/state", json!({"sessionId": "s"}))["state"] == "idle"
        });
        watcher.call("session/close", json!({"sessionId": "s"}));
    }
}

/// EP-12
#[test]
fn the_listener_survives_when_there_are_no_descriptors_left() {
    let home = Home::new();
    let environment = home.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", r#"ulimit -n 24; exec "$0" daemon"#, PROGRAM]).current_dir(home.path());
    command.env_clear().envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let daemon = Running::start(command);
    let mut first = Line::initialized(&home.socket());
    let crowd: Vec<_> = (0..40).map(|_| UnixStream::connect(home.socket()).unwrap()).collect();
    until("it has run out of descriptors", || daemon.heard().contains("cannot accept"));
    first.fence();
    drop(crowd);
    Line::initialized(&home.socket()).fence();
    first.fence();
}

/// EP-11, ER-03
#[test]
fn the_log_names_the_peer_and_says_nothing_of_what_was_said() {
    let home = Home::new();
    let mut command = home.command(&["daemon"]);
    command.env("RUST_LOG", "trace");
    let daemon = Running::start(command);
    let mut line = Line::initialized(&home.socket());
    line.session("s");
    let secret = "sk-5ecret";
    line.call("initialize", json!({"env": {"TOKEN": secret}}));
    let asked = line.ask("session/prompt", json!({"sessionId": "s", "prompt": secret}));
    while line.receive()["id"] != asked {}
    for frame in [
        secret.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":"{secret}","method":"{secret}","params":{{"{secret}":1}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"authToken":"{secret}"}}}}"#),
    ] {
        line.write(format!("{frame}\n").as_bytes()).unwrap();
        assert_ne!(line.receive()["error"], Value::Null);
    }
    drop(line);
    daemon.signal(rustix::process::Signal::TERM);
    let (_, heard) = daemon.ended();
    let peer = format!("unix:pid={},uid={}", std::process::id(), rustix::process::geteuid().as_raw());
    assert!(heard.contains(&peer), "{heard}");
    assert!(!heard.contains(secret), "{heard}");
}
