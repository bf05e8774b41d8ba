//! Measures whole programs.
//!
//! A program is timed from start to finish on a puzzle file, taking turns with the other programs. As in hyperfine,
//! nothing is subtracted, but the time for a single puzzle is measured as well. The first run is a warm-up. After each
//! run, the verifier checks the output; this check is not timed. Standard output goes to a file, so a program never has
//! to wait for a reader.
//!
//! Invariant: no program outlives its turn. It is killed if it takes too long, if it writes too much, or if the
//! benchmark is interrupted. When it ends, all processes that it left running are killed (on Unix).

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::median::Estimate;
use super::result::{BenchRow, BenchTable, TableKind};
use super::rounds::{Entrant, Rounds};
use super::{BenchError, Watch};
use crate::solver::{Backend, Verdict};
use crate::sudoku::verifier;
use crate::sudoku::{CELLS, Grid};

/// The minimum number of runs per program, even if they exceed the given time; fewer would not give a 95 % interval.
const FEWEST_RUNS: usize = 6;

/// The maximum length of a quotation from a program's output, in characters.
const LONGEST_QUOTE: usize = 200;

/// The most bytes a program can write per puzzle: six times the length of a line that holds a puzzle and its solution.
const MOST_BYTES_A_PUZZLE: u64 = 1000;

/// The most bytes a program can write if there are few puzzles.
const MOST_BYTES: u64 = 64 << 20;

/// The interval at which the amount of written output is checked.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The output expected from programs.
const A_LINE_EACH: &str = "a line for each puzzle, with its solution as 81 digits";

/// A command that reads puzzles and writes solutions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The name in the results.
    pub name: String,
    /// Program and arguments; `{in}` is replaced by the puzzle file and `{out}` by the solution file. Without `{in}`,
    /// the program reads standard input; without `{out}`, it writes standard output.
    pub words: Vec<OsString>,
    /// The backend, if the program is batchdoku itself.
    pub backend: Option<Backend>,
    /// Number of threads, if known.
    pub threads: Option<usize>,
    /// Whether puzzles with a single solution can be left unanswered because the program limits its searches.
    pub may_give_up: bool,
}

/// Measures programs on `puzzles` whose `verdicts` are known. A program that fails in any run gets no figures. Fails if
/// the puzzles cannot be written to a temporary directory, or if the stop flag is raised.
pub fn measure(
    puzzles: &[Grid],
    verdicts: &[Verdict],
    programs: Vec<Program>,
    time: Duration,
    timeout: Duration,
    watch: Watch<'_>,
) -> Result<BenchTable, BenchError> {
    let directory = TempDir::with_prefix("batchdoku-bench-")?;
    let place = |name: &str| directory.path().join(name);
    let (input, one) = (place("puzzles.txt"), place("puzzle.txt"));
    write_lines(&input, puzzles)?;
    // A puzzle with many clues is solved immediately.
    let easiest = puzzles.iter().max_by_key(|puzzle| puzzle.clues());
    write_lines(&one, easiest.map_or(&[], slice::from_ref))?;
    let (stop, count) = (watch.stop, puzzles.len());
    let most_bytes = MOST_BYTES.max(MOST_BYTES_A_PUZZLE * count as u64);
    let task = Task { puzzles, verdicts, input, one, timeout, most_bytes, stop };
    let runner = |(number, program)| {
        let files = ["solutions", "errors"].map(|what| place(&format!("{what}-{number}.txt")));
        Runner::new(program, &task, files)
    };
    let mut runners: Vec<_> = (1..).zip(programs).map(runner).collect();
    let programs = runners.len() as f64;
    for (at, runner) in runners.iter_mut().enumerate() {
        (watch.progress)("programs, warm-up", at as f64 / programs);
        runner.turn(stop, Runner::run_and_check)?;
    }
    let mut rounds = Rounds::new("programs", time, FEWEST_RUNS, watch);
    while !rounds.are_over(&mut runners) {
        rounds.take(&mut runners, |runner| {
            let time = runner.run_and_check()?;
            runner.run_start();
            Ok(time)
        })?;
    }
    let rows = runners.into_iter().map(Runner::into_row).collect();
    Ok(BenchTable::new(TableKind::WholeProcess, count, rows, rounds.taken, count))
}

fn write_lines(path: &Path, puzzles: &[Grid]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    puzzles.iter().try_for_each(|puzzle| writeln!(out, "{puzzle}"))?;
    out.flush()
}

/// The task shared by all programs in a table.
struct Task<'a> {
    puzzles: &'a [Grid],
    verdicts: &'a [Verdict],
    /// The file with all the puzzles.
    input: PathBuf,
    /// A file with one puzzle.
    one: PathBuf,
    timeout: Duration,
    /// The most bytes a program can write to each of its files.
    most_bytes: u64,
    stop: &'a AtomicBool,
}

/// A program with its files and figures.
struct Runner<'a> {
    row: BenchRow,
    program: Program,
    task: &'a Task<'a>,
    output: PathBuf,
    errors: PathBuf,
    /// Seconds for each run on one puzzle; `None` once such a run has failed.
    starts: Option<Vec<f64>>,
}

impl Entrant for Runner<'_> {
    fn row(&mut self) -> &mut BenchRow {
        &mut self.row
    }
}

impl<'a> Runner<'a> {
    fn new(program: Program, task: &'a Task<'a>, [output, errors]: [PathBuf; 2]) -> Self {
        let backend = program.backend.map(|backend| backend.name().to_owned());
        let row =
            BenchRow { name: program.name.clone(), backend, threads: program.threads, ..BenchRow::default() };
        Self { row, program, task, output, errors, starts: Some(Vec::new()) }
    }

    /// Returns the row, with the whole-program figures unless the program failed.
    fn into_row(self) -> BenchRow {
        let Self { mut row, starts, .. } = self;
        if row.failure.is_none() {
            let median = |seconds: Estimate| seconds.median;
            row.run_seconds = Estimate::of(row.times.clone()).map(median);
            row.start_seconds = starts.and_then(Estimate::of).map(median);
        }
        row
    }

    /// Runs the program once and checks its output; the check is not timed.
    fn run_and_check(&mut self) -> Result<Duration, String> {
        let time = self.run(&self.task.input)?;
        // This is checked before the file is opened, because opening a named pipe would wait for a writer.
        if !fs::metadata(&self.output).map_err(unreadable)?.is_file() {
            return Err(unreadable("the output is not a regular file"));
        }
        let written = File::open(&self.output).map_err(unreadable)?.take(self.task.most_bytes);
        let unanswered = self.task.check(written, self.program.may_give_up)?;
        // The largest number of unanswered puzzles in any run is what counts.
        self.row.unanswered = self.row.unanswered.max(Some(unanswered));
        Ok(time)
    }

    /// Runs the program on a single puzzle, which takes little longer than starting it. Does nothing if an earlier such
    /// run failed.
    fn run_start(&mut self) {
        if let Some(mut starts) = self.starts.take()
            && let Ok(time) = self.run(&self.task.one)
        {
            starts.push(time.as_secs_f64());
            self.starts = Some(starts);
        }
    }

    /// Runs the program once on a puzzle file, from start to finish.
    fn run(&self, input: &Path) -> Result<Duration, String> {
        let mut command =
            self.command(input).map_err(|error| format!("its files cannot be created: {error}"))?;
        let before = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
        let ended = self.wait(&mut child, before);
        let time = before.elapsed();
        kill(&mut child);
        match ended? {
            status if status.success() => self.check_sizes().map(|()| time),
            status => Err(format!("failed: {status}{}", self.last_words())),
        }
    }

    fn command(&self, input: &Path) -> io::Result<Command> {
        let names = |name: &str| self.program.words.iter().any(|word| word.to_string_lossy().contains(name));
        let mut words =
            self.program.words.iter().map(|word| put(&put(word, "{in}", input), "{out}", &self.output));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        // Output from an earlier run must not be mistaken for the output of this one.
        match fs::remove_file(&self.output) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        command.stdin(if names("{in}") { Stdio::null() } else { File::open(input)?.into() });
        command.stdout(if names("{out}") { Stdio::null() } else { File::create(&self.output)?.into() });
        command.stderr(File::create(&self.errors)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    /// Waits until the program ends, its time is up, or it has written too much.
    ///
    /// The intervals between polls grow, so there are about 400 polls in a run of any length. The measured time is too
    /// long by at most a quarter of a percent, or a few dozen microseconds if that is more.
    fn wait(&self, child: &mut Child, started: Instant) -> Result<ExitStatus, String> {
        let &Task { timeout, stop, .. } = self.task;
        let mut looked = Duration::ZERO;
        loop {
            let ended = child.try_wait().map_err(|error| format!("cannot be waited for: {error}"))?;
            if let Some(status) = ended {
                return Ok(status);
            }
            let elapsed = started.elapsed();
            if elapsed > timeout {
                return Err(format!("timed out: did not end within {} s", timeout.as_secs_f64()));
            }
            if stop.load(Ordering::Relaxed) {
                return Err("interrupted".to_owned());
            }
            if elapsed > looked + LOOK_EVERY {
                looked = elapsed;
                self.check_sizes()?;
            }
            thread::sleep((elapsed / 400).clamp(Duration::from_micros(20), Duration::from_millis(20)));
        }
    }

    /// Fails if the program has already written too much.
    fn check_sizes(&self) -> Result<(), String> {
        let most_bytes = self.task.most_bytes;
        let size = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
        match size(&self.output).max(size(&self.errors)) > most_bytes {
            true => Err(format!("wrote more than {} MiB", most_bytes >> 20)),
            false => Ok(()),
        }
    }

    /// Returns the last line of standard error.
    fn last_words(&self) -> String {
        let text = fs::read(&self.errors).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().rfind(|line| !line.trim().is_empty());
        line.map_or_else(String::new, |line| format!("; its last line: {}", quoted(line)))
    }
}

impl Task<'_> {
    /// Checks a program's output: one line per puzzle, in order, with the solution as 81 digits.
    ///
    /// If a puzzle has several solutions, any of them is accepted. So is a missing answer, because some programs give
    /// only unique solutions. A program that can give up need not answer. Returns the number of unanswered puzzles.
    fn check(&self, written: impl Read, may_give_up: bool) -> Result<usize, String> {
        let count = self.puzzles.len();
        let mut lines = BufReader::new(written).split(b'\n');
        let (mut wrong, mut first, mut unanswered) = (0_u64, None, 0);
        for (at, (puzzle, &verdict)) in self.puzzles.iter().zip(self.verdicts).enumerate() {
            let Some(line) = lines.next().transpose().map_err(unreadable)? else {
                return Err(format!("wrote {at} of {count} lines (expected {A_LINE_EACH})"));
            };
            let solution = solution_in(&line);
            unanswered += usize::from(solution.is_none());
            let is_right = match solution {
                Some(solution) => verifier::sudoku(puzzle, &solution),
                None => may_give_up || !matches!(verdict, Verdict::Unique | Verdict::Solved),
            };
            if !is_right {
                wrong += 1;
                first.get_or_insert_with(|| {
                    let line = quoted(String::from_utf8_lossy(&line).trim_end());
                    let expected = solution.map_or(format!(" (expected {A_LINE_EACH})"), |_| String::new());
                    format!("{puzzle}, answered on line {} by `{line}`{expected}", at + 1)
                });
            }
        }
        if let Some(first) = first {
            return Err(format!("{wrong} of {count} solutions are wrong, the first: {first}"));
        }
        match lines.map_while(Result::ok).any(|line| !line.trim_ascii().is_empty()) {
            true => Err(format!("wrote more than a line for each of the {count} puzzles")),
            false => Ok(unanswered),
        }
    }
}

fn unreadable(why: impl Display) -> String {
    format!("its solutions cannot be read: {why}")
}

/// Kills a program if it is still running, along with all processes it started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The program leads its own process group, whose number is not reused while any process is left in it. After
        // that, the group no longer exists, and this call fails.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // The program may have ended on its own in the meantime.
    let _ = child.kill();
    let _ = child.wait();
}

/// Replaces every occurrence of `name` in a word with `path`.
fn put(word: &OsStr, name: &str, path: &Path) -> OsString {
    let Some(text) = word.to_str() else { return word.to_owned() };
    let parts: Vec<_> = text.split(name).map(OsStr::new).collect();
    parts.join(path.as_os_str())
}

/// Returns the solution on a line, which is the last word of 81 digits from 1 to 9. Accepts `solution`,
/// `puzzle,solution` and tdoku's `puzzle:count:solution`.
fn solution_in(line: &[u8]) -> Option<Grid> {
    let words = line.split(|byte| !(byte.is_ascii_alphanumeric() || b".*_-?".contains(byte)));
    words.rev().find_map(|word| {
        let cells: [u8; CELLS] = word.try_into().ok()?;
        let is_complete = cells.iter().all(|byte| (b'1'..=b'9').contains(byte));
        is_complete.then(|| Grid::from_digits(cells.map(|byte| byte - b'0')))
    })
}

/// Returns another program's text, shortened and stripped of control characters.
fn quoted(text: &str) -> String {
    let cut = text.char_indices().nth(LONGEST_QUOTE);
    let short = cut.map_or(text.to_owned(), |(end, _)| format!("{}...", &text[..end]));
    short.replace(char::is_control, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Returns a task for some puzzles, with its files in a directory.
    fn task<'a>(
        directory: &Path,
        puzzles: &'a [Grid],
        verdicts: &'a [Verdict],
        stop: &'a AtomicBool,
    ) -> Task<'a> {
        let [input, one] = ["in", "one"].map(|name| directory.join(name));
        Task { puzzles, verdicts, input, one, timeout: Duration::from_secs(600), most_bytes: 3 << 20, stop }
    }

    #[test]
    fn outputs_are_right_or_wrong() {
        use Verdict::{Multiple, Solved, Unfinished, Unique, Unsolvable};
        let (none, bad) = (format!("{PUZZLE},\n"), SOLUTION.replace('4', "5"));
        let puzzle: Grid = PUZZLE.parse().unwrap();
        for (text, verdicts, may_give_up, expected) in [
            // Solutions are found in every line format.
            (format!("{PUZZLE},{SOLUTION}"), &[Unique][..], false, Some(0)),
            (format!("{PUZZLE}:1:{SOLUTION}\r"), &[Unique], false, Some(0)),
            (format!("{SOLUTION} {SOLUTION} # 3 guesses"), &[Unique], false, Some(0)),
            (SOLUTION[1..].to_owned(), &[Unique], false, None),
            (format!("{SOLUTION}1"), &[Unique], false, None),
            (SOLUTION.replace('4', "0"), &[Unsolvable], false, Some(1)),
            // Line endings and blank lines at the end do not matter.
            (format!("{SOLUTION}\n{SOLUTION}\n\n"), &[Unique; 2], false, Some(0)),
            (format!("{SOLUTION}\n{SOLUTION}"), &[Unique; 2], false, Some(0)),
            (format!("{SOLUTION}\n{SOLUTION}\nx"), &[Unique; 2], false, None),
            (format!("{SOLUTION}\n"), &[Unique; 2], false, None),
            // Puzzles with no solution or several can be left unanswered.
            (none.repeat(3), &[Unsolvable, Multiple, Unfinished], false, Some(3)),
            (none.clone(), &[Unique], false, None),
            (none.clone(), &[Solved], false, None),
            // A program that can give up can leave any puzzle unanswered.
            (format!("{none}{PUZZLE},{SOLUTION}\n"), &[Unique; 2], true, Some(1)),
            // A wrong solution is always wrong.
            (bad.clone(), &[Unsolvable], false, None),
            (bad, &[Unique], true, None),
        ] {
            let (puzzles, stop) = (vec![puzzle; verdicts.len()], AtomicBool::new(false));
            let found = task(Path::new(""), &puzzles, verdicts, &stop).check(text.as_bytes(), may_give_up);
            assert_eq!(found.clone().ok(), expected, "{text} {found:?}");
        }
    }

    /// A program can keep writing forever, to standard output or standard error.
    #[cfg(unix)]
    #[test]
    fn a_program_that_writes_too_much_is_stopped() {
        for command in ["yes", "yes >&2"] {
            let directory = TempDir::new().unwrap();
            let stop = AtomicBool::new(false);
            let task = task(directory.path(), &[], &[], &stop);
            fs::write(&task.input, "").unwrap();
            let words = ["sh", "-c", command].map(OsString::from).to_vec();
            let program = Program { words, ..Program::default() };
            let files = ["out", "errors"].map(|name| directory.path().join(name));
            let ran = Runner::new(program, &task, files).run(&task.input);
            assert_eq!(ran, Err("wrote more than 3 MiB".to_owned()), "{command}");
        }
    }

    #[test]
    fn quotations_are_short_and_have_no_control_characters() {
        assert_eq!(quoted("a\x1b[2Jb"), "a\u{fffd}[2Jb");
        assert_eq!(quoted(&"x".repeat(300)).len(), LONGEST_QUOTE + 3);
    }
}
