//! Chains with AVX2 vectors, if the machine has them: all colours together, one board in 128 bits or two side by side.

use crate::puyo::bits::{colors, group_bonuses};
use crate::puyo::field::{Field, VISIBLE};
use crate::puyo::fired::Fired;
use crate::puyo::rules::Rules;
#[allow(clippy::wildcard_imports, reason = "truth tables, and macros that use one another")]
use crate::puyo::wide::*;
use core::arch::x86_64::{
    __m128i, __m256i, _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_movemask_pd, _mm256_setr_m128i,
};
use fearless_simd::{SimdFrom as _, u8x16, u16x16};

/// The operation of three inputs with a truth table, for which AVX-512 has an instruction.
macro_rules! ternary {
    () => {
        #[inline]
        #[target_feature(enable = "avx2")]
        pub fn ternary<const TABLE: i32>(first: Vector, second: Vector, third: Vector) -> Vector {
            const {
                assert!(
                    matches!(
                        TABLE,
                        ANY | ALL
                            | BOTH_OR_THIRD
                            | TWO_OF_THREE
                            | EITHER_AND_THIRD
                            | CHOICE
                            | BOTH_WITHOUT_THIRD
                            | LIKE_AND_THIRD
                            | THIRD_WITH_FIRST_WITHOUT_SECOND
                    ),
                    "no other operation is used"
                );
            }
            match TABLE {
                ANY => or(or(first, second), third),
                ALL => and(and(first, second), third),
                BOTH_OR_THIRD => or(and(first, second), third),
                TWO_OF_THREE => or(and(first, second), and(or(first, second), third)),
                EITHER_AND_THIRD => and(or(first, second), third),
                CHOICE => or(and(first, second), without(first, third)),
                BOTH_WITHOUT_THIRD => without(third, and(first, second)),
                LIKE_AND_THIRD => without(xor(first, second), third),
                _ => without(second, and(first, third)),
            }
        }
    };
}

/// Moves columns down: the upper half of their product with 2 to the power of 16 less the rows.
macro_rules! down_by {
    () => {
        /// See [`columns_down_by`](super::columns_down_by).
        #[inline]
        #[target_feature(enable = "avx2")]
        pub fn down_by(cells: Vector, rows: Vector) -> Vector {
            // Byte n is the lower and the upper half of 2 to the power of 16 less n.
            const POWERS: i64 = 0x0204_0810_2040_8000;
            let (lower, upper) = (bytes(POWERS, 0), bytes(1, POWERS));
            let upper = at_bytes(upper, shifted_up::<8>(rows));
            upper_product(cells, or(at_bytes(lower, rows), upper))
        }
    };
}

/// Vectors of one board, of 128 bits.
mod one {
    #[allow(clippy::wildcard_imports, reason = "truth tables")]
    use crate::puyo::wide::*;
    use core::arch::x86_64::{
        __m128i as Vector, _mm_mulhi_epu16 as upper_product, _mm_set_epi64x as bytes, _mm_setr_epi8,
        _mm_shuffle_epi8 as at_bytes, _mm_testz_si128,
    };
    pub use core::arch::x86_64::{
        _mm_add_epi16 as add_16, _mm_and_si128 as and, _mm_andnot_si128 as without,
        _mm_bslli_si128 as bytes_up, _mm_bsrli_si128 as bytes_down, _mm_or_si128 as or,
        _mm_set1_epi16 as all_16, _mm_setzero_si128 as zero, _mm_slli_epi16 as shifted_up,
        _mm_srli_epi16 as shifted_down, _mm_sub_epi16 as sub_16, _mm_xor_si128 as xor,
    };

    ternary!();
    down_by!();

    /// The bits of each column, counted by halves of bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn count_16(cells: Vector) -> Vector {
        let counts = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        let half = all_16(0x0F0F);
        let lower = at_bytes(counts, and(cells, half));
        let upper = at_bytes(counts, and(shifted_down::<4>(cells), half));
        let bytes = add_16(lower, upper);
        add_16(and(bytes, all_16(0xFF)), shifted_down::<8>(bytes))
    }

    /// Removes a run. What does not need the number of its rows, which is known late, does not wait for it.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn fallen(cells: Vector, [below, up_to]: [Vector; 2], rows: Vector) -> Vector {
        let above = without(up_to, cells);
        or(and(below, cells), down_by(above, rows))
    }

    /// 0 if they have no bit in common.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn test(one: Vector, other: Vector) -> i32 {
        i32::from(_mm_testz_si128(one, other) == 0)
    }
}

/// Vectors of two boards, of 256 bits.
mod two {
    #[allow(clippy::wildcard_imports, reason = "truth tables")]
    use crate::puyo::wide::*;
    use core::arch::x86_64::{
        __m256i as Vector, _mm256_mulhi_epu16 as upper_product, _mm256_set_epi64x,
        _mm256_shuffle_epi8 as at_bytes,
    };
    pub use core::arch::x86_64::{
        _mm256_and_si256 as and, _mm256_andnot_si256 as without, _mm256_bslli_epi128 as bytes_up,
        _mm256_bsrli_epi128 as bytes_down, _mm256_or_si256 as or, _mm256_setzero_si256 as zero,
        _mm256_slli_epi16 as shifted_up, _mm256_srli_epi16 as shifted_down, _mm256_xor_si256 as xor,
    };

    ternary!();
    down_by!();

    /// The same 16 bytes for each board.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bytes(high: i64, low: i64) -> Vector {
        _mm256_set_epi64x(high, low, high, low)
    }
}

fearless_simd::kernel!(
    /// Moves columns of 16 bits down by 1 to 15 cells each, with AVX2, which has no instruction for it. Nothing is left of one that is moved by 0.
    #[inline]
    pub fn columns_down_by(simd: Avx2, columns: [u16; 16], rows: [u16; 16]) -> [u16; 16] {
        let [columns, rows] = [columns, rows].map(|lanes| __m256i::from(u16x16::simd_from(simd, lanes)));
        u16x16::simd_from(simd, two::down_by(columns, rows)).into()
    }
);

/// The points of a step, from the puyos that pop and the planes before.
#[inline]
fn points(popping: u128, planes: [u128; 3], chain: u32, rules: Rules) -> u32 {
    let count = popping.count_ones();
    let (mut kinds, mut bonus) = (0, 0);
    if count < 2 * rules.group {
        // One group.
        (kinds, bonus) = (1, rules.group_bonus(count));
    } else {
        for cells in colors(&Field { planes }) {
            let group = cells & popping;
            if group != 0 {
                kinds += 1;
                bonus += group_bonuses(group, rules);
            }
        }
    }
    rules.points(count, chain, kinds, bonus)
}

fearless_simd::kernel!(
    /// Plays the chain of one board by groups of four.
    pub fn fire(simd: Avx2, field: &mut Field, rules: Rules) -> Fired {
        let visible = lane!(simd, VISIBLE);
        let [mut low, mut middle, mut high] = field.planes.map(|cells| lane!(simd, cells));
        let others = one::without(high, one::or(low, middle));
        let has_others = one::test(others, others) != 0;
        let mut fired = Fired::default();
        loop {
            let links = links!(one, [low, middle, high], visible);
            let sure = sure!(one, links);
            let some = one::or(sure[0], sure[1]);
            if one::test(some, some) == 0 {
                break;
            }
            let popping = groups!(one, sure, links);
            fired.chain += 1;
            let before = [cells!(simd, low), cells!(simd, middle), cells!(simd, high)];
            fired.score += points(cells!(simd, popping), before, fired.chain, rules);
            without!(one, [low, middle, high], popping, visible, has_others);
        }
        field.planes = [cells!(simd, low), cells!(simd, middle), cells!(simd, high)];
        fired
    }
);

/// Boards that pop and were not played yet, at most.
const WAITING: usize = 64;

fearless_simd::kernel!(
    /// The same for many boards: two at a time are tested for popping groups.
    pub fn fire_each(simd: Avx2, fields: &mut [Field], fired: &mut [Fired], rules: Rules) {
        let visible = _mm256_setr_m128i(lane!(simd, VISIBLE), lane!(simd, VISIBLE));
        let count = fields.len().min(fired.len());
        fired.fill(Fired::default());
        // Whether a board pops cannot be predicted, so there is no branch for it.
        let (mut popping, mut waiting) = ([0; WAITING], 0);
        let mut number = 0;
        while number + 2 <= count {
            let Some([first, second]) = fields[number..].first_chunk::<2>() else { break };
            let [low, middle, high] = [0, 1, 2].map(|plane| {
                _mm256_setr_m128i(lane!(simd, first.planes[plane]), lane!(simd, second.planes[plane]))
            });
            let [some, more] = sure!(two, links!(two, [low, middle, high], visible));
            let none = _mm256_cmpeq_epi64(two::or(some, more), two::zero());
            let halves = _mm256_movemask_pd(_mm256_castsi256_pd(none));
            for (board, both) in [(0, 0b0011), (1, 0b1100)] {
                popping[waiting % WAITING] = number + board;
                waiting += usize::from(halves & both != both);
            }
            if waiting > WAITING - 2 {
                for &number in &popping[..waiting] {
                    fired[number] = fire(simd, &mut fields[number], rules);
                }
                waiting = 0;
            }
            number += 2;
        }
        for &number in &popping[..waiting] {
            fired[number] = fire(simd, &mut fields[number], rules);
        }
        if number < count {
            fired[number] = fire(simd, &mut fields[number], rules);
        }
    }
);
