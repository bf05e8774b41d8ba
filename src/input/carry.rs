//! Columns of the inputs that are carried along to the output.
//!
//! A format says which columns its records have ([`Reader::columns`](super::reader::Reader)); once all inputs are open it
//! is settled which of them are carried, and under which names. A column is the same in all inputs by its name, whatever
//! the case of its letters. What an input does not have is missing in its rows.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::InputError;
use super::names::{are_results, find, folded};

/// The columns of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Their names, in order; none if it is no table.
    pub names: Vec<String>,
    /// The one that holds the puzzles, if one alone does, or the 81 that hold a cell each.
    pub puzzle: Option<Range<usize>>,
    /// The one that holds the claimed solutions, or the 81, if there are such.
    pub claim: Option<Range<usize>>,
}

impl Columns {
    /// Whether they are those of this program's own results, `solve`'s or `verify`'s.
    #[must_use]
    pub fn are_results(&self) -> bool {
        are_results(&self.names)
    }

    /// What makes each column the same in another source.
    fn keys(&self) -> Vec<Key> {
        let mut seen = HashMap::new();
        let key = |name: &String| {
            let name = folded(name);
            let before: &mut usize = seen.entry(name.clone()).or_default();
            *before += 1;
            (name, *before)
        };
        self.names.iter().map(key).collect()
    }
}

/// Which columns are carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All but those of the puzzles and of the claims that are read.
    All,
    /// Those with these names or numbers.
    Named(Vec<String>),
}

/// The columns that are carried from some sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Their names in the output, in order.
    pub names: Vec<String>,
    /// For each source, where it has each of them.
    pub selections: Vec<Vec<Option<usize>>>,
}

/// The name of a column as it is compared, and which of several of that name it is in its source.
type Key = (String, usize);

impl Carried {
    /// What stands before a name that another column has.
    pub(crate) const PREFIX: &str = "input_";

    /// Settles what is carried from sources with these columns, in the order in which they are named, or else first
    /// appear. `taken` are the names of the other columns of the output, `claims` says whether claimed solutions are read.
    ///
    /// # Errors
    ///
    /// When no source has a column that was named.
    pub fn settle(
        keep: &Keep,
        sources: &[Columns],
        taken: &[&str],
        claims: bool,
    ) -> Result<Self, InputError> {
        let wanted: Vec<(usize, usize)> = match keep {
            Keep::All => {
                let of_source = |(source, columns): (usize, &Columns)| {
                    let read = [columns.puzzle.clone(), columns.claim.clone().filter(|_| claims)];
                    let is_read =
                        move |column: &usize| read.iter().flatten().any(|read| read.contains(column));
                    let all = (0..columns.names.len()).filter(move |column| !is_read(column));
                    all.map(move |column| (source, column))
                };
                sources.iter().enumerate().flat_map(of_source).collect()
            }
            Keep::Named(names) => {
                let mut wanted = Vec::new();
                for name in names {
                    let before = wanted.len();
                    let places = sources.iter().map(|columns| find(&columns.names, name)).enumerate();
                    wanted.extend(places.filter_map(|(source, column)| Some((source, column?))));
                    if wanted.len() == before {
                        return Err(Self::no_such(name, sources));
                    }
                }
                wanted
            }
        };
        let keys: Vec<_> = sources.iter().map(Columns::keys).collect();
        let mut found: HashMap<&Key, usize> = HashMap::new();
        let mut taken: HashSet<_> = taken.iter().map(|name| folded(name)).collect();
        let mut names = Vec::new();
        let mut selections = vec![Vec::new(); sources.len()];
        for (source, column) in wanted {
            let key = &keys[source][column];
            let at = *found.entry(key).or_insert_with(|| {
                let mut name = sources[source].names[column].clone();
                if key.1 > 1 {
                    name = format!("{name}_{}", key.1);
                }
                while !taken.insert(folded(&name)) {
                    name.insert_str(0, Self::PREFIX);
                }
                names.push(name);
                names.len() - 1
            });
            selections[source].resize(names.len(), None);
            selections[source][at] = Some(column);
        }
        selections.iter_mut().for_each(|selection| selection.resize(names.len(), None));
        Ok(Self { names, selections })
    }

    /// The error for a column that no source has.
    fn no_such(wanted: &str, sources: &[Columns]) -> InputError {
        let mut seen = HashSet::new();
        let names = sources.iter().flat_map(|source| &source.names);
        let columns = names.filter(|name| seen.insert(folded(name))).cloned().collect();
        InputError::NoKeptColumn { columns, wanted: wanted.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &str, puzzle: usize, claim: Option<usize>) -> Columns {
        let names = names.split_terminator(',').map(str::to_owned).collect();
        let one = |column: usize| column..column + 1;
        Columns { names, puzzle: Some(one(puzzle)), claim: claim.map(one) }
    }

    fn settle(
        keep: &Keep,
        sources: &[Columns],
        taken: &[&str],
        claims: bool,
    ) -> (String, Vec<Vec<Option<usize>>>) {
        let Carried { names, selections } = Carried::settle(keep, sources, taken, claims).unwrap();
        (names.join(","), selections)
    }

    fn named(names: &str) -> Keep {
        Keep::Named(names.split(',').map(str::to_owned).collect())
    }

    #[test]
    fn all_are_carried_but_those_that_are_read() {
        let source = [columns("id,Puzzle,rating,solution,x y", 1, Some(3))];
        let carried = |claims| settle(&Keep::All, &source, &["ID", "puzzle", "solution"], claims);
        assert_eq!(carried(true), ("input_id,rating,x y".to_owned(), vec![vec![Some(0), Some(2), Some(4)]]));
        assert_eq!(carried(false).0, "input_id,rating,input_solution,x y");
        let each = [Columns { puzzle: Some(1..3), ..columns("a,b,c,d,e", 0, Some(3)) }];
        assert_eq!(settle(&Keep::All, &each, &[], true).0, "a,e");
    }

    #[test]
    fn those_named_come_in_the_order_of_their_names() {
        let source = [columns("a,puzzle,B b,3", 1, None)];
        let carried = |names| settle(&named(names), &source, &["a"], false);
        assert_eq!(carried("b B,A"), ("B b,input_a".to_owned(), vec![vec![Some(2), Some(0)]]));
        // A name counts before a number, and what is named twice is carried once.
        assert_eq!(carried("3,1,a"), ("3,input_a".to_owned(), vec![vec![Some(3), Some(0)]]));
        assert_eq!(carried("2").0, "puzzle");
        let alike = [columns("Rating,puzzle,rating", 1, None)];
        let carried = |names| settle(&named(names), &alike, &[], false).1;
        assert_eq!(
            [carried("rating"), carried("Rating"), carried("RATING")],
            [2, 0, 0].map(|at| vec![vec![Some(at)]])
        );
    }

    #[test]
    fn inputs_with_other_columns_leave_them_missing() {
        let sources = [columns("p,x,y", 0, None), columns("", 0, None), columns("Y,p,z", 1, None)];
        assert_eq!(
            settle(&Keep::All, &sources, &[], false),
            (
                "x,y,z".to_owned(),
                vec![vec![Some(1), Some(2), None], vec![None; 3], vec![None, Some(0), Some(2)]]
            )
        );
        assert_eq!(settle(&named("Z,x"), &sources, &[], false).0, "z,x");
        assert_eq!(
            settle(&named("z"), &sources, &[], false),
            ("z".to_owned(), vec![vec![None], vec![None], vec![Some(2)]])
        );
    }

    #[test]
    fn no_two_columns_have_one_name() {
        let source = [columns("p,x,X,input_x,id,input_id", 0, None)];
        let (names, selections) = settle(&Keep::All, &source, &["id"], false);
        assert_eq!(names, "x,X_2,input_x,input_id,input_input_id");
        assert_eq!(selections, [(1..6).map(Some).collect::<Vec<_>>()]);
    }

    #[test]
    fn a_column_that_no_input_has_is_refused_with_those_that_they_have() {
        let sources = [columns("p,x", 0, None), columns("p,y", 0, None)];
        let error = Carried::settle(&named("y,q"), &sources, &[], false).unwrap_err().to_string();
        assert_eq!(error, "no column 'q' to keep in any input (columns seen: p, x, y)");
        let error = Carried::settle(&named("q"), &[Columns::default()], &[], false).unwrap_err().to_string();
        assert_eq!(error, "no column 'q' to keep in any input (no input is a table)");
    }
}
