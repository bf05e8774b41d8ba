//! A second output, for the rows that the first leaves out.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Collect, Digest};
use crate::output::{Append, Encode, Output, Piece};
use crate::record::Page;

/// Encodes the rows of a page that are not kept.
pub struct RestDigest {
    /// The format.
    pub encoder: Arc<dyn Encode>,
}

impl Digest for RestDigest {
    type Part = Piece;

    fn digest(&self, page: &Page<'_>, part: &mut Piece) {
        part.clear();
        let rest: Vec<_> = (0..page.rows).map(|row| !page.keeps(row)).collect();
        let columns = page.columns.clone();
        self.encoder.encode(&Page { columns, kept: Some(&rest), ..*page }, part);
    }
}

/// Writes these rows in order.
pub struct RestWriter<'a> {
    writer: Box<dyn Append>,
    out: &'a mut dyn Output,
    stop: &'a AtomicBool,
    trouble: Option<io::Error>,
}

impl<'a> RestWriter<'a> {
    /// Writes to `out`. If that fails, the run is stopped.
    pub fn new(writer: Box<dyn Append>, out: &'a mut dyn Output, stop: &'a AtomicBool) -> Self {
        Self { writer, out, stop, trouble: None }
    }

    /// Completes the file; returns the error of this or an earlier write.
    pub fn finish(mut self) -> io::Result<()> {
        match self.trouble {
            Some(error) => Err(error),
            None => self.writer.finish(self.out),
        }
    }
}

impl Collect<Piece> for RestWriter<'_> {
    fn take(&mut self, part: &mut Piece) {
        if self.trouble.is_none()
            && let Err(error) = self.writer.append(part, self.out)
        {
            self.trouble = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}
