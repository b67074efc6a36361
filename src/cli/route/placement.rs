//! A placement in JSON.

use crate::puyo::Rotation;
use serde::Serialize;

#[derive(Serialize)]
pub struct Placement {
    pub pair: String,
    pub column: usize,
    pub rotation: Rotation,
    /// None if nothing is pressed, and for routes of `--seeds`.
    pub inputs: Option<String>,
}
