//! Adds up condensed pages, in row order and in bounded memory.
//!
//! All of this runs on one thread; the slower work is done by the threads that condense the pages. Lists that could
//! grow with the input (sources, reasons, places) are limited; the report says what they omit.

use std::collections::{BTreeMap, HashMap};

use super::digest::{Categories, ReportPart, UNKNOWN_CLUES};
use super::duplicates::{MOST_GROUPS, PuzzleTable};
use super::measure::{COUNT, MEASURES};
use super::ranking::{Ranked, Ranking};
use super::reasons::Reasons;
use super::{BadRows, Detail, LONGEST_NAME, ListedPuzzle, shortened};
use crate::pipeline::Collect;
use crate::pipeline::distribution::Distribution;
use crate::record::{Label, Schema};

/// The largest number of sources with their own figures; for each file, the remaining sources are combined into one.
const MOST_SOURCES: usize = 256;
/// The largest number of results files; there is a limit because each file has its own histograms. Each file can add
/// one source that combines the sources without their own figures.
pub(super) const MOST_FILES: usize = MOST_GROUPS - MOST_SOURCES;
/// The largest number of reasons that are counted separately.
const MOST_REASONS: usize = 100;
/// The largest number of unreadable rows that are listed.
pub(super) const MOST_BAD_ROWS: usize = 10;
/// The number of rows whose slots in the puzzle table are fetched together.
const BATCH: usize = 32;

/// A collector of report figures.
pub struct Collector {
    /// Number of rows so far.
    pub(super) rows: u64,
    /// The statuses of all jobs that produced the rows, in each job's order.
    pub(super) words: Vec<Label>,
    /// The first status of each job.
    pub(super) leading: Vec<Label>,
    /// The statuses of the current file.
    statuses: &'static [Label],
    /// The names of the results files.
    pub(super) files: Vec<String>,
    pub(super) sources: Vec<SourceSums>,
    /// The index of each source, by file and name.
    source_numbers: HashMap<(u16, Option<String>), u16>,
    /// The sums for each number of clues.
    pub(super) clues: BTreeMap<usize, SolverSums>,
    /// The sums for each value of each category column.
    pub(super) categories: Categories,
    pub(super) reasons: Reasons,
    /// Whether isomorphic puzzles count as one.
    pub(super) isomorphs: bool,
    /// The puzzles with the highest values of each measure.
    pub(super) listed: [Ranking<ListedPuzzle>; COUNT],
    pub(super) puzzles: PuzzleTable,
    pub(super) bad_rows: BadRows,
    /// Errors that affect whole files.
    pub(super) problems: Vec<String>,
    /// Warnings that are not about the results.
    pub(super) notes: Vec<String>,
}

/// Sums over the rows that reached the solver.
#[derive(Clone, Debug, Default)]
pub(super) struct SolverSums {
    pub rows: u64,
    pub measures: [Distribution; COUNT],
}

/// Sums over a set of rows, whether or not they reached the solver.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSums {
    pub rows: u64,
    /// Number of rows that hold a puzzle.
    pub puzzles: u64,
    /// Number of rows with each status.
    pub statuses: BTreeMap<&'static str, u64>,
    pub solver: SolverSums,
}

/// The sums for the records of one input in one results file.
pub(super) struct SourceSums {
    /// Index of the results file.
    pub file: u16,
    /// Name of the input; `None` stands for all inputs in the file that have no figures of their own.
    pub name: Option<String>,
    pub sums: RowSums,
}

impl SolverSums {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.measures.iter_mut().zip(&other.measures).for_each(|(sums, more)| sums.merge(more));
    }
}

impl RowSums {
    /// Adds the sums of other rows.
    pub fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.puzzles += other.puzzles;
        for (&status, count) in &other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.solver.add(&other.solver);
    }
}

impl Collector {
    /// Returns an empty collector.
    pub(super) fn new(detail: Detail) -> Self {
        Self {
            rows: 0,
            words: Vec::new(),
            leading: Vec::new(),
            statuses: &[],
            files: Vec::new(),
            sources: Vec::new(),
            source_numbers: HashMap::new(),
            clues: BTreeMap::new(),
            categories: Categories::new(),
            reasons: Reasons::at_most(MOST_REASONS),
            listed: MEASURES.each_ref().map(|_| Ranking::new(detail.top)),
            isomorphs: detail.isomorphs,
            puzzles: PuzzleTable::new(),
            bad_rows: BadRows::default(),
            problems: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns a collector for a run; `schema` is the job's schema.
    #[must_use]
    pub fn for_run(schema: &Schema) -> Self {
        let mut collector = Self::new(Detail::default());
        collector.start_file("this run", schema.statuses);
        collector
    }

    /// Starts the next results file, to which the rows that follow belong. A duplicate name gets a numeric suffix.
    pub(super) fn start_file(&mut self, name: &str, statuses: &'static [Label]) {
        let short = shortened(name, LONGEST_NAME);
        let numbered =
            |number: usize| if number == 1 { short.clone() } else { format!("{short} ({number})") };
        let is_new = |name: &String| !self.files.contains(name);
        let name = (1..).map(numbered).find(is_new).expect("the number of files is bounded");
        self.files.push(name);
        self.statuses = statuses;
        add_new(&mut self.words, statuses);
        add_new(&mut self.leading, statuses.get(..1).unwrap_or_default());
    }

    /// Adds unreadable rows, with the line and reason for each of the first few.
    pub(super) fn add_bad_rows(&mut self, count: u64, first: impl Iterator<Item = (u64, String)>) {
        let name = self.files.last().expect("a file was started");
        let BadRows { count: all, first: listed } = &mut self.bad_rows;
        *all += count;
        let room = MOST_BAD_ROWS - listed.len();
        listed.extend(first.take(room).map(|(line, reason)| format!("{name}:{line}: {reason}")));
    }

    /// Returns the index of a source in the current file.
    fn source_number(&mut self, name: &str) -> u16 {
        let file = u16::try_from(self.files.len() - 1).expect("the number of files is bounded");
        let mut key = (file, Some(name.to_owned()));
        let sources = &mut self.sources;
        if sources.len() >= MOST_SOURCES && !self.source_numbers.contains_key(&key) {
            key.1 = None;
        }
        *self.source_numbers.entry(key).or_insert_with_key(|(_, name)| {
            sources.push(SourceSums { file, name: name.clone(), sums: RowSums::default() });
            u16::try_from(sources.len() - 1).expect("the number of sources is bounded")
        })
    }

    /// Adds the runs on a page.
    fn add_runs(&mut self, part: &ReportPart) {
        for run in &part.runs {
            let source = self.source_number(&run.name);
            let sums = &mut self.sources[usize::from(source)].sums;
            sums.rows += run.rows.len() as u64;
            for hashes in part.hashes[run.rows.clone()].chunks(BATCH) {
                let hashes = hashes.iter().copied().flatten();
                self.puzzles.fetch(hashes.clone());
                sums.puzzles += hashes.clone().count() as u64;
                hashes.for_each(|hash| self.puzzles.add(hash, source));
            }
            for (word, &count) in self.statuses.iter().zip(&run.statuses) {
                *sums.statuses.entry(word.name).or_default() += u64::from(count);
            }
            for class in &run.classes {
                let add = |sums: &mut SolverSums| {
                    sums.rows += class.rows;
                    sums.measures
                        .iter_mut()
                        .zip(&class.measures)
                        .for_each(|(sums, page)| sums.add_page(page));
                };
                add(&mut sums.solver);
                if class.clues != UNKNOWN_CLUES {
                    add(self.clues.entry(class.clues).or_default());
                }
            }
        }
    }
}

impl Collect<ReportPart> for Collector {
    fn take(&mut self, part: &mut ReportPart) {
        self.rows += part.hashes.len() as u64;
        self.add_runs(part);
        let file = self.files.last();
        for (whole, of_page) in self.listed.iter_mut().zip(&mut part.listed) {
            for Ranked { rank, hash, what } in of_page.drain(..) {
                whole.offer(rank, hash, ListedPuzzle { file: file.cloned(), ..what });
            }
        }
        for (column, counted) in std::mem::take(&mut part.categories) {
            let all = self.categories.entry(column).or_default();
            for (value, more) in counted {
                let sums = all.entry(value).or_default();
                sums.rows += more.rows;
                sums.clues += more.clues;
                sums.guesses += more.guesses;
            }
        }
        part.reasons.drain().for_each(|rows| self.reasons.add_rows(rows));
    }
}

/// Adds the words from `more` that are not yet in `words`.
fn add_new(words: &mut Vec<Label>, more: &[Label]) {
    for word in more {
        if words.iter().all(|known| known.name != word.name) {
            words.push(*word);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeSet;

    use super::super::measure::{GUESSES, TIME};
    use super::super::recall::testing::report;
    use super::*;
    use crate::jobs::solve::STATUSES;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A published solution (Project Euler 96, grid 01).
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Returns the 81 characters of the puzzle whose clues are given by the bits of a number.
    fn puzzle(number: u64) -> String {
        let is_given = |&(cell, _): &(usize, char)| cell < 64 && number >> cell & 1 == 1;
        SOLUTION.char_indices().map(|cell| if is_given(&cell) { cell.1 } else { '.' }).collect()
    }

    struct ResultRow<'a> {
        source: &'a str,
        line: u64,
        status: &'a str,
        guesses: u64,
        time_ns: u64,
        puzzle: u64,
        error: &'a str,
    }

    const ROW: ResultRow<'static> =
        ResultRow { source: "a", line: 1, status: "unique", guesses: 0, time_ns: 100, puzzle: 1, error: "" };

    const TOP: usize = 3;
    const PAGE: usize = 1 << 20;

    /// Returns rows as a results table.
    fn text(rows: &[ResultRow<'_>]) -> String {
        let row = |row: &ResultRow<'_>| {
            let ResultRow { source, line, status, guesses, time_ns, puzzle: number, error } = row;
            let (clues, puzzle) = (number.count_ones(), puzzle(*number));
            let solution = if ["unsolvable", "invalid"].contains(status) { "" } else { SOLUTION };
            format!("{source},{line},{status},{clues},{guesses},{time_ns},{puzzle},{solution},\"{error}\"\n")
        };
        let rows: String = rows.iter().map(row).collect();
        format!("source,line,status,clues,guesses,time_ns,puzzle,solution,error\n{rows}")
    }

    #[test]
    fn all_drawn_classes_have_a_colour() {
        let hard = ResultRow { line: 2, guesses: 70, time_ns: 5000, puzzle: 3, ..ROW };
        let rows = [ROW, hard, ResultRow { status: "invalid", ..ROW }];
        let page = report(&text(&rows), TOP, PAGE).html();
        let (style, body) = page.split_once("</style>").unwrap();
        let classes = body.split("class=\"").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]);
        let inks: BTreeSet<_> =
            classes.filter(|class| class.starts_with("f-") || class.starts_with("s-")).collect();
        for ink in &inks {
            let is_there = |end: &str| style.contains(&format!(".{ink}{end}"));
            assert!(is_there(" {") || is_there(","), "{ink}");
        }
        for ink in ["f-bar", "f-zero", "f-area", "s-line", "s-mark"] {
            assert!(inks.contains(ink), "{ink} of {inks:?}");
        }
    }

    /// Compares every sum with one computed row by row, for several page sizes.
    #[test]
    fn figures_are_those_of_counting_row_by_row() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut below = |bound: u64| rng.next_u64() % bound;
        let mut rows: Vec<_> = (0..500)
            .map(|line| ResultRow {
                source: ["a", "b", "c"][below(3) as usize],
                line,
                status: ["unique", "multiple", "unsolvable", "invalid"][below(4) as usize],
                guesses: below(10) * below(30),
                time_ns: 1 << below(30),
                puzzle: 1 + below(400),
                ..ROW
            })
            .collect();
        let mut invalid = 0;
        for row in rows.iter_mut().filter(|row| row.status == "invalid") {
            (row.error, invalid) = ("why", invalid + 1);
        }
        let searched: Vec<_> = rows.iter().filter(|row| row.status != "invalid").collect();
        let text = text(&rows) + "a,1\n";
        let reports = [1, 3000, PAGE].map(|bytes| report(&text, TOP, bytes));
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0], reports[2]);
        let report = &reports[0];
        let total = &report.total;
        assert_eq!((total.rows, total.puzzles, total.solved), (500, 500, searched.len() as u64));
        assert_eq!((report.reasons.len(), report.reasons[0].rows, report.bad_rows.count), (1, invalid, 1));
        for status in STATUSES {
            let count = rows.iter().filter(|row| row.status == status.name).count() as u64;
            assert_eq!(total.statuses[status.name], count, "{}", status.name);
        }
        let distinct: BTreeSet<_> = rows.iter().map(|row| row.puzzle).collect();
        assert_eq!(
            (total.distinct_puzzles, total.repeated_rows),
            (distinct.len() as u64, 500 - distinct.len() as u64)
        );
        let time: u64 = searched.iter().map(|row| row.time_ns).sum();
        let guesses: u64 = searched.iter().map(|row| row.guesses).sum();
        let mean = |sum: u64| sum as f64 / searched.len() as f64;
        assert_eq!((total.solver_ns, total.spreads[TIME].unwrap().mean), (Some(time), mean(time)));
        assert_eq!(total.spreads[GUESSES].unwrap().mean, mean(guesses));
        assert_eq!(
            total.spreads[GUESSES].unwrap().max,
            searched.iter().map(|row| row.guesses).max().unwrap()
        );
        let without = searched.iter().filter(|row| row.guesses == 0).count() as u64;
        assert_eq!(total.without_guess, without);
        for source in &report.sources {
            let of = |row: &&&ResultRow<'_>| Some(row.source) == source.name.as_deref();
            assert_eq!(source.solved, searched.iter().filter(of).count() as u64);
            assert_eq!(source.solver_ns, Some(searched.iter().filter(of).map(|row| row.time_ns).sum()));
        }
        let mut clues: BTreeMap<usize, u64> = BTreeMap::new();
        for row in &searched {
            *clues.entry(row.puzzle.count_ones() as usize).or_default() += 1;
        }
        assert_eq!(
            report.clues.iter().map(|clues| (clues.clues, clues.rows)).collect::<BTreeMap<_, _>>(),
            clues
        );
        for bin in &report.bins[TIME] {
            let count = searched.iter().filter(|row| (bin.from..bin.to).contains(&row.time_ns)).count();
            assert_eq!(bin.rows, count as u64, "{bin:?}");
        }
        for bin in &report.bins[GUESSES] {
            let count = searched.iter().filter(|row| (bin.from..bin.to).contains(&row.guesses)).count();
            assert_eq!(bin.rows, count as u64, "{bin:?}");
        }
        // Each puzzle is listed once; if values are equal, the earliest row comes first.
        for of in [GUESSES, TIME] {
            let mut highest: Vec<_> = searched.iter().filter(|row| of == TIME || row.guesses > 0).collect();
            highest.sort_by_key(|row| Reverse(if of == TIME { row.time_ns } else { row.guesses }));
            let mut seen = BTreeSet::new();
            highest.retain(|row| seen.insert(row.puzzle));
            let lines = report.listed[of].iter().map(|puzzle| puzzle.line);
            assert!(lines.eq(highest[..TOP].iter().map(|row| row.line)), "{:?}", report.listed[of]);
        }
    }
}
