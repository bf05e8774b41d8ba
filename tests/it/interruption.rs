//! Sends signals at every moment of a run, and checks the rows written, the files left and the exit status.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use predicates::str::contains;
use serde_json::json;

use crate::place::{Place, end, errors, piped, send, wait_for};
use crate::pty;
use crate::puzzles::{ANSWER, UNIQUE};

/// A limit that no search ever reaches.
const ENDLESS: &str = "18446744073709551615";

/// How long a program can take to end if the promise is about one second.
const ABOUT_A_SECOND: Duration = Duration::from_millis(1500);

/// Retries an attempt that takes longer than about a second. Other work on the machine can delay a single attempt, but
/// a program that waits too long does so every time.
fn within_about_a_second(mut attempt: impl FnMut() -> Duration) {
    const MOST_ATTEMPTS: usize = 8;
    let mut took = Vec::new();
    while took.len() < MOST_ATTEMPTS {
        took.push(attempt());
        if took.last() <= Some(&ABOUT_A_SECOND) {
            return;
        }
    }
    panic!("it ends within {took:?}");
}

/// Returns whether the process handles SIGINT yet.
fn handles_signals(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0
}

/// Requests progress reports until one is sufficient, and returns the messages that follow it.
fn wait_for_progress(child: &mut Child, is_enough: impl Fn(&str) -> bool) -> Lines<BufReader<ChildStderr>> {
    wait_for(|| handles_signals(child));
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    wait_for(|| {
        send(child, "-USR1");
        is_enough(&said.next().unwrap().unwrap())
    });
    said
}

/// `nohup make test &`: programs that a shell starts in the background ignore SIGINT, and `nohup` makes them ignore
/// SIGHUP.
#[test]
fn tests_in_the_background_send_signals_that_are_heard() {
    let test = "program::interruption::a_run_that_waits_for_its_input_ends_at_the_first_signal";
    let again = Command::new("sh")
        .args(["-c", "trap '' INT HUP; exec \"$0\" --exact \"$1\""])
        .args([std::env::current_exe().unwrap().as_os_str(), test.as_ref()])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && said.contains("1 passed"), "{said}");
}

/// Whatever record is being solved, the rows before it are written, and its own row is not.
/// PROMISE: signals
#[test]
fn each_signal_ends_an_endless_search_with_its_status() {
    let (blank, rows) = (".".repeat(81), format!("{UNIQUE},{ANSWER}\n").repeat(2));
    for (signal, status) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        for backend in ["auto", "scalar"] {
            within_about_a_second(|| {
                let place = Place::new();
                let line =
                    format!("solve - -O lines -o r --summary s.json --limit {ENDLESS} --backend {backend}");
                let mut child = place.start(&line);
                let mut input = child.stdin.take().unwrap();
                write!(input, "{UNIQUE}\n{UNIQUE}\n").unwrap();
                wait_for(|| fs::read_to_string(place.path("r.partial")).is_ok_and(|text| text == rows));
                write!(input, "{blank}\n{UNIQUE}\n").unwrap();
                // By now the record has probably been read and the search has begun, but that cannot be observed. The
                // files that remain are the same in any case.
                sleep(Duration::from_millis(100));
                let sent = Instant::now();
                send(&child, signal);
                assert_eq!(end(&mut child).code(), Some(status), "{signal} {backend}");
                let took = sent.elapsed();
                assert_eq!(place.read("r.partial"), rows);
                let said = errors(&mut child);
                assert!(said.contains("only the rows of the first 2 records were written"), "{said}");
                let summary = place.json("s.json");
                assert_eq!(
                    [&summary["ending"], &summary["exit_code"]],
                    [&json!("interrupted"), &json!(status)]
                );
                assert_eq!(place.names(), ["r.partial", "s.json"]);
                took
            });
        }
    }
}

/// Before the first record there is nothing to finish, and no file is left.
/// PROMISE: idle-input
#[test]
fn a_run_that_waits_for_its_input_ends_at_the_first_signal() {
    for line in [
        "solve - -o r",
        "verify - -o r",
        "report - -o r.html",
        "inspect -",
        "sample - -n 3 -o r",
        "dedupe - -o r",
        "split - --parts r=1,s=1",
        "bench - -o r.json",
    ] {
        let place = Place::new();
        let mut child = place.start(line);
        wait_for(|| handles_signals(&child));
        send(&child, "-TERM");
        assert_eq!(end(&mut child).code(), Some(143), "{line}");
        assert!(errors(&mut child).contains("interrupted"));
        assert_eq!(place.names(), [""; 0], "{line}");
    }
}

/// The command is reading results that are complete except for their end, as in `report -` on a slow pipe.
/// PROMISE: idle-input
#[test]
fn a_report_of_an_idle_pipe_ends_at_the_first_signal() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n").repeat(50));
    let rows = place.run("solve a.txt -q").output().unwrap().stdout;
    let mut child = place.start("report - -o r.html");
    let mut input = child.stdin.take().unwrap();
    input.write_all(&rows).unwrap();
    wait_for(|| handles_signals(&child));
    send(&child, "-INT");
    assert_eq!(end(&mut child).code(), Some(130));
    assert!(!place.path("r.html").exists() && !place.path("r.html.partial").exists());
}

/// A puzzle that would take forever affects only its own row.
/// PROMISE: max-time
#[test]
fn a_puzzle_that_takes_too_long_is_unfinished() {
    let place = Place::new();
    let blank = ".".repeat(81);
    place.write("a.txt", format!("{UNIQUE}\n{blank}\n{UNIQUE}\n"));
    for backend in ["auto", "scalar"] {
        let line = format!("solve a.txt -O jsonl --limit {ENDLESS} --max-time 0.2 --backend {backend}");
        let (code, rows, _) = place.ran(&line);
        assert_eq!(code, 1);
        let statuses: Vec<_> = rows.lines().map(|row| row.contains("\"status\":\"unfinished\"")).collect();
        assert_eq!(statuses, [false, true, false], "{backend}: {rows}");
    }
    for wrong in ["0", "-1", "x", "nan", "inf"] {
        place.command(["solve", "a.txt", "--max-time", wrong]).assert().code(2);
    }
}

/// The reader of the rows neither reads nor closes the pipe. The program cannot finish its write, but it ends anyway.
/// PROMISE: stuck-reader
#[test]
fn a_full_pipe_does_not_hold_up_the_end() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n").repeat(20_000));
    within_about_a_second(|| {
        let mut child = place.start("solve a.txt");
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut header = String::new();
        output.read_line(&mut header).unwrap();
        // By the time one row was seen, more rows are on their way than fit into a pipe.
        let mut row = String::new();
        output.read_line(&mut row).unwrap();
        let sent = Instant::now();
        send(&child, "-INT");
        assert_eq!(end(&mut child).code(), Some(130));
        let took = sent.elapsed();
        assert!(errors(&mut child).contains("interrupted"));
        drop(output);
        took
    });
}

/// A progress bar is drawn on standard error, but no program reads it.
/// PROMISE: stuck-reader
#[test]
fn a_progress_bar_that_nobody_reads_does_not_hold_up_the_end() {
    within_about_a_second(|| {
        let place = Place::new();
        let (_reader, terminal) = pty::full();
        let mut command = place.program("solve - -O lines -o r");
        let mut child = command.env("TERM", "xterm").stdin(Stdio::piped()).stderr(terminal).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{UNIQUE}").unwrap();
        let rows = format!("{UNIQUE},{ANSWER}\n");
        wait_for(|| fs::read_to_string(place.path("r.partial")).is_ok_and(|text| text == rows));
        let sent = Instant::now();
        send(&child, "-TERM");
        assert_eq!(end(&mut child).code(), Some(143));
        assert_eq!(place.read("r.partial"), rows);
        sent.elapsed()
    });
}

/// When a benchmark ends, it leaves no endless search and no started program running.
#[test]
fn a_benchmark_leaves_no_program_and_no_folder_behind() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n{}\n", ".".repeat(81)));
    let temporary = place.path("tmp");
    fs::create_dir(&temporary).unwrap();
    let sleeper = "--against=sleeper=sh -c 'echo $$ >pid; exec sleep 1000'";
    // This is the process ID of the program, once it has been written.
    let pid = || fs::read_to_string(place.path("pid")).ok()?.trim().parse::<u32>().ok();
    for (line, against) in [
        (format!("bench a.txt --limit {ENDLESS} -q"), None),
        ("bench a.txt --backend scalar".into(), Some(sleeper)),
    ] {
        let starts_program = against.is_some();
        within_about_a_second(|| {
            let _ = fs::remove_file(place.path("pid"));
            let mut child = piped(place.program(&line).args(against).env("TMPDIR", &temporary));
            wait_for(|| handles_signals(&child));
            // This allows time for the endless search or the program to start.
            let begun = Instant::now();
            wait_for(|| begun.elapsed() > Duration::from_millis(500) && (!starts_program || pid().is_some()));
            // As with `timeout`, the signal goes to the program and to its whole group.
            send(&child, "-INT");
            send(&child, "-INT");
            let sent = Instant::now();
            assert_eq!(end(&mut child).code(), Some(130), "{line}");
            assert!(fs::read_dir(&temporary).unwrap().next().is_none(), "{line} leaves a folder");
            let took = sent.elapsed();
            if let Some(pid) = pid() {
                wait_for(|| !fs::exists(format!("/proc/{pid}")).unwrap());
            }
            took
        });
    }
}

/// GNU `timeout` signals its child and then the group, which counts as one signal.
/// PROMISE: second-signal
#[test]
fn two_signals_at_once_are_one() {
    for line in [
        "rate hard.txt --isomorphs 300 --chunk-size 1000 -o r.parquet",
        "rate hard.txt --isomorphs 300 --chunk-size 1000 -o r.csv",
        "generate --kind sudominoku -n 1000000000 -o r.txt",
    ] {
        let place = Place::with("hard.txt", include_str!("../../data/hard.txt"));
        for between in [0, 50] {
            let mut child = place.start(line);
            let is_a_count = |line: &str| line.contains(" record") && !line.starts_with('0');
            let said = wait_for_progress(&mut child, |line| is_a_count(line) && line.contains("/s, "));
            send(&child, "-TERM");
            sleep(Duration::from_millis(between));
            send(&child, "-TERM");
            assert_eq!(end(&mut child).code(), Some(143), "{line}");
            let said: String = said.map(|line| line.unwrap() + "\n").collect();
            let names_the_rows = said.contains(" --resume ") || said.contains(".partial");
            assert!(said.contains("only the rows of the first ") && names_the_rows, "{said}");
            if line.ends_with(".parquet") {
                place.run("convert r.parquet.partial -q -o rows.csv").assert().code(0);
            }
        }
        let mut command = Command::new("timeout");
        command.arg("1").arg(cargo_bin!("batchdoku")).args(line.split(' ')).current_dir(&place.directory);
        let mut child = piped(&mut command);
        assert_eq!(end(&mut child).code(), Some(124), "{line}");
        assert!(errors(&mut child).contains("interrupted: "), "{line}");
    }
}

/// The second signal arrives while the search is being given time to end.
/// PROMISE: second-signal
#[test]
fn a_later_second_signal_ends_at_once() {
    let place = Place::new();
    let mut child = place.start(&format!("solve - -O lines -o r --limit {ENDLESS}"));
    let mut input = child.stdin.take().unwrap();
    let row = format!("{UNIQUE},{ANSWER}\n");
    writeln!(input, "{UNIQUE}").unwrap();
    wait_for(|| fs::read_to_string(place.path("r.partial")).is_ok_and(|text| text == row));
    writeln!(input, "{}", ".".repeat(81)).unwrap();
    sleep(Duration::from_millis(100));
    send(&child, "-TERM");
    sleep(Duration::from_millis(380));
    send(&child, "-TERM");
    assert_eq!(end(&mut child).code(), Some(143));
    assert_eq!(place.read("r.partial"), row);
    assert!(!errors(&mut child).contains("records were written"), "it ends without a summary");
}

/// Two signals arrive almost at once, again and again, each time a little later in the run.
/// PROMISE: second-signal
#[test]
fn two_signals_leave_whole_rows() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n").repeat(200_000));
    let line = format!("{UNIQUE},{ANSWER}\n");
    let mut with_rows = 0;
    for delay in 0..20 {
        let mut child = place.start("solve a.txt -q -O lines -o r");
        wait_for(|| handles_signals(&child) || child_is_gone(&child));
        sleep(Duration::from_millis(10 * delay));
        if child.try_wait().unwrap().is_none() {
            let id = child.id().to_string();
            let _ = Command::new("sh").args(["-c", &format!("kill -INT {id}; kill -INT {id}")]).output();
        }
        let status = end(&mut child);
        if status.code() == Some(0) {
            continue;
        }
        assert_eq!((status.code(), status.signal()), (Some(130), None));
        let left = fs::read(place.path("r.partial")).unwrap_or_default();
        assert_eq!(left.len() % line.len(), 0, "after {delay}");
        assert!(left.chunks(line.len()).all(|row| row == line.as_bytes()));
        with_rows += usize::from(!left.is_empty());
        let _ = fs::remove_file(place.path("r.partial"));
    }
    assert!(with_rows > 0, "no run was interrupted in its middle");
}

fn child_is_gone(child: &Child) -> bool {
    !fs::exists(format!("/proc/{}", child.id())).unwrap()
}

/// Uses the shell's limit on file size, in blocks of 512 or 1,024 bytes.
/// PROMISE: file-size-limit
#[test]
fn a_file_that_may_not_grow_ends_with_a_whole_row() {
    let place = Place::with("a.txt", format!("{UNIQUE}\n").repeat(100_000));
    place.shell("ulimit -f 1000; batchdoku solve a.txt -q -O lines -o r").assert().code(2);
    let left = place.read("r.partial");
    assert!(!left.is_empty() && left.lines().all(|row| row == format!("{UNIQUE},{ANSWER}")));
    assert!(left.ends_with('\n'));
}

/// PROMISE: ignored-signals
#[test]
fn an_ignored_signal_stays_ignored() {
    let place = Place::new();
    let program = cargo_bin!("batchdoku").display().to_string();
    for (signal, number) in [("INT", "-INT"), ("HUP", "-HUP")] {
        let line = format!("trap '' {signal}; exec '{program}' solve - -q -O lines");
        let mut child = piped(Command::new("sh").args(["-c", &line]).current_dir(&place.directory));
        let mut input = child.stdin.take().unwrap();
        let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
        writeln!(input, "{UNIQUE}").unwrap();
        assert_eq!(rows.next().unwrap().unwrap(), format!("{UNIQUE},{ANSWER}"));
        send(&child, number);
        writeln!(input, "{UNIQUE}").unwrap();
        assert_eq!(rows.next().unwrap().unwrap(), format!("{UNIQUE},{ANSWER}"), "after SIG{signal}");
        drop(input);
        assert_eq!(end(&mut child).code(), Some(0));
    }
}

/// PROMISE: progress-signal
#[test]
fn sigusr1_tells_how_far_it_is() {
    let place = Place::new();
    let mut child = place.start("solve - -q -O lines");
    let mut input = child.stdin.take().unwrap();
    let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    wait_for(|| handles_signals(&child));
    send(&child, "-USR1");
    assert!(said.next().unwrap().unwrap().contains("opening the inputs"));
    writeln!(input, "{UNIQUE}\n{UNIQUE}").unwrap();
    rows.next().unwrap().unwrap();
    rows.next().unwrap().unwrap();
    // The count is updated after the rows.
    wait_for(|| {
        send(&child, "-USR1");
        said.next().unwrap().unwrap().contains("2 records, ")
    });
    drop(input);
    assert_eq!(end(&mut child).code(), Some(0));
}

/// A sample is written only when everything has been read. Until then, the files of an earlier run stay, including the
/// checkpoint.
#[test]
fn a_sample_that_is_interrupted_leaves_what_an_earlier_run_left() {
    let place = Place::new();
    let left = [("out.partial", "rows"), ("out.partial.checkpoint", "{\"settings\":{}}")];
    left.iter().for_each(|(name, text)| place.write(name, text));
    let begin = || {
        let mut child = place.start("sample - -n 1 -q -o out");
        wait_for(|| handles_signals(&child));
        writeln!(child.stdin.as_mut().unwrap(), "{UNIQUE}").unwrap();
        child
    };
    let mut child = begin();
    send(&child, "-TERM");
    assert_eq!(end(&mut child).code(), Some(143));
    assert!(left.iter().all(|(name, text)| place.read(name) == *text));
    let mut child = begin();
    drop(child.stdin.take());
    assert_eq!(end(&mut child).code(), Some(0));
    assert_eq!(place.names(), ["out"]);
}

/// Rows before an endless search, in formats that consist of more than a sequence of rows.
#[cfg(feature = "parquet")]
mod files_that_need_an_end {
    use std::fs::File;
    use std::path::Path;

    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    const NAMES: [&str; 5] = ["r.txt.gz", "r.txt.zst", "r.parquet", "r.arrow", "r.npy"];

    /// Returns the number of rows in a file with this name, after checking that each has the solution.
    fn rows(name: &str, path: &Path) -> usize {
        let bytes = fs::read(path).unwrap();
        let lines = |text: Vec<u8>| {
            let row = format!("{UNIQUE},{ANSWER}\n");
            assert!(text.chunks(row.len()).all(|chunk| chunk == row.as_bytes()), "{name}");
            text.len() / row.len()
        };
        let mut text = Vec::new();
        match name {
            "r.txt.gz" => {
                flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut text).unwrap();
                lines(text)
            }
            "r.txt.zst" => lines(zstd::decode_all(&*bytes).unwrap()),
            "r.parquet" => {
                let file = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
                file.build().unwrap().map(|batch| batch.unwrap().num_rows()).sum()
            }
            "r.arrow" => {
                let file = arrow_ipc::reader::FileReader::try_new(File::open(path).unwrap(), None).unwrap();
                file.map(|batch| batch.unwrap().num_rows()).sum()
            }
            _ => {
                let header = String::from_utf8_lossy(&bytes[10..128]).into_owned();
                let count = header.split_once("'shape': (").unwrap().1.split_once(", 81)").unwrap().0;
                let count = count.parse().unwrap();
                assert!(bytes.len() >= 128 + 81 * count, "{header}");
                let solution = ANSWER.bytes().map(|digit| digit - b'0').collect::<Vec<_>>();
                assert!(bytes[128..].chunks_exact(81).take(count).all(|row| row == solution));
                count
            }
        }
    }

    /// Starts a run on these records, followed by an endless search, and waits until it has written as many rows as it
    /// can.
    fn begin(place: &Place, name: &str, list: &str, records: &str) -> Child {
        place.write("endless.txt", ".".repeat(81));
        let input = if list.is_empty() { "endless.txt" } else { "-" };
        let mut child = place.start(&format!("solve {input} --limit {ENDLESS} --no-time -o {name}"));
        wait_for(|| handles_signals(&child));
        child.stdin.as_mut().unwrap().write_all(list.as_bytes()).unwrap();
        wait_for_progress(&mut child, |progress| progress.starts_with(&format!("{records} records, ")));
        child
    }

    /// PROMISE: whole-formats
    #[test]
    fn are_whole_when_a_run_is_interrupted() {
        let place = Place::new();
        for name in NAMES {
            let mut child = begin(&place, name, &format!("{UNIQUE}\n").repeat(3000), "3,000");
            send(&child, "-INT");
            assert_eq!(end(&mut child).code(), Some(130), "{name}");
            assert_eq!(rows(name, &place.path(&format!("{name}.partial"))), 3000, "{name}");
        }
    }

    /// Some formats can be cut after any part, so only an incomplete part is lost.
    /// PROMISE: whole-formats
    #[test]
    fn are_whole_in_some_formats_when_a_run_is_killed() {
        let place = Place::new();
        // This is more text than fits into one member.
        let list = format!("{UNIQUE}\n").repeat(10_000);
        for name in ["r.txt.gz", "r.txt.zst", "r.npy"] {
            let mut child = begin(&place, name, &list, "10,000");
            let partial = place.path(&format!("{name}.partial"));
            // The member is compressed by another thread and written when the next rows arrive.
            wait_for(|| {
                child.stdin.as_mut().unwrap().write_all(format!("{UNIQUE}\n").as_bytes()).unwrap();
                fs::metadata(&partial).unwrap().len() > 0
            });
            child.kill().unwrap();
            child.wait().unwrap();
            let rows = rows(name, &partial);
            assert!(rows >= (1 << 20) / 164, "{name}: {rows}");
        }
    }

    /// A limit on file size simulates a full disk: once with no room for the last bytes, and once with room for only a
    /// quarter.
    /// PROMISE: whole-formats
    #[test]
    fn are_whole_when_a_disk_is_full() {
        /// The number of rows in two row groups.
        const ROWS: usize = 2 << 16;
        let place = Place::with("a.txt", format!("{UNIQUE}\n").repeat(ROWS));
        for name in NAMES {
            place.command(["solve", "a.txt", "-q", "--no-time", "-o", name]).assert().success();
            let size = fs::metadata(place.path(name)).unwrap().len();
            for bytes in [size - 512, size / 4 * 3] {
                let blocks = bytes / 512;
                let line = format!("ulimit -f {blocks}; batchdoku solve a.txt -q --no-time -o {name}");
                let failed = place.shell(&line).assert().code(2);
                failed.stderr(contains(format!("the complete rows so far are in {name}.partial")));
                let left = rows(name, &place.path(&format!("{name}.partial")));
                assert!((ROWS / 10..=ROWS).contains(&left), "{name}, {bytes} bytes: {left}");
            }
        }
    }
}
