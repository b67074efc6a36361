//! How commands and panels deal pairs of the game.

use crate::games::puyo_tsu::live::observe;
use crate::games::puyo_tsu::{
    BOOT_STATE, Dealer, Dealing, Level, Setup, Shuffle, State, find_command, generate, generate_command,
    interactive,
};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Control, FindCommand, GenerateCommand, PairDealer, PairRules};
use crate::seeds::text::parse_state;
use nextscope_boards::POOL_LEN;

const DEALINGS: &[&str] = &["first-three-from-pool-3", "all-from-level-pool"];

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
        OptionSpec::new("level", OptionKind::Number(1, 5), "player level in versus, which selects the pool")
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
