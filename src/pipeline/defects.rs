//! Program defects that a run uncovered.

use serde::{Deserialize, Serialize};

use crate::jobs::ReadBatch;
use crate::record::{Claim, Column, Fault, Page, PuzzleKind, Role, Severity, Sparse};

/// The maximum number of defects that a run lists.
const LISTED: usize = 5;

/// A record on which the program failed, or the first of several such records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Defect {
    /// The number of the record, counted across all inputs from 1.
    pub id: u64,
    /// The name of the input.
    pub source: String,
    /// The line on which the record starts.
    pub line: u64,
    /// The kind of puzzle.
    #[serde(skip)]
    pub kind: PuzzleKind,
    /// The fault that the program reported.
    #[serde(rename = "error")]
    pub fault: Fault,
    /// Whether the row is correct anyway because another solver supplied the answer.
    pub answered: bool,
    /// An input that contains only this record, as lines; empty if the record could not be read.
    pub input: Vec<String>,
    /// The source location where the program panicked, if known.
    #[serde(skip)]
    pub origin: Option<String>,
}

/// The records of a run on which the program failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defects {
    /// The number of answers that were rejected and replaced by the scalar solver's.
    pub corrected: u64,
    /// The first five records that failed or were corrected.
    #[serde(skip)]
    pub first: Vec<Defect>,
}

impl Defect {
    /// Describes a defect that the record with this index exposed.
    pub(super) fn new(read @ ReadBatch { batch, records }: ReadBatch<'_>, row: usize, fault: Fault) -> Self {
        Self {
            id: batch.first_id + row as u64,
            source: batch.source.name.clone(),
            line: records.lines()[row],
            kind: records.kind(row),
            fault,
            answered: false,
            input: input_of(read, row),
            origin: None,
        }
    }
}

/// Returns an input that contains just this record, as lines: a sudoku (with its claim, if claims were read) or the
/// text of a case.
fn input_of(ReadBatch { batch, records }: ReadBatch<'_>, row: usize) -> Vec<String> {
    let puzzle = records.puzzles()[row];
    if records.variants().get(row).is_some() {
        let text = String::from_utf8_lossy(records.spans()[row].of(&batch.bytes));
        return text.lines().map(|line| line.trim_end().to_owned()).collect();
    }
    if !records.readable()[row] {
        return Vec::new();
    }
    if records.claims.grids().1.is_empty() {
        return vec![puzzle.to_string()];
    }
    match records.claims.get(row) {
        Claim::Grid(claim) => vec![format!("{puzzle},{claim}")],
        Claim::Missing | Claim::Faulty(_) => vec![format!("{puzzle},")],
    }
}

impl Defects {
    /// Lists the rows of a page that have a defect or whose first answer was rejected.
    pub(super) fn list(&mut self, page: &Page<'_>, read: ReadBatch<'_>, corrected: &Sparse<Fault>) {
        let statuses = &page.statuses()[..page.rows];
        let mut words =
            (0_u8..).zip(page.schema.statuses).filter(|(_, word)| word.severity == Severity::Defect);
        if corrected.is_empty() && !words.any(|(index, _)| statuses.contains(&index)) {
            return;
        }
        let faults = match page.column(Role::Error) {
            Some(Column::Faults(faults)) => Some(faults),
            _ => None,
        };
        for (row, &status) in statuses.iter().enumerate() {
            let refused = corrected.get(page.record_of(row)).filter(|_| page.is_first(row));
            let is_defect = page.schema.statuses[usize::from(status)].severity == Severity::Defect;
            let fault = if is_defect { faults.and_then(|faults| faults.get(row)) } else { refused };
            if let Some(fault) = fault {
                let defect = Defect::new(read, page.record_of(row), fault.clone());
                self.push(Defect { answered: !is_defect, ..defect });
            }
            self.corrected += u64::from(refused.is_some() && !is_defect);
        }
    }

    /// Appends the defects found in later records.
    pub(super) fn append(&mut self, later: Self) {
        self.corrected += later.corrected;
        later.first.into_iter().for_each(|defect| self.push(defect));
    }

    pub(super) fn push(&mut self, defect: Defect) {
        if self.first.len() < LISTED {
            self.first.push(defect);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{ReadOptions, Source};
    use crate::record::{Records, Want};
    use std::io::Cursor;

    /// Returns one single-record input for each record in a text.
    fn inputs(text: String, claims: bool) -> Vec<String> {
        let mut source = Source::from_reader("in", Cursor::new(text), &ReadOptions::default()).unwrap();
        let batch = &source.next_batch(Vec::new(), 1 << 20).unwrap().unwrap();
        let records = &mut Records::default();
        batch.read(Want { claims }, records);
        (0..records.len()).map(|row| input_of(ReadBatch { batch, records }, row).join("\n")).collect()
    }

    #[test]
    fn the_input_of_a_defect_is_the_record_alone() {
        const CASE: &str = "1\n6 B2 1 B3\nC5 A3 D9 I4 A9 E5 A2 C6 I1";
        assert_eq!(inputs(format!("{CASE}\n{} \r\n0\n", CASE.replace('\n', " \r\n")), false), [CASE; 2]);
        assert_eq!(inputs(format!("{CASE}\n"), false), [CASE]);
        let (puzzle, claim) = (format!("{}9", ".".repeat(80)), "9".repeat(81));
        let table = format!("id,puzzle,solution\n1,{puzzle},{claim}\n2,{puzzle},\n3,x,{claim}\n");
        assert_eq!(inputs(table.clone(), false), [&*puzzle, &puzzle, ""]);
        assert_eq!(inputs(table, true), [&*format!("{puzzle},{claim}"), &format!("{puzzle},"), ""]);
    }
}
