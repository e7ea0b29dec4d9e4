//! Users who are not ours. Only root can be somebody else, so elsewhere there is nothing to see; CI is root.

use crate::program::{Home, PROGRAM, Running, set_mode};
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// A user who owns nothing.
const NOBODY: u32 = 65_534;

fn can_be_somebody_else() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        eprintln!("left out: only root can run a program as another user");
    }
    root
}

/// A daemon that runs as nobody, in a directory of nobody's below `home`.
fn of_nobody(home: &Home) -> Running {
    let (program, theirs) = (home.path().join("program"), home.path().join("theirs"));
    set_mode(home.path(), 0o755);
    fs::copy(PROGRAM, &program).unwrap();
    fs::create_dir(&theirs).unwrap();
    chown(&theirs, Some(NOBODY), Some(NOBODY)).unwrap();
    let mut command = Command::new(program);
    command.args(["daemon", "--config-dir"]).arg(theirs).env_clear().current_dir("/").uid(NOBODY).gid(NOBODY);
    Running::start(command)
}

/// EP-19, AU-01
#[test]
fn a_daemon_of_another_user_is_told_nothing_unless_its_user_is_trusted() {
    if !can_be_somebody_else() {
        return;
    }
    let home = Home::new();
    let _daemon = of_nobody(&home);
    let call = |arguments: &[&str]| home.run(&[&["call", "--config-dir", "theirs"], arguments].concat());
    let said = call(&["status"]);
    assert_eq!((said.status.code(), said.out.as_str()), (Some(2), ""));
    assert!(said.err.contains("nothing was sent; --trust-user 65534 talks to it"), "{said:?}");
    // Trusted, it hears us; and to it we are the stranger, root or not.
    let said = call(&["--trust-user", "65534", "status"]);
    assert!(said.status.code() == Some(2) && said.err.contains("this user is not known here"), "{said:?}");
}

/// EP-09
#[test]
fn another_user_cannot_even_connect() {
    if !can_be_somebody_else() {
        return;
    }
    let home = Home::new();
    set_mode(home.path(), 0o755);
    let _daemon = home.start();
    UnixStream::connect(home.socket()).unwrap();
    let mut stranger = Command::new("sh");
    // The shell's own view of the path: not even its directory opens.
    stranger.args(["-c", "test -e \"$0\""]).arg(home.socket()).uid(NOBODY).gid(NOBODY);
    assert!(!stranger.status().unwrap().success());
}
