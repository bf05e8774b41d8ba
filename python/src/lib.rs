//! The extension module `batchdoku._batchdoku`, which runs the jobs of batchdoku on columns of Python and returns
//! record batches.
//!
//! Users see `python/batchdoku`, which is written in Python. Columns come and go through the [PyCapsule
//! interface](https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html). So neither side copies them
//! or needs a package of the other.

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

/// The part of the package in Rust.
#[pymodule(gil_used = false)]
mod _batchdoku {
    use pyo3::prelude::*;

    use batchdoku::input::{PUZZLE_NAMES, SOLUTION_NAMES};

    #[pymodule_export]
    use crate::data::Data;
    #[pymodule_export]
    use crate::files::run_file;
    #[pymodule_export]
    use crate::generate::{generate, generate_file};
    #[pymodule_export]
    use crate::jobs::run;
    #[pymodule_export]
    use crate::puzzles::read;
    #[pymodule_export]
    use crate::rows::Rows;
    #[pymodule_export]
    use crate::solutions::Solutions;
    #[pymodule_export]
    use crate::survey::{inspect, report};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let names = PUZZLE_NAMES.iter().chain(&SOLUTION_NAMES);
        let names: Vec<String> = names.flat_map(|name| [(*name).to_owned(), format!("{name}s")]).collect();
        module.add("COLUMNS", names)?;
        // The hook for panics applies only to this module, since each module has its own standard library.
        batchdoku::pipeline::silence_isolated_panics();
        Ok(())
    }
}
