//! Renders the description of an input as text, from a template.

use std::collections::BTreeMap;

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::Inspection;
use super::inspect::{Holders, Table};
use crate::record::PuzzleKind;
use crate::report::numbers::grouped_by;

const TEMPLATE: &str = include_str!("inspect.txt");

/// The largest number of lines in the clue histogram.
const BARS: usize = 8;
/// The length of the longest bar.
const LONGEST_BAR: u64 = 40;

impl Inspection {
    /// Returns the description as lines of text; the first line is the name of the input.
    #[must_use]
    pub fn text(&self) -> String {
        let mut environment = Environment::new();
        environment.add_filter("grouped", grouped);
        environment.add_filter("rounded", rounded);
        let by_status = self.words.iter().filter_map(|word| Some((*word, *self.statuses.get(word)?)));
        let by_claim = self.claims.iter().flat_map(|claims| claims.counts).filter(|&(_, count)| count > 0);
        let variants = PuzzleKind::ALL.into_iter().zip(self.kinds).skip(1).filter(|it| it.1 > 0);
        let share = 100.0 * self.repeated_rows as f64 / self.examined as f64;
        let values = context! {
            columns => self.table.as_ref().map(Table::columns_line),
            by_status => Serde(by_status.collect::<Vec<_>>()),
            variants => Serde(variants.map(|(kind, count)| (format!("{:<12}", kind.as_str()), count)).collect::<Vec<_>>()),
            bars => bars(&self.clues),
            repeated_share => format!("{share:.1}"),
            by_claim => Serde(by_claim.collect::<Vec<_>>()),
            ..Value::from(Serde(self))
        };
        environment.render_str(TEMPLATE, values).expect("the template is part of the program") + "\n"
    }
}

impl Table {
    /// Returns the names of the columns and what they hold; single-cell columns are combined.
    fn columns_line(&self) -> String {
        let held = [(self.puzzle, "puzzle"), (self.solution, "solution")];
        let mut shown = Vec::new();
        let mut names = self.columns.iter().zip(1..);
        while let Some((name, number)) = names.next() {
            let begins = |holders: &Option<Holders>| match holders {
                Some(Holders::One(column) | Holders::Cells([column, _])) => *column == number,
                None => false,
            };
            shown.push(match held.iter().find(|(holders, _)| begins(holders)) {
                Some((Some(Holders::Cells([first, last])), what)) => {
                    let (end, _) = names.nth(last - first - 1).unwrap_or((name, number));
                    format!("{name} to {end} (columns {first} to {last}: the cells of the {what})")
                }
                Some((_, what)) => format!("{name} (the {what})"),
                None => name.clone(),
            });
        }
        shown.join(", ")
    }
}

fn grouped(number: u64) -> String {
    grouped_by(number, ',')
}

/// Returns a number rounded to three significant digits.
fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(2));
    (number + unit / 2) / unit * unit
}

/// Returns the clue histogram, one line per bar.
fn bars(clues: &BTreeMap<usize, u64>) -> Vec<String> {
    let (Some((&first, _)), Some((&last, _))) = (clues.first_key_value(), clues.last_key_value()) else {
        return Vec::new();
    };
    // If there are only a few distinct numbers, each gets its own line, no matter how far apart they are.
    let width = if clues.len() <= BARS { 1 } else { (last - first + 1).div_ceil(BARS) };
    let bins: Vec<_> = (first..=last)
        .step_by(width)
        .map(|from| {
            let to = (from + width - 1).min(last);
            (from, to, clues.range(from..=to).map(|(_, count)| count).sum::<u64>())
        })
        .filter(|&(_, _, count)| count > 0)
        .collect();
    let most = bins.iter().map(|bin| bin.2).max().unwrap_or(1).max(1);
    let bar = |&(from, to, count): &(usize, usize, u64)| {
        let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
        let length = (count * LONGEST_BAR).div_ceil(most) as usize;
        format!("{range:<6}{:>11}  {}", grouped(count), "#".repeat(length)).trim_end().to_owned()
    };
    bins.iter().map(bar).collect()
}
