//! Reads the typed fields from a snapshot.
//!
//! The objects of the players are searched: they are normally the first two, but no routine depends on that (reference A.7).

use crate::games::mean_bean::{Level, Setup, State, is_blank};
use crate::games::puyo_tsu::live::{BadCell, decode};
use crate::live::reader::{ObserveError, Reader};
use crate::profile::Profile;
use nextscope_boards::puyo::Field;
use nextscope_boards::{Pair, Pool};
use nextscope_memory::console::Snapshot;

/// Bytes of all objects, and of each.
const OBJECTS: usize = 4096;
const OBJECT: usize = 64;

/// One player's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerObservation {
    /// Next, second and third (hidden) pair.
    pub queue: [Pair; 3],
    /// Pairs dealt this round.
    pub pairs_dealt: u16,
    /// Byte index in the pool of the next pair to be drawn.
    pub pool_index: u8,
    /// The level, 0 to 4.
    pub level: Level,
    /// The score.
    pub score: u32,
    /// The chain count.
    pub chain: u8,
    /// Garbage that will fall.
    pub garbage: u16,
    /// The board, or its first invalid cell; None when the profile lacks its address.
    pub board: Option<Result<Field, BadCell>>,
    /// Whether a pair is falling.
    pub falling: bool,
}

/// The fields of the game at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The counter of vertical interrupts.
    pub frame_counter: u16,
    /// State of the random number generator.
    pub state: State,
    /// Mode and stage.
    pub setup: Setup,
    /// Both pools.
    pub pools: [Pool; 2],
    /// The players, while their objects exist.
    pub players: [Option<PlayerObservation>; 2],
}

impl Observation {
    /// Whether no round was generated since power-on.
    #[must_use]
    pub fn no_round_yet(&self) -> bool {
        is_blank(&self.pools)
    }

    /// Whether the program plays: it may write its own pairs into the pool.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.setup.mode & 4 != 0
    }

    /// Whether the player is an opponent that writes its own pairs into its queue: Davy Sprocket, Scratch and Dr. Robotnik
    /// (reference A.6).
    #[must_use]
    pub fn sets_own_pairs(&self, player: usize) -> bool {
        player == 1 && self.setup.mode & 3 == 0 && matches!(self.setup.stage, 7 | 14 | 15)
    }
}

/// The objects, with the low word of their address.
struct Objects<'a> {
    bytes: &'a [u8; OBJECTS],
    address: u16,
}

impl Objects<'_> {
    fn byte(&self, object: usize, offset: usize) -> u8 {
        self.bytes.get(object + offset).copied().unwrap_or(0)
    }

    fn word(&self, object: usize, offset: usize) -> u16 {
        u16::from_be_bytes([self.byte(object, offset), self.byte(object, offset + 1)])
    }

    fn long(&self, object: usize, offset: usize) -> u32 {
        u32::from(self.word(object, offset)) << 16 | u32::from(self.word(object, offset + 2))
    }

    /// The object that a pointer names by its low word.
    fn pointed(&self, object: usize, offset: usize) -> Option<usize> {
        let at = usize::from(self.word(object, offset + 2).checked_sub(self.address)?);
        (at.is_multiple_of(OBJECT) && at < OBJECTS).then_some(at)
    }

    /// The objects of both players: falling beans have the same tags, but not pointers at each other.
    fn players(&self) -> [Option<usize>; 2] {
        let tagged = |player: usize| {
            let tags = [0xF1, 0xF2];
            let is = move |object: &usize| {
                self.byte(*object, 0) == tags[player]
                    && usize::from(self.byte(*object, 0x2A)) == player
                    && self.pointed(*object, 0x32).is_some()
            };
            (0..OBJECTS).step_by(OBJECT).filter(is)
        };
        let opponents = tagged(0).find_map(|one| {
            let other = self.pointed(one, 0x2E)?;
            (self.pointed(other, 0x2E) == Some(one) && tagged(1).any(|object| object == other))
                .then_some(other)
                .map(|other| [Some(one), Some(other)])
        });
        opponents.unwrap_or_default()
    }

    /// Whether there is a falling pair: an object with the tag of the player that points at its child, which has the same tag.
    fn falling(&self, player: usize) -> bool {
        let tag = self.byte(player, 0);
        let is_axis = |object: usize| {
            object != player
                && self.byte(object, 0) == tag
                && self
                    .pointed(object, 0x36)
                    .is_some_and(|child| ![object, player].contains(&child) && self.byte(child, 0) == tag)
        };
        (0..OBJECTS).step_by(OBJECT).any(is_axis)
    }

    fn player(&self, object: usize, board: Option<Result<Field, BadCell>>) -> Option<PlayerObservation> {
        let queue = self.pointed(object, 0x32)?;
        let pair = |offset| Pair::from_bytes(self.byte(queue, offset), self.byte(queue, offset + 1));
        Some(PlayerObservation {
            queue: [pair(0x26), pair(0x28), pair(0x2A)],
            pairs_dealt: self.word(queue, 0x1E),
            pool_index: self.byte(queue, 0x20),
            level: Level(self.byte(object, 0x2B)),
            score: self.long(object, 0x0A),
            chain: self.byte(object, 0x09),
            garbage: self.word(object, 0x14),
            board,
            falling: self.falling(object),
        })
    }
}

/// Reads the fields that the model requires.
///
/// # Errors
/// [`ObserveError`] when the profile lacks a field or its address is outside of the RAM.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, ObserveError> {
    let reader = Reader { snapshot, profile };
    let bytes = reader.array("objects")?;
    let [.., high, low] = profile.field("objects").map_or([0; 4], |field| field.address.0.to_be_bytes());
    let objects = Objects { bytes: &bytes, address: u16::from_be_bytes([high, low]) };
    let board = |field| Ok(reader.known(field)?.map(|bytes| decode(&bytes)));
    let boards = [board("p1_board")?, board("p2_board")?];
    let mut players = objects.players().into_iter().zip(boards);
    let mut player = || players.next().and_then(|(object, board)| objects.player(object?, board));
    Ok(Observation {
        frame_counter: u16::from_be_bytes(reader.array("frame_counter")?),
        state: State(u32::from_be_bytes(reader.array("rng_state")?)),
        setup: Setup { mode: reader.byte("mode")?, stage: reader.byte("stage")? },
        pools: [reader.array("pool_4")?, reader.array("pool_5")?],
        players: [player(), player()],
    })
}
