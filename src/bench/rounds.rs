//! The rounds in which contenders take turns.
//!
//! Invariant: after [`Rounds::take`] every entrant without a failure has one time for each round, so that the times of
//! two entrants are pairs.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Interrupted, Watch};

/// A contender with its times or its failure.
pub(super) struct Entrant<C> {
    pub contender: C,
    /// Seconds of each round; empty after a failure.
    pub seconds: Vec<f64>,
    pub failure: Option<String>,
}

impl<C> Entrant<C> {
    pub fn new(contender: C) -> Self {
        Self { contender, seconds: Vec::new(), failure: None }
    }

    /// Gives it a turn, unless it has failed. Returns the value of `turn`, if that does not fail.
    pub fn turn<T>(
        &mut self,
        turn: impl FnOnce(&mut C) -> Result<T, Miss>,
    ) -> Result<Option<T>, Interrupted> {
        if self.failure.is_some() {
            return Ok(None);
        }
        match turn(&mut self.contender) {
            Ok(done) => Ok(Some(done)),
            Err(Miss::Failed(why)) => {
                self.fail(why);
                Ok(None)
            }
            Err(Miss::Interrupted) => Err(Interrupted),
        }
    }

    /// Marks it as failed, so that it gets no more turns.
    pub fn fail(&mut self, why: String) {
        self.seconds.clear();
        self.failure = Some(why);
    }
}

/// Why a turn has no time.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Miss {
    /// The contender failed.
    Failed(String),
    /// The stop flag was raised.
    Interrupted,
}

/// The rounds of one table: at least `fewest`, and until the time is over.
pub(super) struct Rounds<'a> {
    /// The stage for the observer.
    pub stage: &'a str,
    pub time: Duration,
    pub fewest: usize,
    pub watch: Watch<'a>,
}

impl Rounds<'_> {
    /// Takes the rounds and returns their number. `deal` prepares, untimed, the slice of a round; `turn` gives it to one
    /// contender and returns the time.
    pub fn take<C, S>(
        &self,
        entrants: &mut [Entrant<C>],
        slice: &mut S,
        mut deal: impl FnMut(&mut S),
        mut turn: impl FnMut(&mut C, &S) -> Result<Duration, Miss>,
    ) -> Result<usize, Interrupted> {
        let started = Instant::now();
        let mut round = 0;
        while entrants.iter().any(|entrant| entrant.failure.is_none()) {
            let done = self.share_done(round, started.elapsed());
            self.watch.observer.progress(self.stage, done);
            if done >= 1.0 {
                break;
            }
            deal(slice);
            for at in 0..entrants.len() {
                if self.watch.stop.load(Ordering::Relaxed) {
                    return Err(Interrupted);
                }
                let place = (at + round) % entrants.len();
                let entrant = &mut entrants[place];
                let time = entrant.turn(|contender| turn(contender, slice))?;
                entrant.seconds.extend(time.map(|time| time.as_secs_f64()));
            }
            round += 1;
        }
        Ok(round)
    }

    fn share_done(&self, round: usize, elapsed: Duration) -> f64 {
        let rounds = round as f64 / self.fewest as f64;
        let time = elapsed.as_secs_f64() / self.time.as_secs_f64().max(1e-9);
        rounds.min(time)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn take(
        entrants: &mut [Entrant<char>],
        rounds: usize,
        turn: impl FnMut(&mut char, &usize) -> Result<Duration, Miss>,
    ) -> Result<usize, Interrupted> {
        let watch = Watch { observer: &(), stop: &Arc::default() };
        Rounds { stage: "", time: Duration::ZERO, fewest: rounds, watch }.take(
            entrants,
            &mut 0,
            |slice| *slice += 1,
            turn,
        )
    }

    fn entrants(names: &str) -> Vec<Entrant<char>> {
        names.chars().map(Entrant::new).collect()
    }

    #[test]
    fn the_order_rotates_and_all_get_the_same_slice() {
        let mut turns = String::new();
        let taken = take(&mut entrants("abc"), 4, |name, slice| {
            turns += &format!("{name}{slice} ");
            Ok(Duration::ZERO)
        });
        assert_eq!(taken, Ok(4));
        assert_eq!(turns, "a1 b1 c1 b2 c2 a2 c3 a3 b3 a4 b4 c4 ");
    }

    #[test]
    fn a_contender_that_fails_is_left_out() {
        let mut entrants = entrants("abc");
        let taken = take(&mut entrants, 5, |&mut name, &slice| match (name, slice) {
            ('b', 3) => Err(Miss::Failed("tired".to_owned())),
            _ => Ok(Duration::from_secs(slice as u64)),
        });
        assert_eq!(taken, Ok(5));
        assert_eq!(entrants[0].seconds, [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(entrants[0].seconds, entrants[2].seconds);
        assert_eq!((entrants[1].failure.as_deref(), entrants[1].seconds.len()), (Some("tired"), 0));
    }

    #[test]
    fn rounds_end_when_all_have_failed() {
        assert_eq!(take(&mut entrants("ab"), 5, |_, _| Err(Miss::Failed(String::new()))), Ok(1));
        assert_eq!(take(&mut [], 5, |_, _| Ok(Duration::ZERO)), Ok(0));
    }

    #[test]
    fn an_interrupted_turn_ends_the_rounds() {
        let mut turns = 0;
        let taken = take(&mut entrants("ab"), 5, |_, _| {
            turns += 1;
            Err(Miss::Interrupted)
        });
        assert_eq!((taken, turns), (Err(Interrupted), 1));
    }
}
