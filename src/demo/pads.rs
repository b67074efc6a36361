//! Controllers: two ports with a three-button pad each. Only the first pad is ever pressed.
//!
//! Source: Sega, "Genesis Technical Overview" 1.00 (1991), section 4: I/O ports.

use std::ops::BitOr;
use std::str::FromStr;

/// A set of pressed buttons.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Buttons(u8);

#[allow(missing_docs, reason = "the names of the buttons say it")]
impl Buttons {
    pub const NONE: Self = Self(0);
    pub const UP: Self = Self(0x01);
    pub const DOWN: Self = Self(0x02);
    pub const LEFT: Self = Self(0x04);
    pub const RIGHT: Self = Self(0x08);
    pub const B: Self = Self(0x10);
    pub const C: Self = Self(0x20);
    pub const A: Self = Self(0x40);
    pub const START: Self = Self(0x80);

    const NAMES: [(&'static str, Self); 8] = [
        ("a", Self::A),
        ("b", Self::B),
        ("c", Self::C),
        ("start", Self::START),
        ("up", Self::UP),
        ("down", Self::DOWN),
        ("left", Self::LEFT),
        ("right", Self::RIGHT),
    ];

    /// The names of the buttons, separated by spaces.
    pub fn names(self) -> String {
        let pressed = Self::NAMES.iter().filter(|(_, button)| self.0 & button.0 != 0);
        pressed.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }
}

impl BitOr for Buttons {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromStr for Buttons {
    type Err = String;

    /// Parses names separated by spaces: `a`, `b`, `c`, `start`, `up`, `down`, `left`, `right`.
    fn from_str(text: &str) -> Result<Self, String> {
        text.split_whitespace().try_fold(Self::NONE, |pressed, word| {
            let known = Self::NAMES.iter().find(|(name, _)| *name == word);
            known.map(|(_, button)| pressed | *button).ok_or_else(|| format!("unknown button `{word}`"))
        })
    }
}

/// The output line that selects which half of the buttons is read.
const SELECT: u8 = 0x40;

/// The value of a port if nothing pulls a line low.
const IDLE: u8 = 0x7F;

#[derive(Clone, Copy, Default)]
struct Port {
    data: u8,
    /// A bit of 1 is an output.
    control: u8,
}

impl Port {
    fn read(self, pressed: Option<Buttons>) -> u8 {
        let select = self.control & SELECT == 0 || self.data & SELECT != 0;
        let lines = match pressed {
            None => IDLE,
            Some(Buttons(pressed)) if select => IDLE & !(pressed & 0x3F),
            // Start, A, two lines always low, down, up.
            Some(Buttons(pressed)) => (IDLE & !0x4C) & !(pressed >> 2 & 0x30 | pressed & 0x03),
        };
        let outputs = self.control | 0x80;
        self.data & outputs | lines & !outputs
    }
}

/// The ports' registers at A10001-A1001F.
#[derive(Default)]
pub(super) struct Pads {
    ports: [Port; 3],
    pressed: Buttons,
}

/// A10001: overseas, NTSC, no expansion unit, second hardware version (the one with the TMSS register).
const VERSION: u8 = 0xA1;

impl Pads {
    pub(super) fn set(&mut self, pressed: Buttons) {
        self.pressed = pressed;
    }

    /// Resets the registers; pressed buttons stay pressed.
    pub(super) fn reset(&mut self) {
        self.ports = Default::default();
    }

    /// Reads register `index` (address A10001 + 2 x index).
    pub(super) fn read(&self, index: usize) -> u8 {
        match index {
            0 => VERSION,
            1 => self.ports[0].read(Some(self.pressed)),
            2 => self.ports[1].read(Some(Buttons::NONE)),
            3 => self.ports[2].read(None),
            4..=6 => self.ports[index - 4].control,
            // The serial lines are idle.
            7 | 10 | 13 => 0xFF,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, index: usize, value: u8) {
        match index {
            1..=3 => self.ports[index - 1].data = value,
            4..=6 => self.ports[index - 4].control = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both halves as a program reads them: select line high, then low.
    fn halves(pressed: Buttons) -> [u8; 2] {
        let mut pads = Pads::default();
        pads.set(pressed);
        pads.write(4, SELECT);
        [SELECT, 0].map(|select| {
            pads.write(1, select);
            pads.read(1)
        })
    }

    #[test]
    fn each_button_pulls_down_its_own_line_of_the_right_half() {
        assert_eq!(halves(Buttons::NONE), [0x7F, 0x33]);
        for (pressed, expected) in [
            (Buttons::UP, [0x7E, 0x32]),
            (Buttons::DOWN, [0x7D, 0x31]),
            (Buttons::LEFT, [0x7B, 0x33]),
            (Buttons::RIGHT, [0x77, 0x33]),
            (Buttons::B, [0x6F, 0x33]),
            (Buttons::C, [0x5F, 0x33]),
            (Buttons::A, [0x7F, 0x23]),
            (Buttons::START, [0x7F, 0x13]),
        ] {
            assert_eq!(halves(pressed), expected, "{}", pressed.names());
        }
    }

    #[test]
    fn names_of_buttons_are_parsed_as_the_same_buttons() {
        for bits in 0..=u8::MAX {
            assert_eq!(Buttons(bits).names().parse(), Ok(Buttons(bits)));
        }
        assert!("select".parse::<Buttons>().is_err());
    }
}
