//! Counters of frames, and samples by them.
//!
//! A sample taken by the clock of the computer may be a frame early or late. A game that counts its frames says how many have passed.

use super::series::Series;
use crate::source::Address;
use nextscope_memory::console::Endian;

/// Results, at most.
const MOST: usize = 8;
/// Samples without which nothing is called a counter.
const SAMPLES_LEAST: usize = 60;
/// Of eight samples, those in which a counter moves, at least: it may stop in menus.
const MOVING_OF_8: usize = 4;
/// Of sixteen movements of the counter that moves most often, those that others have, at least, to be preferred to it: a profile tells by its
/// counter that the game runs, in menus too.
const MOVING_OF_16: usize = 15;
/// Of 32 movements, those that are no count of the frames since the last sample, at most.
const OTHERS_OF_32: usize = 1;
/// More such movements than the best counter has, at most: what begins again after each second counts frames too, but for one in sixty.
const OTHERS_MORE: usize = 2;
/// Samples that one frame may have: an emulator that is interrupted while it computes looks as if it had finished.
const SAMPLES_OF_FRAME: usize = 4;
/// Frames by which a sample may be late.
const LATE_MOST: u64 = 2;
/// Frames that may pass between two samples.
const FRAMES_MOST: u64 = 8;

/// A cell that counts frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameCell {
    /// The address of its first byte.
    pub address: Address,
    /// Its bytes: 1, 2 or 4.
    pub width: u8,
    /// What each frame adds.
    pub per_frame: i8,
    /// Samples in which it moved.
    pub moves: usize,
    /// Of those, the ones that are no count of frames.
    others: usize,
    /// The offset of the byte that moves in every frame.
    low: usize,
}

/// The counters of frames: of those that move most often the one that begins the work of a frame first.
pub fn find(series: &Series, order: Endian) -> Vec<FrameCell> {
    if series.len() < SAMPLES_LEAST {
        return Vec::new();
    }
    let mut found: Vec<FrameCell> =
        series.moving().filter_map(|offset| counter(series, offset, order)).collect();
    // Of two that are the same, the lower address is as good as the other one.
    found.sort_by_key(|cell| (usize::MAX - cell.moves, cell.per_frame < 0, cell.address));
    let most = found.first().map_or(0, |cell| cell.moves);
    found.retain(|cell| 16 * cell.moves >= MOVING_OF_16 * most);
    let fewest = found.iter().map(|cell| cell.others).min().unwrap_or(0);
    found.retain(|cell| cell.others <= fewest + OTHERS_MORE);
    found.truncate(MOST);
    let leads: Vec<isize> =
        found.iter().map(|cell| found.iter().map(|other| lead(series, *cell, *other)).sum()).collect();
    let mut ranked: Vec<(isize, FrameCell)> = leads.into_iter().zip(found).collect();
    ranked.sort_by_key(|(lead, _)| -lead);
    ranked.into_iter().map(|(_, cell)| cell).collect()
}

/// In how many samples more one counter is a frame ahead of the other than behind it. A sample may fall into the work of a frame: the counter
/// that is ahead then is the one that begins the frame.
fn lead(series: &Series, one: FrameCell, other: FrameCell) -> isize {
    let count = |cell: FrameCell, sample: usize| {
        let byte = series.byte(cell.low, sample);
        if cell.per_frame > 0 { byte } else { !byte }
    };
    let mut apart = [0_isize; 256];
    (0..series.len())
        .for_each(|sample| apart[usize::from(count(one, sample).wrapping_sub(count(other, sample)))] += 1);
    let usual = (0..256).max_by_key(|difference| apart[*difference]).unwrap_or(0);
    apart[(usual + 1) % 256] - apart[(usual + 255) % 256]
}

/// Movements of a cell that are a count of frames.
#[derive(Clone, Copy, Default)]
struct Count {
    exact: usize,
    /// Of as many frames as the computer's clock says, or a few more or fewer: under load that is all it can say.
    close: usize,
}

impl Count {
    fn add(&mut self, passed: u8, frames: u64) {
        let passed = u64::from(passed);
        self.exact += usize::from(passed == frames);
        self.close += usize::from(passed > 0 && passed.abs_diff(frames) <= LATE_MOST);
    }

    /// Of so many movements those that are something else, if it counts frames.
    fn others(self, moves: usize) -> Option<usize> {
        let others = moves - self.close;
        (32 * others <= OTHERS_OF_32 * moves && 2 * self.exact >= moves).then_some(others)
    }
}

fn counter(series: &Series, offset: usize, order: Endian) -> Option<FrameCell> {
    let moves = series.moves(offset);
    if 8 * moves < MOVING_OF_8 * series.len() {
        return None;
    }
    let mut last = series.byte(offset, 0);
    let mut counts = [Count::default(); 2];
    for (sample, value) in series.changes(offset) {
        let frames = series.frames_before(sample as usize);
        counts[0].add(value.wrapping_sub(last), frames);
        counts[1].add(last.wrapping_sub(value), frames);
        last = value;
    }
    let (per_frame, others) = match counts.map(|count| count.others(moves)) {
        [Some(others), _] => (1, others),
        [_, Some(others)] => (-1, others),
        _ => return None,
    };
    let width = width(series, offset, order, per_frame);
    let low = u64::from(width - 1);
    let first = if order == Endian::Big { offset as u64 - low } else { offset as u64 };
    let address = series.address(usize::try_from(first).ok()?);
    Some(FrameCell { address, width, per_frame, moves, others, low: offset })
}

/// The bytes of the counter whose lowest byte this is: each next one moves when the ones below it wrap.
fn width(series: &Series, low: usize, order: Endian, per_frame: i8) -> u8 {
    let byte = |nth: usize| match order {
        Endian::Big => low.checked_sub(nth),
        Endian::Little => low.checked_add(nth).filter(|at| *at < series.size()),
    };
    let wraps = |offset: usize| {
        let mut last = series.byte(offset, 0);
        let mut wraps = Vec::new();
        for (sample, value) in series.changes(offset) {
            if if per_frame > 0 { value < last } else { value > last } {
                wraps.push(sample);
            }
            last = value;
        }
        wraps
    };
    let mut width = 1;
    // A counter of 4 bytes has an address that is a multiple of 2 at least, and of 3 bytes there is none.
    for (nth, bytes) in [(1, 2), (2, 3), (3, 4)] {
        let (Some(below), Some(above)) = (byte(nth - 1), byte(nth)) else { break };
        let wrapped = wraps(below);
        let moved: Vec<u32> = series.changes(above).map(|(sample, _)| sample).collect();
        // Without a wrap it cannot be told from a byte that is always the same.
        if wrapped.is_empty() || wrapped != moved {
            break;
        }
        width = bytes;
    }
    if width == 3 { 2 } else { width }
}

impl Series {
    /// The same samples with the frames that a counter counts, and for each sample the one that it became. Of the samples of
    /// one frame the last one is kept.
    #[must_use]
    pub fn counted_by(&self, cell: FrameCell) -> (Self, Vec<usize>) {
        let count = |sample: usize| self.byte(cell.low, sample);
        let passed = |from: usize, to: usize| {
            let (from, to) = (count(from), count(to));
            u64::from(if cell.per_frame > 0 { to.wrapping_sub(from) } else { from.wrapping_sub(to) })
        };
        let mut counted = Self::new(self.address(0));
        let (mut frame, mut kept) = (0, None);
        let mut became = vec![0; self.len()];
        let mut from = 0;
        while from < self.len() {
            let same = (from..self.len()).take_while(|sample| passed(from, *sample) == 0).count();
            // A counter that stands still longer has stopped, as in a menu.
            let first = if same <= SAMPLES_OF_FRAME { from + same - 1 } else { from };
            became[from..first].fill(counted.len());
            for (sample, became) in (first..from + same).zip(&mut became[first..]) {
                *became = counted.len();
                if let Some(kept) = kept {
                    let passed = passed(kept, sample);
                    frame += if (1..=FRAMES_MOST).contains(&passed) { passed } else { 1 };
                }
                kept = Some(sample);
                // In order, and of the same length.
                let _ = counted.push(frame, &self.memory(sample));
            }
            from += same;
        }
        (counted, became)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter of 16 bits at 4, one that counts down at 8, one that stops for some frames at 12, and something else that moves at 1.
    fn series(order: Endian, frames: impl Iterator<Item = u64>) -> Series {
        let mut series = Series::new(Address(0x100));
        for (nth, frame) in frames.enumerate() {
            let mut bytes = [0x55_u8; 16];
            let count = u16::try_from(frame + 200).unwrap();
            let low = count.to_le_bytes()[0];
            bytes[4..6].copy_from_slice(&if order == Endian::Big {
                count.to_be_bytes()
            } else {
                count.to_le_bytes()
            });
            (bytes[8], bytes[12]) = (!low, low.min(0x80));
            bytes[1] = low.wrapping_mul(7).wrapping_add(low / 3);
            bytes[2] = u8::try_from(nth % 256).unwrap();
            series.push(nth as u64, &bytes).unwrap();
        }
        series
    }

    #[test]
    fn counters_are_found_with_their_width_and_direction() {
        for order in [Endian::Big, Endian::Little] {
            let found = find(&series(order, 0..300), order);
            let found: Vec<_> =
                found.iter().map(|cell| (cell.address.0, cell.width, cell.per_frame)).collect();
            assert_eq!(found, [(0x102, 1, 1), (0x104, 2, 1), (0x108, 1, -1)], "{order:?}");
        }
        assert!(find(&series(Endian::Big, 0..50), Endian::Big).is_empty());
    }

    #[test]
    fn the_counter_that_begins_a_frame_comes_first() {
        let mut series = Series::new(Address(0));
        for sample in 0..300_u64 {
            let frame = sample - (sample + 1) / 50;
            // Each fiftieth sample is in the middle of the work of the next frame.
            let is_early = sample % 50 == 49;
            let of_second = 60 - u8::try_from((frame + u64::from(is_early)) % 60).unwrap();
            let frame = u8::try_from(frame % 256).unwrap();
            let early = frame.wrapping_add(u8::from(is_early));
            // These are as early, but one stops in a menu, and one begins again after each second.
            let in_play = if (100..140).contains(&sample) { 99 } else { early };
            series.push(sample, &[frame, early.wrapping_add(9), !frame, in_play, of_second]).unwrap();
        }
        let found: Vec<u64> = find(&series, Endian::Big).iter().map(|cell| cell.address.0).collect();
        assert_eq!(found, [1, 0, 2]);
    }

    #[test]
    fn samples_of_one_frame_become_one_and_missed_frames_are_counted() {
        let frames = (0..300)
            .filter(|frame| frame % 50 != 20)
            .flat_map(|frame| vec![frame; if frame % 40 == 7 { if frame < 200 { 2 } else { 4 } } else { 1 }]);
        let series = series(Endian::Big, frames);
        let cell = find(&series, Endian::Big).into_iter().find(|cell| cell.width == 2).expect("the counter");
        let (counted, became) = series.counted_by(cell);
        assert_eq!((counted.len(), became.len()), (294, series.len()));
        assert!((0..series.len()).all(|sample| counted.byte(5, became[sample]) == series.byte(5, sample)));
        let expected = (0..300).filter(|frame| frame % 50 != 20);
        for (sample, frame) in expected.enumerate() {
            assert_eq!(u64::from(counted.byte(5, sample)), (frame + 200) % 256);
            let missed = sample > 0 && frame % 50 == 21;
            assert_eq!(counted.frames_before(sample), if sample == 0 { 0 } else { 1 + u64::from(missed) });
        }
    }
}
