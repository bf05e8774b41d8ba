//! The extension module `batchdoku._batchdoku`, which runs batchdoku's jobs on Python columns and returns record
//! batches.
//!
//! Users see `python/batchdoku`, which is written in Python. Columns are passed in and out through the [PyCapsule
//! interface](https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html). So neither side has to copy
//! them or depend on the other side's packages.

mod capsule;
mod columns;
mod copies;
mod data;
mod files;
mod generate;
mod jobs;
mod options;
mod puzzles;
mod rows;
mod solutions;
mod survey;
mod watched;

use pyo3::prelude::*;

/// The Rust part of the package.
#[pymodule(gil_used = false)]
mod _batchdoku {
    use pyo3::prelude::*;

    use batchdoku::input::{PUZZLE_NAMES, SOLUTION_NAMES};

    #[pymodule_export]
    use crate::{
        data::Data,
        files::run_file,
        generate::{generate, generate_file},
        jobs::run,
        puzzles::read,
        rows::Rows,
        solutions::Solutions,
        survey::{inspect, report},
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let names = PUZZLE_NAMES.iter().chain(&SOLUTION_NAMES);
        let names: Vec<String> = names.flat_map(|name| [(*name).to_owned(), format!("{name}s")]).collect();
        module.add("COLUMNS", names)?;
        // The panic hook applies only to this module, because every extension module has its own copy of the standard
        // library.
        batchdoku::pipeline::silence_isolated_panics();
        Ok(())
    }
}
