//! Measures whole programs.
//!
//! A program is timed from its start to its end over a file of puzzles, in turns with the others, and nothing is
//! subtracted, as in hyperfine; the time for a single puzzle is measured, too. The first run is the warm-up. After each
//! run, untimed, the verifier checks the output, unless its bytes are those of a checked one. The standard output of a
//! program is a file, so that it never waits for a reader.
//!
//! Invariant: no program outlives its turn. It is killed if it takes too long, writes too much or the benchmark is
//! interrupted; when it ends, all processes that it left running are killed (on Unix).

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::median::Estimate;
use super::result::{BenchRow, BenchTable, TableKind};
use super::rounds::{Entrant, Miss, Rounds};
use super::{Interrupted, Watch};
use crate::input::MAX_LINE;
use crate::provenance;
use crate::solver::{Backend, Verdict};
use crate::sudoku::verifier;
use crate::sudoku::{CELLS, Grid};

/// Fewest runs of each program, even if they exceed the time: the fewest with a 95 % interval.
const FEWEST_RUNS: usize = 6;

/// Longest quotation of a program's output, in characters.
const LONGEST_QUOTE: usize = 200;

/// Most bytes that a program may write for each puzzle: six times a line of puzzle and solution.
const MOST_BYTES_A_PUZZLE: u64 = 1000;

/// Most bytes that a program may write if there are few puzzles.
const MOST_BYTES: u64 = 64 << 20;

/// Time between two checks of how much a program has written.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Lines between two checks of the stop flag.
const LINES_A_LOOK: usize = 4096;

/// Bytes at the end of standard error that are searched for its last line.
const LAST_WORDS: i64 = 4096;

/// A command that reads puzzles and writes solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name in the results.
    pub name: String,
    /// Program and arguments, in which `{in}` stands for the file of puzzles and `{out}` for that of the solutions.
    /// Without them it reads standard input and writes standard output.
    pub words: Vec<OsString>,
    /// Its backend, if it is this program.
    pub backend: Option<Backend>,
    /// Number of threads, if known.
    pub threads: Option<usize>,
    /// Whether it may leave puzzles with a single solution unanswered, because its searches have a limit.
    pub may_give_up: bool,
}

/// Why there is no table of programs.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The file of puzzles cannot be written.
    #[error("cannot write the puzzles for the programs: {0}")]
    Write(#[from] io::Error),
    /// The stop flag was raised.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// Measures programs on `puzzles` with known `verdicts`. A program that fails in any run has no figures. Fails if the
/// puzzles cannot be written to a temporary directory, or if the stop flag is raised.
pub fn measure(
    puzzles: &[Grid],
    verdicts: &[Verdict],
    programs: Vec<Program>,
    time: Duration,
    timeout: Duration,
    watch: Watch<'_>,
) -> Result<BenchTable, ProgramError> {
    let directory = TempDir::with_prefix("batchdoku-bench-")?;
    let input = directory.path().join("puzzles.txt");
    write_lines(&input, puzzles)?;
    let one = directory.path().join("puzzle.txt");
    // A puzzle with many clues is solved at once.
    let easiest = puzzles.iter().max_by_key(|puzzle| puzzle.clues());
    write_lines(&one, easiest.map_or(&[], slice::from_ref))?;
    let mut entrants: Vec<_> = (1..)
        .zip(programs)
        .map(|(number, program)| {
            let place = |what: &str| directory.path().join(format!("{what}-{number}.txt"));
            Entrant::new(Runner {
                program,
                input: input.clone(),
                one: one.clone(),
                output: place("solutions"),
                errors: place("errors"),
                timeout,
                most_bytes: most_bytes(puzzles.len()),
                stop: watch.stop,
                checked: None,
                unanswered: 0,
                starts: Some(Vec::new()),
            })
        })
        .collect();
    let count = entrants.len();
    for (at, entrant) in entrants.iter_mut().enumerate() {
        watch.observer.progress("programs, warm-up", at as f64 / count as f64);
        entrant.turn(|runner| runner.run_and_check(puzzles, verdicts))?;
    }
    let rounds = Rounds { stage: "programs", time, fewest: FEWEST_RUNS, watch };
    let turn = |runner: &mut Runner<'_>, (): &()| {
        let time = runner.run_and_check(puzzles, verdicts)?;
        runner.run_start()?;
        Ok(time)
    };
    let taken = rounds.take(&mut entrants, &mut (), |()| {}, turn)?;
    let rows = entrants.into_iter().map(|entrant| row_of(entrant, puzzles.len()));
    let count = puzzles.len();
    Ok(BenchTable::new(TableKind::WholeProcess, count, rows.collect(), taken, count))
}

fn row_of(entrant: Entrant<Runner<'_>>, puzzles: usize) -> BenchRow {
    let Entrant { contender: Runner { program, unanswered, starts, .. }, seconds, failure } = entrant;
    let time = Estimate::of(seconds.clone()).map(|seconds| seconds.median);
    BenchRow {
        backend: program.backend.map(|backend| backend.name().to_owned()),
        threads: program.threads,
        run_seconds: time,
        start_seconds: time.and(starts.and_then(Estimate::of)).map(|start| start.median),
        unanswered: time.map(|_| unanswered),
        ..BenchRow::new(program.name, seconds, failure, puzzles)
    }
}

/// Most bytes that a program may write for a number of puzzles.
const fn most_bytes(puzzles: usize) -> u64 {
    let bytes = MOST_BYTES_A_PUZZLE.saturating_mul(puzzles as u64);
    if bytes > MOST_BYTES { bytes } else { MOST_BYTES }
}

fn write_lines(path: &Path, puzzles: &[Grid]) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for puzzle in puzzles {
        out.write_all(&puzzle.to_text(b'.'))?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// A program with its files.
struct Runner<'a> {
    program: Program,
    input: PathBuf,
    /// A file of one puzzle.
    one: PathBuf,
    output: PathBuf,
    errors: PathBuf,
    timeout: Duration,
    /// Most bytes that it may write to its output, and to standard error.
    most_bytes: u64,
    stop: &'a AtomicBool,
    /// The SHA-256 of the last output that was right.
    checked: Option<String>,
    /// Puzzles that it left unanswered, and was allowed to, in the run with the most of them.
    unanswered: usize,
    /// Seconds of each run over one puzzle; `None` after such a run failed.
    starts: Option<Vec<f64>>,
}

impl Runner<'_> {
    /// Runs it once and, untimed, checks its output.
    fn run_and_check(&mut self, puzzles: &[Grid], verdicts: &[Verdict]) -> Result<Duration, Miss> {
        let time = self.run(&self.input)?;
        let written = self.open_output().and_then(provenance::sha256);
        let written = written.map_err(unreadable)?;
        if self.checked.as_ref() != Some(&written) {
            // Other bytes can be right as well, if a puzzle has several solutions.
            let file = self.open_output().map_err(unreadable)?;
            let unanswered = check_solutions(file, puzzles, verdicts, self.program.may_give_up, self.stop)?;
            self.unanswered = self.unanswered.max(unanswered);
            self.checked = Some(written);
        }
        Ok(time)
    }

    /// Runs it over a single puzzle, which takes little more than its start; not again after a failure.
    fn run_start(&mut self) -> Result<(), Miss> {
        let Some(mut starts) = self.starts.take() else { return Ok(()) };
        match self.run(&self.one) {
            Ok(time) => {
                starts.push(time.as_secs_f64());
                self.starts = Some(starts);
                Ok(())
            }
            Err(Miss::Failed(_)) => Ok(()),
            Err(Miss::Interrupted) => Err(Miss::Interrupted),
        }
    }

    /// Opens its output, if it is a regular file of a permitted size.
    fn open_output(&self) -> io::Result<io::Take<File>> {
        // Before opening it: opening a named pipe waits for a writer.
        let found = fs::metadata(&self.output)?;
        if !found.is_file() {
            return Err(io::Error::other("the output is not a regular file"));
        }
        if found.len() > self.most_bytes {
            return Err(io::Error::other(too_much(self.most_bytes)));
        }
        Ok(File::open(&self.output)?.take(self.most_bytes))
    }

    /// Runs it once over a file of puzzles, from start to end.
    fn run(&self, input: &Path) -> Result<Duration, Miss> {
        let mut command = self
            .command(input)
            .map_err(|error| Miss::Failed(format!("its files cannot be created: {error}")))?;
        let before = Instant::now();
        let mut child =
            command.spawn().map_err(|error| Miss::Failed(format!("cannot be started: {error}")))?;
        let ended = self.wait(&mut child, before);
        let time = before.elapsed();
        kill(&mut child);
        match ended? {
            status if status.success() => Ok(time),
            status => Err(Miss::Failed(format!("failed: {status}{}", self.last_words()))),
        }
    }

    fn command(&self, input: &Path) -> io::Result<Command> {
        let (mut reads, mut writes) = (false, false);
        let mut words = self.program.words.iter().map(|word| {
            let (word, named) = put(word, "{in}", input);
            reads |= named;
            let (word, named) = put(&word, "{out}", &self.output);
            writes |= named;
            word
        });
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        // The output of an earlier run must not pass for that of this one.
        match fs::remove_file(&self.output) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        command.stdin(if reads { Stdio::null() } else { File::open(input)?.into() });
        command.stdout(if writes { Stdio::null() } else { File::create(&self.output)?.into() });
        command.stderr(File::create(&self.errors)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    /// Waits until the program ends, its time is over, or it wrote too much.
    ///
    /// It polls ever less often, some 400 times in a run of any length: the measured time is too long by at most a
    /// quarter of a percent, or a few dozen microseconds.
    fn wait(&self, child: &mut Child, started: Instant) -> Result<ExitStatus, Miss> {
        let mut looked = Duration::ZERO;
        loop {
            let ended = child.try_wait();
            if let Some(status) =
                ended.map_err(|error| Miss::Failed(format!("cannot be waited for: {error}")))?
            {
                return Ok(status);
            }
            let elapsed = started.elapsed();
            if elapsed > self.timeout {
                let seconds = self.timeout.as_secs_f64();
                return Err(Miss::Failed(format!("timed out: did not end within {seconds} s")));
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(Miss::Interrupted);
            }
            if elapsed > looked + LOOK_EVERY {
                looked = elapsed;
                self.check_sizes()?;
            }
            thread::sleep((elapsed / 400).clamp(Duration::from_micros(20), Duration::from_millis(20)));
        }
    }

    /// Fails if it has written too much so far.
    fn check_sizes(&self) -> Result<(), Miss> {
        let size = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
        if [&self.output, &self.errors].into_iter().any(|path| size(path) > self.most_bytes) {
            return Err(Miss::Failed(too_much(self.most_bytes)));
        }
        Ok(())
    }

    /// The last line of standard error.
    fn last_words(&self) -> String {
        let mut text = Vec::new();
        if let Ok(mut file) = File::open(&self.errors) {
            // Seeking fails in a shorter file, which is then read from its start.
            let _ = file.seek(SeekFrom::End(-LAST_WORDS));
            let _ = file.take(LAST_WORDS.unsigned_abs()).read_to_end(&mut text);
        }
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().rfind(|line| !line.trim().is_empty());
        line.map_or_else(String::new, |line| format!("; its last line: {}", quoted(line)))
    }
}

fn too_much(most_bytes: u64) -> String {
    format!("wrote more than {} MiB", most_bytes >> 20)
}

fn unreadable(error: io::Error) -> Miss {
    Miss::Failed(format!("its solutions cannot be read: {error}"))
}

/// Ends a program, unless it has ended, and all processes that it started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // The program leads a process group of its own. While the group has a process, no other gets its number; then
        // there is no such group, and this fails.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // It may have ended by itself in the meantime.
    let _ = child.kill();
    let _ = child.wait();
}

/// Replaces `name` in a word by `path`; returns whether it occurs.
fn put(word: &OsString, name: &str, path: &Path) -> (OsString, bool) {
    match word.to_str() {
        Some(text) if text.contains(name) => {
            let mut parts = text.split(name);
            let mut made = OsString::from(parts.next().unwrap_or_default());
            for part in parts {
                made.push(path);
                made.push(part);
            }
            (made, true)
        }
        _ => (word.clone(), false),
    }
}

/// What programs are expected to write.
const A_LINE_EACH: &str = "a line for each puzzle, with its solution as 81 digits";

/// Checks the output of a program: a line for each puzzle, in order, with the solution as 81 digits.
///
/// For a puzzle with several solutions any of them is right, and none as well, since some programs only give unique
/// solutions. A program that may give up need not answer any puzzle. Returns the number of puzzles without an answer.
fn check_solutions(
    written: impl Read,
    puzzles: &[Grid],
    verdicts: &[Verdict],
    may_give_up: bool,
    stop: &AtomicBool,
) -> Result<usize, Miss> {
    let mut lines = BufReader::new(written);
    let mut line = Vec::new();
    let (mut wrong, mut first) = (0_u64, None);
    let mut unanswered = 0;
    let count = puzzles.len();
    for (at, (puzzle, &verdict)) in puzzles.iter().zip(verdicts).enumerate() {
        if at % LINES_A_LOOK == 0 && stop.load(Ordering::Relaxed) {
            return Err(Miss::Interrupted);
        }
        line.clear();
        if lines.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
            return Err(Miss::Failed(format!("wrote {at} of {count} lines (expected {A_LINE_EACH})")));
        }
        let solution = solution_in(&line);
        unanswered += usize::from(solution.is_none());
        let right = match solution {
            Some(solution) => verifier::sudoku(puzzle, &solution),
            None => may_give_up || !matches!(verdict, Verdict::Unique | Verdict::Solved),
        };
        if !right {
            wrong += 1;
            first.get_or_insert_with(|| {
                let line = String::from_utf8_lossy(&line);
                let expected = match solution {
                    Some(_) => String::new(),
                    None => format!(" (expected {A_LINE_EACH})"),
                };
                format!("{puzzle}, answered on line {} by `{}`{expected}", at + 1, quoted(line.trim_end()))
            });
        }
    }
    if let Some(first) = first {
        return Err(Miss::Failed(format!("{wrong} of {count} solutions are wrong, the first: {first}")));
    }
    match lines.bytes().map_while(Result::ok).any(|byte| !byte.is_ascii_whitespace()) {
        true => Err(Miss::Failed(format!("wrote more than a line for each of the {count} puzzles"))),
        false => Ok(unanswered),
    }
}

/// The solution on a line: the last word of 81 digits from 1 to 9. Reads `solution`, `puzzle,solution` and tdoku's
/// `puzzle:count:solution`.
fn solution_in(line: &[u8]) -> Option<Grid> {
    let words = line.split(|byte| !(byte.is_ascii_alphanumeric() || b".*_-?".contains(byte)));
    words.rev().find_map(|word| {
        let cells: [u8; CELLS] = word.try_into().ok()?;
        let is_complete = cells.iter().all(|byte| (b'1'..=b'9').contains(byte));
        is_complete.then(|| Grid::from_digits(cells.map(|byte| byte - b'0')))
    })
}

/// Text of another program, shortened and without control characters.
fn quoted(text: &str) -> String {
    let harmless = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut short: String = harmless.clone().take(LONGEST_QUOTE).collect();
    if harmless.count() > LONGEST_QUOTE {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    fn grid(text: &str) -> Grid {
        text.parse().unwrap()
    }

    fn checked(text: &str, verdicts: &[Verdict]) -> Result<usize, String> {
        checked_with(false, text, verdicts)
    }

    fn checked_with(may_give_up: bool, text: &str, verdicts: &[Verdict]) -> Result<usize, String> {
        let puzzles = vec![grid(PUZZLE); verdicts.len()];
        let checked =
            check_solutions(text.as_bytes(), &puzzles, verdicts, may_give_up, &AtomicBool::new(false));
        checked.map_err(|miss| match miss {
            Miss::Failed(why) => why,
            Miss::Interrupted => panic!("the flag is not raised"),
        })
    }

    #[test]
    fn solutions_are_found_in_every_shape_of_line() {
        for line in [
            SOLUTION.to_owned(),
            format!("{PUZZLE},{SOLUTION}"),
            format!("{PUZZLE}:1:{SOLUTION}\r"),
            format!("{SOLUTION} {SOLUTION} # 3 guesses"),
        ] {
            assert_eq!(solution_in(line.as_bytes()), Some(grid(SOLUTION)), "{line}");
        }
        for line in ["", PUZZLE, &SOLUTION[1..], &format!("{SOLUTION}1"), &SOLUTION.replace('4', "0")] {
            assert_eq!(solution_in(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn neither_line_ends_nor_blank_lines_at_the_end_matter() {
        let both = [Verdict::Unique; 2];
        assert_eq!(checked(&format!("{SOLUTION}\n{SOLUTION}\n\n"), &both), Ok(0));
        assert_eq!(checked(&format!("{SOLUTION}\n{SOLUTION}"), &both), Ok(0));
    }

    #[test]
    fn no_solution_is_right_where_there_is_none_and_where_there_are_several() {
        for verdict in [Verdict::Unsolvable, Verdict::Multiple, Verdict::Unfinished] {
            assert_eq!(checked(&format!("{PUZZLE},\n"), &[verdict]), Ok(1), "{verdict:?}");
        }
        for verdict in [Verdict::Unique, Verdict::Solved] {
            assert!(checked(&format!("{PUZZLE},\n"), &[verdict]).is_err(), "{verdict:?}");
        }
        // A wrong solution is wrong in any case.
        assert!(checked(&SOLUTION.replace('4', "5"), &[Verdict::Unsolvable]).is_err());
    }

    #[test]
    fn a_program_that_may_give_up_need_not_answer_but_must_not_be_wrong() {
        let text = format!("{PUZZLE},\n{PUZZLE},{SOLUTION}\n");
        assert_eq!(checked_with(true, &text, &[Verdict::Unique; 2]), Ok(1));
        assert!(checked_with(true, &SOLUTION.replace('4', "5"), &[Verdict::Unique]).is_err());
    }

    #[test]
    fn a_raised_flag_ends_the_check() {
        let (puzzles, verdicts) = ([grid(PUZZLE)], [Verdict::Unique]);
        let checked = check_solutions(&b""[..], &puzzles, &verdicts, false, &AtomicBool::new(true));
        assert_eq!(checked, Err(Miss::Interrupted));
    }

    #[test]
    fn the_size_of_outputs_is_limited() {
        assert_eq!(most_bytes(10), 64 << 20);
        assert_eq!(most_bytes(1_000_000), 1_000_000_000);
    }

    /// A program that never stops writing, to its output or to its errors.
    #[cfg(unix)]
    #[test]
    fn a_program_that_writes_too_much_is_stopped() {
        for command in ["yes", "yes >&2"] {
            let directory = TempDir::new().unwrap();
            let place = |name: &str| directory.path().join(name);
            fs::write(place("in"), "").unwrap();
            let words = ["sh", "-c", command].map(OsString::from).to_vec();
            let runner = Runner {
                program: Program {
                    name: "endless".to_owned(),
                    backend: None,
                    words,
                    threads: None,
                    may_give_up: false,
                },
                input: place("in"),
                one: place("in"),
                output: place("out"),
                errors: place("errors"),
                timeout: Duration::from_secs(600),
                most_bytes: 3 << 20,
                stop: &AtomicBool::new(false),
                checked: None,
                unanswered: 0,
                starts: None,
            };
            assert_eq!(
                runner.run(&runner.input),
                Err(Miss::Failed("wrote more than 3 MiB".to_owned())),
                "{command}"
            );
        }
    }

    #[test]
    fn names_in_words_become_paths() {
        let path = Path::new("/tmp/a b");
        assert_eq!(put(&"--in={in}!".into(), "{in}", path), ("--in=/tmp/a b!".into(), true));
        assert_eq!(put(&"{in}{in}".into(), "{in}", path), ("/tmp/a b/tmp/a b".into(), true));
        assert_eq!(put(&"{out}".into(), "{in}", path), ("{out}".into(), false));
    }

    #[test]
    fn quotations_are_short_and_have_no_control_characters() {
        assert_eq!(quoted("a\x1b[2Jb"), "a\u{fffd}[2Jb");
        assert_eq!(quoted(&"x".repeat(300)).len(), LONGEST_QUOTE + 3);
    }
}
