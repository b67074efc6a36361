//! The seeds of Nextscope's randomizer with limits.

use super::game::PieceSearch;
use super::question::{GamePosition, PieceQuery, QueryError};
use super::rule::{self, Broken};
use super::scan::{Progress, Scan, Starts, scan};
use super::spaces::{first_piece, low, needs_first_piece, skipped};
use crate::game::bounded::{Bounded, Limits};

fn limits(question: &PieceQuery) -> Limits {
    question.limits.unwrap_or_else(|| Limits::of_variant(question.variant))
}

pub struct Seeds;

impl PieceSearch for Seeds {
    fn search(&self, question: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(question)?;
        let (first, limits) = (first_piece(question), limits(question));
        let make = |start| Ok(skipped(Bounded::new(low(start), limits), first));
        let (count, possible, earlier) = (self.starts(question), |_| true, |_| None);
        Ok(scan(&Starts { count, possible, make, earlier }, &question.pieces, progress))
    }

    fn broken(&self, question: &PieceQuery) -> Option<Broken> {
        let GamePosition::Piece(first) = question.at else { return None };
        rule::limits(&question.pieces, first, limits(question))
    }
}
