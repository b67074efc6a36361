//! `route --routes`: several routes to choose from.

use super::arguments::Arguments;
use super::placement::Placement;
use crate::cli::exit::Failure;
use crate::route::export::{ExportError, Listing};
use crate::route::{Choice, ChoiceOrder, FrameTable, Outcome};
use crate::text::counted;
use serde::Serialize;

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

/// Refuses an order for which times are missing.
pub fn check_order(arguments: &Arguments, table: Option<&FrameTable>) -> Result<(), Failure> {
    if ChoiceOrder::from(arguments.sort).needs_frames() && table.is_none() {
        let what = "--sort frames and points-per-frame need a profile with a frame table: give --profile";
        return Err(Failure::BadInput(what.into()));
    }
    Ok(())
}

/// The found routes in the order of the arguments, as many as they ask for.
pub fn ranked(
    outcome: &Outcome,
    arguments: &Arguments,
    table: Option<&FrameTable>,
) -> Result<Vec<Choice>, ExportError> {
    let found = outcome.route.iter().chain(&outcome.others);
    Ok(crate::route::ranked(found, arguments.sort.into(), table, arguments.routes.into())?)
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
        vec![
            rank.to_string(),
            choice.route.steps.len().to_string(),
            choice.route.chain.to_string(),
            choice.route.score.to_string(),
            choice.frames.map_or("-".into(), |frames| frames.to_string()),
            choice.taps_per_pair(),
            choice.most_taps.to_string(),
        ]
    });
    crate::text::table(&head, &rows.collect::<Vec<_>>())
}

/// The routes as JSON.
pub fn listed(choices: &[Choice], table: Option<&FrameTable>) -> Result<Vec<ListedChoice>, ExportError> {
    let rows = choices.iter().zip(1..).map(|(choice, rank)| {
        let listing = Listing::of(&choice.route, table)?;
        Ok(ListedChoice {
            rank,
            pairs_used: listing.pairs_used,
            chain: choice.route.chain,
            score: choice.route.score,
            frames: choice.frames,
            taps: choice.taps,
            most_taps: choice.most_taps,
            placements: listing.steps.iter().map(Placement::of).collect(),
        })
    });
    rows.collect()
}
