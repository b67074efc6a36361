//! The options that commands and panels share, and their meaning.

use crate::games::puyo_tsu::{Dealing, Level, Setup, Shuffle};
use crate::options::{OptionKind, OptionSpec, OptionValues};

pub(super) const DEALINGS: &[&str] = &["first-three-from-pool-3", "all-from-level-pool"];

pub(super) const MODE: OptionSpec = OptionSpec::new(
    "mode",
    OptionKind::Choice(&["versus", "story"]),
    "Game mode, which decides which pools are generated",
)
.value_name("MODE")
.default("versus");
pub(super) const RANK: OptionSpec =
    OptionSpec::new("rank", OptionKind::Number(0, 255), "Story rank; 2 and above have five colours")
        .value_name("RANK")
        .default("0");
pub(super) const POP_COUNT: OptionSpec = OptionSpec::new(
    "pop-count",
    OptionKind::Number(0, 255),
    "Number of puyos that form a group (option menu)",
)
.value_name("N")
.default("4");
pub(super) const DEALING: OptionSpec = OptionSpec::new(
    "dealing",
    OptionKind::Choice(DEALINGS),
    "Pool of the first three pairs: the 3-colour pool, as in the disassembled game, or the pool of the level, as on the wiki",
).value_name("DEALING")
.default("first-three-from-pool-3");
pub(super) const SHUFFLE: OptionSpec = OptionSpec::new(
    "shuffle",
    OptionKind::Choice(&["shared-index-stream", "three-shuffles"]),
    "Shuffle: one stream of random indices for the 3- and the 5-colour pool, as in the disassembled game, or a separate shuffle for each pool, as on the wiki",
).value_name("SHUFFLE")
.default("shared-index-stream");

/// The inputs of the generator besides the state, from the options of `generate` and `find`.
pub(super) fn setup(values: &OptionValues) -> Setup {
    Setup {
        mode: u8::from(values.text("mode") != Some("story")),
        rank: values.byte("rank").unwrap_or(Setup::VERSUS.rank),
        pop_count: values.byte("pop-count").unwrap_or(Setup::VERSUS.pop_count),
        shuffle: match values.text("shuffle") {
            Some("three-shuffles") => Shuffle::ThreeShuffles,
            _ => Shuffle::SharedIndexStream,
        },
    }
}

/// The level, from the number on the screen.
pub(super) fn level(values: &OptionValues) -> Option<Level> {
    values.byte("level").map(|level| Level(level.saturating_sub(1)))
}

pub(super) fn dealing(values: &OptionValues) -> Dealing {
    values.text("dealing").and_then(Dealing::from_id).unwrap_or_default()
}
