//! Reads the generators from a snapshot: at the profile's addresses, or found by content.

use crate::games::bloxeed::live::finder::{Cells, Finder, Known};
use crate::games::piece::Piece;
use crate::games::sega::State;
use crate::games::sega::sega_tetris::piece;
use crate::live::reader::ObserveError;
use crate::profile::{Anchor, Profile};
use nextscope_memory::console::{ConsoleAddr, Snapshot};

/// The addresses of the generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Found {
    /// The seed of the pieces.
    pub seed: ConsoleAddr,
    /// The state of the pieces.
    pub state: ConsoleAddr,
    /// The main generator.
    pub main: Option<ConsoleAddr>,
    /// Whether the profile has the addresses of seed and state; otherwise they were found by content.
    pub known: bool,
    /// Whether they are from the profile or confirmed by their changes.
    pub certain: bool,
}

/// A cell with the code of a drawn piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FoundPiece {
    /// Its address.
    pub address: ConsoleAddr,
    /// Which piece it is: 0 for the one drawn last, 1 for the one before.
    pub behind: usize,
}

/// The values of the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    /// The seed of the pieces.
    pub seed: State,
    /// The state of the pieces.
    pub state: State,
    /// The main generator, if known.
    pub main: Option<State>,
    /// The code of a drawn piece, and which piece it is (see [`FoundPiece::behind`]).
    pub piece: Option<(u8, usize)>,
}

impl Values {
    /// The piece in the cell; None when the cell is unknown or contains no piece code.
    pub fn shown(&self) -> Option<Piece> {
        self.piece.and_then(|(code, _)| piece(code))
    }
}

/// The fields of the game at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The addresses of the generators; None while the search is running.
    pub found: Option<Found>,
    /// Their values.
    pub values: Option<Values>,
    /// The cell of the drawn piece, if it was found by its changes.
    pub piece: Option<FoundPiece>,
}

impl Observation {
    /// The seed of the game's pieces.
    pub fn seed(&self) -> Option<State> {
        self.values.map(|values| values.seed)
    }

    /// Whether the profile has the addresses of the generators.
    pub(super) fn is_known(&self) -> bool {
        self.found.is_some_and(|found| found.known)
    }

    /// The cell of a drawn piece: the profile's, or the one found.
    pub(super) fn piece_cell(&self, profile: &Profile) -> Option<ConsoleAddr> {
        let known = PIECE_FIELDS.into_iter().find_map(|name| profile.field(name));
        known.map(|field| field.address).or(self.piece.map(|piece| piece.address))
    }
}

/// The fields of the piece drawn last, and the one before.
const PIECE_FIELDS: [&str; 2] = ["drawn_piece", "current_piece"];

/// Reads observations and remembers the addresses of the generators.
#[derive(Debug, Clone, Default)]
pub(super) struct Observer {
    finder: Finder,
}

impl Observer {
    /// Rejects the cells found by content.
    pub fn reject_likely(&mut self) {
        self.finder.reject_likely();
    }

    /// Restarts the search because the cells were wrong.
    pub fn search_again(&mut self) {
        self.finder = Finder::default();
    }

    /// Reads the fields that the model requires; `piece` is the offset of the drawn piece's cell, found by its changes.
    ///
    /// # Errors
    /// [`ObserveError`] when a field of the profile cannot be read.
    pub fn observe(
        &mut self,
        snapshot: &Snapshot,
        profile: &Profile,
        piece: Option<(usize, usize)>,
    ) -> Result<Observation, ObserveError> {
        let domain = snapshot.domain();
        let offset_of = |name: &str| -> Result<Option<usize>, ObserveError> {
            let Some(field) = profile.field(name) else { return Ok(None) };
            let outside = |error| ObserveError::Outside { field: name.to_owned(), error };
            field.bytes(snapshot).map_err(outside)?;
            Ok(domain.offset_of(field.address))
        };
        let known = Known {
            seed: offset_of("piece_seed")?,
            state: offset_of("piece_state")?,
            main: offset_of("rng_state")?,
            first: profile.anchors.iter().find_map(|anchor| match anchor {
                Anchor::RngPair { first, .. } => Some(State(*first)),
                _ => None,
            }),
        };
        let mut shown = None;
        for (behind, name) in PIECE_FIELDS.into_iter().enumerate() {
            shown = shown.or(offset_of(name)?.map(|at| (at, behind)));
        }
        let (cells, is_known) = match known {
            Known { seed: Some(seed), state: Some(state), main, .. } => {
                (Some(Cells { seed, state, main, sure: true }), true)
            }
            _ => (self.finder.update(snapshot.all(), &known), false),
        };
        let long = |at: usize| snapshot.u32(domain.address_at(at)).ok().map(State);
        let cell = shown.or(piece);
        let values = cells.and_then(|cells| {
            Some(Values {
                seed: long(cells.seed)?,
                state: long(cells.state)?,
                main: cells.main.and_then(long),
                piece: cell.and_then(|(at, behind)| Some((snapshot.u8(domain.address_at(at)).ok()?, behind))),
            })
        });
        let found = cells.map(|cells| Found {
            seed: domain.address_at(cells.seed),
            state: domain.address_at(cells.state),
            main: cells.main.map(|at| domain.address_at(at)),
            known: is_known,
            certain: cells.sure,
        });
        let found_piece = piece.filter(|_| shown.is_none());
        let found_piece =
            found_piece.map(|(at, behind)| FoundPiece { address: domain.address_at(at), behind });
        // In a cleared RAM there is no game.
        let is_set = |values: &Values| values.seed.0 != 0 || values.state.0 != 0;
        Ok(Observation { found, values: values.filter(is_set), piece: found_piece })
    }
}
