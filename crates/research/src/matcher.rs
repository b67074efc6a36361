//! One condition prepared for whole blocks: the fast version of [`reference`](mod@super::reference).
//!
//! Comparisons with a value become ranges of keys, comparisons with previous values tests of two keys. Every other condition is
//! checked by the reference, cell by cell.

use super::bits::{WORDS_MOST, count, ones};
use super::condition::{Compare, Condition};
use super::kernel::{
    AtLeast, BitCount, Decimal, Different, Equal, Exactly, Float, FloatAtLeast, FloatDifferent, FloatEqual,
    FloatExactly, FloatGreater, FloatNotLess, Int, Key, KeyTest, Marked, Marks, Nibble, PairKeyTest,
    PreviousAtMost, Remainder, Same, Within,
};
use super::pattern::Masked;
use super::plan::{DECIMAL_MOST, Order, PairTest, Plan};
use super::reference::{self, CellState};
use super::value::{Kind, Part, ValueType, nearest};
use fearless_simd::{Level, Simd, dispatch};
use nextscope_memory::console::Endian;

/// Up to this many candidates of a block are checked one by one.
const ONE_BY_ONE: usize = 24;

#[derive(Clone, Copy)]
pub(super) enum PreviousValues<'a, 'f> {
    Unknown,
    /// From this offset in the block on.
    Bytes(usize, &'a [u8]),
    /// Of each cell.
    Cells(&'f dyn Fn(u16) -> Option<&'a [u8]>),
    /// Of all cells of a phase, side by side, in lanes of this many bytes.
    Phases(usize, &'f dyn Fn(usize) -> &'a [u8]),
}

pub(super) struct BlockView<'a, 'f> {
    /// Its bytes, and those after it that its last cells reach into.
    pub now: &'a [u8],
    pub previous: PreviousValues<'a, 'f>,
    /// How often each cell changed, when that is known of all of them.
    pub counts: Option<&'a [u32]>,
    /// How often a cell changed.
    pub changes: &'f dyn Fn(u16) -> u32,
    /// A bit for each phase that has cells.
    pub phases: u8,
}

/// A prepared condition.
pub(super) struct Matcher {
    ty: ValueType,
    condition: Condition,
    plan: Plan,
    level: Level,
}

impl Matcher {
    /// The condition must fit the type and must not refer to another cell.
    pub fn new(ty: ValueType, condition: Condition) -> Self {
        let plan = Plan::of(ty, &condition);
        Self { ty, condition, plan, level: Level::new() }
    }

    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Removes the candidates that do not match. `words` has a bit for each cell; `few` says that there may be so few that
    /// checking each of them is faster.
    pub fn narrow(&self, view: &BlockView<'_, '_>, few: bool, marks: &mut Marks, words: &mut [u64]) {
        if few && count(words) <= ONE_BY_ONE {
            self.one_by_one(view, words);
            return;
        }
        // Without previous values every cell with a value of the type stays.
        let unknown = self.condition.previous().is_some() && matches!(view.previous, PreviousValues::Unknown);
        let plan = if unknown { &Plan::of(self.ty, &Condition::Unknown) } else { &self.plan };
        let mut found = [0; WORDS_MOST];
        let found = &mut found[..words.len()];
        match plan {
            Plan::All => return,
            Plan::Nothing => {}
            Plan::Ranges(ranges) => {
                let tests: Vec<ScanTest> =
                    ranges.iter().map(|(low, high)| ScanTest::Range(*low, *high)).collect();
                self.scan(view, PreviousBytes::None, &tests, marks, found);
            }
            Plan::Remainder(divisor, remainder) => {
                let tests = [ScanTest::Remainder(*divisor, *remainder)];
                self.scan(view, PreviousBytes::None, &tests, marks, found);
                self.only_valid(view, marks, found);
            }
            Plan::Changes(compare, count) => {
                let Some(counts) = view.counts else { return self.one_by_one(view, words) };
                dispatch!(self.level, simd => match_counts(simd, counts, *compare, *count, found));
                self.only_valid(view, marks, found);
            }
            Plan::Pairs(pairs, both_valid) => {
                let previous = match view.previous {
                    PreviousValues::Bytes(0, previous) if previous.len() >= view.now.len() => {
                        PreviousBytes::Bytes(previous)
                    }
                    PreviousValues::Phases(lane, of) if lane == self.ty.lane() => PreviousBytes::Phases(of),
                    _ => return self.one_by_one(view, words),
                };
                let tests: Vec<ScanTest> = pairs.iter().map(|pair| ScanTest::Pair(*pair)).collect();
                self.scan(view, previous, &tests, marks, found);
                self.only_valid(view, marks, found);
                if *both_valid && matches!(self.ty.kind(), Kind::Bcd { .. }) {
                    let mut valid_cells = [0; WORDS_MOST];
                    let valid_cells = &mut valid_cells[..found.len()];
                    let valid = [ScanTest::Pair(PairTest::PreviousAtMost(DECIMAL_MOST))];
                    self.scan(view, previous, &valid, marks, valid_cells);
                    and(found, valid_cells);
                }
            }
            Plan::Pattern(not) => {
                let Condition::Matches { pattern, .. } = &self.condition else { return };
                dispatch!(self.level, simd => match_pattern(simd, view.now, pattern.masked(), marks, found));
                if *not {
                    found.iter_mut().for_each(|word| *word = !*word);
                }
            }
            Plan::Bytes(changed) => {
                let PreviousValues::Bytes(0, previous) = view.previous else {
                    return self.one_by_one(view, words);
                };
                if previous.len() < view.now.len() {
                    return self.one_by_one(view, words);
                }
                mark_changed_bytes(view.now, previous, self.ty.width(), found);
                if !*changed {
                    found.iter_mut().for_each(|word| *word = !*word);
                }
            }
            Plan::Reference => return self.one_by_one(view, words),
        }
        self.check_last_decimals(view, found);
        and(words, found);
    }

    fn matches(&self, view: &BlockView<'_, '_>, cell: u16) -> bool {
        let halves = self.ty.kind().cells_in_byte();
        let offset = usize::from(cell) / halves;
        let part = match (halves, cell % 2) {
            (1, _) => Part::Whole,
            (_, 0) => Part::Lower,
            _ => Part::Upper,
        };
        let previous = match view.previous {
            PreviousValues::Unknown => None,
            PreviousValues::Bytes(from, bytes) => offset.checked_sub(from).and_then(|at| bytes.get(at..)),
            PreviousValues::Cells(of) => of(cell),
            PreviousValues::Phases(lane, of) => of(offset % lane).get(offset / lane * lane..),
        };
        let now = view.now.get(offset..).unwrap_or_default();
        reference::matches(
            self.ty,
            &self.condition,
            &CellState { now, previous, part, changes: (view.changes)(cell) },
        )
    }

    /// Removes the cells without a value of the type.
    fn only_valid(&self, view: &BlockView<'_, '_>, marks: &mut Marks, found: &mut [u64]) {
        let Kind::Bcd { .. } = self.ty.kind() else { return };
        let valid = [ScanTest::Range(0, DECIMAL_MOST)];
        let mut valid_cells = [0; WORDS_MOST];
        let valid_cells = &mut valid_cells[..found.len()];
        self.scan(view, PreviousBytes::None, &valid, marks, valid_cells);
        and(found, valid_cells);
    }

    fn one_by_one(&self, view: &BlockView<'_, '_>, words: &mut [u64]) {
        let mut left = [0; WORDS_MOST];
        for cell in ones(words).filter(|cell| self.matches(view, *cell)) {
            left[usize::from(cell) / 64] |= 1 << (cell % 64);
        }
        words.copy_from_slice(&left[..words.len()]);
    }

    /// Decimals are read four bytes at a time, whatever their length: the last cells of a memory have fewer bytes after them.
    fn check_last_decimals(&self, view: &BlockView<'_, '_>, found: &mut [u64]) {
        let Kind::Bcd { bytes: 1..=3 } = self.ty.kind() else { return };
        let first = view.now.len().saturating_sub(3).min(64 * found.len());
        for cell in (first..view.now.len().min(64 * found.len())).filter_map(|cell| u16::try_from(cell).ok())
        {
            let (word, bit) = (usize::from(cell) / 64, 1 << (cell % 64));
            found[word] = if self.matches(view, cell) { found[word] | bit } else { found[word] & !bit };
        }
    }

    /// Adds a bit for every cell that passes one of the tests.
    ///
    /// The only place that dispatches it: each one compiles all kinds and tests for each instruction set.
    fn scan(
        &self,
        view: &BlockView<'_, '_>,
        previous: PreviousBytes<'_, '_>,
        tests: &[ScanTest],
        marks: &mut Marks,
        out: &mut [u64],
    ) {
        dispatch!(self.level, simd => self.scan_with(simd, view, previous, tests, marks, out));
    }

    #[inline(always)]
    fn scan_with<S: Simd>(
        &self,
        simd: S,
        view: &BlockView<'_, '_>,
        previous: PreviousBytes<'_, '_>,
        tests: &[ScanTest],
        marks: &mut Marks,
        out: &mut [u64],
    ) {
        let scan = Scan { now: view.now, previous, tests, phases: view.phases };
        let swap = self.ty.order() == Endian::Big;
        let signed = self.ty.kind().is_signed();
        match (self.ty.kind(), swap) {
            (Kind::U8 | Kind::I8, _) => {
                scan.bytes(simd, Int::<u8, false> { bias: if signed { 1 << 7 } else { 0 } }, marks, out);
            }
            (Kind::BitCount, _) => scan.bytes(simd, BitCount, marks, out),
            (Kind::Nibble, _) => {
                let (mut lower, mut upper) = ([0; WORDS_MOST / 2], [0; WORDS_MOST / 2]);
                scan.bytes(simd, Nibble { shift: 0 }, marks, &mut lower);
                scan.bytes(simd, Nibble { shift: 4 }, marks, &mut upper);
                for ((out, lower), upper) in out.as_chunks_mut::<2>().0.iter_mut().zip(lower).zip(upper) {
                    *out =
                        [spread(lower) | spread(upper) << 1, spread(lower >> 32) | spread(upper >> 32) << 1];
                }
            }
            (Kind::U16 | Kind::I16, false) => {
                scan.words(simd, Int::<u16, false> { bias: if signed { 1 << 15 } else { 0 } }, marks, out);
            }
            (Kind::U16 | Kind::I16, true) => {
                scan.words(simd, Int::<u16, true> { bias: if signed { 1 << 15 } else { 0 } }, marks, out);
            }
            (Kind::U32 | Kind::I32, false) => {
                scan.longs(simd, Int::<u32, false> { bias: if signed { 1 << 31 } else { 0 } }, marks, out);
            }
            (Kind::U32 | Kind::I32, true) => {
                scan.longs(simd, Int::<u32, true> { bias: if signed { 1 << 31 } else { 0 } }, marks, out);
            }
            (Kind::U64 | Kind::I64, false) => {
                scan.quads(simd, Int::<u64, false> { bias: if signed { 1 << 63 } else { 0 } }, marks, out);
            }
            (Kind::U64 | Kind::I64, true) => {
                scan.quads(simd, Int::<u64, true> { bias: if signed { 1 << 63 } else { 0 } }, marks, out);
            }
            (Kind::F32, false) => {
                scan.singles(simd, Float::<false>, Int::<u32, false> { bias: 0 }, marks, out);
            }
            (Kind::F32, true) => scan.singles(simd, Float::<true>, Int::<u32, true> { bias: 0 }, marks, out),
            (Kind::F64, false) => {
                scan.doubles(simd, Float::<false>, Int::<u64, false> { bias: 0 }, marks, out);
            }
            (Kind::F64, true) => scan.doubles(simd, Float::<true>, Int::<u64, true> { bias: 0 }, marks, out),
            (Kind::Bcd { bytes }, _) => {
                let bits = 8 * u32::from(bytes.clamp(1, 4));
                let (unused, mask) = (32 - bits, u32::MAX >> (32 - bits));
                if swap {
                    scan.longs(simd, Decimal::<true> { shift: unused, mask }, marks, out);
                } else {
                    scan.longs(simd, Decimal::<false> { shift: 0, mask }, marks, out);
                }
            }
            (Kind::Bytes { .. }, _) => {}
        }
    }
}

fn and(words: &mut [u64], with: &[u64]) {
    words.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
}

/// Moves bit n of the low half to bit 2n.
fn spread(half: u64) -> u64 {
    let mut bits = half & 0xFFFF_FFFF;
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF;
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// Previous bytes that a scan can compare with.
#[derive(Clone, Copy)]
enum PreviousBytes<'a, 'f> {
    None,
    /// In the order of the memory.
    Bytes(&'a [u8]),
    /// Of each phase.
    Phases(&'f dyn Fn(usize) -> &'a [u8]),
}

#[derive(Clone, Copy)]
enum ScanTest {
    /// A divisor and the remainder.
    Remainder(u64, u64),
    /// From key to key, both included.
    Range(u64, u64),
    Pair(PairTest),
}

struct Scan<'a, 'f, 'b> {
    now: &'b [u8],
    previous: PreviousBytes<'a, 'f>,
    tests: &'b [ScanTest],
    phases: u8,
}

macro_rules! integer_scans {
    ($($name:ident, $lane:ty;)*) => { $(
        #[inline(always)]
        #[allow(clippy::cast_possible_truncation, reason = "keys are as wide as the lanes")]
        fn $name<S: Simd, K: Key<$lane>>(&self, simd: S, key: K, marks: &mut Marks, out: &mut [u64]) {
            let marks = <$lane>::cleared(marks);
            for test in self.tests {
                match *test {
                    ScanTest::Range(low, high) if low == high => {
                        let value = Equal(low as $lane);
                        // Long numbers are rare enough to check first whether there is any.
                        if size_of::<$lane>() < 4 || self.any(key, value) {
                            self.mark(key, value, marks);
                        } else if self.tests.len() == 1 {
                            return;
                        }
                    }
                    ScanTest::Range(low, high) => {
                        self.mark(key, Within { low: low as $lane, span: (high - low) as $lane }, marks);
                    }
                    ScanTest::Remainder(divisor, remainder) => {
                        if let Some(test) = Remainder::<$lane>::new(divisor, remainder) {
                            // Where the compiler sees how the values are made, it does not vectorize the loop of the 64-bit lanes.
                            self.mark(key, std::hint::black_box(test), marks);
                        }
                    }
                    ScanTest::Pair(PairTest::Same) => self.mark_pairs(key, Same, Order::NowFirst, marks),
                    ScanTest::Pair(PairTest::Different) => self.mark_pairs(key, Different, Order::NowFirst, marks),
                    ScanTest::Pair(PairTest::AtLeast(by, order)) => self.mark_pairs(key, AtLeast(by as $lane), order, marks),
                    ScanTest::Pair(PairTest::Exactly(by, order)) => self.mark_pairs(key, Exactly(by as $lane), order, marks),
                    ScanTest::Pair(PairTest::PreviousAtMost(most)) => {
                        self.mark_pairs(key, PreviousAtMost(most as $lane), Order::NowFirst, marks);
                    }
                    ScanTest::Pair(_) => {} // of floats
                }
            }
            <$lane>::pack(simd, marks, out);
        }
    )* };
}

macro_rules! float_scans {
    ($($name:ident, $lane:ty, $of:expr;)*) => { $(
        #[inline(always)]
        #[allow(clippy::cast_possible_truncation, reason = "keys are as wide as the lanes")]
        fn $name<S: Simd, R: Key<$lane>, B: Key<$lane>>(
            &self,
            simd: S,
            ranges: R,
            bits: B,
            marks: &mut Marks,
            out: &mut [u64],
        ) {
            let marks = <$lane>::cleared(marks);
            for test in self.tests {
                match *test {
                    ScanTest::Range(low, high) => {
                        self.mark(ranges, Within { low: low as $lane, span: (high - low) as $lane }, marks);
                    }
                    ScanTest::Pair(PairTest::Same) => self.mark_pairs(bits, Same, Order::NowFirst, marks),
                    ScanTest::Pair(PairTest::Different) => self.mark_pairs(bits, Different, Order::NowFirst, marks),
                    ScanTest::Pair(PairTest::FloatEqual) => self.mark_pairs(bits, FloatEqual, Order::NowFirst, marks),
                    ScanTest::Pair(PairTest::FloatDifferent) => self.mark_pairs(bits, FloatDifferent, Order::NowFirst, marks),
                    ScanTest::Pair(PairTest::FloatGreater(order)) => self.mark_pairs(bits, FloatGreater, order, marks),
                    ScanTest::Pair(PairTest::FloatNotLess(order)) => self.mark_pairs(bits, FloatNotLess, order, marks),
                    ScanTest::Pair(PairTest::FloatExactly(by, order)) => {
                        self.mark_pairs(bits, FloatExactly($of(by)), order, marks);
                    }
                    ScanTest::Pair(PairTest::FloatAtLeast(by, order)) => {
                        self.mark_pairs(bits, FloatAtLeast($of(by)), order, marks);
                    }
                    ScanTest::Remainder(..)
                    | ScanTest::Pair(PairTest::AtLeast(..) | PairTest::Exactly(..) | PairTest::PreviousAtMost(_)) => {} // of integers
                }
            }
            <$lane>::pack(simd, marks, out);
        }
    )* };
}

impl Scan<'_, '_, '_> {
    #[inline(always)]
    fn phases<L>(&self) -> impl Iterator<Item = usize> {
        let phases = self.phases;
        (0..size_of::<L>()).filter(move |phase| phases >> phase & 1 == 1)
    }

    #[inline(always)]
    fn any<L: Marked, K: Key<L>, T: KeyTest<L>>(&self, key: K, test: T) -> bool {
        self.phases::<L>().any(|phase| L::any(from(self.now, phase), key, test))
    }

    #[inline(always)]
    fn mark<L: Marked, K: Key<L>, T: KeyTest<L>>(&self, key: K, test: T, marks: &mut [L]) {
        for phase in self.phases::<L>() {
            L::mark(from(self.now, phase), phase, key, test, marks);
        }
    }

    #[inline(always)]
    fn mark_pairs<L: Marked, K: Key<L>, T: PairKeyTest<L>>(
        &self,
        key: K,
        test: T,
        order: Order,
        marks: &mut [L],
    ) {
        for phase in self.phases::<L>() {
            let now = from(self.now, phase);
            let previous = match self.previous {
                PreviousBytes::None => return,
                PreviousBytes::Bytes(previous) => from(previous, phase),
                PreviousBytes::Phases(of) => of(phase),
            };
            match order {
                Order::NowFirst => L::mark_pairs(now, previous, phase, key, test, marks),
                Order::PreviousFirst => L::mark_pairs(previous, now, phase, key, test, marks),
            }
        }
    }

    integer_scans! {
        bytes, u8;
        words, u16;
        longs, u32;
        quads, u64;
    }

    float_scans! {
        singles, u32, nearest;
        doubles, u64, std::convert::identity::<f64>;
    }
}

fn from(bytes: &[u8], offset: usize) -> &[u8] {
    bytes.get(offset..).unwrap_or_default()
}

/// Adds a bit for every cell whose number of changes compares so.
#[inline(always)]
fn match_counts<S: Simd>(_simd: S, counts: &[u32], compare: Compare, than: u32, out: &mut [u64]) {
    for (word, counts) in out.iter_mut().zip(counts.chunks(64)) {
        for (bit, count) in counts.iter().enumerate() {
            *word |= u64::from(compare.matches(Some(count.cmp(&than)))) << bit;
        }
    }
}

/// Adds a bit for every cell that matches the pattern.
#[inline(always)]
fn match_pattern<S: Simd>(simd: S, now: &[u8], pattern: &[Masked], marks: &mut Marks, out: &mut [u64]) {
    let marks = u8::cleared(marks);
    let places = (now.len() + 1).saturating_sub(pattern.len()).min(marks.len());
    let marks_there = &mut marks[..places];
    marks_there.fill(0xFF);
    for (at, want) in pattern.iter().enumerate().filter(|(_, want)| want.mask != 0) {
        for (mark, byte) in marks_there.iter_mut().zip(&now[at..]) {
            *mark &= if byte & want.mask == want.value { 0xFF } else { 0 };
        }
        if marks_there.iter().fold(0, |any, mark| any | mark) == 0 {
            return;
        }
    }
    u8::pack(simd, marks, out);
}

/// Adds a bit for every cell in which one of `width` bytes changed.
fn mark_changed_bytes(now: &[u8], previous: &[u8], width: usize, out: &mut [u64]) {
    let mut next = usize::MAX; // the next byte that differs
    for at in (0..now.len().min(previous.len())).rev() {
        if now[at] != previous[at] {
            next = at;
        }
        if next - at < width
            && let Some(word) = out.get_mut(at / 64)
        {
            *word |= 1 << (at % 64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::{Against, Change, Previous};
    use super::super::value::Value;
    use super::*;
    use nextscope_boards::Vectors;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_instruction_set_finds_the_same(
            now in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), any::<u8>()], 4100..4104),
            tests in proptest::collection::vec(0u8..3, 4104),
            kind in prop::sample::select(Kind::NUMBERS.to_vec()),
            big: bool,
        ) {
            let ty = ValueType::new(kind, if big { Endian::Big } else { Endian::Little }).expect("a type");
            let previous: Vec<u8> = now.iter().zip(&tests).map(|(now, step)| now.wrapping_sub(*step)).collect();
            let one = if kind.is_float() { Value::Float(0.0) } else { Value::Integer(1) };
            let last = || Against::Previous(Previous::LastSearch);
            let mut conditions = vec![
                Condition::Compare(Compare::Equal, Against::Value(one.clone())),
                Condition::Compare(Compare::LessOrEqual, Against::Value(one.clone())),
                Condition::Compare(Compare::Greater, last()),
                Condition::Changed(Previous::LastSearch),
                Condition::Differs { change: Change::Either, at_least: false, by: one, from: last() },
            ];
            if !kind.is_float() {
                conditions.push(Condition::Modulo { divisor: 3, equals: Against::Value(Value::Integer(1)) });
            }
            for condition in conditions {
                let found: Vec<Vec<u64>> = Vectors::all()
                    .into_iter()
                    .map(|vectors| {
                        let judge = Matcher { level: vectors.level(), ..Matcher::new(ty, condition.clone()) };
                        let mut words = vec![u64::MAX; 64 * kind.cells_in_byte()];
                        let view = BlockView {
                            now: &now,
                            previous: PreviousValues::Bytes(0, &previous),
                            counts: None,
                            changes: &|_| 0,
                            phases: u8::MAX,
                        };
                        judge.narrow(&view, false, &mut Marks::default(), &mut words);
                        words
                    })
                    .collect();
                prop_assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{condition:?}");
            }
        }
    }
}
