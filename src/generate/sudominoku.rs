//! Random Sudominoku cases with a unique solution.

use std::io::{self, Write};
use std::num::NonZeroU64;

use rand_core::Rng;

use crate::grid::{CELLS, Case, Domino, box_of, cell_name, column_of, row_of};
use crate::solver::sudominoku::solve;
use crate::solver::{Limits, Verdict};

const TRIES: usize = 20;

/// Makes one case.
pub fn generate(rng: &mut impl Rng, target_dominoes: usize) -> Case {
    let mut fewest: Option<Case> = None;
    for _ in 0..TRIES {
        let case = hide(complete_case(rng), target_dominoes, rng);
        if case.dominoes.len() <= target_dominoes {
            return case;
        }
        if fewest.as_ref().is_none_or(|best| case.dominoes.len() < best.dominoes.len()) {
            fewest = Some(case);
        }
    }
    fewest.expect("every try makes a case")
}

/// A case with all 36 dominoes.
pub fn complete_case(rng: &mut impl Rng) -> Case {
    loop {
        if let Some(case) = cover(&solved_grid(rng), rng) {
            return case;
        }
    }
}

fn hide(mut case: Case, target: usize, rng: &mut impl Rng) -> Case {
    shuffle(&mut case.dominoes, rng);
    let mut next = 0;
    while case.dominoes.len() > target && next < case.dominoes.len() {
        let hidden = case.dominoes.swap_remove(next);
        if solve(&case, &Limits::default()).verdict != Verdict::Unique {
            case.dominoes.push(hidden);
            let last = case.dominoes.len() - 1;
            case.dominoes.swap(next, last);
            next += 1;
        }
    }
    case
}

/// A random solved sudoku, as digits 1 to 9.
fn solved_grid(rng: &mut impl Rng) -> [u8; CELLS] {
    fn fill(cells: &mut [u8; CELLS], rng: &mut impl Rng) -> bool {
        let mut fewest = (10, 0, 0);
        for cell in (0..CELLS).filter(|&cell| cells[cell] == 0) {
            let mut free = 0x3fe_u16;
            for other in 0..CELLS {
                if row_of(cell) == row_of(other)
                    || column_of(cell) == column_of(other)
                    || box_of(cell) == box_of(other)
                {
                    free &= !(1 << cells[other]);
                }
            }
            if free.count_ones() < fewest.0 {
                fewest = (free.count_ones(), cell, free);
            }
        }
        let (count, cell, free) = fewest;
        if count == 10 {
            return true;
        }
        let mut digits: Vec<u8> = (1..=9).filter(|digit| free & 1 << digit != 0).collect();
        shuffle(&mut digits, rng);
        for digit in digits {
            cells[cell] = digit;
            if fill(cells, rng) {
                return true;
            }
        }
        cells[cell] = 0;
        false
    }
    let mut cells = [0; CELLS];
    fill(&mut cells, rng);
    cells
}

const ITEMS: usize = CELLS + 36 + 9;

#[derive(Clone)]
struct Cover {
    /// Options not excluded.
    alive: [u64; 4],
    /// Alive options of each item; u8::MAX once covered.
    counts: [u8; ITEMS],
}

fn cover(grid: &[u8; CELLS], rng: &mut impl Rng) -> Option<Case> {
    // options
    let pair_item = |d: u8, e: u8| {
        let (low, high) = (usize::from(d.min(e)), usize::from(d.max(e)));
        CELLS + (high - 1) * (high - 2) / 2 + low - 1
    };
    let mut options: Vec<[usize; 3]> = Vec::new();
    for cell in 0..CELLS {
        if column_of(cell) < 8 {
            options.push([cell, cell + 1, pair_item(grid[cell], grid[cell + 1])]);
        }
        if row_of(cell) < 8 {
            options.push([cell, cell + 9, pair_item(grid[cell], grid[cell + 9])]);
        }
        let single = CELLS + 36 + usize::from(grid[cell]) - 1;
        options.push([cell, single, single]);
    }
    shuffle(&mut options, rng);
    let mut of_item = vec![[0_u64; 4]; ITEMS];
    for (option, items) in options.iter().enumerate() {
        for &item in items {
            of_item[item][option / 64] |= 1 << (option % 64);
        }
    }
    let mut order: Vec<usize> = (0..ITEMS).collect();
    shuffle(&mut order, rng);
    let mut start = Cover { alive: [0; 4], counts: [0; ITEMS] };
    for option in 0..options.len() {
        start.alive[option / 64] |= 1 << (option % 64);
    }
    for item in 0..ITEMS {
        start.counts[item] = of_item[item].iter().map(|word| word.count_ones() as u8).sum();
    }
    let mut chosen = Vec::new();
    let mut budget = 20_000;
    let r = extend(&start, &options, &of_item, &order, &mut chosen, &mut budget);
    if std::env::var("COV").is_ok() {
        eprintln!("{r:?} left {budget}");
    }
    if r != Some(true) {
        return None;
    }
    let mut case = Case { dominoes: Vec::new(), singles: [0; 9] };
    for option in chosen {
        let [a, b, _] = options[option];
        if b < CELLS {
            case.dominoes.push(Domino { cells: [a as u8, b as u8], digits: [grid[a], grid[b]] });
        } else {
            case.singles[usize::from(grid[a]) - 1] = a as u8;
        }
    }
    Some(case)
}

fn extend(
    state: &Cover,
    options: &[[usize; 3]],
    of_item: &[[u64; 4]],
    order: &[usize],
    chosen: &mut Vec<usize>,
    budget: &mut u32,
) -> Option<bool> {
    let Some(&item) = order.iter().min_by_key(|&&item| state.counts[item]) else { return Some(true) };
    match state.counts[item] {
        0 => return Some(false),
        u8::MAX => return Some(true),
        _ => {}
    }
    if *budget == 0 {
        return None;
    }
    *budget -= 1;
    for word in 0..4 {
        let mut bits = of_item[item][word] & state.alive[word];
        while bits != 0 {
            let option = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let mut child = state.clone();
            for w in 0..4 {
                let conflict = options[option].iter().fold(0, |all, &item| all | of_item[item][w]);
                let mut gone = child.alive[w] & conflict;
                child.alive[w] &= !conflict;
                while gone != 0 {
                    let other = w * 64 + gone.trailing_zeros() as usize;
                    gone &= gone - 1;
                    let [a, b, c] = options[other];
                    child.counts[a] = child.counts[a].saturating_sub(1);
                    child.counts[b] = child.counts[b].saturating_sub(1);
                    if c != b {
                        child.counts[c] = child.counts[c].saturating_sub(1);
                    }
                }
            }
            for &item in &options[option] {
                child.counts[item] = u8::MAX;
            }
            chosen.push(option);
            match extend(&child, options, of_item, order, chosen, budget) {
                Some(false) => {}
                other => return other,
            }
            chosen.pop();
        }
    }
    Some(false)
}

/// Fisher-Yates, our own so that no other crate's sampling decides what a seed gives.
fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last + 1, rng));
    }
}

/// A number below `bound`, by the high half of a 64 by 64 bit product.
fn below(bound: usize, rng: &mut impl Rng) -> usize {
    (u128::from(rng.next_u64()) * bound as u128 >> 64) as usize
}

/// Writes one case the way BOJ 4574 gives it.
pub fn write_case(case: &Case, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}", case.dominoes.len())?;
    for Domino { cells: [a, b], digits: [d, e] } in &case.dominoes {
        writeln!(out, "{d} {} {e} {}", cell_name(usize::from(*a)), cell_name(usize::from(*b)))?;
    }
    let names: Vec<String> = case.singles.iter().map(|&cell| cell_name(usize::from(cell))).collect();
    writeln!(out, "{}", names.join(" "))
}
