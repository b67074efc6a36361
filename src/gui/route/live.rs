//! The current board and pairs of a player in the running game.

use crate::gui::ui_context::UiContext;
use crate::live::{RouteStart, View, route_start};
use crate::puyo::{Field, Rules};
use nextscope_boards::Pair;

/// The start of a route from a live game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveStart {
    /// The board without the current pair, after any running chain; None if its address is unknown.
    pub board: Option<Field>,
    /// Whether nothing is moving.
    pub settled: bool,
    /// Whether the first of the pairs is in play. Otherwise the one before it has landed, and its garbage may still fall.
    pub in_play: bool,
    /// The pairs to place: the current one unless it has landed, and the next ones.
    pub pairs: Vec<Pair>,
    /// Number of the first of them in its round, from 0.
    pub number: u32,
    pub rules: Rules,
}

impl LiveStart {
    /// The state of a player (0 or 1); None without a paired game or known pairs.
    pub fn of(view: &View, player: usize) -> Option<Self> {
        if let Some(start) = route_start(view, player) {
            let board = Some(start.field);
            let RouteStart { settled, in_play, pairs, pair_index: number, rules, .. } = start;
            return Some(Self { board, settled, in_play, pairs, number, rules });
        }
        let data = view.data.as_ref()?;
        let rules = data.observation.as_ref().ok()?.board_rules()?;
        let player = data.view()?.players.get(player)?;
        let number = player.dealt.map_or(0, |dealt| u32::from(dealt).saturating_sub(1));
        let pairs = player.current.into_iter().chain(player.pairs.iter().copied()).collect();
        Some(Self { board: None, settled: true, in_play: true, pairs, number, rules })
    }
}

/// The state of the selected player, if known.
pub fn live_start(cx: &UiContext<'_>, player: Option<usize>) -> Option<LiveStart> {
    player.filter(|_| cx.status.is_current()).and_then(|player| LiveStart::of(cx.view, player))
}
