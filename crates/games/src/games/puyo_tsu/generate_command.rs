//! `generate puyo-tsu`.

use super::options::{DEALING, MODE, POP_COUNT, RANK, SHUFFLE, dealing, level, setup};
use crate::games::puyo_tsu::{
    Color, Dealer, ID, Level, Pair, PoolId, Round, Setup, Shuffle, State, generate,
};
use crate::json::{self, Coding, ColorOrder, Envelope, Generated, Kind};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Format, Parts};
use crate::seeds::text::parse_state;
use crate::text::hex;
use nextscope_boards::POOL_LEN;
use serde::Serialize;

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "seed",
        OptionKind::Seed,
        "State from which the round is generated, such as 0x35879DE2 or decimal",
    )
    .value_name("STATE")
    .required_unless(&["random"]),
    OptionSpec::new("random", OptionKind::Flag, "Use a random state, which is printed")
        .conflicts_with(&["seed"]),
    OptionSpec::new(
        "digits",
        OptionKind::Flag,
        "Print pools and pairs as the game's colour codes instead of letters",
    )
    .conflicts_with(&["json"]),
    MODE,
    RANK,
    POP_COUNT,
    OptionSpec::new("level", OptionKind::Number(1, 5), "Player level, which selects the pool in versus")
        .value_name("LEVEL")
        .default("3"),
    OptionSpec::new("count", OptionKind::Number(0, 1_000_000), "Number of pairs to print")
        .value_name("N")
        .default("128"),
    DEALING,
    SHUFFLE,
];

#[derive(Serialize)]
struct Options {
    mode: &'static str,
    rank: u8,
    pop_count: u8,
    level: u8,
    dealing: &'static str,
    shuffle: Shuffle,
}

pub(super) fn run(values: &OptionValues, format: Format) -> Result<Parts, String> {
    let seed = State(values.text("seed").map_or(Ok(values.random()), parse_state)?);
    let setup = setup(values);
    let round = generate(seed, setup);
    let level = level(values).unwrap_or(Level(2));
    let dealer = Dealer { mode: setup.mode, level, dealing: dealing(values) };
    let pools = round.pools.map(|pool| pool.unwrap_or([0; POOL_LEN]));
    let count = values.number("count").unwrap_or(128);
    let pairs: Vec<Pair> = (0..count).filter_map(|n| dealer.pair(&pools, n)).collect();
    let output = match format {
        Format::Json => object(&round, setup, dealer, pairs),
        Format::Text | Format::Csv => table(&round, setup, level, &pairs, values.has("digits")),
    };
    Ok(Box::new(std::iter::once(output)))
}

fn object(round: &Round, setup: Setup, dealer: Dealer, pairs: Vec<Pair>) -> String {
    let coding = Some(Coding::Colors);
    let pool = |id: PoolId| {
        let (pairs, _) = round.pool(id)?.as_chunks::<2>();
        Some(json::Pool::new(id, pairs.iter().map(|&[axis, child]| Pair::from_bytes(axis, child)), coding))
    };
    let answer = Generated {
        game: ID.id(),
        variant: None,
        options: Options {
            mode: if setup.is_versus() { "versus" } else { "story" },
            rank: setup.rank,
            pop_count: setup.pop_count,
            level: dealer.level.0 + 1,
            dealing: dealer.dealing.id(),
            shuffle: setup.shuffle,
        },
        number: 1,
        seed: round.before.to_string(),
        state_after: round.after.to_string(),
        piece_seed: None,
        color_order: Some(ColorOrder::of_set(&round.color_set)),
        pools: PoolId::ALL.into_iter().filter_map(pool).collect(),
        codes: json::codes(&pairs, coding),
        pairs: Some(pairs),
        pieces: None,
        boards: Vec::new(),
    };
    Envelope::new(Kind::Generate, answer).text() + "\n"
}

fn table(round: &Round, setup: Setup, level: Level, pairs: &[Pair], digits: bool) -> String {
    let letters = |bytes: &[u8]| bytes.iter().map(|&byte| Color(byte).letter()).collect::<String>();
    let pool_text = |bytes: &[u8]| {
        if digits { bytes.iter().map(|byte| char::from(b'0' + byte % 10)).collect() } else { letters(bytes) }
    };
    let mut all = format!("seed         {}\n", round.before);
    all += &format!("colour set   {}  ({})\n", hex(&round.color_set), letters(&round.color_set[..5]));
    for (id, colors) in PoolId::ALL.into_iter().zip(setup.colors()) {
        let (Some(pool), Some(colors)) = (round.pool(id), colors) else { continue };
        let field = id.field();
        for (row, bytes) in pool.chunks(64).enumerate() {
            let name = if row == 0 { format!("{field} ({colors})") } else { String::new() };
            all += &format!("{name:12} {}\n", pool_text(bytes));
        }
    }
    all += &format!("state after  {}\n", round.after);
    let mode = if setup.is_versus() { format!("level {}", level.0 + 1) } else { "story".into() };
    all += &format!("pairs as dealt ({mode}), axis first:\n");
    for (row, pairs) in pairs.chunks(16).enumerate() {
        let word = |pair: &Pair| if digits { pair.codes() } else { pair.letters() };
        let pairs: Vec<String> = pairs.iter().map(word).collect();
        all += &format!("{:6}  {}\n", row * 16, pairs.join(" "));
    }
    all
}
