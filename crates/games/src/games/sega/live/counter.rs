//! Finds the cell that counts the dealt pieces by its changes: it increases by one now and then, and another cell contains the
//! piece at that index.

use crate::games::sega::sega_tetris::LENGTH;
use nextscope_memory::console::{ConsoleAddr, Domain};

/// Steps of a counter before it and its piece cell are accepted.
const STEPS: u32 = 8;
/// A cell with fewer samples per step than this counts frames.
const SAMPLES_PER_STEP: u32 = 2;
/// Possible offsets from the counter's value to the index of the piece in the other cell: the game may count before it
/// deals, and show a piece ahead.
const OFFSETS: [isize; 4] = [-2, -1, 0, 1];

/// A cell that counts the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FoundIndex {
    /// Its address.
    pub address: ConsoleAddr,
    /// Its length, 2.
    pub bytes: usize,
    /// A cell that contains the piece at that index.
    pub piece_at: ConsoleAddr,
    /// The offset from the counter's value to the index of that piece.
    pub ahead: isize,
}

#[derive(Debug, Clone)]
struct Candidate {
    at: usize,
    value: usize,
    steps: u32,
    samples: u32,
    /// Cells that contained the piece at the value plus an offset after every step.
    followers: Option<Vec<(usize, isize)>>,
}

/// Searches all cells for the counter.
#[derive(Debug, Clone, Default)]
pub struct CounterFinder {
    candidates: Option<Vec<Candidate>>,
    game: u64,
    found: Option<(usize, usize, isize)>,
}

impl CounterFinder {
    /// Processes a sample of RAM in bus order, during a game with these codes. A new game restarts the search, unless the
    /// counter was found.
    pub fn update(&mut self, ram: &[u8], game: u64, codes: &[u8; LENGTH]) {
        if self.found.is_some() {
            return;
        }
        if std::mem::replace(&mut self.game, game) != game {
            self.candidates = None;
        }
        let value =
            |at: usize| ram.get(at..at + 2).map(|cell| usize::from(cell[0]) << 8 | usize::from(cell[1]));
        let Some(candidates) = &mut self.candidates else {
            let cells = (0..ram.len()).step_by(2).filter_map(|at| Some((at, value(at)?)));
            let small = cells.filter(|(_, value)| *value < LENGTH);
            let new = |(at, value)| Candidate { at, value, steps: 0, samples: 0, followers: None };
            self.candidates = Some(small.map(new).collect());
            return;
        };
        candidates.retain_mut(|one| {
            one.samples += 1;
            let Some(now) = value(one.at) else { return false };
            if now == one.value {
                return true;
            }
            if now != (one.value + 1) % LENGTH {
                return false;
            }
            one.value = now;
            one.steps += 1;
            if one.steps >= STEPS && one.samples < one.steps * SAMPLES_PER_STEP {
                return false;
            }
            one.follow(ram, codes)
        });
        let accepted = |one: &Candidate| {
            let &(cell, ahead) = one.followers.as_ref().filter(|_| one.steps >= STEPS)?.first()?;
            Some((one.at, cell, ahead))
        };
        let mut accepted = candidates.iter().filter_map(accepted);
        // Two identical counters are ambiguous.
        if let (Some(found), None) = (accepted.next(), accepted.next()) {
            self.found = Some(found);
        }
    }

    /// The cell, once it is certain.
    pub fn found(&self, domain: &Domain) -> Option<FoundIndex> {
        let (at, cell, ahead) = self.found?;
        let (address, piece_at) = (domain.address_at(at), domain.address_at(cell));
        Some(FoundIndex { address, bytes: 2, piece_at, ahead })
    }
}

impl Candidate {
    /// Retains the cells that contain the piece at the counter's index; false when none is left.
    fn follow(&mut self, ram: &[u8], codes: &[u8; LENGTH]) -> bool {
        let piece = |ahead: isize| {
            let length = LENGTH.cast_signed();
            codes[(self.value.cast_signed() + ahead).rem_euclid(length).cast_unsigned()]
        };
        match &mut self.followers {
            None => {
                let mut all = Vec::new();
                for ahead in OFFSETS {
                    let code = piece(ahead);
                    let cells = (0..ram.len()).filter(|cell| ram[*cell] == code);
                    all.extend(cells.map(|cell| (cell, ahead)));
                }
                self.followers = Some(all);
            }
            Some(followers) => followers.retain(|(cell, ahead)| ram.get(*cell) == Some(&piece(*ahead))),
        }
        self.followers.as_ref().is_some_and(|left| !left.is_empty())
    }
}
