//! Boards as people write them down and pass them on.

use super::field::{COLUMNS, Cell, Field, ROWS};
use crate::game::puyo::Color;

/// The digits of field codes and of the placements behind them (puyop.com; the simulators that write its links agree).
pub(crate) const DIGITS: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ[]";
/// What marks a field code as one where it could be something else.
pub const CODE_PREFIX: &str = "code:";
/// Rows that a field code can hold.
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

/// What is wrong with a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Nothing at all.
    #[error("there is no board: give up to 14 rows of 6 letters, the top row first")]
    Nothing,
    /// Too many rows.
    #[error("{0} rows; a board has up to 14, the top row first")]
    Rows(usize),
    /// A row that is too long or too short.
    #[error("row {row} has {found} cells; a row has 6")]
    Columns {
        /// Its number, from 1 at the top.
        row: usize,
        /// Its cells.
        found: usize,
    },
    /// A letter that stands for nothing.
    #[error(
        "row {row}, column {column}: {letter:?} is no cell: R G B Y P for puyos, O for garbage, H for hard blocks, . for nothing"
    )]
    Letter {
        /// Its row, from 1 at the top.
        row: usize,
        /// Its column, from 1 at the left.
        column: usize,
        /// The letter.
        letter: char,
    },
    /// A digit that a field code has not.
    #[error("digit {at} of the field code: {digit:?} {problem}")]
    Digit {
        /// Its number, from 1.
        at: usize,
        /// The digit.
        digit: char,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A field code that is too long.
    #[error("the field code has {0} digits; 13 rows have 39 at most")]
    Long(usize),
    /// A line that could be cells or a field code.
    #[error(
        "{0:?} could be cells or a field code: give rows of 6 letters on lines of their own, or the field code as {CODE_PREFIX}{0}"
    )]
    Ambiguous(String),
    /// The board cannot be written as a field code.
    #[error("a field code has no {0}")]
    NoCode(&'static str),
}

/// A board from rows of six letters, the top row first; the last row stands on the floor.
///
/// # Errors
/// [`FieldError`].
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

/// How a text was understood to be a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Rows of letters; a single one may end before the last column.
    Rows,
    /// A field code that nothing marks as one: it may have been meant as something else.
    Code,
    /// A field code behind [`CODE_PREFIX`], or in a link.
    MarkedCode,
}

/// A board from a text: rows on lines of their own, or a field code: alone, behind [`CODE_PREFIX`], or in a link to puyop.com.
///
/// # Errors
/// [`FieldError`].
pub fn field_from_text(text: &str) -> Result<Field, FieldError> {
    read_field(text).map(|(field, _)| field)
}

/// The same, and how the text was understood.
///
/// A single line of nothing but the letters of cells is a row, although its letters are digits of field codes too: four letters R
/// are four red puyos.
///
/// # Errors
/// [`FieldError`].
pub fn read_field(text: &str) -> Result<(Field, Written), FieldError> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    let line = match lines.as_slice() {
        [] => return Err(FieldError::Nothing),
        [line] => line.trim(),
        lines => return Ok((field_from_rows(lines)?, Written::Rows)),
    };
    if let Some(code) = line.strip_prefix(CODE_PREFIX) {
        return Ok((field_from_code(code.trim())?, Written::MarkedCode));
    }
    if is_link(line) {
        return Ok((field_from_code(line)?, Written::MarkedCode));
    }
    if !line.chars().all(|letter| Cell::from_letter(letter).is_some()) {
        return Ok((field_from_code(line)?, Written::Code));
    }
    if line.chars().count() > COLUMNS {
        return Err(FieldError::Ambiguous(line.to_owned()));
    }
    Ok((field_from_rows(&[format!("{line:.<COLUMNS$}")])?, Written::Rows))
}

/// Whether a text is a link, as far as boards are passed on in links.
#[must_use]
pub fn is_link(text: &str) -> bool {
    text.contains("://") || text.starts_with("www.") || text.starts_with("puyop.com/")
}

/// A board from a field code, alone or in a link (`http://www.puyop.com/s/...`); what stands behind `_` are placements, which
/// are left out.
///
/// Each digit is two cells side by side, from the top left on; empty ones at the beginning are left out.
///
/// # Errors
/// [`FieldError`].
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
        let value = DIGITS.find(*digit).ok_or_else(|| wrong("is none of 0-9 a-z A-Z [ ]"))?;
        // From the end: the last digit is the right end of the floor.
        let place = digits.len() - 1 - nth;
        let (row, column) = (place / 3, 2 * (2 - place % 3));
        for (column, cell) in [(column, value / 8), (column + 1, value % 8)] {
            let cell = CODE_CELLS.get(cell).ok_or_else(|| wrong("stands for a cell that is not known"))?;
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

/// The rows of a board as letters, the top one first; empty rows above the highest thing are left out.
#[must_use]
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
    fn what_is_wrong_with_a_board_is_told() {
        let told = |text: &str| field_from_text(text).expect_err(text).to_string();
        assert!(told("").starts_with("there is no board"));
        assert_eq!(told("RRRRR\nRRRRRR"), "row 1 has 5 cells; a row has 6");
        assert!(told("RRRRRR\nRRXRRR").starts_with("row 2, column 3: 'X' is no cell"));
        assert!(told(&"RRRRRR\n".repeat(15)).starts_with("15 rows"));
        assert!(told("80!").starts_with("digit 3 of the field code: '!' is none of"));
        assert!(told("7").starts_with("digit 1 of the field code: '7' stands for a cell"));
        assert!(told(&"1".repeat(40)).starts_with("the field code has 40 digits"));
        let hard = field_from_rows(&["H....."]).expect("a board");
        assert_eq!(to_code(&hard).expect_err("none").to_string(), "a field code has no hard blocks");
    }

    #[test]
    fn letters_of_cells_are_a_row_and_never_a_field_code() {
        let row = |row: &str| field_from_rows(&[row]).expect("a row");
        assert_eq!(read_field("RRRR"), Ok((row("RRRR.."), Written::Rows)), "four reds");
        assert_eq!(read_field("RR.GG."), Ok((row("RR.GG."), Written::Rows)));
        assert_eq!(read_field("990").map(|(_, how)| how), Ok(Written::Code));
        assert_eq!(read_field("code:RGR"), field_from_code("RGR").map(|field| (field, Written::MarkedCode)));
        let link = "https://www.puyop.com/s/RGR";
        assert_eq!(read_field(link), field_from_code("RGR").map(|field| (field, Written::MarkedCode)));
        let long = read_field("RRRRRRRR").expect_err("rows have 6").to_string();
        assert!(long.contains("could be cells or a field code") && long.contains("code:RRRRRRRR"), "{long}");
    }

    proptest! {
        #[test]
        fn boards_survive_both_ways_of_writing(cells in proptest::collection::vec(0usize..7, CODE_ROWS * COLUMNS)) {
            let mut field = Field::default();
            for (nth, cell) in cells.iter().enumerate() {
                field.set(nth % COLUMNS, nth / COLUMNS, CODE_CELLS[*cell]);
            }
            prop_assert_eq!(field_from_rows(&to_rows(&field)), Ok(field));
            prop_assert_eq!(field_from_code(&to_code(&field).expect("it has one")), Ok(field));
        }

        #[test]
        fn no_text_ends_in_a_panic(text in ".{0,60}") {
            let _ = field_from_text(&text);
        }
    }
}
