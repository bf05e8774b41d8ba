//! Plots as inline SVG, drawn by plotters, coloured by the page.
//!
//! plotters writes literal colours. Each [`Ink`] is a colour that no page would choose, and is replaced by a CSS
//! class afterwards, so that one drawing serves light, dark and paper. Coordinates are whole numbers to
//! plotters: everything is drawn ten times as large as it is shown. No text in a plot comes from an input.

use std::fmt::Write;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::numbers;
use super::{Bin, ClueFigures, JointBin, Report, Spread};

/// Units of a drawing for each unit shown.
const SCALE: i32 = 10;
const WIDTH: i32 = 480 * SCALE;
const TEXT: i32 = 12 * SCALE;
/// Around the plotting area, for labels.
const LEFT: i32 = 62 * SCALE;
const RIGHT: i32 = 14 * SCALE;
const TOP: i32 = 26 * SCALE;
const BOTTOM: i32 = 38 * SCALE;
/// The widest digit of the fonts of the page on a narrow screen, where they are largest.
const DIGIT: i32 = 96;
/// From one label to that below it.
const LINE: i32 = 15 * SCALE;
/// Between the labels at the left and the plotting area.
const LEFT_GAP: i32 = 6 * SCALE;
/// Between two labels side by side.
const GAP: i32 = 4 * SCALE;
/// Results files that have a curve of their own in a comparison.
pub(super) const MOST_CURVES: usize = 8;

/// What something is drawn with; the page gives each a colour in its style sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Text,
    Strong,
    Axis,
    Grid,
    Bar,
    Zero,
    Area,
    Line,
    Mark,
    Box,
    Heat,
    /// One of several curves.
    Curve(u8),
}

impl Ink {
    const ALL: [Self; 11] = [
        Self::Text,
        Self::Strong,
        Self::Axis,
        Self::Grid,
        Self::Bar,
        Self::Zero,
        Self::Area,
        Self::Line,
        Self::Mark,
        Self::Box,
        Self::Heat,
    ];

    fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain((0..MOST_CURVES as u8).map(Self::Curve))
    }

    fn name(self) -> String {
        match self {
            Self::Curve(number) => format!("curve{number}"),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn number(self) -> u8 {
        match self {
            Self::Curve(number) => 100 + number,
            other => Self::ALL.into_iter().position(|ink| ink == other).map_or(0, |at| at as u8),
        }
    }

    fn colour(self) -> RGBColor {
        RGBColor(254, 1, self.number())
    }

    fn stroke(self, width: i32) -> ShapeStyle {
        self.colour().stroke_width((width * SCALE / 10).unsigned_abs())
    }
}

/// Places on an axis and their labels.
type Ticks = Vec<(f64, String)>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws on an empty sheet of that height; `title` and `description` are for those who cannot see it.
fn sheet(
    id: &str,
    height: i32,
    title: &str,
    description: &str,
    draw: impl for<'a> FnOnce(&Area<'a>) -> Drawn,
) -> String {
    let mut svg = String::new();
    {
        let size = (WIDTH.unsigned_abs(), (height * SCALE).unsigned_abs());
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&area).and_then(|()| area.present()).expect("a string takes every drawing");
    }
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>{}",
        height * SCALE,
        themed(body)
    )
}

/// Puts classes in the place of colours and drops what is the default anyway.
fn themed(body: &str) -> String {
    let mut body = body.replace('\n', "");
    for ink in Ink::every() {
        let RGBColor(red, green, blue) = ink.colour();
        let colour = format!("#{red:02X}{green:02X}{blue:02X}");
        body = body.replace(&format!("fill=\"{colour}\""), &format!("class=\"f-{}\"", ink.name()));
        body = body.replace(&format!("stroke=\"{colour}\""), &format!("class=\"s-{}\"", ink.name()));
    }
    for default in [" opacity=\"1\"", " stroke=\"none\"", " font-family=\"sans-serif\""] {
        body = body.replace(default, "");
    }
    body.replace(&format!(" font-size=\"{}\"", f64::from(TEXT) / 1.24), "").replace(" \"", "\"")
}

fn label(area: &Area<'_>, text: &str, at: (i32, i32), ink: Ink, across: HPos, down: VPos) -> Drawn {
    let colour = ink.colour();
    let font = ("sans-serif", TEXT).into_font();
    let style = TextStyle::from(font).color(&colour).pos(Pos::new(across, down));
    area.draw(&Text::new(text.to_owned(), at, style))
}

/// A chart that fills `area` but for its margins; `top` and `bottom` are in units of the drawing.
fn chart<'a>(
    area: &Area<'a>,
    top: i32,
    bottom: i32,
    x: Range<f64>,
    y: Range<f64>,
) -> Result<Chart<'a>, DrawingAreaErrorKind<std::io::Error>> {
    ChartBuilder::on(area)
        .margin_left(LEFT)
        .margin_right(RIGHT)
        .margin_top(top)
        .margin_bottom(bottom)
        .build_cartesian_2d(x, y)
}

/// Grid lines with labels at the left, but for those that would meet the one below.
fn left_axis(area: &Area<'_>, chart: &mut Chart<'_>, x: &Range<f64>, ticks: &[(f64, String)]) -> Drawn {
    let mut below = i32::MAX;
    for (y, text) in ticks {
        let at = chart.backend_coord(&(x.start, *y));
        if below.saturating_sub(at.1) < LINE {
            continue;
        }
        below = at.1;
        chart.draw_series([PathElement::new(vec![(x.start, *y), (x.end, *y)], Ink::Grid.stroke(10))])?;
        label(area, text, (at.0 - LEFT_GAP, at.1), Ink::Text, HPos::Right, VPos::Center)?;
    }
    Ok(())
}

/// How wide a label is at most.
fn width(text: &str) -> i32 {
    text.chars().count() as i32 * DIGIT
}

/// The first of several choices of ticks whose labels do not meet along the bottom, or every second, third, ... of the
/// last choice.
fn clear_of_each_other<const N: usize>(x: &Range<f64>, choices: [Ticks; N]) -> Ticks {
    let scale = f64::from(WIDTH - LEFT - RIGHT) / (x.end - x.start);
    // A label that would reach over the edge ends there.
    let middle = |(at, text): &(f64, String)| {
        let half = f64::from(width(text)) / 2.0;
        (f64::from(LEFT) + (at - x.start) * scale).min(f64::from(WIDTH) - half)
    };
    let is_clear = |pair: &[(f64, String)]| {
        let needed = (width(&pair[0].1) + width(&pair[1].1)) / 2 + GAP;
        middle(&pair[1]) - middle(&pair[0]) >= f64::from(needed)
    };
    let last = choices.last().cloned().unwrap_or_default();
    let thinned = (2..=last.len().max(2)).map(|every| last.iter().step_by(every).cloned().collect());
    choices
        .into_iter()
        .chain(thinned)
        .find(|ticks: &Ticks| ticks.windows(2).all(is_clear))
        .unwrap_or_default()
}

/// A line along the bottom with labels below it, and what they mean below these.
fn bottom_axis(
    area: &Area<'_>,
    chart: &mut Chart<'_>,
    (x, y): (&Range<f64>, f64),
    ticks: &[(f64, String)],
    name: &str,
) -> Drawn {
    chart.draw_series([PathElement::new(vec![(x.start, y), (x.end, y)], Ink::Axis.stroke(10))])?;
    for (place, text) in ticks {
        let at = chart.backend_coord(&(*place, y));
        area.draw(&PathElement::new(vec![at, (at.0, at.1 + 4 * SCALE)], Ink::Axis.stroke(10)))?;
        // What would reach over the edge ends there.
        let is_over = at.0 + width(text) / 2 > WIDTH;
        let (across, x) = if is_over { (HPos::Right, WIDTH - SCALE) } else { (HPos::Center, at.0) };
        label(area, text, (x, at.1 + 6 * SCALE), Ink::Text, across, VPos::Top)?;
    }
    let middle = chart.backend_coord(&(f64::midpoint(x.start, x.end), y));
    label(area, name, (middle.0, middle.1 + 22 * SCALE), Ink::Text, HPos::Center, VPos::Top)
}

/// Ticks of an axis of decimal logarithms: these steps of each decade.
fn log_ticks(range: &Range<f64>, steps: &[f64], text: impl Fn(f64) -> String) -> Ticks {
    (range.start.floor() as i32..=range.end.floor() as i32)
        .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
        .map(|value| (value.log10(), text(value)))
        .filter(|(at, _)| *at >= range.start - 1e-9 && *at <= range.end + 1e-9)
        .collect()
}

/// Decades, and 2 and 5 between few of them.
fn steps_of(range: &Range<f64>) -> &'static [f64] {
    if range.end.floor() - range.start.ceil() < 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] }
}

/// Ticks of numbers of rows.
fn row_ticks(range: &Range<f64>) -> Ticks {
    let range = 0.0..range.end;
    let mut ticks = log_ticks(&range, steps_of(&range), numbers::short);
    if range.end < 1.3 {
        ticks.retain(|(at, _)| {
            [1.0, 2.0, 5.0, 10.0].iter().any(|value: &f64| (value.log10() - at).abs() < 1e-9)
        });
    }
    ticks
}

fn share_ticks() -> Ticks {
    [(0.0, "0"), (0.5, "50 %"), (1.0, "100 %")].map(|(at, text)| (at, text.to_owned())).into()
}

/// Rows on a logarithmic axis; a single row still has a bar.
fn rows_range(bins: &[Bin]) -> Range<f64> {
    let most = bins.iter().map(|bin| bin.rows).max().unwrap_or(1);
    -0.3..(most.max(2) as f64).log10() * 1.04
}

fn log_rows(rows: u64) -> f64 {
    (rows as f64).log10()
}

/// Where a time bin lies on an axis of decimal logarithms; below a nanosecond there is nothing, and the last
/// bin has no end.
fn time_span(from: u64, to: u64) -> (f64, f64) {
    let start = (from.max(1) as f64).log10();
    (start, if to == u64::MAX { start + 0.1 } else { (to as f64).log10() })
}

fn times_range(bins: &[Bin]) -> Option<Range<f64>> {
    let (first, last) = (bins.first()?, bins.last()?);
    let (start, end) = (time_span(first.from, first.to).0, time_span(last.from, last.to).1);
    // A single bin would be a wall.
    let missing = (1.0 - (end - start)).max(0.0) / 2.0;
    Some((start - missing).max(0.0)..end + missing)
}

fn time_text(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        value if value >= 0.999e9 => (value / 1e9, "s"),
        value if value >= 0.999e6 => (value / 1e6, "ms"),
        value if value >= 0.999e3 => (value / 1e3, "\u{b5}s"),
        value => (value, "ns"),
    };
    format!("{value:.0} {unit}")
}

/// The ticks of times along the bottom.
fn time_axis(range: &Range<f64>) -> Ticks {
    let choices = [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]];
    clear_of_each_other(range, choices.map(|steps| log_ticks(range, steps, time_text)))
}

/// How many rows took how long: counts above, shares up to there below.
pub(super) fn times(report: &Report) -> Option<String> {
    let bins = &report.time_bins;
    let spread = report.total.time_ns?;
    let x = times_range(bins)?;
    let bars: Vec<_> = bins.iter().map(|bin| (time_span(bin.from, bin.to), bin.rows, Ink::Bar)).collect();
    let ticks = time_axis(&x);
    let marks = marks(&spread, |value| (value.max(1) as f64).log10());
    let description = described(&spread, |value| numbers::time(value as f64));
    Some(distribution(
        "times",
        "Distribution of the time per puzzle",
        &description,
        &DistributionPlot {
            x,
            steps: false,
            bars,
            rows: rows_range(bins),
            ticks,
            name: "time per puzzle, log scale",
            marks,
        },
    ))
}

/// How many rows took how many guesses.
pub(super) fn guesses(report: &Report) -> Option<String> {
    let bins = &report.guess_bins;
    let spread = report.total.guesses?;
    let place = |index: usize| guess_place(bins, index);
    let bars: Vec<_> = bins
        .iter()
        .enumerate()
        .map(|(index, bin)| {
            let ink = if bin.from == 0 { Ink::Zero } else { Ink::Bar };
            ((place(index) + 0.04, place(index) + 0.96), bin.rows, ink)
        })
        .collect();
    let (x, ticks) = guess_axis(bins)?;
    let at = |value: u64| {
        let index = bins.iter().position(|bin| value < bin.to).unwrap_or(bins.len() - 1);
        place(index) + 0.5
    };
    let marks = marks(&spread, at);
    let description = described(&spread, numbers::grouped);
    Some(distribution(
        "guesses",
        "Distribution of the guesses per puzzle",
        &description,
        &DistributionPlot {
            x,
            steps: true,
            bars,
            rows: rows_range(bins),
            ticks,
            name: "guesses per puzzle, log scale from 10",
            marks,
        },
    ))
}

/// Where the bar of a bin of guesses starts. Without a guess is another thing than with few: a gap sets it apart.
fn guess_place(bins: &[Bin], index: usize) -> f64 {
    let gap = index > 0 && bins.first().is_some_and(|bin| bin.from == 0);
    index as f64 + if gap { 0.4 } else { 0.0 }
}

/// The axis of guesses: a bar of the same width for each bin.
fn guess_axis(bins: &[Bin]) -> Option<(Range<f64>, Ticks)> {
    let end = guess_place(bins, bins.len().checked_sub(1)?) + 1.0;
    let x = 0.0..end.max(6.0) + 0.1;
    let ticks = |whole| {
        let places = (0..bins.len()).map(|index| guess_place(bins, index) + 0.5);
        places.zip(bins.iter().map(|bin| bin_text(bin, whole))).collect::<Ticks>()
    };
    let (ranges, starts) = (ticks(true), ticks(false));
    let decades = starts.iter().zip(bins).filter(|(_, bin)| bin.from == 0 || is_power_of_ten(bin.from));
    let decades = decades.map(|(tick, _)| tick.clone()).collect();
    let ticks = clear_of_each_other(&x, [ranges, starts, decades]);
    Some((x, ticks))
}

fn is_power_of_ten(value: u64) -> bool {
    value > 0 && 10_u64.pow(value.ilog10()) == value
}

fn bin_text(bin: &Bin, whole: bool) -> String {
    match bin.to {
        u64::MAX => format!("{}+", numbers::short(bin.from as f64)),
        to if whole && to - bin.from > 1 => format!("{}\u{2013}{}", bin.from, to - 1),
        _ => numbers::short(bin.from as f64),
    }
}

fn described(spread: &Spread, text: impl Fn(u64) -> String) -> String {
    let mut description = String::new();
    let parts = [
        ("Minimum", spread.min),
        ("median", spread.p50),
        ("99 % up to", spread.p99),
        ("maximum", spread.max),
    ];
    for (at, (name, value)) in parts.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(description, "{}{name} {}", if at > 0 { ", " } else { "" }, text(value));
    }
    description + "."
}

/// The quantiles that a distribution is marked with.
fn marks(spread: &Spread, at: impl Fn(u64) -> f64) -> Vec<(f64, f64, &'static str)> {
    [(0.5, spread.p50, "p50"), (0.9, spread.p90, "p90"), (0.99, spread.p99, "p99")]
        .map(|(share, value, name)| (at(value), share, name))
        .into()
}

struct DistributionPlot<'a> {
    x: Range<f64>,
    /// Whether the values of a bar are as good as one, so that the curve goes up in steps.
    steps: bool,
    /// Ends, rows and ink of each bar.
    bars: Vec<((f64, f64), u64, Ink)>,
    rows: Range<f64>,
    ticks: Ticks,
    name: &'a str,
    /// Place, share and name of each quantile to be marked.
    marks: Vec<(f64, f64, &'static str)>,
}

/// A histogram over a cumulative curve with the same axis below.
fn distribution(id: &str, title: &str, description: &str, shown: &DistributionPlot<'_>) -> String {
    const HEIGHT: i32 = 350;
    const UPPER: i32 = 218;
    /// Above the bars, for the name of their axis and for those of the quantiles.
    const HEAD: i32 = 42 * SCALE;
    sheet(id, HEIGHT, title, description, |area| {
        let (upper, lower) = area.split_vertically(UPPER * SCALE);
        let mut counts = chart(&upper, HEAD, 8 * SCALE, shown.x.clone(), shown.rows.clone())?;
        left_axis(area, &mut counts, &shown.x, &row_ticks(&shown.rows))?;
        let floor = shown.rows.start;
        counts.draw_series(shown.bars.iter().filter(|(_, rows, _)| *rows > 0).map(
            |&((start, end), rows, ink)| {
                Rectangle::new([(start, floor), (end, log_rows(rows))], ink.colour().filled())
            },
        ))?;
        counts.draw_series([PathElement::new(
            vec![(shown.x.start, floor), (shown.x.end, floor)],
            Ink::Axis.stroke(10),
        )])?;
        label(area, "rows, log scale", (LEFT, 4 * SCALE), Ink::Text, HPos::Left, VPos::Top)?;

        let mut shares = chart(&lower, 18 * SCALE, BOTTOM, shown.x.clone(), 0.0..1.0)?;
        left_axis(area, &mut shares, &shown.x, &share_ticks())?;
        let curve = cumulative(&shown.bars, &shown.x, shown.steps);
        let mut under = curve.clone();
        under.push((shown.x.end, 0.0));
        shares.draw_series([Polygon::new(under, Ink::Area.colour().filled())])?;
        shares.draw_series([PathElement::new(curve, Ink::Line.stroke(18))])?;
        bottom_axis(area, &mut shares, (&shown.x, 0.0), &shown.ticks, shown.name)?;
        label(area, "share of rows up to there", (LEFT, UPPER * SCALE), Ink::Text, HPos::Left, VPos::Top)?;
        mark_quantiles(area, &mut counts, &mut shares, shown)
    })
}

fn mark_quantiles(
    area: &Area<'_>,
    counts: &mut Chart<'_>,
    shares: &mut Chart<'_>,
    shown: &DistributionPlot<'_>,
) -> Drawn {
    let mut taken = i32::MIN;
    for &(x, _, name) in &shown.marks {
        let top = counts.backend_coord(&(x, shown.rows.end));
        let floor = counts.backend_coord(&(x, shown.rows.start));
        for line in [
            vec![(top.0, top.1 - 4 * SCALE), floor],
            [1.0, 0.0].map(|y| shares.backend_coord(&(x, y))).into(),
        ] {
            area.draw(&PathElement::new(line, Ink::Mark.stroke(10)))?;
        }
        let middle = top.0.min(WIDTH - width(name) / 2);
        if middle - width(name) >= taken {
            label(area, name, (middle, top.1 - 6 * SCALE), Ink::Strong, HPos::Center, VPos::Bottom)?;
            taken = middle;
        }
    }
    Ok(())
}

/// The share of rows up to each bar, from one end of the axis to the other.
fn cumulative(bars: &[((f64, f64), u64, Ink)], x: &Range<f64>, steps: bool) -> Vec<(f64, f64)> {
    let total = bars.iter().map(|(_, rows, _)| rows).sum::<u64>().max(1) as f64;
    let spans: Vec<_> = bars.iter().map(|(span, ..)| *span).collect();
    let shares = bars.iter().scan(0, |so_far, (_, rows, _)| {
        *so_far += rows;
        Some(*so_far as f64 / total)
    });
    curve_points(&spans, &shares.collect::<Vec<_>>(), x, steps)
}

/// The points of a curve that has reached each share at the end of its span, or at the start if it goes in steps.
fn curve_points(spans: &[(f64, f64)], shares: &[f64], x: &Range<f64>, steps: bool) -> Vec<(f64, f64)> {
    let mut points = vec![(x.start, 0.0)];
    let mut before = 0.0;
    points.extend(spans.first().map(|(start, _)| (*start, 0.0)));
    for ((start, end), &share) in spans.iter().zip(shares) {
        if steps {
            points.extend([(*start, before), (*start, share)]);
        }
        points.push((*end, share));
        before = share;
    }
    points.push((x.end, before));
    points
}

/// Which of the two numbers is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Time,
    Guesses,
}

/// Boxes from the lower to the upper quartile with the median, lines from the tenth to the ninetieth hundredth.
pub(super) fn by_clues(report: &Report, what: What) -> Option<String> {
    let spread = |clues: &ClueFigures| match what {
        What::Time => clues.time_ns,
        What::Guesses => clues.guesses,
    };
    let boxes: Vec<_> =
        report.clues.iter().filter_map(|clues| Some((clues.clues as f64, spread(clues)?))).collect();
    let (first, last) = (boxes.first()?.0, boxes.last()?.0);
    // Few boxes stand in the middle.
    let around = ((9.0 - (last - first)) / 2.0).ceil().max(1.0);
    let x = first - around..last + around;
    let least = boxes.iter().map(|(_, spread)| spread.p10).min()?;
    let most = boxes.iter().map(|(_, spread)| spread.p90).max()?;
    // Guesses can be 0, which has no logarithm.
    let height = |value: u64| match what {
        What::Time => (value.max(1) as f64).log10(),
        What::Guesses => (value as f64 + 1.0).log10(),
    };
    let y = match what {
        What::Time => (height(least) - 0.15).max(0.0)..(height(most) + 0.15).max(height(least) + 1.0),
        What::Guesses => -0.04..(height(most) + 0.1).max(0.8),
    };
    let ticks = match what {
        What::Time => log_ticks(&y, steps_of(&y), time_text),
        What::Guesses => guess_ticks(&y),
    };
    let (id, title, name) = match what {
        What::Time => ("clues-time", "Time by number of clues", "time per puzzle, log scale"),
        What::Guesses => ("clues-guesses", "Guesses by number of clues", "guesses per puzzle, log scale"),
    };
    let description = "Boxes from the lower to the upper quartile with a line at the median; whiskers from the \
                       10th to the 90th percentile. The table below has the numbers.";
    Some(sheet(id, 260, title, description, |area| {
        let mut chart = chart(area, TOP, BOTTOM, x.clone(), y.clone())?;
        left_axis(area, &mut chart, &x, &ticks)?;
        for (clues, spread) in &boxes {
            let column = |value: u64| (*clues, height(value));
            chart.draw_series([PathElement::new(
                vec![column(spread.p10), column(spread.p90)],
                Ink::Line.stroke(12),
            )])?;
            let ends = [(clues - 0.32, height(spread.p25)), (clues + 0.32, height(spread.p75))];
            chart.draw_series([Rectangle::new(ends, Ink::Box.colour().filled())])?;
            let median = height(spread.p50);
            chart.draw_series([PathElement::new(
                vec![(clues - 0.38, median), (clues + 0.38, median)],
                Ink::Strong.stroke(24),
            )])?;
        }
        bottom_axis(area, &mut chart, (&x, y.start), &clue_ticks(&x), "clues")?;
        label(area, name, (LEFT, 4 * SCALE), Ink::Text, HPos::Left, VPos::Top)
    }))
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

/// 0, 1, 3, 10, 30, ... where a number lies at the logarithm of its successor.
fn guess_ticks(y: &Range<f64>) -> Ticks {
    let steps = match y.end {
        end if end > 5.0 => vec![1],
        end if end > 1.2 => vec![1, 3],
        _ => vec![1, 2, 3, 5],
    };
    let values = (0..12).flat_map(|decade| steps.iter().map(move |step| step * 10_u64.pow(decade)));
    [0].into_iter()
        .chain(values)
        .map(|value| ((value as f64 + 1.0).log10(), numbers::short(value as f64)))
        .filter(|(at, _)| *at <= y.end)
        .collect()
}

/// How time and guesses go together: the darker, the more rows.
pub(super) fn time_by_guesses(report: &Report) -> Option<String> {
    let cells = &report.time_by_guesses;
    let x = times_range(&[
        span_of(cells.iter().min_by_key(|cell| cell.time_ns.0)?),
        span_of(cells.iter().max_by_key(|cell| cell.time_ns.0)?),
    ])?;
    let bins = &report.guess_bins;
    let y = -0.1..(bins.len().max(4) as f64) + 0.1;
    let most = log_rows(cells.iter().map(|cell| cell.rows).max()?).max(0.3);
    let every = bins.len() <= 9;
    let whole = every && bins.iter().all(|bin| width(&bin_text(bin, true)) <= LEFT - LEFT_GAP);
    let ticks: Vec<_> = bins
        .iter()
        .enumerate()
        .filter(|(_, bin)| every || bin.from == 0 || is_power_of_ten(bin.from))
        .map(|(index, bin)| (index as f64 + 0.5, bin_text(bin, whole)))
        .collect();
    let description = "Each field stands for the rows with that time and that many guesses; the stronger its \
                       colour, the more rows, on a logarithmic scale.";
    Some(sheet("heat", 300, "Time against guesses", description, |area| {
        let mut chart = chart(area, TOP, BOTTOM, x.clone(), y.clone())?;
        left_axis(area, &mut chart, &x, &ticks)?;
        for cell in cells {
            let Some(row) = bins.iter().position(|bin| bin.from == cell.guesses.0) else { continue };
            let (start, end) = time_span(cell.time_ns.0, cell.time_ns.1);
            let (low, high) = (row as f64 + 0.04, row as f64 + 0.96);
            let style = Ink::Heat.colour().mix(strength(log_rows(cell.rows) / most)).filled();
            chart.draw_series([Rectangle::new([(start, low), (end, high)], style)])?;
        }
        bottom_axis(area, &mut chart, (&x, y.start), &time_axis(&x), "time per puzzle, log scale")?;
        label(area, "guesses", (LEFT, 4 * SCALE), Ink::Text, HPos::Left, VPos::Top)?;
        legend(area, most)
    }))
}

fn span_of(cell: &JointBin) -> Bin {
    Bin { from: cell.time_ns.0, to: cell.time_ns.1, rows: cell.rows }
}

/// Opacity of a field; even a single row must be seen.
fn strength(share: f64) -> f64 {
    ((0.16 + 0.84 * share) * 100.0).round() / 100.0
}

/// What the strengths of the colour mean.
fn legend(area: &Area<'_>, most: f64) -> Drawn {
    const STEPS: i32 = 6;
    const STEP: i32 = 14 * SCALE;
    let (top, bottom) = (6 * SCALE, 16 * SCALE);
    let end = WIDTH - RIGHT - 52 * SCALE;
    let start = end - STEPS * STEP;
    for step in 0..STEPS {
        let style = Ink::Heat.colour().mix(strength(f64::from(step) / f64::from(STEPS - 1))).filled();
        let left = start + step * STEP;
        area.draw(&Rectangle::new([(left, top), (left + STEP - SCALE, bottom)], style))?;
    }
    let middle = (top + bottom) / 2;
    label(area, "1 row", (start - 6 * SCALE, middle), Ink::Text, HPos::Right, VPos::Center)?;
    let text = numbers::short(10_f64.powf(most).round());
    label(area, &text, (end + 6 * SCALE, middle), Ink::Text, HPos::Left, VPos::Center)
}

/// The cumulative curves of several results files, one over the other.
pub(super) fn curves(report: &Report, what: What) -> Option<String> {
    let (id, title, name) = match what {
        What::Time => ("curves-time", "Time per puzzle in each results file", "time per puzzle, log scale"),
        What::Guesses => (
            "curves-guesses",
            "Guesses per puzzle in each results file",
            "guesses per puzzle, log scale from 10",
        ),
    };
    let (x, ticks, spans) = match what {
        What::Time => {
            let spans = report.time_bins.iter().map(|bin| time_span(bin.from, bin.to)).collect::<Vec<_>>();
            let x = times_range(&report.time_bins)?;
            let ticks = time_axis(&x);
            (x, ticks, spans)
        }
        What::Guesses => {
            let bins = &report.guess_bins;
            let (x, ticks) = guess_axis(bins)?;
            let span = |index| (guess_place(bins, index), guess_place(bins, index) + 1.0);
            (x, ticks, (0..bins.len()).map(span).collect())
        }
    };
    let description =
        "For each results file the share of rows up to the value below. The table has the quantiles.";
    Some(sheet(id, 260, title, description, |area| {
        let mut chart = chart(area, TOP, BOTTOM, x.clone(), 0.0..1.0)?;
        left_axis(area, &mut chart, &x, &share_ticks())?;
        bottom_axis(area, &mut chart, (&x, 0.0), &ticks, name)?;
        for (number, file) in (0..).zip(report.files.iter().take(MOST_CURVES)) {
            let (curve, spread) = match what {
                What::Time => (&file.time_curve, file.time_ns),
                What::Guesses => (&file.guess_curve, file.guesses),
            };
            // A file without values keeps its colour and has no curve.
            if spread.is_some() {
                let points = curve_points(&spans, curve, &x, what == What::Guesses);
                chart.draw_series([PathElement::new(points, Ink::Curve(number).stroke(20))])?;
            }
        }
        label(area, "share of rows up to there", (LEFT, 4 * SCALE), Ink::Text, HPos::Left, VPos::Top)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ink_becomes_a_class_of_its_own() {
        let mut seen = std::collections::BTreeSet::new();
        for ink in Ink::every() {
            let RGBColor(red, green, blue) = ink.colour();
            let themed = themed(&format!("<rect opacity=\"1\" fill=\"#{red:02X}{green:02X}{blue:02X}\"/>\n"));
            assert_eq!(themed, format!("<rect class=\"f-{}\"/>", ink.name()));
            assert!(seen.insert(themed));
        }
    }

    #[test]
    fn labels_of_times_do_not_meet_and_few_decades_are_divided() {
        let texts = |range| time_axis(&range).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(2.2..3.4), ["200 ns", "500 ns", "1 \u{b5}s", "2 \u{b5}s"]);
        assert_eq!(texts(4.2..6.8), ["30 \u{b5}s", "100 \u{b5}s", "300 \u{b5}s", "1 ms", "3 ms"]);
        assert_eq!(texts(1.0..5.2), ["10 ns", "100 ns", "1 \u{b5}s", "10 \u{b5}s", "100 \u{b5}s"]);
        assert_eq!(texts(0.0..8.0), ["1 ns", "100 ns", "10 \u{b5}s", "1 ms", "100 ms"]);
    }

    #[test]
    fn a_share_of_rows_grows_to_one() {
        let bars = [((1.0, 2.0), 3, Ink::Bar), ((2.0, 3.0), 0, Ink::Bar), ((3.0, 4.0), 1, Ink::Bar)];
        let points = cumulative(&bars, &(0.0..5.0), false);
        assert_eq!(points, [(0.0, 0.0), (1.0, 0.0), (2.0, 0.75), (3.0, 0.75), (4.0, 1.0), (5.0, 1.0)]);
    }
}
