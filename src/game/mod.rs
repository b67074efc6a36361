//! The randomizers and dealers: one file per game, pure functions and tiny value types, no I/O.

pub mod arika;
pub mod bloxeed;
pub mod bloxeed_states;
pub mod bounded;
pub mod flash_point;
mod hex;
pub mod piece;
pub mod pieces;
pub mod puyo;
pub mod puyo_20th;
pub mod puyo_tsu;
pub mod sega;
pub mod sega_buffer;
pub mod sega_cells;
pub mod sega_tetris;
pub mod tetris_1985;
pub mod tetris_nes;
pub mod tetris_worlds;
pub mod tgm1;
pub mod tgm2;
pub mod tgm3;
pub mod tgm_cells;
pub mod uniform;

use serde::{Deserialize, Serialize};

/// The games that profiles can be about: those whose randomizer is modelled, and one of which only the field is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GameId {
    /// Puyo Puyo Tsu (Mega Drive; arcade System C-2).
    PuyoTsu,
    /// Puyo Puyo!! 20th Anniversary (Nintendo DS), Tsuu mode.
    #[serde(rename = "puyo-20th")]
    Puyo20th,
    /// Tetris: The Grand Master (1998).
    Tgm1,
    /// Tetris the Absolute: The Grand Master 2, and its Plus version (2000).
    Tgm2,
    /// Sega Tetris (1988).
    SegaTetris,
    /// Flash Point (1989).
    FlashPoint,
    /// Bloxeed (1989).
    Bloxeed,
    /// Tetris (NES, Nintendo 1989).
    TetrisNes,
    /// Pochi & Nyaa (Neo Geo, 2003): its randomizer is not known, its field is what is read.
    PochiNyaa,
}

/// A field that a model reads from a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// The name that the profile gives it.
    pub name: &'static str,
    /// Its length in bytes.
    pub bytes: u32,
    /// Whether the model can do nothing without it.
    pub required: bool,
    /// What it means, for the schema and for `profile new`.
    pub meaning: &'static str,
}

pub(crate) const fn field(
    name: &'static str,
    bytes: u32,
    required: bool,
    meaning: &'static str,
) -> FieldSpec {
    FieldSpec { name, bytes, required, meaning }
}

/// A point at which sources disagree: every reading is modelled and live verification says which holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariantSpec {
    /// The name that the profile gives it.
    pub name: &'static str,
    /// The readings as (name, meaning), the default first.
    pub choices: &'static [(&'static str, &'static str)],
}

impl GameId {
    /// All games, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &[
        Self::PuyoTsu,
        Self::Puyo20th,
        Self::TetrisNes,
        Self::Tgm1,
        Self::Tgm2,
        Self::SegaTetris,
        Self::FlashPoint,
        Self::Bloxeed,
        Self::PochiNyaa,
    ];

    /// The name on the command line and in profiles.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::PuyoTsu => "puyo-tsu",
            Self::Puyo20th => "puyo-20th",
            Self::Tgm1 => "tgm1",
            Self::Tgm2 => "tgm2",
            Self::SegaTetris => "sega-tetris",
            Self::FlashPoint => "flash-point",
            Self::Bloxeed => "bloxeed",
            Self::TetrisNes => "tetris-nes",
            Self::PochiNyaa => "pochi-nyaa",
        }
    }

    /// The name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PuyoTsu => "Puyo Puyo Tsu",
            Self::Puyo20th => "Puyo Puyo!! 20th Anniversary",
            Self::Tgm1 => "Tetris: The Grand Master",
            Self::Tgm2 => "Tetris: The Grand Master 2",
            Self::SegaTetris => "Sega Tetris",
            Self::FlashPoint => "Flash Point",
            Self::Bloxeed => "Bloxeed",
            Self::TetrisNes => "Tetris (NES, 1989)",
            Self::PochiNyaa => "Pochi & Nyaa",
        }
    }

    /// What the game deals, in the plural.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::PuyoTsu | Self::Puyo20th | Self::PochiNyaa => "pairs",
            _ => "pieces",
        }
    }

    /// Whether there is a model of its randomizer, so that pieces can be foretold and the emulator checked.
    #[must_use]
    pub fn is_foretold(self) -> bool {
        self != Self::PochiNyaa
    }

    /// The game of that command-line name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.id() == id)
    }

    /// The fields that the model reads.
    #[must_use]
    pub fn fields(self) -> &'static [FieldSpec] {
        match self {
            Self::PuyoTsu => puyo_tsu::FIELDS,
            Self::Puyo20th => puyo_20th::FIELDS,
            Self::Tgm1 => tgm_cells::TGM1_FIELDS,
            Self::Tgm2 => tgm_cells::TGM2_FIELDS,
            Self::SegaTetris | Self::FlashPoint => sega_cells::BUFFER_FIELDS,
            Self::Bloxeed => sega_cells::BLOXEED_FIELDS,
            Self::TetrisNes => tetris_nes::FIELDS,
            Self::PochiNyaa => &[],
        }
    }

    /// The points at which sources disagree.
    #[must_use]
    pub fn variants(self) -> &'static [VariantSpec] {
        match self {
            Self::PuyoTsu => puyo_tsu::VARIANTS,
            Self::Puyo20th => puyo_20th::VARIANTS,
            Self::Tgm1 => tgm_cells::TGM1_VARIANTS,
            Self::Tgm2 | Self::PochiNyaa => &[],
            Self::SegaTetris => sega_tetris::VARIANTS,
            Self::FlashPoint => flash_point::VARIANTS,
            Self::Bloxeed => bloxeed::VARIANTS,
            Self::TetrisNes => tetris_nes::VARIANTS,
        }
    }
}
