//! Chains in vectors of 512 bits, where the machine has them: four boards side by side, all their colours together.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use crate::puyo::bits::group_bonuses;
    use crate::puyo::field::{Field, SEEN};
    use crate::puyo::rules::{BONUS_MOST, Rules};
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
    const BOTH_WITHOUT_THIRD: i32 = FIRST & SECOND & !THIRD & 0xFF;
    const LIKE_AND_THIRD: i32 = !(FIRST ^ SECOND) & THIRD & 0xFF;
    const THIRD_WITH_FIRST_WITHOUT_SECOND: i32 = FIRST & !SECOND & THIRD;

    /// One cell up, down, to the right, to the left. What leaves a column is lost; what leaves the board meets nothing there.
    macro_rules! up {
        ($cells:expr) => {
            _mm512_slli_epi16::<1>($cells)
        };
    }
    macro_rules! down {
        ($cells:expr) => {
            _mm512_srli_epi16::<1>($cells)
        };
    }
    macro_rules! right {
        ($cells:expr) => {
            _mm512_bslli_epi128::<2>($cells)
        };
    }
    macro_rules! left {
        ($cells:expr) => {
            _mm512_bsrli_epi128::<2>($cells)
        };
    }

    /// The seen puyos that have one of their own colour below, above, to the left, to the right. So all colours are looked at
    /// together. As each operation waits for the one before it, few stand one after another here and in what follows.
    macro_rules! links {
        ($planes:expr, $seen:expr) => {{
            let [low, middle, high] = $planes;
            let puyos = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(low, middle, high);
            let like_low = _mm512_ternarylogic_epi64::<LIKE_AND_THIRD>(low, up!(low), $seen);
            let unlike_middle = _mm512_xor_si512(middle, up!(middle));
            let like_high = _mm512_ternarylogic_epi64::<LIKE_AND_THIRD>(high, up!(high), puyos);
            let below = _mm512_ternarylogic_epi64::<BOTH_WITHOUT_THIRD>(like_low, like_high, unlike_middle);
            let like_low = _mm512_ternarylogic_epi64::<LIKE_AND_THIRD>(low, right!(low), $seen);
            let unlike_middle = _mm512_xor_si512(middle, right!(middle));
            let like_high = _mm512_ternarylogic_epi64::<LIKE_AND_THIRD>(high, right!(high), puyos);
            let to_left = _mm512_ternarylogic_epi64::<BOTH_WITHOUT_THIRD>(like_low, like_high, unlike_middle);
            [below, down!(below), to_left, left!(to_left)]
        }};
    }

    /// Cells that are surely in a group of four or more: those with three links, and two that are linked and have two links each
    /// (see `in_fours`).
    macro_rules! sure {
        ($links:expr) => {{
            let [below, above, to_left, to_right] = $links;
            let (an_end, a_side) = (_mm512_or_si512(below, above), _mm512_or_si512(to_left, to_right));
            let both_sides = _mm512_and_si512(to_left, to_right);
            let both = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(below, above, both_sides);
            let two = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(an_end, a_side, both);
            let three = _mm512_ternarylogic_epi64::<ALL>(below, above, a_side);
            let three = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(both_sides, an_end, three);
            let some =
                _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(up!(two), _mm512_and_si512(two, below), three);
            let more = _mm512_ternarylogic_epi64::<ALL>(down!(two), two, above);
            let some =
                _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(right!(two), _mm512_and_si512(two, to_left), some);
            let more =
                _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(left!(two), _mm512_and_si512(two, to_right), more);
            _mm512_or_si512(some, more)
        }};
    }

    /// The groups that sure cells belong to: every other cell of a group of four or more is linked to a sure one.
    macro_rules! groups {
        ($sure:expr, $links:expr) => {{
            let [below, above, to_left, to_right] = $links;
            let some = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(up!($sure), below, $sure);
            let more = _mm512_and_si512(down!($sure), above);
            let some = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(right!($sure), to_left, some);
            let more = _mm512_ternarylogic_epi64::<BOTH_OR_THIRD>(left!($sure), to_right, more);
            _mm512_or_si512(some, more)
        }};
    }

    macro_rules! vector {
        ($halves:expr) => {
            _mm_set_epi64x($halves.1.cast_signed(), $halves.0.cast_signed())
        };
    }

    /// The chain powers of a step and of the three before it.
    macro_rules! powers {
        ($chain:expr) => {{
            let [one, two, three, four] = POWERS[$chain.min(STEPS_MOST) as usize];
            _mm512_setr_epi64(one, one, two, two, three, three, four, four)
        }};
    }

    /// Halves of 128 bits, the lower one first.
    macro_rules! halves {
        ($cells:expr) => {
            (_mm_cvtsi128_si64($cells).cast_unsigned(), _mm_extract_epi64::<1>($cells).cast_unsigned())
        };
    }

    /// The four parts of a vector.
    macro_rules! parts {
        ($cells:expr) => {
            [
                halves!(_mm512_castsi512_si128($cells)),
                halves!(_mm512_extracti32x4_epi32::<1>($cells)),
                halves!(_mm512_extracti32x4_epi32::<2>($cells)),
                halves!(_mm512_extracti32x4_epi32::<3>($cells)),
            ]
        };
    }

    /// A vector of four parts.
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

    /// The seen cells in all four parts.
    macro_rules! seen {
        () => {
            _mm512_broadcast_i32x4(vector!(split(SEEN)))
        };
    }

    /// Takes out what pops, and the garbage beside it; hard blocks beside it become garbage; then all falls.
    macro_rules! without {
        ([$low:ident, $middle:ident, $high:ident], $popping:expr, $seen:expr, $has_others:expr) => {
            let (none, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(1));
            let mut gone = $popping;
            if $has_others {
                let near = _mm512_ternarylogic_epi64::<ANY>(up!(gone), down!(gone), left!(gone));
                let near = _mm512_and_si512(_mm512_or_si512(near, right!(gone)), $seen);
                let near = _mm512_andnot_si512($high, near);
                let hard = _mm512_ternarylogic_epi64::<THIRD_WITH_FIRST_WITHOUT_SECOND>($middle, $low, near);
                let ojama = _mm512_ternarylogic_epi64::<THIRD_WITH_FIRST_WITHOUT_SECOND>($low, $middle, near);
                $low = _mm512_or_si512($low, hard);
                $middle = _mm512_andnot_si512(hard, $middle);
                gone = _mm512_or_si512(gone, ojama);
            }
            // What stands above cells that go comes down. Mostly they are one run in each column; else the lowest run goes first.
            loop {
                let below = _mm512_andnot_si512(gone, _mm512_sub_epi16(gone, one));
                let lowest = _mm512_and_si512(gone, _mm512_sub_epi16(none, gone));
                let rest = _mm512_and_si512(gone, _mm512_add_epi16(gone, lowest));
                let run = if _mm512_test_epi64_mask(rest, rest) == 0 {
                    gone
                } else {
                    _mm512_andnot_si512(rest, gone)
                };
                // That they are seen is nothing new but to the compiler, which then knows that no column goes whole.
                let rows = _mm512_popcnt_epi16(_mm512_and_si512(run, $seen));
                $low = _mm512_ternarylogic_epi64::<CHOICE>(below, $low, _mm512_srlv_epi16($low, rows));
                $middle = _mm512_ternarylogic_epi64::<CHOICE>(below, $middle, _mm512_srlv_epi16($middle, rows));
                $high = _mm512_ternarylogic_epi64::<CHOICE>(below, $high, _mm512_srlv_epi16($high, rows));
                if _mm512_test_epi64_mask(rest, rest) == 0 {
                    break;
                }
                gone = _mm512_srlv_epi16(rest, rows);
            }
        };
    }

    /// Puyos that pop, and a tenth of the points for them, in both halves of four parts, from the planes before and the chain power.
    macro_rules! worth {
        ($popping:expr, $planes:expr, $power:expr) => {{
            // Group bonuses of fewer than eight puyos, which are one group, and none for more; colour bonuses (see `Rules`).
            let of_group =
                _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 0, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0));
            let of_colors = _mm512_setr_epi64(0, 0, 3, 6, 12, 24, 0, 0);
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
            // Puyos of each colour in a byte of their own.
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
            let puyos = _mm512_sad_epu8(counts, none);
            let colors = _mm512_sad_epu8(_mm512_min_epu8(counts, _mm512_set1_epi8(1)), none);
            let at_most_8 = _mm512_min_epu8(counts, _mm512_set1_epi8(8));
            let mut bonus = _mm512_sad_epu8(_mm512_shuffle_epi8(of_group, at_most_8), none);
            if _mm512_test_epi8_mask(counts, _mm512_set1_epi8(!7)) != 0 {
                let mut more = [0; 4];
                for cells in of_color {
                    let parts = parts!(cells);
                    for board in 0..4 {
                        let cells = join(parts[board]);
                        if cells.count_ones() >= 8 {
                            more[board] += i64::from(group_bonuses(cells, Rules::TSU));
                        }
                    }
                }
                let [one, two, three, four] = more;
                let more = _mm512_set_epi64(four, four, three, three, two, two, one, one);
                bonus = _mm512_add_epi64(bonus, more);
            }
            let bonus = _mm512_add_epi64(bonus, _mm512_permutexvar_epi64(colors, of_colors));
            let bonus = _mm512_add_epi64(bonus, $power);
            let bonus = _mm512_max_epu64(bonus, _mm512_set1_epi64(1));
            let bonus = _mm512_min_epu64(bonus, _mm512_set1_epi64(i64::from(BONUS_MOST)));
            (puyos, _mm512_mul_epu32(puyos, bonus))
        }};
    }

    /// Steps that a chain can have at most: four puyos each, of 84.
    const STEPS_MOST: u32 = 21;

    /// The chain powers of a step and of the three before it (see `Rules::chain_power`).
    const POWERS: [[i64; 4]; STEPS_MOST as usize + 1] = {
        let (mut powers, mut step) = ([[0; 4]; STEPS_MOST as usize + 1], 0);
        while step <= STEPS_MOST {
            let mut ago = 0;
            while ago < 4 {
                powers[step as usize][ago as usize] = Rules::chain_power(step.saturating_sub(ago)) as i64;
                ago += 1;
            }
            step += 1;
        }
        powers
    };

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the halves of 128 bits")]
    fn split(cells: u128) -> (u64, u64) {
        (cells as u64, (cells >> 64) as u64)
    }

    #[inline(always)]
    fn join((low, high): (u64, u64)) -> u128 {
        u128::from(low) | u128::from(high) << 64
    }

    /// The planes of four boards side by side.
    macro_rules! planes_of {
        ($one:expr, $two:expr, $three:expr, $four:expr) => {{
            let [one, two, three, four] = [$one, $two, $three, $four];
            [
                eight!(split(one[0]), split(two[0]), split(three[0]), split(four[0])),
                eight!(split(one[1]), split(two[1]), split(three[1]), split(four[1])),
                eight!(split(one[2]), split(two[2]), split(three[2]), split(four[2])),
            ]
        }};
    }

    /// Chains of four boards that were played.
    struct Played {
        planes: [__m512i; 3],
        /// Steps, and tenths of the points, in both halves of each board's part.
        chains: __m512i,
        scores: __m512i,
    }

    fearless_simd::kernel!(
        /// Plays the chains of four boards side by side, by groups of four.
        #[inline]
        fn play(simd: Avx512, planes: [__m512i; 3]) -> Played {
            let seen = seen!();
            let [mut low, mut middle, mut high] = planes;
            let others = _mm512_andnot_si512(high, _mm512_or_si512(low, middle));
            let has_others = _mm512_test_epi64_mask(others, others) != 0;
            let (mut chains, mut scores) = (_mm512_setzero_si512(), _mm512_setzero_si512());
            let mut step = 0;
            loop {
                let links = links!([low, middle, high], seen);
                let sure = sure!(links);
                if _mm512_test_epi64_mask(sure, sure) == 0 {
                    return Played { planes: [low, middle, high], chains, scores };
                }
                let popping = groups!(sure, links);
                let before = [low, middle, high];
                without!([low, middle, high], popping, seen, has_others);
                step += 1;
                let power = _mm512_set1_epi64(i64::from(Rules::chain_power(step)));
                let (puyos, points) = worth!(popping, before, power);
                scores = _mm512_add_epi64(scores, points);
                chains = _mm512_add_epi64(chains, _mm512_min_epu64(puyos, _mm512_set1_epi64(1)));
            }
        }
    );

    fearless_simd::kernel!(
        /// Plays the chain of one board by groups of four. What its steps are worth is told of four of them at a time.
        pub fn fire(simd: Avx512, field: &mut Field) -> Fired {
            let seen = seen!();
            let [low, middle, high] = field.planes;
            let mut low = _mm512_broadcast_i32x4(vector!(split(low)));
            let mut middle = _mm512_broadcast_i32x4(vector!(split(middle)));
            let mut high = _mm512_broadcast_i32x4(vector!(split(high)));
            let others = _mm512_andnot_si512(high, _mm512_or_si512(low, middle));
            let has_others = _mm512_test_epi64_mask(others, others) != 0;
            let none = _mm512_setzero_si512();
            let (mut tenths, mut chain) = (none, 0);
            // Of the last four steps, the newest first: what popped, and the planes before.
            let (mut popped, mut before) = (none, [none; 3]);
            loop {
                let links = links!([low, middle, high], seen);
                let sure = sure!(links);
                if _mm512_test_epi64_mask(sure, sure) == 0 {
                    break;
                }
                let popping = groups!(sure, links);
                popped = _mm512_alignr_epi64::<6>(popped, popping);
                before = [
                    _mm512_alignr_epi64::<6>(before[0], low),
                    _mm512_alignr_epi64::<6>(before[1], middle),
                    _mm512_alignr_epi64::<6>(before[2], high),
                ];
                without!([low, middle, high], popping, seen, has_others);
                chain += 1;
                if chain % 4 == 0 {
                    tenths = _mm512_add_epi64(tenths, worth!(popped, before, powers!(chain)).1);
                    popped = none;
                }
            }
            if chain == 0 {
                return Fired::default();
            }
            if chain % 4 != 0 {
                tenths = _mm512_add_epi64(tenths, worth!(popped, before, powers!(chain)).1);
            }
            field.planes = [
                join(halves!(_mm512_castsi512_si128(low))),
                join(halves!(_mm512_castsi512_si128(middle))),
                join(halves!(_mm512_castsi512_si128(high))),
            ];
            let [one, two, three, four] = parts!(tenths);
            #[expect(clippy::cast_possible_truncation, reason = "a chain's points fit in 32 bits")]
            Fired { chain, score: 10 * (one.0 + two.0 + three.0 + four.0) as u32 }
        }
    );

    fearless_simd::kernel!(
        /// The same for four boards of many, by their numbers.
        #[inline]
        fn fire_four(simd: Avx512, fields: &mut [Field], fired: &mut [Fired], numbers: [usize; 4]) {
            let [one, two, three, four] = numbers;
            let planes =
                planes_of!(fields[one].planes, fields[two].planes, fields[three].planes, fields[four].planes);
            let played = play(simd, planes);
            let [low, middle, high] = played.planes;
            let (low, middle, high) = (parts!(low), parts!(middle), parts!(high));
            let (chains, scores) = (parts!(played.chains), parts!(played.scores));
            for board in 0..4 {
                let number = numbers[board];
                fields[number].planes = [join(low[board]), join(middle[board]), join(high[board])];
                #[expect(clippy::cast_possible_truncation, reason = "a chain's points fit in 32 bits")]
                let (chain, score) = (chains[board].0 as u32, scores[board].0 as u32);
                fired[number] = Fired { chain, score: 10 * score };
            }
        }
    );

    fearless_simd::kernel!(
        /// The same for many boards: four at a time are asked whether they pop, and those that do are played four at a time.
        pub fn fire_each(simd: Avx512, fields: &mut [Field], fired: &mut [Fired]) {
            let seen = seen!();
            let count = fields.len().min(fired.len());
            fired.fill(Fired::default());
            let (mut popping, mut waiting) = ([0; 8], 0);
            let mut number = 0;
            while number + 4 <= count {
                // Three vectors hold the planes of four boards one after the other; sorted, each holds one plane of all four.
                let Some([one, two, three, four]) = fields[number..].first_chunk::<4>() else { break };
                let (one, two, three, four) = (one.planes, two.planes, three.planes, four.planes);
                let first = eight!(split(one[0]), split(one[1]), split(one[2]), split(two[0]));
                let second = eight!(split(two[1]), split(two[2]), split(three[0]), split(three[1]));
                let third = eight!(split(three[2]), split(four[0]), split(four[1]), split(four[2]));
                let planes = [
                    sorted!(first, second, third, [0, 1, 6, 7, 12, 13, 0, 0], [0, 1, 2, 3, 4, 5, 10, 11]),
                    sorted!(first, second, third, [2, 3, 8, 9, 14, 15, 0, 0], [0, 1, 2, 3, 4, 5, 12, 13]),
                    sorted!(first, second, third, [4, 5, 10, 11, 0, 0, 0, 0], [0, 1, 2, 3, 8, 9, 14, 15]),
                ];
                let sure = sure!(links!(planes, seen));
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
}
