//! Grades, which are words for ranges of ratings.

use super::Rating;

/// A word that describes the difficulty of a puzzle. The words and their ranges come from Sudoku Explainer's generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// A rating up to 1.2: hidden singles in boxes.
    Easy,
    /// A rating up to 1.5: hidden singles.
    Medium,
    /// A rating up to 2.5: naked singles, and techniques that directly lead to a single.
    Hard,
    /// A rating up to 6.0: locked candidates, subsets, wings, unique loops and graves.
    Fiendish,
    /// A rating above 6.0.
    Diabolical,
}

/// The name of each grade, and its highest rating in tenths.
const GRADES: [(Grade, &str, u8); 5] = [
    (Grade::Easy, "easy", 12),
    (Grade::Medium, "medium", 15),
    (Grade::Hard, "hard", 25),
    (Grade::Fiendish, "fiendish", 60),
    (Grade::Diabolical, "diabolical", u8::MAX),
];

impl Grade {
    /// The highest rating, in tenths, that has to be exact to determine the grade.
    pub const EXACT: u8 = 60;

    /// Returns all grades, easiest first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        GRADES.iter().map(|grade| grade.0)
    }

    /// Returns the name of the grade.
    #[must_use]
    pub const fn name(self) -> &'static str {
        GRADES[self as usize].1
    }

    /// Returns the highest rating in the grade, in tenths; `None` if there is no limit.
    #[must_use]
    pub fn highest(self) -> Option<u8> {
        Some(GRADES[self as usize].2).filter(|&most| most < u8::MAX)
    }

    /// Returns the grade for a rating, which must be exact up to at least [`Grade::EXACT`].
    #[must_use]
    pub fn of(rating: Rating) -> Self {
        let Rating::Exactly(tenths) = rating else { return Self::Diabolical };
        GRADES.iter().find(|(_, _, most)| tenths <= *most).map_or(Self::Diabolical, |grade| grade.0)
    }
}
