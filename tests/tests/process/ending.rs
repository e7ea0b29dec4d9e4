//! How a daemon ends, and what its clients see of it.

use crate::program::{Home, Line, until};
use rustix::process::Signal;
use serde_json::json;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// EP-14
#[test]
fn a_signal_cancels_the_running_turn_answers_it_and_ends_every_connection_cleanly() {
    for signal in [Signal::TERM, Signal::INT] {
        let home = Home::new();
        let daemon = home.start();
        let idle = Line::initialized(&home.socket());
        let silent = Line::open(&home.socket());
        let mut line = Line::initialized(&home.socket());
        line.session("s");
        let running = line.waiting_turn("s");
        let waiting = line.ask("session/prompt", json!({"sessionId": "s", "prompt": "two"}));
        line.fence();
        let began = Instant::now();
        daemon.signal(signal);
        for asked in [running, waiting] {
            let complete = line.receive()["params"].take();
            assert_eq!(
                (&complete["type"], &complete["outcome"]),
                (&json!("turn_complete"), &json!("cancelled"))
            );
            let reply = line.receive();
            assert_eq!((&reply["id"], &reply["result"]["stopReason"]), (&asked, &json!("cancelled")));
        }
        line.end();
        idle.end();
        silent.end();
        let (status, heard) = daemon.ended();
        assert_eq!(status.code(), Some(0), "{heard}");
        assert!(began.elapsed() < Duration::from_secs(5), "nobody had to be waited for");
        assert!(UnixStream::connect(home.socket()).is_err());
    }
}

/// EP-14, LI-11
#[test]
fn a_client_that_does_not_read_is_not_waited_for_longer_than_its_time() {
    let home = Home::configured("[rpc]\nunwind_ms = 100\ndrain_ms = 300\n");
    let daemon = home.start();
    let mut line = Line::initialized(&home.socket());
    line.session("s");
    line.ask("session/prompt", json!({"sessionId": "s", "prompt": "@pour 100000000"}));
    assert_eq!(line.receive()["params"]["type"], "agent_message_chunk");
    let began = Instant::now();
    daemon.signal(Signal::TERM);
    let (status, heard) = daemon.ended();
    assert_eq!(status.code(), Some(0), "{heard}");
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

/// EM-01, EM-03
#[test]
fn an_ephemeral_daemon_ends_by_itself_after_its_last_client() {
    let home = Home::configured("[rpc]\nephemeral_grace_ms = 200\n");
    let daemon = crate::program::Running::start(home.command(&["daemon", "--ephemeral"]));
    let first = Line::initialized(&home.socket());
    let mut second = Line::initialized(&home.socket());
    drop(first);
    // Longer than the grace, with one client left.
    let began = Instant::now();
    until("the grace is over", || began.elapsed() > Duration::from_millis(300));
    second.fence();
    drop(second);
    // A reconnect in time cancels it.
    let mut third = Line::initialized(&home.socket());
    let began = Instant::now();
    until("the grace is over", || began.elapsed() > Duration::from_millis(300));
    third.fence();
    drop(third);
    let (status, heard) = daemon.ended();
    assert_eq!(status.code(), Some(0), "{heard}");
    assert!(!home.socket().exists());
}

/// EM-02
#[test]
fn without_the_flag_the_number_of_clients_means_nothing() {
    let home = Home::configured("[rpc]\nephemeral_grace_ms = 1\n");
    let _daemon = home.start();
    for _ in 0..3 {
        Line::initialized(&home.socket()).fence();
        let began = Instant::now();
        until("the grace is over", || began.elapsed() > Duration::from_millis(20));
    }
    Line::initialized(&home.socket()).fence();
}
