//! The lab's settings, saved with all others.

use crate::games::GameId;
use crate::games::pieces::Limits;
use crate::seeds::pieces::PieceGame;
use crate::stats::{Choices, Subject};
use serde::{Deserialize, Serialize};

/// Maximum length of the saved first seed; longer text is never valid.
const SEED_SIGNS: usize = 20;
/// Maximum pieces per seed, and seeds.
pub const MAX_PIECES: u32 = 100_000_000;
pub const MAX_SEEDS: u32 = 1_000_000;

/// The visible plots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Plots {
    /// Both plots.
    #[default]
    Both,
    /// The frequency of each drought length.
    Histogram,
    /// The frequency of droughts of at least a length.
    Survival,
}

impl Plots {
    /// All variants with their labels in display order.
    pub const ALL: [(Self, &str); 3] =
        [(Self::Both, "Both"), (Self::Histogram, "Histogram"), (Self::Survival, "Survival")];
}

/// Settings of the lab panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LabSettings {
    /// The randomizers by their command line names: "tgm3", "tgm1:3-passes", "declared:my-game".
    pub randomizers: Vec<String>,
    /// Pieces per seed.
    pub pieces: u32,
    /// Number of seeds.
    pub seeds: u32,
    /// The first seed, as typed.
    pub first_seed: String,
    /// The visible plots.
    pub plots: Plots,
    /// Limits of the bounded randomizer: droughts, floods, runs of S and Z, memory.
    pub drought: u8,
    /// See `drought`.
    pub flood: u8,
    /// See `drought`.
    pub snakes: u8,
    /// Whether runs of S and Z are unlimited.
    pub any_snakes: bool,
    /// See `drought`.
    pub memory: u8,
}

impl Default for LabSettings {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            randomizers: PieceGame::ALL
                .iter()
                .filter(|game| game.rules().in_lab)
                .map(|game| game.id().to_owned())
                .collect(),
            pieces: 200_000,
            seeds: 1,
            first_seed: "1".into(),
            plots: Plots::default(),
            drought: limits.drought,
            flood: limits.flood,
            snakes: limits.snakes.unwrap_or(SNAKES),
            any_snakes: limits.snakes.is_none(),
            memory: limits.memory,
        }
    }
}

/// The initial limit of runs of S and Z.
const SNAKES: u8 = 4;

impl LabSettings {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        let usual = Self::default();
        let of_profile = |name: &str| GameId::of_declared_name(name).is_some();
        self.randomizers.retain(|name| of_profile(name) || Subject::parse(name, Choices::default()).is_ok());
        self.pieces = self.pieces.clamp(1, MAX_PIECES);
        self.seeds = self.seeds.clamp(1, MAX_SEEDS);
        if self.first_seed.len() > SEED_SIGNS {
            self.first_seed = usual.first_seed;
        }
        if self.limits().checked().is_err() {
            let Self { drought, flood, snakes, any_snakes, memory, .. } = usual;
            self = Self { drought, flood, snakes, any_snakes, memory, ..self };
        }
        self
    }

    /// Whether a randomizer is selected.
    pub fn has(&self, name: &str) -> bool {
        self.randomizers.iter().any(|known| known == name)
    }

    /// Selects or deselects a randomizer.
    pub fn set(&mut self, name: String, chosen: bool) {
        self.randomizers.retain(|known| *known != name);
        if chosen {
            self.randomizers.push(name);
        }
    }

    /// The limits of the bounded randomizer.
    pub fn limits(&self) -> Limits {
        let snakes = (!self.any_snakes).then_some(self.snakes);
        Limits { drought: self.drought, flood: self.flood, snakes, memory: self.memory }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_values_of_another_version_are_corrected() {
        let text = r#"{"randomizers":["tgm3","no-such-game","tgm1:3-passes","tgm1:9-passes"],"pieces":0,
            "seeds":4000000000,"first_seed":"111111111111111111111","plots":"Survival","drought":3,"memory":2}"#;
        let odd: LabSettings = serde_json::from_str(text).unwrap();
        let usual = LabSettings::default();
        let good = LabSettings {
            randomizers: vec!["tgm3".into(), "tgm1:3-passes".into()],
            pieces: 1,
            seeds: MAX_SEEDS,
            plots: Plots::Survival,
            ..usual.clone()
        };
        assert_eq!(odd.repaired(), good);
        assert_eq!(usual.clone().repaired(), usual);
        assert_eq!(usual.limits(), Limits::default());
    }
}
