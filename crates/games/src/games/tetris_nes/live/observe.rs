//! Reads the typed fields from a snapshot.

use crate::games::piece::Piece;
use crate::games::tetris_nes::{Pick, Spawner, State, piece_of, statistics};
use crate::live::reader::{ObserveError, Reader};
use crate::profile::Profile;
use nextscope_memory::console::Snapshot;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Whether the main loop has finished a frame, by a single sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It waits for the next frame. For some processor cycles of every frame this is reported too early.
    Waits,
    /// It is running.
    Busy,
    /// The profile has no field for it.
    Unknown,
}

/// The fields of NES Tetris at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The generator's values.
    pub spawner: Spawner,
    /// The count of vertical blanks.
    pub frame_counter: u16,
    /// Orientation of the piece in play.
    pub current: u8,
    /// Orientation of the next one.
    pub next: u8,
    /// 4 is play, 5 the demo.
    pub game_mode: u8,
    /// The state within the mode; in play, 0 and 1 prepare the game.
    pub mode_state: Option<u8>,
    /// Pieces that came into play, in the order of the game's table.
    pub statistics: [u16; 7],
    /// Whether the main loop has finished the frame.
    pub work: Work,
    /// A hash of the sound engine's cells.
    pub sound: Option<u64>,
    /// How pieces are drawn, by the profile's variant.
    pub how: Pick,
}

impl Observation {
    /// Whether a game is in progress.
    pub fn in_play(&self) -> bool {
        self.game_mode == 4 && self.mode_state.is_none_or(|state| state >= 2)
    }

    /// Pieces that came into play in this game.
    pub fn dealt(&self) -> u32 {
        self.statistics.iter().map(|count| u32::from(*count)).sum()
    }

    /// The piece in play, when it is visible.
    pub fn current_piece(&self) -> Option<Piece> {
        piece_of(self.current)
    }

    /// The next piece.
    pub fn next_piece(&self) -> Option<Piece> {
        piece_of(self.next)
    }
}

/// Reads the fields that the model requires.
///
/// # Errors
/// [`ObserveError`] when the profile lacks a field or its address is outside of the RAM.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, ObserveError> {
    let reader = Reader { snapshot, profile };
    let optional = |field: &str| profile.field(field).is_some().then(|| reader.byte(field)).transpose();
    let sound = profile.field("sound").and_then(|field| field.bytes(snapshot).ok()).map(|bytes| {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        hasher.finish()
    });
    Ok(Observation {
        spawner: Spawner {
            state: State(u16::from_be_bytes(reader.array("rng_state")?)),
            count: reader.byte("spawn_count")?,
            last: reader.byte("spawn_id")?,
        },
        frame_counter: u16::from_le_bytes(reader.array("frame_counter")?),
        current: reader.byte("current_piece")?,
        next: reader.byte("next_piece")?,
        game_mode: reader.byte("game_mode")?,
        mode_state: optional("game_mode_state")?,
        statistics: statistics(&reader.array("statistics")?),
        work: match optional("vblank_flag")? {
            Some(0) => Work::Waits,
            Some(_) => Work::Busy,
            None => Work::Unknown,
        },
        sound,
        how: Pick::from_id(profile.variant("pick")).unwrap_or_default(),
    })
}
