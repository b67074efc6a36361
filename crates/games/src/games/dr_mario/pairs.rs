//! How commands and panels deal capsules of the game.

use super::options::parse_state;
use super::{BOOT_STATE, Reserve, State, find_command, generate_command, stats_command};
use crate::options::OptionValues;
use crate::pairs::{FindCommand, GenerateCommand, PairDealer, PairRules, StatsCommand};

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

fn dealer(_: &OptionValues, _: Option<u32>) -> PairDealer {
    Box::new(|seed, numbers| {
        let Ok(seed) = u16::try_from(seed) else { return Vec::new() };
        let (reserve, _) = Reserve::new(State(seed));
        numbers.map(|number| reserve.capsule(number).pair()).collect()
    })
}
