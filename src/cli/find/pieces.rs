//! `find` for the games that deal single pieces: the states that deal the observed pieces, and what comes next.

use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::progress::Work;
use crate::cli::{games, output};
use crate::seeds::pieces::{
    Answer, GamePosition, PieceGame, PieceQuery, QueryError, Report, Steps, parse_pieces,
};
use crate::task::Progress;
use crate::text::counted;
use anyhow::Context;
use clap::Args;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Observed pieces in order, such as "JTOLS?ZIL"; ? is an unknown piece
    #[arg(long, value_name = "PIECES")]
    pieces: String,
    /// Number of the first of these pieces in the game; or any, for tgm1 and tgm2, whose history is four pieces
    #[arg(long, default_value = "1", value_name = "N")]
    at: String,
    /// Variant of the game, where sources disagree; an unknown name lists them [default: the first]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    variant: String,
    /// Generator steps before each pick (one per frame): 44; a range such as 42..46, both ends included; or ? for any
    ///
    /// With ranges, the result is every state that the game can have after the last piece, each with the number of ways to reach
    /// it; the probability of the next piece weighs all starts and all step counts equally. A piece is one of seven, so ranges
    /// of seven or more steps carry no information; with two or three per gap only a few states remain.
    #[arg(long, default_value = "1", value_name = "K")]
    steps: Steps,
    /// Steps before each of the pieces, such as 1,44,58..62,?; the others are as in --steps
    ///
    /// The first gap is the one before the first piece given. The second piece of a game is picked one step after the first, so
    /// with --at 1 the list starts with ?,1.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    gaps: Vec<Steps>,
    /// Maximum number of states to print, up to 16384; the count is always of all states
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Number of coming pieces to print for each state
    #[arg(long, default_value_t = 28, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    next: u32,
    /// Print CSV, one line per state
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(global: &Global, game: PieceGame, arguments: &Arguments) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let pieces =
        parse_pieces(&arguments.pieces).map_err(|error| Failure::BadInput(format!("--pieces: {error}")))?;
    if pieces.iter().all(Option::is_none) {
        return Err(Failure::BadInput("give at least one piece, as in --pieces JTOLS".into()).into());
    }
    let at = match arguments.at.as_str() {
        "any" => GamePosition::Unknown,
        number => number
            .parse()
            .ok()
            .filter(|at| (1..=1_000_000).contains(at))
            .map(GamePosition::Piece)
            .ok_or_else(|| {
                Failure::BadInput(format!("invalid value {number:?} for --at: expected 1 to 1000000, or any"))
            })?,
    };
    if arguments.gaps.len() > pieces.len() {
        let (gaps, pieces) = (arguments.gaps.len(), pieces.len());
        let (gaps, pieces) = (counted(gaps as u64, "gap"), counted(pieces as u64, "piece"));
        let what = format!("--gaps has {gaps} for {pieces}: expected at most one per piece");
        return Err(Failure::BadInput(what).into());
    }
    let query = PieceQuery {
        game,
        variant: games::variant(game, &arguments.variant)?,
        at,
        pieces,
        limits: None,
        steps: arguments.gaps.clone(),
        later: arguments.steps,
    };
    let searched = search(&query)?.map_err(|reject| Failure::BadInput(reject.to_string()))?;
    let answer = searched.context("the search was cancelled")?;
    if !answer.complete {
        output::note("interrupted before all states were searched");
    }
    let seconds = started.elapsed().as_secs_f64();
    let report = Report::new(&query, &answer, arguments.limit, arguments.next as usize, seconds);
    match (global.json, arguments.csv) {
        (true, _) => output::json(&report.object())?,
        (false, true) => output::text(&report.csv())?,
        (false, false) => output::text(&report.table())?,
    }
    if arguments.csv
        && let Some(why) = report.no_match_reason()
    {
        output::note(format_args!("no seed produces this sequence: {why}"));
    }
    Ok(match answer.count {
        _ if !answer.complete => Exit::Interrupted,
        0 => Exit::Negative,
        _ => Exit::Success,
    })
}

/// Searches all states. Ctrl+C ends the search with the states found so far.
fn search(query: &PieceQuery) -> anyhow::Result<Result<Option<Answer>, QueryError>> {
    let progress = Progress::default();
    let work = Work {
        progress: &progress,
        on_interrupt: Progress::stop,
        show_progress: !query.is_quick(),
        label: "searching all states",
    };
    work.run(|| query.search(&progress))
}
