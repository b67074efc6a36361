//! `route --routes`: several routes to choose from.

use super::arguments::{Arguments, Order};
use super::placement::Placement;
use crate::cli::exit::Failure;
use crate::route::export::{ExportError, Listing};
use crate::route::{FrameTable, Outcome, Route};
use crate::text::counted;
use serde::Serialize;
use std::cmp::Reverse;

/// A route with what players choose by.
pub struct Choice {
    pub route: Route,
    pub listing: Listing,
    /// All presses of left, right and the turning buttons.
    taps: usize,
    /// Those of the pair with the most.
    most_taps: usize,
}

/// The JSON of a choice.
#[derive(Serialize)]
pub struct ListedChoice {
    rank: usize,
    pairs_used: usize,
    chain: u32,
    score: u32,
    frames: Option<u32>,
    taps: usize,
    most_taps: usize,
    placements: Vec<Placement>,
}

/// The found routes in the order of the arguments, as many as they ask for.
pub fn ranked(
    outcome: &Outcome,
    arguments: &Arguments,
    table: Option<&FrameTable>,
) -> Result<Vec<Choice>, ExportError> {
    let found = outcome.route.iter().chain(&outcome.others);
    let mut choices = found
        .map(|route| {
            let listing = Listing::of(route, table)?;
            let taps = || listing.steps.iter().map(|step| step.inputs.len());
            let (taps, most_taps) = (taps().sum(), taps().max().unwrap_or(0));
            Ok(Choice { route: route.clone(), listing, taps, most_taps })
        })
        .collect::<Result<Vec<Choice>, ExportError>>()?;
    // Stable: among equals, the better one for the goal stays first.
    match arguments.sort {
        Order::Goal => {}
        Order::Frames => choices.sort_by_key(|choice| choice.listing.frames),
        Order::Points => choices.sort_by_key(|choice| Reverse(choice.route.score)),
        Order::PointsPerFrame => choices.sort_by_key(|choice| {
            let frames = u64::from(choice.listing.frames.unwrap_or(u32::MAX)).max(1);
            // Enough digits to tell any two routes apart that differ.
            Reverse((u64::from(choice.route.score) << 32) / frames)
        }),
        Order::Taps => choices.sort_by(|one, other| {
            let per_pair = |one: &Choice, other: &Choice| one.taps * other.listing.pairs_used;
            per_pair(one, other).cmp(&per_pair(other, one)).then(one.most_taps.cmp(&other.most_taps))
        }),
    }
    choices.truncate(arguments.routes.into());
    Ok(choices)
}

/// The route that `--choose` names; None if there is none at all.
pub fn chosen(choices: &[Choice], number: u8) -> Result<Option<&Choice>, Failure> {
    let found = choices.get(usize::from(number).saturating_sub(1));
    if found.is_none() && !choices.is_empty() {
        let found = counted(choices.len() as u64, "route");
        return Err(Failure::BadInput(format!(
            "--choose {number}: only {found} found; search longer with --seconds"
        )));
    }
    Ok(found)
}

/// The table of the routes.
pub fn table(choices: &[Choice]) -> String {
    let head = ["route", "pairs", "chain", "points", "frames", "taps per pair", "most taps"];
    let rows = choices.iter().zip(1..).map(|(choice, rank)| {
        let pairs = choice.listing.pairs_used;
        vec![
            rank.to_string(),
            pairs.to_string(),
            choice.route.chain.to_string(),
            choice.route.score.to_string(),
            choice.listing.frames.map_or("-".into(), |frames| frames.to_string()),
            tenths(choice.taps, pairs),
            choice.most_taps.to_string(),
        ]
    });
    crate::text::table(&head, &rows.collect::<Vec<_>>())
}

/// A quotient, rounded to a tenth.
fn tenths(number: usize, of: usize) -> String {
    let of = of.max(1);
    let tenths = (number * 10 + of / 2) / of;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The routes as JSON.
pub fn listed(choices: &[Choice]) -> Vec<ListedChoice> {
    let rows = choices.iter().zip(1..).map(|(choice, rank)| ListedChoice {
        rank,
        pairs_used: choice.listing.pairs_used,
        chain: choice.route.chain,
        score: choice.route.score,
        frames: choice.listing.frames,
        taps: choice.taps,
        most_taps: choice.most_taps,
        placements: choice.listing.steps.iter().map(Placement::of).collect(),
    });
    rows.collect()
}
