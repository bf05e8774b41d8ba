//! The rounds in which contenders take turns.
//!
//! Invariant: every entrant that has not failed has one time per round, so the times of two entrants can be paired.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::result::BenchRow;
use super::{BenchError, Watch};

/// A solver or a program that takes turns with others.
pub(super) trait Entrant {
    /// Returns the entrant's row, which records the times of its turns, or its failure.
    fn row(&mut self) -> &mut BenchRow;

    /// Gives the entrant a turn, unless it has failed already, and returns the value of `turn`. If `turn` returns an
    /// error, the entrant fails with that error. An interrupted turn is ignored, and this function fails.
    fn turn<T>(
        &mut self,
        stop: &AtomicBool,
        turn: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<Option<T>, BenchError> {
        if self.row().failure.is_some() {
            return Ok(None);
        }
        let done = turn(self);
        if stop.load(Ordering::Relaxed) {
            return Err(BenchError::Interrupted);
        }
        Ok(done.map_err(|why| self.row().fail(why)).ok())
    }
}

/// The rounds for one table: at least `fewest` of them, and more until the time is up.
pub(super) struct Rounds<'a> {
    stage: &'a str,
    time: Duration,
    fewest: usize,
    watch: Watch<'a>,
    started: Instant,
    /// Number of rounds so far.
    pub taken: usize,
}

impl<'a> Rounds<'a> {
    pub fn new(stage: &'a str, time: Duration, fewest: usize, watch: Watch<'a>) -> Self {
        Self { stage, time, fewest, watch, started: Instant::now(), taken: 0 }
    }

    /// Returns whether there have been enough rounds, or all entrants have failed.
    pub fn are_over(&self, entrants: &mut [impl Entrant]) -> bool {
        let rounds = self.taken as f64 / self.fewest as f64;
        let time = self.started.elapsed().as_secs_f64() / self.time.as_secs_f64().max(1e-9);
        let done = rounds.min(time);
        (self.watch.progress)(self.stage, done);
        done >= 1.0 || entrants.iter_mut().all(|entrant| entrant.row().failure.is_some())
    }

    /// Runs a round by calling `turn` for each entrant; `turn` returns the time taken.
    pub fn take<E: Entrant>(
        &mut self,
        entrants: &mut [E],
        mut turn: impl FnMut(&mut E) -> Result<Duration, String>,
    ) -> Result<(), BenchError> {
        for at in 0..entrants.len() {
            let place = (at + self.taken) % entrants.len();
            let entrant = &mut entrants[place];
            let time = entrant.turn(self.watch.stop, &mut turn)?;
            entrant.row().times.extend(time.map(|time| time.as_secs_f64()));
        }
        self.taken += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Entrant for BenchRow {
        fn row(&mut self) -> &mut BenchRow {
            self
        }
    }

    /// Runs up to this many rounds; `turn` receives the number of the round.
    fn take(
        entrants: &mut [BenchRow],
        fewest: usize,
        mut turn: impl FnMut(&str, usize) -> Result<Duration, String>,
    ) -> usize {
        let watch = Watch { progress: &|_, _| (), stop: &std::sync::Arc::default() };
        let mut rounds = Rounds::new("", Duration::ZERO, fewest, watch);
        while !rounds.are_over(entrants) {
            let round = rounds.taken + 1;
            rounds.take(entrants, |row| turn(&row.name, round)).unwrap();
        }
        rounds.taken
    }

    fn entrants(names: &str) -> Vec<BenchRow> {
        names.chars().map(|name| BenchRow { name: name.into(), ..BenchRow::default() }).collect()
    }

    #[test]
    fn the_order_rotates() {
        let mut turns = String::new();
        let taken = take(&mut entrants("abc"), 4, |name, round| {
            turns += &format!("{name}{round} ");
            Ok(Duration::ZERO)
        });
        assert_eq!((taken, &*turns), (4, "a1 b1 c1 b2 c2 a2 c3 a3 b3 a4 b4 c4 "));
    }

    #[test]
    fn a_contender_that_fails_is_left_out() {
        let mut entrants = entrants("abc");
        let taken = take(&mut entrants, 5, |name, round| match (name, round) {
            ("b", 3) => Err("tired".to_owned()),
            _ => Ok(Duration::from_secs(round as u64)),
        });
        assert_eq!((taken, &entrants[0].times[..]), (5, &[1.0, 2.0, 3.0, 4.0, 5.0][..]));
        assert_eq!(entrants[0].times, entrants[2].times);
        assert_eq!((entrants[1].failure.as_deref(), entrants[1].times.len()), (Some("tired"), 0));
        // The rounds end when all entrants have failed.
        assert_eq!(take(&mut entrants[1..2], 5, |_, _| Ok(Duration::ZERO)), 0);
    }

    #[test]
    fn an_interrupted_turn_ends_the_rounds_and_is_no_failure() {
        let stop = AtomicBool::new(false);
        let mut entrant = BenchRow::default();
        let ended = entrant.turn(&stop, |_| {
            stop.store(true, Ordering::Relaxed);
            Err::<(), _>(String::new())
        });
        assert!(matches!(ended, Err(BenchError::Interrupted)) && entrant.failure.is_none());
    }
}
