//! A route read from a JSON file.

use crate::pairs_from_letters;
use nextscope_boards::Pair;
use nextscope_boards::puyo::{Field, Placement, Rotation, field_from_rows};
use serde::Deserialize;

/// A pair of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedPair {
    /// The pair.
    pub pair: Pair,
    /// Where it is placed.
    pub placement: Placement,
    /// The board after its chain and garbage.
    pub after: Field,
    /// Whether garbage falls or waits after it.
    pub garbage_falls: bool,
    /// Whether the board does not depend on columns that the game draws.
    pub is_certain: bool,
    /// Frames from when the first pair can be moved until this one can.
    pub at_frame: Option<u32>,
}

/// A planned route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRoute {
    /// The board before the first pair.
    pub start: Field,
    /// The pairs.
    pub pairs: Vec<PlannedPair>,
}

/// Why a file is not a route.
#[derive(Debug, thiserror::Error)]
pub enum RouteFileError {
    /// Not JSON, or keys are missing.
    #[error("not a route as JSON ({0}): write one with `nextscope route ... --out FILE.json`")]
    Json(#[from] serde_json::Error),
    /// JSON without the boards.
    #[error(
        "the route has no boards to compare with: write it with `nextscope route ... --out FILE.json`, or with --json and --steps"
    )]
    NoSteps,
    /// A route without pairs.
    #[error("the route has no pairs, so there is nothing to compare")]
    NoPairs,
    /// An invalid board before the first pair.
    #[error("the first board of the route is invalid: {0}")]
    Start(String),
    /// An invalid pair.
    #[error("pair {0} of the route is invalid: {1}")]
    Pair(usize, String),
}

#[derive(Deserialize)]
struct RouteFile {
    start: Option<Board>,
    steps: Option<Vec<Step>>,
}

#[derive(Deserialize)]
struct Board {
    rows: Vec<String>,
}

#[derive(Deserialize)]
struct Step {
    pair: String,
    column: usize,
    rotation: Rotation,
    garbage: Garbage,
    after: Board,
    boards_certain: bool,
    at_frame: Option<u32>,
}

#[derive(Deserialize)]
struct Garbage {
    fell: u32,
    waiting: u32,
}

impl PlannedRoute {
    /// Reads what `route --out FILE.json` writes, or `route --json --steps`.
    ///
    /// # Errors
    /// [`RouteFileError`].
    pub fn parse(text: &str) -> Result<Self, RouteFileError> {
        let RouteFile { start: Some(start), steps: Some(steps) } = serde_json::from_str(text)? else {
            return Err(RouteFileError::NoSteps);
        };
        let start = field_from_rows(&start.rows).map_err(|error| RouteFileError::Start(error.to_string()))?;
        let pairs = steps
            .iter()
            .zip(1..)
            .map(|(step, number)| step.pair().map_err(|error| RouteFileError::Pair(number, error)));
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        if pairs.is_empty() { Err(RouteFileError::NoPairs) } else { Ok(Self { start, pairs }) }
    }
}

impl Step {
    fn pair(&self) -> Result<PlannedPair, String> {
        let pairs = pairs_from_letters(&self.pair).map_err(|error| error.to_string())?;
        let [pair] = pairs[..] else { return Err(format!("{} is not one pair", self.pair)) };
        let placement = self.column.checked_sub(1).and_then(|column| Placement::new(column, self.rotation));
        let placement = placement.ok_or_else(|| {
            format!("column {} with the child {} is not on the board", self.column, self.rotation.name())
        })?;
        Ok(PlannedPair {
            pair,
            placement,
            after: field_from_rows(&self.after.rows).map_err(|error| error.to_string())?,
            garbage_falls: self.garbage.fell + self.garbage.waiting > 0,
            is_certain: self.boards_certain,
            at_frame: self.at_frame,
        })
    }
}
