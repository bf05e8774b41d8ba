//! Forcing chains. A conclusion is true if it follows from every candidate of a cell, or from every place of a digit in
//! a house. It is also true if it follows both from a candidate being true and from the same candidate being false. A
//! candidate that leads to a contradiction is false.
//!
//! In dynamic chains, candidates found to be false are removed. This can leave cells with two candidates, or houses
//! with two places for a digit, which lead to more implications. Such an implication follows from several others. The
//! difficulty grows with the number of implications in the proof. That number depends on the order in which they are
//! found, which is the same here as in Sudoku Explainer. The removals of a pattern have no fixed order there (it
//! depends on memory addresses); here they are ordered by cell.

use super::cells::{CellSet, Digits, HOUSE, HOUSES_OF};
use super::chains::{Proof, difficulty};
use super::links::{Candidate, Candidates, IN_CELL, KINDS, Links};
use super::patterns::{Pattern, patterns};
use super::state::State;
use super::step::Technique;
use crate::sudoku::CELLS;
use std::iter;

/// The kinds of chains that are searched for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Dynamic contradictions that use only the places of the digit.
    Nishio,
    /// Chains from cells with more than two candidates, and from the houses of these cells.
    Multiple,
    /// Dynamic chains of every kind.
    Dynamic,
    /// Dynamic chains with locked candidates, pairs and X-wings that arise once some candidates are found to be false.
    Plus,
}

/// Looks for dynamic contradictions that use only the places of the digit.
pub(super) fn nishio(state: &mut State) -> bool {
    forcing_chains(state, Kind::Nishio, 7.5)
}

/// Looks for chains that start from cells and houses.
pub(super) fn multiple(state: &mut State) -> bool {
    forcing_chains(state, Kind::Multiple, 8.0)
}

/// Looks for dynamic chains that start from cells, houses, contradictions, or both values of a candidate.
pub(super) fn dynamic(state: &mut State) -> bool {
    forcing_chains(state, Kind::Dynamic, 8.5)
}

/// Looks for dynamic chains with locked candidates, pairs and X-wings.
pub(super) fn dynamic_plus(state: &mut State) -> bool {
    forcing_chains(state, Kind::Plus, 9.0)
}

fn forcing_chains(state: &mut State, kind: Kind, base: f64) -> bool {
    let mut search = Search::new(state, kind, base);
    search.run();
    search.easiest.is_some_and(|proof| proof.take(state))
}

/// A candidate, and whether it is true.
type Fact = (Candidate, bool);

/// The implications of a candidate being true or false.
struct Outcome {
    /// The candidates found to be false, and those found to be true, in the order in which they were found.
    found: [Vec<Candidate>; 2],
    sets: [Candidates; 2],
    /// How many implications lead to each candidate (by number), including the candidate and the source.
    lengths: [Vec<u16>; 2],
    /// The number of implications that lead to both sides of the first contradiction, where the search ends.
    contradiction: Option<usize>,
}

/// The candidates of a state, and what each of them implies.
struct Search {
    kind: Kind,
    base: f64,
    links: Links,
    names: Vec<Candidate>,
    /// The number of each candidate in `names`.
    numbers: [u16; 729],
    /// The implications of each candidate (by number) being false, and of it being true.
    outcomes: [Vec<Outcome>; 2],
    easiest: Option<Proof>,
}

impl Search {
    fn new(state: &State, kind: Kind, base: f64) -> Self {
        let links = Links::new(state, true, kind != Kind::Nishio);
        let names: Vec<Candidate> = links.all().collect();
        let mut numbers = [0; 729];
        for (number, &name) in names.iter().enumerate() {
            numbers[name] = number as u16;
        }
        let mut search =
            Self { kind, base, links, names, numbers, outcomes: Default::default(), easiest: None };
        let outcomes =
            |is_true: bool| search.names.iter().map(|&name| search.follow((name, is_true))).collect();
        let if_false = if kind == Kind::Multiple { Vec::new() } else { outcomes(false) };
        search.outcomes = [if_false, outcomes(true)];
        search
    }

    /// Finds the easiest proof, or, if several are equally easy, the one that Sudoku Explainer finds first.
    fn run(&mut self) {
        for cell in 0..CELLS {
            let digits = self.links.candidates[cell];
            if digits.count() < 2 || (digits.count() == 2 && self.kind == Kind::Multiple) {
                continue;
            }
            let sources: Vec<_> = digits.iter().map(|digit| (9 * cell + digit, true)).collect();
            for &(source, _) in &sources {
                if self.kind != Kind::Multiple {
                    self.look_for_contradictions(source);
                }
                if self.kind >= Kind::Dynamic && digits.count() > 2 {
                    self.look_at_all(&[(source, true), (source, false)], 1);
                }
                if self.kind != Kind::Nishio {
                    self.look_at_houses(source);
                }
            }
            if self.kind != Kind::Nishio {
                self.look_at_all(&sources, 5);
            }
        }
    }

    fn outcome(&self, (source, is_true): Fact) -> &Outcome {
        &self.outcomes[usize::from(is_true)][usize::from(self.numbers[source])]
    }

    fn look_for_contradictions(&mut self, source: Candidate) {
        for is_true in [true, false] {
            if let Some(length) = self.outcome((source, is_true)).contradiction {
                self.offer(length, 7, &[(source, is_true)], (source, !is_true));
            }
        }
    }

    /// Looks for conclusions from all places of the digit in a house, if `source` is the first of them.
    fn look_at_houses(&mut self, source: Candidate) {
        let (cell, digit) = (source / 9, source % 9);
        for kind in KINDS {
            let places = self.links.places[digit] & HOUSE[HOUSES_OF[cell][kind]];
            if !places.is_single() && places.first() == cell {
                let sources: Vec<_> = places.iter().map(|cell| (9 * cell + digit, true)).collect();
                self.look_at_all(&sources, 6);
            }
        }
    }

    /// Looks for conclusions that follow from all sources, one of which must hold.
    fn look_at_all(&mut self, sources: &[Fact], key: u8) {
        for to_true in [true, false] {
            let to = usize::from(to_true);
            let first = self.outcome(sources[0]);
            let all =
                sources[1..].iter().fold(first.sets[to], |all, &at| all.and(&self.outcome(at).sets[to]));
            for target in first.found[to].iter().copied().filter(|&at| all.contains(at)).collect::<Vec<_>>() {
                let number = usize::from(self.numbers[target]);
                let lengths = sources.iter().map(|&at| usize::from(self.outcome(at).lengths[to][number]));
                self.offer(lengths.sum(), key, sources, (target, to_true));
            }
        }
    }

    /// Replaces the easiest proof if this one is easier.
    fn offer(&mut self, length: usize, key: u8, sources: &[Fact], target: Fact) {
        let order = (difficulty(self.base, length), length, key, 0);
        if self.easiest.as_ref().is_none_or(|proof| order < proof.order) {
            let technique = match (self.kind, key) {
                (Kind::Nishio, _) => Technique::NishioForcingChains,
                (Kind::Multiple, 5) => Technique::CellForcingChains,
                (Kind::Multiple, _) => Technique::HouseForcingChains,
                (Kind::Dynamic, _) => Technique::DynamicForcingChains,
                (Kind::Plus, _) => Technique::DynamicForcingChainsPlus,
            };
            let from: Vec<_> = sources.iter().map(|source| source.0).collect();
            self.easiest = Some(Proof::of(order, technique, &from, target));
        }
    }

    /// Follows the implications of a candidate, those from true candidates first.
    fn follow(&self, source: Fact) -> Outcome {
        let mut trail = Trail::new(self);
        trail.add(source, iter::empty());
        let mut next = [0; 2];
        loop {
            let contradiction = if let Some(&at) = trail.outcome.found[1].get(next[1]) {
                next[1] += 1;
                trail.follow_true(at)
            } else if let Some(&at) = trail.outcome.found[0].get(next[0]) {
                next[0] += 1;
                trail.follow_false(at)
            } else if self.kind == Kind::Plus && trail.follow_patterns() {
                None
            } else {
                return trail.outcome;
            };
            if contradiction.is_some() {
                trail.outcome.contradiction = contradiction;
                return trail.outcome;
            }
        }
    }
}

/// The search for the implications of a candidate.
struct Trail<'a> {
    search: &'a Search,
    outcome: Outcome,
    /// The links between the candidates that remain.
    links: Links,
    /// The candidates that have not been found to be false.
    open: Candidates,
    /// The set of implications that lead to each candidate (by number) being false, and to it being true.
    ancestors: Vec<u64>,
    width: usize,
}

impl<'a> Trail<'a> {
    fn new(search: &'a Search) -> Self {
        let count = search.names.len();
        let width = (2 * count).div_ceil(64);
        let outcome = Outcome {
            found: Default::default(),
            sets: Default::default(),
            lengths: [vec![0; count], vec![0; count]],
            contradiction: None,
        };
        let ancestors = vec![0; 2 * count * width];
        let open = Candidates(search.links.places);
        Self { search, outcome, links: search.links.clone(), open, ancestors, width }
    }

    /// Collects the implications that lead, through these parents, to a candidate being true or false; returns how many
    /// there are.
    fn reach(&mut self, (at, is_true): Fact, parents: impl Iterator<Item = Fact>) -> u16 {
        let (search, width) = (self.search, self.width);
        let id = |at: Candidate, is_true: bool| 2 * usize::from(search.numbers[at]) + usize::from(is_true);
        let own = id(at, is_true);
        for (parent, is_true) in parents {
            for word in 0..width {
                self.ancestors[own * width + word] |= self.ancestors[id(parent, is_true) * width + word];
            }
        }
        let ancestors = &mut self.ancestors[own * width..][..width];
        ancestors[own / 64] |= 1 << (own % 64);
        ancestors.iter().map(|word| word.count_ones()).sum::<u32>() as u16
    }

    /// Records that a candidate is true or false.
    fn keep(&mut self, (at, is_true): Fact, length: u16) {
        let to = usize::from(is_true);
        self.outcome.found[to].push(at);
        self.outcome.sets[to].insert(at);
        self.outcome.lengths[to][usize::from(self.search.numbers[at])] = length;
        if !is_true {
            self.open.remove(at);
        }
    }

    /// Adds the fact that a candidate is true or false, which follows from its parents. If the opposite was found
    /// earlier, returns the number of implications that lead to both.
    fn add(&mut self, (at, is_true): Fact, parents: impl Iterator<Item = Fact>) -> Option<usize> {
        let length = self.reach((at, is_true), parents);
        let opposite = usize::from(!is_true);
        if self.outcome.sets[opposite].contains(at) {
            let number = usize::from(self.search.numbers[at]);
            return Some(usize::from(length + self.outcome.lengths[opposite][number]));
        }
        self.keep((at, is_true), length);
        None
    }

    /// Adds the candidates that a true candidate makes false, and stops at a contradiction.
    fn follow_true(&mut self, from: Candidate) -> Option<usize> {
        self.links.made_false(from, &self.open).find_map(|at| self.add((at, false), iter::once((from, true))))
    }

    /// Adds the candidates that a false candidate makes true, and stops at a contradiction.
    fn follow_false(&mut self, from: Candidate) -> Option<usize> {
        for (at, kind) in self.links.made_true(from) {
            if self.outcome.sets[1].contains(at) {
                continue;
            }
            // The candidates that had to be removed first: the others in the cell, or the digit's other places in the
            // house.
            let (all, now, cell, digit) = (&self.search.links, &self.links, at / 9, at % 9);
            let (mut digits, mut cells) = (Digits::EMPTY, CellSet::EMPTY);
            if kind == IN_CELL {
                digits = all.candidates[cell] & !now.candidates[cell];
            } else {
                cells = all.places[digit] & !now.places[digit] & HOUSE[HOUSES_OF[cell][kind]];
            }
            let in_cell = digits.iter().map(|digit| (9 * cell + digit, false));
            let in_house = cells.iter().map(|cell| (9 * cell + digit, false));
            let contradiction =
                self.add((at, true), iter::once((from, false)).chain(in_cell).chain(in_house));
            if contradiction.is_some() {
                return contradiction;
            }
        }
        if self.search.kind != Kind::Multiple {
            self.links.strike(from);
        }
        None
    }

    /// Adds the candidates that are made false by the first technique with a new result; returns whether there was one.
    fn follow_patterns(&mut self) -> bool {
        let patterns = patterns(&self.search.links, &self.links);
        for Pattern { gone, causes } in &patterns {
            for at in gone.iter() {
                if self.open.contains(at) {
                    // Sudoku Explainer does not look for a contradiction here.
                    let length = self.reach((at, false), causes.iter().map(|at| (at, false)));
                    self.keep((at, false), length);
                }
            }
        }
        !patterns.is_empty()
    }
}
