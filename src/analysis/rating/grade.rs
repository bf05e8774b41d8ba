//! Grades: a word for a range of ratings.

use super::Rating;

/// A word for the difficulty of a puzzle. The words and their ranges are those of the generator of Sudoku Explainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// A rating up to 1.2: hidden singles in boxes.
    Easy,
    /// A rating up to 1.5: hidden singles.
    Medium,
    /// A rating up to 2.5: naked singles, and techniques that leave a single at once.
    Hard,
    /// A rating up to 6.0: locked candidates, subsets, wings, unique loops, graves.
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
    /// The highest rating, in tenths, that must be exact for its grade.
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

    /// Returns the highest rating of the grade in tenths; `None` if it has no limit.
    #[must_use]
    pub fn highest(self) -> Option<u8> {
        Some(GRADES[self as usize].2).filter(|&most| most < u8::MAX)
    }

    /// Returns the grade of a rating, which must be exact at least up to [`Grade::EXACT`].
    #[must_use]
    pub fn of(rating: Rating) -> Self {
        let Rating::Exactly(tenths) = rating else { return Self::Diabolical };
        GRADES.iter().find(|(_, _, most)| tenths <= *most).map_or(Self::Diabolical, |grade| grade.0)
    }
}
