//! Vectors of states on their way through the colour draws and the shuffles, and the positions of bytes before them.

use crate::games::puyo_tsu::seeds::query::DRAWS;
use crate::games::puyo_tsu::{A7_COLORS, A7_POOLS, POOL_LEN, State, Step, set_of_draws};
use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdMask};
use std::sync::LazyLock;

/// Added to the state by a colour draw before the rotation: d0 = 4 and the stack pointer.
pub(super) const COLOR_SUM: u32 = A7_COLORS + 4;

/// States 0x55555555 apart have the same sum of rotation and state modulo 2^32 - 1.
pub(super) const THIRD: u32 = 0x5555_5555;

/// The most states processed at once: four vectors of 16 words.
pub(super) const MAX_CHUNK: usize = 64;

/// Positions of each colour code in the set that each sequence of draws makes.
pub(super) static POSITIONS: LazyLock<Box<[[u8; 8]; DRAWS]>> = LazyLock::new(|| {
    let mut all = Box::new([[u8::MAX; 8]; DRAWS]);
    for (draws, positions) in (0..).zip(all.iter_mut()) {
        for (at, &code) in (0u8..5).zip(&set_of_draws(draws)) {
            positions[usize::from(code)] = at;
        }
    }
    all
});

/// Lanes of a vector of words.
pub(super) fn lanes<S: Simd>() -> u32 {
    u32::try_from(S::u32s::LEN).unwrap_or(1)
}

#[inline(always)]
pub(super) fn lane_numbers<S: Simd>(simd: S) -> S::u32s {
    #[expect(clippy::cast_possible_truncation, reason = "a lane is below 16")]
    S::u32s::from_fn(simd, |lane| lane as u32)
}

/// rol32(x, 5).
#[inline(always)]
pub(super) fn rotated<S: Simd>(x: S::u32s) -> S::u32s {
    (x << 5) | (x >> 27)
}

/// A colour draw on sums (state + [`COLOR_SUM`]) instead of states: from one sum to the next.
#[inline(always)]
pub(super) fn color_draw<S: Simd>(sum: S::u32s) -> S::u32s {
    rotated::<S>(sum) + sum + 1
}

pub(super) fn color_draw_scalar(sum: u32) -> u32 {
    sum.rotate_left(5).wrapping_add(sum).wrapping_add(1)
}

/// From the sum after the first draw: the state after the fifth, and the draws, two bits each, the first lowest.
#[inline(always)]
pub(super) fn draws_after_first<S: Simd>(mut sum: S::u32s) -> (S::u32s, S::u32s) {
    let mut draws = (sum - COLOR_SUM) & 0xC000;
    let mut state = sum;
    for _ in 1..5 {
        sum = color_draw::<S>(sum);
        state = sum - COLOR_SUM;
        draws = (draws >> 2) | (state & 0xC000);
    }
    (state, draws >> 6)
}

/// The five draws of the state after the first.
pub(super) fn draws_scalar(after_first: u32) -> u16 {
    let mut state = State(after_first);
    let mut draws = 0;
    for i in 0..5 {
        if i > 0 {
            state = state.advance(Step::COLOR);
        }
        draws |= u16::from(state.0.to_le_bytes()[1] >> 6) << (2 * i);
    }
    draws
}

/// Appends the selected lanes to the first `filled` entries; returns the new number of entries.
#[inline(always)]
pub(super) fn append_selected<S: Simd>(
    gathered: &mut [u32],
    filled: usize,
    states: S::u32s,
    accepted: S::mask32s,
) -> usize {
    let bits = accepted.to_bitmask();
    if bits == 0 {
        return filled;
    }
    states.compress(accepted).store_slice(&mut gathered[filled..filled + S::u32s::LEN]);
    filled + bits.count_ones() as usize
}

/// The byte lane of the state at a position of its chunk: four vectors of words become one of bytes, word by word.
#[inline(always)]
pub(super) fn lane_of(at: usize, width: usize) -> usize {
    4 * (at % width) + at / width
}

/// Four vectors of states on their way through the shuffles.
pub(super) struct Walk<S: Simd> {
    states: [S::u32s; 4],
    /// The colour draws of each byte lane.
    pub(super) draws: [u16; MAX_CHUNK],
}

impl<S: Simd> Walk<S> {
    /// From states after their first draw.
    #[inline(always)]
    pub(super) fn start(simd: S, chunk: &[u32; MAX_CHUNK]) -> Self {
        let width = S::u32s::LEN;
        let mut walk = Self::after_colors(simd, chunk);
        for (at, state) in walk.states.iter_mut().enumerate() {
            let (after, draws) = draws_after_first::<S>(*state + COLOR_SUM);
            *state = after;
            for lane in 0..width {
                #[expect(clippy::cast_possible_truncation, reason = "draws have ten bits")]
                {
                    walk.draws[4 * lane + at] = draws.as_slice()[lane] as u16 & 0x3FF;
                }
            }
        }
        walk
    }

    /// From states after all colour draws; what these were is left open.
    #[inline(always)]
    pub(super) fn after_colors(simd: S, chunk: &[u32; MAX_CHUNK]) -> Self {
        let width = S::u32s::LEN;
        let states = std::array::from_fn(|at| S::u32s::from_slice(simd, &chunk[at * width..][..width]));
        Self { states, draws: [0; MAX_CHUNK] }
    }

    #[inline(always)]
    fn begin(&mut self, first: Step, stream: usize) {
        for state in &mut self.states {
            let sum = match (stream, first) {
                // As in `Step`: d0 is what random(4) left, or all bits of the low word are set.
                (0, Step::FirstPool { remainder }) => {
                    *state + (*state << 18) + (A7_POOLS.wrapping_add(remainder))
                }
                _ => *state + ((*state & 0xFFFF_0000) | 0xFFFF) + A7_POOLS,
            };
            *state = rotated::<S>(sum) + *state + 1;
        }
    }

    /// Every other draw.
    #[inline(always)]
    fn step(&mut self) {
        for state in &mut self.states {
            let sum = *state + (*state & 0xFFFF_00FF) + A7_POOLS;
            *state = rotated::<S>(sum) + *state + 1;
        }
    }

    /// Skips the streams before the accepted one.
    #[inline(always)]
    pub(super) fn skip(&mut self, _simd: S, first: Step, streams: usize) {
        for stream in 0..streams {
            self.begin(first, stream);
            for _ in 1..POOL_LEN {
                self.step();
            }
        }
    }

    /// Records a stream: the index that is swapped with i, for every i.
    #[inline(always)]
    pub(super) fn record(&mut self, simd: S, first: Step, stream: usize, rows: &mut [S::u8s; POOL_LEN]) {
        self.begin(first, stream);
        let [others @ .., last] = rows;
        *last = self.low_bytes(simd);
        for row in others.iter_mut().rev() {
            self.step();
            *row = self.low_bytes(simd);
        }
    }

    /// The low bytes of the four vectors, word by word.
    #[inline(always)]
    fn low_bytes(&self, _simd: S) -> S::u8s {
        let [a, b, c, d] = self.states;
        let low = (a & 0xFF) | (b << 8);
        let high = (c & 0xFF) | (d << 8);
        ((low & 0xFFFF) | (high << 16)).bitcast()
    }
}

/// The positions in the fill of the bytes that end at these positions: the swaps undone, last one first.
#[inline(always)]
pub(super) fn origins<S: Simd, const N: usize>(
    simd: S,
    rows: &[S::u8s; POOL_LEN],
    places: [u8; N],
) -> [S::u8s; N] {
    let mut places = places.map(|at| S::u8s::splat(simd, at));
    let mut i = S::u8s::splat(simd, 0);
    #[expect(clippy::explicit_counter_loop, reason = "a vector counts here, and has no range")]
    for &j in rows {
        for place in &mut places {
            let drawn = place.simd_eq(j).select(i, *place);
            *place = place.simd_eq(i).select(j, drawn);
        }
        i += 1;
    }
    places
}

/// Positions in the fill modulo its number of colours.
#[inline(always)]
pub(super) fn modulo<S: Simd>(simd: S, places: S::u8s, colors: usize) -> S::u8s {
    #[expect(clippy::cast_possible_truncation, reason = "five colours at most")]
    let colors = colors as u8;
    if colors.is_power_of_two() {
        return places & (colors - 1);
    }
    // 16 is one more than a multiple of 3 and of 5, so the base-16 digits can be added up, twice.
    let nibbles = |bytes: S::u8s| (bytes >> 4) + (bytes & 15);
    let table = S::u8s::from_fn(simd, |lane| (lane % 16).to_le_bytes()[0] % colors);
    table.swizzle_dyn_within_blocks(nibbles(nibbles(places)))
}
