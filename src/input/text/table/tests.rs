use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::input::ReadOptions;
use crate::input::reader::Sample;
use crate::input::testing::{read, records_of};

const PUZZLE: &str = "1.3...5.9..21.94.....7.4...3..5.2..6.6.....5.7..8.3..4...4.1.....92.58..8.4...1.7";
const SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// Returns the readers proposed for a text, in which P and S stand for a puzzle and its solution.
fn readers(text: &str, given: Option<&Dialect>) -> Vec<Arc<dyn TextReader>> {
    let options = ReadOptions::default();
    let sample = Sample { name: "t", bytes: text.as_bytes(), is_whole: true, options: &options };
    candidates(&sample, given).into_iter().flatten().collect()
}

/// Replaces the letters in a text with the grids that they stand for.
fn long(text: &str) -> String {
    text.replace('P', PUZZLE).replace('S', SOLVED)
}

#[test]
fn columns_are_carried_by_their_names() {
    let text = long("id,puzzle,note\n1,P,\"a \"\"b\"\"\"\n2,P\n3,,x\n4,P,,\n");
    let reader = readers(&text, None).remove(0);
    let records = records_of(&*reader, &text);
    let mut texts = vec![Texts::default(); 3];
    reader.carry(text.as_bytes(), &records, &[Some(2), None, Some(0)], &mut texts);
    let all = |texts: &Texts| {
        let text = |row| texts.get(row).map(|text| String::from_utf8_lossy(text).into_owned());
        (0..texts.len()).map(|row| text(row).unwrap_or("-".to_owned())).collect::<Vec<_>>().join("|")
    };
    assert_eq!([all(&texts[0]), all(&texts[1]), all(&texts[2])], ["a \"b\"|-|x|", "-|-|-|-", "1|-|3|4"]);
    let reader = readers(&long("puzzle,solution\nP,S\n"), None).remove(0);
    assert_eq!(reader.claim_text(long("P,\"a\"\"c\"\n").as_bytes()), Some(b"a\"c".to_vec()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Block size does not affect how a table is read, nor does giving the dialect that was reported; each line counts
    /// once.
    #[test]
    fn any_rows_are_read_alike(
        header in prop::sample::select(vec!["", "id,puzzle,solution\n", "a title\n\n1,2,3\n", "puzzle;x;y\n"]),
        parts in prop::collection::vec(prop::sample::select(vec![
            "1,P,S\n", "2,P,\n", "x;P;S\r\n", "\"3\",\"P\",S\n", "4,\"P,S\n", "\"5,P,S\"\n", "6,P\n", ",,\n", "\n", "7,", "\"",
            "words\n", "8,P,\"a\nb\"\n", "9,12,S\n", "S\n", "# 1,P,S\n", "|--|--|\n", "'", "1,2\n", "P,\n", "a,b\n",
        ]), 1..12),
        is_headed in prop::bool::ANY,
    ) {
        let first = if is_headed { "1,P,S\n" } else { "" };
        let text = long(&format!("{header}{first}{}", parts.concat()));
        for reader in readers(&text, None) {
            let found = read(&*reader, &text);
            prop_assert_eq!(found.read.lines, text.lines().count() as u64);
            let again = readers(&text, Some(&reader.dialect())).remove(0);
            prop_assert_eq!(again.dialect(), reader.dialect());
            prop_assert_eq!(read(&*again, &text), found);
        }
    }
}
