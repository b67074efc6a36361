//! Arithmetic of bits.

/// The low `bits` bits, 1 to 64.
pub(super) const fn low_bits(bits: u8) -> u64 {
    u64::MAX >> (64 - bits as u32)
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
pub(super) fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// The low `bits` bits in reverse order.
pub(super) const fn reversed(value: u64, bits: u8) -> u64 {
    value.reverse_bits() >> (64 - bits as u32)
}

/// Linear equations over bits: for each, the coefficients of up to 64 unknowns, and the right side.
#[derive(Clone, Default)]
pub(super) struct BitEquations {
    /// Independent equations, each with a leading unknown that no later one has.
    rows: Vec<(u64, bool)>,
    /// Equations that followed from others.
    pub redundant: usize,
    /// Equations that followed from others since the last one that did not.
    pub settled: usize,
}

impl BitEquations {
    /// Adds an equation; false if it contradicts the others, and then it is left out.
    pub fn add(&mut self, mut coefficients: u64, mut value: bool) -> bool {
        for (row, right) in &self.rows {
            if coefficients >> (63 - row.leading_zeros()) & 1 == 1 {
                coefficients ^= row;
                value ^= right;
            }
        }
        match (coefficients, value) {
            (0, true) => return false,
            (0, false) => {
                self.redundant += 1;
                self.settled += 1;
            }
            _ => {
                self.rows.push((coefficients, value));
                self.settled = 0;
            }
        }
        true
    }

    /// How many unknowns are determined, or tied to others.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// Whether a solution fulfils all equations.
    pub fn fulfilled(&self, solution: u64) -> bool {
        self.rows.iter().all(|(row, value)| ((row & solution).count_ones() & 1 == 1) == *value)
    }

    /// A solution, with 0 for unknowns that are free.
    pub fn solution(&self) -> u64 {
        // A row's other unknowns lead later rows, or none.
        self.rows.iter().rev().fold(0, |solution, (row, value)| {
            let odd = (row & solution).count_ones() & 1 == 1;
            if odd == *value { solution } else { solution | 1 << (63 - row.leading_zeros()) }
        })
    }
}
