//! The seeds of a known generator that replaces an undocumented one: Tetris of 1985 and Tetris Worlds.

use crate::games::piece::Piece;
use crate::games::tetris_1985::{self, Tetris1985};
use crate::games::tetris_worlds::{self, Bag, TetrisWorlds};
use crate::games::tgm::arika::RELEVANT_BITS;
use crate::games::uniform::{Kind, Uniform};
use crate::seeds::pieces::game::PieceSearch;
use crate::seeds::pieces::query::{GamePosition, PieceQuery, QueryError};
use crate::seeds::pieces::rule::{self, Broken};
use crate::seeds::pieces::scan::{Scan, Starts, scan};
use crate::seeds::pieces::spaces::{first_piece, low, needs_first_piece, skipped};
use nextscope_task::Progress;

fn kind(query: &PieceQuery) -> Kind {
    Kind::from_id(query.variant)
}

fn starts(query: &PieceQuery) -> u64 {
    match kind(query) {
        Kind::Arika => 1 << RELEVANT_BITS,
        Kind::SplitMix64 | Kind::Xorshift32 => 1 << u32::BITS,
    }
}

pub struct Seeds;

impl PieceSearch for Seeds {
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
            Kind::SplitMix64 => search(query, progress, |seed| Uniform::new(Kind::SplitMix64, seed)),
            Kind::Xorshift32 => search(query, progress, |seed| Uniform::new(Kind::Xorshift32, seed)),
            Kind::Arika => search(query, progress, |seed| Uniform::new(Kind::Arika, seed)),
        })
    }

    fn broken(&self, query: &PieceQuery) -> Option<Broken> {
        let GamePosition::Piece(first) = query.at else { return None };
        if query.game.game() != tetris_worlds::ID {
            return None;
        }
        let copies = tetris_worlds::copies(query.variant);
        rule::bags(&query.pieces, first, usize::from(copies), query.variant == "tgm-ace")
    }
}

/// Tries all seeds of a generator that replaces an undocumented one.
fn search(query: &PieceQuery, progress: &Progress, rng: impl Fn(u32) -> Uniform + Sync) -> Option<Scan> {
    let (given, tgm_ace) = (query.pieces.as_slice(), query.variant == "tgm-ace");
    let first = first_piece(query);
    let starts = starts(query);
    let (possible, earlier) = (|_| true, |_| None);
    if query.game.game() == tetris_1985::ID {
        let make = |start| Ok(skipped(Tetris1985::new(rng(low(start))), first));
        return scan(&Starts { count: starts, possible, make, earlier }, given, progress);
    }
    let copies = tetris_worlds::copies(query.variant);
    if copies > 1 {
        let make = |start| Ok(skipped(Bag::new(rng(low(start)), copies), first));
        return scan(&Starts { count: starts, possible, make, earlier }, given, progress);
    }
    let opening = given.first().copied().flatten().filter(|_| first == 1 && !tgm_ace);
    let make = |start| {
        let rng = rng(low(start));
        // The first draw of a bag determines its piece before the bag exists.
        if opening.is_some_and(|piece| Piece::ALL[rng.to_owned().below(7) as usize] != piece) {
            return Err(0);
        }
        Ok(skipped(TetrisWorlds::new(rng, tgm_ace), first))
    };
    scan(&Starts { count: starts, possible, make, earlier }, given, progress)
}
