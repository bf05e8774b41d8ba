//! Recognizes files by their first bytes: binary files, and texts that rarely contain puzzles.

use memchr::{memchr, memmem};

use super::InputError;

/// The signature of a file type: offset, bytes, description and advice; `{}` in the advice is the file name.
type Magic = (usize, &'static [u8], &'static str, &'static str);

const READ_OFF: &str = "transcribe the digits first";
const SAVE_SHEET: &str = "save the sheet as CSV, with the puzzles as text, not as numbers";
const SAVE_PAGE: &str = "save it as plain text (lynx -dump -nolist {} {pipe}), or export the puzzles";
const EXPORT: &str = "export the puzzles as CSV: sqlite3 -csv, \\copy ... csv header";
const UNPICKLE: &str = "export its content as text (loading a pickle runs its code)";

/// Files that are not text.
const MAGIC: [Magic; 16] = [
    (0, b"PK\x03\x04", "a zip archive", "unpack it: unzip -p {} {pipe}"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it: 7z x -so {} {pipe}"),
    (257, b"ustar", "a tar archive", "unpack it: tar -xOf {} {pipe}"),
    (0, b"\xfd7zXZ\0", "xz data", "unpack it: xz -dc {} {pipe}"),
    (4, b"1AY&SY", "bzip2 data", "unpack it: bzip2 -dc {} {pipe}"),
    (0, b"\x1f\x8b", "gzip data", "unpack it: gzip -dc {} {pipe}"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data", "unpack it: zstd -dc {} {pipe}"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (.xls, .doc)", SAVE_SHEET),
    (0, b"%PDF-", "a PDF document", "extract the text: pdftotext -layout {} - {pipe}"),
    (0, b"\x89PNG", "a PNG image", READ_OFF),
    (0, b"\xff\xd8\xff", "a JPEG image", READ_OFF),
    (0, b"GIF8", "a GIF image", READ_OFF),
    (
        0,
        b"SQLite format 3\0",
        "an SQLite database",
        "export it: sqlite3 -header -csv {} 'SELECT * FROM ...' {pipe}",
    ),
    (0, b"\x89HDF", "an HDF5 file", "export the data set as text"),
    (0, b"\x80\x04", "a Python pickle", UNPICKLE),
    (0, b"\0\0\xfe\xff", "text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8 {} {pipe}"),
];

/// How texts that contain no readable records often start, ignoring case.
const HEADS: [(&[u8], &str, &str); 6] = [
    (b"<", "HTML, or XML of an unknown kind", SAVE_PAGE),
    (b"version https://git-lfs", "a Git LFS pointer", "get the file: git lfs pull"),
    (b"-- ", "a database dump", EXPORT),
    (b"--\n", "a database dump", EXPORT),
    (b"create table ", "a database dump", EXPORT),
    (b"insert into ", "a database dump", EXPORT),
];

/// The kinds of zip archive, each recognized by a name inside it.
const ZIPPED: [(&str, &str, &str); 3] = [
    ("xl/", "an Excel workbook (.xlsx)", SAVE_SHEET),
    ("opendocument.spreadsheet", "an OpenDocument sheet (.ods)", SAVE_SHEET),
    (".npy", "NumPy arrays (.npz)", "extract one: unzip -p {} NAME.npy > NAME.npy"),
];

/// Returns an error if an input does not start like text; `compression` says how it was compressed.
pub(super) fn refusal(name: &str, bytes: &[u8], compression: Option<&str>) -> Option<InputError> {
    let starts = |&&(at, magic, ..): &&Magic| bytes.get(at..).is_some_and(|rest| rest.starts_with(magic));
    let &(_, magic, what, advice) = MAGIC.iter().find(starts)?;
    let is_in = |&&(name, ..): &&(&str, _, _)| memmem::find(bytes, name.as_bytes()).is_some();
    let zipped = ZIPPED.iter().find(is_in).filter(|_| magic == MAGIC[0].1);
    let (what, advice) = zipped.map_or((what, advice), |&(_, what, advice)| (what, advice));
    let (what, advice) = match compression {
        Some(outer) => (
            format!("{what} in {outer} data"),
            format!("unpack it twice, first with: {outer} -dc {{}} {{pipe}}"),
        ),
        None => (what.to_owned(), advice.to_owned()),
    };
    let advice = advice.replace("{}", &typed(name));
    Some(InputError::Foreign { name: name.to_owned(), what, advice, is_puzzles: false })
}

/// Describes a text that contains no readable record, and gives advice that names the file.
pub(super) fn look(name: &str, text: &[u8]) -> Option<(&'static str, String)> {
    let text = text.trim_ascii_start();
    let starts = |head: &[u8]| text.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
    let (what, advice) = match HEADS.iter().find(|(head, ..)| starts(head)) {
        Some(&(_, what, advice)) => (what, advice),
        None => memchr(0, text).map(|_| ("not text, or text in UTF-32", "save it as plain text in UTF-8"))?,
    };
    Some((what, advice.replace("{}", &typed(name))))
}

/// Returns a file name as it would be typed in a shell.
fn typed(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._/+-@%,:=".contains(c);
    match name {
        "-" => "FILE".to_owned(),
        _ if name.chars().all(is_plain) => name.to_owned(),
        _ => format!("'{}'", name.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::OptionNames;

    /// PROMISE: refusals
    #[test]
    fn files_that_are_no_text_are_told_by_their_first_bytes() {
        for (at, magic, what, advice) in MAGIC {
            let error = refusal("a b", &[&vec![b'a'; at], magic].concat(), None).expect(what);
            assert_eq!(error.to_string(), format!("a b: {what} (expected puzzles or results as text)"));
            let hint = error.hint(&OptionNames::LIBRARY).expect(what);
            assert_eq!(hint, advice.replace("{}", "'a b'").replace("{pipe}", "> FILE"));
            assert!(error.holds_no_puzzles());
        }
        let sheet = refusal("a", b"PK\x03\x04 [Content_Types].xml xl/workbook.xml", None).expect("a sheet");
        assert!(sheet.to_string().starts_with("a: an Excel workbook (.xlsx)"));
        assert_eq!(look("a", b"\0\0\x005").map(|(what, _)| what), Some("not text, or text in UTF-32"));
        let twice = refusal("-", b"BZh91AY&SY", Some("gzip")).expect("it is reported");
        assert_eq!(twice.to_string(), "-: bzip2 data in gzip data (expected puzzles or results as text)");
        assert!(twice.hint(&OptionNames::LIBRARY).expect("it says").ends_with("gzip -dc FILE > FILE"));
        for text in [&b""[..], b"BZhang", b"PK", b"000000010400000000020000000000050407008000300001"] {
            assert!(refusal("a", text, None).is_none());
        }
    }
}
