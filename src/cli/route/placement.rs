//! A placement in JSON.

use crate::puyo::Rotation;
use crate::route::export::ListedPair;
use serde::Serialize;

#[derive(Serialize)]
pub struct Placement {
    pub pair: String,
    pub column: usize,
    pub rotation: Rotation,
    /// None if nothing is pressed, if it depends on the columns of garbage, and for routes of `--seeds`.
    pub inputs: Option<String>,
}

impl Placement {
    pub fn of(step: &ListedPair) -> Self {
        Self {
            pair: step.pair.clone(),
            column: step.column,
            rotation: step.rotation,
            inputs: Some(step.inputs.clone()).filter(|inputs| step.inputs_certain && !inputs.is_empty()),
        }
    }
}
