//! Puzzles of 9 x 9 cells that are solved by other rules, or written in ways that are not read.

use std::borrow::Cow;

use super::{CAGES, Foreign, Line, NINE_ONLY, Text, length_of};
use crate::input::cells;
use crate::sudoku::{CELLS, SIDE};

/// Grids with the number of the cage of each cell behind them: `9682.../0-0-1-2-2-3-...`.
pub(super) fn numbered_cages(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    let slashes = |line: &Line<'_>| {
        let is_map = |&at: &usize| at >= CELLS && numbers_cages(&line.text[at..]);
        let maps = memchr::memchr_iter(b'/', line.text).filter(is_map);
        maps.filter(|&at| cells::are_all(&line.text[at - CELLS..at])).count()
    };
    let found: usize = lines.iter().map(slashes).sum();
    (found > 0).then(|| ((found * (CELLS + 1)) as u64, Foreign::new(CAGES, NINE_ONLY)))
}

/// Whether what follows a grid says of each cell in which cage it is: `/0-0-1-2-2-3-...`.
pub(in crate::input) fn numbers_cages(text: &[u8]) -> bool {
    let Some(map) = text.strip_prefix(b"/") else { return false };
    let map =
        &map[..map.iter().position(|&byte| byte != b'-' && !byte.is_ascii_digit()).unwrap_or(map.len())];
    map.len() > 2 * SIDE
        && map.contains(&b'-')
        && map.split(|&byte| byte == b'-').all(|number| (1..=2).contains(&number.len()))
}

/// Cages: a sum and the cells that it is for, `A1+A2=5`, `r1c1 r1c2 : 12`, `3 0,0 0,1` or `3,0,0,0,1`.
pub(super) fn killer(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Lines that leave no doubt.
    const ENOUGH: usize = 3;
    let is_cell = |word: &[u8]| {
        matches!(
            word,
            [b'A'..=b'I' | b'a'..=b'i', b'1'..=b'9'] | [b'r' | b'R', b'1'..=b'9', b'c' | b'C', b'1'..=b'9']
        )
    };
    let is_sum = |word: &[u8]| word.len() <= 2 && word.iter().all(u8::is_ascii_digit);
    let is_pair = |word: &[u8]| matches!(word, [b'0'..=b'9', b',', b'0'..=b'9']);
    let cage_of_pairs = |line: &Line<'_>| {
        let mut words = line.text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
        let has_sum = words.next().is_some_and(is_sum);
        let cells = words.map(|word| is_pair(word).then_some(1)).sum::<Option<u64>>()?;
        (has_sum && cells > 1).then_some(cells)
    };
    let cage = |line: &Line<'_>| {
        let (mut cells, mut sums) = (0, 0);
        for word in line.text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            match word {
                word if is_cell(word) => cells += 1,
                word if is_sum(word) => sums += 1,
                _ => return None,
            }
        }
        (sums == 1 && cells > 1).then_some(cells)
    };
    let cage_of_fields = |line: &Line<'_>| {
        let number = |field: &[u8]| std::str::from_utf8(field.trim_ascii()).ok()?.parse::<u8>().ok();
        let fields: Vec<_> = line.text.split(|&byte| byte == b',').map(number).collect::<Option<_>>()?;
        let [sum, places @ ..] = &*fields else { return None };
        let (cells, rest) = places.as_chunks::<2>();
        let count = u8::try_from(cells.len()).ok().filter(|count| (2..=9).contains(count))?;
        let mut distinct = cells.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let is_cage = rest.is_empty()
            && places.iter().all(|&place| place <= 9)
            && distinct.len() == cells.len()
            && (count * (count + 1) / 2..=count * (19 - count) / 2).contains(sum);
        is_cage.then_some(count.into())
    };
    let cage = |line| cage(line).or_else(|| cage_of_pairs(line)).or_else(|| cage_of_fields(line));
    let cages: Vec<u64> = lines.iter().filter_map(cage).collect();
    let foreign = Foreign::new(CAGES, NINE_ONLY);
    (cages.len() >= ENOUGH).then(|| (cages.iter().sum(), foreign))
}

/// Cages as lists of a program: `[15, [[1, 3], [1, 4], [1, 5]]]`, whatever solutions stand in its comments.
pub(super) fn listed_cages(Text { sample, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Cages that leave no doubt.
    const ENOUGH: usize = 9;
    let bracket = |byte: &u8| match byte {
        b'(' => b'[',
        b')' => b']',
        byte => *byte,
    };
    let text = sample.bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    let text: Vec<u8> = text.map(bracket).collect();
    let cells_of = |at: usize| {
        let (before, sum) = text[..at]
            .split_at(at - text[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count());
        let sum = usize::from(str::from_utf8(sum).ok()?.parse::<u8>().ok()?);
        let mut rest = &text[at + 2..];
        let mut cells = 0;
        while cells < SIDE
            && let [b'[', b'0'..=b'9', b',', b'0'..=b'9', b']', behind @ ..] = rest
        {
            cells += 1;
            rest = behind.strip_prefix(b",").unwrap_or(behind);
        }
        // The least and the most that different digits come to.
        let is_sum =
            cells > 0 && cells * (cells + 1) / 2 <= sum && sum + cells * (cells - 1) / 2 <= cells * SIDE;
        (before.ends_with(b"[") && is_sum && rest.starts_with(b"]]")).then_some(cells)
    };
    let cages: Vec<usize> = memchr::memmem::find_iter(&text, b",[[").filter_map(cells_of).collect();
    let explained = cages.iter().sum::<usize>() + cages.len();
    (cages.len() >= ENOUGH).then(|| (explained as u64, Foreign::new(CAGES, NINE_ONLY)))
}

/// Sukakus: 729 candidates on a line; or grids of the candidates that are left.
pub(super) fn candidates(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    /// Characters of a sukaku: 81 cells with 9 candidates each.
    const SUKAKU: usize = 729;
    let sukakus = lines.iter().filter(|line| cells::run(line.text) == SUKAKU).count();
    let rises =
        |word: &[u8]| word.is_sorted_by(|a, b| a < b) && word.iter().all(|byte| matches!(byte, b'1'..=b'9'));
    let is_row = |line: &&Line<'_>| {
        let words = &line.words;
        words.len() == 9 && words.iter().any(|word| word.len() > 1) && words.iter().all(|word| rises(word))
    };
    let rows = lines.iter().filter(is_row).count();
    // Of other numbers, nine a line, some rise, too.
    let rows = if 2 * rows > lines.iter().filter(|line| line.words.len() == SIDE).count() { rows } else { 0 };
    let found = (sukakus * CELLS).max(rows * 9) as u64;
    let what = if sukakus > 0 { "sukakus (729 candidates each)" } else { "grids of candidates" };
    (sukakus > 0 || rows >= 9)
        .then_some((found, Foreign::new(what, "only puzzles given by their clues are solved")))
}

/// Grids on a line that have letters for digits.
pub(super) fn letters(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    const FEWEST: usize = 17;
    let is_grid = |line: &&Line<'_>| {
        let word = line.text.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';')).next();
        let letters = |word: &[u8]| word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        let is_cell =
            |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'0' | b'.' | b'-' | b'_' | b'*');
        word.is_some_and(|word| word.len() == CELLS && word.iter().all(is_cell) && letters(word) >= FEWEST)
    };
    let grids: Vec<_> = lines.iter().filter(is_grid).collect();
    let first = |line: &&Line<'_>| line.text[..CELLS].to_vec();
    let mut used: Vec<u8> = grids.iter().flat_map(first).filter(u8::is_ascii_alphabetic).collect();
    used.sort_unstable();
    used.dedup();
    // An x may be a blank beside nine others.
    if used.len() > SIDE {
        used.retain(|letter| !matches!(letter, b'x' | b'X'));
    }
    let usual = (b'A'..=b'I').collect();
    let used = if used.iter().all(|letter| (b'A'..=b'I').contains(letter)) { usual } else { used };
    // Which letter is which digit changes nothing but the names.
    let advice = match str::from_utf8(&used) {
        Ok(letters) if used.len() <= SIDE => {
            let digits = &"123456789"[..used.len()];
            Cow::Owned(format!("exchange them first: tr {letters} {digits} < {{}} {{pipe}}"))
        }
        _ => Cow::Borrowed("exchange them first"),
    };
    let foreign = Foreign { what: Cow::Borrowed("sudokus with letters for digits"), advice };
    (!grids.is_empty()).then_some(((grids.len() * CELLS) as u64, foreign))
}

/// Grids with a map of their regions, on one line or on nine.
pub(super) fn jigsaw(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    let mut maps = 0;
    let mut rows: Vec<u8> = Vec::new();
    for Line { words, .. } in lines {
        if length_of(words) == 9 {
            rows.extend(words.concat());
            if rows.len() == CELLS {
                maps += usize::from(is_region_map(&rows));
                rows.clear();
            }
            continue;
        }
        rows.clear();
        let is_map = |text: &[u8]| text.as_array::<CELLS>().is_some_and(|text| is_region_map(text));
        maps += usize::from(match words[..] {
            [both] if both.len() == 2 * CELLS => is_map(&both[CELLS..]) || is_map(&both[..CELLS]),
            _ => words.iter().any(|word| is_map(word)),
        });
    }
    // A map and its grid weigh more than the two grids that their digits may be.
    let found = (maps * CELLS * 3) as u64;
    (maps > 0)
        .then_some((found, Foreign::new("jigsaw sudokus (grids with a map of their regions)", NINE_ONLY)))
}

/// Whether 81 characters are nine regions of nine cells, each in one piece, and
/// others than those of every sudoku.
fn is_region_map(map: &[u8]) -> bool {
    let mut sizes = [0_usize; 256];
    map.iter().for_each(|&region| sizes[usize::from(region)] += 1);
    if map.iter().any(|&region| sizes[usize::from(region)] != 9) || is_usual_map(map) {
        return false;
    }
    let mut seen = [false; CELLS];
    let mut open = Vec::new();
    (0..CELLS).all(|start| {
        if seen[start] {
            return true;
        }
        open.push(start);
        let mut size = 0;
        while let Some(cell) = open.pop() {
            if std::mem::replace(&mut seen[cell], true) {
                continue;
            }
            size += 1;
            let (row, column) = (cell / 9, cell % 9);
            let near = [
                (row > 0).then(|| cell - 9),
                (row < 8).then(|| cell + 9),
                (column > 0).then(|| cell - 1),
                (column < 8).then(|| cell + 1),
            ];
            open.extend(near.into_iter().flatten().filter(|&other| map[other] == map[cell]));
        }
        size == 9
    })
}

/// Whether the regions are those that every sudoku has: its boxes, rows or columns.
fn is_usual_map(map: &[u8]) -> bool {
    let is_map_of = |first: fn(usize) -> usize| (0..map.len()).all(|cell| map[cell] == map[first(cell)]);
    is_map_of(|cell| cell / 27 * 27 + cell % 9 / 3 * 3)
        || is_map_of(|cell| cell / 9 * 9)
        || is_map_of(|cell| cell % 9)
}

/// Five grids that overlap: lines with the cells of one, of two and of two with what joins them.
pub(super) fn samurai(Text { lines, .. }: &Text<'_>) -> Option<(u64, Foreign)> {
    const CELLS_OF_LINES: [usize; 21] = {
        let mut cells = [18; 21];
        let mut line = 6;
        while line < 15 {
            cells[line] = if line < 9 || line > 11 { 21 } else { 9 };
            line += 1;
        }
        cells
    };
    let counts: Vec<usize> = lines.iter().map(|line| length_of(&line.words)).collect();
    let found = counts.windows(CELLS_OF_LINES.len()).filter(|counts| *counts == CELLS_OF_LINES).count();
    let foreign = Foreign::new("samurai sudokus (five grids that overlap)", NINE_ONLY);
    (found > 0).then_some(((found * 5 * CELLS) as u64, foreign))
}
