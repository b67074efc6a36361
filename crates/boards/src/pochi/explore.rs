//! Alternatives: all needles, and one block more.

use super::evaluate;
use super::field::{Color, Field, GridCell};
use super::ignition::{Ignition, IgnitionError};
use super::rules::{Rules, Ruleset};
use super::sets::{Board, Values};

/// A possible needle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needle {
    /// Its cell.
    pub at: GridCell,
    /// Its colour.
    pub color: Color,
    /// The values.
    pub values: Values,
    /// Whether it would come to rest there: the cell is empty, with the floor or a block below.
    pub rests: bool,
}

/// All needles that touch a block of their colour, the best under `ruleset` first; among equals from the top and left to right.
pub fn rank(field: &Field, ruleset: Ruleset, rules: Rules) -> Vec<Needle> {
    let mut needles = Vec::new();
    let board = Board::new(field);
    for at in field.places() {
        let rests = field.is_rest(at);
        if let Some(board) = &board {
            for color in board.colors_beside(at) {
                needles.push(Needle { at, color, values: board.needle(at, color, rules), rests });
            }
        } else {
            let touches = |color: &Color| {
                [(0, -1), (-1, 0), (1, 0), (0, 1)].into_iter().any(|(right, down)| {
                    at.moved(right, down).is_some_and(|beside| field.get(beside) == Some(*color))
                })
            };
            for color in Color::ALL.into_iter().filter(touches) {
                if let Ok(values) = values(field, &Ignition::Needle { at, color: Some(color) }, rules) {
                    needles.push(Needle { at, color, values, rests });
                }
            }
        }
    }
    // The sort is stable, so equals stay in cell order.
    needles.sort_by_key(|needle| std::cmp::Reverse(needle.values.under(ruleset)));
    needles
}

/// The values of the ignition with one more block of its colour, for every empty cell except the needle's.
///
/// # Errors
/// [`IgnitionError`]; the result is empty for a needle without a colour that touches nothing.
pub fn one_more(
    field: &Field,
    ignition: &Ignition,
    rules: Rules,
) -> Result<Vec<(GridCell, Values)>, IgnitionError> {
    let started = ignition.start(field, rules)?;
    let Some(color) = started.color else { return Ok(Vec::new()) };
    let ignition = match ignition {
        Ignition::Needle { at, .. } => Ignition::Needle { at: *at, color: Some(color) },
        Ignition::Blocks(_) => ignition.clone(),
    };
    let board = Board::new(field);
    let mut all = Vec::new();
    for place in field.places().filter(|place| field.get(*place).is_none() && started.needle != Some(*place))
    {
        let values = match (&board, &ignition) {
            (Some(board), Ignition::Needle { at, .. }) => board.with(place, color).needle(*at, color, rules),
            _ => {
                let mut more = field.clone();
                more.set(place, Some(color));
                values(&more, &ignition, rules)?
            }
        };
        all.push((place, values));
    }
    Ok(all)
}

/// The values of an ignition, in a field of any size.
fn values(field: &Field, ignition: &Ignition, rules: Rules) -> Result<Values, IgnitionError> {
    if let Some(values) = Board::values(field, ignition, rules)? {
        return Ok(values);
    }
    let value = |ruleset| evaluate::value(field, ignition, ruleset, rules);
    Ok(Values { mvs: value(Ruleset::Mvs)?, ps2: value(Ruleset::Ps2)? })
}

impl Values {
    /// The value under a ruleset.
    pub fn under(self, ruleset: Ruleset) -> u32 {
        match ruleset {
            Ruleset::Mvs => self.mvs,
            Ruleset::Ps2 => self.ps2,
        }
    }
}
