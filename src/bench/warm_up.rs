//! The warm-up: every contender solves every puzzle once, and every answer is checked.
//!
//! A solution must pass the verifier, which shares no code with the solvers. Verdicts cannot be verified in this way,
//! but all solvers that finish must agree on them. If one solver finds a solution where another says there is none, the
//! latter is wrong. In any other disagreement, the later solver counts as wrong.

use std::time::Duration;

use super::contender::Contender;
use super::rounds::Entrant;
use super::{BenchError, Watch};
use crate::solver::{Limits, Outcome, Verdict};
use crate::sudoku::Grid;
use crate::sudoku::verifier;

/// A summary of a contender's answers.
#[derive(Default)]
struct Score {
    time: Duration,
    guesses: u64,
    without_guess: usize,
    unfinished: usize,
    wrong: u64,
    first_wrong: Option<String>,
}

/// Solves all puzzles in slices of `size`, and records the guess figures or the failure in each row. Returns each
/// contender's seconds per puzzle and, for each puzzle, the verdict of the first contender with a correct answer.
pub(super) fn run(
    puzzles: &[Grid],
    contenders: &mut [Contender],
    size: usize,
    limits: &Limits,
    watch: Watch<'_>,
) -> Result<(Vec<f64>, Vec<Verdict>), BenchError> {
    let count = puzzles.len() as f64;
    let mut scores: Vec<Score> = contenders.iter().map(|_| Score::default()).collect();
    let mut verdicts = Vec::with_capacity(puzzles.len());
    for slice in puzzles.chunks(size) {
        (watch.progress)("warm-up", verdicts.len() as f64 / count);
        let mut all_outcomes = Vec::with_capacity(contenders.len());
        for (contender, score) in contenders.iter_mut().zip(&mut scores) {
            let solved = contender.turn(watch.stop, |contender| {
                let time = contender.solve(slice, limits)?;
                Ok((time, contender.outcomes()))
            })?;
            let (time, outcomes) = solved.unwrap_or_default();
            score.add(time, &outcomes);
            all_outcomes.push(outcomes);
        }
        for (at, puzzle) in slice.iter().enumerate() {
            let answers: Vec<_> = all_outcomes.iter().map(|outcomes| outcomes.get(at)).collect();
            verdicts.push(judge(puzzle, &answers, |who, why| scores[who].blame(puzzle, why)));
        }
    }
    for (Contender { row, .. }, score) in contenders.iter_mut().zip(&scores) {
        if let Some(first) = &score.first_wrong {
            row.fail(format!("{} of {} answers are wrong, the first: {first}", score.wrong, puzzles.len()));
        } else if row.failure.is_none() {
            row.guesses_per_puzzle = Some(score.guesses as f64 / count);
            row.percent_without_guess = Some(100.0 * score.without_guess as f64 / count);
            row.unfinished = Some(score.unfinished);
        }
    }
    Ok((scores.iter().map(|score| score.time.as_secs_f64() / count).collect(), verdicts))
}

impl Score {
    fn add(&mut self, time: Duration, outcomes: &[Outcome]) {
        self.time += time;
        self.guesses += outcomes.iter().map(|outcome| outcome.guesses).sum::<u64>();
        self.without_guess += outcomes.iter().filter(|outcome| outcome.guesses == 0).count();
        self.unfinished += outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Unfinished).count();
    }

    fn blame(&mut self, puzzle: &Grid, why: &str) {
        self.wrong += 1;
        self.first_wrong.get_or_insert_with(|| format!("{puzzle}: {why}"));
    }
}

/// Finds the wrong answers to a puzzle and returns the puzzle's verdict.
fn judge(puzzle: &Grid, answers: &[Option<&Outcome>], mut blame: impl FnMut(usize, &str)) -> Verdict {
    let mut sound: Vec<(usize, &Outcome)> = Vec::with_capacity(answers.len());
    for (who, answer) in answers.iter().enumerate() {
        let Some(answer) = answer else { continue };
        match fault_of(puzzle, answer) {
            Some(why) => blame(who, why),
            None if answer.verdict == Verdict::Unfinished => {}
            None => sound.push((who, answer)),
        }
    }
    let solvable = sound.iter().any(|(_, answer)| answer.solution.is_some());
    let mut truth: Option<&Outcome> = None;
    for (who, answer) in sound {
        if solvable && answer.solution.is_none() {
            blame(who, "says that there is no solution, but there is one");
            continue;
        }
        let truth = *truth.get_or_insert(answer);
        if (truth.verdict, truth.solutions) != (answer.verdict, answer.solutions) {
            blame(who, "says another number of solutions than the contenders before it");
        }
    }
    truth.map_or(Verdict::Unfinished, |truth| truth.verdict)
}

/// Returns what is wrong with an answer on its own, without comparing it to other answers.
fn fault_of(puzzle: &Grid, answer: &Outcome) -> Option<&'static str> {
    match (answer.verdict, &answer.solution) {
        (Verdict::Unsolvable | Verdict::Unfinished, None) => None,
        (Verdict::Unsolvable | Verdict::Unfinished, Some(_)) => {
            Some("says that there is no solution, but gives one")
        }
        (Verdict::InternalError, _) => Some("reports an internal error"),
        (_, None) => Some("says that there is a solution, but gives none"),
        (_, Some(solution)) if verifier::sudoku(puzzle, solution) => None,
        (_, Some(_)) => Some("gives a wrong solution"),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    use super::*;
    use crate::jobs::failpoints::{Failure, Failures, faulty};
    use crate::solver::Backend;

    #[test]
    fn the_wrong_are_found_and_their_first_wrong_answer_is_shown() {
        let honest = Failure::Answer(|_| {});
        let shy = Failure::Answer(|it| (it.verdict, it.solution) = (Verdict::Unfinished, None));
        let unique = Failure::Answer(|outcome| {
            if outcome.verdict == Verdict::Multiple {
                (outcome.verdict, outcome.solutions) = (Verdict::Unique, 1);
            }
        });
        let contradict = Failure::Answer(|outcome| outcome.verdict = Verdict::Unsolvable);
        let unique_puzzle =
            "1.3...5.9..21.94.....7.4...3..5.2..6.6.....5.7..8.3..4...4.1.....92.58..8.4...1.7";
        let unsolvable = format!("12345678.........9{}", ".".repeat(63));
        let puzzles = [unique_puzzle.parse().unwrap(), unsolvable.parse().unwrap(), Grid::EMPTY];
        let truth = [Verdict::Unique, Verdict::Unsolvable, Verdict::Multiple];
        for (failures, wrong, why, verdicts) in [
            ([honest, honest], [0, 0], "", truth),
            ([shy, honest], [0, 0], "", truth),
            ([shy, shy], [0, 0], "", [Verdict::Unfinished; 3]),
            ([Failure::WRONG_DIGIT, honest], [2, 0], "gives a wrong solution", truth),
            // A solver that wrongly reports that there is no solution is blamed, even if it comes first.
            (
                [Failure::UNSOLVABLE, honest],
                [2, 0],
                "says that there is no solution, but there is one",
                truth,
            ),
            // If two solution counts differ, the later one counts as wrong.
            (
                [honest, unique],
                [0, 1],
                "says another number of solutions than the contenders before it",
                truth,
            ),
            ([honest, Failure::MISSING], [0, 2], "says that there is a solution, but gives none", truth),
            ([honest, contradict], [0, 2], "says that there is no solution, but gives one", truth),
        ] {
            let mut contenders = failures.map(|failure| {
                let failures: Failures = Arc::new(puzzles.map(|puzzle| (puzzle, failure)).into());
                let solver = || faulty(Backend::SCALAR, &failures);
                Contender::new("faulty", NonZeroUsize::MIN, solver).unwrap()
            });
            let watch = Watch { progress: &|_, _| (), stop: &Arc::default() };
            let (_, judged) = run(&puzzles, &mut contenders, 2, &Limits::default(), watch).unwrap();
            assert_eq!(judged, verdicts, "{why}");
            for (contender, wrong) in contenders.iter().zip(wrong) {
                let first = &puzzles[if wrong == 1 { 2 } else { 0 }];
                let failure = format!("{wrong} of 3 answers are wrong, the first: {first}: {why}");
                assert_eq!(contender.row.failure, (wrong > 0).then_some(failure));
            }
        }
    }
}
