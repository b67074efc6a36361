//! The document's examples.

use super::super::{Exit, Failure, Global, output};
use super::{Asked, json};
use crate::pochi::{Example, Rules, Ruleset, gallery, to_code};
use serde_json::{Map, Value};

/// All of them.
pub fn list(global: &Global) -> anyhow::Result<Exit> {
    if global.json {
        let examples = (1..).zip(gallery()).map(|(number, example)| {
            let mut object = besides(number, example);
            let code = to_code(&example.field(), Some(&example.ignition()))?;
            object.insert("grid".into(), example.grid.lines().collect());
            object.insert("code".into(), code.into());
            Ok(Value::Object(object))
        });
        let examples: anyhow::Result<Vec<Value>> = examples.collect();
        output::json(&serde_json::json!({ "gallery": examples? }))?;
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
    asked.besides.insert("example".into(), Value::Object(besides(number, example)));
    Ok(asked)
}

fn besides(number: usize, example: &Example) -> Map<String, Value> {
    let stated = example.stated.iter().map(|ruleset| ruleset.name().to_ascii_lowercase());
    let places = example.ignited.iter().map(|block| json::place(*block));
    let fields = [
        ("number", number.into()),
        ("name", example.name.into()),
        ("needle", json::place(example.needle)),
        ("ignited", places.collect()),
        ("mvs", example.mvs.into()),
        ("ps2", example.ps2.into()),
        ("stated", stated.collect()),
        ("note", example.note.into()),
    ];
    fields.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)).collect()
}
