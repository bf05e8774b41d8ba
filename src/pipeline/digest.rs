//! What is made of the rows besides the output: condensed on any thread, collected in order on one.
//!
//! Condensing is spread over threads; collecting is not, since lists of first places do not commute. So there is
//! neither a lock nor a wire format, and the summary and the report see the same pages.

use crate::record::Page;

/// The shared half: condenses a page, on any thread, into something small.
pub trait Digest: Send + Sync + 'static {
    /// What a page is condensed into; used again from page to page.
    type Part: Default + Send + 'static;

    /// Condenses a page into `part`, whatever is in it.
    fn digest(&self, page: &Page<'_>, part: &mut Self::Part);
}

/// The owned half: takes what pages were condensed into, in the order of the rows.
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
