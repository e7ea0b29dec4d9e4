//! The socket's path: what may be there, who may enter, how long it may be.

use crate::program::{Home, Line, PROGRAM, Running, mode, set_mode};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// The daemon by way of a shell that first does this.
fn after(home: &Home, shell: &str) -> Command {
    let environment = home.command(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &format!(r#"{shell}; exec "$0" daemon"#), PROGRAM]);
    command.env_clear().envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(home.path());
    command
}

/// EP-09
#[test]
fn the_socket_and_the_directories_are_ours_alone_from_the_first_instant() {
    for _ in 0..5 {
        let home = Home::new();
        let (socket, done) = (home.socket(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let watch = scope.spawn(|| {
                let (mut seen, mut widest) = (0, 0);
                // Once more after the daemon is ready, so that something is seen for certain.
                loop {
                    let last = done.load(Ordering::Acquire);
                    if let Ok(found) = fs::symlink_metadata(&socket) {
                        seen += 1;
                        widest |= found.mode() & 0o7777;
                    }
                    if last {
                        return (seen, widest);
                    }
                    std::hint::spin_loop();
                }
            });
            let daemon = Running::start(after(&home, "umask 0"));
            done.store(true, Ordering::Release);
            let (seen, widest) = watch.join().unwrap();
            assert!(seen > 0);
            assert_eq!(format!("{widest:o}"), "600");
            for directory in [home.data(), home.path().join(".zeroclaw")] {
                assert_eq!(format!("{:o}", mode(&directory)), "700", "{}", directory.display());
            }
            let mut line = Line::initialized(&socket);
            line.session("s");
            for made in ["data/agents", "data/agents/echo"] {
                assert_eq!(format!("{:o}", mode(&home.path().join(".zeroclaw").join(made))), "700", "{made}");
            }
            for file in ["data/daemon.lock", "data/daemon.sock.lock", "data/clients.key"] {
                assert_eq!(format!("{:o}", mode(&home.path().join(".zeroclaw").join(file))), "600", "{file}");
            }
            drop(daemon);
        });
    }
}

/// EP-09
#[test]
fn a_data_directory_that_others_may_enter_is_closed_to_them() {
    let home = Home::new();
    fs::create_dir_all(home.data()).unwrap();
    set_mode(&home.data(), 0o755);
    let _daemon = home.start();
    assert_eq!(format!("{:o}", mode(&home.data())), "700");
}

/// EP-03, EP-09
#[test]
fn a_directory_that_is_only_named_is_never_changed() {
    let home = Home::new();
    let directory = home.path().join("shared");
    let socket = directory.join("z.sock");
    fs::create_dir(&directory).unwrap();
    for (allowed, bits) in
        [(true, 0o755), (true, 0o1777), (true, 0o700), (false, 0o777), (false, 0o770), (false, 0o757)]
    {
        set_mode(&directory, bits);
        let mut command = home.command(&["daemon"]);
        command.env("ZEROCLAW_SOCKET", format!(" {} ", socket.display()));
        if allowed {
            let daemon = Running::start(command);
            assert_eq!(mode(&socket), 0o600);
            Line::initialized(&socket).fence();
            daemon.stop();
        } else {
            crate::program::Said::by(command)
                .refuses_to_start(&[directory.to_str().unwrap(), "others may write"]);
            assert!(!socket.exists());
        }
        assert_eq!(format!("{:o}", mode(&directory)), format!("{bits:o}"));
    }
}

/// EP-06
#[test]
fn whatever_else_is_at_the_path_stops_the_start_and_is_left_untouched() {
    type Put = fn(&Path);
    let things: [(&str, Put); 6] = [
        ("a file", |path| fs::write(path, "precious").unwrap()),
        ("a directory", |path| fs::create_dir(path).unwrap()),
        ("a FIFO", |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
        ("a link to a file", |path| {
            fs::write(path.with_extension("target"), "precious").unwrap();
            symlink(path.with_extension("target"), path).unwrap();
        }),
        ("a link to a dead socket", |path| {
            drop(UnixListener::bind(path.with_extension("target")).unwrap());
            symlink(path.with_extension("target"), path).unwrap();
        }),
        ("a dangling link", |path| symlink("/nowhere/at/all", path).unwrap()),
    ];
    for (what, put) in things {
        let home = Home::new();
        fs::create_dir_all(home.data()).unwrap();
        put(&home.socket());
        let before = fs::symlink_metadata(home.socket()).unwrap();
        home.run(&["daemon"]).refuses_to_start(&[home.socket().to_str().unwrap()]);
        let after = fs::symlink_metadata(home.socket()).unwrap();
        assert_eq!(
            (before.ino(), before.mode(), before.len()),
            (after.ino(), after.mode(), after.len()),
            "{what}"
        );
        let target = home.socket().with_extension("target");
        assert!(!after.is_symlink() || what == "a dangling link" || target.exists(), "{what}");
    }
}

/// EP-06
#[test]
fn a_living_socket_of_somebody_else_is_left_alone() {
    let home = Home::new();
    fs::create_dir_all(home.data()).unwrap();
    let listener = UnixListener::bind(home.socket()).unwrap();
    let before = fs::symlink_metadata(home.socket()).unwrap().ino();
    home.run(&["daemon"]).refuses_to_start(&[home.socket().to_str().unwrap()]);
    assert_eq!(fs::symlink_metadata(home.socket()).unwrap().ino(), before);
    drop(listener);
    // Dead now, and in a place that is ours: stale.
    let _daemon = home.start();
    Line::initialized(&home.socket()).fence();
}

/// EP-07
#[test]
fn at_the_end_the_socket_is_removed_only_if_it_is_still_ours() {
    let home = Home::new();
    home.start().stop();
    assert!(!home.socket().exists());
    assert!(home.data().join("daemon.sock.lock").exists(), "a lock is never unlinked");
    let daemon = home.start();
    fs::remove_file(home.socket()).unwrap();
    let theirs = UnixListener::bind(home.socket()).unwrap();
    daemon.stop();
    assert!(fs::symlink_metadata(home.socket()).unwrap().file_type().is_socket());
    drop(theirs);
}

/// EP-08
#[test]
fn a_path_that_is_too_long_stops_the_start_before_anything_is_made() {
    let home = Home::new();
    let limit = if cfg!(target_os = "linux") { 107 } else { 103 };
    let named = |length: usize| {
        let directory = home.path().as_os_str().as_bytes().len() + 1;
        home.path().join("s".repeat(length - directory))
    };
    let start = |socket: &Path| {
        let mut command = home.command(&["daemon"]);
        command.env("ZEROCLAW_SOCKET", socket);
        command
    };
    let too_long = named(limit + 1);
    let said = crate::program::Said::by(start(&too_long));
    said.refuses_to_start(&[too_long.to_str().unwrap(), &(limit + 1).to_string(), &limit.to_string()]);
    let left: Vec<_> = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    // One byte less is allowed.
    let daemon = Running::start(start(&named(limit)));
    Line::initialized(&named(limit)).fence();
    daemon.stop();
}
