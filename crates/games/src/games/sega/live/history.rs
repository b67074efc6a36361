//! The sequence of games: identifies each one, compares its pieces with the generator's, and checks that it follows from the previous one.

use crate::games::piece::Piece;
use crate::games::sega::buffer::{Identified, identify};
use crate::games::sega::flash_point;
use crate::games::sega::live::Observation;
use crate::games::sega::live::counter::dealt_between;
use crate::games::sega::sega_tetris::{LENGTH, STATE_BITS, piece};
use crate::games::sega::{Routine, State};
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use crate::profile::Profile;
use std::sync::Arc;

/// Pieces shown of each following game.
const PREVIEW: usize = 20;
/// The most mismatches reported for one buffer.
const MAX_MISMATCHES: usize = 16;

/// The game in the buffer.
#[derive(Debug, Clone)]
pub struct Current {
    /// Its number, from 1 since attaching.
    pub number: u64,
    /// The pieces in RAM.
    pub codes: Arc<[u8; LENGTH]>,
    /// The generator state that draws them; None when there is none.
    pub identified: Option<Identified>,
}

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The lowest 22 bits of the state that drew the game.
    pub before: u32,
    /// Whether this is the game of cleared battery RAM.
    pub power_on: bool,
    /// All pieces of the game by the generator.
    pub pieces: Arc<[Piece]>,
    /// The index of the next one; None while the counting cell is unknown.
    pub index: Option<usize>,
    /// The start of the next game: without and with the monkey.
    pub next_games: [Vec<Piece>; 2],
}

impl Prediction {
    /// The upcoming pieces through one cycle of the buffer, starting with the next one, or with the first when the index is unknown.
    pub fn coming(&self) -> Vec<Piece> {
        let from = self.index.unwrap_or(0);
        self.pieces.iter().cycle().skip(from).take(self.pieces.len()).copied().collect()
    }
}

/// The sequence of games.
#[derive(Debug, Clone, Default)]
pub struct GameHistory {
    routine: Option<Routine>,
    current: Option<Current>,
    games: u64,
    follows: Option<Check>,
    /// The generator state in RAM.
    ram_state: Option<State>,
    last_index: Option<usize>,
    dealt: u64,
}

impl GameHistory {
    /// Discards the game but not the round count.
    pub fn reset(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    /// The game in the buffer.
    pub fn game(&self) -> Option<&Current> {
        self.current.as_ref()
    }

    /// Processes a buffer that has not changed for some frames.
    pub fn see(
        &mut self,
        now: &Observation,
        profile: &Profile,
        frame: u64,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let Some(buffer) = &now.buffer else { return };
        let routine = match profile.game {
            flash_point::ID => flash_point::routine(profile.variant("zero_test")),
            _ => Routine::TETRIS,
        };
        self.routine = Some(routine);
        self.ram_state = now.state.map(|(_, state)| state);
        if let Some(index) = now.index.filter(|index| *index < LENGTH) {
            let dealt = self.last_index.replace(index).map_or(0, |last| dealt_between(last, index)) as u64;
            self.dealt += dealt;
            totals.pairs_missed += dealt.saturating_sub(1);
            totals.pairs_verified += u64::from(dealt > 0 && self.is_verified());
        }
        if self.current.as_ref().is_some_and(|current| Arc::ptr_eq(&current.codes, &buffer.codes)) {
            return;
        }
        let before = self.current.take();
        self.games += 1;
        totals.rounds += 1;
        self.last_index = None;
        let identified =
            self.predicted(before.as_ref(), routine, &buffer.codes).or_else(|| identify(&buffer.codes));
        let mismatch = |what: String, index: Option<u32>, expected: String, actual: String| Mismatch {
            check: CheckId::GENERATION,
            what,
            expected,
            actual,
            field: "sequence".into(),
            index,
            frame,
            round: self.games,
            evidence: None,
            one_of: false,
        };
        match &identified {
            None => found.push(mismatch(
                "no generator state draws the codes in the buffer".into(),
                None,
                "a state that draws them".into(),
                text(&buffer.codes[..40]),
            )),
            Some(game) if game.wrong.is_empty() => {
                totals.rounds_verified += 1;
                totals.rounds_predicted +=
                    u64::from(before.as_ref().is_some_and(|before| follow(before, game, routine).is_some()));
            }
            Some(game) => {
                let drawn = game.codes();
                found.extend(game.wrong.iter().take(MAX_MISMATCHES).map(|&at| {
                    let what =
                        format!("piece {} of the game is not the one that the generator draws", at + 1);
                    let end = (at + 8).min(LENGTH);
                    let place = u32::try_from(at).ok();
                    mismatch(what, place, text(&drawn[at..end]), text(&buffer.codes[at..end]))
                }));
            }
        }
        self.follows = before.as_ref().map(|before| series_check(before, identified.as_ref(), routine));
        self.current = Some(Current { number: self.games, codes: Arc::clone(&buffer.codes), identified });
    }

    /// Whether all pieces in the buffer match the generator.
    fn is_verified(&self) -> bool {
        let identified = self.current.as_ref().and_then(|current| current.identified.as_ref());
        identified.is_some_and(|game| game.wrong.is_empty())
    }

    /// The game predicted from the previous one, if the buffer matches it except for some codes.
    fn predicted(
        &self,
        before: Option<&Current>,
        routine: Routine,
        codes: &[u8; LENGTH],
    ) -> Option<Identified> {
        let before = before?.identified.as_ref()?;
        let after = State(before.after());
        let starts =
            [after, after.next(), State(0)].map(|seed| routine.effective(seed).0 & ((1 << STATE_BITS) - 1));
        starts.into_iter().find_map(|start| {
            let drawn = Identified { before: start, wrong: Vec::new() }.codes();
            let wrong: Vec<usize> = (0..LENGTH).filter(|at| drawn[*at] != codes[*at]).collect();
            (wrong.len() < LENGTH / 2).then_some(Identified { before: start, wrong })
        })
    }

    /// The prediction; `earlier` when nothing changed.
    pub fn predict(&self, now: &Observation, earlier: Option<&Arc<Prediction>>) -> Option<Arc<Prediction>> {
        let identified = self.current.as_ref()?.identified.as_ref()?;
        let routine = self.routine?;
        let index = now.index.filter(|index| *index < LENGTH);
        if let Some(earlier) = earlier.filter(|earlier| earlier.before == identified.before) {
            if earlier.index == index {
                return Some(Arc::clone(earlier));
            }
            return Some(Arc::new(Prediction { index, ..earlier.as_ref().clone() }));
        }
        let pieces = |codes: &[u8]| -> Vec<Piece> { codes.iter().filter_map(|code| piece(*code)).collect() };
        let after = State(identified.after());
        let next_games = [after, after.next()].map(|seed| {
            let game = Identified { before: seed.0 & ((1 << STATE_BITS) - 1), wrong: Vec::new() };
            pieces(&game.codes()[..PREVIEW])
        });
        Some(Arc::new(Prediction {
            before: identified.before,
            power_on: identified.follows(routine, State(0)),
            pieces: pieces(identified.codes().as_slice()).into(),
            index,
            next_games,
        }))
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    pub const fn round(&self) -> u64 {
        self.games
    }

    /// The results of the checks.
    pub fn verdict(&self, now: Option<&Observation>) -> Verdict {
        let nothing = |id, detail: &str| Check { id, status: Status::Nothing, detail: detail.into() };
        let Some(current) = &self.current else {
            let ids = [CheckId::GENERATION, CheckId::SEED, CheckId::PIECES];
            return Verdict {
                checks: ids.map(|id| nothing(id, "no game was found in the RAM yet")).to_vec(),
            };
        };
        let generation = match &current.identified {
            None => (Status::Mismatch, "no state draws these codes".to_owned()),
            Some(game) if game.wrong.is_empty() => (
                Status::Verified,
                format!("all 1,000 codes match a state that ends in {:06X} (22 bits)", game.before),
            ),
            Some(game) => {
                (Status::Mismatch, format!("{} of 1,000 codes differ from the generator", game.wrong.len()))
            }
        };
        let generation = Check { id: CheckId::GENERATION, status: generation.0, detail: generation.1 };
        let state = match (&current.identified, self.ram_state) {
            (Some(game), Some(state)) if game.ends_in(state) => Check {
                id: CheckId::SEED,
                status: Status::Verified,
                detail: format!("the state in RAM, {state}, is the state after the last code"),
            },
            (Some(game), Some(state)) if game.ends_in(state.previous()) => Check {
                id: CheckId::SEED,
                status: Status::Verified,
                detail: format!(
                    "the state in RAM, {state}, is one call after the last code: the monkey was shown"
                ),
            },
            _ => self.follows.clone().unwrap_or_else(|| {
                nothing(CheckId::SEED, "the address of the state is unknown; checked with the next game")
            }),
        };
        let pieces = match now.and_then(|now| now.index) {
            Some(index) => Check {
                id: CheckId::PIECES,
                status: if self.dealt > 0 && self.is_verified() {
                    Status::Verified
                } else {
                    Status::NotVerified
                },
                detail: format!("piece {} of 1,000 is next, {} dealt since attaching", index + 1, self.dealt),
            },
            None => Check {
                id: CheckId::PIECES,
                status: Status::NotVerified,
                detail: "the next piece is unknown: searching for the cell that counts the pieces".into(),
            },
        };
        Verdict { checks: vec![generation, state, pieces] }
    }
}

fn text(codes: &[u8]) -> String {
    codes.iter().map(|code| piece(*code).map_or('?', Piece::letter)).collect()
}

/// Whether a game follows from the previous one, and whether the monkey was shown.
fn follow(before: &Current, game: &Identified, routine: Routine) -> Option<bool> {
    let after = State(before.identified.as_ref()?.after());
    [(after, false), (after.next(), true)]
        .into_iter()
        .find_map(|(seed, shown)| game.follows(routine, seed).then_some(shown))
}

fn series_check(before: &Current, game: Option<&Identified>, routine: Routine) -> Check {
    let (status, detail) = match game {
        Some(game) => match follow(before, game, routine) {
            Some(shown) => {
                let monkey = if shown { "the monkey was shown" } else { "the monkey was skipped" };
                (Status::Verified, format!("this game follows from the previous one, {monkey}"))
            }
            None if game.follows(routine, State(0)) => {
                (Status::Verified, "the power-on pattern: the battery RAM was cleared".to_owned())
            }
            None => (
                Status::NotVerified,
                "this game does not follow from the previous one: games were missed, or another seed was loaded"
                    .to_owned(),
            ),
        },
        None => (Status::NotVerified, "no generator state draws the codes in the buffer".to_owned()),
    };
    Check { id: CheckId::SEED, status, detail }
}
