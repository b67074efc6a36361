//! Reads the typed fields from a snapshot.

use crate::games::puyo_20th::{ColorMap, Pair, Pool, PoolId, RoundSeed, State};
use crate::live::reader::{ObserveError, Reader};
use crate::profile::{FieldError, Profile};
use nextscope_memory::console::{ConsoleAddr, Snapshot};

/// The block at the base pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// State of the random number generator.
    pub state: State,
    /// From 0x8000 on, the game uses a shuffle that is not modelled.
    pub alternate_shuffle: u32,
    /// The colour map's cells.
    pub map_cells: [u32; 5],
    /// The pools in RAM order.
    pub pools: [Pool; 3],
}

impl Block {
    /// Whether no round was ever generated: colour map and pools are all zero, as after a cold boot.
    pub fn no_round_yet(&self) -> bool {
        self.map_cells == [0; 5] && self.pools.iter().flatten().all(|&byte| byte == 0)
    }

    /// The pair for two digits; a digit without a colour becomes an unused colour code.
    pub fn pair(&self, axis: u8, child: u8) -> Pair {
        const NONE: u8 = 0xFF;
        let map = ColorMap::from_cells(self.map_cells);
        let code = |digit| map.and_then(|map| map.color(digit)).map_or(NONE, |color| color.0);
        Pair::from_bytes(code(axis), code(child))
    }
}

/// One player's fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerObservation {
    /// The digits of the two pairs after the one in play, axis and child of each.
    pub queue: [u8; 4],
    /// Pairs dealt this round.
    pub pairs_dealt: u16,
    /// The pool; None for a number of colours without a pool.
    pub pool: Option<PoolId>,
}

/// The fields of Puyo Puyo!! 20th Anniversary at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The base pointer.
    pub base: ConsoleAddr,
    /// The count of vertical blanks.
    pub frame_counter: u32,
    /// The block at the base pointer, or why the pointer is invalid.
    pub block: Result<Block, FieldError>,
    /// The players whose addresses the profile has.
    pub players: [Option<PlayerObservation>; 2],
    /// The source of a round's seed, by the profile's variant.
    pub round_seed: RoundSeed,
}

fn player(reader: &Reader<'_>, number: u8) -> Result<Option<PlayerObservation>, ObserveError> {
    let names = ["queue", "pairs_dealt", "colors"].map(|field| format!("p{number}_{field}"));
    if names.iter().any(|name| reader.profile.field(name).is_none()) {
        return Ok(None);
    }
    let [queue, pairs_dealt, colors] = names;
    Ok(Some(PlayerObservation {
        queue: reader.array(&queue)?,
        pairs_dealt: u16::from_le_bytes(reader.array(&pairs_dealt)?),
        pool: PoolId::of_colors(reader.byte(&colors)?.into()),
    }))
}

fn block(reader: &Reader<'_>) -> Result<Block, ObserveError> {
    let cells: [u8; 20] = reader.array("color_map")?;
    let mut map_cells = [0; 5];
    for (cell, bytes) in map_cells.iter_mut().zip(cells.chunks_exact(4)) {
        *cell = bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    }
    Ok(Block {
        state: State(u32::from_le_bytes(reader.array("rng_state")?)),
        alternate_shuffle: u32::from_le_bytes(reader.array("alternate_shuffle")?),
        map_cells,
        pools: [reader.array("pool_3")?, reader.array("pool_4")?, reader.array("pool_5")?],
    })
}

/// Reads the fields that the model requires. An invalid base pointer is not an error, because it occurs in normal play.
///
/// # Errors
/// [`ObserveError`] when the profile lacks a field or its address is outside of the RAM.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, ObserveError> {
    let reader = Reader { snapshot, profile };
    let block = match block(&reader) {
        Ok(block) => Ok(block),
        Err(ObserveError::Outside { error: error @ FieldError::DanglingPointer { .. }, .. }) => Err(error),
        Err(error) => return Err(error),
    };
    Ok(Observation {
        base: ConsoleAddr(u32::from_le_bytes(reader.array("base")?)),
        frame_counter: u32::from_le_bytes(reader.array("frame_counter")?),
        block,
        players: [player(&reader, 1)?, player(&reader, 2)?],
        round_seed: RoundSeed::from_id(profile.variant("round_seed")).unwrap_or_default(),
    })
}
