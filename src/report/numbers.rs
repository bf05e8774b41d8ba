//! Formats numbers for the page, with grouped digits and with times in suitable units.

/// The narrow no-break space between digit groups and before units.
const THIN_SPACE: char = '\u{202f}';

/// Returns a number formatted as `1 234 567`, with thin spaces.
pub(super) fn grouped(number: u64) -> String {
    grouped_by(number, THIN_SPACE)
}

/// Returns a number with its digits in groups of three.
pub(crate) fn grouped_by(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(2 * digits.len());
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Formats a number from 1 to 1,000 to three significant digits: `3.46`, `12.3`, `999`.
pub(crate) fn three_digits(value: f64) -> String {
    let decimals = match value {
        _ if value >= 99.95 => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

/// Formats a value to three significant digits in the largest unit that does not exceed it, such as `3.46 µs`. Returns
/// `None` if every unit exceeds it. `units` holds names and sizes, largest first.
pub(crate) fn in_unit(value: f64, units: &[(&str, f64)], space: char) -> Option<String> {
    // From 999.5 up, rounding in the smaller unit would give `1000`.
    let (unit, size) = units.iter().find(|(_, size)| value >= size * 0.9995)?;
    Some(format!("{}{space}{unit}", three_digits(value / size)))
}

/// Formats a time to three significant digits: `3.46 µs`.
pub(super) fn time(nanoseconds: f64) -> String {
    if nanoseconds >= 60e9 {
        return format!("{}{THIN_SPACE}s", grouped((nanoseconds / 1e9).round() as u64));
    }
    in_unit(nanoseconds, &[("s", 1e9), ("ms", 1e6), ("\u{b5}s", 1e3)], THIN_SPACE).unwrap_or_else(|| {
        let nanoseconds =
            if nanoseconds.fract() == 0.0 { nanoseconds.to_string() } else { three_digits(nanoseconds) };
        format!("{nanoseconds}{THIN_SPACE}ns")
    })
}

/// Formats a number below 1,000 to three significant digits, and a larger one with all its digits, grouped.
pub(super) fn significant(value: f64) -> String {
    if value >= 99.95 { grouped(value.round() as u64) } else { three_digits(value) }
}

/// Formats a number to at most three significant digits: `1.23 M`, `5 k`, `16`.
pub(super) fn short(value: f64) -> String {
    let text = in_unit(value, &[("G", 1e9), ("M", 1e6), ("k", 1e3)], THIN_SPACE);
    text.map_or_else(|| format!("{value:.0}"), |text| without_zeros(&text))
}

/// Formats a time to at most three significant digits: `500 ns`, `1 ms`.
pub(super) fn short_time(nanoseconds: f64) -> String {
    without_zeros(&time(nanoseconds.round()))
}

/// Removes trailing zeros from the decimals of a number with a unit.
fn without_zeros(text: &str) -> String {
    let (number, unit) = text.split_once(THIN_SPACE).unwrap_or((text, ""));
    match number.contains('.') {
        true => format!("{}{THIN_SPACE}{unit}", number.trim_end_matches('0').trim_end_matches('.')),
        false => text.to_owned(),
    }
}

/// Returns a share as a percentage with one decimal, or with two where one is not precise enough.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 || part == 0 {
        return format!("0{THIN_SPACE}%");
    }
    let share = part as f64 / whole as f64 * 100.0;
    let text = match share {
        _ if part == whole => "100".to_owned(),
        _ if share < 0.01 => "<0.01".to_owned(),
        _ if share < 1.0 => format!("{share:.2}"),
        // A share below 100 % must never be shown as 100 %.
        _ if share > 99.9 => format!("{:.2}", share.min(99.99)),
        _ => format!("{share:.1}"),
    };
    format!("{text}{THIN_SPACE}%")
}

/// Formats a number of bytes in decimal units.
pub(super) fn bytes(bytes: u64) -> String {
    in_unit(bytes as f64, &[("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)], THIN_SPACE)
        .unwrap_or_else(|| format!("{bytes}{THIN_SPACE}B"))
}

/// Returns a number with its noun in the singular or plural.
pub(super) fn count_of(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(THIN_SPACE, " ")
    }

    #[test]
    fn numbers_have_groups_of_digits_and_suitable_units() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(plain(&grouped(number)), text);
        }
        for (nanoseconds, text) in [
            (0.0, "0 ns"),
            (999.0, "999 ns"),
            (12.345, "12.3 ns"),
            (999.6, "1.00 \u{b5}s"),
            (3456.0, "3.46 \u{b5}s"),
            (999_999.0, "1.00 ms"),
            (59.94e9, "59.9 s"),
            (7200e9, "7 200 s"),
        ] {
            assert_eq!(plain(&time(nanoseconds)), text);
        }
        for (value, text) in [
            (7.0, "7"),
            (999.0, "999"),
            (1000.0, "1 k"),
            (1234.0, "1.23 k"),
            (762_267.0, "762 k"),
            (1.5e7, "15 M"),
        ] {
            assert_eq!(plain(&short(value)), text);
        }
        for (nanoseconds, text) in [(10.0, "10 ns"), (500.0, "500 ns"), (1e6, "1 ms"), (1e10, "10 s")] {
            assert_eq!(plain(&short_time(nanoseconds)), text);
        }
        assert_eq!(plain(&bytes(2_200_000_000)), "2.20 GB");
        assert_eq!(plain(&bytes(12)), "12 B");
        assert_eq!(plain(&bytes(999_999_999_999)), "1.00 TB");
        assert_eq!(in_unit(3456.0, &[("ms", 1e6), ("us", 1e3)], ' ').as_deref(), Some("3.46 us"));
        assert_eq!(in_unit(999.0, &[("us", 1e3)], ' '), None);
    }

    #[test]
    fn percentages_hide_nothing() {
        for ((part, whole), text) in [
            ((0, 0), "0 %"),
            ((0, 5), "0 %"),
            ((5, 5), "100 %"),
            ((1, 3), "33.3 %"),
            ((1, 1000), "0.10 %"),
            ((1, 1_000_000), "<0.01 %"),
            ((999_999, 1_000_000), "99.99 %"),
        ] {
            assert_eq!(plain(&percent(part, whole)), text, "{part} of {whole}");
        }
    }
}
