//! Tests what happens to outputs under attack: nothing is lost or mixed up, and failures are named.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, Write};
use std::os::unix::fs::symlink;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use crate::place::{PATIENCE, Place, ended, fed, mkfifo, send, wait_for};
use crate::puzzles::{ANSWER, UNIQUE};

impl Place {
    /// Returns a place with `a.txt`, which holds a puzzle, and `r.csv`, which holds its results.
    fn prepared() -> Self {
        let place = Self::new();
        place.write("a.txt", format!("{UNIQUE}\n"));
        place.run("solve a.txt -q -o r.csv").assert().code(0);
        place
    }

    /// Returns the names and contents of all files here; the content of a link is that of its target.
    fn everything(&self) -> Vec<(String, String)> {
        let content = |name: &String| fs::read_to_string(self.path(name)).unwrap_or_default();
        self.names().into_iter().map(|name| (name.clone(), content(&name))).collect()
    }
}

mod two_runs {
    use super::*;

    /// PROMISE: one-writer
    #[test]
    fn no_file_is_written_by_two_runs() {
        let place = Place::prepared();
        fs::create_dir(place.path("d")).unwrap();
        symlink(".", place.path("here")).unwrap();
        symlink("out.csv", place.path("link")).unwrap();
        let first = place.start("solve --no-time -o out.csv --summary s.json --report p.html");
        for name in ["out.csv", "s.json", "p.html"] {
            let partial = place.path(&format!("{name}.partial"));
            wait_for(|| partial.exists());
        }
        let before = place.everything();
        for (line, name) in [
            ("solve -o out.csv", "out.csv"),
            ("solve -o ./out.csv", "./out.csv"),
            ("solve -o d/../out.csv", "d/../out.csv"),
            ("solve -o here/here/out.csv", "here/here/out.csv"),
            ("solve -o link", "link"),
            ("solve -o out.csv.partial", "out.csv.partial"),
            ("solve --summary s.json", "s.json"),
            ("solve -o new --report p.html", "p.html"),
            ("verify -o out.csv", "out.csv"),
            ("report - -o p.html", "p.html"),
            ("bench -o s.json", "s.json"),
        ] {
            let mut input = File::open(place.path("a.txt")).unwrap();
            let refused = ended(place.program(line).stdin(input.try_clone().unwrap()).output().unwrap());
            let said = format!("error: {name}: another run is writing it\n");
            assert_eq!(refused, (2, String::new(), said), "{line}");
            assert_eq!(input.stream_position().unwrap(), 0, "{line} has read its input");
            assert_eq!(place.everything(), before, "{line}");
        }
        let (code, _, said) = fed(first, &format!("{UNIQUE}\n").repeat(2));
        assert_eq!(code, 0, "{said}");
        let rows: Vec<_> =
            (1..=2).map(|id| format!("{id},-,{id},sudoku,unique,1,32,0,{UNIQUE},{ANSWER},\n")).collect();
        assert_eq!(place.read("out.csv").split_once('\n').unwrap().1, rows.concat());
    }

    /// PROMISE: one-writer
    #[test]
    fn the_lock_dies_with_its_process_and_what_it_wrote_is_named() {
        let place = Place::prepared();
        let mut first = place.start("solve --chunk-size 1 -O lines -o out");
        // This is more than the program examines to detect the format.
        let input = format!("{UNIQUE}\n").repeat(2000);
        first.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
        place.wait_for_bytes("out.partial", 1);
        send(&first, "-KILL");
        first.wait().unwrap();
        place.run("solve a.txt -O lines -o out --chunk-size 1").assert().code(0).stderr(
            contains("note: ")
                .and(contains("out.partial has "))
                .and(contains("bytes of an earlier run, which this run replaces")),
        );
        assert!(!place.path("out.partial").exists());
        assert_eq!(place.read("out"), format!("{UNIQUE},{ANSWER}\n"));
    }

    /// The line `solve in -o out` works if both are named pipes. A program that writes to `in` first and only then
    /// reads from `out` is not kept waiting.
    #[test]
    fn a_pipe_that_is_read_is_opened_before_one_that_is_written() {
        let place = Place::new();
        for name in ["in", "out"] {
            mkfifo(&place.path(name));
        }
        let run = place.start("solve in -O lines -o out");
        let (input, output) = (place.path("in"), place.path("out"));
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            fs::write(input, format!("{UNIQUE}\n")).unwrap();
            sender.send(fs::read_to_string(output).unwrap()).unwrap();
        });
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), format!("{UNIQUE},{ANSWER}\n"));
        assert_eq!(fed(run, "").0, 0);
    }
}

mod outputs_that_meet {
    use super::*;

    /// PROMISE: distinct-outputs
    #[test]
    fn are_refused_by_every_command_before_anything_is_opened() {
        let place = Place::prepared();
        fs::create_dir(place.path("d")).unwrap();
        symlink("d", place.path("e")).unwrap();
        symlink("d/real", place.path("dangling")).unwrap();
        symlink("dangling", place.path("twice")).unwrap();
        symlink("a.txt", place.path("live.md")).unwrap();
        fs::hard_link(place.path("a.txt"), place.path("hard")).unwrap();
        fs::hard_link(place.path("r.csv"), place.path("hard.csv.md")).unwrap();
        place.write("x.partial", UNIQUE);
        place.write("x.md.partial", "old");
        let before = place.everything();
        for (line, why) in [
            ("solve a.txt -o d", "d: is a directory (expected a file to write)"),
            ("solve a.txt -o none/q", "none/q: the directory none does not exist"),
            ("solve a.txt -o q --summary none/q", "none/q: the directory none does not exist"),
            ("solve a.txt --summary a.txt", "--summary a.txt would overwrite the input a.txt"),
            ("solve a.txt -o q --summary ./q", "--output q and --summary ./q both name the same file"),
            ("solve a.txt -o q --summary d/../q", "--output q and --summary d/../q both name"),
            ("solve a.txt -o q.partial --summary q", "--output q.partial: --summary q is written there"),
            ("solve a.txt -o q --summary q.partial", "--summary q.partial: --output q is written there"),
            (
                "solve a.txt -O csv -o x.html --report d/../x.html",
                "--output x.html and --report d/../x.html both",
            ),
            ("solve a.txt --report x.md --report d/../x.md", "--report x.md and --report d/../x.md both"),
            ("solve a.txt --summary x.md --report ./x.md", "--summary x.md and --report ./x.md both"),
            ("solve a.txt -o dangling --summary d/real", "--output dangling and --summary d/real both"),
            ("solve a.txt -o twice --summary e/real", "--output twice and --summary e/real both"),
            ("solve a.txt -o twice --summary e/real.partial", "--output twice is written there"),
            ("solve a.txt -o hard", "--output hard would overwrite the input a.txt"),
            ("solve a.txt --report live.md", "--report live.md would overwrite the input a.txt"),
            ("solve hard --summary d/../a.txt", "--summary d/../a.txt would overwrite the input hard"),
            ("solve a.txt x.partial -o x", "the input x.partial: --output x is written there until"),
            ("solve new.partial -o new", "the input new.partial: --output new is written there until"),
            ("verify r.csv -o r.csv", "--output r.csv would overwrite the input r.csv"),
            ("verify r.csv -o v --summary v", "--output v and --summary v both name the same file"),
            ("report r.csv -o x.md -o d/../x.md", "--output x.md and --output d/../x.md both"),
            ("report r.csv -o hard.csv.md", "--output hard.csv.md would overwrite the input r.csv"),
            ("bench a.txt -o x.md -o d/../x.md", "--output x.md and --output d/../x.md both"),
            ("bench a.txt -o live.md", "--output live.md would overwrite the input a.txt"),
        ] {
            place.run(line).assert().code(2).stdout(is_empty()).stderr(
                predicates::str::starts_with("error: ").and(contains(why)).and(contains("\n").count(1)),
            );
            assert_eq!(place.everything(), before, "{line}");
        }
    }

    /// PROMISE: distinct-outputs
    #[test]
    fn standard_streams_are_files_too() {
        let place = Place::prepared();
        for (line, why) in [
            ("solve a.txt --summary out >out", "standard output and --summary out both name the same file"),
            ("solve a.txt --summary /dev/stdout >out", "standard output and --summary /dev/stdout both"),
            ("solve a.txt -o /dev/stdout --summary out >out", "--output /dev/stdout and --summary out both"),
            ("report r.csv -o - -o out.md >out.md", "--output out.md and standard output both"),
            ("bench a.txt -o out.csv >>out.csv", "--output out.csv and standard output both"),
            ("solve a.txt >>a.txt", "standard output would overwrite the input a.txt"),
            ("solve <a.txt >>a.txt", "standard output would overwrite standard input"),
            ("solve -o a.txt <a.txt", "--output a.txt would overwrite standard input"),
            ("report r.csv >>r.csv", "standard output would overwrite the input r.csv"),
        ] {
            let (code, _, said) = ended(place.shell(&format!("batchdoku {line}")).output().unwrap());
            assert!(code == 2 && said.contains(why), "{line}: {said}");
        }
        assert_eq!(place.read("a.txt"), format!("{UNIQUE}\n"));
        assert_eq!(place.read("r.csv").lines().count(), 2);
    }

    /// PROMISE: devices
    #[test]
    fn devices_and_pipes_may_be_named_any_number_of_times() {
        let place = Place::prepared();
        place.run("solve a.txt -o /dev/null --summary /dev/null").assert().code(0);
        let empty = place.run("solve /dev/null -o /dev/null --format line").assert().code(2);
        empty.stderr("error: /dev/null: is empty\n");
        let both = place.run("solve a.txt -O lines --summary /dev/stdout").assert().code(0);
        both.stdout(contains(ANSWER).and(contains("\"exit_code\": 0")));
    }

    /// PROMISE: file-mode
    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let place = Place::prepared();
        place.write("out", "private");
        fs::set_permissions(place.path("out"), fs::Permissions::from_mode(0o600)).unwrap();
        place.run("solve a.txt -O lines -o out").assert().code(0);
        assert_eq!(place.read("out"), format!("{UNIQUE},{ANSWER}\n"));
        assert_eq!(fs::metadata(place.path("out")).unwrap().permissions().mode() & 0o777, 0o600);
    }

    /// PROMISE: devices
    #[test]
    fn what_is_appended_to_is_not_replaced() {
        let place = Place::prepared();
        place.write("log", "before\n");
        for (line, name) in [
            ("solve a.txt -O lines -o /dev/stdout >>log", "log"),
            ("solve a.txt -O lines -o /dev/stderr -q 2>>log", "log"),
            ("solve a.txt -O lines -o /dev/./fd/1 >>log", "log"),
            ("solve a.txt -O lines -o /proc/thread-self/fd/1 >>log", "log"),
            ("solve a.txt -O lines -o /proc/self/../self/fd/1 >>log", "log"),
            ("solve a.txt -O lines -o /dev/fd/5 5>>log", "log"),
            ("solve a.txt -O lines -o /proc/self/fd/7 7>>log", "log"),
        ] {
            place.shell(&format!("batchdoku {line}")).assert().code(0);
            assert_eq!(place.read(name), format!("before\n{UNIQUE},{ANSWER}\n"), "{line}");
            place.write("log", "before\n");
        }
    }
}

mod the_partial_file {
    use super::*;

    /// PROMISE: safe-partial
    #[test]
    fn is_not_written_through_a_link_to_another_file() {
        let place = Place::prepared();
        place.write("precious", "precious");
        for (name, leads_to) in [("live.csv", "precious"), ("dangling.csv", "nothing")] {
            symlink(leads_to, place.path(&format!("{name}.partial"))).unwrap();
        }
        fs::hard_link(place.path("precious"), place.path("hard.csv.partial")).unwrap();
        let before = place.everything();
        for (name, what) in [
            ("live.csv", "a symbolic link"),
            ("dangling.csv", "a symbolic link"),
            ("hard.csv", "a file with several names"),
        ] {
            for line in [
                format!("solve a.txt -o {name}"),
                format!("solve a.txt --summary {name}"),
                format!("verify r.csv -o {name}"),
                format!("bench a.txt -o {name}"),
            ] {
                let why = format!("error: {name}: {what} is in the way: ");
                let named = contains(why).and(contains(format!("{name}.partial")));
                place.run(&line).assert().code(2).stdout(is_empty()).stderr(named);
                assert_eq!(place.everything(), before, "{line}");
            }
        }
    }

    /// PROMISE: safe-partial
    #[test]
    fn waits_for_nobody_if_there_is_a_pipe_in_its_place() {
        let place = Place::prepared();
        mkfifo(&place.path("out.partial"));
        fs::create_dir(place.path("out2.partial")).unwrap();
        for (line, what) in [
            ("solve a.txt -o out", "a device or a pipe is in the way"),
            ("solve a.txt -o out2", "a directory is in the way"),
        ] {
            place.run(line).assert().code(2).stderr(contains(what));
        }
    }

    /// PROMISE: earlier-partial
    #[test]
    fn of_an_earlier_run_stays_until_something_is_written() {
        let place = Place::prepared();
        let earlier = "rows of an earlier run\n";
        place.write("out.partial", earlier);
        // These runs do not start.
        for line in ["solve none.txt -o out", "solve a.txt -o out --summary nowhere/s.json"] {
            place.run(line).assert().code(2).stderr(contains("note").not());
            assert_eq!(place.read("out.partial"), earlier);
        }
        // This run writes rows until its input turns out to be damaged.
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        packed.write_all(format!("{UNIQUE}\n").repeat(3000).as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        place.write("a.gz", &packed[..packed.len() / 2]);
        let note = "note: out.partial has 23 bytes of an earlier run, which this run replaces";
        let run = place.run("solve a.gz -O lines -o out").assert().code(2);
        run.stderr(
            contains(note)
                .and(contains("hint: the complete rows so far are in "))
                .and(contains("out.partial\n")),
        );
        let rows = place.read("out.partial");
        assert!(rows.lines().count() > 1000 && rows.lines().all(|row| row == format!("{UNIQUE},{ANSWER}")));
        assert!(rows.ends_with('\n'));
        // This run completes.
        place.run("solve a.txt -O lines -o out").assert().code(0).stderr(contains("note: "));
        assert_eq!(place.read("out"), format!("{UNIQUE},{ANSWER}\n"));
        assert!(!place.path("out.partial").exists());
    }

    /// PROMISE: earlier-partial
    #[test]
    fn of_a_side_output_is_replaced_with_the_same_words() {
        let place = Place::prepared();
        let note = ".partial has 3 bytes of an earlier run, which this run replaces";
        for (line, names) in [
            ("solve a.txt --summary s.json --report p.md", &["s.json", "p.md"][..]),
            ("report r.csv -o p.md -o p.html", &["p.md", "p.html"]),
            ("bench a.txt --seconds 0.01 -o x.csv -o y.json", &["x.csv", "y.json"]),
        ] {
            for name in names {
                place.write(&format!("{name}.partial"), "old");
            }
            place.run(line).assert().code(0).stderr(contains(note).count(names.len()));
            for name in names {
                assert!(
                    !place.path(&format!("{name}.partial")).exists() && !place.read(name).starts_with("old")
                );
            }
        }
    }
}

mod each_output_stands_on_its_own {
    use super::*;

    /// PROMISE: outputs-apart
    #[test]
    fn a_name_that_became_a_directory_loses_neither_the_rows_nor_the_other_outputs() {
        let place = Place::new();
        let run = place.start("solve -O lines -o out --report p.html --report p.md --summary s.json");
        wait_for(|| place.path("p.md.partial").exists());
        for name in ["out", "p.html"] {
            fs::create_dir(place.path(name)).unwrap();
        }
        let (code, _, said) = fed(run, &format!("{UNIQUE}\n"));
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("1 record in "), "the summary is for the person: {said}");
        for name in ["out", "p.html"] {
            let why =
                format!("error: {name}: the complete file is {name}.partial, which cannot be renamed: ");
            assert!(said.contains(&why), "{said}");
        }
        assert_eq!(place.read("out.partial"), format!("{UNIQUE},{ANSWER}\n"));
        assert!(place.read("p.html.partial").contains("</html>"));
        assert!(place.read("p.md").contains("1"));
        let summary = place.json("s.json");
        assert_eq!((&summary["records"], &summary["exit_code"]), (&1.into(), &2.into()));
    }

    /// PROMISE: outputs-apart
    #[test]
    fn a_folder_that_was_deleted_is_named_and_the_summary_is_still_there() {
        let place = Place::new();
        fs::create_dir(place.path("d")).unwrap();
        let run = place.start("solve -o d/out --report d/p.html --report p.md --summary s.json");
        // This file is opened last: by now those in the folder are open and locked.
        wait_for(|| place.path("p.md.partial").exists());
        fs::remove_dir_all(place.path("d")).unwrap();
        let (code, _, said) = fed(run, &format!("{UNIQUE}\n"));
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("1 record in "), "{said}");
        for name in ["d/out", "d/p.html"] {
            assert!(said.contains(&format!("error: {name}: is lost: ")), "{said}");
        }
        assert!(place.read("s.json").contains("\"exit_code\": 2"));
    }

    #[test]
    fn a_report_that_fails_takes_no_other_with_it() {
        let place = Place::prepared();
        let run = place.start("report - -o p.html -o p.json -o p.md");
        wait_for(|| place.path("p.md.partial").exists());
        fs::create_dir(place.path("p.html")).unwrap();
        let (code, _, said) = fed(run, &place.read("r.csv"));
        assert_eq!(code, 2, "{said}");
        assert!(
            said.contains("error: p.html: the complete file is ") && said.contains("wrote p.json"),
            "{said}"
        );
        assert!(place.read("p.json").contains("\"rows\": 1") && place.path("p.md").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_under_the_summary_is_named_and_the_rest_is_written() {
        let place = Place::prepared();
        for line in ["solve a.txt -O lines", "verify r.csv"] {
            place.run(&format!("{line} -o out --summary /dev/full --report p.json")).assert().code(2).stderr(
                contains("1 record in ").and(contains("error: /dev/full: cannot be written: No space left")),
            );
            assert!(place.read("out").contains(ANSWER) && place.read("p.json").contains("\"rows\": 1"));
        }
    }
}

mod standard_output {
    use super::*;

    /// Commands that print something, in few words.
    const PRINTING: [&str; 7] = [
        "solve a.txt",
        "verify r.csv",
        "report r.csv",
        "bench a.txt --seconds 0.01",
        "generate",
        "completions bash",
        "man",
    ];

    /// PROMISE: failed-write
    #[cfg(target_os = "linux")]
    #[test]
    fn that_is_closed_or_devnull_is_no_error_and_is_noted() {
        let place = Place::prepared();
        for line in PRINTING.into_iter().chain(["solve --help", "--version", "help bench"]) {
            let refused = place.shell(&format!("batchdoku {line} 1</dev/null")).assert().code(2);
            refused.stderr(contains("error: standard output is not open for writing"));
            // The last one corresponds to Python's `DEVNULL` and Node's `ignore`.
            for open in [">/dev/null", "</dev/null | cat", ">&-", "1<>/dev/null"] {
                place.shell(&format!("batchdoku {line} {open}")).assert().code(0);
            }
        }
        for (line, is_noted) in [
            ("solve a.txt 1<>/dev/null", true),
            ("solve a.txt >&-", true),
            ("solve a.txt --quiet 1<>/dev/null", false),
            ("solve a.txt --summary s.json 1<>/dev/null", false),
            ("solve a.txt -o /dev/null", false),
            ("solve a.txt >/dev/null", false),
        ] {
            let (_, _, said) = ended(place.shell(&format!("batchdoku {line}")).output().unwrap());
            let note = "note: standard output is closed or /dev/null";
            assert_eq!(said.contains(note), is_noted, "{line}: {said}");
        }
        // Commands that print nothing do not need standard output.
        place.shell("batchdoku solve a.txt -O lines -o out >&-").assert().code(0);
        assert_eq!(place.read("out"), format!("{UNIQUE},{ANSWER}\n"));
    }

    #[cfg(target_os = "linux")]
    /// Messages for the user can be lost, but not the rows or the exit code.
    /// PROMISE: full-stderr
    #[test]
    fn a_standard_error_that_is_full_or_closed_costs_no_row() {
        let place = Place::with("a.txt", format!("{UNIQUE}\n"));
        for redirection in ["2>/dev/full", "2>&-"] {
            place.shell(&format!("batchdoku solve a.txt -O lines -o r {redirection}")).assert().code(0);
            assert_eq!(place.read("r"), format!("{UNIQUE},{ANSWER}\n"), "{redirection}");
            fs::remove_file(place.path("r")).unwrap();
        }
    }

    /// PROMISE: failed-write
    #[test]
    fn that_is_full_is_an_error() {
        let place = Place::prepared();
        let help = ["--help", "-h", "--version", "-V", "solve --help", "report -h"];
        for line in PRINTING.into_iter().chain(help) {
            let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
            let (code, _, said) = ended(place.program(line).stdout(full).output().unwrap());
            let is_named = said.contains("error: standard output: ") && said.contains("No space left");
            assert!(code == 2 && is_named, "{line}: {code} {said}");
        }
    }

    /// PROMISE: failed-write
    #[test]
    fn that_nobody_reads_is_no_error() {
        let place = Place::prepared();
        for line in PRINTING.into_iter().chain(["--help", "--version"]) {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let (code, _, said) = ended(place.program(line).stdout(writer).output().unwrap());
            assert!(code == 0 && !said.contains("error"), "{line}: {code} {said}");
        }
    }
}
