//! Pieces that no game can deal by its dealing rule alone, whatever the generator: what a game's bags or limits forbid. This saves
//! trying all 2^32 seeds, which takes minutes.

/// A piece that breaks the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The index of the given piece, from 0.
    pub piece: usize,
    /// The rule.
    pub why: String,
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
