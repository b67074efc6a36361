//! Puyo boards and rules on the command line.

use super::exit::{Failure, bail_input};
use super::{output, suggest};
use crate::file::{ReadError, read_from, read_limited};
use crate::games::with_boards;
use crate::puyo::{BoardNotation, CODE_PREFIX, Field, FieldError, Rules, is_link, read_field};
use std::io::ErrorKind;
use std::path::Path;

/// Larger than any board in any notation.
const MAX_BYTES: u64 = 1 << 16;

/// The game whose rules apply if none is given.
pub fn default_game() -> &'static str {
    with_boards().next().map_or("", |(game, _)| game.id())
}

pub fn rules(game: &str) -> Result<Rules, Failure> {
    let known = || with_boards().map(|(game, rules)| (game.id(), rules));
    let found = known().find(|(id, _)| *id == game);
    found.map(|(_, rules)| rules).ok_or_else(|| {
        let known: Vec<&str> = known().map(|(id, _)| id).collect();
        suggest::unknown(format!("no Puyo game {game:?}"), "game", game, &known)
    })
}

/// A board from a file, standard input, a field code or link, or letters. Text that looks like a path is never taken for a field
/// code; a note is printed if other text is.
pub fn board(from: &str) -> Result<Field, Failure> {
    let bad = |error: FieldError| Failure::BadInput(format!("--board {from}: {error}"));
    if from == "-" {
        return parse_file("standard input", read_from(std::io::stdin().lock(), MAX_BYTES));
    }
    if from.starts_with(CODE_PREFIX) || is_link(from) || from.contains('\n') {
        return read_field(from).map(|(field, _)| field).map_err(bad);
    }
    match read_limited(Path::new(from), MAX_BYTES) {
        Err(error) if error.is_missing() => {}
        // Not a path, such as a text longer than a file name.
        Err(ReadError::Io(error)) if !is_path(from) && error.kind() != ErrorKind::IsADirectory => {}
        Err(ReadError::Io(error)) => {
            bail_input!("--board: cannot read {from}: {error}");
        }
        read => return parse_file(from, read),
    }
    let no_file = || format!("--board {from}: no such file");
    if is_path(from) {
        bail_input!("{}; give a field code as {CODE_PREFIX}CODE", no_file());
    }
    let (field, written) = read_field(from)
        .map_err(|error| Failure::BadInput(format!("{}, and not a board: {error}", no_file())))?;
    match written {
        BoardNotation::Code => {
            output::note(format_args!("--board {from}: no such file; read as a field code"));
        }
        BoardNotation::Rows => {
            output::note(format_args!("--board {from}: no such file; read as a row of cells"));
        }
        BoardNotation::MarkedCode => {}
    }
    Ok(field)
}

/// Whether a text can only be a path: it has a folder or an extension. Rows of cells contain dots as well.
fn is_path(text: &str) -> bool {
    let is_cells = text.chars().all(|letter| crate::puyo::Cell::from_letter(letter).is_some());
    text.contains(['/', '\\']) || text.contains('.') && !is_cells
}

fn parse_file(name: &str, read: Result<Vec<u8>, ReadError>) -> Result<Field, Failure> {
    let bad = |what: String| Failure::BadInput(format!("{name}: {what}"));
    let bytes = read.map_err(|error| match error {
        ReadError::Io(error) => Failure::BadInput(format!("cannot read {name}: {error}")),
        error => bad(format!("{error}; no board is that large")),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| bad("not a text: expected rows of 6 letters".into()))?;
    let (field, _) =
        read_field(text.trim_start_matches('\u{FEFF}')).map_err(|error| bad(error.to_string()))?;
    Ok(field)
}
