//! Measured on the embedded console: with every frame sampled what is measured is what was set; with lost frames nothing wrong is.

use super::play::{Random, Set, entry, moments};
use nextscope::frames::{Certainty, Measurement, Moment, Part, PartTimer, Times};

const TABLES: [Set; 4] = [
    Set::BUILT,
    Set {
        press: 1,
        release: 2,
        fall: 2,
        fall_without_down: 16,
        lock: 16,
        next: 12,
        all_clear: 30,
        chain: 55,
        split: &[0, 19, 24, 28, 31, 34, 37, 40, 42, 44, 46, 48, 50],
        chain_rows: &[0, 25, 27, 29, 31, 33],
        garbage_rows: &[10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34],
        group: 4,
    },
    Set {
        press: 3,
        release: 4,
        fall: 3,
        fall_without_down: 7,
        lock: 2,
        next: 1,
        all_clear: 7,
        chain: 9,
        split: &[0, 1, 3],
        chain_rows: &[4, 0, 11, 2],
        garbage_rows: &[1, 0, 5, 3],
        group: 2,
    },
    Set {
        press: 2,
        release: 3,
        fall: 4,
        fall_without_down: 5,
        lock: 33,
        next: 40,
        all_clear: 1,
        chain: 3,
        split: &[0, 0, 7],
        chain_rows: &[0, 1],
        garbage_rows: &[60],
        group: 3,
    },
];

impl Set {
    /// What the measurement must say of a part.
    pub fn of(&self, part: Part) -> u32 {
        match part {
            Part::Press => self.press.into(),
            Part::Release => self.release.into(),
            Part::Fall => self.fall.into(),
            Part::FallWithoutDown => self.fall_without_down.into(),
            Part::Lock(0) => self.lock.into(),
            Part::Lock(rows) => entry(self.split, rows),
            Part::Chain(rows) => u32::from(self.chain) + entry(self.chain_rows, rows),
            Part::Next => self.next.into(),
            Part::AllClear => self.all_clear.into(),
            Part::Garbage(rows) => entry(self.garbage_rows, rows),
        }
    }
}

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
            assert_eq!(estimate.certainty, Certainty::Exact, "{set:?}: {part}: {:?}", estimate.seen);
            assert_eq!(estimate.value(), Some(set.of(*part)), "{set:?}: {part}: {:?}", estimate.seen);
            match part {
                Part::Lock(_) => rows[0] += 1,
                Part::Chain(_) => rows[1] += 1,
                Part::Garbage(_) => rows[2] += 1,
                _ => {}
            }
        }
        assert!(rows[0] > 4 && rows[1] > 2 && rows[2] > 3, "{rows:?}");
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
                    Certainty::Between | Certainty::AtMost => {
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
    assert!(exact[0] > 40 && exact[0] >= exact[1] && exact[1] > exact[2] && exact[2] > 5, "{exact:?}");
}
