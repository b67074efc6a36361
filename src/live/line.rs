//! The live state as one JSON object: a line of `watch --json`, and what `serve` sends.

mod players;

use super::{Check, Connection, Data, Mismatch, Observation, PredictionView, Totals, View};
use crate::games::GameId;
use crate::json::{ColorOrder, Envelope, Kind, Pool};
use crate::profile::Profile;
use nextscope_boards::PoolId;
use players::Player;
use serde::Serialize;

/// The live state. `docs/json.md` documents each key.
#[derive(Serialize, PartialEq)]
pub struct Line<'a> {
    connection: &'static str,
    reason: Option<&'a str>,
    pid: Option<u32>,
    emulator: Option<&'a str>,
    profile: Option<&'a str>,
    frame: u64,
    /// The number of the sample, in a replay.
    sample: Option<u64>,
    /// Milliseconds since the RAM was read.
    age_ms: Option<u64>,
    /// The players' predictions, in the same format for every game.
    players: Vec<Player>,
    /// The pools in RAM.
    pools: Vec<Pool>,
    /// What a round that started now would deal.
    if_started_now: Option<Start>,
    /// The values that only this game has; None while its fields cannot be read.
    game: Option<Details>,
    checks: &'a [Check],
    totals: Totals,
    mismatch: Option<&'a Mismatch>,
}

/// What a round that started now would deal.
#[derive(Serialize, PartialEq)]
struct Start {
    seed: String,
    state_after: String,
    color_order: ColorOrder,
    /// The first pairs that each pool would deal.
    pools: Vec<Pool>,
}

/// The state of a view, with at most `most` upcoming pairs or pieces of each player and optionally a mismatch.
pub fn line<'a>(view: &'a View, most: usize, mismatch: Option<&'a Mismatch>) -> Envelope<Line<'a>> {
    let profile = view.target.as_ref().map(|target| target.profile.as_ref());
    line_of(view, profile, most, mismatch)
}

/// The same for RAM without an attached process, read with this profile.
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
    let prediction = data.and_then(|data| data.prediction.as_ref());
    let empty = PredictionView::default();
    let shown = data.and_then(Data::view).unwrap_or(&empty);
    let coding = observation.and_then(Observation::coding);
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
        players: players::all(shown, coding, most),
        pools: pools.collect(),
        if_started_now: start(shown, most),
        game: observation
            .map(|observation| Details { id: game.map(GameId::id), values: observation.details(prediction) }),
        checks: data.map_or(&[], |data| &data.verdict.checks),
        totals: view.totals,
        mismatch,
    };
    Envelope::new(Kind::Live, body)
}

/// The game and its own values, in addition to players, pools and checks.
#[derive(Serialize, PartialEq)]
struct Details {
    /// The game's id; None without a profile.
    id: Option<&'static str>,
    #[serde(flatten)]
    values: serde_json::Value,
}

fn start(shown: &PredictionView, most: usize) -> Option<Start> {
    let start = shown.start.as_ref()?;
    let pool =
        |(id, pairs): &(PoolId, Vec<_>)| Pool::new(*id, pairs.iter().copied().take(most), Some(start.coding));
    Some(Start {
        seed: start.seed.clone(),
        state_after: start.state_after.clone(),
        color_order: start.color_order.clone(),
        pools: start.pools.iter().map(pool).collect(),
    })
}
