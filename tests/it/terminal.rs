//! Output on a terminal: file names and contents cannot control the terminal.

use std::fs;

use crate::place::{Place, ended};
use crate::pty::Terminal;
use crate::puzzles::{ANSWER, UNIQUE};

/// Turns the text after it red.
const RED: &str = "\u{1b}[31m";

/// The form in which that sequence is displayed.
const SHOWN: &str = "\\x1b[31m";

/// Returns everything that a line writes to a terminal.
fn on_a_terminal(place: &Place, line: &str) -> String {
    let mut command = place.program(line);
    command.env("TERM", "xterm");
    Terminal::start(command).end().0
}

/// PROMISE: no-control-characters
#[test]
fn no_name_or_content_of_a_file_gives_orders_to_a_terminal() {
    let place = Place::new();
    let name = format!("a{RED}.txt");
    place.write(&name, format!("{UNIQUE}\n{RED}{}\n", &UNIQUE[5..]));
    place.write("table.csv", format!("a{RED}b,c\u{7}\n1,2\n1,2\n"));
    let results = format!("r{RED}.csv");
    place.command(["solve", &name, "-q", "-o", &results]).assert().code(1);
    for line in [
        format!("solve {name}"),
        format!("solve {name} -O jsonl"),
        format!("solve {name} -O text"),
        format!("verify {name}"),
        "solve table.csv".to_owned(),
        format!("solve table.csv {name} --puzzle-column {RED}"),
        format!("solve {RED}missing"),
        format!("report {results}"),
        format!("report {name}"),
        "report table.csv".to_owned(),
        format!("bench {name} --seconds 0.05"),
        // The shell replaces `*` with the names of files.
        name.clone(),
        format!("solve --format {RED}"),
    ] {
        let all = on_a_terminal(&place, &line);
        assert!(!all.contains(RED) && !all.contains('\u{7}'), "{line}: {all}");
        assert!(!all.is_empty());
    }
    let all = on_a_terminal(&place, &format!("solve {name}"));
    assert!(all.contains(&format!("1,a{SHOWN}.txt,1,sudoku,unique")), "{all}");
    let (_, _, said) = place.ran("solve table.csv");
    assert!(said.contains(&format!("a{SHOWN}b")));
}

/// A file and a pipe get the bytes unchanged.
/// PROMISE: no-control-characters
#[test]
fn results_that_go_elsewhere_are_as_they_were() {
    let place = Place::new();
    let name = format!("a{RED}.txt");
    place.write(&name, format!("{UNIQUE}\n"));
    let row = format!("1,{name},1,sudoku,unique,1,32,0,{UNIQUE},{ANSWER},\n");
    assert!(place.printed(&format!("solve {name} --no-time")).ends_with(&row));
    place.run(&format!("solve {name} -q --no-time -o r.csv")).assert().success();
    assert!(place.read("r.csv").ends_with(&row));
}

/// Cells that a spreadsheet would run as formulas are turned into text on request.
/// PROMISE: formulas
#[test]
fn formulas_are_escaped_for_spreadsheets_if_that_is_asked_for() {
    let place = Place::new();
    let name = "=HYPERLINK(1)";
    place.write(name, format!("{UNIQUE}\n"));
    for (command, row) in [("solve", "unique,1,32,0,"), ("verify", "missing,32,0,")] {
        let rows = |flag: &str| place.printed(&format!("{command} {name} --no-time --lenient{flag}"));
        let plain = rows("");
        assert!(plain.contains(&format!("\n1,{name},1,sudoku,{row}")), "{plain}");
        assert_eq!(rows(" --escape-formulas"), plain.replace(name, &format!("'{name}")));
    }
    for format in ["jsonl", "lines", "text"] {
        let why = format!("formulas can be escaped in CSV only, not in {format}");
        place.refuses(&format!("solve {name} -O {format} --escape-formulas"), &why);
    }
}

/// A file name need not be valid text.
/// PROMISE: any-file-name
#[test]
fn a_file_whose_name_is_no_utf_8_is_read_and_shown() {
    use std::os::unix::ffi::OsStrExt;

    let place = Place::new();
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let (list, results) = (name(b"list\xff.txt"), name(b"r\xfe.csv"));
    fs::write(place.directory.path().join(list), format!("{UNIQUE}\n{}\n", &UNIQUE[1..])).unwrap();
    let mut command = place.run("solve --no-time --summary s.json -o");
    let (code, _, said) = ended(command.arg(results).arg(list).output().unwrap());
    assert!(code == 1 && said.contains("list\\xff.txt:2:81: 80 cells"), "{said}");
    let rows = fs::read_to_string(place.directory.path().join(results)).unwrap();
    assert!(rows.contains("1,list\\xff.txt,1,sudoku,unique"), "{rows}");
    assert!(place.read("s.json").contains("list\\\\xff.txt"));
    let folder = name(b"no\xfe/r.csv");
    let said = place.run("solve -o").args([folder, list]).output().unwrap().stderr;
    assert!(String::from_utf8(said).unwrap().contains("no\\xfe/r.csv: the directory no\\xfe does not exist"));
    place.run("report -o r.md").arg(results).assert().success();
    assert!(place.read("r.md").contains("\\xff.txt"), "{}", place.read("r.md"));
    place.run("verify -q").arg(results).assert().code(1);
    place.run("bench --seconds 0.05").arg(list).assert().success();
    let missing = place.run("solve").arg(name(b"no\xff")).output().unwrap();
    assert!(String::from_utf8(missing.stderr).unwrap().contains("no\\xff: cannot open"));
}

/// PROMISE: deleted-folder
#[test]
fn a_run_in_a_deleted_folder_works_with_whole_paths_and_says_what_is_missing() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    fs::create_dir(place.path("gone")).unwrap();
    let run = |line: &str| {
        let script =
            format!("cd gone && rmdir ../gone && (batchdoku {line}); code=$?; mkdir -p ../gone; exit $code");
        ended(place.shell(&script).output().unwrap())
    };
    let (input, output) = (place.path("a.txt"), place.path("r.txt"));
    let (code, _, said) = run(&format!("solve {} -q -O lines -o {}", input.display(), output.display()));
    assert_eq!(code, 0, "{said}");
    assert_eq!(place.read("r.txt"), format!("{UNIQUE},{ANSWER}\n"));
    let (code, _, said) = run(&format!("solve {} -q -o r.txt", input.display()));
    assert!(code == 2 && said.contains("r.txt: "), "{said}");
}

/// If a requested option does nothing, a message says so.
/// PROMISE: deleted-folder
#[test]
fn an_option_without_effect_is_named() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n"));
    place.write("b.csv", format!("puzzle\n{UNIQUE}\n"));
    for (line, column) in [
        ("solve a.txt --puzzle-column quiz", "puzzle"),
        ("verify a.txt --solution-column answer", "solution"),
        ("verify b.csv --answers a.txt --solution-column answer", "solution"),
    ] {
        let (_, _, said) = place.ran(line);
        let expected =
            format!("warning: a.txt: not a table: the name of the {column} column has no effect\n");
        assert!(said.contains(&expected), "{said}");
    }
}
