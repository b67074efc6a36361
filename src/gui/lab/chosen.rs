//! What is chosen in the lab, kept with the settings.

use crate::game::bounded::Limits;
use crate::seeds::pieces::PieceGame;
use crate::stats::{Choices, Subject};
use serde::{Deserialize, Serialize};

/// The longest first seed that is kept: more than any number that is one.
const SEED_SIGNS: usize = 20;
/// Pieces of each seed, and seeds, at most.
pub const MOST_PIECES: u32 = 100_000_000;
pub const MOST_SEEDS: u32 = 1_000_000;

/// The plots that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Plots {
    /// Both.
    #[default]
    Both,
    /// How often each drought came.
    Histogram,
    /// How often one was at least so long.
    Survival,
}

impl Plots {
    /// All of them with their names, in the order in which they are shown.
    pub const ALL: [(Self, &str); 3] =
        [(Self::Both, "Both"), (Self::Histogram, "Histogram"), (Self::Survival, "Survival")];
}

/// Everything that is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LabSettings {
    /// The randomizers, as the command line names them: "tgm3", "tgm1:3-passes".
    pub randomizers: Vec<String>,
    /// Pieces of each seed.
    pub pieces: u32,
    /// How many seeds.
    pub seeds: u32,
    /// The first of them, as it was typed.
    pub first_seed: String,
    /// The plots that are drawn.
    pub plots: Plots,
    /// The limits of our own randomizer: droughts, floods, runs of S and Z, memory.
    pub drought: u8,
    /// See `drought`.
    pub flood: u8,
    /// See `drought`.
    pub snakes: u8,
    /// Runs of S and Z are not limited.
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

/// The limit on runs of S and Z that is offered when there was none.
const SNAKES: u8 = 4;

impl LabSettings {
    /// What was kept, with what cannot be put right.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        let usual = Self::default();
        self.randomizers.retain(|name| Subject::parse(name, Choices::default()).is_ok());
        self.pieces = self.pieces.clamp(1, MOST_PIECES);
        self.seeds = self.seeds.clamp(1, MOST_SEEDS);
        if self.first_seed.len() > SEED_SIGNS {
            self.first_seed = usual.first_seed;
        }
        if self.limits().checked().is_err() {
            let Self { drought, flood, snakes, any_snakes, memory, .. } = usual;
            self = Self { drought, flood, snakes, any_snakes, memory, ..self };
        }
        self
    }

    /// Whether a randomizer is chosen.
    #[must_use]
    pub fn has(&self, subject: &Subject) -> bool {
        let name = subject.label();
        self.randomizers.contains(&name)
    }

    /// Chooses a randomizer, or does not.
    pub fn set(&mut self, subject: &Subject, chosen: bool) {
        let name = subject.label();
        self.randomizers.retain(|known| *known != name);
        if chosen {
            self.randomizers.push(name);
        }
    }

    /// The limits of our own randomizer.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let snakes = (!self.any_snakes).then_some(self.snakes);
        Limits { drought: self.drought, flood: self.flood, snakes, memory: self.memory }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_version_kept_is_put_right() {
        let text = r#"{"randomizers":["tgm3","no-such-game","tgm1:3-passes","tgm1:9-passes"],"pieces":0,
            "seeds":4000000000,"first_seed":"111111111111111111111","plots":"Survival","drought":3,"memory":2}"#;
        let odd: LabSettings = serde_json::from_str(text).unwrap();
        let usual = LabSettings::default();
        let good = LabSettings {
            randomizers: vec!["tgm3".into(), "tgm1:3-passes".into()],
            pieces: 1,
            seeds: MOST_SEEDS,
            plots: Plots::Survival,
            ..usual.clone()
        };
        assert_eq!(odd.repaired(), good);
        assert_eq!(usual.clone().repaired(), usual);
        assert_eq!(usual.limits(), Limits::default());
    }
}
