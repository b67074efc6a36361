//! Chains in vectors of 512 bits, where the machine has them: four colours of one board, or one colour of four boards, side by side.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use crate::puyo::bits::group_bonuses;
    use crate::puyo::field::{Field, SEEN};
    use crate::puyo::rules::Rules;
    use crate::puyo::simulate::Fired;
    #[allow(clippy::wildcard_imports, reason = "the processor's instructions, by their names")]
    use core::arch::x86_64::*;

    // Truth tables of three inputs, as the instruction wants them: the first input is 0xF0, the second 0xCC, the third 0xAA.
    const FIRST: i32 = 0xF0;
    const SECOND: i32 = 0xCC;
    const THIRD: i32 = 0xAA;
    const ANY: i32 = FIRST | SECOND | THIRD;
    const ALL: i32 = FIRST & SECOND & THIRD;
    const BOTH_OR_THIRD: i32 = FIRST & SECOND | THIRD;
    const CHOICE: i32 = FIRST & SECOND | !FIRST & THIRD;
    const UNLIKE_AND_THIRD: i32 = (FIRST ^ SECOND) & THIRD;

    /// Counts of four colours, in the four 16-bit parts: a one in each.
    const ONES: u64 = 0x0001_0001_0001_0001;

    /// The seen cells of four colours beside one another, from planes that are the same in all four parts (or of one colour
    /// for four boards). `$low` and `$middle` are all ones where the colour's code has a zero.
    macro_rules! of_color {
        ($planes:expr, $low:expr, $middle:expr, $seen:expr) => {{
            let high = _mm512_and_si512($planes[2], $seen);
            let some = _mm512_ternarylogic_epi64::<UNLIKE_AND_THIRD>($planes[0], $low, high);
            _mm512_ternarylogic_epi64::<UNLIKE_AND_THIRD>($planes[1], $middle, some)
        }};
    }

    /// The cells above, below, left and right of some.
    macro_rules! moved {
        ($cells:expr) => {
            (
                _mm512_slli_epi16::<1>($cells),
                _mm512_srli_epi16::<1>($cells),
                _mm512_bslli_epi128::<2>($cells),
                _mm512_bsrli_epi128::<2>($cells),
            )
        };
    }

    /// Cells that are surely in a group of four or more, as [`in_fours`] tells it.
    macro_rules! sure {
        ($cells:expr) => {{
            let (up, down, left, right) = moved!($cells);
            let (an_end, a_side) = (_mm512_or_si512(up, down), _mm512_or_si512(left, right));
            let both_sides = _mm512_and_si512(left, right);
            let both = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(up, down, both_sides);
            let two = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(an_end, a_side, both);
            let two = _mm512_and_si512(two, $cells);
            let three = _mm512_ternarylogic_epi64::<ALL>(up, down, a_side);
            let three = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(both_sides, an_end, three);
            let three = _mm512_and_si512(three, $cells);
            let (up, down, left, right) = moved!(two);
            let beside = _mm512_ternarylogic_epi64::<ANY>(up, down, left);
            let beside = _mm512_or_si512(beside, right);
            _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(two, beside, three)
        }};
    }

    macro_rules! halves {
        ($cells:expr) => {
            (_mm_cvtsi128_si64($cells).cast_unsigned(), _mm_extract_epi64::<1>($cells).cast_unsigned())
        };
    }

    macro_rules! vector {
        ($low:expr, $high:expr) => {
            _mm_set_epi64x($high.cast_signed(), $low.cast_signed())
        };
    }

    /// Four planes, one after the other.
    macro_rules! eight {
        ($first:expr, $second:expr, $third:expr, $fourth:expr) => {
            _mm512_set_epi64(
                $fourth.1.cast_signed(),
                $fourth.0.cast_signed(),
                $third.1.cast_signed(),
                $third.0.cast_signed(),
                $second.1.cast_signed(),
                $second.0.cast_signed(),
                $first.1.cast_signed(),
                $first.0.cast_signed(),
            )
        };
    }

    /// Halves of planes out of three vectors: first by their numbers in the first two, then by those in what that gives and the third.
    macro_rules! sorted {
        ($first:expr, $second:expr, $third:expr, [$($of_two:expr),*], [$($of_three:expr),*]) => {{
            let two = _mm512_permutex2var_epi64($first, _mm512_setr_epi64($($of_two),*), $second);
            _mm512_permutex2var_epi64(two, _mm512_setr_epi64($($of_three),*), $third)
        }};
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits")]
    fn split(cells: u128) -> (u64, u64) {
        (cells as u64, (cells >> 64) as u64)
    }

    #[inline(always)]
    fn join(low: u64, high: u64) -> u128 {
        u128::from(low) | u128::from(high) << 64
    }

    /// The cells beside some, and they themselves.
    macro_rules! near {
        ($cells:expr) => {{
            let (up, down, left, right) = moved!($cells);
            let near = _mm512_ternarylogic_epi64::<ANY>(up, down, left);
            _mm512_ternarylogic_epi64::<ANY>(near, right, $cells)
        }};
    }

    fearless_simd::kernel!(
        /// Plays the chain of one board by groups of four. The planes stay in vectors, four times side by side, from step to step:
        /// the way to the other registers and back takes longer than a step's work.
        pub fn fire(simd: Avx512, field: &mut Field) -> Fired {
            let (seen_low, seen_high) = split(SEEN);
            let seen = _mm512_broadcast_i32x4(vector!(seen_low, seen_high));
            // The codes 4, 5, 6 and 7 from the lowest part up.
            let low = _mm512_set_epi64(0, 0, -1, -1, 0, 0, -1, -1);
            let middle = _mm512_set_epi64(0, 0, 0, 0, -1, -1, -1, -1);
            let none = _mm512_setzero_si512();
            let one = _mm512_set1_epi16(1);
            let without_high = !field.planes[2];
            let has_nuisance = (field.planes[0] ^ field.planes[1]) & without_high != 0;
            let has_fifth = field.planes[0] & field.planes[1] & without_high != 0;
            let [(low_0, high_0), (low_1, high_1), (low_2, high_2)] = field.planes.map(split);
            let mut plane_0 = _mm512_broadcast_i32x4(vector!(low_0, high_0));
            let mut plane_1 = _mm512_broadcast_i32x4(vector!(low_1, high_1));
            let mut plane_2 = _mm512_broadcast_i32x4(vector!(low_2, high_2));
            let mut fired = Fired::default();
            loop {
                let cells = of_color!([plane_0, plane_1, plane_2], low, middle, seen);
                let sure = sure!(cells);
                let (mut fifth, mut any) = (none, sure);
                if has_fifth {
                    let cells = _mm512_ternarylogic_epi64::<{ FIRST & SECOND & !THIRD & 0xFF }>(
                        plane_0, plane_1, plane_2,
                    );
                    let cells = _mm512_and_si512(cells, seen);
                    let sure = sure!(cells);
                    fifth = _mm512_and_si512(near!(sure), cells);
                    any = _mm512_or_si512(any, sure);
                }
                if _mm512_test_epi64_mask(any, any) == 0 {
                    break;
                }
                let popping = _mm512_and_si512(near!(sure), cells);
                // What goes of any colour, in all four parts.
                let half = _mm512_shuffle_i64x2::<0b01_00_11_10>(popping, popping);
                let half = _mm512_ternarylogic_epi64::<ANY>(popping, half, fifth);
                let mut gone = _mm512_or_si512(half, _mm512_shuffle_i64x2::<0b10_11_00_01>(half, half));
                if has_nuisance {
                    let beside = _mm512_and_si512(near!(gone), seen);
                    let beside = _mm512_andnot_si512(plane_2, beside);
                    let hard = _mm512_and_si512(beside, _mm512_andnot_si512(plane_0, plane_1));
                    let ojama = _mm512_and_si512(beside, _mm512_andnot_si512(plane_1, plane_0));
                    plane_0 = _mm512_or_si512(plane_0, hard);
                    plane_1 = _mm512_andnot_si512(hard, plane_1);
                    gone = _mm512_or_si512(gone, ojama);
                }
                // In each column the lowest run of cells that go, and what stands above it comes down.
                loop {
                    let lowest = _mm512_and_si512(gone, _mm512_sub_epi16(none, gone));
                    let run = _mm512_andnot_si512(_mm512_add_epi16(gone, lowest), gone);
                    let rows = _mm512_popcnt_epi16(run);
                    let below = _mm512_sub_epi16(lowest, one);
                    plane_0 =
                        _mm512_ternarylogic_epi64::<CHOICE>(below, plane_0, _mm512_srlv_epi16(plane_0, rows));
                    plane_1 =
                        _mm512_ternarylogic_epi64::<CHOICE>(below, plane_1, _mm512_srlv_epi16(plane_1, rows));
                    plane_2 =
                        _mm512_ternarylogic_epi64::<CHOICE>(below, plane_2, _mm512_srlv_epi16(plane_2, rows));
                    gone = _mm512_srlv_epi16(_mm512_andnot_si512(run, gone), rows);
                    if _mm512_test_epi64_mask(gone, gone) == 0 {
                        break;
                    }
                }
                fired.chain += 1;
                // Puyos of each colour in 16 bits of their own.
                let counts = _mm512_cvtepi64_epi8(_mm512_popcnt_epi64(popping));
                let counts = _mm_cvtsi128_si64(counts).cast_unsigned();
                let counts = (counts + (counts >> 8)) & (0xFF * ONES);
                let mut colors = ((counts + 0x7FFF * ONES) & (0x8000 * ONES)).count_ones();
                let sum = |parts: u64| (parts.wrapping_mul(ONES) >> 48) as u32;
                let mut puyos = sum(counts);
                let mut bonus = if counts & (0xF8 * ONES) == 0 {
                    // One group of 4 to 7 at most: 0, 2, 3, 4.
                    let more = counts & (3 * ONES);
                    sum(more + ((more | more >> 1) & ONES))
                } else {
                    let parts = [
                        _mm512_castsi512_si128(popping),
                        _mm512_extracti32x4_epi32::<1>(popping),
                        _mm512_extracti32x4_epi32::<2>(popping),
                        _mm512_extracti32x4_epi32::<3>(popping),
                    ];
                    let mut bonus = 0;
                    for part in parts {
                        let (low, high) = halves!(part);
                        bonus += group_bonuses(join(low, high), Rules::TSU);
                    }
                    bonus
                };
                if has_fifth {
                    let (low, high) = halves!(_mm512_castsi512_si128(fifth));
                    let cells = join(low, high);
                    if cells != 0 {
                        colors += 1;
                        puyos += cells.count_ones();
                        bonus += group_bonuses(cells, Rules::TSU);
                    }
                }
                fired.score += Rules::points(puyos, fired.chain, colors, bonus);
            }
            if fired.chain > 0 {
                let (low_0, high_0) = halves!(_mm512_castsi512_si128(plane_0));
                let (low_1, high_1) = halves!(_mm512_castsi512_si128(plane_1));
                let (low_2, high_2) = halves!(_mm512_castsi512_si128(plane_2));
                field.planes = [join(low_0, high_0), join(low_1, high_1), join(low_2, high_2)];
            }
            fired
        }
    );

    fearless_simd::kernel!(
        /// The same for many boards: those that do not pop are told four at a time.
        pub fn fire_each(simd: Avx512, fields: &mut [Field], fired: &mut [Fired]) {
            let (seen_low, seen_high) = split(SEEN);
            let seen = _mm512_broadcast_i32x4(vector!(seen_low, seen_high));
            let (zeros, ones) = (_mm512_setzero_si512(), _mm512_set1_epi64(-1));
            let (four, rest) = fields.as_chunks_mut::<4>();
            let (fired_four, fired_rest) = fired.split_at_mut(fired.len().min(4 * four.len()));
            for (fields, fired) in four.iter_mut().zip(fired_four.as_chunks_mut::<4>().0) {
                // Three vectors hold the planes of four boards one after the other; sorted, each holds one plane of all four.
                let [one, two, three, four] = fields.each_ref().map(|field| field.planes.map(split));
                let first = eight!(one[0], one[1], one[2], two[0]);
                let second = eight!(two[1], two[2], three[0], three[1]);
                let third = eight!(three[2], four[0], four[1], four[2]);
                let planes = [
                    sorted!(first, second, third, [0, 1, 6, 7, 12, 13, 0, 0], [0, 1, 2, 3, 4, 5, 10, 11]),
                    sorted!(first, second, third, [2, 3, 8, 9, 14, 15, 0, 0], [0, 1, 2, 3, 4, 5, 12, 13]),
                    sorted!(first, second, third, [4, 5, 10, 11, 0, 0, 0, 0], [0, 1, 2, 3, 8, 9, 14, 15]),
                ];
                let mut sure = zeros;
                for (low, middle) in [(ones, ones), (zeros, ones), (ones, zeros), (zeros, zeros)] {
                    let cells = of_color!(planes, low, middle, seen);
                    sure = _mm512_or_si512(sure, sure!(cells));
                }
                let fifth = _mm512_ternarylogic_epi64::<{ FIRST & SECOND & !THIRD & 0xFF }>(
                    planes[0], planes[1], planes[2],
                );
                if _mm512_test_epi64_mask(fifth, fifth) != 0 {
                    let cells = _mm512_and_si512(fifth, seen);
                    sure = _mm512_or_si512(sure, sure!(cells));
                }
                let popping = _mm512_test_epi64_mask(sure, sure);
                fired.fill(Fired::default());
                if popping != 0 {
                    for (board, (field, fired)) in fields.iter_mut().zip(fired).enumerate() {
                        if popping >> (2 * board) & 3 != 0 {
                            *fired = fire(simd, field);
                        }
                    }
                }
            }
            for (field, fired) in rest.iter_mut().zip(fired_rest) {
                *fired = fire(simd, field);
            }
        }
    );
}
