//! Where a player stands, as the route planner begins from it.

use super::{Forecast, View};
use crate::game::puyo::Pair;
use crate::live::puyo_tsu::{Motion, PlayerForecast};
use crate::puyo::{Field, Rules};

/// A board, and the pairs that will come down on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteStart {
    /// The board without the pair in play: as it stands, or as the chain that goes off will leave it.
    pub field: Field,
    /// The rules that hold for it.
    pub rules: Rules,
    /// The pairs that are to be placed: the one in play first, unless it has come down already.
    pub pairs: Vec<Pair>,
    /// The number of the first of them in the round, from 0.
    pub pair_index: u32,
    /// Whether the board stands like that already.
    pub settled: bool,
}

/// Where a player (0 or 1) stands; None for a game whose boards are not known, or whose groups are of a size that is not
/// modelled. Whether that is so now is for the caller to say: a view keeps the newest data while the connection is lost.
#[must_use]
pub fn route_start(view: &View, player: usize) -> Option<RouteStart> {
    match view.data.as_ref()?.forecast.as_ref()? {
        Forecast::PuyoTsu(forecast) => tsu(forecast.players.get(player)?),
        _ => None,
    }
}

fn tsu(coming: &PlayerForecast) -> Option<RouteStart> {
    let board = coming.board.as_ref()?;
    let in_play = coming.current.filter(|_| board.pair_in_the_air());
    let (field, settled) = match &board.motion {
        Motion::Rests => (board.field, true),
        Motion::Pops(chain) => (chain.after, false),
        Motion::Floats => {
            let mut field = board.field;
            field.settle();
            (field, false)
        }
    };
    let next = u32::from(coming.pairs_dealt);
    Some(RouteStart {
        field,
        rules: board.rules?,
        pair_index: if in_play.is_some() { next.saturating_sub(1) } else { next },
        pairs: in_play.into_iter().chain(coming.pairs.iter().copied()).collect(),
        settled,
    })
}
