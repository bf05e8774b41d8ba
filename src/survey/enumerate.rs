//! Every solution of every puzzle, a row each, in ascending order.
//!
//! A run solves the records, the digest of its pages lists the solutions on all threads, and what a batch has more of
//! than 32,768 is listed where the rows are written, as they are asked for: memory is bounded, whatever the number
//! of solutions.

use std::io;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::job::NoRows;
use crate::input::{self, Source};
use crate::jobs::solutions::{self, Solutions};
use crate::jobs::solve::{MULTIPLE, Solve};
use crate::jobs::{Job as _, SearchOptions};
use crate::output::{Append, Encode, Output, Piece};
use crate::pipeline::{
    self, Collect, Digest, Ended, Ending, Observer, Plan, RunError, RunOptions, Tally, TallyDigest,
};
use crate::record::{Column, Field, Layout, Page, PuzzleKind, Role, Schema, Type};
use crate::solver::{Backend, Limits, Wanted};
use crate::sudoku::Grid;

/// Bytes of a batch: some hundred puzzles, since each may have many rows.
const BATCH_BYTES: usize = 16 << 10;

/// Rows of a batch that are kept until it is its turn.
const MOST_ROWS: usize = 1 << 15;

/// As how many of those a row of a Sudominoku case counts, since it takes milliseconds to find.
const ROWS_PER_CASE_ROW: usize = 1 << 6;

/// Rows that are encoded together.
const PAGE: usize = 1 << 10;

/// The columns of the rows.
const FIELDS: [Field; 3] = [
    Field::ID,
    Field::result("n", Type::Number, "number of the solution among those of the record, from 1"),
    Field::result("solution", Type::Grid, "81 digits, checked").with_role(Role::Solution),
];

/// What the rows consist of.
#[must_use]
pub fn schema() -> Schema {
    Schema { fields: FIELDS.to_vec(), carried: Vec::new(), measured: false, statuses: &[] }
}

/// How to enumerate.
#[derive(Clone, Debug)]
pub struct EnumerateOptions {
    /// Solutions of a record, at most.
    pub limit: NonZeroU64,
    /// The engine that tells puzzles with several solutions from others.
    pub backend: Backend,
    /// Threads that work.
    pub threads: NonZeroUsize,
    /// Stop after the first bad record.
    pub strict: bool,
}

/// What came of it.
#[derive(Debug)]
pub struct Enumeration {
    /// How the run ended.
    pub ended: Ended,
    /// The records by status.
    pub tally: Tally,
    /// Rows written.
    pub rows: u64,
    /// Solutions that the verifier refused: a defect.
    pub refused: u64,
}

/// Enumerates the solutions of the records of all sources; their rows go to `out`, in the format of `encoder`.
///
/// `stop` may be raised at any time: the rows written so far are whole.
///
/// # Errors
///
/// When threads cannot be started, and on a bug.
pub fn enumerate(
    sources: Vec<Source>,
    options: &EnumerateOptions,
    encoder: &Arc<dyn Encode>,
    out: &mut dyn Output,
    observer: &dyn Observer,
    stop: &Arc<AtomicBool>,
) -> Result<Enumeration, RunError> {
    let limits = Limits::default().with_wanted(Wanted::Any);
    let search = SearchOptions { backend: options.backend, limits };
    let job = Solve::new(search, false);
    let rows = RowEncoder { encoder: Arc::clone(encoder), schema: schema(), limit: options.limit.get() };
    let mut header = Piece::default();
    encoder.header(&rows.schema, &mut header.bytes);
    let begun = encoder.writer(&rows.schema, options.threads).and_then(|mut writer| {
        writer.append(&mut header, out)?;
        Ok(writer)
    });
    let (writer, trouble) = match begun {
        Ok(writer) => (Some(writer), None),
        Err(error) => (None, Some(error)),
    };
    let mut writing = Writing {
        rows: rows.clone(),
        out,
        stop,
        writer,
        trouble: None,
        cut_off: false,
        count: 0,
        refused: 0,
    };
    trouble.into_iter().for_each(|error| writing.fail(error));
    let mut collector = (Tally::new(job.schema()), writing);
    let plan = Plan {
        sources,
        job: Arc::new(job),
        encoder: Arc::new(NoRows),
        digest: (TallyDigest, EnumerateDigest { rows, stop: Arc::clone(stop) }),
        options: RunOptions {
            batch_bytes: BATCH_BYTES,
            strict: options.strict,
            ..RunOptions::new(options.threads)
        },
    };
    let ended = pipeline::run(plan, &mut collector, &mut io::sink(), observer, stop);
    let (tally, mut writing) = collector;
    writing.finish();
    let Writing { count: rows, refused, trouble, cut_off, .. } = writing;
    let mut ended = ended?;
    if cut_off && ended.ending == Ending::Complete {
        ended.ending = Ending::Interrupted;
    }
    if let Some(error) = trouble {
        ended.end_unwritten(error);
    }
    Ok(Enumeration { ended, tally, rows, refused })
}

/// Turns solutions into rows.
#[derive(Clone)]
struct RowEncoder {
    encoder: Arc<dyn Encode>,
    schema: Schema,
    limit: u64,
}

/// Rows on their way into a piece.
#[derive(Default)]
struct Rows {
    ids: Vec<u64>,
    numbers: Vec<u64>,
    solutions: Vec<Option<Grid>>,
}

impl Rows {
    fn push(&mut self, id: u64, number: u64, solution: Grid) {
        self.ids.push(id);
        self.numbers.push(number);
        self.solutions.push(Some(solution));
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    /// Encodes the rows behind what `piece` holds, and forgets them.
    fn encode(&mut self, rows: &RowEncoder, piece: &mut Piece) {
        let page = Page {
            schema: &rows.schema,
            columns: vec![
                Column::Numbers(&self.ids),
                Column::Numbers(&self.numbers),
                Column::SomeGrids(&self.solutions),
            ],
            rows: self.len(),
            kept: None,
            of: None,
            layouts: &vec![Layout::Line; self.len()],
            text: (&[], &[]),
            first_number: 1,
        };
        debug_assert_eq!(page.misfit(), None, "a column does not hold what its field says");
        rows.encoder.encode(&page, piece);
        self.ids.clear();
        self.numbers.clear();
        self.solutions.clear();
    }
}

/// The solutions of a record that are still to be listed.
struct Rest {
    id: u64,
    /// Number of the next one.
    number: u64,
    solutions: Solutions,
}

impl Rest {
    /// Adds rows until there are `most` in `rows`, or the flag is raised; says whether that were all of this record. A
    /// solution that the verifier refuses is left out and counted.
    fn list(
        &mut self,
        limit: u64,
        most: usize,
        rows: &mut Rows,
        refused: &mut u64,
        stop: &AtomicBool,
    ) -> bool {
        while rows.len() < most {
            if self.number > limit {
                return true;
            }
            // Once the flag is raised there are no more, though not all were found.
            let Some(solution) = self.solutions.next() else { return !stop.load(Ordering::Relaxed) };
            if let Ok(solution) = solution {
                rows.push(self.id, self.number, solution);
                self.number += 1;
            } else {
                *refused += 1;
            }
        }
        false
    }
}

/// Lists the solutions of the records of a page.
struct EnumerateDigest {
    rows: RowEncoder,
    stop: Arc<AtomicBool>,
}

/// What was listed of a page.
#[derive(Default)]
struct EnumeratePart {
    listed: Vec<Listed>,
    refused: u64,
}

/// Rows, and behind them those of a record that has more than there was room for.
#[derive(Default)]
struct Listed {
    piece: Piece,
    /// Rows in the piece.
    count: u64,
    rest: Option<Rest>,
}

impl Listed {
    /// Moves rows into the piece.
    fn add(&mut self, rows: &mut Rows, encoder: &RowEncoder) {
        self.count += rows.len() as u64;
        rows.encode(encoder, &mut self.piece);
    }
}

impl Digest for EnumerateDigest {
    type Part = EnumeratePart;

    fn digest(&self, page: &Page<'_>, part: &mut EnumeratePart) {
        *part = EnumeratePart::default();
        let (Some(Column::Counting(first_id)), Some(Column::Words(kinds, _)), Some(puzzles), Some(solutions)) = (
            page.column(Role::Id),
            page.column(Role::Kind),
            page.grids(Role::Puzzle),
            page.grids(Role::Solution),
        ) else {
            unreachable!("every page of `Solve` has them");
        };
        let (mut room, mut listed, mut rows) = (MOST_ROWS, Listed::default(), Rows::default());
        for (row, &status) in page.statuses()[..page.rows].iter().enumerate() {
            let (Some(puzzle), Some(solution)) = (puzzles.get(row), solutions.get(row)) else { continue };
            let id = first_id + row as u64;
            if page.schema.statuses[usize::from(status)].name != MULTIPLE {
                rows.push(id, 1, *solution);
            } else {
                let (solutions, share) = if kinds[row] == PuzzleKind::Sudominoku as u8 {
                    // A page has its dominoes in the text alone.
                    let case = input::case(page.text_of(row)).expect("it was read from the same text");
                    (solutions::of_case(case, &self.stop), ROWS_PER_CASE_ROW)
                } else {
                    (solutions::of_sudoku(*puzzle, &self.stop), 1)
                };
                let mut rest = Rest { id, number: 1, solutions };
                let before = rows.len();
                let most = before + room / share;
                let is_done = rest.list(self.rows.limit, most, &mut rows, &mut part.refused, &self.stop);
                room -= (rows.len() - before) * share;
                if !is_done {
                    listed.add(&mut rows, &self.rows);
                    part.listed.push(Listed { rest: Some(rest), ..std::mem::take(&mut listed) });
                }
            }
            if rows.len() >= PAGE {
                listed.add(&mut rows, &self.rows);
            }
        }
        listed.add(&mut rows, &self.rows);
        part.listed.push(listed);
    }
}

/// Writes what was listed, and the rest.
struct Writing<'a> {
    rows: RowEncoder,
    out: &'a mut dyn Output,
    stop: &'a AtomicBool,
    /// `None` once it failed.
    writer: Option<Box<dyn Append>>,
    trouble: Option<io::Error>,
    /// Whether rows of a record are missing, behind which no others may stand.
    cut_off: bool,
    count: u64,
    refused: u64,
}

impl Writing<'_> {
    /// Ends the run: the output takes no more.
    fn fail(&mut self, error: io::Error) {
        self.writer = None;
        self.trouble.get_or_insert(error);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Writes rows, and counts them.
    fn append(&mut self, listed: &mut Listed) {
        let Some(writer) = &mut self.writer else { return };
        match writer.append(&mut listed.piece, self.out) {
            Ok(()) => self.count += listed.count,
            Err(error) => self.fail(error),
        }
    }

    /// Writes the rest of a record, unless the run is to end.
    fn append_rest(&mut self, mut rest: Rest) {
        let (mut listed, mut rows) = (Listed::default(), Rows::default());
        let mut is_done = false;
        while !is_done && !self.stop.load(Ordering::Relaxed) {
            is_done = rest.list(self.rows.limit, PAGE, &mut rows, &mut self.refused, self.stop);
            listed.piece.clear();
            listed.count = 0;
            listed.add(&mut rows, &self.rows);
            self.append(&mut listed);
        }
        self.cut_off |= !is_done;
    }

    /// Makes the file whole.
    fn finish(&mut self) {
        if let Some(mut writer) = self.writer.take()
            && let Err(error) = writer.finish(self.out)
        {
            self.fail(error);
        }
    }
}

impl Collect<EnumeratePart> for Writing<'_> {
    fn take(&mut self, part: &mut EnumeratePart) {
        self.refused += part.refused;
        for mut listed in part.listed.drain(..) {
            if self.cut_off {
                return;
            }
            self.append(&mut listed);
            if let Some(rest) = listed.rest {
                self.append_rest(rest);
            }
        }
    }
}
