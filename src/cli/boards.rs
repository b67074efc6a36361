//! Puyo boards and rules as they are given on the command line.

use super::exit::Failure;
use super::{output, suggest};
use crate::file::{ReadError, read_from, read_limited};
use crate::game::GameId;
use crate::puyo::{CODE_PREFIX, Field, FieldError, Rules, Written, is_link, read_field};
use std::io::ErrorKind;
use std::path::Path;

/// More bytes than any board takes, however it is written.
const BYTES_MOST: u64 = 1 << 16;

/// The rules of a game by its name.
pub fn rules(game: &str) -> Result<Rules, Failure> {
    match game {
        _ if game == GameId::PuyoTsu.id() => Ok(Rules::TSU),
        _ if game == GameId::Puyo20th.id() => Ok(Rules::TWENTIETH),
        _ => {
            let known = [GameId::PuyoTsu.id(), GameId::Puyo20th.id()];
            Err(suggest::unknown(format!("{game:?} has no Puyo board"), "game", game, &known))
        }
    }
}

/// A board from a file, from standard input, from a field code or link, or from letters. A text that looks like a path is never
/// taken for a field code; where any other text is, a note says so.
pub fn board(from: &str) -> Result<Field, Failure> {
    let bad = |error: FieldError| Failure::BadInput(format!("--board {from}: {error}"));
    if from == "-" {
        return in_file("standard input", read_from(std::io::stdin().lock(), BYTES_MOST));
    }
    if from.starts_with(CODE_PREFIX) || is_link(from) || from.contains('\n') {
        return read_field(from).map(|(field, _)| field).map_err(bad);
    }
    match read_limited(Path::new(from), BYTES_MOST) {
        Err(error) if error.is_missing() => {}
        // No path at all, such as a text that is too long for a name.
        Err(ReadError::Io(error)) if !is_path(from) && error.kind() != ErrorKind::IsADirectory => {}
        Err(ReadError::Io(error)) => {
            return Err(Failure::BadInput(format!("--board {from}: cannot be read: {error}")));
        }
        read => return in_file(from, read),
    }
    let no_file = || format!("--board {from}: there is no such file");
    if is_path(from) {
        let what = format!("{}; a field code can be given as {CODE_PREFIX}CODE", no_file());
        return Err(Failure::BadInput(what));
    }
    let (field, written) = read_field(from)
        .map_err(|error| Failure::BadInput(format!("{}, and as a board: {error}", no_file())))?;
    match written {
        Written::Code => output::note(format_args!("--board {from}: no such file; read as a field code")),
        Written::Rows => output::note(format_args!("--board {from}: no such file; read as a row of cells")),
        Written::MarkedCode => {}
    }
    Ok(field)
}

/// Whether a text can only be meant as the name of a file: it has a folder or an ending. Rows have dots too.
fn is_path(text: &str) -> bool {
    let is_cells = text.chars().all(|letter| crate::puyo::Cell::from_letter(letter).is_some());
    text.contains(['/', '\\']) || text.contains('.') && !is_cells
}

fn in_file(name: &str, read: Result<Vec<u8>, ReadError>) -> Result<Field, Failure> {
    let bad = |what: String| Failure::BadInput(format!("{name}: {what}"));
    let bytes = read.map_err(|error| match error {
        ReadError::Io(error) => bad(format!("cannot be read: {error}")),
        error => bad(format!("{error}, and no board is")),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| bad("it is no text: give rows of 6 letters".into()))?;
    let (field, _) =
        read_field(text.trim_start_matches('\u{FEFF}')).map_err(|error| bad(error.to_string()))?;
    Ok(field)
}
