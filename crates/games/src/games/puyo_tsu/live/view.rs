//! The display format of the game.

use crate::games::puyo_tsu::live::{Motion, Observation, PlayerObservation, PlayerPrediction, Prediction};
use crate::games::puyo_tsu::{Dealing, Round, Setup, State, generate, pool_pair};
use crate::json::{Coding, ColorOrder};
use crate::live::prediction_view::PREVIEW;
use crate::live::{
    Board, Chain, FirstPairs, GameObservation, GamePrediction, Player, Pool, PredictionView, RouteStart,
    Start,
};
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Pair, PoolId};
use serde::Serialize;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        prediction_view(self, prediction)
    }

    fn without_prediction(&self) -> String {
        format!("Generator state: {}", self.state)
    }

    fn first_start(&self) -> Option<Start> {
        // Before the game sets its first state, RAM is empty.
        (self.state != State(0)).then(|| start(self.setup, &generate(self.state, self.setup)))
    }

    fn details(&self, _: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            state: String,
            color_order: ColorOrder,
            /// Of both players, 1 to 5.
            levels: [u8; 2],
        }
        crate::json::value(&Details {
            state: self.state.to_string(),
            color_order: ColorOrder::of_set(&self.color_set),
            levels: self.players.each_ref().map(|player| player.level.0.saturating_add(1)),
        })
    }

    fn same_pools(&self, other: &Self) -> bool {
        self.pools == other.pools
    }

    fn round_key(&self) -> Vec<u8> {
        self.color_set.to_vec()
    }

    fn coding(&self) -> Option<Coding> {
        Some(Coding::Colors)
    }

    fn board_rules(&self) -> Option<Rules> {
        Some(Rules::TSU)
    }
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        self.players == other.players && self.setup == other.setup
    }

    fn route_start(&self, player: usize) -> Option<RouteStart> {
        route_start(self.players.get(player)?)
    }
}

fn pairs(bytes: &[u8]) -> Vec<Pair> {
    bytes.chunks_exact(2).map(|pair| Pair::from_bytes(pair[0], pair[1])).collect()
}

fn prediction_view(observation: &Observation, prediction: &Prediction) -> PredictionView {
    let players = prediction.players.iter().enumerate().map(|(number, coming)| {
        let last = coming.pairs_dealt.checked_sub(1).map(u32::from);
        let position = last.map_or_else(
            || "Before the first pair of the round".into(),
            |last| {
                let at = pool_pair(last) + 1;
                let pool = pool_of(observation.dealing, coming, last);
                // The caption names the level's pool already.
                let pool = pool.filter(|_| pool != coming.pool);
                let pool = pool.map_or_else(String::new, |pool| format!(", {pool}"));
                format!("Pair {} of the round, position {at} of 128{pool}", coming.pairs_dealt)
            },
        );
        let pool_position = last
            .and_then(|last| Some((pool_of(observation.dealing, coming, last)?.index(), pool_pair(last))));
        let pool = coming.pool.map_or_else(|| "a level that is not modelled".into(), |pool| pool.to_string());
        Player {
            title: format!("Player {}", number + 1),
            captions: vec![format!("level {}", u32::from(coming.level.0) + 1), pool],
            current: coming.current,
            pairs: coming.pairs.clone(),
            names: &["next", "second", "hidden"],
            dealt: Some(coming.pairs_dealt),
            position,
            pool: coming.pool.map(PoolId::index),
            pool_position,
            score: observation.players[number].score,
            board: board(&observation.players[number], coming),
            boards: Vec::new(),
            lying: false,
        }
    });
    PredictionView {
        players: players.collect(),
        pools: PoolId::ALL.map(|id| Pool { id, pairs: pairs(&observation.pools[id.index()]) }).to_vec(),
        first_pairs: FirstPairs {
            count: 3,
            pool: (observation.dealing == Dealing::FirstThreeFromPool3).then_some(PoolId::Three.index()),
        },
        start: Some(start(prediction.setup, &prediction.if_now)),
        note: (observation.setup.mode & 3 > 1).then(|| {
            format!(
                "Mode {} is not modelled: pairs are read from the pools and not checked",
                observation.setup.mode
            )
        }),
        ..PredictionView::default()
    }
}

/// A round that starts in the current state.
fn start(setup: Setup, round: &Round) -> Start {
    let mode = if setup.is_versus() { "versus" } else { "story" };
    let first = PoolId::ALL.into_iter().filter_map(|id| {
        let pool = pairs(round.pool(id)?);
        let dealt = (0..PREVIEW).filter_map(|deal| pool.get(pool_pair(u32::try_from(deal).ok()?)).copied());
        Some((id, dealt.collect()))
    });
    Start {
        caption: format!("{mode}, generator state {}", round.before),
        seed: round.before.to_string(),
        state_after: round.after.to_string(),
        color_order: ColorOrder::of_set(&round.color_set),
        coding: Coding::Colors,
        pools: first.collect(),
    }
}

/// The pool from which the pair with this number (from 0) was dealt. The profile's variant determines whether the
/// first three always come from the 3-colour pool, and a check verifies it.
fn pool_of(dealing: Dealing, coming: &PlayerPrediction, deal_index: u32) -> Option<PoolId> {
    let before_menu = deal_index < 3 && dealing == Dealing::FirstThreeFromPool3;
    if before_menu { Some(PoolId::Three) } else { coming.pool }
}

/// A player's board, or its first invalid cell; None when the profile lacks its address.
fn board(observation: &PlayerObservation, coming: &PlayerPrediction) -> Option<Result<Board, String>> {
    let field = match observation.board.as_ref()? {
        Ok(field) => *field,
        Err(error) => return Some(Err(error.to_string())),
    };
    let chain = coming.board.as_ref().and_then(|board| board.chain());
    let chain =
        chain.map(|chain| Chain { steps: chain.steps.len(), done: chain.done, points: chain.points() });
    Some(Ok(Board { field, chain }))
}

fn route_start(coming: &PlayerPrediction) -> Option<RouteStart> {
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
        in_play: in_play.is_some(),
        pair_index: if in_play.is_some() { next.saturating_sub(1) } else { next },
        pairs: in_play.into_iter().chain(coming.pairs.iter().copied()).collect(),
        settled,
    })
}
