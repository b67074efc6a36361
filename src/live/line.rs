//! The live state as one object for programs: a line of `watch --json`, and what `serve` sends.

mod details;
mod players;

use super::{Check, Connection, Forecast, Mismatch, Observation, Shown, Totals, View};
use crate::game::GameId;
use crate::game::puyo::PoolId;
use crate::json::{Coding, ColorOrder, Envelope, Kind, Pool};
use crate::profile::Profile;
use details::Details;
use players::Player;
use serde::Serialize;

/// The live state. `docs/json.md` tells what each name means.
#[derive(Serialize, PartialEq)]
pub struct Line<'a> {
    connection: &'static str,
    reason: Option<&'a str>,
    pid: Option<u32>,
    emulator: Option<&'a str>,
    profile: Option<&'a str>,
    frame: u64,
    /// Of a recording: the number of the sample.
    sample: Option<u64>,
    /// How long ago the RAM was read, in milliseconds.
    age_ms: Option<u64>,
    /// What each player gets, in the same shape for every game.
    players: Vec<Player>,
    /// The pools in RAM.
    pools: Vec<Pool>,
    /// The round that would begin if the generator ran now.
    if_started_now: Option<Start>,
    /// What only this game has; None while nothing is read.
    game: Option<Details>,
    checks: &'a [Check],
    totals: Totals,
    mismatch: Option<&'a Mismatch>,
}

/// The round that would begin if the generator ran now.
#[derive(Serialize, PartialEq)]
struct Start {
    seed: String,
    state_after: String,
    color_order: ColorOrder,
    /// The first pairs that each pool would deal, in their order.
    pools: Vec<Pool>,
}

/// The state that a view shows, with so many coming pairs or pieces of each player, and a mismatch that is to be told with it.
#[must_use]
pub fn line<'a>(view: &'a View, most: usize, mismatch: Option<&'a Mismatch>) -> Envelope<Line<'a>> {
    let profile = view.target.as_ref().map(|target| target.profile.as_ref());
    line_of(view, profile, most, mismatch)
}

/// The same of RAM that nothing is attached to, as this profile reads it.
#[must_use]
pub fn line_of<'a>(
    view: &'a View,
    profile: Option<&'a Profile>,
    most: usize,
    mismatch: Option<&'a Mismatch>,
) -> Envelope<Line<'a>> {
    let current = matches!(
        view.connection,
        Connection::Live | Connection::Paused { .. } | Connection::Replaying { .. }
    );
    let data = view.data.as_ref().filter(|_| current);
    let observation = data.and_then(|data| data.observation.as_ref().ok());
    let forecast = data.and_then(|data| data.forecast.as_ref());
    let shown = data.and_then(Shown::of).unwrap_or_default();
    let coding = observation.and_then(coding);
    let pools = shown.pools.iter().map(|pool| Pool::new(pool.id, pool.pairs.iter().copied(), coding));
    let game = profile.map(|profile| profile.game);
    let body = Line {
        connection: view.connection.word(),
        reason: match &view.connection {
            Connection::Lost { why, .. } => Some(why),
            _ => None,
        },
        pid: view.target.as_ref().map(|target| target.pid.0),
        emulator: view.target.as_ref().map(|target| target.identity.name.as_str()),
        profile: profile.map(|profile| profile.id.as_str()),
        frame: data.map_or(0, |data| data.frame),
        sample: view.replay.as_ref().map(|replay| replay.index),
        age_ms: data.map(|data| u64::try_from(data.taken.elapsed().as_millis()).unwrap_or(u64::MAX)),
        players: players::all(&shown, observation, forecast, coding, most),
        pools: pools.collect(),
        if_started_now: forecast.and_then(|forecast| start(forecast, &shown, most)),
        game: observation.map(|seen| Details::new(game.map(GameId::id), seen, forecast)),
        checks: data.map_or(&[], |data| &data.verdict.checks),
        totals: view.totals,
        mismatch,
    };
    Envelope::new(Kind::Live, body)
}

/// How the game writes a pair; None where it is not known.
fn coding(seen: &Observation) -> Option<Coding> {
    match seen {
        Observation::PuyoTsu(_) => Some(Coding::Colors),
        Observation::Puyo20th(seen) => {
            let block = seen.block.as_ref().ok()?;
            crate::game::puyo_20th::ColorMap::from_cells(block.map_cells).map(Coding::Mapped)
        }
        _ => None,
    }
}

fn start(forecast: &Forecast, shown: &Shown, most: usize) -> Option<Start> {
    let (seed, state_after, color_order, coding) = match forecast {
        Forecast::PuyoTsu(forecast) => {
            let round = &forecast.if_now;
            let order = ColorOrder::of_set(&round.color_set);
            (round.before.to_string(), round.after.to_string(), order, Coding::Colors)
        }
        Forecast::Puyo20th(forecast) => {
            let round = &forecast.if_now;
            let order = ColorOrder::of_map(round.color_map);
            (format!("0x{:04X}", round.seed), round.after.to_string(), order, Coding::Mapped(round.color_map))
        }
        _ => return None,
    };
    let first = shown.start.as_ref()?.pools.iter();
    let pool =
        |(id, pairs): &(PoolId, Vec<_>)| Pool::new(*id, pairs.iter().copied().take(most), Some(coding));
    Some(Start { seed, state_after, color_order, pools: first.map(pool).collect() })
}
