//! Queues in RAM, without a generator.

use crate::learn::{ListForm, Observations, ObservedDeal, PieceList, Series, learn};
use crate::source::Address;
use nextscope_boards::SplitMix64;
use nextscope_games::games::declared::{Deals, Symbol};
use nextscope_task::Progress;
use std::ops::RangeInclusive;

const KINDS: [Symbol; 7] = [Symbol::I, Symbol::J, Symbol::L, Symbol::O, Symbol::S, Symbol::T, Symbol::Z];
const CODES: [u8; 7] = [5, 4, 3, 6, 1, 2, 0];
const APART: usize = 30;
const LENGTH: usize = 6;

/// The queue that is found if it moves up so many samples after the deal, another number with each deal.
fn found(moved: RangeInclusive<isize>) -> Option<PieceList> {
    let mut random = SplitMix64(7);
    let mut below = |count: usize| random.draw() as usize % count;
    let pieces: Vec<usize> = (0..40 + LENGTH).map(|_| below(7)).collect();
    let ways: Vec<isize> = moved.collect();
    let times: Vec<(usize, usize)> = (0..40)
        .map(|nth| {
            let sample = 20 + APART * nth;
            (sample, sample.checked_add_signed(ways[below(ways.len())]).unwrap())
        })
        .collect();
    let mut series = Series::new(Address(0x80));
    for sample in 0..20 + APART * 40 {
        let mut bytes = [0_u8; 32];
        let dealt = times.iter().filter(|(at, _)| *at <= sample).count();
        let moved = times.iter().filter(|(_, at)| *at <= sample).count();
        bytes[0] = dealt.checked_sub(1).map_or(0xFF, |nth| CODES[pieces[nth]]);
        for ahead in 0..LENGTH {
            bytes[8 + ahead] = CODES[pieces[moved + ahead]];
        }
        series.push(sample as u64, &bytes).unwrap();
    }
    let deal = |((sample, _), kind): (&(usize, usize), &usize)| ObservedDeal {
        sample: *sample,
        kind: u8::try_from(*kind).unwrap(),
        child: 0,
    };
    let observed = Observations {
        deals: Deals::Pieces,
        kinds: KINDS.to_vec(),
        codes: Vec::new(),
        dealt: times.iter().zip(&pieces).map(deal).collect(),
        from_start: true,
    };
    let report = learn(&series, &observed, &Progress::default()).unwrap();
    assert!(report.lists.len() <= 1, "{:?}", report.lists);
    report.lists.first().cloned()
}

#[test]
fn a_queue_is_found_although_samples_fall_into_the_middle_of_frames() {
    let codes = (0..).zip(CODES).collect();
    let form = ListForm::Queue { length: LENGTH, ahead: 1 };
    let expected = PieceList { address: Address(0x88), stride: 1, is_reversed: false, form, codes };
    for moved in [0..=0, 0..=1, -1..=1, -8..=8] {
        assert_eq!(found(moved.clone()).as_ref(), Some(&expected), "{moved:?}");
    }
    // What has moved half-way to the next deal with some deals only is no queue.
    assert_eq!(found(10..=20), None);
}
