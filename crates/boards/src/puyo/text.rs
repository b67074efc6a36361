//! Text formats of boards.

use super::field::{COLUMNS, Cell, Field, ROWS};
use crate::Color;

/// The digits of field codes and of the placements after them (puyop.com; the simulators that write its links agree).
pub const DIGITS: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ[]";
/// The prefix that marks a field code in ambiguous contexts.
pub const CODE_PREFIX: &str = "code:";
const CODE_ROWS: usize = 13;
/// The cells of field codes, by their number.
const CODE_CELLS: [Cell; 7] = [
    Cell::Empty,
    Cell::Puyo(Color::RED),
    Cell::Puyo(Color::GREEN),
    Cell::Puyo(Color::BLUE),
    Cell::Puyo(Color::YELLOW),
    Cell::Puyo(Color::PURPLE),
    Cell::Ojama,
];

/// Why a text is not a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FieldError {
    #[error("there is no board: give up to 14 rows of 6 letters, the top row first")]
    Nothing,
    #[error("{0} rows; a board has up to 14, the top row first")]
    Rows(usize),
    #[error("row {row} has {found} cells; a row has 6")]
    Columns { row: usize, found: usize },
    #[error(
        "row {row}, column {column}: {letter:?} is not a cell: use R G B Y P for puyos, O for garbage, H for hard blocks, . for empty"
    )]
    Letter { row: usize, column: usize, letter: char },
    #[error("digit {at} of the field code: {digit:?} {problem}")]
    Digit { at: usize, digit: char, problem: &'static str },
    #[error("the field code has {0} digits; at most 39 are possible (13 rows)")]
    Long(usize),
    #[error(
        "{0:?} is either cells or a field code: give rows of 6 letters on separate lines, or the field code as {CODE_PREFIX}{0}"
    )]
    Ambiguous(String),
    #[error("a field code has no {0}")]
    NoCode(&'static str),
}

/// A board from rows of six letters, the top row first; the last row is on the floor.
pub fn field_from_rows<S: AsRef<str>>(rows: &[S]) -> Result<Field, FieldError> {
    if rows.is_empty() {
        return Err(FieldError::Nothing);
    }
    if rows.len() > ROWS {
        return Err(FieldError::Rows(rows.len()));
    }
    let mut field = Field::default();
    for (nth, row) in rows.iter().enumerate() {
        let found = row.as_ref().chars().count();
        if found != COLUMNS {
            return Err(FieldError::Columns { row: nth + 1, found });
        }
        for (column, letter) in row.as_ref().chars().enumerate() {
            let cell = Cell::from_letter(letter);
            let cell = cell.ok_or(FieldError::Letter { row: nth + 1, column: column + 1, letter })?;
            field.set(column, rows.len() - 1 - nth, cell);
        }
    }
    Ok(field)
}

/// How a text was parsed as a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardNotation {
    /// Rows of letters; a single row may end before the last column.
    Rows,
    /// An unmarked field code: the text may have been meant as something else.
    Code,
    /// A field code after [`CODE_PREFIX`], or in a link.
    MarkedCode,
}

/// A board from a text: rows on separate lines, or a field code: alone, after [`CODE_PREFIX`], or in a link to puyop.com.
pub fn field_from_text(text: &str) -> Result<Field, FieldError> {
    read_field(text).map(|(field, _)| field)
}

/// The same, and how the text was parsed.
///
/// A single line that contains only letters of cells is a row, although these letters are digits of field codes too: four letters R
/// are four red puyos.
pub fn read_field(text: &str) -> Result<(Field, BoardNotation), FieldError> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    let line = match lines.as_slice() {
        [] => return Err(FieldError::Nothing),
        [line] => line.trim(),
        lines => return Ok((field_from_rows(lines)?, BoardNotation::Rows)),
    };
    if let Some(code) = line.strip_prefix(CODE_PREFIX) {
        return Ok((field_from_code(code.trim())?, BoardNotation::MarkedCode));
    }
    if is_link(line) {
        return Ok((field_from_code(line)?, BoardNotation::MarkedCode));
    }
    if !line.chars().all(|letter| Cell::from_letter(letter).is_some()) {
        return Ok((field_from_code(line)?, BoardNotation::Code));
    }
    if line.chars().count() > COLUMNS {
        return Err(FieldError::Ambiguous(line.to_owned()));
    }
    Ok((field_from_rows(&[format!("{line:.<COLUMNS$}")])?, BoardNotation::Rows))
}

/// Whether a text looks like a link.
pub fn is_link(text: &str) -> bool {
    text.contains("://") || text.starts_with("www.") || text.starts_with("puyop.com/")
}

/// A board from a field code, alone or in a link (`http://www.puyop.com/s/...`); the placements after `_`
/// are ignored.
///
/// Each digit is two adjacent cells, from the top left on; leading empty cells are omitted.
pub fn field_from_code(text: &str) -> Result<Field, FieldError> {
    let code = text.rsplit('/').next().unwrap_or(text);
    let code = code.split(['_', '?', '#']).next().unwrap_or(code);
    let digits: Vec<char> = code.chars().collect();
    if digits.len() > CODE_ROWS * COLUMNS / 2 {
        return Err(FieldError::Long(digits.len()));
    }
    let mut field = Field::default();
    for (nth, digit) in digits.iter().enumerate() {
        let wrong = |problem| FieldError::Digit { at: nth + 1, digit: *digit, problem };
        let value = DIGITS.find(*digit).ok_or_else(|| wrong("is not one of 0-9 a-z A-Z [ ]"))?;
        // From the end: the last digit is the right end of the floor.
        let place = digits.len() - 1 - nth;
        let (row, column) = (place / 3, 2 * (2 - place % 3));
        for (column, cell) in [(column, value / 8), (column + 1, value % 8)] {
            let cell = CODE_CELLS.get(cell).ok_or_else(|| wrong("is not a valid cell"))?;
            field.set(column, row, *cell);
        }
    }
    Ok(field)
}

/// The field code of a board.
///
/// # Errors
/// [`FieldError::NoCode`] for hard blocks and for a row above the thirteenth.
pub fn to_code(field: &Field) -> Result<String, FieldError> {
    let mut code = String::new();
    if (0..COLUMNS).any(|column| field.height(column) > CODE_ROWS) {
        return Err(FieldError::NoCode("fourteenth row"));
    }
    for row in (0..CODE_ROWS).rev() {
        for column in (0..COLUMNS).step_by(2) {
            let mut number = 0;
            for column in [column, column + 1] {
                let cell = field.get(column, row);
                let found = CODE_CELLS.iter().position(|known| *known == cell);
                number = 8 * number + found.ok_or(FieldError::NoCode("hard blocks"))?;
            }
            if number > 0 || !code.is_empty() {
                code.extend(DIGITS.chars().nth(number));
            }
        }
    }
    Ok(code)
}

/// The rows of a board as letters, the top one first; empty rows above the highest occupied cell are omitted.
pub fn to_rows(field: &Field) -> Vec<String> {
    let highest = (0..COLUMNS).map(|column| field.height(column)).max().unwrap_or(0).max(1);
    let row = |row| (0..COLUMNS).map(|column| field.get(column, row).letter()).collect();
    (0..highest).rev().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn field_codes_are_read_and_written() {
        let field = field_from_rows(&["R.....", "GB..YP", "OORRGG"]).expect("a board");
        let code = to_code(&field).expect("it has one");
        // R. .. .. / GB .. YP / OO RR GG in pairs of base 8
        assert_eq!(code, "800j0B[9i".replace('[', "S"), "{code}");
        assert_eq!(field_from_code(&code), Ok(field));
        assert_eq!(field_from_text(&format!("http://www.puyop.com/s/{code}_4141")), Ok(field));
        assert_eq!(to_code(&Field::default()), Ok(String::new()));
        assert_eq!(field_from_code(""), Ok(Field::default()));
    }

    #[test]
    fn invalid_boards_are_reported() {
        let parse_error = |text: &str| field_from_text(text).expect_err(text).to_string();
        assert!(parse_error("").starts_with("there is no board"));
        assert_eq!(parse_error("RRRRR\nRRRRRR"), "row 1 has 5 cells; a row has 6");
        assert!(parse_error("RRRRRR\nRRXRRR").starts_with("row 2, column 3: 'X' is not a cell"));
        assert!(parse_error(&"RRRRRR\n".repeat(15)).starts_with("15 rows"));
        assert!(parse_error("80!").starts_with("digit 3 of the field code: '!' is not one of"));
        assert!(parse_error("7").starts_with("digit 1 of the field code: '7' is not a valid cell"));
        assert!(parse_error(&"1".repeat(40)).starts_with("the field code has 40 digits"));
        let hard = field_from_rows(&["H....."]).expect("a board");
        assert_eq!(to_code(&hard).expect_err("none").to_string(), "a field code has no hard blocks");
    }

    #[test]
    fn letters_of_cells_are_a_row_and_never_a_field_code() {
        let row = |row: &str| field_from_rows(&[row]).expect("a row");
        assert_eq!(read_field("RRRR"), Ok((row("RRRR.."), BoardNotation::Rows)), "four reds");
        assert_eq!(read_field("RR.GG."), Ok((row("RR.GG."), BoardNotation::Rows)));
        assert_eq!(read_field("990").map(|(_, how)| how), Ok(BoardNotation::Code));
        assert_eq!(
            read_field("code:RGR"),
            field_from_code("RGR").map(|field| (field, BoardNotation::MarkedCode))
        );
        let link = "https://www.puyop.com/s/RGR";
        assert_eq!(read_field(link), field_from_code("RGR").map(|field| (field, BoardNotation::MarkedCode)));
        let long = read_field("RRRRRRRR").expect_err("rows have 6").to_string();
        assert!(long.contains("is either cells or a field code") && long.contains("code:RRRRRRRR"), "{long}");
    }

    proptest! {
        #[test]
        fn boards_round_trip_through_rows_and_codes(cells in proptest::collection::vec(0usize..7, CODE_ROWS * COLUMNS)) {
            let mut field = Field::default();
            for (nth, cell) in cells.iter().enumerate() {
                field.set(nth % COLUMNS, nth / COLUMNS, CODE_CELLS[*cell]);
            }
            prop_assert_eq!(field_from_rows(&to_rows(&field)), Ok(field));
            prop_assert_eq!(field_from_code(&to_code(&field).expect("it has one")), Ok(field));
        }

        #[test]
        fn any_text_is_parsed_without_panic(text in ".{0,60}") {
            let _ = field_from_text(&text);
        }
    }
}
