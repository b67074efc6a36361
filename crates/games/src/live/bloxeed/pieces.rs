//! Finds the cell with the code of a drawn piece by its changes: after each draw it contains the drawn piece.

use crate::game::piece::Piece;
use crate::game::sega_tetris::code;

/// The piece drawn last, and the one before it, each by both variants of the table; None when unknown.
pub(super) type Drawn = [Option<[Piece; 2]>; BEHIND];

/// A cell may contain the piece drawn last, or the one before it, which is then in play.
const BEHIND: usize = 2;
/// Draws before a cell is accepted. In 64 KiB, no cell matches all of them by chance: a code matches in one of seven cases.
const DEALS: u32 = 12;
/// One in this many pieces may differ.
const WRONG_ONE_IN: u32 = 8;
/// The counts restart after this many pieces without a result.
const DEALS_MOST: u32 = 64;

/// Searches all cells.
#[derive(Debug, Clone, Default)]
pub(super) struct PieceFinder {
    /// How often each cell matched.
    hits: [Vec<u8>; BEHIND],
    deals: [u32; BEHIND],
    found: Option<(usize, usize)>,
}

impl PieceFinder {
    /// The offset of the cell, and which piece it contains: 0 for the one drawn last.
    pub fn found(&self) -> Option<(usize, usize)> {
        self.found
    }

    /// Processes a sample of RAM in bus order after a draw.
    pub fn update(&mut self, ram: &[u8], drawn: Drawn) {
        if self.found.is_some() || ram.is_empty() {
            return;
        }
        for (behind, pieces) in drawn.into_iter().enumerate() {
            let Some(codes) = pieces.map(|pieces| pieces.map(code)) else { continue };
            let hits = &mut self.hits[behind];
            hits.resize(ram.len(), 0);
            for (hits, cell) in hits.iter_mut().zip(ram) {
                *hits += u8::from(codes.contains(cell));
            }
            self.deals[behind] += 1;
            let deals = self.deals[behind];
            if deals >= DEALS && self.found.is_none() {
                let enough = deals - deals / WRONG_ONE_IN;
                let best = hits.iter().zip((0..ram.len()).rev()).max();
                let best = best.filter(|(hits, _)| u32::from(**hits) >= enough);
                self.found = best.map(|(_, from_end)| (ram.len() - 1 - from_end, behind));
            }
            if deals >= DEALS_MOST {
                hits.fill(0);
                self.deals[behind] = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: &mut u64) -> u8 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 56) as u8
    }

    /// The result after `deals` pieces, which the cells show after `delays`; one in `wrong` differs.
    fn search(delays: &[(usize, usize)], deals: usize, wrong: usize) -> Option<(usize, usize)> {
        let mut seed = 7;
        let mut finder = PieceFinder::default();
        let mut ram: Vec<u8> = (0..0x1_0000).map(|_| noise(&mut seed) % 9).collect();
        let pieces: Vec<Piece> = (0..deals).map(|_| Piece::ALL[usize::from(noise(&mut seed) % 7)]).collect();
        for number in 0..deals {
            for (cell, delay) in delays {
                if let Some(at) = number.checked_sub(*delay) {
                    let wrong = u8::from(wrong > 0 && at % wrong == wrong - 1);
                    ram[*cell] = (code(pieces[at]) + wrong) % 7;
                }
            }
            let known = |back: usize| Some([pieces[number.checked_sub(back)?]; 2]);
            finder.update(&ram, [known(0), known(1)]);
        }
        finder.found()
    }

    #[test]
    fn the_cell_is_found_among_other_cells_with_codes() {
        assert_eq!(search(&[(0x101, 0)], 14, 0), Some((0x101, 0)));
        assert_eq!(search(&[(0x101, 1)], 15, 0), Some((0x101, 1)));
        // The piece drawn last takes precedence over the one in play, and the first of two copies over the second.
        assert_eq!(search(&[(0x33, 1), (0x2000, 0), (0xFFFF, 0)], 14, 0), Some((0x2000, 0)));
        assert_eq!(search(&[(0xFFFF, 0)], 16, 0), Some((0xFFFF, 0)));
        assert_eq!(search(&[(0x101, 3)], 200, 0), None);
        assert_eq!(search(&[], 200, 0), None);
        // The cell is found although some pieces differ.
        assert_eq!(search(&[(0x101, 0)], 30, 10), Some((0x101, 0)));
    }
}
