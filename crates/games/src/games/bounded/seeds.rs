//! The seeds of Nextscope's randomizer with limits.

use crate::games::bounded::deal_tree::DealTree;
use crate::games::bounded::{DealHistory, Limits, limits_of};
use crate::games::piece::Piece;
use crate::seeds::pieces::game::{GamePosition, PieceQuery, PieceSearch, QueryError, first_piece};
use crate::seeds::pieces::rule::Broken;
use crate::seeds::pieces::scan::{Scan, low, scan_all};
use crate::seeds::pieces::spaces::needs_first_piece;
use nextscope_task::Progress;
use std::collections::HashSet;

/// The most positions that are tracked when pieces are unknown; with more of them the check gives up.
const MAX_POSITIONS: usize = 20_000;

fn limits(query: &PieceQuery) -> Limits {
    query.limits.unwrap_or_else(|| limits_of(query.variant))
}

pub struct Seeds;

impl PieceSearch for Seeds {
    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError> {
        needs_first_piece(query)?;
        let tree = DealTree::new(limits(query), first_piece(query), &query.pieces);
        Ok(scan_all(self.starts(query), |start| tree.dealer(low(start)), &query.pieces, progress))
    }

    fn broken(&self, query: &PieceQuery) -> Option<Broken> {
        if query.at == GamePosition::Unknown {
            return None;
        }
        broken_limits(&query.pieces, limits(query))
    }
}

/// Tracks all positions that the unknown pieces may have led to. In the middle of a game, the pieces before are ignored: they can
/// only forbid more.
fn broken_limits(pieces: &[Option<Piece>], limits: Limits) -> Option<Broken> {
    let mut positions = HashSet::from([DealHistory::new(limits)]);
    for (nth, piece) in pieces.iter().enumerate() {
        let mut after = HashSet::new();
        for history in &positions {
            after.extend(history.followers(*piece).map(|(_, history)| history));
            if after.len() > MAX_POSITIONS {
                return None;
            }
        }
        if after.is_empty() {
            return Some(Broken { piece: nth, why: format!("the limits are {limits}") });
        }
        positions = after;
    }
    None
}
