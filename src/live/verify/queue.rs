//! One player's queue against the forecast.

use crate::game::puyo_tsu::{Dealer, Dealing, Pair, Setup, pool_index};
use crate::live::{Check, CheckId, Forecast, Mismatch, Observation, PlayerObservation, Status, Totals};
use std::collections::BTreeSet;

/// One sample, as a queue sees it.
pub struct Sample<'a> {
    pub now: &'a Observation,
    /// The setup with which the pools were made; the cells may already speak of the next round.
    pub setup: Setup,
    pub player: usize,
    pub frame: u64,
    pub frame_moved: bool,
    pub before: Option<&'a Forecast>,
    pub round: u64,
}

/// What the first three pairs tell about where they come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DealingSeen {
    OnlyPool3,
    OnlyLevelPool,
    Both,
}

/// A disagreement that must be seen again before it is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suspect {
    deal_index: u32,
    expected: String,
    actual: String,
    what: &'static str,
}

#[derive(Debug, Clone, Copy)]
struct Drawn {
    deal_index: u32,
    forecast: Pair,
    frame: u64,
}

/// One player's queue.
#[derive(Debug, Default)]
pub struct QueueTrack {
    /// The queue as it stood when new pools were made: until it changes it belongs to the round before.
    stale: Option<PlayerObservation>,
    checked: bool,
    holds: bool,
    pairs_dealt: Option<u16>,
    drawn: Vec<Drawn>,
    suspects: Vec<Suspect>,
    reported: BTreeSet<(u32, &'static str)>,
    note: String,
}

const PAIR: &str = "pair";
const INDEX: &str = "pool index";

impl QueueTrack {
    /// New pools were made; the queue is that of the round before until it is filled anew.
    pub fn await_fill(&mut self, player: &PlayerObservation) {
        self.stale = Some(player.clone());
    }

    pub fn step(&mut self, sample: &Sample<'_>, totals: &mut Totals) -> Vec<Mismatch> {
        let player = &sample.now.players[sample.player];
        if let Some(stale) = &self.stale {
            let same = PlayerObservation { level: stale.level, ..player.clone() } == *stale;
            let filling = player.pairs_dealt == 0 && player.pool_index != pool_index(0);
            if (same && self.suspects_in(sample).is_none_or(|found| !found.is_empty())) || filling {
                self.note = "waits for the queue to be filled".into();
                return Vec::new();
            }
            self.stale = None;
        }
        self.count_drawn(sample, totals);
        let Some(suspects) = self.suspects_in(sample) else {
            self.checked = false;
            self.note = format!("mode {} or level {} is not modelled", sample.setup.mode, player.level.0);
            return Vec::new();
        };
        if !sample.frame_moved {
            return Vec::new();
        }
        let confirmed: Vec<Suspect> =
            suspects.iter().filter(|suspect| self.suspects.contains(suspect)).cloned().collect();
        self.checked = suspects.is_empty() || !confirmed.is_empty();
        if self.checked {
            self.holds = confirmed.is_empty();
            self.note = format!("pair {} of the round is next", u32::from(player.pairs_dealt) + 1);
        }
        self.suspects = suspects;
        let fresh = confirmed.into_iter().filter(|s| self.reported.insert((s.deal_index, s.what)));
        fresh.map(|suspect| mismatch(&suspect, sample)).collect()
    }

    /// What disagrees in this sample; None when mode or level is not modelled.
    fn suspects_in(&self, sample: &Sample<'_>) -> Option<Vec<Suspect>> {
        let now = sample.now;
        let player = &now.players[sample.player];
        if sample.setup.mode & 3 > 1 {
            return None;
        }
        let deal = |dealing, deal_index| {
            Dealer { mode: sample.setup.mode, level: player.level, dealing }.pair(&now.pools, deal_index)
        };
        let dealt = u32::from(player.pairs_dealt);
        let mut suspects = Vec::new();
        for (deal_index, pair) in (dealt..).zip(player.queue) {
            let expected = deal(now.dealing, deal_index)?;
            let readings = Dealing::ALL.map(|dealing| deal(dealing, deal_index));
            // A queue that follows the other reading is not wrong: the check of the readings says so.
            if !readings.contains(&Some(pair)) {
                let (expected, actual) = (expected.codes(), pair.codes());
                suspects.push(Suspect { deal_index, expected, actual, what: PAIR });
            }
        }
        let expected = pool_index(player.pairs_dealt);
        if player.pool_index != expected {
            let (expected, actual) = (format!("{expected:02X}"), format!("{:02X}", player.pool_index));
            suspects.push(Suspect { deal_index: dealt, expected, actual, what: INDEX });
        }
        Some(suspects)
    }

    /// Counts pairs that were forecast before they were drawn.
    fn count_drawn(&mut self, sample: &Sample<'_>, totals: &mut Totals) {
        let player = &sample.now.players[sample.player];
        let dealt = u32::from(player.pairs_dealt);
        let in_queue = dealt..dealt + 3;
        self.drawn.retain(|drawn| {
            if !in_queue.contains(&drawn.deal_index) {
                totals.pairs_unseen += 1;
                return false;
            }
            if drawn.frame == sample.frame {
                return true; // the deal may be under way: look again in the next frame
            }
            let slot = (drawn.deal_index - dealt) as usize;
            totals.pairs_verified += u64::from(player.queue[slot] == drawn.forecast);
            false
        });
        if let (Some(earlier), Some(before)) = (self.pairs_dealt, sample.before) {
            let newly = u32::from(player.pairs_dealt.wrapping_sub(earlier));
            let forecast = &before.players[sample.player];
            if player.pairs_dealt > earlier && forecast.pairs_dealt == earlier {
                totals.pairs_unseen += u64::from(newly.saturating_sub(3));
                for deal_index in (dealt + 3 - newly.min(3))..dealt + 3 {
                    let ahead = (deal_index - u32::from(earlier)) as usize;
                    if let Some(&pair) = forecast.pairs.get(ahead) {
                        self.drawn.push(Drawn { deal_index, forecast: pair, frame: sample.frame });
                    }
                }
            }
        }
        self.pairs_dealt = Some(player.pairs_dealt);
    }

    pub fn dealing_seen(&self, now: &Observation, setup: Setup, player: usize) -> Option<DealingSeen> {
        let player = &now.players[player];
        let telling = self.checked && self.holds && setup.is_versus() && player.pairs_dealt == 0;
        if !telling {
            return None;
        }
        let [code, document] = Dealing::ALL.map(|dealing| {
            let dealer = Dealer { mode: setup.mode, level: player.level, dealing };
            (0..3).zip(player.queue).all(|(n, pair)| dealer.pair(&now.pools, n) == Some(pair))
        });
        match (code, document) {
            (true, true) => Some(DealingSeen::Both),
            (true, false) => Some(DealingSeen::OnlyPool3),
            (false, true) => Some(DealingSeen::OnlyLevelPool),
            (false, false) => None,
        }
    }

    pub fn check(&self, id: CheckId, settled: bool) -> Check {
        let status = match (settled && self.checked, self.holds) {
            (false, _) => Status::NotVerified,
            (true, true) => Status::Holds,
            (true, false) => Status::Mismatch,
        };
        let detail = if self.note.is_empty() { "not seen yet".into() } else { self.note.clone() };
        Check { id, status, detail }
    }
}

fn mismatch(suspect: &Suspect, sample: &Sample<'_>) -> Mismatch {
    let number = sample.player + 1;
    let check = if sample.player == 0 { CheckId::QueueP1 } else { CheckId::QueueP2 };
    let Suspect { deal_index, expected, actual, what } = suspect;
    let (what, field) = if *what == PAIR {
        (
            format!(
                "player {number}, pair {} of the round: forecast {expected}, queue holds {actual}",
                deal_index + 1
            ),
            format!("p{number}_queue"),
        )
    } else {
        (
            format!(
                "player {number}: after {deal_index} deals the pool index is {expected}, the cell holds {actual}"
            ),
            format!("p{number}_pool_index"),
        )
    };
    Mismatch {
        check,
        what,
        expected: expected.clone(),
        actual: actual.clone(),
        field,
        index: Some(*deal_index),
        frame: sample.frame,
        round: sample.round,
        evidence: None,
    }
}
