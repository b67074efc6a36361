//! Links to the chain simulator of Puyo Nexus, which show one board there.
//!
//! It takes a board without saving it first by `?w=6&h=12&hr=1&chain=DIGITS`: columns, rows that are seen, hidden rows (1 or 2), and a
//! digit a cell from the top left on, where empty cells at the beginning may be left out. Source: puyonexus/puyosim, version
//! 4.3.0 (the form that it calls legacy, and still writes where saving fails).

use super::ExportError;
use crate::game::puyo::Color;
use crate::puyo::{COLUMNS, Cell, Field};

const PREFIX: &str = "https://puyonexus.com/chainsim/";
/// Rows that are seen.
const ROWS_SEEN: usize = 12;

/// The digits of a board, from the top left on; `0` for an empty one.
///
/// # Errors
/// For a colour that pairs do not have.
pub fn chainsim_digits(field: &Field) -> Result<String, ExportError> {
    let mut digits = String::new();
    for row in (0..ROWS_SEEN + hidden_rows(field)).rev() {
        for column in 0..COLUMNS {
            let digit = match field.get(column, row) {
                Cell::Empty if digits.is_empty() => continue,
                Cell::Empty => '0',
                Cell::Ojama => '1',
                Cell::Hard => 'A',
                Cell::Puyo(Color::RED) => '4',
                Cell::Puyo(Color::GREEN) => '7',
                Cell::Puyo(Color::BLUE) => '5',
                Cell::Puyo(Color::YELLOW) => '6',
                Cell::Puyo(Color::PURPLE) => '8',
                Cell::Puyo(_) => return Err(ExportError::Unsuited("the chain simulator has no such colour")),
            };
            digits.push(digit);
        }
    }
    if digits.is_empty() {
        digits.push('0');
    }
    Ok(digits)
}

/// The link that shows a board. It cannot say how many puyos make a group: the simulator takes 4.
///
/// # Errors
/// See [`chainsim_digits`].
pub fn chainsim_link(field: &Field) -> Result<String, ExportError> {
    let (digits, hidden) = (chainsim_digits(field)?, hidden_rows(field));
    Ok(format!("{PREFIX}?w={COLUMNS}&h={ROWS_SEEN}&hr={hidden}&chain={digits}"))
}

/// Two only where something stands in the second.
fn hidden_rows(field: &Field) -> usize {
    let highest = (0..COLUMNS).map(|column| field.height(column)).max().unwrap_or(0);
    if highest > ROWS_SEEN + 1 { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puyo::field_from_rows;

    #[test]
    fn boards_become_links() {
        let field = field_from_rows(&["R.....", "GB..YP", "OHRRGG"]).expect("a board");
        let link = chainsim_link(&field).expect("a link");
        assert_eq!(link, "https://puyonexus.com/chainsim/?w=6&h=12&hr=1&chain=4000007500681A4477");
        assert_eq!(chainsim_digits(&Field::default()).expect("digits"), "0");
        // A chain that an issue of the puyogg simulator quotes as an example of the form.
        let known = field_from_rows(&["G.Y...", "YYYRG.", "GRBRG.", "GGRBRG", "RRBBRG"]).expect("a board");
        assert_eq!(chainsim_digits(&known).expect("digits"), "706000666470745470774547445547");
    }

    #[test]
    fn a_fourteenth_row_needs_two_hidden_ones() {
        let mut field = Field::default();
        for _ in 0..14 {
            field.drop(5, Cell::Ojama);
        }
        let link = chainsim_link(&field).expect("a link");
        assert!(link.contains("hr=2"), "{link}");
        assert!(link.ends_with(&format!("chain=1{}", "000001".repeat(13))), "{link}");
    }
}
