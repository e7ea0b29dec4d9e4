//! One data directory and one endpoint have one owner.

use crate::program::{Home, Line, Running, Said};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// EP-04, EP-16
#[test]
fn a_second_daemon_is_refused_with_the_pid_of_the_first_which_is_not_disturbed() {
    let home = Home::new();
    let first = home.start();
    let mut line = Line::initialized(&home.socket());
    let pid = first.pid().to_string();
    for _ in 0..2 {
        home.run(&["daemon"]).refuses_to_start(&[home.data().to_str().unwrap(), &pid]);
        line.fence();
        Line::initialized(&home.socket()).fence();
    }
    // The data directory has one owner, whatever its endpoint.
    let mut elsewhere = home.command(&["daemon"]);
    elsewhere.env("ZEROCLAW_SOCKET", home.path().join("other.sock"));
    Said::by(elsewhere).refuses_to_start(&[home.data().to_str().unwrap(), &pid]);
    assert!(!home.path().join("other.sock").exists());
    line.fence();
    drop(line);
    first.stop();
}

/// EP-04, EP-05
#[test]
fn an_endpoint_has_one_owner_whatever_the_data_directory() {
    let (home, other) = (Home::new(), Home::new());
    let socket = home.path().join("z.sock");
    let start = |home: &Home| {
        let mut command = home.command(&["daemon"]);
        command.env("ZEROCLAW_SOCKET", &socket);
        command
    };
    let first = Running::start(start(&home));
    let mut line = Line::initialized(&socket);
    Said::by(start(&other)).refuses_to_start(&[socket.to_str().unwrap(), &first.pid().to_string()]);
    line.fence();
    Line::initialized(&socket).fence();
    drop(line);
    first.stop();
    Running::start(start(&other)).stop();
}

/// EP-04
#[test]
fn different_data_directories_do_not_collide() {
    let (one, two) = (Home::new(), Home::new());
    let daemons = [one.start(), two.start()];
    for (home, daemon) in [&one, &two].into_iter().zip(&daemons) {
        let mut line = Line::open(&home.socket());
        assert_eq!(line.call("initialize", serde_json::json!({}))["serverPid"], daemon.pid());
    }
}

/// EP-05
#[test]
fn of_daemons_that_start_at_once_exactly_one_serves() {
    for shared_data in [true, false] {
        let homes: Vec<_> = (0..4).map(|_| Home::new()).collect();
        let socket = homes[0].socket();
        let mut children: Vec<_> = homes
            .iter()
            .map(|home| {
                let mut command =
                    if shared_data { homes[0].command(&["daemon"]) } else { home.command(&["daemon"]) };
                if !shared_data {
                    command.env("ZEROCLAW_SOCKET", &socket);
                }
                command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
            })
            .collect();
        let mut left = children.len();
        crate::program::until("all but one have ended", || {
            children.retain_mut(|child| match child.try_wait().unwrap() {
                Some(status) => {
                    assert!(!status.success(), "{status}");
                    false
                }
                None => true,
            });
            left = children.len();
            left <= 1
        });
        let [owner] = &mut children[..] else { panic!("nobody serves") };
        crate::program::until("the socket is there", || socket.exists());
        let mut line = Line::open(&socket);
        assert_eq!(line.call("initialize", serde_json::json!({}))["serverPid"], owner.id());
        owner.kill().unwrap();
        owner.wait().unwrap();
    }
}

/// EP-06, EP-07
#[test]
fn after_a_crash_the_next_start_succeeds() {
    let home = Home::new();
    for _ in 0..3 {
        let daemon = home.start();
        Line::initialized(&home.socket()).fence();
        daemon.kill();
        assert!(home.socket().exists(), "nobody was there to remove it");
    }
    home.start().stop();
}

/// EP-05, EP-16
#[test]
fn a_lock_file_that_is_not_a_plain_file_of_ours_stops_the_start() {
    type Put = fn(&std::path::Path);
    let things: [(&str, Put); 4] = [
        ("a link", |path| {
            fs::write(path.with_extension("target"), "").unwrap();
            symlink(path.with_extension("target"), path).unwrap();
        }),
        ("a dangling link", |path| symlink(path.with_extension("target"), path).unwrap()),
        ("a second name", |path| {
            fs::write(path.with_extension("target"), "").unwrap();
            fs::hard_link(path.with_extension("target"), path).unwrap();
        }),
        ("a FIFO", |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
    ];
    for (what, put) in things {
        for lock in ["daemon.lock", "daemon.sock.lock"] {
            let home = Home::new();
            fs::create_dir_all(home.data()).unwrap();
            let path = home.data().join(lock);
            put(&path);
            home.run(&["daemon"]).refuses_to_start(&[path.to_str().unwrap()]);
            assert!(fs::symlink_metadata(&path).is_ok(), "{what} is still there");
            assert!(!home.socket().exists());
            let target = path.with_extension("target");
            assert!(!target.exists() || fs::read(target).unwrap().is_empty(), "{what} was written to");
        }
    }
}
