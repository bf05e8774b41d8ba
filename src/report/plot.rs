//! The plots of a report.

use std::ops::Range;

use super::measure::{GUESSES, MEASURES, Measure, Scale, TIME};
use super::numbers;
use super::svg::{Anchor, Drawing, Level, Point};
use super::{Bin, JointBin, Report, Spread};

const WIDTH: f64 = 480.0;
/// Margins of the plotting area, for labels.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 38.0;
/// From the top of the name of the left axis to that of the plotting area.
const NAME: f64 = 22.0;
/// Width of a digit in the largest font: that of a narrow screen.
const DIGIT: f64 = 9.6;
/// Height of a line of labels.
const LINE: f64 = 15.0;
/// Gap between the labels at the left and the plotting area.
const LEFT_GAP: f64 = 6.0;
/// Least gap between two labels side by side.
const GAP: f64 = 4.0;
/// Most results files with a curve in a comparison.
pub(super) const MOST_CURVES: usize = 8;

/// Places on an axis and their labels.
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

    fn rectangle(&self, on: &mut Drawing, class: &str, opacity: f64, one: Point, other: Point) {
        on.rectangle(class, opacity, self.at(one), self.at(other));
    }

    /// Draws grid lines with labels at the left, except where labels would overlap, and the name of the axis at a
    /// distance above.
    fn left_axis(&self, on: &mut Drawing, ticks: &[(f64, String)], (name, above): (&str, f64)) {
        let mut below = f64::INFINITY;
        for (y, text) in ticks {
            let at = self.at((self.x.start, *y));
            if below - at.1 < LINE {
                continue;
            }
            below = at.1;
            self.line(on, "grid", 1.0, &[(self.x.start, *y), (self.x.end, *y)]);
            on.text("text", (at.0 - LEFT_GAP, at.1), (Anchor::End, Level::Beside), text);
        }
        on.text("text", (LEFT, self.top - above), (Anchor::Start, Level::Below), name);
    }

    /// Draws a line along the bottom.
    fn floor(&self, on: &mut Drawing) {
        let y = self.y.start;
        self.line(on, "axis", 1.0, &[(self.x.start, y), (self.x.end, y)]);
    }

    /// Draws a line along the bottom with labels, and the name of the axis below them.
    fn bottom_axis(&self, on: &mut Drawing, ticks: &[(f64, String)], name: &str) {
        self.floor(on);
        for (place, text) in ticks {
            let at = self.at((*place, self.y.start));
            on.line("axis", 1.0, &[at, (at.0, at.1 + 4.0)]);
            // A label at the edge of the drawing ends there.
            let is_over = at.0 + width(text) / 2.0 > WIDTH;
            let (anchor, x) = if is_over { (Anchor::End, WIDTH - 1.0) } else { (Anchor::Middle, at.0) };
            on.text("text", (x, at.1 + 6.0), (anchor, Level::Below), text);
        }
        let middle = self.at((f64::midpoint(self.x.start, self.x.end), self.y.start));
        on.text("text", (middle.0, middle.1 + 22.0), (Anchor::Middle, Level::Below), name);
    }
}

/// Greatest width of a label.
fn width(text: &str) -> f64 {
    text.chars().count() as f64 * DIGIT
}

/// The first of several choices of ticks whose labels do not overlap along the bottom, or every second, third, ... tick
/// of the last choice.
fn clear_of_each_other<const N: usize>(x: &Range<f64>, choices: [Ticks; N]) -> Ticks {
    let scale = (WIDTH - LEFT - RIGHT) / (x.end - x.start);
    // As in `bottom_axis`.
    let middle = |(at, text): &(f64, String)| (LEFT + (at - x.start) * scale).min(WIDTH - width(text) / 2.0);
    let is_clear = |pair: &[(f64, String)]| {
        middle(&pair[1]) - middle(&pair[0]) >= f64::midpoint(width(&pair[0].1), width(&pair[1].1)) + GAP
    };
    let last = choices.last().cloned().unwrap_or_default();
    let thinned = (2..=last.len().max(2)).map(|every| last.iter().step_by(every).cloned().collect());
    choices
        .into_iter()
        .chain(thinned)
        .find(|ticks: &Ticks| ticks.windows(2).all(is_clear))
        .unwrap_or_default()
}

/// Ticks of an axis of decimal logarithms, at `steps` of each decade.
fn log_ticks(range: &Range<f64>, steps: &[f64], text: impl Fn(f64) -> String) -> Ticks {
    (range.start.floor() as i32..=range.end.floor() as i32)
        .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
        .map(|value| (value.log10(), text(value)))
        .filter(|(at, _)| *at >= range.start - 1e-9 && *at <= range.end + 1e-9)
        .collect()
}

/// One tick a decade, and 2 and 5 if there are few decades.
fn steps_of(range: &Range<f64>) -> &'static [f64] {
    if range.end.floor() - range.start.ceil() < 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] }
}

fn share_ticks() -> Ticks {
    [(0.0, "0"), (0.5, "50 %"), (1.0, "100 %")].map(|(at, text)| (at, text.to_owned())).into()
}

fn log_rows(rows: u64) -> f64 {
    (rows as f64).log10()
}

/// The logarithm of a value; that of 0 is 0.
fn log_of(value: u64) -> f64 {
    (value.max(1) as f64).log10()
}

/// The ends of a bin on an axis of decimal logarithms. The last of all bins, which has no end, gets one.
fn log_span(bin: &Bin) -> (f64, f64) {
    (log_of(bin.from), if bin.to == u64::MAX { log_of(bin.from) + 0.1 } else { log_of(bin.to) })
}

fn log_range(first: &Bin, last: &Bin) -> Range<f64> {
    let (start, end) = (log_span(first).0, log_span(last).1);
    // A single bin must not fill the whole width.
    let missing = (1.0 - (end - start)).max(0.0) / 2.0;
    (start - missing).max(0.0)..end + missing
}

/// Ticks of an axis of logarithms along the bottom.
fn log_axis(range: &Range<f64>, text: fn(f64) -> String) -> Ticks {
    let choices = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]];
    clear_of_each_other(range, choices.map(|steps| log_ticks(range, steps, text)))
}

/// The bins of a measure along the bottom.
struct Axis {
    range: Range<f64>,
    /// The ends of each bin.
    spans: Vec<(f64, f64)>,
    ticks: Ticks,
    name: String,
    scale: Scale,
}

impl Axis {
    fn of(measure: &Measure, bins: &[Bin]) -> Option<Self> {
        let (first, last) = (bins.first()?, bins.last()?);
        let (range, spans, ticks) = match measure.scale {
            Scale::Log => {
                let range = log_range(first, last);
                let ticks = log_axis(&range, measure.tick);
                (range, bins.iter().map(log_span).collect(), ticks)
            }
            Scale::Steps => {
                let place = |at: usize| at as f64 + if at > 0 && first.from == 0 { 0.4 } else { 0.0 };
                let spans: Vec<_> = (0..bins.len()).map(|at| (place(at), place(at) + 1.0)).collect();
                let range = 0.0..(place(bins.len() - 1) + 1.0).max(6.0) + 0.1;
                let ticks = step_ticks(measure, &range, bins, &spans);
                (range, spans, ticks)
            }
        };
        let name = format!("{} per puzzle, {}", measure.name.to_lowercase(), measure.axis);
        Some(Self { range, spans, ticks, name, scale: measure.scale })
    }

    /// The place of a value.
    fn at(&self, bins: &[Bin], value: u64) -> f64 {
        match self.scale {
            Scale::Log => log_of(value),
            Scale::Steps => {
                let bin = bins.iter().position(|bin| value < bin.to).unwrap_or(bins.len() - 1);
                f64::midpoint(self.spans[bin].0, self.spans[bin].1)
            }
        }
    }

    /// The points of a cumulative curve with the share of each bin at its end or, of steps, at its start.
    fn curve(&self, shares: &[f64]) -> Vec<Point> {
        let mut points = vec![(self.range.start, 0.0)];
        let mut before = 0.0;
        points.extend(self.spans.first().map(|(start, _)| (*start, 0.0)));
        for ((start, end), &share) in self.spans.iter().zip(shares) {
            if self.scale == Scale::Steps {
                points.extend([(*start, before), (*start, share)]);
            }
            points.push((*end, share));
            before = share;
        }
        points.push((self.range.end, before));
        points
    }
}

fn step_ticks(measure: &Measure, x: &Range<f64>, bins: &[Bin], spans: &[(f64, f64)]) -> Ticks {
    let ticks = |whole| {
        let places = spans.iter().map(|(start, end)| f64::midpoint(*start, *end));
        places.zip(bins.iter().map(|bin| bin_text(measure, bin, whole))).collect::<Ticks>()
    };
    let (ranges, starts) = (ticks(true), ticks(false));
    let decades = starts.iter().zip(bins).filter(|(_, bin)| begins_decade(bin));
    let decades = decades.map(|(tick, _)| tick.clone()).collect();
    clear_of_each_other(x, [ranges, starts, decades])
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

/// A histogram of a measure, and below it the cumulative curve on the same axis.
pub(super) fn distribution(report: &Report, of: usize) -> Option<String> {
    const HEIGHT: f64 = 350.0;
    const UPPER: f64 = 218.0;
    /// Space above the bars, for the names of the axis and of the quantiles.
    const HEAD: f64 = 42.0;
    let (measure, bins) = (&MEASURES[of], &report.bins[of]);
    let spread = report.total.spreads[of]?;
    let axis = Axis::of(measure, bins)?;
    let most = bins.iter().map(|bin| bin.rows).max().unwrap_or(1).max(2);
    // Below 0, so that a single row has a bar.
    let rows = -0.3..log_rows(most) * 1.04;
    let counts = Chart { top: HEAD, bottom: UPPER - 8.0, x: axis.range.clone(), y: rows.clone() };
    let shares = Chart { top: UPPER + 18.0, bottom: HEIGHT - BOTTOM, x: axis.range.clone(), y: 0.0..1.0 };
    let mut svg = Drawing::default();
    let ticks = log_ticks(&(0.0..rows.end), steps_of(&(0.0..rows.end)), numbers::short);
    counts.left_axis(&mut svg, &ticks, ("rows, log scale", 38.0));
    for (bin, &(start, end)) in bins.iter().zip(&axis.spans).filter(|(bin, _)| bin.rows > 0) {
        let (class, gap) = match measure.scale {
            Scale::Log => ("bar", 0.0),
            Scale::Steps => (if bin.from == 0 { "zero" } else { "bar" }, 0.04),
        };
        counts.rectangle(&mut svg, class, 1.0, (start + gap, rows.start), (end - gap, log_rows(bin.rows)));
    }
    counts.floor(&mut svg);

    shares.left_axis(&mut svg, &share_ticks(), ("cumulative share of rows", 18.0));
    let curve = axis.curve(&report.total.curves[of]);
    let under = [&curve[..], &[(axis.range.end, 0.0)]].concat();
    svg.area("area", &under.iter().map(|&point| shares.at(point)).collect::<Vec<_>>());
    shares.line(&mut svg, "line", 1.8, &curve);
    shares.bottom_axis(&mut svg, &axis.ticks, &axis.name);

    let mut taken = f64::NEG_INFINITY;
    for (value, name) in [(spread.p50, "p50"), (spread.p90, "p90"), (spread.p99, "p99")] {
        let x = axis.at(bins, value);
        let top = counts.at((x, rows.end));
        svg.line("mark", 1.0, &[(top.0, top.1 - 4.0), counts.at((x, rows.start))]);
        shares.line(&mut svg, "mark", 1.0, &[(x, 1.0), (x, 0.0)]);
        let middle = top.0.min(WIDTH - width(name) / 2.0);
        if middle - width(name) >= taken {
            svg.text("strong", (middle, top.1 - 6.0), (Anchor::Middle, Level::Above), name);
            taken = middle;
        }
    }
    let title = format!("Distribution of the {} per puzzle", measure.name.to_lowercase());
    let id = format!("distribution-{}", measure.key);
    Some(svg.finish((WIDTH, HEIGHT), &id, &title, &described(measure, &spread)))
}

/// Box plots by number of clues: boxes from the lower to the upper quartile with the median, whiskers from the 10th to
/// the 90th percentile.
pub(super) fn by_clues(report: &Report, of: usize) -> Option<String> {
    const HEIGHT: f64 = 260.0;
    let measure = &MEASURES[of];
    let boxes: Vec<_> =
        report.clues.iter().filter_map(|clues| Some((clues.clues as f64, clues.spreads[of]?))).collect();
    let (first, last) = (boxes.first()?.0, boxes.last()?.0);
    // Keeps few boxes narrow, and in the middle.
    let around = ((9.0 - (last - first)) / 2.0).ceil().max(1.0);
    let x = first - around..last + around;
    let least = boxes.iter().map(|(_, spread)| spread.p10).min()?;
    let most = boxes.iter().map(|(_, spread)| spread.p90).max()?;
    // Steps may be 0, which has no logarithm.
    let height = |value: u64| match measure.scale {
        Scale::Log => log_of(value),
        Scale::Steps => (value as f64 + 1.0).log10(),
    };
    let (y, ticks) = match measure.scale {
        Scale::Log => {
            let y = (height(least) - 0.15).max(0.0)..(height(most) + 0.15).max(height(least) + 1.0);
            let ticks = log_ticks(&y, steps_of(&y), measure.tick);
            (y, ticks)
        }
        Scale::Steps => {
            let y = -0.04..(height(most) + 0.1).max(0.8);
            let ticks = successor_ticks(measure, &y);
            (y, ticks)
        }
    };
    let name = measure.name.to_lowercase();
    let chart = Chart { top: TOP, bottom: HEIGHT - BOTTOM, x, y };
    let mut svg = Drawing::default();
    chart.left_axis(&mut svg, &ticks, (&format!("{name} per puzzle, log scale"), NAME));
    for (clues, spread) in &boxes {
        let column = |value: u64| (*clues, height(value));
        chart.line(&mut svg, "line", 1.2, &[column(spread.p10), column(spread.p90)]);
        let ends = [(clues - 0.32, height(spread.p25)), (clues + 0.32, height(spread.p75))];
        chart.rectangle(&mut svg, "box", 1.0, ends[0], ends[1]);
        let median = height(spread.p50);
        chart.line(&mut svg, "strong", 2.4, &[(clues - 0.38, median), (clues + 0.38, median)]);
    }
    chart.bottom_axis(&mut svg, &clue_ticks(&chart.x), "clues");
    let description = "Boxes from the lower to the upper quartile with a line at the median; whiskers from the \
                       10th to the 90th percentile. The table below has the numbers.";
    let title = format!("{} by number of clues", measure.name);
    Some(svg.finish((WIDTH, HEIGHT), &format!("clues-{}", measure.key), &title, description))
}

fn clue_ticks(x: &Range<f64>) -> Ticks {
    let step = ((x.end - x.start) / 10.0).ceil().max(1.0);
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|&nice| nice >= step).unwrap_or(10.0);
    let mut ticks = Vec::new();
    let mut at = (x.start.max(0.0) / step).ceil() * step;
    while at <= x.end {
        ticks.push((at, format!("{at:.0}")));
        at += step;
    }
    ticks
}

/// Ticks at 0, 1, 3, 10, 30, ..., each at the logarithm of its successor.
fn successor_ticks(measure: &Measure, y: &Range<f64>) -> Ticks {
    let steps = match y.end {
        end if end > 5.0 => vec![1],
        end if end > 1.2 => vec![1, 3],
        _ => vec![1, 2, 3, 5],
    };
    let values = (0..12).flat_map(|decade| steps.iter().map(move |step| step * 10_u64.pow(decade)));
    [0].into_iter()
        .chain(values)
        .map(|value| ((value as f64 + 1.0).log10(), (measure.tick)(value as f64)))
        .filter(|(at, _)| *at <= y.end)
        .collect()
}

/// A heat map of time and guesses: the stronger the colour, the more rows.
pub(super) fn time_by_guesses(report: &Report) -> Option<String> {
    const HEIGHT: f64 = 300.0;
    let (across, up) = (&MEASURES[TIME], &MEASURES[GUESSES]);
    let cells = &report.time_by_guesses;
    let span_of = |cell: &JointBin| Bin { from: cell.time_ns.0, to: cell.time_ns.1, rows: cell.rows };
    let x = log_range(
        &span_of(cells.iter().min_by_key(|cell| cell.time_ns.0)?),
        &span_of(cells.iter().max_by_key(|cell| cell.time_ns.0)?),
    );
    let bins = &report.bins[GUESSES];
    let y = -0.1..(bins.len().max(4) as f64) + 0.1;
    let most = log_rows(cells.iter().map(|cell| cell.rows).max()?).max(0.3);
    let every = bins.len() <= 9;
    let whole = every && bins.iter().all(|bin| width(&bin_text(up, bin, true)) <= LEFT - LEFT_GAP);
    let ticks: Vec<_> = bins
        .iter()
        .enumerate()
        .filter(|(_, bin)| every || begins_decade(bin))
        .map(|(index, bin)| (index as f64 + 0.5, bin_text(up, bin, whole)))
        .collect();
    let chart = Chart { top: TOP, bottom: HEIGHT - BOTTOM, x, y };
    let mut svg = Drawing::default();
    chart.left_axis(&mut svg, &ticks, (&up.name.to_lowercase(), NAME));
    for cell in cells {
        let Some(row) = bins.iter().position(|bin| bin.from == cell.guesses.0) else { continue };
        let (start, end) = log_span(&span_of(cell));
        let (low, high) = (row as f64 + 0.04, row as f64 + 0.96);
        let opacity = strength(log_rows(cell.rows) / most);
        chart.rectangle(&mut svg, "heat", opacity, (start, low), (end, high));
    }
    let name = format!("{} per puzzle, {}", across.name.to_lowercase(), across.axis);
    chart.bottom_axis(&mut svg, &log_axis(&chart.x, across.tick), &name);
    legend(&mut svg, most);
    let description = "Each rectangle stands for the rows in a range of times and of guesses; the stronger its \
                       colour, the more rows, on a logarithmic scale.";
    Some(svg.finish((WIDTH, HEIGHT), "heat", "Time against guesses", description))
}

/// Opacity of a rectangle; that of a single row is visible.
fn strength(share: f64) -> f64 {
    0.16 + 0.84 * share
}

/// Draws the legend of the colours.
fn legend(svg: &mut Drawing, most: f64) {
    const STEPS: u32 = 6;
    const STEP: f64 = 14.0;
    let (top, bottom, middle) = (6.0, 16.0, 11.0);
    let end = WIDTH - RIGHT - 52.0;
    let start = end - f64::from(STEPS) * STEP;
    for step in 0..STEPS {
        let left = start + f64::from(step) * STEP;
        let opacity = strength(f64::from(step) / f64::from(STEPS - 1));
        svg.rectangle("heat", opacity, (left, top), (left + STEP - 1.0, bottom));
    }
    svg.text("text", (start - 6.0, middle), (Anchor::End, Level::Beside), "1 row");
    let text = numbers::short(10_f64.powf(most).round());
    svg.text("text", (end + 6.0, middle), (Anchor::Start, Level::Beside), &text);
}

/// The cumulative curves of several results files.
pub(super) fn curves(report: &Report, of: usize) -> Option<String> {
    const HEIGHT: f64 = 260.0;
    let measure = &MEASURES[of];
    let axis = Axis::of(measure, &report.bins[of])?;
    let chart = Chart { top: TOP, bottom: HEIGHT - BOTTOM, x: axis.range.clone(), y: 0.0..1.0 };
    let mut svg = Drawing::default();
    chart.left_axis(&mut svg, &share_ticks(), ("cumulative share of rows", NAME));
    chart.bottom_axis(&mut svg, &axis.ticks, &axis.name);
    for (number, file) in report.files.iter().take(MOST_CURVES).enumerate() {
        // A file without values has no curve, but keeps its colour.
        if file.spreads[of].is_some() {
            chart.line(&mut svg, &format!("curve{number}"), 2.0, &axis.curve(&file.curves[of]));
        }
    }
    let description = "For each results file the cumulative share of rows. The table has the quantiles.";
    let title = format!("{} per puzzle in each results file", measure.name);
    Some(svg.finish((WIDTH, HEIGHT), &format!("curves-{}", measure.key), &title, description))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_times_do_not_overlap_and_few_decades_are_divided() {
        let texts = |range| {
            let ticks = log_axis(&range, MEASURES[TIME].tick);
            ticks.into_iter().map(|(_, text)| text.replace('\u{202f}', " ")).collect::<Vec<_>>()
        };
        assert_eq!(texts(2.2..3.4), ["200 ns", "500 ns", "1 \u{b5}s", "2 \u{b5}s"]);
        assert_eq!(texts(4.2..6.8), ["30 \u{b5}s", "100 \u{b5}s", "300 \u{b5}s", "1 ms", "3 ms"]);
        assert_eq!(texts(1.0..5.2), ["10 ns", "100 ns", "1 \u{b5}s", "10 \u{b5}s", "100 \u{b5}s"]);
        assert_eq!(texts(0.0..8.0), ["1 ns", "100 ns", "10 \u{b5}s", "1 ms", "100 ms"]);
    }

    #[test]
    fn a_cumulative_curve_ends_at_one() {
        let bins = [(10, 100, 3), (100, 1000, 0), (1000, 10_000, 1)];
        let bins = bins.map(|(from, to, rows)| Bin { from, to, rows });
        let axis = Axis::of(&MEASURES[TIME], &bins).unwrap();
        let points = axis.curve(&[0.75, 0.75, 1.0]);
        assert_eq!(points, [(1.0, 0.0), (1.0, 0.0), (2.0, 0.75), (3.0, 0.75), (4.0, 1.0), (4.0, 1.0)]);
    }

    #[test]
    fn steps_are_equally_wide_and_that_of_0_stands_apart() {
        let bins = [(0, 1), (1, 2), (2, 4)].map(|(from, to)| Bin { from, to, rows: 1 });
        let axis = Axis::of(&MEASURES[GUESSES], &bins).unwrap();
        assert_eq!(axis.spans, [(0.0, 1.0), (1.4, 2.4), (2.4, 3.4)]);
        assert_eq!([0, 1, 3].map(|value| axis.at(&bins, value)), [0.5, 1.9, 2.9]);
        let ticks: Vec<_> = axis.ticks.into_iter().map(|(_, text)| text).collect();
        assert_eq!(ticks, ["0", "1", "2\u{2013}3"]);
    }
}
