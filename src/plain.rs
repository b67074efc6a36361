//! Names from outside, of processes, files and arguments, as text for a terminal: they may hold any character.

use std::borrow::Cow;

/// Whether a terminal may act on a character instead of showing it: control characters (C0, DEL, C1), and those that turn the
/// direction of the text around it or end a line.
#[must_use]
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text without characters that a terminal acts on; lines stay lines. Names of processes and files may hold any.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    replaced(text, |c| acts(c) && c != '\n' && c != '\t')
}

/// A name in one line, without characters that a terminal acts on.
#[must_use]
pub fn plain(name: &str) -> Cow<'_, str> {
    replaced(name, acts)
}

fn replaced(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.contains(&acts) {
        text.chars().map(|c| if acts(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_a_terminal_acts_on_are_replaced() {
        assert_eq!(
            plain("a\x1b[31mb\nc\u{9b}d\u{202e}e\x07"),
            "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}"
        );
        assert_eq!(printable("a\x1b[31m\nb\tc"), "a\u{fffd}[31m\nb\tc");
        assert!(matches!(plain("ぷよぷよ 通"), Cow::Borrowed(_)));
    }
}
