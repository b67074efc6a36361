//! Groups and connections on a board, for board evaluation.

use super::bits::{colors, group_of, neighbors};
use super::field::{COLUMNS, Cell, Field, bit};
use crate::Color;

/// The colours in the order of [`colors`].
const COLORS: [Color; 5] = [Color::RED, Color::GREEN, Color::BLUE, Color::YELLOW, Color::PURPLE];

impl Field {
    /// The colours of the visible puyos.
    pub fn visible_colors(&self) -> Vec<Cell> {
        let cells = colors(self).into_iter().zip(COLORS);
        cells.filter(|(cells, _)| *cells != 0).map(|(_, color)| Cell::Puyo(color)).collect()
    }

    /// The size of the group of the puyo in a cell; 0 if no puyo is visible there.
    pub fn group_at(&self, column: usize, row: usize) -> u32 {
        let at = bit(column, row);
        let cells = colors(self).into_iter().find(|cells| cells & at != 0);
        cells.map_or(0, |cells| group_of(at, cells).count_ones())
    }

    /// The number of groups of two and groups of three, on a board without larger ones.
    pub fn links(&self) -> (u32, u32) {
        let (mut twos, mut threes) = (0, 0);
        for cells in colors(self) {
            let (up, down, left, right) =
                (cells << 1 & cells, cells >> 1 & cells, cells << 16 & cells, cells >> 16 & cells);
            // The middle puyo of three, and the upper or right puyo of two.
            let middle = up & down | left & right | (up | down) & (left | right);
            let pair = (up | left) & !(middle | neighbors(middle));
            threes += middle.count_ones();
            twos += pair.count_ones();
        }
        (twos, threes)
    }

    /// The columns of the three planes whose bits make a cell's code, the floor in the lowest bit.
    #[expect(clippy::cast_possible_truncation, reason = "the sixteen bits of a column")]
    pub fn columns(&self) -> [[u16; COLUMNS]; 3] {
        self.planes.map(|plane| std::array::from_fn(|column| (plane >> (16 * (column + 1))) as u16))
    }

    /// A 64-bit hash of the board; collisions are very unlikely.
    pub fn hash64(&self) -> u64 {
        #[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits")]
        let fold = |product: u128| (product >> 64) as u64 ^ product as u64;
        #[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits")]
        let halves = self.planes.map(|plane| [plane as u64, (plane >> 64) as u64]);
        // Odd numbers without a pattern: digits of pi.
        let keys = [0x243F_6A88_85A3_08D3_u64, 0x1319_8A2E_0370_7345, 0xA409_3822_299F_31D1];
        let mut hash = 0x082E_FA98_EC4E_6C89_u64;
        for ([low, high], key) in halves.into_iter().zip(keys) {
            hash = fold(u128::from(low ^ hash) * u128::from(high ^ key));
            hash = fold(u128::from(hash ^ high) * u128::from(key));
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puyo::field_from_rows;
    use std::collections::HashSet;

    #[test]
    fn groups_are_counted() {
        let field = field_from_rows(&["R.....", "RG..YY", "RGGB.Y"]).expect("a board");
        assert_eq!(field.links(), (0, 3));
        assert_eq!(field.group_at(0, 2), 3);
        assert_eq!((field.group_at(3, 0), field.group_at(3, 1)), (1, 0));
        assert_eq!(field.visible_colors().len(), 4);
        let twos = field_from_rows(&["R...P.", "RGG.PB"]).expect("a board");
        assert_eq!(twos.links(), (3, 0));
    }

    #[test]
    fn hashes_differ() {
        let mut hashes = HashSet::new();
        for column in 0..COLUMNS {
            for row in 0..14 {
                for color in COLORS {
                    let mut field = Field::default();
                    field.set(column, row, Cell::Puyo(color));
                    assert!(hashes.insert(field.hash64()));
                }
            }
        }
    }
}
