//! The options that commands and panels share, and their meaning.

use crate::games::puyo_20th::PoolId;
use crate::options::{OptionKind, OptionSpec, OptionValues};

pub(super) const COLORS: OptionSpec =
    OptionSpec::new("colors", OptionKind::Number(3, 5), "Number of colours, which selects the pool")
        .value_name("N")
        .default("4");

/// The pool of the number of colours.
pub(super) fn pool(values: &OptionValues) -> PoolId {
    values.byte("colors").and_then(|colors| PoolId::of_colors(colors.into())).unwrap_or(PoolId::Four)
}
