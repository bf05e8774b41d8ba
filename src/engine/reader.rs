//! The thread that reads: it cuts the sources into chunks and numbers chunks and records.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::{ChunkSizes, Event};
use crate::input::{Batch, Source};

/// A chunk and where it stands in the whole run.
pub(super) struct Numbered {
    pub chunk: Batch,
    /// Number of the chunk, from 0.
    pub number: u64,
    /// Number of its first record over all sources, from 1.
    pub first_id: u64,
    /// Bytes of all files read so far, as they lie on the disk.
    pub raw_position: u64,
}

/// Starts the reader; it fills the buffers that are sent to it, `buffers` of which are there from the start.
///
/// It ends when everything is read or nobody sends buffers or listens any more.
pub(super) fn start(
    sources: Vec<Source>,
    sizes: ChunkSizes,
    buffers: usize,
    events: Sender<Event>,
) -> Sender<Vec<u8>> {
    let (spare, buffers_in) = channel();
    for _ in 0..buffers {
        spare.send(Vec::new()).expect("the receiver is here");
    }
    thread::spawn(move || {
        // Nobody listens once the output is gone: that ends the reader, too.
        let _ = read_all(sources, sizes, &buffers_in, &events);
    });
    spare
}

/// The other side is gone.
struct Gone;

fn read_all(
    sources: Vec<Source>,
    sizes: ChunkSizes,
    buffers: &Receiver<Vec<u8>>,
    events: &Sender<Event>,
) -> Result<(), Gone> {
    let send = |event| events.send(event).map_err(|_| Gone);
    let total: Option<u64> = sources.iter().map(|source| source.info().size).sum();
    let (mut number, mut first_id, mut raw_before, mut bytes) = (0, 1, 0, 0);
    // A buffer is the right to a chunk under way: one that came to nothing serves the next source.
    let mut spare = None;
    for mut source in sources {
        let error = loop {
            let buffer = match spare.take() {
                Some(buffer) => buffer,
                None => buffers.recv().map_err(|_| Gone)?,
            };
            let left = total.map(|total| total.saturating_sub(raw_before + source.raw_position()));
            match source.next_batch(buffer, sizes.next(bytes, left)) {
                Ok(Some(chunk)) => {
                    let records = chunk.records;
                    bytes += chunk.bytes.len() as u64;
                    let raw_position = raw_before + source.raw_position();
                    send(Event::Read(Box::new(Numbered { chunk, number, first_id, raw_position })))?;
                    number += 1;
                    first_id += records;
                }
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        spare = Some(Vec::new());
        raw_before += source.raw_position();
        send(Event::SourceEnded { notes: source.notes().to_vec(), error })?;
    }
    send(Event::AllRead)
}
