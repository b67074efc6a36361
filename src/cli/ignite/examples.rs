//! The document's examples.

use super::json_parts as json;
use super::request::Request;
use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
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
        return Ok(Exit::Success);
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
    Ok(Exit::Success)
}

/// One of them.
pub fn example(number: usize, rules: Rules) -> Result<Request, Failure> {
    let example = number.checked_sub(1).and_then(|nth| gallery().get(nth)).ok_or_else(|| {
        let last = gallery().len();
        Failure::BadInput(format!(
            "there is no example {number}; they are 1 to {last}, and --gallery alone lists them"
        ))
    })?;
    let mut request = Request::new((example.field(), Some(example.ignition())), rules);
    request.introduction = format!("{number}, {}: {}\n\n", example.name, example.note);
    request.example = Some(json::ListedExample::of(number, example));
    Ok(request)
}
