//! Decides how records are written to the outputs: unchanged, or converted if an output's name asks for another format.
//!
//! A name asks for a format if its extension belongs to a format that differs from that of the records. In that case
//! all outputs are converted, each to the format of its name, because a run reads its records in only one way.

use std::path::Path;
use std::sync::Arc;

use super::Verbatim;
use super::pass::PassError;
use crate::input::{Framing, Source};
use crate::output::{Choice, ChoiceError, Compression, Encode, compressed, compression_of_text};

/// The outputs for records, by name.
pub struct Outputs(Vec<Output>);

/// An output.
struct Output {
    /// The format or extension that the name asks for, if any.
    asked: Option<String>,
    /// Whether the format was given explicitly; if so, even records already in this format are converted.
    is_given: bool,
    /// The encoder for converted records, or the error if there is none for this extension.
    encoder: Result<Arc<dyn Encode>, ChoiceError>,
    compression: Option<Compression>,
}

/// How the records of some inputs are written to the outputs.
pub struct Copies {
    /// The encoder of each output.
    pub encoders: Vec<Arc<dyn Encode>>,
    /// Whether the records are converted.
    pub are_converted: bool,
}

impl Outputs {
    /// Returns the outputs with these names; `None` stands for standard output. A given format applies to all of them.
    /// Fails if a name contradicts the format or has an extension that is not for puzzles.
    pub fn new<'a>(
        paths: impl IntoIterator<Item = Option<&'a Path>>,
        given: Option<&str>,
    ) -> Result<Self, ChoiceError> {
        paths.into_iter().map(|path| Output::new(path, given)).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the encoders that can be determined from the names.
    pub fn encoders(&self) -> impl Iterator<Item = Arc<dyn Encode>> {
        let plain = || (Choice::CSV.format.make)();
        self.0.iter().map(move |output| output.encoder.as_ref().map_or_else(|_| plain(), Arc::clone))
    }

    /// Decides how the records of these sources are written. Fails if the records would have to be copied but cannot
    /// be, or would have to be converted to a format that has no encoder.
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
            Err(error) => {
                let ChoiceError::Foreign { extension, path, .. } = &error else { return Err(error) };
                let (asked, compression) = (Some(extension.clone()), compression_of_text(path)?);
                Ok(Self { asked, is_given, encoder: Err(error), compression })
            }
        }
    }

    /// Returns whether a source's records are converted for this output.
    fn converts(&self, source: &Source) -> bool {
        let Some(asked) = &self.asked else { return false };
        let look = source.look();
        let is_tabbed = look.dialect.separator == Some('\t');
        let is_own = match (look.dialect.framing, &**asked) {
            (Framing::Parquet | Framing::Arrow, "csv" | "lines") => true,
            _ if look.excerpt.is_none() => false,
            // The extension `lines` fits any text.
            (_, "lines") | (Framing::Jsonl, "jsonl" | "json") => true,
            (Framing::Csv, "csv") => !is_tabbed,
            (Framing::Csv, "tsv") => is_tabbed,
            (Framing::Line | Framing::Grid, "sdk" | "ss") => true,
            _ => false,
        };
        self.is_given || !is_own
    }
}
