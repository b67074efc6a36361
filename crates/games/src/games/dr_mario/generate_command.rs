//! `generate dr-mario`: the capsules and the bottles of a state, level by level.

use super::options::{LEVEL, LEVEL_2, levels, parse_state};
use super::{ID, Levels, ROWS, Round, State, option_frames};
use crate::json::{Envelope, Generated, Kind};
use crate::live::Grid;
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::{Format, Parts};
use crate::text::counted;
use nextscope_boards::Pair;
use serde::Serialize;

/// Capsules on a line.
const ON_A_LINE: usize = 16;

pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "seed",
        OptionKind::Seed,
        "State of the generator when Start is pressed, 0x0002 to 0xFFFF or decimal; 0x8988 after power-on",
    )
    .value_name("STATE")
    .required_unless(&["random", "frames"]),
    OptionSpec::new(
        "frames",
        OptionKind::Number(1, 1_000_000_000),
        "Use the state after this many frames on the options screen after power-on",
    )
    .value_name("N")
    .conflicts_with(&["seed", "random"]),
    OptionSpec::new("random", OptionKind::Flag, "Use a random state, which is printed")
        .conflicts_with(&["seed"]),
    OptionSpec { default: Some("0"), ..LEVEL },
    LEVEL_2,
    OptionSpec::new(
        "rounds",
        OptionKind::Number(1, 1_000),
        "Number of rounds, one after another: one player goes on to the next level, two play the same again",
    )
    .value_name("N")
    .default("1"),
    OptionSpec::new(
        "count",
        OptionKind::Number(0, 1_000_000),
        "Number of capsules to print; they repeat after 128",
    )
    .value_name("N")
    .default("128"),
];

#[derive(Serialize)]
struct Options {
    level: u8,
    level_2: Option<u8>,
    /// Frames on the options screen after power-on until this round, if it is the first.
    option_frames: Option<u16>,
    /// Frames until all viruses are in their places.
    virus_frames: u16,
}

pub(super) fn run(values: &OptionValues, format: Format) -> Result<Parts, String> {
    let state = match (values.text("seed"), values.number("frames")) {
        (Some(text), _) => parse_state(text)?,
        (None, frames) => State::after_boot(frames.unwrap_or_else(|| values.random()).into()),
    };
    let rounds = std::iter::successors(Some(Round::new(state, levels(values))), |round| Some(round.next()));
    let count = values.number("count").unwrap_or_default();
    let parts = (1..=values.number("rounds").unwrap_or(1)).zip(rounds).map(move |(number, round)| {
        let capsules: Vec<Pair> = (0..count).map(|number| round.reserve.capsule(number).pair()).collect();
        match format {
            Format::Json => object(&round, capsules, number),
            Format::Text | Format::Csv => text(&round, &capsules),
        }
    });
    Ok(Box::new(parts))
}

/// The bottles with their captions: one for all players on the same level.
pub(super) fn bottles(round: &Round) -> Vec<Grid> {
    let caption = |player: usize| {
        let level = round.viruses.levels.of(player);
        let viruses = round.viruses.bottles[player].count();
        if round.viruses.levels.share_viruses() {
            format!("Level {level}, {viruses} viruses")
        } else {
            format!("Player {}, level {level}, {viruses} viruses", player + 1)
        }
    };
    let players = if round.viruses.levels.share_viruses() { 1 } else { 2 };
    (0..players).map(|player| round.viruses.bottles[player].grid(caption(player))).collect()
}

fn object(round: &Round, capsules: Vec<Pair>, number: u32) -> String {
    let level_2 = match round.viruses.levels {
        Levels::One(_) => None,
        Levels::Two(_, level) => Some(level),
    };
    let answer = Generated {
        game: ID.id(),
        variant: None,
        options: Options {
            level: round.viruses.levels.of(0),
            level_2,
            option_frames: option_frames(round.state),
            virus_frames: round.viruses.frames,
        },
        number,
        seed: round.state.to_string(),
        state_after: round.viruses.after.to_string(),
        piece_seed: None,
        color_order: None,
        pools: Vec::new(),
        codes: None,
        pairs: Some(capsules),
        pieces: None,
        boards: bottles(round),
    };
    Envelope::new(Kind::Generate, answer).text() + "\n"
}

fn text(round: &Round, capsules: &[Pair]) -> String {
    let mut all = format!("state        {}\n", round.state);
    if let Some(frames) = option_frames(round.state) {
        let frames = counted(frames.into(), "frame");
        all += &format!("start        {frames} on the options screen after power-on\n");
    }
    all += &format!("state after  {}\n", round.viruses.after);
    for (line, capsules) in capsules.chunks(ON_A_LINE).enumerate() {
        let words: Vec<String> = capsules.iter().map(|pair| pair.letters()).collect();
        all += &format!("{:>11}  {}\n", line * ON_A_LINE + 1, words.join(" "));
    }
    for grid in bottles(round) {
        all += &format!("{}:\n", grid.caption);
        let rows = grid.rows();
        let first = rows.iter().position(|row| row.contains(|cell| cell != '.')).unwrap_or(ROWS - 1);
        for row in &rows[first..] {
            let cells: Vec<String> = row.chars().map(String::from).collect();
            all += &format!("             {}\n", cells.join(" "));
        }
    }
    all + "\n"
}
