//! The blocks that a needle ignites.

use super::field::{Color, Field, GridCell};
use super::rules::{NeedleRule, RuleQuestion, Rules};

use std::cmp::Ordering;

/// The most blocks that a needle can touch and ignite.
pub const MAX_STARTS: usize = 4;

/// The trigger of an ignition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ignition {
    /// A needle in a cell. A block in that cell is removed.
    Needle {
        /// The cell.
        at: GridCell,
        /// The needle's colour; `None` for the colour of the blocks that it touches, which must then all have the same colour.
        color: Option<Color>,
    },
    /// These blocks, wherever the needle is.
    Blocks(Vec<GridCell>),
}

/// Why an ignition is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum IgnitionError {
    #[error(
        "{place} is outside the field, which has {width} columns and {height} rows, both counted from 0 at the top left"
    )]
    Outside { place: GridCell, width: u8, height: u8 },
    #[error("the needle at {at} touches {}: give its colour", names(colors))]
    Colors { at: GridCell, colors: Vec<Color> },
    #[error("no block is listed: give one to {MAX_STARTS}, as x,y;x,y")]
    None,
    #[error("{0} blocks are listed; a needle touches at most {MAX_STARTS}")]
    Many(usize),
    #[error("there is no block at {0}")]
    Empty(GridCell),
    #[error("the block at {place} is {color}, the first one is {first}; a needle ignites one colour")]
    Mixed { place: GridCell, color: Color, first: Color },
}

fn names(colors: &[Color]) -> String {
    let names: Vec<&str> = colors.iter().map(|color| color.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// The ignited blocks, and the cells that their waves can pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct IgnitionStart {
    /// Their colour; `None` if the needle touches no block of its colour.
    pub color: Option<Color>,
    /// The blocks, in the listed order, or from the top and left to right.
    pub starts: Vec<GridCell>,
    /// A cell without waves even if it has a block: the needle's cell.
    pub needle: Option<GridCell>,
    /// Whether a block of the needle's colour is above it.
    pub above: bool,
}

impl Ignition {
    pub(super) fn start(&self, field: &Field, rules: Rules) -> Result<IgnitionStart, IgnitionError> {
        let inside = |place: GridCell| {
            if field.has(place) {
                return Ok(());
            }
            Err(IgnitionError::Outside { place, width: field.width(), height: field.height() })
        };
        match self {
            Self::Needle { at, color } => {
                inside(*at)?;
                let touched: Vec<(GridCell, Color)> = [(0, -1), (-1, 0), (1, 0), (0, 1)]
                    .into_iter()
                    .filter_map(|(right, down)| at.moved(right, down))
                    .filter_map(|place| Some((place, field.get(place)?)))
                    .collect();
                let color = match color {
                    Some(color) => Some(*color),
                    None => one_color(*at, &touched)?,
                };
                let above = touched.iter().any(|(place, block)| place.y < at.y && Some(*block) == color);
                let ignites = |place: GridCell| place.y >= at.y || rules.is_first(RuleQuestion::BlockAbove);
                let starts: Vec<GridCell> = touched
                    .iter()
                    .filter(|(place, block)| Some(*block) == color && ignites(*place))
                    .map(|(place, _)| *place)
                    .collect();
                if rules.needle() == NeedleRule::One {
                    let rank = |place: &GridCell| match (place.y.cmp(&at.y), place.x.cmp(&at.x)) {
                        (Ordering::Greater, _) => 0,
                        (Ordering::Equal, Ordering::Less) => 1,
                        (Ordering::Equal, _) => 2,
                        (Ordering::Less, _) => 3,
                    };
                    let others =
                        touched.iter().any(|(place, block)| place.y >= at.y && Some(*block) == color);
                    let first = starts.into_iter().min_by_key(rank);
                    let starts = first.into_iter().collect();
                    return Ok(IgnitionStart { color, starts, needle: Some(*at), above: above && !others });
                }
                Ok(IgnitionStart { color, starts, needle: Some(*at), above })
            }
            Self::Blocks(blocks) => {
                let mut starts: Vec<GridCell> = Vec::new();
                for place in blocks {
                    inside(*place)?;
                    if !starts.contains(place) {
                        starts.push(*place);
                    }
                }
                if starts.len() > MAX_STARTS {
                    return Err(IgnitionError::Many(starts.len()));
                }
                let mut color = None;
                for place in &starts {
                    let block = field.get(*place).ok_or(IgnitionError::Empty(*place))?;
                    let first = *color.get_or_insert(block);
                    if block != first {
                        return Err(IgnitionError::Mixed { place: *place, color: block, first });
                    }
                }
                if color.is_none() {
                    return Err(IgnitionError::None);
                }
                Ok(IgnitionStart { color, starts, needle: None, above: false })
            }
        }
    }
}

fn one_color(at: GridCell, touched: &[(GridCell, Color)]) -> Result<Option<Color>, IgnitionError> {
    let mut colors: Vec<Color> = touched.iter().map(|(_, color)| *color).collect();
    colors.sort_unstable();
    colors.dedup();
    match colors[..] {
        [] => Ok(None),
        [color] => Ok(Some(color)),
        _ => Err(IgnitionError::Colors { at, colors }),
    }
}
