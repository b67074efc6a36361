//! The prediction, computed from an observation.

use crate::games::mean_bean::live::{Interrupts, Observation, PlayerObservation};
use crate::games::mean_bean::{Dealer, Level, Setup};
use nextscope_boards::puyo::Field;
use nextscope_boards::{POOL_PAIRS, Pair, Pool};
use std::sync::Arc;

/// One player's upcoming pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerPrediction {
    /// The player, 0 or 1.
    pub player: usize,
    /// The level, 0 to 4.
    pub level: Level,
    /// The pool, 0 or 1; None in a mode without pools.
    pub pool: Option<usize>,
    /// Pairs dealt so far; `pairs[0]` has this number.
    pub pairs_dealt: u16,
    /// The pair in play; None before the first deal and in a mode without pools.
    pub current: Option<Pair>,
    /// The upcoming pairs: next, second, third (hidden), and through one cycle of the pool.
    pub pairs: Vec<Pair>,
    /// Whether the opponent wrote the next pairs itself.
    pub own_pairs: bool,
    /// The board, where it can be read.
    pub board: Option<Field>,
    /// Whether the pair in play is falling.
    pub falling: bool,
}

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The players whose objects exist.
    pub players: Vec<PlayerPrediction>,
    /// Mode and stage.
    pub setup: Setup,
    /// The pools in RAM.
    pub pools: [Pool; 2],
    /// Where the vertical interrupt fell into the generations so far.
    pub interrupts: Arc<[Interrupts]>,
}

/// Computes the prediction from the pools in RAM; None while there is no player.
#[must_use]
pub fn predict(observation: &Observation, interrupts: Arc<[Interrupts]>) -> Option<Prediction> {
    if observation.no_round_yet() {
        return None;
    }
    let players = observation.players.iter().enumerate();
    let players: Vec<PlayerPrediction> = players
        .filter_map(|(number, player)| Some(player_prediction(observation, number, player.as_ref()?)))
        .collect();
    let (setup, pools) = (observation.setup, observation.pools);
    (!players.is_empty()).then_some(Prediction { players, setup, pools, interrupts })
}

fn player_prediction(
    observation: &Observation,
    number: usize,
    player: &PlayerObservation,
) -> PlayerPrediction {
    let dealer = Dealer { mode: observation.setup.mode, player: number, level: player.level };
    let pair = |deal_index: u32| dealer.pair(&observation.pools, deal_index);
    let dealt = u32::from(player.pairs_dealt);
    let mut pairs: Vec<Pair> = (dealt..).take(POOL_PAIRS).map_while(pair).collect();
    let own_pairs =
        observation.sets_own_pairs(number) && pairs.first_chunk().is_some_and(|first| *first != player.queue);
    if own_pairs || pairs.is_empty() {
        pairs.splice(0..pairs.len().min(player.queue.len()), player.queue);
    }
    PlayerPrediction {
        player: number,
        level: player.level,
        pool: dealer.pool(),
        pairs_dealt: player.pairs_dealt,
        current: dealt.checked_sub(1).and_then(pair),
        pairs,
        own_pairs,
        board: player.board.and_then(Result::ok),
        falling: player.falling,
    }
}
