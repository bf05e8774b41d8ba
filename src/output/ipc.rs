//! `-O arrow`: an Arrow IPC file, which is Feather too, every figure in a column, not compressed.
//!
//! A record batch has 65,536 rows. The metadata is that of Parquet files.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;

use super::columns::ArrowColumns;
use super::encode::{Append, Output, Piece};
use super::units::{Units, arrow_error};
use crate::record::Schema;

/// What the format gives, for the help text.
pub const ABOUT: &str = "Arrow IPC file (Feather), with the columns of CSV";

/// What writes a file.
pub fn writer(schema: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
    let schema = Arc::clone(ArrowColumns::of_files(schema).schema());
    let file = FileWriter::try_new(Vec::new(), &schema).map_err(arrow_error)?;
    Ok(Box::new(Batches { units: Units::new(schema), file }))
}

/// A file that is written batch by batch.
struct Batches {
    units: Units,
    file: FileWriter<Vec<u8>>,
}

impl Batches {
    /// Passes on what was written in memory.
    fn pass_on(&mut self, out: &mut dyn Output) -> io::Result<()> {
        let bytes = self.file.get_mut();
        out.write_all(bytes)?;
        bytes.clear();
        Ok(())
    }
}

impl Append for Batches {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        let Self { units, file } = self;
        for batch in piece.batches.drain(..) {
            units.push(batch, |rows: RecordBatch| file.write(&rows).map_err(arrow_error))?;
        }
        self.pass_on(out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        if let Some(rows) = self.units.rest()? {
            self.file.write(&rows).map_err(arrow_error)?;
        }
        self.file.finish().map_err(arrow_error)?;
        self.pass_on(out)
    }
}
