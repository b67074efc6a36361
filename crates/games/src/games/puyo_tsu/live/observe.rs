//! Reads the typed fields from a snapshot.

use crate::games::puyo_tsu::live::board::{BadCell, decode};
use crate::games::puyo_tsu::{Dealing, Level, Pair, Pool, Setup, Shuffle, State};
use crate::live::reader::{ObserveError, Reader};
use crate::profile::Profile;
use nextscope_boards::puyo::Field;
use nextscope_memory::console::Snapshot;

/// One player's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerObservation {
    /// Next, second and third (hidden) pair.
    pub queue: [Pair; 3],
    /// Pairs dealt this round.
    pub pairs_dealt: u16,
    /// Byte index in the pool of the next pair.
    pub pool_index: u8,
    /// The level, 0 to 4.
    pub level: Level,
    /// The board, or its first invalid cell; None when the profile lacks its address.
    pub board: Option<Result<Field, BadCell>>,
    /// The score; None when the profile lacks its address.
    pub score: Option<u32>,
}

/// The fields of Puyo Puyo Tsu at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The main loop's counter.
    pub frame_counter: u8,
    /// State of the random number generator.
    pub state: State,
    /// Mode, rank and options, as the next generation would read them.
    pub setup: Setup,
    /// How the first three pairs are dealt, by the profile's variant.
    pub dealing: Dealing,
    /// The shuffled colours.
    pub color_set: [u8; 8],
    /// The pools in RAM order.
    pub pools: [Pool; 3],
    /// Both players.
    pub players: [PlayerObservation; 2],
}

impl Observation {
    /// Whether no round was ever generated: colour set and pools are all zero, as after a cold boot.
    pub fn no_round_yet(&self) -> bool {
        self.color_set == [0; 8] && self.pools.iter().flatten().all(|&byte| byte == 0)
    }
}

/// The fields of both players. Written out, because they are read for every sample.
const PLAYERS: [[&str; 6]; 2] = [
    ["p1_queue", "p1_pairs_dealt", "p1_pool_index", "p1_level", "p1_board", "p1_score"],
    ["p2_queue", "p2_pairs_dealt", "p2_pool_index", "p2_level", "p2_board", "p2_score"],
];

fn player(reader: &Reader<'_>, fields: [&str; 6]) -> Result<PlayerObservation, ObserveError> {
    let [queue, pairs_dealt, pool_index, level, board, score] = fields;
    let [a, b, c, d, e, f] = reader.array(queue)?;
    Ok(PlayerObservation {
        queue: [Pair::from_bytes(a, b), Pair::from_bytes(c, d), Pair::from_bytes(e, f)],
        pairs_dealt: u16::from_be_bytes(reader.array(pairs_dealt)?),
        pool_index: reader.byte(pool_index)?,
        level: Level(reader.byte(level)?),
        board: reader.known(board)?.map(|bytes| decode(&bytes)),
        score: reader.known(score)?.map(u32::from_be_bytes),
    })
}

/// Reads the fields that the model requires.
///
/// # Errors
/// [`ObserveError`] when the profile lacks a field or its address is outside of the RAM.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, ObserveError> {
    let reader = Reader { snapshot, profile };
    let shuffle = match profile.variant("shuffle") {
        "three-shuffles" => Shuffle::ThreeShuffles,
        _ => Shuffle::SharedIndexStream,
    };
    Ok(Observation {
        frame_counter: reader.byte("frame_counter")?,
        state: State(u32::from_be_bytes(reader.array("rng_state")?)),
        setup: Setup {
            mode: reader.byte("mode")?,
            rank: reader.byte("rank")?,
            pop_count: reader.byte("pop_count")?,
            shuffle,
        },
        dealing: Dealing::from_id(profile.variant("dealing")).unwrap_or_default(),
        color_set: reader.array("color_set")?,
        pools: [reader.array("pool_3")?, reader.array("pool_4")?, reader.array("pool_5")?],
        players: [player(&reader, PLAYERS[0])?, player(&reader, PLAYERS[1])?],
    })
}
