//! The prediction, computed from an observation.

use crate::games::puyo_tsu::live::board::{BoardPrediction, rules};
use crate::games::puyo_tsu::live::{Observation, PlayerObservation};
use crate::games::puyo_tsu::{Dealer, Level, POOL_PAIRS, Pair, PoolId, Round, Setup, generate, pool_pair};
use std::sync::Arc;

/// One player's upcoming pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerPrediction {
    /// The level, 0 to 4.
    pub level: Level,
    /// The pool from which pairs are drawn from the fourth on; None for a level or mode that is not modelled.
    pub pool: Option<PoolId>,
    /// Pairs dealt so far; `pairs[0]` has this number.
    pub pairs_dealt: u16,
    /// The pair in play: the one dealt last. None before the first deal.
    pub current: Option<Pair>,
    /// The upcoming pairs: next, second, third (hidden), and so on through one cycle of the pool.
    pub pairs: Vec<Pair>,
    /// The board and its prediction; None when the profile lacks its address or it has an invalid cell.
    pub board: Option<BoardPrediction>,
}

impl PlayerPrediction {
    /// The index in the pool, 0 to 127, of the upcoming pair number `ahead`.
    pub fn pool_pair(&self, ahead: usize) -> usize {
        pool_pair(u32::from(self.pairs_dealt) + u32::try_from(ahead).unwrap_or(0))
    }
}

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// Both players.
    pub players: [PlayerPrediction; 2],
    /// The round that would start with the current state.
    pub if_now: Arc<Round>,
    /// The setup of that round.
    pub setup: Setup,
}

/// Computes the prediction. Pairs come from the pools in RAM; the verdict states whether those match the model.
/// `pools_setup` is the setup with which they were generated, if known; `before` is an earlier prediction, whose
/// unchanged parts are reused.
pub fn predict(
    observation: &Observation,
    pools_setup: Option<Setup>,
    before: Option<&Prediction>,
) -> Prediction {
    let setup = observation.setup;
    // The state rarely changes.
    let known = before.filter(|old| old.if_now.before == observation.state && old.setup == setup);
    let if_now = match known {
        Some(old) => Arc::clone(&old.if_now),
        None => Arc::new(generate(observation.state, setup)),
    };
    let mode = pools_setup.unwrap_or(setup).mode;
    let player = |number| {
        let before = before.map(|before| &before.players[number]);
        player_forecast(observation, mode, &observation.players[number], before)
    };
    Prediction { players: [0, 1].map(player), if_now, setup }
}

fn player_forecast(
    observation: &Observation,
    mode: u8,
    player: &PlayerObservation,
    before: Option<&PlayerPrediction>,
) -> PlayerPrediction {
    let dealer = Dealer { mode, level: player.level, dealing: observation.dealing };
    let pair = |deal_index: u32| dealer.pair(&observation.pools, deal_index);
    let dealt = u32::from(player.pairs_dealt);
    let coming = dealt..dealt + u32::try_from(POOL_PAIRS).unwrap_or(0);
    let same_pair = before.filter(|before| before.pairs_dealt == player.pairs_dealt);
    let board = player.board.as_ref().and_then(|board| board.as_ref().ok()).map(|field| {
        let before = same_pair.and_then(|before| before.board.as_ref());
        BoardPrediction::new(*field, rules(observation.setup.pop_count), before)
    });
    let mut pairs = Vec::with_capacity(POOL_PAIRS);
    pairs.extend(coming.filter_map(pair));
    PlayerPrediction {
        level: player.level,
        pool: dealer.pool(3),
        pairs_dealt: player.pairs_dealt,
        current: dealt.checked_sub(1).and_then(pair),
        pairs,
        board,
    }
}
