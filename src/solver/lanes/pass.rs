//! One round of propagation over all lanes.
//!
//! # Layout
//!
//! A puzzle is 729 candidates: 27 words of 27 bits, one lane of 27 vectors. Write a cell as band B, row r
//! inside the band, stack K, column c inside the stack, and a digit (0 to 8) as 3X + Y. The candidate
//! stands in word 9X + 3r + c at bit 9Y + 3B + K. A word is thus one cell position inside the nine boxes
//! with three of the digits, and
//!
//! - a box is the same bit of nine words: counting over a box needs no shifts;
//! - a *minirow* (the three cells that a row and a box share) is the same bit of three words, likewise a
//!   *minicolumn*: one OR each says where a digit can still stand;
//! - the three boxes of a band are three adjacent bits, the three of a stack three bits at distance
//!   three: going round them is two shifts and a choice;
//! - the three Y of a cell are 9 bits apart: going round them is two shifts, and what lands above bit
//!   26 dies at the next AND with a word of the state.
//!
//! # Rules
//!
//! 1. *Rows against boxes.* For one digit and band, three rows stand against three boxes, a minirow
//!    where they meet. A minirow survives if the two other rows can take the two other boxes, one way
//!    or the other. That is locked candidates in both directions and hidden singles in rows. Columns and
//!    stacks alike.
//! 2. *Hidden singles in boxes.* A digit with one place left in a box takes the cell. With rule 1 at
//!    rest this covers rows and columns.
//! 3. *Naked singles.* A cell with one digit left takes the digit from the rest of its box. Rule 1 does
//!    the row and the column.
//! 4. *Triads.* A minirow with only three digits left needs all of them: no other minirow of the box may
//!    have them. (Rule 1 does the row.)
//! 5. *Hidden triads.* A minirow to which three digits of its box are locked has no room for others.
//!
//! Contradictions: a digit without a place in a box; a cell without a digit; two hidden singles in one
//! cell; one digit the naked single of two cells of a box; a minirow or minicolumn with fewer than three
//! digits, or with more than three locked to it. Most would become one of the first two later; found at once
//! they end a subtree sooner.
//!
//! A *plain* pass applies rules 1 to 3 and does not look for contradictions, since the first two kinds persist. A
//! *full* pass applies everything. Each rule acts on the words as the last rule left them, which takes fewer passes
//! than a snapshot. With a contradiction as the least state, every rule is monotone (fewer candidates before, no more
//! candidates after), and a contradiction persists until a full pass finds it. So from one state every order of passes
//! ends with a contradiction, or all end at the same state: the result for a puzzle does not depend on the number of
//! passes that other lanes need. That is why only a full pass, which applies every rule, may find that a lane is stuck.
//!
//! Sources: the layout of digit bitboards and the matching rule go back to Zhou Yundong's and the triads
//! to Tom Dillon's published ideas; the counters over one puzzle a lane are this engine's own.

use super::vector::{LaneState, Lanes};

/// An array of three, written out: a loop over an existing array leaves useless stores.
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

/// Three times three in a row.
#[inline(always)]
pub(super) fn nine<V: Copy>([a, b, c]: [[V; 3]; 3]) -> [V; 9] {
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
}

/// The 27 bits of a word in use.
pub(super) const ALL: u32 = (1 << 27) - 1;

/// Which way a line goes.
pub(super) trait Direction {
    /// Distance of the words of adjacent lines of a band or stack.
    const ACROSS: usize;
    /// Distance of the words of adjacent cells of a line, inside a box.
    const ALONG: usize;

    /// At each box, the word of the box before it in the band or stack, going round.
    fn before<V: Lanes>(word: V) -> V;
    /// At each box, the word of the box after it, going round.
    fn after<V: Lanes>(word: V) -> V;
}

/// Rows, bands and minirows.
pub(super) struct Rows;
/// Columns, stacks and minicolumns.
pub(super) struct Columns;

/// Boxes of the left, the right, the upper and the lower edge.
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

/// The findings of a round, each a mask of lanes.
#[derive(Clone, Copy)]
pub(super) struct Findings {
    /// A contradiction.
    pub(super) dead: u32,
    /// The full pass removed a candidate.
    pub(super) changed: u32,
    /// Some digit had more than one place in some box. A lane neither open nor dead has one digit a cell
    /// and one place a digit in every box.
    pub(super) open: u32,
}

/// Some plain passes and a full one.
#[inline(always)]
pub(super) fn round<V: Lanes>(state: &mut LaneState<V>, plain_passes: u32) -> Findings {
    let token = state[0].token();
    let mut singles = Singles { more: [V::splat(token, 0); 9], taken: [V::splat(token, 0); 3] };
    for _ in 0..plain_passes {
        singles = plain(state, &singles);
    }
    full(state, &singles)
}

/// The naked singles that a pass found, on which the next one acts as it loads the words.
struct Singles<V> {
    /// For each cell position, the bits at whose Y the cell has another digit, or two: where a bit of a word is none of
    /// these, the cell has one digit. (What other bits say does not matter, here and where hidden singles are found:
    /// they are put together with words alone.)
    more: [V; 9],
    /// For each X, the digits that a naked single takes from its box.
    taken: [V; 3],
}

impl<V: Lanes> Singles<V> {
    /// The words of one X without the digits taken.
    #[inline(always)]
    fn words_of(&self, state: &LaneState<V>, x: usize) -> [V; 9] {
        let taken = self.taken[x];
        nine(three!(r => three!(c => state[9 * x + 3 * r + c].but_not_both(self.more[3 * r + c], taken))))
    }
}

/// The other two of three lines.
const OTHERS: [[usize; 2]; 3] = [[1, 2], [2, 0], [0, 1]];

/// The minirows (or minicolumns) of one X, one word for each line.
#[inline(always)]
pub(super) fn minilines<V: Lanes, D: Direction>(words: &[V; 9]) -> [V; 3] {
    three!(a => words[a * D::ACROSS].or3(words[a * D::ACROSS + D::ALONG], words[a * D::ACROSS + 2 * D::ALONG]))
}

/// Rule 1: for each minirow of a band, the boxes in which the two others leave it room, one way or the other.
#[inline(always)]
fn matched<V: Lanes, D: Direction>(lines: [V; 3]) -> [V; 3] {
    let before = three!(a => D::before(lines[a]));
    let after = three!(a => D::after(lines[a]));
    three!(a => {
        let [b, c] = OTHERS[a];
        before[b].and(after[c]).or_and(after[b], before[c])
    })
}

/// Rule 1: those minirows that stay.
#[inline(always)]
fn left<V: Lanes, D: Direction>(lines: [V; 3]) -> [V; 3] {
    let matched = matched::<V, D>(lines);
    three!(a => lines[a].and(matched[a]))
}

/// Keeps in the words of one X only the minirows given.
#[inline(always)]
fn keep<V: Lanes, D: Direction>(words: &mut [V; 9], lines: [V; 3]) {
    for a in 0..3 {
        for b in 0..3 {
            let i = a * D::ACROSS + b * D::ALONG;
            words[i] = words[i].and(lines[a]);
        }
    }
}

/// The words of one X.
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

/// How many places each digit of one X has in each box: at least one, at least two.
#[inline(always)]
pub(super) fn places<V: Lanes>(words: &[V; 9]) -> (V, V) {
    let ones = three!(c => words[c].or3(words[3 + c], words[6 + c]));
    let twos = three!(c => words[c].majority(words[3 + c], words[6 + c]));
    let once = ones[0].or3(ones[1], ones[2]);
    let twice = twos[0].or3(twos[1], twos[2]).or(ones[0].majority(ones[1], ones[2]));
    (once, twice)
}

/// At each Y the OR of the two other Y of the same cell.
#[inline(always)]
pub(super) fn other_y<V: Lanes>(word: V) -> V {
    word.up::<9>().or3(word.down::<18>(), word.up::<18>()).or(word.down::<9>())
}

/// The first word, and at each Y the two other Y of the second.
#[inline(always)]
pub(super) fn or_other_y<V: Lanes>(first: V, second: V) -> V {
    first.or3(second.up::<9>(), second.down::<18>()).or3(second.up::<18>(), second.down::<9>())
}

/// Rules 1 to 3; acts on the naked singles of the pass before and returns its own.
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
    // Three variables, not an array, which would go through memory from one cell to the next.
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

/// Of a word of one cell position, the three Y folded to bits 0 to 8.
#[inline(always)]
pub(super) fn fold<V: Lanes>(word: V) -> V {
    word.or3(word.down::<9>(), word.down::<18>()).and(V::splat(word.token(), 0o777))
}

/// The lowest bit of every lane.
#[inline(always)]
pub(super) fn lowest_bit<V: Lanes>(word: V) -> V {
    word.and(V::splat(word.token(), 0).minus(word))
}

/// For three lines of three Y each, three words of the same Y of the three lines.
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

/// How many digits the minirows of a band have.
struct DigitCount<V> {
    /// Exactly three: for each line, at every Y.
    three: [V; 3],
    /// Fewer than three; the three lines packed.
    fewer: V,
    /// More than three; likewise.
    more: V,
}

/// Counts the digits of each minirow: `words[x][a]` are those of one X and line.
#[inline(always)]
fn count<V: Lanes>(words: &[[V; 3]; 3]) -> DigitCount<V> {
    let token = words[0][0].token();
    // Ones and twos of the three X; then, the lines packed to one word, of the three Y.
    let ones = three!(a => words[0][a].xor3(words[1][a], words[2][a]));
    let twos = three!(a => words[0][a].majority(words[1][a], words[2][a]));
    let [p, q, r] = by_y(ones);
    let [t, u, v] = by_y(twos);
    // The number is odd + 2 * (how many of the four: carry, t, u, v).
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

/// Rules 4 and 5 on the minirows that rule 1 left, `left[x][a]`: those that stay, and whether there is a
/// contradiction.
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

/// All rules, and the search for contradictions.
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
    // Rows and columns side by side, since either is a long chain of few operations.
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
    // Bits of `wrong` above 26 may be left by the shifts of other_y.
    let dead = wrong.and(V::splat(token, ALL)).or(V::splat(token, ALL).but_not(everywhere));
    Findings { dead: dead.nonzero(), changed: changed.nonzero(), open: open.nonzero() }
}

/// The lanes in which some digit has two minirows of a row, or two minicolumns of a column. A lane with one digit a
/// cell and one place a digit in every box has no other kind of contradiction.
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
