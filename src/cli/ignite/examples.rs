//! The document's examples.

use super::super::{Exit, Failure, Global, output};
use super::{Asked, json};
use crate::json::Kind;
use crate::pochi::{Rules, Ruleset, gallery, to_code};
use serde::Serialize;

#[derive(Serialize)]
struct Gallery {
    examples: Vec<Shown>,
}

/// An example with its field.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    example: json::ListedExample,
    /// Rows from the top.
    grid: Vec<&'static str>,
    code: String,
}

/// All of them.
pub fn list(global: &Global) -> anyhow::Result<Exit> {
    if global.json {
        let examples = (1..).zip(gallery()).map(|(number, example)| {
            Ok(Shown {
                example: json::ListedExample::of(number, example),
                grid: example.grid.lines().collect(),
                code: to_code(&example.field(), Some(&example.ignition()))?,
            })
        });
        let examples: anyhow::Result<Vec<Shown>> = examples.collect();
        output::object(Kind::IgniteGallery, Gallery { examples: examples? })?;
        return Ok(Exit::Yes);
    }
    let rows: Vec<Vec<String>> = (1..)
        .zip(gallery())
        .map(|(number, example)| {
            let code = to_code(&example.field(), Some(&example.ignition()))?;
            let value = |value: u32, ruleset| {
                let stated = if example.stated.contains(&ruleset) { "" } else { " *" };
                format!("{value}{stated}")
            };
            let (mvs, ps2) = (value(example.mvs, Ruleset::Mvs), value(example.ps2, Ruleset::Ps2));
            Ok(vec![number.to_string(), example.name.to_owned(), mvs, ps2, code])
        })
        .collect::<anyhow::Result<_>>()?;
    output::table(&["", "example", "MVS", "PS2", "code"], &rows)?;
    output::line(
        "* follows from the rules; the document does not state it. --gallery N shows one, with what the document says.",
    )?;
    Ok(Exit::Yes)
}

/// One of them.
pub fn example(number: usize, rules: Rules) -> Result<Asked, Failure> {
    let example = number.checked_sub(1).and_then(|nth| gallery().get(nth)).ok_or_else(|| {
        let last = gallery().len();
        Failure::BadInput(format!(
            "there is no example {number}; they are 1 to {last}, and --gallery alone lists them"
        ))
    })?;
    let mut asked = Asked::plain((example.field(), Some(example.ignition())), rules);
    asked.before = format!("{number}, {}: {}\n\n", example.name, example.note);
    asked.example = Some(json::ListedExample::of(number, example));
    Ok(asked)
}
