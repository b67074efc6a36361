//! The seeds of the generators that replace the game's own, and what no bag contains.

use crate::games::piece::Piece;
use crate::games::tetris_worlds::{Bag, TetrisWorlds, copies};
use crate::games::uniform::Uniform;
use crate::seeds::pieces::game::{PieceQuery, first_piece, skipped};
use crate::seeds::pieces::rule::Broken;
use crate::seeds::pieces::scan::{Scan, low, scan_all};
use crate::seeds::pieces::uniform::{UniformGame, starts};
use nextscope_task::Progress;

pub struct Seeds;

impl UniformGame for Seeds {
    fn search(
        &self,
        query: &PieceQuery,
        progress: &Progress,
        rng: impl Fn(u32) -> Uniform + Sync,
    ) -> Option<Scan> {
        let (given, tgm_ace) = (query.pieces.as_slice(), query.variant == "tgm-ace");
        let (first, copies) = (first_piece(query), copies(query.variant));
        if copies > 1 {
            let make = |start| Ok(skipped(Bag::new(rng(low(start)), copies), first));
            return scan_all(starts(query), make, given, progress);
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
        scan_all(starts(query), make, given, progress)
    }

    fn broken(&self, query: &PieceQuery, first: u32) -> Option<Broken> {
        bags(&query.pieces, first, usize::from(copies(query.variant)), query.variant == "tgm-ace")
    }
}

/// Bags: each bag contains `copies` of each piece.
fn bags(pieces: &[Option<Piece>], first: u32, copies: usize, tgm_ace: bool) -> Option<Broken> {
    let size = 7 * copies;
    let mut left = [copies; 7];
    let mut choosable = 4 * copies;
    for (nth, piece) in pieces.iter().enumerate() {
        let number = first as usize - 1 + nth;
        if number.is_multiple_of(size) {
            left = [copies; 7];
        }
        let Some(piece) = piece else { continue };
        let starts = matches!(piece, Piece::I | Piece::J | Piece::L | Piece::T);
        if tgm_ace && number == 0 && !starts {
            let why = "the first piece of a game is I, J, L or T".to_owned();
            return Some(Broken { piece: nth, why });
        }
        let Some(less) = left[piece.index()].checked_sub(1) else {
            let (from, to) = (number / size * size + 1, (number / size + 1) * size);
            let each =
                if copies == 1 { "each piece once".to_owned() } else { format!("{copies} of each piece") };
            return Some(Broken {
                piece: nth,
                why: format!("a bag, here pieces {from} to {to}, contains {each}"),
            });
        };
        left[piece.index()] = less;
        // If all valid first pieces come later in the first bag, an invalid one was its first.
        choosable -= usize::from(number > 0 && number < size && starts);
        if tgm_ace && choosable == 0 && number < size {
            let why = "the first piece of a game is I, J, L or T, and the bag has no more of them".to_owned();
            return Some(Broken { piece: nth, why });
        }
    }
    None
}
