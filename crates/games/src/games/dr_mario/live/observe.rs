//! Reads the typed fields from a snapshot.

use crate::games::dr_mario::{CELLS, Capsule, Levels, MAX_LEVEL, Reserve, State};
use crate::live::reader::{ObserveError, Reader};
use crate::profile::Profile;
use nextscope_memory::console::Snapshot;

/// The reserve's place of the capsule in the next window before the first throw.
const FIRST_INDEX: u8 = 2;

/// What the program is doing, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The options screen, on which the generator steps.
    Options,
    /// A round is being prepared: the generator may be in the middle of its draws.
    Preparing,
    /// Viruses appear, one per frame.
    Viruses,
    /// Play, and the screens after a round.
    Play,
    /// The title screen and the demo.
    Other,
}

/// One player's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerObservation {
    /// Colour codes of the falling capsule, left and right half.
    pub falling: [u8; 2],
    /// Colour codes of the next one.
    pub next: [u8; 2],
    /// Place in the reserve of the capsule after the next one.
    pub index: u8,
    /// The level.
    pub level: u8,
    /// Viruses still to place.
    pub to_place: u8,
    /// The cells of the bottle, top row first.
    pub field: [u8; CELLS],
}

impl PlayerObservation {
    /// Capsules that were thrown in this round, modulo the length of the reserve.
    pub const fn thrown(&self) -> u8 {
        self.index.wrapping_sub(FIRST_INDEX) & 0x7F
    }

    /// The next capsule.
    pub fn next(&self) -> Option<Capsule> {
        Capsule::from_codes(self.next[0], self.next[1])
    }

    /// The falling capsule.
    pub fn falling(&self) -> Option<Capsule> {
        Capsule::from_codes(self.falling[0], self.falling[1])
    }
}

/// The fields of Dr. Mario at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The generator.
    pub state: State,
    /// The count of vertical blanks, modulo 256.
    pub frame_counter: u8,
    /// What the program is doing.
    pub mode: Mode,
    /// The number of players, 1 or 2.
    pub player_count: u8,
    /// The capsules.
    pub reserve: Reserve,
    /// The players whose addresses the profile has.
    pub players: [Option<PlayerObservation>; 2],
}

impl Observation {
    /// The players that take part.
    pub fn playing(&self) -> impl Iterator<Item = (usize, &PlayerObservation)> {
        let players = self.players.iter().enumerate().take(self.player_count.into());
        players.filter_map(|(number, player)| Some((number, player.as_ref()?)))
    }

    /// The levels; None if they are not known.
    pub fn levels(&self) -> Option<Levels> {
        let level = |player: usize| Some(self.players[player].as_ref()?.level.min(MAX_LEVEL));
        match self.player_count {
            1 => level(0).map(Levels::One),
            2 => Some(Levels::Two(level(0)?, level(1)?)),
            _ => None,
        }
    }
}

fn player(reader: &Reader<'_>, number: u8) -> Result<Option<PlayerObservation>, ObserveError> {
    let names =
        ["capsule", "next", "index", "level", "to_place", "field"].map(|field| format!("p{number}_{field}"));
    if number > 1 && names.iter().any(|name| reader.profile.field(name).is_none()) {
        return Ok(None);
    }
    let [capsule, next, index, level, to_place, field] = names;
    Ok(Some(PlayerObservation {
        falling: reader.array(&capsule)?,
        next: reader.array(&next)?,
        index: reader.byte(&index)?,
        level: reader.byte(&level)?,
        to_place: reader.byte(&to_place)?,
        field: reader.array(&field)?,
    }))
}

/// Reads the fields that the model requires.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, ObserveError> {
    let reader = Reader { snapshot, profile };
    let demo = reader.byte("demo")? != 0;
    Ok(Observation {
        state: State(u16::from_be_bytes(reader.array("rng_state")?)),
        frame_counter: reader.byte("frame_counter")?,
        mode: match reader.byte("screen")? {
            _ if demo => Mode::Other,
            1 => Mode::Options,
            2 | 3 => Mode::Preparing,
            8 => Mode::Viruses,
            4 | 5 | 7 => Mode::Play,
            _ => Mode::Other,
        },
        player_count: reader.byte("players")?,
        reserve: Reserve(reader.array("reserve")?),
        players: [player(&reader, 1)?, player(&reader, 2)?],
    })
}
