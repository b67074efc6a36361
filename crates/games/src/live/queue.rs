//! Compares one player's queue with the prediction.

use crate::games::Unit;
use crate::live::{Check, CheckId, Mismatch, Status, Totals};
use nextscope_boards::Pair;
use std::collections::BTreeSet;

/// A player's queue in RAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ObservedQueue {
    /// The pairs after the one in play.
    pub pairs: Vec<Pair>,
    /// Pairs dealt this round.
    pub pairs_dealt: u16,
    /// Byte index in the pool of the next pair, if the game stores one.
    pub pool_index: Option<u8>,
}

/// The queue by the model.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    /// The pair in each slot, and the pair by a second rule, which is accepted too: another check determines which rule
    /// applies.
    pub pairs: Vec<(Pair, Option<Pair>)>,
    /// The pool index.
    pub pool_index: Option<u8>,
}

/// One sample of a queue.
pub(crate) struct Sample<'a> {
    pub player: usize,
    pub observed: ObservedQueue,
    /// The expected queue, or why there is none.
    pub expected: Result<Expected, String>,
    pub frame: u64,
    pub frame_moved: bool,
    /// The prediction of the previous sample: the pairs dealt then, and the upcoming pairs.
    pub before: Option<(u16, &'a [Pair])>,
    pub round: u64,
    /// Formats a pair for a mismatch.
    pub text: fn(Pair) -> String,
    /// What the queue is of.
    pub unit: Unit,
}

/// A difference that becomes a mismatch if the next sample confirms it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suspect {
    deal_index: u32,
    expected: String,
    actual: String,
    /// Expected and actual, in display format.
    texts: [String; 2],
    what: &'static str,
}

#[derive(Debug, Clone, Copy)]
struct Drawn {
    deal_index: u32,
    predicted: Pair,
    frame: u64,
}

/// One player's queue.
#[derive(Debug, Clone, Default)]
pub(crate) struct QueueTrack {
    /// The queue in the first sample of new pools. It may belong to the previous round, also in the first sample
    /// after attaching; so it is checked only when it agrees with these pools or changes.
    stale: Option<ObservedQueue>,
    checked: bool,
    agrees: bool,
    pairs_dealt: Option<u16>,
    drawn: Vec<Drawn>,
    suspects: Vec<Suspect>,
    /// Pairs dealt at the suspects' sample, and whether a deal in progress could explain them.
    suspected_at: (u16, bool),
    reported: BTreeSet<(u32, &'static str)>,
    note: String,
}

const PAIR: &str = "pair";
const INDEX: &str = "pool index";

impl QueueTrack {
    /// `observed` is the queue in the first sample of new pools.
    fn new(observed: ObservedQueue) -> Self {
        Self { stale: Some(observed), ..Self::default() }
    }

    /// The round is over, and `observed` is the queue in the first sample of new pools, if it can be read: pairs that were drawn and
    /// not checked yet are missed.
    pub fn restart(&mut self, observed: Option<ObservedQueue>, totals: &mut Totals) {
        self.end(totals);
        *self = observed.map_or_else(Self::default, Self::new);
    }

    /// Counts the pairs that were drawn and not checked before the round was over.
    pub fn end(&self, totals: &mut Totals) {
        let reported = |drawn: &&Drawn| self.reported.contains(&(drawn.deal_index, PAIR));
        totals.pairs_missed += self.drawn.iter().filter(|drawn| !reported(drawn)).count() as u64;
    }

    /// Whether the queue was checked and agrees with the prediction.
    pub fn is_verified(&self) -> bool {
        self.checked && self.agrees
    }

    pub fn step(&mut self, sample: &Sample<'_>, totals: &mut Totals) -> Vec<Mismatch> {
        let observed = &sample.observed;
        let suspects = sample.expected.as_ref().map(|expected| suspects(observed, expected, sample.text));
        let mid_deal = sample.expected.as_ref().is_ok_and(|expected| may_be_mid_deal(observed, expected));
        if let Some(stale) = &self.stale {
            let index = sample.expected.as_ref().ok().and_then(|expected| expected.pool_index);
            let filling = observed.pairs_dealt == 0 && index.is_some() && observed.pool_index != index;
            let unlike = suspects.as_ref().map_or(true, |found| !found.is_empty());
            if (observed == stale && unlike) || filling {
                self.note = "waiting for the game to fill the queue".into();
                return Vec::new();
            }
            self.stale = None;
        }
        self.count_drawn(sample, suspects.as_deref().unwrap_or_default(), totals);
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
        // Two samples that fall into the middle of two deals show the same wrong pair at the same index, because all pairs are one
        // slot off.
        let (suspected_dealt, suspected_mid_deal) = self.suspected_at;
        let certain = suspected_dealt == observed.pairs_dealt || !(mid_deal && suspected_mid_deal);
        let again = |suspect: &&Suspect| certain && self.suspects.contains(suspect);
        let confirmed: Vec<Suspect> = suspects.iter().filter(again).cloned().collect();
        self.checked = suspects.is_empty() || !confirmed.is_empty();
        if self.checked {
            self.agrees = confirmed.is_empty();
            self.note = format!(
                "{} {} of the round is next",
                sample.unit.singular(),
                u32::from(observed.pairs_dealt) + 1
            );
        }
        self.suspects = suspects;
        self.suspected_at = (observed.pairs_dealt, mid_deal);
        let fresh = confirmed.into_iter().filter(|s| self.reported.insert((s.deal_index, s.what)));
        fresh.map(|suspect| mismatch(&suspect, sample)).collect()
    }

    /// Counts pairs that were predicted before they were drawn. A wrong one that leaves the queue before a second sample confirms it
    /// was not checked.
    fn count_drawn(&mut self, sample: &Sample<'_>, suspects: &[Suspect], totals: &mut Totals) {
        let observed = &sample.observed;
        let dealt = u32::from(observed.pairs_dealt);
        let slots = u32::try_from(observed.pairs.len()).unwrap_or(0);
        let in_queue = dealt..dealt + slots;
        let Self { drawn, reported, .. } = self;
        drawn.retain(|drawn| {
            if reported.contains(&(drawn.deal_index, PAIR)) {
                return false;
            }
            if !in_queue.contains(&drawn.deal_index) {
                totals.pairs_missed += 1;
                return false;
            }
            if drawn.frame == sample.frame {
                return true; // the deal may be in progress: check in the next frame
            }
            let slot = (drawn.deal_index - dealt) as usize;
            totals.pairs_verified += u64::from(observed.pairs[slot] == drawn.predicted);
            suspects.iter().any(|suspect| (suspect.deal_index, suspect.what) == (drawn.deal_index, PAIR))
        });
        if let (Some(earlier), Some((predicted_at, predicted))) = (self.pairs_dealt, sample.before) {
            let newly = u32::from(observed.pairs_dealt.wrapping_sub(earlier));
            if observed.pairs_dealt > earlier && predicted_at == earlier {
                totals.pairs_missed += u64::from(newly.saturating_sub(slots));
                for deal_index in (dealt + slots - newly.min(slots))..dealt + slots {
                    let ahead = (deal_index - u32::from(earlier)) as usize;
                    if let Some(&pair) = predicted.get(ahead) {
                        self.drawn.push(Drawn { deal_index, predicted: pair, frame: sample.frame });
                    }
                }
            }
        }
        self.pairs_dealt = Some(observed.pairs_dealt);
    }

    pub fn check(&self, id: CheckId, settled: bool) -> Check {
        let status = match (settled && self.checked, self.agrees) {
            (false, _) => Status::NotVerified,
            (true, true) => Status::Verified,
            (true, false) => Status::Mismatch,
        };
        let detail = if self.note.is_empty() { "not checked yet".into() } else { self.note.clone() };
        Check { id, status, detail }
    }
}

/// The differences in a sample.
fn suspects(observed: &ObservedQueue, expected: &Expected, text: fn(Pair) -> String) -> Vec<Suspect> {
    let dealt = u32::from(observed.pairs_dealt);
    let mut suspects = Vec::new();
    for ((deal_index, pair), (right, other)) in (dealt..).zip(&observed.pairs).zip(&expected.pairs) {
        if pair != right && Some(*pair) != *other {
            let (expected, actual) = (text(*right), text(*pair));
            let texts = [right.letters_and(&expected), pair.letters_and(&actual)];
            suspects.push(Suspect { deal_index, expected, actual, texts, what: PAIR });
        }
    }
    if let (Some(right), Some(actual)) = (expected.pool_index, observed.pool_index)
        && right != actual
    {
        let (expected, actual) = (format!("{right:02X}"), format!("{actual:02X}"));
        let texts = [expected.clone(), actual.clone()];
        suspects.push(Suspect { deal_index: dealt, expected, actual, texts, what: INDEX });
    }
    suspects
}

/// Whether the queue is possible in the middle of a deal: the count may change before or after the pairs move up, and some pairs may have
/// moved before others.
fn may_be_mid_deal(observed: &ObservedQueue, expected: &Expected) -> bool {
    let is = |pair: &Pair, place: Option<&(Pair, Option<Pair>)>| {
        place.is_some_and(|(right, other)| pair == right || Some(*pair) == *other)
    };
    let slots = &expected.pairs;
    let mut pairs = observed.pairs.iter().enumerate();
    // The first slot of a lagging queue contains the pair that came into play; the last slot of a leading queue, a pair further ahead.
    let lags =
        pairs.clone().skip(1).all(|(nth, pair)| is(pair, slots.get(nth)) || is(pair, slots.get(nth - 1)));
    let leads = pairs.all(|(nth, pair)| {
        nth + 1 == observed.pairs.len() || is(pair, slots.get(nth)) || is(pair, slots.get(nth + 1))
    });
    lags || leads
}

fn mismatch(suspect: &Suspect, sample: &Sample<'_>) -> Mismatch {
    let number = sample.player + 1;
    let check = if sample.player == 0 { CheckId::QUEUE_P1 } else { CheckId::QUEUE_P2 };
    let Suspect { deal_index, expected, actual, texts: [predicted, actual_text], what } = suspect;
    let (what, field) = if *what == PAIR {
        (
            format!(
                "player {number}, {} {} of the round: predicted {predicted}, queue has {actual_text}",
                sample.unit.singular(),
                deal_index + 1
            ),
            format!("p{number}_queue"),
        )
    } else {
        (
            format!(
                "player {number}: after {deal_index} deals the pool index is {predicted}, the cell has {actual_text}"
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

    /// A round's pairs, all different.
    fn pairs() -> Vec<Pair> {
        (0..20).map(|nth| Pair::from_bytes(nth % 5, nth / 5)).collect()
    }

    struct Player {
        track: QueueTrack,
        pairs: Vec<Pair>,
        frame: u64,
        totals: Totals,
        /// The pairs dealt in the previous sample.
        earlier: Option<usize>,
    }

    impl Player {
        fn new() -> Self {
            Self {
                track: QueueTrack::default(),
                pairs: pairs(),
                frame: 0,
                totals: Totals::default(),
                earlier: None,
            }
        }

        /// A queue that is `lag` slots behind the count.
        fn queue(&self, dealt: usize, lag: usize, fault: Option<(usize, Pair)>) -> ObservedQueue {
            let mut pairs = self.pairs[dealt - lag..dealt - lag + 3].to_vec();
            if let Some((index, wrong)) = fault.filter(|(index, _)| (dealt..dealt + 3).contains(index)) {
                pairs[index - dealt] = wrong;
            }
            ObservedQueue { pairs, pairs_dealt: u16::try_from(dealt).expect("few"), pool_index: None }
        }

        /// A sample some frames later.
        fn sample(&mut self, dealt: usize, lag: usize, fault: Option<(usize, Pair)>) -> Vec<Mismatch> {
            self.frame += 7;
            let earlier = self.earlier.replace(dealt);
            let sample = Sample {
                player: 0,
                observed: self.queue(dealt, lag, fault),
                expected: Ok(Expected {
                    pairs: self.pairs[dealt..dealt + 3].iter().map(|pair| (*pair, None)).collect(),
                    pool_index: None,
                }),
                frame: self.frame,
                frame_moved: true,
                before: earlier.map(|earlier| (u16::try_from(earlier).expect("few"), &self.pairs[earlier..])),
                round: 1,
                text: |pair| format!("{pair:?}"),
                unit: Unit::Pairs,
            };
            self.track.step(&sample, &mut self.totals)
        }

        /// After samples at these counts, with a wrong pair 8.
        fn with_wrong_pair(counts: &[usize]) -> Self {
            let (mut player, wrong) = (Self::new(), pairs()[19]);
            for dealt in counts {
                player.sample(*dealt, 0, Some((8, wrong)));
            }
            player
        }
    }

    /// This was a false alarm after hours of play at fifty times the console's speed.
    #[test]
    fn two_samples_in_the_middle_of_two_deals_are_no_mismatch() {
        let mut player = Player::new();
        for dealt in 3..10 {
            assert_eq!(player.sample(dealt, 1, None), []);
        }
        assert_eq!(player.sample(10, 0, None), []);
        assert!(player.track.is_verified());
    }

    /// Pools are generated some frames before the queue is filled.
    #[test]
    fn a_queue_of_the_previous_round_is_no_mismatch() {
        let mut player = Player::new();
        let wrong = pairs()[19];
        player.track = QueueTrack::new(player.queue(3, 0, Some((4, wrong))));
        for _ in 0..5 {
            assert_eq!(player.sample(3, 0, Some((4, wrong))), []);
        }
        assert!(!player.track.is_verified());
        // A fault that was there from the beginning is reported after the next deal.
        let found: Vec<Mismatch> = (0..3).flat_map(|_| player.sample(4, 0, Some((4, wrong)))).collect();
        assert_eq!(found.iter().map(|mismatch| mismatch.index).collect::<Vec<_>>(), [Some(4)]);
    }

    #[test]
    fn a_wrong_pair_is_reported_once() {
        let wrong = pairs()[19];
        for counts in [&[6, 6][..], &[7, 7], &[8, 8], &[6, 7], &[7, 8], &[6, 7, 8]] {
            let mut player = Player::new();
            assert_eq!(player.sample(5, 0, Some((8, wrong))), []);
            let found: Vec<Mismatch> =
                counts.iter().flat_map(|dealt| player.sample(*dealt, 0, Some((8, wrong)))).collect();
            let indices: Vec<Option<u32>> = found.iter().map(|mismatch| mismatch.index).collect();
            assert_eq!(indices, [Some(8)], "{counts:?}");
        }
    }

    /// Each drawn pair counts once: verified, missed, or reported as a mismatch.
    #[test]
    fn a_wrong_pair_that_no_second_sample_confirms_is_missed() {
        let counts = |dealt: &[usize]| {
            let player = Player::with_wrong_pair(dealt);
            let reported = player.track.reported.len();
            (player.totals.pairs_verified, player.totals.pairs_missed, reported)
        };
        // Pair 8 is last in the queue after 6 deals and first after 8: both samples may have fallen into a deal.
        assert_eq!(counts(&[4, 5, 6, 8, 9, 9]), (4, 1, 0));
        assert_eq!(counts(&[4, 5, 6, 6, 7, 8, 9, 10, 10]), (5, 0, 1));
    }

    #[test]
    fn a_pair_drawn_as_the_last_of_its_round_is_missed_unless_it_was_reported() {
        let counts = |dealt: &[usize]| {
            let mut player = Player::with_wrong_pair(dealt);
            let reported = player.track.reported.len();
            let next = player.queue(3, 0, None);
            player.track.restart(Some(next), &mut player.totals);
            player.sample(3, 0, None);
            (player.totals.pairs_verified, player.totals.pairs_missed, reported)
        };
        assert_eq!(counts(&[4, 5]), (0, 1, 0));
        assert_eq!(counts(&[4, 5, 5]), (1, 0, 0));
        assert_eq!(counts(&[4, 5, 6]), (1, 1, 0));
        assert_eq!(counts(&[4, 5, 6, 6]), (1, 0, 1));
    }
}
