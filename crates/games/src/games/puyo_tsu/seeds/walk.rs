//! Vectors of states on their way through the colour draws and the shuffles, and the positions of bytes before them.
//!
//! The vectors contain complements: `!state`, and `!sum` for a sum (state + [`COLOR_SUM`]). A rotated complement is the complement of what is
//! rotated, and `!x` is `-x - 1`, so that a step of `rol(sum, 5) + state + 1` becomes `rol(!sum, 5) + !state`: one addition less. A step has to wait
//! for the one before, and so does an exchange, so several chunks of states go side by side.

use crate::games::puyo_tsu::seeds::query::DRAWS;
use crate::games::puyo_tsu::{A7_COLORS, A7_POOLS, POOL_LEN, State, Step, set_of_draws};
use fearless_simd::{Bytes as _, Select, Simd, SimdBase, SimdMask};
use std::sync::LazyLock;

/// Added to the state by a colour draw before the rotation: d0 = 4 and the stack pointer.
pub(super) const COLOR_SUM: u32 = A7_COLORS + 4;

/// States 0x55555555 apart have the same sum of rotation and state modulo 2^32 - 1.
pub(super) const THIRD: u32 = 0x5555_5555;

/// Chunks of states that are traced side by side, and those of them that are stepped side by side: as many as registers contain.
pub(super) const SIDES: usize = 4;
const STEPPED: usize = 2;

/// The most states processed at once: each side has four vectors of 16 words.
pub(super) const MAX_CHUNK: usize = SIDES * 64;

/// A byte of each state of the chunks side by side.
pub(super) type Bytes<S> = [<S as Simd>::u8s; SIDES];

/// The complements of the indices that a stream exchanges with each place, place 0 first.
pub(super) type Rows<S> = [Bytes<S>; POOL_LEN];

/// States processed at once.
pub(super) fn chunk_len<S: Simd>() -> usize {
    SIDES * S::u8s::LEN
}

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

/// A colour draw: from the complement of one sum to that of the next.
#[inline(always)]
pub(super) fn color_draw<S: Simd>(sum: S::u32s) -> S::u32s {
    rotated::<S>(sum) + sum
}

/// The same for a sum itself.
pub(super) fn color_draw_scalar(sum: u32) -> u32 {
    sum.rotate_left(5).wrapping_add(sum).wrapping_add(1)
}

/// From the complement of the sum after the first draw: that of the state after the fifth, and the draws, two bits each, the first lowest.
#[inline(always)]
pub(super) fn draws_after_first<S: Simd>(mut sum: S::u32s) -> (S::u32s, S::u32s) {
    let mut state = sum + COLOR_SUM;
    let mut draws = state & 0xC000;
    for _ in 1..5 {
        sum = color_draw::<S>(sum);
        state = sum + COLOR_SUM;
        draws = (draws >> 2) | (state & 0xC000);
    }
    #[expect(clippy::cast_possible_truncation, reason = "1024")]
    (state, (draws >> 6) ^ (DRAWS as u32 - 1))
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

/// Appends the selected lanes to the first `filled` entries of each list; returns the new number of entries.
#[inline(always)]
pub(super) fn append_selected<S: Simd, const N: usize>(
    gathered: [&mut [u32]; N],
    filled: usize,
    values: [S::u32s; N],
    selected: S::mask32s,
) -> usize {
    let bits = selected.to_bitmask();
    if bits == 0 {
        return filled;
    }
    let lists = gathered.map(|list| &mut list[filled..filled + S::u32s::LEN]);
    if S::u32s::LEN == 4 {
        // Each lane goes behind the selected ones before it, and the next overwrites it if it is not selected: no branch.
        let (mut places, mut count) = ([0; 4], 0);
        for (lane, place) in places.iter_mut().enumerate() {
            *place = count;
            count += (bits >> lane & 1) as usize;
        }
        for (list, values) in lists.into_iter().zip(values) {
            for (place, value) in places.into_iter().zip(values.as_slice()) {
                list[place & 3] = *value;
            }
        }
        return filled + count;
    }
    for (list, values) in lists.into_iter().zip(values) {
        values.compress(selected).store_slice(list);
    }
    filled + bits.count_ones() as usize
}

/// The side and the byte lane of the state at a position of its chunk: four vectors of words become one of bytes, word by word.
#[inline(always)]
pub(super) fn lane_of<S: Simd>(at: usize) -> (usize, usize) {
    let (bytes, words) = (S::u8s::LEN, S::u32s::LEN);
    (at / bytes % SIDES, 4 * (at % words) + at % bytes / words)
}

/// Vectors of states on their way through the shuffles.
pub(super) struct Walk<S: Simd> {
    /// Complements.
    states: [[S::u32s; 4]; SIDES],
    /// The colour draws of each byte lane, one side after the other.
    pub(super) draws: [u16; MAX_CHUNK],
}

impl<S: Simd> Walk<S> {
    /// From states after their first draw.
    #[inline(always)]
    pub(super) fn start(simd: S, chunk: &[u32; MAX_CHUNK]) -> Self {
        let mut walk = Self::after_colors(simd, chunk);
        for (side, states) in walk.states.iter_mut().enumerate() {
            for (at, state) in states.iter_mut().enumerate() {
                let (after, draws) = draws_after_first::<S>(*state - COLOR_SUM);
                *state = after;
                for (lane, draws) in draws.as_slice().iter().enumerate() {
                    #[expect(clippy::cast_possible_truncation, reason = "draws have ten bits")]
                    {
                        walk.draws[side * S::u8s::LEN + 4 * lane + at] = *draws as u16 & 0x3FF;
                    }
                }
            }
        }
        walk
    }

    /// From states after all colour draws; what these were is left open.
    #[inline(always)]
    pub(super) fn after_colors(simd: S, chunk: &[u32; MAX_CHUNK]) -> Self {
        let width = S::u32s::LEN;
        let mut states = [[S::u32s::splat(simd, 0); 4]; SIDES];
        for (states, words) in states.as_flattened_mut().iter_mut().zip(chunk.chunks_exact(width)) {
            *states = !S::u32s::from_slice(simd, words);
        }
        Self { states, draws: [0; MAX_CHUNK] }
    }

    /// Skips the streams before this one, and records the stream: the index that is swapped with i, for every i.
    #[inline(always)]
    pub(super) fn record(&self, simd: S, first: Step, stream: usize, rows: &mut Rows<S>) {
        for (number, stepped) in self.states.as_chunks::<STEPPED>().0.iter().enumerate() {
            // A copy stays in registers.
            let mut states = *stepped;
            for stream in 0..stream {
                states = begin(simd, states, first, stream);
                for _ in 1..POOL_LEN {
                    states = step(simd, states);
                }
            }
            states = begin(simd, states, first, stream);
            let [others @ .., last] = &mut *rows;
            keep_low_bytes(simd, &states, number, last);
            for row in others.iter_mut().rev() {
                states = step(simd, states);
                keep_low_bytes(simd, &states, number, row);
            }
        }
    }
}

/// The complements of the states that are stepped side by side.
type Stepped<S> = [[<S as Simd>::u32s; 4]; STEPPED];

/// The first step of a stream.
#[inline(always)]
fn begin<S: Simd>(_simd: S, mut states: Stepped<S>, first: Step, stream: usize) -> Stepped<S> {
    for state in states.as_flattened_mut() {
        // As in `Step`: d0 is what random(4) left, or all bits of the low word are set.
        let sum = match (stream, first) {
            (0, Step::FirstPool { remainder }) => {
                *state + (*state << 18) + (1_u32 << 18).wrapping_sub(A7_POOLS.wrapping_add(remainder))
            }
            _ => *state + (*state & 0xFFFF_0000) + 1_u32.wrapping_sub(A7_POOLS),
        };
        *state = rotated::<S>(sum) + *state;
    }
    states
}

/// Every other step.
#[inline(always)]
fn step<S: Simd>(_simd: S, mut states: Stepped<S>) -> Stepped<S> {
    const ADDED: u32 = 0xFFFF_00FF;
    for state in states.as_flattened_mut() {
        let sum = *state + (*state & ADDED) + 0_u32.wrapping_sub(ADDED).wrapping_sub(A7_POOLS);
        *state = rotated::<S>(sum) + *state;
    }
    states
}

/// Keeps the low bytes of the states in a row, at these sides. No `map`: a closure would be compiled without the vector instructions.
#[inline(always)]
fn keep_low_bytes<S: Simd>(simd: S, states: &Stepped<S>, number: usize, row: &mut Bytes<S>) {
    for (bytes, states) in row[number * STEPPED..].iter_mut().zip(states) {
        *bytes = low_bytes(simd, *states);
    }
}

/// The low bytes of four vectors, word by word. The lanes of the last shift have 16 bits because the compiler would join two shifts of 32
/// bits and then need more operations to select.
#[inline(always)]
fn low_bytes<S: Simd>(simd: S, [a, b, c, d]: [S::u32s; 4]) -> S::u8s {
    let even = (a & 0xFFFF) | (c << 16);
    let odd = (b & 0xFFFF) | (d << 16);
    let odd: S::u16s = odd.bitcast();
    let is_even = S::u8s::from_fn(simd, |lane| u8::from(lane % 2 == 0)).simd_eq(1);
    is_even.select(even.bitcast(), (odd << 8).bitcast())
}

/// The positions in the fill of the bytes that end at these positions: the swaps undone, last one first.
#[inline(always)]
pub(super) fn origins<S: Simd, const N: usize>(simd: S, rows: &Rows<S>, places: [u8; N]) -> [Bytes<S>; N] {
    let mut places = places.map(|at| [S::u8s::splat(simd, !at); SIDES]);
    if N > 2 && S::u8s::LEN < 64 {
        // Sixteen registers do not contain all of them.
        undo::<S, N, 2>(simd, rows, &mut places, 0);
        undo::<S, N, 2>(simd, rows, &mut places, 2);
    } else {
        undo::<S, N, SIDES>(simd, rows, &mut places, 0);
    }
    for places in places.as_flattened_mut() {
        *places = !*places;
    }
    places
}

/// Undoes the swaps for as many sides from `first_side` on as go side by side. The positions are complements.
#[inline(always)]
fn undo<S: Simd, const N: usize, const AT_ONCE: usize>(
    simd: S,
    rows: &Rows<S>,
    positions: &mut [Bytes<S>; N],
    first_side: usize,
) {
    let sides = first_side..first_side + AT_ONCE;
    // A copy stays in registers.
    let mut places = [[S::u8s::splat(simd, 0); AT_ONCE]; N];
    for (places, positions) in places.iter_mut().zip(&*positions) {
        places.copy_from_slice(&positions[sides.clone()]);
    }
    let mut i = S::u8s::splat(simd, u8::MAX);
    for row in rows {
        for (side, j) in row[sides.clone()].iter().enumerate() {
            for places in &mut places {
                let place = &mut places[side];
                if selects_at_once(simd) {
                    let drawn = place.simd_eq(*j).select(i, *place);
                    *place = place.simd_eq(i).select(*j, drawn);
                } else {
                    // What is i becomes j and the other way round: with both, an exclusive or.
                    let is_swapped = place.simd_eq(i) | place.simd_eq(*j);
                    *place ^= is_swapped.select(i ^ *j, S::u8s::splat(simd, 0));
                }
            }
        }
        i -= 1;
    }
    for (places, positions) in places.iter().zip(positions) {
        positions[sides.clone()].copy_from_slice(places);
    }
}

/// Whether a selection between bytes is one operation; with SSE2 it is three.
#[inline(always)]
fn selects_at_once<S: Simd>(simd: S) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        !matches!(simd.level(), fearless_simd::Level::Sse2(_))
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = simd;
        true
    }
}

/// Positions in the fill modulo its number of colours.
#[inline(always)]
pub(super) fn modulo<S: Simd>(places: S::u8s, colors: usize) -> S::u8s {
    #[expect(clippy::cast_possible_truncation, reason = "five colours at most")]
    let colors = colors as u8;
    if colors.is_power_of_two() {
        return places & (colors - 1);
    }
    // 16 is one more than a multiple of 3 and of 5, so the base-16 digits can be added up, twice.
    let nibbles = |bytes: S::u8s| (bytes >> 4) + (bytes & 15);
    let mut sum = nibbles(nibbles(places));
    // At most 15: what is taken from a lesser number wraps around and is greater.
    for multiple in [4 * colors, 2 * colors, colors] {
        sum = sum.min(sum - multiple);
    }
    sum
}
