//! The checks of declared randomizers.

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
}

pub(crate) const CHECKS: &[CheckId] = &[CheckId::DECLARED_GENERATOR, CheckId::DECLARED_DEALS];
