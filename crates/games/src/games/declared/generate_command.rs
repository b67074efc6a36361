//! `generate declared`: what a seed deals.

use super::options::{Chosen, PROFILE, STEPS};
use super::{ID, Program};
use crate::json::{Envelope, Generated, Kind};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Format, Parts};
use serde::Serialize;

/// Pieces on a line, in tens.
const PIECES_ON_A_LINE: usize = 70;
/// Pairs on a line.
const PAIRS_ON_A_LINE: usize = 16;

pub(super) const OPTIONS: &[OptionSpec] = &[
    PROFILE,
    OptionSpec::new(
        "seed",
        OptionKind::Seed,
        "Seed of a game, hexadecimal with 0x or decimal, below 2^`seed.bits`",
    )
    .value_name("SEED")
    .required_unless(&["random"]),
    OptionSpec::new("random", OptionKind::Flag, "Use a random seed, which is printed")
        .conflicts_with(&["seed"]),
    OptionSpec::new("count", OptionKind::Number(1, 10_000_000), "Number of pieces or pairs to deal")
        .value_name("N")
        .default("70"),
    STEPS,
    OptionSpec::new("csv", OptionKind::Flag, "Print CSV").conflicts_with(&["json"]),
];

#[derive(Serialize)]
struct Options {
    profile: String,
    /// Generator steps before each deal besides its draws; None if the declaration has none.
    steps: Option<u32>,
}

pub(super) fn run(values: &OptionValues, format: Format) -> Result<Parts, String> {
    let chosen = Chosen::new(values)?;
    let seed = match values.text("seed") {
        Some(text) => chosen.parse_seed(text)?,
        // The random number has 32 bits, and a longer seed is as good with zeros above them.
        None => u64::from(values.random()) & chosen.program.largest_seed(),
    };
    let mut dealer = chosen.dealer(seed);
    let mut deals: Vec<u8> = Vec::new();
    for _ in 0..values.number("count").unwrap_or(0) {
        deals.push(dealer.deal_number());
        if let Some(why) = dealer.trouble() {
            return Err(format!("from seed {} {why}", chosen.seed_text(seed)));
        }
    }
    let program = &chosen.program;
    let pieces: Option<Vec<_>> = deals.iter().map(|deal| program.piece(*deal)).collect();
    let pairs: Option<Vec<_>> = deals.iter().map(|deal| program.pair(*deal)).collect();
    let answer = Generated {
        game: ID.id(),
        variant: None,
        options: Options { profile: chosen.profile.clone(), steps: chosen.steps },
        number: 1,
        seed: chosen.seed_text(seed),
        state_after: chosen.state_text(&dealer),
        piece_seed: None,
        color_order: None,
        pools: Vec::new(),
        codes: None,
        pairs,
        pieces,
        boards: Vec::new(),
    };
    let text = match format {
        Format::Json => Envelope::new(Kind::Generate, &answer).text() + "\n",
        Format::Csv => {
            let Generated { game, seed, state_after, .. } = &answer;
            let dealt = program.letters_of_all(&deals, if answer.pieces.is_some() { "" } else { " " });
            format!(
                "game,profile,seed,state_after,dealt\n{game},{},{seed},{state_after},{dealt}\n",
                chosen.profile
            )
        }
        Format::Text => text(&answer, program, &deals),
    };
    Ok(Box::new(std::iter::once(text)))
}

fn text(answer: &Generated<Options>, program: &Program, deals: &[u8]) -> String {
    let mut all = format!("seed         {}\nprofile      {}\n", answer.seed, answer.options.profile);
    if let Some(steps) = answer.options.steps {
        all += &format!("steps        {steps} before each deal\n");
    }
    all += &format!("state after  {}\n", answer.state_after);
    let (on_a_line, in_a_word) =
        if answer.pieces.is_some() { (PIECES_ON_A_LINE, 10) } else { (PAIRS_ON_A_LINE, 1) };
    for (line, deals) in deals.chunks(on_a_line).enumerate() {
        let words: Vec<String> =
            deals.chunks(in_a_word).map(|deals| program.letters_of_all(deals, "")).collect();
        all += &format!("{:>11}  {}\n", line * on_a_line + 1, words.join(" "));
    }
    all
}
