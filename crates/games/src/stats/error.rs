//! Ratios with their sampling errors, estimated from blocks of pieces.

/// A measured ratio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ratio {
    /// Repeats of the previous piece, per piece except the first.
    Repeats,
    /// Repeats per gap: raincomplex's "repchance" (reference 3.9).
    RepeatGaps,
    /// Gaps of 13 pieces and more, per gap.
    LongGaps,
    /// Mean gap.
    Gap,
    /// Mean number of different pieces in a window of seven.
    Diversity,
    /// Windows of seven with all seven pieces, per window.
    Bagginess,
    /// Mean entropy of the next piece, in bits, from the chances given by the randomizer itself.
    Bits,
    /// Mean information of the dealt pieces under those chances: equal to `Bits` if the generator is sound.
    Surprise,
}

const COUNT: usize = 8;

impl Ratio {
    /// All ratios.
    pub const ALL: [Self; COUNT] = [
        Self::Repeats,
        Self::RepeatGaps,
        Self::LongGaps,
        Self::Gap,
        Self::Diversity,
        Self::Bagginess,
        Self::Bits,
        Self::Surprise,
    ];
}

/// A measured value and its standard error, which is None if there is only one block.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// The standard error.
    pub error: Option<f64>,
}

impl Estimate {
    /// Whether a value stated elsewhere, rounded to `digits` decimals, agrees within `errors` standard errors plus the
    /// rounding.
    pub fn agrees(&self, stated: f64, digits: i32, errors: f64) -> bool {
        let slack = errors * self.error.unwrap_or(0.0) + 0.5 * 10f64.powi(-digits);
        (self.value - stated).abs() <= slack
    }
}

/// Sums over blocks: numerators, denominators, and their products.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    part: f64,
    total: f64,
    part2: f64,
    cross: f64,
    total2: f64,
}

/// Blocks of consecutive pieces. Unlike single pieces, blocks are nearly independent of each other, so the
/// scatter between them gives the error of the total.
#[derive(Clone, Debug)]
pub struct Blocks {
    length: u32,
    count: u64,
    sums: [Sums; COUNT],
    before: [(f64, f64); COUNT],
}

impl Blocks {
    /// For streams of `pieces` pieces: about 64 blocks each, not shorter than the longest droughts, and not so long that only few
    /// remain.
    pub fn new(pieces: u32) -> Self {
        let length = (pieces / 64).clamp(128, 1 << 16);
        Self { length, count: 0, sums: [Sums::default(); COUNT], before: [(0.0, 0.0); COUNT] }
    }

    /// Pieces in a block.
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// Closes a block, given the numerator and denominator of every ratio since the start.
    pub fn close(&mut self, so_far: [(f64, f64); COUNT]) {
        for ((sums, before), now) in self.sums.iter_mut().zip(&mut self.before).zip(so_far) {
            let (part, total) = (now.0 - before.0, now.1 - before.1);
            sums.part += part;
            sums.total += total;
            sums.part2 += part * part;
            sums.cross += part * total;
            sums.total2 += total * total;
            *before = now;
        }
        self.count += 1;
    }

    /// Adds other blocks.
    pub fn merge(&mut self, other: &Self) {
        for (to, from) in self.sums.iter_mut().zip(other.sums) {
            to.part += from.part;
            to.total += from.total;
            to.part2 += from.part2;
            to.cross += from.cross;
            to.total2 += from.total2;
        }
        self.count += other.count;
    }

    /// The ratio over all blocks; None if the denominator is zero. Its error is that of a ratio estimate,
    /// from the squares of numerator - ratio * denominator (Cochran, Sampling Techniques, 1977, 2.11).
    #[expect(clippy::cast_precision_loss, reason = "blocks are few")]
    pub fn estimate(&self, ratio: Ratio) -> Option<Estimate> {
        let sums = &self.sums[ratio as usize];
        if sums.total <= 0.0 {
            return None;
        }
        let value = sums.part / sums.total;
        let count = self.count as f64;
        let squares = sums.part2 - 2.0 * value * sums.cross + value * value * sums.total2;
        let error = (self.count > 1).then(|| (squares.max(0.0) * count / (count - 1.0)).sqrt() / sums.total);
        Some(Estimate { value, error })
    }
}
