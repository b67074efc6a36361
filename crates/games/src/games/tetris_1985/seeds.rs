//! The seeds of the generators that replace the game's own.

use crate::games::tetris_1985::Tetris1985;
use crate::games::uniform::Uniform;
use crate::seeds::pieces::game::{PieceQuery, first_piece, skipped};
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
        let first = first_piece(query);
        let make = |start| Ok(skipped(Tetris1985::new(rng(low(start))), first));
        scan_all(starts(query), make, &query.pieces, progress)
    }
}
