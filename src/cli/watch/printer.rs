//! Prints one view after another.

use super::describe::{describe, describe_players};
use super::terminal::{self, TerminalView};
use crate::cli::arguments::Global;
use crate::cli::output;
use crate::games::piece::Piece;
use crate::live::{CheckId, Data, Observation, PieceChances, Player, Status, Target, View, line};
use std::sync::Arc;

/// Draws on a terminal, or prints lines whenever something changes.
pub struct Printer {
    json: bool,
    pairs: usize,
    terminal: Option<TerminalView>,
    printed: Option<Key>,
    mismatches: u64,
    /// The target that `mismatches` counts.
    target: Option<Arc<Target>>,
}

impl Printer {
    pub fn new(global: &Global, pairs: usize) -> anyhow::Result<Self> {
        let drawn = !global.json && terminal::is_usable();
        Ok(Self {
            json: global.json,
            pairs,
            terminal: drawn.then(|| TerminalView::enter(pairs)).transpose()?,
            printed: None,
            mismatches: 0,
            target: None,
        })
    }

    /// Carries out keys, if there are any; whether the user ended the view.
    pub fn poll(&mut self) -> anyhow::Result<bool> {
        self.terminal.as_mut().map_or(Ok(false), TerminalView::poll)
    }

    /// `waiting` is printed while nothing is attached.
    pub fn show(&mut self, view: &View, waiting: &str) -> anyhow::Result<()> {
        if let Some(terminal) = &mut self.terminal {
            return terminal.show(view, waiting);
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
