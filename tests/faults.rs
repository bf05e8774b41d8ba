//! Makes each file system call of a small run fail once: the n-th call, for every n, as in SQLite's tests. There are
//! three kinds of runs: a first run, a run that finds an earlier run's leftovers, and a run that resumes an earlier
//! one.
//!
//! strace makes the calls fail from outside. If it is missing or not allowed to trace, the tests are skipped with a
//! loud warning (`apt-get install strace`), or fail if `BATCHDOKU_STRACE=demanded`.
#![cfg(all(feature = "cli", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

mod place;
mod puzzles;

use std::fs;
use std::process::{Command, Output};

use place::Place;
use puzzles::{ANSWER, UNIQUE};

/// The largest number of faults of one kind to try; a run makes fewer calls than that.
const MOST: usize = 80;

/// Returns whether system calls can be made to fail here.
fn can_inject() -> bool {
    let traced = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    let can = traced.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("warning: NO FAULT WAS INJECTED, which takes strace: apt-get install strace");
        assert!(std::env::var("BATCHDOKU_STRACE").as_deref() != Ok("demanded"), "strace is demanded");
    }
    can
}

/// The files that a run opens, reads, writes, renames or removes.
const FILES: [&str; 7] = [
    "a.txt",
    "out",
    "out.partial",
    "out.partial.checkpoint",
    "out.partial.checkpoint.new",
    "s.json",
    "s.json.partial",
];

/// The run under test: several batches, so that there are boundaries between them.
const RUN: &str = "solve a.txt -O lines -o out --summary s.json --checkpoint-every 0 --chunk-size 8192 -j 1";

/// The situation in which the run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scene {
    /// Only the input exists.
    First,
    /// An earlier run was cut off.
    OverAnEarlierRun,
    /// An earlier run was cut off, and is resumed.
    Resumed,
}

const SCENES: [Scene; 3] = [Scene::First, Scene::OverAnEarlierRun, Scene::Resumed];

const RECORDS: usize = 500;

/// A place for the runs, and the files that they start from.
struct Stage {
    place: Place,
    /// The names and contents of the files left by the run that was cut off.
    left: Vec<(&'static str, Vec<u8>)>,
    whole: String,
}

impl Stage {
    fn new() -> Self {
        let place = Place::with("a.txt", format!("{UNIQUE}\n").repeat(RECORDS));
        // Limits the file size, in blocks of 512 or 1,024 bytes, so that only some of the rows fit.
        place.shell(&format!("ulimit -f 50; batchdoku {RUN}")).assert().code(2);
        let left: Vec<_> =
            FILES[2..].iter().filter_map(|&name| Some((name, fs::read(place.path(name)).ok()?))).collect();
        let names: Vec<_> = left.iter().map(|(name, _)| *name).collect();
        assert!(names.starts_with(&FILES[2..4]), "{names:?}");
        let whole = format!("{UNIQUE},{ANSWER}\n").repeat(RECORDS);
        assert!(left[0].1.len() > 10_000 && left[0].1.len() < whole.len());
        Self { place, left, whole }
    }

    fn set(&self, scene: Scene) {
        FILES[1..].iter().for_each(|name| drop(fs::remove_file(self.place.path(name))));
        if scene != Scene::First {
            self.left.iter().for_each(|(name, bytes)| fs::write(self.place.path(name), bytes).unwrap());
        }
    }

    /// Runs a scene in which the n-th of these calls on its files fails; returns `None` if the run makes fewer calls.
    fn inject(&self, scene: Scene, calls: &[&str], error: &str, n: usize) -> Option<Output> {
        self.set(scene);
        let log = self.place.path("strace.log");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o"]).arg(&log);
        for name in FILES {
            command.arg("-P").arg(name).arg("-P").arg(self.place.path(name));
        }
        // Some calls do not exist on every architecture: aarch64, for example, has `unlinkat` but no `unlink`.
        let calls = calls.iter().map(|call| format!("?{call}")).collect::<Vec<_>>().join(",");
        let fault = format!("inject={calls}:error={error}:when={n}");
        command.args(["-e", &format!("trace={calls}"), "-e", &fault]);
        command.arg(assert_cmd::cargo::cargo_bin!("batchdoku")).args(RUN.split(' '));
        if scene == Scene::Resumed {
            command.arg("--resume");
        }
        let output = command.current_dir(&self.place.directory).output().unwrap();
        let injected = fs::read_to_string(log).unwrap_or_default().contains("(INJECTED)");
        injected.then_some(output)
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.place.path(name)).ok()
    }
}

/// PROMISE: failing-calls, power-loss
#[test]
fn a_call_that_fails_loses_no_row_and_is_said() {
    if !can_inject() {
        return;
    }
    let stage = Stage::new();
    for (calls, error) in [
        (&["openat"][..], "EMFILE"),
        (&["read"], "EIO"),
        (&["write"], "ENOSPC"),
        (&["ftruncate"], "EIO"),
        (&["fdatasync"], "EIO"),
        (&["fsync"], "EIO"),
        (&["rename", "renameat", "renameat2"], "EACCES"),
        (&["unlink", "unlinkat"], "EACCES"),
        (&["statx"], "EIO"),
        (&["flock"], "ENOLCK"),
        (&["lseek"], "EIO"),
    ] {
        let mut faults = 0;
        for scene in SCENES {
            for n in 1..=MOST {
                let Some(output) = stage.inject(scene, calls, error, n) else { break };
                assert!(n < MOST, "{calls:?} is called more often than that");
                faults += 1;
                let said = String::from_utf8(output.stderr).unwrap();
                let what = format!("{scene:?}, {} {n}: {said}", calls[0]);
                look(&stage, output.status.code(), &said, &what);
            }
        }
        println!("{}: {faults} faults", calls.join(", "));
        assert!(faults > 0, "no run calls any of {calls:?}");
    }
}

/// Checks what is left after a run in which a call failed.
fn look(stage: &Stage, code: Option<i32>, said: &str, what: &str) {
    let whole = Some(&stage.whole);
    let code = code.unwrap_or_else(|| panic!("killed: {what}"));
    assert!(code == 0 || code == 2 && said.contains("error: "), "{code}: {what}");
    // If a file could not be found or read, the message must not claim that its contents are wrong.
    let wrong =
        ["is lost", "was changed", "in the way", "another run is writing that", "no stream", "not a pipe"];
    assert!(wrong.iter().all(|wrong| !said.contains(wrong)), "{what}");
    // The file with the final name is complete or absent; the partial file contains only whole rows.
    let out = stage.read("out");
    assert!(out.is_none() && code == 2 || out.as_ref() == whole, "{what}");
    let partial = stage.read("out.partial").unwrap_or_default();
    assert!(partial.is_empty() || partial.ends_with('\n') && stage.whole.starts_with(&partial), "{what}");
    // The next run completes the work, whether or not there is something to resume; leftovers do not make it fail.
    let resumes = out.is_none() && stage.place.path("out.partial.checkpoint").exists();
    let again = stage.place.command(RUN.split(' ')).args(resumes.then_some("--resume")).output().unwrap();
    assert_eq!(again.status.code(), Some(0), "{what}\n{}", String::from_utf8_lossy(&again.stderr));
    assert!(stage.read("out").as_ref() == whole, "{what}");
    let left: Vec<_> =
        FILES[2..].iter().filter(|name| stage.place.path(name).exists() && **name != "s.json").collect();
    assert!(left.is_empty(), "{what}: the next run leaves {left:?}");
}

/// An interrupted call is repeated.
/// PROMISE: interrupted-calls
#[test]
fn an_interrupted_call_is_made_again() {
    if !can_inject() {
        return;
    }
    let stage = Stage::new();
    for call in ["openat", "read", "write", "ftruncate"] {
        let mut faults = 0;
        for scene in SCENES {
            for n in 1..=MOST {
                let Some(output) = stage.inject(scene, &[call], "EINTR", n) else { break };
                faults += 1;
                let said = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(0), "{scene:?}, {call} {n}: {said}");
                assert!(stage.place.read("out") == stage.whole, "{scene:?}, {call} {n}");
            }
        }
        assert!(faults > 0, "no run calls {call}");
    }
}
