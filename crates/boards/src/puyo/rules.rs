//! Group size, scoring and garbage.

use super::garbage::GarbageRules;

/// The limit of the sum of chain, colour and group bonus; the minimum is 1.
pub(super) const MAX_BONUS: u32 = 999;

/// The rules of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Puyos in a group that pops, 2 to 6: Tsu's option at 0xFF480E (reference 1.5), 4 by default.
    pub group: u32,
    /// Rows that can contain puyos, 13 or 14. Puyos placed higher are lost.
    pub rows: usize,
    /// Chain power of each step.
    pub chain_powers: ChainPowers,
    /// Offset, limits and bonuses of garbage.
    pub garbage: GarbageRules,
}

/// The chain powers of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ChainPowers {
    /// 0 8 16 32 64 96, then 32 more for each (Puyo Nexus wiki, "Scoring").
    #[default]
    Tsu,
    /// 0 8 16 32 64 128 256 512 1024, then always 1024: Puyo Puyo and Mean Bean Machine (reference of further games, A.9).
    First,
}

/// Those of Tsu, which most games have.
impl Default for Rules {
    fn default() -> Self {
        Self::TSU
    }
}

impl Rules {
    /// Puyo Puyo Tsu: both hidden rows can contain puyos (reference 1.5: 14 rows, rows 0 and 1 of RAM hidden).
    pub const TSU: Self =
        Self { group: 4, rows: 14, chain_powers: ChainPowers::Tsu, garbage: GarbageRules::TSU };
    /// Puyo Puyo!! 20th Anniversary in its Tsuu mode: one hidden row, as in all later games.
    pub const TWENTIETH: Self =
        Self { group: 4, rows: 13, chain_powers: ChainPowers::Tsu, garbage: GarbageRules::TSU };
    /// Puyo Puyo and Mean Bean Machine: the board of Tsu, other chain powers and garbage.
    pub const FIRST: Self =
        Self { group: 4, rows: 14, chain_powers: ChainPowers::First, garbage: GarbageRules::FIRST };

    /// Chain power of a step, the first being 1.
    pub const fn chain_power(self, step: u32) -> u32 {
        match (self.chain_powers, step) {
            (_, 0 | 1) => 0,
            (_, 2) => 8,
            (_, 3) => 16,
            (_, 4) => 32,
            (ChainPowers::Tsu, 5..=63) => 64 + 32 * (step - 5),
            (ChainPowers::Tsu, _) => 64 + 32 * 59,
            (ChainPowers::First, 5..=9) => 64 << (step - 5),
            (ChainPowers::First, _) => 1024,
        }
    }

    /// Colour bonus for the number of colours in a step (Puyo Nexus wiki, "Scoring": classic).
    pub fn color_bonus(colors: u32) -> u32 {
        [0, 0, 3, 6, 12, 24][colors.min(5) as usize]
    }

    /// Bonus for a group of this size. The table starts at 4, or at the group size if that is less (Puyo Nexus
    /// wiki, "Scoring": classic, and its variations).
    pub fn group_bonus(self, puyos: u32) -> u32 {
        match puyos.saturating_sub(self.group.min(4)) {
            0 => 0,
            more @ 1..=6 => more + 1,
            _ => 10,
        }
    }

    /// Points of a step.
    pub fn points(self, puyos: u32, step: u32, colors: u32, group_bonus: u32) -> u32 {
        let bonus = self.chain_power(step) + Self::color_bonus(colors) + group_bonus;
        10 * puyos * bonus.clamp(1, MAX_BONUS)
    }
}
