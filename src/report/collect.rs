//! Notes in, figures out: one pass in the order of the rows, with bounded memory.
//!
//! Everything here runs on one thread, at some 0.3 us a row; what takes longer is done by the threads that
//! make the notes. The lists that an input could make long (sources, reasons, places) are bounded, and say
//! what was left out.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::bins::{GUESS_BINS, TIME_BINS};
use super::duplicates::{Duplicates, Seen};
use super::figures::{Axes, Figures};
use super::note::Note;
use crate::grid::CELLS;
use crate::input::Kind;
use crate::output::Status;

/// Sources with figures of their own; later ones are counted together for each file.
const MOST_SOURCES: usize = 256;
/// Kinds of reasons that are told apart.
const MOST_REASONS: usize = 100;
/// Places listed for each reason, of unreadable rows, and of repeated puzzles.
const PLACES: usize = 3;
const MOST_BAD_ROWS: usize = 10;
const MOST_REPEATS: usize = 10;
/// Rows whose places in the table of puzzles are fetched at once.
const BATCH: usize = 32;
/// Characters of a name or a reason that are kept.
const LONGEST_NAME: usize = 120;
const LONGEST_REASON: usize = 200;
/// Numbers of clues: 0 to 81.
const CLUE_COUNTS: usize = CELLS + 1;

/// Collects notes.
pub(super) struct Collector {
    axes: Axes,
    /// Rows so far.
    pub rows: u64,
    pub files: Vec<FileFigures>,
    pub sources: Vec<SourceFigures>,
    source_numbers: HashMap<(u16, Option<u64>), u16>,
    /// The source of the row before, which is nearly always that of the next.
    last_source: Option<(Vec<u8>, u16)>,
    pub clues: Vec<Option<Box<Figures>>>,
    /// Rows by bin of time and bin of guesses: `TIME_BINS` times `GUESS_BINS`.
    pub joint: Vec<u64>,
    reason_numbers: HashMap<(Status, String), usize>,
    pub reasons: Vec<Reason>,
    pub hardest: Ranking,
    pub slowest: Ranking,
    pub duplicates: Duplicates,
    pub repeats: Vec<Repeat>,
    pub bad_rows: Vec<BadRow>,
}

/// The figures of one results file.
pub(super) struct FileFigures {
    pub name: String,
    pub figures: Figures,
    pub bad_rows: u64,
}

/// The figures of the records of one input, as one results file has them.
pub(super) struct SourceFigures {
    /// Number of the results file.
    pub file: u16,
    /// Name of the input; `None` for all those that had no place.
    pub name: Option<String>,
    pub figures: Figures,
}

/// Why rows have no answer.
pub(super) struct Reason {
    pub status: Status,
    /// The reason, with `N` in place of numbers; `None` for all those that had no place.
    pub pattern: Option<String>,
    pub count: u64,
    /// The first places.
    pub places: Vec<String>,
}

/// A row of a results file that could not be read.
pub(super) struct BadRow {
    pub file: u16,
    pub line: u64,
    pub reason: String,
}

/// A row whose puzzle occurred before in the same results file.
pub(super) struct Repeat {
    pub source: u16,
    /// Name of the input, which may be one without figures of its own.
    pub name: String,
    pub line: u64,
    /// Source in which the puzzle occurred before.
    pub before: u16,
    pub kind: Kind,
    pub puzzle: [u8; CELLS],
}

/// A puzzle worth showing.
#[derive(Clone)]
pub(super) struct Kept {
    rank: u64,
    hash: u64,
    pub source: u16,
    /// Name of the input, which may be one without figures of its own.
    pub name: String,
    pub line: u64,
    pub kind: Kind,
    pub status: Status,
    pub guesses: u64,
    pub time_ns: Option<u64>,
    pub puzzle: [u8; CELLS],
    pub solution: Option<[u8; CELLS]>,
}

/// The different puzzles with the highest rank, the earliest first among equals.
pub(super) struct Ranking {
    most: usize,
    pub kept: Vec<Kept>,
}

impl Collector {
    /// A collector that lists the `top` hardest and slowest puzzles and has room for so many distinct ones.
    pub fn new(top: usize, puzzles: u64) -> Self {
        Self {
            axes: Axes::new(),
            rows: 0,
            files: Vec::new(),
            sources: Vec::new(),
            source_numbers: HashMap::new(),
            last_source: None,
            clues: (0..CLUE_COUNTS).map(|_| None).collect(),
            joint: vec![0; TIME_BINS * GUESS_BINS],
            reason_numbers: HashMap::new(),
            reasons: Vec::new(),
            hardest: Ranking { most: top, kept: Vec::new() },
            slowest: Ranking { most: top, kept: Vec::new() },
            duplicates: Duplicates::with_room_for(puzzles),
            repeats: Vec::new(),
            bad_rows: Vec::new(),
        }
    }

    /// Starts the next results file: the rows that follow are from it. A name that was there before gets a number.
    pub fn start_file(&mut self, name: &str) {
        self.last_source = None;
        let short = shortened(name, LONGEST_NAME);
        let numbered =
            |number: usize| if number == 1 { short.clone() } else { format!("{short} ({number})") };
        let is_new = |name: &String| self.files.iter().all(|file| file.name != *name);
        let name = (1..).map(numbered).find(is_new).expect("the number of files is bounded");
        self.files.push(FileFigures { name, figures: Figures::new(), bad_rows: 0 });
    }

    /// Takes whole notes, in the order of their rows.
    pub fn add_notes(&mut self, mut notes: &[u8]) {
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            batch.extend(std::iter::from_fn(|| Note::read(&mut notes)).take(BATCH));
            if batch.is_empty() {
                return;
            }
            self.duplicates.fetch(batch.iter().map(|note| note.hash));
            for note in batch.drain(..) {
                self.add(&note);
            }
        }
    }

    /// Takes a row that could not be read.
    pub fn add_bad_row(&mut self, line: u64, reason: &str) {
        let file = self.file();
        self.add_bad_rows(1);
        if self.bad_rows.len() < MOST_BAD_ROWS {
            self.bad_rows.push(BadRow { file, line, reason: reason.to_owned() });
        }
    }

    /// Takes rows that could not be read and need not be shown.
    pub fn add_bad_rows(&mut self, count: u64) {
        let file = usize::from(self.file());
        self.files[file].bad_rows += count;
    }

    fn add(&mut self, note: &Note<'_>) {
        self.rows += 1;
        let file = self.file();
        let source = self.source_number(file, note.source);
        let time_bin = note.time_ns.map(|time| self.axes.times.bin(time));
        let guess_bin = self.axes.guesses.bin(note.guesses);
        self.files[usize::from(file)].figures.add(note, time_bin, guess_bin);
        self.sources[usize::from(source)].figures.add(note, time_bin, guess_bin);
        if let Some(puzzle) = note.puzzle {
            self.add_puzzle(note, puzzle, file, source);
        }
        if !note.error.is_empty() {
            self.add_reason(note);
        }
        if note.status == Status::Invalid {
            return;
        }
        if let Some(clues) = note.clues {
            let figures = self.clues[usize::from(clues)].get_or_insert_with(|| Box::new(Figures::new()));
            figures.add(note, time_bin, guess_bin);
        }
        if let Some(time_bin) = time_bin {
            self.joint[time_bin * GUESS_BINS + guess_bin] += 1;
        }
    }

    fn add_puzzle(&mut self, note: &Note<'_>, puzzle: &[u8; CELLS], file: u16, source: u16) {
        if note.status != Status::Invalid {
            // What needs no guess is not hard.
            if note.guesses > 0 {
                self.hardest.offer(note.guesses, note, puzzle, source);
            }
            if let Some(time_ns) = note.time_ns {
                self.slowest.offer(time_ns, note, puzzle, source);
            }
        }
        let before = match self.duplicates.add(note.hash, source) {
            Seen::Before(groups) => {
                groups.iter().copied().find(|&group| self.sources[usize::from(group)].file == file)
            }
            Seen::New => None,
        };
        if let Some(before) = before
            && self.repeats.len() < MOST_REPEATS
        {
            self.repeats.push(Repeat {
                source,
                name: name_of(note),
                line: note.line,
                before,
                kind: note.kind,
                puzzle: *puzzle,
            });
        }
    }

    fn file(&self) -> u16 {
        u16::try_from(self.files.len() - 1).expect("the number of files is bounded")
    }

    fn source_number(&mut self, file: u16, name: &[u8]) -> u16 {
        if let Some((last, number)) = &self.last_source
            && last == name
        {
            return *number;
        }
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let mut key = (file, Some(hasher.finish()));
        if !self.source_numbers.contains_key(&key) && self.sources.len() >= MOST_SOURCES {
            key.1 = None;
        }
        let number = match self.source_numbers.get(&key) {
            Some(&number) => number,
            None => {
                let number = u16::try_from(self.sources.len()).expect("the number of sources is bounded");
                let name = key.1.map(|_| shortened(&String::from_utf8_lossy(name), LONGEST_NAME));
                self.sources.push(SourceFigures { file, name, figures: Figures::new() });
                self.source_numbers.insert(key, number);
                number
            }
        };
        self.last_source = Some((name.to_owned(), number));
        number
    }

    #[cold]
    fn add_reason(&mut self, note: &Note<'_>) {
        let error = String::from_utf8_lossy(note.error);
        let (place, reason) = place_and_reason(&error);
        let mut key = (note.status, pattern_of(reason));
        let mut pattern = Some(key.1.clone());
        if !self.reason_numbers.contains_key(&key) && self.reasons.len() >= MOST_REASONS {
            (key.1, pattern) = (String::new(), None);
        }
        let number = *self.reason_numbers.entry(key).or_insert_with(|| {
            self.reasons.push(Reason { status: note.status, pattern, count: 0, places: Vec::new() });
            self.reasons.len() - 1
        });
        let entry = &mut self.reasons[number];
        entry.count += 1;
        if entry.places.len() < PLACES {
            let source = name_of(note);
            entry.places.push(match place {
                Some((line, column)) => format!("{source}:{line}:{column}"),
                None => format!("{source}:{}", note.line),
            });
        }
    }
}

impl Ranking {
    fn offer(&mut self, rank: u64, note: &Note<'_>, puzzle: &[u8; CELLS], source: u16) {
        if self.kept.len() >= self.most && self.kept.last().is_none_or(|last| rank <= last.rank) {
            return;
        }
        if let Some(at) = self.kept.iter().position(|kept| kept.hash == note.hash) {
            if self.kept[at].rank >= rank {
                return;
            }
            self.kept.remove(at);
        }
        let at = self.kept.partition_point(|kept| kept.rank >= rank);
        let kept = Kept {
            rank,
            hash: note.hash,
            source,
            name: name_of(note),
            line: note.line,
            kind: note.kind,
            status: note.status,
            guesses: note.guesses,
            time_ns: note.time_ns,
            puzzle: *puzzle,
            solution: note.solution.copied(),
        };
        self.kept.insert(at, kept);
        self.kept.truncate(self.most);
    }
}

/// Name of the input of a row, as it is shown.
fn name_of(note: &Note<'_>) -> String {
    shortened(&String::from_utf8_lossy(note.source), LONGEST_NAME)
}

/// The line and column of `line L, column C: reason`, and the reason.
fn place_and_reason(error: &str) -> (Option<(u64, u64)>, &str) {
    let found = error.strip_prefix("line ").and_then(|rest| {
        let (line, rest) = rest.split_once(", column ")?;
        let (column, reason) = rest.split_once(": ")?;
        Some(((line.parse().ok()?, column.parse().ok()?), reason))
    });
    found.map_or((None, error), |(place, reason)| (Some(place), reason))
}

/// A reason without what differs from record to record: `N` for a number, `'...'` for what is quoted. What
/// was expected is always the same.
fn pattern_of(reason: &str) -> String {
    let reason = shortened(reason, LONGEST_REASON);
    let (found, expected) = reason.split_at(reason.find("(expected").unwrap_or(reason.len()));
    let mut pattern = String::new();
    let mut characters = found.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '0'..='9' => {
                while characters.next_if(char::is_ascii_digit).is_some() {}
                pattern.push('N');
            }
            '\'' if characters.clone().any(|other| other == '\'') => {
                characters.find(|&other| other == '\'');
                pattern.push_str("'...'");
            }
            other => pattern.push(other),
        }
    }
    pattern + expected
}

/// A text of at most so many characters; the end of a name says most, so the middle goes.
fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most / 3).collect();
    let end: String = text.chars().skip(length - (most - most / 3 - 1)).collect();
    format!("{start}\u{2026}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::note;

    fn puzzle(number: u64) -> [u8; CELLS] {
        let mut puzzle = [b'.'; CELLS];
        for (cell, digit) in puzzle.iter_mut().zip(number.to_string().bytes()) {
            *cell = digit;
        }
        puzzle
    }

    struct Row {
        source: &'static str,
        line: u64,
        status: Status,
        guesses: u64,
        time_ns: u64,
        puzzle: u64,
        error: &'static str,
    }

    const ROW: Row =
        Row { source: "a", line: 1, status: Status::Unique, guesses: 0, time_ns: 100, puzzle: 1, error: "" };

    fn add(collector: &mut Collector, row: &Row) {
        let puzzle = puzzle(row.puzzle);
        let note = Note {
            source: row.source.as_bytes(),
            line: row.line,
            kind: Kind::Sudoku,
            status: row.status,
            clues: Some(20),
            guesses: row.guesses,
            time_ns: Some(row.time_ns),
            hash: note::hash(Kind::Sudoku, &puzzle),
            puzzle: Some(&puzzle),
            solution: None,
            error: row.error.as_bytes(),
        };
        let mut bytes = Vec::new();
        note.write(&mut bytes);
        collector.add_notes(&bytes);
    }

    fn collector(top: usize) -> Collector {
        let mut collector = Collector::new(top, 100);
        collector.start_file("r.csv");
        collector
    }

    #[test]
    fn the_hardest_are_different_puzzles_and_the_earliest_among_equals() {
        let mut collector = collector(3);
        for (line, (guesses, puzzle)) in (1..).zip([(5, 1), (7, 2), (5, 3), (7, 2), (9, 1), (5, 4), (0, 5)]) {
            add(&mut collector, &Row { line, guesses, puzzle, ..ROW });
        }
        let hardest: Vec<_> = collector.hardest.kept.iter().map(|kept| (kept.guesses, kept.line)).collect();
        assert_eq!(hardest, [(9, 5), (7, 2), (5, 3)]);
    }

    #[test]
    fn what_needs_no_guess_is_not_listed_as_hard_and_an_invalid_row_not_as_slow() {
        let mut collector = collector(3);
        add(&mut collector, &ROW);
        add(&mut collector, &Row { status: Status::Invalid, guesses: 9, time_ns: 999, puzzle: 2, ..ROW });
        assert!(collector.hardest.kept.is_empty());
        assert_eq!(collector.slowest.kept.iter().map(|kept| kept.time_ns).collect::<Vec<_>>(), [Some(100)]);
    }

    #[test]
    fn reasons_are_grouped_without_their_numbers() {
        let mut collector = collector(3);
        for (line, error) in (1..).zip([
            "line 1, column 7: invalid character 'q' (expected 1-9, 0 or .)",
            "line 2, column 1: 80 cells (expected 81)",
            "line 3, column 9: invalid character '\u{e9}' (expected 1-9, 0 or .)",
            "no place at all",
        ]) {
            add(&mut collector, &Row { line, error, status: Status::Invalid, ..ROW });
        }
        let reasons: Vec<_> = collector
            .reasons
            .iter()
            .map(|reason| (reason.pattern.as_deref().unwrap(), reason.count, reason.places.join(" ")))
            .collect();
        assert_eq!(
            reasons,
            [
                ("invalid character '...' (expected 1-9, 0 or .)", 2, "a:1:7 a:3:9".to_owned()),
                ("N cells (expected 81)", 1, "a:2:1".to_owned()),
                ("no place at all", 1, "a:4".to_owned()),
            ]
        );
    }

    #[test]
    fn a_repeat_is_one_of_the_same_results_file() {
        let mut collector = collector(3);
        add(&mut collector, &ROW);
        add(&mut collector, &Row { source: "b", line: 2, ..ROW });
        collector.start_file("other.csv");
        add(&mut collector, &ROW);
        let repeats: Vec<_> = collector.repeats.iter().map(|repeat| (repeat.source, repeat.before)).collect();
        assert_eq!(repeats, [(1, 0)]);
        let sets: Vec<_> = collector.duplicates.sets().map(|(set, count)| (set.to_vec(), count)).collect();
        assert_eq!(sets, [(vec![0, 1, 2], 1)]);
    }

    #[test]
    fn too_many_sources_are_counted_together() {
        let mut collector = collector(1);
        let names: Vec<String> = (0..MOST_SOURCES + 50).map(|number| format!("{number}.txt")).collect();
        for (guesses, name) in (1..).zip(&names) {
            add(&mut collector, &Row { source: name.clone().leak(), guesses, ..ROW });
        }
        assert_eq!(collector.sources.len(), MOST_SOURCES + 1);
        let last = collector.sources.last().unwrap();
        assert_eq!((last.name.as_deref(), last.figures.rows), (None, 50));
        // The row that is listed knows where it is from.
        assert_eq!(collector.hardest.kept[0].name, "305.txt");
    }

    #[test]
    fn long_names_keep_their_ends() {
        let name = format!("{}/file.csv", "directory/".repeat(50));
        let short = shortened(&name, LONGEST_NAME);
        assert_eq!(short.chars().count(), LONGEST_NAME);
        assert!(short.starts_with("directory/") && short.ends_with("/file.csv"), "{short}");
        assert_eq!(shortened("a.csv", LONGEST_NAME), "a.csv");
    }
}
