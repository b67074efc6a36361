//! The pairs of a plan: dealt from a seed, or parsed from letters.

use nextscope_boards::{Pair, PoolId};
use nextscope_games::game::puyo_20th::{self, Seed};
use nextscope_games::game::puyo_tsu::{self, Dealer, Setup, State};
use nextscope_games::seeds::puyo_20th::{PieceError, parse_pieces};
use std::ops::Range;

/// How a game deals pairs from a seed.
#[derive(Clone, Copy, Debug)]
pub enum Deal {
    /// Puyo Puyo Tsu; a seed is the state from which the round is generated.
    Tsu(Setup, Dealer),
    /// Puyo Puyo!! 20th Anniversary, from this pool; seeds are 0 to 0xFFFF.
    Anniversary(PoolId),
}

impl Deal {
    /// The pairs of a seed's game, by number from 0; fewer if the game deals fewer, none for an invalid seed.
    #[must_use]
    pub fn pairs(self, seed: u32, numbers: Range<u32>) -> Vec<Pair> {
        match self {
            Self::Tsu(setup, dealer) => {
                let round = puyo_tsu::generate(State(seed), setup);
                let pools = round.pools.map(|pool| pool.unwrap_or([0; 256]));
                numbers.filter_map(|number| dealer.pair(&pools, number)).collect()
            }
            Self::Anniversary(pool) => {
                let Ok(seed) = Seed::try_from(seed) else { return Vec::new() };
                let round = puyo_20th::generate(seed);
                numbers.filter_map(|number| round.pair(pool, number)).collect()
            }
        }
    }
}

/// Why letters are not a list of known pairs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LettersError {
    /// The text is empty.
    #[error("no pairs given: write pairs such as RR RG BY, the axis first")]
    Nothing,
    /// An invalid character, or half a pair.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// A colour is unknown.
    #[error("pair {0} has an unknown colour: a route needs all colours")]
    Unknown(usize),
}

/// Parses pairs, two letters each, the axis first: `RR RG BY`.
///
/// # Errors
/// [`LettersError`].
pub fn pairs_from_letters(text: &str) -> Result<Vec<Pair>, LettersError> {
    let observed = parse_pieces(text)?;
    if observed.is_empty() {
        return Err(LettersError::Nothing);
    }
    let known = (1..).zip(observed).map(|(number, observed)| match (observed.axis, observed.child) {
        (Some(axis), Some(child)) => Ok(Pair { axis, child }),
        _ => Err(LettersError::Unknown(number)),
    });
    known.collect()
}
