//! `batchdoku._batchdoku`: columns of Python in, the jobs of batchdoku, record batches out.
//!
//! What a user sees is `python/batchdoku`, written in Python; here is what takes Rust. Columns come and go through the
//! [PyCapsule interface](https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html), so that neither
//! side copies them nor needs a package of the other.

mod answers;
mod capsule;
mod columns;
mod data;
mod figures;
mod files;
mod jobs;
mod puzzles;
mod reading;
mod solutions;
mod survey;

use pyo3::prelude::*;

/// What takes Rust.
#[pymodule(gil_used = false)]
mod _batchdoku {
    use pyo3::prelude::*;

    use batchdoku::input::{PUZZLE_NAMES, SOLUTION_NAMES};

    #[pymodule_export]
    use crate::answers::Answers;
    #[pymodule_export]
    use crate::data::Data;
    #[pymodule_export]
    use crate::files::{solve_file, verify_file};
    #[pymodule_export]
    use crate::jobs::{solve, verify};
    #[pymodule_export]
    use crate::puzzles::{Puzzles, read};
    #[pymodule_export]
    use crate::solutions::Solutions;

    #[pymodule_export]
    use crate::survey::{convert_file, inspect, report, sample_file};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let names = PUZZLE_NAMES.iter().chain(&SOLUTION_NAMES);
        let names: Vec<String> = names.flat_map(|name| [(*name).to_owned(), format!("{name}s")]).collect();
        module.add("COLUMNS", names)?;
        // The hook for panics is that of this module alone: others have a standard library of their own.
        batchdoku::pipeline::silence_isolated_panics();
        Ok(())
    }
}
