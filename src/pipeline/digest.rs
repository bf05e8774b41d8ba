//! Digests: everything computed from the rows besides the output, such as the summary and the report.
//!
//! Any thread can condense a page, but a single thread collects the results in row order, because lists of the first
//! records depend on it. This needs no locks and no wire format.

use crate::record::Page;

/// The shared half of a digest: it condenses a page into something small, on any thread.
pub trait Digest: Send + Sync + 'static {
    /// The condensed form of a page, reused from page to page.
    type Part: Default + Send + 'static;

    /// Condenses a page into `part`, replacing its contents.
    fn digest(&self, page: &Page<'_>, part: &mut Self::Part);
}

/// The owned half of a digest: it collects the condensed pages in row order.
pub trait Collect<Part> {
    /// Takes the condensed form of the next page.
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
