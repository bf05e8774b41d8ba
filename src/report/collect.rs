//! Adds up condensed pages, in the order of the rows and in bounded memory.
//!
//! All of this runs on one thread; slower work is done by the threads that condense pages. Lists that an input could
//! make long (sources, reasons, places) have an upper bound; the report says what they leave out.

use std::collections::{BTreeMap, HashMap};

use super::bins::{Axes, axes};
use super::digest::{Categories, ReportPart, UNKNOWN_CLUES};
use super::duplicates::{PuzzleTable, Seen};
use super::measure::{COUNT, GUESSES, MEASURES, TIME};
use super::ranking::{Ranked, Ranking};
use super::reasons::Reasons;
use super::{BadRows, Detail, LONGEST_NAME, ListedPuzzle, shortened};
use crate::input::SourceInfo;
use crate::pipeline::Collect;
use crate::pipeline::distribution::{BucketCount, Distribution};
use crate::record::{Label, PuzzleKind, Schema};
use crate::sudoku::{CELLS, Grid};

/// The most sources with figures of their own; the others are counted together for each file.
const MOST_SOURCES: usize = 256;
/// The most reasons that are counted separately.
const MOST_REASONS: usize = 100;
/// The most rows listed that could not be read.
pub(super) const MOST_BAD_ROWS: usize = 10;
/// The most rows listed that repeat a puzzle.
const MOST_REPEATS: usize = 10;
/// The number of rows whose slots in the table of puzzles are fetched together.
const BATCH: usize = 32;
/// The least bytes of a compressed puzzle: 17 clues and their places have 14 bytes of information.
pub(super) const LEAST_COMPRESSED: u64 = 14;

/// The collector of the figures of a report.
pub struct Collector {
    /// Rows so far.
    pub(super) rows: u64,
    /// The statuses of the jobs of all rows, in the order of each job.
    pub(super) words: Vec<Label>,
    /// The first status of each job.
    pub(super) leading: Vec<Label>,
    /// The statuses of the current file.
    statuses: &'static [Label],
    pub(super) files: Vec<FileSums>,
    pub(super) sources: Vec<SourceSums>,
    /// The indices of the sources by file and name.
    source_numbers: HashMap<(u16, Option<String>), u16>,
    /// The previous source, which is nearly always the next one, too.
    last_source: Option<(String, u16)>,
    /// The sums by number of clues.
    pub(super) clues: Vec<Option<Box<SolverSums>>>,
    pub(super) axes: Axes,
    /// Rows by bins of time and guesses.
    pub(super) joint: Vec<u64>,
    /// Rows by the values of categories.
    pub(super) categories: Categories,
    pub(super) reasons: Reasons,
    /// Whether isomorphic puzzles are one puzzle.
    pub(super) isomorphs: bool,
    /// The puzzles with the highest values of each measure.
    pub(super) listed: [Ranking<ListedPuzzle>; COUNT],
    pub(super) puzzles: PuzzleTable,
    pub(super) repeats: Vec<RepeatedRow>,
    pub(super) bad_rows: BadRows,
}

/// The sums over the rows that reached the solver.
#[derive(Clone, Debug, Default)]
pub(super) struct SolverSums {
    pub rows: u64,
    pub measures: [Distribution; COUNT],
}

/// The sums over any rows.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSums {
    pub rows: u64,
    /// Rows that hold a puzzle.
    pub puzzles: u64,
    /// Rows by status.
    pub statuses: BTreeMap<&'static str, u64>,
    pub solver: SolverSums,
}

/// The sums of one results file.
pub(super) struct FileSums {
    pub name: String,
    /// Rows in each bin of each measure.
    pub bins: [Vec<u64>; COUNT],
}

/// The sums of the records of one input in one results file.
pub(super) struct SourceSums {
    /// Number of the results file.
    pub file: u16,
    /// Name of the input; `None` for all inputs of the file without figures of their own.
    pub name: Option<String>,
    pub sums: RowSums,
}

/// A row whose puzzle occurred before in the same results file.
pub(super) struct RepeatedRow {
    pub source: u16,
    /// Name of the input, which may have no figures of its own.
    pub name: String,
    pub line: u64,
    /// Source in which the puzzle occurred before.
    pub before: u16,
    pub kind: PuzzleKind,
    pub puzzle: Grid,
}

impl SolverSums {
    fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.measures.iter_mut().zip(&other.measures).for_each(|(sums, more)| sums.merge(more));
    }
}

impl RowSums {
    /// Adds other rows.
    pub fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.puzzles += other.puzzles;
        for (&status, count) in &other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.solver.add(&other.solver);
    }
}

impl std::fmt::Debug for Collector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collector").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Collector {
    /// Returns a collector with room for a number of distinct puzzles.
    pub(super) fn new(detail: Detail, puzzles: u64) -> Self {
        let axes = axes();
        Self {
            rows: 0,
            words: Vec::new(),
            leading: Vec::new(),
            statuses: &[],
            files: Vec::new(),
            sources: Vec::new(),
            source_numbers: HashMap::new(),
            last_source: None,
            clues: (0..=CELLS).map(|_| None).collect(),
            joint: vec![0; axes[TIME].len() * axes[GUESSES].len()],
            axes,
            categories: Categories::new(),
            reasons: Reasons::at_most(MOST_REASONS),
            listed: MEASURES.each_ref().map(|_| Ranking::new(detail.top)),
            isomorphs: detail.isomorphs,
            puzzles: PuzzleTable::with_room_for(puzzles),
            repeats: Vec::new(),
            bad_rows: BadRows::default(),
        }
    }

    /// Returns a collector for a run over some inputs; `schema` is that of the job.
    #[must_use]
    pub fn for_run<'a>(
        detail: Detail,
        inputs: impl IntoIterator<Item = &'a SourceInfo>,
        schema: &Schema,
    ) -> Self {
        let most_puzzles = |info: &SourceInfo| {
            info.size.map(|size| size / if info.compressed { LEAST_COMPRESSED } else { CELLS as u64 })
        };
        let puzzles = inputs.into_iter().map(most_puzzles).sum::<Option<u64>>();
        let mut collector = Self::new(detail, puzzles.unwrap_or(u64::MAX));
        collector.start_file("this run", schema.statuses);
        collector
    }

    /// Starts the next results file, to which the following rows belong. A name that occurred before gets a number.
    pub(super) fn start_file(&mut self, name: &str, statuses: &'static [Label]) {
        self.last_source = None;
        let short = shortened(name, LONGEST_NAME);
        let numbered =
            |number: usize| if number == 1 { short.clone() } else { format!("{short} ({number})") };
        let is_new = |name: &String| self.files.iter().all(|file| file.name != *name);
        let name = (1..).map(numbered).find(is_new).expect("the number of files is bounded");
        let bins = self.axes.each_ref().map(|axis| vec![0; axis.len()]);
        self.files.push(FileSums { name, bins });
        self.statuses = statuses;
        add_new(&mut self.words, statuses);
        add_new(&mut self.leading, statuses.get(..1).unwrap_or_default());
    }

    /// Adds rows that could not be read, with the lines and reasons of the first of them.
    pub(super) fn add_bad_rows(&mut self, count: u64, first: impl Iterator<Item = (u64, String)>) {
        let name = &self.files.last().expect("a file was started").name;
        let BadRows { count: all, first: listed } = &mut self.bad_rows;
        *all += count;
        let room = MOST_BAD_ROWS - listed.len();
        listed.extend(first.take(room).map(|(line, reason)| format!("{name}:{line}: {reason}")));
    }

    /// Returns the number of the current file.
    fn file(&self) -> u16 {
        u16::try_from(self.files.len() - 1).expect("the number of files is bounded")
    }

    fn source_number(&mut self, file: u16, name: &str) -> u16 {
        if let Some((last, number)) = &self.last_source
            && last == name
        {
            return *number;
        }
        let mut key = (file, Some(name.to_owned()));
        let sources = &mut self.sources;
        if sources.len() >= MOST_SOURCES && !self.source_numbers.contains_key(&key) {
            key.1 = None;
        }
        let number = *self.source_numbers.entry(key).or_insert_with_key(|(_, name)| {
            sources.push(SourceSums { file, name: name.clone(), sums: RowSums::default() });
            u16::try_from(sources.len() - 1).expect("the number of sources is bounded")
        });
        self.last_source = Some((name.to_owned(), number));
        number
    }

    /// Adds the runs of a page, and returns the index of the source of each.
    fn add_runs(&mut self, part: &ReportPart, file: u16) -> Vec<u16> {
        let mut statuses = part.statuses.chunks(self.statuses.len().max(1));
        let mut sources = Vec::with_capacity(part.runs.len());
        for run in &part.runs {
            let source = self.source_number(file, &run.name);
            sources.push(source);
            let sums = &mut self.sources[usize::from(source)].sums;
            sums.rows += run.rows.len() as u64;
            sums.puzzles += run.puzzles;
            for (word, &count) in self.statuses.iter().zip(statuses.next().unwrap_or_default()) {
                *sums.statuses.entry(word.name).or_default() += u64::from(count);
            }
            for class in &part.classes[run.classes.clone()] {
                let add = |sums: &mut SolverSums| {
                    sums.rows += class.rows;
                    for (of, sums) in sums.measures.iter_mut().enumerate() {
                        sums.add_buckets(&part.buckets[class.buckets[of].clone()], &class.totals[of]);
                    }
                };
                add(&mut sums.solver);
                if class.clues != UNKNOWN_CLUES {
                    add(self.clues[class.clues].get_or_insert_default());
                }
            }
        }
        sources
    }

    fn add_bins(&mut self, part: &ReportPart, file: u16) {
        let add = |sums: &mut [u64], counts: &[BucketCount]| {
            counts.iter().for_each(|&(bin, count)| sums[usize::from(bin)] += u64::from(count));
        };
        self.files[usize::from(file)].bins.iter_mut().zip(&part.bins).for_each(|(bins, of)| add(bins, of));
        add(&mut self.joint, &part.joint);
    }

    /// Looks up the puzzles of a page; `sources` are those of its runs.
    fn add_puzzles(&mut self, part: &ReportPart, file: u16, sources: &[u16]) {
        let puzzles = &part.puzzles;
        let mut runs = part.runs.iter().zip(sources);
        let mut run = runs.next();
        for start in (0..puzzles.given.len()).step_by(BATCH) {
            let batch = start..puzzles.given.len().min(start + BATCH);
            self.puzzles.fetch(puzzles.hashes[batch.clone()].iter().copied());
            for row in batch {
                while run.is_some_and(|(run, _)| run.rows.end <= row) {
                    run = runs.next();
                }
                let Some((from, &source)) = run.filter(|_| puzzles.given[row]) else { continue };
                let Seen::Before(groups) = self.puzzles.add(puzzles.hashes[row], source) else { continue };
                let is_of_file = |&&group: &&u16| self.sources[usize::from(group)].file == file;
                if self.repeats.len() < MOST_REPEATS
                    && let Some(&before) = groups.iter().find(is_of_file)
                {
                    self.repeats.push(RepeatedRow {
                        source,
                        name: from.name.clone(),
                        line: puzzles.lines[row],
                        before,
                        kind: puzzles.kind(row),
                        puzzle: puzzles.grids[row],
                    });
                }
            }
        }
    }
}

impl Collect<ReportPart> for Collector {
    fn take(&mut self, part: &mut ReportPart) {
        let file = self.file();
        self.rows += part.rows;
        let sources = self.add_runs(part, file);
        self.add_bins(part, file);
        self.add_puzzles(part, file, &sources);
        for (whole, of_page) in self.listed.iter_mut().zip(&mut part.listed) {
            for Ranked { rank, hash, what } in of_page.drain(..) {
                let name = self.files[usize::from(file)].name.clone();
                whole.offer(rank, hash, ListedPuzzle { file: Some(name), ..what });
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

/// Adds the words of `more` that are missing in `words`.
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
    use std::time::SystemTime;

    use super::super::results::testing::condensed;
    use super::*;
    use crate::jobs::solve::STATUSES;
    use crate::provenance::Provenance;
    use crate::report::Report;
    use crate::report::assemble::assemble;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// A published solution (Project Euler 96, grid 01).
    const SOLUTION: &str =
        "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

    /// Returns the 81 characters of the puzzle whose clues are at the bits of a number.
    fn puzzle(number: u64) -> String {
        let is_given = |&(cell, _): &(usize, char)| cell < 64 && number >> cell & 1 == 1;
        SOLUTION.char_indices().map(|cell| if is_given(&cell) { cell.1 } else { '.' }).collect()
    }

    #[derive(Clone)]
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
    const DETAIL: Detail = Detail { top: TOP, isomorphs: false };

    /// Adds a page of rows.
    fn add(collector: &mut Collector, page: &[ResultRow<'_>]) {
        let mut text = "source,line,status,clues,guesses,time_ns,puzzle,solution,error\n".to_owned();
        for row in page {
            let ResultRow { source, line, status, guesses, time_ns, .. } = row;
            let (clues, puzzle) = (row.puzzle.count_ones(), puzzle(row.puzzle));
            let solution = if ["unsolvable", "invalid"].contains(status) { "" } else { SOLUTION };
            let error = row.error;
            text += &format!(
                "{source},{line},{status},{clues},{guesses},{time_ns},{puzzle},{solution},\"{error}\"\n"
            );
        }
        let mut part = condensed(&text, DETAIL).report;
        assert_eq!(part.rows, page.len() as u64);
        collector.take(&mut part);
    }

    fn collector() -> Collector {
        let mut collector = Collector::new(DETAIL, 100);
        collector.start_file("r.csv", STATUSES);
        collector
    }

    fn report(collector: &Collector) -> Report {
        assemble(collector, Vec::new(), Provenance::of_this_process(SystemTime::UNIX_EPOCH))
    }

    #[test]
    fn places_of_reasons_are_those_of_the_fault_or_else_of_the_row() {
        let mut collector = collector();
        for (line, error) in (1..).zip([
            "line 1; column 7: why",
            "line 2 column 1: 80 cells (expected 81)",
            "80 cells (expected 81)",
        ]) {
            add(&mut collector, &[ResultRow { line, error, status: "invalid", ..ROW }]);
        }
        add(&mut collector, &[ResultRow { error: "why", ..ROW }]);
        let reasons: Vec<_> = report(&collector)
            .reasons
            .into_iter()
            .map(|reason| (reason.status, reason.reason.unwrap(), reason.places.join(" ")))
            .collect();
        let expected = [
            ("invalid", "line N; column N: why", "a:1"),
            ("invalid", "line N column N: N cells (expected 81)", "a:2"),
            ("invalid", "N cells (expected 81)", "a:3"),
            ("unique", "why", "a:1"),
        ];
        assert_eq!(
            reasons,
            expected.map(|(status, reason, place)| (status, reason.to_owned(), place.to_owned()))
        );
    }

    #[test]
    fn all_drawn_classes_have_a_colour() {
        let mut collector = collector();
        let hard = ResultRow { line: 2, guesses: 70, time_ns: 5000, puzzle: 3, ..ROW };
        add(&mut collector, &[ROW, hard.clone(), ResultRow { status: "invalid", ..ROW }]);
        collector.start_file("other.csv", STATUSES);
        add(&mut collector, &[hard]);
        let page = report(&collector).html();
        let (style, body) = page.split_once("</style>").unwrap();
        let classes = body.split("class=\"").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]);
        let inks: BTreeSet<_> =
            classes.filter(|class| class.starts_with("f-") || class.starts_with("s-")).collect();
        for ink in &inks {
            let is_there = |end: &str| style.contains(&format!(".{ink}{end}"));
            assert!(is_there(" {") || is_there(","), "{ink}");
        }
        for ink in
            ["f-bar", "f-zero", "f-area", "f-heat", "f-box", "s-line", "s-mark", "s-curve0", "s-curve1"]
        {
            assert!(inks.contains(ink), "{ink} of {inks:?}");
        }
    }

    /// Compares every sum with one made row by row, for pages of any size.
    #[test]
    fn figures_are_those_of_counting_row_by_row() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut below = |bound: u64| rng.next_u64() % bound;
        let rows: Vec<_> = (0..500)
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
        let searched: Vec<_> = rows.iter().filter(|row| row.status != "invalid").collect();
        let reports = [1, 13, 500].map(|page| {
            let mut collector = collector();
            rows.chunks(page).for_each(|page| add(&mut collector, page));
            report(&collector)
        });
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0], reports[2]);
        let report = &reports[0];
        let total = &report.total;
        assert_eq!((total.rows, total.puzzles, total.solved), (500, 500, searched.len() as u64));
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
        assert_eq!((total.solver_ns, total.spread("time_ns").unwrap().mean), (Some(time), mean(time)));
        assert_eq!(total.spread("guesses").unwrap().mean, mean(guesses));
        assert_eq!(
            total.spread("guesses").unwrap().max,
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
        // Each puzzle once, the earliest first among equals.
        for of in [GUESSES, TIME] {
            let mut highest: Vec<_> = searched.iter().filter(|row| of == TIME || row.guesses > 0).collect();
            highest.sort_by_key(|row| Reverse(if of == TIME { row.time_ns } else { row.guesses }));
            let mut seen = BTreeSet::new();
            highest.retain(|row| seen.insert(row.puzzle));
            let lines = report.listed[of].iter().map(|puzzle| puzzle.line);
            assert!(lines.eq(highest[..TOP].iter().map(|row| row.line)), "{:?}", report.listed[of]);
        }
        for bin in &report.time_by_guesses {
            let is_in = |row: &&&ResultRow<'_>| {
                (bin.time_ns.0..bin.time_ns.1).contains(&row.time_ns)
                    && (bin.guesses.0..bin.guesses.1).contains(&row.guesses)
            };
            assert_eq!(bin.rows, searched.iter().filter(is_in).count() as u64, "{bin:?}");
        }
        assert_eq!(report.time_by_guesses.iter().map(|bin| bin.rows).sum::<u64>(), searched.len() as u64);
    }
}
