//! The seeds of a known generator that replaces an undocumented one: Tetris of 1985 and Tetris Worlds.

use super::game::PieceSearch;
use super::question::{GamePosition, PieceQuery, QueryError};
use super::rule::{self, Broken};
use super::scan::{Progress, Scan, Starts, scan};
use super::spaces::{first_piece, low, needs_first_piece, skipped};
use crate::game::arika::RELEVANT_BITS;
use crate::game::piece::Piece;
use crate::game::tetris_1985::{self, Tetris1985};
use crate::game::tetris_worlds::{self, Bag, TetrisWorlds};
use crate::game::uniform::{Kind, Uniform};

fn kind(question: &PieceQuery) -> Kind {
    Kind::from_id(question.variant)
}

fn starts(question: &PieceQuery) -> u64 {
    match kind(question) {
        Kind::Arika => 1 << RELEVANT_BITS,
        Kind::SplitMix64 | Kind::Xorshift32 => 1 << u32::BITS,
    }
}

pub struct Seeds;

impl PieceSearch for Seeds {
    fn starts(&self, question: &PieceQuery) -> u64 {
        starts(question)
    }

    fn seeds_each(&self, question: &PieceQuery) -> u64 {
        (1 << u32::BITS) / starts(question)
    }

    fn search(&self, question: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(question)?;
        // Separate calls, so that the compiler makes a loop for each generator.
        Ok(match kind(question) {
            Kind::SplitMix64 => search(question, progress, |seed| Uniform::new(Kind::SplitMix64, seed)),
            Kind::Xorshift32 => search(question, progress, |seed| Uniform::new(Kind::Xorshift32, seed)),
            Kind::Arika => search(question, progress, |seed| Uniform::new(Kind::Arika, seed)),
        })
    }

    fn broken(&self, question: &PieceQuery) -> Option<Broken> {
        let GamePosition::Piece(first) = question.at else { return None };
        if question.game.game() != tetris_worlds::ID {
            return None;
        }
        let copies = tetris_worlds::copies(question.variant);
        rule::bags(&question.pieces, first, usize::from(copies), question.variant == "tgm-ace")
    }
}

/// Tries all seeds of a generator that replaces an undocumented one.
fn search(question: &PieceQuery, progress: &Progress, rng: impl Fn(u32) -> Uniform + Sync) -> Option<Scan> {
    let (given, tgm_ace) = (question.pieces.as_slice(), question.variant == "tgm-ace");
    let first = first_piece(question);
    let starts = starts(question);
    let (possible, earlier) = (|_| true, |_| None);
    if question.game.game() == tetris_1985::ID {
        let make = |start| Ok(skipped(Tetris1985::new(rng(low(start))), first));
        return scan(&Starts { count: starts, possible, make, earlier }, given, progress);
    }
    let copies = tetris_worlds::copies(question.variant);
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
