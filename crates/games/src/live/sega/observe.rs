//! Reads the buffer of a game's pieces from a snapshot: at the profile's address, or found by content.

use super::FoundIndex;
use crate::game::GameId;
use crate::game::sega::State;
use crate::game::sega_buffer::{MAX_WRONG, locate};
use crate::game::sega_cells::{Cells, looks_drawn};
use crate::game::sega_tetris::LENGTH;
use crate::live::reader::ObserveError;
use crate::profile::Profile;
use nextscope_memory::console::{ConsoleAddr, Snapshot};
use std::sync::Arc;

/// Samples between two searches of a RAM without a buffer: half a second at 60 Hz.
const SEARCH_EVERY: u32 = 30;

/// The codes of a game's pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Their address.
    pub address: ConsoleAddr,
    /// Their layout.
    pub cells: Cells,
    /// The codes.
    pub codes: Arc<[u8; LENGTH]>,
    /// Whether the address is from the profile; otherwise it was found by content.
    pub known: bool,
}

/// The fields of the game at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Which game it is.
    pub game: GameId,
    /// The codes of the game's pieces; None before the first game.
    pub buffer: Option<Buffer>,
    /// The generator's state and its address, from the profile or found by content.
    pub state: Option<(ConsoleAddr, State)>,
    /// Pieces dealt in this game, modulo 1,000, if the cell is known.
    pub index: Option<usize>,
    /// The cell that counts them, if it was found by its changes.
    pub found_index: Option<FoundIndex>,
}

/// Reads observations and remembers the address of the buffer.
#[derive(Debug, Clone, Default)]
pub(super) struct Observer {
    found: Option<(usize, Cells, Option<usize>)>,
    last: Option<Arc<[u8; LENGTH]>>,
    wait: u32,
}

impl Observer {
    /// Reads the fields that the model requires.
    ///
    /// # Errors
    /// [`ObserveError`] when a field of the profile cannot be read.
    pub fn observe(&mut self, snapshot: &Snapshot, profile: &Profile) -> Result<Observation, ObserveError> {
        let outside = |field: &str| {
            let field = field.to_owned();
            move |error| ObserveError::Outside { field, error }
        };
        let field = |name: &str| -> Result<Option<(ConsoleAddr, &[u8])>, ObserveError> {
            let Some(field) = profile.field(name) else { return Ok(None) };
            Ok(Some((field.address, field.bytes(snapshot).map_err(outside(name))?)))
        };
        let number = |bytes: &[u8]| bytes.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
        let mut known = None;
        for (name, cells) in [("sequence", Cells::Bytes), ("sequence_words", Cells::Words)] {
            if let Some((address, bytes)) = field(name)? {
                known = Some((address, cells, cells.codes(bytes, 0)));
            }
        }
        let index = field("index")?.map(|(_, bytes)| number(bytes) as usize);
        let mut state = field("rng_state")?.map(|(address, bytes)| (address, State(number(bytes))));
        let buffer = match known {
            Some((address, cells, codes)) => codes.filter(is_filled).map(|codes| Buffer {
                address,
                cells,
                codes: self.shared(codes),
                known: true,
            }),
            None => self.find(snapshot),
        };
        if state.is_none()
            && let Some((_, _, Some(at))) = self.found
        {
            let address = snapshot.domain().address_at(at);
            state = snapshot.bytes(address, 4).ok().map(|bytes| (address, State(number(bytes))));
        }
        Ok(Observation { game: profile.game, buffer, state, index, found_index: None })
    }

    fn shared(&mut self, codes: [u8; LENGTH]) -> Arc<[u8; LENGTH]> {
        match &self.last {
            Some(last) if **last == codes => Arc::clone(last),
            _ => Arc::clone(self.last.insert(Arc::new(codes))),
        }
    }

    fn find(&mut self, snapshot: &Snapshot) -> Option<Buffer> {
        let ram = snapshot.all();
        let domain = snapshot.domain();
        let at = |found: (usize, Cells, Option<usize>), codes| Buffer {
            address: domain.address_at(found.0),
            cells: found.1,
            codes,
            known: false,
        };
        if let Some(found) = self.found {
            if let Some(codes) = found.1.codes(ram, found.0).filter(is_filled) {
                let codes = self.shared(codes);
                return Some(at(found, codes));
            }
            // Cleared or overwritten: the game is over or was reset. The buffer is filled again soon.
            self.wait += 1;
            if self.wait < SEARCH_EVERY {
                return None;
            }
        }
        if self.wait > 0 && self.wait < SEARCH_EVERY {
            self.wait += 1;
            return None;
        }
        self.wait = 1;
        if !looks_drawn(ram) {
            return None;
        }
        let located = locate(ram)?;
        self.wait = 0;
        let found = (located.offset, located.cells, located.state);
        self.found = Some(found);
        let codes = self.shared(located.cells.codes(ram, located.offset)?);
        Some(at(found, codes))
    }
}

/// Whether these can be a game's pieces, with at most a few wrong ones.
fn is_filled(codes: &[u8; LENGTH]) -> bool {
    let foreign = codes.iter().filter(|code| **code > 6).count();
    foreign <= MAX_WRONG && codes.iter().any(|code| *code != 0)
}
