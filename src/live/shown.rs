//! A forecast as the faces show it, whatever the game.

mod board;

pub use board::{Board, Chain};

use crate::game::piece::Piece;
use crate::game::puyo::{Color, Pair, PoolId};
use crate::json::{Coding, ColorOrder};

/// Pairs that are told of a round that would begin now.
pub const PREVIEW: usize = 12;

/// What is to come, in the words and pairs that are drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// The players, or one entry for all of them when nobody knows where they stand.
    pub players: Vec<Player>,
    /// The players of a game of single pieces.
    pub pieces: Vec<PiecePlayer>,
    /// The pools in RAM.
    pub pools: Vec<Pool>,
    /// How the first pairs of a round are dealt.
    pub first_pairs: FirstPairs,
    /// What a round that began now would deal.
    pub start: Option<Start>,
    /// What must be known about all this.
    pub note: Option<String>,
    /// Addresses that the profile does not have and that were found by what stands there, in a sentence; [`Shown::locate`]
    /// keeps them.
    pub found: Option<String>,
}

/// What one player of a game of single pieces gets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PiecePlayer {
    /// "Player 1"
    pub title: String,
    /// What must be known of the game, in short words.
    pub captions: Vec<String>,
    /// The piece in play.
    pub current: Option<Piece>,
    /// The pieces that are certain to come; from the first of the game on when `dealt` is None.
    pub pieces: Vec<Piece>,
    /// The names of the first of them.
    pub names: &'static [&'static str],
    /// Pieces that came into play; None when nobody knows.
    pub dealt: Option<u32>,
    /// Whether those before the first sample are not among them: the game was under way.
    pub joined_late: bool,
    /// Where the player stands, in a sentence.
    pub position: String,
    /// What comes after those depends on when.
    pub waits: Option<Waits>,
    /// What comes after those is not certain.
    pub chances: Option<PieceChances>,
    /// Other games that may follow.
    pub later: Vec<Later>,
}

/// How likely each piece is.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceChances {
    /// Which piece it is about, in words.
    pub caption: String,
    /// The chance of each piece, 0 to 1, in the order of [`Piece::ALL`].
    pub each: [f32; 7],
}

impl PieceChances {
    /// Those that are possible, the likeliest first.
    #[must_use]
    pub fn likeliest(&self) -> Vec<(Piece, f32)> {
        let mut chances: Vec<(Piece, f32)> =
            Piece::ALL.into_iter().zip(self.each).filter(|(_, chance)| *chance > 0.0).collect();
        chances.sort_by(|one, other| other.1.total_cmp(&one.1));
        chances
    }
}

/// The first pieces of a game that may follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Later {
    /// When it follows, in words.
    pub caption: String,
    /// Its first pieces.
    pub pieces: Vec<Piece>,
}

/// A piece that depends on the frame in which it is picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// Which piece it is about, in words.
    pub caption: String,
    /// The piece, if it is picked so many frames from now, from 1 on.
    pub frames: Vec<Piece>,
    /// For each piece the frames to wait for it, 1 or more, in the order of [`Piece::ALL`]; None for more than are looked ahead.
    pub shortest: [Option<usize>; 7],
}

/// What one player gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// "Player 1"; "Any player".
    pub title: String,
    /// What decides the pool, in short words.
    pub captions: Vec<String>,
    /// The pair in play.
    pub current: Option<Pair>,
    /// The coming pairs.
    pub pairs: Vec<Pair>,
    /// The names of the first of them.
    pub names: &'static [&'static str],
    /// Pairs dealt this round; None when nobody knows.
    pub dealt: Option<u16>,
    /// Where the player stands, in a sentence.
    pub position: String,
    /// The pool from which pairs come, as a place in [`Shown::pools`].
    pub pool: Option<usize>,
    /// The pool and the pair in it (0 to 127) from which the pair in play came.
    pub stands: Option<(usize, usize)>,
    /// The score, where it is known.
    pub score: Option<u32>,
    /// The board as it stands, or why it cannot be read; None when nobody knows where it is.
    pub board: Option<Result<Board, String>>,
}

impl Shown {
    /// The puyos of each colour in the pairs that the player's pool has left, the pair in play not counted; and those pairs. A pool of
    /// 128 pairs begins again at its end. None when nobody knows where the player is in which pool.
    #[must_use]
    pub fn colors_left(&self, player: &Player) -> Option<(Vec<(Color, usize)>, usize)> {
        let pairs = &self.pools.get(player.pool?)?.pairs;
        let dealt = usize::from(player.dealt?);
        let FirstPairs { count, pool } = self.first_pairs;
        let left: Vec<Pair> = if dealt < count {
            // These are dealt from the last of them to the first.
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

    /// The same as a caption: "62 pairs left in the pool: 31 red, 30 green, 33 yellow, 30 blue".
    #[must_use]
    pub fn colors_left_caption(&self, player: &Player) -> Option<String> {
        let (colors, pairs) = self.colors_left(player)?;
        let each: Vec<String> =
            colors.into_iter().map(|(color, count)| format!("{count} {}", color.name())).collect();
        let unit = if pairs == 1 { "pair" } else { "pairs" };
        Some(format!("{pairs} {unit} left in the pool: {}", each.join(", ")))
    }
}

/// The first pairs of a round, which fill the queue and may be dealt otherwise than those after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FirstPairs {
    /// How many are dealt in reverse order: the last of them first.
    pub count: usize,
    /// The pool from which they are dealt whatever the player's is, as a place in [`Shown::pools`].
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

/// What a round that began now would deal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// From what, in words.
    pub caption: String,
    /// The seed, or the state from which it would be generated.
    pub seed: String,
    /// The state after it.
    pub state_after: String,
    /// The order of its colours.
    pub color_order: ColorOrder,
    /// How the game would write its pairs.
    pub coding: Coding,
    /// The first pairs that each pool would deal.
    pub pools: Vec<(PoolId, Vec<Pair>)>,
}

/// What to say where forecasts and checks would stand, of a game whose randomizer is not known.
pub const NOTHING_FORETOLD: &str =
    "The randomizer of this game is not known: nothing is foretold and nothing checked, its fields are read";

impl Shown {
    /// The command that writes what was [found](Self::found) into a profile. `from` says where to look: "--pid 4711".
    #[must_use]
    pub fn locate(profile: &str, from: &str) -> String {
        format!("nextscope profile locate --profile {profile} {from} --write FILE")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(dealt: Option<u16>) -> Shown {
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
            stands: None,
            score: None,
            board: None,
        };
        let pool = Pool { id: PoolId::Four, pairs: (0..128).map(pair).collect() };
        Shown { players: vec![player], pools: vec![pool], ..Shown::default() }
    }

    #[test]
    fn the_colours_left_are_those_of_the_pairs_after_the_one_in_play() {
        let left = |dealt| {
            let shown = shown(dealt);
            shown.colors_left_caption(&shown.players[0])
        };
        assert_eq!(left(Some(0)).unwrap(), "128 pairs left in the pool: 64 red, 64 yellow, 128 blue");
        assert_eq!(left(Some(63)).unwrap(), "65 pairs left in the pool: 1 red, 1 yellow, 128 blue");
        assert_eq!(left(Some(127)).unwrap(), "1 pair left in the pool: 0 red, 0 yellow, 2 blue");
        assert_eq!(left(Some(128)), left(Some(0)), "the pool begins again");
        assert_eq!(left(None), None);
    }

    /// As Puyo Puyo Tsu fills its queue.
    #[test]
    fn the_first_pairs_may_come_in_reverse_order_and_from_another_pool() {
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
