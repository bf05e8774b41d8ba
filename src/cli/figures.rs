//! Figures formatted for people.

use std::time::Duration;

use crate::report::numbers::{grouped_by, in_unit};

/// Formats a number with its digits in groups of three: `1,234,567`.
pub fn grouped(number: u64) -> String {
    grouped_by(number, ',')
}

/// Formats a time in a suitable unit with three significant digits: `3.46 us`, `12.0 s`, `2 h 05 min`.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds >= 3600 {
        return format!("{} h {:02} min", grouped(seconds / 3600), seconds % 3600 / 60);
    }
    if seconds >= 60 {
        return format!("{} min {:02} s", seconds / 60, seconds % 60);
    }
    in_unit(time.as_nanos() as f64, &[("s", 1e9), ("ms", 1e6), ("us", 1e3)], ' ')
        .unwrap_or_else(|| format!("{} ns", time.as_nanos()))
}

/// Formats a time given in nanoseconds.
pub fn nanoseconds(time: u64) -> String {
    self::time(Duration::from_nanos(time))
}

/// Formats a time given in seconds.
pub fn seconds(time: f64) -> String {
    self::time(Duration::from_secs_f64(time))
}

/// Returns a number followed by its noun in the singular or plural.
pub fn count_of(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn units_suit_the_time() {
        for (nanoseconds, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 us"),
            (3_456, "3.46 us"),
            (99_960, "100 us"),
            (999_499, "999 us"),
            (999_999, "1.00 ms"),
            (12_340_000, "12.3 ms"),
            (9_999_000_000, "10.0 s"),
            (59_000_000_000, "59.0 s"),
            (61_000_000_000, "1 min 01 s"),
            (7_500_000_000_000, "2 h 05 min"),
        ] {
            assert_eq!(time(Duration::from_nanos(nanoseconds)), text);
        }
    }
}
