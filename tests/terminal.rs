//! What reaches a person: no name and no content of a file gives orders to a terminal.
#![cfg(all(feature = "cli", unix))]
#![allow(clippy::unwrap_used)]

mod place;
mod puzzles;

use std::fs;

use place::Place;
use puzzles::{ANSWER, UNIQUE};

/// Turns what follows red, and rings the bell.
const RED: &str = "\u{1b}[31m";

/// What is left to see of it.
const SHOWN: &str = "\\x1b[31m";

/// Everything that a line writes to a terminal.
fn on_a_terminal(place: &Place, words: &[&str]) -> String {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"));
    command.args(words).current_dir(&place.directory).env("TERM", "xterm");
    rexpect::session::spawn_command(command, Some(30_000)).unwrap().exp_eof().unwrap()
}

#[test]
fn no_name_or_content_of_a_file_gives_orders_to_a_terminal() {
    let place = Place::new();
    let name = format!("a{RED}.txt");
    fs::write(place.path(&name), format!("{UNIQUE}\n{RED}{}\n", &UNIQUE[5..])).unwrap();
    fs::write(place.path("table.csv"), format!("a{RED}b,c\u{7}\n1,2\n1,2\n")).unwrap();
    let results = format!("r{RED}.csv");
    place.command(["solve", &name, "-q", "-o", &results]).assert().code(1);
    for words in [
        &["solve", &name][..],
        &["solve", &name, "-O", "jsonl"],
        &["solve", &name, "-O", "text"],
        &["verify", &name],
        &["solve", "table.csv"],
        &["solve", "table.csv", &name, "--puzzle-column", RED],
        &["solve", &format!("{RED}missing")],
        &["report", &results],
        &["report", &name],
        &["report", "table.csv"],
        &["bench", &name, "--seconds", "0.05"],
        // The shell puts the names of files in the place of `*`.
        &[&name],
        &["solve", "--format", RED],
    ] {
        let all = on_a_terminal(&place, words);
        assert!(!all.contains(RED) && !all.contains('\u{7}'), "{words:?}: {all}");
        assert!(!all.is_empty());
    }
    let all = on_a_terminal(&place, &["solve", &name]);
    assert!(all.contains(&format!("1,a{SHOWN}.txt,1,sudoku,unique")), "{all}");
    let output = place.command(["solve", "table.csv"]).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains(&format!("a{SHOWN}b")));
}

/// A file and a pipe get the bytes as they are.
#[test]
fn results_that_go_elsewhere_are_as_they_were() {
    let place = Place::new();
    let name = format!("a{RED}.txt");
    fs::write(place.path(&name), format!("{UNIQUE}\n")).unwrap();
    let output = place.command(["solve", &name, "-q", "--no-time"]).output().unwrap();
    let row = format!("1,{name},1,sudoku,unique,1,32,0,{UNIQUE},{ANSWER},\n");
    assert!(String::from_utf8(output.stdout).unwrap().ends_with(&row));
    place.command(["solve", &name, "-q", "--no-time", "-o", "r.csv"]).assert().success();
    assert!(place.read("r.csv").ends_with(&row));
}
