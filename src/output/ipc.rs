//! `-O arrow`: an uncompressed Arrow IPC file (Feather version 2).
//!
//! A record batch holds 65,536 rows, or fewer if these reach 32 MiB of memory first. The metadata is the same as in
//! Parquet files.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::convert::IpcSchemaEncoder;
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, FooterBuilder, MetadataVersion};
use arrow_schema::Schema as ArrowSchema;
use flatbuffers::FlatBufferBuilder;

use super::columns::ArrowColumns;
use super::encode::{Append, Output, Piece};
use super::units::{Entries, Units, arrow_error, locked};
use crate::record::Schema;

/// The description of the format for the help text.
pub const ABOUT: &str = "Arrow IPC file (Feather) with the CSV columns";

/// Creates the writer for a file.
pub fn writer(schema: &Schema, _: NonZeroUsize) -> io::Result<Box<dyn Append>> {
    let schema = Arc::clone(ArrowColumns::of_files(schema).schema());
    let file = FileWriter::try_new(Vec::new(), &schema).map_err(arrow_error)?;
    Ok(Box::new(ArrowIpc { units: Units::new(schema), file, bytes: 0, blocks: Entries::default() }))
}

/// A file written one batch at a time.
struct ArrowIpc {
    units: Units,
    file: FileWriter<Vec<u8>>,
    /// The number of bytes written so far.
    bytes: u64,
    blocks: Entries<Block>,
}

impl ArrowIpc {
    fn write(&mut self, rows: &RecordBatch, out: &mut dyn Output) -> io::Result<()> {
        self.file.write(rows).map_err(arrow_error)?;
        // A message consists of a marker, the length of the metadata, the metadata itself and the batch.
        let [_, _, _, _, a, b, c, d, ..] = self.file.get_ref()[..] else {
            unreachable!("a message is longer")
        };
        let (about, bytes) = (8 + i32::from_le_bytes([a, b, c, d]), self.file.get_ref().len() as i64);
        locked(&self.blocks).push(Block::new(self.bytes as i64, about, bytes - i64::from(about)));
        self.pass_on(out)
    }

    /// Writes the bytes that the library is holding in memory.
    fn pass_on(&mut self, out: &mut dyn Output) -> io::Result<()> {
        let buffer = self.file.get_mut();
        self.bytes += buffer.len() as u64;
        out.write_all(buffer)?;
        buffer.clear();
        Ok(())
    }
}

/// Returns the bytes that follow the last batch.
fn end(schema: &ArrowSchema, batches: &[Block]) -> Vec<u8> {
    /// The marker that precedes a message, followed by a length of 0.
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
        if self.bytes == 0 {
            let (schema, blocks) = (Arc::clone(&self.units.schema), Arc::clone(&self.blocks));
            out.set_file_end(Some(Box::new(move |units| Ok(end(&schema, &locked(&blocks)[..units])))));
            self.pass_on(out)?;
        }
        for batch in piece.batches.drain(..) {
            for rows in self.units.push(batch)? {
                self.write(&rows, out)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut dyn Output) -> io::Result<()> {
        if let Some(rows) = self.units.rest()? {
            self.write(&rows, out)?;
        }
        self.file.finish().map_err(arrow_error)?;
        self.pass_on(out)?;
        out.set_file_end(None);
        Ok(())
    }
}
