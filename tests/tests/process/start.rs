//! How a start looks from outside: where things are, and when they are ready.

use crate::program::{Home, Line, PROGRAM, Running};
use serde_json::json;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::process::{Command, Stdio};
use std::time::Duration;

/// EP-01, EP-02, EP-03
#[test]
fn the_first_setting_decides_where_everything_is() {
    let (flag, config, data) =
        (("--config-dir", "flag"), ("ZEROCLAW_CONFIG_DIR", "config"), ("ZEROCLAW_DATA_DIR", "data-only"));
    for (with_flag, with_config, with_data, config_dir, data_dir) in [
        (true, true, true, "flag", "flag/data"),
        (false, true, true, "config", "config/data"),
        (false, false, true, "data-only", "data-only"),
        (false, false, false, ".zeroclaw", ".zeroclaw/data"),
    ] {
        let home = Home::new();
        let at = |name: &str| home.path().join(name);
        let mut command = home.command(&["daemon"]);
        if with_flag {
            command.arg(flag.0).arg(at(flag.1));
        }
        // A blank variable counts as unset.
        command.env(config.0, if with_config { at(config.1) } else { " ".into() });
        command.env(data.0, if with_data { at(data.1) } else { "".into() });
        command.env("ZEROCLAW_SOCKET", "  ");
        let _daemon = Running::start(command);
        let socket = at(data_dir).join("daemon.sock");
        let status = Line::initialized(&socket).call("status", json!({}));
        assert_eq!(status["configDir"], json!(at(config_dir)));
        assert_eq!(status["configFile"], json!(at(config_dir).join("config.toml")));
        assert_eq!(status["localIpcEndpoint"], json!(socket));
        assert!(at(data_dir).join("daemon.lock").exists());
    }
}

/// EP-02
#[test]
fn a_relative_directory_is_below_where_the_daemon_was_started() {
    let home = Home::new();
    let _daemon = Running::start(home.command(&["--config-dir", "here", "daemon"]));
    let status = Line::initialized(&home.path().join("here/data/daemon.sock")).call("status", json!({}));
    assert_eq!(status["configDir"], json!(home.path().join("here")));
}

/// EP-13
#[test]
fn one_line_says_when_the_endpoint_is_ready_and_a_service_manager_hears_it() {
    let home = Home::new();
    let notify = home.path().join("notify");
    let manager = UnixDatagram::bind(&notify).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut command = home.command(&["daemon"]);
    command.env("NOTIFY_SOCKET", &notify);
    let daemon = Running::start(command);
    // Whoever waited for the line may connect at once.
    Line::initialized(&home.socket()).fence();
    let heard = daemon.heard();
    let ready: Vec<_> = heard.lines().filter(|line| line.contains("is ready on")).collect();
    assert!(matches!(ready[..], [line] if line.contains(home.socket().to_str().unwrap())), "{heard}");
    let mut message = [0; 256];
    let length = manager.recv(&mut message).unwrap();
    assert!(message[..length].split(|byte| *byte == b'\n').any(|line| line == b"READY=1"));
}

/// A daemon that inherits the listening socket at this path as a service manager hands it over.
fn activated(home: &Home, listener: UnixListener) -> Command {
    let environment = home.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", r#"exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" daemon"#, PROGRAM]);
    command.env_clear().envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(home.path()).stdin(Stdio::from(OwnedFd::from(listener)));
    command
}

/// EP-13
#[test]
fn an_inherited_socket_is_served_and_never_unlinked() {
    let home = Home::new();
    let socket = home.path().join("inherited.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    crate::program::set_mode(&socket, 0o600);
    let daemon = Running::start(activated(&home, listener));
    let status = Line::initialized(&socket).call("status", json!({}));
    assert_eq!(status["localIpcEndpoint"], json!(socket));
    daemon.stop();
    assert!(socket.exists());
}

/// EP-13, EP-09
#[test]
fn an_inherited_socket_that_is_too_wide_is_refused_and_never_unlinked() {
    let home = Home::new();
    let socket = home.path().join("inherited.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    crate::program::set_mode(&socket, 0o660);
    crate::program::Said::by(activated(&home, listener)).refuses_to_start(&["wider than 0600"]);
    assert!(socket.exists());
}
