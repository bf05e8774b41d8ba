//! Puzzles whose solutions are known.
#![allow(dead_code, reason = "not every test file needs all of them")]

use batchdoku::generate::sudominoku::generate;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Project Euler 96, grid 01, and its published solution.
pub const UNIQUE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";
pub const ANSWER: &str = "483921657967345821251876493548132976729564138136798245372689514814253769695417382";

/// Returns `ANSWER` with the rectangle of 4 and 2 in rows 4 and 5, columns 2 and 6 left blank. Also returns its other
/// solution, which is the smaller number.
pub fn double() -> (String, String) {
    let mut puzzle = ANSWER.as_bytes().to_vec();
    let mut smallest = puzzle.clone();
    for (cell, digit) in [(28, b'2'), (32, b'4'), (37, b'4'), (41, b'2')] {
        puzzle[cell] = b'.';
        smallest[cell] = digit;
    }
    (String::from_utf8(puzzle).unwrap(), String::from_utf8(smallest).unwrap())
}

/// Returns a puzzle that has no solution, although no two clues clash. Row 1 lacks only a 9, but the column of its
/// blank cell has a 9 in row 6.
pub fn unsolvable() -> String {
    format!("12345678{}9{}", ".".repeat(45), ".".repeat(27))
}

/// Returns a puzzle as nine lines.
pub fn grid(puzzle: &str) -> String {
    (0..9).map(|row| format!("{}\n", &puzzle[9 * row..9 * row + 9])).collect()
}

/// Returns a table with a puzzle for each status of most jobs, and a letter for each row.
pub fn of_every_status() -> String {
    let clash = format!("11{}", ".".repeat(79));
    format!("puzzle,x\n{UNIQUE},a\n{},b\n{},c\n{clash},d\n12,e\n", double().0, unsolvable())
}

/// Returns a Sudominoku case.
pub fn case() -> String {
    generate(&mut Xoshiro256PlusPlus::seed_from_u64(1), 36).to_string()
}
