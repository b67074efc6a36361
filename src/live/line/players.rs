//! The players' predictions, in the same JSON format for every game.

use crate::json::{Chance, Code, Coding, codes, field_code, piece_chances};
use crate::live::{Board, Chain, Grid, PiecePlayer, PredictionView};
use nextscope_boards::{Color, Pair};
use serde::Serialize;

/// One player.
#[derive(Serialize, PartialEq)]
pub struct Player {
    title: String,
    /// Short labels of the player's game.
    captions: Vec<String>,
    kind: Unit,
    /// The pair or piece in play.
    current: Option<String>,
    current_code: Option<Code>,
    /// The upcoming ones that are certain.
    next: Vec<String>,
    next_codes: Option<Vec<Code>>,
    /// The number of the first of them in the round or game, from 1.
    next_at: Option<u64>,
    position: String,
    /// How likely each piece is to follow `next`.
    chances: Option<Vec<Chance>>,
    /// The first pieces of games that may follow.
    follow_ups: Vec<FollowUp>,
    /// The pool, by its number of colours.
    pool: Option<usize>,
    /// The number of the pair in play in its pool, 1 to 128.
    pool_position: Option<usize>,
    /// The puyos colors_left in that pool after the pair in play.
    pool_left: Option<Vec<ColorCount>>,
    score: Option<u32>,
    board: Option<PlayerBoard>,
    /// The boards of games without field codes and chains.
    boards: Vec<Grid>,
}

/// Whether a game deals pairs or single pieces.
#[derive(Serialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    Pairs,
    Pieces,
}

/// The first pieces of a game that may follow.
#[derive(Serialize, PartialEq)]
struct FollowUp {
    caption: String,
    next: Vec<String>,
}

/// Puyos of one colour.
#[derive(Serialize, PartialEq)]
struct ColorCount {
    color: char,
    puyos: usize,
}

#[derive(Serialize, PartialEq)]
struct PlayerBoard {
    /// From the top, without the empty rows above the topmost puyo.
    rows: Vec<String>,
    /// The field code; None for an empty board and for boards that a code cannot represent.
    code: Option<String>,
    /// The chain in progress.
    chain: Option<Chain>,
}

impl PlayerBoard {
    fn of(board: &Board) -> Self {
        Self { rows: board.rows(), code: field_code(board.code()), chain: board.chain }
    }
}

/// All players, with at most `most` upcoming pairs or pieces of each.
pub fn all(shown: &PredictionView, coding: Option<Coding>, most: usize) -> Vec<Player> {
    let pairs = shown.players.iter().map(|player| {
        let next: Vec<Pair> = player.pairs.iter().copied().take(most).collect();
        let position = player.pool_position.filter(|(pool, _)| Some(*pool) == player.pool);
        Player {
            title: player.title.clone(),
            captions: player.captions.clone(),
            kind: Unit::Pairs,
            current: player.current.map(Pair::letters),
            current_code: player.current.zip(coding).and_then(|(pair, coding)| coding.code(pair)),
            next_codes: codes(&next, coding),
            next: next.into_iter().map(Pair::letters).collect(),
            next_at: player.dealt.map(|dealt| u64::from(dealt) + 1),
            position: player.position.clone(),
            chances: None,
            follow_ups: Vec::new(),
            pool: player.pool.and_then(|pool| Some(shown.pools.get(pool)?.id.colors())),
            pool_position: player.pool_position.map(|(_, at)| at + 1),
            pool_left: position
                .and_then(|(pool, at)| colors_left(shown.pools.get(pool)?.pairs.get(at + 1..)?)),
            score: player.score,
            board: player.board.as_ref().and_then(|board| board.as_ref().ok()).map(PlayerBoard::of),
            boards: player.boards.clone(),
        }
    });
    pairs.chain(shown.pieces.iter().map(|player| pieces(player, most))).collect()
}

fn pieces(player: &PiecePlayer, most: usize) -> Player {
    let letters = |pieces: &[_]| pieces.iter().take(most).map(ToString::to_string).collect();
    let follow_up = |later: &crate::live::FollowUpGame| FollowUp {
        caption: later.caption.clone(),
        next: letters(&later.pieces),
    };
    Player {
        title: player.title.clone(),
        captions: player.captions.clone(),
        kind: Unit::Pieces,
        current: player.current.map(|piece| piece.to_string()),
        current_code: None,
        next: letters(&player.pieces),
        next_codes: None,
        next_at: player.dealt.filter(|_| !player.joined_late).map(|dealt| u64::from(dealt) + 1),
        position: player.position.clone(),
        chances: player.chances.as_ref().map(|chances| piece_chances(&chances.likeliest())),
        follow_ups: player.later.iter().map(follow_up).collect(),
        pool: None,
        pool_position: None,
        pool_left: None,
        score: None,
        board: None,
        boards: Vec::new(),
    }
}

/// The puyos of each colour in these pairs.
fn colors_left(pairs: &[Pair]) -> Option<Vec<ColorCount>> {
    let count = |color: Color| {
        let puyos =
            pairs.iter().flat_map(|pair| [pair.axis, pair.child]).filter(|puyo| *puyo == color).count();
        (puyos > 0).then(|| ColorCount { color: color.letter(), puyos })
    };
    Some(Color::PAIR_COLORS.into_iter().filter_map(count).collect())
}
