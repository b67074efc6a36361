//! `ignite --gallery`: the examples of the document.

use super::json_parts::ListedExample;
use super::request::Request;
use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::json::Kind;
use crate::pochi::{Rules, Ruleset, gallery, to_code};
use serde::Serialize;

#[derive(Serialize)]
struct Gallery {
    examples: Vec<ExampleField>,
}

#[derive(Serialize)]
struct ExampleField {
    #[serde(flatten)]
    example: ListedExample,
    /// Rows, the top one first.
    grid: Vec<&'static str>,
    code: String,
}

pub fn list(global: &Global) -> anyhow::Result<Exit> {
    if global.json {
        let examples = (1..).zip(gallery()).map(|(number, example)| {
            Ok(ExampleField {
                example: ListedExample { number, example },
                grid: example.grid.lines().collect(),
                code: to_code(&example.field(), Some(&example.ignition()))?,
            })
        });
        let examples: anyhow::Result<Vec<ExampleField>> = examples.collect();
        output::object(Kind::IgniteGallery, Gallery { examples: examples? })?;
        return Ok(Exit::Success);
    }
    let mut rows = Vec::new();
    for (number, example) in (1..).zip(gallery()) {
        let code = to_code(&example.field(), Some(&example.ignition()))?;
        let value = |value: u32, ruleset| {
            let stated = if example.stated.contains(&ruleset) { "" } else { " *" };
            format!("{value}{stated}")
        };
        let (mvs, ps2) = (value(example.mvs, Ruleset::Mvs), value(example.ps2, Ruleset::Ps2));
        rows.push(vec![number.to_string(), example.name.to_owned(), mvs, ps2, code]);
    }
    output::table(&["", "example", "MVS", "PS2", "code"], rows)?;
    output::line("* derived from the rules, not stated in the document. Show an example with --gallery N.")?;
    Ok(Exit::Success)
}

pub fn example(number: usize, rules: Rules) -> Result<Request, Failure> {
    let example = number.checked_sub(1).and_then(|nth| gallery().get(nth)).ok_or_else(|| {
        let last = gallery().len();
        Failure::BadInput(format!("no example {number}; expected 1 to {last} (--gallery alone lists them)"))
    })?;
    Ok(Request {
        field: example.field(),
        ignition: Some(example.ignition()),
        rules,
        introduction: format!("{number}, {}: {}\n\n", example.name, example.note),
        example: Some(ListedExample { number, example }),
        ..Request::default()
    })
}
