//! The rounds of a player in a recording, from its samples.

use crate::PlayedBoard;
use nextscope_boards::Pair;
use nextscope_games::live::RouteStart;
use std::collections::{BTreeMap, BTreeSet};

/// The frame of a sample. If the samples before it are missing, what it shows may have happened earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampledFrame {
    /// The frame after that of the sample before.
    pub earliest: u64,
    /// The frame of the sample.
    pub frame: u64,
}

/// Samples in a row that show the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    /// The number of the current pair in the round, from 0.
    number: u32,
    pub played: PlayedBoard,
    /// The first one.
    pub frame: SampledFrame,
    pub samples: u64,
}

/// What a player did in a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlayedRound {
    moments: Vec<Moment>,
    pairs: BTreeMap<u32, Pair>,
}

impl PlayedRound {
    /// The pair with this number in the round, from 0; None if no sample shows it.
    pub fn pair(&self, number: u32) -> Option<Pair> {
        self.pairs.get(&number).copied()
    }

    /// The frame of the first sample.
    pub fn first_frame(&self) -> u64 {
        self.moments.first().map_or(0, |moment| moment.frame.frame)
    }

    /// The numbers of the pairs that were in play.
    pub(super) fn numbers_in_play(&self) -> BTreeSet<u32> {
        self.moments.iter().filter(|moment| moment.played.in_play).map(|moment| moment.number).collect()
    }

    /// The moments whose current pair has this number.
    pub(super) fn moments(&self, number: u32) -> impl Iterator<Item = &Moment> {
        self.moments.iter().filter(move |moment| moment.number == number)
    }

    /// Those of them in which it is in play.
    pub(super) fn in_play(&self, number: u32) -> impl Iterator<Item = &Moment> {
        self.moments(number).filter(|moment| moment.played.in_play && moment.played.settled)
    }
}

/// Divides the samples of a player into rounds.
#[derive(Debug, Default)]
pub struct RoundReader {
    rounds: Vec<PlayedRound>,
    current: PlayedRound,
    /// The rounds that the game's tracker had counted.
    counted: u64,
    last_frame: Option<u64>,
}

impl RoundReader {
    /// Processes a sample: its frame, the player's position if known, and the rounds that the game's tracker has counted.
    pub fn sample(&mut self, frame: u64, start: Option<&RouteStart>, counted: u64) {
        let earliest = self.last_frame.map_or(frame, |last| frame.min(last + 1));
        self.last_frame = Some(frame);
        let Some(start) = start else { return };
        let number = start.pair_index;
        // A single step back is a sample in the middle of the game's work.
        let is_earlier = self.current.moments.last().is_some_and(|last| number + 2 <= last.number);
        if is_earlier || counted != self.counted {
            self.end_round();
            self.counted = counted;
        }
        let played = PlayedBoard {
            board: start.field,
            settled: start.settled,
            in_play: start.in_play,
            pair: start.pairs.first().copied(),
            rules: start.rules,
        };
        match self.current.moments.last_mut() {
            Some(last) if last.number == number && last.played == played => last.samples += 1,
            _ => {
                self.current.pairs.extend((number..).zip(start.pairs.iter().copied()));
                let frame = SampledFrame { earliest, frame };
                self.current.moments.push(Moment { number, played, frame, samples: 1 });
            }
        }
    }

    /// What follows is another connection, which continues no round.
    pub fn interrupt(&mut self) {
        self.end_round();
        self.last_frame = None;
    }

    /// All rounds in which a pair was placed, and the last one if a pair is in play.
    pub fn finish(mut self) -> Vec<PlayedRound> {
        if !self.current.numbers_in_play().is_empty() {
            self.rounds.push(self.current);
        }
        self.rounds
    }

    fn end_round(&mut self) {
        let round = std::mem::take(&mut self.current);
        // While a round is generated, samples show the last pair of the one before.
        if round.numbers_in_play().len() > 1 {
            self.rounds.push(round);
        }
    }
}
