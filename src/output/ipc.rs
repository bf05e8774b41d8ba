//! `-O arrow`: an Arrow IPC file, which is Feather too, every figure in a column, not compressed.
//!
//! A record batch has 65,536 rows, or those that take 32 MiB in memory. The metadata is that of Parquet files.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, FooterBuilder, MetadataVersion};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use flatbuffers::FlatBufferBuilder;

use super::columns::ArrowColumns;
use super::encode::{Append, Output, Piece};
use super::units::{Units, WrittenUnits, arrow_error};
use crate::record::Schema;

/// What the format gives, for the help text.
pub const ABOUT: &str = "Arrow IPC file (Feather), with the columns of CSV";

/// What writes a file.
pub fn writer(schema: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
    let schema = Arc::clone(ArrowColumns::of_files(schema).schema());
    let file = FileWriter::try_new(Vec::new(), &schema).map_err(arrow_error)?;
    let batches = Batches { schema: Arc::clone(&schema), file, bytes: 0, written: WrittenUnits::new() };
    Ok(Box::new(ArrowIpc { units: Units::new(schema), batches }))
}

/// A file that is written batch by batch.
struct ArrowIpc {
    units: Units,
    batches: Batches,
}

struct Batches {
    schema: SchemaRef,
    file: FileWriter<Vec<u8>>,
    /// Bytes that were passed on.
    bytes: u64,
    written: WrittenUnits<Block>,
}

impl Batches {
    fn write(&mut self, rows: &RecordBatch, out: &mut dyn Output) -> io::Result<()> {
        self.file.write(rows).map_err(arrow_error)?;
        // A mark, the length of what describes the batch, that, and the batch.
        let [_, _, _, _, a, b, c, d, ..] = self.file.get_ref()[..] else {
            unreachable!("a message is longer")
        };
        let (about, bytes) = (8 + i32::from_le_bytes([a, b, c, d]), self.file.get_ref().len() as u64);
        let block = Block::new(self.bytes as i64, about, bytes as i64 - i64::from(about));
        self.written.push(self.bytes + bytes, block);
        self.pass_on(out)
    }

    /// Passes on what was written in memory.
    fn pass_on(&mut self, out: &mut dyn Output) -> io::Result<()> {
        let bytes = self.file.get_mut();
        out.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        bytes.clear();
        Ok(())
    }
}

/// What stands behind the last batch.
fn end(schema: &ArrowSchema, batches: &[Block]) -> Vec<u8> {
    /// The mark before a message, and a length of none.
    const NO_MORE: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
    let mut builder = FlatBufferBuilder::new();
    let dictionaries = builder.create_vector::<Block>(&[]);
    let batches = builder.create_vector(batches);
    let schema = IpcSchemaEncoder::new().schema_to_fb_offset(&mut builder, schema);
    let mut footer = FooterBuilder::new(&mut builder);
    footer.add_version(MetadataVersion::V5);
    footer.add_schema(schema);
    footer.add_dictionaries(dictionaries);
    footer.add_recordBatches(batches);
    let footer = footer.finish();
    builder.finish(footer, None);
    let footer = builder.finished_data();
    [&NO_MORE, footer, &(footer.len() as u32).to_le_bytes(), b"ARROW1"].concat()
}

impl Append for ArrowIpc {
    fn append(&mut self, piece: &mut Piece, out: &mut dyn Output) -> io::Result<()> {
        let Self { units, batches } = self;
        if batches.bytes == 0 {
            let (schema, start) = (Arc::clone(&batches.schema), batches.file.get_ref().len() as u64);
            out.set_file_end(Some(batches.written.ending(start, move |blocks| Some(end(&schema, &blocks)))));
            batches.pass_on(out)?;
        }
        for batch in piece.batches.drain(..) {
            units.push(batch, |rows| batches.write(&rows, out))?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        if let Some(rows) = self.units.rest()? {
            self.batches.write(&rows, out)?;
        }
        self.batches.file.finish().map_err(arrow_error)?;
        self.batches.pass_on(out)?;
        out.set_file_end(None);
        Ok(())
    }
}
