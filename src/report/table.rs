//! Tables, described column by column, for the page and for Markdown.

use serde::Serialize;

use super::numbers;

/// A table.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    id: &'static str,
    caption: String,
    columns: Vec<Heading>,
    rows: Vec<Vec<Cell>>,
    /// Whether the reader can sort the table.
    sortable: bool,
}

/// The heading of a column.
#[derive(Debug, Serialize)]
struct Heading {
    name: String,
    /// Whether the column holds numbers.
    number: bool,
    /// Whether Markdown omits the column.
    is_detail: bool,
}

/// A cell of a table.
#[derive(Debug, Serialize)]
pub(crate) struct Cell {
    text: String,
    /// The value to sort by, if it differs from the text.
    sort: Option<f64>,
    /// Length of the bar as a percentage, and the colour class of the bar.
    bar: Option<(String, &'static str)>,
    /// Whether the text is meant to be typed or copied.
    is_code: bool,
}

impl Cell {
    /// Returns a cell with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), sort: None, bar: None, is_code: false }
    }

    /// Returns a cell with a text that is meant to be typed or copied.
    pub fn code(text: impl Into<String>) -> Self {
        Self { is_code: true, ..Self::text(text) }
    }

    /// Returns a cell with a number formatted by `text`, or with a dash if there is no number.
    pub fn number(value: Option<f64>, text: impl FnOnce(f64) -> String) -> Self {
        Self { sort: value, ..Self::text(value.map_or_else(|| "\u{2013}".to_owned(), text)) }
    }

    /// Returns a cell with a count.
    pub fn count(count: u64) -> Self {
        Self::number(Some(count as f64), |_| numbers::grouped(count))
    }

    /// Returns a table cell that shows a fraction as a percentage.
    pub fn share(part: u64, whole: u64) -> Self {
        let value = (whole > 0).then(|| part as f64 / whole as f64);
        Self::number(value, |_| numbers::percent(part, whole))
    }

    /// Returns a table cell that shows a fraction as a bar.
    pub fn bar(part: u64, whole: u64, ink: &'static str) -> Self {
        let length = part as f64 / whole.max(1) as f64 * 100.0;
        // Even a small share stays visible.
        let length = if part > 0 { length.max(0.6) } else { 0.0 };
        Self { bar: Some((format!("{length:.2}"), ink)), sort: Some(part as f64), ..Self::text("") }
    }
}

/// The columns of a table: each has a heading and a function that returns the cell for a row.
pub(crate) struct Columns<'a, R>(Vec<(Heading, CellOf<'a, R>)>);

type CellOf<'a, R> = Box<dyn Fn(&R) -> Cell + 'a>;

impl<'a, R> Columns<'a, R> {
    /// Returns an empty list of columns.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a column of texts.
    pub fn text(self, name: impl Into<String>, cell: impl Fn(&R) -> Cell + 'a) -> Self {
        self.and(Heading { name: name.into(), number: false, is_detail: false }, cell)
    }

    /// Adds a column of numbers.
    pub fn number(self, name: impl Into<String>, cell: impl Fn(&R) -> Cell + 'a) -> Self {
        self.and(Heading { name: name.into(), number: true, is_detail: false }, cell)
    }

    /// Adds a column of numbers that Markdown omits.
    pub fn detail(self, name: impl Into<String>, cell: impl Fn(&R) -> Cell + 'a) -> Self {
        self.and(Heading { name: name.into(), number: true, is_detail: true }, cell)
    }

    /// Adds a column of bars, which Markdown omits.
    pub fn bars(self, cell: impl Fn(&R) -> Cell + 'a) -> Self {
        self.and(Heading { name: String::new(), number: false, is_detail: true }, cell)
    }

    fn and(mut self, heading: Heading, cell: impl Fn(&R) -> Cell + 'a) -> Self {
        self.0.push((heading, Box::new(cell)));
        self
    }
}

impl Table {
    /// Returns a table of some rows, or `None` if there are no rows; `id` becomes the element's `id` on the page.
    pub fn new<'r, R: 'r>(
        id: &'static str,
        caption: impl Into<String>,
        Columns(columns): Columns<'_, R>,
        rows: impl IntoIterator<Item = &'r R>,
    ) -> Option<Self> {
        let cells = |row| columns.iter().map(|(_, cell)| cell(row)).collect();
        let rows: Vec<Vec<_>> = rows.into_iter().map(cells).collect();
        let sortable = rows.len() > 1;
        let columns = columns.into_iter().map(|(heading, _)| heading).collect();
        (!rows.is_empty()).then(|| Self { id, caption: caption.into(), columns, rows, sortable })
    }

    /// Returns the table in a fixed order that the reader cannot change.
    pub fn in_order(self) -> Self {
        Self { sortable: false, ..self }
    }
}

/// Escapes text for use on one line of Markdown.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => out.extend(['\\', character]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ if character.is_control() => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_inputs_never_becomes_markup() {
        assert_eq!(
            escaped("a|b<script>\n[x](y) *z* `c` &amp;"),
            "a\\|b&lt;script&gt; \\[x\\](y) \\*z\\* \\`c\\` &amp;amp;"
        );
    }
}
