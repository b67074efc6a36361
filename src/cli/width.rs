//! The width of lines on a terminal: escape sequences take no column, some letters take two.

use unicode_width::UnicodeWidthChar;

enum Part<'a> {
    /// An escape sequence that sets colours: `ESC [ ... letter`.
    Escape(&'a str),
    Char(char),
}

fn parts(line: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if let Some(sequence) = rest.strip_prefix("\x1b[") {
            let end =
                sequence.find(|c: char| ('\x40'..='\x7e').contains(&c)).map_or(rest.len(), |end| end + 3);
            let (escape, after) = rest.split_at(end);
            rest = after;
            return Some(Part::Escape(escape));
        }
        rest = &rest[first.len_utf8()..];
        Some(Part::Char(first))
    })
}

pub fn display_width(line: &str) -> usize {
    let width = |part| match part {
        Part::Escape(_) => 0,
        Part::Char(c) => c.width().unwrap_or(0),
    };
    parts(line).map(width).sum()
}

/// Cuts a line to a number of columns; colours end with it.
pub fn truncate(line: &str, columns: usize) -> String {
    if display_width(line) <= columns {
        return line.to_owned();
    }
    let (mut text, mut used, mut escapes) = (String::with_capacity(line.len()), 0, false);
    for part in parts(line) {
        match part {
            Part::Escape(escape) => {
                escapes = true;
                text.push_str(escape);
            }
            Part::Char(c) => {
                used += c.width().unwrap_or(0);
                if used > columns {
                    break;
                }
                text.push(c);
            }
        }
    }
    if escapes {
        text.push_str("\x1b[0m");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_take_no_column_and_wide_letters_two() {
        assert_eq!(display_width("\x1b[1;38;5;231;48;5;160mRB\x1b[0m ぷよ"), 7);
        assert_eq!(truncate("\x1b[1mRB\x1b[0m ぷよ", 7), "\x1b[1mRB\x1b[0m ぷよ");
        assert_eq!(
            truncate("\x1b[1mRB\x1b[0m ぷよ", 6),
            "\x1b[1mRB\x1b[0m ぷ\x1b[0m",
            "a wide letter is not split"
        );
        assert_eq!(truncate("\x1b[1mRB\x1b[0m", 1), "\x1b[1mR\x1b[0m");
        assert_eq!(truncate("plain", 3), "pla");
        assert_eq!(truncate("", 0), "");
    }
}
