//! Carried columns: input columns that are copied to the output.
//!
//! Each format lists the columns of its records ([`Reader::columns`](super::reader::Reader)). Once all inputs are open,
//! the columns to carry and their output names are chosen. Columns that share a name (ignoring case) become a single
//! column, whichever inputs they come from. If an input lacks a column, its rows have no value there.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::InputError;
use super::names::{are_results, find, folded};

/// The columns of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The column names in order; empty if the source is not a table.
    pub names: Vec<String>,
    /// The column that holds the puzzles, or the 81 columns that hold one cell each.
    pub puzzle: Option<Range<usize>>,
    /// The column that holds the claimed solutions, or the 81 columns that hold one cell each; `None` if there are
    /// none.
    pub claim: Option<Range<usize>>,
}

impl Columns {
    /// Returns whether the columns are those of this program's own output, from `solve` or `verify`.
    #[must_use]
    pub fn are_results(&self) -> bool {
        are_results(&self.names)
    }

    /// Returns whether there is a column with this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        find(&self.names, name).is_some()
    }

    /// Returns whether a column is used as input. The claim column counts only if `claims` is set.
    fn is_read(&self, column: usize, claims: bool) -> bool {
        let is_in =
            |range: &Option<Range<usize>>| range.as_ref().is_some_and(|range| range.contains(&column));
        is_in(&self.puzzle) || claims && is_in(&self.claim)
    }

    /// Returns a key for each column; the same column in another source has the same key.
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

/// The choice of columns to carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All columns except the puzzle column and, if claims are read, the claim column.
    All,
    /// The columns with these names or numbers.
    Named(Vec<String>),
}

/// The columns carried from a list of sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The output names of the columns, in order.
    pub names: Vec<String>,
    /// For each source, the index of each carried column; `None` if the source lacks it.
    pub selections: Vec<Vec<Option<usize>>>,
}

/// The folded name of a column, and its position among the columns of the same name in its source.
type Key = (String, usize);

impl Carried {
    /// The prefix added to a carried column's name if another column already uses that name.
    pub(crate) const PREFIX: &str = "input_";

    /// Chooses which columns to carry from the sources: in the order requested, or else in order of appearance. `taken`
    /// lists the names of the other output columns. `claims` says whether claimed solutions are read.
    ///
    /// # Errors
    ///
    /// If a requested column does not exist in any source.
    pub fn settle(
        keep: &Keep,
        sources: &[Columns],
        taken: &[&str],
        claims: bool,
    ) -> Result<Self, InputError> {
        let mut wanted: Vec<(usize, usize)> = Vec::new();
        match keep {
            Keep::All => {
                for (source, columns) in sources.iter().enumerate() {
                    let all = (0..columns.names.len()).filter(|&column| !columns.is_read(column, claims));
                    wanted.extend(all.map(|column| (source, column)));
                }
            }
            Keep::Named(names) => {
                for name in names {
                    let before = wanted.len();
                    let places = sources.iter().map(|columns| find(&columns.names, name)).enumerate();
                    wanted.extend(places.filter_map(|(source, column)| Some((source, column?))));
                    if wanted.len() == before {
                        let mut seen = HashSet::new();
                        let all = sources.iter().flat_map(|source| &source.names);
                        let columns = all.filter(|name| seen.insert(folded(name))).cloned().collect();
                        return Err(InputError::NoKeptColumn { columns, wanted: name.clone() });
                    }
                }
            }
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &str, puzzle: usize, claim: Option<usize>) -> Columns {
        let names = names.split_terminator(',').map(str::to_owned).collect();
        let one = |column: usize| column..column + 1;
        Columns { names, puzzle: Some(one(puzzle)), claim: claim.map(one) }
    }

    /// Returns the output names and, for each source, the 1-based position of each column (`a,b: 1 2; 1 -`), or else
    /// the error. An empty `keep` keeps all columns.
    fn settle(keep: &str, sources: &[Columns], taken: &[&str], claims: bool) -> String {
        let named = || Keep::Named(keep.split(',').map(str::to_owned).collect());
        let keep = if keep.is_empty() { Keep::All } else { named() };
        let Carried { names, selections } = match Carried::settle(&keep, sources, taken, claims) {
            Ok(carried) => carried,
            Err(error) => return error.to_string(),
        };
        let place = |place: &Option<usize>| place.map_or("-".to_owned(), |at| (at + 1).to_string());
        let places = |of: &Vec<Option<usize>>| of.iter().map(place).collect::<Vec<_>>().join(" ");
        format!("{}: {}", names.join(","), selections.iter().map(places).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn all_are_carried_but_those_that_are_read() {
        let source = [columns("id,Puzzle,rating,solution,x y", 1, Some(3))];
        let taken = ["ID", "puzzle", "solution"];
        assert_eq!(settle("", &source, &taken, true), "input_id,rating,x y: 1 3 5");
        assert_eq!(settle("", &source, &taken, false), "input_id,rating,input_solution,x y: 1 3 4 5");
        let each = [Columns { puzzle: Some(1..3), ..columns("a,b,c,d,e", 0, Some(3)) }];
        assert_eq!(settle("", &each, &[], true), "a,e: 1 5");
        // All output names are different.
        let alike = [columns("p,x,X,input_x,id,input_id", 0, None)];
        assert_eq!(settle("", &alike, &["id"], false), "x,X_2,input_x,input_id,input_input_id: 2 3 4 5 6");
    }

    #[test]
    fn those_named_come_in_the_order_of_their_names() {
        let source = [columns("a,puzzle,B b,3", 1, None)];
        assert_eq!(settle("b B,A", &source, &["a"], false), "B b,input_a: 3 1");
        // A name takes precedence over a number, and a column requested twice is carried once.
        assert_eq!(settle("3,1,a,2", &source, &[], false), "3,a,puzzle: 4 1 2");
        let alike = [columns("Rating,puzzle,rating", 1, None)];
        assert_eq!(settle("rating", &alike, &[], false), "rating_2: 3");
        assert_eq!(settle("RATING", &alike, &[], false), "Rating: 1");
    }

    #[test]
    fn inputs_with_other_columns_leave_them_missing() {
        let sources = [columns("p,x,y", 0, None), columns("", 0, None), columns("Y,p,z", 1, None)];
        assert_eq!(settle("", &sources, &[], false), "x,y,z: 2 3 -; - - -; - 1 3");
        assert_eq!(settle("z", &sources, &[], false), "z: -; -; 3");
        let refused = "no input has a column 'q' (columns seen: p, x, y, z)";
        assert_eq!(settle("y,q", &sources, &[], false), refused);
        assert_eq!(
            settle("q", &sources[1..2], &[], false),
            "no input has a column 'q' (no input is a table)"
        );
    }
}
