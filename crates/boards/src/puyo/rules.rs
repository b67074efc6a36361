//! Group size and scoring.

/// The limit of the sum of chain, colour and group bonus; the minimum is 1.
pub(super) const MAX_BONUS: u32 = 999;

/// The rules of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Puyos in a group that pops, 2 to 6: Tsu's option at 0xFF480E (reference 1.5), 4 by default.
    pub group: u32,
    /// Rows that can contain puyos, 13 or 14. Puyos placed higher are lost.
    pub rows: usize,
}

impl Rules {
    /// Puyo Puyo Tsu: both hidden rows can contain puyos (reference 1.5: 14 rows, rows 0 and 1 of RAM hidden).
    pub const TSU: Self = Self { group: 4, rows: 14 };
    /// Puyo Puyo!! 20th Anniversary in its Tsuu mode: one hidden row, as in all later games.
    pub const TWENTIETH: Self = Self { group: 4, rows: 13 };

    /// Chain power of a step, the first being 1: 0 8 16 32 64 96, then 32 more for each (Puyo Nexus wiki, "Scoring").
    pub const fn chain_power(step: u32) -> u32 {
        match step {
            0 | 1 => 0,
            2 => 8,
            3 => 16,
            4 => 32,
            5..=63 => 64 + 32 * (step - 5),
            _ => 64 + 32 * 59,
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
    pub fn points(puyos: u32, step: u32, colors: u32, group_bonus: u32) -> u32 {
        let bonus = Self::chain_power(step) + Self::color_bonus(colors) + group_bonus;
        10 * puyos * bonus.clamp(1, MAX_BONUS)
    }
}
