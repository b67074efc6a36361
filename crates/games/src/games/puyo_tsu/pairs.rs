//! How commands and panels deal pairs of the game.

use crate::games::puyo_tsu::live::observe;
use crate::games::puyo_tsu::options::{DEALINGS, dealing, level};
use crate::games::puyo_tsu::{
    BOOT_STATE, Dealer, Level, Setup, Shuffle, State, find_command, generate, generate_command, interactive,
};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Control, FindCommand, GenerateCommand, PairDealer, PairRules};
use crate::seeds::text::parse_state;
use nextscope_boards::POOL_LEN;

pub(super) const RULES: PairRules = PairRules {
    short_name: "Tsu",
    saved_name: "Tsu",
    source_name: "Tsu state",
    seed_bits: 32,
    parse_seed: parse_state,
    seed_label: "State",
    seed_help: "the state from which the round is generated",
    seed_text: |state| State(state).to_string(),
    generate: GenerateCommand {
        about: "Puyo Puyo Tsu: colour set, pools, pairs as dealt",
        options: generate_command::OPTIONS,
        run: generate_command::run,
    },
    find: FindCommand {
        about: "Puyo Puyo Tsu: all 32-bit states before a round with these pools or pairs",
        usage: &[],
        options: find_command::OPTIONS,
        form: false,
        prepare: find_command::prepare,
    },
    interactive: Some(interactive::SEARCH),
    stats: None,
    deal_options: &[
        OptionSpec::new(
            "level",
            OptionKind::Number(1, 5),
            "level of the player in versus, 1 to 5 as on the screen of the game: \
             1 and 2 deal three colours, 3 four, 4 and 5 five",
        )
        .value_name("N")
        .default("3"),
        OptionSpec::new("story", OptionKind::Number(0, 255), "play story mode at this rank")
            .value_name("RANK"),
        OptionSpec::new("dealing", OptionKind::Choice(DEALINGS), "pool of the first three pairs")
            .value_name("DEALING")
            .default("first-three-from-pool-3"),
    ],
    dealer,
    seed_in_ram: Some(|snapshot, profile| Some(observe(snapshot, profile).ok()?.state.0)),
    controls: &[
        Control {
            option: "story",
            label: "",
            choices: &[("", "Versus"), ("0", "Story")],
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
    ],
    first_seed: BOOT_STATE.0,
    pools: Some(|seed| {
        let [three, four, five] = generate(State(seed), Setup::VERSUS).pools;
        Some([three?, four?, five?])
    }),
};

fn dealer(values: &OptionValues, group: Option<u32>) -> PairDealer {
    let story = values.byte("story");
    let setup = Setup {
        mode: u8::from(story.is_none()),
        rank: story.unwrap_or(0),
        pop_count: group.and_then(|group| u8::try_from(group).ok()).unwrap_or(Setup::VERSUS.pop_count),
        shuffle: Shuffle::default(),
    };
    let level = level(values).unwrap_or(Level(2));
    let dealer = Dealer { mode: setup.mode, level, dealing: dealing(values) };
    Box::new(move |seed, numbers| {
        let pools = generate(State(seed), setup).pools.map(|pool| pool.unwrap_or([0; POOL_LEN]));
        numbers.filter_map(|number| dealer.pair(&pools, number)).collect()
    })
}
