//! One condition prepared for whole blocks: the fast version of [`reference`](super::reference).
//!
//! Comparisons with a value become ranges of keys, comparisons with previous values tests of two keys. Every other condition is
//! checked by the reference, cell by cell.

use super::bits::{WORDS_MOST, count, ones};
use super::condition::{Compare, Condition};
use super::kernel::{FloatLane, Lane, Marks, bit_count_key, decimal_key};
use super::pattern::Masked;
use super::plan::{DECIMAL_MOST, KeyTest, Order, Plan};
use super::reference::{self, CellState};
use super::value::{Kind, Part, ValueType};
use crate::console::Endian;
use fearless_simd::{Level, Simd, dispatch};

/// Up to this many candidates of a block are checked one by one.
const ONE_BY_ONE: usize = 24;

/// The previous bytes of a block.
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

/// A block as a matcher reads it.
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
            return self.one_by_one(view, words);
        }
        // Without previous values every cell with a value of the type stays.
        let unknown = self.condition.previous().is_some() && matches!(view.previous, PreviousValues::Unknown);
        let plan = if unknown { &Plan::of(self.ty, &Condition::Unknown) } else { &self.plan };
        let mut found = [0; WORDS_MOST];
        let found = &mut found[..words.len()];
        match plan {
            Plan::All => return,
            Plan::Nothing => {}
            Plan::Scan(tests) => {
                self.scan(view, tests, marks, found);
                self.only_valid(view, KeyTest::Range(0, DECIMAL_MOST), marks, found);
            }
            Plan::ScanRanges(tests) => self.scan(view, tests, marks, found),
            Plan::ScanPairs(tests, both_valid) => {
                let all_known = match view.previous {
                    PreviousValues::Bytes(0, previous) => previous.len() >= view.now.len(),
                    PreviousValues::Phases(lane, _) => lane == self.ty.lane(),
                    _ => false,
                };
                if !all_known {
                    return self.one_by_one(view, words);
                }
                self.scan(view, tests, marks, found);
                self.only_valid(view, KeyTest::Range(0, DECIMAL_MOST), marks, found);
                if *both_valid {
                    self.only_valid(view, KeyTest::PreviousAtMost(DECIMAL_MOST), marks, found);
                }
            }
            Plan::Changes(compare, count) => {
                let Some(counts) = view.counts else { return self.one_by_one(view, words) };
                dispatch!(self.level, simd => match_counts(simd, counts, *compare, *count, found));
                self.only_valid(view, KeyTest::Range(0, DECIMAL_MOST), marks, found);
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
        let state = CellState { now, previous, part, changes: (view.changes)(cell) };
        reference::matches(self.ty, &self.condition, &state)
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

    /// Removes decimals that do not pass a test of their validity.
    fn only_valid(&self, view: &BlockView<'_, '_>, test: KeyTest, marks: &mut Marks, found: &mut [u64]) {
        let Kind::Bcd { .. } = self.ty.kind() else { return };
        let mut valid = [0; WORDS_MOST];
        let valid = &mut valid[..found.len()];
        self.scan(view, &[test], marks, valid);
        and(found, valid);
    }

    /// Adds a bit for every cell that passes one of the tests.
    fn scan(&self, view: &BlockView<'_, '_>, tests: &[KeyTest], marks: &mut Marks, out: &mut [u64]) {
        dispatch!(self.level, simd => self.scan_with(simd, view, tests, marks, out));
    }

    #[inline(always)]
    fn scan_with<S: Simd>(
        &self,
        simd: S,
        view: &BlockView<'_, '_>,
        tests: &[KeyTest],
        marks: &mut Marks,
        out: &mut [u64],
    ) {
        use Endian::{Big, Little};
        let scan = Scan { view, tests };
        // Inverting the sign bit makes signed numbers compare like unsigned ones.
        let sign = |bits: u32| u64::from(self.ty.kind().is_signed()) << (bits - 1);
        match (self.ty.kind(), self.ty.order()) {
            (Kind::U8 | Kind::I8, _) => {
                let sign = u8::from_key(sign(8));
                scan.integers(simd, move |raw: u8| raw ^ sign, marks, out);
            }
            (Kind::U16 | Kind::I16, order) => {
                let sign = u16::from_key(sign(16));
                match order {
                    Little => scan.integers(simd, move |raw: u16| raw ^ sign, marks, out),
                    Big => scan.integers(simd, move |raw: u16| raw.swap_bytes() ^ sign, marks, out),
                }
            }
            (Kind::U32 | Kind::I32, order) => {
                let sign = u32::from_key(sign(32));
                match order {
                    Little => scan.integers(simd, move |raw: u32| raw ^ sign, marks, out),
                    Big => scan.integers(simd, move |raw: u32| raw.swap_bytes() ^ sign, marks, out),
                }
            }
            (Kind::U64 | Kind::I64, order) => {
                let sign = sign(64);
                match order {
                    Little => scan.integers(simd, move |raw: u64| raw ^ sign, marks, out),
                    Big => scan.integers(simd, move |raw: u64| raw.swap_bytes() ^ sign, marks, out),
                }
            }
            (Kind::F32, Little) => scan.floats(simd, |raw: u32| raw, marks, out),
            (Kind::F32, Big) => scan.floats(simd, u32::swap_bytes, marks, out),
            (Kind::F64, Little) => scan.floats(simd, |raw: u64| raw, marks, out),
            (Kind::F64, Big) => scan.floats(simd, u64::swap_bytes, marks, out),
            (Kind::Bcd { bytes }, order) => {
                let unused = 32 - 8 * u32::from(bytes.clamp(1, 4));
                match order {
                    Little => {
                        let mask = u32::MAX >> unused;
                        scan.integers(simd, move |raw: u32| decimal_key(raw & mask), marks, out);
                    }
                    Big => {
                        scan.integers(
                            simd,
                            move |raw: u32| decimal_key(raw.swap_bytes() >> unused),
                            marks,
                            out,
                        );
                    }
                }
            }
            (Kind::BitCount, _) => scan.integers(simd, bit_count_key, marks, out),
            (Kind::Nibble, _) => {
                let (mut lower, mut upper) = ([0; WORDS_MOST / 2], [0; WORDS_MOST / 2]);
                scan.integers(simd, move |raw: u8| raw & 15, marks, &mut lower);
                scan.integers(simd, move |raw: u8| raw >> 4, marks, &mut upper);
                for ((out, lower), upper) in out.as_chunks_mut::<2>().0.iter_mut().zip(lower).zip(upper) {
                    *out =
                        [spread(lower) | spread(upper) << 1, spread(lower >> 32) | spread(upper >> 32) << 1];
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

/// One scan of a block: cells that pass any of the tests are marked.
struct Scan<'a, 'f, 'b> {
    view: &'b BlockView<'a, 'f>,
    tests: &'b [KeyTest],
}

impl Scan<'_, '_, '_> {
    #[inline(always)]
    fn integers<S: Simd, L: Lane>(
        &self,
        simd: S,
        key: impl Fn(L) -> L + Copy,
        marks: &mut Marks,
        out: &mut [u64],
    ) {
        let marks = L::cleared(marks);
        for test in self.tests {
            match *test {
                KeyTest::Range(low, high) if low == high => {
                    let value = L::from_key(low);
                    let equal = move |raw: L| key(raw) == value;
                    // Long numbers are rare enough to check first whether there is any.
                    if size_of::<L>() < 4 || self.any(equal) {
                        self.mark(marks, equal);
                    } else if self.tests.len() == 1 {
                        return;
                    }
                }
                KeyTest::Range(low, high) => {
                    let (low, span) = (L::from_key(low), L::from_key(high - low));
                    self.mark(marks, move |raw: L| key(raw).minus(low) <= span);
                }
                KeyTest::Remainder(divisor, remainder) => {
                    if let Some(remainder) = L::remainder(divisor, remainder) {
                        for phase in self.phases::<L>() {
                            L::mark_remainder(from(self.view.now, phase), phase, marks, remainder, key);
                        }
                    }
                }
                KeyTest::Same => {
                    self.mark_pairs(Order::NowFirst, marks, move |one, other| key(one) == key(other))
                }
                KeyTest::Different => {
                    self.mark_pairs(Order::NowFirst, marks, move |one, other| key(one) != key(other));
                }
                KeyTest::AtLeast(by, order) => {
                    let by = L::from_key(by);
                    self.mark_pairs(order, marks, move |one, other| {
                        let (more, less) = (key(one), key(other));
                        more >= less && more.minus(less) >= by
                    });
                }
                KeyTest::Exactly(by, order) => {
                    let by = L::from_key(by);
                    self.mark_pairs(order, marks, move |one, other| {
                        let (more, less) = (key(one), key(other));
                        more >= less && more.minus(less) == by
                    });
                }
                KeyTest::PreviousAtMost(most) => {
                    let most = L::from_key(most);
                    self.mark_pairs(Order::NowFirst, marks, move |_, previous| key(previous) <= most);
                }
                KeyTest::FloatEqual
                | KeyTest::FloatDifferent
                | KeyTest::FloatGreater(_)
                | KeyTest::FloatNotLess(_)
                | KeyTest::FloatExactly(..)
                | KeyTest::FloatAtLeast(..) => {}
            }
        }
        L::pack(simd, marks, out);
    }

    /// `bits` puts the bytes of a lane in order.
    #[inline(always)]
    fn floats<S: Simd, L: FloatLane>(
        &self,
        simd: S,
        bits: impl Fn(L) -> L + Copy,
        marks: &mut Marks,
        out: &mut [u64],
    ) {
        let marks = L::cleared(marks);
        let float = move |raw: L| bits(raw).float();
        for test in self.tests {
            match *test {
                KeyTest::Range(low, high) => {
                    let (low, span) = (L::from_key(low), L::from_key(high - low));
                    self.mark(marks, move |raw: L| bits(raw).float_key().minus(low) <= span);
                }
                KeyTest::Same => self.mark_pairs(Order::NowFirst, marks, move |one: L, other| one == other),
                KeyTest::Different => {
                    self.mark_pairs(Order::NowFirst, marks, move |one: L, other| one != other)
                }
                KeyTest::FloatEqual => {
                    self.mark_pairs(Order::NowFirst, marks, move |one, other| float(one) == float(other));
                }
                KeyTest::FloatDifferent => {
                    self.mark_pairs(Order::NowFirst, marks, move |one, other| float(one) != float(other));
                }
                KeyTest::FloatGreater(order) => {
                    self.mark_pairs(order, marks, move |one, other| float(one) > float(other));
                }
                KeyTest::FloatNotLess(order) => {
                    self.mark_pairs(order, marks, move |one, other| float(one) >= float(other));
                }
                KeyTest::FloatExactly(by, order) => {
                    let by = L::from_f64(by);
                    self.mark_pairs(order, marks, move |one, other| float(one) - float(other) == by);
                }
                KeyTest::FloatAtLeast(by, order) => {
                    let by = L::from_f64(by);
                    self.mark_pairs(order, marks, move |one, other| float(one) - float(other) >= by);
                }
                KeyTest::Remainder(..)
                | KeyTest::AtLeast(..)
                | KeyTest::Exactly(..)
                | KeyTest::PreviousAtMost(_) => {}
            }
        }
        L::pack(simd, marks, out);
    }

    #[inline(always)]
    fn phases<L>(&self) -> impl Iterator<Item = usize> + use<L> {
        let phases = self.view.phases;
        (0..size_of::<L>()).filter(move |phase| phases >> phase & 1 == 1)
    }

    #[inline(always)]
    fn any<L: Lane>(&self, test: impl Fn(L) -> bool + Copy) -> bool {
        self.phases::<L>().any(|phase| L::any(from(self.view.now, phase), test))
    }

    #[inline(always)]
    fn mark<L: Lane>(&self, marks: &mut [L], test: impl Fn(L) -> bool + Copy) {
        for phase in self.phases::<L>() {
            L::mark(from(self.view.now, phase), phase, marks, test);
        }
    }

    #[inline(always)]
    fn mark_pairs<L: Lane>(&self, order: Order, marks: &mut [L], test: impl Fn(L, L) -> bool + Copy) {
        for phase in self.phases::<L>() {
            let now = from(self.view.now, phase);
            let previous = match self.view.previous {
                PreviousValues::Bytes(0, previous) => from(previous, phase),
                PreviousValues::Phases(_, of) => of(phase),
                _ => return,
            };
            let (one, other) = match order {
                Order::NowFirst => (now, previous),
                Order::PreviousFirst => (previous, now),
            };
            L::mark_pairs(one, other, phase, marks, test);
        }
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

/// Adds a bit for every offset at which the pattern matches.
#[inline(always)]
fn match_pattern<S: Simd>(simd: S, now: &[u8], pattern: &[Masked], marks: &mut Marks, out: &mut [u64]) {
    let marks = u8::cleared(marks);
    let offsets = (now.len() + 1).saturating_sub(pattern.len()).min(marks.len());
    let marked = &mut marks[..offsets];
    marked.fill(0xFF);
    for (at, byte) in pattern.iter().enumerate().filter(|(_, byte)| byte.mask != 0) {
        for (mark, now) in marked.iter_mut().zip(&now[at..]) {
            *mark &= if now & byte.mask == byte.value { 0xFF } else { 0 };
        }
        if marked.iter().fold(0, |any, mark| any | mark) == 0 {
            return;
        }
    }
    u8::pack(simd, marks, out);
}

/// Adds a bit for every offset at which one of `width` bytes differs.
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
    use proptest::prelude::*;

    /// All that this machine has, and what it has without vectors where that is compiled.
    fn levels() -> Vec<Level> {
        let level = Level::new();
        #[cfg(target_arch = "x86_64")]
        {
            let levels = [
                level.as_avx512().map(Simd::level),
                level.as_avx2().map(Simd::level),
                level.as_sse4_2().map(Simd::level),
                level.as_sse2().map(Simd::level),
            ];
            levels.into_iter().flatten().collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            vec![level]
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_instruction_set_finds_the_same(
            now in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), any::<u8>()], 4100..4104),
            steps in proptest::collection::vec(0u8..3, 4104),
            kind in prop::sample::select(Kind::NUMBERS.to_vec()),
            big: bool,
        ) {
            let ty = ValueType::new(kind, if big { Endian::Big } else { Endian::Little }).expect("a type");
            let previous: Vec<u8> = now.iter().zip(&steps).map(|(now, step)| now.wrapping_sub(*step)).collect();
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
                let found: Vec<Vec<u64>> = levels()
                    .into_iter()
                    .map(|level| {
                        let matcher = Matcher { level, ..Matcher::new(ty, condition.clone()) };
                        let mut words = vec![u64::MAX; 64 * kind.cells_in_byte()];
                        let view = BlockView {
                            now: &now,
                            previous: PreviousValues::Bytes(0, &previous),
                            counts: None,
                            changes: &|_| 0,
                            phases: u8::MAX,
                        };
                        matcher.narrow(&view, false, &mut Marks::default(), &mut words);
                        words
                    })
                    .collect();
                prop_assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{condition:?}");
            }
        }
    }
}
