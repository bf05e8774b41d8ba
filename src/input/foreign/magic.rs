//! What is no text, known by its first bytes whatever it is said to be.

use std::borrow::Cow;

use memchr::memmem;

use super::{Foreign, NO_PUZZLES, READ_OFF, SAVE_SHEET, SAVE_TEXT};
use crate::input::InputError;

/// Bytes at certain places, by which files are known, what they are, and what to do.
type Magic = (&'static [(usize, &'static [u8])], &'static str, &'static str);

/// Files that are no text. `{}` is the name of the file.
const MAGIC: &[Magic] = &[
    (&[(0, b"PK\x03\x04")], "a zip archive", "unpack it: unzip -p {} {pipe}"),
    (&[(0, b"PK\x05\x06")], "an empty zip archive", "there is nothing in it"),
    (&[(0, b"7z\xbc\xaf\x27\x1c")], "a 7z archive", "unpack it: 7z x -so {} {pipe}"),
    (&[(0, b"Rar!\x1a\x07")], "a rar archive", "unpack it: unrar p -inul {} {pipe}"),
    (&[(257, b"ustar")], "a tar archive", "unpack it: tar -xOf {} {pipe}"),
    (&[(0, b"\xfd7zXZ\0")], "xz data", "decompress it: xz -dc {} {pipe}"),
    (&[(0, b"BZh"), (4, b"1AY&SY")], "bzip2 data", "decompress it: bzip2 -dc {} {pipe}"),
    (&[(0, b"\x04\x22\x4d\x18")], "lz4 data", "decompress it: lz4 -dc {} {pipe}"),
    (&[(0, b"LZIP")], "lzip data", "decompress it: lzip -dc {} {pipe}"),
    (&[(0, b"\x5d\0\0")], "lzma data", "decompress it: xz -dc {} {pipe}"),
    (&[(0, b"\x1f\x9d")], "data of compress (.Z)", "decompress it: gzip -dc {} {pipe}"),
    (&[(0, b"\x1f\x8b")], "gzip data in compressed data", "decompress it: gzip -dc {} {pipe}"),
    (&[(0, b"\x28\xb5\x2f\xfd")], "zstd data in compressed data", "decompress it: zstd -dc {} {pipe}"),
    (&[(0, b"x\x9c")], "zlib data", "decompress it: pigz -dc < {} {pipe}"),
    (&[(0, b"x\xda")], "zlib data", "decompress it: pigz -dc < {} {pipe}"),
    (&[(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")], "an old Office file (.xls, .doc)", SAVE_SHEET),
    (&[(0, b"%PDF-")], "a PDF document", "take the text out: pdftotext -layout {} - {pipe}"),
    (&[(0, b"%!PS")], "a PostScript document", "take the text out: ps2ascii {} {pipe}"),
    (&[(0, b"{\\rtf")], "an RTF document", SAVE_TEXT),
    (&[(0, b"\x89PNG")], "a PNG image", READ_OFF),
    (&[(0, b"\xff\xd8\xff")], "a JPEG image", READ_OFF),
    (&[(0, b"GIF8")], "a GIF image", READ_OFF),
    (&[(0, b"RIFF"), (8, b"WEBP")], "a WebP image", READ_OFF),
    (&[(0, b"BM"), (6, b"\0\0\0\0")], "a BMP image", READ_OFF),
    (&[(0, b"II*\0")], "a TIFF image", READ_OFF),
    (&[(0, b"MM\0*")], "a TIFF image", READ_OFF),
    (&[(4, b"ftyp")], "a film or an HEIC image", READ_OFF),
    (
        &[(0, b"SQLite format 3\0")],
        "an SQLite database",
        "export the table: sqlite3 -header -csv {} \
        'SELECT * FROM ...' {pipe}",
    ),
    (&[(0, b"\x89HDF")], "an HDF5 file", "export the data set as CSV or text"),
    (&[(0, b"Obj\x01")], "an Avro file", "export it as CSV"),
    (&[(4, b"\0\0\0\0{\"")], "a safetensors file", "export the tensor as text"),
    (&[(0, b"MATLAB 5.0 MAT-file")], "a MATLAB file", "export the array as text"),
    (&[(0, b"\x80\x02")], "a Python pickle", UNPICKLE),
    (&[(0, b"\x80\x03")], "a Python pickle", UNPICKLE),
    (&[(0, b"\x80\x04")], "a Python pickle", UNPICKLE),
    (&[(0, b"\x80\x05")], "a Python pickle", UNPICKLE),
    (&[(0, b"(lp0\n")], "a Python pickle", UNPICKLE),
    (&[(0, b"(dp0\n")], "a Python pickle", UNPICKLE),
    (&[(0, b"]q\0(")], "a Python pickle", UNPICKLE),
    (&[(0, b"}q\0(")], "a Python pickle", UNPICKLE),
    (&[(0, b"RDX2\n")], "a file of R", "export the data as CSV"),
    (&[(0, b"RDX3\n")], "a file of R", "export the data as CSV"),
    (&[(0, b"\x7fELF")], "a program", NO_PUZZLES),
    (&[(0, b"MZ"), (0x28, b"\0\0\0\0\0\0\0\0")], "a program", NO_PUZZLES),
    (&[(0, b"\xcf\xfa\xed\xfe")], "a program", NO_PUZZLES),
    (&[(0, b"\xce\xfa\xed\xfe")], "a program", NO_PUZZLES),
    (&[(0, b"\xca\xfe\xba\xbe")], "a Java class", NO_PUZZLES),
    (&[(0, b"\0asm")], "a WebAssembly program", NO_PUZZLES),
    (&[(0, b"\xde\x12\x04\x95")], "a gettext catalogue", NO_PUZZLES),
    (&[(0, b"\x95\x04\x12\xde")], "a gettext catalogue", NO_PUZZLES),
];

/// Letters that a text may begin with, too.
const ORC: Magic = (&[(0, b"ORC")], "an ORC file", "export it as CSV");

const UNPICKLE: &str = "export what is in it as text (loading a pickle runs its code)";

/// What a zip archive is by a name in it.
const ZIPPED: &[(&str, &str, &str)] = &[
    ("xl/", "an Excel workbook (.xlsx)", SAVE_SHEET),
    ("word/", "a Word document (.docx)", SAVE_TEXT),
    ("ppt/", "a presentation (.pptx)", SAVE_TEXT),
    ("mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "an OpenDocument sheet (.ods)", SAVE_SHEET),
    ("mimetypeapplication/vnd.oasis.opendocument.", "an OpenDocument text (.odt)", SAVE_TEXT),
    ("mimetypeapplication/epub", "an e-book (.epub)", SAVE_TEXT),
    ("data.pkl", "a PyTorch file", UNPICKLE),
    (".npy", "numpy arrays (.npz)", "take one array out: unzip -p {} NAME.npy > NAME.npy"),
    ("META-INF/", "a Java archive (.jar)", NO_PUZZLES),
];

/// The refusal of what is foreign beyond doubt by its first bytes, whatever it is said to be.
pub(in crate::input) fn by_magic(name: &str, bytes: &[u8], compression: Option<&str>) -> Option<InputError> {
    let has = |&(at, part): &(usize, &[u8])| bytes.get(at..).is_some_and(|rest| rest.starts_with(part));
    let orc = || has_orc(bytes).then_some(&ORC);
    let &(_, what, advice) = MAGIC.iter().find(|(parts, ..)| parts.iter().all(has)).or_else(orc)?;
    let zipped = || {
        let is_in =
            |name: &str| zip_starts(bytes).any(|start| memmem::find(start, name.as_bytes()).is_some());
        ZIPPED.iter().find(|(name, ..)| is_in(name))
    };
    let zipped = if bytes.starts_with(b"PK\x03\x04") { zipped() } else { None };
    let (what, advice) = zipped.map_or((what, advice), |&(_, what, advice)| (what, advice));
    // What is compressed twice was decompressed once.
    let inner = advice.strip_prefix("decompress it: ").and_then(|command| command.split_once(" -dc"));
    match (compression, inner) {
        (Some(outer), Some((inner, _))) => {
            let advice = format!("decompress it twice: {outer} -dc {{}} | {inner} -dc {{pipe}}");
            Some(Foreign { what: Cow::Borrowed(what), advice: Cow::Owned(advice) }.error(name))
        }
        _ => Some(Foreign::new(what, advice).error(name)),
    }
}

/// Whether the letters of ORC stand before binary data.
fn has_orc(bytes: &[u8]) -> bool {
    let behind = bytes.strip_prefix(b"ORC").unwrap_or_default();
    behind[..behind.len().min(64)].contains(&0)
}

/// The names of the files in the start of a zip archive, each with what follows it.
fn zip_starts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    /// Where the name stands in the header of a file, and bytes from there that are enough to tell a kind.
    const NAME: usize = 30;
    const ENOUGH: usize = 80;
    memmem::find_iter(bytes, b"PK\x03\x04").map(move |at| {
        let start = bytes.get(at + NAME..).unwrap_or_default();
        &start[..start.len().min(ENOUGH)]
    })
}
