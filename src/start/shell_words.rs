//! Splits a command line into words and joins words into a line, with shell quoting.

use crate::process::shell_quote;

/// Splits a line into words. Nothing is executed or expanded: `$` and `*` are ordinary characters.
///
/// # Errors
/// A sentence, if a quote is not closed.
pub fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        None => return Err(format!("a quote ({letter}) is not closed")),
                        Some(end) if end == letter => break,
                        // In double quotes only these characters can be escaped.
                        Some('\\') if letter == '"' => match letters.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                            Some(other) => word.extend(['\\', other]),
                            None => return Err("a quote (\") is not closed".into()),
                        },
                        Some(inside) => word.push(inside),
                    }
                }
            }
            '\\' if cfg!(unix) => word.get_or_insert_default().extend(letters.next()),
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Joins words into a line, quoted where necessary. Apostrophes are put into double quotes, since a backslash escapes nothing on Windows.
pub fn join_words(words: &[String]) -> String {
    let part = |part: &str| if part.is_empty() { String::new() } else { shell_quote(part) };
    let quoted = |word: &String| match word.as_str() {
        "" => shell_quote(word),
        _ => word.split('\'').map(part).collect::<Vec<_>>().join("\"'\""),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_keep_words_together() {
        let split = |text: &str| split_words(text).expect(text);
        assert_eq!(split("  blastem  '/g/a b.md' "), ["blastem", "/g/a b.md"]);
        assert_eq!(split(r#"a"b c"'d e' "\"$x" ''"#), ["ab cd e", "\"$x", ""]);
        assert!(split(" ").is_empty());
        let apostrophes = ["it's", "'", r"C:\it's\"].map(String::from);
        assert_eq!(split(&join_words(&apostrophes)), apostrophes);
        split_words("'a").expect_err("an open quote");
        split_words("\"a\\").expect_err("an open quote");
    }

    proptest! {
        #[test]
        fn a_joined_line_is_split_into_the_same_words(original: Vec<String>) {
            prop_assert_eq!(split_words(&join_words(&original)).expect("a joined line"), original);
        }

        #[test]
        fn no_line_causes_a_panic(text: String) {
            let _ = split_words(&text);
        }
    }
}
