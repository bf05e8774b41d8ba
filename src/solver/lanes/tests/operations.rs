//! Tests the vectors, the codec and the rules, word by word.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::solver::lanes::shuffles::Shuffles;
use crate::solver::lanes::vector::{MAX_LANES, WORDS};
use crate::solver::lanes::{codec, pass};

/// Compares every operation of a backend with its definition for single words.
fn each_operation<V: Lanes>(token: V::Token) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let of = |lanes: V| -> Vec<u32> { (0..V::N).map(|i| lanes.lane(i)).collect() };
    let mut words = || -> [u32; MAX_LANES] {
        std::array::from_fn(|_| {
            random.next_u64() as u32 & [u32::MAX, 0][usize::from(random.next_u64() & 3 == 0)]
        })
    };
    for _ in 0..300 {
        let (a, b, c) = (words(), words(), words());
        let (x, y, z) = (V::from_words(token, &a), V::from_words(token, &b), V::from_words(token, &c));
        macro_rules! is {
            ($found:expr, |$a:ident, $b:ident, $c:ident| $expected:expr) => {
                let expected: Vec<u32> =
                    (0..V::N).map(|i| (|$a: u32, $b: u32, $c: u32| $expected)(a[i], b[i], c[i])).collect();
                assert_eq!(of($found), expected, "{}", stringify!($found));
            };
        }
        is!(x.and(y), |a, b, _c| a & b);
        is!(x.or(y), |a, b, _c| a | b);
        is!(x.xor(y), |a, b, _c| a ^ b);
        is!(x.but_not(y), |a, b, _c| a & !b);
        is!(x.up::<9>(), |a, _b, _c| a << 9);
        is!(x.down::<5>(), |a, _b, _c| a >> 5);
        is!(x.up_by(z.and(V::splat(token, 31))), |a, _b, c| a << (c & 31));
        is!(x.down_by(z.and(V::splat(token, 31))), |a, _b, c| a >> (c & 31));
        is!(x.plus(y), |a, b, _c| a.wrapping_add(b));
        is!(x.minus(y), |a, b, _c| a.wrapping_sub(b));
        is!(x.min(y), |a, b, _c| a.min(b));
        is!(x.is_zero(), |a, _b, _c| if a == 0 { u32::MAX } else { 0 });
        is!(x.and3(y, z), |a, b, c| a & b & c);
        is!(x.or3(y, z), |a, b, c| a | b | c);
        is!(x.xor3(y, z), |a, b, c| a ^ b ^ c);
        is!(x.majority(y, z), |a, b, c| a & b | a & c | b & c);
        is!(x.or_and(y, z), |a, b, c| a | b & c);
        is!(x.and_or(y, z), |a, b, c| a & (b | c));
        is!(x.and_or_not(y, z), |a, b, c| a & (b | !c));
        is!(x.but_neither(y, z), |a, b, c| a & !b & !c);
        is!(x.but_not_both(y, z), |a, b, c| a & !(b & c));
        is!(x.or_but_not(y, z), |a, b, c| a | b & !c);
        is!(x.or_xor(y, z), |a, b, c| a | (b ^ c));
        is!(x.not_and_xor(y, z), |a, b, c| !a & (b ^ c));
        is!(x.choose(y, z), |a, b, c| a & b | !a & c);
        let zero = (0..V::N).filter(|&i| a[i] != 0).fold(0, |mask, i| mask | 1 << i);
        assert_eq!(x.nonzero(), zero);
        let blended: Vec<u32> = (0..V::N).map(|i| if c[0] >> i & 1 == 1 { b[i] } else { a[i] }).collect();
        assert_eq!(of(x.blend(c[0] & (u32::MAX >> (32 - V::N)), y)), blended);
        let from = c.map(|word| word % V::N as u32);
        let permuted: Vec<u32> = (0..V::N).map(|i| a[from[i] as usize]).collect();
        assert_eq!(of(x.permute(V::from_words(token, &from))), permuted);
        let mut changed = x;
        changed.set_lane(V::N - 1, 5);
        assert_eq!((changed.lane(0), changed.lane(V::N - 1)), (a[0], 5));
    }
    for mask in 0..1_u32 << V::N {
        let members: Vec<u32> = (0..V::N as u32).filter(|i| mask >> i & 1 == 1).collect();
        let mut ranks = vec![0; V::N];
        for (rank, &lane) in (0..).zip(&members) {
            ranks[lane as usize] = rank;
        }
        assert_eq!(of(V::ranks(token, mask)), ranks, "ranks of {mask:b}");
        assert_eq!(of(V::members(token, mask))[..members.len()], members, "members of {mask:b}");
        assert!(of(V::members(token, mask))[members.len()..].iter().all(|&lane| lane == 0));
    }
}

/// Compares the shuffles of a backend with their definition for single bytes.
fn each_shuffle<V: Shuffles>(token: V::Token) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let of = |lanes: V| -> Vec<u8> { (0..V::N).flat_map(|i| lanes.lane(i).to_le_bytes()).collect() };
    for _ in 0..300 {
        let a: [u32; MAX_LANES] = std::array::from_fn(|_| random.next_u64() as u32);
        let select = a.map(|_| random.next_u64() as u32 & 0x8f8f_8f8f);
        let x = V::from_words(token, &a);
        let (source, chosen) = (of(x), of(V::from_words(token, &select)));
        let shuffled: Vec<u8> = (0..4 * V::N)
            .map(|i| if chosen[i] < 0x80 { source[i / 16 * 16 + usize::from(chosen[i])] } else { 0 })
            .collect();
        assert_eq!(of(x.shuffle_bytes(V::from_words(token, &select))), shuffled);
        let sixteen: [u8; 16] = *source.first_chunk().unwrap();
        assert_eq!(of(V::splat_bytes(token, &sixteen)), sixteen.repeat(V::N / 4));
    }
}

/// Decodes full grids and encodes the results.
fn there_and_back<V: Lanes>(token: V::Token) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(8);
    for _ in 0..5 {
        let grids: Vec<Grid> = (0..MAX_LANES).map(|_| random_solution(&mut random)).collect();
        let cells = std::array::from_fn(|i| grids[i].cells());
        let mut state = [V::splat(token, 0); WORDS];
        codec::decode(&cells, &mut state);
        let mut digits = [[0; 96]; MAX_LANES];
        codec::encode(&state, &mut digits);
        for i in 0..V::N {
            assert_eq!(&digits[i][..CELLS], grids[i].cells());
        }
    }
}

/// Checks that a clue leaves its digit in its own cell and removes it from the blanks in its box.
fn loads_what_clues_leave<V: Lanes>(token: V::Token) {
    let puzzles = puzzles();
    for puzzles in puzzles.chunks(MAX_LANES) {
        let cells = std::array::from_fn(|i| puzzles[i % puzzles.len()].cells());
        let mut state = [V::splat(token, u32::MAX); WORDS];
        codec::decode(&cells, &mut state);
        for i in 0..V::N {
            let mut expected = [0; WORDS];
            for cell in 0..CELLS {
                let in_box =
                    (0..CELLS).filter(|&other| box_of(other) == box_of(cell)).map(|other| cells[i][other]);
                let taken = in_box.fold(0, |taken, digit| taken | 1_u32 << digit);
                for digit in (0..9).filter(|digit| match cells[i][cell] {
                    0 => taken >> (digit + 1) & 1 == 0,
                    clue => usize::from(clue) == digit + 1,
                }) {
                    let (word, bit) = candidate(cell, digit);
                    expected[word] |= 1 << bit;
                }
            }
            assert_eq!(state.map(|word| word.lane(i)), expected);
        }
    }
}

#[test]
fn every_backend_does_what_its_operations_say() {
    on_all_lanes!(each_operation);
    on_special_lanes!(each_shuffle);
    on_all_lanes!(loads_what_clues_leave);
    on_all_lanes!(there_and_back);
}

/// Returns where a state stores a candidate: the word and the bit.
fn candidate(cell: usize, digit: usize) -> (usize, usize) {
    let (row, column) = (row_of(cell), column_of(cell));
    (9 * (digit / 3) + 3 * (row % 3) + column % 3, 9 * (digit % 3) + row / 3 * 3 + column / 3)
}

/// No rule removes a candidate that a solution contains, and the number of plain passes does not change the result.
#[test]
fn rules_keep_every_solution_and_end_at_one_state() {
    type V = Portable;
    let token = ();
    for puzzle in puzzles() {
        let (number, solution) = solutions(&puzzle, 1);
        let mut rests = Vec::new();
        for plain_passes in 0..5 {
            let mut state = [V::splat(token, 0); WORDS];
            codec::decode(&[puzzle.cells(); MAX_LANES], &mut state);
            let dead = loop {
                let findings = pass::round(&mut state, plain_passes);
                if findings.dead != 0 || findings.changed == 0 {
                    break findings.dead != 0;
                }
            };
            assert!(!dead || number == 0, "{puzzle}");
            if number == 1 {
                for cell in 0..CELLS {
                    let (word, bit) = candidate(cell, usize::from(solution[cell]) - 1);
                    assert_eq!(state[word].lane(0) >> bit & 1, 1, "{puzzle} cell {cell}");
                }
            }
            rests.push((!dead).then(|| state.map(|word| word.lane(0))));
        }
        assert!(rests.windows(2).all(|pair| pair[0] == pair[1]), "{puzzle}");
    }
}
