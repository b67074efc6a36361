//! The cell that holds the code of a drawn piece, found by watching: whatever is drawn stands there afterwards.

use crate::game::piece::Piece;
use crate::game::sega_tetris::code;

/// What was drawn last, and the piece before it, each under both readings of the table; None where that is not known.
pub(super) type Drawn = [Option<[Piece; 2]>; BEHIND];

/// A cell may hold the piece drawn last, or the one before it, which is in play then.
const BEHIND: usize = 2;
/// Pieces that must have been seen to be drawn. Of 64 KiB no cell holds all of them by chance: a code is right in one of seven cases.
const DEALS: u32 = 12;
/// One in so many pieces may have been another than the one drawn.
const WRONG_ONE_IN: u32 = 8;
/// When nothing is found among so many pieces, the count begins anew.
const DEALS_MOST: u32 = 64;

/// Watches all cells.
#[derive(Debug, Clone, Default)]
pub(super) struct PieceFinder {
    /// How often each cell held what it should.
    hits: [Vec<u8>; BEHIND],
    deals: [u32; BEHIND],
    found: Option<(usize, usize)>,
}

impl PieceFinder {
    /// The cell, as an offset, and which piece it holds: 0 for the one drawn last.
    pub fn found(&self) -> Option<(usize, usize)> {
        self.found
    }

    /// Takes a look at a RAM in bus order after a piece was drawn.
    pub fn look(&mut self, ram: &[u8], drawn: Drawn) {
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

    /// What the finder makes of so many pieces, of which the cells show each after `delays`; one in `wrong` is another.
    fn watched(delays: &[(usize, usize)], deals: usize, wrong: usize) -> Option<(usize, usize)> {
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
            finder.look(&ram, [known(0), known(1)]);
        }
        finder.found()
    }

    #[test]
    fn the_cell_is_found_whatever_else_holds_codes() {
        assert_eq!(watched(&[(0x101, 0)], 14, 0), Some((0x101, 0)));
        assert_eq!(watched(&[(0x101, 1)], 15, 0), Some((0x101, 1)));
        // The piece drawn last before the one in play, and of two copies the first.
        assert_eq!(watched(&[(0x33, 1), (0x2000, 0), (0xFFFF, 0)], 14, 0), Some((0x2000, 0)));
        assert_eq!(watched(&[(0xFFFF, 0)], 16, 0), Some((0xFFFF, 0)));
        assert_eq!(watched(&[(0x101, 3)], 200, 0), None);
        assert_eq!(watched(&[], 200, 0), None);
        // Pieces that are wrong now and then do not hide it.
        assert_eq!(watched(&[(0x101, 0)], 30, 10), Some((0x101, 0)));
    }
}
