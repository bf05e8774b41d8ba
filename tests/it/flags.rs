//! Tests the flags of all commands, as they are defined; a flag that is not listed here fails a test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use batchdoku::cli::{affects_rows, definitions};
use clap::Command;

use crate::place::Place;
use crate::puzzles::{ANSWER, UNIQUE, double, unsolvable};

/// Non-default values for the flags. If commands need different values for a flag, the entries with a command come
/// first.
const VALUES: &[(&str, &str, &[&str])] = &[
    ("", "against", &["against.txt"]),
    ("", "answers", &["answers.csv"]),
    ("", "backend", &["scalar"]),
    ("permute", "by", &["tr123456789c123456789d123456789"]),
    ("", "by", &["rating"]),
    ("", "changes", &["5"]),
    ("", "checkpoint-every", &["7"]),
    ("", "chunk-size", &["9999"]),
    ("", "clues", &["26..28"]),
    ("generate", "columns", &["guesses"]),
    ("generate", "difficulty", &["guesses>=1"]),
    ("generate", "output-format", &["jsonl", "text"]),
    ("", "columns", &["class"]),
    ("", "count", &["3"]),
    ("", "difficulty", &["clues>=20"]),
    ("", "form", &["list17"]),
    ("", "format", &["csv,puzzle=5"]),
    ("", "grade", &["hard"]),
    ("rate", "isomorphs", &["4"]),
    ("", "keep", &["rating"]),
    ("", "kind", &["sudominoku"]),
    ("", "layout", &["hrm"]),
    ("enumerate", "limit", &["1"]),
    ("", "limit", &["5"]),
    ("", "matches", &["matches.csv"]),
    ("", "max-guesses", &["1"]),
    ("", "max-se", &["6.0"]),
    ("", "max-time", &["0.000001"]),
    ("", "memory", &["1M"]),
    ("", "near", &["near.txt"]),
    ("canon", "only", &["canonical"]),
    ("minimize", "only", &["minimized"]),
    ("permute", "only", &["digits"]),
    ("rate", "only", &["rated"]),
    ("verify", "only", &["wrong"]),
    ("", "only", &["multiple"]),
    ("sheet", "output", &["out.html"]),
    ("report", "output", &["out.json"]),
    ("", "output", &["out.csv"]),
    ("", "output-format", &["jsonl", "lines"]),
    ("", "parts", &["a=1,b=2"]),
    ("", "pattern", &["pattern.txt"]),
    ("", "per-page", &["1"]),
    ("", "progress", &["never"]),
    ("", "puzzle-column", &["third"]),
    ("", "report", &["report.md"]),
    ("", "rest", &["rest.csv"]),
    ("split", "same", &["text"]),
    ("", "same", &["puzzle"]),
    ("", "seed", &["7"]),
    ("", "solution", &["any"]),
    ("", "solution-column", &["second"]),
    ("", "solutions", &["none"]),
    ("", "summary", &["summary.json"]),
    ("", "symmetry", &["rotate180"]),
    ("", "threads", &["1"]),
    ("", "title", &["Monday"]),
    ("", "top", &["1"]),
    ("", "tries", &["1"]),
];

/// A flag of a command.
pub struct Flag {
    pub name: String,
    pub affects_rows: bool,
    /// Whether the flag affects the rows or what the run displays.
    shows: bool,
    /// The flag with each of several values, or just the flag if it is a switch.
    pub words: Vec<String>,
}

impl Flag {
    /// Returns whether a word sets this flag.
    pub fn is_in(&self, word: &str) -> bool {
        name_of(word) == Some(&self.name)
    }
}

/// Returns the commands that have a flag, or all commands.
pub fn commands_with(flag: Option<&str>) -> BTreeSet<String> {
    let mut definitions = definitions();
    definitions.build();
    let has = |command: &&Command| {
        flag.is_none_or(|flag| command.get_arguments().any(|found| found.get_id() == flag))
    };
    definitions.get_subcommands().filter(has).map(|command| command.get_name().to_owned()).collect()
}

/// Returns the flags of a command.
pub fn flags(command: &str) -> Vec<Flag> {
    let mut definitions = definitions();
    definitions.build();
    let definition = definitions.find_subcommand(command).unwrap();
    let flags = definition.get_arguments().filter_map(|flag| {
        let name = flag.get_long().filter(|name| !["help", "version"].contains(name))?;
        let values = VALUES.iter().find(|(of, named, _)| *named == name && (*of == command || of.is_empty()));
        let words = match values {
            _ if !flag.get_action().takes_values() => vec![format!("--{name}")],
            Some((.., values)) => values.iter().map(|value| format!("--{name}={value}")).collect(),
            None => panic!("--{name} of {command}: which value is not the default?"),
        };
        let affects_rows = affects_rows(definition, flag);
        let shows = affects_rows || flag.get_help_heading() == Some("Reporting");
        Some(Flag { name: name.to_owned(), affects_rows, shows, words })
    });
    flags.collect()
}

/// One line per command, with everything that the command's flags need to have an effect.
const LINES: &[&str] = &[
    "solve =in.csv --no-time",
    "verify =in.csv --no-time",
    "convert =in.csv",
    "enumerate =in.csv",
    "canon =in.csv --form=grid",
    "rate =in.csv --columns=se,depth",
    "minimize =in.csv",
    "permute =in.csv --seed=1",
    "sheet =in.csv",
    "report results.csv",
    "inspect =in.csv",
    "sample =in.csv --count=5",
    "dedupe =in.csv",
    "split =in.csv --parts=p.csv=1,q.csv=1",
    "generate --count=6 --seed=1",
];

/// Flags that do nothing on their own, and what they need.
const NEEDS: &[(&str, &str, &str)] = &[
    ("rate", "seed", "--isomorphs=3"),
    ("generate", "changes", "--near=near.txt"),
    ("generate", "minimal", "--clues=26..28"),
    // Some of the six puzzles are found with a single grid, and some are not.
    ("generate", "tries", "--difficulty=guesses>=1"),
    ("minimize", "all", "--limit=3"),
    ("minimize", "limit", "--all"),
    ("permute", "layout", "--output=made"),
];

/// Flags whose effect cannot be seen from outside in such a small run.
const UNSEEN: &[(&str, &str)] = &[
    // Its effect would show only if the solvers disagreed, which they do not.
    ("", "recheck"),
    // Its effect would show only on a slow machine.
    ("", "max-time"),
    // Standard error is not a terminal.
    ("", "progress"),
    // Small files are read completely even without this flag.
    ("inspect", "all"),
    // A row is chosen regardless of which column holds the puzzle.
    ("sample", "format"),
    ("sample", "puzzle-column"),
];

/// Flags that cannot be combined with any flags in the line.
const ALONE: &[(&str, &str)] = &[("permute", "by"), ("rate", "explain")];

/// Pairs where the second flag rightly hides the effect of the first, and how the second is given.
const HIDING: &[(&str, &str)] = &[
    // Lines contain no times (just what `--no-time` asks for) and no solution counts.
    ("no-time", "--output-format=lines"),
    ("limit", "--output-format=lines"),
    // If a symmetry is given, most puzzles with so few clues are minimal under that symmetry.
    ("minimal", "--symmetry=rotate180"),
    // Text has a single grid per row.
    ("no-solutions", "--output-format=text"),
    // Rows are the same for every backend, and the summary that names the backend is not printed.
    ("backend", "--quiet"),
    // A puzzle that is given up immediately has no second solution and no rating.
    ("limit", "--max-guesses=1"),
    ("solution", "--max-guesses=1"),
    ("max-se", "--max-guesses=1"),
];

/// The observable outcome of a run: exit code, both streams, and the files it wrote.
type Seen = (Option<i32>, String, String, BTreeMap<String, String>);

/// Returns the files that the runs read.
fn inputs() -> Vec<(&'static str, String)> {
    let (double, smallest) = double();
    // This puzzle is from data/hard.txt and has a rating of 6.6.
    let hard = ".6..8....2.4.....5.935.....4.7.2.68.1...9.7...268....4......36......9......41.5..";
    let solved = "561782943274963815893541276437125689158694732926837154749258361615379428382416597";
    let relabelled = |text: &str| text.replace('1', "x").replace('2', "1").replace('x', "2");
    // This puzzle has at least four solutions, because two rectangles are blank.
    let mut several = double.into_bytes();
    several.iter_mut().skip(54).for_each(|cell| *cell = b'.');
    let several = String::from_utf8(several).unwrap();
    let rows = [
        (UNIQUE, ANSWER, "1.2", "=a"),
        (hard, solved, "9", "b"),
        (&*several, &*smallest, "3", "c"),
        (hard, &"123456789".repeat(9), "3", "d"),
        (UNIQUE, ANSWER, "1.2", "=a"),
        (ANSWER, ANSWER, "0", "f"),
        (&*relabelled(UNIQUE), &*relabelled(ANSWER), "1.2", "g"),
        (&*unsolvable(), ANSWER, "3", "c"),
        (&UNIQUE[1..], ANSWER, "1", "x"),
    ]
    .map(|(puzzle, solution, rating, note)| [puzzle, solution, rating, note].map(str::to_owned));
    let row = |at: usize| {
        // The other puzzle columns hold different puzzles, and those in the last column are readable too.
        let [other, third] = [1, 2].map(|by| &rows[(at + by) % rows.len()][0]);
        format!("{},{other},{},{third}\n", rows[at].join(","), &*smallest)
    };
    let table: String = (0..rows.len()).map(row).collect();
    let lines = |texts: &[&str]| texts.iter().map(|text| format!("{text}\n")).collect::<String>();
    let answers: String = (0..rows.len()).map(|at| format!("{ANSWER},{}\n", rows[at][1])).collect();
    vec![
        ("=in.csv", format!("puzzle,solution,rating,note,other,second,third\n{table}")),
        ("answers.csv", format!("second,solution\n{answers}")),
        ("near.txt", lines(&[UNIQUE, hard])),
        ("pattern.txt", lines(&[&format!("{}{}", "1".repeat(72), ".".repeat(9))])),
        ("against.txt", lines(&[UNIQUE])),
    ]
}

/// Runs a line in its own directory and returns what can be observed.
fn seen(files: &[(&str, String)], words: &[String]) -> Seen {
    let place = Place::new();
    files.iter().for_each(|(name, text)| place.write(name, text));
    let output = place.command(words).output().unwrap();
    let text = |bytes: &[u8]| without_times(&String::from_utf8_lossy(bytes));
    let mut written = BTreeMap::new();
    for name in place.names() {
        if files.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let path = place.path(&name);
        let beside = fs::read_dir(&path).into_iter().flatten().map(|file| file.unwrap().path());
        let mut paths: Vec<_> = beside.chain(path.is_file().then_some(path.clone())).collect();
        paths.sort();
        let content = paths.iter().flat_map(|path| fs::read(path).unwrap()).collect::<Vec<_>>();
        // A summary is only checked for existence, because it is full of times.
        let content = if name == "summary.json" { String::new() } else { text(&content) };
        written.insert(name, content);
    }
    (output.status.code(), text(&output.stdout), text(&output.stderr), written)
}

/// Returns a text without times, rates and percentages.
fn without_times(text: &str) -> String {
    let is_unit = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric() && !"%/".contains(sign));
        ["ns", "us", "µs", "ms", "s", "%", "puzzles/s"].contains(&word)
    };
    let line = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let next = words.iter().skip(1).copied().chain([""]);
        let kept = words.iter().zip(next).filter(|(_, next)| !is_unit(next));
        kept.map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// One way of giving a flag, along with what it needs.
struct Way {
    flag: String,
    shows: bool,
    words: Vec<String>,
}

/// For every pair of flags of a command, either the pair is refused or both flags have an effect.
/// PROMISE: no-idle-flags
#[test]
fn no_flag_does_nothing_in_silence() {
    let mut files = inputs();
    let place = Place::new();
    files.iter().for_each(|(name, text)| place.write(name, text));
    place.run("solve =in.csv -q -o results.csv").assert().code(1);
    files.push(("results.csv", place.read("results.csv")));
    let of = |line: &&str| line.split(' ').next().unwrap().to_owned();
    // `bench` prints times, which are never the same twice.
    let apart = ["bench", "completions", "help", "man"].map(str::to_owned);
    assert_eq!(LINES.iter().map(of).chain(apart).collect::<BTreeSet<_>>(), commands_with(None));
    let idle: Vec<_> = LINES.iter().flat_map(|line| idle(line, &files)).collect();
    assert!(idle.is_empty(), "{}", idle.join("\n"));
}

/// Returns the flags of a line that have no effect, alone or next to another flag.
fn idle(line: &str, files: &[(&str, String)]) -> Vec<String> {
    let command = line.split(' ').next().unwrap();
    let of_command = |of: &str| of == command || of.is_empty();
    let is_unseen = |flag: &str| UNSEEN.iter().any(|(of, unseen)| of_command(of) && *unseen == flag);
    let flags = flags(command);
    let ways: Vec<Way> = flags
        .iter()
        .filter(|flag| !is_unseen(&flag.name) && flag.name != "resume")
        .flat_map(|flag| flag.words.iter().map(move |word| (flag, word)))
        .map(|(flag, word)| {
            let needed = NEEDS.iter().filter(|(of, named, _)| of_command(of) && *named == flag.name);
            // A switch that is already in the line is not added again.
            let is_there = line.split(' ').any(|there| there == word);
            let given = (!is_there).then(|| word.clone());
            let words = given.into_iter().chain(needed.map(|(.., words)| (*words).to_owned()));
            Way { flag: flag.name.clone(), shows: flag.shows, words: words.collect() }
        })
        .collect();
    let run = |ways: &[&Way]| {
        let is_given = |name: &str| {
            let words = ways.iter().flat_map(|way| &way.words);
            ways.iter().any(|way| way.flag == name)
                || words.into_iter().any(|word| name_of(word) == Some(name))
        };
        let goes_alone = ways.iter().any(|way| ALONE.contains(&(command, &*way.flag)));
        let is_kept = |word: &&str| name_of(word).is_none_or(|name| !goes_alone && !is_given(name));
        let mut words: Vec<_> = line.split(' ').filter(is_kept).map(str::to_owned).collect();
        for word in ways.iter().flat_map(|way| &way.words) {
            if !words[1..].iter().any(|there| name_of(there) == name_of(word)) {
                words.push(word.clone());
            }
        }
        seen(files, &words)
    };
    let plain = run(&[]);
    let alone = in_parallel(&ways, |way| run(&[way]));
    let is_refused = |seen: &Seen| seen.0 == Some(2);
    let mut idle = Vec::new();
    for (way, seen) in ways.iter().zip(&alone) {
        let mut others = ways.iter().zip(&alone).filter(|(other, _)| other.flag == way.flag);
        let is_never_possible = others.all(|(_, seen)| is_refused(seen));
        if way.shows && (*seen == plain || is_never_possible) {
            idle.push(format!("{command}: {} alone: {}", way.words.join(" "), seen.2));
        }
    }
    let pairs: Vec<_> = (0..ways.len())
        .flat_map(|second| (0..second).map(move |first| (first, second)))
        .filter(|&(first, second)| ways[first].flag != ways[second].flag)
        .filter(|&(first, second)| !is_refused(&alone[first]) && !is_refused(&alone[second]))
        .collect();
    let together = in_parallel(&pairs, |&(first, second)| run(&[&ways[first], &ways[second]]));
    for (&(first, second), both) in pairs.iter().zip(&together).filter(|(_, both)| !is_refused(both)) {
        for (one, other) in [(first, second), (second, first)] {
            let (way, beside) = (&ways[one], &ways[other]);
            let may_be_hidden = HIDING.iter().any(|(hidden, by)| {
                *hidden == way.flag && beside.words.first().is_some_and(|word| word == by)
            });
            let is_needed = beside.words.iter().any(|word| name_of(word) == Some(&way.flag));
            if way.shows && !may_be_hidden && !is_needed && *both == alone[other] {
                idle.push(format!("{command}: {} beside {}", way.words.join(" "), beside.words.join(" ")));
            }
        }
    }
    idle
}

/// Returns the name of the flag that a word sets.
fn name_of(word: &str) -> Option<&str> {
    word.strip_prefix("--")?.split('=').next()
}

/// Returns a function's results for all items, in order.
fn in_parallel<T: Sync, A: Send>(items: &[T], answer: impl Fn(&T) -> A + Sync) -> Vec<A> {
    let threads = std::thread::available_parallelism().unwrap().get();
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let shares =
            items.chunks(share).map(|share| scope.spawn(|| share.iter().map(&answer).collect::<Vec<_>>()));
        let shares: Vec<_> = shares.collect();
        shares.into_iter().flat_map(|share| share.join().unwrap()).collect()
    })
}
