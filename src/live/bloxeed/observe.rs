//! The generators in a snapshot: where the profile says, or else wherever they were found.

use super::finder::{Finder, Known, Places};
use crate::console::{ConsoleAddr, Snapshot};
use crate::game::piece::Piece;
use crate::game::sega::State;
use crate::game::sega_tetris::piece;
use crate::live::reader::ObserveError;
use crate::profile::{Anchor, Profile};

/// Where the generators stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Found {
    /// The seed of the pieces.
    pub seed: ConsoleAddr,
    /// The state of the pieces.
    pub state: ConsoleAddr,
    /// The main generator.
    pub main: Option<ConsoleAddr>,
    /// Whether the profile says where seed and state are; otherwise they were found by content.
    pub known: bool,
    /// Whether the profile says so, or the way they move has shown it.
    pub certain: bool,
}

/// A cell that holds the code of a piece that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FoundPiece {
    /// Where it stands.
    pub address: ConsoleAddr,
    /// Which piece it is: 0 for the one drawn last, 1 for the one before.
    pub behind: usize,
}

/// What the cells hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    /// The seed of the pieces.
    pub seed: State,
    /// The state of the pieces.
    pub state: State,
    /// The main generator, where it is known.
    pub main: Option<State>,
    /// The code of a piece that was drawn, and which piece it is (see [`FoundPiece::behind`]).
    pub piece: Option<(u8, usize)>,
}

impl Values {
    /// The piece in the cell; None where no cell is known, or it holds no code.
    #[must_use]
    pub fn shown(&self) -> Option<Piece> {
        self.piece.and_then(|(code, _)| piece(code))
    }
}

/// Everything that the model reads, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Where the generators stand; None while they are looked for.
    pub found: Option<Found>,
    /// What they hold.
    pub values: Option<Values>,
    /// The cell of the drawn piece, when it was found by watching.
    pub piece: Option<FoundPiece>,
}

impl Observation {
    /// The seed of the game's pieces.
    #[must_use]
    pub fn seed(&self) -> Option<State> {
        self.values.map(|values| values.seed)
    }

    /// Whether the profile says where the generators stand.
    pub(super) fn is_known(&self) -> bool {
        self.found.is_some_and(|found| found.known)
    }

    /// The cell that shows a drawn piece: the profile's, or the one found.
    pub(super) fn piece_place(&self, profile: &Profile) -> Option<ConsoleAddr> {
        let known = PIECE_FIELDS.into_iter().find_map(|name| profile.field(name));
        known.map(|field| field.address).or(self.piece.map(|piece| piece.address))
    }
}

/// The fields that hold the piece drawn last, and the one before.
const PIECE_FIELDS: [&str; 2] = ["drawn_piece", "current_piece"];

/// Remembers where the generators were found.
#[derive(Debug, Clone, Default)]
pub(super) struct Observer {
    finder: Finder,
}

impl Observer {
    /// What the RAM held was taken for the wrong cells.
    pub fn doubt(&mut self) {
        self.finder.doubt();
    }

    /// What was found has proved wrong.
    pub fn search_again(&mut self) {
        self.finder = Finder::default();
    }

    /// Reads what the model needs; `piece` is the cell of the drawn piece that was found by watching, as an offset.
    ///
    /// # Errors
    /// [`ObserveError`] when a field that the profile has cannot be read.
    pub fn observe(
        &mut self,
        snapshot: &Snapshot,
        profile: &Profile,
        piece: Option<(usize, usize)>,
    ) -> Result<Observation, ObserveError> {
        let domain = snapshot.domain();
        let place = |name: &str| -> Result<Option<usize>, ObserveError> {
            let Some(field) = profile.field(name) else { return Ok(None) };
            let outside = |error| ObserveError::Outside { field: name.to_owned(), error };
            field.bytes(snapshot).map_err(outside)?;
            Ok(domain.offset_of(field.address))
        };
        let known = Known {
            seed: place("piece_seed")?,
            state: place("piece_state")?,
            main: place("rng_state")?,
            first: profile.anchors.iter().find_map(|anchor| match anchor {
                Anchor::RngPair { first, .. } => Some(State(*first)),
                _ => None,
            }),
        };
        let mut shown = None;
        for (behind, name) in PIECE_FIELDS.into_iter().enumerate() {
            shown = shown.or(place(name)?.map(|at| (at, behind)));
        }
        let (places, is_known) = match known {
            Known { seed: Some(seed), state: Some(state), main, .. } => {
                (Some(Places { seed, state, main, sure: true }), true)
            }
            _ => (self.finder.look(snapshot.all(), &known), false),
        };
        let long = |at: usize| snapshot.u32(domain.address_at(at)).ok().map(State);
        let cell = shown.or(piece);
        let values = places.and_then(|places| {
            Some(Values {
                seed: long(places.seed)?,
                state: long(places.state)?,
                main: places.main.and_then(long),
                piece: cell.and_then(|(at, behind)| Some((snapshot.u8(domain.address_at(at)).ok()?, behind))),
            })
        });
        let found = places.map(|places| Found {
            seed: domain.address_at(places.seed),
            state: domain.address_at(places.state),
            main: places.main.map(|at| domain.address_at(at)),
            known: is_known,
            certain: places.sure,
        });
        let found_piece = piece.filter(|_| shown.is_none());
        let found_piece =
            found_piece.map(|(at, behind)| FoundPiece { address: domain.address_at(at), behind });
        // States that were never set are none: a cleared RAM holds no game.
        let begun = |values: &Values| values.seed.0 != 0 || values.state.0 != 0;
        Ok(Observation { found, values: values.filter(begun), piece: found_piece })
    }
}
