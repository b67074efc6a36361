//! The registry: every game, once.
//!
//! A game is a [`GameDefinition`]. All others go through [`GAMES`] and the methods of [`GameId`] and [`PieceGame`]: nobody asks which game it is.

mod bloxeed;
mod bounded;
mod pochi_nyaa;
mod puyo_20th;
mod puyo_tsu;
mod sega;
#[cfg(test)]
mod tests;
mod tetris_1985;
mod tetris_nes;
mod tetris_worlds;
mod tgm;

use crate::game::{FieldSpec, GameId, Unit, VariantSpec};
use crate::live::{AnyTracker, GameTracker};
use crate::seeds::pieces::{PieceGame, PieceRules};
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Color, POOL_LEN, Pool};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;

/// What there is to know of a game without running it.
pub struct GameDefinition {
    /// Its name on the command line and in profiles.
    pub id: GameId,
    /// Its name for people.
    pub name: &'static str,
    /// What it deals.
    pub unit: Unit,
    /// The rules of its boards, for games whose boards can be simulated and planned for.
    pub boards: Option<Rules>,
    /// How it is followed in an emulator, for games that profiles can be about.
    pub live: Option<LiveSupport>,
    /// How it deals single pieces.
    pub pieces: Option<PieceRules>,
}

/// How a game is followed in an emulator.
pub struct LiveSupport {
    /// Its built-in profiles, as file name and text.
    pub profiles: &'static [(&'static str, &'static str)],
    /// The fields that its model reads from a profile.
    pub fields: &'static [FieldSpec],
    /// The points at which sources disagree.
    pub variants: &'static [VariantSpec],
    /// Whether there is a model of its randomizer, so that pieces are predicted and the emulator is checked.
    pub predicts: bool,
    /// By what its RAM is recognised.
    pub anchors: Anchors,
    /// How mismatches write its pools.
    pub pools: Option<PoolNotation>,
    pub(crate) tracker: fn() -> Box<dyn AnyTracker>,
}

/// Profiles of the folder `profiles`, as file name and text.
macro_rules! profiles {
    ($($name:literal),+) => {
        &[$((
            concat!("profiles/", $name, ".toml"),
            include_str!(concat!("../../../../profiles/", $name, ".toml")),
        )),+]
    };
}
use profiles;

/// The kinds of anchors that a profile of a game can have.
pub struct Anchors {
    /// `pools`: whether the pools pass the structural checks.
    pub pools: Option<FieldCheck>,
    /// `cells`: whether the cells hold what the game can make.
    pub cells: Option<FieldCheck>,
    /// Whether these cells say so much that RAM can be found by them at any place.
    pub cells_find_ram: bool,
    /// `codes`: a buffer of the codes of drawn pieces.
    pub codes: bool,
    /// `states`: the seed of the pieces and their state, which follows from it.
    pub states: bool,
    /// `board`: a field of blocks that is read through `[board]`.
    pub board: bool,
    /// These anchors in a new profile, as TOML.
    pub template: &'static str,
}

/// Whether the bytes of a game's fields, by their names, are such as the game makes. None when a field is missing.
pub type FieldCheck = for<'a> fn(&dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool>;

/// The three pools in RAM, for the checks of both Puyo games.
fn three_pools<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<[Pool; 3]> {
    let pool = |field| bytes(field)?.get(..POOL_LEN)?.try_into().ok();
    Some([pool("pool_3")?, pool("pool_4")?, pool("pool_5")?])
}

/// How mismatches write the bytes of a pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolNotation {
    /// Digits for a byte.
    pub digits: usize,
    /// The colour of a byte; None where a digit means what RAM says it means.
    pub color: Option<fn(u8) -> Color>,
}

/// No kind of anchor but those of all games.
const NO_ANCHORS: Anchors = Anchors {
    pools: None,
    cells: None,
    cells_find_ram: false,
    codes: false,
    states: false,
    board: false,
    template: "",
};

/// The template of games that are recognised by their cells.
const CELLS_TEMPLATE: &str =
    "[[anchors]]\nkind = \"cells\" # the required fields have values that the game can produce\n\n";

fn tracker<T: GameTracker + Default>() -> Box<dyn AnyTracker> {
    Box::new(T::default())
}

/// All games, in the order in which they are listed to people. A new game is one more line.
pub const GAMES: &[&GameDefinition] = &[
    &puyo_tsu::GAME,
    &puyo_20th::GAME,
    &tetris_1985::GAME,
    &tetris_nes::GAME,
    &tgm::TGM1,
    &tgm::TGM2,
    &tetris_worlds::GAME,
    &tgm::TGM3,
    &sega::SEGA_TETRIS,
    &sega::FLASH_POINT,
    &bloxeed::GAME,
    &bounded::GAME,
    &pochi_nyaa::GAME,
];

const LIVE_COUNT: usize = count(true);
const PIECE_COUNT: usize = count(false);

/// How many games profiles can be about, or how many deal single pieces.
const fn count(live: bool) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < GAMES.len() {
        if if live { GAMES[at].live.is_some() } else { GAMES[at].pieces.is_some() } {
            count += 1;
        }
        at += 1;
    }
    count
}

impl GameId {
    /// The games that profiles can be about, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &{
        let mut all = [GAMES[0].id; LIVE_COUNT];
        let (mut at, mut next) = (0, 0);
        while at < GAMES.len() {
            if GAMES[at].live.is_some() {
                all[next] = GAMES[at].id;
                next += 1;
            }
            at += 1;
        }
        all
    };

    /// The game of that command-line name, when profiles can be about it.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.id() == id)
    }

    /// What there is to know of it.
    #[must_use]
    pub fn definition(self) -> &'static GameDefinition {
        // There is no id that is not of a definition: definitions alone make them.
        GAMES.iter().find(|game| game.id == self).unwrap_or(&GAMES[0])
    }

    fn live(self) -> Option<&'static LiveSupport> {
        self.definition().live.as_ref()
    }

    /// The name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// What the game deals.
    #[must_use]
    pub fn unit(self) -> Unit {
        self.definition().unit
    }

    /// Whether there is a model of its randomizer, so that pieces are predicted and the emulator is checked.
    #[must_use]
    pub fn has_predictor(self) -> bool {
        self.live().is_some_and(|live| live.predicts)
    }

    /// The fields that the model reads.
    #[must_use]
    pub fn fields(self) -> &'static [FieldSpec] {
        self.live().map_or(&[], |live| live.fields)
    }

    /// The points at which sources disagree.
    #[must_use]
    pub fn variants(self) -> &'static [VariantSpec] {
        self.live().map_or(&[], |live| live.variants)
    }

    /// The kinds of anchors that its profiles can have.
    #[must_use]
    pub fn anchors(self) -> &'static Anchors {
        const NONE: &Anchors = &NO_ANCHORS;
        self.live().map_or(NONE, |live| &live.anchors)
    }

    /// How mismatches write its pools.
    #[must_use]
    pub fn pool_notation(self) -> Option<PoolNotation> {
        self.live().and_then(|live| live.pools)
    }

    /// The rules of its boards, where they are known.
    #[must_use]
    pub fn boards(self) -> Option<Rules> {
        self.definition().boards
    }

    /// Follows it in an emulator. A game that profiles cannot be about is followed as one of which nothing is read.
    pub(crate) fn tracker(self) -> Box<dyn AnyTracker> {
        self.live().map_or_else(tracker::<crate::live::pochi_nyaa::Tracker>, |live| (live.tracker)())
    }
}

impl PieceGame {
    /// The games that deal single pieces, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &{
        const FIRST: PieceGame = match &tetris_1985::GAME.pieces {
            Some(rules) => PieceGame::new(tetris_1985::GAME.id, tetris_1985::GAME.name, rules),
            None => panic!("it deals pieces"),
        };
        let mut all = [FIRST; PIECE_COUNT];
        let (mut at, mut next) = (0, 0);
        while at < GAMES.len() {
            let game = GAMES[at];
            if let Some(rules) = &game.pieces {
                all[next] = Self::new(game.id, game.name, rules);
                next += 1;
            }
            at += 1;
        }
        all
    };

    /// The game of that command-line name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.id() == id)
    }
}

/// The ids of [`GameId::ALL`].
const IDS: &[&str] = &{
    let mut ids = [""; LIVE_COUNT];
    let mut at = 0;
    while at < LIVE_COUNT {
        ids[at] = GameId::ALL[at].id();
        at += 1;
    }
    ids
};

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Self::from_id(&id).ok_or_else(|| de::Error::unknown_variant(&id, IDS))
    }
}

impl JsonSchema for GameId {
    fn schema_name() -> Cow<'static, str> {
        "GameId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let game =
            |game: &Self| json_schema!({ "type": "string", "const": game.id(), "description": game.name() });
        let all: Vec<Schema> = Self::ALL.iter().map(game).collect();
        json_schema!({ "description": "The games that profiles can be about.", "oneOf": all })
    }
}

/// The games whose boards can be simulated and planned for, with their rules.
pub fn with_boards() -> impl Iterator<Item = (GameId, Rules)> {
    GAMES.iter().filter_map(|game| Some((game.id, game.boards?)))
}
