//! Text for terminals: names from outside without control characters, tables, counted words, hexadecimal.

use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// Whether a terminal acts on a character instead of showing it: control characters (C0, DEL, C1), and those that change the
/// direction of text or end a line.
pub fn is_terminal_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces what a terminal would act on, except line ends and tabs. Names of processes and files may contain any character.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    replace(text, |c| is_terminal_control(c) && c != '\n' && c != '\t')
}

/// Replaces what a terminal would act on; the result is one line.
pub fn sanitize_line(name: &str) -> Cow<'_, str> {
    replace(name, is_terminal_control)
}

fn replace(text: &str, is_replaced: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.contains(&is_replaced) {
        text.chars().map(|c| if is_replaced(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// A number of things: "1 round", "2 rounds", "2 mismatches".
pub fn counted(number: u64, thing: &str) -> String {
    let takes_es = ["s", "x", "ch", "sh"].iter().any(|end| thing.ends_with(end));
    let plural = if takes_es { "es" } else { "s" };
    format!("{number} {thing}{}", if number == 1 { "" } else { plural })
}

/// "frame 37", or "frames 37 to 39".
pub fn frames_text(first: u64, last: u64) -> String {
    if first == last { format!("frame {first}") } else { format!("frames {first} to {last}") }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// A table with aligned columns, a line for each row; an empty `head` has no line. The last column is not padded.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).chain([head.len()]).max().unwrap_or(0);
    let width = |column: usize| {
        // A row of a single cell is a heading: it makes no column wider.
        let cells = rows.iter().filter(|row| row.len() > 1 || columns == 1).filter_map(|row| row.get(column));
        let head = head.get(column).map_or(0, |title| title.width());
        cells.map(|cell| cell.width()).chain([head]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |cells: &[String]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&widths) {
            let padding = width.saturating_sub(cell.width()) + 2;
            line += &format!("{cell}{:padding$}", "");
        }
        format!("{}\n", line.trim_end())
    };
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    let head = (!head.is_empty()).then_some(head.as_slice());
    head.into_iter().chain(rows.iter().map(Vec::as_slice)).map(line).collect()
}

/// A message as a sentence of its own.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_controls_are_replaced() {
        assert_eq!(
            sanitize_line("a\x1b[31mb\nc\u{9b}d\u{202e}e\x07"),
            "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}"
        );
        assert_eq!(sanitize("a\x1b[31m\nb\tc"), "a\u{fffd}[31m\nb\tc");
        assert!(matches!(sanitize_line("ぷよぷよ 通"), Cow::Borrowed(_)));
    }

    #[test]
    fn plurals_follow_the_number() {
        let all = [0, 1, 2].map(|number| counted(number, "round"));
        assert_eq!(all, ["0 rounds", "1 round", "2 rounds"]);
        assert_eq!([1, 3].map(|number| counted(number, "mismatch")), ["1 mismatch", "3 mismatches"]);
        assert_eq!(counted(2, "path"), "2 paths");
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let row = |cells: &[&str]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();
        let rows = [row(&["1", "ぷよ", "x"]), row(&["20", "ab", ""])];
        assert_eq!(table(&["pid", "game", "core"], &rows), "pid  game  core\n1    ぷよ  x\n20   ab\n");
        assert_eq!(table(&[], &rows), "1   ぷよ  x\n20  ab\n");
    }
}
