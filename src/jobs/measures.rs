//! Measures of how hard a puzzle is: their columns, and conditions that use them.

use std::cell::OnceCell;
use std::str::FromStr;

use crate::analysis::rating::{Class, Grade, Rating, backdoor, depth, highest_rating, rate_up_to};
use crate::record::{Field, Role, Row, Schema, Type};
use crate::sudoku::{CELLS, Grid};

/// A measure for a puzzle with one solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The number of clues.
    Clues,
    /// The number of guesses in a search.
    Guesses,
    /// The Sudoku Explainer rating.
    Se,
    /// The grade that the rating falls into.
    Grade,
    /// The class of techniques that solve the puzzle.
    Class,
    /// The depth of trial and error needed.
    Depth,
    /// The size of the smallest backdoor.
    Backdoor,
}

/// The Sudoku Explainer rating.
pub const SE: Field = Field::result(
    "se",
    Type::Text,
    concat!(
        "the Sudoku Explainer 1.2.1 rating, from 1.0 to ",
        highest_rating!(),
        ", or >",
        highest_rating!(),
        " for harder puzzles"
    ),
)
.with_role(Role::Category);

/// The grade that the rating falls into.
pub const GRADE: Field = Field::result(
    "grade",
    Type::Text,
    "the rating as a word: easy (up to 1.2), medium (up to 1.5), hard (up to 2.5), fiendish (up to 6.0) or diabolical",
)
.with_role(Role::Category);

/// The class of techniques that solve the puzzle.
pub const CLASS: Field = Field::result(
    "class",
    Type::Text,
    "the easiest set of techniques that solves the puzzle, from `hidden singles in boxes` to `beyond`",
)
.with_role(Role::Category);

/// The depth of trial and error needed.
pub const DEPTH: Field = Field::result(
    "depth",
    Type::Number,
    "how deep trial and error with singles must go to solve the puzzle: 0, 1, 2, or 3 for more than 2",
)
.with_role(Role::Measure);

/// The size of the smallest backdoor.
pub const BACKDOOR: Field = Field::result(
    "backdoor",
    Type::Number,
    "the smallest number of cells to fill in before singles solve the rest: 0, 1, 2, or 3 for more than 2",
)
.with_role(Role::Measure);

/// The measure columns that users can choose, in the order in which they are written.
pub const FIELDS: [Field; 5] = [SE, GRADE, CLASS, DEPTH, BACKDOOR];

/// Returns the `N` columns of a job: `before`, the measures, and `after`.
pub(super) const fn with_measures<const N: usize>(before: &[Field], after: &[Field]) -> [Field; N] {
    let (mut fields, mut at) = ([SE; N], 0);
    while at < N {
        fields[at] = if at < before.len() {
            before[at]
        } else if at - before.len() < FIELDS.len() {
            FIELDS[at - before.len()]
        } else {
            after[at - before.len() - FIELDS.len()]
        };
        at += 1;
    }
    fields
}

/// All measures in the order of [`Measure`], with their names and costs. Measures with lower costs are compared first.
const MEASURES: [(Measure, &str, u8); 7] = [
    (Measure::Clues, Field::CLUES.name, 0),
    (Measure::Guesses, Field::GUESSES.name, 0),
    (Measure::Se, SE.name, 3),
    (Measure::Grade, GRADE.name, 3),
    (Measure::Class, CLASS.name, 1),
    (Measure::Depth, DEPTH.name, 1),
    (Measure::Backdoor, BACKDOOR.name, 2),
];

impl Measure {
    /// Returns the measure with this name, if any.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        MEASURES.iter().find(|measure| measure.1 == name).map(|measure| measure.0)
    }

    /// Returns the name of the measure's column.
    #[must_use]
    pub const fn name(self) -> &'static str {
        MEASURES[self as usize].1
    }

    /// Returns the measure's cost, by which comparisons are ordered: quick measures come first.
    const fn cost(self) -> u8 {
        MEASURES[self as usize].2
    }

    /// Whether a column belongs to a measure that users can choose.
    pub(super) fn is_column(field: &Field) -> bool {
        FIELDS.iter().any(|measure| measure.name == field.name)
    }

    /// Converts a value to a level that can be compared: a number, a rating in tenths, or the index of a word in its
    /// list.
    fn level_of(self, value: &str) -> Result<u64, String> {
        let number = || value.parse().map_err(|_| format!("'{value}' is not a whole number"));
        match self {
            Self::Clues | Self::Guesses => number(),
            Self::Depth | Self::Backdoor => number().and_then(|level| match level {
                0..=3 => Ok(level),
                _ => Err(format!("{} is 3 for all that is more than 2", self.name())),
            }),
            Self::Se => tenths(value).map(u64::from),
            Self::Grade => self.place_of(value, Grade::all().map(Grade::name)),
            Self::Class => self.place_of(value, Class::all().map(Class::name)),
        }
    }

    /// Returns the index of a value in the measure's list of words.
    fn place_of(self, value: &str, words: impl Iterator<Item = &'static str> + Clone) -> Result<u64, String> {
        let place = words.clone().position(|word| word == value).map(|place| place as u64);
        let known = || words.collect::<Vec<_>>().join(", ");
        place.ok_or_else(|| format!("'{value}' is not a {}; those are {}", self.name(), known()))
    }

    /// Returns the rank of one of the column's values, from easy to hard.
    #[must_use]
    pub fn rank(self, value: &str) -> u64 {
        // A rating above the exact range has no number.
        self.level_of(value).unwrap_or(u64::MAX)
    }
}

/// Returns an exact rating in tenths, parsed from a text such as `3.4`.
pub fn tenths(value: &str) -> Result<u8, String> {
    let (whole, tenth) = value.split_once('.').unwrap_or((value, "0"));
    let digit = |text: &str| text.parse::<u8>().ok().filter(|_| text.len() == 1);
    let highest = Rating::Exactly(Rating::HIGHEST);
    let (Some(whole), Some(tenth)) = (digit(whole), digit(tenth)) else {
        return Err(format!(
            "'{value}' is not a rating; those go from 1.0 to {highest} with one decimal, and all beyond is se>{highest}"
        ));
    };
    match Rating::Exactly(10 * whole + tenth) {
        rating if rating <= highest => Ok(10 * whole + tenth),
        _ => Err(format!("ratings are exact up to {highest}; for all that is harder, say se>{highest}")),
    }
}

/// A puzzle being measured; it is rated at most once.
#[derive(Debug)]
pub(super) struct Measured<'a> {
    puzzle: &'a Grid,
    solution: &'a Grid,
    guesses: u64,
    /// The highest rating that must be exact, and the rating itself once it has been needed.
    most: u8,
    rating: OnceCell<Rating>,
}

impl<'a> Measured<'a> {
    pub fn new(puzzle: &'a Grid, solution: &'a Grid, guesses: u64, most: u8) -> Self {
        Self { puzzle, solution, guesses, most, rating: OnceCell::new() }
    }

    /// Sets a rating that is already known.
    pub fn with_rating(self, rating: Rating) -> Self {
        Self { rating: OnceCell::from(rating), ..self }
    }

    fn rating(&self) -> Rating {
        *self.rating.get_or_init(|| rate_up_to(self.puzzle, self.most))
    }

    /// Sets the values of all measures that have a column.
    pub fn set(&self, row: &mut Row<'_>) {
        row.text_with(&SE, |text| text.extend_from_slice(self.rating().to_string().as_bytes()))
            .text_with(&GRADE, |text| text.extend_from_slice(Grade::of(self.rating()).name().as_bytes()))
            .text_with(&CLASS, |text| text.extend_from_slice(Class::of(self.puzzle).name().as_bytes()))
            .number_with(&DEPTH, || self.level(Measure::Depth))
            .number_with(&BACKDOOR, || self.level(Measure::Backdoor));
    }

    /// Returns the level of a measure, which can be compared; see [`Measure::level_of`].
    fn level(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Clues => self.puzzle.clues().into(),
            Measure::Guesses => self.guesses,
            Measure::Se | Measure::Grade => rating_level(measure, self.rating()),
            Measure::Class => Class::of(self.puzzle) as u64,
            Measure::Depth => depth(self.puzzle).into(),
            Measure::Backdoor => backdoor(self.puzzle, self.solution).into(),
        }
    }
}

/// A condition on measures, such as `se>=4.5 && clues<=24`. Comparisons are joined with `&&`, and alternatives with
/// `||`. The default has one alternative without comparisons, which always holds.
#[derive(Clone, Debug)]
pub struct Condition {
    alternatives: Vec<Vec<Comparison>>,
}

impl Default for Condition {
    fn default() -> Self {
        Self { alternatives: vec![Vec::new()] }
    }
}

#[derive(Clone, Debug)]
struct Comparison {
    measure: Measure,
    holds: Holds,
    value: u64,
    text: String,
}

/// A function that compares two levels.
type Holds = fn(&u64, &u64) -> bool;

/// The operators, each listed before any operator that is a prefix of it.
const OPERATORS: [(&str, Holds); 7] = [
    ("<=", u64::le),
    (">=", u64::ge),
    ("==", u64::eq),
    ("!=", u64::ne),
    ("<", u64::lt),
    (">", u64::gt),
    ("=", u64::eq),
];

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let alternative =
            |text: &str| text.split("&&").map(comparison).collect::<Result<_, _>>().map(in_order);
        Ok(Self { alternatives: text.split("||").map(alternative).collect::<Result<_, _>>()? })
    }
}

/// Sorts comparisons so that quick measures come first.
fn in_order(mut comparisons: Vec<Comparison>) -> Vec<Comparison> {
    comparisons.sort_by_key(|comparison| comparison.measure.cost());
    comparisons
}

fn comparison(text: &str) -> Result<Comparison, String> {
    let text = text.trim();
    let at = text.find(['<', '>', '=', '!']).unwrap_or(text.len());
    let (name, rest) = text.split_at(at);
    let Some((operator, holds)) = OPERATORS.into_iter().find(|(operator, _)| rest.starts_with(operator))
    else {
        return Err(format!("'{text}' is not a comparison, as se>=4.5 is"));
    };
    let measure = Measure::named(name.trim()).ok_or_else(|| {
        let names: Vec<_> = MEASURES.iter().map(|measure| measure.1).collect();
        format!("'{}' is not a measure; those are {}", name.trim(), names.join(", "))
    })?;
    let value = measure.level_of(rest[operator.len()..].trim())?;
    Ok(Comparison { measure, holds, value, text: text.to_owned() })
}

impl Condition {
    /// Combines two conditions, both of which must hold.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let pairs = self
            .alternatives
            .iter()
            .flat_map(|one| other.alternatives.iter().map(move |other| in_order([&one[..], other].concat())));
        Self { alternatives: pairs.collect() }
    }

    /// Returns the highest rating that must be exact, in tenths.
    pub(super) fn exact(&self) -> u8 {
        let exact = self.alternatives.iter().flatten().map(|comparison| match comparison.measure {
            Measure::Se => comparison.value as u8,
            Measure::Grade => Grade::EXACT,
            _ => 0,
        });
        exact.max().unwrap_or(0)
    }

    /// Whether the condition uses this measure.
    #[must_use]
    pub fn needs(&self, measure: Measure) -> bool {
        self.alternatives.iter().flatten().any(|comparison| comparison.measure == measure)
    }

    /// Whether all measures in the condition can be computed faster than a puzzle can be made.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.alternatives.iter().flatten().all(|comparison| comparison.measure.cost() == 0)
    }

    /// Whether there are no comparisons.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.alternatives.iter().all(Vec::is_empty)
    }

    /// Fails if the ranges of the measures make the condition impossible for every number of clues in this set.
    pub(super) fn check(&self, clues: u128) -> Result<(), String> {
        let unmet: Vec<_> =
            self.alternatives.iter().filter_map(|comparisons| unmet(comparisons, clues)).collect();
        if unmet.len() < self.alternatives.len() {
            return Ok(());
        }
        Err(format!("no puzzle has {}", unmet.join(" || ")))
    }

    /// Returns the numbers of clues in this set that allow a puzzle to meet the condition.
    pub(super) fn clues(&self, among: u128) -> u128 {
        let holds =
            |one: &Comparison, level| one.measure != Measure::Clues || (one.holds)(&level, &one.value);
        let is_met = |level| self.alternatives.iter().any(|all| all.iter().all(|one| holds(one, level)));
        (0..=CELLS as u64).filter(|&level| is_met(level)).fold(0, |met, level| met | among & 1 << level)
    }

    pub(super) fn holds(&self, measured: &Measured<'_>) -> bool {
        let holds =
            |Comparison { measure, holds, value, .. }: &Comparison| holds(&measured.level(*measure), value);
        self.alternatives.iter().any(|all| all.iter().all(holds))
    }
}

/// Finds comparisons that contradict each other or the range of a measure. Grades are treated as ranges of ratings.
fn unmet(comparisons: &[Comparison], clues: u128) -> Option<String> {
    let all_of = |measures: &[Measure]| -> Vec<&Comparison> {
        comparisons.iter().filter(|comparison| measures.contains(&comparison.measure)).collect()
    };
    let text = |unmet: &[&Comparison], range: &str| {
        let texts: Vec<_> = unmet.iter().map(|comparison| &*comparison.text).collect();
        format!("{} ({range})", texts.join(" && "))
    };
    let rated = all_of(&[Measure::Se, Measure::Grade]);
    let mut ratings = (10..=Rating::HIGHEST).map(Rating::Exactly).chain([Rating::Above(Rating::HIGHEST)]);
    if !ratings
        .any(|rating| rated.iter().all(|one| (one.holds)(&rating_level(one.measure, rating), &one.value)))
    {
        let highest = Rating::Exactly(Rating::HIGHEST);
        let mut range = format!("se is 1.0 to {highest}, or >{highest}");
        if rated.iter().any(|one| one.measure == Measure::Grade) {
            for grade in Grade::all() {
                let most = grade
                    .highest()
                    .map_or("above".to_owned(), |most| format!("up to {}", Rating::Exactly(most)));
                range += &format!(", {} is {most}", grade.name());
            }
        }
        return Some(text(&rated, &range));
    }
    for (measure, ..) in MEASURES {
        let compared = all_of(&[measure]);
        let levels: Vec<u64> = match measure {
            Measure::Clues => (0..=CELLS as u64).filter(|level| clues >> level & 1 != 0).collect(),
            Measure::Class => (0..Class::all().count() as u64).collect(),
            Measure::Depth | Measure::Backdoor => (0..=3).collect(),
            // There is no maximum, but a condition that can hold at all holds at a compared value or next to one.
            Measure::Guesses => compared
                .iter()
                .flat_map(|one| one.value.saturating_sub(1)..=one.value.saturating_add(1))
                .collect(),
            Measure::Se | Measure::Grade => continue,
        };
        let mut some =
            levels.iter().filter(|level| compared.iter().all(|one| (one.holds)(level, &one.value)));
        if !compared.is_empty() && some.next().is_none() {
            let name = measure.name();
            let range = match (measure, levels.first(), levels.last()) {
                (Measure::Class, ..) => {
                    format!("{name} is {}", Class::all().map(Class::name).collect::<Vec<_>>().join(", "))
                }
                (Measure::Guesses, ..) => format!("{name} is 0 or more"),
                (_, Some(first), Some(last)) => format!("{name} is {first} to {last}"),
                _ => format!("{name} is nothing"),
            };
            return Some(text(&compared, &range));
        }
    }
    None
}

/// Returns the level of a rating, or of its grade.
fn rating_level(measure: Measure, rating: Rating) -> u64 {
    match (measure, rating) {
        (Measure::Grade, _) => Grade::of(rating) as u64,
        (_, Rating::Exactly(tenths)) => tenths.into(),
        (_, Rating::Above(_)) => u64::MAX,
    }
}

/// Returns the highest rating, in tenths, that must be exact for the columns of this schema.
pub(super) fn exact(schema: &Schema) -> u8 {
    if schema.fields.iter().any(|field| field.name == SE.name) { Rating::HIGHEST } else { Grade::EXACT }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A puzzle known to have 32 clues and a rating of 1.2: hidden singles in boxes solve it.
    const PUZZLE: &str = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..";

    /// Returns whether the condition holds for this puzzle, assuming that it took 7 guesses.
    fn measured(condition: &str) -> Result<bool, String> {
        let puzzle: Grid = PUZZLE.parse().expect("it has 81 cells");
        let solution = crate::solver::scalar::Solutions::new(&puzzle).next().expect("it has a solution");
        Ok(condition.parse::<Condition>()?.holds(&Measured::new(&puzzle, &solution, 7, Rating::HIGHEST)))
    }

    #[test]
    fn a_condition_holds_if_all_comparisons_of_an_alternative_do() {
        for (condition, holds) in [
            ("se=1.2", true),
            ("se==1.2 && clues=32", true),
            ("se!=1.2", false),
            ("se>=1.0&&se<1.5", true),
            ("se>9.4", false),
            (" grade = easy ", true),
            ("grade>easy", false),
            ("class<=hidden singles", true),
            ("guesses>7", false),
            ("guesses>7 || depth=0", true),
            ("clues<32 || se>2 || backdoor>0", false),
        ] {
            assert_eq!(measured(condition), Ok(holds), "{condition}");
        }
    }

    #[test]
    fn a_condition_that_cannot_be_read_says_why() {
        for (condition, why) in [
            ("", "'' is not a comparison, as se>=4.5 is"),
            ("se", "'se' is not a comparison, as se>=4.5 is"),
            ("se>1.2 &&", "'' is not a comparison, as se>=4.5 is"),
            (
                "size>3",
                "'size' is not a measure; those are clues, guesses, se, grade, class, depth, backdoor",
            ),
            ("grade=tough", "'tough' is not a grade; those are easy, medium, hard, fiendish, diabolical"),
            ("depth>4", "depth is 3 for all that is more than 2"),
            ("clues>-1", "'-1' is not a whole number"),
        ] {
            assert_eq!(measured(condition), Err(why.to_owned()), "{condition}");
        }
        assert!(measured("se>=9.9").unwrap_err().starts_with("ratings are exact up to "));
        for rating in ["10.5", "11.9", "hard"] {
            let why = measured(&format!("se>={rating}")).unwrap_err();
            assert!(
                why.starts_with(&format!("'{rating}' is not a rating; those go from 1.0 to 9.4")),
                "{why}"
            );
        }
    }

    /// The ranges follow from the definitions: at least 17 clues, levels up to 3, and a range of ratings for each
    /// grade.
    #[test]
    fn a_condition_that_no_puzzle_meets_is_known_by_its_ranges() {
        let check =
            |condition: &str| condition.parse::<Condition>().unwrap().check(((1 << 82) - 1) >> 17 << 17);
        for condition in [
            "clues>81",
            "clues<17",
            "depth>3",
            "backdoor>=2 && backdoor<2",
            "grade<easy",
            "class>beyond",
            "se<1.2 && se>1.2",
            "se<=0.9",
            "se>3.0 && grade=easy",
            "se<6.1 && grade=diabolical",
            "guesses>4 && guesses<5",
            "clues>81 || depth>3 && se>2",
        ] {
            assert!(check(condition).is_err(), "{condition}");
        }
        for condition in [
            "clues=17",
            "depth>=3",
            "se>9.4",
            "se=1.2 && grade=easy",
            "grade=diabolical && se>6.0",
            "guesses>4 && guesses<6",
            "guesses!=0",
            "clues>81 || depth>2",
        ] {
            assert_eq!(check(condition), Ok(()), "{condition}");
        }
    }

    /// The documents must give the same number.
    #[test]
    fn the_highest_rating_is_one_figure() {
        let highest = Rating::Exactly(Rating::HIGHEST).to_string();
        assert_eq!(highest, highest_rating!());
        let documents = [
            include_str!("../../docs/guide.md"),
            include_str!("../../python/README.md"),
            include_str!("../../python/python/batchdoku/_jobs.py"),
        ];
        assert!(
            documents
                .iter()
                .all(|text| text.contains(&format!("to {highest}"))
                    || text.contains(&format!("to `{highest}`")))
        );
    }

    #[test]
    fn every_measure_has_its_row_of_the_table() {
        for (at, (measure, name, _)) in MEASURES.into_iter().enumerate() {
            assert_eq!((measure as usize, measure.name(), Measure::named(name)), (at, name, Some(measure)));
        }
    }
}
