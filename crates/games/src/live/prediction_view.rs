//! The display format of predictions, the same for all games.

mod board;
mod grid;

pub use board::{Board, Chain};
pub use grid::{Grid, GridItem};

use crate::games::piece::Piece;
use crate::json::{Coding, ColorOrder};
use nextscope_boards::{Color, Pair, PoolId};

/// Pairs listed for a round that would start now.
pub const PREVIEW: usize = 12;

/// The predicted pairs and pieces, with their labels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PredictionView {
    /// The players, or one entry for all of them while their positions are unknown.
    pub players: Vec<Player>,
    /// The players of a game of single pieces.
    pub pieces: Vec<PiecePlayer>,
    /// The pools in RAM.
    pub pools: Vec<Pool>,
    /// How the first pairs of a round are dealt.
    pub first_pairs: FirstPairs,
    /// What a round that started now would deal.
    pub start: Option<Start>,
    /// Rounds that follow, or that would start later.
    pub follow_ups: Vec<FollowUpRound>,
    /// A remark on the prediction, such as a limitation.
    pub note: Option<String>,
    /// Addresses that the profile lacks and that were found by their content, as a sentence; [`PredictionView::locate`] gives the command
    /// that saves them.
    pub found: Option<String>,
}

/// A round computed from a seed, without an emulator.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputedRound {
    /// "seed 0x6119 of Puyo Puyo!! 20th Anniversary, 4 colours".
    pub what: String,
    /// The round.
    pub shown: PredictionView,
}

/// The prediction for one player of a game of single pieces.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PiecePlayer {
    /// "Player 1"
    pub title: String,
    /// Short labels of the game's settings.
    pub captions: Vec<String>,
    /// The piece in play.
    pub current: Option<Piece>,
    /// The upcoming pieces that are certain; they start with the first of the game when `dealt` is None.
    pub pieces: Vec<Piece>,
    /// Labels of the first few of them.
    pub names: &'static [&'static str],
    /// Pieces that came into play; None when unknown.
    pub dealt: Option<u32>,
    /// Whether `dealt` lacks the pieces before the first sample: the game was already in progress.
    pub joined_late: bool,
    /// The player's progress in the sequence, as a sentence.
    pub position: String,
    /// The piece after those, when it depends on the frame in which it is drawn.
    pub waits: Option<FrameOdds>,
    /// The chances of the piece after those, when it is not certain.
    pub chances: Option<PieceChances>,
    /// Other games that may follow.
    pub later: Vec<FollowUpGame>,
}

/// How likely each piece is.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceChances {
    /// Which piece the chances are for.
    pub caption: String,
    /// The chance of each piece, 0 to 1, in the order of [`Piece::ALL`].
    pub each: [f32; 7],
}

impl PieceChances {
    /// The possible pieces, likeliest first.
    pub fn likeliest(&self) -> Vec<(Piece, f32)> {
        let mut chances: Vec<(Piece, f32)> =
            Piece::ALL.into_iter().zip(self.each).filter(|(_, chance)| *chance > 0.0).collect();
        chances.sort_by(|one, other| other.1.total_cmp(&one.1));
        chances
    }
}

/// The first pieces of a game that may follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUpGame {
    /// The condition under which it follows.
    pub caption: String,
    /// Its first pieces.
    pub pieces: Vec<Piece>,
}

/// A piece that depends on the frame in which it is picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameOdds {
    /// Which piece this is about.
    pub caption: String,
    /// The piece for each number of frames from now, starting at 1.
    pub frames: Vec<Piece>,
    /// The frames to wait for each piece, 1 or more, in the order of [`Piece::ALL`]; None when it is beyond the frames that are
    /// computed.
    pub shortest: [Option<usize>; 7],
}

/// The prediction for one player.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Player {
    /// "Player 1"; "Any player".
    pub title: String,
    /// Short labels of what selects the pool.
    pub captions: Vec<String>,
    /// The pair in play.
    pub current: Option<Pair>,
    /// The upcoming pairs.
    pub pairs: Vec<Pair>,
    /// Labels of the first few of them.
    pub names: &'static [&'static str],
    /// Pairs dealt this round; None when unknown.
    pub dealt: Option<u16>,
    /// The player's progress in the round, as a sentence.
    pub position: String,
    /// The pool from which pairs are dealt, as an index into [`PredictionView::pools`].
    pub pool: Option<usize>,
    /// Where the pair in play came from: the pool, and the pair's index in it (0 to 127).
    pub pool_position: Option<(usize, usize)>,
    /// The score, when it is known.
    pub score: Option<u32>,
    /// The current board, or why it cannot be read; None when its address is unknown.
    pub board: Option<Result<Board, String>>,
    /// The current boards of games without a board simulator.
    pub boards: Vec<Grid>,
    /// Whether a pair lies when it appears: the axis on the left, the child on the right.
    pub lying: bool,
}

/// A round that follows, or that would start later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUpRound {
    /// The condition under which it follows.
    pub caption: String,
    /// Its first pairs.
    pub pairs: Vec<Pair>,
    /// Whether a pair lies when it appears.
    pub lying: bool,
    /// The boards at its start.
    pub boards: Vec<Grid>,
}

impl PredictionView {
    /// The puyos of each colour in the pairs left in the player's pool, and the number of those pairs. The pair in play does not
    /// count. A pool of 128 pairs repeats after its end. None when the player's pool or position in it is unknown.
    pub fn colors_left(&self, player: &Player) -> Option<(Vec<(Color, usize)>, usize)> {
        let pairs = &self.pools.get(player.pool?)?.pairs;
        let dealt = usize::from(player.dealt?);
        let FirstPairs { count, pool } = self.first_pairs;
        let left: Vec<Pair> = if dealt < count {
            // The first pairs are dealt in reverse order.
            let here = pool.is_none() || pool == player.pool;
            let first = if here { pairs.get(..count - dealt)? } else { &[] };
            [first, pairs.get(count..)?].concat()
        } else {
            pairs.get(dealt.checked_rem(pairs.len())?..)?.to_vec()
        };
        let puyos = |pairs: &[Pair]| -> Vec<Color> {
            pairs.iter().flat_map(|pair| [pair.axis, pair.child]).collect()
        };
        let (mut colors, among) = (puyos(pairs), puyos(&left));
        colors.sort_unstable_by_key(|color| color.0);
        colors.dedup();
        let count = |color: Color| (color, among.iter().filter(|one| **one == color).count());
        Some((colors.into_iter().map(count).collect(), left.len()))
    }

    /// [`Self::colors_left`] as a caption: "62 pairs left in the pool: 31 red, 30 green, 33 yellow, 30 blue".
    pub fn colors_left_caption(&self, player: &Player) -> Option<String> {
        let (colors, pairs) = self.colors_left(player)?;
        let each: Vec<String> =
            colors.into_iter().map(|(color, count)| format!("{count} {}", color.name())).collect();
        let unit = if pairs == 1 { "pair" } else { "pairs" };
        Some(format!("{pairs} {unit} left in the pool: {}", each.join(", ")))
    }
}

/// How the first pairs of a round, which fill the queue, differ from those after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FirstPairs {
    /// How many pairs are dealt in reverse order.
    pub count: usize,
    /// The pool from which they are dealt to every player, as an index into [`PredictionView::pools`]; None for the player's own.
    pub pool: Option<usize>,
}

/// One pool in RAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    /// Which one.
    pub id: PoolId,
    /// Its 128 pairs.
    pub pairs: Vec<Pair>,
}

/// What a round that started now would deal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// What the seed or state is read from.
    pub caption: String,
    /// The seed, or the state from which it would be generated.
    pub seed: String,
    /// The state after the round was generated.
    pub state_after: String,
    /// The order of its colours.
    pub color_order: ColorOrder,
    /// How the game would encode its pairs.
    pub coding: Coding,
    /// The first pairs that each pool would deal.
    pub pools: Vec<(PoolId, Vec<Pair>)>,
}

/// Shown in place of predictions and checks for a game whose randomizer is unknown.
pub const NO_PREDICTOR: &str =
    "The randomizer of this game is unknown: Nextscope reads its fields, but predicts and checks nothing";

impl PredictionView {
    /// The command that writes the [found](Self::found) addresses into a profile. `from` selects the RAM: "--pid 4711".
    pub fn locate(profile: &str, from: &str) -> String {
        format!("nextscope profile locate --profile {profile} {from} --write FILE")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(dealt: Option<u16>) -> PredictionView {
        // 128 pairs: 64 of red and yellow, then 64 of blue and blue.
        let pair = |number: u8| if number < 64 { Pair::from_bytes(0, 1) } else { Pair::from_bytes(5, 5) };
        let player = Player {
            title: "Player 1".into(),
            captions: Vec::new(),
            current: None,
            pairs: Vec::new(),
            names: &[],
            dealt,
            position: String::new(),
            pool: Some(0),
            pool_position: None,
            score: None,
            board: None,
            boards: Vec::new(),
            lying: false,
        };
        let pool = Pool { id: PoolId::Four, pairs: (0..128).map(pair).collect() };
        PredictionView { players: vec![player], pools: vec![pool], ..PredictionView::default() }
    }

    #[test]
    fn the_colours_left_exclude_the_pair_in_play() {
        let left = |dealt| {
            let shown = shown(dealt);
            shown.colors_left_caption(&shown.players[0])
        };
        assert_eq!(left(Some(0)).unwrap(), "128 pairs left in the pool: 64 red, 64 yellow, 128 blue");
        assert_eq!(left(Some(63)).unwrap(), "65 pairs left in the pool: 1 red, 1 yellow, 128 blue");
        assert_eq!(left(Some(127)).unwrap(), "1 pair left in the pool: 0 red, 0 yellow, 2 blue");
        assert_eq!(left(Some(128)), left(Some(0)), "the pool repeats");
        assert_eq!(left(None), None);
    }

    /// Puyo Puyo Tsu fills its queue this way.
    #[test]
    fn the_first_pairs_may_be_dealt_in_reverse_order_and_from_another_pool() {
        let left = |dealt, pool| {
            let mut shown = shown(Some(dealt));
            shown.pools[0].pairs[2] = Pair::from_bytes(4, 4);
            shown.first_pairs = FirstPairs { count: 3, pool };
            shown.colors_left_caption(&shown.players[0]).unwrap()
        };
        let own = "127 pairs left in the pool: 63 red, 63 yellow, 0 purple, 128 blue";
        assert_eq!(left(1, None), own, "the third pair of the pool came first");
        assert_eq!(left(1, Some(0)), own);
        let other = "125 pairs left in the pool: 61 red, 61 yellow, 0 purple, 128 blue";
        assert_eq!(left(1, Some(1)), other);
        assert_eq!(left(3, Some(1)), other);
    }
}
