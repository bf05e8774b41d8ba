//! Dividing the time of a search among the puzzles.

use std::time::Duration;

/// The time shares of the puzzles in the lanes: every occupied lane gets an equal share of each round.
///
/// The rounds are counted, and the clock is read only at the start and the end. All rounds take nearly the same time,
/// whereas reading the clock once takes a fifth of the time that an easy puzzle takes.
#[derive(Default)]
pub(super) struct Shares {
    pub rounds: u64,
    /// The share, in rounds, of a lane that has been occupied from the start.
    given: f64,
    /// The share of a round that each occupied lane gets.
    part: f64,
}

impl Shares {
    /// The number of units in a round. A puzzle's time is kept in these units until the duration of a round is known.
    const UNITS: f64 = 1_048_576.0;

    /// Sets the lanes that share the rounds from now on.
    #[inline(always)]
    pub fn divide(&mut self, occupied: u32) {
        self.part = 1.0 / f64::from(occupied.count_ones());
    }

    #[inline(always)]
    pub fn round(&mut self) {
        self.rounds += 1;
        self.given += self.part;
    }

    /// Returns the share of a lane that has been occupied from the start.
    #[inline(always)]
    pub fn given(&self) -> f64 {
        self.given
    }

    /// Returns the share of a lane that was loaded at `since`.
    #[inline(always)]
    pub fn of(&self, since: f64) -> u64 {
        ((self.given - since) * Self::UNITS) as u64
    }

    /// Returns the share that corresponds to `time`; `elapsed` is the duration of the search so far.
    pub fn of_time(&self, time: Duration, elapsed: Duration) -> u64 {
        let rounds = time.as_secs_f64() / elapsed.as_secs_f64().max(f64::MIN_POSITIVE) * self.rounds as f64;
        (rounds * Self::UNITS) as u64
    }

    /// Converts shares to nanoseconds that add up to the time until this conversion ends. `cost` is the shortest time
    /// per puzzle that the conversion took in earlier calls, or infinity at first.
    pub fn finish(&self, elapsed: &dyn Fn() -> Duration, times: &mut [u64], cost: &mut f64) {
        let before = elapsed();
        let rest = if cost.is_finite() { *cost * times.len() as f64 } else { 0.0 };
        self.turn_to_nanoseconds(before.as_nanos() as f64 + rest, times);
        // With few puzzles, most of this time would be spent reading the clock.
        if times.len() >= 100 {
            let took = elapsed().saturating_sub(before);
            *cost = cost.min(took.as_nanos() as f64 / times.len() as f64);
        }
    }

    /// Converts shares to nanoseconds that add up to `whole`, rounded down.
    fn turn_to_nanoseconds(&self, whole: f64, times: &mut [u64]) {
        let factor = whole / (self.rounds.max(1) as f64 * Self::UNITS);
        let mut fraction = 0.0;
        let mut left = whole as u64;
        for share in &mut *times {
            let time = *share as f64 * factor + fraction;
            *share = time as u64;
            fraction = time - *share as f64;
            left = left.saturating_sub(*share);
        }
        // Shares are rounded down to units, so about a nanosecond is left over.
        if let Some(last) = times.last_mut() {
            *last += left;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Shares rounds equally among the occupied lanes, in integers: 720720 is divisible by every number from 1 to 16.
    #[test]
    fn a_round_is_shared_by_the_lanes_occupied() {
        const ROUND: u64 = 720_720;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
        for lanes in [1, 4, 8, 16] {
            let mut shares = Shares::default();
            // For each lane, the time at which its puzzle was loaded, and the expected share so far.
            let mut occupied: Vec<(f64, u64)> = vec![(shares.given(), 0); lanes];
            let (mut parts, mut expected) = (Vec::new(), Vec::new());
            let mut rounds = 0;
            while !occupied.is_empty() {
                shares.divide((1 << occupied.len()) - 1);
                for _ in 0..1 + random.next_u64() % 30 {
                    shares.round();
                    rounds += 1;
                    let among = occupied.len() as u64;
                    occupied.iter_mut().for_each(|(_, share)| *share += ROUND / among);
                }
                let (since, share) = occupied.swap_remove(random.next_u64() as usize % occupied.len());
                parts.push(shares.of(since));
                expected.push(share);
                if expected.len() < 200 {
                    occupied.push((shares.given(), 0));
                }
            }
            assert_eq!(expected.iter().sum::<u64>(), rounds * ROUND);
            // In the first case a round takes `ROUND` nanoseconds; in the second, an arbitrary time.
            for (whole, scale) in [(rounds * ROUND, 1.0), (1_234_567, 1_234_567.0 / (rounds * ROUND) as f64)]
            {
                let mut times = parts.clone();
                shares.turn_to_nanoseconds(whole as f64, &mut times);
                assert_eq!(times.iter().sum::<u64>(), whole);
                let last = expected.len() - 1;
                for (i, (&time, &expected)) in times.iter().zip(&expected).enumerate() {
                    let expected = expected as f64 * scale;
                    // Shares are rounded to a millionth of a round, and times to a nanosecond. The last puzzle gets the
                    // remainder.
                    let rounded = if i == last { last + 1 } else { 1 };
                    let tolerance = 2.0 + rounded as f64 * ROUND as f64 * scale / 1e6;
                    assert!((time as f64 - expected).abs() <= tolerance, "{time} {expected}");
                }
            }
        }
    }
}
