//! Where a player of the game that runs stands: the board and the pairs to come.

use crate::game::puyo::Pair;
use crate::live::{View, route_start};
use crate::puyo::{Field, Rules};

/// What a route can begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveStart {
    /// The board without the pair in play, as the chain that goes off will leave it; None when nobody knows where the game
    /// keeps it.
    pub board: Option<Field>,
    /// Whether it stands like that already.
    pub settled: bool,
    /// The pairs that are to be placed: the one in play, unless it has come down already, and those that follow.
    pub pairs: Vec<Pair>,
    /// The number in its round of the first of them, from 0.
    pub number: u32,
    /// The rules of the game.
    pub rules: Rules,
}

impl LiveStart {
    /// How a player (0 or 1) stands; None when no game of pairs runs, or nobody knows which pairs he gets.
    #[must_use]
    pub fn of(view: &View, player: usize) -> Option<Self> {
        if let Some(start) = route_start(view, player) {
            let board = Some(start.field);
            let (settled, number) = (start.settled, start.pair_index);
            return Some(Self { board, settled, pairs: start.pairs, number, rules: start.rules });
        }
        let data = view.data.as_ref()?;
        let rules = data.observation.as_ref().ok()?.board_rules()?;
        let player = data.view()?.players.get(player)?;
        let number = player.dealt.map_or(0, |dealt| u32::from(dealt).saturating_sub(1));
        let pairs = player.current.into_iter().chain(player.pairs.iter().copied()).collect();
        Some(Self { board: None, settled: true, pairs, number, rules })
    }
}
