//! Seeded random choices. They are sampled here so that seeds stay valid; a library's sampling could change.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Makes a seed to which numbers can be added. People tend to pick consecutive seeds; this moves them far apart.
pub(crate) fn spread(seed: u64) -> u64 {
    Xoshiro256PlusPlus::seed_from_u64(seed).next_u64()
}

/// Draws a number from 0 to `bound - 1`, uniformly except for a bias below `bound / 2^64`.
pub(crate) fn below(rng: &mut impl Rng, bound: usize) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

/// Shuffles the items (Fisher-Yates).
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_of_three_come_up_about_equally_often() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            shuffle(&mut items, &mut rng);
            *seen.entry(items).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|count| (850..1150).contains(count)), "{seen:?}");
    }
}
