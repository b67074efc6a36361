//! SplitMix64 (Steele, Lea and Flood 2014).

/// The increment: 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// The two multipliers, Stafford's mix 13.
const MIX: [u64; 2] = [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB];

/// A SplitMix64 generator by its state; period 2^64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Advances and draws 32 bits, the upper half of the output.
    pub const fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(GOLDEN);
        (Self::mixed(self.0) >> 32) as u32
    }

    /// The 64 bits of output in this state.
    pub const fn mixed(state: u64) -> u64 {
        let z = (state ^ state >> 30).wrapping_mul(MIX[0]);
        let z = (z ^ z >> 27).wrapping_mul(MIX[1]);
        z ^ z >> 31
    }

    /// Advances and draws a number below `limit`, which is small: the upper half of (32 random bits * limit).
    pub const fn below(&mut self, limit: u32) -> u32 {
        ((self.draw() as u64 * limit as u64) >> 32) as u32
    }

    /// The generator one step earlier.
    pub const fn previous(self) -> Self {
        Self(self.0.wrapping_sub(GOLDEN))
    }
}
