//! Pieces that no game can deal by its dealing rule alone, whatever the generator: what bags and limits forbid. This saves trying all
//! 2^32 seeds, which takes minutes.

use crate::games::bounded::{DealHistory, Limits};
use crate::games::piece::Piece;
use std::collections::HashSet;

/// The most positions of a game with limits that are tracked when pieces are unknown; with more of them the check gives up.
const MAX_POSITIONS: usize = 20_000;

/// A piece that breaks the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The index of the given piece, from 0.
    pub piece: usize,
    /// The rule.
    pub why: String,
}

/// Bags: each bag contains `copies` of each piece.
pub(crate) fn bags(pieces: &[Option<Piece>], first: u32, copies: usize, tgm_ace: bool) -> Option<Broken> {
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

/// Hard limits: tracks all positions that the unknown pieces may have led to. In the middle of a game, the pieces
/// before are ignored: they can only forbid more.
pub(crate) fn limits(pieces: &[Option<Piece>], first: u32, limits: Limits) -> Option<Broken> {
    let _ = first;
    let mut positions = HashSet::from([DealHistory::new(limits)]);
    for (nth, piece) in pieces.iter().enumerate() {
        let mut after = HashSet::new();
        for history in &positions {
            let allowed = history.allowed();
            for next in Piece::ALL.into_iter().filter(|next| piece.is_none_or(|piece| piece == *next)) {
                if allowed[next.index()] {
                    let mut history = *history;
                    history.deal(next);
                    after.insert(history);
                }
            }
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

#[cfg(test)]
mod tests {
    use super::super::query::parse_pieces;
    use super::super::{GamePosition, PieceGame, PieceQuery};
    use super::*;
    use crate::games::piece::{Dealer, letters};
    use crate::games::pieces::PieceOptions;
    use proptest::prelude::*;

    fn query(game: PieceGame, variant: &str, at: u32, pieces: &str) -> PieceQuery {
        let query = PieceQuery::new(game, variant).unwrap();
        PieceQuery { at: GamePosition::Piece(at), pieces: parse_pieces(pieces).unwrap(), ..query }
    }

    fn rules_of(query: &PieceQuery) -> Option<Broken> {
        query.game.rules().search.broken(query)
    }

    fn fails_at(game: PieceGame, variant: &str, at: u32, pieces: &str) -> Option<usize> {
        rules_of(&query(game, variant, at, pieces)).map(|broken| broken.piece + 1)
    }

    #[test]
    fn sequences_that_no_bag_contains_are_rejected_without_a_search() {
        let bag = |at, pieces| fails_at(PieceGame::from_id("tetris-worlds").unwrap(), "", at, pieces);
        assert_eq!(bag(1, "SSSSSS"), Some(2));
        assert_eq!(bag(7, "SSSSSS"), Some(3), "the last of a bag and the first of the next");
        assert_eq!(bag(7, "SSIJLTZO"), None);
        assert_eq!(bag(1, "S?????S"), Some(7));
        assert_eq!(bag(2, "S?????S"), None, "they are of two bags");
        assert_eq!(bag(3, "S?????S"), None);
        let two = |at, pieces| fails_at(PieceGame::from_id("tetris-worlds").unwrap(), "bag-14", at, pieces);
        assert_eq!((two(1, "SSSSSS"), two(13, "SSSSSS")), (Some(3), Some(5)));
        let ace = |at, pieces| fails_at(PieceGame::from_id("tetris-worlds").unwrap(), "tgm-ace", at, pieces);
        assert_eq!(
            (ace(1, "SIJ"), ace(1, "?IJLT"), ace(1, "I?JLT"), ace(8, "SIJ")),
            (Some(1), Some(5), None, None)
        );
        assert_eq!(
            fails_at(PieceGame::from_id("tetris-1985").unwrap(), "", 1, "SSSSSSSSSS"),
            None,
            "this game has no rule"
        );
    }

    #[test]
    fn sequences_that_break_limits_are_rejected_without_a_search() {
        let own = |variant, at, pieces| fails_at(PieceGame::from_id("bounded").unwrap(), variant, at, pieces);
        assert_eq!(own("", 1, "JJJJJJ"), Some(3), "twice in a row at most");
        assert_eq!(own("", 50, "JJJJJJ"), Some(3));
        assert_eq!(own("", 1, "J?J?JJJ"), Some(7));
        assert_eq!(own("strict", 1, "JJ"), Some(2));
        assert_eq!(own("", 1, "SZSZS"), Some(5));
        assert_eq!(own("", 1, "IJLOSTIJLOSTIJ"), Some(13), "Z is due");
    }

    #[test]
    fn the_answer_comes_without_a_search_and_names_the_rule() {
        let query = query(PieceGame::from_id("tetris-worlds").unwrap(), "", 1, "SSSSSS");
        let progress = nextscope_task::Progress::default();
        let answer = query.search(&progress).unwrap().unwrap();
        assert_eq!((answer.count, answer.matched, progress.share()), (0, 1, 0.0));
        let report = super::super::Report::new(&query, &answer, 20, 10, 0.0);
        assert!(
            report.table().contains("piece 2 of the input, S, breaks the dealing rule: a bag, here pieces 1 to 7, contains each piece once"),
            "{}",
            report.table()
        );
        assert!(report.json().contains("\"impossible\":\"a bag"));
    }

    proptest! {
        /// Dealt sequences are never called impossible, from any position and with any pieces unknown.
        #[test]
        fn dealt_sequences_are_never_rejected(
            which in 0usize..6, seed: u32, at in 1u32..40, count in 1usize..40, hidden in proptest::collection::vec(any::<bool>(), 40),
        ) {
            let (game, variant) = [
                (PieceGame::from_id("tetris-worlds").unwrap(), ""),
                (PieceGame::from_id("tetris-worlds").unwrap(), "tgm-ace"),
                (PieceGame::from_id("tetris-worlds").unwrap(), "bag-14"),
                (PieceGame::from_id("bounded").unwrap(), ""),
                (PieceGame::from_id("bounded").unwrap(), "strict"),
                (PieceGame::from_id("bounded").unwrap(), "like-ti"),
            ][which];
            let mut dealer = game.dealer(variant, seed, PieceOptions::default()).unwrap();
            dealer.deal_many(at as usize - 1);
            let dealt = letters(&dealer.deal_many(count));
            let given: String =
                dealt.chars().zip(&hidden).enumerate().map(|(nth, (letter, hidden))| if *hidden && nth % 4 == 0 { '?' } else { letter }).collect();
            prop_assert_eq!(rules_of(&query(game, variant, at, &given)), None, "{} from {} {}", game, at, given);
        }
    }
}
