//! The display format of the game.

use crate::games::puyo_20th::live::{Observation, Prediction};
use crate::games::puyo_20th::{ColorMap, ShuffleUsed, shuffle_used};
use crate::json::{Coding, ColorOrder};
use crate::live::prediction_view::PREVIEW;
use crate::live::{GameObservation, GamePrediction, Player, Pool, PredictionView, Start};
use nextscope_boards::PoolId;
use nextscope_boards::puyo::Rules;
use serde::Serialize;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        prediction_view(self, prediction)
    }

    fn without_prediction(&self) -> String {
        match &self.block {
            Ok(block) => format!("Generator state: {}", block.state),
            Err(error) => error.to_string(),
        }
    }

    fn details(&self, _: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            base: String,
            state: Option<String>,
            color_order: Option<ColorOrder>,
        }
        let block = self.block.as_ref().ok();
        let map = block.and_then(|block| ColorMap::from_cells(block.map_cells));
        crate::json::value(&Details {
            base: self.base.to_string(),
            state: block.map(|block| block.state.to_string()),
            color_order: map.map(ColorMap::order),
        })
    }

    fn same_pools(&self, other: &Self) -> bool {
        match (&self.block, &other.block) {
            (Ok(one), Ok(other)) => one.pools == other.pools,
            (one, other) => one == other,
        }
    }

    fn round_key(&self) -> Vec<u8> {
        match &self.block {
            Ok(block) => block.map_cells.iter().flat_map(|cell| cell.to_le_bytes()).collect(),
            Err(_) => Vec::new(),
        }
    }

    fn coding(&self) -> Option<Coding> {
        ColorMap::from_cells(self.block.as_ref().ok()?.map_cells).map(ColorMap::coding)
    }

    fn unreadable(&self) -> Option<String> {
        self.block.as_ref().err().map(ToString::to_string)
    }

    fn board_rules(&self) -> Option<Rules> {
        Some(Rules::TWENTIETH)
    }
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        self.players == other.players && self.pools == other.pools
    }
}

fn prediction_view(observation: &Observation, prediction: &Prediction) -> PredictionView {
    let known = prediction.players.iter().enumerate().filter_map(|(number, coming)| {
        let coming = coming.as_ref()?;
        let last = coming.pairs_dealt.checked_sub(1);
        let at = last.map(|last| usize::from(last) % 128);
        let pool = coming.pool.map_or_else(|| "unknown pool".into(), |pool| pool.to_string());
        Some(Player {
            title: format!("Player {}", number + 1),
            captions: vec![pool],
            current: coming.current,
            pairs: coming.pairs.clone(),
            names: &["next", "second"],
            dealt: Some(coming.pairs_dealt),
            position: at.map_or_else(
                || "Before the first pair of the round".into(),
                |at| format!("Pair {} of the round, position {} of 128", coming.pairs_dealt, at + 1),
            ),
            pool: coming.pool.map(PoolId::index),
            pool_position: coming.pool.map(PoolId::index).zip(at),
            score: None,
            board: None,
            boards: Vec::new(),
            lying: false,
        })
    });
    let mut players: Vec<Player> = known.collect();
    if players.is_empty() {
        players.extend([PoolId::Four, PoolId::Three, PoolId::Five].map(|id| Player {
            title: format!("With {} colours", id.colors()),
            captions: vec!["from the first pair on".into()],
            current: None,
            pairs: prediction.pools[id.index()].to_vec(),
            names: &["first", "second", "third"],
            dealt: None,
            position: "Positions unknown: the profile lacks the queues".into(),
            pool: Some(id.index()),
            pool_position: None,
            score: None,
            board: None,
            boards: Vec::new(),
            lying: false,
        }));
    }
    let round = &prediction.if_now;
    let first = PoolId::ALL.map(|id| {
        let count = u32::try_from(PREVIEW).unwrap_or(0);
        (id, (0..count).filter_map(|number| round.pair(id, number)).collect())
    });
    let alternate = observation
        .block
        .as_ref()
        .is_ok_and(|block| shuffle_used(block.alternate_shuffle) == ShuffleUsed::Alternate);
    PredictionView {
        players,
        pools: PoolId::ALL.map(|id| Pool { id, pairs: prediction.pools[id.index()].to_vec() }).to_vec(),
        start: Some(Start {
            caption: format!(
                "state {}, seed 0x{:04X} ({})",
                prediction.state,
                round.seed,
                observation.round_seed.id()
            ),
            seed: format!("0x{:04X}", round.seed),
            state_after: round.after.to_string(),
            color_order: round.color_map.order(),
            coding: round.color_map.coding(),
            pools: first.to_vec(),
        }),
        note: alternate.then(|| {
            "The game uses a shuffle that is not modelled: pairs are read from the pools and not checked"
                .into()
        }),
        ..PredictionView::default()
    }
}
