//! Grades: a word for a range of ratings.

use super::Rating;

/// How hard a puzzle is in a word. The words and their ranges are those of the generator of Sudoku Explainer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Up to 1.2: hidden singles in boxes.
    Easy,
    /// Up to 1.5: hidden singles.
    Medium,
    /// Up to 2.5: naked singles, and what leaves a single at once.
    Hard,
    /// Up to 6.0: locked candidates, subsets, wings, unique loops, graves.
    Fiendish,
    /// All beyond.
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
    /// The most that a rating has to be exact for its grade, in tenths.
    pub const EXACT: u8 = 60;

    /// All grades, the easiest first.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        GRADES.iter().map(|grade| grade.0)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        GRADES[self as usize].1
    }

    /// Its highest rating in tenths; `None` if there is no most.
    #[must_use]
    pub fn highest(self) -> Option<u8> {
        Some(GRADES[self as usize].2).filter(|&most| most < u8::MAX)
    }

    /// The grade of a rating, which is exact up to [`Grade::EXACT`] at least.
    #[must_use]
    pub fn of(rating: Rating) -> Self {
        let Rating::Exactly(tenths) = rating else { return Self::Diabolical };
        GRADES.iter().find(|(_, _, most)| tenths <= *most).map_or(Self::Diabolical, |grade| grade.0)
    }
}
