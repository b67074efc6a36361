//! The games behind one face: what each of them sees, forecasts and checks.

use super::failures::Failures;
use super::{Mismatch, Totals, Verdict, bloxeed, pochi_nyaa, puyo_20th, puyo_tsu, sega, tetris_nes, tgm};
use crate::console::{ConsoleAddr, Snapshot};
use crate::game::GameId;
use crate::game::sega_cells::Cells;
use crate::game::sega_tetris::LENGTH;
use crate::profile::Profile;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// One sample to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The RAM.
    pub snapshot: &'a Snapshot,
    /// The profile through which it is read.
    pub profile: &'a Profile,
    /// The game's own frame count, extended over the wraps of its cell.
    pub frame: u64,
}

/// What came of a sample.
#[derive(Debug, Clone)]
pub struct Step<O, F> {
    /// The typed fields, or why they cannot be had.
    pub observation: Result<Arc<O>, String>,
    /// What is to come; None before the first round.
    pub forecast: Option<Arc<F>>,
    /// What disagrees, when it was noticed now.
    pub mismatches: Vec<Mismatch>,
}

/// The typed fields of a game at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// Puyo Puyo Tsu.
    PuyoTsu(Arc<puyo_tsu::Observation>),
    /// Puyo Puyo!! 20th Anniversary.
    Puyo20th(Arc<puyo_20th::Observation>),
    /// The Grand Master games.
    Tgm(Arc<tgm::Observation>),
    /// Sega Tetris, Flash Point.
    Sega(Arc<sega::Observation>),
    /// Bloxeed.
    Bloxeed(Arc<bloxeed::Observation>),
    /// Tetris for the NES.
    TetrisNes(Arc<tetris_nes::Observation>),
    /// Pochi & Nyaa.
    PochiNyaa(Arc<pochi_nyaa::Observation>),
}

/// What is to come in a game.
#[derive(Debug, Clone, PartialEq)]
pub enum Forecast {
    /// Puyo Puyo Tsu.
    PuyoTsu(Arc<puyo_tsu::Forecast>),
    /// Puyo Puyo!! 20th Anniversary.
    Puyo20th(Arc<puyo_20th::Forecast>),
    /// The Grand Master games.
    Tgm(Arc<tgm::Forecast>),
    /// Sega Tetris, Flash Point.
    Sega(Arc<sega::Forecast>),
    /// Bloxeed.
    Bloxeed(Arc<bloxeed::Forecast>),
    /// Tetris for the NES.
    TetrisNes(Arc<tetris_nes::Forecast>),
}

/// A field that the profile does not have and that was found by what stands there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundField {
    /// Its name, as mismatches and profiles have it.
    pub field: String,
    /// Where it stands.
    pub address: ConsoleAddr,
    /// Its length.
    pub bytes: u32,
}

impl Observation {
    /// The fields that were found by content.
    #[must_use]
    pub fn found_fields(&self) -> Vec<FoundField> {
        let field = |name: &str, address, bytes| FoundField { field: name.to_owned(), address, bytes };
        match self {
            Self::Sega(seen) => {
                let buffer = seen.buffer.as_ref().filter(|buffer| !buffer.known);
                let length = |cells: Cells| u32::try_from(LENGTH * cells.stride()).unwrap_or(0);
                let sequence = buffer.map(|found| field("sequence", found.address, length(found.cells)));
                let state = buffer.and(seen.state).map(|(address, _)| field("rng_state", address, 4));
                let index = seen.found_index.map(|found| field("index", found.address, 2));
                [sequence, state, index].into_iter().flatten().collect()
            }
            Self::Bloxeed(seen) => {
                let found = seen.found.filter(|found| !found.known);
                let states = found.map(|found| {
                    let both = [field("piece_seed", found.seed, 4), field("piece_state", found.state, 4)];
                    both.into_iter().chain(found.main.map(|at| field("rng_state", at, 4)))
                });
                let name = |behind| if behind == 0 { "drawn_piece" } else { "current_piece" };
                let piece = seen.piece.map(|found| field(name(found.behind), found.address, 1));
                states.into_iter().flatten().chain(piece).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the pools are the same.
    #[must_use]
    pub fn same_pools(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::PuyoTsu(one), Self::PuyoTsu(other)) => one.pools == other.pools,
            (Self::Puyo20th(one), Self::Puyo20th(other)) => match (&one.block, &other.block) {
                (Ok(one), Ok(other)) => one.pools == other.pools,
                (one, other) => one == other,
            },
            (Self::Tgm(one), Self::Tgm(other)) => one.same_pieces(other),
            (Self::Sega(one), Self::Sega(other)) => one.buffer == other.buffer,
            (Self::Bloxeed(one), Self::Bloxeed(other)) => one.seed() == other.seed(),
            (Self::TetrisNes(_), Self::TetrisNes(_)) | (Self::PochiNyaa(_), Self::PochiNyaa(_)) => true,
            _ => false,
        }
    }
}

impl Forecast {
    /// Whether what the players get is the same. What a round that began now would deal is left out: it may change with
    /// every frame.
    #[must_use]
    pub fn same_pairs(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::PuyoTsu(one), Self::PuyoTsu(other)) => {
                one.players == other.players && one.setup == other.setup
            }
            (Self::Puyo20th(one), Self::Puyo20th(other)) => {
                one.players == other.players && one.pools == other.pools
            }
            (Self::Tgm(one), Self::Tgm(other)) => one == other,
            (Self::Sega(one), Self::Sega(other)) => one == other,
            (Self::Bloxeed(one), Self::Bloxeed(other)) => one.same_pieces(other),
            (Self::TetrisNes(one), Self::TetrisNes(other)) => {
                (one.current, one.next, one.number) == (other.current, other.next, other.number)
            }
            _ => false,
        }
    }
}

/// Follows a game from sample to sample: observes, forecasts, verifies.
#[derive(Debug)]
pub struct Tracker {
    game: Game,
    failures: Failures,
}

impl Tracker {
    /// Begins with a game.
    #[must_use]
    pub fn new(game: GameId) -> Self {
        Self { game: Game::new(game), failures: Failures::default() }
    }

    /// Forgets what was seen: the profile changed, the connection was lost.
    pub fn restart(&mut self) {
        self.game.restart();
        self.failures = Failures::default();
    }

    /// Takes the next sample.
    pub fn look(
        &mut self,
        look: &Look<'_>,
        totals: &mut Totals,
    ) -> (Result<Observation, String>, Option<Forecast>, Vec<Mismatch>) {
        let (observation, forecast, mismatches) = self.game.look(look, totals);
        self.failures.note(&mismatches);
        (observation, forecast, mismatches)
    }

    /// Another one that has seen the same and goes its own way, so that one can come back to here.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self { game: self.game.fork(), failures: self.failures.clone() }
    }

    /// Makes no pauses before long work: for RAM that does not move.
    pub fn hurry(&mut self) {
        self.game.hurry();
    }

    /// How much of the outstanding long work is done, 0 to 1; None when there is none.
    #[must_use]
    pub fn outstanding(&self) -> Option<f64> {
        self.game.outstanding()
    }

    /// The forecast after [`Self::work`]; None where that leaves it as the last sample made it.
    #[must_use]
    pub fn forecast(&self) -> Option<Forecast> {
        self.game.forecast()
    }

    /// How the checks stand. One that failed in the round under way stays failed until that is over.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let mut verdict = self.game.verdict();
        self.failures.mark(self.game.round(), &mut verdict);
        verdict
    }

    /// Goes on with what takes longer than a sample. Something when the verdict changed, with the mismatches that it
    /// brought.
    pub fn work(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        let mismatches = self.game.work(frame, totals)?;
        self.failures.note(&mismatches);
        Some(mismatches)
    }

    /// Does the outstanding long work to its end, or until `stop` is set. `report` is given the share of it that is done, 0 to 1.
    /// Something when the verdict or the [forecast](Self::forecast) changed, with the mismatches that it brought.
    pub fn finish(
        &mut self,
        frame: u64,
        totals: &mut Totals,
        stop: &AtomicBool,
        mut report: impl FnMut(f64),
    ) -> Option<Vec<Mismatch>> {
        let mut found = None;
        while let Some(share) = self.outstanding().filter(|_| !stop.load(Ordering::Relaxed)) {
            report(share);
            if let Some(mismatches) = self.work(frame, totals) {
                found.get_or_insert_with(Vec::new).extend(mismatches);
            } else if self.outstanding() == Some(share) {
                std::thread::sleep(Duration::from_millis(1)); // others work on it
            }
        }
        found
    }
}

/// The tracker of each game.
#[derive(Debug)]
enum Game {
    /// Puyo Puyo Tsu.
    PuyoTsu(Box<puyo_tsu::Tracker>),
    /// Puyo Puyo!! 20th Anniversary.
    Puyo20th(Box<puyo_20th::Tracker>),
    /// The Grand Master games.
    Tgm(Box<tgm::Tracker>),
    /// Sega Tetris, Flash Point.
    Sega(Box<sega::Tracker>),
    /// Bloxeed.
    Bloxeed(Box<bloxeed::Tracker>),
    /// Tetris for the NES.
    TetrisNes(Box<tetris_nes::Tracker>),
    /// Pochi & Nyaa, which has nothing to be remembered.
    PochiNyaa(pochi_nyaa::Tracker),
}

impl Game {
    fn new(game: GameId) -> Self {
        match game {
            GameId::PuyoTsu => Self::PuyoTsu(Box::default()),
            GameId::Puyo20th => Self::Puyo20th(Box::default()),
            GameId::Tgm1 | GameId::Tgm2 => Self::Tgm(Box::default()),
            GameId::SegaTetris | GameId::FlashPoint => Self::Sega(Box::default()),
            GameId::Bloxeed => Self::Bloxeed(Box::default()),
            GameId::TetrisNes => Self::TetrisNes(Box::default()),
            GameId::PochiNyaa => Self::PochiNyaa(pochi_nyaa::Tracker),
        }
    }

    fn restart(&mut self) {
        match self {
            Self::PuyoTsu(tracker) => tracker.restart(),
            Self::Puyo20th(tracker) => tracker.restart(),
            Self::Tgm(tracker) => tracker.restart(),
            Self::Sega(tracker) => tracker.restart(),
            Self::Bloxeed(tracker) => tracker.restart(),
            Self::TetrisNes(tracker) => tracker.restart(),
            Self::PochiNyaa(_) => {}
        }
    }

    fn look(
        &mut self,
        look: &Look<'_>,
        totals: &mut Totals,
    ) -> (Result<Observation, String>, Option<Forecast>, Vec<Mismatch>) {
        match self {
            Self::PuyoTsu(tracker) => {
                let step = tracker.look(look, totals);
                let observation = step.observation.map(Observation::PuyoTsu);
                (observation, step.forecast.map(Forecast::PuyoTsu), step.mismatches)
            }
            Self::Puyo20th(tracker) => {
                let step = tracker.look(look, totals);
                let observation = step.observation.map(Observation::Puyo20th);
                (observation, step.forecast.map(Forecast::Puyo20th), step.mismatches)
            }
            Self::Tgm(tracker) => {
                let step = tracker.look(look, totals);
                let observation = step.observation.map(Observation::Tgm);
                (observation, step.forecast.map(Forecast::Tgm), step.mismatches)
            }
            Self::Sega(tracker) => {
                let step = tracker.look(look, totals);
                let observation = step.observation.map(Observation::Sega);
                (observation, step.forecast.map(Forecast::Sega), step.mismatches)
            }
            Self::Bloxeed(tracker) => {
                let step = tracker.look(look, totals);
                let observation = step.observation.map(Observation::Bloxeed);
                (observation, step.forecast.map(Forecast::Bloxeed), step.mismatches)
            }
            Self::TetrisNes(tracker) => {
                let step = tracker.look(look, totals);
                let observation = step.observation.map(Observation::TetrisNes);
                (observation, step.forecast.map(Forecast::TetrisNes), step.mismatches)
            }
            Self::PochiNyaa(tracker) => (tracker.look(look).map(Observation::PochiNyaa), None, Vec::new()),
        }
    }

    fn fork(&self) -> Self {
        match self {
            Self::PuyoTsu(tracker) => Self::PuyoTsu(Box::new(tracker.fork())),
            Self::Puyo20th(tracker) => Self::Puyo20th(tracker.clone()),
            Self::Tgm(tracker) => Self::Tgm(Box::new(tracker.fork())),
            Self::Sega(tracker) => Self::Sega(tracker.clone()),
            Self::Bloxeed(tracker) => Self::Bloxeed(tracker.clone()),
            Self::TetrisNes(tracker) => Self::TetrisNes(tracker.clone()),
            Self::PochiNyaa(tracker) => Self::PochiNyaa(tracker.clone()),
        }
    }

    fn hurry(&mut self) {
        match self {
            Self::PuyoTsu(tracker) => tracker.hurry(),
            Self::Puyo20th(_)
            | Self::Tgm(_)
            | Self::TetrisNes(_)
            | Self::Sega(_)
            | Self::Bloxeed(_)
            | Self::PochiNyaa(_) => {}
        }
    }

    fn outstanding(&self) -> Option<f64> {
        match self {
            Self::PuyoTsu(tracker) => tracker.outstanding(),
            Self::Puyo20th(tracker) => tracker.outstanding(),
            Self::Tgm(tracker) => tracker.outstanding(),
            Self::TetrisNes(_) | Self::Sega(_) | Self::Bloxeed(_) | Self::PochiNyaa(_) => None,
        }
    }

    fn forecast(&self) -> Option<Forecast> {
        match self {
            Self::Tgm(tracker) => tracker.forecast().cloned().map(Forecast::Tgm),
            Self::PuyoTsu(_)
            | Self::Puyo20th(_)
            | Self::TetrisNes(_)
            | Self::Sega(_)
            | Self::Bloxeed(_)
            | Self::PochiNyaa(_) => None,
        }
    }

    fn verdict(&self) -> Verdict {
        match self {
            Self::PuyoTsu(tracker) => tracker.verdict(),
            Self::Puyo20th(tracker) => tracker.verdict(),
            Self::Tgm(tracker) => tracker.verdict(),
            Self::Sega(tracker) => tracker.verdict(),
            Self::Bloxeed(tracker) => tracker.verdict(),
            Self::TetrisNes(tracker) => tracker.verdict(),
            Self::PochiNyaa(tracker) => tracker.verdict(),
        }
    }

    fn work(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        match self {
            Self::PuyoTsu(tracker) => tracker.work(frame, totals),
            Self::Puyo20th(tracker) => tracker.work(frame, totals),
            Self::Tgm(tracker) => tracker.work(totals),
            Self::TetrisNes(_) | Self::Sega(_) | Self::Bloxeed(_) | Self::PochiNyaa(_) => None,
        }
    }

    /// The round under way, or the last one; counted from 1 as [`Mismatch::round`].
    fn round(&self) -> u64 {
        match self {
            Self::PuyoTsu(tracker) => tracker.round(),
            Self::Puyo20th(tracker) => tracker.round(),
            Self::Tgm(tracker) => tracker.round(),
            Self::Sega(tracker) => tracker.round(),
            Self::Bloxeed(tracker) => tracker.round(),
            Self::TetrisNes(tracker) => tracker.round(),
            Self::PochiNyaa(_) => 0,
        }
    }
}
