//! The format and compression of an output, chosen from the output's name and the requested format.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compress::{Compression, compressed};
use super::csv::Csv;
use super::encode::{Encode, Form};
use super::{FORMATS, OutputFormat, by_name};
use crate::input::{OptionNames, lacking, shown_name};

/// The format and compression of an output.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The format.
    pub format: &'static OutputFormat,
    /// The compression, if any.
    pub compression: Option<Compression>,
    /// Whether the format was requested or follows from the output's extension. Otherwise, it is the default.
    pub is_named: bool,
}

/// The reason why the format and name of an output contradict each other. Each path is the output as the user named it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// No format has this name.
    #[error("there is no output format {} (expected {})", .0, names().join(", "))]
    Unknown(String),
    /// Files with this extension cannot be written.
    #[error("{}: .{extension} cannot be written", shown_name(path))]
    Foreign {
        /// The output as the user named it.
        path: PathBuf,
        /// The extension of the output.
        extension: String,
        /// Advice on what to do instead, with option names in braces.
        hint: &'static str,
    },
    /// The extension belongs to the first format, but the second was requested. Programs that trust the name would
    /// fail.
    #[error("{}: has the extension of {}, but the format is {}", shown_name(.0), .1, .2)]
    Contradiction(PathBuf, &'static str, &'static str),
    /// The extension calls for compression, but files in this format are not compressed as a whole.
    #[error("{}: {} files are not compressed as a whole: no program could read them", shown_name(.0), .1)]
    Compressed(PathBuf, &'static str, Compression),
    /// The extension belongs to this format, but text is written.
    #[error("{}: has the extension of {}, but its records are written as text", shown_name(.0), .1)]
    NotText(PathBuf, &'static str),
    /// Formula escaping was requested, but spreadsheets do not open this format.
    #[error("formulas can be escaped in CSV only, not in {0}")]
    NoFormulas(&'static str),
}

impl ChoiceError {
    /// Returns advice on how to resolve the error.
    #[must_use]
    pub fn hint(&self, names: &OptionNames) -> Option<String> {
        Some(match self {
            Self::Foreign { hint, .. } => hint
                .replace("{escape_formulas}", names.escape_formulas)
                .replace("{text}", &names.with_value(names.output_format, "text")),
            Self::Contradiction(..) => {
                format!("leave out {}, or give the file another name", names.output_format)
            }
            Self::Compressed(.., compression) => format!("leave out .{}", compression.extension()),
            Self::NotText(_, format) => {
                format!("give it the extension of the input, and convert it to {format} afterwards")
            }
            Self::Unknown(_) if cfg!(not(feature = "parquet")) => lacking("parquet"),
            Self::Unknown(_) | Self::NoFormulas(_) => return None,
        })
    }
}

/// Returns the names of the formats that can be written.
fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).collect()
}

/// Extensions of formats that cannot be written. The flag says whether text can use the extension if a text format is
/// requested. The advice has option names in braces.
const FOREIGN: &[(&[&str], bool, &str)] = &[
    (&["xlsx", "xls", "ods"], false, "write .csv, which spreadsheets open{escape_formulas}"),
    (
        &["7z", "br", "bz2", "lz4", "rar", "tar", "tgz", "xz", "zip"],
        false,
        "write .gz or .zst, as in results.csv.zst",
    ),
    (&["json"], true, "write .jsonl, an object on each line"),
    (&["sdk", "ss"], true, "{text} writes grids"),
    (&["tsv"], true, "write .csv, with commas between fields"),
    (&["npz"], false, "write .npy"),
    #[cfg(not(feature = "parquet"))]
    (
        &["parquet", "parq", "pq", "arrow", "feather", "ipc"],
        false,
        "write .csv, or build with the feature parquet",
    ),
];

impl Choice {
    /// The choice when neither a name nor a format is given.
    pub const CSV: Self = Self { format: &FORMATS[0], compression: None, is_named: false };

    /// Returns the choice for the output `path` (`None` for standard output) and the requested format `named`, if any.
    ///
    /// # Errors
    ///
    /// Fails if there is no format with that name, or if the name of the output contradicts the format.
    pub fn new(path: Option<&Path>, named: Option<&str>) -> Result<Self, ChoiceError> {
        let named = named.map(|name| by_name(name).ok_or_else(|| ChoiceError::Unknown(name.to_owned())));
        let named = named.transpose()?;
        let Some(path) = path else {
            let is_named = named.is_some();
            return Ok(Self { format: named.unwrap_or(Self::CSV.format), is_named, ..Self::CSV });
        };
        let (compression, extension) = endings(path);
        refuse_foreign(path, &extension, named.is_some_and(OutputFormat::is_text))?;
        let of_name = format_of(&extension);
        if let (Some(named), Some(of_name)) = (named, of_name)
            && named.name != of_name.name
            && !(named.is_text() && of_name.is_text())
        {
            return Err(ChoiceError::Contradiction(path.to_owned(), of_name.name, named.name));
        }
        let named = named.or(of_name);
        let format = named.unwrap_or(Self::CSV.format);
        match compression {
            Some(compression) if !format.is_text() => {
                Err(ChoiceError::Compressed(path.to_owned(), format.name, compression))
            }
            _ => Ok(Self { format, compression, is_named: named.is_some() }),
        }
    }

    /// Returns the encoder of the format, which escapes formulas if requested.
    ///
    /// # Errors
    ///
    /// Fails if escaping is requested but spreadsheets do not open the format.
    pub fn encoder(&self, escape_formulas: bool) -> Result<Arc<dyn Encode>, ChoiceError> {
        let encoder = match self.format.name {
            _ if !escape_formulas => (self.format.make)(),
            "csv" => Arc::new(Csv { escape_formulas }),
            other => return Err(ChoiceError::NoFormulas(other)),
        };
        Ok(compressed(encoder, self.compression))
    }
}

impl OutputFormat {
    fn is_text(&self) -> bool {
        (self.make)().form() == Form::Text
    }
}

/// Returns the compression that a file name calls for, and the remaining extension in lower case, which can be empty.
fn endings(path: &Path) -> (Option<Compression>, String) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let compressions = [Compression::Gzip, Compression::Zstandard];
    let found = compressions.into_iter().find_map(|compression| {
        let stem = name.strip_suffix(compression.extension())?.strip_suffix('.')?;
        Some((compression, stem))
    });
    let stem = found.map_or(&*name, |(_, stem)| stem);
    let extension = Path::new(stem).extension().and_then(|extension| extension.to_str());
    (found.map(|(compression, _)| compression), extension.unwrap_or_default().to_owned())
}

/// Rejects an output whose extension is listed in [`FOREIGN`], unless text is written and text can use that extension.
fn refuse_foreign(path: &Path, extension: &str, is_text: bool) -> Result<(), ChoiceError> {
    match FOREIGN.iter().find(|(extensions, ..)| extensions.contains(&extension)) {
        Some(&(_, may_be_text, hint)) if !(is_text && may_be_text) => {
            Err(ChoiceError::Foreign { path: path.to_owned(), extension: extension.to_owned(), hint })
        }
        _ => Ok(()),
    }
}

/// Returns the compression for text written to a file with this name, regardless of the text's format.
///
/// # Errors
///
/// Fails if the name belongs to a format other than text.
pub fn compression_of_text(path: &Path) -> Result<Option<Compression>, ChoiceError> {
    let (compression, extension) = endings(path);
    refuse_foreign(path, &extension, true)?;
    match format_of(&extension) {
        Some(format) if !format.is_text() => Err(ChoiceError::NotText(path.to_owned(), format.name)),
        _ => Ok(compression),
    }
}

/// Finds the format of files with this extension.
fn format_of(extension: &str) -> Option<&'static OutputFormat> {
    FORMATS.iter().find(|format| format.extensions.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(path: &str, named: Option<&str>) -> Result<(&'static str, Option<Compression>), ChoiceError> {
        Choice::new(Some(Path::new(path)), named).map(|choice| (choice.format.name, choice.compression))
    }

    #[test]
    fn the_extension_decides_the_format() {
        let (gzip, zstandard) = (Some(Compression::Gzip), Some(Compression::Zstandard));
        for (path, format, compression) in [
            ("out", "csv", None),
            ("out.csv", "csv", None),
            ("OUT.CSV.GZ", "csv", gzip),
            ("a.b/out.jsonl.zst", "jsonl", zstandard),
            ("out.ndjson", "jsonl", None),
            ("out.jsonlines", "jsonl", None),
            ("results.dat", "csv", None),
            ("out.txt", "lines", None),
            ("out.txt.gz", "lines", gzip),
            ("out.gz", "csv", gzip),
            ("results.2026-11-22", "csv", None),
            (".csv", "csv", None),
            (".gz", "csv", gzip),
            ("gz", "csv", None),
            ("out.zst.csv", "csv", None),
            ("..", "csv", None),
        ] {
            assert_eq!(chosen(path, None), Ok((format, compression)), "{path}");
        }
        assert_eq!(Choice::new(None, None).unwrap().format.name, "csv");
        assert_eq!(Choice::new(None, Some("text")).unwrap().format.name, "text");
    }

    #[test]
    fn a_given_text_format_is_written_under_any_name_of_text() {
        for path in ["out.csv", "out.jsonl", "out.txt", "out.json", "out.sdm", "out"] {
            for format in ["csv", "jsonl", "lines", "text"] {
                assert_eq!(chosen(path, Some(format)), Ok((format, None)), "{path} {format}");
            }
        }
        assert_eq!(chosen("a.txt.zst", Some("text")), Ok(("text", Some(Compression::Zstandard))));
    }

    #[test]
    fn an_extension_of_another_format_is_refused_with_a_hint() {
        for (path, named, expected) in [
            ("a.xlsx", None, "a.xlsx: .xlsx cannot be written; write .csv, which"),
            ("a.XLSX", Some("csv"), "; write .csv"),
            ("a.csv.xz", Some("csv"), "; write .gz or .zst"),
            ("a.json", None, "; write .jsonl"),
            ("a.json.gz", None, "; write .jsonl"),
            ("a", Some("xml"), "no output format xml (expected csv, jsonl, lines, text"),
            ("a", Some("CSV"), "no output format CSV"),
            ("a", Some(""), "no output format  (expected"),
        ] {
            let error = chosen(path, named).unwrap_err();
            let hint = error.hint(&OptionNames::LIBRARY).unwrap_or_default();
            assert!(format!("{error}; {hint}").contains(expected), "{path}: {error}; {hint}");
        }
    }

    #[test]
    fn formulas_are_escaped_in_csv_alone() {
        assert!(Choice::CSV.encoder(true).is_ok());
        let lines = Choice::new(None, Some("lines")).unwrap();
        assert!(lines.encoder(false).is_ok());
        let error = lines.encoder(true).err().unwrap().to_string();
        assert_eq!(error, "formulas can be escaped in CSV only, not in lines");
    }
}
