//! A player in a simulated round, for the tests of following and of replanning.

use super::live::LiveStart;
use crate::puyo::{Field, Placement, Rotation, Rules};
use nextscope_boards::{Color, Pair};

pub const RED: Pair = Pair { axis: Color::RED, child: Color::RED };
pub const MIXED: Pair = Pair { axis: Color::BLUE, child: Color::GREEN };
/// The number in the round of the first pair of the route.
pub const FIRST: u32 = 10;

pub fn up(column: usize) -> Placement {
    Placement::new(column, Rotation::Up).unwrap()
}

/// A player whose pair in play is this one of the route, on that board.
pub fn live(at: usize, board: Field) -> LiveStart {
    let all = [RED, MIXED, RED, MIXED, RED, MIXED, RED];
    LiveStart {
        board: Some(board),
        settled: true,
        in_play: true,
        pairs: all[at..].to_vec(),
        number: FIRST + u32::try_from(at).unwrap(),
        rules: Rules::TSU,
    }
}
