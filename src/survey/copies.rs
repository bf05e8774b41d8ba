//! Decides how records go to outputs: unchanged, or converted if the name of an output asks for another format.
//!
//! A name asks for a format if its extension is that of another format than the records have. Then all outputs are
//! converted, each to the format of its name, since a run reads its records in one way.

use std::path::Path;
use std::sync::Arc;

use super::Verbatim;
use super::pass::PassError;
use crate::input::{Framing, Source};
use crate::output::{Choice, ChoiceError, Compression, Encode, compressed, compression_of_text};

/// The outputs of records, by their names.
pub struct Outputs(Vec<Output>);

/// An output.
struct Output {
    /// The format or the extension that the name asks for, if any.
    asked: Option<String>,
    /// Whether a format is given, so that records of the same format are converted as well.
    is_given: bool,
    /// The encoder of converted records, unless nothing writes files of this extension.
    encoder: Result<Arc<dyn Encode>, ChoiceError>,
    compression: Option<Compression>,
}

/// The way in which the records of some inputs go to outputs.
pub struct Copies {
    /// The encoder of each output.
    pub encoders: Vec<Arc<dyn Encode>>,
    /// Whether the records are converted.
    pub are_converted: bool,
}

impl Outputs {
    /// Returns the outputs with these names, `None` for standard output; a given format counts for all. Fails if a name
    /// contradicts the format, or has the extension of something other than puzzles.
    pub fn new<'a>(
        paths: impl IntoIterator<Item = Option<&'a Path>>,
        given: Option<&str>,
    ) -> Result<Self, ChoiceError> {
        paths.into_iter().map(|path| Output::new(path, given)).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the encoders as far as the names determine them.
    pub fn encoders(&self) -> impl Iterator<Item = Arc<dyn Encode>> {
        let plain = || (Choice::CSV.format.make)();
        self.0.iter().map(move |output| output.encoder.as_ref().map_or_else(|_| plain(), Arc::clone))
    }

    /// Decides how the records of these sources are written. Fails if they must be copied but cannot be, or must be
    /// converted to a format without an encoder.
    pub fn copies(&self, sources: &[Source]) -> Result<Copies, PassError> {
        let are_converted = self.0.iter().any(|output| sources.iter().any(|source| output.converts(source)));
        if are_converted {
            let encoders = self.0.iter().map(|output| output.encoder.clone());
            return Ok(Copies { encoders: encoders.collect::<Result<_, _>>()?, are_converted });
        }
        let verbatim: Arc<dyn Encode> = Arc::new(Verbatim::of(sources)?);
        let encoder = |output: &Output| compressed(Arc::clone(&verbatim), output.compression);
        Ok(Copies { encoders: self.0.iter().map(encoder).collect(), are_converted })
    }
}

impl Output {
    fn new(path: Option<&Path>, given: Option<&str>) -> Result<Self, ChoiceError> {
        let is_given = given.is_some();
        match Choice::new(path, given) {
            Ok(choice) => {
                let asked = choice.is_named.then(|| choice.format.name.to_owned());
                let (encoder, compression) = (Ok(choice.encoder(false)?), choice.compression);
                Ok(Self { asked, is_given, encoder, compression })
            }
            Err(ChoiceError::Foreign { extension, path, hint }) => {
                let compression = compression_of_text(&path)?;
                let asked = Some(extension.clone());
                let encoder = Err(ChoiceError::Foreign { extension, path, hint });
                Ok(Self { asked, is_given, encoder, compression })
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether the records of a source are converted for this output.
    fn converts(&self, source: &Source) -> bool {
        let Some(asked) = &self.asked else { return false };
        let look = source.look();
        let is_tabbed = look.dialect.separator == Some('\t');
        let is_own = match (look.dialect.framing, &**asked) {
            (Framing::Parquet | Framing::Arrow, "csv" | "lines") => true,
            _ if look.excerpt.is_none() => false,
            // The extension of lines fits any text.
            (_, "lines") | (Framing::Jsonl, "jsonl" | "json") => true,
            (Framing::Csv, "csv") => !is_tabbed,
            (Framing::Csv, "tsv") => is_tabbed,
            (Framing::Line | Framing::Grid, "sdk" | "ss") => true,
            _ => false,
        };
        self.is_given || !is_own
    }
}
