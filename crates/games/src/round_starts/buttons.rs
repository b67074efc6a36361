//! Buttons of a pad with three buttons.

use std::ops::BitOr;

/// The buttons that are held. The bits are those in which games of the Mega Drive store them: up, down, left, right, B, C, A, Start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PadButtons(pub u8);

#[allow(missing_docs, reason = "the names of the buttons say it")]
impl PadButtons {
    pub const NONE: Self = Self(0);
    pub const UP: Self = Self(0x01);
    pub const DOWN: Self = Self(0x02);
    pub const LEFT: Self = Self(0x04);
    pub const RIGHT: Self = Self(0x08);
    pub const B: Self = Self(0x10);
    pub const C: Self = Self(0x20);
    pub const A: Self = Self(0x40);
    pub const START: Self = Self(0x80);
}

const NAMES: [(PadButtons, &str); 8] = [
    (PadButtons::UP, "Up"),
    (PadButtons::DOWN, "Down"),
    (PadButtons::LEFT, "Left"),
    (PadButtons::RIGHT, "Right"),
    (PadButtons::A, "A"),
    (PadButtons::B, "B"),
    (PadButtons::C, "C"),
    (PadButtons::START, "Start"),
];

impl PadButtons {
    /// Whether no button is held.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether all of these are held.
    pub fn has(self, buttons: Self) -> bool {
        self.0 & buttons.0 == buttons.0
    }

    /// The buttons that were not held before.
    #[must_use]
    pub fn pressed_since(self, before: Self) -> Self {
        Self(self.0 & !before.0)
    }

    /// The names of the buttons, joined by `+`.
    pub fn names(self) -> String {
        let held = NAMES.iter().filter(|(button, _)| self.has(*button));
        held.map(|(_, name)| *name).collect::<Vec<_>>().join("+")
    }
}

impl BitOr for PadButtons {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
