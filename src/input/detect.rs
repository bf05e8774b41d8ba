//! Finding out what is in an input, and the registry of the families of formats.
//!
//! Each family counts the cells that it could read in a sample from the start of the input; the one
//! that reads most is taken. So a file that begins with a broken record is still known by those after
//! it, and a file is refused only if nothing in the sample can be read at all.

use std::sync::Arc;

use super::chunk::{End, Format, line_length};
use super::{FormatChoice, InputError, cases, csv, grid, line};

/// A family of formats, as the registry knows it.
pub(super) struct Family {
    pub choice: FormatChoice,
    /// Cells of the sample that the family can read; `u64::MAX` if there is no doubt.
    pub evidence: fn(&Sample<'_>) -> u64,
    /// Reads an input that starts with the sample.
    pub open: fn(&Sample<'_>) -> Result<Arc<dyn Format>, InputError>,
}

/// Every family; of several that can read as much the first is taken.
const FAMILIES: [Family; 4] = [line::FAMILY, grid::FAMILY, cases::FAMILY, csv::FAMILY];

/// The start of an input.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    /// Name of the input.
    pub name: &'a str,
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Whether they are all.
    pub whole: bool,
    /// The column asked for with `--puzzle-column`.
    pub puzzle_column: Option<&'a str>,
}

impl<'a> Sample<'a> {
    /// How the sample ends.
    pub fn end(&self) -> End {
        if self.whole { End::Last } else { End::More }
    }

    /// Its whole lines, line ends included; if not even one is whole, what there is of it.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.bytes;
        let end = if rest.contains(&b'\n') { self.end() } else { End::Last };
        std::iter::from_fn(move || {
            let (line, after) = rest.split_at(line_length(rest, end)?);
            rest = after;
            Some(line)
        })
    }

    /// Its lines that are neither blank nor a `#` comment.
    pub fn record_lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.lines().filter(|line| !matches!(line.trim_ascii_start(), [] | [b'#', ..]))
    }
}

/// Finds the format of an input from its start; `choice` leaves only the details to find.
pub(super) fn detect(
    sample: &Sample<'_>,
    choice: Option<FormatChoice>,
) -> Result<Arc<dyn Format>, InputError> {
    if is_utf16(sample.bytes) {
        return Err(InputError::Utf16 { name: sample.name.to_owned() });
    }
    let family = |choice| {
        FAMILIES.iter().find(|family| family.choice == choice).expect("every choice is in the registry")
    };
    if let Some(choice) = choice {
        return (family(choice).open)(sample);
    }
    let mut best = (0, family(FormatChoice::Line));
    for family in &FAMILIES {
        let evidence = (family.evidence)(sample);
        if evidence > best.0 {
            best = (evidence, family);
        }
    }
    if sample.puzzle_column.is_some()
        && best.1.choice == FormatChoice::Line
        && let Some(error) = csv::no_puzzle_column(sample)
    {
        return Err(error);
    }
    match best {
        (0, _) if sample.record_lines().next().is_some() => Err(csv::no_puzzle_column(sample)
            .unwrap_or_else(|| InputError::UnknownFormat { name: sample.name.to_owned() })),
        (_, family) => (family.open)(sample),
    }
}

/// Whether text is UTF-16: by its byte-order mark, or because every other byte is NUL.
fn is_utf16(bytes: &[u8]) -> bool {
    /// Bytes that are looked at, and the fewest that say something.
    const LOOKED_AT: usize = 64;
    const ENOUGH: usize = 8;
    let start = &bytes[..bytes.len().min(LOOKED_AT) / 2 * 2];
    let nul = |at: usize| start.iter().skip(at).step_by(2).all(|&byte| byte == 0);
    let text = |at: usize| start.iter().skip(at).step_by(2).all(|&byte| byte != 0);
    bytes.starts_with(b"\xff\xfe")
        || bytes.starts_with(b"\xfe\xff")
        || start.len() >= ENOUGH && (nul(0) && text(1) || nul(1) && text(0))
}
