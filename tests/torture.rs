//! Long runs, in which memory use must stay constant and rows must stay right. Quick by default; `make torture` takes
//! an hour.
#![cfg(all(feature = "cli", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// Returns the number of puzzles that go through the pipe.
fn puzzles() -> usize {
    if std::env::var_os("BATCHDOKU_TORTURE").is_some() { 200_000_000 } else { 300_000 }
}

/// Returns the resident memory of a process in bytes.
fn resident(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Every row is compared with the same row of the first round, which the other tests compare with an oracle.
/// PROMISE: bounded-memory
#[test]
fn a_long_pipe_takes_no_more_memory_than_a_short_one_and_every_row_is_right() {
    let program = assert_cmd::cargo::cargo_bin!("batchdoku");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let list: Vec<u8> = ["easy.txt", "several.txt", "minimal.txt", "unsolvable.txt"]
        .iter()
        .flat_map(|name| fs::read(root.join(name)).unwrap())
        .collect();
    let arguments = ["solve", "-", "-q", "--lenient", "-O", "lines", "-j", "2"];
    let once = assert_cmd::Command::new(program).args(arguments).write_stdin(list.clone()).assert().success();
    let expected = once.get_output().stdout.clone();
    let lines = expected.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(lines, list.iter().filter(|&&byte| byte == b'\n').count());

    let rounds = puzzles().div_ceil(lines);
    let mut child =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let feed = thread::spawn(move || {
        for _ in 0..rounds {
            match input.write_all(&list) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return,
                written => written.unwrap(),
            }
        }
    });
    let mut round = vec![0; expected.len()];
    let (mut early, mut most) = (0, 0);
    for number in 0..rounds {
        output.read_exact(&mut round).unwrap();
        assert!(round == expected, "round {number}");
        let now = resident(child.id());
        // By then every buffer has reached its final size.
        if number <= rounds / 3 {
            early = early.max(now);
        }
        most = most.max(now);
    }
    assert_eq!(output.read(&mut round).unwrap(), 0);
    feed.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(early > 0 && most < early + (8 << 20), "{early} bytes at first, {most} in the end");
}
