//! The seeds of Nextscope's randomizer with limits.

use crate::games::bounded::{Bounded, Limits};
use crate::seeds::pieces::game::PieceSearch;
use crate::seeds::pieces::query::{GamePosition, PieceQuery, QueryError};
use crate::seeds::pieces::rule::{self, Broken};
use crate::seeds::pieces::scan::{Scan, Starts, scan};
use crate::seeds::pieces::spaces::{first_piece, low, needs_first_piece, skipped};
use nextscope_task::Progress;

fn limits(query: &PieceQuery) -> Limits {
    query.limits.unwrap_or_else(|| Limits::of_variant(query.variant))
}

pub struct Seeds;

impl PieceSearch for Seeds {
    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(query)?;
        let (first, limits) = (first_piece(query), limits(query));
        let make = |start| Ok(skipped(Bounded::new(low(start), limits), first));
        let (count, possible, earlier) = (self.starts(query), |_| true, |_| None);
        Ok(scan(&Starts { count, possible, make, earlier }, &query.pieces, progress))
    }

    fn broken(&self, query: &PieceQuery) -> Option<Broken> {
        let GamePosition::Piece(first) = query.at else { return None };
        rule::limits(&query.pieces, first, limits(query))
    }
}
