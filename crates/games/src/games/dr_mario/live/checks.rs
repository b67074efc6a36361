//! The checks of the game.

use crate::live::CheckId;

impl CheckId {
    /// The viruses of both bottles are those that the generator places.
    pub const VIRUSES: Self =
        Self::new("viruses", "Viruses", "The viruses of both bottles are those that the generator places.");
    /// The capsule in the next window becomes the one that falls.
    pub const FALLING_CAPSULE: Self = Self::new(
        "falling-capsule",
        "Next capsule to falling",
        "The capsule in the next window becomes the one that falls.",
    );
    /// The generator steps once per frame on the options screen, and otherwise only to make a round.
    pub const OPTION_STEPS: Self = Self::new(
        "option-steps",
        "Generator steps",
        "The generator steps once per frame on the options screen, and otherwise only to make a round.",
    );
}

pub(crate) const CHECKS: &[CheckId] = &[
    CheckId::OPTION_STEPS,
    CheckId::GENERATION,
    CheckId::VIRUSES,
    CheckId::QUEUE_P1,
    CheckId::QUEUE_P2,
    CheckId::FALLING_CAPSULE,
];
