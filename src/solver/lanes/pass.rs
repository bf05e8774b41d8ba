//! One round of propagation over all lanes.
//!
//! # Layout
//!
//! A puzzle has 729 candidates, stored in 27 words of 27 bits: one lane in each of 27 vectors. A cell is identified by
//! band B, row r within the band, stack K, and column c within the stack. A digit (0 to 8) is written as 3X + Y. The
//! candidate is bit 9Y + 3B + K of word 9X + 3r + c. So a word covers one cell position in all nine boxes, for three of
//! the digits.
//!
//! - A box is the same bit in nine words, so counting over a box needs no shifts.
//! - A *minirow* (the three cells that a row and a box share) is the same bit in three words, and so is a *minicolumn*.
//!   ORing the three yields the places of a digit.
//! - The three boxes of a band are three adjacent bits, and those of a stack are three bits at intervals of three.
//!   Wrapping around them takes two shifts and a select.
//! - The three Y of a cell are 9 bits apart. Wrapping around them takes two shifts, and the next AND with a state word
//!   clears the bits above 26.
//!
//! # Rules
//!
//! 1. *Rows against boxes.* For one digit in one band, each of the three rows meets each of the three boxes in a
//!    minirow. A minirow survives if the other two rows can take the other two boxes, one way or the other. This covers
//!    locked candidates in both directions and hidden singles in rows. Columns and stacks work the same way.
//! 2. *Hidden singles in boxes.* If a digit has one place left in a box, that cell gets the digit. When rule 1 has
//!    nothing left to do, this also covers rows and columns.
//! 3. *Naked singles.* If a cell has one digit left, that digit is removed from the rest of its box. Rule 1 then
//!    removes it from the row and the column.
//! 4. *Triads.* If a minirow has only three digits left, it needs all of them, so no other minirow of the box can have
//!    them. Rule 1 then removes them from the row.
//! 5. *Hidden triads.* If three digits of a box are locked to a minirow, that minirow has no room for other digits.
//!
//! Each of these is a contradiction:
//!
//! - a digit that has no place in a box;
//! - a cell that has no digit;
//! - a cell with two hidden singles, or a digit that is the naked single of two cells in a box;
//! - a minirow or minicolumn that has fewer than three digits, or more than three digits locked to it.
//!
//! Most of these would later turn into one of the first two, but finding them right away ends a subtree sooner.
//!
//! A *plain* pass applies rules 1 to 3. It does not look for contradictions, because the first two kinds persist
//! anyway. A *full* pass applies everything. Each rule acts on the words as the previous rule left them, which takes
//! fewer passes than working on a snapshot. If a contradiction is taken as the least state, every rule is monotone:
//! starting with fewer candidates never leaves more candidates. A contradiction persists until a full pass finds it. So
//! from a given state, either every order of passes ends in a contradiction, or all of them end in the same state. A
//! puzzle's result must not depend on how many passes other lanes need. So only a full pass, which applies every rule,
//! can find that a lane is stuck.
//!
//! Sources: the digit bitboard layout and the matching rule are Zhou Yundong's published ideas; the triads are Tom
//! Dillon's. Counting with one puzzle per lane is original to this engine.

use super::vector::{LaneState, Lanes};

/// Builds an array of three, element by element; a loop over an existing array would produce useless stores.
macro_rules! three {
    ($i:ident => $value:expr) => {
        [
            {
                let $i = 0;
                $value
            },
            {
                let $i = 1;
                $value
            },
            {
                let $i = 2;
                $value
            },
        ]
    };
}
pub(super) use three;

/// Concatenates three arrays of three.
#[inline(always)]
pub(super) fn nine<V: Copy>([a, b, c]: [[V; 3]; 3]) -> [V; 9] {
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
}

/// The 27 bits of a word that are in use.
pub(super) const ALL: u32 = (1 << 27) - 1;

/// The direction of a line.
pub(super) trait Direction {
    /// The distance between the words of adjacent lines in a band or stack.
    const ACROSS: usize;
    /// The distance between the words of adjacent cells of a line within a box.
    const ALONG: usize;

    /// Moves the bits of each box to the next box in the band or stack, wrapping around.
    fn before<V: Lanes>(word: V) -> V;
    /// Moves the bits of each box to the previous box, wrapping around.
    fn after<V: Lanes>(word: V) -> V;
}

/// The direction of rows, bands and minirows.
pub(super) struct Rows;
/// The direction of columns, stacks and minicolumns.
pub(super) struct Columns;

/// The boxes at the left, right, top and bottom edges.
const LEFT: u32 = 0o111_111_111;
const RIGHT: u32 = LEFT << 2;
const TOP: u32 = 0o007_007_007;
const BOTTOM: u32 = TOP << 6;

impl Direction for Rows {
    const ACROSS: usize = 3;
    const ALONG: usize = 1;

    #[inline(always)]
    fn before<V: Lanes>(word: V) -> V {
        V::splat(word.token(), LEFT).choose(word.down::<2>(), word.up::<1>())
    }
    #[inline(always)]
    fn after<V: Lanes>(word: V) -> V {
        V::splat(word.token(), RIGHT).choose(word.up::<2>(), word.down::<1>())
    }
}

impl Direction for Columns {
    const ACROSS: usize = 1;
    const ALONG: usize = 3;

    #[inline(always)]
    fn before<V: Lanes>(word: V) -> V {
        V::splat(word.token(), TOP).choose(word.down::<6>(), word.up::<3>())
    }
    #[inline(always)]
    fn after<V: Lanes>(word: V) -> V {
        V::splat(word.token(), BOTTOM).choose(word.up::<6>(), word.down::<3>())
    }
}

/// The findings of a round, each stored as a mask of lanes.
#[derive(Clone, Copy)]
pub(super) struct Findings {
    /// The lanes that have a contradiction.
    pub(super) dead: u32,
    /// The lanes in which the full pass removed a candidate.
    pub(super) changed: u32,
    /// The lanes in which some digit has more than one place in some box. If a lane is neither open nor dead, each cell
    /// has one digit and each digit has one place in every box.
    pub(super) open: u32,
}

/// Runs the given number of plain passes, then a full pass.
#[inline(always)]
pub(super) fn round<V: Lanes>(state: &mut LaneState<V>, plain_passes: u32) -> Findings {
    let token = state[0].token();
    let mut singles = Singles { more: [V::splat(token, 0); 9], taken: [V::splat(token, 0); 3] };
    for _ in 0..plain_passes {
        singles = plain(state, &singles);
    }
    full(state, &singles)
}

/// The naked singles that a pass found, which the next pass uses when it loads the words.
struct Singles<V> {
    /// For each cell position: a bit is set if the cell has a digit at another Y, or two digits at this Y. If the bit
    /// is clear where a state word has a one, that candidate is the cell's only one. All other bits are arbitrary, here
    /// and where hidden singles are found, because they are only ever ANDed with state words.
    more: [V; 9],
    /// The digits that naked singles remove from their boxes, for each X.
    taken: [V; 3],
}

impl<V: Lanes> Singles<V> {
    /// Returns the words of one X, with the digits in `taken` removed.
    #[inline(always)]
    fn words_of(&self, state: &LaneState<V>, x: usize) -> [V; 9] {
        let taken = self.taken[x];
        nine(three!(r => three!(c => state[9 * x + 3 * r + c].but_not_both(self.more[3 * r + c], taken))))
    }
}

/// The other two lines, for each of three lines.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// Returns the minirows (or minicolumns) of one X, one word per line.
#[inline(always)]
pub(super) fn minilines<V: Lanes, D: Direction>(words: &[V; 9]) -> [V; 3] {
    three!(a => words[a * D::ACROSS].or3(words[a * D::ACROSS + D::ALONG], words[a * D::ACROSS + 2 * D::ALONG]))
}

/// Applies rule 1: finds, for each minirow of a band, the boxes where the other two leave room, in either order.
#[inline(always)]
fn matched<V: Lanes, D: Direction>(lines: [V; 3]) -> [V; 3] {
    let before = three!(a => D::before(lines[a]));
    let after = three!(a => D::after(lines[a]));
    three!(a => {
        let [b, c] = OTHERS[a];
        before[b].and(after[c]).or_and(after[b], before[c])
    })
}

/// Applies rule 1: returns the minirows that survive.
#[inline(always)]
fn left<V: Lanes, D: Direction>(lines: [V; 3]) -> [V; 3] {
    let matched = matched::<V, D>(lines);
    three!(a => lines[a].and(matched[a]))
}

/// Keeps only the given minirows in the words of one X.
#[inline(always)]
fn keep<V: Lanes, D: Direction>(words: &mut [V; 9], lines: [V; 3]) {
    for a in 0..3 {
        for b in 0..3 {
            let i = a * D::ACROSS + b * D::ALONG;
            words[i] = words[i].and(lines[a]);
        }
    }
}

/// Returns the words of one X.
#[inline(always)]
pub(super) fn words_of<V: Lanes>(state: &LaneState<V>, x: usize) -> [V; 9] {
    nine(three!(r => three!(c => state[9 * x + 3 * r + c])))
}

#[inline(always)]
fn put_words<V: Lanes>(state: &mut LaneState<V>, x: usize, words: [V; 9]) {
    for i in 0..9 {
        state[9 * x + i] = words[i];
    }
}

/// Returns whether each digit of one X has at least one place in each box, and whether it has at least two.
#[inline(always)]
pub(super) fn places<V: Lanes>(words: &[V; 9]) -> (V, V) {
    let ones = three!(c => words[c].or3(words[3 + c], words[6 + c]));
    let twos = three!(c => words[c].majority(words[3 + c], words[6 + c]));
    let once = ones[0].or3(ones[1], ones[2]);
    let twice = twos[0].or3(twos[1], twos[2]).or(ones[0].majority(ones[1], ones[2]));
    (once, twice)
}

/// Returns, at each Y, the OR of the other two Y of the same cell.
#[inline(always)]
pub(super) fn other_y<V: Lanes>(word: V) -> V {
    word.up::<9>().or3(word.down::<18>(), word.up::<18>()).or(word.down::<9>())
}

/// Returns the OR of the first word with, at each Y, the other two Y of the second word.
#[inline(always)]
pub(super) fn or_other_y<V: Lanes>(first: V, second: V) -> V {
    first.or3(second.up::<9>(), second.down::<18>()).or3(second.up::<18>(), second.down::<9>())
}

/// Applies rules 1 to 3: acts on the naked singles from the previous pass and returns the new ones.
#[inline(always)]
fn plain<V: Lanes>(state: &mut LaneState<V>, singles: &Singles<V>) -> Singles<V> {
    let token = state[0].token();
    let words = three!(x => {
        let mut words = singles.words_of(state, x);
        let lines = matched::<V, Rows>(minilines::<V, Rows>(&words));
        keep::<V, Rows>(&mut words, lines);
        let lines = matched::<V, Columns>(minilines::<V, Columns>(&words));
        keep::<V, Columns>(&mut words, lines);
        words
    });
    let twice = three!(x => places(&words[x]).1);
    for x in 0..3 {
        put_words(state, x, words[x]);
    }

    let mut cells = [V::splat(token, 0); 9];
    // These are three variables because an array would go through memory for every cell.
    let (mut taken_0, mut taken_1, mut taken_2) =
        (V::splat(token, 0), V::splat(token, 0), V::splat(token, 0));
    for i in 0..9 {
        let words = [state[i], state[9 + i], state[18 + i]];
        let hidden = words[0].but_not(twice[0]).or_but_not(words[1], twice[1]).or_but_not(words[2], twice[2]);
        let placed = or_other_y(hidden, hidden);
        let words = three!(x => words[x].but_not_both(twice[x], placed));
        let some = words[0].or3(words[1], words[2]);
        let more = or_other_y(words[0].majority(words[1], words[2]), some);
        cells[i] = more;
        taken_0 = taken_0.or_but_not(words[0], more);
        taken_1 = taken_1.or_but_not(words[1], more);
        taken_2 = taken_2.or_but_not(words[2], more);
        for x in 0..3 {
            state[9 * x + i] = words[x];
        }
    }
    Singles { more: cells, taken: [taken_0, taken_1, taken_2] }
}

/// Folds the three Y of a cell position's word into bits 0 to 8.
#[inline(always)]
pub(super) fn fold<V: Lanes>(word: V) -> V {
    word.or3(word.down::<9>(), word.down::<18>()).and(V::splat(word.token(), 0o777))
}

/// Returns the lowest bit of every lane.
#[inline(always)]
pub(super) fn lowest_bit<V: Lanes>(word: V) -> V {
    word.and(V::splat(word.token(), 0).minus(word))
}

/// Rearranges three lines of three Y each into three words, each of which holds one Y of all three lines.
#[inline(always)]
fn by_y<V: Lanes>(lines: [V; 3]) -> [V; 3] {
    let token = lines[0].token();
    let [low, middle, high] = [0, 9, 18].map(|y| V::splat(token, 0o777 << y));
    let [a, b, c] = lines;
    [
        c.up::<18>().or_and(b.up::<9>(), middle).or_and(a, low),
        low.choose(a.down::<9>(), middle.choose(b, c.up::<9>())),
        a.down::<18>().or_and(b.down::<9>(), middle).or_and(c, high),
    ]
}

/// The number of digits in each minirow of a band.
struct DigitCount<V> {
    /// The minirows with exactly three digits: one word per line, repeated at every Y.
    three: [V; 3],
    /// The minirows with fewer than three digits, all three lines packed into one word.
    fewer: V,
    /// The minirows with more than three digits, packed the same way.
    more: V,
}

/// Counts the digits in each minirow; `words[x][a]` holds the minirows of X `x` in line `a`.
#[inline(always)]
fn count<V: Lanes>(words: &[[V; 3]; 3]) -> DigitCount<V> {
    let token = words[0][0].token();
    // First add up the ones and twos over the three X, then over the three Y, with the lines packed into one word.
    let ones = three!(a => words[0][a].xor3(words[1][a], words[2][a]));
    let twos = three!(a => words[0][a].majority(words[1][a], words[2][a]));
    let [p, q, r] = by_y(ones);
    let [t, u, v] = by_y(twos);
    // The number of digits is odd + 2 * (the number of carry, t, u and v that are set).
    let odd = p.xor3(q, r);
    let carry = p.majority(q, r);
    let any = t.or3(u, v);
    let several = t.majority(u, v);
    let just_one = several.not_and_xor(any, carry);
    let more = several.or_and(any, carry);
    let fewer = V::splat(token, ALL).but_neither(any, carry).or_but_not(just_one, odd);
    let packed = just_one.and(odd);
    let low = packed.and(V::splat(token, 0o777));
    let middle = packed.and(V::splat(token, 0o777 << 9));
    let high = packed.and(V::splat(token, 0o777 << 18));
    let three = [
        low.or3(low.up::<9>(), low.up::<18>()),
        middle.or3(middle.down::<9>(), middle.up::<9>()),
        high.or3(high.down::<9>(), high.down::<18>()),
    ];
    DigitCount { three, fewer, more }
}

/// Applies rules 4 and 5 to the minirows that rule 1 left over, `left[x][a]`. Returns those that survive, and whether
/// there is a contradiction.
#[inline(always)]
fn triads<V: Lanes>(left: [[V; 3]; 3]) -> ([[V; 3]; 3], V) {
    let possible = count(&left);
    let left = three!(x => {
        let claimed = three!(a => left[x][a].and(possible.three[a]));
        three!(a => left[x][a].but_neither(claimed[OTHERS[a][0]], claimed[OTHERS[a][1]]))
    });
    let locked =
        three!(x => three!(a => left[x][a].but_neither(left[x][OTHERS[a][0]], left[x][OTHERS[a][1]])));
    let needed = count(&locked);
    let left = three!(x => three!(a => left[x][a].and_or_not(locked[x][a], needed.three[a])));
    (left, possible.fewer.or(needed.more))
}

/// Applies all rules and checks for contradictions.
#[inline(always)]
fn full<V: Lanes>(state: &mut LaneState<V>, singles: &Singles<V>) -> Findings {
    let token = state[0].token();
    let words = three!(x => singles.words_of(state, x));
    let rows = three!(x => left::<V, Rows>(minilines::<V, Rows>(&words[x])));
    let words = three!(x => {
        let mut words = words[x];
        keep::<V, Rows>(&mut words, rows[x]);
        words
    });
    let columns = three!(x => left::<V, Columns>(minilines::<V, Columns>(&words[x])));
    // Rows and columns are interleaved, because each is a long chain of dependent operations.
    let (rows, wrong_rows) = triads(rows);
    let (columns, wrong_columns) = triads(columns);
    let mut wrong = wrong_rows.or(wrong_columns);
    let mut words = three!(x => {
        nine(three!(r => three!(c => words[x][3 * r + c].and3(rows[x][r], columns[x][c]))))
    });
    let counted = three!(x => places(&words[x]));
    let mut everywhere = V::splat(token, ALL).and(counted[0].0).and3(counted[1].0, counted[2].0);
    let open = counted[0].1.or3(counted[1].1, counted[2].1);

    let mut more = [V::splat(token, 0); 9];
    let (mut taken_0, mut taken_1, mut taken_2) =
        (V::splat(token, 0), V::splat(token, 0), V::splat(token, 0));
    for i in 0..9 {
        let cell = [words[0][i], words[1][i], words[2][i]];
        let hidden_of = three!(x => cell[x].but_not(counted[x].1));
        let hidden = hidden_of[0].or3(hidden_of[1], hidden_of[2]);
        let elsewhere = other_y(hidden);
        let placed = hidden.or(elsewhere);
        wrong = wrong.or(hidden_of[0].majority(hidden_of[1], hidden_of[2])).or_and(hidden, elsewhere);
        let cell = three!(x => cell[x].but_not_both(counted[x].1, placed));
        let some = cell[0].or3(cell[1], cell[2]);
        let elsewhere = other_y(some);
        everywhere = everywhere.and_or(some, elsewhere);
        more[i] = cell[0].majority(cell[1], cell[2]).or(elsewhere);
        let own = three!(x => cell[x].but_not(more[i]));
        wrong = wrong.or_and(taken_0, own[0]).or_and(taken_1, own[1]).or_and(taken_2, own[2]);
        taken_0 = taken_0.or(own[0]);
        taken_1 = taken_1.or(own[1]);
        taken_2 = taken_2.or(own[2]);
        for x in 0..3 {
            words[x][i] = cell[x];
        }
    }
    let taken = [taken_0, taken_1, taken_2];
    let mut changed = V::splat(token, 0);
    for x in 0..3 {
        for i in 0..9 {
            let word = words[x][i].but_not_both(more[i], taken[x]);
            changed = changed.or_xor(word, state[9 * x + i]);
            state[9 * x + i] = word;
        }
    }
    // The shifts in `other_y` can leave bits above 26 in `wrong`.
    let dead = wrong.and(V::splat(token, ALL)).or(V::splat(token, ALL).but_not(everywhere));
    Findings { dead: dead.nonzero(), changed: changed.nonzero(), open: open.nonzero() }
}

/// Returns the lanes in which some digit has two minirows in a row, or two minicolumns in a column. If a lane has one
/// digit per cell and each digit has one place in every box, no other contradiction is possible.
#[inline(always)]
pub(super) fn clashing<V: Lanes>(state: &LaneState<V>) -> u32 {
    let token = state[0].token();
    let mut clash = V::splat(token, 0);
    for x in 0..3 {
        let words = words_of(state, x);
        let rows = minilines::<V, Rows>(&words);
        let columns = minilines::<V, Columns>(&words);
        for a in 0..3 {
            clash = clash.or_and(rows[a], Rows::before(rows[a]));
            clash = clash.or_and(columns[a], Columns::before(columns[a]));
        }
    }
    clash.nonzero()
}
