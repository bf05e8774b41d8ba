//! Tests the pages in a real browser. Headless Chromium opens reports on small, huge, hostile and empty results, and
//! prints sheets.
//!
//! `make test-all` requires a browser. Otherwise, if there is none, these tests are skipped with a warning.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

mod place;
mod results;
mod webdriver;

use std::fs;

use place::{Place, list};
use results::{HEADER, row, rows};
use serde_json::{Value, json};
use webdriver::{Browser, Server};

/// Makes the report page for some results files, each given with its name.
fn page(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let place = Place::new();
    files.iter().for_each(|(name, text)| place.write(name, text));
    let names = files.iter().map(|(name, _)| name);
    place.run("report -q -o report.html").args(names).assert().success();
    fs::read(place.path("report.html")).unwrap()
}

/// Checks what must hold for every report: it is displayed, it fetches nothing, and no script fails.
fn open(browser: &Browser, page: Vec<u8>) -> Server {
    assert!(page.len() < 1_000_000, "the page has {} bytes", page.len());
    let server = Server::start(page);
    browser.log();
    browser.open(&server.address());
    assert_eq!(browser.log(), Vec::<String>::new());
    let fetched = browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)");
    assert_eq!(fetched, json!([]));
    assert_eq!(server.requested(), ["/report.html"]);
    let title = browser.run("return document.title");
    assert!(title.as_str().unwrap().ends_with("batchdoku report"), "{title}");
    assert_eq!(browser.run("return document.compatMode"), "CSS1Compat");
    for landmark in ["header", "nav", "main", "footer", "h1"] {
        let count = browser.run(&format!("return document.querySelectorAll('{landmark}').length"));
        assert_eq!(count, 1, "{landmark}");
    }
    check_labels(browser);
    check_look(browser);
    server
}

/// Checks that tables and drawings are labelled, that every label exists, and that ids are unique.
fn check_labels(browser: &Browser) {
    let without = browser.run(
        "const without = [];
         for (const table of document.querySelectorAll('table'))
             if (!table.caption?.textContent.trim() || [...table.querySelectorAll('th')].some(th => !th.scope))
                 without.push(table.id);
         for (const svg of document.querySelectorAll('svg:not([aria-hidden])'))
             if (svg.getAttribute('role') !== 'img' || !(svg.getAttribute('aria-label') || svg.querySelector('title')))
                 without.push(svg.outerHTML.slice(0, 80));
         for (const id of document.querySelectorAll('[aria-labelledby]'))
             for (const part of id.getAttribute('aria-labelledby').split(' '))
                 if (!document.getElementById(part)) without.push(part);
         const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
         return without.concat(ids.filter((id, at) => ids.indexOf(id) !== at));",
    );
    assert_eq!(without, json!([]));
}

/// Checks in light and dark mode, at desktop and phone width, that everything is readable and that nothing is cut off
/// or overlaps.
fn check_look(browser: &Browser) {
    let mut pages = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme);
        let faint = browser.run(CONTRAST);
        assert_eq!(faint, json!([]), "hard to read in {scheme}");
        pages.push(browser.run("return getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(pages[0], pages[1], "light and dark look alike");
    browser.prefer("light");
    for width in [1280, 390] {
        browser.set_width(width);
        let wide = browser.run("return document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{wide} wide on {width}");
        assert_eq!(browser.run(LABELS), json!([]), "labels at {width}");
        assert_eq!(browser.run(SEGMENTS), json!([]), "paths at {width}");
    }
    browser.set_width(1280);
}

/// Texts whose contrast with their background is below the WCAG 2.2 level AA requirement.
const CONTRAST: &str = "
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = ([r, g, b]) => {
        const linear = [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const behind = element => {
        for (; element; element = element.parentElement) {
            const colour = getComputedStyle(element).backgroundColor;
            if (rgba(colour)[3] === 255) return colour;
        }
        return 'white';
    };
    const seen = new Set(), faint = [];
    for (const element of document.body.querySelectorAll('*')) {
        if (['SCRIPT', 'STYLE', 'title', 'desc'].includes(element.tagName)) continue;
        if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
        const style = getComputedStyle(element);
        const ink = element instanceof SVGElement ? style.fill : style.color;
        const key = ink + behind(element);
        if (seen.has(key)) continue;
        seen.add(key);
        const [light, dark] = [luminance(rgba(ink)), luminance(rgba(behind(element)))].sort((a, b) => b - a);
        const ratio = (light + 0.05) / (dark + 0.05);
        if (ratio < 4.5) faint.push(`${element.tagName}.${element.getAttribute('class')}: ${ratio.toFixed(2)}`);
    }
    return faint;";

/// Plot labels that are cut off or overlap.
const LABELS: &str = "
    const bad = [];
    for (const svg of document.querySelectorAll('svg.plot')) {
        const frame = svg.getBoundingClientRect();
        const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
        boxes.forEach(([name, box], at) => {
            if (box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 0.5
                || box.bottom > frame.bottom + 0.5) bad.push(`${name} is cut off`);
            for (const [other, that] of boxes.slice(at + 1)) {
                const across = Math.min(box.right, that.right) - Math.max(box.left, that.left);
                const down = Math.min(box.bottom, that.bottom) - Math.max(box.top, that.top);
                // Lines of text are allowed to touch.
                if (across > 1 && down > 0.3 * box.height) bad.push(`${name} lies over ${other}`);
            }
        });
    }
    return bad;";

/// Path segments that are broken over several lines even though they would fit on one.
const SEGMENTS: &str = "
    const broken = [];
    for (const end of document.querySelectorAll('wbr')) {
        for (const text of [end.previousSibling, end.nextSibling]) {
            if (text?.nodeType !== 3 || !/^[\\w.:/]+$/.test(text.data)) continue;
            const range = document.createRange();
            range.selectNodeContents(text);
            const lines = [...range.getClientRects()];
            const block = text.parentElement.closest('th, td, p, dd, li, h1'), style = getComputedStyle(block);
            const room = block.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
            if (lines.length > 1 && lines.reduce((sum, line) => sum + line.width, 0) <= room) broken.push(text.data);
        }
    }
    return broken;";

/// Clicks every heading of every table twice and checks the order of the rows.
fn check_sorting(browser: &Browser) {
    let tables = browser.run(
        "return [...document.querySelectorAll('table.sortable')].map(table => [table.id, table.tHead.rows[0].cells.length])",
    );
    assert!(tables.as_array().unwrap().len() >= 3, "{tables}");
    for table in tables.as_array().unwrap() {
        let id = table[0].as_str().unwrap();
        for column in 0..table[1].as_u64().unwrap() {
            for _ in 0..2 {
                let sorted = browser.run(&format!(
                    "const table = document.getElementById('{id}'), heading = table.tHead.rows[0].cells[{column}];
                     const button = heading.querySelector('button');
                     if (!button) return null;
                     button.click();
                     const cells = [...table.tBodies[0].rows].map(row => row.cells[{column}]);
                     const set = [...table.tHead.rows[0].cells].filter(cell => cell.hasAttribute('aria-sort'));
                     return [heading.getAttribute('aria-sort'), set.length,
                             cells.map(cell => 'v' in cell.dataset ? Number(cell.dataset.v) : cell.textContent)];"
                ));
                if sorted.is_null() {
                    continue;
                }
                assert_eq!(sorted[1], 1, "one column of {id} is the sorted one");
                assert_sorted(&sorted[2], sorted[0].as_str().unwrap(), &format!("{id}, column {column}"));
            }
        }
    }
}

/// Checks that numbers are in order; the order of texts depends on the locale.
fn assert_sorted(values: &Value, direction: &str, what: &str) {
    let numbers: Vec<f64> = values.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    let in_order = match direction {
        "ascending" => numbers.is_sorted(),
        "descending" => numbers.is_sorted_by(|a, b| a >= b),
        other => panic!("{what}: aria-sort is {other}"),
    };
    assert!(in_order, "{what} is not {direction}: {values}");
}

#[test]
fn a_small_report_sorts_copies_and_changes_its_theme() {
    let Some(browser) = Browser::start() else { return };
    let server = open(&browser, page(&[("small.csv", rows(700).into_bytes())]));
    check_sorting(&browser);

    let names = browser.run(
        "const button = document.querySelector('#t-sources thead button');
         while (document.querySelector('#t-sources th').ariaSort !== 'ascending') button.click();
         return [...document.querySelectorAll('#t-sources tbody th')].map(cell => cell.textContent)",
    );
    assert_eq!(names, (0..6).map(|number| format!("list-{number}.txt")).collect::<Value>());

    // A click selects the string below a grid, and the string matches the grid.
    let drawn = browser.run(
        "const card = document.querySelector('.puzzles li'), string = card.querySelector('code.string');
         const cells = Array(81).fill('.');
         for (const text of card.querySelectorAll('svg text.g'))
             text.getAttribute('x').split(' ').forEach((x, at) => {
                 cells[(text.getAttribute('y') - 15) / 20 * 9 + (x - 10) / 20] = text.textContent[at];
             });
         return [string.textContent, cells.join(''), getComputedStyle(string).userSelect,
                 card.querySelectorAll('button.copy').length];",
    );
    assert_eq!(drawn[0].as_str().unwrap().len(), 81);
    assert_eq!(drawn[0], drawn[1]);
    assert_eq!((&drawn[2], &drawn[3]), (&json!("all"), &json!(1)));

    // The theme button cycles through the themes, overriding the system preference.
    let theme = "document.querySelector('button.theme').click();
                 return [document.querySelector('button.theme').textContent, getComputedStyle(document.body).backgroundColor]";
    browser.prefer("dark");
    let dark = browser.run("return getComputedStyle(document.body).backgroundColor");
    let (light, forced) = (browser.run(theme), browser.run(theme));
    assert_eq!((&light[0], &forced[0]), (&json!("Theme: light"), &json!("Theme: dark")));
    assert!(light[1] != dark && forced[1] == dark, "{light} {forced} {dark}");
    assert_eq!(browser.run(theme)[0], "Theme: system");
    assert_eq!(browser.log(), Vec::<String>::new());
    assert_eq!(server.requested(), ["/report.html"]);
}

/// Shows that the tests above would notice a fetch or an error.
#[test]
fn what_is_forbidden_is_refused_and_seen() {
    let Some(browser) = Browser::start() else { return };
    let server = open(&browser, page(&[("small.csv", rows(50).into_bytes())]));
    browser.run(
        "document.body.append(Object.assign(new Image(), { src: '/picture.png' }));
         const script = document.createElement('script');
         script.textContent = 'document.title = `changed`';
         document.body.append(script);
         document.body.insertAdjacentHTML('beforeend', '<b style=\"color: red\" onclick=\"x\">b</b>');",
    );
    browser.log_until(|log| {
        log.iter().any(|entry| entry.contains("picture.png"))
            && log.iter().filter(|entry| entry.contains("Content Security Policy")).count() >= 3
    });
    assert_ne!(browser.run("return document.title"), "changed");
    assert_eq!(server.requested(), ["/report.html"]);
    browser.run("setTimeout(() => { throw new Error('seen') });");
    browser.log_until(|log| log.iter().any(|entry| entry.contains("seen")));
}

#[test]
fn a_huge_report_is_a_small_page() {
    let Some(browser) = Browser::start() else { return };
    let mut text = rows(300_000);
    // There are more inputs than the table can list.
    for id in 1..=400 {
        let source = format!("{}/{id}.txt", "directory".repeat(9));
        text += &row(id, &source, "unique", 30, 1 << (id % 40), 1 << (id % 50));
    }
    open(&browser, page(&[("huge.csv", text.into_bytes())]));
    check_sorting(&browser);
    assert_eq!(browser.run("return document.querySelector('.strip b').textContent"), "300\u{202f}400");
    assert_eq!(browser.run("return document.querySelectorAll('#t-sources tbody tr').length"), 257);
}

/// Covers all sorts of values: few and many bins, ranges that start at no guesses or at many, and short and long times.
#[test]
fn no_labels_of_an_axis_meet() {
    let Some(browser) = Browser::start() else { return };
    let few = [(0, 3), (0, 30), (0, 400), (6, 399)];
    let many = [(9, 1200), (100, 90_000), (0, 9_000_000), (1, 500_000_000_000_u64)];
    for (least, most) in few.into_iter().chain(many) {
        let mut text = HEADER.to_owned();
        for id in 0..200 {
            let share = id as f64 / 199.0;
            let [least, most] = [least, most].map(|guesses| guesses as f64 + 1.0);
            let guesses = least * (most / least).powf(share) - 1.0;
            let time = 9_000 + 77 * guesses as u64;
            text += &row(id + 1, "a.txt", "unique", 20 + id % 20, guesses.round() as u64, time);
        }
        let server =
            open(&browser, page(&[("a.csv", text.clone().into_bytes()), ("b.csv", text.into_bytes())]));
        let labels = browser.run("return document.querySelectorAll('svg.plot text').length");
        assert!(labels.as_u64().unwrap() > 20, "{labels} labels from {least} to {most} guesses");
        drop(server);
    }
}

/// Grids and headings on a sheet that are cut off or overlap.
const OVERLAPS: &str = "
    const bad = [];
    for (const section of document.querySelectorAll('section')) {
        const frame = section.getBoundingClientRect();
        const boxes = [...section.querySelectorAll('h1, table')].map(element => element.getBoundingClientRect());
        boxes.forEach((box, at) => {
            if (box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom) bad.push(`${at} is cut off`);
            for (const that of boxes.slice(at + 1))
                if (Math.min(box.right, that.right) > Math.max(box.left, that.left)
                    && Math.min(box.bottom, that.bottom) > Math.max(box.top, that.top)) bad.push(`${at} lies over another`);
        });
    }
    return bad;";

/// Counts the pages of a PDF given in base64.
fn pages_of(base64: &str) -> usize {
    let value = |byte| {
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".iter().position(|&it| it == byte)
    };
    let values: Vec<_> = base64.bytes().filter_map(value).collect();
    let bytes = values.windows(2).enumerate().filter(|(at, _)| at % 4 < 3);
    let bytes = bytes.map(|(at, pair)| (pair[0] << (2 * (at % 4) + 2) | pair[1] >> (4 - 2 * (at % 4))) as u8);
    let pdf: Vec<_> = bytes.collect();
    assert!(pdf.starts_with(b"%PDF"));
    pdf.windows(12).filter(|text| text == b"/Type /Page\n").count()
}

/// Covers A4 and US Letter, with different content below the puzzles.
#[test]
fn a_sheet_has_a_page_for_each_side() {
    let Some(browser) = Browser::start() else { return };
    let place = Place::new();
    for (count, per_page) in [(1, 1), (3, 2), (5, 4), (13, 6), (9, 9), (10, 9), (41, 9)] {
        let text = "words and words ".repeat(count % 10);
        let rows = list("easy.txt", count).into_iter().map(|puzzle| format!("{puzzle},{text}\n"));
        place.write("a.csv", format!("puzzle,text\n{}", rows.collect::<String>()));
        let mut sheet = place.run(&format!("sheet a.csv --keep text -q --per-page {per_page} --title"));
        let output = sheet.arg("Title ".repeat(count)).output().unwrap();
        let server = Server::start(output.stdout);
        browser.log();
        browser.open(&server.address());
        for (width, height) in [(8.27, 11.69), (8.5, 11.0)] {
            let paper = json!({"paperWidth": width, "paperHeight": height});
            let pdf = browser.chromium("Page.printToPDF", paper);
            let pages = count.div_ceil(per_page) + count.div_ceil(20);
            assert_eq!(pages_of(pdf["data"].as_str().unwrap()), pages, "{count} {per_page} {width}");
        }
        let bad = [browser.run(OVERLAPS), browser.run(CONTRAST)];
        assert_eq!(bad, [json!([]), json!([])], "{count} {per_page}");
        assert_eq!((browser.log(), server.requested()), (Vec::new(), vec!["/report.html".to_owned()]));
    }
}

#[test]
fn paths_break_behind_their_separators() {
    let Some(browser) = Browser::start() else { return };
    let path = "/srv/puzzles/collected_over_the_years/and_kept/forum_hardest.txt";
    let mut text = HEADER.to_owned();
    for id in 1..40 {
        text += &row(id, path, if id % 9 == 0 { "invalid" } else { "unique" }, 20 + id % 10, 7, 900);
    }
    open(&browser, page(&[("a.csv", text.clone().into_bytes()), ("b.csv", text.into_bytes())]));
    let broken = browser.run(
        "return ['#t-sources th', '.where', '#t-reasons td'].map(place =>
             [...document.querySelectorAll(place)].filter(text => text.querySelectorAll('wbr').length >= 5).length > 0)",
    );
    assert_eq!(broken, json!([true, true, true]));
    // Copying yields the path itself, without the line break hints.
    let shown = browser.run("return document.querySelector('#t-sources tbody th').innerText");
    assert!(shown.as_str().unwrap().contains(path), "{shown}");
}

#[test]
fn a_hostile_report_is_harmless() {
    let Some(browser) = Browser::start() else { return };
    let name = "<img src=x onerror=alert(1)>&\"'.csv";
    open(&browser, page(&[(name, results::hostile()), ("other.csv", results::hostile())]));
    assert_eq!(browser.run("return document.querySelectorAll('img, b + script, main script').length"), 0);
    let title = browser.run("return document.title");
    assert!(title.as_str().unwrap().starts_with(name), "{title}");
    let text = browser.run("return document.body.textContent");
    assert!(text.as_str().unwrap().contains(results::EVIL), "the text is shown as it is");
}

#[test]
fn reports_of_next_to_nothing() {
    let Some(browser) = Browser::start() else { return };
    let invalid: String = (1..30).map(|id| row(id, "a.txt", "invalid", id, 0, 0)).collect();
    let one = row(1, "a.txt", "unique", 81, 0, 0);
    for (files, expected) in [
        (vec![("header.csv", HEADER.to_owned())], "There are no rows"),
        (vec![("invalid.csv", HEADER.to_owned() + &invalid)], "N cells (expected 81)"),
        (vec![("one.csv", HEADER.to_owned() + &one)], "No puzzle needed a guess"),
        (vec![("broken.csv", format!("{HEADER}1,2\n"))], "No row could be read"),
        (vec![("a.csv", HEADER.to_owned()), ("b.csv", rows(9))], "Side by side"),
    ] {
        let files: Vec<_> = files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
        open(&browser, page(&files));
        let text = browser.run("return document.body.textContent");
        assert!(text.as_str().unwrap().contains(expected), "{expected}");
    }
}

#[test]
fn without_its_script_the_page_is_complete() {
    let Some(browser) = Browser::start() else { return };
    let server = open(&browser, page(&[("small.csv", rows(200).into_bytes())]));
    let content = "return [...document.querySelectorAll('main tbody, main svg, main dl, main code')]
                   .map(part => part.textContent).join('|')";
    let with = browser.run(content);
    browser.chromium("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.open(&server.address());
    assert_eq!(browser.run("return document.querySelectorAll('button').length"), 0);
    assert_eq!(browser.run(content), with);
    check_look(&browser);
    assert_eq!(browser.log(), Vec::<String>::new());
}
