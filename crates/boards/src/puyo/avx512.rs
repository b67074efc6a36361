//! Chains with AVX-512 vectors, if the machine has them: all colours together, one board in 128 bits or four side by side.

use crate::puyo::bits::group_bonuses;
use crate::puyo::field::{Field, VISIBLE};
use crate::puyo::fired::Fired;
use crate::puyo::rules::{MAX_BONUS, Rules};
#[allow(clippy::wildcard_imports, reason = "truth tables, and macros that use one another")]
use crate::puyo::wide::*;
#[allow(clippy::wildcard_imports, reason = "the processor's instructions, by their names")]
use core::arch::x86_64::*;
use fearless_simd::{SimdFrom as _, u8x16};

/// The removal of a run, of either width: one operation chooses between the cells below it and those moved, so the run itself is not needed.
macro_rules! fallen {
    () => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        pub fn fallen(cells: Vector, [below, _]: [Vector; 2], rows: Vector) -> Vector {
            ternary::<CHOICE>(below, cells, down_by(cells, rows))
        }
    };
}

/// Vectors of one board, of 128 bits.
mod one {
    use crate::puyo::wide::CHOICE;
    use core::arch::x86_64::__m128i as Vector;
    pub use core::arch::x86_64::{
        _mm_add_epi16 as add_16, _mm_and_si128 as and, _mm_andnot_si128 as without,
        _mm_bslli_si128 as bytes_up, _mm_bsrli_si128 as bytes_down, _mm_or_si128 as or,
        _mm_popcnt_epi16 as count_16, _mm_set1_epi16 as all_16, _mm_setzero_si128 as zero,
        _mm_slli_epi16 as shifted_up, _mm_srli_epi16 as shifted_down, _mm_srlv_epi16 as down_by,
        _mm_sub_epi16 as sub_16, _mm_ternarylogic_epi64 as ternary, _mm_test_epi64_mask as test,
        _mm_xor_si128 as xor,
    };

    fallen!();
}

/// Vectors of four boards, of 512 bits. A processor that executes them in two halves has twice the latency.
mod four {
    use crate::puyo::wide::CHOICE;
    use core::arch::x86_64::__m512i as Vector;
    pub use core::arch::x86_64::{
        _mm512_add_epi16 as add_16, _mm512_and_si512 as and, _mm512_andnot_si512 as without,
        _mm512_bslli_epi128 as bytes_up, _mm512_bsrli_epi128 as bytes_down, _mm512_or_si512 as or,
        _mm512_popcnt_epi16 as count_16, _mm512_set1_epi16 as all_16, _mm512_setzero_si512 as zero,
        _mm512_slli_epi16 as shifted_up, _mm512_srli_epi16 as shifted_down, _mm512_srlv_epi16 as down_by,
        _mm512_sub_epi16 as sub_16, _mm512_ternarylogic_epi64 as ternary, _mm512_test_epi64_mask as test,
        _mm512_xor_si512 as xor,
    };

    fallen!();
}

/// Four of them in one.
macro_rules! side_by_side {
    ($lanes:expr) => {{
        let [one, two, three, four] = $lanes;
        let lower = _mm512_castsi256_si512(_mm256_setr_m128i(one, two));
        _mm512_inserti64x4::<1>(lower, _mm256_setr_m128i(three, four))
    }};
}

/// The cells of four boards.
macro_rules! parts {
    ($simd:expr, $vector:expr) => {
        [
            cells!($simd, _mm512_castsi512_si128($vector)),
            cells!($simd, _mm512_extracti32x4_epi32::<1>($vector)),
            cells!($simd, _mm512_extracti32x4_epi32::<2>($vector)),
            cells!($simd, _mm512_extracti32x4_epi32::<3>($vector)),
        ]
    };
}

/// The planes of four boards side by side.
macro_rules! planes_of {
    ($simd:expr, $fields:expr) => {{
        let [one, two, three, four] = $fields.map(|field| field.planes);
        [
            side_by_side!([one[0], two[0], three[0], four[0]].map(|cells| lane!($simd, cells))),
            side_by_side!([one[1], two[1], three[1], four[1]].map(|cells| lane!($simd, cells))),
            side_by_side!([one[2], two[2], three[2], four[2]].map(|cells| lane!($simd, cells))),
        ]
    }};
}

/// The visible cells in all four parts.
macro_rules! visible {
    ($simd:expr) => {
        _mm512_broadcast_i32x4(lane!($simd, VISIBLE))
    };
}

/// Popping puyos, and a tenth of their points, in both halves of four parts, from the planes before and the chain power.
macro_rules! worth {
        ($simd:expr, $popping:expr, $planes:expr, $power:expr) => {{
            // Group bonuses of fewer than eight puyos, which are one group, and 0 for more; colour bonuses (see `Rules`).
            let of_group =
                _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 0, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0));
            let of_colors = _mm512_setr_epi64(0, 0, 3, 6, 12, 24, 0, 0);
            let counts = _mm512_popcnt_epi64($popping);
            let puyos = _mm512_add_epi64(counts, _mm512_shuffle_epi32::<0b01_00_11_10>(counts));
            let bonus = if _mm512_test_epi64_mask(puyos, _mm512_set1_epi64(!7)) == 0 {
                // Fewer than eight puyos are one group.
                _mm512_shuffle_epi8(of_group, puyos)
            } else {
                let (none, [low, middle, high]) = (_mm512_setzero_si512(), $planes);
                let normal = _mm512_and_si512($popping, high);
                let (first, second) = (_mm512_andnot_si512(middle, normal), _mm512_and_si512(normal, middle));
                let of_color = [
                    _mm512_andnot_si512(low, first),
                    _mm512_and_si512(low, first),
                    _mm512_andnot_si512(low, second),
                    _mm512_and_si512(low, second),
                    _mm512_andnot_si512(high, $popping),
                ];
                // The number of puyos of each colour, one byte each.
                let counts = _mm512_popcnt_epi64(of_color[0]);
                let count = _mm512_slli_epi64::<8>(_mm512_popcnt_epi64(of_color[1]));
                let counts = _mm512_or_si512(counts, count);
                let count = _mm512_slli_epi64::<16>(_mm512_popcnt_epi64(of_color[2]));
                let counts = _mm512_or_si512(counts, count);
                let count = _mm512_slli_epi64::<24>(_mm512_popcnt_epi64(of_color[3]));
                let counts = _mm512_or_si512(counts, count);
                let count = _mm512_slli_epi64::<32>(_mm512_popcnt_epi64(of_color[4]));
                let counts = _mm512_or_si512(counts, count);
                let counts = _mm512_add_epi64(counts, _mm512_shuffle_epi32::<0b01_00_11_10>(counts));
                let colors = _mm512_sad_epu8(_mm512_min_epu8(counts, _mm512_set1_epi8(1)), none);
                let at_most_8 = _mm512_min_epu8(counts, _mm512_set1_epi8(8));
                let mut bonus = _mm512_sad_epu8(_mm512_shuffle_epi8(of_group, at_most_8), none);
                if _mm512_test_epi8_mask(counts, _mm512_set1_epi8(!7)) != 0 {
                    let mut more = [0; 4];
                    for cells in of_color {
                        let parts = parts!($simd, cells);
                        for board in 0..4 {
                            if parts[board].count_ones() >= 8 {
                                more[board] += i64::from(group_bonuses(parts[board], Rules::TSU));
                            }
                        }
                    }
                    let [one, two, three, four] = more;
                    let more = _mm512_set_epi64(four, four, three, three, two, two, one, one);
                    bonus = _mm512_add_epi64(bonus, more);
                }
                _mm512_add_epi64(bonus, _mm512_permutexvar_epi64(colors, of_colors))
            };
            let bonus = _mm512_add_epi64(bonus, $power);
            let bonus = _mm512_max_epu64(bonus, _mm512_set1_epi64(1));
            let bonus = _mm512_min_epu64(bonus, _mm512_set1_epi64(i64::from(MAX_BONUS)));
            (puyos, _mm512_mul_epu32(puyos, bonus))
        }};
    }

/// The chain powers of four consecutive steps (see `Rules::chain_power`). A chain has at most 21 steps: four puyos each, of 84.
const POWERS: [[i64; 4]; 6] = {
    let (mut powers, mut step) = ([[0; 4]; 6], 0_u32);
    while step < 24 {
        powers[step as usize / 4][step as usize % 4] = Rules::TSU.chain_power(step + 1) as i64;
        step += 1;
    }
    powers
};

/// The played chains of four boards.
struct Played {
    planes: [__m512i; 3],
    /// Steps, and tenths of the points, in both halves of each board's part.
    chains: __m512i,
    tenths: __m512i,
}

fearless_simd::kernel!(
    /// Plays the chains of four boards side by side, by groups of four.
    #[inline]
    fn play(simd: Avx512, planes: [__m512i; 3]) -> Played {
        let visible = visible!(simd);
        let [mut low, mut middle, mut high] = planes;
        let others = _mm512_andnot_si512(high, _mm512_or_si512(low, middle));
        let has_others = _mm512_test_epi64_mask(others, others) != 0;
        let (mut chains, mut tenths) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        let mut step = 0;
        loop {
            let links = links!(four, [low, middle, high], visible);
            let sure = sure!(four, links);
            let some = _mm512_or_si512(sure[0], sure[1]);
            if _mm512_test_epi64_mask(some, some) == 0 {
                return Played { planes: [low, middle, high], chains, tenths };
            }
            let popping = groups!(four, sure, links);
            let before = [low, middle, high];
            without!(four, [low, middle, high], popping, visible, has_others);
            step += 1;
            let power = _mm512_set1_epi64(i64::from(Rules::TSU.chain_power(step)));
            let (puyos, points) = worth!(simd, popping, before, power);
            tenths = _mm512_add_epi64(tenths, points);
            chains = _mm512_add_epi64(chains, _mm512_min_epu64(puyos, _mm512_set1_epi64(1)));
        }
    }
);

fearless_simd::kernel!(
    /// Plays the chain of one board by groups of four. The points of four steps are computed at a time.
    pub fn fire(simd: Avx512, field: &mut Field) -> Fired {
        let visible = lane!(simd, VISIBLE);
        let [mut low, mut middle, mut high] = field.planes.map(|cells| lane!(simd, cells));
        let others = _mm_andnot_si128(high, _mm_or_si128(low, middle));
        let has_others = _mm_test_epi64_mask(others, others) != 0;
        let none = [_mm_setzero_si128(); 4];
        // Of the last steps, up to four: the popped cells, and the planes before.
        let (mut popped, mut before) = (none, [none; 3]);
        let (mut tenths, mut chain) = (_mm512_setzero_si512(), 0_usize);
        loop {
            let links = links!(one, [low, middle, high], visible);
            let sure = sure!(one, links);
            let some = _mm_or_si128(sure[0], sure[1]);
            let is_over = _mm_test_epi64_mask(some, some) == 0;
            if chain > 0 && (is_over || chain % 4 == 0) {
                let planes = before.map(|lanes| side_by_side!(lanes));
                let [one, two, three, four] = POWERS[(chain - 1).min(20) / 4];
                let powers = _mm512_setr_epi64(one, one, two, two, three, three, four, four);
                tenths = _mm512_add_epi64(tenths, worth!(simd, side_by_side!(popped), planes, powers).1);
                popped = none;
            }
            if is_over {
                break;
            }
            let popping = groups!(one, sure, links);
            let place = chain % 4;
            popped[place] = popping;
            (before[0][place], before[1][place], before[2][place]) = (low, middle, high);
            without!(one, [low, middle, high], popping, visible, has_others);
            chain += 1;
        }
        field.planes = [cells!(simd, low), cells!(simd, middle), cells!(simd, high)];
        #[expect(clippy::cast_possible_truncation, reason = "a chain's steps and points fit in 32 bits")]
        let (chain, tenths) =
            (chain as u32, parts!(simd, tenths).iter().map(|tenths| *tenths as u32).sum::<u32>());
        Fired { chain, score: 10 * tenths }
    }
);

fearless_simd::kernel!(
    /// The same for four boards of many, by index.
    #[inline]
    fn fire_four(simd: Avx512, fields: &mut [Field], fired: &mut [Fired], numbers: [usize; 4]) {
        let Played { planes, chains, tenths } =
            play(simd, planes_of!(simd, numbers.map(|number| fields[number])));
        let [low, middle, high] = planes.map(|plane| parts!(simd, plane));
        let (chains, tenths) = (parts!(simd, chains), parts!(simd, tenths));
        for board in 0..4 {
            fields[numbers[board]].planes = [low[board], middle[board], high[board]];
            #[expect(clippy::cast_possible_truncation, reason = "a chain's steps and points fit in 32 bits")]
            let (chain, tenths) = (chains[board] as u32, tenths[board] as u32);
            fired[numbers[board]] = Fired { chain, score: 10 * tenths };
        }
    }
);

fearless_simd::kernel!(
    /// The same for many boards: four at a time are tested for popping groups, and those that pop are played four at a time.
    pub fn fire_each(simd: Avx512, fields: &mut [Field], fired: &mut [Fired]) {
        let visible = visible!(simd);
        let count = fields.len().min(fired.len());
        fired.fill(Fired::default());
        let (mut popping, mut waiting) = ([0; 8], 0);
        let mut number = 0;
        while number + 4 <= count {
            let Some(next) = fields[number..].first_chunk::<4>() else { break };
            let [some, more] = sure!(four, links!(four, planes_of!(simd, next), visible));
            let sure = _mm512_or_si512(some, more);
            let pops = _mm512_test_epi64_mask(sure, sure);
            if pops != 0 {
                for board in 0..4 {
                    popping[waiting] = number + board;
                    waiting += usize::from(pops >> (2 * board) & 3 != 0);
                }
                if waiting >= 4 {
                    let [one, two, three, four, rest @ ..] = popping;
                    fire_four(simd, fields, fired, [one, two, three, four]);
                    popping[..4].copy_from_slice(&rest);
                    waiting -= 4;
                }
            }
            number += 4;
        }
        for &number in &popping[..waiting] {
            fired[number] = fire(simd, &mut fields[number]);
        }
        for number in number..count {
            fired[number] = fire(simd, &mut fields[number]);
        }
    }
);
