//! What an ignition is calculated for.

use super::json_parts::{BuiltStructure, ListedExample};
use crate::cli::exit::Failure;
use crate::pochi::{Color, Field, Ignition, Place, Rules};

/// What is looked at.
pub struct Request {
    pub field: Field,
    pub ignition: Option<Ignition>,
    pub rules: Rules,
    /// Cells that blocks of other colours must stand in.
    pub supports: Vec<Place>,
    /// What is told of it before, for people.
    pub introduction: String,
    /// The example of the document that it is.
    pub example: Option<ListedExample>,
    /// How it was built.
    pub build: Option<BuiltStructure>,
}

impl Request {
    pub fn new((field, ignition): (Field, Option<Ignition>), rules: Rules) -> Self {
        Self {
            field,
            ignition,
            rules,
            supports: Vec::new(),
            introduction: String::new(),
            example: None,
            build: None,
        }
    }

    /// The needle has this colour.
    pub fn set_color(&mut self, given: Option<Color>) -> Result<(), Failure> {
        let Some(given) = given else { return Ok(()) };
        match &mut self.ignition {
            Some(Ignition::Needle { color, .. }) => {
                *color = Some(given);
                Ok(())
            }
            _ => Err(Failure::BadInput("--color is a needle's: give --needle x,y as well".into())),
        }
    }
}
