//! `generate` for the games that deal pairs.

use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output;
use crate::cli::pair_games::{Chosen, PairCommand};
use crate::options::OptionSpec;
use crate::pairs::PairGame;
use std::io::Write;

#[derive(Debug)]
pub struct Generate;

impl PairCommand for Generate {
    const NAME: &'static str = "generate";

    fn about(game: PairGame) -> &'static str {
        game.rules().generate.about
    }

    fn options(game: PairGame) -> &'static [OptionSpec] {
        game.rules().generate.options
    }
}

pub fn run(global: &Global, chosen: &Chosen<Generate>) -> anyhow::Result<Exit> {
    let generate = &chosen.game.rules().generate;
    let parts = (generate.run)(&chosen.values(global)?, chosen.format(global)).map_err(Failure::BadInput)?;
    let mut out = output::buffered();
    for part in parts {
        out.write_all(part.as_bytes())?;
    }
    out.flush()?;
    Ok(Exit::Success)
}
