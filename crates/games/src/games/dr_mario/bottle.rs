//! The viruses of a round (routines `levelIntro` and `addVirus`).

use super::COLORS;
use crate::games::shift_register::State;
use crate::live::{Grid, GridItem};
use nextscope_boards::Color;

/// Columns of a bottle.
pub const COLUMNS: usize = 8;
/// Rows of a bottle.
pub const ROWS: usize = 16;
/// Cells of a bottle: the first is at the top on the left.
pub const CELLS: usize = COLUMNS * ROWS;
/// An empty cell in RAM.
pub(super) const EMPTY: u8 = 0xFF;
/// The last level: a game of one player goes on to it, with as many viruses as level 20.
pub const MAX_LEVEL: u8 = 24;

/// Colour codes by the lower four bits of a draw (table `virusColor_random`).
const RANDOM_COLOR: [u8; 16] = [0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 1];

/// Attempts after which viruses are given up. Every state of the generator's cycle needs fewer than 200.
const MAX_ATTEMPTS: u16 = 2_000;

/// The cells of which a virus must not have all three colours beside it: two above, below, left and right.
const NEAR: [u128; CELLS] = {
    let mut near = [0; CELLS];
    let mut at = 0;
    while at < CELLS {
        let column = at % COLUMNS;
        if at >= 2 * COLUMNS {
            near[at] |= 1 << (at - 2 * COLUMNS);
        }
        if at + 2 * COLUMNS < CELLS {
            near[at] |= 1 << (at + 2 * COLUMNS);
        }
        if column >= 2 {
            near[at] |= 1 << (at - 2);
        }
        if column <= 5 {
            near[at] |= 1 << (at + 2);
        }
        at += 1;
    }
    near
};

/// The number of viruses of a level.
pub const fn virus_count(level: u8) -> u8 {
    4 * (if level > 20 { 20 } else { level } + 1)
}

/// The largest height that is drawn at a level, from 0 at the bottom (table `virusPlacement_maxHeight`).
const fn max_height(level: u8) -> u8 {
    match level {
        0..=14 => 9,
        15 | 16 => 10,
        17 | 18 => 11,
        _ => 12,
    }
}

/// The highest row that can have viruses at a level, from 0 at the top.
pub const fn top_row(level: u8) -> usize {
    ROWS - 1 - max_height(level) as usize
}

/// A cell of a bottle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// A virus of this colour code.
    Virus(u8),
    /// A half of a capsule of this colour code, or what is left of one.
    Half(u8),
}

impl Cell {
    /// The cell with this byte in RAM: the upper four bits say what it is, the lower four its colour. A cell that is being
    /// cleared is shown as long as it has a colour.
    pub const fn from_byte(byte: u8) -> Self {
        match (byte >> 4, byte & 0xF) {
            (0xD, color @ 0..=2) => Self::Virus(color),
            (0x4..=0x8 | 0xB, color @ 0..=2) => Self::Half(color),
            _ => Self::Empty,
        }
    }

    /// The colour.
    pub fn color(self) -> Option<Color> {
        match self {
            Self::Empty => None,
            Self::Virus(code) | Self::Half(code) => COLORS.get(usize::from(code)).copied(),
        }
    }

    /// The cell in display format.
    pub fn item(self) -> Option<GridItem> {
        Some(GridItem { color: self.color()?, fixed: matches!(self, Self::Virus(_)) })
    }
}

/// The viruses of a bottle: for each colour code a bit for each cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Bottle(pub [u128; 3]);

impl Bottle {
    /// The viruses among the cells of a field in RAM.
    pub fn of_field(field: &[u8; CELLS]) -> Self {
        let mut bottle = Self::default();
        for (at, byte) in field.iter().enumerate() {
            if let Cell::Virus(color) = Cell::from_byte(*byte) {
                bottle.0[usize::from(color)] |= 1 << at;
            }
        }
        bottle
    }

    /// The colour code of the virus in a cell.
    pub fn virus(&self, at: usize) -> Option<u8> {
        (0..3u8).find(|color| self.0[usize::from(*color)] >> at & 1 == 1)
    }

    /// The cells with a virus.
    pub const fn occupied(&self) -> u128 {
        self.0[0] | self.0[1] | self.0[2]
    }

    /// The number of viruses.
    pub const fn count(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// The byte of a cell in RAM.
    pub fn byte(&self, at: usize) -> u8 {
        self.virus(at).map_or(EMPTY, |color| 0xD0 | color)
    }

    /// The cells, top row first.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..CELLS).map(|at| self.virus(at).map_or(Cell::Empty, Cell::Virus))
    }

    /// The rows as letters, top row first.
    pub fn rows(&self) -> Vec<String> {
        self.grid(String::new()).rows()
    }

    /// The bottle in display format.
    pub fn grid(&self, caption: String) -> Grid {
        Grid { caption, columns: COLUMNS, cells: self.cells().map(Cell::item).collect() }
    }
}

/// The levels of a round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Levels {
    /// One player.
    One(u8),
    /// Two players.
    Two(u8, u8),
}

impl Levels {
    /// The level of a player, 0 or 1.
    pub const fn of(self, player: usize) -> u8 {
        match self {
            Self::Two(_, level) if player == 1 => level,
            Self::One(level) | Self::Two(level, _) => level,
        }
    }

    /// The number of players.
    pub const fn players(self) -> usize {
        if matches!(self, Self::One(_)) { 1 } else { 2 }
    }

    /// Whether there is one bottle: two players on the same level get the same viruses.
    pub const fn share_viruses(self) -> bool {
        self.of(0) == self.of(1)
    }

    /// The levels of the next round: one player goes on, two play the same again.
    pub const fn next(self) -> Self {
        match self {
            Self::One(level) if level < MAX_LEVEL => Self::One(level + 1),
            levels => levels,
        }
    }
}

/// Places the viruses of one player.
#[derive(Clone, Copy, Debug)]
struct Placer {
    bottle: Bottle,
    max_height: u8,
    left: u8,
}

/// A virus that was placed: cell and colour code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Placed {
    pub player: usize,
    pub at: usize,
    pub color: u8,
}

impl Placer {
    const fn new(level: u8) -> Self {
        Self { bottle: Bottle([0; 3]), max_height: max_height(level), left: virus_count(level) }
    }

    /// One attempt, as in every frame: the cell and the colour code of the virus, if one fits.
    fn attempt(&mut self, state: &mut State) -> Option<(usize, u8)> {
        if self.left == 0 {
            return None;
        }
        let height = loop {
            *state = state.step();
            let height = state.high() & 0xF;
            if height <= self.max_height {
                break height;
            }
        };
        let from = usize::from(15 - height) * COLUMNS + usize::from(state.low() & 7);
        let mut wish = self.left & 3;
        if wish == 3 {
            *state = state.step();
            wish = RANDOM_COLOR[usize::from(state.low() & 0xF)];
        }
        // The search goes right and down, and does not start again at the top.
        let mut empty = !self.bottle.occupied() >> from << from;
        while empty != 0 {
            let at = empty.trailing_zeros() as usize;
            let near = self.bottle.0.map(|cells| cells & NEAR[at] != 0);
            if near != [true; 3] {
                let mut color = wish;
                while near[usize::from(color)] {
                    color = if color == 0 { 2 } else { color - 1 };
                }
                self.bottle.0[usize::from(color)] |= 1 << at;
                self.left -= 1;
                return Some((at, color));
            }
            empty &= empty - 1;
        }
        None
    }
}

/// The viruses of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Viruses {
    /// The levels.
    pub levels: Levels,
    /// The bottle of each player.
    pub bottles: [Bottle; 2],
    /// Frames until all viruses are in their places.
    pub frames: u16,
    /// The state afterwards.
    pub after: State,
}

impl Viruses {
    /// The viruses that are drawn from this state, the one after the reserve was made.
    pub fn new(state: State, levels: Levels) -> Self {
        Self::while_placed(state, levels, |_| true).unwrap_or(Self {
            levels,
            bottles: [Bottle::default(); 2],
            frames: 0,
            after: state,
        })
    }

    /// The same, as long as `accept` accepts each virus: None after the first one that it refuses. On the same level only
    /// player 1's viruses are drawn.
    pub(super) fn while_placed(
        mut state: State,
        levels: Levels,
        mut accept: impl FnMut(Placed) -> bool,
    ) -> Option<Self> {
        let mut placers = [0, 1].map(|player| Placer::new(levels.of(player)));
        if levels.share_viruses() {
            placers[1].left = 0;
        }
        let mut frames = 0;
        // A state outside of the cycle may never fill a bottle.
        while placers.iter().any(|placer| placer.left > 0) && frames < MAX_ATTEMPTS {
            for (player, placer) in placers.iter_mut().enumerate() {
                if let Some((at, color)) = placer.attempt(&mut state)
                    && !accept(Placed { player, at, color })
                {
                    return None;
                }
            }
            frames += 1;
        }
        let [one, other] = placers.map(|placer| placer.bottle);
        let other = if levels.share_viruses() { one } else { other };
        Some(Self { levels, bottles: [one, other], frames, after: state })
    }
}
