//! Chains computed with bit planes: the fast version of [`reference`](super::reference).

#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::bits::{colors, group_bonuses, groups_of_four, large_groups, neighbors, nuisance};
use super::field::Field;
use super::fired::Fired;
#[cfg(target_arch = "x86_64")]
use super::rules::ChainPowers;
use super::rules::Rules;
use fearless_simd::Level;

/// Plays chains by some rules, with the widest vector instructions of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Simulator {
    rules: Rules,
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only that has a wide version"))]
    level: Level,
}

impl Simulator {
    /// A simulator for these rules.
    pub fn new(rules: Rules) -> Self {
        Self { rules, level: Level::new() }
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Plays a chain on a board without floating puyos; `field` is then the remaining board.
    pub fn fire(&self, field: &mut Field) -> Fired {
        #[cfg(target_arch = "x86_64")]
        if self.has_wide_version()
            && let Some(level) = self.level.as_avx512()
        {
            return avx512::fire(level, field);
        }
        self.fire_bits(field)
    }

    /// Plays the chain on each of many boards. Most boards do not pop: several are tested at a time.
    pub fn fire_each(&self, fields: &mut [Field], fired: &mut [Fired]) {
        #[cfg(target_arch = "x86_64")]
        if self.has_wide_version()
            && let Some(level) = self.level.as_avx512()
        {
            return avx512::fire_each(level, fields, fired);
        }
        for (field, fired) in fields.iter_mut().zip(fired) {
            *fired = self.fire_bits(field);
        }
    }

    /// Whether the wide version knows these rules.
    #[cfg(target_arch = "x86_64")]
    fn has_wide_version(&self) -> bool {
        self.rules.group == 4 && self.rules.chain_powers == ChainPowers::Tsu
    }

    /// The portable version, for groups of any size.
    pub(super) fn fire_bits(&self, field: &mut Field) -> Fired {
        let mut fired = Fired::default();
        loop {
            let (mut gone, mut count, mut bonus) = (0, 0, 0);
            for cells in colors(field) {
                let group = match self.rules.group {
                    4 => groups_of_four(cells),
                    least => large_groups(cells, least),
                };
                if group != 0 {
                    gone |= group;
                    count += 1;
                    bonus += group_bonuses(group, self.rules);
                }
            }
            if gone == 0 {
                return fired;
            }
            fired.chain += 1;
            fired.score += self.rules.points(gone.count_ones(), fired.chain, count, bonus);
            let near = neighbors(gone);
            let (ojama, hard) = nuisance(field);
            let cracked = near & hard;
            field.planes[0] |= cracked;
            field.planes[1] &= !cracked;
            field.remove_cells(gone | near & ojama);
        }
    }
}
