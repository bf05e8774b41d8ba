//! Draws inline SVG: lines, areas and texts. Each element has a class whose colour is set by the page, so one drawing
//! works on light screens, on dark screens and on paper. No text in a drawing comes from an input.

use std::fmt::Write;

/// A position in a drawing, as distances from the left and the top.
pub(super) type Point = (f64, f64);

/// The end of the text that is placed at its position, as an attribute.
pub(super) const START: &str = "";
pub(super) const MIDDLE: &str = " text-anchor=\"middle\"";
pub(super) const END: &str = " text-anchor=\"end\"";

/// The vertical alignment of a text relative to its position, as an attribute.
pub(super) const BELOW: &str = " dy=\".76em\"";
pub(super) const BESIDE: &str = " dy=\".5ex\"";
pub(super) const ABOVE: &str = " dy=\"-.5ex\"";

/// A drawing.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    body: String,
}

impl Drawing {
    /// Adds a line through the given points.
    pub fn line(&mut self, class: &str, width: f64, points: &[Point]) {
        let points = listed(points);
        self.add(&format!("<polyline class=\"s-{class}\" stroke-width=\"{width}\" points=\"{points}\"/>"));
    }

    /// Adds the area enclosed by the given points.
    pub fn area(&mut self, class: &str, points: &[Point]) {
        self.add(&format!("<polygon class=\"f-{class}\" points=\"{}\"/>", listed(points)));
    }

    /// Adds a rectangle given by two opposite corners.
    pub fn rectangle(&mut self, class: &str, one: Point, other: Point) {
        let (left, top) = (number(one.0.min(other.0)), number(one.1.min(other.1)));
        let (width, height) = (number((one.0 - other.0).abs()), number((one.1 - other.1).abs()));
        self.add(&format!(
            "<rect class=\"f-{class}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"
        ));
    }

    /// Adds a text.
    pub fn text(&mut self, class: &str, at: Point, (anchor, level): (&str, &str), text: &str) {
        let (x, y) = (number(at.0), number(at.1));
        self.add(&format!("<text class=\"f-{class}\" x=\"{x}\" y=\"{y}\"{level}{anchor}>{text}</text>"));
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
    }

    /// Returns the SVG element with a unique `id`, plus `title` and `description` for screen readers.
    pub fn finish(self, (width, height): Point, id: &str, title: &str, description: &str) -> String {
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>{}</svg>",
            self.body
        )
    }
}

/// Returns points as an attribute value.
fn listed(points: &[Point]) -> String {
    let mut text = String::new();
    for &(x, y) in points {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{},{}", if text.is_empty() { "" } else { " " }, number(x), number(y));
    }
    text
}

/// Returns a length rounded to one decimal. Adding 0 turns -0 into 0.
fn number(value: f64) -> f64 {
    (value * 10.0).round() / 10.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_their_class_and_no_needless_digits() {
        let mut drawing = Drawing::default();
        drawing.line("axis", 1.8, &[(0.0, 1.25), (-0.01, 10.0)]);
        drawing.rectangle("bar", (3.0, 9.0), (1.0, 4.04));
        drawing.text("text", (5.55, 1.0), (END, BESIDE), "50 %");
        let svg = drawing.finish((480.0, 260.0), "a", "A", "B.");
        let elements: Vec<_> = svg.split_inclusive('>').collect();
        assert_eq!(
            elements[0],
            "<svg class=\"plot\" viewBox=\"0 0 480 260\" role=\"img\" aria-labelledby=\"a-t a-d\">"
        );
        assert_eq!(
            elements[5..],
            [
                "<polyline class=\"s-axis\" stroke-width=\"1.8\" points=\"0,1.3 0,10\"/>",
                "<rect class=\"f-bar\" x=\"1\" y=\"4\" width=\"2\" height=\"5\"/>",
                "<text class=\"f-text\" x=\"5.6\" y=\"1\" dy=\".5ex\" text-anchor=\"end\">",
                "50 %</text>",
                "</svg>",
            ]
        );
    }
}
