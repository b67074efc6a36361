//! A report as Markdown.

use super::{Case, DrawnPool, PieceRow, PredictedPieces, Report, word};
use crate::games::piece::Piece;
use std::fmt::Write as _;

/// Pairs in a row of a pool.
const ACROSS: usize = 16;

/// Escapes external text with backslashes before punctuation (CommonMark 2.4).
fn text(outside: &str) -> String {
    let mut safe = String::with_capacity(outside.len());
    for letter in outside.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '(' | ')' | '#' | '+' | '!'
            | '|' | '~' | '&' | '@' => {
                safe.push('\\');
                safe.push(letter);
            }
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

/// External text as code, without backticks, which would end it.
fn code(outside: &str) -> String {
    let safe: String = outside
        .chars()
        .map(|letter| if letter.is_control() || letter == '`' { ' ' } else { letter })
        .collect();
    // In a table, a bar ends the cell even in code.
    if safe.is_empty() { String::new() } else { format!("`{}`", safe.replace('|', "\\|")) }
}

pub fn write(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_text(&mut out, report);
    out
}

fn write_text(out: &mut String, report: &Report) -> std::fmt::Result {
    writeln!(out, "# {}\n\n**{}**\n", text(&report.title), text(&report.result))?;
    writeln!(out, "| | |\n|---|---|")?;
    for (name, value) in &report.facts {
        writeln!(out, "| {name} | {} |", text(value))?;
    }
    writeln!(out, "\n## Checks\n\n| Check | Result | Details |\n|---|---|---|")?;
    for check in &report.checks {
        writeln!(out, "| {} | {} | {} |", check.id.name(), word(check.status), text(&check.detail))?;
    }
    writeln!(out, "\n## Counts\n\n| | |\n|---|---|")?;
    for (name, count) in &report.counts {
        writeln!(out, "| {name} | {count} |")?;
    }
    for (number, case) in report.cases.iter().enumerate() {
        writeln!(out, "\n## Mismatch {}: {}\n", number + 1, case.mismatch.check.name())?;
        mismatch(out, case)?;
    }
    if report.more > 0 {
        writeln!(out, "\nFurther mismatches: {}.", report.more)?;
    }
    for pool in &report.pools {
        draw(out, pool)?;
    }
    if !report.reproduce.is_empty() {
        writeln!(out, "\n## How to reproduce\n\n```")?;
        for command in &report.reproduce {
            writeln!(out, "{}", command.replace(['`', '\n', '\r'], " "))?;
        }
        writeln!(out, "```")?;
    }
    Ok(())
}

fn mismatch(out: &mut String, case: &Case) -> std::fmt::Result {
    let mismatch = &case.mismatch;
    writeln!(out, "{}\n", text(&mismatch.what))?;
    let index = mismatch.index.map_or_else(|| "-".to_owned(), |index| index.to_string());
    let drawn = |which: usize| {
        case.drawn.as_ref().map_or_else(String::new, |drawn| format!(" ({})", text(&drawn[which])))
    };
    writeln!(out, "| | |\n|---|---|")?;
    writeln!(out, "| Expected | {}{} |", code(&mismatch.expected), drawn(0))?;
    writeln!(out, "| Actual | {}{} |", code(&mismatch.actual), drawn(1))?;
    let place = case.place.as_ref().map_or_else(String::new, |place| format!(" at {}", text(place)));
    writeln!(out, "| Field | {}{place} |\n| First index (from 0) | {index} |", code(&mismatch.field))?;
    writeln!(out, "| Round, frame | {}, {} |", mismatch.round, mismatch.frame)?;
    writeln!(out, "| Evidence | {} |", text(&case.evidence))?;
    for (when, players) in [("one sample before", &case.before), ("at the mismatch", &case.at)] {
        if !players.is_empty() {
            writeln!(out, "\nPrediction {when}:\n\n| | Current | Next |\n|---|---|---|")?;
        }
        for PredictedPieces { title, current, items } in players {
            let now = current.as_deref().unwrap_or("-");
            writeln!(out, "| {} | {} | {} |", text(title), text(now), text(&items.join(" ")))?;
        }
    }
    for pool in &case.pools {
        draw(out, pool)?;
    }
    if let Some(row) = &case.row {
        pieces(out, row)?;
    }
    if !case.differences.is_empty() {
        writeln!(out, "\n{}:\n", case.ram_title())?;
        writeln!(
            out,
            "| Field | Address | Bytes changed | First | Before | After |\n|---|---|---|---|---|---|"
        )?;
    }
    for one in &case.differences {
        let (field, address) = (text(&one.field), text(&one.address));
        let (before, after) = (code(&one.before), code(&one.after));
        writeln!(out, "| {field} | {address} | {} | {} | {before} | {after} |", one.changed, one.first)?;
    }
    Ok(())
}

/// Eight rows of sixteen pairs, axis before child; differences from the model are bold and followed by the model's pair.
fn draw(out: &mut String, pool: &DrawnPool) -> std::fmt::Result {
    writeln!(out, "\n### {}\n", text(&pool.name))?;
    let head: String = (0..ACROSS).map(|column| format!(" +{column} |")).collect();
    writeln!(out, "| Pair |{head}\n|---|{}", "---|".repeat(ACROSS))?;
    for (row, pairs) in pool.pairs.chunks(ACROSS).enumerate() {
        write!(out, "| {} |", row * ACROSS)?;
        for (column, pair) in pairs.iter().enumerate() {
            let number = row * ACROSS + column;
            match pool.marked.iter().find(|(marked, _)| *marked == number) {
                None => write!(out, " {} |", pair.letters())?,
                Some((_, None)) => write!(out, " **{}** |", pair.letters())?,
                Some((_, Some(model))) => write!(out, " **{}** not {} |", pair.letters(), model.letters())?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The model's pieces, and the emulator's with differences in bold.
fn pieces(out: &mut String, row: &PieceRow) -> std::fmt::Result {
    let number =
        |place: usize| row.first.map_or_else(String::new, |first| (first + place as u64).to_string());
    let head: String = (0..row.expected.len()).map(|place| format!(" {} |", number(place))).collect();
    let expected: String = row.expected.iter().map(|piece| format!(" {piece} |")).collect();
    let actual = |place: usize| match row.actual.get(place) {
        None => " |".to_owned(),
        Some(actual) => {
            let actual = actual.map_or('?', Piece::letter);
            if row.differs(place) { format!(" **{actual}** |") } else { format!(" {actual} |") }
        }
    };
    let actual: String = (0..row.expected.len()).map(actual).collect();
    writeln!(out, "\n### Pieces\n\n| Piece |{head}\n|---|{}", "---|".repeat(row.expected.len()))?;
    writeln!(out, "| Model |{expected}\n| Emulator |{actual}")
}
