//! Chains of implications from one candidate to the next. They alternate: a true candidate makes others false, and a
//! false one makes another true. A chain from a candidate to its opposite proves the opposite. A chain that leads back
//! to the candidate is a cycle. It holds in both directions, so one of any two neighbours in it is true.
//!
//! Sudoku Explainer searches for chains from each candidate, breadth first, and takes the easiest. Here, all candidates
//! are sources at the same time: each candidate has a row of bits for the sources that have reached it (`spread.rs`). A
//! chain can be read from either end. So a chain to the opposite is found at its middle, where a candidate is true and
//! false after about the same number of steps. The cycles that Sudoku Explainer finds depend on the order in which it
//! continues from a candidate, so cycles are searched in that order.

use super::cells::{CellSet, Digits, PEERS};
use super::links::{Candidate, Candidates};
use super::spread::{Spread, Web};
use super::state::State;
use super::step::{Reason, Technique};

/// The order of chains, easiest first: by difficulty, number of candidates, kind, and place in the search. Sudoku
/// Explainer adds tenths in floating point, so a 7.2 that started at 6.6 is less than one that started at 7.0.
pub(super) type Order = (f64, usize, u8, usize);

/// Returns the difficulty of chains with this base and this number of candidates (`length`). A tenth is added for each
/// of 4, 6, 8, 12, 16, 24 and so on that is less than the length minus two.
pub(super) fn difficulty(base: f64, length: usize) -> f64 {
    let limits = (2..).flat_map(|power| [1 << power, 3 << (power - 1)]);
    base + limits.take_while(|limit| length > 2 + limit).fold(0.0, |added, _| added + 0.1)
}

/// A kind of chain, with links between a digit's places in a house, between the digits of a cell, or both.
struct Kind {
    in_houses: bool,
    in_cells: bool,
    /// The rank among kinds of equal difficulty and length.
    key: u8,
    /// The technique and base difficulty for cycles, and for chains that prove a candidate.
    cycle: (Technique, f64),
    proof: (Technique, f64),
}

const X: Kind = Kind {
    in_houses: true,
    in_cells: false,
    key: 2,
    cycle: (Technique::XCycle, 6.5),
    proof: (Technique::ForcingXChain, 6.6),
};
/// The kind that has links only within cells. It is not searched for chains that prove a candidate.
const Y: Kind = Kind { in_houses: false, in_cells: true, key: 3, cycle: (Technique::YCycle, 6.5), ..X };
const XY: Kind = Kind {
    in_houses: true,
    in_cells: true,
    key: 4,
    cycle: (Technique::XyCycle, 7.0),
    proof: (Technique::ForcingChain, 7.0),
};

/// A proof that some candidates are false, or that one is true.
pub(super) struct Proof {
    pub(super) order: Order,
    reason: Reason,
    gone: Candidates,
    proved: Option<Candidate>,
}

impl Proof {
    fn new(order: Order, technique: Technique, from: &[Candidate], gone: Candidates) -> Self {
        let cells = from.iter().map(|at| at / 9).collect();
        let digits = from.iter().map(|at| at % 9).collect();
        let reason = Reason { technique, rating: (order.0 * 10.0).round() as u8, cells, digits };
        Self { order, reason, gone, proved: None }
    }

    /// Makes a proof that one candidate is true or false.
    pub(super) fn of(
        order: Order,
        technique: Technique,
        from: &[Candidate],
        (candidate, is_true): (Candidate, bool),
    ) -> Self {
        let mut gone = Candidates::default();
        gone.insert(candidate);
        Self { proved: is_true.then_some(candidate), ..Self::new(order, technique, from, gone) }
    }

    pub(super) fn take(self, state: &mut State) -> bool {
        if let Some(candidate) = self.proved {
            state.solve(self.reason, candidate / 9, candidate % 9);
            return true;
        }
        let gone = self.gone.0.into_iter().enumerate();
        state.remove_all(
            self.reason,
            &gone.map(|(digit, cells)| (cells, Digits::of(digit))).collect::<Vec<_>>(),
        )
    }
}

/// Takes the easiest chain, or, if several are equally easy, the one that Sudoku Explainer finds first.
pub(super) fn chains(state: &mut State) -> bool {
    let mut easiest = None;
    let of_digits = Search::new(state, &X);
    let least_x = of_digits.look_for_proofs(&mut easiest);
    let of_both = Search::new(state, &XY);
    let least_xy = of_both.look_for_proofs(&mut easiest);
    of_digits.look_for_cycles(least_x, &mut easiest);
    Search::new(state, &Y).look_for_cycles(least_xy, &mut easiest);
    of_both.look_for_cycles(least_xy, &mut easiest);
    easiest.is_some_and(|proof: Proof| proof.take(state))
}

/// A search for chains of one kind.
struct Search<'a> {
    kind: &'a Kind,
    state: &'a State,
    web: Web,
}

impl<'a> Search<'a> {
    fn new(state: &'a State, kind: &'a Kind) -> Self {
        Self { kind, state, web: Web::new(state, kind.in_houses, kind.in_cells) }
    }

    /// Returns the order of a chain if it would be easier than the easiest one so far. Each source is tried first for
    /// cycles, then as true, then as false.
    fn order_if_easier(
        &self,
        base: f64,
        length: usize,
        place: usize,
        easiest: &Option<Proof>,
    ) -> Option<Order> {
        let order = (difficulty(base, length), length, self.kind.key, place);
        easiest.as_ref().is_none_or(|proof| order < proof.order).then_some(order)
    }

    /// Looks for chains that prove a candidate true or false. Returns the length of the shortest one, or a lower bound
    /// on that length; returns `None` if there is none.
    fn look_for_proofs(&self, easiest: &mut Option<Proof>) -> Option<usize> {
        let (technique, base) = self.kind.proof;
        let mut spreads = [true, false].map(|is_true| Spread::new(&self.web, is_true));
        for length in (2..).step_by(2) {
            if self.order_if_easier(base, length, 0, easiest).is_none() {
                return Some(length);
            }
            let ends = spreads.each_mut().map(|spread| {
                let before = spread.advance(&self.web);
                spread.last.first_common(&before)
            });
            let places = [0, 1].map(|at| ends[at].map(|source| 3 * source + 1 + at));
            if let Some(place) = places.into_iter().flatten().min() {
                if let Some(order) = self.order_if_easier(base, length, place, easiest) {
                    let (source, is_true) = (place / 3, place % 3 == 1);
                    let path = Walk::new(&self.web, source, is_true, length / 2).path_to_opposite();
                    let candidate = self.web.names[source];
                    *easiest = Some(Proof::of(order, technique, &self.names(&path), (candidate, !is_true)));
                }
                return Some(length);
            }
            if spreads.iter().all(|spread| spread.last.is_empty()) {
                return None;
            }
        }
        None
    }

    /// Looks for cycles that remove a candidate. Such a candidate sees both ends of some part of the cycle. A chain
    /// with at most two more candidates also proves that candidate false, so the cycle cannot be much shorter than the
    /// shortest chain.
    fn look_for_cycles(&self, shortest_proof: Option<usize>, easiest: &mut Option<Proof>) {
        let (Some(shortest), base) = (shortest_proof, self.kind.cycle.1) else { return };
        let mut after_true = Spread::new(&self.web, true);
        // For each candidate, those that make it true, which are also those that it makes true.
        let mut after_false = Spread::new(&self.web, false);
        after_false.advance(&self.web);
        for length in (4..).step_by(2) {
            after_true.advance(&self.web);
            after_true.advance(&self.web);
            if after_true.last.is_empty() || self.order_if_easier(base, length, 0, easiest).is_none() {
                return;
            }
            if length + 2 < shortest {
                continue;
            }
            for source in after_true.last.linked_to(&after_false.last, &self.web.makes_false) {
                if self.order_if_easier(base, length, 3 * source, easiest).is_some() {
                    self.look_for_cycles_from(source, length, easiest);
                }
            }
        }
    }

    /// Looks for cycles whose last steps are a true candidate, a candidate that it makes false, and the source, which
    /// the false one makes true.
    fn look_for_cycles_from(&self, source: usize, length: usize, easiest: &mut Option<Proof>) {
        let (web, (technique, base)) = (&self.web, self.kind.cycle);
        let walk = Walk::new(web, source, true, length / 2);
        let ends = web.makes_true.of(source);
        for &last in &walk.trues {
            for end in web.makes_false.of(last.into()).iter().filter(|end| ends.contains(end)) {
                let mut path = walk.path_to(last.into());
                if path.iter().any(|link| link[1] == usize::from(*end)) {
                    continue;
                }
                path.push([source, usize::from(*end)]);
                let gone = self.removed_by_cycle(&path);
                if gone.is_empty() {
                    continue;
                }
                if let Some(order) = self.order_if_easier(base, length, 3 * source, easiest) {
                    *easiest = Some(Proof::new(order, technique, &self.names(&path), gone));
                }
            }
        }
    }

    /// Returns the candidates that a cycle removes. They are outside its cells, and see both a true and a false
    /// candidate of the cycle with the same digit.
    fn removed_by_cycle(&self, path: &[[usize; 2]]) -> Candidates {
        let mut cells = CellSet::EMPTY;
        let mut seen = [[CellSet::EMPTY; 9]; 2];
        for link in path {
            for (seen, &number) in seen.iter_mut().zip(link) {
                let (cell, digit) = (self.web.names[number] / 9, self.web.names[number] % 9);
                cells |= CellSet::of(cell);
                seen[digit] |= PEERS[cell];
            }
        }
        let mut gone = Candidates(self.state.places);
        for (digit, gone) in gone.0.iter_mut().enumerate() {
            *gone &= seen[0][digit] & seen[1][digit] & !cells;
        }
        gone
    }

    /// Returns the candidates on a path.
    fn names(&self, path: &[[usize; 2]]) -> Vec<Candidate> {
        path.iter().flatten().map(|&number| self.web.names[number]).collect()
    }
}

/// A walk from one source in Sudoku Explainer's order. If several candidates lead to the same one, the first is kept.
struct Walk<'a> {
    web: &'a Web,
    source: usize,
    is_true: bool,
    /// The parent of each candidate when false, and when true; `NONE` if the candidate has not been reached.
    parents: [Vec<u16>; 2],
    /// The true candidates that the last step reached.
    trues: Vec<u16>,
}

const NONE: u16 = u16::MAX;

impl<'a> Walk<'a> {
    /// Walks until it has reached true candidates `times` times; a true source counts as the first time.
    fn new(web: &'a Web, source: usize, is_true: bool, times: usize) -> Self {
        let parents = [(); 2].map(|()| vec![NONE; web.names.len()]);
        let mut walk = Self { web, source, is_true, parents, trues: vec![source as u16] };
        walk.parents[usize::from(is_true)][source] = source as u16;
        if !is_true {
            walk.trues = walk.follow(&[source as u16], true);
        }
        for _ in 1..times {
            let falses = walk.follow(&walk.trues.clone(), false);
            walk.trues = walk.follow(&falses, true);
        }
        walk
    }

    /// Returns the candidates that these candidates make true or false for the first time.
    fn follow(&mut self, parents: &[u16], to_true: bool) -> Vec<u16> {
        let links = if to_true { &self.web.makes_true } else { &self.web.makes_false };
        let mut found = Vec::new();
        for &parent in parents {
            for &number in links.of(parent.into()) {
                let known = &mut self.parents[usize::from(to_true)][usize::from(number)];
                if *known == NONE {
                    *known = parent;
                    found.push(number);
                }
            }
        }
        found
    }

    /// Returns the way back from a true candidate: each true candidate and the false one before it, leaving out a true
    /// source.
    fn path_to(&self, last: usize) -> Vec<[usize; 2]> {
        let mut path = Vec::new();
        let mut at = last;
        while !(self.is_true && at == self.source) {
            let before = usize::from(self.parents[1][at]);
            path.push([at, before]);
            if !self.is_true && before == self.source {
                break;
            }
            at = usize::from(self.parents[0][before]);
        }
        path
    }

    /// Returns the way back from the opposite of the source, which has just been reached.
    fn path_to_opposite(&self) -> Vec<[usize; 2]> {
        if !self.is_true {
            return self.path_to(self.source);
        }
        let before = self.trues.iter().find(|last| self.web.makes_false.of(self.source).contains(last));
        let mut path = before.map(|&last| self.path_to(last.into())).unwrap_or_default();
        path.push([self.source; 2]);
        path
    }
}
