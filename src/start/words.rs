//! A command as one line, as a shell takes it: words, apart by spaces, in quotes where they hold some.

use crate::process::quoted;

/// The words of a line. Nothing in it is run or replaced: `$` and `*` are letters like others.
///
/// # Errors
/// A sentence, when a quote is not closed.
pub fn words(line: &str) -> Result<Vec<String>, String> {
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
                        // Within double quotes a shell lets these alone be escaped.
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

/// The line of which these are the words.
#[must_use]
pub fn line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_keep_words_together() {
        let split = |text: &str| words(text).expect(text);
        assert_eq!(split("  blastem  '/g/a b.md' "), ["blastem", "/g/a b.md"]);
        assert_eq!(split(r#"a"b c"'d e' "\"$x" ''"#), ["ab cd e", "\"$x", ""]);
        assert!(split(" ").is_empty());
        words("'a").expect_err("it is open");
        words("\"a\\").expect_err("it is open");
    }

    proptest! {
        #[test]
        fn a_line_falls_into_the_words_that_it_was_made_of(made: Vec<String>) {
            prop_assert_eq!(words(&line(&made)).expect("it was made of words"), made);
        }

        #[test]
        fn no_line_makes_it_panic(text: String) {
            let _ = words(&text);
        }
    }
}
