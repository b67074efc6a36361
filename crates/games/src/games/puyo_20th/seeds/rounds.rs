//! Generates all games, or a run of consecutive ones, faster than one by one.
//!
//! Every draw is linear in the seed: its state is factor * seed + term with constants of its own. From one seed to
//! the next it grows by the factor, so the draws of a game are independent of one another and can be vectorized, while the plain generator
//! waits for each multiplication.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, places in a pool 8, digits less")]

use crate::games::lcg::Steps;
use crate::games::puyo_20th::{
    CALLS, COPIED, ColorMap, MAP_CALLS, POOL_CALLS, POOL_LEN, Pool, ROWS, Round, Seed, State,
};
use fearless_simd::{Simd, dispatch};
use nextscope_boards::Vectors;
use rayon::prelude::*;

const DRAWS: usize = POOL_CALLS as usize;
const _: () = assert!(DRAWS.is_multiple_of(8));

/// The steps from the seed to the state of each draw.
pub(super) static STEPS: [Steps; CALLS as usize] = {
    let mut all = [State::STEP; CALLS as usize];
    let mut i = 1;
    while i < all.len() {
        all[i] = all[i - 1].then(State::STEP);
        i += 1;
    }
    all
};

/// The factors of the draws for the pools alone.
static FACTORS: [[u32; DRAWS]; 3] = {
    let mut factors = [[0; DRAWS]; 3];
    let mut i = 0;
    while i < 3 * DRAWS {
        factors[i / DRAWS][i % DRAWS] = STEPS[MAP_CALLS as usize + i].factor;
        i += 1;
    }
    factors
};

/// Where the rows of a pool's draws start: the upper and the lower row in turn.
static STARTS: [u8; DRAWS] = {
    let mut starts = [0; DRAWS];
    let (mut draw, mut pass) = (0, 0);
    while pass < ROWS.len() {
        let length = ROWS[pass];
        let mut row = 0;
        while row < POOL_LEN as u16 / length - 1 {
            let mut swap = 0;
            while swap < length / 2 {
                starts[draw] = (row * length) as u8;
                starts[draw + 1] = ((row + 1) * length) as u8;
                draw += 2;
                swap += 1;
            }
            row += 1;
        }
        pass += 1;
    }
    starts
};

/// Draws of the passes: the start and end of each, and the shift from a state to a position in a row of 16, 32, 64.
const PASSES: [(usize, usize, u32); 3] = [(0, 240, 28), (240, 464, 27), (464, DRAWS, 26)];

/// The games of consecutive seeds, in order; equal to [`generate`](crate::games::puyo_20th::generate) for each.
#[derive(Debug, Clone)]
pub struct Rounds {
    next: u32,
    end: u32,
    states: Box<[[u32; DRAWS]; 3]>,
    vectors: Vectors,
}

impl Rounds {
    /// The games from seed `first` to seed `last`, inclusive; none if `last` is below `first`.
    pub fn between(first: Seed, last: Seed) -> Self {
        let seed = u32::from(first);
        let mut states = Box::new([[0; DRAWS]; 3]);
        let draws = states.as_flattened_mut();
        for (state, steps) in draws.iter_mut().zip(&STEPS[MAP_CALLS as usize..]) {
            *state = steps.from(seed);
        }
        Self { next: u32::from(first), end: u32::from(last) + 1, states, vectors: Vectors::widest() }
    }

    /// The positions of all swaps for this seed; advances the draws to the next seed.
    #[inline(always)]
    fn places(&mut self) -> [[u8; DRAWS]; 3] {
        let mut places = [[0; DRAWS]; 3];
        for ((places, states), factors) in places.iter_mut().zip(&mut *self.states).zip(&FACTORS) {
            for (begin, end, shift) in PASSES {
                let draws = places[begin..end].iter_mut().zip(&mut states[begin..end]);
                for ((place, state), (factor, start)) in
                    draws.zip(factors[begin..end].iter().zip(&STARTS[begin..end]))
                {
                    *place = (*state >> shift) as u8 + start;
                    *state = state.wrapping_add(*factor);
                }
            }
        }
        places
    }
}

/// The pools before they are shuffled.
static FILLED: [Pool; 3] = {
    let mut pools = [[0; POOL_LEN]; 3];
    let mut i = 0;
    while i < 3 * POOL_LEN {
        pools[i / POOL_LEN][i % POOL_LEN] = (i % POOL_LEN % (i / POOL_LEN + 3)) as u8;
        i += 1;
    }
    pools
};

impl Iterator for Rounds {
    type Item = Round;

    fn next(&mut self) -> Option<Round> {
        if self.next >= self.end {
            return None;
        }
        let seed = Seed::try_from(self.next).ok()?;
        self.next += 1;
        let places = dispatch!(self.vectors.level(), simd => simd.vectorize(
            #[inline(always)]
            || self.places(),
        ));
        let [mut three, mut four, mut five] = FILLED;
        let [of_three, of_four, of_five] = &places;
        // The three pools are interleaved: swaps of one pool depend on one another, swaps of different pools do not. Eight positions are read
        // at once, since loads and stores of the swaps themselves are what takes the time.
        let words = of_three.as_chunks().0.iter().zip(of_four.as_chunks().0).zip(of_five.as_chunks().0);
        for ((of_three, of_four), of_five) in words {
            let [of_three, of_four, of_five] =
                [of_three, of_four, of_five].map(|word| u64::from_le_bytes(*word));
            for swap in 0..4 {
                let pair = |word: u64| {
                    let word = word >> (16 * swap);
                    (usize::from(word as u8), usize::from((word >> 8) as u8))
                };
                let ((a, b), (c, d), (e, f)) = (pair(of_three), pair(of_four), pair(of_five));
                three.swap(a, b);
                four.swap(c, d);
                five.swap(e, f);
            }
        }
        four[..COPIED].copy_from_slice(&three[..COPIED]);
        five[..COPIED].copy_from_slice(&three[..COPIED]);
        let start = State(u32::from(seed));
        let color_map = ColorMap::draw(start).0;
        let after = State(STEPS[CALLS as usize - 1].from(start.0));
        Some(Round { seed, color_map, pools: [three, four, five], after })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end.saturating_sub(self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Rounds {}

/// Seeds per unit of work for a thread: few enough to share the work evenly.
const RUN: u32 = 1024;

/// All 65,536 games on all cores: `work` processes runs of them, and its results are returned in seed order.
pub fn every_round<T: Send>(work: impl Fn(Rounds) -> T + Sync) -> Vec<T> {
    let runs = (0..super::GAMES as u32 / RUN).into_par_iter();
    runs.map(|run| work(Rounds::between((run * RUN) as Seed, (run * RUN + (RUN - 1)) as Seed))).collect()
}
