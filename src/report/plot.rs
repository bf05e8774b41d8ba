//! The plots of a report.
//!
//! Values are placed along an axis by bin, and all bins have the same width. So zero and small numbers have places of
//! their own, and the axis is logarithmic wherever the bins are.

use std::ops::Range;

use super::measure::{MEASURES, Measure};
use super::numbers;
use super::svg::{ABOVE, BELOW, BESIDE, Drawing, END, MIDDLE, Point, START};
use super::{Bin, Report, Spread};

const WIDTH: f64 = 480.0;
/// The margins around the plotting area, which leave room for labels.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 38.0;
/// The width of a digit in the largest font, which is used on narrow screens.
const DIGIT: f64 = 9.6;
/// The height of a line of labels.
const LINE: f64 = 15.0;
/// The gap between the labels on the left and the plotting area.
const LEFT_GAP: f64 = 6.0;
/// The smallest gap between two adjacent labels.
const GAP: f64 = 4.0;

/// The positions on an axis and their labels.
type Ticks = Vec<(f64, String)>;

/// A plotting area between two heights, with the ranges of its axes.
struct Chart {
    top: f64,
    bottom: f64,
    x: Range<f64>,
    y: Range<f64>,
}

impl Chart {
    fn at(&self, (x, y): Point) -> Point {
        let across = (x - self.x.start) / (self.x.end - self.x.start);
        let up = (y - self.y.start) / (self.y.end - self.y.start);
        (LEFT + across * (WIDTH - LEFT - RIGHT), self.bottom - up * (self.bottom - self.top))
    }

    fn line(&self, on: &mut Drawing, class: &str, width: f64, points: &[Point]) {
        on.line(class, width, &points.iter().map(|&point| self.at(point)).collect::<Vec<_>>());
    }

    /// Draws grid lines with labels on the left, skipping those whose labels would overlap. Writes the name of the axis
    /// above it, at the given distance.
    fn left_axis(&self, on: &mut Drawing, ticks: &[(f64, String)], (name, above): (&str, f64)) {
        let mut below = f64::INFINITY;
        for (y, text) in ticks {
            let at = self.at((self.x.start, *y));
            if below - at.1 < LINE {
                continue;
            }
            below = at.1;
            self.line(on, "grid", 1.0, &[(self.x.start, *y), (self.x.end, *y)]);
            on.text("text", (at.0 - LEFT_GAP, at.1), (END, BESIDE), text);
        }
        on.text("text", (LEFT, self.top - above), (START, BELOW), name);
    }

    /// Draws a line along the bottom.
    fn floor(&self, on: &mut Drawing) {
        let y = self.y.start;
        self.line(on, "axis", 1.0, &[(self.x.start, y), (self.x.end, y)]);
    }

    /// Draws a labelled line along the bottom, with the name of the axis below the labels. Uses the first choice of
    /// labels that do not overlap, or else every second, third, ... label of the last choice.
    fn bottom_axis(&self, on: &mut Drawing, choices: &[Ticks], name: &str) {
        self.floor(on);
        // A label at the edge of the drawing is aligned to end at that edge.
        let last = |text: &str| WIDTH - width(text) / 2.0;
        let middle = |(place, text): &(f64, String)| self.at((*place, self.y.start)).0.min(last(text));
        let is_clear = |pair: &[(f64, String)]| {
            middle(&pair[1]) - middle(&pair[0]) >= f64::midpoint(width(&pair[0].1), width(&pair[1].1)) + GAP
        };
        let every = choices.last().map_or(&[][..], |last| last);
        let thinned = (2..=every.len().max(2)).map(|nth| every.iter().step_by(nth).cloned().collect());
        let clear =
            choices.iter().cloned().chain(thinned).find(|ticks: &Ticks| ticks.windows(2).all(is_clear));
        for (place, text) in clear.unwrap_or_default() {
            let at = self.at((place, self.y.start));
            on.line("axis", 1.0, &[at, (at.0, at.1 + 4.0)]);
            let (anchor, x) = if at.0 > last(&text) { (END, WIDTH - 1.0) } else { (MIDDLE, at.0) };
            on.text("text", (x, at.1 + 6.0), (anchor, BELOW), &text);
        }
        let middle = self.at((f64::midpoint(self.x.start, self.x.end), self.y.start));
        on.text("text", (middle.0, middle.1 + 22.0), (MIDDLE, BELOW), name);
    }
}

/// Returns an upper bound on the width of a label.
fn width(text: &str) -> f64 {
    text.chars().count() as f64 * DIGIT
}

/// Returns the ticks of the row axis on the left; the fewer decades it spans, the more ticks each of them gets.
fn log_ticks(range: &Range<f64>) -> Ticks {
    let steps: &[u64] = match range.end - range.start {
        decades if decades > 3.0 => &[1],
        decades if decades > 1.2 => &[1, 3],
        _ => &[1, 2, 3, 5],
    };
    let values = (0..19).flat_map(|decade| steps.iter().map(move |step| step * 10_u64.pow(decade)));
    let ticks = values.map(|rows| (log_rows(rows), numbers::short(rows as f64)));
    ticks.filter(|(at, _)| *at >= range.start - 1e-9 && *at <= range.end + 1e-9).collect()
}

fn share_ticks() -> Ticks {
    [(0.0, "0"), (0.5, "50 %"), (1.0, "100 %")].map(|(at, text)| (at, text.to_owned())).into()
}

fn log_rows(rows: u64) -> f64 {
    (rows as f64).log10()
}

/// The bins of a measure along the bottom, each one unit wide, with a gap after the bin for 0.
struct Axis<'a> {
    bins: &'a [Bin],
    /// The left edge of each bin.
    starts: Vec<f64>,
    range: Range<f64>,
    /// Three sets of labels: the range of each bin, its first value, and the first value of each decade if there are
    /// several.
    labels: [Ticks; 3],
    name: String,
}

impl<'a> Axis<'a> {
    /// Returns the axis for a measure, or `None` if no row has a value.
    fn of(measure: &Measure, bins: &'a [Bin]) -> Option<Self> {
        let gap = if bins.first()?.from == 0 { 0.4 } else { 0.0 };
        let start = |at: usize| at as f64 + if at > 0 { gap } else { 0.0 };
        let starts: Vec<_> = (0..bins.len()).map(start).collect();
        let range = 0.0..(start(bins.len() - 1) + 1.0).max(6.0) + 0.1;
        let labels = |whole| {
            let places = starts.iter().map(|start| start + 0.5);
            places.zip(bins.iter().map(|bin| bin_text(measure, bin, whole))).collect::<Ticks>()
        };
        let each = labels(false);
        let decades =
            each.iter().zip(bins).filter(|(_, bin)| begins_decade(bin)).map(|(label, _)| label.clone());
        let decades = Some(decades.collect())
            .filter(|decades: &Ticks| decades.len() > 1)
            .unwrap_or_else(|| each.clone());
        let labels = [labels(true), each, decades];
        let name = format!("{} per puzzle, {}", measure.name.to_lowercase(), measure.axis);
        Some(Self { bins, starts, range, labels, name })
    }

    /// Returns the middle of the bin that contains a value.
    fn at(&self, value: u64) -> f64 {
        let bin = self.bins.iter().position(|bin| value < bin.to).unwrap_or(self.bins.len() - 1);
        self.starts[bin] + 0.5
    }

    /// Returns the points of the cumulative curve, which includes each bin's share from the bin's left edge on.
    fn curve(&self) -> Vec<Point> {
        let total = self.bins.iter().map(|bin| bin.rows).sum::<u64>().max(1) as f64;
        let (mut points, mut share, mut so_far) = (Vec::new(), 0.0, 0);
        for (&start, bin) in self.starts.iter().zip(self.bins) {
            points.push((start, share));
            so_far += bin.rows;
            share = so_far as f64 / total;
            points.push((start, share));
        }
        points.push((self.range.end, share));
        points
    }
}

const fn begins_decade(bin: &Bin) -> bool {
    bin.from == 0 || 10_u64.pow(bin.from.ilog10()) == bin.from
}

fn bin_text(measure: &Measure, bin: &Bin, whole: bool) -> String {
    let text = |value: u64| (measure.tick)(value as f64);
    match bin.to {
        u64::MAX => format!("{}+", text(bin.from)),
        to if whole && to - bin.from > 1 => format!("{}\u{2013}{}", text(bin.from), text(to - 1)),
        _ => text(bin.from),
    }
}

fn described(measure: &Measure, spread: &Spread) -> String {
    let parts = [
        ("Minimum", spread.min),
        ("median", spread.p50),
        ("99 % up to", spread.p99),
        ("maximum", spread.max),
    ];
    let part = |(name, value)| format!("{name} {}", (measure.text)(value as f64));
    parts.map(part).join(", ") + "."
}

/// Draws a histogram of a measure with the cumulative curve below it, on the same axis.
pub(super) fn distribution(report: &Report, of: usize) -> Option<String> {
    const HEIGHT: f64 = 350.0;
    const UPPER: f64 = 218.0;
    /// The space above the bars for the names of the axis and the quantiles.
    const HEAD: f64 = 42.0;
    let (measure, bins) = (&MEASURES[of], &report.bins[of]);
    let spread = report.total.spreads[of]?;
    let axis = Axis::of(measure, bins)?;
    let most = bins.iter().map(|bin| bin.rows).max().unwrap_or(1).max(2);
    // The axis starts below 0, so even a single row gets a visible bar.
    let rows = -0.3..log_rows(most) * 1.04;
    let counts = Chart { top: HEAD, bottom: UPPER - 8.0, x: axis.range.clone(), y: rows.clone() };
    let shares = Chart { top: UPPER + 18.0, bottom: HEIGHT - BOTTOM, x: axis.range.clone(), y: 0.0..1.0 };
    let mut svg = Drawing::default();
    let ticks = log_ticks(&(0.0..rows.end));
    counts.left_axis(&mut svg, &ticks, ("rows, log scale", 38.0));
    for (bin, start) in bins.iter().zip(&axis.starts).filter(|(bin, _)| bin.rows > 0) {
        let class = if bin.from == 0 { "zero" } else { "bar" };
        let (low, high) = ((start + 0.04, rows.start), (start + 0.96, log_rows(bin.rows)));
        svg.rectangle(class, counts.at(low), counts.at(high));
    }
    counts.floor(&mut svg);

    shares.left_axis(&mut svg, &share_ticks(), ("cumulative share of rows", 18.0));
    let curve = axis.curve();
    let under = [&curve[..], &[(axis.range.end, 0.0)]].concat();
    svg.area("area", &under.iter().map(|&point| shares.at(point)).collect::<Vec<_>>());
    shares.line(&mut svg, "line", 1.8, &curve);
    shares.bottom_axis(&mut svg, &axis.labels, &axis.name);

    let mut taken = f64::NEG_INFINITY;
    for (value, name) in [(spread.p50, "p50"), (spread.p90, "p90"), (spread.p99, "p99")] {
        let x = axis.at(value);
        let top = counts.at((x, rows.end));
        svg.line("mark", 1.0, &[(top.0, top.1 - 4.0), counts.at((x, rows.start))]);
        shares.line(&mut svg, "mark", 1.0, &[(x, 1.0), (x, 0.0)]);
        let middle = top.0.min(WIDTH - width(name) / 2.0);
        if middle - width(name) >= taken {
            svg.text("strong", (middle, top.1 - 6.0), (MIDDLE, ABOVE), name);
            taken = middle;
        }
    }
    let title = format!("Distribution of the {} per puzzle", measure.name.to_lowercase());
    let id = format!("distribution-{}", measure.key);
    Some(svg.finish((WIDTH, HEIGHT), &id, &title, &described(measure, &spread)))
}

#[cfg(test)]
mod tests {
    use super::super::measure::{GUESSES, TIME};
    use super::*;

    fn texts(ticks: Ticks) -> Vec<String> {
        ticks.into_iter().map(|(_, text)| text.replace('\u{202f}', " ")).collect()
    }

    #[test]
    fn labels_of_times_do_not_overlap_and_few_decades_are_divided() {
        let bins: Vec<_> = (10..=100)
            .map(|step| 10_f64.powf(f64::from(step) / 10.0).round() as u64)
            .collect::<Vec<_>>()
            .windows(2)
            .map(|ends| Bin { from: ends[0], to: ends[1], rows: 1 })
            .collect();
        let shown = |range| {
            let axis = Axis::of(&MEASURES[TIME], &bins[range]).unwrap();
            let chart = Chart { top: 0.0, bottom: 9.0, x: axis.range.clone(), y: 0.0..1.0 };
            let mut svg = Drawing::default();
            chart.bottom_axis(&mut svg, &axis.labels, "");
            let svg = svg.finish((1.0, 1.0), "", "", "").replace('\u{202f}', " ");
            let texts = svg.split("</text>").filter_map(|text| Some(text.rsplit_once('>')?.1.to_owned()));
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(shown(0..1), "10 ns\u{2013}12 ns");
        assert_eq!(shown(0..5), "10 ns, 13 ns, 16 ns, 20 ns, 25 ns");
        assert_eq!(shown(1..9), "13 ns, 20 ns, 32 ns, 50 ns");
        assert_eq!(shown(12..41), "1 \u{b5}s, 10 \u{b5}s, 100 \u{b5}s");
        assert_eq!(shown(0..90), "10 ns, 1 \u{b5}s, 100 \u{b5}s, 10 ms, 1 s");
        let rows = |range| texts(log_ticks(&range)).join(", ");
        assert_eq!(rows(2.2..3.4), "200, 300, 500, 1 k, 2 k");
        assert_eq!(rows(4.2..6.8), "30 k, 100 k, 300 k, 1 M, 3 M");
        assert_eq!(rows(1.0..5.2), "10, 100, 1 k, 10 k, 100 k");
    }

    #[test]
    fn bins_are_equally_wide_and_that_of_0_stands_apart() {
        let bins = [(0, 1, 2), (1, 2, 1), (2, 4, 1)].map(|(from, to, rows)| Bin { from, to, rows });
        let axis = Axis::of(&MEASURES[GUESSES], &bins).unwrap();
        assert_eq!(axis.starts, [0.0, 1.4, 2.4]);
        assert_eq!([0, 1, 3].map(|value| axis.at(value)), [0.5, 1.9, 2.9]);
        let shares = [(0.0, 0.0), (0.0, 0.5), (1.4, 0.5), (1.4, 0.75), (2.4, 0.75), (2.4, 1.0), (6.1, 1.0)];
        assert_eq!(axis.curve(), shares);
        assert_eq!(texts(axis.labels[0].clone()), ["0", "1", "2\u{2013}3"]);
    }
}
