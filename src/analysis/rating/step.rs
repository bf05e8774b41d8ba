//! The steps of a solution, written so that people can check them.

use super::cells::{CellSet, Digits};
use crate::sudoku::cell_name;
use std::fmt;

/// A technique; the variants are listed in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Technique {
    /// The only blank cell in a house.
    LastDigit,
    /// A digit's only place in a box.
    HiddenSingleInBox,
    /// A digit's only place in a row or column.
    HiddenSingleInLine,
    /// Pointing that leads to a hidden single in another box.
    DirectPointing,
    /// Claiming that leads to a hidden single in another line.
    DirectClaiming,
    /// A hidden pair that leads to a hidden single in the same house.
    DirectHiddenPair,
    /// The only candidate of a cell.
    NakedSingle,
    /// A hidden triplet that leads to a hidden single in the same house.
    DirectHiddenTriplet,
    /// All places of a digit in a box are in one line.
    Pointing,
    /// All places of a digit in a line are in one box.
    Claiming,
    /// Two cells of a house that have only two candidates between them.
    NakedPair,
    /// Two rows in which all places of a digit are in two columns, or the reverse.
    XWing,
    /// Two digits that have only two places between them in a house.
    HiddenPair,
    /// Three cells of a house that have only three candidates between them.
    NakedTriplet,
    /// Like an X-wing, but with three lines.
    Swordfish,
    /// Three digits that have only three places between them in a house.
    HiddenTriplet,
    /// A bivalue cell xy with peers xz and yz.
    XyWing,
    /// A cell xyz with bivalue peers xz and yz.
    XyzWing,
    /// A loop of cells that would allow two solutions if it had only two digits; the number is the type, 1 to 4.
    UniqueLoop(u8),
    /// Four cells of a house that have only four candidates between them.
    NakedQuad,
    /// Like an X-wing, but with four lines.
    Jellyfish,
    /// Four digits that have only four places between them in a house.
    HiddenQuad,
    /// A state that would allow two solutions if all cells were bivalue; the number is the type, 1 to 4.
    BivalueUniversalGrave(u8),
    /// Two cells, one of which has a candidate that would leave the other with no candidate.
    AlignedPairExclusion,
    /// A cycle of links between the places of one digit.
    XCycle,
    /// A cycle of links through bivalue cells.
    YCycle,
    /// A cycle of links of both kinds.
    XyCycle,
    /// A chain of links between the places of one digit that proves a candidate true or false.
    ForcingXChain,
    /// A chain of links of both kinds that proves a candidate true or false.
    ForcingChain,
    /// Three cells, some of whose candidates would leave another cell with no candidate, whatever digits the other two
    /// cells hold.
    AlignedTripletExclusion,
    /// A candidate that leads to a contradiction, based only on the places of its digit.
    NishioForcingChains,
    /// A conclusion that follows from every candidate of a cell.
    CellForcingChains,
    /// A conclusion that follows from every place of a digit in a house.
    HouseForcingChains,
    /// One of the above, a contradiction, or a conclusion that follows from a candidate and from its opposite.
    /// Candidates found to be false are used in further steps.
    DynamicForcingChains,
    /// Dynamic forcing chains with locked candidates, pairs and X-wings that arise once some candidates are found to be
    /// false.
    DynamicForcingChainsPlus,
}

impl fmt::Display for Technique {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::LastDigit => "last digit",
            Self::HiddenSingleInBox => "hidden single in a box",
            Self::HiddenSingleInLine => "hidden single in a line",
            Self::DirectPointing => "direct pointing",
            Self::DirectClaiming => "direct claiming",
            Self::DirectHiddenPair => "direct hidden pair",
            Self::NakedSingle => "naked single",
            Self::DirectHiddenTriplet => "direct hidden triplet",
            Self::Pointing => "pointing",
            Self::Claiming => "claiming",
            Self::NakedPair => "naked pair",
            Self::XWing => "X-wing",
            Self::HiddenPair => "hidden pair",
            Self::NakedTriplet => "naked triplet",
            Self::Swordfish => "swordfish",
            Self::HiddenTriplet => "hidden triplet",
            Self::XyWing => "XY-wing",
            Self::XyzWing => "XYZ-wing",
            Self::UniqueLoop(_) => "unique loop of type",
            Self::NakedQuad => "naked quad",
            Self::Jellyfish => "jellyfish",
            Self::HiddenQuad => "hidden quad",
            Self::BivalueUniversalGrave(_) => "bivalue universal grave of type",
            Self::AlignedPairExclusion => "aligned pair exclusion",
            Self::XCycle => "X-cycle",
            Self::YCycle => "Y-cycle",
            Self::XyCycle => "XY-cycle",
            Self::ForcingXChain => "forcing X-chain",
            Self::ForcingChain => "forcing chain",
            Self::AlignedTripletExclusion => "aligned triplet exclusion",
            Self::NishioForcingChains => "Nishio forcing chains",
            Self::CellForcingChains => "cell forcing chains",
            Self::HouseForcingChains => "house forcing chains",
            Self::DynamicForcingChains => "dynamic forcing chains",
            Self::DynamicForcingChainsPlus => "dynamic forcing chains (+)",
        };
        match self {
            Self::UniqueLoop(kind) | Self::BivalueUniversalGrave(kind) => write!(f, "{name} {kind}"),
            _ => f.write_str(name),
        }
    }
}

/// The reason for a step, and its rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// The technique.
    pub technique: Technique,
    /// The rating in tenths.
    pub rating: u8,
    /// The cells of the pattern.
    pub cells: CellSet,
    /// The digits of the pattern, each stored as digit - 1.
    pub(super) digits: Digits,
}

/// A step of a solution. Its text is like `3.0 naked pair 37 in A1 A9: not 3 in A4 A5, not 7 in A4`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The reason for the step.
    pub reason: Reason,
    /// The cell that gets its digit, and that digit; `None` if candidates are removed.
    pub placed: Option<(usize, u8)>,
    /// The candidates that are removed: digits, each with its cells.
    pub removed: Vec<(u8, CellSet)>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reason { technique, rating, cells, digits } = self.reason;
        write!(f, "{}.{} {technique}", rating / 10, rating % 10)?;
        if self.placed.is_none_or(|(cell, _)| cells != CellSet::of(cell)) {
            f.write_str(" ")?;
            digits.iter().try_for_each(|digit| write!(f, "{}", digit + 1))?;
            f.write_str(" in")?;
            cells.iter().map(cell_name).try_for_each(|cell| write!(f, " {cell}"))?;
        }
        if let Some((cell, digit)) = self.placed {
            write!(f, ": {} is {digit}", cell_name(cell))?;
        }
        let mut mark = ':';
        for &(digit, cells) in &self.removed {
            write!(f, "{mark} not {digit} in")?;
            cells.iter().map(cell_name).try_for_each(|cell| write!(f, " {cell}"))?;
            mark = ',';
        }
        Ok(())
    }
}
