//! The display format of the games.

use crate::games::mean_bean::live::{Interrupts, Observation, PlayerPrediction, Prediction};
use crate::games::mean_bean::{Setup, pool_pair};
use crate::games::puyo_tsu::live::Chain as PredictedChain;
use crate::json::Coding;
use crate::live::{
    Board, Chain, FirstPairs, GameObservation, GamePrediction, Player, Pool, PredictionView, RouteStart,
};
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Pair, PoolId};
use serde::Serialize;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        PredictionView {
            players: prediction.players.iter().map(|player| player_view(self, player)).collect(),
            pools: pool_views(self.setup, &self.pools),
            first_pairs: FirstPairs { count: 3, pool: None },
            note: note(self, prediction),
            ..PredictionView::default()
        }
    }

    fn without_prediction(&self) -> String {
        format!("Generator state: {}", self.state)
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details<'a> {
            state: String,
            mode: u8,
            stage: u8,
            /// Of both players, 1 to 5.
            levels: [Option<u8>; 2],
            interrupts: &'a [Interrupts],
        }
        crate::json::value(&Details {
            state: self.state.to_string(),
            mode: self.setup.mode,
            stage: self.setup.stage,
            levels: self.players.each_ref().map(|player| Some(player.as_ref()?.level.0.saturating_add(1))),
            interrupts: prediction.map_or(&[], |prediction| &prediction.interrupts),
        })
    }

    fn same_pools(&self, other: &Self) -> bool {
        self.pools == other.pools
    }

    fn round_key(&self) -> Vec<u8> {
        self.pools[0][..16].to_vec()
    }

    fn coding(&self) -> Option<Coding> {
        Some(Coding::Colors)
    }

    fn board_rules(&self) -> Option<Rules> {
        Some(Rules::FIRST)
    }
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        self.players == other.players && self.setup == other.setup
    }

    fn route_start(&self, player: usize) -> Option<RouteStart> {
        let coming = self.players.iter().find(|one| one.player == player)?;
        let board = coming.board?;
        let chain = PredictedChain::on(&board, Rules::FIRST);
        let mut field = chain.as_ref().map_or(board, |chain| chain.after);
        field.settle();
        // Without a pool the pair in play is unknown, and so is the position.
        let in_play = if coming.falling { Some(coming.current?) } else { None };
        let next = u32::from(coming.pairs_dealt);
        Some(RouteStart {
            settled: field == board,
            field,
            rules: Rules::FIRST,
            in_play: in_play.is_some(),
            pair_index: if in_play.is_some() { next.saturating_sub(1) } else { next },
            pairs: in_play.into_iter().chain(coming.pairs.iter().copied()).collect(),
        })
    }
}

/// The pools of a round.
pub fn pool_views(setup: Setup, pools: &[nextscope_boards::Pool; 2]) -> Vec<Pool> {
    let pools = pool_ids(setup).into_iter().zip(pools);
    pools.map(|(id, pool)| Pool { id, pairs: pairs(pool) }).collect()
}

/// The names of the pools by their colours: the story has the same pool twice.
fn pool_ids(setup: Setup) -> [PoolId; 2] {
    setup.colors().map(|colors| PoolId::of_colors(colors).unwrap_or(PoolId::Five))
}

fn pairs(bytes: &[u8]) -> Vec<Pair> {
    bytes.chunks_exact(2).map(|pair| Pair::from_bytes(pair[0], pair[1])).collect()
}

fn player_view(observation: &Observation, coming: &PlayerPrediction) -> Player {
    let last = coming.pairs_dealt.checked_sub(1).map(u32::from);
    let position = match (last, coming.pool) {
        (None, _) => "Before the first pair of the round".into(),
        (Some(_), None) => format!("Pair {}", coming.pairs_dealt),
        (Some(last), Some(_)) => {
            format!("Pair {} of the round, position {} of 128", coming.pairs_dealt, pool_pair(last) + 1)
        }
    };
    let ids = pool_ids(observation.setup);
    let mut captions = Vec::new();
    if observation.setup.is_versus() || coming.pool.is_none() {
        captions.push(format!("level {}", u32::from(coming.level.0) + 1));
    }
    captions.push(coming.pool.map_or_else(|| "no pool".into(), |pool| ids[pool].to_string()));
    let player = observation.players[coming.player].as_ref();
    Player {
        title: format!("Player {}", coming.player + 1),
        captions,
        current: coming.current,
        pairs: coming.pairs.clone(),
        names: &["next", "second", "hidden"],
        dealt: Some(coming.pairs_dealt),
        position,
        pool: coming.pool,
        pool_position: last.and_then(|last| Some((coming.pool?, pool_pair(last)))),
        boards: Vec::new(),
        lying: false,
        score: player.map(|player| player.score),
        board: player.and_then(|player| player.board).map(|board| {
            board.map_err(|error| error.to_string()).map(|field| {
                let chain = PredictedChain::on(&field, Rules::FIRST);
                let chain =
                    chain.map(|chain| Chain { steps: chain.steps.len(), done: 0, points: chain.points() });
                Board { field, chain }
            })
        }),
    }
}

fn note(observation: &Observation, prediction: &Prediction) -> Option<String> {
    if let Some(player) = prediction.players.iter().find(|player| player.own_pairs) {
        return Some(format!("Player {}: opponent set its own pairs", player.player + 1));
    }
    match observation.setup.mode & 3 {
        0 | 1 => None,
        2 => Some("This mode has no pool: a pair is drawn when it enters the queue".into()),
        _ => Some(format!("Mode {} is not modelled", observation.setup.mode)),
    }
}
