//! A configuration that is not understood stops the start, and says where it went wrong.

use crate::program::{Home, Line};
use serde_json::json;

/// LI-11
#[test]
fn what_is_wrong_with_the_configuration_is_named_by_file_and_line() {
    for (text, line, reason) in [
        ("[rpc]\nmax_frame_bytes = 1\n", "line 2", "rpc.max_frame_bytes"),
        ("# a comment\n\n[rpc]\nframe_timeout = 5\n", "line 4", "rpc.frame_timeout"),
        ("[rpc]\nstrict_params = \"yes\"\n", "line 2", "rpc.strict_params"),
        ("rpc = 5\n", "line 1", "rpc"),
    ] {
        let home = Home::configured(text);
        let file = home.path().join(".zeroclaw/config.toml");
        home.run(&["daemon"]).refuses_to_start(&[file.to_str().unwrap(), line, reason]);
        assert!(!home.socket().exists());
    }
}

#[test]
fn a_file_that_is_no_toml_is_named_with_its_line() {
    let home = Home::configured("[rpc]\nmax_frame_bytes =\n");
    let file = home.path().join(".zeroclaw/config.toml");
    let said = home.run(&["daemon"]);
    assert!(!said.status.success());
    assert!(said.err.contains(file.to_str().unwrap()) && said.err.contains("line 2"), "{said:?}");
}

/// LI-11, CL-06
#[test]
fn what_the_file_says_is_in_force() {
    let home = Home::configured(
        "[other]\nx = 1\n[rpc]\nmax_live_sessions = 1\nserver_version = \"0.8.4\"\nstrict_params = true\n",
    );
    let _daemon = home.start();
    let mut line = Line::open(&home.socket());
    let result = line.call("initialize", json!({}));
    assert_eq!(
        (&result["limits"]["max_live_sessions"], &result["serverVersion"]),
        (&json!(1), &json!("0.8.4"))
    );
    line.session("s");
    line.ask("session/new", json!({"agentAlias": "echo", "keepSiblings": true}));
    assert_eq!(line.receive()["error"]["code"], -32001);
    line.ask("status", json!({"x": 1}));
    assert_eq!(line.receive()["error"]["data"]["reason"], "unknown_member");
}
