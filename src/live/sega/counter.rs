//! The cell that says which piece is next, found by watching: it goes up by one now and then, and a cell elsewhere holds the piece
//! to which it points.

use crate::console::{ConsoleAddr, Domain};
use crate::game::sega_tetris::LENGTH;

/// Steps that a counter must have made before it is believed that it counts, and the piece cell that it points.
const STEPS: u32 = 8;
/// A cell that counts at more than one in so many looks counts frames.
const LOOKS_A_STEP: u32 = 2;
/// How far from the counter's value the piece may stand that another cell holds: the game may count before it deals, and
/// show a piece ahead.
const OFFSETS: [isize; 4] = [-2, -1, 0, 1];

/// A cell that counts the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FoundIndex {
    /// Where it stands.
    pub address: ConsoleAddr,
    /// Its length, 2.
    pub bytes: usize,
    /// A cell that holds the piece it points to.
    pub piece_at: ConsoleAddr,
    /// The piece there is the one at the counter's value plus this.
    pub ahead: isize,
}

#[derive(Debug, Clone)]
struct Candidate {
    at: usize,
    value: usize,
    steps: u32,
    looks: u32,
    /// Cells that held the piece at the value plus an offset after every step.
    followers: Option<Vec<(usize, isize)>>,
}

/// Watches all cells.
#[derive(Debug, Clone, Default)]
pub struct CounterFinder {
    candidates: Option<Vec<Candidate>>,
    game: u64,
    found: Option<(usize, usize, isize)>,
}

impl CounterFinder {
    /// Takes the next look at a RAM in bus order, in which a game with these codes is played. A new game begins anew, but
    /// what was found stays.
    pub fn look(&mut self, ram: &[u8], game: u64, codes: &[u8; LENGTH]) {
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
            let new = |(at, value)| Candidate { at, value, steps: 0, looks: 0, followers: None };
            self.candidates = Some(small.map(new).collect());
            return;
        };
        candidates.retain_mut(|one| {
            one.looks += 1;
            let Some(now) = value(one.at) else { return false };
            if now == one.value {
                return true;
            }
            if now != (one.value + 1) % LENGTH {
                return false;
            }
            one.value = now;
            one.steps += 1;
            if one.steps >= STEPS && one.looks < one.steps * LOOKS_A_STEP {
                return false;
            }
            one.follow(ram, codes)
        });
        let sure = |one: &Candidate| {
            let &(cell, ahead) = one.followers.as_ref().filter(|_| one.steps >= STEPS)?.first()?;
            Some((one.at, cell, ahead))
        };
        let mut sure = candidates.iter().filter_map(sure);
        // Two cells that count alike cannot be told apart.
        if let (Some(found), None) = (sure.next(), sure.next()) {
            self.found = Some(found);
        }
    }

    /// The cell, once it is certain.
    #[must_use]
    pub fn found(&self, domain: &Domain) -> Option<FoundIndex> {
        let (at, cell, ahead) = self.found?;
        let (address, piece_at) = (domain.address_at(at), domain.address_at(cell));
        Some(FoundIndex { address, bytes: 2, piece_at, ahead })
    }
}

impl Candidate {
    /// Keeps the cells that hold what the counter points to; false when none is left.
    fn follow(&mut self, ram: &[u8], codes: &[u8; LENGTH]) -> bool {
        let piece = |ahead: isize| {
            let length = LENGTH.cast_signed();
            codes[(self.value.cast_signed() + ahead).rem_euclid(length).cast_unsigned()]
        };
        match &mut self.followers {
            None => {
                let mut all = Vec::new();
                for ahead in OFFSETS {
                    let wanted = piece(ahead);
                    let cells = (0..ram.len()).filter(|cell| ram[*cell] == wanted);
                    all.extend(cells.map(|cell| (cell, ahead)));
                }
                self.followers = Some(all);
            }
            Some(followers) => followers.retain(|(cell, ahead)| ram.get(*cell) == Some(&piece(*ahead))),
        }
        self.followers.as_ref().is_some_and(|left| !left.is_empty())
    }
}
