//! What a text is: each way of reading it reads its start, and the one that finds most puzzles is taken.
//!
//! There is no second opinion: what a candidate is worth is what its own reader makes of the sample. A record with a claim
//! counts as two, since the claims would else be records. What most candidates find little in is left after a short
//! part of the sample. The rule for ties is in [`Entrant::rank`].

use std::cmp::Reverse;
use std::sync::Arc;

use super::magic;
use super::reader::{Block, Candidates, Read, Sample, State, TextEnd, TextReader};
use super::refusal::{Attempt, counts_from_zero, refusal};
use super::text::tree::{json, xml};
use super::text::{cases, table, units};
use super::{Columns, Dialect, Excerpt, Framing, InputError, Passed};
use crate::record::{Claim, Fault, Records, Want};
use crate::sudoku::{CELLS, Grid, box_of, column_of, row_of};

/// Candidates that read a sample at most, so that no input takes long.
const MOST: usize = 16;

/// Bytes that each candidate reads first.
const FIRST: usize = 64 << 10;

/// Good records, with no bad one among them, that leave no doubt.
const ENOUGH: u64 = 20;

/// What a candidate read of the start of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Records that could be read.
    pub good: u64,
    /// Grids among what was read whose clues clash; they are none of the good ones.
    pub clashing: u64,
    /// Good records with a claimed solution.
    pub claims: u64,
    /// Records that could not be read.
    pub bad: u64,
}

impl Score {
    /// What it is worth, in eighths of a good record: a bad one takes half of one away, and a grid that clashes, as those
    /// do that are read out of something else, counts an eighth.
    #[must_use]
    pub fn points(&self) -> i64 {
        let [good, clashing, claims, bad] = [self.good, self.clashing, self.claims, self.bad]
            .map(|count| i64::try_from(count).unwrap_or(i64::MAX / 64));
        8 * (good + claims) + clashing - 4 * bad
    }

    /// Counts what was read.
    fn count(&mut self, records: &Records) {
        for row in 0..records.len() {
            let is_case = records.cases().get(row).is_some();
            match records.readable()[row] {
                false => self.bad += 1,
                true if !is_case && clashes(&records.puzzles()[row]) => self.clashing += 1,
                true => {
                    self.good += 1;
                    self.claims += u64::from(matches!(records.claims.get(row), Claim::Grid(_)));
                }
            }
        }
    }
}

/// Whether a digit stands twice in a house. The verifier names the cells, which takes longer.
fn clashes(grid: &Grid) -> bool {
    let mut houses = [0_u16; 27];
    grid.cells().iter().zip(0..CELLS).any(|(&digit, cell)| {
        let bit = (1 << digit) & !1;
        [row_of(cell), 9 + column_of(cell), 18 + box_of(cell)].into_iter().any(|house| {
            let is_there = houses[house] & bit != 0;
            houses[house] |= bit;
            is_there
        })
    })
}

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
    let (mut entrants, mut errors) = (Vec::new(), Vec::new());
    for candidate in readers(sample, told).into_iter().take(MOST) {
        match candidate {
            Ok(reader) => entrants.push(Entrant::new(reader, entrants.len())),
            Err(error) => errors.push(error),
        }
    }
    if entrants.is_empty() && sample.bytes.trim_ascii().is_empty() {
        // Nothing is as good as a list of nothing.
        let lines = units::candidates(sample, Some(&Dialect::of(Framing::Line)));
        entrants.extend(lines.into_iter().flatten().map(|reader| Entrant::new(reader, 0)));
    }
    let race = race(sample, entrants);
    let Some(first) = race.first() else {
        return Err(errors.into_iter().next().unwrap_or_else(|| refusal(sample, &[])));
    };
    if told.is_none() {
        // A table that lacks what was asked for is not read as something else.
        errors.retain(|error| !error.holds_no_puzzles() && !first.framing().has_columns());
        let is_empty = first.may_be_empty || sample.bytes.trim_ascii().is_empty();
        if first.score.good + first.score.clashing == 0 && !is_empty {
            let attempts: Vec<_> = race.iter().map(Entrant::attempt).collect();
            errors.push(refusal(sample, &attempts));
        }
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
    }
    Ok(Sniffed {
        reader: Arc::clone(&first.reader),
        scores: race.iter().map(|entrant| (entrant.dialect.clone(), entrant.score)).collect(),
        passed: first.passed.clone(),
        has_claims: first.score.claims > 0 || first.reader.columns().claim.is_some(),
        is_certain: is_certain(&race, ENOUGH),
        is_clear: told.is_some() && first.has_read || is_certain(&race, 1),
    })
}

/// The readers that may fit a sample, the cheapest first; those of one framing if that is told.
fn readers(sample: &Sample<'_>, told: Option<&Dialect>) -> Candidates {
    type Propose = fn(&Sample<'_>, Option<&Dialect>) -> Candidates;
    const PROPOSE: [(&[Framing], Propose); 5] = [
        (&[Framing::Cases], cases::candidates),
        (&[Framing::Xml], xml::candidates),
        (&[Framing::Json, Framing::Jsonl], json::candidates),
        (&[Framing::Line, Framing::Grid, Framing::Cell], units::candidates),
        (&[Framing::Csv], table::candidates),
    ];
    let is_asked = |framings: &[Framing]| told.is_none_or(|told| framings.contains(&told.framing));
    let asked = PROPOSE.iter().filter(|(framings, _)| is_asked(framings));
    asked.flat_map(|(_, propose)| propose(sample, told)).collect()
}

/// A candidate, and what it read so far.
struct Entrant {
    reader: Arc<dyn TextReader>,
    dialect: Dialect,
    /// Its place among all that were proposed.
    proposed: usize,
    score: Score,
    passed: Passed,
    /// The first fault, with its line counted from the start.
    fault: Option<Fault>,
    /// Whether an input that ends here needs no record.
    may_be_empty: bool,
    /// Whether it has read anything.
    has_read: bool,
}

impl Entrant {
    fn new(reader: Arc<dyn TextReader>, proposed: usize) -> Self {
        let dialect = reader.dialect();
        Self {
            reader,
            dialect,
            proposed,
            score: Score::default(),
            passed: Passed::default(),
            fault: None,
            may_be_empty: false,
            has_read: false,
        }
    }

    const fn framing(&self) -> Framing {
        self.dialect.framing
    }

    /// Reads the start of an input anew; behind it there may be more.
    fn read(&mut self, bytes: &[u8], end: TextEnd) {
        let before = State::default();
        let mut state = before.clone();
        let length = self.reader.frame(&mut state, bytes, end);
        let is_last = end == TextEnd::Last && length == bytes.len();
        let block = Block { bytes: &bytes[..length], state: &before, is_last };
        let mut records = Records::default();
        let Read { passed, .. } = self.reader.read(&block, Want { claims: true }, &mut records);
        self.score = Score::default();
        self.score.count(&records);
        self.fault = records.faults().iter().next().map(|(_, fault)| fault.clone());
        (self.passed, self.may_be_empty, self.has_read) =
            (passed, self.reader.may_be_empty(&state), length > 0);
    }

    /// Whether it is worth half of what the best is, or read nothing yet since its first unit is a long one.
    fn is_in_race(&self, most: i64) -> bool {
        !self.has_read || self.score.points() > 0 && 2 * self.score.points() >= most
    }

    /// Of two candidates the greater one is taken: one that is in the race and says what it is, as a header does and the
    /// syntax of a document; then the one that is worth more; then by the order of framings. Within one framing the one
    /// that finds claims, the one with fewer settings, and the one that was proposed first.
    fn rank(&self, most: i64) -> impl Ord + use<> {
        let framing = self.framing();
        let has_syntax = matches!(framing, Framing::Cases | Framing::Xml | Framing::Json | Framing::Jsonl);
        let says_it = self.has_read && (has_syntax || self.reader.says_what_it_is());
        (
            self.is_in_race(most) && says_it,
            self.score.points(),
            Reverse(Framing::ALL.iter().position(|&other| other == framing)),
            self.score.claims > 0,
            Reverse((self.dialect.fixed(), self.proposed)),
        )
    }

    /// What a refusal says of it.
    fn attempt(&self) -> Attempt<'_> {
        Attempt {
            dialect: &self.dialect,
            score: self.score,
            fault: self.fault.as_ref(),
            passed: &self.passed,
        }
    }
}

/// Lets all read the start of a sample, and those that come near read all of it; the best first.
fn race(sample: &Sample<'_>, mut entrants: Vec<Entrant>) -> Vec<Entrant> {
    if let Some(start) = sample.bytes.get(..FIRST) {
        entrants.iter_mut().for_each(|entrant| entrant.read(start, TextEnd::Damaged));
        rank(&mut entrants);
        if is_certain(&entrants, ENOUGH) {
            return entrants;
        }
    }
    let most = most(&entrants);
    let end = if sample.is_whole { TextEnd::Last } else { TextEnd::Damaged };
    for entrant in entrants.iter_mut().filter(|entrant| entrant.is_in_race(most)) {
        entrant.read(sample.bytes, end);
    }
    rank(&mut entrants);
    entrants
}

/// What the best is worth.
fn most(entrants: &[Entrant]) -> i64 {
    entrants.iter().map(|entrant| entrant.score.points()).max().unwrap_or(0)
}

/// Sorts candidates, the best first.
fn rank(entrants: &mut [Entrant]) {
    let most = most(entrants);
    entrants.sort_by_cached_key(|entrant| Reverse(entrant.rank(most)));
}

/// Whether the first has enough good records and no bad one, and either says what it is or has no other near it.
fn is_certain(race: &[Entrant], enough: u64) -> bool {
    let [first, others @ ..] = race else { return false };
    let Score { good, bad, .. } = first.score;
    let is_alone = || !others.iter().any(|other| other.is_in_race(first.score.points()));
    good >= enough && bad == 0 && (first.reader.says_what_it_is() || is_alone())
}
