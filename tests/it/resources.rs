//! Threads and memory: how much of the machine a run uses, whatever its input and however little it is given.

use std::fs;
use std::io::{self, Write};
use std::process::{Child, Command, Output};
use std::thread;

use assert_cmd::cargo::cargo_bin;

use crate::place::{self, Place, columns, end, gzip, piped, send};
use crate::puzzles::{ANSWER, UNIQUE};

/// The address space, in KiB, that must be enough for any input.
const ENOUGH: u64 = 400 << 10;

/// The size in bytes of an overlong input, which exceeds the address space.
const ENDLESS: u64 = 500 << 20;

/// For cases tried many times: `LITTLE` KiB is enough only for a run with a short input, and `LONG` bytes exceed it.
const LITTLE: u64 = 160 << 10;
const LONG: u64 = 200 << 20;

/// Returns the program, limited to this many KiB of address space.
fn limited(place: &Place, kib: u64, line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -c 0; ulimit -v {kib}; exec \"$0\" \"$@\"")]);
    command.arg(cargo_bin!("batchdoku")).args(line.split(' ')).current_dir(&place.directory);
    // A backtrace itself needs memory, and each glibc pool (one per thread) reserves address space in advance.
    command.env_remove("RUST_BACKTRACE").env("MALLOC_ARENA_MAX", "1");
    command
}

/// Runs the program on pieces of input, each repeated until it fills the given number of bytes.
fn fed(mut command: Command, pieces: &'static [(&'static str, u64)]) -> Output {
    let mut child = piped(&mut command);
    let mut input = child.stdin.take().unwrap();
    let feeding = thread::spawn(move || {
        for &(piece, bytes) in pieces {
            let block = piece.repeat((1 << 16) / piece.len() + 1);
            let mut left = usize::try_from(bytes).unwrap().max(piece.len());
            while left > 0 {
                let n = left.min(block.len() / piece.len() * piece.len());
                // A program that has read enough closes its end of the pipe.
                if input.write_all(&block.as_bytes()[..n]).is_err() {
                    return;
                }
                left -= n;
            }
        }
    });
    let output = child.wait_with_output().unwrap();
    feeding.join().unwrap();
    output
}

/// Returns the statuses of a run's rows.
fn statuses(output: &Output) -> Vec<String> {
    let rows = columns(str::from_utf8(&output.stdout).unwrap(), &["status"]);
    rows.into_iter().map(|[status]| status).collect()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns whether the run neither aborted nor panicked; the standard library's own panic is allowed if a thread gets
/// no memory for its signals.
fn ends_well(output: &Output) -> bool {
    let said = errors(output);
    let is_ours = said.contains("panicked") && !said.contains("failed to allocate an alternative stack");
    matches!(output.status.code(), Some(0..=3)) && !is_ours
}

const LONG_LINE: &[(&str, u64)] = &[(LINE, 0), ("1", ENDLESS), ("\n", 0), (LINE, 0)];
const LINE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..\n";

/// PROMISE: endless-line
#[test]
fn a_line_without_end_takes_bounded_memory_and_one_row() {
    let place = Place::new();
    assert_eq!(LINE.trim(), UNIQUE);
    let run = fed(limited(&place, ENOUGH, "solve -j 2"), LONG_LINE);
    assert_eq!(
        (run.status.code(), statuses(&run)),
        (Some(1), ["unique", "invalid", "unique"].map(Into::into).to_vec())
    );
    let run = fed(limited(&place, ENOUGH, "verify -j 2"), LONG_LINE);
    assert_eq!(statuses(&run).len(), 3, "{}", errors(&run));
    let run = fed(limited(&place, ENOUGH, "bench - --seconds 0.01 --backend scalar"), LONG_LINE);
    assert!(run.status.success() && errors(&run).contains("1 of 3 records left out"), "{}", errors(&run));
    // The same holds if the input is only that line.
    for line in ["solve -", "verify -", "bench -", "report -"] {
        for text in [&[("1", LONG)][..], &[("\0", LONG)], &[(",", LONG)], &[("\"", LONG)], &[(" ", LONG)]] {
            let run = fed(limited(&place, LITTLE, line), text);
            assert!(ends_well(&run), "{line} {text:?}: {:?} {}", run.status, errors(&run));
        }
    }
}

#[test]
fn a_row_of_results_without_end_takes_bounded_memory() {
    const ROWS: &[(&str, u64)] = &[(HEADER, 0), ("x", ENDLESS), ("\n", 0), (",", ENDLESS)];
    const HEADER: &str = "id,source,line,kind,clues,status,solutions,guesses,time_ns,puzzle,solution,error\n";
    let place = Place::new();
    let run = fed(limited(&place, ENOUGH, "report - -j 2"), ROWS);
    assert!(run.status.success() && errors(&run).contains("rows that cannot be read: 2"), "{}", errors(&run));
}

#[test]
fn a_quoted_field_without_end_takes_bounded_memory() {
    const FIELD: &[(&str, u64)] =
        &[("puzzle,note\n", 0), (ROW, 0), (OPEN, 0), ("a", ENDLESS), ("\"\n", 0), (ROW, 0)];
    const LINES: &[(&str, u64)] =
        &[("puzzle,note\n", 0), (ROW, 0), (OPEN, 0), ("a\n", 4 << 20), ("\"\n", 0), (ROW, 0)];
    const ROW: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..,x\n";
    const OPEN: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..,\"";
    let place = Place::new();
    for text in [FIELD, LINES] {
        let run = fed(limited(&place, ENOUGH, "solve -j 2"), text);
        let found = statuses(&run);
        assert_eq!(run.status.code(), Some(1), "{}", errors(&run));
        let unique = found.iter().filter(|&status| status == "unique").count();
        assert_eq!((&*found[0], &**found.last().unwrap(), unique), ("unique", "unique", 2));
    }
}

/// The table can be used as long as one row fits, but messages do not list all of its columns.
#[test]
fn columns_by_the_thousand_take_bounded_memory_and_short_messages() {
    let place = Place::new();
    for columns in [10_000, 1_000_000] {
        let head: String = (1..columns).map(|number| format!("c{number},")).collect();
        let row = format!("{}{UNIQUE}\n", "x,".repeat(columns - 1));
        place.write("a.csv", format!("{head}puzzle\n{row}{row}"));
        place.write("b.csv", format!("{head}c\n{}y\n", "z,".repeat(columns - 1)));
        let solve = |line: &str| limited(&place, ENOUGH, line).output().unwrap();
        let run = solve("solve a.csv -j 2");
        if columns == 10_000 {
            assert_eq!(
                (run.status.code(), &*statuses(&run)),
                (Some(0), &["unique".to_owned(), "unique".into()][..])
            );
        } else {
            assert!(ends_well(&run), "{:?} {}", run.status, errors(&run));
        }
        for line in ["solve b.csv", "verify b.csv --solution-column z", "report b.csv"] {
            let run = solve(line);
            assert_eq!(run.status.code(), Some(2), "{line} {}", errors(&run));
            assert!(run.stderr.len() < 5000, "{} bytes said", run.stderr.len());
        }
    }
}

/// In columnar formats, each column takes as much memory as its values need.
#[test]
fn columns_by_the_thousand_are_written_in_bounded_memory() {
    let place = Place::new();
    let head: String = (1..10_000).map(|number| format!("c{number},")).collect();
    let row = format!("{}{UNIQUE}\n", "x,".repeat(9999));
    place.write("a.csv", format!("{head}puzzle\n{}", row.repeat(300)));
    for name in ["r.parquet", "r.arrow"] {
        let line = format!("solve a.csv --keep -q -j 2 -o {name}");
        let run = limited(&place, ENOUGH, &line).output().unwrap();
        assert_eq!(run.status.code(), Some(0), "{name}: {}", errors(&run));
    }
}

#[test]
fn a_header_of_any_length_takes_bounded_memory() {
    const HEADER: &[(&str, u64)] = &[("puzzle,", LONG), ("x\n", 0), (LINE, 0)];
    let place = Place::new();
    for line in ["solve -", "verify -", "bench -", "report -"] {
        let run = fed(limited(&place, LITTLE, line), HEADER);
        assert!(ends_well(&run) && run.stderr.len() < 5000, "{line} {:?} {}", run.status, errors(&run));
    }
}

/// Returns a puzzle, a line of this many bytes and another puzzle, compressed; all frames or members are alike.
fn barren(compress: fn(&[u8]) -> Vec<u8>, bytes: usize) -> Vec<u8> {
    const BLOCK: usize = 16 << 20;
    let block = compress(&vec![b'x'; BLOCK]);
    [compress(LINE.as_bytes()), block.repeat(bytes / BLOCK), compress(format!("\n{LINE}").as_bytes())]
        .concat()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(text, 1).unwrap()
}

/// PROMISE: bombs
#[test]
fn a_bomb_is_refused_by_ratio_and_size() {
    let place = Place::new();
    for (compress, name) in [((|text| gzip(text)) as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
        place.write("bomb", barren(compress, 1200 << 20));
        place.write("large", [barren(compress, 600 << 20), barren(compress, 600 << 20)].concat());
        let solve = |line: &str| limited(&place, ENOUGH, line).output().unwrap();
        let run = solve("solve bomb -j 2");
        let said = errors(&run);
        assert_eq!((run.status.code(), &*statuses(&run)), (Some(2), &["unique".to_owned()][..]), "{said}");
        assert!(
            said.contains(&format!("{name} data: a decompression bomb?"))
                && said.contains("\n  hint: decompress it first (zstd -d, gzip -d)\n"),
            "{said}"
        );
        let run = solve("solve large -j 2");
        assert_eq!((run.status.code(), statuses(&run).len()), (Some(1), 6), "{}", errors(&run));
    }
    // The file was last written by zstd, which is the faster of the two.
    for line in ["verify bomb", "bench bomb", "report bomb"] {
        let run = limited(&place, ENOUGH, line).output().unwrap();
        assert_eq!(run.status.code(), Some(2), "{line}");
    }
}

/// A resumed run also counts the records before its starting point, so the input is not taken for a bomb.
/// PROMISE: bombs
#[test]
fn a_large_ratio_is_no_bomb_to_a_run_that_is_resumed_behind_it() {
    let place = Place::new();
    let line = [vec![b'x'; (64 << 10) - 1], vec![b'\n']].concat();
    let block = zstd(&line.repeat(256));
    let lines = [zstd(LINE.as_bytes()), block.repeat((1200 << 20) / (16 << 20)), zstd(LINE.as_bytes())];
    place.write("large", lines.concat());
    let cut = gzip(LINE.repeat(1000).as_bytes());
    place.write("cut.gz", &cut[..cut.len() / 2]);
    let mut summaries = Vec::new();
    for flag in ["", " --resume"] {
        let line = format!("solve large cut.gz -o r -j 2 --only unique{flag}");
        let run = limited(&place, ENOUGH, &line).output().unwrap();
        let said = errors(&run).replace(',', "");
        assert!(run.status.code() == Some(2) && said.contains("cut.gz: "), "{said}");
        assert!(!said.contains("bomb") && said.contains("resuming after") != flag.is_empty(), "{said}");
        let records = said.lines().find_map(|line| line.split_once(" records in "));
        summaries.push(records.unwrap_or_else(|| panic!("{said}")).0.parse::<u32>().unwrap());
    }
    assert!(summaries[0] > 256 * 75 + 2 && summaries[0] == summaries[1], "{summaries:?}");
}

#[test]
fn a_bomb_of_results_is_refused() {
    let place = Place::new();
    let rows = place.run("solve -q").write_stdin(LINE).output().unwrap().stdout;
    place.write("r.zst", [zstd(&rows), barren(zstd, 1200 << 20)].concat());
    let run = limited(&place, ENOUGH, "report r.zst").output().unwrap();
    assert!(run.status.code() == Some(2) && errors(&run).contains("bomb?"), "{}", errors(&run));
}

/// PROMISE: bombs
#[test]
fn a_large_zstd_window_is_refused() {
    let place = Place::new();
    let mut encoder = ::zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder.write_all(LINE.as_bytes()).unwrap();
    // A frame that is flushed before its end declares its window size but not its length.
    encoder.flush().unwrap();
    place.write("a.zst", encoder.finish().unwrap());
    let run = limited(&place, ENOUGH, "solve a.zst").output().unwrap();
    let said = errors(&run);
    assert!(run.status.code() == Some(2) && said.contains("more than 128 MiB of memory"), "{said}");
    assert!(said.contains("\n  hint: decompress it first (zstd -d, gzip -d)\n"), "{said}");
}

/// With stacks of 1 GiB, each GiB of address space is enough for one thread.
/// PROMISE: fewer-threads
#[test]
fn a_run_makes_do_with_the_threads_that_it_gets() {
    let place = Place::with("a.txt", LINE.repeat(3000));
    let line = "solve a.txt -j 8 -O lines -o out --chunk-size 100";
    let mut short = 0;
    for half_gib in 1..=12 {
        let _ = fs::remove_file(place.path("out"));
        let run = limited(&place, half_gib << 19, line).env("RUST_MIN_STACK", "1073741824").output().unwrap();
        let said = errors(&run);
        assert!(ends_well(&run), "{half_gib} halves of a GiB: {:?} {said}", run.status);
        if run.status.success() {
            assert_eq!(place.read("out"), format!("{UNIQUE},{ANSWER}\n").repeat(3000));
            short += usize::from(said.contains("of 8 threads could be started"));
        } else {
            assert!(run.status.code() == Some(2) && said.contains("error: cannot"), "{said}");
        }
    }
    assert!(short > 0, "no run was short of threads");
}

/// Whatever cannot be allocated, the result is an error and not a panic, and any file with the output's name is whole.
/// PROMISE: out-of-memory
#[test]
fn little_memory_is_an_error_and_no_panic() {
    let place = Place::with("a.txt", LINE.repeat(50_000));
    place.run("solve a.txt -q -o r.csv").assert().success();
    let expected = format!("{UNIQUE},{ANSWER}\n").repeat(50_000);
    let mut ended = [0, 0];
    // The program itself needs some memory, depending on how it was built.
    let starts = |kib: &u64| limited(&place, *kib, "--version").output().unwrap().status.success();
    let least = (5..).map(|mib| mib << 10).find(starts).unwrap();
    for kib in (0..46).step_by(3).map(|mib| least + (mib << 10)) {
        let run = limited(&place, kib, "solve a.txt -O lines -o out").output().unwrap();
        assert!(ends_well(&run), "{kib} KiB: {:?} {}", run.status, errors(&run));
        match fs::read_to_string(place.path("out")) {
            Ok(rows) => assert!(run.status.success() && rows == expected),
            Err(error) => assert!(run.status.code() == Some(2) && error.kind() == io::ErrorKind::NotFound),
        }
        ended[usize::from(run.status.success())] += 1;
        let _ = fs::remove_file(place.path("out"));
        let run = limited(&place, kib, "report r.csv -o r.html").output().unwrap();
        assert!(ends_well(&run), "report in {kib} KiB: {:?} {}", run.status, errors(&run));
    }
    assert!(ended[0] > 0 && ended[1] > 0, "{ended:?}");
}

fn threads_of(child: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap().trim().parse().unwrap()
}

/// Asking for thousands of threads causes a warning. Only as many are started as can be useful, and the first answers
/// come at once.
/// PROMISE: threads-bounded
#[test]
fn no_more_threads_are_started_than_cores_can_use() {
    let place = Place::new();
    let mut child = place.start("solve - -O lines -o out -j 4096");
    let mut input = child.stdin.take().unwrap();
    input.write_all(LINE.as_bytes()).unwrap();
    place.wait_for_bytes("out.partial", 1);
    let (threads, cores) = (threads_of(&child), std::thread::available_parallelism().unwrap().get());
    assert!(threads < 32 * cores + 10, "{threads} threads for {cores} cores");
    send(&child, "-INT");
    assert_eq!(end(&mut child).code(), Some(130));
    let said = place::errors(&mut child);
    assert!(said.contains("warning: 4096 threads, but there"), "{said}");
    assert_eq!(place.read("out.partial"), format!("{UNIQUE},{ANSWER}\n"));
}

/// PROMISE: threads-bounded
#[test]
fn thousands_of_threads_are_a_warning_for_every_command() {
    let place = Place::with("a.txt", LINE.repeat(100));
    place.run("solve a.txt -q -o r.csv").assert().success();
    for line in [
        "solve a.txt -j 4096",
        "verify r.csv -j 4096",
        "report r.csv -j 4096",
        "bench a.txt -j 4096 --seconds 0.01 --backend scalar",
    ] {
        let run = place.run(line).output().unwrap();
        let said = errors(&run);
        assert!(run.status.success() && said.contains("threads, but there"), "{line} {said}");
    }
}

/// Only the cores that the process is allowed to use count, not all cores of the machine.
/// PROMISE: default-threads
#[test]
fn the_default_number_of_threads_is_that_of_the_cores_it_may_use() {
    let place = Place::with("a.txt", LINE);
    let mut command = Command::new("taskset");
    command.args(["-c", "0"]).arg(cargo_bin!("batchdoku")).args(["solve", "a.txt"]);
    match command.current_dir(&place.directory).output() {
        Ok(run) => assert!(errors(&run).contains(", 1 thread\n"), "{}", errors(&run)),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
    }
}
