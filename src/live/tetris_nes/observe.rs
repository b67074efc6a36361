//! A snapshot, read through a profile: typed fields.

use crate::console::Snapshot;
use crate::game::piece::Piece;
use crate::game::tetris_nes::{Pick, Spawner, State, piece_of, statistics};
use crate::live::reader::{ObserveError, Reader};
use crate::profile::Profile;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Whether the main loop has done its work of a frame, as far as one sample tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It waits for the next frame. For some processor cycles of every frame this may be said too soon.
    Waits,
    /// It is at work.
    Busy,
    /// The profile has no field that tells.
    Unknown,
}

/// Everything that the model of NES Tetris reads, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// What the next pick depends on.
    pub spawner: Spawner,
    /// The count of vertical blanks.
    pub frame_counter: u16,
    /// Orientation of the piece in play.
    pub current: u8,
    /// Orientation of the next one.
    pub next: u8,
    /// 4 is play, 5 the demo.
    pub game_mode: u8,
    /// What the mode does; in play 0 and 1 prepare the game.
    pub mode_state: Option<u8>,
    /// Pieces that came into play, in the order of the game's table.
    pub statistics: [u16; 7],
    /// Whether the main loop is at work.
    pub work: Work,
    /// Something that differs when the cells of the sound engine do.
    pub sound: Option<u64>,
    /// How pieces are picked by the profile's reading.
    pub how: Pick,
}

impl Observation {
    /// Whether a game is under way whose pieces are picked.
    #[must_use]
    pub fn in_play(&self) -> bool {
        self.game_mode == 4 && self.mode_state.is_none_or(|state| state >= 2)
    }

    /// Pieces that came into play in this game.
    #[must_use]
    pub fn dealt(&self) -> u32 {
        self.statistics.iter().map(|count| u32::from(*count)).sum()
    }

    /// The piece in play, when it is shown.
    #[must_use]
    pub fn current_piece(&self) -> Option<Piece> {
        piece_of(self.current)
    }

    /// The next piece.
    #[must_use]
    pub fn next_piece(&self) -> Option<Piece> {
        piece_of(self.next)
    }
}

/// Reads what the model needs.
///
/// # Errors
/// [`ObserveError`] when the profile lacks a field or places it outside the RAM.
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
