//! Puyo boards and rules as they are given on the command line.

use super::Failure;
use crate::game::GameId;
use crate::puyo::{Field, Rules, field_from_text};
use std::io::Read as _;
use std::path::Path;

/// The rules of a game by its name.
pub fn rules(game: &str) -> Result<Rules, Failure> {
    match game {
        _ if game == GameId::PuyoTsu.id() => Ok(Rules::TSU),
        _ if game == GameId::Puyo20th.id() => Ok(Rules::TWENTIETH),
        _ => Err(Failure::BadInput(format!("{game:?} has no Puyo board; puyo-tsu and puyo-20th have"))),
    }
}

/// A board from a file, from standard input, or written down.
pub fn board(from: &str) -> Result<Field, Failure> {
    let bad = |what: String| Failure::BadInput(what);
    let (name, text) = if from == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| bad(format!("cannot read standard input: {error}")))?;
        ("standard input", text)
    } else if Path::new(from).is_file() {
        let read = std::fs::read_to_string(from);
        (from, read.map_err(|error| bad(format!("cannot read {from}: {error}")))?)
    } else {
        ("--board", from.to_owned())
    };
    field_from_text(&text).map_err(|error| {
        let no_file = if text == from { " (and there is no file of that name)" } else { "" };
        bad(format!("{name}: {error}{no_file}"))
    })
}
