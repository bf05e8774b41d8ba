//! UTF-16 as UTF-8.
//!
//! It is known by its byte-order mark, or by zeros in every other byte, since most of a list of puzzles
//! is ASCII. What stands for no character (half a surrogate pair, half a unit at the end) becomes U+FFFD, which is no
//! cell of any format, and so costs its record.

use std::io;

/// Bytes from the start of a text that say how it is encoded: four characters, since fewer may be anything.
pub(super) const LOOKED_AT: usize = 8;

/// Byte-order marks.
const MARKS: [(&[u8], Option<Units>); 3] =
    [(b"\xef\xbb\xbf", None), (b"\xff\xfe", Some(Units::new(false))), (b"\xfe\xff", Some(Units::new(true)))];

/// How a text is encoded that starts with those bytes, if not in single bytes, and the length of its byte-order mark.
/// `None` if further bytes would say; `whole` says that there are none.
pub(super) fn encoding(start: &[u8], whole: bool) -> Option<(Option<Units>, usize)> {
    for (mark, units) in MARKS {
        if start.starts_with(mark) {
            return Some((units, mark.len()));
        }
        if !whole && mark.starts_with(start) {
            return None;
        }
    }
    let start = &start[..start.len().min(LOOKED_AT) / 2 * 2];
    let is = |first_is_nul: bool| {
        start.chunks_exact(2).all(|unit| [unit[0] == 0, unit[1] == 0] == [first_is_nul, !first_is_nul])
    };
    let big_endian = is(true);
    if !big_endian && !is(false) {
        return Some((None, 0));
    }
    match start.len() {
        LOOKED_AT => Some((Some(Units::new(big_endian)), 0)),
        _ => whole.then_some((None, 0)),
    }
}

/// Text in units of two bytes that is made UTF-8 piece by piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    big_endian: bool,
    /// Bytes that were read and are no whole character yet.
    rest: Vec<u8>,
}

impl Units {
    const fn new(big_endian: bool) -> Self {
        Self { big_endian, rest: Vec::new() }
    }

    /// What the encoding is called.
    pub const fn name(&self) -> &'static str {
        if self.big_endian { "UTF-16BE" } else { "UTF-16LE" }
    }

    /// Reads bytes and appends what they are as text, `most` bytes of it at most or a few more; how many bytes were
    /// read. When that is none, the text has ended.
    pub fn read(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
        text: &mut Vec<u8>,
        most: usize,
    ) -> io::Result<usize> {
        // Two bytes become three at most.
        let mut bytes = vec![0; (most / 2).max(2)];
        let n = read(&mut bytes)?;
        self.decode(&bytes[..n], n == 0, text);
        Ok(n)
    }

    /// Appends what further bytes are as text; `whole` says that no others follow.
    pub fn decode(&mut self, bytes: &[u8], whole: bool, text: &mut Vec<u8>) {
        self.rest.extend_from_slice(bytes);
        let (pairs, _) = self.rest.as_chunks();
        let unit = |pair: &[u8; 2]| {
            if self.big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) }
        };
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        // The other half of a pair may follow.
        if !whole {
            units.pop_if(|last| matches!(last, 0xd800..0xdc00));
        }
        self.rest.drain(..2 * units.len());
        let is_cut = whole && !std::mem::take(&mut self.rest).is_empty();
        let read = char::decode_utf16(units).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER));
        for character in read.chain(is_cut.then_some(char::REPLACEMENT_CHARACTER)) {
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, units: &Units) -> Vec<u8> {
        let bytes = |unit: u16| if units.big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    fn decoded(bytes: &[u8], units: &Units, piece: usize) -> String {
        let (mut units, mut text) = (units.clone(), Vec::new());
        bytes.chunks(piece).for_each(|piece| units.decode(piece, false, &mut text));
        units.decode(&[], true, &mut text);
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn text_comes_out_as_it_went_in_whatever_the_pieces() {
        let text = "1.3│é\u{1f600}\u{10ffff}9\r\n\0x";
        for (mark, units) in MARKS.into_iter().filter_map(|(mark, units)| Some((mark, units?))) {
            let bytes = encoded(text, &units);
            for piece in 1..=bytes.len() {
                assert_eq!(decoded(&bytes, &units, piece), text, "{units:?} in {piece}");
            }
            let marked = [mark, &bytes].concat();
            assert_eq!(encoding(&marked, false), Some((Some(units), mark.len())));
        }
    }

    #[test]
    fn what_is_no_character_is_one_that_says_so() {
        let [little, big] = [Units::new(false), Units::new(true)];
        for (bytes, units, expected) in [
            (&b"1\0\x00\xd82\0"[..], &little, "1\u{fffd}2"),
            (b"1\0\x00\xdc2\0", &little, "1\u{fffd}2"),
            (b"1\0\x00\xd8", &little, "1\u{fffd}"),
            (b"1\0\x00\xd8\x00\xd82\0", &little, "1\u{fffd}\u{fffd}2"),
            (b"1\x002", &little, "1\u{fffd}"),
            (b"\x001\xd8\0\x002", &big, "1\u{fffd}2"),
            (b"\x001\0", &big, "1\u{fffd}"),
        ] {
            for piece in 1..=bytes.len() {
                assert_eq!(decoded(bytes, units, piece), expected, "{}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn utf_16_is_known_without_a_mark_by_every_other_byte() {
        let text = "1.3...5.9\n";
        for units in [Units::new(false), Units::new(true)] {
            let bytes = encoded(text, &units);
            for (length, whole) in [(20, false), (8, false), (8, true), (9, true)] {
                assert_eq!(encoding(&bytes[..length], whole), Some((Some(units.clone()), 0)), "{length}");
            }
            // Too little to say; and nothing that could still be.
            for length in [2, 6, 7] {
                assert_eq!(encoding(&bytes[..length], false), None);
            }
            assert_eq!(encoding(&bytes[..6], true), Some((None, 0)));
        }
        for text in [&b"1."[..], b"1.3...5.9\n", &[0; 64], b"1\0.1\0\0\0\0", b"\xff1\0"] {
            assert_eq!(encoding(text, false), Some((None, 0)), "{}", text.escape_ascii());
        }
        // What begins like a mark.
        for (text, whole, found) in [
            (&b""[..], false, None),
            (b"\xef\xbb", false, None),
            (b"\xff", false, None),
            (b"", true, Some((None, 0))),
            (b"\xef\xbb", true, Some((None, 0))),
            (b"\xef\xbb\xbf", false, Some((None, 3))),
            (b"\xff\xfe", true, Some((Some(Units::new(false)), 2))),
            (b"\xff\xfe1\0", false, Some((Some(Units::new(false)), 2))),
        ] {
            assert_eq!(encoding(text, whole), found, "{}", text.escape_ascii());
        }
    }
}
