//! Converts UTF-16 to UTF-8.
//!
//! UTF-16 is recognized by its byte-order mark, or by zeros in every other byte of the first eight, because puzzle
//! lists are mostly ASCII. Invalid units (half a surrogate pair, or half a unit at the end) become U+FFFD. No format
//! accepts that as a cell, so the record is invalid.

/// Detects the encoding of a text from its first eight bytes, or from all if there are fewer; `None` if the text is not
/// UTF-16. Also returns the length of the byte-order mark.
pub(super) fn encoding(start: &[u8]) -> (Option<Utf16>, usize) {
    let zeros = || start.iter().map(|&byte| byte == 0);
    let is_every_other =
        |first: bool| start.len() == 8 && zeros().eq([first, !first].into_iter().cycle().take(8));
    let utf16 = |is_big_endian| Some(Utf16 { is_big_endian, rest: Vec::new() });
    match start {
        [0xef, 0xbb, 0xbf, ..] => (None, 3),
        [0xff, 0xfe, ..] => (utf16(false), 2),
        [0xfe, 0xff, ..] => (utf16(true), 2),
        _ if is_every_other(true) => (utf16(true), 0),
        _ if is_every_other(false) => (utf16(false), 0),
        _ => (None, 0),
    }
}

/// A decoder that turns UTF-16 into UTF-8 piece by piece.
#[derive(Debug)]
pub(super) struct Utf16 {
    is_big_endian: bool,
    /// Bytes that do not yet make up a whole character.
    rest: Vec<u8>,
}

impl Utf16 {
    /// Returns the name of the encoding.
    pub const fn name(&self) -> &'static str {
        if self.is_big_endian { "UTF-16BE" } else { "UTF-16LE" }
    }

    /// Decodes more bytes and appends their text; `is_whole` says that they are the last.
    pub fn decode(&mut self, bytes: &[u8], is_whole: bool, text: &mut Vec<u8>) {
        self.rest.extend_from_slice(bytes);
        let (pairs, _) = self.rest.as_chunks();
        let unit = |&pair: &[u8; 2]| {
            if self.is_big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        };
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        // The other half of the pair may still follow.
        if !is_whole {
            units.pop_if(|last| matches!(last, 0xd800..0xdc00));
        }
        self.rest.drain(..2 * units.len());
        let is_cut = is_whole && !std::mem::take(&mut self.rest).is_empty();
        let read = char::decode_utf16(units).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER));
        for character in read.chain(is_cut.then_some(char::REPLACEMENT_CHARACTER)) {
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_character_is_one_that_says_so_whatever_the_pieces() {
        let whole = "1.3│é\u{1f600}\u{10ffff}9\r\n\0x";
        let little: Vec<u8> = whole.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, is_big_endian, expected) in [
            (&little[..], false, whole),
            (b"1\0\x00\xd82\0", false, "1\u{fffd}2"),
            (b"1\0\x00\xdc2\0", false, "1\u{fffd}2"),
            (b"1\0\x00\xd8", false, "1\u{fffd}"),
            (b"1\x002", false, "1\u{fffd}"),
            (b"\x001\xd8\0\x002", true, "1\u{fffd}2"),
            (b"\x001\0", true, "1\u{fffd}"),
        ] {
            for piece in 1..=bytes.len() {
                let (mut utf16, mut text) = (Utf16 { is_big_endian, rest: Vec::new() }, Vec::new());
                bytes.chunks(piece).for_each(|piece| utf16.decode(piece, false, &mut text));
                utf16.decode(&[], true, &mut text);
                assert_eq!(str::from_utf8(&text), Ok(expected), "{} by {piece}", bytes.escape_ascii());
            }
        }
    }

    #[test]
    fn an_encoding_is_known_by_its_mark_or_by_every_other_byte() {
        for (start, name, mark) in [
            (&b"1.3...5."[..], None, 0),
            (b"\xef\xbb\xbf1.3..", None, 3),
            (b"\xff\xfe", Some("UTF-16LE"), 2),
            (b"\xfe\xff\x001", Some("UTF-16BE"), 2),
            (b"1\0.\x003\0.\0", Some("UTF-16LE"), 0),
            (b"\x001\0.\x003\0.", Some("UTF-16BE"), 0),
            (b"1\0.\0", None, 0),
            (b"1\0.\0\0\0\0\0", None, 0),
            (b"", None, 0),
        ] {
            let (utf16, found) = encoding(start);
            assert_eq!((utf16.as_ref().map(Utf16::name), found), (name, mark), "{}", start.escape_ascii());
        }
    }
}
