//! Prints one view after another.

use super::describe::{describe, describe_players};
use super::screen::Screen;
use crate::cli::arguments::Global;
use crate::cli::output;
use crate::games::piece::Piece;
use crate::live::{CheckId, Data, Observation, PieceChances, Player, Status, Target, View, line};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Redraws the screen of a terminal, or prints lines whenever something changes.
pub struct Printer {
    json: bool,
    pairs: usize,
    screen: Option<Screen>,
    printed: Option<Key>,
    mismatches: u64,
    /// The target that `mismatches` counts.
    target: Option<Arc<Target>>,
    drawn: Instant,
}

impl Printer {
    pub fn new(global: &Global, pairs: usize) -> Self {
        Self {
            json: global.json,
            pairs,
            screen: (!global.json && output::on_terminal()).then(Screen::enter),
            printed: None,
            mismatches: 0,
            target: None,
            drawn: Instant::now().checked_sub(Duration::from_secs(1)).unwrap_or_else(Instant::now),
        }
    }

    /// `waiting` is printed while nothing is attached.
    pub fn show(&mut self, view: &View, waiting: &str) -> anyhow::Result<()> {
        if let Some(screen) = &mut self.screen {
            if self.drawn.elapsed() >= Duration::from_millis(100) {
                self.drawn = Instant::now();
                screen.draw(view, waiting, self.pairs)?;
            }
            return Ok(());
        }
        let same = |target: &Arc<Target>| view.target.as_ref().is_some_and(|now| now.is_same_game(target));
        if !self.target.as_ref().is_some_and(same) {
            self.mismatches = 0; // totals count from 0 for another target
        }
        self.target.clone_from(&view.target);
        let new_mismatches = view.totals.mismatches.saturating_sub(self.mismatches);
        self.mismatches = view.totals.mismatches;
        let key = Key::of(view);
        if self.printed.as_ref() == Some(&key) && new_mismatches == 0 {
            return Ok(());
        }
        if self.json {
            let count = usize::try_from(new_mismatches).unwrap_or(usize::MAX).min(view.mismatches.len());
            let fresh = &view.mismatches[view.mismatches.len() - count..];
            for mismatch in fresh.iter().map(Some).chain(fresh.is_empty().then_some(None)) {
                output::json(&line(view, self.pairs, mismatch))?;
            }
        } else {
            let lines = match (&self.printed, &view.data) {
                (Some(before), Some(data)) if before.same_but_for_pairs(&key) && new_mismatches == 0 => {
                    describe_players(data, self.pairs)
                }
                _ => describe(view, waiting, self.pairs),
            };
            lines.iter().try_for_each(output::line)?;
        }
        self.printed = Some(key);
        Ok(())
    }
}

/// What a new line is printed for.
#[derive(PartialEq)]
struct Key {
    connection: &'static str,
    pid: Option<u32>,
    players: Vec<(Vec<String>, Option<u16>)>,
    chains: Vec<Option<(usize, u32)>>,
    pieces: Vec<(Option<u32>, Vec<Piece>, Option<PieceChances>)>,
    colors: Vec<u8>,
    checks: Vec<(CheckId, Status)>,
    round: u64,
}

impl Key {
    fn same_but_for_pairs(&self, other: &Self) -> bool {
        (self.connection, self.pid, self.round) == (other.connection, other.pid, other.round)
            && self.checks == other.checks
    }

    fn of(view: &View) -> Self {
        let data = view.data.as_ref();
        let seen = data.and_then(|data| data.observation.as_ref().ok());
        let checks =
            data.map(|data| data.verdict.checks.iter().map(|check| (check.id, check.status)).collect());
        let shown = data.and_then(Data::view);
        let players = || shown.iter().flat_map(|shown| &shown.players);
        let pieces = shown.iter().flat_map(|shown| &shown.pieces);
        let chain = |player: &Player| {
            let board = player.board.as_ref()?.as_ref().ok()?;
            board.chain.map(|chain| (chain.steps, chain.points))
        };
        Self {
            connection: view.connection.word(),
            pid: view.target.as_ref().map(|target| target.pid.0),
            chains: players().map(chain).collect(),
            players: players().map(|player| (player.captions.clone(), player.dealt)).collect(),
            pieces: pieces
                .map(|player| (player.dealt, player.pieces.clone(), player.chances.clone()))
                .collect(),
            colors: seen.map_or_else(Vec::new, Observation::round_key),
            checks: checks.unwrap_or_default(),
            round: view.totals.rounds,
        }
    }
}
