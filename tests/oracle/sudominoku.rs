//! Solves Sudominoku by brute force in two simple steps. It finds all sudoku grids that contain the given numbers, and
//! then checks for each grid whether dominoes can cover it. This is slow, so it suits only cases with most dominoes
//! given.

use batchdoku::sudoku::{Case, Grid, box_of, column_of, row_of};

/// Returns all distinct digit grids that solve the case, in ascending order.
pub fn solutions(case: &Case) -> Vec<Grid> {
    let Some(givens) = readable(case) else { return Vec::new() };
    let mut grids = Vec::new();
    complete(&mut { givens }, &mut grids);
    grids.retain(|cells| can_be_covered(case, cells));
    grids.sort_unstable();
    grids.into_iter().filter_map(Grid::new).collect()
}

/// Returns whether a grid solves the case.
pub fn is_solution(case: &Case, grid: &Grid) -> bool {
    let cells = grid.cells();
    let kept =
        |givens: [u8; 81]| givens.iter().zip(cells).all(|(&given, &digit)| given == 0 || given == digit);
    readable(case).is_some_and(kept)
        && (0..81).all(|cell| cells[cell] != 0 && fits(cells, cell, cells[cell]))
        && can_be_covered(case, cells)
}

/// Returns the given numbers, or `None` if a cell or pair is given twice or a domino is not valid.
fn readable(case: &Case) -> Option<[u8; 81]> {
    let mut cells = [0; 81];
    let mut pairs = Vec::new();
    let singles = case.singles.iter().zip(1..).map(|(&cell, digit)| (cell, digit));
    let halves = case.dominoes.iter().flat_map(|domino| domino.cells.into_iter().zip(domino.digits));
    for (cell, digit) in singles.chain(halves) {
        let cell = cells.get_mut(usize::from(cell)).filter(|cell| **cell == 0)?;
        *cell = Some(digit).filter(|digit| (1..=9).contains(digit))?;
    }
    for domino in &case.dominoes {
        let [a, b] = domino.cells.map(usize::from);
        let distance = row_of(a).abs_diff(row_of(b)) + column_of(a).abs_diff(column_of(b));
        let mut pair = domino.digits;
        pair.sort_unstable();
        if distance != 1 || pair[0] == pair[1] || pairs.contains(&pair) {
            return None;
        }
        pairs.push(pair);
    }
    Some(cells)
}

fn fits(cells: &[u8; 81], cell: usize, digit: u8) -> bool {
    (0..81).all(|other| {
        other == cell
            || cells[other] != digit
            || (row_of(other) != row_of(cell)
                && column_of(other) != column_of(cell)
                && box_of(other) != box_of(cell))
    })
}

fn complete(cells: &mut [u8; 81], grids: &mut Vec<[u8; 81]>) {
    let clash = |cell: &usize| cells[*cell] != 0 && !fits(cells, *cell, cells[*cell]);
    if (0..81).any(|cell| clash(&cell)) {
        return;
    }
    let blanks = (0..81).filter(|&cell| cells[cell] == 0);
    let Some(cell) = blanks.min_by_key(|&cell| (1..=9).filter(|&digit| fits(cells, cell, digit)).count())
    else {
        grids.push(*cells);
        return;
    };
    for digit in 1..=9 {
        if fits(cells, cell, digit) {
            cells[cell] = digit;
            complete(cells, grids);
            cells[cell] = 0;
        }
    }
}

fn can_be_covered(case: &Case, cells: &[u8; 81]) -> bool {
    let mut free = [true; 81];
    let mut pairs = Vec::new();
    for &cell in &case.singles {
        free[usize::from(cell)] = false;
    }
    for domino in &case.dominoes {
        for cell in domino.cells {
            free[usize::from(cell)] = false;
        }
        let [d, e] = domino.digits;
        pairs.push((d.min(e), d.max(e)));
    }
    cover(cells, &mut free, &mut pairs)
}

fn cover(cells: &[u8; 81], free: &mut [bool; 81], pairs: &mut Vec<(u8, u8)>) -> bool {
    let Some(cell) = (0..81).find(|&cell| free[cell]) else { return true };
    for (partner, on_grid) in [(cell + 1, column_of(cell) < 8), (cell + 9, row_of(cell) < 8)] {
        if !on_grid || !free[partner] {
            continue;
        }
        let pair = (cells[cell].min(cells[partner]), cells[cell].max(cells[partner]));
        if pairs.contains(&pair) {
            continue;
        }
        (free[cell], free[partner]) = (false, false);
        pairs.push(pair);
        if cover(cells, free, pairs) {
            return true;
        }
        pairs.pop();
        (free[cell], free[partner]) = (true, true);
    }
    false
}
