//! `--resume`: the file ends up as if nothing had happened, whenever and however the earlier runs were cut off.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};

use batchdoku::cli::definitions;
use predicates::prelude::*;
use predicates::str::contains;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::flags::{commands_with, flags};
use crate::place::{Place, end, ended, gzip, mkfifo, send, wait_for};
use crate::puzzles::{ANSWER, UNIQUE, double, grid, unsolvable};

/// Returns how often each kind of run is killed; more often with `BATCHDOKU_TORTURE=1`.
fn kills() -> usize {
    if std::env::var_os("BATCHDOKU_TORTURE").is_some() { 100 } else { 4 }
}

/// Writes records of every status, many times over, as lists in several layouts.
fn lists(place: &Place, lines: usize) {
    let (double, _) = double();
    let lines: String = (0..lines)
        .map(|number| match number % 50 {
            7 => format!("{}\n", unsolvable()),
            11 => format!("{double}\n"),
            13 => format!("{}\n", &UNIQUE[1..]),
            17 => "# a remark\n\n".to_owned(),
            _ => format!("{UNIQUE}\n"),
        })
        .collect();
    place.write("lines.txt", &lines);
    let table: String =
        lines.lines().filter(|line| line.len() > 70).map(|line| format!("{line},{ANSWER}\n")).collect();
    place.write("table.csv", format!("puzzle,solution\n{table}"));
    place.write("grids.txt", format!("{}\n", grid(UNIQUE)).repeat(5_000));
    place.write("packed.txt.gz", gzip(&lines));
    place.write("packed.txt.zst", zstd::encode_all(lines.as_bytes(), 1).unwrap());
}

/// Removes the checkpoints of a run that was killed just after its file got its final name.
fn remove_checkpoints(place: &Place) {
    for ending in ["", ".new"] {
        let _ = fs::remove_file(place.path(&format!("killed.partial.checkpoint{ending}")));
    }
}

/// Runs a line until it ends on its own, killing it at varying moments, chosen by time or by the rows written. Returns
/// how often it continued an earlier run.
fn run_and_kill(place: &Place, line: &str, signal: &str, random: &mut Xoshiro256PlusPlus) -> usize {
    let before = Instant::now();
    place.run(&format!("{line} -o whole -q")).assert().code(1);
    let [time, bytes] = [before.elapsed().as_micros() as u64, place.read("whole").len() as u64];
    let (mut resumed, mut killed, mut is_begun) = (0, 0, false);
    loop {
        let mut child = place.start(&format!("{line} -o killed{}", if is_begun { " --resume" } else { "" }));
        let may_end = killed == kills();
        let until = Instant::now() + Duration::from_micros(random.next_u64() % time);
        let length = bytes / 10 + random.next_u64() % (bytes / 10 * 8);
        let is_due = || match killed % 2 {
            0 => fs::metadata(place.path("killed.partial")).is_ok_and(|found| found.len() >= length),
            _ => Instant::now() >= until,
        };
        while !may_end && !is_due() && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_micros(200));
        }
        if !may_end && child.try_wait().unwrap().is_none() {
            send(&child, signal);
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        resumed += usize::from(said.contains("resuming after"));
        let is_complete = match output.status.code() {
            Some(0 | 1) => true,
            // The run was killed after its file had got its final name.
            Some(2) if said.contains("is complete") => true,
            // The run was killed or ended because of the signal.
            None | Some(130) => false,
            Some(code) => panic!("{code}: {said}"),
        };
        if is_complete && may_end {
            return resumed;
        } else if is_complete {
            // The run was too fast, so it starts over.
            fs::remove_file(place.path("killed")).unwrap();
            remove_checkpoints(place);
        } else {
            killed += 1;
        }
        is_begun = place.path("killed.partial.checkpoint").exists();
    }
}

/// PROMISE: resume
#[test]
fn a_run_that_was_killed_goes_on_and_writes_what_an_unkilled_one_does() {
    let place = Place::new();
    lists(&place, if kills() > 4 { 60_000 } else { 20_000 });
    let mut random = Xoshiro256PlusPlus::seed_from_u64(10);
    for (inputs, format) in [
        ("lines.txt", "csv"),
        ("lines.txt", "jsonl"),
        ("lines.txt grids.txt", "lines"),
        ("grids.txt lines.txt", "text"),
        ("packed.txt.gz table.csv", "csv"),
        ("packed.txt.zst", "lines"),
    ] {
        for signal in ["-KILL", "-INT"] {
            let line =
                format!("solve {inputs} --no-time -O {format} -j 2 --checkpoint-every 1 --chunk-size 4096");
            let resumed = run_and_kill(&place, &line, signal, &mut random);
            assert!(place.read("killed") == place.read("whole"), "{line} {signal}");
            assert!(resumed > 0, "{line} {signal} was never cut off in its middle");
            assert!(!place.path("killed.partial").exists());
            remove_checkpoints(&place);
            fs::remove_file(place.path("killed")).unwrap();
        }
    }
    let line = "verify table.csv --no-time --only wrong,not-unique,unsolvable --checkpoint-every 1 --chunk-size 4096";
    let resumed = run_and_kill(&place, line, "-KILL", &mut random);
    assert!(resumed > 0 && place.read("killed") == place.read("whole"));
}

/// PROMISE: resumed-summary
#[test]
fn the_summary_counts_the_rows_of_all_runs() {
    let place = Place::new();
    lists(&place, 20_000);
    place.cut_off("solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r", 100_000);
    place.run("solve lines.txt -o r --resume --summary s.json").assert().code(1);
    place.run("solve lines.txt -o whole --summary whole.json").assert().code(1);
    let [all, whole] = ["s.json", "whole.json"].map(|name| place.json(name));
    for key in ["records", "written", "statuses", "exit_code", "ending"] {
        assert_eq!(all[key], whole[key], "{key}");
    }
    assert!(all["earlier_records"].as_u64().unwrap() > 0 && whole["earlier_records"] == 0);
}

/// If a run is resumed after a file that was read to the end, the columns of that file still count.
#[test]
fn columns_that_are_carried_along_are_those_of_all_inputs() {
    let place = Place::new();
    let table = |names: &str, rows: usize| -> String {
        let row = |row| format!("{row:06},{UNIQUE},{ANSWER},\"{row},x\"\n");
        format!("{names}\n{}", (0..rows).map(row).collect::<String>())
    };
    place.write("a.csv", table("id,puzzle,solution,rating", 3));
    place.write("b.csv", table("nr,quizzes,solutions,Rating", 20_000));
    for (line, names) in [
        ("solve a.csv b.csv --keep --no-time", ",input_id,input_solution,rating,nr,input_solutions"),
        ("solve a.csv b.csv --keep nr,RATING --no-time", ",error,nr,rating"),
        ("canon a.csv b.csv --with-symmetry --keep nr", ",automorphisms,symmetry,form,error,nr"),
        ("permute a.csv b.csv -k 2 --seed 1", "puzzle,solution,id,rating,nr"),
        ("rate a.csv b.csv --columns class,depth --keep nr", ",class,depth,puzzle,error,nr"),
        ("convert a.csv b.csv", "puzzle,solution,id,rating,nr"),
        ("convert a.csv b.csv -O jsonl", ""),
    ] {
        place.run(&format!("{line} -o whole -q")).assert().code(0);
        place.cut_off(&format!("{line} -o r --checkpoint-every 0 --chunk-size 4096"), "r", 100_000);
        place.run(&format!("{line} -o r --resume")).assert().code(0);
        assert!(place.read("r") == place.read("whole"), "{line}");
        assert!(place.read("r").lines().next().unwrap().ends_with(names), "{line}");
        fs::remove_file(place.path("r")).unwrap();
    }
}

/// Everything that rows depend on must be the same. A message names what has changed, and nothing is modified.
/// PROMISE: resume-refusals
#[test]
fn what_has_changed_is_refused_by_name() {
    let place = Place::new();
    lists(&place, 20_000);
    place.write("other.txt", format!("{UNIQUE}\n"));
    place.cut_off("solve lines.txt grids.txt -o r --checkpoint-every 0 --chunk-size 4096", "r", 100_000);
    let before = place.read("r.partial");
    let refuse = |line: &str, why: &str| {
        place.refuses(line, why);
        assert!(place.read("r.partial") == before, "{line} changed the partial file");
    };
    refuse("solve lines.txt grids.txt -o r --resume other.txt", "it had 2 inputs, not 3 (other.txt is new)");
    refuse("solve grids.txt lines.txt -o r --resume", "its input was lines.txt, not grids.txt");
    refuse("verify lines.txt grids.txt -o r --resume", "command was solve and is now verify");
    let lines = place.read("lines.txt");
    place.write("lines.txt", &lines[..lines.len() - 1]);
    refuse("solve lines.txt grids.txt -o r --resume", "lines.txt had ");
    place.write("lines.txt", lines.replacen(UNIQUE, &unsolvable(), 1));
    refuse("solve lines.txt grids.txt -o r --resume", "lines.txt began differently");
    place.write("lines.txt", &lines);
    refuse("solve lines.txt grids.txt -o r --resume", "lines.txt has changed since");
    fs::remove_file(place.path("r.partial.checkpoint")).unwrap();
    refuse("solve lines.txt grids.txt -o r --resume", "there is no checkpoint beside it");
}

/// Runs of every command that can be resumed, with everything that the other flags need.
const RUNS: [&str; 12] = [
    "solve table.csv --no-time",
    "verify table.csv --no-time",
    "verify table.csv --no-time --answers=table.csv",
    "convert table.csv",
    "enumerate table.csv",
    "canon table.csv --form=grid",
    "rate table.csv --columns=depth,se --isomorphs=3",
    "minimize table.csv",
    "minimize table.csv --all --limit=1",
    "permute table.csv",
    "generate --count=600",
    "generate --count=600 --near=near.txt --changes=3",
];

/// Flags that cannot be used in a resumed run: they are refused with `--output` or `--resume`.
const APART: [&str; 5] = ["explain", "kind", "layout", "report", "resume"];

/// Runs a line until its output exceeds the limit on file size.
fn fill_disk(place: &Place, line: &str) {
    let command = line.split(' ').next().unwrap();
    let failed = place.shell(&format!("ulimit -f 40; batchdoku {line} --chunk-size=1024")).assert().code(2);
    failed.stderr(contains("hint: continue with: ").and(contains(command)));
}

/// Writes a table of puzzles that have one solution, with further puzzles in other columns.
fn table(place: &Place) {
    let row = |row| format!("{UNIQUE},{ANSWER},{row},=note,{UNIQUE},{ANSWER},{UNIQUE}\n");
    let rows: String = (0..400).map(row).collect();
    place.write("table.csv", format!("puzzle,solution,rating,note,other,second,third\n{rows}"));
    place.write("near.txt", format!("{UNIQUE}\n"));
    place.write("pattern.txt", format!("{}\n", ANSWER));
    place.write("answers.csv", format!("solution\n{}", format!("{ANSWER}\n").repeat(400)));
}

/// Returns the seed that the earlier run drew, as a flag.
fn drawn_seed(place: &Place, output: &str) -> String {
    let checkpoint = place.json(&format!("{output}.partial.checkpoint"));
    format!(" --seed={}", checkpoint["settings"]["--seed"].as_str().unwrap())
}

/// In every command that can be resumed, every flag affects a resumed run as its definition says.
/// PROMISE: resume-refusals
#[test]
fn what_rows_depend_on_is_refused_and_nothing_else_is() {
    let place = Place::new();
    table(&place);
    let commands = RUNS.map(|line| line.split(' ').next().unwrap().to_owned());
    let resumable = commands_with(Some("resume"));
    assert_eq!(BTreeSet::from(commands), resumable);
    let mut untried: BTreeSet<(String, String)> = resumable
        .iter()
        .flat_map(|command| flags(command).into_iter().map(|flag| (command.clone(), flag.name)))
        .filter(|(_, flag)| !APART.contains(&&**flag))
        .collect();
    for run in RUNS {
        let command = run.split(' ').next().unwrap();
        let line = format!("{run} --output=r");
        fill_disk(&place, &line);
        let makes = ["generate", "permute"].contains(&command);
        let seed = if makes { drawn_seed(&place, "r") } else { String::new() };
        place.run(&format!("{run}{seed} --output=whole")).assert().code(0);
        let names = ["r.partial", "r.partial.checkpoint"].map(|name| place.path(name));
        let left = names.map(|path| (fs::read(&path).unwrap(), path));
        for flag in flags(command) {
            let others = line.split(' ').filter(|word| !flag.is_in(word)).map(str::to_owned);
            let typed = match &*flag.name {
                "output" => "--output=./r".to_owned(),
                // The flag is already in the line, so it is removed instead.
                _ if line.split(' ').any(|word| word == flag.words[0]) => String::new(),
                _ => flag.words[0].clone(),
            };
            let words = others.chain(["--resume".to_owned(), typed]).filter(|word| !word.is_empty());
            let words: Vec<_> = words.collect();
            let is_possible =
                definitions().try_get_matches_from(["batchdoku".to_owned()].iter().chain(&words)).is_ok();
            if !is_possible && !APART.contains(&&*flag.name) {
                continue;
            }
            untried.remove(&(command.to_owned(), flag.name.clone()));
            let (code, _, said) = ended(place.command(&words).output().unwrap());
            let case = format!("{} (affects rows: {}): {said}", words.join(" "), flag.affects_rows);
            if flag.affects_rows || APART.contains(&&*flag.name) {
                assert_eq!(code, 2, "{case}");
                let is_named = said.contains(&format!("--{} was ", flag.name));
                assert!(is_named || APART.contains(&&*flag.name), "{case}");
                assert!(left.iter().all(|(bytes, path)| fs::read(path).unwrap() == *bytes), "{case}");
            } else {
                assert_eq!(code, 0, "{case}");
                assert!(flag.name == "quiet" || said.contains("resuming after "), "{case}");
                assert!(place.read("r") == place.read("whole"), "{case}");
                fs::remove_file(place.path("r")).unwrap();
                left.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
            }
        }
        if command == "solve" {
            // Not every value makes a difference.
            place.run(&format!("{line} --resume --backend=portable")).assert().code(0);
            assert!(place.read("r") == place.read("whole"));
            fs::remove_file(place.path("r")).unwrap();
        }
        left.iter().for_each(|(_, path)| drop(fs::remove_file(path)));
        fs::remove_file(place.path("whole")).unwrap();
    }
    assert!(untried.is_empty(), "go with no run of the list: {untried:?}");
}

/// PROMISE: no-mixed-rows
#[test]
fn a_file_that_a_flag_names_must_be_what_it_was() {
    let place = Place::new();
    for (flag, line) in [
        ("answers", "verify table.csv --no-time --answers=named"),
        ("near", "generate -n=600 --near=named"),
        ("pattern", "generate -n=600 --clues=40..50 --pattern=named"),
    ] {
        table(&place);
        place.write("named", format!("{ANSWER}\n").repeat(400));
        let line = format!("{line} --output=r");
        if flag == "near" {
            place.write("named", format!("{UNIQUE}\n"));
        }
        fill_disk(&place, &line);
        let before = place.read("r.partial");
        place.write("named", format!("{}\n", place.read("named").replacen('3', ".", 1)));
        let (code, _, said) = place.ran(&format!("{line} --resume"));
        assert!(code == 2 && said.contains("named had "), "{flag}: {said}");
        assert!(place.read("r.partial") == before);
        fs::remove_file(place.path("r.partial")).unwrap();
    }
}

/// The extension determines the format, but links with different extensions can lead to the same file.
/// PROMISE: no-mixed-rows
#[test]
fn the_format_of_a_resumed_run_is_the_same_under_another_name() {
    let place = Place::new();
    table(&place);
    for name in ["a.csv", "b.jsonl"] {
        std::os::unix::fs::symlink("r", place.path(name)).unwrap();
    }
    fill_disk(&place, "convert table.csv --output=a.csv");
    let before = place.read("r.partial");
    let (code, _, said) = place.ran("convert table.csv --output=b.jsonl --resume");
    assert!(said.contains("--output-format was csv and is now jsonl"), "{said}");
    assert!(code == 2 && place.read("r.partial") == before);
}

/// The hint after a run that was cut off is a shell command that continues it.
#[test]
fn what_is_said_after_a_run_that_was_cut_off_continues_it() {
    let place = Place::new();
    let flags = "generate -n 600 --clues 40..50 --difficulty 'clues>=40' -o 'my puzzles.csv'";
    let shell = |line: &str| ended(place.shell(line).output().unwrap());
    let (_, _, said) = shell(&format!("ulimit -f 40; batchdoku {flags}"));
    let (_, hint) = said.split_once("hint: continue with: ").unwrap_or_else(|| panic!("{said}"));
    let hint = hint.lines().next().unwrap();
    let seed = drawn_seed(&place, "my puzzles.csv");
    assert_eq!(shell(hint).0, 0, "{hint}");
    let resumed = place.read("my puzzles.csv");
    assert_eq!(shell(&format!("batchdoku {flags}{seed}")).0, 0);
    assert!(place.read("my puzzles.csv") == resumed);
    // If there is a report, the run cannot be continued.
    let (_, _, said) = shell(
        "ulimit -f 40; batchdoku generate -n 600 | batchdoku solve - -o r.csv --chunk-size 1024 --report r.md",
    );
    assert!(said.contains("r.csv.partial") && !said.contains("continue with"), "{said}");
}

/// PROMISE: not-resumable
#[test]
fn what_cannot_be_resumed_is_refused_by_name() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    place.refuses("solve a.txt --resume", "--output");
    place.refuses("solve a.txt --resume -o -", "--resume needs --output FILE, a regular file");
    place.refuses("solve a.txt --resume -o /dev/null", "--resume needs --output FILE, a regular file");
    let (code, _, said) = ended(place.shell("batchdoku solve - --resume -o r < a.txt").output().unwrap());
    assert!(code == 2 && said.contains("-: cannot be read a second time"), "{code}: {said}");
    place.refuses("solve a.txt --resume -o r --report r.html", "--report");
    place.run("solve a.txt -o r -q").assert().success();
    place.refuses("solve a.txt --resume -o r", "r: is complete: there is nothing to resume");
    assert!(!place.path("r.partial").exists());
}

/// If there is nothing to continue from, a run starts from the beginning.
#[test]
fn a_first_run_may_ask_to_resume() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    place.run("solve a.txt --resume -O lines -o r").assert().success();
    assert_eq!(place.read("r"), format!("{UNIQUE},{ANSWER}\n"));
    assert_eq!(place.names(), ["a.txt", "r"]);
}

/// The checkpoint of a run stays valid if the system loses everything after it.
/// PROMISE: power-loss
#[test]
fn a_loss_of_power_costs_what_came_since_the_last_checkpoint() {
    let place = Place::new();
    lists(&place, 20_000);
    place.cut_off("solve lines.txt --no-time -o r --checkpoint-every 0 --chunk-size 4096", "r", 100_000);
    let point = &place.json("r.partial.checkpoint")["resume_point"];
    let [bytes, records] = [&point["bytes"], &point["before"]["records"]].map(|it| it.as_u64().unwrap());
    assert!(bytes > 1000 && records > 10, "{point}");
    place.run("solve lines.txt --no-time -q -o whole").assert().code(1);
    // Some systems leave the end of the file like this: with the right length, but filled with zeros.
    let mut rows = fs::read(place.path("r.partial")).unwrap();
    rows[bytes as usize..].fill(0);
    place.write("r.partial", rows);
    let (_, _, said) = place.ran("solve lines.txt --no-time -o r --resume");
    let said = said.replace(',', "");
    assert!(said.contains(&format!("resuming after {records} records")), "{said}");
    assert!(place.read("r") == place.read("whole"));
}

/// Even an unusually large checkpoint is valid.
/// PROMISE: resume
#[test]
fn a_run_over_thousands_of_inputs_can_be_resumed() {
    let place = Place::new();
    let name = "n".repeat(200);
    let names: Vec<_> = (0..5000).map(|number| format!("{name}{number}")).collect();
    names.iter().for_each(|name| place.write(name, format!("{UNIQUE}\n").repeat(20)));
    let line = "solve --no-time -q -O lines --checkpoint-every 20 -o r";
    let line = format!("{line} {}", names.join(" "));
    place.cut_off(&line, "r", 100_000);
    assert!(fs::metadata(place.path("r.partial.checkpoint")).unwrap().len() > 1 << 20);
    assert!(place.program(&format!("{line} --resume")).status().unwrap().success());
    assert!(place.read("r") == format!("{UNIQUE},{ANSWER}\n").repeat(100_000));
}

/// The user did not ask for a checkpoint, so if there cannot be one, the run continues.
/// PROMISE: checkpoint-optional
#[test]
fn a_run_without_a_checkpoint_is_a_run() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    // A name can have 255 bytes, which leaves room for `.partial` but for no more.
    let name = "o".repeat(240);
    let (code, _, said) = place.ran(&format!("solve a.txt -O lines -o {name}"));
    assert!(code == 0 && !said.contains("warning"), "{said}");
    assert_eq!(place.read(&name), format!("{UNIQUE},{ANSWER}\n"));
    place.write("b.txt", format!("{UNIQUE}\n{}\n", &UNIQUE[1..]));
    let name = format!("{name}b");
    let (_, _, said) = place.ran(&format!("solve b.txt -O lines -o {name} --strict"));
    let warning = format!("warning: {name}.partial.checkpoint: ");
    assert!(said.contains(&warning) && said.contains("this run cannot be resumed"), "{said}");
}

/// A checkpoint that was cut off, or that belongs to other rows, is refused, and nothing is modified.
/// PROMISE: checkpoint-fits
#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let place = Place::new();
    lists(&place, 20_000);
    place.cut_off("solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r", 100_000);
    let (rows, text) = (place.read("r.partial"), place.read("r.partial.checkpoint"));
    let value = place.json("r.partial.checkpoint");
    let changed = |field: &str, to: &str| {
        let found = value.pointer(field).unwrap();
        let name = field.rsplit('/').next().unwrap();
        let changed = text.replacen(&format!("\"{name}\":{found}"), &format!("\"{name}\":{to}"), 1);
        assert_ne!(changed, text, "{field}");
        changed
    };
    let bytes = value["resume_point"]["bytes"].as_u64().unwrap();
    let (damaged, foreign) =
        ("its checkpoint is damaged, or from another version", "it was changed, or written by another run");
    for (changed, why) in [
        (String::new(), damaged),
        (text[..text.len() / 2].to_owned(), damaged),
        (text[..text.len() - 1].to_owned(), damaged),
        (format!("{text}{text}"), damaged),
        (text.replacen("\"end\":", "\"tail\":", 1), damaged),
        (changed("/resume_point/bytes", &(bytes - 82).to_string()), foreign),
        (changed("/resume_point/bytes", "99999999999"), " bytes and should have 99,999,999,999"),
        (changed("/end", "\"0\""), foreign),
        (changed("/settings/version", "\"0.0.0\""), "version was 0.0.0 and is now "),
    ] {
        place.write("r.partial.checkpoint", &changed);
        place.refuses("solve lines.txt -o r --resume", why);
        assert!(place.read("r.partial") == rows && !place.path("r").exists());
        assert!(place.read("r.partial.checkpoint") == changed);
    }
    place.write("r.partial.checkpoint", &text);
    place.run("solve lines.txt -o r --resume").assert().code(1);
}

/// The first checkpoint of a resumed run covers the last bytes that the earlier run wrote. The second run has no rows
/// of its own, because it gets stuck in an endless search.
/// PROMISE: checkpoint-fits
#[test]
fn a_resumed_run_knows_the_rows_before_it() {
    let rows = format!("{}\n", unsolvable()).repeat(3000);
    let place = Place::with("a.txt", format!("{rows}{}\n", ".".repeat(81)));
    let line =
        format!("solve a.txt -O lines -o r --limit {} --checkpoint-every 0 --chunk-size 4096", u64::MAX);
    place.cut_off(&line, "r", 200_000);
    let mut again = place.start(&format!("{line} --resume"));
    let mut said = BufReader::new(again.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("resuming after ")));
    send(&again, "-INT");
    assert_eq!(end(&mut again).code(), Some(130));
    let rows = fs::read(place.path("r.partial")).unwrap();
    place.write("r.partial", vec![b'x'; rows.len()]);
    place.refuses(&format!("{line} --resume"), "written by another run");
}

/// A run that cannot be resumed, such as one from standard input, replaces the leftovers of an earlier run, including
/// its checkpoint.
/// PROMISE: no-mixed-rows
#[test]
fn rows_of_two_runs_are_never_mixed() {
    let place = Place::new();
    lists(&place, 20_000);
    place.cut_off("solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r", 100_000);
    let mut other = place.start("solve - -o r -q");
    other.stdin.as_mut().unwrap().write_all(format!("{UNIQUE}\n").repeat(30_000).as_bytes()).unwrap();
    wait_for(|| !place.path("r.partial.checkpoint").exists());
    other.kill().unwrap();
    other.wait().unwrap();
    place.refuses("solve lines.txt -o r --resume", "error: ");
}

/// A resumed run reports the same damaged input, even if other inputs come after the damage.
/// PROMISE: damage-met-again
#[test]
fn a_damaged_input_is_not_forgotten() {
    let place = Place::new();
    lists(&place, 20_000);
    let packed = fs::read(place.path("packed.txt.gz")).unwrap();
    place.write("cut.gz", &packed[..packed.len() / 2]);
    for flag in ["", " --resume", " --resume"] {
        let line = format!("solve cut.gz grids.txt -q -o r --lenient --checkpoint-every 0{flag}");
        let (code, _, said) = place.ran(&line);
        assert_eq!(code, 2, "{flag}: {said}");
        assert!(said.contains("cut.gz: "));
        assert!(!place.path("r").exists());
    }
}

/// A file that is not a checkpoint is neither read nor waited for nor removed.
/// PROMISE: checkpoint-names
#[test]
fn files_with_the_name_of_a_checkpoint_are_safe() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    for name in ["r.partial.checkpoint", "r.partial.checkpoint.new"] {
        place.write(name, format!("{UNIQUE}\n"));
        let read_or_written = [format!("solve {name} -o r"), format!("solve a.txt -o r --summary {name}")];
        let beside = ["solve a.txt -o r", "solve a.txt -o r --resume"].map(str::to_owned);
        for line in read_or_written.iter().chain(&beside) {
            place.refuses(line, name);
            assert_eq!(place.read(name), format!("{UNIQUE}\n"), "{line}");
        }
        fs::remove_file(place.path(name)).unwrap();
        fs::create_dir(place.path(name)).unwrap();
        place.run("solve a.txt -o r").assert().code(2);
        fs::remove_dir(place.path(name)).unwrap();
        mkfifo(&place.path(name));
        place.run("solve a.txt -o r --resume").assert().code(2);
        fs::remove_file(place.path(name)).unwrap();
    }
    place.run("solve a.txt -o r").assert().code(0);
}

/// There is no room even for the first checkpoint or for a row.
#[test]
fn a_full_disk_leaves_no_empty_checkpoint() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    place.shell("ulimit -f 0; batchdoku solve a.txt -o r").assert().code(2);
    assert_eq!(place.names(), ["a.txt"]);
}

/// A run that was cut off before its first row starts from the beginning.
/// PROMISE: resume
#[test]
fn a_run_without_rows_begins_again() {
    let place = Place::with("blank.txt", format!("{}\n", ".".repeat(81)));
    let line = "solve blank.txt -q -o r --limit 18446744073709551615";
    let mut child = place.start(&format!("{line} --resume"));
    place.wait_for_bytes("r.partial", 1);
    child.kill().unwrap();
    child.wait().unwrap();
    // The changed flag is refused, which shows that there is a checkpoint.
    let (_, _, said) = place.ran(&format!("{line} --max-time 0.1 --resume"));
    assert!(said.contains("--max-time was not given"));
    let mut child = place.start(&format!("{line} --resume"));
    sleep(Duration::from_millis(200));
    send(&child, "-INT");
    assert_eq!(end(&mut child).code(), Some(130));
}
