//! Texts shared by the parts of the panel.

use super::field_report::FieldReport;
use crate::pochi::{Color, Evaluation, Field, GridCell, Ignition, IgnitionError};

/// "row 3, column 2", from 1 at the top left.
pub fn place(at: GridCell) -> String {
    format!("row {}, column {}", u32::from(at.y) + 1, u32::from(at.x) + 1)
}

/// A cell as text, for screen readers and below the field, with the first `shown_waves` waves.
pub fn cell(
    report: &FieldReport,
    field: &Field,
    ignition: Option<&Ignition>,
    at: GridCell,
    shown_waves: usize,
) -> String {
    let mut text = format!("Row {}, column {}: ", u32::from(at.y) + 1, u32::from(at.x) + 1);
    let block = field.get(at).map_or("empty", Color::name);
    match ignition {
        Some(Ignition::Needle { at: needle, .. }) if *needle == at => {
            let color = report.color().map_or(String::new(), |color| format!("{color} "));
            text += &format!("{color}needle");
            if field.get(at).is_some() {
                text += &format!(" replacing a {block} block");
            }
        }
        _ => text += block,
    }
    let cell = report.cell(at);
    let Some(wave) = cell.wave.filter(|wave| *wave <= shown_waves) else { return text };
    text += &format!(", wave {wave}");
    if let Some((number, (_, tail))) = cell.tail.and_then(|number| Some((number, report.tails.get(number)?)))
    {
        text += &format!(", tail {} worth {}", number + 1, tail.value);
    }
    text
}

/// The formula of a value: "3 + 4 + 4 = 11; 4 % x 3 tails of 11 = 1.32, rounded down to 1: 12".
pub fn formula(evaluation: &Evaluation) -> String {
    if evaluation.structures.is_empty() {
        return "the needle ignites no block".into();
    }
    match evaluation.describe_bonus() {
        Some(bonus) => format!(
            "{}; {bonus}: {} + {} = {}",
            evaluation.describe_sum(),
            evaluation.base,
            evaluation.bonus,
            evaluation.value
        ),
        None => evaluation.describe_sum(),
    }
}

/// Why nothing ignites, and what to do.
pub fn error_text(error: &IgnitionError) -> String {
    match error {
        IgnitionError::Colors { colors, .. } => {
            let names: Vec<&str> = colors.iter().map(|color| color.name()).collect();
            format!("The needle touches {}. Select its colour", names.join(" and "))
        }
        IgnitionError::Empty(at) => format!("No block to ignite at {}", place(*at)),
        IgnitionError::Mixed { place: at, color, first } => format!(
            "The block at {} is {color}, but the first is {first}. A needle ignites one colour",
            place(*at)
        ),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pochi::{Rules, Ruleset, evaluate};

    #[test]
    fn formulas_end_with_the_value() {
        let field = Field::from_text("..R.\nRRRR\n.R..").unwrap();
        let report = |blocks: &[(u8, u8)], ruleset| {
            let blocks = blocks.iter().map(|(x, y)| GridCell::new(*x, *y)).collect();
            formula(&evaluate(&field, &Ignition::Blocks(blocks), ruleset, Rules::default()).unwrap())
        };
        let mvs = report(&[(0, 1)], Ruleset::Mvs);
        assert_eq!(mvs, "3 + 4 + 4 = 11; 4 % x 3 tails of 11 = 1.32, rounded down to 1: 11 + 1 = 12");
        assert_eq!(report(&[(0, 1)], Ruleset::Ps2), "3 + 4 + 4 = 11");
        let nothing = Ignition::Needle { at: GridCell::new(0, 0), color: Some(Color::Blue) };
        let nothing = evaluate(&field, &nothing, Ruleset::Mvs, Rules::default()).unwrap();
        assert_eq!(formula(&nothing), "the needle ignites no block");
    }

    #[test]
    fn a_needle_between_colours_asks_for_one() {
        let field = Field::from_text("R.B").unwrap();
        let needle = Ignition::Needle { at: GridCell::new(1, 0), color: None };
        let error = evaluate(&field, &needle, Ruleset::Mvs, Rules::default()).expect_err("two colours");
        assert_eq!(error_text(&error), "The needle touches red and blue. Select its colour");
    }
}
