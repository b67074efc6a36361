//! How commands and panels deal pairs of the game.

use crate::games::puyo_20th::options::{COLORS, pool};
use crate::games::puyo_20th::{Seed, find_command, generate, generate_command, interactive};
use crate::options::{OptionSpec, OptionValues};
use crate::pairs::{Control, FindCommand, GenerateCommand, PairDealer, PairRules};
use crate::seeds::text::parse_number;

pub(super) const RULES: PairRules = PairRules {
    short_name: "20th",
    saved_name: "Anniversary",
    source_name: "20th Anniversary seed",
    seed_bits: Seed::BITS,
    parse_seed,
    seed_label: "Seed",
    seed_help: "0x0000 to 0xFFFF",
    seed_text: |seed| format!("0x{seed:04X}"),
    generate: GenerateCommand {
        about: "Puyo Puyo!! 20th Anniversary: colour map, pools, pairs, for one seed or all",
        options: generate_command::OPTIONS,
        run: generate_command::run,
    },
    find: FindCommand {
        about: "Puyo Puyo!! 20th Anniversary: which of the 65,536 seeds deal these pairs, and which pairs come next",
        usage: &["--pieces <PAIRS> [OPTIONS]", "--dump <FILE> [OPTIONS]", "--state <STATE> [OPTIONS]"],
        options: find_command::OPTIONS,
        form: false,
        prepare: find_command::prepare,
    },
    interactive: Some(interactive::SEARCH),
    stats: None,
    deal_options: &[OptionSpec { help: "number of colours, which selects the pool", ..COLORS }],
    dealer,
    seed_in_ram: None,
    controls: &[Control {
        option: "colors",
        label: "Colours",
        choices: &[("3", "3"), ("4", "4"), ("5", "5")],
        first: "4",
        meaning: "Number of colours selects the pool",
        unless: None,
    }],
    first_seed: 0,
    pools: Some(|seed| Some(generate(Seed::try_from(seed).ok()?).pools)),
};

fn parse_seed(text: &str) -> Result<u32, String> {
    let number = parse_number(text.trim()).filter(|number| Seed::try_from(*number).is_ok());
    number.ok_or_else(|| format!("invalid seed {text:?}: expected 0x0000 to 0xFFFF, or 0 to 65535"))
}

fn dealer(values: &OptionValues, _: Option<u32>) -> PairDealer {
    let pool = pool(values);
    Box::new(move |seed, numbers| {
        let Ok(seed) = Seed::try_from(seed) else { return Vec::new() };
        let round = generate(seed);
        numbers.filter_map(|number| round.pair(pool, number)).collect()
    })
}
