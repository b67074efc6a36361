//! What a game states of itself ([`GameDefinition`]), and the methods by which other code asks for it.

use super::declared::{PieceCodes, Randomizer};
use super::{FieldSpec, GAMES, GameId, KnownGenerator, KnownPools, LocateRules, Unit, VariantSpec};
use crate::frames::MomentReader;
use crate::live::{AnyTracker, CheckId, GameTracker};
use crate::pairs::{FindCommand, GenerateCommand, PairRules};
use crate::profile::{Field, Profile};
use crate::round_starts::StartReader;
use crate::seeds::pieces::{PieceGame, PieceRules};
use crate::stats::Source;
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Color, POOL_LEN, Pool};
use nextscope_memory::console::Snapshot;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;

/// The static properties of a game.
pub struct GameDefinition {
    /// The id on the command line and in profiles.
    pub id: GameId,
    /// The display name.
    pub name: &'static str,
    /// What the game deals.
    pub unit: Unit,
    /// The rules of its boards, for games with a board simulator and a route planner.
    pub boards: Option<Rules>,
    /// Support for live tracking; None for games without profiles.
    pub live: Option<LiveSupport>,
    /// How the game deals pairs.
    pub pairs: Option<PairRules>,
    /// How the game deals single pieces.
    pub pieces: Option<PieceRules>,
    /// How the RAM search recognizes its generator; None if it cannot, and if another game with the same one states it.
    pub generator: Option<KnownGenerator>,
    /// How the RAM search recognizes its pools.
    pub pools: Option<KnownPools>,
    /// How `profile locate` finds addresses that differ between builds.
    pub locate: Option<LocateRules>,
    /// How durations are measured; None for games whose boards and falling pairs are not known.
    pub moments: Option<MomentReader>,
    /// How it is measured when a round starts; None for games without a clock that counts frames since power on, and for those whose wait was
    /// not studied.
    pub round_starts: Option<StartReader>,
    /// For the game of the profiles that declare their randomizer and name no game.
    pub declared: Option<DeclaredSupport>,
}

/// What a game states whose profiles declare how it deals, or where its pieces to come are.
pub struct DeclaredSupport {
    /// The TOML of that section in a new profile.
    pub template: &'static str,
    /// What is wrong with a field that the model reads, and what to do.
    pub field_problem: fn(&Randomizer, &Field) -> Option<(String, String)>,
    /// The same for a profile with `[piece_codes]`.
    pub list_problem: fn(&PieceCodes, &Field) -> Option<(String, String)>,
    /// The fields that such a profile requires.
    pub list_fields: fn(&PieceCodes) -> &'static [&'static str],
    /// The command `generate`.
    pub generate: GenerateCommand,
    /// The command `find`.
    pub find: FindCommand,
    /// What `stats` measures of a profile, with so many generator steps before each deal.
    ///
    /// # Errors
    /// There is no profile, or it declares no randomizer or none with such steps.
    pub source: fn(Option<&Profile>, steps: Option<u32>) -> Result<Source, String>,
}

impl GameDefinition {
    /// A game that nothing is known of, for the fields that a definition does not list.
    pub(crate) const DEFAULTS: Self = Self {
        id: GameId::new(""),
        name: "",
        unit: Unit::Pieces,
        boards: None,
        live: None,
        pairs: None,
        pieces: None,
        generator: None,
        pools: None,
        locate: None,
        moments: None,
        round_starts: None,
        declared: None,
    };
}

/// Support for tracking a game in an emulator.
pub struct LiveSupport {
    /// The built-in profiles, as file name and text.
    pub profiles: &'static [(&'static str, &'static str)],
    /// The profile fields that the model reads.
    pub fields: &'static [FieldSpec],
    /// The points on which sources disagree.
    pub variants: &'static [VariantSpec],
    /// What is checked.
    pub checks: &'static [CheckId],
    /// Whether there is a model of its randomizer, so that pieces can be predicted and verified.
    pub predicts: bool,
    /// The kinds of anchors that identify its RAM.
    pub anchors: Anchors,
    /// The notation of pool bytes in mismatches.
    pub pools: Option<PoolNotation>,
    pub(crate) tracker: fn() -> Box<dyn AnyTracker>,
}

/// Profiles of the folder `profiles`, as file name and text.
macro_rules! profiles {
    ($($name:literal),+) => {
        &[$((
            concat!("profiles/", $name, ".toml"),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles/", $name, ".toml")),
        )),+]
    };
}
pub(crate) use profiles;

/// The kinds of anchors that profiles of a game can have.
pub struct Anchors {
    /// `pools`: whether the pools pass the structural checks.
    pub pools: Option<FieldCheck>,
    /// `cells`: whether the fields have values that the game can produce.
    pub cells: Option<FieldCheck>,
    /// `bytes`: whether the fields around them are possible too. Other programs may contain the same bytes: an editor with the
    /// source of a profile, a compiler. It holds from power-on on.
    pub beside_bytes: Option<FieldCheck>,
    /// Whether this check is specific enough to locate RAM at an unknown address.
    pub cells_find_ram: bool,
    /// `cells`: a block that RAM contains twice, by which RAM is found at an unknown address.
    pub twins: Option<TwinBlocks>,
    /// `pools`: the layout by which RAM is found at an unknown address; the check decides.
    pub pool_layout: Option<PoolLayout>,
    /// `codes`: a buffer of drawn piece codes.
    pub codes: Option<CodesCheck>,
    /// `states`: the piece seed and the piece state derived from it.
    pub states: Option<StatesCheck>,
    /// `board`: a playfield read through `[board]`.
    pub board: bool,
    /// The TOML of these anchors in a new profile.
    pub template: &'static str,
}

/// Checks whether the game can produce the bytes of its fields, given by name. None if a field is missing.
pub type FieldCheck = for<'a> fn(&dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool>;

/// Checks RAM for a buffer of drawn piece codes.
#[derive(Debug, Clone, Copy)]
pub struct CodesCheck {
    /// Whether the codes at the profile's address, or anywhere if it has none, are drawn by the game: `pattern` has those of its first game
    /// after power-on. A thorough check solves for the generator's state; the other one suffices where RAM is known.
    pub matches: fn(ram: &Snapshot, profile: &Profile, pattern: &[u8], thorough: bool) -> bool,
    /// Whether these codes are anywhere in RAM, in any of the game's formats.
    pub contains: fn(ram: &[u8], codes: &[u8]) -> bool,
}

/// Whether the states of the pieces' generator identify this RAM, or, if not thorough, are possible in it. `first` is the seed of the first
/// game after power-on; `later_games` admits RAM that is recognised by probability only.
pub type StatesCheck =
    fn(ram: &Snapshot, profile: &Profile, first: u32, later_games: bool, thorough: bool) -> bool;

/// Three pools and the colour set that they are made of.
#[derive(Debug, Clone, Copy)]
pub struct PoolLayout {
    /// The fields of the pools.
    pub pools: [&'static str; 3],
    /// The field of the colour set, of 8 bytes.
    pub color_set: &'static str,
    /// The bytes that are colours, one bit each.
    pub colors: u32,
    /// All colour sets that the game can make, ascending.
    pub color_sets: fn() -> &'static [[u8; 8]],
}

/// Two fields of a game with the same bytes.
#[derive(Debug, Clone, Copy)]
pub struct TwinBlocks {
    /// Their names, the one at the lower address first.
    pub fields: [&'static str; 2],
    /// Whether the game could have made this block, in bus order.
    pub is_valid: fn(&[u8]) -> bool,
}

/// The three pools in RAM, for the checks of both Puyo games.
pub(crate) fn three_pools<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<[Pool; 3]> {
    let pool = |field| bytes(field)?.get(..POOL_LEN)?.try_into().ok();
    Some([pool("pool_3")?, pool("pool_4")?, pool("pool_5")?])
}

/// The notation of pool bytes in mismatches.
#[derive(Debug, Clone, Copy)]
pub struct PoolNotation {
    /// Digits per byte.
    pub digits: usize,
    /// The colour of a byte; None if RAM defines the meaning of the digits.
    pub color: Option<fn(u8) -> Color>,
}

/// Only the kinds of anchors that all games have.
pub(crate) const NO_ANCHORS: Anchors = Anchors {
    pools: None,
    cells: None,
    beside_bytes: None,
    cells_find_ram: false,
    twins: None,
    pool_layout: None,
    codes: None,
    states: None,
    board: false,
    template: "",
};

/// The template of games with a `cells` anchor.
pub(crate) const CELLS_TEMPLATE: &str =
    "[[anchors]]\nkind = \"cells\" # the required fields have values that the game can produce\n\n";

pub(crate) fn tracker<T: GameTracker + Default>() -> Box<dyn AnyTracker> {
    Box::new(T::default())
}

const LIVE_COUNT: usize = count(true);
const PIECE_COUNT: usize = count(false);

/// The number of games with live support, or of games that deal single pieces.
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
    /// The games with live support, in display order.
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

    /// The game with that id, if it has live support.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.id() == id)
    }

    /// The games that a profile can name.
    pub fn named() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|game| game.definition().declared.is_none())
    }

    /// The game of the profiles that declare their randomizer.
    pub fn of_declared_randomizers() -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.definition().declared.is_some())
    }

    /// The same if a name begins with its id: alone, or as [`declared_name`](crate::stats::declared_name).
    pub fn of_declared_name(name: &str) -> Option<Self> {
        Self::of_declared_randomizers().filter(|game| name.split(':').next() == Some(game.id()))
    }

    /// The definition of the game.
    pub fn definition(self) -> &'static GameDefinition {
        // There is no id that is not of a definition: definitions alone make them.
        GAMES.iter().find(|game| game.id == self).unwrap_or(&GAMES[0])
    }

    fn live(self) -> Option<&'static LiveSupport> {
        self.definition().live.as_ref()
    }

    /// The display name.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// What the game deals.
    pub fn unit(self) -> Unit {
        self.definition().unit
    }

    /// Whether there is a model of its randomizer, so that pieces can be predicted and verified.
    pub fn has_predictor(self) -> bool {
        self.live().is_some_and(|live| live.predicts)
    }

    /// The profile fields that the model reads.
    pub fn fields(self) -> &'static [FieldSpec] {
        self.live().map_or(&[], |live| live.fields)
    }

    /// What is checked.
    pub fn checks(self) -> &'static [CheckId] {
        self.live().map_or(&[], |live| live.checks)
    }

    /// The points on which sources disagree.
    pub fn variants(self) -> &'static [VariantSpec] {
        self.live().map_or(&[], |live| live.variants)
    }

    /// The kinds of anchors that its profiles can have.
    pub fn anchors(self) -> &'static Anchors {
        const NONE: &Anchors = &NO_ANCHORS;
        self.live().map_or(NONE, |live| &live.anchors)
    }

    /// The notation of pool bytes in mismatches.
    pub fn pool_notation(self) -> Option<PoolNotation> {
        self.live().and_then(|live| live.pools)
    }

    /// Its command `generate`, if it states the options as data.
    pub fn generate_command(self) -> Option<&'static GenerateCommand> {
        let GameDefinition { pairs, declared, .. } = self.definition();
        pairs.as_ref().map(|rules| &rules.generate).or(declared.as_ref().map(|declared| &declared.generate))
    }

    /// Its command `find`, if it states the options as data.
    pub fn find_command(self) -> Option<&'static FindCommand> {
        let GameDefinition { pairs, declared, .. } = self.definition();
        pairs.as_ref().map(|rules| &rules.find).or(declared.as_ref().map(|declared| &declared.find))
    }

    /// The rules of its boards, if they are known.
    pub fn boards(self) -> Option<Rules> {
        self.definition().boards
    }

    /// A new tracker. No profile is of a game without live support, so the first one is never used as a stand-in.
    pub(crate) fn tracker(self) -> Box<dyn AnyTracker> {
        const FIRST: &LiveSupport = {
            let mut at = 0;
            loop {
                if let Some(live) = &GAMES[at].live {
                    break live;
                }
                at += 1;
            }
        };
        (self.live().unwrap_or(FIRST).tracker)()
    }
}

impl PieceGame {
    /// The games that deal single pieces, in display order.
    pub const ALL: &'static [Self] = &{
        const FIRST: PieceGame = {
            let mut at = 0;
            loop {
                if let Some(rules) = &GAMES[at].pieces {
                    break PieceGame::new(GAMES[at].id, GAMES[at].name, rules);
                }
                at += 1;
            }
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

    /// The game with that id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.id() == id)
    }
}

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

/// The games with a board simulator and a route planner, with their rules.
pub fn with_boards() -> impl Iterator<Item = (GameId, Rules)> {
    GAMES.iter().filter_map(|game| Some((game.id, game.boards?)))
}
