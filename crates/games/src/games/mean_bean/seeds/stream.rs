//! The draws for the second shuffle of many states one after another, and where bytes were before it.
//!
//! Consecutive states have the same draws but one. They are stored from the last to the first, so that the exchange of place `p` of a state
//! uses the draw at its own position and `p`: a byte is traced back through the shuffle by going forward.

use crate::games::mean_bean::generator::{FIRST_DRAWS, SECOND_DRAWS, second_index};
use crate::games::mean_bean::rng::State;
use fearless_simd::{Select, Simd, SimdBase, u8x64};

/// States of a stream.
pub const STATES: usize = 1 << 12;
/// States whose bytes are looked up side by side.
pub const LANES: usize = VECTOR;
/// The draws of these states: 311, in whole vectors.
pub const REACH: usize = (LANES + SECOND_DRAWS).next_multiple_of(LANES);
/// Shifts whose bytes are looked up side by side.
pub const PAIR: usize = 2;
/// States that are traced side by side: four vectors, so that one exchange does not wait for the one before.
pub const SIDE_BY_SIDE: usize = 4 * VECTOR;
const VECTOR: usize = 64;
/// Draws computed side by side.
const CHAINS: usize = 32;
/// Draws for each row of [`Stream::firsts`].
const ROW: usize = 32;
const LEN: usize = (STATES + SECOND_DRAWS).next_multiple_of(ROW);
/// A power of two, so that an index is in range without a comparison.
const ROOM: usize = LEN.next_power_of_two();
/// The places of the second shuffle.
#[expect(clippy::cast_possible_truncation, reason = "248")]
pub const PLACES: u8 = SECOND_DRAWS as u8;
/// What a byte wraps round more than a place.
const WRAP: u8 = u8::MAX - PLACES + 1;
/// No draw.
const NONE: u16 = u16::MAX;
const _: () = assert!(LEN < NONE as usize && LEN.is_multiple_of(CHAINS));

/// A state plus a multiple of 2^29. A step multiplies it by 1 modulo 8, so that the difference remains; 2^13 of the 2^16 random numbers are
/// exactly 31 of the 248 places. So all of its draws are the same number of places further.
#[derive(Debug, Clone, Copy)]
pub struct Shift {
    state: u32,
    places: u8,
}

impl Shift {
    pub const COUNT: u32 = 8;
    /// How many places further each shift is than the one before.
    pub const STEP: u8 = PLACES / Self::COUNT.to_le_bytes()[0];

    /// All of them; the first is none.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::pairs().flatten()
    }

    /// All of them, two at a time.
    pub fn pairs() -> impl Iterator<Item = [Self; PAIR]> {
        let number = |number: u8| Self { state: u32::from(number) << 29, places: Self::STEP * number };
        (0..Self::COUNT.to_le_bytes()[0]).step_by(PAIR).map(move |first| [number(first), number(first + 1)])
    }

    /// The place from a draw of the stream.
    pub fn apply(self, draw: u8) -> u8 {
        let wraps = draw >= PLACES - self.places;
        draw.wrapping_add(self.places).wrapping_add(if wraps { WRAP } else { 0 })
    }

    /// The draw of the stream from a place.
    pub fn undo(self, place: u8) -> u8 {
        let wraps = place < self.places;
        place.wrapping_sub(self.places).wrapping_sub(if wraps { WRAP } else { 0 })
    }

    /// How many places further all draws are.
    pub fn places(self) -> u8 {
        self.places
    }
}

/// The shifts of 64 lanes, in places.
#[derive(Clone, Copy)]
pub struct Shifts<S: Simd> {
    simd: S,
    places: u8x64<S>,
}

impl<S: Simd> Shifts<S> {
    #[inline(always)]
    pub fn new(simd: S, places: u8x64<S>) -> Self {
        Self { simd, places }
    }

    /// As [`Shift::apply`].
    #[inline(always)]
    pub fn apply(&self, draws: u8x64<S>) -> u8x64<S> {
        let [all, wrap, none] = [PLACES, WRAP, 0].map(|byte| u8x64::splat(self.simd, byte));
        draws + self.places + draws.simd_ge(all - self.places).select(wrap, none)
    }

    /// As [`Shift::undo`].
    #[inline(always)]
    pub fn undo(&self, places: u8x64<S>) -> u8x64<S> {
        let [wrap, none] = [WRAP, 0].map(|byte| u8x64::splat(self.simd, byte));
        places - self.places - places.simd_lt(self.places).select(wrap, none)
    }
}

/// The draws of [`STATES`] states; state 0 is the last in the order of the generator. Only one [`Shift`] of them at a time can be traced
/// one by one.
pub struct Stream {
    states: Vec<u32>,
    draws: Vec<u8>,
    /// How far the next equal draw is, at most 255.
    next: Vec<u8>,
    shift: Shift,
    /// The shifted draws.
    shifted: Vec<u8>,
    /// The same, and above its eight bits the position of the next equal draw.
    links: Box<[u32; ROOM]>,
    /// For each row the position of the first draw of each value in or after it.
    firsts: Box<[[u16; 256]; ROOM / ROW]>,
    /// The multiplier from the first draw of the second shuffle back to the state before the round.
    back: u32,
    steps: [Box<[u32; STATES]>; 3],
}

impl Stream {
    /// For [`fill`](Self::fill).
    pub fn new() -> Self {
        Self {
            states: vec![0; LEN],
            draws: vec![0; LEN],
            next: vec![0; LEN],
            shift: Shift { state: 0, places: 0 },
            shifted: vec![0; LEN],
            links: Box::new([0; ROOM]),
            steps: std::array::from_fn(|_| Box::new([0; STATES])),
            firsts: Box::new([[NONE; 256]; ROOM / ROW]),
            back: State(1).jump(-1 - FIRST_DRAWS as i64).0,
        }
    }

    /// The states whose second shuffle begins at this state or one of the next.
    #[inline(always)]
    pub fn fill(&mut self, start: State) {
        let end = start.jump((STATES + SECOND_DRAWS) as i64);
        let mut chains: [u32; CHAINS] = std::array::from_fn(|steps| end.jump(-1 - steps as i64).0);
        let step = State(1).jump(-(CHAINS as i64)).0;
        let draws = self.draws.chunks_exact_mut(CHAINS);
        for (states, draws) in self.states.chunks_exact_mut(CHAINS).zip(draws) {
            states.copy_from_slice(&chains);
            for (draw, state) in draws.iter_mut().zip(&mut chains) {
                *draw = second_byte(State(*state));
                *state = state.wrapping_mul(step);
            }
        }
        let mut nearest = [NONE; 256];
        #[expect(clippy::cast_possible_truncation, reason = "less than NONE")]
        let mut position = LEN as u16;
        let rows = self.draws.rchunks_exact(ROW).zip(self.links[..LEN].rchunks_exact_mut(ROW));
        let distances = self.next.rchunks_exact_mut(ROW);
        let firsts = self.firsts[..LEN / ROW].iter_mut().rev();
        for (((draws, links), distances), firsts) in rows.zip(distances).zip(firsts) {
            for (draw, link) in draws.iter().zip(&mut *links).rev() {
                position -= 1;
                let next = std::mem::replace(&mut nearest[usize::from(*draw)], position);
                *link = u32::from(next) << 8 | u32::from(*draw);
            }
            // For itself, so that it is done for several at a time.
            for ((position, link), distance) in (u32::from(position)..).zip(&*links).zip(distances) {
                *distance = ((link >> 8) - position).min(u8::MAX.into()).to_le_bytes()[0];
            }
            *firsts = nearest;
        }
    }

    /// The draws of 64 states from this one on, and how far the next equal one of each is. Without the shift.
    pub fn reach(&self, state: usize) -> [&[u8; REACH]; 2] {
        [&self.draws, &self.next].map(|all| all[state..].first_chunk().unwrap_or(&[0; REACH]))
    }

    /// Shifts the draws. Nothing can be traced between [`fill`](Self::fill) and this.
    #[inline(always)]
    pub fn shift(&mut self, shift: Shift) {
        self.shift = shift;
        for ((shifted, link), draw) in self.shifted.iter_mut().zip(&mut *self.links).zip(&self.draws) {
            *shifted = shift.apply(*draw);
            *link = *link & !0xFF | u32::from(*shifted);
        }
    }

    /// The state before the round whose second shuffle this is.
    #[inline(always)]
    pub fn before_round(&self, state: u16) -> State {
        let unshifted = self.states[usize::from(state) + SECOND_DRAWS - 1].wrapping_mul(self.back);
        // Steps back keep the difference, too.
        State(unshifted.wrapping_add(self.shift.state))
    }

    /// Where the byte at this place was before the second shuffle, for these states with the shift; in `origins` by state. Only the
    /// exchanges that move the byte are visited, one for all states, then the next: which they are cannot be predicted, so there is no
    /// branch for each.
    #[inline(always)]
    pub fn origins_of(&mut self, states: &[u16], at: u8, origins: &mut [u8; STATES]) {
        #[expect(clippy::cast_possible_truncation, reason = "248")]
        const SECOND: u32 = SECOND_DRAWS as u32;
        let Self { links, firsts, steps: [now, then, drawn], shift, .. } = self;
        let (links, firsts) = (&**links, &**firsts);
        let (mut now, mut then, mut drawn) = (&mut **now, &mut **then, &mut **drawn);
        let (mut count, mut count_drawn) = (0, 0);
        let unshifted = shift.undo(at);
        // The byte is drawn before the exchange of its own place, or it came from the place drawn then, whose own exchange may follow.
        for state in states {
            let state = u32::from(*state);
            let here = state + u32::from(at);
            let before = first_from(links, firsts, state, unshifted);
            let link = links[here as usize % ROOM];
            let (from, next) = (link & 0xFF, link >> 8);
            origins[state as usize % STATES] = from.to_le_bytes()[0];
            let (own, is_before) = (state + from, before < here);
            let is_own = (own > here) & (own <= next) & !is_before;
            let next = if is_before { before } else { next };
            now[count % STATES] = step(state, own);
            drawn[count_drawn % STATES] = step(state, next);
            count += usize::from(is_own);
            count_drawn += usize::from(!is_own & (next < state + SECOND));
        }
        while count > 0 {
            let mut more = 0;
            for one in &now[..count] {
                let [state, here] = parts(*one);
                let link = links[here as usize % ROOM];
                let (from, next) = (link & 0xFF, link >> 8);
                origins[state as usize % STATES] = from.to_le_bytes()[0];
                let own = state + from;
                let is_own = (own > here) & (own <= next);
                then[more % STATES] = step(state, own);
                drawn[count_drawn % STATES] = step(state, next);
                more += usize::from(is_own);
                count_drawn += usize::from(!is_own & (next < state + SECOND));
            }
            std::mem::swap(&mut now, &mut then);
            count = more;
        }
        // It was drawn, and came from the place whose exchange that was: only another draw can move it.
        std::mem::swap(&mut now, &mut drawn);
        count = count_drawn;
        while count > 0 {
            let mut more = 0;
            for one in &now[..count] {
                let [state, here] = parts(*one);
                let [from, ..] = (here - state).to_le_bytes();
                origins[state as usize % STATES] = from;
                let next = first_from(links, firsts, here + 1, shift.undo(from));
                then[more % STATES] = step(state, next);
                more += usize::from(next < state + SECOND);
            }
            std::mem::swap(&mut now, &mut then);
            count = more;
        }
    }

    /// The same for this state and those after it, each through all exchanges.
    #[inline(always)]
    pub fn origins<S: Simd>(&self, simd: S, state: usize, at: u8) -> [u8; SIDE_BY_SIDE] {
        let mut from = [u8x64::splat(simd, at); SIDE_BY_SIDE / VECTOR];
        for place in 0..SECOND_DRAWS {
            let first = state + place;
            let one = u8x64::splat(simd, place.to_le_bytes()[0]);
            let drawn = self.shifted[first..first + SIDE_BY_SIDE].chunks_exact(VECTOR);
            for (from, drawn) in from.iter_mut().zip(drawn) {
                let other = u8x64::from_slice(simd, drawn);
                let (at_one, at_other) = (from.simd_eq(one), from.simd_eq(other));
                *from = at_one.select(other, at_other.select(one, *from));
            }
        }
        let mut all = [0; SIDE_BY_SIDE];
        for (all, from) in all.chunks_exact_mut(VECTOR).zip(from) {
            from.store_slice(all);
        }
        all
    }
}

/// The position of the first draw of this value from a position on.
#[inline(always)]
fn first_from(links: &[u32; ROOM], firsts: &[[u16; 256]; ROOM / ROW], from: u32, value: u8) -> u32 {
    let mut position = u32::from(firsts[from as usize / ROW % (ROOM / ROW)][usize::from(value)]);
    while position < from {
        position = links[position as usize % ROOM] >> 8;
    }
    position
}

/// A state, and the position of the exchange that moved its byte.
fn step(state: u32, position: u32) -> u32 {
    state | position << 16
}

fn parts(step: u32) -> [u32; 2] {
    [step & 0xFFFF, step >> 16]
}

/// The bits of those of up to 64 items that pass.
#[inline(always)]
pub fn bits(items: usize, mut passes: impl FnMut(usize) -> bool) -> u64 {
    (0..items.min(64)).fold(0, |bits, index| bits | u64::from(passes(index)) << index)
}

/// Appends the items with these bits. Bits first, so that no address of a store depends on what was loaded for the item before: later loads
/// would wait for it.
#[inline(always)]
pub fn append<T>(mut bits: u64, item: impl Fn(usize) -> T, to: &mut [T; STATES], len: &mut usize) {
    while bits != 0 {
        to[*len % STATES] = item(bits.trailing_zeros() as usize % 64);
        *len += 1;
        bits &= bits - 1;
    }
}

pub(super) fn second_byte(state: State) -> u8 {
    second_index(state.drawn()).to_le_bytes()[0]
}
