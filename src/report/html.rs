//! A report as one HTML page with inline style and drawings, without external resources or scripts.

use super::{Case, DrawnPool, PieceRow, PredictedPieces, Report, word};
use crate::games::piece::{Piece, letters};
use crate::picture::palette::{self, body, hex, ink};
use crate::puyo::Cell;
use nextscope_boards::{Color, Pair};
use std::fmt::Write as _;

/// Pairs in a row of a pool.
const ACROSS: usize = 16;
/// The size of a puyo, and of a pair with its margin, in SVG units.
const CELL: usize = 22;
const WIDE: usize = CELL + 8;
const HIGH: usize = 2 * CELL + 10;
/// The width of the row numbers, and of the names of piece rows.
const LEFT: usize = 34;
const NAMES: usize = 76;

const STYLE: &str = "
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #23262d; --muted: #5c636f; --line: #cbd0d8; --bad: #b21f1f; --good: #0b6e38; }
@media (prefers-color-scheme: dark) {
  :root { --page: #1b1d22; --card: #25282f; --text: #dadde3; --muted: #9ea4af; --line: #3c414b; --bad: #ff8a80; --good: #5fcf8a; }
}
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; background: var(--card); margin: .5rem 0; }
td, th { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--muted); font-weight: 600; overflow-wrap: normal; }
td.at { white-space: nowrap; }
code, pre { font-family: ui-monospace, monospace; white-space: pre-wrap; }
.bad { color: var(--bad); font-weight: 700; } .good { color: var(--good); font-weight: 700; }
svg { max-width: 100%; height: auto; background: var(--card); border: 1px solid var(--line); margin: .25rem 0; }
svg text { font: 700 12px system-ui, sans-serif; text-anchor: middle; dominant-baseline: central; }
svg .number { fill: var(--muted); font-weight: 400; font-size: 11px; }
svg .mark { fill: none; stroke: var(--bad); stroke-width: 3; } svg .cross { fill: var(--bad); font-size: 13px; }
svg.row { border: 0; background: none; margin: 0; vertical-align: middle; }
";

/// Escapes external text for content and attributes.
fn text(outside: &str) -> String {
    let mut safe = String::with_capacity(outside.len());
    for letter in outside.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter if letter.is_control() && letter != '\n' => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

pub fn write(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_page(&mut out, report);
    out
}

fn write_page(out: &mut String, report: &Report) -> std::fmt::Result {
    let title = text(&report.title);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style></head><body>\n"
    )?;
    let class = match report.passed {
        Some(true) => "good",
        Some(false) => "bad",
        None => "",
    };
    writeln!(out, "<h1>{title}</h1>\n<p class=\"{class}\">{}</p>", text(&report.result))?;
    rows(out, report.facts.iter().map(|(name, value)| (*name, text(value))))?;
    writeln!(out, "<h2>Checks</h2>\n<table><tr><th>Check</th><th>Result</th><th>Details</th></tr>")?;
    for check in &report.checks {
        let class = match check.status {
            crate::live::Status::Verified => "good",
            crate::live::Status::Mismatch => "bad",
            _ => "",
        };
        let (name, word, detail) = (check.id.name(), word(check.status), text(&check.detail));
        writeln!(out, "<tr><td>{name}</td><td class=\"{class}\">{word}</td><td>{detail}</td></tr>")?;
    }
    writeln!(out, "</table>\n<h2>Counts</h2>")?;
    rows(out, report.counts.iter().map(|(name, count)| (*name, count.to_string())))?;
    for (number, case) in report.cases.iter().enumerate() {
        writeln!(out, "<h2>Mismatch {}: {}</h2>", number + 1, case.mismatch.check.name())?;
        mismatch(out, case)?;
    }
    if report.more > 0 {
        writeln!(out, "<p>Further mismatches: {}.</p>", report.more)?;
    }
    for pool in &report.pools {
        draw(out, pool)?;
    }
    if !report.reproduce.is_empty() {
        writeln!(out, "<h2>How to reproduce</h2>\n<pre>{}</pre>", text(&report.reproduce.join("\n")))?;
    }
    writeln!(out, "</body></html>")
}

/// A table of names and escaped values.
fn rows<'a>(out: &mut String, rows: impl Iterator<Item = (&'a str, String)>) -> std::fmt::Result {
    writeln!(out, "<table>")?;
    for (name, value) in rows {
        writeln!(out, "<tr><th>{name}</th><td>{value}</td></tr>")?;
    }
    writeln!(out, "</table>")
}

fn mismatch(out: &mut String, case: &Case) -> std::fmt::Result {
    let mismatch = &case.mismatch;
    writeln!(out, "<p>{}</p>", text(&mismatch.what))?;
    let value = |value: &str, which: usize| {
        let drawn =
            case.drawn.as_ref().map_or_else(String::new, |drawn| strip(std::slice::from_ref(&drawn[which])));
        format!("<code>{}</code> {drawn}", text(value))
    };
    let index = mismatch.index.map_or_else(|| "-".to_owned(), |index| index.to_string());
    let place = case.place.as_ref().map_or_else(String::new, |place| format!(" at {}", text(place)));
    let table = [
        ("Expected", value(&mismatch.expected, 0)),
        ("Actual", value(&mismatch.actual, 1)),
        ("Field", format!("<code>{}</code>{place}", text(&mismatch.field))),
        ("First index (from 0)", index),
        ("Round, frame", format!("{}, {}", mismatch.round, mismatch.frame)),
        ("Evidence", text(&case.evidence)),
    ];
    rows(out, table.into_iter())?;
    for (when, players) in [("one sample before", &case.before), ("at the mismatch", &case.at)] {
        if players.is_empty() {
            continue;
        }
        writeln!(out, "<h3>Prediction {when}</h3>\n<table><tr><th></th><th>Current</th><th>Next</th></tr>")?;
        for PredictedPieces { title, current, items } in players {
            let now = current.as_ref().map_or_else(|| "-".to_owned(), |now| strip(std::slice::from_ref(now)));
            writeln!(out, "<tr><td>{}</td><td>{now}</td><td>{}</td></tr>", text(title), strip(items))?;
        }
        writeln!(out, "</table>")?;
    }
    for pool in &case.pools {
        draw(out, pool)?;
    }
    if let Some(row) = &case.row {
        pieces(out, row)?;
    }
    if case.differences.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<h3>{}</h3>\n<table><tr><th>Field</th><th>Address</th>\
         <th>Bytes changed</th><th>First</th><th>Before</th><th>After</th></tr>",
        case.ram_title()
    )?;
    for one in &case.differences {
        let [field, address, before, after] =
            [&one.field, &one.address, &one.before, &one.after].map(|value| text(value));
        writeln!(
            out,
            "<tr><td>{field}</td><td class=\"at\">{address}</td><td>{}</td><td>{}</td><td><code>{before}</code></td>\
             <td><code>{after}</code></td></tr>",
            one.changed, one.first
        )?;
    }
    writeln!(out, "</table>")
}

fn puyo(color: Color, x: usize, y: usize) -> String {
    let fill = body(Cell::Puyo(color)).unwrap_or_default();
    format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"{}\" stroke=\"#000\"/><text x=\"{x}\" y=\"{y}\" fill=\"{}\">{}</text>",
        hex(fill),
        hex(ink(fill)),
        color.letter()
    )
}

/// A pair as in the games, the child above the axis; `x` and `y` are its top left corner.
fn pair(pair: Pair, x: usize, y: usize) -> String {
    let middle = x + CELL / 2;
    puyo(pair.child, middle, y + CELL / 2) + &puyo(pair.axis, middle, y + CELL / 2 + CELL)
}

/// A piece as a tile with its letter and colour; `x` and `y` are its top left corner.
fn tile(piece: Piece, x: usize, y: usize) -> String {
    let fill = palette::piece(piece);
    let (middle, center) = (x + CELL / 2, y + CELL / 2);
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{}\" stroke=\"#000\"/>\
         <text x=\"{middle}\" y=\"{center}\" fill=\"{}\">{piece}</text>",
        x + 1,
        y + 1,
        CELL - 2,
        CELL - 2,
        hex(fill),
        hex(ink(fill)),
    )
}

/// A frame with a cross at its corner, around the given rectangle.
fn mark(x: usize, y: usize, width: usize, height: usize) -> String {
    format!(
        "<rect class=\"mark\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\"/>\
         <text class=\"cross\" x=\"{}\" y=\"{}\">✗</text>",
        x - 3,
        y - 3,
        width + 6,
        height + 6,
        x + width + 1,
        y - 1
    )
}

/// A row of pairs or pieces given by their letters; other text stays text.
fn strip(items: &[String]) -> String {
    let place = |at: usize| at * (CELL + 2);
    let pairs = items.iter().enumerate().map(|(at, item)| Some(pair(Pair::from_text(item)?, place(at), 0)));
    let pieces = items.iter().enumerate().map(|(at, item)| {
        let piece = item.parse().ok().and_then(Piece::from_letter)?;
        Some(tile(piece, place(at), 0))
    });
    let drawn = pairs.collect::<Option<String>>().map(|drawn| (drawn, 2 * CELL));
    let drawn = drawn.or_else(|| Some((pieces.collect::<Option<String>>()?, CELL)));
    let Some((drawn, height)) = drawn.filter(|_| !items.is_empty()) else {
        return format!("<code>{}</code>", text(&items.join(" ")));
    };
    let width = place(items.len());
    let label = text(&items.join(" "));
    format!(
        "<svg class=\"row\" role=\"img\" aria-label=\"{label}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">{drawn}</svg>"
    )
}

/// Eight rows of sixteen pairs. Differences from the model have a frame and a cross, and are listed below.
fn draw(out: &mut String, pool: &DrawnPool) -> std::fmt::Result {
    let rows = pool.pairs.len().div_ceil(ACROSS);
    let (width, height) = (LEFT + ACROSS * WIDE + 4, rows * HIGH + 8);
    let name = text(&pool.name);
    writeln!(
        out,
        "<h3>{name}</h3>\n<svg role=\"img\" aria-label=\"{name}, 8 rows of 16 pairs\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">"
    )?;
    for (number, one) in pool.pairs.iter().enumerate() {
        let (column, row) = (number % ACROSS, number / ACROSS);
        let (x, y) = (LEFT + column * WIDE + 4, row * HIGH + 8);
        if column == 0 {
            writeln!(out, "<text class=\"number\" x=\"{}\" y=\"{}\">{number}</text>", LEFT / 2, y + CELL)?;
        }
        let differs = pool.marked.iter().any(|(marked, _)| *marked == number);
        let (label, sign) = (one.letters(), if differs { ", differs from the model" } else { "" });
        write!(out, "<g><title>pair {number}: {label}{sign}</title>{}", pair(*one, x, y))?;
        if differs {
            out.push_str(&mark(x, y, CELL, 2 * CELL));
        }
        writeln!(out, "</g>")?;
    }
    writeln!(out, "</svg>")?;
    for (number, model) in &pool.marked {
        let actual = pool.pairs.get(*number).map_or_else(String::new, |pair| pair.letters());
        let model = model.map_or_else(String::new, |model| format!(", the model has {}", model.letters()));
        writeln!(out, "<p class=\"bad\">✗ Pair {number}: the emulator has {actual}{model}</p>")?;
    }
    Ok(())
}

/// Two rows: the model's pieces, and the emulator's, with differences marked.
fn pieces(out: &mut String, row: &PieceRow) -> std::fmt::Result {
    let (across, high) = (CELL + 8, CELL + 10);
    let numbers = if row.first.is_some() { 18 } else { 4 };
    let (width, height) = (NAMES + row.expected.len() * across + 8, numbers + 2 * high + 4);
    let label = letters(&row.expected);
    let actual_letters: String = row.actual.iter().map(|piece| piece.map_or('?', Piece::letter)).collect();
    writeln!(
        out,
        "<h3>Pieces</h3>\n<svg role=\"img\" aria-label=\"the model has {label}, the emulator has {actual_letters}\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
    )?;
    for (name, line) in [("Model", 0), ("Emulator", 1)] {
        let y = numbers + line * high + CELL / 2 + 6;
        writeln!(out, "<text class=\"number\" x=\"{}\" y=\"{y}\">{name}</text>", NAMES / 2)?;
    }
    for (place, expected) in row.expected.iter().enumerate() {
        let (x, y) = (NAMES + place * across + 4, numbers + 6);
        let middle = x + CELL / 2;
        let number = row.first.map(|first| first + place as u64);
        if let Some(number) = number {
            write!(out, "<text class=\"number\" x=\"{middle}\" y=\"10\">{number}</text>")?;
        }
        out.push_str(&tile(*expected, x, y));
        let Some(actual) = row.actual.get(place) else { continue };
        let y = y + high;
        match actual {
            Some(piece) => out.push_str(&tile(*piece, x, y)),
            None => {
                write!(out, "<text x=\"{middle}\" y=\"{}\" fill=\"currentColor\">?</text>", y + CELL / 2)?;
            }
        }
        if row.differs(place) {
            out.push_str(&mark(x, y, CELL, CELL));
        }
    }
    writeln!(out, "</svg>")?;
    for place in (0..row.expected.len()).filter(|place| row.differs(*place)) {
        let which = row.first.map_or_else(String::new, |first| format!(" {}", first + place as u64));
        let actual =
            row.actual[place].map_or_else(|| "an unknown code".to_owned(), |piece| piece.to_string());
        let expected = row.expected[place];
        writeln!(
            out,
            "<p class=\"bad\">✗ Piece{which}: the emulator has {actual}, the model has {expected}</p>"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Report};

    #[test]
    fn external_text_is_escaped() {
        let evil = "<script>alert(\"1\")</script> | `x` [link](http://e) **b** &amp; 'q'\nnext";
        let report = Report {
            title: evil.into(),
            result: evil.into(),
            facts: vec![("Emulator", evil.into())],
            reproduce: vec![format!("nextscope {evil}```")],
            ..Report::default()
        };
        let page = report.write(Format::Html);
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;alert(&quot;1&quot;)"), "{page}");
        assert!(page.contains("&#39;q&#39;") && page.contains("&amp;amp;"));
        let text = report.write(Format::Markdown);
        assert!(text.contains("\\<script\\>") && text.contains("\\[link\\]\\(http://e\\)"), "{text}");
        assert!(text.contains("\\| \\`x\\`"), "{text}");
        let row = text.lines().find(|line| line.starts_with("| Emulator")).expect("one row");
        assert!(row.ends_with("next |") && row.contains("\\*\\*b\\*\\*"), "{row}");
        assert_eq!(text.matches("```").count(), 2, "a command cannot end the fence: {text}");
    }
}
