//! The sudoku solvers, one table row each.

use std::fmt;

use super::BatchSolver;
use super::{lanes, scalar};

struct BackendRow {
    /// The name, as given to `--backend`.
    name: &'static str,
    /// The description shown by `--help`.
    about: &'static str,
    /// The function that checks whether this processor can run the backend.
    detect: fn() -> bool,
    /// The function that makes a solver for one thread, or returns `None` if this processor cannot run it.
    make: fn() -> Option<Box<dyn BatchSolver>>,
}

/// Makes a table row for a backend of the lane engine. On other architectures the backend is still listed but never
/// detected.
macro_rules! lanes {
    ($name:literal, $about:literal, $lanes:ident, $architecture:meta) => {{
        #[cfg($architecture)]
        let row = BackendRow {
            name: $name,
            about: $about,
            detect: lanes::detect::<lanes::$lanes>,
            make: lanes::make::<lanes::$lanes>,
        };
        #[cfg(not($architecture))]
        let row = BackendRow { name: $name, about: $about, detect: || false, make: || None };
        row
    }};
}

/// All backends, fastest first. The last two run on every processor.
static ROWS: [BackendRow; 5] = [
    lanes!(
        "avx512",
        "16 puzzles at once, on x86-64 with AVX-512 F, BW and VL",
        Avx512,
        target_arch = "x86_64"
    ),
    lanes!("avx2", "8 puzzles at once, on x86-64 with AVX2", Avx2, target_arch = "x86_64"),
    lanes!("neon", "4 puzzles at once, on ARM with NEON", Neon, target_arch = "aarch64"),
    lanes!("portable", "4 puzzles at once, on any processor", Portable, all()),
    BackendRow {
        name: "scalar",
        about: "one puzzle at a time, on any processor; its guess counts differ from the lane engine's",
        detect: || true,
        make: || Some(Box::new(scalar::Scalar::new())),
    },
];

/// A sudoku solver, selected by name. A value exists only if this processor can run the solver.
///
/// ```
/// use batchdoku::solver::Backend;
///
/// let names: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
/// assert!(names.ends_with(&["portable", "scalar"]));
/// assert_eq!(Backend::named("scalar"), Some(Backend::SCALAR));
/// assert_eq!(Backend::best().name(), names[0]);
/// ```
#[derive(Clone, Copy)]
pub struct Backend(&'static BackendRow);

impl Backend {
    /// The scalar solver, which shares no code with the lane engine.
    pub const SCALAR: Self = Self(&ROWS[ROWS.len() - 1]);

    /// Returns the name and description of every backend, fastest first, including those that this processor cannot
    /// run.
    pub fn known() -> impl ExactSizeIterator<Item = (&'static str, &'static str)> {
        ROWS.iter().map(|row| (row.name, row.about))
    }

    /// Returns the backends that this processor can run, fastest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        ROWS.iter().filter(|row| (row.detect)()).map(Self).collect()
    }

    /// Returns the fastest backend that this processor can run.
    #[must_use]
    pub fn best() -> Self {
        ROWS.iter().find(|row| (row.detect)()).map_or(Self::SCALAR, Self)
    }

    /// Returns the backend with this name, or `None` if there is none or this processor cannot run it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name && (row.detect)()).map(Self)
    }

    /// Returns the backend's name, which is one of those in [`Backend::known`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Makes a solver for one thread.
    #[must_use]
    pub fn solver(self) -> Box<dyn BatchSolver> {
        (self.0.make)().expect("a backend is only given out where it was detected")
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Backend {}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Backend").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_known_and_lead_to_the_backends_that_can_run() {
        let available = Backend::available();
        for (name, about) in Backend::known() {
            assert!(!about.is_empty());
            let found = Backend::named(name);
            assert_eq!(found.is_some(), available.iter().any(|backend| backend.name() == name), "{name}");
            assert!(found.is_none_or(|backend| backend.name() == name));
        }
        assert!(ROWS.iter().all(|row| (row.detect)() == (row.make)().is_some()));
        assert_eq!(Backend::named("mmx"), None);
        assert_eq!(Backend::best(), available[0]);
        let names: Vec<_> = Backend::known().map(|(name, _)| name).collect();
        assert_eq!(names, ["avx512", "avx2", "neon", "portable", "scalar"]);
        assert_eq!(Backend::SCALAR.name(), "scalar");
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        assert_eq!(Backend::named(foreign), None);
    }
}
