//! What an ignition is calculated for.

use super::json_parts::{BuiltStructure, ListedExample};
use crate::cli::exit::Failure;
use crate::pochi::{Color, Field, GridCell, Ignition, Rules};

#[derive(Default)]
pub struct Request {
    pub field: Field,
    pub ignition: Option<Ignition>,
    pub rules: Rules,
    /// Cells that need blocks of other colours.
    pub supports: Vec<GridCell>,
    /// Text to print first.
    pub introduction: String,
    pub example: Option<ListedExample>,
    pub build: Option<BuiltStructure>,
}

impl Request {
    pub fn set_color(&mut self, given: Option<Color>) -> Result<(), Failure> {
        let Some(given) = given else { return Ok(()) };
        match &mut self.ignition {
            Some(Ignition::Needle { color, .. }) => {
                *color = Some(given);
                Ok(())
            }
            _ => Err(Failure::BadInput("--color needs --needle x,y".into())),
        }
    }
}
