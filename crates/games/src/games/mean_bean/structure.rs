//! Properties of RAM that need no random numbers: the options block with its checksum, the colours in the pools.
//!
//! Source: reference A.3 and A.8.

use crate::games::mean_bean::generator::{COLORS, COPIED, Setup, filled};
use crate::games::mean_bean::rng::State;
use nextscope_boards::{POOL_LEN, Pool};

/// Bytes of the options block: a checksum and 87 words.
pub const OPTIONS_LEN: usize = 176;
/// Bytes in which the two copies may differ: options that are being changed, a score that is being entered.
const EDITED: usize = 48;
/// Colours that may be missing or in excess in a pool that is being filled, or into which an opponent wrote pairs.
const TOLERANCE: usize = 24;

/// The checksum of the options (`sub_23536`): a shift register with taps 0x8810 over 87 words.
#[must_use]
pub fn options_checksum(words: &[u8]) -> u16 {
    let words = words.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]]));
    let sum = words.fold(0, |sum, word| {
        let sum = sum ^ word;
        if sum & 1 == 1 { sum >> 1 ^ 0x8810 } else { sum >> 1 }
    });
    !sum.swap_bytes()
}

/// Whether a block is preceded by its checksum.
#[must_use]
pub fn has_own_checksum(block: &[u8; OPTIONS_LEN]) -> bool {
    let [high, low, words @ ..] = block;
    u16::from_be_bytes([*high, *low]) == options_checksum(words)
}

/// Whether these are the game's options and its generator, in any state of the game. The copy is tested first: while someone edits the
/// options, only that is valid.
#[must_use]
pub fn options_match(options: &[u8; OPTIONS_LEN], copy: &[u8; OPTIONS_LEN], state: State) -> bool {
    let stepped = state.is_reachable() || state.0 == 0;
    let edited = || options.iter().zip(copy).filter(|(one, other)| one != other).count();
    stepped && has_own_checksum(copy) && edited() <= EDITED
}

/// How often each of the game's colours is in the cells; None if there is another byte.
fn counts(cells: &[u8]) -> Option<[usize; COLORS.len()]> {
    let mut counts = [0; COLORS.len()];
    for cell in cells {
        counts[COLORS.iter().position(|color| color == cell)?] += 1;
    }
    Some(counts)
}

/// The colours that are too many or too few in the pools of this setup; None if a byte is no colour.
#[must_use]
pub fn miscounted(pools: &[Pool; 2], setup: Setup) -> Option<usize> {
    let [first_colors, second_colors] = setup.colors();
    let [first, second] = pools;
    let apart = |cells: &[u8], filled: &[u8]| {
        let (actual, expected) = (counts(cells)?, counts(filled)?);
        Some(actual.iter().zip(expected).map(|(actual, expected)| actual.abs_diff(expected)).sum::<usize>())
    };
    let start = if setup.is_versus() { COPIED } else { 0 };
    let rest: Pool = filled(second_colors);
    let first = apart(first, &filled::<POOL_LEN>(first_colors))?;
    Some(first + apart(&second[start..], &rest[..POOL_LEN - start])?)
}

/// Whether the game generated these pools with some setup.
#[must_use]
pub fn looks_generated(pools: &[Pool; 2]) -> bool {
    Setup::ALL.into_iter().any(|setup| miscounted(pools, setup) == Some(0))
}

/// Whether each of these pools is one of the game, possibly half-filled or with some pairs that an opponent wrote.
#[must_use]
pub fn looks_like_pools(pools: &[Pool; 2]) -> bool {
    pools.iter().all(|pool| {
        let Some(actual) = counts(pool) else { return false };
        [4, 5].into_iter().any(|colors| {
            let expected = counts(&filled::<POOL_LEN>(colors)).unwrap_or_default();
            actual.iter().zip(expected).map(|(actual, expected)| actual.abs_diff(expected)).sum::<usize>()
                <= 2 * TOLERANCE
        })
    })
}

/// Whether no round was generated since power-on.
#[must_use]
pub fn is_blank(pools: &[Pool; 2]) -> bool {
    pools.iter().flatten().all(|byte| *byte == 0)
}
