//! Chains computed with bit planes: the fast version of [`reference`](super::reference).

use super::bits::{colors, group_bonuses, groups_of_four, large_groups, neighbors, nuisance};
use super::field::Field;
use super::fired::Fired;
#[cfg(target_arch = "x86_64")]
use super::rules::ChainPowers;
use super::rules::Rules;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::Vectors;
#[cfg(target_arch = "x86_64")]
use fearless_simd::x86::{Avx2, Avx512};

/// Plays chains by some rules, with some vector instructions of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Simulator {
    rules: Rules,
    vectors: Vectors,
}

/// A version for wide vectors, with the proof that the machine has them.
#[cfg(target_arch = "x86_64")]
enum Wide {
    Avx512(Avx512),
    Avx2(Avx2),
}

impl Simulator {
    /// A simulator for these rules.
    pub fn new(rules: Rules) -> Self {
        Self::with(rules, Vectors::widest())
    }

    /// A simulator for these rules with one of the machine's instruction sets. AVX-512 and AVX2 have versions of their own.
    pub fn with(rules: Rules, vectors: Vectors) -> Self {
        Self { rules, vectors }
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The instruction set.
    pub fn vectors(&self) -> Vectors {
        self.vectors
    }

    /// Plays a chain on a board without floating puyos; `field` is then the remaining board.
    pub fn fire(&self, field: &mut Field) -> Fired {
        #[cfg(target_arch = "x86_64")]
        match self.wide() {
            Some(Wide::Avx512(level)) => return avx512::fire(level, field),
            Some(Wide::Avx2(level)) => return avx2::fire(level, field, self.rules),
            None => {}
        }
        self.fire_bits(field)
    }

    /// Plays the chain on each of many boards. Most boards do not pop: several are tested at a time.
    pub fn fire_each(&self, fields: &mut [Field], fired: &mut [Fired]) {
        #[cfg(target_arch = "x86_64")]
        match self.wide() {
            Some(Wide::Avx512(level)) => return avx512::fire_each(level, fields, fired),
            Some(Wide::Avx2(level)) => return avx2::fire_each(level, fields, fired, self.rules),
            None => {}
        }
        for (field, fired) in fields.iter_mut().zip(fired) {
            *fired = self.fire_bits(field);
        }
    }

    /// The widest version that knows these rules.
    #[cfg(target_arch = "x86_64")]
    fn wide(&self) -> Option<Wide> {
        if self.rules.group != 4 {
            return None;
        }
        let level = self.vectors.level();
        let widest = level.as_avx512().filter(|_| self.rules.chain_powers == ChainPowers::Tsu);
        widest.map(Wide::Avx512).or_else(|| level.as_avx2().map(Wide::Avx2))
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
