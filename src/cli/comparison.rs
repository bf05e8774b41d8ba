//! The shared parts of the commands that compare records.

use clap::{Args, ValueEnum};

use super::flags::RUN;
use super::options::JobOptions;
use crate::survey::duplicates::{Bounds, Same};

/// The values of `--same`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SameArgument {
    /// The same 81 cells, in any symbols and layout
    Text,
    /// Isomorphic puzzles, as `canon` finds them
    Puzzle,
    /// Puzzles with one solution each, whose solutions are isomorphic
    SolutionGrid,
}

impl From<SameArgument> for Same {
    fn from(argument: SameArgument) -> Self {
        match argument {
            SameArgument::Text => Self::Text,
            SameArgument::Puzzle => Self::Puzzle,
            SameArgument::SolutionGrid => Self::SolutionGrid,
        }
    }
}

/// The memory limit for records.
#[derive(Args, Debug)]
pub struct MemoryArguments {
    /// Keep up to SIZE bytes of records in memory, at least 1M (K, M and G are powers of 1024)
    ///
    /// A record takes 48 bytes. The rest goes to an unnamed file in the folder of temporary files (TMPDIR). That file
    /// disappears however the program ends.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, group = RUN)]
    pub memory: usize,
}

impl MemoryArguments {
    /// Returns the bounds of a comparison that keeps within this memory.
    pub fn bounds(&self, options: &JobOptions) -> Bounds {
        Bounds { memory: self.memory, make_file: tempfile::tempfile, threads: options.run.threads }
    }
}

/// The least memory for records.
const LEAST_MEMORY: usize = 1 << 20;

/// Parses a number of bytes.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|suffix: char| suffix.is_ascii_alphabetic());
    let shift = match &*text[digits.len()..].to_ascii_uppercase() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        _ => None,
    };
    let bytes = digits.parse::<usize>().ok().zip(shift);
    let bytes = bytes.and_then(|(number, shift)| number.checked_mul(1 << shift));
    bytes
        .filter(|&bytes| bytes >= LEAST_MEMORY)
        .ok_or_else(|| "expected 1M or more, as in 500M or 2G".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_of_bytes_with_a_suffix() {
        assert_eq!(size("1048576"), Ok(1 << 20));
        assert_eq!([size("1m"), size("1024K"), size("1G")], [Ok(1 << 20), Ok(1 << 20), Ok(1 << 30)]);
        for text in ["", "G", "1023K", "1.5G", "-1G", "1GB", "1 G", "99999999999999999999", "17179869184G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
