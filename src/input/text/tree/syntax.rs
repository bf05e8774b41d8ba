//! A common interface to the two syntaxes for trees, and the code that they share.

use std::borrow::Cow;
use std::ops::Range;

use super::node::{Node, Value, Wrong};
use super::{json, xml};
use crate::input::reader::Open;
use crate::record::{Fault, FaultKind};

/// The length of the longest unit in bytes. It is enough for several puzzles with all their data, yet leaves enough
/// units in a block to share the work.
pub(super) const LONGEST: usize = 64 << 10;

/// The maximum nesting depth of lists, objects and elements, as in other parsers.
pub(super) const DEEPEST: usize = 128;

/// The fault reported if the nesting is deeper.
pub(super) const TOO_DEEP: &str = "more than 128 values within each other";

/// The reason why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The value continues beyond the available bytes.
    More,
    /// The document is broken at this byte, in the way described.
    Broken(usize, &'static str),
}

/// The thing that begins after a value.
pub(super) enum Begin {
    /// Nothing begins; the innermost open value ends at this offset.
    End(usize),
    /// Another value begins, with its key if it has one.
    Value { key: Option<Range<usize>>, start: usize },
}

/// The text of a document, with its syntax.
pub(super) enum Text<'a> {
    Json(&'a [u8]),
    Xml(Cow<'a, str>),
}

impl<'a> Text<'a> {
    pub fn new(bytes: &'a [u8], is_xml: bool) -> Self {
        if is_xml { Self::Xml(xml::valid(bytes)) } else { Self::Json(bytes) }
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Json(bytes) => bytes,
            Self::Xml(text) => text.as_bytes(),
        }
    }

    /// Finds what begins after the value that ends at `at`.
    #[inline]
    pub fn begin(&self, at: usize, open: Option<&Open>) -> Result<Begin, Stop> {
        match self {
            Self::Json(bytes) => json::begin(bytes, at, open),
            Self::Xml(text) => xml::begin(text, at, open),
        }
    }

    /// Finds the end of the value that begins at `start`; `is_more` says whether more bytes may follow the text.
    #[inline]
    pub fn end(&self, start: usize, is_more: bool) -> Result<usize, Stop> {
        match self {
            Self::Json(bytes) => json::end(bytes, start, is_more),
            Self::Xml(text) => xml::end(text, start, is_more),
        }
    }

    /// Returns where the contents of a value start, if it can contain other values.
    pub fn inside(&self, start: usize) -> Option<usize> {
        match self {
            Self::Json(bytes) => matches!(bytes[start], b'[' | b'{').then_some(start + 1),
            Self::Xml(text) => xml::inside(text, start),
        }
    }

    /// Opens the value that begins at `start` and has this key.
    pub fn open(&self, key: Option<Range<usize>>, start: usize, are_claims: Option<bool>) -> Open {
        let (is_object, name) = match self {
            Self::Json(bytes) => (bytes[start] == b'{', ""),
            Self::Xml(text) => (false, &text[key.unwrap_or_default()]),
        };
        Open { is_object, has_values: false, are_claims, name: name.to_owned() }
    }

    /// Returns a key or name with its escapes decoded.
    pub fn key(&self, key: &Range<usize>) -> Cow<'_, [u8]> {
        json::decoded(self.bytes(), key.clone())
    }

    /// Reads the contents of the value with this key. If they are broken, the node contains only what comes before the
    /// fault.
    pub fn node(&self, key: Option<Range<usize>>, range: Range<usize>) -> (Node<'_>, Option<Wrong>) {
        let (mut nodes, wrong) = match self {
            Self::Json(bytes) => {
                let wrong = json::check(bytes, range.clone());
                let end = wrong.as_ref().map_or(range.end, |(at, _)| *at);
                let puzzle = key.as_ref().filter(|key| json::may_be_puzzle(key));
                let start = puzzle.map_or(range.start, |key| key.start - 1);
                let (mut nodes, too_deep) = json::nodes(bytes, start..end);
                if puzzle.is_some() {
                    let value = Value::Object(nodes);
                    nodes =
                        vec![Node { key: None, range: start..range.end, value, is_whole: wrong.is_none() }];
                }
                (nodes, too_deep.map(|at| (at, self.fault(TOO_DEEP))).or(wrong))
            }
            Self::Xml(text) => {
                let (nodes, wrong, is_open) = xml::nodes(text, range.clone());
                let end = text[..range.end].trim_ascii_end().len();
                let wrong = wrong.or_else(|| is_open.then(|| (end, self.cut_off())));
                (nodes, wrong)
            }
        };
        nodes.truncate(1);
        let none = Node { key: None, range, value: Value::Bare, is_whole: false };
        let mut node = nodes.pop().unwrap_or(none);
        node.key = node.key.or(key);
        (node, wrong)
    }

    /// Reads the text of a record.
    pub fn record(&self) -> Node<'_> {
        let whole = 0..self.bytes().len();
        let mut nodes = match self {
            Self::Json(bytes) => json::nodes(bytes, whole.clone()).0,
            Self::Xml(text) => xml::nodes(text, whole.clone()).0,
        };
        if nodes.len() == 1 {
            return nodes.remove(0);
        }
        let are_members = matches!((self, nodes.first()), (Self::Json(_), Some(Node { key: Some(_), .. })));
        let value = if are_members { Value::Object(nodes) } else { Value::List(nodes) };
        Node { key: None, range: whole, value, is_whole: true }
    }

    /// Makes the fault for a document that is broken in this way.
    pub fn fault(&self, what: &str) -> Fault {
        match self {
            Self::Json(_) => json::fault(what),
            Self::Xml(_) => xml::fault(what),
        }
    }

    /// Makes the fault for a document that is cut off.
    pub fn cut_off(&self) -> Fault {
        let open = if matches!(self, Self::Json(_)) { "a list or an object" } else { "an element" };
        Fault::new(FaultKind::CutOffDocument, None).text(open)
    }

    /// Calls `add` for each other member of a record, with its name and its text for columns.
    pub fn members(&self, add: impl FnMut(&str, Option<&[u8]>)) {
        match self {
            Self::Json(bytes) => json::members(bytes, add),
            Self::Xml(text) => xml::members(text, add),
        }
    }
}
