//! Where the next grid begins and ends, in a file that has lost or doubled rows or has lines that are none.
//!
//! Of all readings of the coming lines, up to the next line that sets grids apart or a bounded number of them, the one
//! that loses least is taken: a shortest path over the lines, where a grid whose clues agree costs nothing, and
//! whatever spoils one has its price. A grid is accepted if every reading has it that is about as cheap, since one
//! damage may hide another. Where these differ, the one with the most grids that have exactly one solution is taken; if
//! that does not tell either, the lines that they differ on are lost, since it would be a guess.

use crate::solver::scalar::Scalar;
use crate::solver::{Limits, Verdict, Wanted};
use crate::sudoku::{CELLS, Grid, box_of, column_of, row_of};

/// Rows of a grid.
const SIDE: usize = 9;

/// Grids to come whose clues must agree before a grid is accepted that nothing sets apart from the next.
pub(super) const AHEAD: usize = 8;

/// Most lines that a reading looks at: as many whole grids wherever the first one begins.
pub(super) const MOST: usize = SIDE * (AHEAD + 2) - 1;

/// Most lines of a record that is no grid.
const LONGEST: usize = 2 * SIDE - 1;

/// What stands between two rows; the strongest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    #[default]
    Nothing,
    Comment,
    Border,
    Blank,
}

/// A line that is a row or stands where one should.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Its digits, if it is a row.
    pub row: Option<[u8; SIDE]>,
    /// Whether, if it is none, most of it is cells.
    pub is_nearly_row: bool,
    /// What stands before it.
    pub gap: Gap,
    /// Where it ends: bytes and lines since the start of the first item.
    pub end: (usize, u64),
}

/// What the first lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Grid,
    /// One line that is no row and belongs to no grid.
    Foreign,
    /// So many lines that are no grid together.
    Bad(usize),
}

/// The coming lines.
#[derive(Debug, Default)]
pub(super) struct View {
    pub items: Vec<Item>,
    /// Whether nothing that follows can belong to them.
    pub closed: bool,
    /// Whether borders may stand after any row.
    pub borders_anywhere: bool,
    /// Whether what is no row is a title rather than a damaged row, if it stands first.
    pub headed: bool,
}

/// What is lost with a line or a grid.
const CLASH: u32 = 3000;
const DAMAGED: u32 = 3000;
const FOREIGN: u32 = 1000;
const ODD: u32 = 5000;
const HEADING: u32 = 4000;

/// Readings that cost so much more than the cheapest count as equal.
const MARGIN: u32 = 5900;

/// What a row costs that is in no grid with one solution, where the solver is asked.
const UNPROVEN: u32 = 600;

/// Where a piece ends, and what it costs.
type Edge = (usize, u32);

/// A piece of a reading.
struct Step {
    from: usize,
    to: usize,
    cost: u32,
    kind: Kind,
}

/// Whether a piece is a grid, and that with one solution.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    ProperGrid,
    OtherGrid,
    None,
}

/// Whether a digit stands twice in a house.
pub(super) fn clashes(cells: &[u8; CELLS]) -> bool {
    let (mut rows, mut columns, mut boxes) = ([0_u16; SIDE], [0_u16; SIDE], [0_u16; SIDE]);
    let mut twice = 0;
    for (cell, &digit) in cells.iter().enumerate() {
        let bit = (1 << digit) & !1;
        let (row, column, block) =
            (&mut rows[row_of(cell)], &mut columns[column_of(cell)], &mut boxes[box_of(cell)]);
        twice |= bit & (*row | *column | *block);
        *row |= bit;
        *column |= bit;
        *block |= bit;
    }
    twice != 0
}

impl View {
    /// What the first lines are.
    pub fn first(&self) -> Piece {
        if let [rows @ .., last] = &self.items[..]
            && self.closed
            && rows.len() == SIDE - 1
            && last.row.is_some()
            && self.grid(0).is_some()
            && matches!(self.edge(0, SIDE, 0, 0), Some(0 | CLASH))
        {
            return Piece::Grid;
        }
        if self.is_foreign() { Piece::Foreign } else { self.cheapest() }
    }

    /// Whether the first line belongs to nothing, as is seen without comparing the readings: it is far from being a row,
    /// and so are the next, or there are no rows among them and too few that are nearly one for a record of these.
    fn is_foreign(&self) -> bool {
        let is_far = |item: &Item| item.row.is_none() && !item.is_nearly_row;
        if self.items.len() >= SIDE && self.items[..SIDE].iter().all(is_far) {
            return true;
        }
        let first = &self.items[..self.items.len().min(LONGEST)];
        let nearly = first.iter().filter(|item| item.is_nearly_row).count() as u32;
        first.first().is_some_and(is_far)
            && first.iter().all(|item| item.row.is_none())
            && nearly * FOREIGN < ODD
            && (self.closed || self.items.len() > LONGEST)
    }

    /// The grid of nine rows.
    fn grid(&self, from: usize) -> Option<Grid> {
        let items = self.items.get(from..from + SIDE)?;
        items.iter().all(|item| item.row.is_some()).then(|| Grid::from_digits(cells(items)))
    }

    /// What it costs to take the lines from one place to another for one piece, of which so many are no rows and so many
    /// of these far from one; `None` if they cannot be one.
    fn edge(&self, from: usize, to: usize, foreign: u32, far: u32) -> Option<u32> {
        let items = self.items.get(from..to)?;
        let length = to - from;
        let clash = || if clashes(&cells(items)) { CLASH } else { 0 };
        match length {
            // The start of a grid whose end is not looked at.
            1..SIDE if !self.closed && to == self.items.len() => {
                Some(if foreign > 0 { DAMAGED } else { clash() / 2 })
            }
            1 if foreign == 1 => Some(if far == 0 { FOREIGN + FOREIGN / 2 } else { FOREIGN }),
            SIDE => {
                let misfit = |(at, item): (usize, &Item)| match item.gap {
                    _ if at == 0 => 0,
                    Gap::Nothing => 0,
                    Gap::Comment => FOREIGN / 2,
                    Gap::Border if self.borders_anywhere => 0,
                    Gap::Border | Gap::Blank if at % 3 == 0 => 0,
                    Gap::Border | Gap::Blank => DAMAGED,
                };
                let cost = clash() + items.iter().enumerate().map(misfit).sum::<u32>();
                if foreign == 0 {
                    return Some(cost);
                }
                let heading = u32::from(self.headed && items[0].row.is_none()) * HEADING;
                let more = far.saturating_sub(1) * FOREIGN + (foreign - 1) * FOREIGN / 10;
                (foreign < SIDE as u32 || far == 0).then_some(DAMAGED + heading + more + cost)
            }
            1..=LONGEST => {
                // A row more or less is likelier than several.
                let rows = match length {
                    8 | 10 => 0,
                    ..8 => 1500,
                    _ => 3000,
                };
                Some(ODD + rows + far * FOREIGN + (foreign - far) * FOREIGN / 2)
            }
            _ => None,
        }
    }

    /// What the first piece is: that of all readings that are about as cheap as the cheapest, or what the grids with one
    /// solution tell.
    fn cheapest(&self) -> Piece {
        let mut edges = self.edges();
        let length = edges.len();
        let mut costs = vec![u32::MAX; length + 1];
        costs[length] = 0;
        for from in (0..length).rev() {
            let cost = |&(to, cost): &Edge| cost.saturating_add(costs[to]);
            costs[from] = edges[from].iter().map(cost).min().unwrap_or(u32::MAX);
        }
        let most = costs[0].saturating_add(MARGIN);
        edges[0].retain(|&(to, cost)| cost.saturating_add(costs[to]) <= most);
        if let [(to, _)] = edges[0][..] {
            return self.piece(to);
        }
        if costs[0] == 0 && self.grid(0).is_some_and(|grid| is_proper(&mut Scalar::new(), &grid)) {
            return Piece::Grid;
        }
        let mut before = vec![u32::MAX; length + 1];
        before[0] = 0;
        for from in 0..length {
            edges[from].retain(|&(to, cost)| {
                let cost = cost.saturating_add(before[from]);
                let is_near = cost.saturating_add(costs[to]) <= most;
                if is_near {
                    before[to] = before[to].min(cost);
                }
                is_near
            });
        }
        self.by_solutions(&mut edges)
    }

    /// What may be one piece: to where it may go from each line, at which cost.
    fn edges(&self) -> Vec<Vec<Edge>> {
        let length = self.items.len();
        let mut edges = vec![Vec::new(); length];
        for (from, edges) in edges.iter_mut().enumerate() {
            let (mut foreign, mut far) = (0, 0);
            for to in from + 1..=length.min(from + LONGEST) {
                let last = &self.items[to - 1];
                foreign += u32::from(last.row.is_none());
                far += u32::from(last.row.is_none() && !last.is_nearly_row);
                edges.extend(self.edge(from, to, foreign, far).map(|cost| (to, cost)));
            }
        }
        edges
    }

    /// What the first piece is, if several readings are about as cheap.
    fn by_solutions(&self, edges: &mut [Vec<Edge>]) -> Piece {
        let near = junction(edges, 0);
        let steps = self.most_proper(edges);
        let first = || self.piece(steps[0].to);
        let count = |steps: &[Step], kind| steps.iter().filter(|step| step.kind == kind).count();
        let others = count(&steps, Kind::OtherGrid);
        if count(&steps, Kind::ProperGrid) > others {
            let sure = steps.iter().position(|step| step.kind == Kind::ProperGrid).unwrap_or_default();
            let before = &steps[..sure];
            let is_damaged = before.iter().any(|step| step.kind == Kind::None && step.cost >= DAMAGED);
            // Nine rows between two grids are one, whatever its solutions.
            match count(before, Kind::OtherGrid) {
                0 => first(),
                1 if !is_damaged => first(),
                _ => Piece::Bad(steps[sure].from),
            }
        } else {
            let mut until = steps.iter().take_while(|step| step.from < near);
            let is_fine = |step: &Step| step.cost < DAMAGED || step.kind == Kind::OtherGrid;
            // Where the readings never meet, nothing is better than the cheapest.
            let never_meet = !self.closed && near == edges.len();
            if never_meet || until.all(is_fine) { first() } else { Piece::Bad(near) }
        }
    }

    /// Leaves the readings with the most rows in grids that have one solution, which rows of two grids hardly ever make,
    /// and the cheapest of these; gives their steps, with one that is no grid from where they part to where they meet.
    fn most_proper(&self, edges: &mut [Vec<Edge>]) -> Vec<Step> {
        let length = edges.len();
        let mut solver = Scalar::new();
        let mut proper = vec![false; length];
        // What it costs from each line to the end.
        let mut costs = vec![0_u32; length + 1];
        for from in (0..length).rev() {
            let may_be_grid = edges[from].iter().any(|&(to, _)| to == from + SIDE);
            proper[from] = may_be_grid && self.grid(from).is_some_and(|grid| is_proper(&mut solver, &grid));
            let total = |&(to, cost): &Edge| {
                let is_start = !self.closed && to == length && to < from + SIDE;
                let is_fine = is_start || proper[from] && to == from + SIDE;
                let unproven = if is_fine { 0 } else { (to - from) as u32 * UNPROVEN };
                costs[to].saturating_add(cost + unproven)
            };
            let Some(least) = edges[from].iter().map(total).min() else { continue };
            edges[from].retain(|edge| total(edge) == least);
            if proper[from] && edges[from].iter().any(|&(to, _)| to == from + SIDE) {
                edges[from].retain(|&(to, _)| to == from + SIDE);
            }
            costs[from] = least;
        }
        let (mut steps, mut from) = (Vec::new(), 0);
        while let Some(next) = edges.get(from) {
            let step = match next[..] {
                [(to, cost)] => {
                    let kind = match to == from + SIDE && self.grid(from).is_some() {
                        true if proper[from] => Kind::ProperGrid,
                        true => Kind::OtherGrid,
                        false => Kind::None,
                    };
                    Step { from, to, cost, kind }
                }
                _ => Step { from, to: junction(edges, from), cost: ODD, kind: Kind::None },
            };
            from = step.to;
            steps.push(step);
        }
        steps
    }

    /// The piece that the lines up to `to` are.
    fn piece(&self, to: usize) -> Piece {
        match to {
            1 if self.items[0].row.is_none() => Piece::Foreign,
            SIDE if self.grid(0).is_some() => Piece::Grid,
            _ => Piece::Bad(to),
        }
    }
}

/// The cells of rows, with blanks for what is none.
fn cells(items: &[Item]) -> [u8; CELLS] {
    let mut cells = [0; CELLS];
    for (cells, item) in cells.as_chunks_mut::<SIDE>().0.iter_mut().zip(items) {
        *cells = item.row.unwrap_or_default();
    }
    cells
}

/// The first place behind `from` that all readings come to.
fn junction(edges: &[Vec<Edge>], from: usize) -> usize {
    let mut reached = vec![false; edges.len() + 1];
    reached[from] = true;
    let mut furthest = from;
    for place in from..edges.len() {
        // Nine rows that may be a grid are not to look like one.
        if place > from && furthest == place && place != from + SIDE {
            return place;
        }
        if reached[place] {
            for &(to, _) in &edges[place] {
                reached[to] = true;
                furthest = furthest.max(to);
            }
        }
    }
    edges.len()
}

/// Whether a grid has exactly one solution, as far as a short search tells.
pub(super) fn is_proper(solver: &mut Scalar, grid: &Grid) -> bool {
    const MOST_GUESSES: u64 = 100;
    /// With fewer none has.
    const FEWEST_CLUES: usize = 17;
    let limits = Limits::default().with_max_guesses(MOST_GUESSES).with_wanted(Wanted::Any);
    let clues = grid.cells().iter().filter(|&&digit| digit > 0).count();
    clues >= FEWEST_CLUES
        && !clashes(grid.cells())
        && solver.solve_one(grid, &limits).verdict == Verdict::Unique
}
