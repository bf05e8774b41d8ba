//! The `sudoku` crate as a program for `batchdoku bench --against`. It solves every line of a file, proves uniqueness,
//! and writes `puzzle,solution` lines; the solution is left empty unless there is exactly one.
//!
//! `sudoku_lines IN OUT`

use std::env;
use std::fs;
use std::io;
use std::process::ExitCode;

use sudoku::Sudoku;

fn main() -> ExitCode {
    let [_, input, output] = &env::args().collect::<Vec<_>>()[..] else {
        eprintln!("usage: sudoku_lines IN OUT");
        return ExitCode::FAILURE;
    };
    match solve(input, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sudoku_lines: {error}");
            ExitCode::FAILURE
        }
    }
}

fn solve(input: &str, output: &str) -> io::Result<()> {
    let text = fs::read_to_string(input)?;
    let mut lines = String::with_capacity(2 * text.len() + text.len() / 40);
    for line in text.lines() {
        let puzzle = Sudoku::from_str_line(line).map_err(io::Error::other)?;
        lines.push_str(line);
        lines.push(',');
        if let Some(solution) = puzzle.solution() {
            lines.push_str(&solution.to_str_line());
        }
        lines.push('\n');
    }
    fs::write(output, lines)
}
