//! Colours of puyos and pieces in exported images: the window's colour-blind palette on its dark theme.

use crate::Color;
use crate::Piece;
use crate::puyo::Cell;

/// Red, green and blue, 0 to 255.
pub type Rgb = [u8; 3];

/// The page background.
pub const PAGE: Rgb = [0x1B, 0x1D, 0x22];
/// The board background.
pub const BOARD: Rgb = [0x25, 0x28, 0x2F];
/// The background of hidden rows.
pub const HIDDEN: Rgb = [0x1F, 0x21, 0x27];
/// Lines between cells.
pub const LINE: Rgb = [0x3C, 0x41, 0x4B];
/// Text on the page.
pub const TEXT: Rgb = [0xDA, 0xDD, 0xE3];
/// The marker of the cell where a puyo ends the game.
pub const CROSS: Rgb = [0xFF, 0x8A, 0x80];
/// Markers on puyos.
pub const MARK: Rgb = [0xFF, 0xFF, 0xFF];

const BLACK: Rgb = [0; 3];
const WHITE: Rgb = [0xFF; 3];

/// The colour of a cell: Okabe and Ito's colours, which B. Wong recommends (Nature Methods 8, 2011, p. 441); None for an empty cell.
pub fn body(cell: Cell) -> Option<Rgb> {
    Some(match cell {
        Cell::Empty => return None,
        Cell::Ojama => [0xB5, 0xBA, 0xC2],
        Cell::Hard => [0x6F, 0x75, 0x7F],
        Cell::Puyo(Color::RED) => [0xD5, 0x5E, 0x00],
        Cell::Puyo(Color::YELLOW) => [0xF0, 0xE4, 0x42],
        Cell::Puyo(Color::PURPLE) => [0xCC, 0x79, 0xA7],
        Cell::Puyo(Color::BLUE) => [0x00, 0x72, 0xB2],
        Cell::Puyo(_) => [0x00, 0x9E, 0x73],
    })
}

/// The pieces I J L O S T Z in the same colours: sky blue, blue, orange, yellow, bluish green, reddish purple, vermillion.
pub const PIECES: [Rgb; 7] = [
    [0x56, 0xB4, 0xE9],
    [0x00, 0x72, 0xB2],
    [0xE6, 0x9F, 0x00],
    [0xF0, 0xE4, 0x42],
    [0x00, 0x9E, 0x73],
    [0xCC, 0x79, 0xA7],
    [0xD5, 0x5E, 0x00],
];

/// The colour of a piece.
pub fn piece(piece: Piece) -> Rgb {
    PIECES[piece.index()]
}

/// The letter colour with the higher contrast on a body colour.
pub fn ink(body: Rgb) -> Rgb {
    if contrast(body, WHITE) > contrast(body, BLACK) { WHITE } else { BLACK }
}

/// The colour as #RRGGBB.
pub fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The contrast of two colours, 1 to 21 (WCAG 2.2, relative luminance and contrast ratio).
fn contrast(one: Rgb, other: Rgb) -> f32 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(color: Rgb) -> f32 {
    let linear = |part: u8| {
        let part = f32::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = color.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_readable() {
        let colors = Color::PAIR_COLORS.map(Cell::Puyo);
        let cells = colors.into_iter().chain([Cell::Ojama, Cell::Hard]);
        for body in cells.map(|cell| body(cell).expect("a body")).chain(PIECES) {
            assert!(contrast(body, ink(body)) >= 4.5, "{body:?}: {}", contrast(body, ink(body)));
        }
        assert!(contrast(TEXT, PAGE) >= 4.5 && contrast(CROSS, BOARD) >= 4.5);
        assert_eq!(hex(TEXT), "#DADDE3");
    }
}
