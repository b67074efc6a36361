//! `find` for the games that state its options as data.

use crate::cli::arguments::Global;
use crate::cli::described_games::{Chosen, Described, DescribedCommand};
use crate::cli::exit::{Exit, Failure};
use crate::cli::progress::ProgressLine;
use crate::cli::{interrupt, output};
use crate::games::GameId;
use crate::pairs::{FindError, FindOutcome, PairSearch};
use anyhow::Context;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[derive(Debug)]
pub struct Find;

impl DescribedCommand for Find {
    const NAME: &'static str = "find";

    fn of(game: GameId) -> Option<Described> {
        let command = game.find_command()?;
        Some(Described { about: command.about, options: command.options, usage: command.usage })
    }
}

pub fn run(global: &Global, chosen: &Chosen<Find>) -> anyhow::Result<Exit> {
    let missing = || anyhow::anyhow!("internal error: {} has no command find", chosen.game);
    let prepare = chosen.game.find_command().ok_or_else(missing)?.prepare;
    let search = match prepare(&chosen.values(global)?, chosen.format(global)) {
        Ok(search) => search,
        Err(FindError::BadInput(what)) => return Err(Failure::BadInput(what).into()),
        Err(FindError::Negative(what)) => return output::negative(global.json, what),
        Err(FindError::Ram(error)) => return Err(error.into()),
    };
    let outcome = if search.is_quick() { search.run() } else { watch(&*search)? };
    let outcome = outcome.context("the search was cancelled")?;
    if outcome.stopped {
        output::note("interrupted before all states were searched");
    }
    if let Some(note) = &outcome.note {
        output::note(note);
    }
    if !outcome.output.is_empty() {
        output::text(&outcome.output)?;
    }
    Ok(if outcome.stopped { Exit::Interrupted } else { Exit::from_answer(outcome.count > 0) })
}

/// Searches, and prints what is found meanwhile. Ctrl+C ends the search with what was found so far.
fn watch(search: &dyn PairSearch) -> anyhow::Result<Option<FindOutcome>> {
    let stop = interrupt::flag();
    let mut line = ProgressLine::new();
    let (found, printed) = std::thread::scope(|scope| {
        let thread = scope.spawn(|| search.run());
        let mut printed = Ok(());
        while printed.is_ok() {
            let ended = thread.is_finished();
            if stop.load(Ordering::Relaxed) {
                search.end(true);
            } else {
                line.show_share("searching all states", search.share());
            }
            printed = search.found().iter().try_for_each(|found| output::text(found));
            if ended {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        if printed.is_err() {
            search.end(false);
        }
        (thread.join(), printed)
    });
    drop(line);
    printed?;
    found.map_err(|_| {
        anyhow::anyhow!("internal error: the search panicked; please report it with the command used")
    })
}
