//! The seeds of the known generators that replace undocumented ones.

use crate::games::tgm::arika::RELEVANT_BITS;
use crate::games::uniform::{Kind, Uniform};
use crate::seeds::pieces::game::{GamePosition, PieceQuery, PieceSearch, QueryError};
use crate::seeds::pieces::rule::Broken;
use crate::seeds::pieces::scan::Scan;
use crate::seeds::pieces::spaces::needs_first_piece;
use nextscope_task::Progress;

fn kind(query: &PieceQuery) -> Kind {
    Kind::from_id(query.variant)
}

/// The number of seeds that deal differently.
pub(crate) fn starts(query: &PieceQuery) -> u64 {
    match kind(query) {
        Kind::Arika => 1 << RELEVANT_BITS,
        Kind::SplitMix64 | Kind::Xorshift32 => 1 << u32::BITS,
    }
}

/// A game whose undocumented generator is replaced.
pub(crate) trait UniformGame: Sync {
    /// Tries all [`starts`] of a generator. None if cancelled.
    fn search(
        &self,
        query: &PieceQuery,
        progress: &Progress,
        rng: impl Fn(u32) -> Uniform + Sync,
    ) -> Option<Scan>;

    /// As [`PieceSearch::broken`], with the number of the first given piece.
    fn broken(&self, _query: &PieceQuery, _first: u32) -> Option<Broken> {
        None
    }
}

/// The search of such a game.
pub(crate) struct UniformSeeds<T>(pub T);

impl<T: UniformGame> PieceSearch for UniformSeeds<T> {
    fn starts(&self, query: &PieceQuery) -> u64 {
        starts(query)
    }

    fn seeds_each(&self, query: &PieceQuery) -> u64 {
        (1 << u32::BITS) / starts(query)
    }

    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(query)?;
        // Separate calls, so that the compiler makes a loop for each generator.
        Ok(match kind(query) {
            Kind::SplitMix64 => self.0.search(query, progress, |seed| Uniform::new(Kind::SplitMix64, seed)),
            Kind::Xorshift32 => self.0.search(query, progress, |seed| Uniform::new(Kind::Xorshift32, seed)),
            Kind::Arika => self.0.search(query, progress, |seed| Uniform::new(Kind::Arika, seed)),
        })
    }

    fn broken(&self, query: &PieceQuery) -> Option<Broken> {
        let GamePosition::Piece(first) = query.at else { return None };
        self.0.broken(query, first)
    }
}
