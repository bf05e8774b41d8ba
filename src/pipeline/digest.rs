//! Digests: everything made from the rows besides the output, such as the summary and the report.
//!
//! Any thread condenses pages, but one collects the parts in order, since lists of first places depend on the order. So
//! neither a lock nor a wire format is needed.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::{Append, Encode, Output, Piece};
use crate::record::{Page, Schema};

/// The shared half of a digest: condenses a page, on any thread, into something small.
pub trait Digest: Send + Sync + 'static {
    /// The condensed form of a page, reused from page to page.
    type Part: Default + Send + 'static;

    /// Condenses a page into `part`, and replaces the content of `part`.
    fn digest(&self, page: &Page<'_>, part: &mut Self::Part);
}

/// The owned half of a digest: collects the condensed pages in the order of the rows.
pub trait Collect<Part> {
    /// Takes the part of the next page.
    fn take(&mut self, part: &mut Part);
}

impl<D: Digest> Digest for Option<D> {
    type Part = D::Part;

    fn digest(&self, page: &Page<'_>, part: &mut Self::Part) {
        if let Some(digest) = self {
            digest.digest(page, part);
        }
    }
}

impl<Part, C: Collect<Part>> Collect<Part> for Option<C> {
    fn take(&mut self, part: &mut Part) {
        if let Some(collect) = self {
            collect.take(part);
        }
    }
}

impl<A: Digest, B: Digest> Digest for (A, B) {
    type Part = (A::Part, B::Part);

    fn digest(&self, page: &Page<'_>, part: &mut Self::Part) {
        self.0.digest(page, &mut part.0);
        self.1.digest(page, &mut part.1);
    }
}

impl<P, Q, A: Collect<P>, B: Collect<Q>> Collect<(P, Q)> for (A, B) {
    fn take(&mut self, part: &mut (P, Q)) {
        self.0.take(&mut part.0);
        self.1.take(&mut part.1);
    }
}

/// Encodes the rows of a page for the outputs other than the first, each of which has the rows of some statuses.
pub struct RestDigest {
    /// The format of each output, and whether rows of a status, by its index, are written there.
    pub outputs: Vec<(Arc<dyn Encode>, Vec<bool>)>,
}

impl Digest for RestDigest {
    type Part = Vec<Piece>;

    fn digest(&self, page: &Page<'_>, part: &mut Vec<Piece>) {
        part.resize_with(self.outputs.len(), Piece::default);
        for ((encoder, only), piece) in self.outputs.iter().zip(part) {
            piece.clear();
            let kept: Vec<_> = page.statuses().iter().map(|&status| only[usize::from(status)]).collect();
            let columns = page.columns.clone();
            encoder.encode(&Page { columns, kept: Some(&kept), ..*page }, piece);
        }
    }
}

/// Writes the rows of [`RestDigest`] in order.
pub struct RestWriter<'a> {
    outputs: Vec<(Box<dyn Append>, &'a mut dyn Output)>,
    stop: &'a AtomicBool,
    /// The index of the first output that could not be written, and the error.
    trouble: Option<(usize, io::Error)>,
}

impl<'a> RestWriter<'a> {
    /// Writes a header to each output, and prepares the writer of its format for rows with these columns. If a header
    /// cannot be written, the run is stopped. Fails if a writer cannot be made.
    pub fn new<'e>(
        schema: &Schema,
        outputs: impl IntoIterator<Item = (&'e Arc<dyn Encode>, &'a mut dyn Output)>,
        threads: NonZeroUsize,
        stop: &'a AtomicBool,
    ) -> io::Result<Self> {
        let (mut rest, mut headers) = (Self { outputs: Vec::new(), stop, trouble: None }, Vec::new());
        for (encoder, output) in outputs {
            let mut header = Piece::default();
            encoder.header(schema, &mut header.bytes);
            headers.push(header);
            rest.outputs.push((encoder.writer(schema, threads)?, output));
        }
        rest.take(&mut headers);
        Ok(rest)
    }

    /// Completes the files. Returns the first error of any write, with the index of the output.
    pub fn finish(mut self) -> Result<(), (usize, io::Error)> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        let mut outputs = self.outputs.iter_mut().enumerate();
        outputs.try_for_each(|(at, (writer, out))| writer.finish(*out).map_err(|error| (at, error)))
    }
}

impl Collect<Vec<Piece>> for RestWriter<'_> {
    fn take(&mut self, part: &mut Vec<Piece>) {
        if self.trouble.is_some() {
            return;
        }
        for (at, ((writer, out), piece)) in self.outputs.iter_mut().zip(part).enumerate() {
            if let Err(error) = writer.append(piece, *out) {
                self.trouble = Some((at, error));
                self.stop.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}
