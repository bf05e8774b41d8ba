//! Stand-ins until the real ones are merged.

use std::sync::Arc;

use super::reader::{Excerpt, Sample, TextReader};
use super::{Columns, Dialect, InputError};

/// What a candidate read of the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score(pub i64);

/// What was found.
pub(super) struct Sniffed {
    pub reader: Arc<dyn TextReader>,
    pub scores: Vec<(Dialect, Score)>,
    pub has_claims: bool,
    pub is_certain: bool,
}

/// What was seen of an input when it was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    pub dialect: Dialect,
    pub scores: Vec<(Dialect, Score)>,
    pub compression: Option<&'static str>,
    pub encoding: Option<&'static str>,
    pub columns: Columns,
    pub header: Vec<u8>,
    pub excerpt: Option<Excerpt>,
}

#[cfg(not(test))]
pub(super) fn sniff(_sample: &Sample<'_>, _compression: Option<&str>) -> Result<Sniffed, InputError> {
    todo!()
}

#[cfg(test)]
pub(super) use super::source::tests::sniff;
