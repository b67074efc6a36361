//! From the moments of one player to the durations of parts.

use super::moment::{Held, Moment};
use super::part::{Part, PartTime, Span};
use super::tap::Taps;
use super::turn::{Ending, Progress, Turn, When};
use nextscope_boards::puyo::FallingPair;

/// Frames without a sample after which timing starts again: ten seconds.
const MAX_GAP: u64 = 600;

/// Times the pairs of one player, sample by sample.
#[derive(Clone, Debug, Default)]
pub struct PartTimer {
    last: Option<(u64, Moment)>,
    turn: Option<Turn>,
    taps: Taps,
    fall: Option<Fall>,
    rest: Option<Rest>,
    /// Whether the pair may have rested before: some games count all frames in which a pair rests.
    rested: bool,
    ended: u64,
    untimed: u64,
}

/// A pair that fell a row.
#[derive(Clone, Copy, Debug)]
struct Fall {
    /// The frame.
    at: u64,
    /// Whether Down was held in every frame after it, or in none.
    down: Option<bool>,
}

/// A pair that reached its last row by falling.
#[derive(Clone, Copy, Debug)]
struct Rest {
    at: u64,
    pair: FallingPair,
    /// Frames after it for which Down was held from the first on.
    down: u32,
    released: bool,
}

impl PartTimer {
    /// Forgets the pair in play: after a reset, or when samples of something else follow.
    pub fn reset(&mut self) {
        let Self { ended, untimed, .. } = *self;
        *self = Self { ended, untimed, ..Self::default() };
    }

    /// Pairs that were followed from one deal to the next, and those of them whose board or end could not be timed: frames were lost, the
    /// game was paused, a round ended, or the board was none that the model knows.
    pub fn pairs(&self) -> (u64, u64) {
        (self.ended, self.untimed)
    }

    /// Processes a sample. `frame` counts the game's own frames.
    pub fn step(&mut self, frame: u64, now: &Moment) -> Vec<PartTime> {
        let mut found = Vec::new();
        let Some((last_frame, last)) = self.last.replace((frame, *now)) else { return found };
        if frame < last_frame || frame - last_frame > MAX_GAP {
            self.reset();
            self.last = Some((frame, *now));
            return found;
        }
        if now.pausing {
            self.forget_pair();
            self.turn = None;
        }
        let follows = frame == last_frame + 1;
        let dealt = When { least: (last_frame + 1).min(frame), most: frame };
        if now.dealt != last.dealt {
            self.forget_pair();
            let turn = self.turn.take();
            if last.dealt.checked_add(1) != Some(now.dealt) {
                return found;
            }
            if last.dealt > 0 {
                self.ended += 1;
                let ending = turn.as_ref().zip(now.field).and_then(|(turn, field)| turn.end(dealt, &field));
                self.untimed += u64::from(ending.is_none());
                found.extend(ending.flatten().map(|ending| next(ending, frame)));
            }
            let known = now.field.zip(now.rules).filter(|_| !now.pausing);
            self.turn = known.and_then(|(field, rules)| Turn::new(frame, field, last.next, rules));
            return found;
        }
        if !follows && frame != last_frame {
            let place = |moment: &Moment| moment.falling.map(|pair| (pair.column, pair.turns));
            let rests = |moment: &Moment| {
                let pair = moment.falling.zip(self.turn.as_ref());
                pair.is_some_and(|(pair, turn)| pair.rests(turn.base()))
            };
            let rested = self.rested || place(&last) != place(now) || rests(&last) || rests(now);
            self.forget_pair();
            self.rested = rested;
        }
        let progress = self.turn.as_mut().and_then(|turn| turn.observe(frame, follows, now.field));
        if follows {
            self.falling(frame, &last, now, &mut found);
        }
        match progress {
            Some(Progress::Landed { when, alone }) => {
                if let Some(rest) = self.rest.filter(|_| when.least == when.most) {
                    let frames = Span::exactly(u32::try_from(frame - rest.at).unwrap_or(u32::MAX));
                    let part = Part::Lock(alone);
                    found.push(PartTime { part, frames, at: frame, held: rest.down });
                }
                self.forget_pair();
            }
            Some(Progress::Step { frames, rows }) => {
                // Where a sample falls into the fall, the columns of one board may show it and those of another one not yet.
                let frames = frames.widened();
                found.push(PartTime { part: Part::Chain(rows), frames, at: frame, held: 0 });
            }
            None => {}
        }
        found
    }

    /// What depends on every frame of the falling pair.
    fn forget_pair(&mut self) {
        (self.taps, self.fall, self.rest, self.rested) = (Taps::default(), None, None, false);
    }

    /// The falling pair in two consecutive frames.
    fn falling(&mut self, frame: u64, last: &Moment, now: &Moment, found: &mut Vec<PartTime>) {
        let (Some(turn), Some(held)) = (&self.turn, now.held) else { return };
        let down = held.has(Held::DOWN);
        if let Some(rest) = &mut self.rest {
            rest.released |= !down;
            rest.down += u32::from(!rest.released);
            if held.moving() != Held::NONE || now.falling.is_some_and(|pair| pair != rest.pair) {
                (self.rest, self.rested) = (None, true);
            }
        }
        let (Some(from), Some(to)) = (last.falling, now.falling) else { return };
        if let Some(before) = last.held {
            self.taps.observe(frame, [before, held], [from, to], turn.base(), found);
        }
        if let Some(fall) = &mut self.fall
            && fall.at + 1 == frame
        {
            fall.down = Some(down);
        }
        self.fall = self.fall.filter(|fall| fall.down == Some(down));
        if from == to {
            // Not after a fall: it appeared or was moved where it rests.
            self.rested |= self.rest.is_none() && to.rests(turn.base());
            return;
        }
        let fell = from.row.checked_sub(1) == Some(to.row) && FallingPair { row: from.row, ..to } == from;
        if !fell {
            self.fall = None;
            self.rested |= to.rests(turn.base());
            return;
        }
        if let Some(fall) = self.fall {
            let part = if down { Part::Fall } else { Part::FallWithoutDown };
            let frames = Span::exactly(u32::try_from(frame - fall.at).unwrap_or(u32::MAX));
            found.push(PartTime { part, frames, at: frame, held: 0 });
        }
        self.fall = Some(Fall { at: frame, down: None });
        self.rest = (to.rests(turn.base()) && !self.rested).then_some(Rest {
            at: frame,
            pair: to,
            down: 0,
            released: false,
        });
    }
}

fn next((frames, ending): (Span, Ending), at: u64) -> PartTime {
    let part = match ending {
        Ending::Plain => Part::Next,
        Ending::Chain(rows) => Part::OnlyChain(rows),
        Ending::AllClear => Part::AllClear,
        Ending::Garbage(rows) => Part::Garbage(rows),
    };
    PartTime { part, frames, at, held: 0 }
}
