//! `--resume`: the file is in the end as if nothing had happened, whenever and however the runs before were cut off.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use batchdoku::cli::{Effect, definitions};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::flags::{commands_with, flags};
use crate::place::{Place, wait_for};
use crate::puzzles::{ANSWER, UNIQUE, double, unsolvable};

/// Times that each kind of run is killed; more with `BATCHDOKU_TORTURE=1`.
fn kills() -> usize {
    if std::env::var_os("BATCHDOKU_TORTURE").is_some() { 100 } else { 8 }
}

/// Writes records of every status, repeated, as lists in several layouts.
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
    fs::write(place.path("lines.txt"), &lines).unwrap();
    let table: String =
        lines.lines().filter(|line| line.len() > 70).map(|line| format!("{line},{ANSWER}\n")).collect();
    fs::write(place.path("table.csv"), format!("puzzle,solution\n{table}")).unwrap();
    let grid: String =
        UNIQUE.as_bytes().chunks(9).map(|row| format!("{}\n", str::from_utf8(row).unwrap())).collect();
    fs::write(place.path("grids.txt"), format!("{grid}\n").repeat(5_000)).unwrap();
    let packed = fs::File::create(place.path("packed.txt.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    packed.write_all(lines.as_bytes()).unwrap();
    packed.finish().unwrap();
    fs::write(place.path("packed.txt.zst"), zstd::encode_all(lines.as_bytes(), 1).unwrap()).unwrap();
}

fn start(place: &Place, line: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"))
        .args(line.split(' '))
        .current_dir(&place.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Those of a run that was killed just after its file had got its name.
fn remove_checkpoints(place: &Place) {
    for ending in ["", ".new"] {
        let _ = fs::remove_file(place.path(&format!("killed.partial.checkpoint{ending}")));
    }
}

/// Runs a line until it ends by itself, killed after ever other times; how often it went on from an earlier run.
fn run_and_kill(
    place: &Place,
    line: &str,
    signal: &str,
    whole: Duration,
    random: &mut Xoshiro256PlusPlus,
) -> usize {
    let (mut resumed, mut killed, mut is_begun) = (0, 0, false);
    loop {
        let mut child = start(place, &format!("{line}{}", if is_begun { " --resume" } else { "" }));
        let may_end = killed == kills();
        let until = Instant::now() + Duration::from_micros(random.next_u64() % whole.as_micros() as u64);
        while !may_end && Instant::now() < until && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_micros(200));
        }
        if !may_end && child.try_wait().unwrap().is_none() {
            let _ = Command::new("kill").args([signal, &child.id().to_string()]).output();
        }
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        resumed += usize::from(said.contains("resuming after"));
        match output.status.code() {
            Some(0 | 1) if may_end => return resumed,
            // It was too fast: once more from the start.
            Some(0 | 1) => {
                fs::remove_file(place.path("killed")).unwrap();
                is_begun = false;
            }
            // Killed, or ended by the signal.
            None | Some(130) => {
                killed += 1;
                is_begun = place.path("killed.partial.checkpoint").exists();
            }
            // It was killed after its file had got its name.
            Some(2) if said.contains("is complete") => {
                if may_end {
                    return resumed;
                }
                fs::remove_file(place.path("killed")).unwrap();
                remove_checkpoints(place);
                is_begun = false;
            }
            Some(code) => panic!("{code}: {said}"),
        }
    }
}

/// PROMISE: resume
#[test]
fn a_run_that_was_killed_goes_on_and_writes_what_an_unkilled_one_does() {
    let place = Place::new();
    lists(&place, if kills() > 8 { 60_000 } else { 20_000 });
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
            let before = Instant::now();
            place.command(format!("{line} -o whole -q").split(' ')).assert().code(1);
            let resumed =
                run_and_kill(&place, &format!("{line} -o killed"), signal, before.elapsed(), &mut random);
            assert!(place.read("killed") == place.read("whole"), "{line} {signal}");
            assert!(resumed > 0, "{line} {signal} was never cut off in its middle");
            assert!(!place.path("killed.partial").exists());
            remove_checkpoints(&place);
            fs::remove_file(place.path("killed")).unwrap();
        }
    }
    let line = "verify table.csv --no-time --only wrong,not-unique,unsolvable --checkpoint-every 1 --chunk-size 4096";
    let before = Instant::now();
    place.command(format!("{line} -o whole -q").split(' ')).assert().code(1);
    let resumed = run_and_kill(&place, &format!("{line} -o killed"), "-KILL", before.elapsed(), &mut random);
    assert!(resumed > 0 && place.read("killed") == place.read("whole"));
}

/// Leaves a run of that line interrupted in its middle.
fn interrupt(place: &Place, line: &str, partial: &str) {
    let mut child = start(place, line);
    let deadline = Instant::now() + Duration::from_secs(20);
    while fs::metadata(place.path(partial)).map_or(0, |found| found.len()) < 100_000 {
        assert!(
            Instant::now() < deadline && child.try_wait().unwrap().is_none(),
            "it is not cut off in its middle"
        );
        sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// PROMISE: resumed-summary
#[test]
fn the_summary_counts_the_rows_of_all_runs() {
    let place = Place::new();
    lists(&place, 60_000);
    interrupt(&place, "solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r.partial");
    place.command("solve lines.txt -o r --resume --summary s.json".split(' ')).assert().code(1);
    place.command("solve lines.txt -o whole --summary whole.json".split(' ')).assert().code(1);
    let [all, whole] = ["s.json", "whole.json"]
        .map(|name| serde_json::from_str::<serde_json::Value>(&place.read(name)).unwrap());
    for key in ["records", "written", "statuses", "exit_code", "ending"] {
        assert_eq!(all[key], whole[key], "{key}");
    }
    assert!(all["earlier_records"].as_u64().unwrap() > 0 && whole["earlier_records"] == 0);
}

/// The columns of a file that was read to its end also count in a run that is resumed after that file.
#[test]
fn columns_that_are_carried_along_are_those_of_all_inputs() {
    let place = Place::new();
    let table = |names: &str, rows: usize| -> String {
        let row = |row| format!("{row:06},{UNIQUE},{ANSWER},\"{row},x\"\n");
        format!("{names}\n{}", (0..rows).map(row).collect::<String>())
    };
    fs::write(place.path("a.csv"), table("id,puzzle,solution,rating", 3)).unwrap();
    fs::write(place.path("b.csv"), table("nr,quizzes,solutions,Rating", 20_000)).unwrap();
    for (line, names) in [
        ("solve a.csv b.csv --keep --no-time", ",input_id,input_solution,rating,nr,input_solutions"),
        ("solve a.csv b.csv --keep nr,RATING --no-time", ",error,nr,rating"),
        ("canon a.csv b.csv --with-symmetry --keep nr", ",automorphisms,symmetry,form,error,nr"),
        ("permute a.csv b.csv -k 2 --seed 1", "puzzle,solution,id,rating,nr"),
        ("rate a.csv b.csv --columns class,depth --keep nr", ",class,depth,puzzle,error,nr"),
        ("convert a.csv b.csv", "puzzle,solution,id,rating,nr"),
        ("convert a.csv b.csv -O jsonl", ""),
    ] {
        place.command(format!("{line} -o whole -q").split(' ')).assert().code(0);
        interrupt(&place, &format!("{line} -o r --checkpoint-every 0 --chunk-size 4096"), "r.partial");
        place.command(format!("{line} -o r --resume").split(' ')).assert().code(0);
        assert!(place.read("r") == place.read("whole"), "{line}");
        assert!(place.read("r").lines().next().unwrap().ends_with(names), "{line}");
        fs::remove_file(place.path("r")).unwrap();
    }
}

/// Whatever rows depend on must be the same; what has changed is said, and nothing is touched.
/// PROMISE: resume-refusals
#[test]
fn what_has_changed_is_refused_by_name() {
    let place = Place::new();
    lists(&place, 60_000);
    fs::write(place.path("other.txt"), format!("{UNIQUE}\n")).unwrap();
    interrupt(&place, "solve lines.txt grids.txt -o r --checkpoint-every 0 --chunk-size 4096", "r.partial");
    let before = place.read("r.partial");
    let refuse = |line: &str, why: &str| {
        let output = place.command(line.split(' ')).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(why), "{line}: {said}");
        assert!(place.read("r.partial") == before, "{line} changed the partial file");
    };
    refuse("solve lines.txt grids.txt -o r --resume other.txt", "it had 2 inputs, not 3 (other.txt is new)");
    refuse("solve grids.txt lines.txt -o r --resume", "its input was lines.txt, not grids.txt");
    refuse("verify lines.txt grids.txt -o r --resume", "command was solve and is now verify");
    let lines = place.read("lines.txt");
    fs::write(place.path("lines.txt"), &lines[..lines.len() - 1]).unwrap();
    refuse("solve lines.txt grids.txt -o r --resume", "lines.txt had ");
    fs::write(place.path("lines.txt"), lines.replacen(UNIQUE, &unsolvable(), 1)).unwrap();
    refuse("solve lines.txt grids.txt -o r --resume", "lines.txt began differently");
    fs::write(place.path("lines.txt"), &lines).unwrap();
    refuse("solve lines.txt grids.txt -o r --resume", "lines.txt has changed since");
    fs::remove_file(place.path("r.partial.checkpoint")).unwrap();
    refuse("solve lines.txt grids.txt -o r --resume", "there is no checkpoint beside it");
}

/// Runs of every command that can be resumed, with what the other flags need.
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

/// Flags that go with no run that is resumed: they are refused with `--output` or `--resume`.
const APART: [&str; 5] = ["explain", "kind", "layout", "report", "resume"];

/// Runs a line until its output is too long for the limit on the size of files.
fn cut_off(place: &Place, line: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 40; exec \"$0\" \"$@\""]).arg(assert_cmd::cargo::cargo_bin!("batchdoku"));
    let output =
        shell.args(line.split(' ')).arg("--chunk-size=1024").current_dir(&place.directory).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{line}: {said}");
    let command = line.split(' ').next().unwrap();
    assert!(said.contains("hint: continue with: ") && said.contains(command), "{line}: {said}");
}

/// A table of puzzles with one solution, and more of them in further columns.
fn table(place: &Place) {
    let row = |row| format!("{UNIQUE},{ANSWER},{row},=note,{UNIQUE},{ANSWER},{UNIQUE}\n");
    let rows: String = (0..400).map(row).collect();
    place.write("table.csv", format!("puzzle,solution,rating,note,other,second,third\n{rows}"));
    place.write("near.txt", format!("{UNIQUE}\n"));
    place.write("pattern.txt", format!("{}\n", ANSWER));
    place.write("answers.csv", format!("solution\n{}", format!("{ANSWER}\n").repeat(400)));
}

/// The seed that the earlier run drew, as a flag.
fn drawn_seed(place: &Place, output: &str) -> String {
    let checkpoint = place.json(&format!("{output}.partial.checkpoint"));
    format!(" --seed={}", checkpoint["settings"]["--seed"].as_str().unwrap())
}

/// Every flag of every command that can be resumed does what its definition says to a run that is resumed with it.
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
        cut_off(&place, &line);
        let makes = ["generate", "permute"].contains(&command);
        let seed = if makes { drawn_seed(&place, "r") } else { String::new() };
        place.run(&format!("{run}{seed} --output=whole")).assert().code(0);
        let names = ["r.partial", "r.partial.checkpoint"].map(|name| place.path(name));
        let left = names.map(|path| (fs::read(&path).unwrap(), path));
        for flag in flags(command) {
            let others = line.split(' ').filter(|word| !flag.is_in(word)).map(str::to_owned);
            let typed = match &*flag.name {
                "output" => "--output=./r".to_owned(),
                // It is there already: without it.
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
            let output = place.command(&words).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            let case = format!("{} ({:?}): {said}", words.join(" "), flag.effect);
            if flag.effect == Effect::Rows || APART.contains(&&*flag.name) {
                assert_eq!(output.status.code(), Some(2), "{case}");
                let is_named = said.contains(&format!("--{} was ", flag.name));
                assert!(is_named || APART.contains(&&*flag.name), "{case}");
                assert!(left.iter().all(|(bytes, path)| fs::read(path).unwrap() == *bytes), "{case}");
            } else {
                assert_eq!(output.status.code(), Some(0), "{case}");
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

/// Two runs that rate with other numbers of isomorphs are two runs, though reports have a switch of that name.
/// PROMISE: no-mixed-rows
#[test]
fn a_flag_that_is_harmless_elsewhere_is_not_harmless_here() {
    let place = Place::new();
    table(&place);
    cut_off(&place, "rate table.csv --columns=depth --isomorphs=300 -o r");
    let before = place.read("r.partial");
    let output = place.run("rate table.csv --columns=depth --isomorphs=3 -o r --resume").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("--isomorphs was 300 and is now 3"), "{said}");
    assert!(place.read("r.partial") == before);
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
        cut_off(&place, &line);
        let before = place.read("r.partial");
        place.write("named", format!("{}\n", place.read("named").replacen('3', ".", 1)));
        let output = place.run(&format!("{line} --resume")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains("named had "), "{flag}: {said}");
        assert!(place.read("r.partial") == before);
        fs::remove_file(place.path("r.partial")).unwrap();
    }
}

/// The extension gives the format: links of two extensions may lead to one file.
/// PROMISE: no-mixed-rows
#[test]
fn the_format_of_a_resumed_run_is_the_same_under_another_name() {
    let place = Place::new();
    table(&place);
    for name in ["a.csv", "b.jsonl"] {
        std::os::unix::fs::symlink("r", place.path(name)).unwrap();
    }
    cut_off(&place, "convert table.csv --output=a.csv");
    let before = place.read("r.partial");
    let output = place.run("convert table.csv --output=b.jsonl --resume").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--output-format was csv and is now jsonl"), "{said}");
    assert!(output.status.code() == Some(2) && place.read("r.partial") == before);
}

/// The hint after a run that was cut off is a command that continues it, for a shell.
#[test]
fn what_is_said_after_a_run_that_was_cut_off_continues_it() {
    let place = Place::new();
    let flags = "generate -n 600 --clues 40..50 --difficulty 'clues>=40' -o 'my puzzles.csv'";
    let shell = |line: &str| {
        let program = assert_cmd::cargo::cargo_bin!("batchdoku");
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env("PATH", path).current_dir(&place.directory).output().unwrap()
    };
    let cut = shell(&format!("ulimit -f 40; batchdoku {flags}"));
    let said = String::from_utf8(cut.stderr).unwrap();
    let (_, hint) = said.split_once("hint: continue with: ").unwrap_or_else(|| panic!("{said}"));
    let hint = hint.lines().next().unwrap();
    let seed = drawn_seed(&place, "my puzzles.csv");
    assert_eq!(shell(hint).status.code(), Some(0), "{hint}");
    let resumed = place.read("my puzzles.csv");
    let whole = shell(&format!("batchdoku {flags}{seed}"));
    assert!(whole.status.success() && place.read("my puzzles.csv") == resumed);
    // With a report there is nothing to continue.
    let cut = shell(
        "ulimit -f 40; batchdoku generate -n 600 | batchdoku solve - -o r.csv --chunk-size 1024 --report r.md",
    );
    let said = String::from_utf8(cut.stderr).unwrap();
    assert!(said.contains("r.csv.partial") && !said.contains("continue with"), "{said}");
}

/// PROMISE: not-resumable
#[test]
fn what_cannot_be_resumed_is_refused_by_name() {
    let place = Place::new();
    fs::write(place.path("a.txt"), format!("{UNIQUE}\n")).unwrap();
    let refuse = |line: &str, why: &str| {
        let output = place.command(line.split(' ')).write_stdin(UNIQUE).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains(why), "{line}: {said}");
    };
    refuse("solve a.txt --resume", "--output");
    refuse("solve a.txt --resume -o -", "--resume needs --output FILE, a regular file");
    refuse("solve a.txt --resume -o /dev/null", "--resume needs --output FILE, a regular file");
    refuse("solve - --resume -o r", "-: cannot be read a second time");
    refuse("solve a.txt --resume -o r --report r.html", "--report");
    place.command("solve a.txt -o r -q".split(' ')).assert().success();
    refuse("solve a.txt --resume -o r", "r: is complete: there is nothing to resume");
    assert!(!place.path("r.partial").exists());
}

/// Without anything to go on from, a run begins at the start.
#[test]
fn a_first_run_may_ask_to_resume() {
    let place = Place::new();
    fs::write(place.path("a.txt"), format!("{UNIQUE}\n")).unwrap();
    place.command("solve a.txt --resume -O lines -o r".split(' ')).assert().success();
    assert_eq!(place.read("r"), format!("{UNIQUE},{ANSWER}\n"));
    let names: Vec<_> = fs::read_dir(Path::new(place.directory.path())).unwrap().collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

/// A partial file that is no longer what its checkpoint says, as after a loss of power.
/// PROMISE: resume
#[test]
fn a_partial_file_that_lost_its_end_is_refused() {
    let place = Place::new();
    lists(&place, 60_000);
    interrupt(&place, "solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r.partial");
    let text = place.read("r.partial.checkpoint");
    let checkpoint: serde_json::Value = serde_json::from_str(&text).unwrap();
    let bytes = checkpoint["resume_point"]["bytes"].as_u64().unwrap();
    assert!(bytes > 1000, "{checkpoint}");
    let partial = fs::OpenOptions::new().write(true).open(place.path("r.partial")).unwrap();
    partial.set_len(bytes - 1).unwrap();
    let output = place.command("solve lines.txt -o r --resume".split(' ')).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("bytes and should have"), "{said}");
}

/// The checkpoint of a run stays true when the system loses what came after it.
/// PROMISE: power-loss
#[test]
fn a_loss_of_power_costs_what_came_since_the_last_checkpoint() {
    let place = Place::new();
    lists(&place, 60_000);
    interrupt(&place, "solve lines.txt --no-time -o r --checkpoint-every 0 --chunk-size 4096", "r.partial");
    let point = &place.json("r.partial.checkpoint")["resume_point"];
    let [bytes, records] = [&point["bytes"], &point["before"]["records"]].map(|it| it.as_u64().unwrap());
    assert!(bytes > 1000 && records > 10, "{point}");
    place.command("solve lines.txt --no-time -q -o whole".split(' ')).assert().code(1);
    // The end of the file as some systems leave it: of that length, but zeros.
    let mut rows = fs::read(place.path("r.partial")).unwrap();
    rows[bytes as usize..].fill(0);
    fs::write(place.path("r.partial"), rows).unwrap();
    let output = place.command("solve lines.txt --no-time -o r --resume".split(' ')).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap().replace(',', "");
    assert!(said.contains(&format!("resuming after {records} records")), "{said}");
    assert!(place.read("r") == place.read("whole"));
}

/// A checkpoint that is larger than most is one all the same.
/// PROMISE: resume
#[test]
fn a_run_over_thousands_of_inputs_can_be_resumed() {
    let place = Place::new();
    let name = "n".repeat(200);
    let names: Vec<_> = (0..5000).map(|number| format!("{name}{number}")).collect();
    names.iter().for_each(|name| fs::write(place.path(name), format!("{UNIQUE}\n").repeat(20)).unwrap());
    let line = "solve --no-time -q -O lines --checkpoint-every 20 -o r";
    let words: Vec<_> = line.split(' ').chain(names.iter().map(String::as_str)).collect();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"));
    let mut child = command.args(&words).current_dir(&place.directory).spawn().unwrap();
    while fs::metadata(place.path("r.partial")).map_or(0, |found| found.len()) < 100_000 {
        assert!(child.try_wait().unwrap().is_none(), "it is not cut off in its middle");
        sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(fs::metadata(place.path("r.partial.checkpoint")).unwrap().len() > 1 << 20);
    let mut again = Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"));
    again.args(&words).arg("--resume").current_dir(&place.directory);
    assert!(again.status().unwrap().success());
    assert!(place.read("r") == format!("{UNIQUE},{ANSWER}\n").repeat(100_000));
}

/// The user did not ask for a checkpoint: if there cannot be one, the run continues.
/// PROMISE: checkpoint-optional
#[test]
fn a_run_without_a_checkpoint_is_a_run() {
    let place = Place::new();
    fs::write(place.path("a.txt"), format!("{UNIQUE}\n")).unwrap();
    // Of 255 bytes that a name may have, those of `.partial` fit and no more.
    let name = "o".repeat(240);
    let output = place.command(["solve", "a.txt", "-O", "lines", "-o", &name]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains("warning"), "{said}");
    assert_eq!(place.read(&name), format!("{UNIQUE},{ANSWER}\n"));
    fs::write(place.path("b.txt"), format!("{UNIQUE}\n{}\n", &UNIQUE[1..])).unwrap();
    let name = format!("{name}b");
    let output = place.command(["solve", "b.txt", "-O", "lines", "-o", &name, "--strict"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let warning = format!("warning: {name}.partial.checkpoint: ");
    assert!(said.contains(&warning) && said.contains("this run cannot be resumed"), "{said}");
}

/// A checkpoint that was cut off, or is that of other rows, is refused, and nothing is touched.
/// PROMISE: checkpoint-fits
#[test]
fn a_checkpoint_that_does_not_fit_is_refused() {
    let place = Place::new();
    lists(&place, 60_000);
    interrupt(&place, "solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r.partial");
    let (rows, text) = (place.read("r.partial"), place.read("r.partial.checkpoint"));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
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
        let output = place.command("solve lines.txt -o r --resume".split(' ')).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(why), "{why}: {said}");
        assert!(place.read("r.partial") == rows && !place.path("r").exists());
        assert!(place.read("r.partial.checkpoint") == changed);
    }
    place.write("r.partial.checkpoint", &text);
    place.command("solve lines.txt -o r --resume".split(' ')).assert().code(1);
}

/// The first checkpoint of a run that was resumed knows the last bytes of the run before.
/// PROMISE: checkpoint-fits
#[test]
fn a_resumed_run_knows_the_rows_before_it() {
    let place = Place::new();
    lists(&place, 60_000);
    let line =
        "solve lines.txt --only unsolvable -o r --backend scalar -j 1 --checkpoint-every 0 --chunk-size 4096";
    interrupt(&place, line, "r.partial");
    // It ends at the next bad record, in most cases without a row of its own.
    let mut again = start(&place, &format!("{line} --resume"));
    sleep(Duration::from_millis(20));
    again.kill().unwrap();
    again.wait().unwrap();
    let rows = fs::read(place.path("r.partial")).unwrap();
    fs::write(place.path("r.partial"), vec![b'x'; rows.len()]).unwrap();
    let refused = place.command(format!("{line} --resume").split(' ')).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("written by another run"), "{said}");
}

/// A run that cannot be resumed, as from standard input, takes the place of what an earlier one left, and of its
/// checkpoint.
/// PROMISE: no-mixed-rows
#[test]
fn rows_of_two_runs_are_never_mixed() {
    let place = Place::new();
    lists(&place, 60_000);
    interrupt(&place, "solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r.partial");
    let mut other = start_with_input(&place, "solve - -o r -q");
    other.stdin.as_mut().unwrap().write_all(format!("{UNIQUE}\n").repeat(30_000).as_bytes()).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while place.path("r.partial.checkpoint").exists() {
        assert!(Instant::now() < deadline, "the checkpoint stays");
        sleep(Duration::from_millis(1));
    }
    other.kill().unwrap();
    other.wait().unwrap();
    let refused = place.command("solve lines.txt -o r --resume".split(' ')).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
    // Nor is a file accepted that a program without checkpoints has changed.
    fs::remove_file(place.path("r.partial")).unwrap();
    interrupt(&place, "solve lines.txt -o r --checkpoint-every 0 --chunk-size 4096", "r.partial");
    let length = fs::metadata(place.path("r.partial")).unwrap().len() as usize;
    fs::write(place.path("r.partial"), vec![b'x'; length]).unwrap();
    let refused = place.command("solve lines.txt -o r --resume".split(' ')).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("written by another run"));
}

fn start_with_input(place: &Place, line: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("batchdoku"));
    let piped = command.args(line.split(' ')).current_dir(&place.directory).stdin(Stdio::piped());
    piped.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A resumed run reports the same damaged input, even if other inputs come after the damage.
/// PROMISE: damage-met-again
#[test]
fn a_damaged_input_is_not_forgotten() {
    let place = Place::new();
    lists(&place, 60_000);
    let packed = fs::read(place.path("packed.txt.gz")).unwrap();
    fs::write(place.path("cut.gz"), &packed[..packed.len() / 2]).unwrap();
    for flag in ["", " --resume", " --resume"] {
        let line = format!("solve cut.gz grids.txt -q -o r --lenient --checkpoint-every 0{flag}");
        let output = place.command(line.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flag}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cut.gz: "));
        assert!(!place.path("r").exists());
    }
}

/// What is no checkpoint is neither read, nor waited for, nor removed.
/// PROMISE: checkpoint-names
#[test]
fn files_with_the_name_of_a_checkpoint_are_safe() {
    let place = Place::new();
    fs::write(place.path("a.txt"), format!("{UNIQUE}\n")).unwrap();
    for name in ["r.partial.checkpoint", "r.partial.checkpoint.new"] {
        fs::write(place.path(name), format!("{UNIQUE}\n")).unwrap();
        let refused = |line: &str| {
            let output = place.command(line.split(' ')).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.code() == Some(2) && said.contains(name), "{line}: {said}");
            assert_eq!(place.read(name), format!("{UNIQUE}\n"), "{line}");
        };
        refused(&format!("solve {name} -o r"));
        refused(&format!("solve a.txt -o r --summary {name}"));
        refused("solve a.txt -o r");
        refused("solve a.txt -o r --resume");
        fs::remove_file(place.path(name)).unwrap();
        fs::create_dir(place.path(name)).unwrap();
        place.command("solve a.txt -o r".split(' ')).assert().code(2);
        fs::remove_dir(place.path(name)).unwrap();
        assert!(Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
        place.command("solve a.txt -o r --resume".split(' ')).assert().code(2);
        fs::remove_file(place.path(name)).unwrap();
    }
    place.command("solve a.txt -o r".split(' ')).assert().code(0);
}

/// Not even the first checkpoint can be written, nor a row.
#[test]
fn a_full_disk_leaves_no_empty_checkpoint() {
    let place = Place::new();
    fs::write(place.path("a.txt"), format!("{UNIQUE}\n")).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 0; exec \"$0\" solve a.txt -o r"]);
    command.arg(assert_cmd::cargo::cargo_bin!("batchdoku")).current_dir(&place.directory);
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    let names: Vec<_> =
        fs::read_dir(&place.directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.txt"]);
}

/// A run that was cut off before its first row begins again.
/// PROMISE: resume
#[test]
fn a_run_without_rows_begins_again() {
    let place = Place::new();
    fs::write(place.path("blank.txt"), format!("{}\n", ".".repeat(81))).unwrap();
    let line = "solve blank.txt -q -o r --limit 18446744073709551615";
    let mut child = start(&place, &format!("{line} --resume"));
    wait_for(|| fs::metadata(place.path("r.partial")).is_ok_and(|found| found.len() > 0));
    child.kill().unwrap();
    child.wait().unwrap();
    // The flag is another; a checkpoint there is.
    let refused = place.command(format!("{line} --max-time 0.1 --resume").split(' ')).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--max-time was not given"));
    let mut child = start(&place, &format!("{line} --resume"));
    sleep(Duration::from_millis(200));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
