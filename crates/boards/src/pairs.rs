//! Shared by all Puyo games: colours, pairs and pools.

use serde::Serialize;

/// A puyo's colour, by the code that Puyo Puyo Tsu stores (reference 1.4). Games with different codes map them
/// to these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Color(pub u8);

impl Color {
    /// Red.
    pub const RED: Self = Self(0);
    /// Yellow.
    pub const YELLOW: Self = Self(1);
    /// Green; code 2 is another green that no pool contains.
    pub const GREEN: Self = Self(3);
    /// Purple.
    pub const PURPLE: Self = Self(4);
    /// Blue.
    pub const BLUE: Self = Self(5);

    /// The five colours of pairs, in the order of their codes.
    pub const PAIR_COLORS: [Self; 5] = [Self::RED, Self::YELLOW, Self::GREEN, Self::PURPLE, Self::BLUE];

    /// The colour with this letter (R Y G P B), in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::PAIR_COLORS.into_iter().find(|color| color.letter() == letter.to_ascii_uppercase())
    }

    /// The letter drawn on the puyo: Red, Yellow, Green, Purple, Blue, Ojama, Hard block; `?` for an unknown code.
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

/// Two puyos that fall together; serialized as their two letters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pair {
    /// The puyo around which the pair rotates, the lower one at the start.
    pub axis: Color,
    /// The other puyo, which starts directly above.
    pub child: Color,
}

impl Pair {
    /// From two bytes of a pool or queue, the axis first.
    pub fn from_bytes(axis: u8, child: u8) -> Self {
        Self { axis: Color(axis), child: Color(child) }
    }

    /// Axis and child code as digits, "04", as printed in the documents.
    pub fn codes(self) -> String {
        format!("{:X}{:X}", self.axis.0, self.child.0)
    }

    /// Axis and child letter, "RP".
    pub fn letters(self) -> String {
        [self.axis.letter(), self.child.letter()].iter().collect()
    }

    /// Display text for a pair whose [`Self::codes`] or [`Self::letters`] are `text`: "RB (05)", or "RB" if `text` is just the letters.
    pub fn letters_and(self, text: &str) -> String {
        let letters = self.letters();
        if letters == text { letters } else { format!("{letters} ({text})") }
    }

    /// Parses [`Self::codes`] or [`Self::letters`].
    pub fn from_text(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let (axis, child) = (letters.next()?, letters.next()?);
        if letters.next().is_some() {
            return None;
        }
        let code = |letter: char| u8::try_from(letter.to_digit(10)?).ok().map(Color);
        let both = |color: fn(char) -> Option<Color>| color(axis).zip(color(child));
        let (axis, child) = both(code).or_else(|| both(Color::from_letter))?;
        Some(Self { axis, child })
    }
}

impl Serialize for Pair {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = [0; 8];
        let axis = self.axis.letter().encode_utf8(&mut bytes).len();
        let child = self.child.letter().encode_utf8(&mut bytes[axis..]).len();
        serializer.serialize_str(std::str::from_utf8(&bytes[..axis + child]).unwrap_or("??"))
    }
}

/// Bytes in a pool; two make a pair.
pub const POOL_LEN: usize = 256;
/// Pairs in a pool.
pub const POOL_PAIRS: usize = POOL_LEN / 2;

/// 256 puyos, as the game's own codes.
pub type Pool = [u8; POOL_LEN];

/// One of the three pools in RAM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub enum PoolId {
    /// `pool_3`: three colours.
    #[serde(rename = "3")]
    Three,
    /// `pool_4`: four colours.
    #[serde(rename = "4")]
    Four,
    /// `pool_5`: five colours.
    #[serde(rename = "5")]
    Five,
}

impl PoolId {
    /// The pools in RAM order.
    pub const ALL: [Self; 3] = [Self::Three, Self::Four, Self::Five];

    /// The index in RAM order: 0, 1, 2.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name of the profile field.
    pub fn field(self) -> &'static str {
        ["pool_3", "pool_4", "pool_5"][self.index()]
    }

    /// The number of colours in its name: 3, 4, 5. (Puyo Puyo Tsu fills it with fewer under some options.)
    pub fn colors(self) -> usize {
        self.index() + 3
    }

    /// The pool with that number of colours in its name.
    pub fn of_colors(colors: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|pool| pool.colors() == colors)
    }
}

impl std::fmt::Display for PoolId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["3-colour pool", "4-colour pool", "5-colour pool"][self.index()])
    }
}
