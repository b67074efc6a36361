//! Reads the typed fields from a snapshot.

use crate::games::GameId;
use crate::games::piece::Piece;
use crate::games::tgm::arika::{History, State};
use crate::games::tgm::cells::{Phase, phase, piece, piece_of_number};
use crate::live::reader::{ObserveError, Reader};
use crate::profile::Profile;
use nextscope_memory::console::{Endian, Snapshot};

/// The fields of the game at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Which game it is.
    pub game: GameId,
    /// The profile's variant; empty when there is only one.
    pub variant: String,
    /// The state byte.
    pub state: u8,
    /// The phase of the game; None for an unknown state byte.
    pub phase: Option<Phase>,
    /// The piece in play.
    pub current: Option<Piece>,
    /// The next piece.
    pub next: Option<Piece>,
    /// The level, if the profile has it.
    pub level: Option<u16>,
    /// Frames of the game's clock, if the profile has it.
    pub timer: Option<u16>,
    /// The generator, if the profile has it.
    pub rng: Option<State>,
    /// The last four pieces drawn, if the profile has them and they are valid.
    pub history: Option<[Piece; 4]>,
}

impl Observation {
    /// Whether pieces and state byte are the same; generator and clock may differ.
    pub fn same_pieces(&self, other: &Self) -> bool {
        (self.state, self.current, self.next, self.history)
            == (other.state, other.current, other.next, other.history)
    }

    /// The last four pieces in the model's format.
    pub fn model_history(&self) -> Option<History> {
        self.history.map(History::new)
    }
}

/// Reads the fields that the model requires.
///
/// # Errors
/// [`ObserveError`] when the profile lacks a field or its address is outside of the RAM.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, ObserveError> {
    let reader = Reader { snapshot, profile };
    let big = profile.console.domain().endian == Endian::Big;
    let has = |name: &str| profile.field(name).is_some();
    let rng = has("rng_state").then(|| reader.array("rng_state")).transpose()?;
    let history: Option<[u8; 4]> = has("history").then(|| reader.array("history")).transpose()?;
    let word = if big { u16::from_be_bytes } else { u16::from_le_bytes };
    let level = has("level").then(|| reader.array("level")).transpose()?;
    let timer = has("timer").then(|| reader.array("timer")).transpose()?;
    let pieces = |numbers: [u8; 4]| {
        let [a, b, c, d] = numbers.map(piece_of_number);
        Some([a?, b?, c?, d?])
    };
    let state = reader.byte("state")?;
    Ok(Observation {
        game: profile.game,
        variant: profile.variant("passes").to_owned(),
        state,
        phase: phase(state),
        current: piece(reader.byte("current")?),
        next: piece(reader.byte("next")?),
        level: level.map(word),
        timer: timer.map(word),
        rng: rng.map(|bytes| State(if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })),
        history: history.and_then(pieces),
    })
}
