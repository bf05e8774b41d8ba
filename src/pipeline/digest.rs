//! Digests: everything made from the rows besides the output, such as the summary and the report.
//!
//! Any thread condenses pages, but one collects the parts in order, since lists of first places depend on the order. So
//! neither a lock nor a wire format is needed.

use crate::record::Page;

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
