//! Sudominoku as other rooms see it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::kinds::sudominoku::generate::generate;
use crate::kinds::sudominoku::solver::{Solutions, solve_until};
use crate::kinds::sudominoku::sudoku::{Case, verifier};
use crate::record::{FaultKind, KindFacts, Label, PuzzleKind, Severity, Variant};
use crate::solver::{Limits, Outcome};
use crate::sudoku::Grid;

/// The number of dominoes in a generated case, if that many make it unique; the smallest number in BOJ 4574.
const DOMINOES: usize = 10;

/// The facts about this kind.
pub const FACTS: KindFacts = KindFacts {
    word: Label::new("sudominoku", "sudoku with 36 dominoes", Severity::Answered),
    title: "Sudominoku",
    parts: "dominoes",
    format: Some("cases"),
    generate: Some((
        |rng| format!("{}\n", generate(rng, DOMINOES)),
        "Sudominoku cases with as few as 10 dominoes, in the format of BOJ 4574",
    )),
};

impl Variant for Case {
    fn kind(&self) -> PuzzleKind {
        PuzzleKind::Sudominoku
    }

    fn clues(&self) -> Grid {
        self.givens()
    }

    fn refusal(&self, solution: &Grid) -> Option<FaultKind> {
        let why = "claimed solution: no cover by dominoes (expected each pair of digits once)";
        (!verifier::sudominoku(self, solution)).then_some(FaultKind::OfKind(why))
    }

    fn solve(&self, limits: &Limits, stop: &Arc<AtomicBool>) -> Outcome {
        solve_until(self, limits, stop)
    }

    fn solutions(&self, stop: &Arc<AtomicBool>) -> Box<dyn Iterator<Item = Grid> + Send> {
        let mut solutions = Solutions::new(self);
        solutions.stop_on(Arc::clone(stop));
        Box::new(solutions)
    }
}
