//! The warm-up: every contender solves every puzzle once, and every answer is checked.
//!
//! A solution must pass the verifier, which shares nothing with the solvers. Verdicts cannot be verified like that, but
//! all solvers that finish must agree. A solver that denies a solution which another one shows is wrong; otherwise the
//! later one counts as wrong.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::contender::Contender;
use super::rounds::Entrant;
use super::{Interrupted, Watch};
use crate::solver::{Limits, Outcome, Verdict};
use crate::sudoku::Grid;
use crate::sudoku::verifier;

/// The figures of one entrant in the warm-up.
#[derive(Default)]
pub(super) struct Score {
    pub seconds: f64,
    pub guesses: u64,
    /// Puzzles solved without a guess.
    pub without_guess: u64,
    /// Puzzles that it gave up.
    pub unfinished: usize,
    wrong: u64,
    first_wrong: Option<String>,
}

/// Solves all puzzles in slices of `size`, and marks the entrants that fail. Returns the figures of each entrant, and the
/// verdict on each puzzle of the first entrant with a right answer.
pub(super) fn run(
    puzzles: &[Grid],
    entrants: &mut [Entrant<Contender>],
    size: usize,
    limits: &Limits,
    watch: Watch<'_>,
) -> Result<(Vec<Score>, Vec<Verdict>), Interrupted> {
    let mut scores: Vec<Score> = entrants.iter().map(|_| Score::default()).collect();
    let mut verdicts = Vec::with_capacity(puzzles.len());
    let mut outcomes = vec![Vec::new(); entrants.len()];
    for slice in puzzles.chunks(size) {
        watch.observer.progress("warm-up", verdicts.len() as f64 / puzzles.len() as f64);
        for ((entrant, score), outcomes) in entrants.iter_mut().zip(&mut scores).zip(&mut outcomes) {
            if watch.stop.load(Ordering::Relaxed) {
                return Err(Interrupted);
            }
            outcomes.clear();
            if let Some(time) = entrant.turn(|contender| contender.solve(slice, limits))? {
                outcomes.extend(entrant.contender.outcomes());
                score.add(time, outcomes);
            }
            // Outcomes of a search that was stopped are not judged.
            if watch.stop.load(Ordering::Relaxed) {
                return Err(Interrupted);
            }
        }
        for (at, puzzle) in slice.iter().enumerate() {
            let answers: Vec<_> = outcomes.iter().map(|outcomes| outcomes.get(at)).collect();
            verdicts.push(judge(puzzle, &answers, |who, why| scores[who].blame(puzzle, why)));
        }
    }
    for (entrant, score) in entrants.iter_mut().zip(&scores) {
        if let Some(first) = &score.first_wrong {
            let count = puzzles.len();
            entrant.fail(format!("{} of {count} answers are wrong, the first: {first}", score.wrong));
        }
    }
    Ok((scores, verdicts))
}

impl Score {
    fn add(&mut self, time: Duration, outcomes: &[Outcome]) {
        self.seconds += time.as_secs_f64();
        self.guesses += outcomes.iter().map(|outcome| outcome.guesses).sum::<u64>();
        self.without_guess += outcomes.iter().filter(|outcome| outcome.guesses == 0).count() as u64;
        let unfinished = |outcome: &&Outcome| outcome.verdict == Verdict::Unfinished;
        self.unfinished += outcomes.iter().filter(unfinished).count();
    }

    fn blame(&mut self, puzzle: &Grid, why: &str) {
        self.wrong += 1;
        self.first_wrong.get_or_insert_with(|| format!("{puzzle}: {why}"));
    }
}

/// Finds the wrong answers to a puzzle, and returns its verdict.
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

/// What is wrong with an answer, seen alone.
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
    use crate::solver::scalar::Scalar;
    use crate::solver::{Answers, BatchSolver};

    /// The scalar solver with changed outcomes.
    struct Spoilt(fn(usize, &mut Outcome));

    impl BatchSolver for Spoilt {
        fn solve(&mut self, puzzles: &[Grid], limits: &Limits, answers: &mut Answers) {
            let mut honest = Answers::default();
            Scalar::new().solve(puzzles, limits, &mut honest);
            for (at, mut outcome) in honest.iter().enumerate() {
                (self.0)(at, &mut outcome);
                answers.push(outcome);
            }
        }
    }

    /// One with a solution, one with none, one with several.
    fn puzzles() -> Vec<Grid> {
        vec![
            "103000509002109400000704000300502006060000050700803004000401000009205800804000107"
                .parse()
                .unwrap(),
            format!("12345678.........9{}", ".".repeat(63)).parse().unwrap(),
            Grid::EMPTY,
        ]
    }

    /// The failures of contenders, and the verdicts.
    fn failures(spoils: &[fn(usize, &mut Outcome)]) -> (Vec<Option<String>>, Vec<Verdict>) {
        let mut entrants: Vec<_> = spoils
            .iter()
            .map(|&spoil| {
                let solver = || -> Box<dyn BatchSolver> { Box::new(Spoilt(spoil)) };
                Entrant::new(Contender::new("spoilt", NonZeroUsize::MIN, solver).unwrap())
            })
            .collect();
        let watch = Watch { observer: &(), stop: &Arc::default() };
        let (_, verdicts) = run(&puzzles(), &mut entrants, 2, &Limits::default(), watch).unwrap();
        (entrants.into_iter().map(|entrant| entrant.failure).collect(), verdicts)
    }

    const HONEST: fn(usize, &mut Outcome) = |_, _| {};
    const TRUTH: [Verdict; 3] = [Verdict::Unique, Verdict::Unsolvable, Verdict::Multiple];

    #[test]
    fn the_honest_agree() {
        assert_eq!(failures(&[HONEST, HONEST]), (vec![None, None], TRUTH.to_vec()));
    }

    #[test]
    fn a_wrong_solution_is_counted_and_shown() {
        let swap: fn(usize, &mut Outcome) = |_, outcome| {
            if let Some(solution) = &mut outcome.solution {
                solution.set(0, solution.get(1));
            }
        };
        let (failures, verdicts) = failures(&[swap, HONEST]);
        let why = failures[0].as_deref().unwrap();
        assert!(why.starts_with("2 of 3 answers are wrong, the first: 1.3...5.9"), "{why}");
        assert!(why.ends_with("gives a wrong solution"), "{why}");
        assert_eq!((failures[1].as_deref(), &verdicts[..]), (None, &TRUTH[..]));
    }

    /// Even if it is the first one.
    #[test]
    fn a_solver_that_denies_a_solution_is_wrong() {
        let deny: fn(usize, &mut Outcome) = |_, outcome| {
            (outcome.verdict, outcome.solutions, outcome.solution) = (Verdict::Unsolvable, 0, None);
        };
        let (failures, verdicts) = failures(&[deny, HONEST]);
        assert!(failures[0].as_deref().unwrap().contains("says that there is no solution"));
        assert_eq!((failures[1].as_deref(), &verdicts[..]), (None, &TRUTH[..]));
    }

    #[test]
    fn of_two_numbers_of_solutions_the_later_is_wrong() {
        let unique: fn(usize, &mut Outcome) = |_, outcome| {
            if outcome.verdict == Verdict::Multiple {
                (outcome.verdict, outcome.solutions) = (Verdict::Unique, 1);
            }
        };
        let (failures, _) = failures(&[HONEST, unique]);
        assert_eq!(failures[0], None);
        assert!(failures[1].as_deref().unwrap().contains("another number of solutions"));
    }

    #[test]
    fn unfinished_searches_do_not_count() {
        let shy: fn(usize, &mut Outcome) =
            |_, outcome| (outcome.verdict, outcome.solution) = (Verdict::Unfinished, None);
        assert_eq!(failures(&[shy, HONEST]), (vec![None, None], TRUTH.to_vec()));
        assert_eq!(failures(&[shy]).1, [Verdict::Unfinished; 3]);
    }

    #[test]
    fn verdict_and_solution_must_agree() {
        let empty: fn(usize, &mut Outcome) = |_, outcome| outcome.solution = None;
        let deny: fn(usize, &mut Outcome) = |_, outcome| outcome.verdict = Verdict::Unsolvable;
        let (failures, _) = failures(&[empty, deny]);
        assert!(failures[0].as_deref().unwrap().ends_with("says that there is a solution, but gives none"));
        assert!(failures[1].as_deref().unwrap().ends_with("says that there is no solution, but gives one"));
    }
}
