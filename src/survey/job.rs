//! The survey of each record: how many solutions it has, whether its claim is right, and how it writes blank cells. Two
//! jobs side by side, and a digest of their columns.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::input::Batch;
use crate::jobs::solve::Solve;
use crate::jobs::verify::Verify;
use crate::jobs::{Answered, Job, SearchOptions};
use crate::output::{Encode, Piece};
use crate::pipeline::{Collect, Digest};
use crate::record::{
    Column, Fault, Field, Page, PuzzleKind, Records, Role, Schema, Sparse, Type, Want, Word,
};
use crate::sudoku::CELLS;

/// Most records of a batch whose blank cells are examined.
const ROWS_LOOKED_AT: usize = 8;

/// Most wrong claims listed.
const MOST_LISTED: usize = 3;

/// Columns after those of [`Solve`].
const CLAIM: &str = "claim";
const CLAIM_ERROR: &str = "claim_error";
const BLANKS: &str = "blanks";
const FIELDS: [Field; 3] = [
    Field::result(CLAIM, Type::Word, "what `verify --trust-unique` says"),
    Field::result(CLAIM_ERROR, Type::Fault, "what is wrong with the claim"),
    Field::result(BLANKS, Type::Text, "the characters of its blank cells, if examined"),
];

/// Solves every puzzle and checks its claim.
pub struct Survey {
    solve: Solve,
    verify: Verify,
    schema: Schema,
}

impl Survey {
    pub fn new(options: SearchOptions) -> Self {
        let solve = Solve::new(options, false);
        let mut schema = solve.schema().clone();
        schema.fields.extend(FIELDS);
        Self { solve, verify: Verify::new(None, false), schema }
    }
}

#[derive(Default)]
pub struct SurveyAnswers {
    solve: <Solve as Job>::Answers,
    verify: <Verify as Job>::Answers,
    /// For each record the index of its blanks in `blank_names`.
    blanks: Vec<u32>,
    /// Sets of characters, the empty one first.
    blank_names: Vec<String>,
}

impl Job for Survey {
    type Worker = (<Solve as Job>::Worker, <Verify as Job>::Worker);
    type Answers = SurveyAnswers;

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn schema_mut(&mut self) -> &mut Schema {
        &mut self.schema
    }

    fn want(&self) -> Want {
        self.verify.want()
    }

    fn worker(&self, stop: Arc<AtomicBool>) -> Self::Worker {
        (self.solve.worker(Arc::clone(&stop)), self.verify.worker(stop))
    }

    fn answer(
        &self,
        (solve, verify): &mut Self::Worker,
        batch: &Batch,
        records: &Records,
        answers: &mut SurveyAnswers,
    ) -> Answered {
        answers.blank_names.clear();
        answers.blank_names.push(String::new());
        answers.blanks.clear();
        answers.blanks.resize(records.len(), 0);
        let sudokus = (0..records.len()).filter(|&row| records.is_sudoku(row) && !batch.bytes.is_empty());
        for row in sudokus.take(ROWS_LOOKED_AT) {
            let blanks = blanks_of(batch, records, row);
            let names = &mut answers.blank_names;
            let at = names.iter().position(|name| *name == blanks).unwrap_or_else(|| {
                names.push(blanks);
                names.len() - 1
            });
            answers.blanks[row] = at as u32;
        }
        self.verify.answer(verify, batch, records, &mut answers.verify);
        self.solve.answer(solve, batch, records, &mut answers.solve)
    }

    fn corrected<'a>(&self, answers: &'a SurveyAnswers) -> Option<&'a Sparse<Fault>> {
        self.solve.corrected(&answers.solve)
    }

    fn columns<'a>(&self, records: &'a Records, answers: &'a SurveyAnswers) -> Vec<Column<'a>> {
        let claims = self.verify.columns(records, &answers.verify);
        let own = |role| {
            let at = self.verify.schema().find(role).expect("every job has a status and errors");
            claims[at - Field::ORIGIN.len()]
        };
        let mut columns = self.solve.columns(records, &answers.solve);
        columns.extend([own(Role::Status), own(Role::Error)]);
        columns.push(Column::Names(&answers.blanks, &answers.blank_names));
        columns
    }
}

/// The characters for the blank cells of a sudoku, each once, sorted.
fn blanks_of(batch: &Batch, records: &Records, row: usize) -> String {
    let text = records.spans()[row].of(&batch.bytes);
    let lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
    let puzzle = &records.puzzles()[row];
    let mut found = Vec::new();
    for cell in (0..CELLS).filter(|&cell| puzzle.get(cell) == 0) {
        let place = batch.place_in_record(records, row, cell);
        let line = usize::try_from(place.line - records.lines()[row]).ok().and_then(|line| lines.get(line));
        let rest = usize::try_from(place.column - 1).ok().and_then(|at| line?.get(at..));
        let character = rest.and_then(|rest| rest.utf8_chunks().next()?.valid().chars().next());
        if let Some(character) = character
            && !found.contains(&character)
        {
            found.push(character);
        }
    }
    found.sort_unstable();
    found.into_iter().collect()
}

/// The counts of a run besides its report.
#[derive(Debug)]
pub struct Counts {
    /// Sudokus by the number of their clues.
    pub clues: [u64; CELLS + 1],
    /// Rows by the word for their claim.
    pub claims: BTreeMap<&'static str, u64>,
    /// The first wrong claims, as `input:line: reason`.
    pub wrong: Vec<String>,
    /// Examined sudokus by the characters of their blanks.
    pub blanks: BTreeMap<String, u64>,
    /// Sudominoku cases.
    pub cases: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            clues: [0; CELLS + 1],
            claims: BTreeMap::new(),
            wrong: Vec::new(),
            blanks: BTreeMap::new(),
            cases: 0,
        }
    }
}

/// Counts pages of [`Survey`].
pub struct CountsDigest;

impl Digest for CountsDigest {
    type Part = Counts;

    fn digest(&self, page: &Page<'_>, part: &mut Counts) {
        *part = Counts::default();
        let columns = page.schema.fields.iter().map(|field| field.name).zip(&page.columns);
        let columns: BTreeMap<_, _> = columns.collect();
        let source = match page.column(Role::Source) {
            Some(Column::Same(source)) => source,
            _ => "",
        };
        let lines = page.numbers(Role::Line);
        let (Some(Column::SmallNumbers(clues, readable)), Some(Column::Words(kinds, _))) =
            (page.column(Role::Clues), page.column(Role::Kind))
        else {
            return;
        };
        let (
            Some(&&Column::Words(claims, words)),
            Some(&&Column::Faults(faults)),
            Some(&&Column::Names(blanks, names)),
        ) = (columns.get(CLAIM), columns.get(CLAIM_ERROR), columns.get(BLANKS))
        else {
            return;
        };
        let Some(Column::Words(found, statuses)) = page.column(Role::Status) else { return };
        let name = |word: &Word| word.name;
        for row in 0..page.rows {
            if readable[row] && kinds[row] == PuzzleKind::Sudoku as u8 {
                part.clues[usize::from(clues[row])] += 1;
            }
            part.cases += u64::from(kinds[row] == PuzzleKind::Sudominoku as u8);
            // Claims are checked without a search; whether the puzzle has other solutions is known from solving it.
            let claim =
                match (name(&words[usize::from(claims[row])]), name(&statuses[usize::from(found[row])])) {
                    (RIGHT, "unique") => RIGHT,
                    (RIGHT, "multiple") => NOT_UNIQUE,
                    (RIGHT, _) => UNPROVEN,
                    (WRONG, UNSOLVABLE) => UNSOLVABLE,
                    (other, _) => other,
                };
            *part.claims.entry(claim).or_default() += 1;
            if claim == WRONG
                && part.wrong.len() < MOST_LISTED
                && let (Some(fault), Some(line)) = (faults.get(row), lines.get(row))
            {
                part.wrong.push(format!("{source}:{line}: {}", fault.reason()));
            }
            if blanks[row] > 0 {
                *part.blanks.entry(names[blanks[row] as usize].clone()).or_default() += 1;
            }
        }
    }
}

/// The words for claims, as in `verify`; a right claim of an unfinished puzzle is unproven.
pub const RIGHT: &str = "correct";
pub const NOT_UNIQUE: &str = "not-unique";
pub const UNPROVEN: &str = "unfinished";
pub const UNSOLVABLE: &str = "unsolvable";
pub const WRONG: &str = "wrong";
pub const MISSING: &str = "missing";

impl Collect<Counts> for Counts {
    fn take(&mut self, part: &mut Counts) {
        let part = std::mem::take(part);
        self.clues.iter_mut().zip(part.clues).for_each(|(sum, count)| *sum += count);
        part.claims.into_iter().for_each(|(word, count)| *self.claims.entry(word).or_default() += count);
        part.blanks.into_iter().for_each(|(blanks, count)| *self.blanks.entry(blanks).or_default() += count);
        let room = MOST_LISTED.saturating_sub(self.wrong.len());
        self.wrong.extend(part.wrong.into_iter().take(room));
        self.cases += part.cases;
    }
}

/// Writes no rows.
pub struct NoRows;

impl Encode for NoRows {
    fn encode(&self, _: &Page<'_>, _: &mut Piece) {}
}
