//! Oracles: solvers that are so simple that they are obviously correct. They share only plain data types with the
//! library.

use batchdoku::sudoku::Grid;

/// Returns the solutions of a sudoku, up to `limit` of them, in ascending order as 81-digit numbers.
///
/// Tries the cells in reading order and the digits from 1 up, so the first solution found is the smallest.
pub fn sudoku(puzzle: &Grid, limit: usize) -> Vec<[u8; 81]> {
    fn fits(cells: &[u8; 81], cell: usize, digit: u8) -> bool {
        (0..9).all(|i| {
            let in_row = cells[cell / 9 * 9 + i];
            let in_column = cells[i * 9 + cell % 9];
            let in_box = cells[cell / 27 * 27 + cell % 9 / 3 * 3 + i / 3 * 9 + i % 3];
            in_row != digit && in_column != digit && in_box != digit
        })
    }
    fn fill(cells: &mut [u8; 81], from: usize, limit: usize, found: &mut Vec<[u8; 81]>) {
        let Some(cell) = (from..81).find(|&cell| cells[cell] == 0) else {
            found.push(*cells);
            return;
        };
        for digit in 1..=9 {
            if found.len() < limit && fits(cells, cell, digit) {
                cells[cell] = digit;
                fill(cells, cell + 1, limit, found);
                cells[cell] = 0;
            }
        }
    }
    let clues = puzzle.cells();
    for cell in 0..81 {
        let mut others = *clues;
        others[cell] = 0;
        if clues[cell] != 0 && !fits(&others, cell, clues[cell]) {
            return Vec::new();
        }
    }
    let mut found = Vec::new();
    fill(&mut { *clues }, 0, limit, &mut found);
    found
}
