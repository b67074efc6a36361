//! Measured on the embedded console: with every frame sampled what is measured is what was set; with lost frames nothing wrong is.

use super::play::{Random, TABLES, moments};
use nextscope::frames::{Certainty, Measurement, Moment, Part, PartTimer, Times};

fn measure(moments: impl IntoIterator<Item = (u64, Moment)>) -> Times {
    let (mut timer, mut measurement) = (PartTimer::default(), Measurement::default());
    for (frame, moment) in moments {
        timer.step(frame, &moment).iter().for_each(|time| measurement.add(time));
    }
    measurement.times()
}

#[test]
fn what_is_measured_is_what_was_set() {
    for (nth, set) in (1..).zip(TABLES) {
        let times = measure(moments(set, nth, 20_000));
        let mut rows = [0; 3];
        for (part, estimate) in &times {
            println!("{part}: {:?} {:?}", estimate.certainty, estimate.seen);
            if *part == Part::AllClear && set.group > 2 {
                continue; // too rare
            }
            if matches!(estimate.certainty, Certainty::Few | Certainty::Between) {
                let possible = estimate.possible.expect("not a contradiction");
                assert!(possible.contains(set.of(*part)), "{set:?}: {part}: {:?}", estimate.seen);
                continue;
            }
            assert_eq!(estimate.certainty, Certainty::Exact, "{set:?}: {part}: {:?}", estimate.seen);
            assert_eq!(estimate.value(), Some(set.of(*part)), "{set:?}: {part}: {:?}", estimate.seen);
            match part {
                Part::Lock(_) => rows[0] += 1,
                Part::Chain(_) => rows[1] += 1,
                Part::Garbage(_) => rows[2] += 1,
                _ => {}
            }
        }
        assert!(rows[0] > 1 && rows[1] > 1 && (rows[2] > 1 || set.garbage_rows.is_empty()), "{rows:?}");
    }
}

#[test]
fn with_lost_frames_nothing_wrong_is_measured() {
    let mut random = Random(77);
    let mut exact = [0_u32; 3];
    for (nth, set) in (1..).zip(TABLES) {
        let all = moments(set, nth, 12_000);
        for (exact, lost) in exact.iter_mut().zip([2, 10, 50]) {
            let sampled: Vec<_> = all.iter().filter(|_| random.below(100) >= lost).copied().collect();
            for (part, estimate) in measure(sampled) {
                let right = set.of(part);
                match estimate.certainty {
                    Certainty::Exact => {
                        assert_eq!(
                            estimate.value(),
                            Some(right),
                            "{lost} %: {set:?}: {part}: {:?}",
                            estimate.seen
                        );
                        *exact += 1;
                    }
                    Certainty::Between | Certainty::AtMost | Certainty::Few => {
                        let possible = estimate.possible.expect("not a contradiction");
                        assert!(possible.contains(right), "{lost} %: {set:?}: {part}: {:?}", estimate.seen);
                    }
                    Certainty::NotSeen | Certainty::Needs(_) => {}
                    Certainty::Contradiction | Certainty::WithinAFrame => {
                        panic!("{lost} %: {set:?}: {part}: {:?}", estimate.seen)
                    }
                }
            }
        }
    }
    println!("exact with 2, 10 and 50 % of the frames lost: {exact:?}");
    assert!(exact[0] > 25 && exact[0] >= exact[1] && exact[1] > exact[2] && exact[2] > 3, "{exact:?}");
}
