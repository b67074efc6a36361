//! How numbers become deals.

use super::{Draw, Symbol, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How numbers become deals.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Deal {
    /// Each draw is dealt.
    Direct {},
    /// A draw that is among the last ones is rejected. A history of one with one try is "again if equal to the last".
    History {
        /// How many of the last deals are avoided.
        #[schemars(range(min = 1, max = 8))]
        length: u8,
        /// Those before the first deal, newest first. Default: none, so that the history is empty at first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(length(max = 8))]
        initial: Vec<Symbol>,
        /// How many draws are compared with the history; after that, one more is dealt whatever it is.
        #[schemars(range(min = 1, max = 64))]
        tries: u8,
        /// Draws after each rejected one, except the last, whose numbers are not used. Default: 0.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0, max = 16))]
        discarded: u8,
        /// How a number is drawn after a rejected one. Default: as the first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Draw")]
        again: Option<Draw>,
    },
    /// A bag with all kinds, in random order, and then the next bag.
    Bag {
        /// How many of each kind are in a bag. Default: 1.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        #[schemars(range(min = 1, max = 16))]
        copies: u8,
        /// The order before the first shuffle. Default: cycle.
        #[serde(default, skip_serializing_if = "is_default")]
        fill: Fill,
        /// Whether later bags are shuffled from the order of the last bag instead of the first order. Default: false.
        #[serde(default, skip_serializing_if = "is_default")]
        continued: bool,
        /// The shuffle.
        shuffle: Shuffle,
        /// When the draws of the shuffle are made. Default: ahead.
        #[serde(default, skip_serializing_if = "is_default")]
        time: BagTime,
        /// The end from which a shuffled bag is dealt. Default: start.
        #[serde(default, skip_serializing_if = "is_default")]
        from: End,
    },
    /// Pools that are filled and shuffled one after another at the start; one of them is dealt in a loop.
    Pools {
        /// The pool that is dealt, from 1.
        #[schemars(range(min = 1, max = 8))]
        dealt: u8,
        /// The shuffle of the kinds before the pools are made. Default: none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Shuffle")]
        mapping: Option<Shuffle>,
        /// The pools in the order in which they are made, 1 to 8.
        #[schemars(length(min = 1, max = 8))]
        pools: Vec<MixedPool>,
    },
    /// A draw takes a piece out of a pool, whose place gets the piece that was not dealt for the longest time. A piece in the history is
    /// rejected, and its place is refilled in the same way.
    DroughtPool {
        /// How many of each kind are in the pool at the start.
        #[schemars(range(min = 1, max = 16))]
        copies: u8,
        /// The order of the pool at the start. Default: cycle.
        #[serde(default, skip_serializing_if = "is_default")]
        fill: Fill,
        /// How many of the last deals are avoided.
        #[schemars(range(min = 1, max = 8))]
        length: u8,
        /// Those before the first deal, newest first. Default: none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(length(max = 8))]
        initial: Vec<Symbol>,
        /// How many draws are compared with the history; after that, one more is dealt whatever it is.
        #[schemars(range(min = 1, max = 64))]
        tries: u8,
        /// Draws after each rejected one, except the last, whose numbers are not used. Default: 0.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0, max = 16))]
        discarded: u8,
        /// The deals since each kind, at the start. Default: 0.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0, max = 255))]
        drought: u8,
        /// Whether a refill also knows the longest drought that an earlier refill of the same deal found. Default: false.
        #[serde(default, skip_serializing_if = "is_default")]
        carried: bool,
    },
}

/// The order of a bag or pool before it is shuffled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fill {
    /// All kinds in order, again and again.
    #[default]
    Cycle,
    /// All copies of the first kind, then those of the next.
    Grouped,
}

/// When the draws of a bag are made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BagTime {
    /// All when the bag is made.
    #[default]
    Ahead,
    /// One for each deal: for the shuffles `up`, `down`, `remaining` and `retry`.
    AsDealt,
}

/// An end of a bag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The first place.
    #[default]
    Start,
    /// The last place.
    End,
}

/// A shuffle.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shuffle {
    /// The method.
    pub method: ShuffleMethod,
    /// For `rows`: the lengths of the rows, one pass for each.
    #[schemars(length(max = 64))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<u16>,
    /// For `swaps`: how many.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0, max = 0xFFFF))]
    pub count: u16,
    /// Whether a number is drawn where only one is possible. Default: false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub last_draw: bool,
    /// How its numbers are drawn. Default: as all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Draw")]
    pub draw: Option<Draw>,
}

/// The known shuffles. A place is swapped with a drawn one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShuffleMethod {
    /// From the first place to the last, with itself or a later one (Fisher and Yates).
    Up,
    /// From the last place to the first, with itself or an earlier one (Durstenfeld).
    Down,
    /// From the first place to the last, with itself or an earlier one (inside out).
    InsideOut,
    /// From the first place to the last, with any place (naive).
    AnyUp,
    /// From the last place to the first, with any place (naive).
    AnyDown,
    /// The drawn one of the remaining items comes next, and those behind it move up.
    Remaining,
    /// Any item is drawn, and again until it is one that was not drawn before.
    Retry,
    /// `count` times two drawn places, the first one drawn first.
    Swaps,
    /// For each length of `rows` the places form rows; for each row but the last, half as many times as it is long, a drawn place of the
    /// row with a drawn place of the next row.
    Rows,
}

/// A pool that is made at the start.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixedPool {
    /// The number of kinds in it: the first ones.
    #[schemars(range(min = 1, max = 16))]
    pub kinds: u8,
    /// Its size in cells; a pair takes two.
    #[schemars(range(min = 2, max = 4096))]
    pub size: u16,
    /// The shuffle.
    pub shuffle: Shuffle,
    /// The cells at its start that come from an earlier pool. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "CopiedStart")]
    pub start: Option<CopiedStart>,
}

/// Cells at the start of a pool that come from an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CopiedStart {
    /// The earlier pool, from 1.
    #[schemars(range(min = 1, max = 8))]
    pub pool: u8,
    /// How many cells.
    #[schemars(range(min = 1, max = 4096))]
    pub length: u16,
    /// Whether the whole pool is shuffled and its start then replaced; otherwise only the other cells are filled and shuffled.
    /// Default: false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub replaced: bool,
}

/// What is different for the first piece of a game. No history is compared, and a pool is not used.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub enum First {
    /// It is drawn again until it is none of these. A bag that is shuffled ahead is shuffled again.
    Exclude {
        /// The kinds that do not come first.
        #[schemars(length(min = 1, max = 15))]
        kinds: Vec<Symbol>,
    },
    /// It is one of these, by one draw.
    Among {
        /// The kinds in the order of the numbers.
        #[schemars(length(min = 1, max = 16))]
        kinds: Vec<Symbol>,
    },
}

/// Deals that are made before the first one is dealt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Queue {
    /// How many.
    #[schemars(range(min = 1, max = 4096))]
    pub length: u16,
    /// The order in which they are dealt. Default: forward.
    #[serde(default, skip_serializing_if = "is_default")]
    pub order: QueueOrder,
    /// The place in that order where dealing starts, for a queue that repeats. Default: 0.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0, max = 4095))]
    pub first: u16,
    /// What follows the last of them. Default: continue.
    #[serde(default, skip_serializing_if = "is_default")]
    pub then: QueueEnd,
}

/// The order of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueOrder {
    /// As they were made.
    #[default]
    Forward,
    /// The one that was made last comes first.
    Reversed,
}

/// What follows the end of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueEnd {
    /// Each later deal is made when it is dealt.
    #[default]
    Continue,
    /// The same deals again.
    Repeat,
}

const fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(value: &u8) -> bool {
    *value == 1
}
