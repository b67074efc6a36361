//! Queues in RAM, without a generator.

use crate::learn::{
    Hints, Lesson, ListForm, Observations, ObservedDeal, PieceList, Series, WrittenDeals, learn,
};
use crate::source::Address;
use nextscope_boards::SplitMix64;
use nextscope_games::games::declared::{Deals, Symbol};
use nextscope_memory::console::Endian;
use nextscope_task::Progress;
use std::ops::RangeInclusive;

const KINDS: [Symbol; 7] = [Symbol::I, Symbol::J, Symbol::L, Symbol::O, Symbol::S, Symbol::T, Symbol::Z];
const CODES: [u8; 7] = [5, 4, 3, 6, 1, 2, 0];
const DEALS: usize = 40;
const APART: usize = 30;
const LENGTH: usize = 6;

/// Games one after the other.
struct Session {
    random: SplitMix64,
    series: Series,
    dealt: Vec<ObservedDeal>,
}

impl Session {
    fn new() -> Self {
        Self { random: SplitMix64(7), series: Series::new(Address(0x80)), dealt: Vec::new() }
    }

    fn below(&mut self, count: usize) -> usize {
        self.random.draw() as usize % count
    }

    /// A game whose piece in play is at 0x80, and whose queue at 0x88 moves up so many samples after a deal, another number with each.
    fn play(&mut self, deals: usize, moved: RangeInclusive<isize>) {
        let pieces: Vec<usize> = (0..deals + LENGTH).map(|_| self.below(7)).collect();
        let ways: Vec<isize> = moved.collect();
        let begin = self.series.len();
        let times: Vec<(usize, usize)> = (0..deals)
            .map(|nth| {
                let sample = begin + 20 + APART * nth;
                (sample, sample.checked_add_signed(ways[self.below(ways.len())]).unwrap())
            })
            .collect();
        for sample in begin..begin + 20 + APART * deals {
            let mut bytes = [0_u8; 32];
            let dealt = times.iter().filter(|(at, _)| *at <= sample).count();
            let moved = times.iter().filter(|(_, at)| *at <= sample).count();
            bytes[0] = dealt.checked_sub(1).map_or(0xFF, |nth| CODES[pieces[nth]]);
            for ahead in 0..LENGTH {
                bytes[8 + ahead] = CODES[pieces[moved + ahead]];
            }
            // Changes with each deal, also if it is of the same kind as the one before.
            bytes[20] = dealt.to_le_bytes()[0];
            self.series.push(sample as u64, &bytes).unwrap();
        }
        self.dealt.extend(times.iter().zip(pieces).map(|((sample, _), kind)| ObservedDeal {
            sample: *sample,
            kind: u8::try_from(kind).unwrap(),
            child: 0,
        }));
    }

    /// Nothing is dealt.
    fn wait(&mut self, samples: usize) {
        let last = self.series.len();
        let bytes = self.series.memory(last - 1);
        for sample in last..last + samples {
            self.series.push(sample as u64, &bytes).unwrap();
        }
    }
}

/// The queue of every game.
fn queue() -> PieceList {
    let codes = (0..).zip(CODES).collect();
    let form = ListForm::Queue { length: LENGTH, ahead: 1 };
    PieceList { address: Address(0x88), stride: 1, is_reversed: false, form, codes }
}

#[test]
fn a_queue_is_found_although_samples_fall_into_the_middle_of_frames() {
    let found = |moved| {
        let mut session = Session::new();
        session.play(DEALS, moved);
        let Session { series, dealt, .. } = session;
        let (kinds, codes) = (KINDS.to_vec(), Vec::new());
        let observed = Observations { deals: Deals::Pieces, kinds, codes, dealt, from_start: true };
        learn(&series, &observed, &Progress::default()).unwrap().lists
    };
    for moved in [0..=0, 0..=1, -1..=1, -8..=8] {
        assert_eq!(found(moved.clone()), [queue()], "{moved:?}");
    }
    // What has moved half-way to the next deal with some deals only is no queue.
    assert_eq!(found(10..=20), []);
}

#[test]
fn of_two_games_the_longer_one_is_learned_from() {
    for (first, second) in [(DEALS, 15), (15, DEALS), (9, DEALS), (DEALS, 0)] {
        let mut session = Session::new();
        session.play(first, 0..=1);
        session.wait(8 * APART);
        session.play(second, 0..=1);
        let mut deals = WrittenDeals::default();
        for dealt in &session.dealt {
            let letter = KINDS[usize::from(dealt.kind)].letter().to_string();
            deals.write(&letter, dealt.sample + 12).unwrap();
        }
        let (hints, progress) = (Hints::default(), Progress::default());
        let lesson = Lesson::search(session.series, Endian::Little, false, deals, &hints, &progress).unwrap();
        assert_eq!(lesson.report.lists, [queue()], "{first} {second}");
        let (used, other) = (lesson.timed.observed.dealt, lesson.other_games);
        assert_eq!((used.len(), other), (first.max(second), first.min(second)));
        let from = if first > second { 0 } else { first };
        assert_eq!(used, session.dealt[from..from + used.len()]);
    }
}
