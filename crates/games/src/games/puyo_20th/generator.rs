//! The generation at the start of every round: colour map, three pools, final state.
//!
//! Source: routines 0x02041C74 (colour map) and 0x02041968 (fill and shuffle) of the Nintendo DS game (document); reference
//! 2.1. Checked against a published list of all 65,536 rounds and against another program for the later games (vectors).

#![expect(clippy::cast_possible_truncation, reason = "a pool has 256 places and at most five digits")]

use crate::games::puyo_20th::rng::State;
use crate::json::{Coding, ColorOrder};
use nextscope_boards::{Color, POOL_LEN, POOL_PAIRS, Pair, Pool, PoolId};
use serde::{Deserialize, Serialize};

/// Draws of one generation: 5 for the colour map, then 656 for each pool (reference 2.1, [`POOL_CALLS`]).
pub const CALLS: u32 = MAP_CALLS + 3 * POOL_CALLS;

/// Draws for the colour map, including the last one, which has only one colour left.
pub const MAP_CALLS: u32 = 5;

/// Draws for one pool: two for each of 15*8 + 7*16 + 3*32 swaps.
pub const POOL_CALLS: u32 = 2 * (15 * 8 + 7 * 16 + 3 * 32);

/// Bytes at the start of the 4- and 5-colour pools that are copied from the 3-colour pool.
pub const COPIED: usize = 4;

/// Row lengths of the three shuffle passes (routine 0x02041AA4).
pub const ROWS: [u16; 3] = [16, 32, 64];

/// The seed of a round: one of 65,536.
pub type Seed = u16;

/// The colours in the order from which the map is drawn, R G B Y P, numbered from 1 as in RAM.
const COLORS: [Color; 5] = [Color::RED, Color::GREEN, Color::BLUE, Color::YELLOW, Color::PURPLE];

/// The colours of the pool digits in this round, each 1 to 5 as in RAM: red, green, blue, yellow, purple.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ColorMap(pub [u8; 5]);

impl ColorMap {
    /// From the five cells in RAM; None unless they contain each of 1 to 5 once.
    pub fn from_cells(cells: [u32; 5]) -> Option<Self> {
        let map = cells.map(|cell| u8::try_from(cell).unwrap_or(0));
        (1..=5).all(|color| map.contains(&color)).then_some(Self(map))
    }

    /// The five cells as in RAM.
    pub fn cells(self) -> [u32; 5] {
        self.0.map(u32::from)
    }

    /// The colour of a pool digit, 0 to 4; None for any other digit, and if the map has no valid colour there.
    pub fn color(self, digit: u8) -> Option<Color> {
        let number = *self.0.get(usize::from(digit))?;
        COLORS.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The digit of a colour, 0 to 4.
    pub fn digit(self, color: Color) -> Option<u8> {
        (0..5).find(|&digit| self.color(digit) == Some(color))
    }

    /// The letters of the five colours, "YRGBP".
    pub fn letters(self) -> String {
        (0..5).map(|digit| self.color(digit).map_or('?', Color::letter)).collect()
    }

    /// How pairs are written in this round.
    pub fn coding(self) -> Coding {
        Coding::Places([0, 1, 2, 3, 4].map(|digit| self.color(digit)))
    }

    /// The order of the colours, for output.
    pub fn order(self) -> ColorOrder {
        let codes = self.0.iter().map(|number| format!("{number:02X}")).collect();
        ColorOrder { letters: self.letters(), codes }
    }

    /// The map made by five draws, and the state after them: each draw removes one colour from the list.
    pub fn draw(mut state: State) -> (Self, State) {
        let mut left = [1, 2, 3, 4, 5];
        let mut map = [0; 5];
        for (place, remaining) in map.iter_mut().zip((1..=5u16).rev()) {
            let (next, drawn) = state.random(remaining);
            state = next;
            let (drawn, remaining) = (usize::from(drawn), usize::from(remaining));
            *place = left[drawn];
            left.copy_within(drawn + 1..remaining, drawn);
        }
        (Self(map), state)
    }
}

/// A generated round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The seed.
    pub seed: Seed,
    /// The colours of the digits.
    pub color_map: ColorMap,
    /// The pools in RAM order, digits from 0.
    pub pools: [Pool; 3],
    /// The state after the generation.
    pub after: State,
}

impl Round {
    /// A pool.
    pub fn pool(&self, id: PoolId) -> &Pool {
        &self.pools[id.index()]
    }

    /// Pair `number` of a pool, from 0; the pool is a loop of 128.
    pub fn pair(&self, id: PoolId, number: u32) -> Option<Pair> {
        pair(self.color_map, self.pool(id), number)
    }
}

/// The swaps of a pool's shuffle in order, as (start of the upper row, row length): one position is drawn in the
/// row that starts there and one in the next row.
pub fn swaps() -> impl DoubleEndedIterator<Item = (u16, u16)> + Clone {
    ROWS.into_iter().flat_map(|length| {
        let rows = POOL_LEN as u16 / length - 1;
        (0..rows).flat_map(move |row| (0..length / 2).map(move |_| (row * length, length)))
    })
}

/// Fills a pool with `colors` digits in turn and shuffles it; returns the pool and the final state.
pub fn shuffled(colors: usize, mut state: State) -> (Pool, State) {
    let mut pool: Pool = std::array::from_fn(|i| (i % colors) as u8);
    for (start, length) in swaps() {
        let (next, upper) = state.random(length);
        let (next, lower) = next.random(length);
        state = next;
        pool.swap(usize::from(start + upper), usize::from(start + length + lower));
    }
    (pool, state)
}

/// Generates a round.
pub fn generate(seed: Seed) -> Round {
    let (color_map, state) = ColorMap::draw(State(u32::from(seed)));
    let (three, state) = shuffled(3, state);
    let (mut four, state) = shuffled(4, state);
    let (mut five, after) = shuffled(5, state);
    four[..COPIED].copy_from_slice(&three[..COPIED]);
    five[..COPIED].copy_from_slice(&three[..COPIED]);
    Round { seed, color_map, pools: [three, four, five], after }
}

/// The state after the generation from that seed, without making the pools.
pub fn state_after(seed: Seed) -> State {
    State(u32::from(seed)).jump(CALLS)
}

/// The seed of the generation that ended in `after`; None if no generation ends there, for instance because of draws
/// since.
pub fn seed_before(after: State) -> Option<Seed> {
    Seed::try_from(after.back(CALLS).0).ok()
}

/// Pair `number` of a pool, from 0, the axis first; the pool is a loop of 128 pairs. None if the pool contains a digit
/// without a colour.
pub fn pair(map: ColorMap, pool: &Pool, number: u32) -> Option<Pair> {
    let at = 2 * (number as usize % POOL_PAIRS);
    Some(Pair { axis: map.color(pool[at])?, child: map.color(pool[at + 1])? })
}

/// The source of a round's seed (variant `round_seed`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundSeed {
    /// The upper 16 bits of the state.
    #[default]
    UpperHalf,
    /// One step, then the upper 16 bits.
    NextUpperHalf,
    /// The lower 16 bits of the state.
    LowerHalf,
}

impl RoundSeed {
    /// All readings, the default first.
    pub const ALL: [Self; 3] = [Self::UpperHalf, Self::NextUpperHalf, Self::LowerHalf];

    /// The name in profiles.
    pub fn id(self) -> &'static str {
        match self {
            Self::UpperHalf => "upper-half",
            Self::NextUpperHalf => "next-upper-half",
            Self::LowerHalf => "lower-half",
        }
    }

    /// The reading with that name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reading| reading.id() == id)
    }

    /// The seed of a round that starts at this state.
    pub fn seed_from(self, state: State) -> Seed {
        match self {
            Self::UpperHalf => (state.0 >> 16) as Seed,
            Self::NextUpperHalf => state.random(0).1,
            Self::LowerHalf => (state.0 & 0xFFFF) as Seed,
        }
    }
}

/// Which shuffle the game uses, according to the value at +0x9C.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShuffleUsed {
    /// The modelled one.
    Modelled,
    /// The other one, which is undocumented.
    Alternate,
    /// Undecided: it depends on the width of the value, which the document does not give. Its low 16 bits are below 0x8000, its
    /// 32 bits are not. If the pools match a seed ([`generate`]), the modelled shuffle was used.
    Undecided,
}

/// The shuffle selected by the value at +0x9C. The document compares it with 0x8000 and does not give its width; if
/// bit 15 is set, both widths mean "alternate", and if all higher bits are clear too, both mean "modelled".
pub fn shuffle_used(alternate_shuffle: u32) -> ShuffleUsed {
    match alternate_shuffle {
        ..0x8000 => ShuffleUsed::Modelled,
        value if value & 0x8000 != 0 => ShuffleUsed::Alternate,
        _ => ShuffleUsed::Undecided,
    }
}

/// Whether the modelled shuffle is certainly in use: the value at +0x9C is below 0x8000 at any width.
/// [`shuffle_used`] distinguishes "alternate" from "undecided".
pub fn modelled(alternate_shuffle: u32) -> bool {
    shuffle_used(alternate_shuffle) == ShuffleUsed::Modelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_swaps_matches_the_document() {
        assert_eq!(swaps().count(), 328);
        assert_eq!(CALLS, 1973);
        assert!(swaps().all(|(start, length)| start + 2 * length <= 256 && start % length == 0));
    }

    #[test]
    fn the_width_of_the_shuffle_switch_matters_only_in_documented_cases() {
        use ShuffleUsed::{Alternate, Modelled, Undecided};
        for (value, used) in [
            (0, Modelled),
            (0x7FFF, Modelled),
            (0x8000, Alternate),
            (0xFFFF_8000, Alternate),
            (0x0001_0000, Undecided),
            (0xFFFF_7FFF, Undecided),
        ] {
            assert_eq!(shuffle_used(value), used, "{value:08X}");
            assert_eq!(modelled(value), used == Modelled);
        }
    }

    #[test]
    fn a_color_map_is_a_permutation_and_invertible() {
        let map = ColorMap::from_cells([4, 1, 2, 3, 5]).unwrap();
        assert_eq!(map.letters(), "YRGBP");
        assert_eq!(map.cells(), [4, 1, 2, 3, 5]);
        for digit in 0..5 {
            assert_eq!(map.digit(map.color(digit).unwrap()), Some(digit));
        }
        assert_eq!(map.color(5), None);
        for cells in [[0, 1, 2, 3, 4], [1, 1, 2, 3, 4], [1, 2, 3, 4, 6], [1, 2, 3, 4, 0x105]] {
            assert_eq!(ColorMap::from_cells(cells), None, "{cells:?}");
        }
        assert_eq!(ColorMap([0; 5]).letters(), "?????");
    }

    #[test]
    fn round_seed_readings_match_the_profile_variants() {
        let names = RoundSeed::ALL.map(RoundSeed::id);
        let choices: Vec<&str> = super::super::VARIANTS[0].choices.iter().map(|choice| choice.0).collect();
        assert_eq!(names.as_slice(), choices);
        assert_eq!(RoundSeed::ALL.map(|reading| RoundSeed::from_id(reading.id())), RoundSeed::ALL.map(Some));
        assert_eq!(RoundSeed::default(), RoundSeed::ALL[0]);
        let state = State(0x1234_5678);
        let next = 0x1234_5678u32.wrapping_mul(0x5D58_8B65).wrapping_add(0x0026_9EC3);
        let seeds = RoundSeed::ALL.map(|reading| reading.seed_from(state));
        assert_eq!(seeds, [0x1234, (next >> 16) as u16, 0x5678]);
    }
}
