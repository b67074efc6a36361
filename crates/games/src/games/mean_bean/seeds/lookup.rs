//! Where bytes were before the second shuffle, for 64 states side by side, by tables in registers.
//!
//! An exchange concerns a byte only if it is that of the place where the byte is, or if that place is drawn. So a byte goes from exchange to
//! exchange, in the order in which they are undone:
//!
//! | the byte | next |
//! |---|---|
//! | is taken by the exchange of its own place | it came from the place drawn there. If the exchange of that place follows before the next equal draw, that one; else the equal draw; else it was there from the start |
//! | is drawn by the exchange of another place | it came from that other place, whose exchange is done: the next draw of that place; else it was there from the start |
//!
//! Positions in the stream are written as distances from the lane's state, so that they are places as well, and fit in a byte. A lane whose
//! byte moves too often, or whose draw occurs too often for the tables, is reported as not traced.

use crate::games::mean_bean::generator::SECOND_DRAWS;
use crate::games::mean_bean::seeds::stream::{LANES, PAIR, PLACES, REACH, Shift, Shifts};
use fearless_simd::{Level, Select, Simd, SimdBase, SimdInt, SimdMask, mask8x64, u8x64};

/// Whether bytes are looked up in registers by an instruction. Without one it is faster to go through every exchange.
#[inline(always)]
pub fn is_fast(level: Level) -> bool {
    #[cfg(target_arch = "x86_64")]
    return level.as_avx512().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = level;
        false
    }
}

/// Draws from this position on are in [`Tables::late`].
const EARLY: u8 = 254;
/// In a table: more draws of this value follow. Above all positions.
const MORE: u8 = 254;
/// In a table: no draw. In a lane: no exchange.
const NONE: u8 = 255;
/// How often a byte may be moved by the exchanges of its own places, and by others.
const OWN: usize = 6;
const DRAWN: usize = 5;

/// The tables of 64 states.
pub struct Tables {
    /// The draws.
    draws: [u8; REACH],
    /// How far the next equal draw is; [`NONE`] if it is not in reach.
    next: [u8; REACH],
    /// By value the positions of its first four draws before [`EARLY`].
    early: [[u8; 256]; 4],
    /// By value the positions of its first two draws from there on, counted from there.
    late: [[u8; 256]; 2],
    packed: [[u64; 256]; 2],
}

impl Tables {
    pub const fn new() -> Self {
        Self {
            draws: [0; REACH],
            next: [0; REACH],
            early: [[0; 256]; 4],
            late: [[0; 256]; 2],
            packed: [[0; 256]; 2],
        }
    }

    /// For the states whose draws these are.
    #[inline(always)]
    pub fn fill(&mut self, draws: &[u8; REACH], next: &[u8; REACH]) {
        self.draws = *draws;
        self.next = *next;
        let [early, late] = &mut self.packed;
        early.fill(u64::MAX);
        late.fill(u64::MAX);
        let (before, after) = draws[..LANES - 1 + SECOND_DRAWS].split_at(usize::from(EARLY));
        for (packed, draws) in [(&mut *early, before), (&mut *late, after)] {
            for (position, draw) in draws.iter().enumerate().rev() {
                let packed = &mut packed[usize::from(*draw)];
                *packed = *packed << 8 | position as u64;
            }
        }
        let byte = |packed: u64, index: u32| (packed >> (8 * index)).to_le_bytes()[0];
        // The last of a table's positions; if there are more, none is listed.
        let last = |packed: u64, index: u32| {
            if byte(packed, index + 1) == NONE { byte(packed, index) } else { MORE }
        };
        let [first, second, third, fourth] = &mut self.early;
        for (value, packed) in early.iter().enumerate() {
            first[value] = byte(*packed, 0);
            second[value] = byte(*packed, 1);
            third[value] = byte(*packed, 2);
            fourth[value] = last(*packed, 3);
        }
        let [first, second] = &mut self.late;
        for (value, packed) in late.iter().enumerate() {
            first[value] = byte(*packed, 0);
            second[value] = last(*packed, 1);
        }
    }

    /// For each of the shifts where the byte at this place was, for the 64 states, and a bit for each whose byte was not traced.
    #[inline(always)]
    pub fn origins<S: Simd>(&self, simd: S, shifts: [Shift; PAIR], place: u8) -> [([u8; LANES], u64); PAIR] {
        let tracer = Tracer { simd, tables: self };
        let here = usize::from(place)..usize::from(place) + LANES;
        let draws = u8x64::from_slice(simd, &self.draws[here.clone()]);
        let next = u8x64::from_slice(simd, &self.next[here]);
        let numbers: [u8; LANES] = std::array::from_fn(|lane| lane.to_le_bytes()[0]);
        let number = u8x64::load_array(simd, numbers);
        let [first, second] = shifts;
        let states = [
            States { number, shifts: Shifts::new(simd, tracer.splat(first.places())) },
            States { number, shifts: Shifts::new(simd, tracer.splat(second.places())) },
        ];
        let values = [usize::from(first.undo(place)), usize::from(second.undo(place))];
        let positions = [
            tracer.positions(
                #[inline(always)]
                |table| tracer.splat(table[values[0]]),
            ),
            tracer.positions(
                #[inline(always)]
                |table| tracer.splat(table[values[1]]),
            ),
        ];
        let bytes = [
            tracer.begin(&states[0], place, positions[0], draws, next),
            tracer.begin(&states[1], place, positions[1], draws, next),
        ];
        tracer.trace(&states, bytes)
    }

    /// The same for any of the states with any shifts.
    #[inline(always)]
    pub fn origins_of<S: Simd, const VECTORS: usize>(
        &self,
        simd: S,
        lanes: &[Lanes; VECTORS],
        place: u8,
    ) -> [([u8; LANES], u64); VECTORS] {
        let tracer = Tracer { simd, tables: self };
        let (first, byte) = tracer.load(&lanes[0], place);
        let (mut states, mut bytes) = ([first; VECTORS], [byte; VECTORS]);
        for ((states, byte), lanes) in states.iter_mut().zip(&mut bytes).zip(lanes).skip(1) {
            (*states, *byte) = tracer.load(lanes, place);
        }
        tracer.trace(&states, bytes)
    }
}

/// States, each with a shift, in the lanes of a vector.
#[derive(Clone, Copy)]
pub struct Lanes {
    /// The positions of the states among the 64.
    pub numbers: [u8; LANES],
    /// The shifts in places.
    pub shifts: [u8; LANES],
}

impl Lanes {
    /// From the number of the shift, and in the lower bits that of the state.
    #[inline(always)]
    pub fn new(ids: &[u16; LANES]) -> Self {
        let mut lanes = Self { numbers: [0; LANES], shifts: [0; LANES] };
        for ((number, shift), id) in lanes.numbers.iter_mut().zip(&mut lanes.shifts).zip(ids) {
            let [low, high] = id.to_le_bytes();
            *number = low % 64;
            *shift = ((low / 64) | (high << 2)) * Shift::STEP;
        }
        lanes
    }
}

/// The same in registers.
#[derive(Clone, Copy)]
struct States<S: Simd> {
    number: u8x64<S>,
    shifts: Shifts<S>,
}

/// By which position a value is drawn: in the early table and in the late one.
type Positions<S> = ([u8x64<S>; 4], [u8x64<S>; 2]);

/// A byte of each state, on its way back.
#[derive(Clone, Copy)]
struct Byte<S: Simd> {
    /// Where it was, as far as it is known.
    origin: u8x64<S>,
    /// The exchange of its own place that is next, where `is_own`.
    own: u8x64<S>,
    is_own: mask8x64<S>,
    /// The exchange of another place that draws it next, or [`NONE`].
    drawn: u8x64<S>,
    unknown: mask8x64<S>,
}

/// Traces by these tables.
#[derive(Clone, Copy)]
struct Tracer<'a, S: Simd> {
    simd: S,
    tables: &'a Tables,
}

impl<S: Simd> Tracer<'_, S> {
    #[inline(always)]
    fn splat(&self, value: u8) -> u8x64<S> {
        u8x64::splat(self.simd, value)
    }

    #[inline(always)]
    fn part(&self, table: &[u8], index: usize) -> u8x64<S> {
        u8x64::from_slice(self.simd, &table[index * LANES..(index + 1) * LANES])
    }

    /// The table's entries at these indices.
    #[inline(always)]
    fn look_up(&self, table: &[u8; 256], index: u8x64<S>) -> u8x64<S> {
        let within = index & 0x7F;
        let low = self.part(table, 0).concat_swizzle_dyn(self.part(table, 1), within);
        let high = self.part(table, 2).concat_swizzle_dyn(self.part(table, 3), within);
        index.simd_ge(self.splat(128)).select(high, low)
    }

    /// The entries of a table of draws at these distances from the states.
    #[inline(always)]
    fn at(&self, table: &[u8; REACH], states: &States<S>, distance: u8x64<S>) -> u8x64<S> {
        let index = states.number + distance;
        let within = index & 0x7F;
        let low = self.part(table, 0).concat_swizzle_dyn(self.part(table, 1), within);
        let high = self.part(table, 2).concat_swizzle_dyn(self.part(table, 3), within);
        let below = index.simd_ge(self.splat(128)).select(high, low);
        let beyond = self.part(table, 4).swizzle_dyn(index & 0x3F);
        index.simd_lt(states.number).select(beyond, below)
    }

    /// The positions of the draws of a value, of which this looks up a table's entry.
    #[inline(always)]
    fn positions(&self, entry_of: impl Fn(&[u8; 256]) -> u8x64<S>) -> Positions<S> {
        let none = self.splat(NONE);
        let (mut early, mut late) = ([none; 4], [none; 2]);
        for (entry, table) in early.iter_mut().zip(&self.tables.early) {
            *entry = entry_of(table);
        }
        for (entry, table) in late.iter_mut().zip(&self.tables.late) {
            *entry = entry_of(table);
        }
        (early, late)
    }

    /// The distance of the first exchange, at this distance or more, that draws this place, or [`NONE`]; and the lanes where it is not known.
    #[inline(always)]
    fn next_draw(
        &self,
        states: &States<S>,
        (early, late): Positions<S>,
        from: u8x64<S>,
    ) -> (u8x64<S>, mask8x64<S>) {
        let (none, more) = (self.splat(NONE), self.splat(MORE));
        let least = states.number.saturating_add(from);
        let mut first = none;
        for position in early {
            first = first.min(position.simd_ge(least).select(position, none));
        }
        let to_late = self.splat(EARLY) - states.number;
        let least = from.saturating_sub(to_late);
        let mut later = none;
        for position in late {
            later = later.min(position.simd_ge(least).select(position, none));
        }
        let is_late = first.simd_eq(none);
        // Late positions count from `EARLY`; those beyond the last exchange of the lane's state are none.
        let in_reach = later.simd_lt(states.number.saturating_sub(self.splat(EARLY - PLACES)));
        let late = in_reach.select(later + to_late, none);
        let early = first - states.number;
        let early = early.simd_lt(self.splat(PLACES)).select(early, none);
        let unknown = is_late.select(later, first).simd_eq(more);
        (is_late.select(late, early), unknown)
    }

    /// These states, and [`begin`](Self::begin).
    #[inline(always)]
    fn load(&self, lanes: &Lanes, place: u8) -> (States<S>, Byte<S>) {
        let here = self.splat(place);
        let number = u8x64::load_array_ref(self.simd, &lanes.numbers);
        let shifts = Shifts::new(self.simd, u8x64::load_array_ref(self.simd, &lanes.shifts));
        let states = States { number, shifts };
        let value = shifts.undo(here);
        let positions = self.positions(
            #[inline(always)]
            |table| self.look_up(table, value),
        );
        let draws = self.at(&self.tables.draws, &states, here);
        let next = self.at(&self.tables.next, &states, here);
        (states, self.begin(&states, place, positions, draws, next))
    }

    /// The byte after the exchange of this place, which draws `draws` of the stream; the next equal one is `next` away.
    #[inline(always)]
    fn begin(
        &self,
        states: &States<S>,
        place: u8,
        positions: Positions<S>,
        draws: u8x64<S>,
        next: u8x64<S>,
    ) -> Byte<S> {
        let (here, none) = (self.splat(place), self.splat(NONE));
        let (before, unknown) = self.next_draw(states, positions, self.splat(0));
        let is_own = before.simd_ge(here);
        let drawn = is_own.select(none, before);
        let mut byte = Byte { origin: here, own: here, is_own, drawn, unknown };
        self.take(&mut byte, states.shifts.apply(draws), next);
        byte
    }

    /// The byte after the exchange of its own place, which drew `from`; the next equal draw is `next` away.
    #[inline(always)]
    fn take(&self, byte: &mut Byte<S>, from: u8x64<S>, next: u8x64<S>) {
        let next = byte.own.saturating_add(next);
        let again = from.simd_gt(byte.own) & from.simd_le(next);
        byte.origin = byte.is_own.select(from, byte.origin);
        let is_drawn = byte.is_own & !again & next.simd_lt(self.splat(PLACES));
        byte.drawn = is_drawn.select(next, byte.drawn);
        byte.is_own &= again;
        byte.own = from;
    }

    /// The byte after the exchange of another place that drew it.
    #[inline(always)]
    fn draw(&self, byte: &mut Byte<S>, states: &States<S>) {
        let is_drawn = byte.drawn.simd_lt(self.splat(PLACES));
        byte.origin = is_drawn.select(byte.drawn, byte.origin);
        let value = states.shifts.undo(byte.drawn);
        let positions = self.positions(
            #[inline(always)]
            |table| self.look_up(table, value),
        );
        let (next, not_known) = self.next_draw(states, positions, byte.drawn + self.splat(1));
        byte.unknown |= is_drawn & not_known;
        byte.drawn = is_drawn.select(next, self.splat(NONE));
    }

    /// Where the bytes were, and the lanes where that is not known. Each step waits for the one before, so several vectors go side by side.
    #[inline(always)]
    fn trace<const VECTORS: usize>(
        &self,
        states: &[States<S>; VECTORS],
        mut bytes: [Byte<S>; VECTORS],
    ) -> [([u8; LANES], u64); VECTORS] {
        for _ in 1..OWN {
            let mut is_own = bytes[0].is_own;
            for byte in &bytes[1..] {
                is_own |= byte.is_own;
            }
            if !is_own.any_true() {
                break;
            }
            for (byte, states) in bytes.iter_mut().zip(states) {
                let from = states.shifts.apply(self.at(&self.tables.draws, states, byte.own));
                self.take(byte, from, self.at(&self.tables.next, states, byte.own));
            }
        }
        for byte in &mut bytes {
            byte.unknown |= byte.is_own;
        }
        for _ in 0..DRAWN {
            let mut drawn = bytes[0].drawn;
            for byte in &bytes[1..] {
                drawn = drawn.min(byte.drawn);
            }
            if !drawn.simd_lt(self.splat(PLACES)).any_true() {
                break;
            }
            for (byte, states) in bytes.iter_mut().zip(states) {
                self.draw(byte, states);
            }
        }
        let mut ends = [([0; LANES], 0); VECTORS];
        for ((origins, unknown), byte) in ends.iter_mut().zip(bytes) {
            byte.origin.store_array(origins);
            *unknown = (byte.unknown | byte.drawn.simd_lt(self.splat(PLACES))).to_bitmask();
        }
        ends
    }
}
