//! The shuffles.

use super::compile::{Mixer, Program};
use super::deal::{DealState, MAX_REDRAWS};
use super::language::ShuffleMethod;

/// A limit as a number: no pool has more than 4096 cells.
fn limit(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Program {
    /// A place below `count`.
    pub(super) fn place(&self, state: &mut DealState, mixer: &Mixer, count: usize) -> usize {
        // The checks exclude a draw that gives no place.
        self.number(state, &mixer.draw, limit(count)).unwrap_or(0) as usize
    }

    pub(super) fn shuffle(&self, state: &mut DealState, mixer: &Mixer, cells: &mut [u8]) {
        let count = cells.len();
        // Where only one place is possible, a draw is made only if the game makes one.
        let skipped = usize::from(!mixer.last_draw);
        match mixer.method {
            ShuffleMethod::Up => {
                for at in 0..count - skipped {
                    cells.swap(at, at + self.place(state, mixer, count - at));
                }
            }
            ShuffleMethod::Down => {
                for at in (skipped..count).rev() {
                    cells.swap(at, self.place(state, mixer, at + 1));
                }
            }
            ShuffleMethod::InsideOut => {
                for at in skipped..count {
                    cells.swap(at, self.place(state, mixer, at + 1));
                }
            }
            ShuffleMethod::AnyUp => {
                for at in 0..count {
                    cells.swap(at, self.place(state, mixer, count));
                }
            }
            ShuffleMethod::AnyDown => {
                for at in (0..count).rev() {
                    cells.swap(at, self.place(state, mixer, count));
                }
            }
            ShuffleMethod::Remaining => {
                for at in 0..count - skipped {
                    let drawn = self.place(state, mixer, count - at);
                    cells[at..=at + drawn].rotate_right(1);
                }
            }
            ShuffleMethod::Retry => self.shuffle_by_retries(state, mixer, cells),
            ShuffleMethod::Swaps => {
                for _ in 0..mixer.count {
                    let one = self.place(state, mixer, count);
                    let two = self.place(state, mixer, count);
                    cells.swap(one, two);
                }
            }
            ShuffleMethod::Rows => {
                for length in mixer.rows.iter().map(|length| usize::from(*length)) {
                    for start in (0..count - length).step_by(length) {
                        for _ in 0..length / 2 {
                            let upper = self.place(state, mixer, length);
                            let lower = self.place(state, mixer, length);
                            cells.swap(start + upper, start + length + lower);
                        }
                    }
                }
            }
        }
    }

    fn shuffle_by_retries(&self, state: &mut DealState, mixer: &Mixer, cells: &mut [u8]) {
        let mut taken = std::mem::take(&mut state.taken);
        let mut from = std::mem::take(&mut state.scratch);
        from.clear();
        from.extend_from_slice(cells);
        taken.clear();
        taken.resize(cells.len(), false);
        for (left, cell) in (1..=cells.len()).rev().zip(cells) {
            *cell = from[self.untaken(state, mixer, &mut taken, left)];
        }
        (state.taken, state.scratch) = (taken, from);
    }

    /// A place that was not taken before, of which there are `left`; it is then taken.
    pub(super) fn untaken(
        &self,
        state: &mut DealState,
        mixer: &Mixer,
        taken: &mut [bool],
        left: usize,
    ) -> usize {
        let only = |taken: &[bool]| taken.iter().position(|taken| !taken).unwrap_or(0);
        let mut place =
            if left == 1 && !mixer.last_draw { only(taken) } else { self.place(state, mixer, taken.len()) };
        let mut redraws = 0;
        while taken[place] {
            redraws += 1;
            if redraws > MAX_REDRAWS || state.stuck {
                state.stuck = true;
                place = only(taken);
                break;
            }
            place = self.place(state, mixer, taken.len());
        }
        taken[place] = true;
        place
    }
}
