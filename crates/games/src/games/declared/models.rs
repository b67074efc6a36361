//! The built-in models, declared: each deals what its built-in code deals, and each of its constants matters.

use super::{DeclaredDealer, Program, Randomizer};
use crate::games::piece::{Dealer, Piece};
use crate::games::uniform::{Kind, Uniform};
use crate::games::{
    bloxeed, dr_mario, mean_bean, puyo_20th, sega, tetris_1985, tetris_nes, tetris_worlds, tgm,
};
use nextscope_boards::{Pair, PoolId, SplitMix64};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

#[derive(Deserialize)]
struct File {
    randomizer: Randomizer,
}

fn parse(text: &str) -> Randomizer {
    toml::from_str::<File>(text).expect("a randomizer").randomizer
}

macro_rules! model {
    ($name:literal) => {
        include_str!(concat!("models/", $name, ".toml"))
    };
}

/// A declared model, and what the built-in one deals.
struct Model {
    name: &'static str,
    text: String,
    /// Steps of the generator between two deals.
    gap: u32,
    /// Seeds that are compared besides random ones.
    seeds: Vec<u64>,
    deals: Deals,
}

enum Deals {
    Pieces(Box<dyn Fn(u64, usize) -> Vec<Piece>>),
    Pairs(Box<dyn Fn(u64, usize) -> Vec<Pair>>),
}

fn pieces<D: Dealer>(
    name: &'static str,
    text: impl Into<String>,
    dealer: impl Fn(u32) -> D + 'static,
) -> Model {
    #[expect(clippy::cast_possible_truncation, reason = "seeds have at most 32 bits")]
    let deals = move |seed, count| dealer(seed as u32).deal_many(count);
    Model {
        name,
        text: text.into(),
        gap: 0,
        seeds: vec![0, 1, 0x1_0000, 0xFFFF],
        deals: Deals::Pieces(Box::new(deals)),
    }
}

fn pairs(
    name: &'static str,
    text: impl Into<String>,
    dealt: impl Fn(u32, usize) -> Vec<Pair> + 'static,
) -> Model {
    #[expect(clippy::cast_possible_truncation, reason = "seeds have at most 32 bits")]
    let deals = move |seed, count| dealt(seed as u32, count);
    Model {
        name,
        text: text.into(),
        gap: 0,
        seeds: vec![0, 1, 0x1_0000, 0xFFFF],
        deals: Deals::Pairs(Box::new(deals)),
    }
}

/// The text with one passage changed.
fn with(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

fn models() -> Vec<Model> {
    let mut models = piece_models();
    models.extend(pair_models());
    models
}

fn piece_models() -> Vec<Model> {
    use tetris_nes::{Pick, Randomizer, State};
    use tetris_worlds::{Bag, TetrisWorlds};
    use tgm::tgm1::{Reading, Tgm1};
    let nes = |gap: u32, how: Pick| {
        move |seed: u32| Randomizer::new(State(u16::try_from(seed & 0xFFFF).unwrap()), gap, how)
    };
    let sega = |routine| move |seed| sega::sega_tetris::Sequence::new(routine, sega::State(seed));
    let flash_point = |variant| sega(sega::flash_point::routine(variant));
    let bloxeed = |table: &'static str| {
        move |seed| {
            let table = bloxeed::Table::from_id(table);
            bloxeed::Game::from_piece_seed(table, bloxeed_main(), sega::State(seed))
        }
    };
    let worlds = |kind, ace| move |seed| TetrisWorlds::new(Uniform::new(kind, seed), ace);
    let worlds_file = model!("tetris-worlds");
    vec![
        Model { gap: 1, ..pieces("tetris-nes", model!("tetris-nes"), nes(1, Pick::Code)) },
        Model { gap: 37, ..pieces("tetris-nes, slow", model!("tetris-nes"), nes(37, Pick::Code)) },
        Model {
            gap: 2,
            ..pieces("tetris-nes-document", model!("tetris-nes-document"), nes(2, Pick::Document))
        },
        pieces("tgm1", model!("tgm1"), |seed| Tgm1::new(seed, Reading::FourPasses)),
        pieces("tgm1-3-passes", with(model!("tgm1"), "tries = 4", "tries = 3"), |seed| {
            Tgm1::new(seed, Reading::ThreePasses)
        }),
        pieces("tgm1-document", model!("tgm1-document"), |seed| Tgm1::new(seed, Reading::Document)),
        pieces("tgm2", model!("tgm2"), tgm::tgm2::Tgm2::new),
        pieces("tgm3", model!("tgm3"), tgm::tgm3::Tgm3::new),
        pieces("sega-tetris", model!("sega-tetris"), sega(sega::Routine::TETRIS)),
        pieces("flash-point", model!("flash-point"), flash_point("low-word")),
        pieces("flash-point-whole-long", with(model!("flash-point"), "mask = 0xFFFF, ", ""), {
            flash_point("whole-long")
        }),
        pieces("bloxeed", model!("bloxeed"), bloxeed("table")),
        pieces("bloxeed-plain", plain_bloxeed(), bloxeed("plain")),
        pieces("tetris-1985", model!("tetris-1985"), |seed| {
            tetris_1985::Tetris1985::new(Uniform::new(Kind::SplitMix64, seed))
        }),
        pieces("tetris-worlds", worlds_file, worlds(Kind::Xorshift32, false)),
        pieces(
            "tetris-worlds, ahead",
            with(worlds_file, "time = \"as-dealt\"", "time = \"ahead\"\nfrom = \"end\""),
            worlds(Kind::Xorshift32, false),
        ),
        pieces("tetris-worlds-tgm-ace", model!("tetris-worlds-tgm-ace"), worlds(Kind::SplitMix64, true)),
        pieces("tetris-worlds-arika", model!("tetris-worlds-arika"), worlds(Kind::Arika, false)),
        pieces("tetris-worlds-bag-14", model!("tetris-worlds-bag-14"), |seed| {
            Bag::new(Uniform::new(Kind::SplitMix64, seed), 2)
        }),
    ]
}

/// Items come from it, and no piece.
fn bloxeed_main() -> sega::State {
    sega::State(1)
}

/// Bloxeed without the quirk: the remainder of a division by 7, as in Sega Tetris.
fn plain_bloxeed() -> String {
    let text = with(model!("bloxeed"), "method = \"mask\"", "method = \"modulo\"");
    let (before, rest) = text.split_once("table = [").unwrap();
    let (_, after) = rest.split_once("\n]\n").unwrap();
    format!("{before}{after}")
}

fn pair_models() -> Vec<Model> {
    use mean_bean::{Level, Setup};
    let puyo_20th = |pool: PoolId| {
        move |seed: u32, count: usize| -> Vec<Pair> {
            let round = puyo_20th::generate(u16::try_from(seed & 0xFFFF).unwrap());
            (0..).map_while(|number| round.pair(pool, number)).take(count).collect()
        }
    };
    let mean_bean = |setup: Setup, level: u8| {
        move |seed: u32, count: usize| -> Vec<Pair> {
            let pools = mean_bean::generate(mean_bean::State(seed), setup).pools;
            let dealer = mean_bean::Dealer::first_player(setup, Level(level));
            (0..).map_while(|number| dealer.pair(&pools, number)).take(count).collect()
        }
    };
    let exercise = |level: u8| {
        move |seed: u32, count: usize| -> Vec<Pair> {
            let (mut state, first) = mean_bean::exercise_start(mean_bean::State(seed), Level(level));
            let more = std::iter::from_fn(|| {
                let pair;
                (state, pair) = mean_bean::exercise_pair(state, Level(level));
                Some(pair)
            });
            first.into_iter().chain(more).take(count).collect()
        }
    };
    let twentieth = model!("puyo-20th");
    let bean = model!("mean-bean");
    let lesson = || {
        let text = with(bean, "dealt = 2", "dealt = 1");
        text.split("\n[[randomizer.deal.pools]]\nkinds = 5").next().unwrap().to_owned()
    };
    let exercise_file = model!("mean-bean-exercise");
    vec![
        pairs("puyo-20th, 5 colours", twentieth, puyo_20th(PoolId::Five)),
        pairs("puyo-20th, 4 colours", with(twentieth, "dealt = 3", "dealt = 2"), puyo_20th(PoolId::Four)),
        pairs("puyo-20th, 3 colours", with(twentieth, "dealt = 3", "dealt = 1"), puyo_20th(PoolId::Three)),
        pairs("mean-bean, level 3", bean, mean_bean(Setup::VERSUS, 2)),
        pairs("mean-bean, level 1", with(bean, "dealt = 2", "dealt = 1"), mean_bean(Setup::VERSUS, 0)),
        pairs("mean-bean, lesson", lesson(), mean_bean(Setup::LESSON, 0)),
        pairs("mean-bean, story", with(&lesson(), "kinds = 4", "kinds = 5"), mean_bean(Setup::STORY, 0)),
        pairs("mean-bean, exercise", exercise_file, exercise(2)),
        pairs("mean-bean, easy exercise", with(exercise_file, ", \"B\"]", "]"), exercise(0)),
        pairs("dr-mario", model!("dr-mario"), |seed, count| {
            let (reserve, _) = dr_mario::Reserve::new(dr_mario::State(u16::try_from(seed & 0xFFFF).unwrap()));
            (0..).map(|number| reserve.capsule(number).pair()).take(count).collect()
        }),
    ]
}

impl Model {
    /// Random seeds of the size that the built-in model takes, and those that are always compared.
    fn seeds(&self, program: &Program, count: usize) -> Vec<u64> {
        let mut random = SplitMix64(7);
        let random = std::iter::repeat_with(|| u64::from(random.draw()));
        let all = self.seeds.iter().copied().chain(random.take(count));
        all.map(|seed| seed & program.largest_seed()).collect()
    }

    /// The first difference: the seed, and the number of the deal.
    fn difference(&self, randomizer: Randomizer, seeds: &[u64], deals: usize) -> Option<(u64, usize)> {
        let program = Arc::new(Program::new(randomizer).expect("a valid randomizer"));
        let mut dealer = DeclaredDealer::new(program, 0);
        dealer.set_gap(self.gap);
        seeds.iter().find_map(|&seed| {
            dealer.restart(seed);
            let different = match &self.deals {
                Deals::Pieces(built_in) => {
                    built_in(seed, deals).into_iter().position(|piece| dealer.deal_piece() != Some(piece))
                }
                Deals::Pairs(built_in) => {
                    built_in(seed, deals).into_iter().position(|pair| dealer.deal_pair() != Some(pair))
                }
            };
            assert!(different.is_some() || !dealer.is_stuck(), "{}", self.name);
            different.map(|at| (seed, at))
        })
    }
}

#[test]
fn declared_models_deal_what_the_built_in_ones_deal() {
    for model in models() {
        let randomizer = parse(&model.text);
        let program = Program::new(randomizer.clone())
            .unwrap_or_else(|problems| panic!("{}: {problems:?}", model.name));
        let seeds = model.seeds(&program, 5000);
        assert_eq!(model.difference(randomizer.clone(), &seeds, 300), None, "{}", model.name);
        // Beyond a thousand pieces, where a queue or a pool repeats.
        assert_eq!(model.difference(randomizer, &seeds[..100], 2100), None, "{}", model.name);
    }
}

#[test]
fn models_printed_as_text_are_the_same() {
    for model in models() {
        let randomizer = parse(&model.text);
        assert_eq!(parse(&randomizer.to_toml()), randomizer, "{}", randomizer.to_toml());
    }
}

/// Every change of one number by one, of one word that is true or false, and of two neighbours in a list of kinds, with the path of what
/// changed.
fn changes(randomizer: &Randomizer) -> Vec<(String, Randomizer)> {
    let value = serde_json::to_value(randomizer).unwrap();
    let mut leaves = Vec::new();
    collect_leaves(&value, "", &mut leaves);
    let mut changed = Vec::new();
    for path in leaves {
        let old = value.pointer(&path).unwrap();
        let replacements = match old {
            Value::Bool(word) => vec![Value::Bool(!word)],
            Value::Number(number) => {
                let number = number.as_u64().map_or(number.as_i64().unwrap().into(), i128::from);
                [number + 1, number - 1]
                    .into_iter()
                    .filter_map(|number| {
                        let small = i64::try_from(number).map(Value::from);
                        small.or_else(|_| u64::try_from(number).map(Value::from)).ok()
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        for replacement in replacements {
            let mut value = value.clone();
            let name = format!("{path} = {replacement}");
            *value.pointer_mut(&path).unwrap() = replacement;
            changed.extend(serde_json::from_value(value).ok().map(|randomizer| (name, randomizer)));
        }
    }
    for first in 1..randomizer.kinds.len() {
        let mut exchanged = randomizer.clone();
        exchanged.kinds.swap(first - 1, first);
        changed.push((format!("/kinds, {first}"), exchanged));
    }
    for place in
        (1..randomizer.table.len()).filter(|place| randomizer.table[place - 1] != randomizer.table[*place])
    {
        let mut exchanged = randomizer.clone();
        exchanged.table.swap(place - 1, place);
        changed.push((format!("/table, {place}"), exchanged));
    }
    changed.retain(|(_, randomizer)| Program::new(randomizer.clone()).is_ok());
    changed
}

/// The paths of all numbers, and of words that are true or false.
fn collect_leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(keys) => {
            keys.iter().for_each(|(key, value)| collect_leaves(value, &format!("{path}/{key}"), found));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(index, value)| collect_leaves(value, &format!("{path}/{index}"), found));
        }
        Value::Number(_) | Value::Bool(_) => found.push(path.to_owned()),
        _ => {}
    }
}

/// The changes that make no difference: model, beginning of the change, and why.
const WITHOUT_EFFECT: &[(&str, &str, &str)] = &[
    ("", "/seed/bits", "the seeds have no more bits, or no draw depends on the highest"),
    ("tgm", "/generator/width = 33", "no draw depends on bits above 24"),
    ("tgm3", "/deal/drought", "only differences of droughts matter, and all begin equal"),
    ("tetris-worlds-arika", "/generator/width = 33", "no draw depends on bits above 24"),
    ("tetris-nes", "/draw/bits = 7", "a mask of three bits"),
    ("bloxeed", "/draw/bits = 8", "a mask of seven bits"),
    ("bloxeed", "/kinds", "the table has the letters"),
    ("puyo-20th", "/generator/width = 33", "no draw depends on bits above 31"),
    (
        "puyo-20th, 5",
        "/deal/pools/1",
        "the second pool is not dealt and takes as many draws with any colours",
    ),
    ("puyo-20th, 5", "/deal/pools/2/start/pool = 2", "the start of the second pool is that of the first"),
    ("puyo-20th, 4", "/deal/pools/2", "the third pool is not dealt"),
    ("puyo-20th, 3", "/deal/pools/1", "the second pool is not dealt"),
    ("puyo-20th, 3", "/deal/pools/2", "the third pool is not dealt"),
    ("mean-bean", "/deal/pools/0/shuffle/draw/bits = 9", "a mask of eight bits"),
    ("mean-bean, level 1", "/deal/pools/1", "the second pool is not dealt"),
    ("mean-bean, level 1", "/draw", "only the second pool uses it"),
    ("mean-bean, lesson", "/draw", "the only pool has a draw of its own"),
    ("mean-bean, story", "/draw", "the only pool has a draw of its own"),
];

#[test]
fn a_change_of_any_constant_is_noticed() {
    let mut unnoticed = Vec::new();
    let mut unused: Vec<_> = WITHOUT_EFFECT.iter().collect();
    for model in models() {
        let randomizer = parse(&model.text);
        let seeds = model.seeds(&Program::new(randomizer.clone()).unwrap(), 300);
        let changes = changes(&randomizer);
        assert!(changes.len() > 5, "{}", model.name);
        for (change, changed) in changes {
            if model.difference(changed, &seeds, 1100).is_none() {
                let explains = |(name, path, _): &(&str, &str, &str)| {
                    model.name.starts_with(name) && change.starts_with(path)
                };
                unused.retain(|known| !explains(known));
                if !WITHOUT_EFFECT.iter().any(explains) {
                    unnoticed.push(format!("{}: {change}", model.name));
                }
            }
        }
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
    assert!(unused.is_empty(), "these have an effect: {unused:#?}");
}

/// Numbers at the ends of ranges, and others.
const EXTREMES: [u64; 18] =
    [0, 1, 2, 3, 6, 7, 8, 15, 16, 31, 63, 64, 255, 4096, 0xFFFF, 0xFFFF_FFFF, 1 << 63, u64::MAX];

#[test]
fn whatever_passes_the_checks_can_be_dealt() {
    let mut random = SplitMix64(3);
    let mut dealt = 0;
    for model in models() {
        let value = serde_json::to_value(parse(&model.text)).unwrap();
        let mut leaves = Vec::new();
        collect_leaves(&value, "", &mut leaves);
        for _ in 0..2000 {
            let mut value = value.clone();
            for _ in 0..=random.below(3) {
                let path = &leaves[random.below(u32::try_from(leaves.len()).unwrap()) as usize];
                let leaf = value.pointer_mut(path).unwrap();
                *leaf = match leaf {
                    Value::Bool(word) => Value::Bool(!*word),
                    _ => EXTREMES[random.below(18) as usize].into(),
                };
            }
            let Ok(randomizer) = serde_json::from_value::<Randomizer>(value) else { continue };
            let Ok(program) = Program::new(randomizer) else { continue };
            let kinds = program.description().kinds.len();
            let mut dealer = DeclaredDealer::new(Arc::new(program), random.draw().into());
            dealer.set_gap(2);
            for _ in 0..40 {
                let number = usize::from(dealer.deal_number());
                assert!(number >> 4 < kinds && number & 0xF < kinds);
                if dealer.is_stuck() {
                    break;
                }
            }
            dealt += 1;
        }
    }
    assert!(dealt > 5000, "only {dealt} of them passed");
}
