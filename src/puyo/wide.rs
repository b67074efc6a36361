//! Chains in vectors of 512 bits, where the machine has them: four colours of one board, or one colour of four boards, side by side.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use crate::puyo::bits::{group_bonuses, in_fours};
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

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits")]
    fn split(cells: u128) -> (u64, u64) {
        (cells as u64, (cells >> 64) as u64)
    }

    #[inline(always)]
    fn join(low: u64, high: u64) -> u128 {
        u128::from(low) | u128::from(high) << 64
    }

    fearless_simd::kernel!(
        /// Plays the chain of one board by groups of four.
        pub fn fire(simd: Avx512, field: &mut Field) -> Fired {
            let (seen_low, seen_high) = split(SEEN);
            let seen = _mm512_broadcast_i32x4(vector!(seen_low, seen_high));
            // The codes 4, 5, 6 and 7 from the lowest part up.
            let low = _mm512_set_epi64(0, 0, -1, -1, 0, 0, -1, -1);
            let middle = _mm512_set_epi64(0, 0, 0, 0, -1, -1, -1, -1);
            let [one, two, three] = field.planes.map(split);
            let (mut lows, mut highs) = ([one.0, two.0, three.0], [one.1, two.1, three.1]);
            let without_high = !field.planes[2];
            let has_nuisance = (field.planes[0] ^ field.planes[1]) & without_high != 0;
            let has_fifth = field.planes[0] & field.planes[1] & without_high != 0;
            let mut fired = Fired::default();
            loop {
                let planes =
                    [vector!(lows[0], highs[0]), vector!(lows[1], highs[1]), vector!(lows[2], highs[2])];
                let wide = [
                    _mm512_broadcast_i32x4(planes[0]),
                    _mm512_broadcast_i32x4(planes[1]),
                    _mm512_broadcast_i32x4(planes[2]),
                ];
                let cells = of_color!(wide, low, middle, seen);
                let sure = sure!(cells);
                let fifth = if has_fifth {
                    let cells = [0, 1, 2].map(|plane| join(lows[plane], highs[plane]));
                    in_fours(cells[0] & cells[1] & !cells[2] & SEEN)
                } else {
                    0
                };
                if _mm512_test_epi64_mask(sure, sure) == 0 && fifth == 0 {
                    break;
                }
                let (up, down, left, right) = moved!(sure);
                let near = _mm512_ternarylogic_epi64::<ANY>(up, down, left);
                let near = _mm512_ternarylogic_epi64::<ANY>(near, right, sure);
                let popping = _mm512_and_si512(near, cells);
                let half =
                    _mm256_or_si256(_mm512_castsi512_si256(popping), _mm512_extracti64x4_epi64::<1>(popping));
                let mut gone =
                    _mm_or_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
                if has_fifth {
                    let (low, high) = split(fifth);
                    gone = _mm_or_si128(gone, vector!(low, high));
                }
                if has_nuisance {
                    let beside = _mm_ternarylogic_epi64::<ANY>(
                        _mm_slli_epi16::<1>(gone),
                        _mm_srli_epi16::<1>(gone),
                        _mm_bslli_si128::<2>(gone),
                    );
                    let beside = _mm_or_si128(beside, _mm_bsrli_si128::<2>(gone));
                    let beside = _mm_and_si128(beside, _mm512_castsi512_si128(seen));
                    let beside = _mm_andnot_si128(planes[2], beside);
                    let ojama = _mm_and_si128(beside, _mm_andnot_si128(planes[1], planes[0]));
                    let hard = _mm_and_si128(beside, _mm_andnot_si128(planes[0], planes[1]));
                    let (cracked_low, cracked_high) = halves!(hard);
                    lows = [lows[0] | cracked_low, lows[1] & !cracked_low, lows[2]];
                    highs = [highs[0] | cracked_high, highs[1] & !cracked_high, highs[2]];
                    gone = _mm_or_si128(gone, ojama);
                }
                // What is left of each column, pushed together, and laid down again from its floor up.
                let room = _mm_srlv_epi16(_mm_set1_epi16(-1), _mm_popcnt_epi16(gone));
                let (gone_low, gone_high) = halves!(gone);
                let (room_low, room_high) = halves!(room);
                for (low, high) in lows.iter_mut().zip(&mut highs) {
                    *low = _pdep_u64(_pext_u64(*low, !gone_low), room_low);
                    *high = _pdep_u64(_pext_u64(*high, !gone_high), room_high);
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
                if fifth != 0 {
                    colors += 1;
                    puyos += fifth.count_ones();
                    bonus += group_bonuses(fifth, Rules::TSU);
                }
                fired.score += Rules::points(puyos, fired.chain, colors, bonus);
            }
            field.planes = [0, 1, 2].map(|plane: usize| join(lows[plane], highs[plane]));
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
                let mut planes = [zeros; 3];
                for (nth, plane) in planes.iter_mut().enumerate() {
                    let parts = [0, 1, 2, 3].map(|board: usize| {
                        let (low, high) = split(fields[board].planes[nth]);
                        vector!(low, high)
                    });
                    let lower = _mm256_set_m128i(parts[1], parts[0]);
                    let upper = _mm256_set_m128i(parts[3], parts[2]);
                    *plane = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(lower), upper);
                }
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
