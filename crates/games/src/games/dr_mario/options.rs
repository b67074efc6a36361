//! The options that commands and panels share, and their meaning.

use super::{BOOT_STATE, Levels, MAX_LEVEL, State};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::seeds::text::parse_number;

pub(super) const LEVEL: OptionSpec =
    OptionSpec::new("level", OptionKind::Number(0, MAX_LEVEL as u32), "Level, which decides the viruses")
        .value_name("N");

pub(super) const LEVEL_2: OptionSpec = OptionSpec::new(
    "level-2",
    OptionKind::Number(0, MAX_LEVEL as u32),
    "Level of player 2: on another level, the viruses of both players are drawn in turn",
)
.value_name("N")
.requires("level");

/// A state that the generator can have before a round; the first two never leave 0.
pub(super) fn parse_state(text: &str) -> Result<State, String> {
    let state = parse_number(text.trim()).and_then(|number| u16::try_from(number).ok());
    let state = state.filter(|number| *number > 1).map(State);
    state.ok_or_else(|| {
        format!(
            "invalid state {text:?}: expected 0x0002 to 0xFFFF, or 2 to 65535 (after power-on: {BOOT_STATE})"
        )
    })
}

/// The levels of a round; level 0 unless one is given.
pub(super) fn levels(values: &OptionValues) -> Levels {
    let level = values.byte("level").unwrap_or(0);
    values.byte("level-2").map_or(Levels::One(level), |other| Levels::Two(level, other))
}
