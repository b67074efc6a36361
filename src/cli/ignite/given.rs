//! The field, the needle and the answers to open questions, from the command line.

use crate::cli::exit::{Failure, bail_input};
use crate::file::{ReadError, read_from, read_text};
use crate::pochi::{
    Choice, Color, Field, GridCell, Ignition, LINK, NeedleRule, RuleQuestion, Rules, from_grid_or_code,
    is_code,
};
use clap::Args;
use std::path::Path;

/// Larger than any field in any notation.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct Given {
    /// File with rows of R G B Y and dots, top row first, or with a code; - for standard input; or a code or link as printed by
    /// --code, which may include the needle
    #[arg(long, value_name = "FILE|-|CODE")]
    pub grid: Option<String>,
    /// Cell of the needle: column and row, from 0 at the top left
    #[arg(long, value_name = "X,Y", conflicts_with = "ignited")]
    needle: Option<String>,
    /// Colour of the needle, R G B or Y [default: the colour of the blocks that it touches]
    #[arg(long, value_name = "C", conflicts_with = "ignited")]
    color: Option<String>,
    /// Blocks that ignite, instead of a needle
    #[arg(long, value_name = "X,Y;X,Y")]
    ignited: Option<String>,
    /// Blocks that the needle ignites: all of its colour that it touches, as in Pochi & Nyaa, or one, the block below first, as
    /// in Nyoki-Nyoki Tabidachi-hen
    #[arg(long, value_name = "RULE", default_value = "all", value_parser = ["all", "one"], conflicts_with = "ignited")]
    needle_rule: String,
    /// Answer to assume for a rule that is not confirmed; repeatable
    #[arg(long, value_name = "QUESTION=ANSWER")]
    pub answer: Vec<String>,
}

impl Given {
    /// The field, and its ignition if it is a code with one.
    pub fn field(&self) -> Result<(Field, Option<Ignition>), Failure> {
        let missing =
            "no field: give --grid FILE, - or CODE, --gallery N, --build N, or --pid N of a running game";
        let from = self.grid.as_deref().ok_or_else(|| Failure::BadInput(missing.into()))?;
        let (name, text) = text(from)?;
        from_grid_or_code(text.trim_start_matches('\u{FEFF}'))
            .map_err(|error| Failure::BadInput(format!("{name}: {error}")))
    }

    /// The ignition of --ignited or --needle.
    pub fn ignition(&self) -> Result<Option<Ignition>, Failure> {
        if let Some(text) = &self.ignited {
            return Ok(Some(Ignition::Blocks(places(text)?)));
        }
        let Some(text) = &self.needle else { return Ok(None) };
        let at = place(text).ok_or_else(|| invalid_place("--needle", text))?;
        Ok(Some(Ignition::Needle { at, color: self.color()? }))
    }

    pub fn needle_rule(&self) -> NeedleRule {
        if self.needle_rule == NeedleRule::One.id() { NeedleRule::One } else { NeedleRule::All }
    }

    pub fn color(&self) -> Result<Option<Color>, Failure> {
        self.color.as_deref().map(color).transpose()
    }
}

fn invalid_place(option: &str, word: &str) -> Failure {
    let what = format!(
        "{option}: invalid cell {word:?}: expected column and row from 0 at the top left, such as 3,11"
    );
    Failure::BadInput(what)
}

pub fn color(text: &str) -> Result<Color, Failure> {
    let mut letters = text.chars();
    let by_letter = letters.next().and_then(Color::from_letter).filter(|_| letters.next().is_none());
    let by_name = || Color::ALL.into_iter().find(|color| color.name().eq_ignore_ascii_case(text));
    by_letter
        .or_else(by_name)
        .ok_or_else(|| Failure::BadInput(format!("--color: invalid colour {text:?}: expected R, G, B or Y")))
}

/// A cell, as `x,y`.
fn place(text: &str) -> Option<GridCell> {
    let number = |text: &str| {
        let text = text.trim();
        let digits = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    let (x, y) = text.split_once(',')?;
    Some(GridCell::new(number(x)?, number(y)?))
}

/// Cells, as `x,y;x,y`.
fn places(text: &str) -> Result<Vec<GridCell>, Failure> {
    let words = text.split(';').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| place(word).ok_or_else(|| invalid_place("--ignited", word))).collect()
}

/// The answers to open questions, as `question=answer`.
pub fn rules(answers: &[String]) -> Result<Rules, Failure> {
    let mut rules = Rules::default();
    for text in answers {
        let (question, answer) = text.split_once('=').unwrap_or((text, ""));
        let question = RuleQuestion::from_id(question.trim()).ok_or_else(|| {
            let known: Vec<String> = RuleQuestion::ALL
                .into_iter()
                .map(|question| format!("{}={}", question.id(), question.answers().join("|")))
                .collect();
            Failure::BadInput(format!("--answer: unknown question {text:?}; available: {}", known.join(", ")))
        })?;
        let [first, second] = question.answers();
        let choice = match answer.trim() {
            answer if answer == first => Choice::First,
            answer if answer == second => Choice::Second,
            answer => {
                bail_input!(
                    "--answer: invalid answer {answer:?} to {:?} ({}): expected {first} or {second}",
                    question.id(),
                    question.text()
                );
            }
        };
        rules = rules.with(question, choice);
    }
    Ok(rules)
}

/// The name and the text of a field.
fn text(from: &str) -> Result<(&str, String), Failure> {
    let path = Path::new(from);
    if from == "-" {
        let name = "standard input";
        let bytes =
            read_from(std::io::stdin().lock(), MAX_BYTES).map_err(|error| field_failure(name, &error))?;
        return Ok((name, String::from_utf8(bytes).map_err(|_| field_failure(name, &ReadError::NotText))?));
    }
    if is_code(from) && !path.exists() {
        return Ok(("--grid", from.to_owned()));
    }
    let text = read_text(path, MAX_BYTES).map_err(|error| match error {
        error if error.is_missing() => {
            let no_code = format!("and not a code: codes start with 1 or {LINK}");
            Failure::BadInput(format!("no file {from:?}, {no_code}"))
        }
        ReadError::Io(error) => Failure::BadInput(format!("cannot read {from}: {error}")),
        error => field_failure(from, &error),
    })?;
    Ok((from, text))
}

fn field_failure(name: &str, error: &ReadError) -> Failure {
    Failure::BadInput(match error {
        ReadError::Io(error) => format!("cannot read {name}: {error}"),
        ReadError::NotText => format!("{name}: not a text: expected rows of R G B Y and dots"),
        error => format!("{name}: {error}; no field is that large"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cells_colors_and_answers_are_parsed() {
        assert_eq!(place(" 3, 11 "), Some(GridCell::new(3, 11)));
        for wrong in ["", "3", "3,", ",3", "3,-1", "+3,1", "3,4,5", "256,0", "a,b", "٣,٤"] {
            assert_eq!(place(wrong), None, "{wrong}");
        }
        assert_eq!(places("0,1; 2,3;").expect("two"), [GridCell::new(0, 1), GridCell::new(2, 3)]);
        assert_eq!(places(" ; ").expect("none"), []);
        assert!(places("0,1;2").expect_err("not a cell").to_string().contains("invalid cell \"2\""));
        for color_named in ["B", "b", "blue", "Blue"] {
            assert_eq!(color(color_named).expect("blue"), Color::Blue);
        }
        for wrong in ["", "BB", "purple", "P"] {
            assert!(color(wrong).expect_err("not a colour").to_string().contains("invalid colour"));
        }
        let both = ["block-above=stays".to_owned(), "horizontal-tie = from-right".to_owned()];
        let answered = rules(&both).expect("answers");
        assert_eq!(answered.answer(RuleQuestion::BlockAbove), "stays");
        assert_eq!(answered.answer(RuleQuestion::HorizontalTie), "from-right");
        assert_eq!(answered.answer(RuleQuestion::VerticalTie), "from-above");
        let wrong = |text: &str| rules(&[text.to_owned()]).expect_err("wrong").to_string();
        assert!(wrong("block-above").contains("expected ignites or stays"));
        assert!(wrong("needle=green").contains("vertical-tie=from-above|from-below"));
    }

    #[test]
    fn what_is_no_text_or_too_large_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("field.txt");
        let file = file.to_str().expect("text");
        let of = |bytes: &[u8]| {
            std::fs::write(file, bytes).expect("a file");
            text(file).map(|(_, text)| text.len()).map_err(|error| error.to_string())
        };
        assert!(of(&[0xFF, 0xFE]).expect_err("not a text").contains("not a text"));
        let large = vec![b'.'; (1 << 20) + 1];
        assert!(of(&large).expect_err("large").contains("larger than 1 MiB"));
        assert_eq!(of(&large[1..]), Ok(1 << 20));
    }

    proptest! {
        #[test]
        fn lists_of_places_survive_their_text(all in proptest::collection::vec((any::<u8>(), any::<u8>()), 0..6)) {
            let all: Vec<GridCell> = all.into_iter().map(|(x, y)| GridCell::new(x, y)).collect();
            let text = all.iter().map(ToString::to_string).collect::<Vec<_>>().join(";");
            prop_assert_eq!(places(&text).ok(), Some(all));
        }

        #[test]
        fn no_text_ends_in_a_panic(text in ".{0,40}") {
            let _ = (place(&text), places(&text), color(&text), rules(&[text]));
        }
    }
}
