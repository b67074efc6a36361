//! Compares the time of each pair with the profile's `[frames]`, if its numbers come from the running game.

use super::moment::MOMENTS;
use crate::frames::TimeCheck;
use crate::live::{Check, CheckId, Mismatch, SampleContext, Status, Totals};

const CHECKS: [CheckId; 2] = [CheckId::TIMES_P1, CheckId::TIMES_P2];

/// Both players.
#[derive(Debug, Clone, Default)]
pub struct Times {
    players: [TimeCheck; 2],
    /// Whether the profile has such a table.
    active: bool,
    /// The player whose pairs are compared, from 1, if only one is.
    only: Option<usize>,
    last: Option<(u64, u8)>,
    round: u64,
}

impl Times {
    /// Processes a sample of this round; `counter` is the game's own count of frames.
    pub fn step(
        &mut self,
        sample: &SampleContext<'_>,
        counter: u8,
        round: u64,
        totals: &mut Totals,
    ) -> Vec<Mismatch> {
        let table = sample.profile.frames.as_ref().filter(|table| table.status.is_from_the_game());
        self.active = table.is_some();
        let Some(table) = table else { return Vec::new() };
        self.only = table.player.map(|player| usize::from(player.get()));
        let last = self.last.replace((sample.frame, counter));
        // After a loaded state or a reset, the counter does not match.
        let follows = last.is_some_and(|(frame, last)| {
            sample.frame.wrapping_sub(frame).to_le_bytes()[0] == counter.wrapping_sub(last)
        });
        if !follows {
            self.players.iter_mut().for_each(TimeCheck::reset);
        }
        if self.round != round {
            self.round = round;
            self.players.iter_mut().for_each(TimeCheck::begin_round);
        }
        let mut found = Vec::new();
        for (player, check) in self.players.iter_mut().enumerate() {
            if self.only.is_some_and(|only| only != player + 1) {
                continue;
            }
            let Ok(moment) = (MOMENTS.read)(sample.snapshot, sample.profile, player) else { continue };
            let pair = u32::from(moment.dealt).saturating_sub(1);
            let number = player + 1;
            found.extend(check.step(sample.frame, &moment, table).into_iter().map(|difference| {
                let again = if difference.repeated { ", several times in a row" } else { "" };
                let (expected, actual) = (difference.expected, difference.actual);
                let what = format!(
                    "player {number}, pair {} of the round: {} took {actual} frames, not {expected} as in [frames]{again}",
                    pair + 1,
                    difference.part
                );
                Mismatch {
                    check: CHECKS[player],
                    what,
                    expected: expected.to_string(),
                    actual: actual.to_string(),
                    field: format!("p{number}_board"),
                    index: Some(pair),
                    frame: sample.frame,
                    round,
                    evidence: None,
                    one_of: false,
                }
            }));
        }
        totals.mismatches += found.len() as u64;
        found
    }

    /// Forgets the pairs in play.
    pub fn reset(&mut self) {
        self.players.iter_mut().for_each(TimeCheck::reset);
        self.last = None;
    }

    /// The checks; none without such a table.
    pub fn checks(&self) -> impl Iterator<Item = Check> {
        let players = CHECKS.into_iter().zip(&self.players).enumerate().filter(|_| self.active);
        players.map(|(nth, (id, player))| match (self.only, player.results()) {
            (Some(only), _) if only != nth + 1 => {
                let detail = format!("the times in [frames] were measured from player {only} only");
                Check { id, status: Status::Nothing, detail }
            }
            (_, (_, Some(difference))) => {
                let (expected, actual) = (difference.expected, difference.actual);
                let detail = format!("{} took {actual} frames, not {expected}", difference.part);
                Check { id, status: Status::Mismatch, detail }
            }
            (_, (0, None)) => {
                Check { id, status: Status::NotVerified, detail: "nothing was timed yet".into() }
            }
            (_, (matched, None)) => {
                let detail = format!("{matched} durations as in the profile's [frames]");
                Check { id, status: Status::Verified, detail }
            }
        })
    }
}
