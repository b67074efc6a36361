//! Where the pairs and the board of a route come from, as entered.

use crate::pairs::PairGame;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Where the pairs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairSource {
    /// Player 1 of the running game.
    Player1,
    /// Player 2.
    Player2,
    /// A seed of a game.
    Seed(PairGame),
    /// Pairs as letters.
    Typed,
}

impl Default for PairSource {
    /// The game whose seeds are the easiest to find.
    fn default() -> Self {
        let games = PairGame::with_boards().map(|(game, _)| game);
        games.min_by_key(|game| game.rules().seed_bits).map_or(Self::Typed, Self::Seed)
    }
}

impl PairSource {
    /// All in display order.
    pub fn all() -> impl Iterator<Item = Self> {
        let seeds = PairGame::with_boards().map(|(game, _)| Self::Seed(game));
        [Self::Player1, Self::Player2].into_iter().chain(seeds).chain([Self::Typed])
    }

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Player1 => "Player 1, live",
            Self::Player2 => "Player 2, live",
            Self::Seed(game) => game.rules().source_name,
            Self::Typed => "Typed pairs",
        }
    }

    fn saved_name(self) -> &'static str {
        match self {
            Self::Player1 => "Player1",
            Self::Player2 => "Player2",
            Self::Seed(game) => game.rules().saved_name,
            Self::Typed => "Typed",
        }
    }

    /// The player (0 or 1) of the running game.
    pub fn player(self) -> Option<usize> {
        match self {
            Self::Player1 => Some(0),
            Self::Player2 => Some(1),
            Self::Seed(_) | Self::Typed => None,
        }
    }
}

impl Serialize for PairSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.saved_name())
    }
}

impl<'de> Deserialize<'de> for PairSource {
    /// The default for a game that this version does not have.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self::all().find(|source| source.saved_name() == name).unwrap_or_default())
    }
}

/// The input for a seed of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeedInput {
    /// The seed; None for the one that the game suggests.
    pub seed: Option<String>,
    /// The values of the game's controls.
    pub choices: BTreeMap<String, String>,
}

impl SeedInput {
    /// The seed as text.
    pub fn seed_of(&self, game: PairGame) -> String {
        let rules = game.rules();
        self.seed.clone().unwrap_or_else(|| (rules.seed_text)(rules.first_seed))
    }
}

/// The board at the start of the route. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StartBoard {
    /// The player's current board.
    #[default]
    #[serde(rename = "AsItStands")]
    Current,
    /// An empty board.
    Empty,
    /// A typed board.
    Typed,
}

impl StartBoard {
    /// All variants in display order.
    pub const ALL: [Self; 3] = [Self::Current, Self::Empty, Self::Typed];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Current => "Current board",
            Self::Empty => "Empty",
            Self::Typed => "Typed",
        }
    }
}
