//! Links to the chain simulator of Puyo Nexus, which display one board.
//!
//! The simulator accepts an unsaved board as `?w=6&h=12&hr=1&chain=DIGITS`: columns, visible rows, hidden rows (1 or 2), and one
//! digit per cell from the top left, where leading empty cells may be omitted. Source: puyonexus/puyosim, version
//! 4.3.0 (its legacy format, which it still writes if saving fails).

use super::ExportError;
use nextscope_boards::Color;
use nextscope_boards::puyo::{COLUMNS, Cell, Field, VISIBLE_ROWS};

const PREFIX: &str = "https://puyonexus.com/chainsim/";

/// The digits of a board, from the top left; `0` for an empty board.
///
/// # Errors
/// For a colour that pairs do not have.
pub fn chainsim_digits(field: &Field) -> Result<String, ExportError> {
    let mut digits = String::new();
    for row in (0..VISIBLE_ROWS + hidden_rows(field)).rev() {
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
                Cell::Puyo(_) => {
                    return Err(ExportError::Unsuited("the chain simulator does not have this colour"));
                }
            };
            digits.push(digit);
        }
    }
    if digits.is_empty() {
        digits.push('0');
    }
    Ok(digits)
}

/// The link to a board. It does not include the group size: the simulator uses 4.
pub fn chainsim_link(field: &Field) -> Result<String, ExportError> {
    let (digits, hidden) = (chainsim_digits(field)?, hidden_rows(field));
    Ok(format!("{PREFIX}?w={COLUMNS}&h={VISIBLE_ROWS}&hr={hidden}&chain={digits}"))
}

/// Two only if the second hidden row is not empty.
fn hidden_rows(field: &Field) -> usize {
    let highest = (0..COLUMNS).map(|column| field.height(column)).max().unwrap_or(0);
    if highest > VISIBLE_ROWS + 1 { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_boards::puyo::field_from_rows;

    #[test]
    fn boards_become_links() {
        let field = field_from_rows(&["R.....", "GB..YP", "OHRRGG"]).expect("a board");
        let link = chainsim_link(&field).expect("a link");
        assert_eq!(link, "https://puyonexus.com/chainsim/?w=6&h=12&hr=1&chain=4000007500681A4477");
        assert_eq!(chainsim_digits(&Field::default()).expect("digits"), "0");
        // A chain quoted in an issue of the puyogg simulator as an example of this format.
        let known = field_from_rows(&["G.Y...", "YYYRG.", "GRBRG.", "GGRBRG", "RRBBRG"]).expect("a board");
        assert_eq!(chainsim_digits(&known).expect("digits"), "706000666470745470774547445547");
    }

    #[test]
    fn a_fourteenth_row_needs_two_hidden_rows() {
        let mut field = Field::default();
        for _ in 0..14 {
            field.drop(5, Cell::Ojama);
        }
        let link = chainsim_link(&field).expect("a link");
        assert!(link.contains("hr=2"), "{link}");
        assert!(link.ends_with(&format!("chain=1{}", "000001".repeat(13))), "{link}");
    }
}
