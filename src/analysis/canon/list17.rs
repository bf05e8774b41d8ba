//! The top bands with the smallest clue counts.

use super::lines::{Lines, ORDERS};
use super::state::State;

/// Adds the states with the smallest clue counts in the minirows of the top band. Their first three rows and their
/// stacks are settled.
pub fn starts(lines: &Lines, states: &mut Vec<State>) {
    let mut smallest = u32::MAX;
    for side in 0..2 {
        for band in 0..3 {
            let fills: &[u16; 3] = lines.fills[side][3 * band..][..3].as_array().expect("three rows");
            let counts = fills.map(|fill| [0, 3, 6].map(|stack| (fill >> stack & 7).count_ones()));
            for stacks in ORDERS {
                // Six bits per row: its clue counts, with the stacks in this order.
                let keys = counts.map(|row| stacks.iter().fold(0, |key, &stack| key << 2 | row[stack]));
                for rows in ORDERS {
                    let key = rows.iter().fold(0, |key, &row| key << 6 | keys[row]);
                    if key < smallest {
                        smallest = key;
                        states.clear();
                    }
                    if key == smallest {
                        states.push(State::planned(side as u8, rows.map(|row| 3 * band + row), stacks));
                    }
                }
            }
        }
    }
}
