//! Where the next grid begins and ends, in a file that has lost or doubled rows or has lines that are none.
//!
//! Of all readings of the coming lines, up to the next line that sets grids apart or a bounded number of them, the one
//! that loses least is taken: a shortest path over the lines, where a grid whose clues agree costs nothing, and
//! whatever spoils one has its price. A grid is only accepted if every cheapest reading has it. Where several readings
//! are equally cheap, the one whose grids have exactly one solution is taken; if that does not tell either,
//! the lines that they differ on are lost, since it would be a guess.

use crate::solver::scalar::Scalar;
use crate::solver::{Limits, Verdict};
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
const CLASH: u32 = 2000;
const DAMAGED: u32 = 3000;
const FOREIGN: u32 = 1000;
const ODD: u32 = 5000;
const HEADING: u32 = 4000;

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
                Some(if foreign > 0 { DAMAGED } else { clash() })
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

    /// The cheapest reading; what its first piece is, if all that are as cheap agree.
    fn cheapest(&self) -> Piece {
        let length = self.items.len();
        let mut costs = vec![u32::MAX; length + 1];
        costs[length] = 0;
        let mut edges = vec![Vec::new(); length];
        for from in (0..length).rev() {
            let (mut foreign, mut far) = (0, 0);
            for to in from + 1..=length.min(from + LONGEST) {
                let last = &self.items[to - 1];
                foreign += u32::from(last.row.is_none());
                far += u32::from(last.row.is_none() && !last.is_nearly_row);
                let Some(cost) = self.edge(from, to, foreign, far) else { continue };
                let cost = cost.saturating_add(costs[to]);
                if cost < costs[from] {
                    costs[from] = cost;
                    edges[from].clear();
                }
                if cost == costs[from] {
                    edges[from].push(to);
                }
            }
        }
        if let [to] = edges[0][..] {
            return self.piece(to);
        }
        let improbability = self.by_solutions(&mut edges);
        match edges[0][..] {
            [to] => self.piece(to),
            // By chance rows of two grids hardly ever make a puzzle with one solution.
            _ if improbability == 0 && edges[0].contains(&SIDE) => self.piece(SIDE),
            _ => Piece::Bad(junction(&edges, 0)),
        }
    }

    /// Of readings that cost the same keeps those whose grids are the likeliest puzzles; says how unlikely they are.
    fn by_solutions(&self, edges: &mut [Vec<usize>]) -> u32 {
        let end = junction(edges, 0);
        let mut solver = Scalar::new();
        let mut costs = vec![0; end + LONGEST + 1];
        for from in (0..end).rev() {
            let mut penalty = |to: usize| {
                let grid = if to == from + SIDE { self.grid(from) } else { None };
                costs[to] + grid.map_or(0, |grid| improbability(&mut solver, &grid))
            };
            let penalties: Vec<u32> = edges[from].iter().map(|&to| penalty(to)).collect();
            let least = penalties.iter().copied().min().unwrap_or(0);
            let mut kept = penalties.iter().map(|&penalty| penalty == least);
            edges[from].retain(|_| kept.next() == Some(true));
            costs[from] = least;
        }
        costs[0]
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
fn junction(edges: &[Vec<usize>], from: usize) -> usize {
    let mut reached = vec![false; edges.len() + 1];
    reached[from] = true;
    let mut furthest = from;
    for place in from..edges.len() {
        // Nine rows that may be a grid are not to look like one.
        if place > from && furthest == place && place != from + SIDE {
            return place;
        }
        if reached[place] {
            for &to in &edges[place] {
                reached[to] = true;
                furthest = furthest.max(to);
            }
        }
    }
    edges.len()
}

/// How unlikely it is that somebody made this puzzle: one with a single solution is the likeliest.
fn improbability(solver: &mut Scalar, grid: &Grid) -> u32 {
    const MOST_GUESSES: u64 = 100;
    match solver.solve_one(grid, &Limits::default().with_max_guesses(MOST_GUESSES)).verdict {
        Verdict::Unique => 0,
        Verdict::Unsolvable => 2,
        _ => 1,
    }
}
