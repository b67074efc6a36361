//! The checks of declared games.

use crate::live::CheckId;

impl CheckId {
    /// The generator makes the declared steps.
    pub const DECLARED_GENERATOR: Self = Self::new(
        "declared-generator",
        "Declared generator",
        "The generator's state follows from the one before it by the declared steps.",
    );
    /// What is dealt follows from the generator.
    pub const DECLARED_DEALS: Self = Self::new(
        "declared-deals",
        "Declared deals",
        "What is dealt is what the declared randomizer makes of the generator's states.",
    );
    /// What comes was announced by the list in RAM.
    pub const DECLARED_LIST: Self = Self::new(
        "declared-list",
        "Declared list",
        "Each piece that comes is the one that the list in RAM announced.",
    );
}

pub(crate) const CHECKS: &[CheckId] =
    &[CheckId::DECLARED_GENERATOR, CheckId::DECLARED_DEALS, CheckId::DECLARED_LIST];

/// Those of a profile with `[randomizer]`.
pub(super) const OF_GENERATORS: [CheckId; 2] = [CheckId::DECLARED_GENERATOR, CheckId::DECLARED_DEALS];
