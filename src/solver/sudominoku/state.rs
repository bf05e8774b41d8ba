//! What is known of a case at one node of the search, and the rules that follow from it.
//!
//! Every set of cells is one 81-bit board, so that a rule is applied to all cells at once: shifting a
//! board by 1 or 9 moves every cell to its neighbour. Three accounts are kept together: the
//! candidates of the cells (a board for each digit), the dominoes that may still lie on the grid (a
//! board of those that lie across, a board of those that lie down), and the pairs of digits not used
//! yet. A rule only ever removes candidates, places and pairs that no solution below this node has.

use crate::grid::{CELLS, Case, Grid, box_of, column_of, row_of};

/// A set of cells: bit `i` is cell `i`.
pub(super) type Cells = u128;

const ALL: Cells = (1 << CELLS) - 1;
/// The first cell of each row.
const ROW_STARTS: Cells = every(9, 9);
/// The first cell of each row within each box: one cell for each of the 27 minirows.
const MINIROW_STARTS: Cells = every(3, 27);
/// The top row of each band.
const BAND_TOPS: Cells = 0x1ff * every(27, 3);
/// The first cell of each box.
const BOX_STARTS: Cells = MINIROW_STARTS & BAND_TOPS;
/// Cells with a neighbour to the right.
const NOT_LAST_COLUMN: Cells = ALL & !(ROW_STARTS << 8);
/// Cells with a neighbour below.
const NOT_LAST_ROW: Cells = ALL >> 9;

/// `count` bits, `step` apart.
const fn every(step: u32, count: u32) -> Cells {
    let mut cells = 0;
    let mut i = 0;
    while i < count {
        cells |= 1 << (step * i);
        i += 1;
    }
    cells
}

/// The cells that share a house with each cell, itself left out.
static PEERS: [Cells; CELLS] = peers();

const fn peers() -> [Cells; CELLS] {
    let mut peers = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut other = 0;
        while other < CELLS {
            let share = row_of(cell) == row_of(other)
                || column_of(cell) == column_of(other)
                || box_of(cell) == box_of(other);
            if share && cell != other {
                peers[cell] |= 1 << other;
            }
            other += 1;
        }
        cell += 1;
    }
    peers
}

/// The case contradicts the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contradiction;

/// One node of the search.
#[derive(Clone)]
pub(super) struct State {
    /// `candidates[d]`: the cells that may hold digit `d + 1`.
    candidates: [Cells; 9],
    /// Left cells of the dominoes that may lie across; none touches a settled cell.
    across: Cells,
    /// Upper cells of the dominoes that may lie down; none touches a settled cell.
    down: Cells,
    /// `unused[d]`: the digits `e`, as bits, whose pair with `d` is not used yet.
    unused: [u16; 9],
    /// The candidates as they were when hidden singles were last looked for.
    examined: [Cells; 9],
    /// Cells whose digit has been removed from their peers.
    solved: Cells,
    /// The singles, and the cells of the dominoes whose pair is used.
    settled: Cells,
}

/// How many boards hold each cell, up to 3.
#[derive(Clone, Copy, Default)]
struct Tally {
    one: Cells,
    two: Cells,
    three: Cells,
}

impl Tally {
    fn add(&mut self, cells: Cells) {
        self.three |= self.two & cells;
        self.two |= self.one & cells;
        self.one |= cells;
    }
}

/// The cells of a set, in ascending order.
pub(super) fn cells_of(mut cells: Cells) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (cells != 0).then(|| {
            let cell = cells.trailing_zeros() as usize;
            cells &= cells - 1;
            cell
        })
    })
}

/// The members of a set of digits, in ascending order, counted from 0.
pub(super) fn digits_of(mut digits: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (digits != 0).then(|| {
            let digit = digits.trailing_zeros() as usize;
            digits &= digits - 1;
            digit
        })
    })
}

impl State {
    /// The state that says what the case says, before any rule is applied.
    pub(super) fn new(case: &Case) -> Result<Self, Contradiction> {
        let mut state = Self {
            candidates: [0; 9],
            across: NOT_LAST_COLUMN,
            down: NOT_LAST_ROW,
            unused: std::array::from_fn(|digit| 0x1ff & !(1 << digit)),
            examined: [0; 9],
            solved: 0,
            settled: 0,
        };
        for (digit, &cell) in case.singles.iter().enumerate() {
            let cell = 1 << checked_cell(cell)?;
            state.settle(cell)?;
            state.candidates[digit] |= cell;
        }
        for domino in &case.dominoes {
            let [first, second] = domino.cells;
            let (first, second) = (checked_cell(first)?, checked_cell(second)?);
            let (low, high) = (first.min(second), first.max(second));
            let across = high - low == 1 && row_of(low) == row_of(high);
            if !across && high - low != 9 {
                return Err(Contradiction);
            }
            let [d, e] = domino.digits.map(|digit| usize::from(digit).wrapping_sub(1));
            if d > 8 || e > 8 {
                return Err(Contradiction);
            }
            state.use_pair(d, e)?;
            state.settle(1 << first | 1 << second)?;
            state.candidates[d] |= 1 << first;
            state.candidates[e] |= 1 << second;
        }
        for board in &mut state.candidates {
            *board |= ALL & !state.settled;
        }
        Ok(state)
    }

    /// Takes cells out of the account of dominoes; each can be taken out only once.
    fn settle(&mut self, cells: Cells) -> Result<(), Contradiction> {
        if self.settled & cells != 0 {
            return Err(Contradiction);
        }
        self.settled |= cells;
        self.across &= !(cells | cells >> 1);
        self.down &= !(cells | cells >> 9);
        Ok(())
    }

    fn use_pair(&mut self, d: usize, e: usize) -> Result<(), Contradiction> {
        if self.unused[d] & 1 << e == 0 {
            return Err(Contradiction);
        }
        self.unused[d] &= !(1 << e);
        self.unused[e] &= !(1 << d);
        Ok(())
    }

    /// Leaves the cells only the candidates in `digits`.
    pub(super) fn keep_only(&mut self, cells: Cells, digits: u16) {
        for (digit, board) in self.candidates.iter_mut().enumerate() {
            if digits & 1 << digit == 0 {
                *board &= !cells;
            }
        }
    }

    /// The candidates of one cell, as bits.
    pub(super) fn candidates_of(&self, cell: usize) -> u16 {
        (0..9).fold(0, |digits, digit| digits | u16::from(self.candidates[digit] >> cell & 1 != 0) << digit)
    }

    /// The digits of a state in which each cell has one candidate.
    pub(super) fn grid(&self) -> Grid {
        let mut grid = Grid::EMPTY;
        for (digit, &board) in (1..).zip(&self.candidates) {
            for cell in cells_of(board) {
                grid.set(cell, digit);
            }
        }
        grid
    }

    /// Applies every rule until none finds anything more.
    pub(super) fn propagate(&mut self) -> Result<(), Contradiction> {
        loop {
            if self.naked_singles()? || self.hidden_singles()? {
                continue;
            }
            let mut changed = self.forced_dominoes()?;
            changed |= self.supports();
            changed |= self.pairs()?;
            if !changed {
                return Ok(());
            }
        }
    }

    fn naked_singles(&mut self) -> Result<bool, Contradiction> {
        let mut changed = false;
        loop {
            let tally = self.tally();
            if tally.one != ALL {
                return Err(Contradiction);
            }
            let naked = tally.one & !tally.two & !self.solved;
            if naked == 0 {
                return Ok(changed);
            }
            for board in &mut self.candidates {
                for cell in cells_of(naked & *board) {
                    *board &= !PEERS[cell];
                }
            }
            self.solved |= naked;
            changed = true;
        }
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for &board in &self.candidates {
            tally.add(board);
        }
        tally
    }

    fn hidden_singles(&mut self) -> Result<bool, Contradiction> {
        let mut hidden = [0; 9];
        let mut tally = Tally::default();
        for ((found, &board), examined) in hidden.iter_mut().zip(&self.candidates).zip(&mut self.examined) {
            if board == *examined {
                continue;
            }
            *examined = board;
            *found = only_in_house(board)? & !self.solved;
            tally.add(*found);
        }
        if tally.two != 0 {
            return Err(Contradiction);
        }
        if tally.one == 0 {
            return Ok(false);
        }
        for (board, found) in self.candidates.iter_mut().zip(hidden) {
            *board &= !tally.one | found;
        }
        Ok(true)
    }

    /// Places the dominoes of the cells that have one possible partner left.
    fn forced_dominoes(&mut self) -> Result<bool, Contradiction> {
        let (across, down) = (self.across, self.down);
        loop {
            let mut partners = Tally::default();
            for edges in [self.across, self.across << 1, self.down, self.down << 9] {
                partners.add(edges);
            }
            if partners.one | self.settled != ALL {
                return Err(Contradiction);
            }
            let lone = partners.one & !partners.two;
            let forced_across = self.across & (lone | lone >> 1);
            let forced_down = self.down & (lone | lone >> 9);
            let mut covered = Tally::default();
            for cells in [forced_across, forced_across << 1, forced_down, forced_down << 9] {
                covered.add(cells);
            }
            if covered.two != 0 {
                return Err(Contradiction);
            }
            let kept_across = self.across & (forced_across | !(covered.one | covered.one >> 1));
            let kept_down = self.down & (forced_down | !(covered.one | covered.one >> 9));
            if kept_across != self.across || kept_down != self.down {
                (self.across, self.down) = (kept_across, kept_down);
                continue;
            }
            // What is forced is now alone, and a forced domino of known digits uses its pair.
            for (forced, step) in [(forced_across, 1), (forced_down, 9)] {
                for cell in cells_of(forced & self.solved & self.solved >> step) {
                    let (d, e) = (self.digit_of(cell), self.digit_of(cell + step));
                    self.use_pair(d, e)?;
                    self.settle(1 << cell | 1 << (cell + step))?;
                }
            }
            return Ok((across, down) != (self.across, self.down));
        }
    }

    fn digit_of(&self, cell: usize) -> usize {
        (0..8).find(|&digit| self.candidates[digit] >> cell & 1 != 0).unwrap_or(8)
    }

    /// Removes the candidates that no partner supports and the places that no pair can take.
    fn supports(&mut self) -> bool {
        let mut across = 0;
        let mut down = 0;
        let mut lost = 0;
        for digit in 0..9 {
            let mut mates = 0;
            for other in digits_of(self.unused[digit]) {
                mates |= self.candidates[other];
            }
            let supported = self.across & mates >> 1
                | (self.across & mates) << 1
                | self.down & mates >> 9
                | (self.down & mates) << 9;
            let board = &mut self.candidates[digit];
            lost |= *board & !(supported | self.settled);
            *board &= supported | self.settled;
            across |= *board & mates >> 1;
            down |= *board & mates >> 9;
        }
        lost |= self.across & !across | self.down & !down;
        self.across &= across;
        self.down &= down;
        lost != 0
    }

    /// Places the pairs that have one place left.
    fn pairs(&mut self) -> Result<bool, Contradiction> {
        let mut changed = false;
        for d in 0..8 {
            let board = self.candidates[d];
            let (right, below) = (board >> 1, board >> 9);
            for e in digits_of(self.unused[d] >> d << d) {
                let other = self.candidates[e];
                let across = (board & other >> 1 | other & right) & self.across;
                if across & across.wrapping_sub(1) != 0 {
                    continue;
                }
                let down = (board & other >> 9 | other & below) & self.down;
                let (place, step) = match (across, down) {
                    (0, 0) => return Err(Contradiction),
                    (_, 0) => (across, 1),
                    (0, _) if down & (down - 1) == 0 => (down, 9),
                    _ => continue,
                };
                self.lay(Placement { cell: place.trailing_zeros() as usize, step, digits: [d, e] })?;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// Lays a domino.
    ///
    /// Which digit lies where may still be open: the two cells share a row or a column, so sudoku
    /// alone sees to it that they differ, and their peers in common hold neither digit.
    pub(super) fn lay(&mut self, place: Placement) -> Result<(), Contradiction> {
        let Placement { cell, step, digits: [d, e] } = place;
        let both = 1 << cell | 1 << (cell + step);
        self.use_pair(d, e)?;
        self.settle(both)?;
        self.keep_only(both, 1 << d | 1 << e);
        let common = PEERS[cell] & PEERS[cell + step];
        self.candidates[d] &= !common;
        self.candidates[e] &= !common;
        Ok(())
    }

    /// Where a pair of digits may lie across, and where down.
    fn places_of(&self, [d, e]: [usize; 2]) -> (Cells, Cells) {
        let (a, b) = (self.candidates[d], self.candidates[e]);
        ((a & b >> 1 | b & a >> 1) & self.across, (a & b >> 9 | b & a >> 9) & self.down)
    }

    /// What to branch on, in a state to which every rule was applied.
    ///
    /// A pair with two places decides four cells at once, so it comes before a bivalue cell; of the
    /// bivalue cells that one comes first which shares a candidate with the most bivalue peers. Partners
    /// are never branched on: measured, that costs ten times the guesses.
    pub(super) fn branch(&self) -> Branch {
        let tally = self.tally();
        if tally.two == 0 {
            return Branch::Solved;
        }
        if let Some((2, pair)) = self.rarest_pair() {
            return Branch::Pair(pair);
        }
        let bivalue = tally.two & !tally.three;
        let cell = if bivalue == 0 {
            cells_of(tally.two).min_by_key(|&cell| self.candidates_of(cell).count_ones())
        } else {
            let weight = |cell: usize| -> u32 {
                let weigh = |digit: usize| (self.candidates[digit] & PEERS[cell] & bivalue).count_ones();
                digits_of(self.candidates_of(cell)).map(weigh).sum()
            };
            cells_of(bivalue).max_by_key(|&cell| weight(cell))
        };
        Branch::Cell(cell.expect("a cell has two candidates"))
    }

    /// The unused pair with the fewest places, and how many it has.
    pub(super) fn rarest_pair(&self) -> Option<(u32, [usize; 2])> {
        let unused = (0..9).flat_map(|d| digits_of(self.unused[d] >> d << d).map(move |e| [d, e]));
        let counted = unused.map(|pair| {
            let (across, down) = self.places_of(pair);
            (across.count_ones() + down.count_ones(), pair)
        });
        counted.min_by_key(|&(count, _)| count)
    }

    /// Whether dominoes, whatever their digits, can cover the cells that are not settled.
    ///
    /// Matches the cells of one colour of the chessboard with those of the other by augmenting paths
    /// (Kuhn).
    pub(super) fn is_coverable(&self) -> bool {
        const BLACK: Cells = every(2, 41);
        let black = BLACK & !self.settled;
        let mut matching = Matching { state: self, partner: [None; CELLS], seen: 0 };
        let all_matched = cells_of(black).all(|cell| {
            matching.seen = 0;
            matching.augment(cell)
        });
        all_matched && 2 * black.count_ones() + self.settled.count_ones() == CELLS as u32
    }

    /// The places of a pair.
    pub(super) fn placements(&self, pair: [usize; 2]) -> impl Iterator<Item = Placement> + use<> {
        let (across, down) = self.places_of(pair);
        let across = cells_of(across).map(move |cell| Placement { cell, step: 1, digits: pair });
        let down = cells_of(down).map(move |cell| Placement { cell, step: 9, digits: pair });
        across.chain(down)
    }
}

/// What a node of the search branches on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Branch {
    /// Nothing: every digit is known, though maybe not every domino.
    Solved,
    /// The candidates of a cell.
    Cell(usize),
    /// The places of a pair.
    Pair([usize; 2]),
}

/// A growing matching of black cells with white ones along the places of dominoes.
struct Matching<'a> {
    state: &'a State,
    /// The black cell that each white cell is matched with.
    partner: [Option<usize>; CELLS],
    /// White cells on the alternating paths tried so far.
    seen: Cells,
}

impl Matching<'_> {
    /// Matches one more black cell, rematching others where needed.
    fn augment(&mut self, black: usize) -> bool {
        let cell = 1 << black;
        let State { across, down, .. } = self.state;
        let whites = (across & cell) << 1 | across & cell >> 1 | (down & cell) << 9 | down & cell >> 9;
        for white in cells_of(whites) {
            if self.seen & 1 << white != 0 {
                continue;
            }
            self.seen |= 1 << white;
            if self.partner[white].is_none_or(|other| self.augment(other)) {
                self.partner[white] = Some(black);
                return true;
            }
        }
        false
    }
}

/// A domino on the grid: its first cell, the way to its second (1 or 9), and its two digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    cell: usize,
    step: usize,
    digits: [usize; 2],
}

fn checked_cell(cell: u8) -> Result<usize, Contradiction> {
    if usize::from(cell) < CELLS { Ok(usize::from(cell)) } else { Err(Contradiction) }
}

/// The cells of `board` that are the only one in a row, a column or a box; each house must have one.
fn only_in_house(board: Cells) -> Result<Cells, Contradiction> {
    // One bit for each minirow: does it hold a cell, does it hold two.
    let (one, two) = fold(board, 1, MINIROW_STARTS);
    let (row_one, row_two) = fold(one, 3, ROW_STARTS);
    let row_two = row_two | (two | two >> 3 | two >> 6) & ROW_STARTS;
    let (box_one, box_two) = fold(one, 9, BOX_STARTS);
    let box_two = box_two | (two | two >> 9 | two >> 18) & BOX_STARTS;
    let (band_one, band_two) = fold(board, 9, BAND_TOPS);
    let (column_one, column_two) = fold(band_one, 27, 0x1ff);
    let column_two = column_two | (band_two | band_two >> 27 | band_two >> 54) & 0x1ff;
    if row_one != ROW_STARTS || box_one != BOX_STARTS || column_one != 0x1ff {
        return Err(Contradiction);
    }
    let rows = row_one & !row_two;
    let boxes = box_one & !box_two;
    let boxes = (boxes << 3) - boxes;
    let columns = column_one & !column_two;
    let columns = columns | columns << 9 | columns << 18;
    let only =
        ((rows << 9) - rows) | boxes | boxes << 9 | boxes << 18 | columns | columns << 27 | columns << 54;
    Ok(board & only)
}

/// At each bit of `starts`: is one of the three bits `step` apart set, are two.
fn fold(board: Cells, step: u32, starts: Cells) -> (Cells, Cells) {
    let (a, b, c) = (board & starts, board >> step & starts, board >> (2 * step) & starts);
    (a | b | c, a & b | c & (a | b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boards() -> impl Iterator<Item = Cells> {
        // A multiplicative generator; its middle bits are random enough to fill boards.
        let mut random = 1_u128;
        (0..2000).map(move |round| {
            let mut board = ALL;
            for _ in 0..round % 5 {
                random = random.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
                board &= random >> 40 | random << 20;
            }
            board
        })
    }

    #[test]
    fn only_in_house_finds_what_counting_finds() {
        let houses: Vec<Cells> = [row_of, column_of, box_of]
            .iter()
            .flat_map(|house_of| {
                (0..9).map(move |house| {
                    (0..CELLS).filter(|&cell| house_of(cell) == house).map(|cell| 1 << cell).sum()
                })
            })
            .collect();
        let mut contradictions = 0;
        for board in boards() {
            let counts = houses.iter().map(|house| (board & house).count_ones());
            let alone = houses.iter().filter(|&house| (board & house).count_ones() == 1);
            let expected = if counts.min() == Some(0) {
                contradictions += 1;
                Err(Contradiction)
            } else {
                Ok(alone.fold(0, |cells, house| cells | house & board))
            };
            assert_eq!(only_in_house(board), expected, "{board:081b}");
        }
        assert!((100..1900).contains(&contradictions), "{contradictions} contradictions");
    }

    #[test]
    fn a_tally_counts_to_three() {
        let mut tally = Tally::default();
        for board in [0b1111, 0b0111, 0b0011, 0b0001] {
            tally.add(board);
        }
        assert_eq!([tally.one, tally.two, tally.three], [0b1111, 0b0111, 0b0011]);
    }

    /// A2 and B1 cut off A1, a black cell; A9, B8 and C9 cut off B9, a white one.
    #[test]
    fn cells_cut_off_are_not_coverable() {
        let singles = [1, 9, 8, 16, 26, 40, 42, 61, 79];
        let black = singles.iter().filter(|&cell| cell % 2 == 0).count();
        assert_eq!(black, 5, "36 cells of each colour are left");
        let state = State::new(&Case { dominoes: Vec::new(), singles }).unwrap();
        assert!(!state.is_coverable());
    }

    /// The singles of the first example of BOJ 4574.
    #[test]
    fn the_cells_of_a_solved_case_are_coverable() {
        let singles = [22, 2, 35, 75, 8, 40, 1, 23, 72];
        let state = State::new(&Case { dominoes: Vec::new(), singles }).unwrap();
        assert!(state.is_coverable());
    }
}
