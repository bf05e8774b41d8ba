//! The lane engine: one puzzle in every lane of a vector register.
//!
//! Where other fast solvers spend SIMD on the inside of one puzzle, this one solves as many puzzles side
//! by side as a register has 32-bit lanes: 16 with AVX-512, 8 with AVX2, 4 with NEON. Each lane runs its own
//! depth-first search in step with the others, and a lane whose puzzle is finished is loaded with the
//! next at once. The algorithm is written once: `vector` says what a register can do, `pass` is the
//! propagation, `branch` the choice of a guess, `search` the search, `smallest` the bound for one more solution,
//! `codec` the way in and out;
//! one small file an architecture says how its instructions do that.
//!
//! Invariant: verdict, number of solutions up to the limit, guesses and solution of a puzzle depend on
//! that puzzle and the limits alone, not on the backend, its number of lanes or the other puzzles.

// Vectors are reached by index throughout: an iterator would pass them through a closure or `next`, which
// is not certain to be inlined into the function that may use them.
#![allow(clippy::needless_range_loop)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod branch;
mod codec;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pass;
mod portable;
mod search;
mod smallest;
mod vector;

#[cfg(test)]
mod tests;

use std::time::Instant;

use self::search::Search;
use super::scalar::Scalar;
use super::{BatchSolver, Limits, Outcome, Verdict};
use crate::grid::Grid;

/// Which instructions the engine runs on. Holding one is the proof that this processor has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Portable,
}

impl Backend {
    /// The names of all backends, whether or not this processor can run them.
    pub const NAMES: [&str; 4] = ["avx512", "avx2", "neon", "portable"];

    /// The backends that this processor can run, the fastest first; the last is the portable one.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let counting = is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt");
            if counting
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
            {
                found.push(Self(Kind::Avx512));
            }
            if counting && is_x86_feature_detected!("avx2") {
                found.push(Self(Kind::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            found.push(Self(Kind::Neon));
        }
        found.push(Self(Kind::Portable));
        found
    }

    /// The fastest backend of this processor.
    #[must_use]
    pub fn best() -> Self {
        Self::available()[0]
    }

    /// The backend of that name; `None` if there is none or this processor cannot run it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|backend| backend.name() == name)
    }

    /// Its name, one of [`Backend::NAMES`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
            Kind::Portable => "portable",
        }
    }
}

/// Puzzles that go through the lanes in one go: lanes number them with 32 bits.
const MOST_PUZZLES: usize = u32::MAX as usize;

/// The lane engine of one thread.
pub struct LaneSolver {
    memory: Memory,
    /// Finds the smallest of several solutions where a lane gave that up.
    scalar: Scalar,
}

/// The working memory, made at first use, since making it takes the backend's instructions.
enum Memory {
    #[cfg(target_arch = "x86_64")]
    Avx512(Option<Box<Search<avx512::Avx512>>>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Option<Box<Search<avx2::Avx2>>>),
    #[cfg(target_arch = "aarch64")]
    Neon(Option<Box<Search<neon::Neon>>>),
    Portable(Option<Box<Search<portable::Portable>>>),
}

impl LaneSolver {
    /// A solver that runs on that backend.
    #[must_use]
    pub fn new(backend: Backend) -> Self {
        let memory = match backend.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => Memory::Avx512(None),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => Memory::Avx2(None),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => Memory::Neon(None),
            Kind::Portable => Memory::Portable(None),
        };
        Self { memory, scalar: Scalar::new() }
    }

    /// Solves `puzzles` as [`BatchSolver::solve`] does, but for the puzzles of whose solutions the smallest was
    /// given up; it returns their numbers. What it gives of them is the smallest that the search met, the same
    /// on every backend.
    #[allow(unsafe_code)]
    fn solve_in_lanes(
        &mut self,
        puzzles: &[Grid],
        limits: &Limits,
        outcomes: &mut Vec<Outcome>,
    ) -> Vec<usize> {
        let started = Instant::now();
        let mut unsure = Vec::new();
        let blank =
            Outcome { verdict: Verdict::Unfinished, solutions: 0, guesses: 0, time_ns: 0, solution: None };
        let start = outcomes.len();
        outcomes.resize(start + puzzles.len(), blank);
        let outcomes = &mut outcomes[start..];
        match &mut self.memory {
            // SAFETY: the memory is of this kind only if the backend was, and a backend exists only
            // where its instructions were detected.
            #[cfg(target_arch = "x86_64")]
            Memory::Avx512(search) => unsafe {
                run_avx512(search, started, puzzles, limits, outcomes, &mut unsure)
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Memory::Avx2(search) => unsafe {
                run_avx2(search, started, puzzles, limits, outcomes, &mut unsure)
            },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Memory::Neon(search) => unsafe {
                run_neon(search, started, puzzles, limits, outcomes, &mut unsure)
            },
            Memory::Portable(search) => run_portable(search, started, puzzles, limits, outcomes, &mut unsure),
        }
        unsure
    }
}

/// The entry function of a backend: everything below inlines into it.
macro_rules! entry {
    ($(#[$attribute:meta])* $name:ident, $lanes:ty) => {
        $(#[$attribute])*
        fn $name(
            search: &mut Option<Box<Search<$lanes>>>,
            started: Instant,
            puzzles: &[Grid],
            limits: &Limits,
            outcomes: &mut [Outcome],
            unsure: &mut Vec<usize>,
        ) {
            if search.is_none() {
                *search = Some(Box::new(Search::new()));
            }
            if let Some(search) = search {
                search.run(started, puzzles, limits, outcomes, unsure);
            }
        }
    };
}

entry!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt,bmi1,bmi2,lzcnt")]
    run_avx512,
    avx512::Avx512
);
entry!(
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,popcnt,bmi1,bmi2,lzcnt")]
    run_avx2,
    avx2::Avx2
);
entry!(
    #[cfg(target_arch = "aarch64")]
    #[target_feature(enable = "neon")]
    run_neon,
    neon::Neon
);
entry!(run_portable, portable::Portable);

impl BatchSolver for LaneSolver {
    fn solve(&mut self, puzzles: &[Grid], limits: &Limits, outcomes: &mut Vec<Outcome>) {
        for puzzles in puzzles.chunks(MOST_PUZZLES) {
            let start = outcomes.len();
            for i in self.solve_in_lanes(puzzles, limits, outcomes) {
                self.scalar.replace_by_smallest(&puzzles[i], limits.max_guesses, &mut outcomes[start + i]);
            }
        }
    }
}
