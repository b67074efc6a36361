//! The options that commands and panels share, and their meaning.

use crate::games::mean_bean::{Level, Setup};
use crate::options::{OptionKind, OptionSpec, OptionValues};

const MODE: OptionSpec = OptionSpec::new(
    "mode",
    OptionKind::Choice(&["versus", "story", "exercise"]),
    "Game mode, which decides which pools are generated; exercise has none",
)
.value_name("MODE")
.default("versus");
/// Puyo Puyo begins its story with lessons of four colours, and calls exercise endless.
const PUYO_MODE: OptionSpec = OptionSpec {
    kind: OptionKind::Choice(&["versus", "story", "lesson", "endless"]),
    help: "Game mode, which decides which pools are generated; lessons are the first three stages of the story, endless has no pool",
    ..MODE
};
/// `find` needs a pool.
const FIND_MODE: OptionSpec = OptionSpec {
    kind: OptionKind::Choice(&["versus", "story"]),
    help: "Game mode, which decides which pools are generated",
    ..MODE
};
const FIND_PUYO_MODE: OptionSpec = OptionSpec {
    kind: OptionKind::Choice(&["versus", "story", "lesson"]),
    help: "Game mode, which decides which pools are generated; lessons are the first three stages of the story",
    ..MODE
};

/// The options for the mode: of `generate` and of `find`.
pub(super) const MODES: [OptionSpec; 2] = [MODE, FIND_MODE];
/// The same for Puyo Puyo.
pub(super) const PUYO_MODES: [OptionSpec; 2] = [PUYO_MODE, FIND_PUYO_MODE];

/// The inputs of the generator besides the state; None in a mode without pools.
pub(super) fn setup(values: &OptionValues) -> Option<Setup> {
    match values.text("mode") {
        Some("story") => Some(Setup::STORY),
        Some("lesson") => Some(Setup::LESSON),
        Some("exercise" | "endless") => None,
        _ => Some(Setup::VERSUS),
    }
}

/// The level, from the number on the screen.
pub(super) fn level(values: &OptionValues) -> Level {
    Level(values.byte("level").unwrap_or(3).saturating_sub(1))
}
