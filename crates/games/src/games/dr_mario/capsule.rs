//! The reserve of capsules, which both players share.

use super::COLORS;
use crate::games::shift_register::State;
use nextscope_boards::{Color, Pair};

/// Capsules in a reserve; a longer round repeats them.
pub const RESERVE: usize = 128;

/// Kinds of capsules.
pub const NUMBERS: u8 = 9;

/// A capsule by its number in the reserve: three times the colour code of the left half plus that of the right half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Capsule(pub u8);

impl Capsule {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NUMBERS).map(Self)
    }

    /// The kind with these colour codes; None for a code that is not a colour.
    pub fn from_codes(left: u8, right: u8) -> Option<Self> {
        (left < 3 && right < 3).then_some(Self(3 * left + right))
    }

    /// The colours of the left and the right half.
    pub fn colors(self) -> [Color; 2] {
        [COLORS[usize::from(self.0 / 3 % 3)], COLORS[usize::from(self.0 % 3)]]
    }

    /// The capsule as a pair, the left half as the axis.
    pub fn pair(self) -> Pair {
        let [axis, child] = self.colors();
        Pair { axis, child }
    }
}

/// The capsules of a round, in the order of RAM.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reserve(pub [u8; RESERVE]);

impl Reserve {
    /// The reserve that is made from this state, and the state afterwards: filled from the end, each capsule as many kinds after
    /// the last one as the draw says (routine `generatePillsReserve`).
    pub fn new(state: State) -> (Self, State) {
        Self::made(state, None)
    }

    /// The reserve if the generator makes one step too many before it draws for the cell at this place.
    pub fn with_extra_step(state: State, place: usize) -> (Self, State) {
        Self::made(state, Some(place))
    }

    fn made(mut state: State, extra_step: Option<usize>) -> (Self, State) {
        let mut cells = [0; RESERVE];
        let mut number = 0;
        for (place, cell) in cells.iter_mut().enumerate().rev() {
            state = state.step();
            if extra_step == Some(place) {
                state = state.step();
            }
            number = (number + (state.high() & 0xF)) % NUMBERS;
            *cell = number;
        }
        (Self(cells), state)
    }

    /// The place in RAM of the capsule that falls as number `number`, from 0: the first place is skipped until the reserve
    /// repeats, because the game takes two capsules when it prepares a round.
    pub const fn place(number: u32) -> usize {
        (number as usize % RESERVE + 1) % RESERVE
    }

    /// The capsule that falls as number `number`, from 0.
    pub fn capsule(&self, number: u32) -> Capsule {
        Capsule(self.0[Self::place(number)])
    }

    /// All capsules in the order in which they fall, once.
    pub fn falling(&self) -> impl Iterator<Item = Capsule> + '_ {
        (0..RESERVE).map(|number| Capsule(self.0[(number + 1) % RESERVE]))
    }

    /// Whether the game can have made these cells: only numbers of capsules.
    pub fn is_plausible(&self) -> bool {
        self.0.iter().all(|cell| *cell < NUMBERS)
    }
}
