//! What a text is: each way of reading it reads its start, and the one that finds most puzzles is taken.
//!
//! There is no second opinion: what a candidate is worth is what its own reader makes of the sample. A record with a claim
//! counts as two, since the claims would else be records. What most candidates find little in is left after a short
//! part of the sample. The rule for ties is in [`Entrant::rank`].

use std::cmp::Reverse;
use std::sync::Arc;

use super::magic;
use super::reader::{Block, Candidates, Read, Sample, State, TextEnd, TextReader};
use super::refusal::{counts_from_zero, refusal};
use super::score::{Attempt, Score};
use super::text::tree;
use super::text::{cases, table, units};
use super::{Columns, Dialect, Excerpt, Framing, InputError, Passed};
use crate::record::{Records, Want};

/// Candidates that read a sample at most, so that no input takes long.
const MOST: usize = 16;

/// What was found.
pub(super) struct Sniffed {
    pub reader: Arc<dyn TextReader>,
    /// What each candidate read, the one that is taken first.
    pub scores: Vec<(Dialect, Score)>,
    /// Lines of the sample that it passes over.
    pub passed: Passed,
    /// Whether there are claimed solutions, or a place for them.
    pub has_claims: bool,
    /// Whether more of the input would show nothing else.
    pub is_certain: bool,
    /// Whether it has a good record, none that is bad, and no other near it: enough where an input pauses.
    pub is_clear: bool,
}

/// What was seen of an input when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// How it is read.
    pub dialect: Dialect,
    /// What each candidate read of the start, the one that is taken first; none where the first bytes say it all.
    pub scores: Vec<(Dialect, Score)>,
    /// `gzip` or `zstd`.
    pub compression: Option<&'static str>,
    /// The encoding of its text, if it is not UTF-8.
    pub encoding: Option<&'static str>,
    /// Its columns, if it is a table.
    pub columns: Columns,
    /// The header of a table as it stands.
    pub header: Vec<u8>,
    /// How its records can be written one behind the other.
    pub excerpt: Option<Excerpt>,
    /// What of the start was passed over.
    pub passed: Passed,
}

/// Finds out how a text is read, from its start.
///
/// # Errors
///
/// When its first bytes are those of something else; when it holds something, but nothing that can be read, unless it was
/// said what it is; when it lacks a column that was asked for.
pub(super) fn sniff(sample: &Sample<'_>, compression: Option<&str>) -> Result<Sniffed, InputError> {
    if let Some(error) = magic::refusal(sample.name, sample.bytes, compression) {
        return Err(error);
    }
    let told = sample.options.format.as_ref();
    if let Some(error) = counts_from_zero(sample).filter(|_| told.is_none()) {
        return Err(error);
    }
    let is_blank = sample.bytes.trim_ascii().is_empty();
    let plain = Dialect::of(Framing::Line);
    let (race, mut errors) = race(sample, told.or(is_blank.then_some(&plain)));
    let other = || refusal(sample, race.iter().map(|entrant| &entrant.attempt));
    let Some(first) = race.first() else {
        // What is known to be something else lacks no column of puzzles, but for a table with names.
        let other = other();
        let is_known = told.is_none() && matches!(other, InputError::NoPuzzles { advice: Some(_), .. });
        errors.retain(|error| !is_known || !is_without_names(error));
        return Err(errors.into_iter().next().unwrap_or(other));
    };
    let Attempt { score, passed, .. } = &first.attempt;
    if told.is_none() {
        // A table that lacks what was asked for is not read as something else.
        errors.retain(|error| !error.holds_no_puzzles() && !first.framing().has_columns());
        if score.good + score.clashing == 0 && !first.may_be_empty && !is_blank {
            errors.push(other());
        }
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
    }
    Ok(Sniffed {
        reader: Arc::clone(&first.reader),
        scores: race.iter().map(|Entrant { attempt, .. }| (attempt.dialect.clone(), attempt.score)).collect(),
        passed: passed.clone(),
        has_claims: score.claims > 0 || first.reader.columns().claim.is_some(),
        is_certain: is_certain(&race, Sample::ENOUGH),
        is_clear: told.is_some() && first.has_read || is_certain(&race, 1),
    })
}

/// Whether no column of puzzles was found, in columns that have no names but numbers.
fn is_without_names(error: &InputError) -> bool {
    let InputError::NoPuzzleColumn { columns, wanted: None, .. } = error else { return false };
    columns.iter().zip(1..).all(|(name, number)| *name == number.to_string())
}

/// Proposes the readers of some framings that may fit a sample, with what is told.
type Propose = fn(&Sample<'_>, Option<&Dialect>) -> Candidates;

/// All who propose, those first that soon know what is not theirs.
const PROPOSE: [(&[Framing], Propose); 5] = [
    (&[Framing::Cases], cases::candidates),
    (&[Framing::Xml], tree::xml_candidates),
    (&[Framing::Json, Framing::Jsonl], tree::json_candidates),
    (&[Framing::Csv], table::candidates),
    (&[Framing::Line, Framing::Grid, Framing::Cell], units::candidates),
];

/// A candidate, and what it read so far.
struct Entrant {
    reader: Arc<dyn TextReader>,
    attempt: Attempt,
    /// Its place among all that were proposed.
    proposed: usize,
    /// Whether an input that ends here needs no record.
    may_be_empty: bool,
    /// Whether it has read anything.
    has_read: bool,
}

impl Entrant {
    fn new(reader: Arc<dyn TextReader>, proposed: usize) -> Self {
        let attempt = Attempt::new(reader.dialect());
        Self { reader, attempt, proposed, may_be_empty: false, has_read: false }
    }

    const fn framing(&self) -> Framing {
        self.attempt.dialect.framing
    }

    const fn points(&self) -> i64 {
        self.attempt.score.points()
    }

    /// Whether what it read says what it is, as a header does and the syntax of a document.
    fn says_it(&self) -> bool {
        let has_syntax =
            matches!(self.framing(), Framing::Cases | Framing::Xml | Framing::Json | Framing::Jsonl);
        self.has_read && (has_syntax || self.reader.says_what_it_is())
    }

    /// Whether it is this and nothing else, whatever others read: a document as its syntax has it, with a record, good or
    /// not; a table with a puzzle below a header that names them, so that other rows are bad ones.
    fn is_this(&self) -> bool {
        let is_document = matches!(self.framing(), Framing::Xml | Framing::Json)
            && self.attempt.score != Score::default()
            && !self.attempt.is_something_else();
        is_document || self.reader.says_what_it_is() && self.attempt.score.good > 0
    }

    /// Whether it has so many good records and no bad one.
    const fn is_good(&self, enough: u64) -> bool {
        self.attempt.score.good >= enough && self.attempt.score.bad == 0
    }

    /// Reads the start of an input anew; behind it there may be more.
    fn read(&mut self, sample: &Sample<'_>) {
        let end = if sample.is_whole { TextEnd::Last } else { TextEnd::Damaged };
        let before = State::default();
        let mut state = before.clone();
        let length = self.reader.frame(&mut state, sample.bytes, end);
        let is_last = sample.is_whole && length == sample.bytes.len();
        let block = Block { bytes: &sample.bytes[..length], state: &before, is_last };
        let mut records = Records::default();
        let Read { passed, .. } = self.reader.read(&block, Want { claims: true }, &mut records);
        self.attempt.score = Score::of(&records);
        self.attempt.fault = records.faults().iter().next().map(|(_, fault)| fault.clone());
        self.attempt.passed = passed;
        (self.may_be_empty, self.has_read) = (self.reader.may_be_empty(&state), length > 0);
    }

    /// Whether it is worth half of what the best is, or read nothing yet since its first unit is a long one.
    const fn is_in_race(&self, most: i64) -> bool {
        !self.has_read || self.points() > 0 && 2 * self.points() >= most
    }

    /// Of two candidates the greater one is taken: one that is in the race and says what it is, or is nothing else, or has
    /// columns of which one `is_named`; then the one that is worth more; then by the order of framings. Within one framing
    /// the one that finds claims, the one with fewer settings, and the one that was proposed first.
    fn rank(&self, most: i64, is_named: bool) -> impl Ord + use<> {
        (
            self.is_in_race(most) && self.says_it()
                || self.is_this()
                || is_named && self.framing().has_columns(),
            self.points(),
            Reverse(self.framing()),
            self.attempt.score.claims > 0,
            Reverse((self.attempt.dialect.fixed(), self.proposed)),
        )
    }
}

/// Lets all that may fit read the first part of a sample, and those that come near read all of it: the best first, and
/// why others could not be proposed. Where one leaves no doubt, those behind it are not asked.
fn race(sample: &Sample<'_>, told: Option<&Dialect>) -> (Vec<Entrant>, Vec<InputError>) {
    let start = sample.start();
    let (mut entrants, mut errors): (Vec<Entrant>, _) = (Vec::new(), Vec::new());
    for (framings, propose) in PROPOSE {
        if told.is_some_and(|told| !framings.contains(&told.framing)) {
            continue;
        }
        for candidate in propose(sample, told) {
            match candidate {
                Ok(reader) if entrants.len() < MOST => {
                    let mut entrant = Entrant::new(reader, entrants.len());
                    entrant.read(&start);
                    entrants.push(entrant);
                }
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        if entrants.iter().any(|entrant| entrant.says_it() && entrant.is_good(Sample::ENOUGH)) {
            break;
        }
    }
    let most = rank(&mut entrants, sample);
    if start.bytes.len() < sample.bytes.len() && !is_certain(&entrants, Sample::ENOUGH) {
        // Where nobody found anything, all read on: what comes first may be a long head.
        for entrant in entrants.iter_mut().filter(|entrant| most <= 0 || entrant.is_in_race(most)) {
            entrant.read(sample);
        }
        rank(&mut entrants, sample);
    }
    (entrants, errors)
}

/// Sorts candidates, the best first; what most points are.
fn rank(entrants: &mut [Entrant], sample: &Sample<'_>) -> i64 {
    let is_named = sample.options.puzzle_column.is_some();
    let most = entrants.iter().map(Entrant::points).max().unwrap_or(0);
    entrants.sort_by_cached_key(|entrant| Reverse(entrant.rank(most, is_named)));
    most
}

/// Whether the first has so many good records and no bad one, and either says what it is or has no other near it.
fn is_certain(race: &[Entrant], enough: u64) -> bool {
    let [first, others @ ..] = race else { return false };
    let is_alone = || !others.iter().any(|other| other.is_in_race(first.points()));
    first.is_good(enough) && (first.says_it() || is_alone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{OptionNames, ReadOptions};

    const PUZZLE: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";
    const SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

    fn sniffed(text: &str, options: &ReadOptions) -> Result<Sniffed, InputError> {
        sniff(&Sample { name: "a", bytes: text.as_bytes(), is_whole: true, options }, None)
    }

    fn told(format: &str) -> ReadOptions {
        ReadOptions { format: Some(format.parse().expect("a dialect")), ..ReadOptions::default() }
    }

    /// The dialect of a text, or why there is none.
    fn dialect(text: &str, options: &ReadOptions) -> String {
        match sniffed(text, options) {
            Ok(found) => found.reader.dialect().to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Nine lines for a grid.
    fn rows(grid: &str) -> String {
        grid.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row).into_owned() + "\n").collect()
    }

    #[test]
    fn what_reads_most_is_taken() {
        let (p, s) = (PUZZLE, SOLVED);
        let odd = p.replace('0', "~");
        let table = format!("puzzle,solution\n{}", format!("{p},{s}\n").repeat(3));
        let cells = p.chars().flat_map(|cell| [cell, '\n']).collect::<String>();
        for (text, expected) in [
            (format!("{p}\n{p}\n"), "line"),
            (format!("{p}\n{s}\n").repeat(2), "line,solution=below"),
            (format!("{p},{s}\n").repeat(2), "line"),
            (format!("{odd}\n").repeat(2), "line,blank=~"),
            (rows(p), "grid"),
            (format!("{}\n{}", rows(p), rows(p)), "grid"),
            (format!("{}\n{}", rows(p), rows(s)), "grid,solution=below"),
            (cells, "cell"),
            (table.clone(), "csv,sep=comma,above=1,puzzle=1,solution=2"),
            // A ragged row costs itself, and not what the header says.
            (format!("{table}{p}\n"), "csv,sep=comma,above=1,puzzle=1,solution=2"),
            (format!("{{\"puzzle\": \"{p}\"}}\n").repeat(2), "jsonl"),
            (format!("{{\"puzzle\": \"{p}\"}}\n{{\"puzzle\": \"{p}\"\n{{\"puzzle\": \"{p}\"}}\n"), "jsonl"),
            (format!("[{{\"puzzle\": \"{p}\"}}]\n"), "json"),
            (format!("<a><game data=\"{p}\"/></a>\n"), "xml"),
            // Two kinds in one file: that of which there is more.
            (format!("{p}\n\n{}", rows(p)) + &rows(p), "grid"),
            (format!("{p}\n{p}\n{p}\n{}", rows(p)), "line"),
            // Nothing to read is no error.
            (String::new(), "line"),
            (" \n\n".to_owned(), "line"),
            // Nor is a grid that clashes, nor a result of nothing.
            (format!("11{}\n", &p[2..]), "line"),
            ("id,source,line,kind,status,puzzle\n".to_owned(), "csv,sep=comma,above=1,puzzle=6"),
        ] {
            assert_eq!(dialect(&text, &ReadOptions::default()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_told_is_taken() {
        let list = format!("{PUZZLE},{SOLVED}\n").repeat(3);
        for (text, format, expected) in [
            (&list, "csv", "csv,sep=comma,above=0,puzzle=1,solution=2"),
            (&list, "csv,puzzle=2", "csv,sep=comma,above=0,puzzle=2"),
            (&list, "grid", "grid"),
            (&list, "cell", "cell"),
            (&list, "json", "json"),
            (&list, "xml", "xml"),
            (&list, "cases", "cases"),
            (&"prose\n".to_owned(), "line", "line"),
            (&String::new(), "line", "line"),
            (&String::new(), "jsonl", "jsonl"),
            (&String::new(), "csv", "csv,sep=comma,above=0,puzzle=1"),
            (&list, "csv,puzzle=7", "a: no column '7' (columns seen: 1, 2)"),
        ] {
            assert_eq!(dialect(text, &told(format)), expected, "{format}");
        }
    }

    #[test]
    fn what_holds_no_puzzle_is_refused_with_what_was_tried_and_why() {
        let short = format!("{}\n", &PUZZLE[1..]);
        let square = "1234\n3412\n".repeat(2);
        let none = ReadOptions::default();
        for (text, message, hint, is_other) in [
            (
                short.repeat(2),
                "a: no puzzle found (tried line, grid); as line 2 invalid records and no good one, the first: line 1, \
                 column 81: 80 cells (expected 81)",
                "format line reads it all the same",
                false,
            ),
            (
                "It was the best of times,\nit was the worst of times.\n".to_owned(),
                "a: no puzzle found (tried line, csv, ",
                "a puzzle is 81 cells on a line, nine lines",
                true,
            ),
            (square, "a: no puzzle found (tried ", "it looks like sudokus of 4 x 4 cells: ", true),
            (
                "id,name\n1,x\n2,y\n".to_owned(),
                "a: no column of puzzles found (columns seen: id, name)",
                "name the col",
                true,
            ),
            // What begins like a document and breaks at once is no damaged one.
            (
                "[INFO] it took 3 seconds (ok)\n".repeat(2),
                "a: no puzzle found (tried line, csv, ",
                "a puzzle is",
                true,
            ),
            ("<books/>\n".to_owned(), "a: no puzzle found (tried xml)", "it looks like HTML, or XML", true),
            ("%PDF-1.7".to_owned(), "a: a PDF document (expected ", "take the text out: pdftotext", false),
        ] {
            let error = sniffed(&text, &none).err().expect("it is refused");
            let said = error.to_string();
            assert!(said.starts_with(message), "{said}");
            let advice = error.hint(&OptionNames::LIBRARY).expect("there is advice");
            assert!(advice.starts_with(hint), "{said}: {advice}");
            assert_eq!(error.holds_no_puzzles(), is_other, "{said}");
        }
    }

    #[test]
    fn a_column_that_was_asked_for_must_be_there() {
        let options = ReadOptions { puzzle_column: Some("grid".to_owned()), ..ReadOptions::default() };
        let table = format!("id,puzzle\n1,{PUZZLE}\n2,{PUZZLE}\n");
        assert_eq!(dialect(&table, &options), "a: no column 'grid' (columns seen: id, puzzle)");
        assert_eq!(dialect(&format!("{PUZZLE}\n").repeat(3), &options), "line");
    }

    #[test]
    fn little_is_read_where_that_leaves_no_doubt() {
        let line = format!("{PUZZLE}\n");
        let is_certain = |text: &str| sniffed(text, &ReadOptions::default()).expect("puzzles").is_certain;
        assert!(is_certain(&line.repeat(20)) && !is_certain(&line.repeat(19)));
        assert!(!is_certain(&format!("{}{}", line.repeat(30), &line[5..])));
        let text = line.repeat(3000);
        let found = sniffed(&text, &ReadOptions::default()).expect("puzzles");
        assert_eq!(usize::try_from(found.scores[0].1.good), Ok(Sample::FIRST / line.len()));
    }
}
