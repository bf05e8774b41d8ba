//! What an output is, by its name and by the format that is asked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compress::{Compressed, Compression};
use super::encode::{Encode, Form};
use super::{FORMATS, OutputFormat, by_name};
use crate::input::{OptionNames, lacking, shown_name};

/// The format and the compression of an output.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The format.
    pub format: &'static OutputFormat,
    /// How it is compressed, if it is.
    pub compression: Option<Compression>,
}

/// Why an output cannot be what it is to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// There is no such format.
    #[error("there is no output format {name} (expected {})", names().join(", "))]
    Unknown {
        /// The name given.
        name: String,
    },
    /// The name of a file is that of something that is not written here.
    #[error("{}: .{extension} is not written", shown_name(path))]
    Foreign {
        /// The output as given.
        path: PathBuf,
        /// Its extension.
        extension: String,
        /// What to do instead, with the name of an option in braces.
        hint: &'static str,
    },
    /// The name says one thing and the format that was asked for another, and who reads by the name would see rubbish.
    #[error("{}: is named as {of_name}, and is to be {named}", shown_name(path))]
    Contradiction {
        /// The output as given.
        path: PathBuf,
        /// The format that it is named as.
        of_name: &'static str,
        /// The format that was asked for.
        named: &'static str,
    },
    /// Only text is compressed.
    #[error(
        "{}: the format {format} is not compressed as a whole, since nobody could read it so",
        shown_name(path)
    )]
    Compressed {
        /// The output as given.
        path: PathBuf,
        /// The format.
        format: &'static str,
        /// What its name asks for.
        compression: Compression,
    },
    /// What is written is text as it stands in its input.
    #[error("{}: is named as {format}, and records as they stand are text", shown_name(path))]
    NotText {
        /// The output as given.
        path: PathBuf,
        /// The format that it is named as.
        format: &'static str,
    },
    /// Formulas are escaped in CSV alone.
    #[error("formulas are escaped in CSV, and not in {0}")]
    NoFormulas(&'static str),
}

impl ChoiceError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self, names: &OptionNames) -> Option<String> {
        Some(match self {
            Self::Foreign { hint, .. } => hint
                .replace("{escape_formulas}", names.escape_formulas)
                .replace("{text}", &names.with_value(names.output_format, "text")),
            Self::Contradiction { .. } => {
                format!("leave out {}, or give the file another name", names.output_format)
            }
            Self::Compressed { compression, .. } => format!("leave out .{}", compression.extension()),
            Self::NotText { format, .. } => {
                format!("give it the extension of the input, and convert it to {format} afterwards")
            }
            Self::Unknown { .. } if cfg!(not(feature = "parquet")) => lacking("parquet"),
            Self::Unknown { .. } | Self::NoFormulas(_) => return None,
        })
    }
}

/// Names of the formats that can be written.
fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).collect()
}

/// Extensions that promise something else than what would be written, whether text can be written under such a name if
/// that is asked for, and what to do, with the name of an option in braces.
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
        "write .csv; this needs the feature parquet",
    ),
];

impl Choice {
    /// The default.
    pub const CSV: Self = Self { format: &FORMATS[0], compression: None };

    /// What a file is to be that is called `path`, or standard output, if `named` or nothing is asked for.
    ///
    /// # Errors
    ///
    /// When there is no such format, or the two contradict each other.
    pub fn new(path: Option<&Path>, named: Option<&str>) -> Result<Self, ChoiceError> {
        let named =
            named.map(|name| by_name(name).ok_or_else(|| ChoiceError::Unknown { name: name.to_owned() }));
        let named = named.transpose()?;
        let Some(path) = path else {
            return Ok(Self { format: named.unwrap_or(Self::CSV.format), ..Self::CSV });
        };
        let (compression, extension) = endings(path);
        let of_name = format_of(&extension);
        if let Some((_, is_text, hint)) = FOREIGN.iter().find(|(names, ..)| names.contains(&&*extension))
            && !(*is_text && named.is_some_and(OutputFormat::is_text))
        {
            return Err(ChoiceError::Foreign { path: path.to_owned(), extension, hint });
        }
        if let (Some(named), Some(of_name)) = (named, of_name)
            && named.name != of_name.name
            && !(named.is_text() && of_name.is_text())
        {
            let (of_name, named) = (of_name.name, named.name);
            return Err(ChoiceError::Contradiction { path: path.to_owned(), of_name, named });
        }
        let format = named.or(of_name).unwrap_or(Self::CSV.format);
        match compression {
            Some(compression) if !format.is_text() => {
                Err(ChoiceError::Compressed { path: path.to_owned(), format: format.name, compression })
            }
            _ => Ok(Self { format, compression }),
        }
    }

    /// What writes it; it leaves no formula to a spreadsheet if that is wanted.
    ///
    /// # Errors
    ///
    /// When no spreadsheet reads the format and it was wanted.
    pub fn encoder(&self, escape_formulas: bool) -> Result<Arc<dyn Encode>, ChoiceError> {
        let encoder = match (escape_formulas, self.format.make_escaping) {
            (false, _) => (self.format.make)(),
            (true, Some(make_escaping)) => make_escaping(),
            (true, None) => return Err(ChoiceError::NoFormulas(self.format.name)),
        };
        Ok(match self.compression {
            None => encoder,
            Some(compression) => Arc::new(Compressed { encoder, compression }),
        })
    }
}

impl OutputFormat {
    fn is_text(&self) -> bool {
        (self.make)().form() == Form::Text
    }
}

/// The compression that a name asks for, and the extension before that; both in lower case, empty if there is none.
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

/// How text is compressed that goes to a file of that name, in whatever format it is.
///
/// # Errors
///
/// When the name is that of something else than text.
pub fn compression_of_text(path: &Path) -> Result<Option<Compression>, ChoiceError> {
    let (compression, extension) = endings(path);
    let foreign =
        FOREIGN.iter().find(|(extensions, is_text, _)| !is_text && extensions.contains(&&*extension));
    if let Some(&(_, _, hint)) = foreign {
        return Err(ChoiceError::Foreign { path: path.to_owned(), extension, hint });
    }
    match format_of(&extension) {
        Some(format) if !format.is_text() => {
            Err(ChoiceError::NotText { path: path.to_owned(), format: format.name })
        }
        _ => Ok(compression),
    }
}

/// The format of files with that extension, if one has it.
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
    fn the_name_of_a_file_says_what_it_is() {
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
    fn a_text_format_that_is_named_is_written_under_any_name_of_a_text() {
        for path in ["out.csv", "out.jsonl", "out.txt", "out.json", "out.sdm", "out"] {
            for format in ["csv", "jsonl", "lines", "text"] {
                assert_eq!(chosen(path, Some(format)), Ok((format, None)), "{path} {format}");
            }
        }
        assert_eq!(chosen("a.txt.zst", Some("text")), Ok(("text", Some(Compression::Zstandard))));
    }

    #[test]
    fn a_name_that_would_not_be_true_is_refused_with_what_to_do() {
        for (path, named, expected) in [
            ("a.xlsx", None, "a.xlsx: .xlsx is not written; write .csv, which"),
            ("a.XLSX", Some("csv"), "; write .csv"),
            ("a.csv.xz", Some("csv"), "; write .gz or .zst"),
            ("a.json", None, "; write .jsonl"),
            ("a.json.gz", None, "; write .jsonl"),
            ("a", Some("xml"), "no output format xml (expected csv, jsonl, lines, text"),
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
        assert_eq!(error, "formulas are escaped in CSV, and not in lines");
    }
}
