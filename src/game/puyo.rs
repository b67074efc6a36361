//! What all Puyo games share: the colours, and two puyos that fall together.

use serde::Serialize;

/// A puyo's colour, by the code that Puyo Puyo Tsu stores (reference 1.4). Games with codes of their own bring them
/// to these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Color(pub u8);

impl Color {
    /// Red.
    pub const RED: Self = Self(0);
    /// Yellow.
    pub const YELLOW: Self = Self(1);
    /// Green; code 2 is another green, which no pool holds.
    pub const GREEN: Self = Self(3);
    /// Purple.
    pub const PURPLE: Self = Self(4);
    /// Blue.
    pub const BLUE: Self = Self(5);

    /// The five colours that pairs are made of, in the order of their codes.
    pub const PLAYED: [Self; 5] = [Self::RED, Self::YELLOW, Self::GREEN, Self::PURPLE, Self::BLUE];

    /// The colour with this letter, R Y G P B, in either case.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::PLAYED.into_iter().find(|color| color.letter() == letter.to_ascii_uppercase())
    }

    /// The letter drawn on the puyo: Red, Yellow, Green, Purple, Blue, Ojama, Hard block; `?` for no code of the game.
    #[must_use]
    pub fn letter(self) -> char {
        match self.0 {
            0 => 'R',
            1 => 'Y',
            2 | 3 => 'G',
            4 => 'P',
            5 => 'B',
            6 => 'O',
            7 => 'H',
            _ => '?',
        }
    }

    /// The colour's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            0 => "red",
            1 => "yellow",
            2 | 3 => "green",
            4 => "purple",
            5 => "blue",
            6 => "ojama",
            7 => "hard block",
            _ => "not a colour",
        }
    }
}

/// Two puyos that fall together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Pair {
    /// The puyo about which the pair turns, the lower one at first.
    pub axis: Color,
    /// The other one, which starts directly above.
    pub child: Color,
}

impl Pair {
    /// From two bytes of a pool or queue, the axis first.
    #[must_use]
    pub fn from_bytes(axis: u8, child: u8) -> Self {
        Self { axis: Color(axis), child: Color(child) }
    }

    /// Axis and child code as digits, "04": how the documents print it.
    #[must_use]
    pub fn codes(self) -> String {
        format!("{:X}{:X}", self.axis.0, self.child.0)
    }

    /// Axis and child letter, "RP".
    #[must_use]
    pub fn letters(self) -> String {
        [self.axis.letter(), self.child.letter()].iter().collect()
    }
}
