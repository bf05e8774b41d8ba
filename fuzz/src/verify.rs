//! Verifies any puzzles with any claims: on every backend, `verify` must agree with simple checks and the scalar
//! solver.

use std::collections::BTreeSet;
use std::sync::Arc;

use batchdoku::input::ReadOptions;
use batchdoku::jobs::verify::Verify;
use batchdoku::solver::scalar::Scalar;
use batchdoku::solver::{Backend, Limits, Verdict};
use batchdoku::sudoku::{Grid, are_peers};

use super::draw::{Draw, MOST_GUESSES};
use super::pipeline::{run_job, search};

const MOST_CLAIMS: usize = 24;

/// The contents of the claim column.
enum Claim {
    Nothing,
    Cells(Grid),
    /// A text that is not a grid.
    Text(String),
}

/// Writes puzzles and claims as a table, and verifies it.
pub fn run(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let backends: Vec<_> = [None].into_iter().chain(Backend::available().into_iter().map(Some)).collect();
    let backend = draw.one_of(&backends);
    let recheck = draw.byte().is_multiple_of(4);
    let batch_bytes = draw.below(5000) + 1;
    let mut claims = Vec::new();
    while claims.is_empty() || !draw.is_over() && claims.len() < MOST_CLAIMS {
        let puzzle = draw.puzzle();
        let claim = claim(&mut draw, &puzzle);
        claims.push((puzzle, claim));
    }
    // A column without grids contains no claims.
    if !claims.iter().any(|(_, claim)| matches!(claim, Claim::Cells(_))) {
        claims.push((draw.puzzle(), Claim::Cells(draw.solved())));
    }
    let mut text = "puzzle,solution\n".to_owned();
    for (puzzle, claim) in &claims {
        let claim = match claim {
            Claim::Nothing => String::new(),
            Claim::Cells(grid) => grid.to_string(),
            Claim::Text(text) => text.clone(),
        };
        text += &format!("{puzzle},{claim}\n");
    }
    let job = Arc::new(Verify::new(backend.map(search), true).with_recheck(recheck));
    let options = ReadOptions::default();
    let (tally, out) = run_job(&job, text.as_bytes(), &options, "csv", batch_bytes).expect("it is a table");
    assert_eq!(tally.records, claims.len() as u64);
    let mut rows = csv::Reader::from_reader(&*out);
    let names = rows.headers().expect("there is a header").clone();
    let at = |name| names.iter().position(|column| column == name).expect("a column of verify");
    let mut count = 0;
    for (row, (puzzle, claim)) in rows.records().zip(&claims) {
        let row = row.expect("every row is UTF-8");
        let field = |name| &row[at(name)];
        count += 1;
        assert_eq!(field("puzzle"), puzzle.to_string());
        let status = field("status");
        assert!(
            status == "unfinished" || expected(puzzle, claim, backend.is_some()).contains(status),
            "{text}\n{row:?}"
        );
        assert_eq!(matches!(status, "wrong" | "invalid"), !field("error").is_empty(), "{row:?}");
        assert_eq!(status == "not-unique", !field("other").is_empty(), "{row:?}");
        if let ("not-unique", Claim::Cells(claim)) = (status, claim) {
            let other: Grid = field("other").parse().expect("81 digits");
            assert!(other != *claim && solves(puzzle, &other), "{row:?}");
        }
    }
    assert_eq!(count, claims.len());
}

/// Draws a claim for a puzzle.
fn claim(draw: &mut Draw<'_>, puzzle: &Grid) -> Claim {
    let solution = || Scalar::new().solve_one(puzzle, &limits()).solution;
    match draw.byte() % 8 {
        0 => Claim::Nothing,
        1 => Claim::Cells(draw.any_grid()),
        2 => Claim::Cells(draw.solved()),
        3 => {
            let length = draw.below(100);
            let text =
                (0..length).map(|_| draw.one_of(b"123456789.0 x\x07")).map(char::from).collect::<String>();
            let text = text.trim().to_owned();
            // A text that happens to be a grid, or is empty, is covered by another case.
            if text.is_empty() || text.len() == 81 { Claim::Nothing } else { Claim::Text(text) }
        }
        kind => {
            let Some(mut claim) = solution() else { return Claim::Nothing };
            match kind {
                // A different solution, if there are several.
                4 => claim = largest(puzzle).unwrap_or(claim),
                5 => draw.alter(&mut claim),
                // Two neighbouring cells in a box are swapped, so only two columns or two rows are wrong.
                6 => {
                    let (row, column) = (draw.below(9), draw.below(9));
                    let next = |index: usize| index / 3 * 3 + (index + 1) % 3;
                    let other = if draw.coin() { row * 9 + next(column) } else { next(row) * 9 + column };
                    let (a, b) = (claim.get(row * 9 + column), claim.get(other));
                    claim.set(row * 9 + column, b);
                    claim.set(other, a);
                }
                _ => {}
            }
            Claim::Cells(claim)
        }
    }
}

fn limits() -> Limits {
    Limits::default().with_max_guesses(MOST_GUESSES)
}

/// Returns the grid with every digit `d` replaced by `10 - d`.
fn mirror(grid: &Grid) -> Grid {
    let cells = grid.cells().map(|digit| if digit == 0 { 0 } else { 10 - digit });
    Grid::new(cells).expect("the digits are from 1 to 9 again")
}

fn largest(puzzle: &Grid) -> Option<Grid> {
    Scalar::new().solve_one(&mirror(puzzle), &limits()).solution.as_ref().map(mirror)
}

/// Returns whether no digit occurs twice in a house and every clue is kept.
fn solves(puzzle: &Grid, claim: &Grid) -> bool {
    let kept = |cell| [0, claim.get(cell)].contains(&puzzle.get(cell));
    (0..81).all(|cell| claim.get(cell) != 0 && kept(cell)) && !clashes(claim)
}

fn clashes(grid: &Grid) -> bool {
    let clash = |a: usize, b: usize| are_peers(a, b) && grid.get(a) != 0 && grid.get(a) == grid.get(b);
    (0..81).any(|a| (0..a).any(|b| clash(a, b)))
}

/// Returns whether a text is just the sign for a blank.
fn is_blank(text: &str) -> bool {
    matches!(text.as_bytes(), [byte] if batchdoku::sudoku::digit_of(*byte) == Some(0))
}

/// Returns the statuses that a row may have; there are several if the search gave up.
fn expected(puzzle: &Grid, claim: &Claim, is_searched: bool) -> BTreeSet<&'static str> {
    let mut expected = BTreeSet::new();
    let (checked, proven) = match claim {
        _ if clashes(puzzle) => return BTreeSet::from(["invalid"]),
        Claim::Nothing => ("missing", "missing"),
        Claim::Cells(grid) if grid.clues() == 0 => ("missing", "missing"),
        Claim::Text(text) if is_blank(text) => ("missing", "missing"),
        Claim::Cells(grid) if solves(puzzle, grid) => ("correct", "not-unique"),
        Claim::Cells(_) | Claim::Text(_) => ("wrong", "wrong"),
    };
    if !is_searched {
        return BTreeSet::from([checked]);
    }
    match Scalar::new().solve_one(puzzle, &limits()).verdict {
        Verdict::Unique => expected.insert(checked),
        Verdict::Multiple => expected.insert(proven),
        Verdict::Unsolvable => expected.insert("unsolvable"),
        _ => {
            expected.extend([checked, proven, "unsolvable"]);
            true
        }
    };
    expected
}
