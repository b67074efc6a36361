//! How commands and panels deal capsules of the game.

use super::{BOOT_STATE, Levels, MAX_LEVEL, Reserve, State, find_command, generate_command, stats_command};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{FindCommand, GenerateCommand, PairDealer, PairRules, StatsCommand};
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

pub(super) const RULES: PairRules = PairRules {
    short_name: "Dr. Mario",
    saved_name: "DrMario",
    source_name: "Dr. Mario state",
    seed_bits: u16::BITS,
    parse_seed: |text| parse_state(text).map(|state| state.0.into()),
    seed_label: "State",
    seed_help: "0x0002 to 0xFFFF",
    seed_text: |seed| format!("0x{seed:04X}"),
    generate: GenerateCommand {
        about: "Dr. Mario (NES): capsules and bottles of a state",
        options: generate_command::OPTIONS,
        run: generate_command::run,
    },
    find: FindCommand {
        about: "Dr. Mario (NES): which of the 32,767 starts give these viruses and capsules, and when to press Start for them",
        usage: &["--capsules <PAIRS> [OPTIONS]", "--bottle <ROWS> --level <N> [OPTIONS]"],
        options: find_command::OPTIONS,
        form: true,
        prepare: find_command::prepare,
    },
    interactive: None,
    stats: Some(StatsCommand { options: stats_command::OPTIONS, run: stats_command::run }),
    deal_options: &[],
    dealer,
    seed_in_ram: None,
    controls: &[],
    first_seed: BOOT_STATE.0 as u32,
    pools: None,
};

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

fn dealer(_: &OptionValues, _: Option<u32>) -> PairDealer {
    Box::new(|seed, numbers| {
        let Ok(seed) = u16::try_from(seed) else { return Vec::new() };
        let (reserve, _) = Reserve::new(State(seed));
        numbers.map(|number| reserve.capsule(number).pair()).collect()
    })
}
