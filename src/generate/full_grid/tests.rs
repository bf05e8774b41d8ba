//! Compares the distribution of random grids with published counts.

use std::collections::BTreeMap;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::sudoku::verifier;

/// The classes of bands.
struct Kinds {
    tables: Tables,
    /// The classes: a pair of second and third boxes, the size of the class, and the number of ways to complete a band
    /// in it.
    classes: Vec<([Columns; 2], u128, u128)>,
}

impl Kinds {
    /// Finds the classes of a band's column choices under all symmetries that preserve the number of completions.
    fn new() -> Self {
        let tables = Tables::new();
        let partitions = &tables.partitions;
        let number =
            |first: &Columns, columns: &Columns| usize::from(tables.numbers[key(&powers_of(first), columns)]);
        let moved = |[second, third]: [Columns; 2]| {
            let relabelled =
                RELABELLINGS.map(|to| [FIRST, relabelled(&second, &to), relabelled(&third, &to)]);
            relabelled.into_iter().chain([[FIRST, third, second], [second, FIRST, third]])
        };
        let mut seen = vec![false; PARTITIONS * PARTITIONS];
        let mut classes = Vec::new();
        for start in 0..seen.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut found = vec![start];
            let mut next = 0;
            while let Some(&pair) = found.get(next) {
                for [first, second, third] in
                    moved([partitions[pair / PARTITIONS], partitions[pair % PARTITIONS]])
                {
                    let pair = number(&first, &second) * PARTITIONS + number(&first, &third);
                    if !std::mem::replace(&mut seen[pair], true) {
                        found.push(pair);
                    }
                }
                next += 1;
            }
            let boxes = [partitions[start / PARTITIONS], partitions[start % PARTITIONS]];
            classes.push((boxes, found.len() as u128, completions(&tables, boxes)));
        }
        Self { tables, classes }
    }
}

/// Counts the ways to fill the middle and bottom bands.
fn completions(tables: &Tables, [second, third]: [Columns; 2]) -> u128 {
    let splits = |columns: Columns| {
        let of = move |&bits: &u16| [split(&columns, bits), split(&columns, !bits)];
        tables.splits.iter().map(of).collect::<Vec<_>>()
    };
    let [firsts, seconds, thirds] = [FIRST, second, third].map(splits);
    let mut sum = 0;
    for a in &firsts {
        for b in &seconds {
            for c in &thirds {
                let ways = |i: usize| u128::from(tables.ways(&[a[i], b[i], c[i]]));
                sum += ways(0) * ways(1);
            }
        }
    }
    sum
}

/// Returns the smallest isomorph of a band, among those whose first box is 0 1 2, 3 4 5, 6 7 8.
fn class_of(band: &[[u8; 9]; 3]) -> [u8; 18] {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut least = [u8::MAX; 18];
    for boxes in ORDERS {
        for rows in ORDERS {
            for columns in ORDERS {
                let mut labels = [0; 10];
                for (label, i) in (0..9).enumerate() {
                    labels[usize::from(band[rows[i / 3]][3 * boxes[0] + columns[i % 3]])] = label as u8;
                }
                let mut text = [0; 18];
                for (place, number) in [(0, boxes[1]), (9, boxes[2])] {
                    let mut three =
                        [0, 1, 2].map(|i| rows.map(|row| labels[usize::from(band[row][3 * number + i])]));
                    three.sort_unstable();
                    text[place..place + 9].copy_from_slice(three.as_flattened());
                }
                least = least.min(text);
            }
        }
    }
    least
}

/// The numbers are published: there are 44 classes of columns and 416 classes of bands (Felgenhauer, Jarvis and
/// Russell, 2005). Together, the classes contain all grids.
#[test]
fn grids_are_as_many_as_published_and_every_class_of_bands_comes_up_as_often_as_it_should() {
    let kinds = Kinds::new();
    assert_eq!((kinds.tables.kinds.len(), kinds.classes.len()), (5, 44));
    let ways = |second: &Columns, third: &Columns| u128::from(kinds.tables.ways(&[FIRST, *second, *third]));
    let grids: u128 = kinds.classes.iter().map(|([b, c], size, grids)| size * ways(b, c) * grids).sum();
    // The columns of the first box are any of 1680; those of the other boxes can be in any order.
    assert_eq!(grids * 1680 * 36, 6_670_903_752_021_072_936_960);

    let mut expected = BTreeMap::new();
    for ([second, third], size, completions) in &kinds.classes {
        let mut filling = Filling::new(&[FIRST, *second, *third]);
        for picks in 0..9 * 27 {
            if filling.fill_first(picks / 27, picks % 27) {
                for flips in 0..filling.fill_others(0) {
                    filling.fill_others(flips);
                    *expected.entry(class_of(&filling.rows)).or_insert(0) += 3 * size * completions;
                }
            }
        }
    }
    assert_eq!(expected.len(), 416);
    assert_eq!(expected.values().sum::<u128>(), grids);

    let samples = 12_000;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let drawn: Vec<_> = (0..samples).map(|_| full_grid(&mut rng)).collect();
    assert!(drawn.iter().all(|grid| verifier::sudoku(&Grid::EMPTY, grid)));
    // For the top band, the bottom band and the second stack: the first cell, and the steps across and along.
    for (start, across, along) in [(0_usize, 9, 1), (54, 9, 1), (3, 1, 9)] {
        let mut found = BTreeMap::new();
        for grid in &drawn {
            let cell = |row: usize, column: usize| grid.get(start + across * row + along * column);
            let chute = [0, 1, 2].map(|row| std::array::from_fn(|column| cell(row, column)));
            *found.entry(class_of(&chute)).or_insert(0) += 1;
        }
        assert!(found.keys().all(|class| expected.contains_key(class)));
        let all = expected.iter().map(|(class, weight)| {
            let want = *weight as f64 / grids as f64 * f64::from(samples);
            (want, f64::from(found.get(class).copied().unwrap_or(0)))
        });
        // Rare classes are pooled.
        let (mut terms, rare): (Vec<_>, Vec<(f64, f64)>) = all.partition(|&(want, _)| want >= 5.0);
        terms.extend(rare.into_iter().reduce(|a, b| (a.0 + b.0, a.1 + b.1)));
        let square = terms.iter().map(|(want, have)| (have - want).powi(2) / want).sum::<f64>();
        let freedom = terms.len() as f64 - 1.0;
        let deviations = (square - freedom) / f64::sqrt(2.0 * freedom);
        assert!(deviations.abs() < 4.0, "{square} for {freedom} degrees of freedom");
    }
}
