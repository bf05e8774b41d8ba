use super::*;
use crate::input::MAX_LINE;
use crate::input::testing::{read, read_in};

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

#[test]
fn a_line_that_is_too_long_is_a_record() {
    let text = format!("{}\n{PUZZLE}\n", "x".repeat(MAX_LINE + 1));
    let found = read_in(&Units::new(Dialect::of(Framing::Line)), text.as_bytes(), text.len());
    assert_eq!(found.puzzles(), ["1:1048577: line longer than 1 MiB", PUZZLE]);
}

/// Grids that consist only of digits and dots take a fast path, which gives the same results.
#[test]
fn plain_grids_are_read_as_others_are() {
    let reader = Units::new(Dialect::of(Framing::Grid));
    for line_end in ["\n", "\r\n", " \n"] {
        let rows = PUZZLE.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap());
        let grid: String = rows.map(|row| row.to_owned() + line_end).collect();
        let text = format!("{grid}{}{line_end}{grid}", grid.replace('.', "0"));
        let found: Vec<_> = read(&reader, text).records.into_iter().map(|it| (it.line, it.puzzle)).collect();
        assert_eq!(found, [1, 10, 20].map(|line| (line, PUZZLE.to_owned())), "{line_end:?}");
        for at in 0..grid.len() {
            let damaged = format!("{}:{}", &grid[..at], &grid[at + 1..]);
            assert_eq!(reader.plain(damaged.as_bytes()), None, "{at}");
        }
    }
}
