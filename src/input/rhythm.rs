//! Where the next grid begins and ends, in a file that has lost or doubled rows or has lines that are none.
//!
//! Of all readings of the coming lines, up to the next line that sets grids apart or a bounded number of them, the most
//! likely one is taken: a shortest path over the lines. Damage has its price, and each grid says by its solutions and
//! clashes how much likelier it is to be one than nine rows of two; since that depends on what the file holds, kinds of
//! files are tried side by side. Where another reading is nearly as likely, the lines that they differ on are lost, since
//! it would be a guess.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::solver::scalar::Scalar;
use crate::solver::{Limits, Verdict, Wanted};
use crate::sudoku::{CELLS, Grid, SIDE, column_of, row_of};

/// Grids to come whose clues must agree before a grid is accepted that nothing sets apart from the next.
pub(super) const GRIDS_AHEAD: usize = 8;

/// Most lines that a reading looks at: as many whole grids wherever the first one begins.
pub(super) const MOST: usize = SIDE * (GRIDS_AHEAD + 2) - 1;

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
    /// What it has, if it is a row.
    pub row: Option<Row>,
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

/// What is known of the solutions of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Solutions {
    One,
    Several,
    None,
    /// None, since a digit stands twice in a house, or a few do.
    Clash,
    /// None, since many do.
    Jumble,
}

/// Kinds of files, each with its price and the shares of its grids in the order of [`Solutions`]. Of the last kind
/// nothing is expected: its grids are as likely as nine rows of two.
const KINDS: [(i32, [f64; 5]); 6] = [
    (0, [0.97, 0.01, 0.01, 0.008, 0.002]),
    (100, [0.10, 0.88, 0.01, 0.008, 0.002]),
    (250, [0.03, 0.03, 0.92, 0.018, 0.002]),
    (200, [0.40, 0.25, 0.15, 0.19, 0.01]),
    (400, [0.05, 0.05, 0.05, 0.84, 0.01]),
    (1000, MISPLACED[1]),
];

/// The same shares of nine rows of two neighbouring grids: of grids with fewer clues than [`SPARSE`], and of others.
const MISPLACED: [[f64; 5]; 2] = [[0.065, 0.53, 0.08, 0.32, 0.005], [0.0005, 0.05, 0.05, 0.68, 0.22]];
const SPARSE: u32 = 20;

/// What it costs in hundredths of a natural logarithm of probability that a line or a record is damaged.
const FOREIGN: i32 = 140;
const DAMAGED: i32 = 430;
const HEADING: i32 = 570;
const ODD: i32 = 700;
const VERY_ODD: i32 = 430;

/// What it costs that a row too many may be any of the eight inner ones of ten.
const ANY_OF_EIGHT: i32 = 208;

/// Readings that cost so much more than the cheapest may be right as well.
const MARGIN: i32 = 250;

/// More than any reading costs.
const IMPOSSIBLE: i32 = 1 << 24;

/// What a grid says in a file of each kind: how much less likely it is there than that nine rows of two grids look so.
type Evidence = [i32; KINDS.len()];

/// What a grid says that ten rows are without any of the inner ones.
fn of_ten(evidence: Evidence) -> Evidence {
    evidence.map(|evidence| evidence + ANY_OF_EIGHT)
}

const NOTHING: Evidence = [0; KINDS.len()];

/// Where a piece ends, what it costs, and what the grid in it says: at least and at most, as long as it is not solved.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    cost: i32,
    least: Evidence,
    most: Evidence,
}

/// A row of a grid, with its digits as sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    cells: [u8; SIDE],
    clues: u32,
    /// Nine bits a column.
    columns: u128,
    /// Nine bits a box.
    boxes: u32,
    /// How often a digit stands in the row, and in a box of the row, where it stands already.
    clashes: u32,
}

impl Row {
    pub(super) fn new(cells: [u8; SIDE]) -> Self {
        let mut row = Self { cells, ..Self::default() };
        let mut all = 0;
        for (column, digit) in cells.into_iter().enumerate().filter(|&(_, digit)| digit > 0) {
            let bit = 1 << (digit - 1);
            let in_box = bit << (column / 3 * SIDE);
            row.clashes += u32::from(all & bit != 0) + u32::from(row.boxes & in_box != 0);
            row.clues += 1;
            all |= bit;
            row.boxes |= in_box;
            row.columns |= u128::from(bit) << (column * SIDE);
        }
        row
    }

    /// Whether it has no clue.
    pub fn is_blank(&self) -> bool {
        self.clues == 0
    }
}

/// Nine rows that may be a grid.
type Rows = [Row; SIDE];

fn rows_of(cells: &[u8; CELLS]) -> Rows {
    std::array::from_fn(|row| Row::new(std::array::from_fn(|column| cells[row * SIDE + column])))
}

fn grid_of(rows: &Rows) -> Grid {
    Grid::from_digits(std::array::from_fn(|cell| rows[row_of(cell)].cells[column_of(cell)]))
}

/// How often a digit stands in a house of nine rows where it stands already.
fn count_clashes(rows: &Rows) -> u32 {
    let (mut count, mut columns, mut boxes) = (0, 0, 0);
    for (i, row) in rows.iter().enumerate() {
        if i % 3 == 0 {
            boxes = 0;
        }
        count += row.clashes;
        // Seldom any.
        if (columns & row.columns != 0) | (boxes & row.boxes != 0) {
            count += (columns & row.columns).count_ones() + (boxes & row.boxes).count_ones();
        }
        columns |= row.columns;
        boxes |= row.boxes;
    }
    count
}

/// Whether a digit stands twice in a house.
pub(super) fn clashes(cells: &[u8; CELLS]) -> bool {
    count_clashes(&rows_of(cells)) > 0
}

/// Whether so many digits stand twice in a house that it is hardly a puzzle with wrong digits: half as many as there are.
pub(super) fn is_jumble(cells: &[u8; CELLS]) -> bool {
    let rows = rows_of(cells);
    let clues: u32 = rows.iter().map(|row| row.clues).sum();
    let clashes = count_clashes(&rows);
    clashes >= SIDE as u32 && 2 * clashes >= clues
}

/// How a grid clashes, if it does.
fn clash(rows: &Rows) -> Option<Solutions> {
    match count_clashes(rows) {
        0 => None,
        1..=3 => Some(Solutions::Clash),
        _ => Some(Solutions::Jumble),
    }
}

/// What grids say by their solutions.
static EVIDENCE: LazyLock<[[Evidence; 5]; 2]> = LazyLock::new(|| {
    MISPLACED.map(|misplaced| {
        std::array::from_fn(|i| {
            KINDS.map(|(_, shares)| (100.0 * (misplaced[i] / shares[i]).ln()).round() as i32)
        })
    })
});

/// What a grid may be expected to say.
static EXPECTED: LazyLock<[Evidence; 2]> = LazyLock::new(|| {
    EVIDENCE.map(|evidence| {
        std::array::from_fn(|kind| {
            let each = KINDS[kind].1.iter().zip(&evidence);
            each.map(|(share, evidence)| share * f64::from(evidence[kind])).sum::<f64>() as i32
        })
    })
});

impl Edge {
    const fn new(to: usize, cost: i32) -> Self {
        Self { to, cost, least: NOTHING, most: NOTHING }
    }

    /// Adds what a grid says, before it is solved.
    fn with(mut self, rows: &Rows) -> Self {
        let evidence = &EVIDENCE[usize::from(!is_sparse(rows))];
        (self.least, self.most) = if let Some(clash) = clash(rows) {
            let clash = evidence[clash as usize];
            (clash, clash)
        } else {
            let [one, several, none, ..] = evidence;
            let each = |choose: fn(i32, i32) -> i32| {
                std::array::from_fn(|kind| choose(choose(one[kind], several[kind]), none[kind]))
            };
            (each(i32::min), each(i32::max))
        };
        self
    }

    fn is_open(&self) -> bool {
        self.least != self.most
    }
}

fn clues(rows: &Rows) -> u32 {
    rows.iter().map(|row| row.clues).sum()
}

fn is_sparse(rows: &Rows) -> bool {
    clues(rows) < SPARSE
}

impl View {
    /// What the first lines are.
    pub fn first(&self, known: &mut Known) -> Piece {
        let is_alone = self.closed && self.items.len() == SIDE;
        if is_alone && self.rows(0).is_some() && self.misfit(&self.items) == 0 {
            return Piece::Grid;
        }
        if self.is_foreign() {
            Piece::Foreign
        } else if self.is_in_rhythm(known) {
            Piece::Grid
        } else {
            self.likeliest(known)
        }
    }

    /// Whether the first line belongs to nothing, as is seen without comparing the readings: it is far from being a row,
    /// and so are the next, or there are no rows among them and too few that are nearly one for a record of these.
    fn is_foreign(&self) -> bool {
        let is_far = |item: &Item| item.row.is_none() && !item.is_nearly_row;
        if self.items.len() >= SIDE && self.items[..SIDE].iter().all(is_far) {
            return true;
        }
        let first = &self.items[..self.items.len().min(LONGEST)];
        let nearly = first.iter().filter(|item| item.is_nearly_row).count();
        first.first().is_some_and(is_far)
            && first.iter().all(|item| item.row.is_none())
            && nearly < SIDE / 2
            && (self.closed || self.items.len() > LONGEST)
    }

    /// Nine rows, if there are as many and nothing else.
    fn rows(&self, from: usize) -> Option<Rows> {
        let mut rows = Rows::default();
        for (row, item) in rows.iter_mut().zip(self.items.get(from..from + SIDE)?) {
            *row = item.row?;
        }
        Some(rows)
    }

    /// The grids that ten rows are without one of the inner ones, but those that they are without the first or last.
    fn grids_of_ten(&self, from: usize) -> Vec<Rows> {
        let (Some(first), Some(last)) = (self.rows(from), self.rows(from + 1)) else { return Vec::new() };
        let (mut grids, mut rows) = (Vec::new(), first);
        for row in (1..SIDE).rev() {
            // Without that row instead of the next.
            rows[row] = last[row];
            if count_clashes(&rows) == 0 && rows != first && rows != last {
                grids.push(rows);
            }
        }
        grids.dedup();
        grids
    }

    /// What it costs that something stands between rows of a grid.
    fn misfit(&self, items: &[Item]) -> i32 {
        let misfit = |(at, item): (usize, &Item)| match item.gap {
            _ if at == 0 => 0,
            Gap::Nothing => 0,
            Gap::Comment => FOREIGN / 2,
            Gap::Border if self.borders_anywhere => 0,
            Gap::Border | Gap::Blank if at % 3 == 0 => 0,
            Gap::Border | Gap::Blank => DAMAGED,
        };
        items.iter().enumerate().map(misfit).sum()
    }

    /// The lines from one place to another as one piece, of which so many are no rows and so many of these far from
    /// one; `None` if they cannot be one.
    fn edge(&self, from: usize, to: usize, foreign: i32, far: i32) -> Option<Edge> {
        let items = self.items.get(from..to)?;
        let length = to - from;
        let cost = match length {
            // The start of a grid whose end is not looked at: as good as the others will be.
            1..SIDE if !self.closed && to == self.items.len() => {
                let rows = padded_rows(items);
                if foreign > 0 || count_clashes(&rows) > 0 {
                    return Some(Edge::new(to, if foreign > 0 { DAMAGED } else { FOREIGN }));
                }
                let is_dense = clues(&rows) * SIDE as u32 >= SPARSE * length as u32;
                let expected =
                    EXPECTED[usize::from(is_dense)].map(|whole| whole * length as i32 / SIDE as i32);
                return Some(Edge { to, cost: 0, least: expected, most: expected });
            }
            1 if foreign == 1 => FOREIGN + if far == 0 { FOREIGN / 2 } else { 0 },
            SIDE => {
                let cost = self.misfit(items);
                if foreign == 0 {
                    return Some(Edge::new(to, cost).with(&padded_rows(items)));
                }
                let heading = i32::from(self.headed && items[0].row.is_none()) * HEADING;
                let more = (far - 1).max(0) * FOREIGN + (foreign - 1) * FOREIGN / 10;
                if foreign == SIDE as i32 && far > 0 {
                    return None;
                }
                DAMAGED + heading + more + cost
            }
            10 if foreign == 0 => {
                // It is as likely that a row too many stands in a grid as beside it.
                let none = EVIDENCE[1][Solutions::Clash as usize];
                let mut edge = Edge { to, cost: ODD, least: none, most: none };
                for rows in self.grids_of_ten(from) {
                    let other = edge.with(&rows);
                    for (least, other) in edge.least.iter_mut().zip(of_ten(other.least)) {
                        *least = other.min(*least);
                    }
                }
                return Some(edge);
            }
            1..=LONGEST => {
                // A row more or less is likelier than several, but for a grid that is cut off at the end.
                let rows = match length {
                    1 | 8 | 10 => 0,
                    ..8 if self.closed && to == self.items.len() => 0,
                    _ => VERY_ODD,
                };
                ODD + rows + far * FOREIGN + (foreign - far) * FOREIGN / 2
            }
            _ => return None,
        };
        Some(Edge::new(to, cost))
    }

    /// Whether the grids that come leave no doubt, and nothing else does.
    fn is_in_rhythm(&self, known: &mut Known) -> bool {
        let (grids, more) = self.items.as_chunks::<SIDE>();
        let is_sure = |items: &[Item; SIDE]| {
            items.iter().all(|item| item.row.is_some())
                && self.misfit(items) == 0
                && known.is_telling_rows(&padded_rows(items))
        };
        (more.is_empty() || grids.len() > GRIDS_AHEAD) && grids.iter().all(is_sure)
    }

    /// What the first piece is: that of all readings that may be right.
    fn likeliest(&self, known: &mut Known) -> Piece {
        let mut edges = self.edges();
        retain_likely(&mut edges);
        if let [Edge { to, .. }] = edges[0][..] {
            return self.piece(to);
        }
        // An undamaged file is sooner known to be one if its grids are solved first.
        for from in (0..edges.len()).step_by(SIDE) {
            self.solve(&mut edges[from], from, known, SIDE..=SIDE);
        }
        retain_likely(&mut edges);
        for (from, edges) in edges.iter_mut().enumerate() {
            self.solve(edges, from, known, SIDE..=SIDE + 1);
        }
        let best = retain_likely(&mut edges);
        if let [Edge { to, .. }] = edges[0][..] {
            return self.piece(to);
        }
        let until = junction(&edges, 0);
        let is_grid =
            |from: usize| edges[from].iter().any(|edge| edge.to == from + SIDE) && self.rows(from).is_some();
        // Where the readings never meet, nothing is better than the cheapest.
        let never_meet = !self.closed && until == edges.len();
        if never_meet || !(0..until).any(is_grid) { self.piece(best) } else { Piece::Bad(until) }
    }

    /// Solves the grids in pieces from one place of some lengths.
    fn solve(&self, edges: &mut [Edge], from: usize, known: &mut Known, lengths: RangeInclusive<usize>) {
        for edge in edges.iter_mut().filter(|edge| edge.is_open() && lengths.contains(&(edge.to - from))) {
            let grids = match edge.to - from {
                SIDE => self.rows(from).into_iter().collect(),
                _ => self.grids_of_ten(from),
            };
            let evidence =
                |rows: &Rows| EVIDENCE[usize::from(!is_sparse(rows))][known.solutions(rows) as usize];
            let all = grids.iter().map(evidence);
            let least = all.reduce(|a, b| std::array::from_fn(|kind| a[kind].min(b[kind])));
            if let Some(least) = least {
                edge.least = if edge.to - from == SIDE { least } else { of_ten(least) };
                edge.most = edge.least;
            }
        }
    }

    /// What may be one piece: to where it may go from each line, at which cost.
    fn edges(&self) -> Vec<Vec<Edge>> {
        let length = self.items.len();
        let mut edges = vec![Vec::new(); length];
        for (from, edges) in edges.iter_mut().enumerate() {
            let (mut foreign, mut far) = (0, 0);
            for to in from + 1..=length.min(from + LONGEST) {
                let last = &self.items[to - 1];
                foreign += i32::from(last.row.is_none());
                far += i32::from(last.row.is_none() && !last.is_nearly_row);
                edges.extend(self.edge(from, to, foreign, far));
            }
        }
        edges
    }

    /// The piece that the lines up to `to` are.
    fn piece(&self, to: usize) -> Piece {
        match to {
            1 if self.items[0].row.is_none() => Piece::Foreign,
            SIDE if self.rows(0).is_some() => Piece::Grid,
            _ => Piece::Bad(to),
        }
    }
}

/// Leaves the readings that may be nearly as cheap as the cheapest, and says where the first piece of one of these ends.
fn retain_likely(edges: &mut [Vec<Edge>]) -> usize {
    let length = edges.len();
    let add = |costs: &Evidence, cost: i32, more: &Evidence| -> Evidence {
        std::array::from_fn(|kind| (costs[kind] + cost + more[kind]).min(IMPOSSIBLE))
    };
    let lower = |costs: &mut Evidence, other: Evidence| {
        for (cost, other) in costs.iter_mut().zip(other) {
            *cost = other.min(*cost);
        }
    };
    // What it costs at least and at most from each place to the end.
    let mut least = vec![[IMPOSSIBLE; KINDS.len()]; length + 1];
    let mut most = least.clone();
    (least[length], most[length]) = (NOTHING, NOTHING);
    for from in (0..length).rev() {
        for edge in &edges[from] {
            let (low, high) =
                (add(&least[edge.to], edge.cost, &edge.least), add(&most[edge.to], edge.cost, &edge.most));
            lower(&mut least[from], low);
            lower(&mut most[from], high);
        }
    }
    let total =
        |costs: Evidence| KINDS.iter().zip(costs).map(|((price, _), cost)| price + cost).min().unwrap_or(0);
    let limit = total(most[0]) + MARGIN;
    let mut before = vec![[IMPOSSIBLE; KINDS.len()]; length + 1];
    before[0] = NOTHING;
    let mut best = (IMPOSSIBLE, 1);
    for from in 0..length {
        let so_far = before[from];
        edges[from].retain(|edge| {
            let cost = add(&so_far, edge.cost, &edge.least);
            let total = total(add(&cost, 0, &least[edge.to]));
            if from == 0 {
                best = best.min((total, edge.to));
            }
            if total <= limit {
                lower(&mut before[edge.to], cost);
            }
            total <= limit
        });
    }
    best.1
}

/// Up to nine rows, blank ones for what is none.
fn padded_rows(items: &[Item]) -> Rows {
    std::array::from_fn(|i| items.get(i).and_then(|item| item.row).unwrap_or_default())
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
            for edge in &edges[place] {
                reached[edge.to] = true;
                furthest = furthest.max(edge.to);
            }
        }
    }
    edges.len()
}

/// What is known of the solutions of the last grids: as the lines go by each is looked at several times.
#[derive(Default)]
pub(super) struct Known {
    solver: Scalar,
    grids: HashMap<[u8; CELLS], Solutions>,
}

impl Known {
    /// Whether rows of two grids would hardly make such a grid: its clues agree, and are many or have one solution.
    pub(super) fn is_telling(&mut self, cells: &[u8; CELLS]) -> bool {
        self.is_telling_rows(&rows_of(cells))
    }

    /// The same of nine lines.
    pub(super) fn is_telling_items(&mut self, items: &[Item; SIDE]) -> bool {
        self.is_telling_rows(&padded_rows(items))
    }

    fn is_telling_rows(&mut self, rows: &Rows) -> bool {
        count_clashes(rows) == 0 && (!is_sparse(rows) || self.solutions(rows) == Solutions::One)
    }

    /// What a short search tells of the solutions of a grid.
    fn solutions(&mut self, rows: &Rows) -> Solutions {
        const MOST_GRIDS: usize = 1 << 12;
        const MOST_GUESSES: u64 = 100;
        /// With fewer none has one.
        const FEWEST_CLUES: u32 = 17;
        if let Some(clash) = clash(rows) {
            return clash;
        }
        if clues(rows) < FEWEST_CLUES {
            return Solutions::Several;
        }
        let grid = grid_of(rows);
        if let Some(&solutions) = self.grids.get(grid.cells()) {
            return solutions;
        }
        let limits = Limits::default().with_max_guesses(MOST_GUESSES).with_wanted(Wanted::Any);
        let solutions = match self.solver.solve_one(&grid, &limits).verdict {
            Verdict::Unique => Solutions::One,
            Verdict::Unsolvable => Solutions::None,
            _ => Solutions::Several,
        };
        if self.grids.len() == MOST_GRIDS {
            self.grids.clear();
        }
        self.grids.insert(*grid.cells(), solutions);
        solutions
    }
}
