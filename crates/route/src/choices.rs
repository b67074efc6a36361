//! Several routes to one goal, in an order to choose from.

use super::frames::{FrameTable, Frames};
use super::inputs::{UnreachablePlacement, find_all_inputs};
use super::steps::Route;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// A route with what players choose by.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The route.
    pub route: Route,
    /// Total frames; None without a frame table.
    pub frames: Option<u32>,
    /// All presses of left, right and the turning buttons.
    pub taps: usize,
    /// Those of the pair with the most.
    pub most_taps: usize,
}

/// What comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ChoiceOrder {
    /// The best for the goal.
    #[default]
    Goal,
    /// The shortest time.
    Frames,
    /// The most points.
    Points,
    /// The most points in relation to the time.
    PointsPerFrame,
    /// The fewest taps per pair.
    Taps,
}

impl ChoiceOrder {
    /// Whether it needs a frame table.
    pub fn needs_frames(self) -> bool {
        matches!(self, Self::Frames | Self::PointsPerFrame)
    }
}

impl Choice {
    fn of(route: &Route, table: Option<&FrameTable>) -> Result<Self, UnreachablePlacement> {
        let inputs = find_all_inputs(route)?;
        let frames = table.map(|table| {
            let costs = route.steps.iter().zip(&inputs);
            costs.map(|(step, inputs)| table.cost(step, inputs, route.rules)).map(Frames::total).sum()
        });
        let taps = || inputs.iter().map(|inputs| inputs.taps.len());
        let (taps, most_taps) = (taps().sum(), taps().max().unwrap_or(0));
        Ok(Self { route: route.clone(), frames, taps, most_taps })
    }

    /// Taps per pair, rounded to a tenth.
    pub fn taps_per_pair(&self) -> String {
        let pairs = self.route.steps.len().max(1);
        let tenths = (self.taps * 10 + pairs / 2) / pairs;
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

/// The first `most` routes in this order. They come in the order of the goal, which also decides among equals.
///
/// # Errors
/// If no inputs bring a pair to its placement.
pub fn ranked<'a>(
    routes: impl IntoIterator<Item = &'a Route>,
    order: ChoiceOrder,
    table: Option<&FrameTable>,
    most: usize,
) -> Result<Vec<Choice>, UnreachablePlacement> {
    let choices = routes.into_iter().map(|route| Choice::of(route, table));
    let mut choices = choices.collect::<Result<Vec<Choice>, _>>()?;
    match order {
        ChoiceOrder::Goal => {}
        ChoiceOrder::Frames => choices.sort_by_key(|choice| choice.frames),
        ChoiceOrder::Points => choices.sort_by_key(|choice| Reverse(choice.route.score)),
        ChoiceOrder::PointsPerFrame => choices.sort_by_key(|choice| {
            let frames = u64::from(choice.frames.unwrap_or(u32::MAX)).max(1);
            // Enough digits to tell any two routes apart that differ.
            Reverse((u64::from(choice.route.score) << 32) / frames)
        }),
        ChoiceOrder::Taps => choices.sort_by(|one, other| {
            let per_pair = |one: &Choice, other: &Choice| one.taps * other.route.steps.len();
            per_pair(one, other).cmp(&per_pair(other, one)).then(one.most_taps.cmp(&other.most_taps))
        }),
    }
    choices.truncate(most);
    Ok(choices)
}
