//! How commands and panels deal pairs of the games.

use crate::games::mean_bean::options::level;
use crate::games::mean_bean::{
    BOOT_STATE, Dealer, MEAN_BEAN, PUYO_PUYO, Setup, State, find_command, generate, generate_command,
    interactive,
};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Control, FindCommand, GenerateCommand, PairDealer, PairRules};
use crate::seeds::text::parse_state;

const DEAL_OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "level",
        OptionKind::Number(1, 5),
        "level of the player in versus, 1 to 5: 1 selects the first pool and 2 to 5 the second",
    )
    .value_name("N")
    .default("3"),
    OptionSpec::new("story", OptionKind::Number(0, 255), "play this stage of the story").value_name("RANK"),
];

const CONTROLS: &[Control] = &[
    Control {
        option: "story",
        label: "",
        choices: &[("", "Versus"), ("3", "Story")],
        first: "",
        meaning: "",
        unless: None,
    },
    Control {
        option: "level",
        label: "Level",
        choices: &[("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("5", "5")],
        first: "3",
        meaning: "Player level selects the pool",
        unless: Some("story"),
    },
];

pub(super) const MEAN_BEAN_RULES: PairRules = PairRules {
    short_name: "Mean Bean",
    saved_name: "MeanBean",
    source_name: "Mean Bean Machine state",
    seed_bits: u32::BITS,
    parse_seed: parse_state,
    seed_label: "State",
    seed_help: "state before the round, such as 0x7FE7B46A; the game's states end in A",
    seed_text: |state| State(state).to_string(),
    generate: GenerateCommand {
        about: "Dr. Robotnik's Mean Bean Machine: pools and pairs of a round",
        options: generate_command::OPTIONS,
        run: |values, format| generate_command::run(MEAN_BEAN, values, format),
    },
    find: FindCommand {
        about: "Dr. Robotnik's Mean Bean Machine: find the state before a round from its pairs or pools",
        usage: &[],
        options: find_command::OPTIONS,
        form: false,
        prepare: |values, format| find_command::prepare(MEAN_BEAN, values, format),
    },
    interactive: Some(interactive::MEAN_BEAN_SEARCH),
    stats: None,
    deal_options: DEAL_OPTIONS,
    dealer,
    // The generator is stepped in every frame, so that the state in RAM is not the one that a later round is generated from.
    seed_in_ram: None,
    controls: CONTROLS,
    first_seed: BOOT_STATE.0,
    pools: None,
};

pub(super) const PUYO_PUYO_RULES: PairRules = PairRules {
    short_name: "Puyo Puyo",
    saved_name: "PuyoPuyo1",
    source_name: "Puyo Puyo state",
    generate: GenerateCommand {
        about: "Puyo Puyo (Mega Drive): pools and pairs of a round",
        options: generate_command::PUYO_OPTIONS,
        run: |values, format| generate_command::run(PUYO_PUYO, values, format),
    },
    find: FindCommand {
        about: "Puyo Puyo (Mega Drive): find the state before a round from its pairs or pools",
        usage: &[],
        options: find_command::PUYO_OPTIONS,
        form: false,
        prepare: |values, format| find_command::prepare(PUYO_PUYO, values, format),
    },
    interactive: Some(interactive::PUYO_PUYO_SEARCH),
    ..MEAN_BEAN_RULES
};

fn dealer(values: &OptionValues, _: Option<u32>) -> PairDealer {
    let story = values.byte("story").map(|stage| Setup { stage, ..Setup::STORY });
    let setup = story.unwrap_or(Setup::VERSUS);
    let dealer = Dealer::first_player(setup, level(values));
    Box::new(move |seed, numbers| {
        let pools = generate(State(seed), setup).pools;
        numbers.filter_map(|number| dealer.pair(&pools, number)).collect()
    })
}
