//! `find` for the games that deal single pieces: the states that deal what was seen, and what comes next.

use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::progress::Work;
use crate::cli::{games, interrupt, output};
use crate::game::pieces::PieceGame;
use crate::seeds::pieces::{Answer, At, Progress, Question, Reject, Report, Steps, parse_pieces};
use crate::text::counted;
use anyhow::Context;
use clap::Args;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The pieces as they were dealt: "JTOLS?ZIL" of I J L O S T Z; ? is a piece that was not seen
    #[arg(long, value_name = "PIECES")]
    pieces: String,
    /// Number of the first of these pieces in the game; any: it is not known (tgm1 and tgm2, whose memory is four pieces)
    #[arg(long, default_value = "1", value_name = "N")]
    at: String,
    /// Which reading of the game, where sources disagree; an unknown name lists them [default: the first]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    variant: String,
    /// Steps of the generator before each pick, one in every frame: 44; a range, 42..46 with both ends; or ? for any
    ///
    /// With ranges all states are kept in which the game can stand after the last piece, each with the number of ways that lead
    /// to it, and the chance of the next piece is that of all starts and all steps of the ranges alike. A piece is one of
    /// seven, so ranges of seven steps or more hide all that the pieces tell; two or three to each gap end at a few states.
    #[arg(long, default_value = "1", value_name = "K")]
    steps: Steps,
    /// Steps before each of the pieces, 1,44,58..62,?; those that are not given are as in --steps
    ///
    /// The first gap is that before the first piece given. A game's second piece is picked one step after its first, so with
    /// --at 1 ranges begin ?,1.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    gaps: Vec<Steps>,
    /// States to print at most, the first ones; the count is always that of all (of more than 16384 states the first 16384 can
    /// be printed)
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Coming pieces to print for each state
    #[arg(long, default_value_t = 28, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    next: u32,
    /// Print comma-separated values, a line for each state
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(global: &Global, game: PieceGame, arguments: &Arguments) -> anyhow::Result<Exit> {
    let began = Instant::now();
    let pieces =
        parse_pieces(&arguments.pieces).map_err(|error| Failure::BadInput(format!("--pieces: {error}")))?;
    if pieces.iter().all(Option::is_none) {
        return Err(Failure::BadInput("give at least one piece, as in --pieces JTOLS".into()).into());
    }
    let at = match arguments.at.as_str() {
        "any" => At::Unknown,
        number => {
            number.parse().ok().filter(|at| (1..=1_000_000).contains(at)).map(At::Piece).ok_or_else(|| {
                Failure::BadInput(format!("--at {number:?} is no place: give 1 to 1000000, or any"))
            })?
        }
    };
    if arguments.gaps.len() > pieces.len() {
        let (gaps, pieces) = (arguments.gaps.len(), pieces.len());
        let (gaps, pieces) = (counted(gaps as u64, "gap"), counted(pieces as u64, "piece"));
        let what = format!("--gaps has {gaps} for {pieces}: give at most one before each piece");
        return Err(Failure::BadInput(what).into());
    }
    let question = Question {
        game,
        variant: games::variant(game, &arguments.variant)?,
        at,
        pieces,
        limits: None,
        steps: arguments.gaps.clone(),
        later: arguments.steps,
    };
    let searched = search(&question)?.map_err(|reject| Failure::BadInput(reject.to_string()))?;
    let answer = searched.context("the search was given up")?;
    if !answer.complete {
        output::note("stopped before all states were tried");
    }
    let seconds = began.elapsed().as_secs_f64();
    let report = Report::new(&question, &answer, arguments.limit, arguments.next as usize, seconds);
    match (global.json, arguments.csv) {
        (true, _) => output::json(&report.object())?,
        (false, true) => output::text(&report.csv())?,
        (false, false) => output::text(&report.table())?,
    }
    if arguments.csv
        && let Some(why) = report.nobody()
    {
        output::note(format_args!("no game does this: {why}"));
    }
    Ok(match answer.count {
        _ if !answer.complete => Exit::Interrupted,
        0 => Exit::Negative,
        _ => Exit::Success,
    })
}

/// Tries all starts, with the share of them that is done on standard error. Ctrl+C ends it with what was found until then.
fn search(question: &Question) -> anyhow::Result<Result<Option<Answer>, Reject>> {
    let stop = interrupt::flag();
    let progress = Progress::default();
    let work = Work {
        interrupted: &stop,
        cancel: &progress.stop,
        show_progress: !question.is_quick(),
        share: &|| progress.share(),
        label: "searching all states",
    };
    work.run(|| question.search(&progress))
}
