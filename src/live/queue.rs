//! One player's queue against the forecast.

use super::{Check, CheckId, Mismatch, Status, Totals};
use crate::game::puyo::Pair;
use std::collections::BTreeSet;

/// What a player's cells hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// The pairs after the one in play.
    pub pairs: Vec<Pair>,
    /// Pairs dealt this round.
    pub pairs_dealt: u16,
    /// Byte index of the pool at which the next pair is drawn, where the game keeps one.
    pub pool_index: Option<u8>,
}

/// What the model says a queue must hold.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    /// For each place in the queue the pair, and the pair by another reading of the documents: one that follows that is
    /// not wrong, another check tells which reading holds.
    pub pairs: Vec<(Pair, Option<Pair>)>,
    /// The pool index.
    pub pool_index: Option<u8>,
}

/// One sample, as a queue sees it.
pub(super) struct Sample<'a> {
    pub player: usize,
    pub seen: Seen,
    /// Or why there is nothing to say.
    pub expected: Result<Expected, String>,
    pub frame: u64,
    pub frame_moved: bool,
    /// The forecast made from the sample before: pairs dealt then, and the pairs to come.
    pub before: Option<(u16, &'a [Pair])>,
    pub round: u64,
    /// How a pair is written in a mismatch.
    pub text: fn(Pair) -> String,
}

/// A disagreement that must be seen again before it is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suspect {
    deal_index: u32,
    expected: String,
    actual: String,
    /// What was expected and what the cells hold, for people.
    words: [String; 2],
    what: &'static str,
}

#[derive(Debug, Clone, Copy)]
struct Drawn {
    deal_index: u32,
    forecast: Pair,
    frame: u64,
}

/// One player's queue.
#[derive(Debug, Clone, Default)]
pub(super) struct QueueTrack {
    /// The queue as it stood when new pools were made: until it changes it belongs to the round before.
    stale: Option<Seen>,
    checked: bool,
    holds: bool,
    pairs_dealt: Option<u16>,
    drawn: Vec<Drawn>,
    suspects: Vec<Suspect>,
    /// Pairs dealt when these were seen, and whether a deal that was under way would look like that.
    suspected_at: (u16, bool),
    reported: BTreeSet<(u32, &'static str)>,
    note: String,
}

const PAIR: &str = "pair";
const INDEX: &str = "pool index";

impl QueueTrack {
    /// New pools were made; the queue is that of the round before until it is filled anew.
    pub fn await_fill(&mut self, seen: Seen) {
        self.stale = Some(seen);
    }

    /// Whether the queue holds what was forecast.
    pub fn stands(&self) -> bool {
        self.checked && self.holds
    }

    pub fn step(&mut self, sample: &Sample<'_>, totals: &mut Totals) -> Vec<Mismatch> {
        let seen = &sample.seen;
        let suspects = sample.expected.as_ref().map(|expected| suspects(seen, expected, sample.text));
        let mid_deal = sample.expected.as_ref().is_ok_and(|expected| may_be_mid_deal(seen, expected));
        if let Some(stale) = &self.stale {
            let index = sample.expected.as_ref().ok().and_then(|expected| expected.pool_index);
            let filling = seen.pairs_dealt == 0 && index.is_some() && seen.pool_index != index;
            let unlike = suspects.as_ref().map_or(true, |found| !found.is_empty());
            if (seen == stale && unlike) || filling {
                self.note = "waits for the queue to be filled".into();
                return Vec::new();
            }
            self.stale = None;
        }
        self.count_drawn(sample, totals);
        let suspects = match suspects {
            Ok(suspects) => suspects,
            Err(why) => {
                self.checked = false;
                self.note = why.clone();
                return Vec::new();
            }
        };
        if !sample.frame_moved {
            return Vec::new();
        }
        // Two samples that both fall into the middle of a deal, each of another pair, show the same wrong pair at the same index, since
        // all are one place off.
        let (suspected_dealt, suspected_mid_deal) = self.suspected_at;
        let certain = suspected_dealt == seen.pairs_dealt || !(mid_deal && suspected_mid_deal);
        let again = |suspect: &&Suspect| certain && self.suspects.contains(suspect);
        let confirmed: Vec<Suspect> = suspects.iter().filter(again).cloned().collect();
        self.checked = suspects.is_empty() || !confirmed.is_empty();
        if self.checked {
            self.holds = confirmed.is_empty();
            self.note = format!("pair {} of the round is next", u32::from(seen.pairs_dealt) + 1);
        }
        self.suspects = suspects;
        self.suspected_at = (seen.pairs_dealt, mid_deal);
        let fresh = confirmed.into_iter().filter(|s| self.reported.insert((s.deal_index, s.what)));
        fresh.map(|suspect| mismatch(&suspect, sample)).collect()
    }

    /// Counts pairs that were forecast before they were drawn.
    fn count_drawn(&mut self, sample: &Sample<'_>, totals: &mut Totals) {
        let seen = &sample.seen;
        let dealt = u32::from(seen.pairs_dealt);
        let places = u32::try_from(seen.pairs.len()).unwrap_or(0);
        let in_queue = dealt..dealt + places;
        self.drawn.retain(|drawn| {
            if !in_queue.contains(&drawn.deal_index) {
                totals.pairs_unseen += 1;
                return false;
            }
            if drawn.frame == sample.frame {
                return true; // the deal may be under way: look again in the next frame
            }
            let slot = (drawn.deal_index - dealt) as usize;
            totals.pairs_verified += u64::from(seen.pairs[slot] == drawn.forecast);
            false
        });
        if let (Some(earlier), Some((forecast_at, forecast))) = (self.pairs_dealt, sample.before) {
            let newly = u32::from(seen.pairs_dealt.wrapping_sub(earlier));
            if seen.pairs_dealt > earlier && forecast_at == earlier {
                totals.pairs_unseen += u64::from(newly.saturating_sub(places));
                for deal_index in (dealt + places - newly.min(places))..dealt + places {
                    let ahead = (deal_index - u32::from(earlier)) as usize;
                    if let Some(&pair) = forecast.get(ahead) {
                        self.drawn.push(Drawn { deal_index, forecast: pair, frame: sample.frame });
                    }
                }
            }
        }
        self.pairs_dealt = Some(seen.pairs_dealt);
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

/// What disagrees in a sample.
fn suspects(seen: &Seen, expected: &Expected, text: fn(Pair) -> String) -> Vec<Suspect> {
    let dealt = u32::from(seen.pairs_dealt);
    let mut suspects = Vec::new();
    for ((deal_index, pair), (right, other)) in (dealt..).zip(&seen.pairs).zip(&expected.pairs) {
        if pair != right && Some(*pair) != *other {
            let (expected, actual) = (text(*right), text(*pair));
            let words = [right.letters_and(&expected), pair.letters_and(&actual)];
            suspects.push(Suspect { deal_index, expected, actual, words, what: PAIR });
        }
    }
    if let (Some(right), Some(actual)) = (expected.pool_index, seen.pool_index)
        && right != actual
    {
        let (expected, actual) = (format!("{right:02X}"), format!("{actual:02X}"));
        let words = [expected.clone(), actual.clone()];
        suspects.push(Suspect { deal_index: dealt, expected, actual, words, what: INDEX });
    }
    suspects
}

/// Whether a queue could look like that in the middle of a deal: the pairs are counted before they move up, or after, and some have moved when
/// others have not.
fn may_be_mid_deal(seen: &Seen, expected: &Expected) -> bool {
    let is = |pair: &Pair, place: Option<&(Pair, Option<Pair>)>| {
        place.is_some_and(|(right, other)| pair == right || Some(*pair) == *other)
    };
    let places = &expected.pairs;
    let mut pairs = seen.pairs.iter().enumerate();
    // The first place of a queue that lags holds the pair that came into play, the last one of a queue that leads a pair further on.
    let lags =
        pairs.clone().skip(1).all(|(nth, pair)| is(pair, places.get(nth)) || is(pair, places.get(nth - 1)));
    let leads = pairs.all(|(nth, pair)| {
        nth + 1 == seen.pairs.len() || is(pair, places.get(nth)) || is(pair, places.get(nth + 1))
    });
    lags || leads
}

fn mismatch(suspect: &Suspect, sample: &Sample<'_>) -> Mismatch {
    let number = sample.player + 1;
    let check = if sample.player == 0 { CheckId::QueueP1 } else { CheckId::QueueP2 };
    let Suspect { deal_index, expected, actual, words: [predicted, held], what } = suspect;
    let (what, field) = if *what == PAIR {
        (
            format!(
                "player {number}, pair {} of the round: predicted {predicted}, queue has {held}",
                deal_index + 1
            ),
            format!("p{number}_queue"),
        )
    } else {
        (
            format!(
                "player {number}: after {deal_index} deals the pool index is {predicted}, the cell has {held}"
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
        one_of: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round's pairs, no two alike.
    fn pairs() -> Vec<Pair> {
        (0..20).map(|nth| Pair::from_bytes(nth % 5, nth / 5)).collect()
    }

    struct Player {
        track: QueueTrack,
        pairs: Vec<Pair>,
        frame: u64,
    }

    impl Player {
        fn new() -> Self {
            Self { track: QueueTrack::default(), pairs: pairs(), frame: 0 }
        }

        /// A sample some frames later, of a queue that stands `lag` places behind the count.
        fn sees(&mut self, dealt: usize, lag: usize, fault: Option<(usize, Pair)>) -> Vec<Mismatch> {
            self.frame += 7;
            let mut queue = self.pairs[dealt - lag..dealt - lag + 3].to_vec();
            if let Some((index, wrong)) = fault.filter(|(index, _)| (dealt..dealt + 3).contains(index)) {
                queue[index - dealt] = wrong;
            }
            let pairs_dealt = u16::try_from(dealt).expect("few");
            let sample = Sample {
                player: 0,
                seen: Seen { pairs: queue, pairs_dealt, pool_index: None },
                expected: Ok(Expected {
                    pairs: self.pairs[dealt..dealt + 3].iter().map(|pair| (*pair, None)).collect(),
                    pool_index: None,
                }),
                frame: self.frame,
                frame_moved: true,
                before: None,
                round: 1,
                text: |pair| format!("{pair:?}"),
            };
            self.track.step(&sample, &mut Totals::default())
        }
    }

    /// Seen after hours of play at fifty times the console's speed: a false alarm.
    #[test]
    fn two_samples_in_the_middle_of_two_deals_are_no_mismatch() {
        let mut player = Player::new();
        for dealt in 3..10 {
            assert_eq!(player.sees(dealt, 1, None), []);
        }
        assert_eq!(player.sees(10, 0, None), []);
        assert!(player.track.stands());
    }

    #[test]
    fn a_wrong_pair_is_told_once_wherever_two_samples_fall() {
        let wrong = pairs()[19];
        for counts in [&[6, 6][..], &[7, 7], &[8, 8], &[6, 7], &[7, 8], &[6, 7, 8]] {
            let mut player = Player::new();
            assert_eq!(player.sees(5, 0, Some((8, wrong))), []);
            let found: Vec<Mismatch> =
                counts.iter().flat_map(|dealt| player.sees(*dealt, 0, Some((8, wrong)))).collect();
            let indices: Vec<Option<u32>> = found.iter().map(|mismatch| mismatch.index).collect();
            assert_eq!(indices, [Some(8)], "{counts:?}");
        }
    }
}
