//! `generate` for the games that state its options as data.

use crate::cli::arguments::Global;
use crate::cli::described_games::{Chosen, Described, DescribedCommand};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::games::GameId;
use std::io::Write;

#[derive(Debug)]
pub struct Generate;

impl DescribedCommand for Generate {
    const NAME: &'static str = "generate";

    fn of(game: GameId) -> Option<Described> {
        let command = game.generate_command()?;
        Some(Described { about: command.about, options: command.options, usage: &[] })
    }
}

pub fn run(global: &Global, chosen: &Chosen<Generate>) -> anyhow::Result<Exit> {
    let missing = || anyhow::anyhow!("internal error: {} has no command generate", chosen.game);
    let generate = chosen.game.generate_command().ok_or_else(missing)?;
    let parts = (generate.run)(&chosen.values(global)?, chosen.format(global)).map_err(Failure::BadInput)?;
    let mut out = output::buffered();
    for part in parts {
        out.write_all(part.as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Success)
}
