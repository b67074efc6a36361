//! `find puyo-20th`: which games deal the pairs that were seen, and what they deal next.

use super::super::generate::parse_state;
use super::super::{Exit, Failure, Global, output};
use crate::game::GameId;
use crate::game::puyo_20th::{Color, Pair, PoolId, Seed, State};
use crate::seeds::puyo_20th::{
    Answer, FirstFailure, GAMES, Query, Seen, Table, labels, parse_pieces, search, upcoming,
};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Number of colours of the game, which decides the pool that is dealt from
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    colors: u8,
    /// The pairs as they were dealt, axis first: "BG GG ?Y BB"; ? is a puyo that is not known
    #[arg(long, value_name = "PAIRS", required_unless_present = "state")]
    pieces: Option<String>,
    /// The colours are only names: any renaming fits, the same for all pairs
    #[arg(long)]
    relabel: bool,
    /// Each pair may be the other way round
    #[arg(long)]
    unordered: bool,
    /// Number of the first pair given, when earlier ones were missed
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    at: u32,
    /// State of the random number generator after the generation, 0x29282724 or decimal
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// Games to print at most; the count is always that of all
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Coming pairs to print for each game
    #[arg(long, default_value_t = 12, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    next: u32,
    /// Print comma-separated values, a line for each game
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

#[derive(Serialize)]
struct Found<'a> {
    game: &'static str,
    colors: u8,
    query: Asked<'a>,
    count: usize,
    seeds: Vec<Game>,
    next: Vec<Next>,
    next_pair: u32,
    first_failure: Option<Failed>,
    impossible: Option<String>,
    seconds: f64,
}

#[derive(Serialize)]
struct Asked<'a> {
    pieces: String,
    at: u32,
    relabel: bool,
    unordered: bool,
    state: Option<&'a str>,
}

/// A game that matches.
#[derive(Serialize)]
struct Game {
    seed: String,
    color_map: String,
    /// For each colour of the query, the real colours that it can stand for in this game.
    #[serde(skip_serializing_if = "Option::is_none")]
    relabel: Option<BTreeMap<char, String>>,
    next: Vec<String>,
}

#[derive(Serialize)]
struct Next {
    pair: String,
    count: u32,
    chance: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Failed {
    /// No generation ends in this state.
    State(String),
    #[serde(untagged)]
    Pair {
        /// The pair that no game shows after those before it, from 1.
        pair: u32,
        /// The games that show those before it; absent when it can be told without looking.
        games_before: Option<u32>,
    },
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let began = Instant::now();
    let pool = PoolId::of_colors(usize::from(arguments.colors)).unwrap_or(PoolId::Four);
    let text = arguments.pieces.as_deref().unwrap_or_default();
    let pieces = parse_pieces(text).map_err(|error| Failure::BadInput(format!("--pieces: {error}")))?;
    if pieces.is_empty() && arguments.state.is_none() {
        let example = "give at least one pair, as in --pieces \"BG GG ?Y BB\", or --state";
        return Err(Failure::BadInput(example.into()).into());
    }
    let state = arguments.state.as_deref().map(parse_state).transpose()?.map(State);
    let query = Query {
        relabel: arguments.relabel,
        unordered: arguments.unordered,
        state,
        ..Query::sequence(pool, arguments.at - 1, &pieces)
    };
    let (answer, impossible) = match search(Table::shared(), &query) {
        Ok(answer) => (answer, None),
        Err(impossible) => (Answer { next_pair: query.next_pair(), ..Answer::default() }, Some(impossible)),
    };
    let games = answer.seeds.iter().take(arguments.limit).map(|&seed| game(&query, seed, arguments.next));
    if global.json {
        let failed = |failure| match failure {
            FirstFailure::State => Failed::State(state.map(|state| state.to_string()).unwrap_or_default()),
            FirstFailure::Pair { pair, games_before } => {
                Failed::Pair { pair: pair + 1, games_before: Some(games_before) }
            }
        };
        let at_once = impossible.as_ref();
        let at_once = at_once.map(|why| Failed::Pair { pair: why.pair() + 1, games_before: None });
        output::json(&Found {
            game: GameId::Puyo20th.id(),
            colors: arguments.colors,
            query: Asked {
                pieces: words(pieces.iter().copied().map(Seen::letters)),
                at: arguments.at,
                relabel: arguments.relabel,
                unordered: arguments.unordered,
                state: arguments.state.as_deref(),
            },
            count: answer.seeds.len(),
            seeds: games.collect(),
            next: next(&answer),
            next_pair: answer.next_pair + 1,
            first_failure: answer.first_failure.map(failed).or(at_once),
            impossible: impossible.map(|why| why.to_string()),
            seconds: began.elapsed().as_secs_f64(),
        })?;
    } else if arguments.csv {
        csv(&query, games)?;
    } else if let Some(why) = impossible {
        output::line(format!("no game does this: {why}"))?;
    } else {
        print(&query, &answer, games, arguments)?;
    }
    Ok(if answer.seeds.is_empty() { Exit::No } else { Exit::Yes })
}

fn words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn game(query: &Query, seed: Seed, count: u32) -> Game {
    let (map, pairs) = upcoming(seed, query.pool, query.next_pair(), count);
    let relabel = query.relabel.then(|| {
        let readings = labels(query, seed);
        let stands_for = |label: Color| {
            let digits = readings.iter().filter_map(|labels| labels.digit(label));
            let mut letters: Vec<char> =
                digits.filter_map(|digit| map.color(digit)).map(Color::letter).collect();
            letters.sort_unstable();
            letters.dedup();
            (!letters.is_empty()).then(|| (label.letter(), letters.into_iter().collect()))
        };
        Color::PLAYED.into_iter().filter_map(stands_for).collect()
    });
    Game {
        seed: format!("0x{seed:04X}"),
        color_map: map.letters(),
        relabel,
        next: pairs.into_iter().map(Pair::letters).collect(),
    }
}

fn next(answer: &Answer) -> Vec<Next> {
    let games = answer.seeds.len() as f64;
    let next = |chance: &crate::seeds::puyo_20th::Chance| Next {
        pair: chance.pair.letters(),
        count: chance.count,
        chance: f64::from(chance.count) / games,
    };
    answer.next.iter().map(next).collect()
}

/// "R=Y G=B", or with several real colours for a name "R=BY".
fn renaming(relabel: &BTreeMap<char, String>) -> String {
    words(relabel.iter().map(|(label, real)| format!("{label}={real}")))
}

fn csv(query: &Query, games: impl Iterator<Item = Game>) -> anyhow::Result<()> {
    let mut out = output::buffered();
    let column = if query.relabel { ",relabel" } else { "" };
    writeln!(out, "seed,color_map{column},next")?;
    for game in games {
        write!(out, "{},{}", game.seed, game.color_map)?;
        if let Some(relabel) = &game.relabel {
            write!(out, ",{}", renaming(relabel))?;
        }
        writeln!(out, ",{}", game.next.join(" "))?;
    }
    Ok(out.flush()?)
}

fn print(
    query: &Query,
    answer: &Answer,
    games: impl Iterator<Item = Game>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let count = answer.seeds.len();
    if let Some(failure) = answer.first_failure {
        return output::line(match failure {
            FirstFailure::State => format!(
                "no game does this: no generation ends in state {}; read it right after the pools were made",
                query.state.unwrap_or_default()
            ),
            FirstFailure::Pair { pair, games_before } => {
                let of = if query.state.is_some() {
                    "the state's game".into()
                } else {
                    games_of(games_before as usize)
                };
                format!(
                    "no game does this: pair {} is shown by none after what {of} shows before it",
                    pair + 1
                )
            }
        });
    }
    let coming = format!("from pair {} on", answer.next_pair + 1);
    let mut head = vec!["seed", "colours", coming.as_str()];
    if query.relabel {
        head.insert(2, "your names");
    }
    let rows: Vec<Vec<String>> = games
        .map(|game| {
            let renaming = game.relabel.as_ref().map(renaming);
            [Some(game.seed), Some(game.color_map), renaming, Some(game.next.join(" "))]
                .into_iter()
                .flatten()
                .collect()
        })
        .collect();
    if !rows.is_empty() {
        output::table(&head, &rows)?;
    }
    let listed =
        if rows.len() < count { format!(", the first {} listed", rows.len()) } else { String::new() };
    output::line(format!("{} of {GAMES} left ({} colours){listed}", games_of(count), arguments.colors))?;
    if count > 1 {
        let named = if query.relabel { " (your names; ? is one not named yet)" } else { "" };
        output::line(format!("chances of pair {}{named}:", answer.next_pair + 1))?;
        for next in next(answer) {
            output::line(format!("  {}  {:5.1} %  {}", next.pair, 100.0 * next.chance, next.count))?;
        }
    }
    Ok(())
}

fn games_of(count: usize) -> String {
    if count == 1 { "1 game".into() } else { format!("{count} games") }
}
