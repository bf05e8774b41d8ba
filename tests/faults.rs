//! Each call to the system that a small run makes on its files fails once, the n-th for every n, as SQLite tests it.
//!
//! The calls are made to fail from outside, by strace; where it is missing or may not trace, this is skipped loudly
//! (`apt-get install strace`), but not with `BATCHDOKU_STRACE=demanded`.
#![cfg(all(feature = "cli", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

mod place;
mod puzzles;

use std::fs;
use std::process::{Command, Output};

use place::Place;
use puzzles::{ANSWER, UNIQUE};

/// Faults of one kind that are tried at most; a run makes fewer calls.
const MOST: usize = 60;

/// Whether calls can be made to fail here.
fn can_inject() -> bool {
    let traced = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let can = traced.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("warning: NO FAULT WAS INJECTED, which takes strace: apt-get install strace");
        assert!(std::env::var("BATCHDOKU_STRACE").as_deref() != Ok("demanded"), "strace is demanded");
    }
    can
}

/// Files that a run opens, reads, writes or renames.
const FILES: [&str; 8] = [
    "a.txt",
    "out",
    "out.partial",
    "out.partial.checkpoint",
    "out.partial.checkpoint.synced",
    "out.partial.checkpoint.new",
    "s.json",
    "s.json.partial",
];

/// What is run: several batches, so that there are boundaries.
const RUN: &str = "solve a.txt -O lines -o out --summary s.json --checkpoint-every 0 --chunk-size 8192 -j 1";

/// The run, with the n-th call of that name on one of its files failing; `None` if it makes fewer.
fn inject(place: &Place, call: &str, error: &str, n: usize) -> Option<Output> {
    let log = place.path("strace.log");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o"]).arg(&log);
    for name in FILES {
        command.arg("-P").arg(name).arg("-P").arg(place.path(name));
    }
    let fault = format!("inject={call}:error={error}:when={n}");
    command.args(["-e", &format!("trace={call}"), "-e", &fault]);
    command.arg(assert_cmd::cargo::cargo_bin!("batchdoku")).args(RUN.split(' '));
    let output = command.current_dir(&place.directory).output().unwrap();
    let injected = fs::read_to_string(log).unwrap_or_default().contains("(INJECTED)");
    injected.then_some(output)
}

const RECORDS: usize = 500;

fn prepared() -> (Place, String) {
    let place = Place::new();
    fs::write(place.path("a.txt"), format!("{UNIQUE}\n").repeat(RECORDS)).unwrap();
    (place, format!("{UNIQUE},{ANSWER}\n").repeat(RECORDS))
}

#[test]
fn a_call_that_fails_loses_no_row_and_is_said() {
    if !can_inject() {
        return;
    }
    let mut faults = 0;
    for (call, error) in [
        ("openat", "EMFILE"),
        ("read", "EIO"),
        ("write", "ENOSPC"),
        ("ftruncate", "EIO"),
        ("fdatasync", "EIO"),
        ("fsync", "EIO"),
        ("rename", "EACCES"),
        ("flock", "ENOLCK"),
        ("lseek", "EIO"),
    ] {
        for n in 1..=MOST {
            let (place, whole) = prepared();
            let Some(output) = inject(&place, call, error, n) else { break };
            faults += 1;
            let said = String::from_utf8(output.stderr).unwrap();
            let what = format!("{call} {n}: {said}");
            let code = output.status.code().unwrap_or_else(|| panic!("killed: {what}"));
            assert!(code == 0 || code == 2 && said.contains("error: "), "{code}: {what}");
            let path = |name: &str| fs::read_to_string(place.path(name)).ok();
            if code == 0 {
                assert!(path("out").as_ref() == Some(&whole), "{what}");
                continue;
            }
            // Under its name there is everything or nothing; under the other there are whole rows.
            assert!(path("out").is_none_or(|rows| rows == whole), "{what}");
            let partial = path("out.partial").unwrap_or_default();
            assert!(partial.is_empty() || partial.ends_with('\n') && whole.starts_with(&partial), "{what}");
            // The next run makes it good, whether or not there is something to go on from.
            if path("out").is_none() {
                let flag = if place.path("out.partial.checkpoint").exists() { " --resume" } else { "" };
                let again = place.command(format!("{RUN}{flag}").split(' ')).output().unwrap();
                assert_eq!(
                    again.status.code(),
                    Some(0),
                    "{what}\n{}",
                    String::from_utf8_lossy(&again.stderr)
                );
            }
            assert!(path("out").as_ref() == Some(&whole), "{what}");
        }
    }
    assert!(faults > 30, "{faults} faults");
}

/// A call that is interrupted is made again.
#[test]
fn an_interrupted_call_is_made_again() {
    if !can_inject() {
        return;
    }
    let mut faults = 0;
    for call in ["openat", "read", "write"] {
        for n in 1..=MOST {
            let (place, whole) = prepared();
            let Some(output) = inject(&place, call, "EINTR", n) else { break };
            faults += 1;
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(0), "{call} {n}: {said}");
            assert!(place.read("out") == whole, "{call} {n}");
        }
    }
    assert!(faults > 10, "{faults} faults");
}
