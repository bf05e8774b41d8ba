//! Finding redundant clues.
//!
//! One search shows whether a clue is redundant: is there a solution that does not have this digit in this cell? The
//! lanes answer this question for many puzzles side by side ([`BatchSolver::solve_without`]). A clue that is needed is
//! still needed after others are removed. So one walk through the clues leads to a minimal puzzle, and only the order
//! determines which one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rand_core::Rng;

use crate::solver::{Answers, Backend, BatchSolver, Limits, Verdict, Wanted};
use crate::sudoku::random::shuffle;
use crate::sudoku::{CELLS, CellSet, Grid};

/// The number of clues that are removed in one step at the start of a walk from a full grid. With a larger step, there
/// would rarely be only one solution.
const FIRST_STEP: usize = 31;

/// A puzzle from which groups of clues are removed as long as it has only one solution.
#[derive(Clone)]
pub(super) struct Descent {
    pub puzzle: Grid,
    pub solution: Grid,
    /// The clues to try to remove, in order, and the places where a group ends.
    order: [u8; CELLS],
    ends: u128,
    len: usize,
    /// The index of the next clue.
    at: usize,
    /// The puzzle before the current group was removed.
    before: Grid,
    /// The number of clues at which removal stops.
    least: u32,
}

impl Descent {
    /// Starts from a puzzle with this solution; the cells of a group are removed together or not at all.
    pub(super) fn new(puzzle: Grid, solution: Grid, groups: &[CellSet], least: u32) -> Self {
        let (mut order, mut ends, mut len) = ([0; CELLS], 0, 0);
        let clues = puzzle.clue_cells();
        for group in groups.iter().map(|&group| group & clues).filter(|group| !group.is_empty()) {
            for cell in group.iter() {
                order[len] = cell as u8;
                len += 1;
            }
            ends |= 1 << (len - 1);
        }
        Self { puzzle, solution, order, ends, len, at: 0, before: puzzle, least }
    }

    fn is_at_end(&self) -> bool {
        self.at == self.len || self.before.clues() <= self.least
    }

    /// Returns a full grid without its first clues, and how many were removed; returns `None` if the puzzle is not a
    /// full grid.
    fn first_step(&self) -> Option<(Grid, usize)> {
        let clues = Some(self.puzzle.clues()).filter(|&clues| clues == CELLS as u32)?;
        let most = FIRST_STEP.min(clues.saturating_sub(self.least) as usize);
        let step = (0..most.min(self.len)).rev().find(|&last| self.ends >> last & 1 != 0)? + 1;
        let mut puzzle = self.puzzle;
        self.order[..step].iter().for_each(|&cell| puzzle.set(usize::from(cell), 0));
        Some((puzzle, step))
    }

    /// Returns the next cell to try, and its digit.
    fn next(&self) -> (u8, u8) {
        let cell = self.order[self.at];
        (cell, self.solution.get(usize::from(cell)))
    }

    /// Continues the walk, given whether the clue that was tried is redundant.
    fn advance(&mut self, is_redundant: bool) {
        if is_redundant {
            self.puzzle.set(usize::from(self.order[self.at]), 0);
        } else {
            self.puzzle = self.before;
            self.at += (self.ends >> self.at).trailing_zeros() as usize;
        }
        if self.ends >> self.at & 1 != 0 {
            self.before = self.puzzle;
        }
        self.at += 1;
    }
}

/// A completed walk to a minimal puzzle.
struct Walk {
    solution: Grid,
    /// The clues at the start and after each removal.
    clues: Vec<CellSet>,
    /// The groups that stay to the end.
    kept: Vec<CellSet>,
}

impl Walk {
    fn of(Descent { puzzle, solution, order, ends, len, .. }: &Descent) -> Self {
        // The last group is empty and marks the end.
        let groups = (0..*len).fold(vec![CellSet::EMPTY], |mut groups, at| {
            *groups.last_mut().expect("there is one") |= CellSet::of(usize::from(order[at]));
            groups.extend((ends >> at & 1 != 0).then_some(CellSet::EMPTY));
            groups
        });
        let left = puzzle.clue_cells();
        let (kept, removed): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.meets(left));
        let mut clues: Vec<CellSet> = removed
            .iter()
            .rev()
            .scan(left, |clues, &group| {
                *clues |= group;
                Some(*clues)
            })
            .collect();
        clues.reverse();
        Self { solution: *solution, clues, kept }
    }
}

/// A finder of redundant clues, with the working memory for one thread.
///
/// ```
/// use batchdoku::generate::{AllMinimal, Reducer};
/// use batchdoku::solver::Backend;
/// use batchdoku::sudoku::CellSet;
/// use rand_core::SeedableRng;
/// use rand_xoshiro::Xoshiro256PlusPlus;
///
/// let puzzle = "53467.9126..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let mut reducer = Reducer::new(Backend::best());
/// let mut puzzles = [puzzle];
/// let solutions = reducer.solutions(&puzzles);
/// assert!(reducer.redundant(&puzzles, &solutions)[0].is_some_and(|cells| !cells.is_empty()));
/// assert!(AllMinimal::new(&puzzle, &solutions[0].unwrap()).next(&mut reducer).is_some());
/// reducer.minimize(&mut puzzles, &solutions, |_| Xoshiro256PlusPlus::seed_from_u64(1));
/// assert_eq!(reducer.redundant(&puzzles, &solutions), [Some(CellSet::EMPTY)]);
/// # Ok::<(), batchdoku::sudoku::ParseGridError>(())
/// ```
pub struct Reducer {
    solver: Box<dyn BatchSolver>,
    answers: Answers,
    /// The questions that have not been answered yet: puzzles, each with a cell and a digit that the cell must not
    /// hold.
    puzzles: Vec<Grid>,
    without: Vec<(u8, u8)>,
}

impl Reducer {
    /// Makes a reducer that uses this backend for its searches. The results do not depend on the backend.
    #[must_use]
    pub fn new(backend: Backend) -> Self {
        Self {
            solver: backend.solver(),
            answers: Answers::default(),
            puzzles: Vec::new(),
            without: Vec::new(),
        }
    }

    /// Sets a flag: once it is raised, searches end, and results are invalid.
    pub fn stop_on(&mut self, flag: Arc<AtomicBool>) {
        self.solver.stop_on(flag);
    }

    /// Looks for up to two solutions of each puzzle.
    fn search(&mut self, puzzles: &[Grid], wanted: Wanted) -> &Answers {
        self.answers.clear();
        self.solver.solve(puzzles, &Limits::default().with_wanted(wanted), &mut self.answers);
        &self.answers
    }

    /// Returns the smallest solution of each puzzle, which is the same for every backend; `None` if a puzzle has none.
    pub(super) fn smallest_solutions(&mut self, puzzles: &[Grid]) -> Vec<Option<Grid>> {
        self.search(puzzles, Wanted::Smallest).solutions().to_vec()
    }

    /// Returns the only solution of each puzzle; `None` if a puzzle has no solution or several.
    pub fn solutions(&mut self, puzzles: &[Grid]) -> Vec<Option<Grid>> {
        let outcomes = self.search(puzzles, Wanted::Any).iter();
        outcomes.map(|outcome| outcome.solution.filter(|_| outcome.verdict == Verdict::Unique)).collect()
    }

    /// Returns the redundant clues of each puzzle, given its only solution; each of them can be removed if all the
    /// others stay. Returns `None` for puzzles whose solution is `None`. If the set is empty, the puzzle is minimal.
    pub fn redundant(&mut self, puzzles: &[Grid], solutions: &[Option<Grid>]) -> Vec<Option<CellSet>> {
        let mut found = Vec::with_capacity(puzzles.len());
        for (puzzles, solutions) in puzzles.chunks(PUZZLES_AT_ONCE).zip(solutions.chunks(PUZZLES_AT_ONCE)) {
            let solved = || puzzles.iter().zip(solutions).map(|(puzzle, solution)| solution.map(|_| puzzle));
            solved().flatten().for_each(|puzzle| self.ask_each(puzzle, puzzle.clue_cells()));
            let mut answers = self.answer().iter();
            found.extend(solved().map(|puzzle| Some(take_redundant(puzzle?.clue_cells(), &mut answers))));
        }
        found
    }

    /// Removes redundant clues from each puzzle until it is minimal, in an order drawn from the random generator for
    /// its index. Puzzles whose solution is `None` stay as they are.
    pub fn minimize<R: Rng>(
        &mut self,
        puzzles: &mut [Grid],
        solutions: &[Option<Grid>],
        rng_of: impl Fn(usize) -> R,
    ) {
        let (mut rows, mut descents) = (Vec::new(), Vec::new());
        for (row, (puzzle, solution)) in puzzles.iter().zip(solutions).enumerate() {
            if let Some(solution) = *solution {
                let mut cells: [CellSet; CELLS] = std::array::from_fn(CellSet::of);
                shuffle(&mut cells, &mut rng_of(row));
                rows.push(row);
                descents.push(Descent::new(*puzzle, solution, &cells, 0));
            }
        }
        self.descend(descents.iter_mut());
        for (row, descent) in rows.into_iter().zip(descents) {
            puzzles[row] = descent.puzzle;
        }
    }

    /// Returns which of the `asked` clues are redundant.
    fn redundant_of(&mut self, solution: &Grid, clues: CellSet, asked: CellSet) -> CellSet {
        self.ask_each(&solution.keep(clues), asked);
        take_redundant(asked, &mut self.answer().iter())
    }

    /// Continues all descents to their ends.
    pub(super) fn descend<'a>(&mut self, descents: impl Iterator<Item = &'a mut Descent>) {
        let mut descents: Vec<_> = descents.collect();
        self.take_first_step(&mut descents);
        let mut active: Vec<usize> = (0..descents.len()).filter(|&i| !descents[i].is_at_end()).collect();
        while !active.is_empty() {
            for &i in &active {
                let (cell, digit) = descents[i].next();
                self.ask(&descents[i].puzzle, cell, digit);
            }
            for (&i, &verdict) in active.iter().zip(self.answer()) {
                descents[i].advance(verdict == Verdict::Unsolvable);
            }
            active.retain(|&i| !descents[i].is_at_end());
        }
    }

    /// For each of these walks, returns an unbiased estimate of the number of minimal puzzles. A walk removes `m`
    /// groups, in any order. After `k` removals, the next group is drawn from the `m - k` yet to be removed and those
    /// that are redundant but will stay. The product of the numbers of choices is the reciprocal of the walk's
    /// probability, and `m!` walks lead to the same puzzle.
    pub(super) fn weights<'a>(&mut self, descents: impl Iterator<Item = &'a Descent>) -> Vec<f64> {
        let walks: Vec<_> = descents.map(Walk::of).collect();
        // For each group that stays, bounds on the number of removals after which it is needed. After all removals, it
        // is.
        let mut bounds: Vec<_> = (0..walks.len())
            .flat_map(|i| walks[i].kept.iter().map(move |&group| (i, group)))
            .map(|(i, group)| (i, group, (0, walks[i].clues.len() - 1)))
            .collect();
        let is_open = |(_, _, (first, last)): &(usize, CellSet, (usize, usize))| first < last;
        while bounds.iter().any(is_open) {
            let puzzles = bounds.iter().filter(|&bound| is_open(bound)).map(|(i, group, (first, last))| {
                let clues = walks[*i].clues[usize::midpoint(*first, *last)];
                walks[*i].solution.keep(clues & !*group)
            });
            let solutions = self.solutions(&puzzles.collect::<Vec<_>>());
            let open = bounds.iter_mut().filter(|bound| is_open(bound));
            for ((_, _, (first, last)), solution) in open.zip(solutions) {
                let middle = usize::midpoint(*first, *last);
                if solution.is_some() { *first = middle + 1 } else { *last = middle }
            }
        }
        // The number of groups that stay but are still redundant, for each walk and each number of removals.
        let mut redundant: Vec<_> = walks.iter().map(|walk| vec![0_u32; walk.clues.len() - 1]).collect();
        for (i, _, (first, _)) in bounds {
            redundant[i][..first].iter_mut().for_each(|count| *count += 1);
        }
        let weight = |redundant: &Vec<u32>| {
            let left = (1..=redundant.len()).rev().map(|left| left as f64);
            redundant.iter().zip(left).map(|(&redundant, left)| 1.0 + f64::from(redundant) / left).product()
        };
        redundant.iter().map(weight).collect()
    }

    /// Removes the first clues of full grids all at once, if only one solution remains.
    fn take_first_step(&mut self, descents: &mut [&mut Descent]) {
        let steps: Vec<_> =
            (0..).zip(&*descents).filter_map(|(i, descent)| Some((i, descent.first_step()?))).collect();
        let puzzles: Vec<_> = steps.iter().map(|&(_, (puzzle, _))| puzzle).collect();
        let solutions = self.solutions(&puzzles);
        for ((i, (puzzle, step)), _) in steps.into_iter().zip(solutions).filter(|(_, found)| found.is_some())
        {
            let descent: &mut Descent = descents[i];
            (descent.puzzle, descent.before, descent.at) = (puzzle, puzzle, step);
        }
    }

    /// Asks whether the puzzle, with this cell blank, has a solution that does not have the digit there.
    fn ask(&mut self, puzzle: &Grid, cell: u8, digit: u8) {
        self.puzzles.push(*puzzle);
        self.puzzles[self.without.len()].set(usize::from(cell), 0);
        self.without.push((cell, digit));
    }

    /// Asks that question for each of these clues.
    fn ask_each(&mut self, puzzle: &Grid, clues: CellSet) {
        clues.iter().for_each(|cell| self.ask(puzzle, cell as u8, puzzle.get(cell)));
    }

    /// Answers all questions and clears them; the verdict is unsolvable if the clue is redundant.
    fn answer(&mut self) -> &[Verdict] {
        self.answers.clear();
        self.solver.solve_without(&self.puzzles, &self.without, &mut self.answers);
        self.puzzles.clear();
        self.without.clear();
        self.answers.verdicts()
    }
}

/// The number of puzzles whose clues are all checked in one search, which is enough to keep the lanes full.
const PUZZLES_AT_ONCE: usize = 128;

/// Returns the redundant clues among those that [`Reducer::ask_each`] asked about.
fn take_redundant<'a>(clues: CellSet, answers: &mut impl Iterator<Item = &'a Verdict>) -> CellSet {
    let redundant = clues.iter().zip(answers).filter(|(_, verdict)| **verdict == Verdict::Unsolvable);
    redundant.map(|(cell, _)| cell).collect()
}

/// The minimal puzzles contained in a puzzle, each of them once, in a fixed order. A full grid has about 10^15 of them.
#[derive(Clone, Debug)]
pub struct AllMinimal {
    solution: Grid,
    /// The sets of clues that have yet to be searched, each with the clues that must stay.
    waiting: Vec<(CellSet, CellSet)>,
}

impl AllMinimal {
    /// Makes an iterator over the minimal puzzles in a puzzle, given its only solution.
    #[must_use]
    pub fn new(puzzle: &Grid, solution: &Grid) -> Self {
        Self { solution: *solution, waiting: vec![(puzzle.clue_cells(), CellSet::EMPTY)] }
    }

    /// Finds the next minimal puzzle; returns `None` if there are no more.
    pub fn next(&mut self, reducer: &mut Reducer) -> Option<Grid> {
        while let Some((clues, kept)) = self.waiting.pop() {
            let redundant = reducer.redundant_of(&self.solution, clues, clues);
            let free = redundant & !kept;
            // If a kept clue is redundant even without all the free ones, it is redundant in every puzzle from here on.
            let stays = redundant & kept;
            if !stays.is_empty()
                && (free.is_empty() || !reducer.redundant_of(&self.solution, clues & !free, stays).is_empty())
            {
                continue;
            }
            if free.is_empty() {
                return Some(self.solution.keep(clues));
            }
            let clue = CellSet::of(free.first());
            self.waiting.push((clues, kept | clue));
            self.waiting.push((clues & !clue, kept));
        }
        None
    }
}

#[cfg(test)]
mod tests;
