//! One condition made ready for whole blocks: the fast version of [`plain`](super::plain).
//!
//! Comparisons with a value become ranges of keys, comparisons with earlier values one of a few tests of two keys; what is
//! neither is left to the plain version, cell by cell.

use super::bits::{WORDS_MOST, count, ones};
use super::condition::{Compare, Condition};
use super::pattern::Masked;
use super::plain::{self, Seen};
use super::plan::{DECIMAL_MOST, Order, Pair, Plan};
use super::sweep::{
    AtLeast, Decimal, Exactly, Float, FloatAtLeast, FloatEqual, FloatExactly, FloatGreater, FloatNotLess,
    FloatUnequal, Half, Int, Is, Key, Marked, Marks, Ones, Other, Remainder, Same, Test, TestTwo, ThenAtMost,
    Within,
};
use super::value::{Kind, Part, ValueType, nearest};
use fearless_simd::{Level, Simd, dispatch};
use nextscope_memory::console::Endian;

/// Up to so many candidates of a block are looked at one by one.
const ONE_BY_ONE: usize = 24;

/// What is known of a block's earlier bytes.
#[derive(Clone, Copy)]
pub(super) enum Then<'a, 'f> {
    /// Nothing.
    Unknown,
    /// Its bytes, from this offset in it on.
    Bytes(usize, &'a [u8]),
    /// The bytes of each cell apart.
    Cells(&'f dyn Fn(u16) -> Option<&'a [u8]>),
    /// The same, those of each phase side by side, in lanes of so many bytes.
    Phases(usize, &'f dyn Fn(usize) -> &'a [u8]),
}

/// A block as it is judged.
pub(super) struct View<'a, 'f> {
    /// Its bytes, and those after it that its last cells reach into.
    pub now: &'a [u8],
    /// The same earlier.
    pub then: Then<'a, 'f>,
    /// How often each cell changed, where that is known of all of them.
    pub counts: Option<&'a [u32]>,
    /// How often a cell changed.
    pub changes: &'f dyn Fn(u16) -> u32,
    /// Which phases hold cells at all.
    pub phases: u8,
}

/// A condition, made ready.
pub(super) struct Judge {
    ty: ValueType,
    condition: Condition,
    plan: Plan,
    level: Level,
}

impl Judge {
    /// The condition must suit the type, and hold no cell that is still to be read.
    pub fn new(ty: ValueType, condition: Condition) -> Self {
        let plan = Plan::of(ty, &condition);
        Self { ty, condition, plan, level: Level::new() }
    }

    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Leaves those of the candidates that pass. `words` has a bit for each cell; `few` says that they may be so few that
    /// a look at each of them is quicker.
    pub fn narrow(&self, view: &View<'_, '_>, few: bool, marks: &mut Marks, words: &mut [u64]) {
        if few && count(words) <= ONE_BY_ONE {
            self.one_by_one(view, words);
            return;
        }
        let unjudged = self.condition.previous().is_some() && matches!(view.then, Then::Unknown);
        let plan = if unjudged { &Plan::of(self.ty, &Condition::Unknown) } else { &self.plan };
        let mut found = [0; WORDS_MOST];
        let found = &mut found[..words.len()];
        match plan {
            Plan::All => return,
            Plan::Nothing => {}
            Plan::Ranges(ranges) => {
                let tests: Vec<Step> = ranges.iter().map(|(low, high)| Step::Range(*low, *high)).collect();
                dispatch!(self.level, simd => self.sweep(simd, view, Earlier::None, &tests, marks, found));
            }
            Plan::Remainder(divisor, remainder) => {
                let step = [Step::Remainder(*divisor, *remainder)];
                dispatch!(self.level, simd => self.sweep(simd, view, Earlier::None, &step, marks, found));
                self.valid_only(view, marks, found);
            }
            Plan::Changes(compare, count) => {
                let Some(counts) = view.counts else { return self.one_by_one(view, words) };
                dispatch!(self.level, simd => counted(simd, counts, *compare, *count, found));
                self.valid_only(view, marks, found);
            }
            Plan::Tests(tests, both_valid) => {
                let then = match view.then {
                    Then::Bytes(0, then) if then.len() >= view.now.len() => Earlier::Bytes(then),
                    Then::Phases(lane, of) if lane == self.ty.lane() => Earlier::Phases(of),
                    _ => return self.one_by_one(view, words),
                };
                let steps: Vec<Step> = tests.iter().map(|test| Step::Pair(*test)).collect();
                dispatch!(self.level, simd => self.sweep(simd, view, then, &steps, marks, found));
                self.valid_only(view, marks, found);
                if *both_valid && matches!(self.ty.kind(), Kind::Bcd { .. }) {
                    let mut holds = [0; WORDS_MOST];
                    let holds = &mut holds[..found.len()];
                    let valid = [Step::Pair(Pair::ThenAtMost(DECIMAL_MOST))];
                    dispatch!(self.level, simd => self.sweep(simd, view, then, &valid, marks, holds));
                    and(found, holds);
                }
            }
            Plan::Pattern(not) => {
                let Condition::Matches { pattern, .. } = &self.condition else { return };
                dispatch!(self.level, simd => matched(simd, view.now, pattern.masked(), marks, found));
                if *not {
                    found.iter_mut().for_each(|word| *word = !*word);
                }
            }
            Plan::Bytes(changed) => {
                let Then::Bytes(0, then) = view.then else { return self.one_by_one(view, words) };
                if then.len() < view.now.len() {
                    return self.one_by_one(view, words);
                }
                bytes_changed(view.now, then, self.ty.width(), found);
                if !*changed {
                    found.iter_mut().for_each(|word| *word = !*word);
                }
            }
            Plan::Plain => return self.one_by_one(view, words),
        }
        self.left_over(view, found);
        and(words, found);
    }

    /// Whether one cell passes.
    fn passes(&self, view: &View<'_, '_>, cell: u16) -> bool {
        let halves = self.ty.kind().cells_in_byte();
        let offset = usize::from(cell) / halves;
        let part = match (halves, cell % 2) {
            (1, _) => Part::Whole,
            (_, 0) => Part::Lower,
            _ => Part::Upper,
        };
        let then = match view.then {
            Then::Unknown => None,
            Then::Bytes(from, bytes) => offset.checked_sub(from).and_then(|at| bytes.get(at..)),
            Then::Cells(of) => of(cell),
            Then::Phases(lane, of) => of(offset % lane).get(offset / lane * lane..),
        };
        let now = view.now.get(offset..).unwrap_or_default();
        plain::passes(self.ty, &self.condition, &Seen { now, then, part, changes: (view.changes)(cell) })
    }

    /// Leaves out what is no value of the type.
    fn valid_only(&self, view: &View<'_, '_>, marks: &mut Marks, found: &mut [u64]) {
        let Kind::Bcd { .. } = self.ty.kind() else { return };
        let valid = [Step::Range(0, DECIMAL_MOST)];
        let mut holds = [0; WORDS_MOST];
        let holds = &mut holds[..found.len()];
        dispatch!(self.level, simd => self.sweep(simd, view, Earlier::None, &valid, marks, holds));
        and(found, holds);
    }

    fn one_by_one(&self, view: &View<'_, '_>, words: &mut [u64]) {
        let mut left = [0; WORDS_MOST];
        for cell in ones(words).filter(|cell| self.passes(view, *cell)) {
            left[usize::from(cell) / 64] |= 1 << (cell % 64);
        }
        words.copy_from_slice(&left[..words.len()]);
    }

    /// Decimals shorter than the four bytes that they are read with: the last ones of the memory have not so many after them.
    fn left_over(&self, view: &View<'_, '_>, found: &mut [u64]) {
        let Kind::Bcd { bytes: 1..=3 } = self.ty.kind() else { return };
        let first = view.now.len().saturating_sub(3).min(64 * found.len());
        for cell in (first..view.now.len().min(64 * found.len())).filter_map(|cell| u16::try_from(cell).ok())
        {
            let (word, bit) = (usize::from(cell) / 64, 1 << (cell % 64));
            found[word] = if self.passes(view, cell) { found[word] | bit } else { found[word] & !bit };
        }
    }

    /// Runs the steps and adds a bit for every cell that one of them leaves.
    #[inline(always)]
    fn sweep<S: Simd>(
        &self,
        simd: S,
        view: &View<'_, '_>,
        then: Earlier<'_, '_>,
        steps: &[Step],
        marks: &mut Marks,
        out: &mut [u64],
    ) {
        let sweep = Sweep { now: view.now, then, steps, phases: view.phases };
        let swap = self.ty.order() == Endian::Big;
        let signed = self.ty.kind().is_signed();
        match (self.ty.kind(), swap) {
            (Kind::U8 | Kind::I8, _) => {
                sweep.bytes(simd, Int::<u8, false> { bias: if signed { 1 << 7 } else { 0 } }, marks, out);
            }
            (Kind::BitCount, _) => sweep.bytes(simd, Ones, marks, out),
            (Kind::Nibble, _) => {
                let (mut lower, mut upper) = ([0; WORDS_MOST / 2], [0; WORDS_MOST / 2]);
                sweep.bytes(simd, Half { shift: 0 }, marks, &mut lower);
                sweep.bytes(simd, Half { shift: 4 }, marks, &mut upper);
                for ((out, lower), upper) in out.as_chunks_mut::<2>().0.iter_mut().zip(lower).zip(upper) {
                    *out =
                        [spread(lower) | spread(upper) << 1, spread(lower >> 32) | spread(upper >> 32) << 1];
                }
            }
            (Kind::U16 | Kind::I16, false) => {
                sweep.words(simd, Int::<u16, false> { bias: if signed { 1 << 15 } else { 0 } }, marks, out);
            }
            (Kind::U16 | Kind::I16, true) => {
                sweep.words(simd, Int::<u16, true> { bias: if signed { 1 << 15 } else { 0 } }, marks, out);
            }
            (Kind::U32 | Kind::I32, false) => {
                sweep.longs(simd, Int::<u32, false> { bias: if signed { 1 << 31 } else { 0 } }, marks, out);
            }
            (Kind::U32 | Kind::I32, true) => {
                sweep.longs(simd, Int::<u32, true> { bias: if signed { 1 << 31 } else { 0 } }, marks, out);
            }
            (Kind::U64 | Kind::I64, false) => {
                sweep.quads(simd, Int::<u64, false> { bias: if signed { 1 << 63 } else { 0 } }, marks, out);
            }
            (Kind::U64 | Kind::I64, true) => {
                sweep.quads(simd, Int::<u64, true> { bias: if signed { 1 << 63 } else { 0 } }, marks, out);
            }
            (Kind::F32, false) => {
                sweep.singles(simd, Float::<false>, Int::<u32, false> { bias: 0 }, marks, out);
            }
            (Kind::F32, true) => sweep.singles(simd, Float::<true>, Int::<u32, true> { bias: 0 }, marks, out),
            (Kind::F64, false) => {
                sweep.doubles(simd, Float::<false>, Int::<u64, false> { bias: 0 }, marks, out);
            }
            (Kind::F64, true) => sweep.doubles(simd, Float::<true>, Int::<u64, true> { bias: 0 }, marks, out),
            (Kind::Bcd { bytes }, _) => {
                let bits = 8 * u32::from(bytes.clamp(1, 4));
                let (unused, mask) = (32 - bits, u32::MAX >> (32 - bits));
                if swap {
                    sweep.longs(simd, Decimal::<true> { shift: unused, mask }, marks, out);
                } else {
                    sweep.longs(simd, Decimal::<false> { shift: 0, mask }, marks, out);
                }
            }
            (Kind::Bytes { .. }, _) => {}
        }
    }
}

fn and(words: &mut [u64], with: &[u64]) {
    words.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
}

/// Every bit of the low half gets a place beside it.
fn spread(half: u64) -> u64 {
    let mut bits = half & 0xFFFF_FFFF;
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF;
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

/// Earlier bytes as the sweep takes them.
#[derive(Clone, Copy)]
enum Earlier<'a, 'f> {
    None,
    /// As memory holds them.
    Bytes(&'a [u8]),
    /// Those of each phase apart.
    Phases(&'f dyn Fn(usize) -> &'a [u8]),
}

/// One pass over a block.
#[derive(Clone, Copy)]
enum Step {
    /// A divisor, and what is left.
    Remainder(u64, u64),
    /// From key to key, both included.
    Range(u64, u64),
    Pair(Pair),
}

struct Sweep<'a, 'f, 'b> {
    now: &'b [u8],
    then: Earlier<'a, 'f>,
    steps: &'b [Step],
    phases: u8,
}

macro_rules! sweeps {
    ($($name:ident, $lane:ty;)*) => { $(
        #[inline(always)]
        #[allow(clippy::cast_possible_truncation, reason = "keys are as wide as the lanes")]
        fn $name<S: Simd, K: Key<$lane>>(&self, simd: S, key: K, marks: &mut Marks, out: &mut [u64]) {
            let marks = <$lane>::cleared(marks);
            for step in self.steps {
                match *step {
                    Step::Range(low, high) if low == high => {
                        let wanted = Is(low as $lane);
                        // Long numbers are rare enough to look first whether there is any.
                        if size_of::<$lane>() < 4 || self.any(key, wanted) {
                            self.one(key, wanted, marks);
                        } else if self.steps.len() == 1 {
                            return;
                        }
                    }
                    Step::Range(low, high) => {
                        self.one(key, Within { low: low as $lane, span: (high - low) as $lane }, marks);
                    }
                    Step::Remainder(divisor, remainder) => {
                        if let Some(test) = Remainder::<$lane>::new(divisor, remainder) {
                            self.one(key, test, marks);
                        }
                    }
                    Step::Pair(Pair::Same) => self.two(key, Same, Order::NowGreater, marks),
                    Step::Pair(Pair::Other) => self.two(key, Other, Order::NowGreater, marks),
                    Step::Pair(Pair::AtLeast(by, order)) => self.two(key, AtLeast(by as $lane), order, marks),
                    Step::Pair(Pair::Exactly(by, order)) => self.two(key, Exactly(by as $lane), order, marks),
                    Step::Pair(Pair::ThenAtMost(most)) => {
                        self.two(key, ThenAtMost(most as $lane), Order::NowGreater, marks);
                    }
                    Step::Pair(_) => {} // of floats
                }
            }
            <$lane>::pack(simd, marks, out);
        }
    )* };
}

macro_rules! float_sweeps {
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
            for step in self.steps {
                match *step {
                    Step::Range(low, high) => {
                        self.one(ranges, Within { low: low as $lane, span: (high - low) as $lane }, marks);
                    }
                    Step::Pair(Pair::Same) => self.two(bits, Same, Order::NowGreater, marks),
                    Step::Pair(Pair::Other) => self.two(bits, Other, Order::NowGreater, marks),
                    Step::Pair(Pair::FloatEqual) => self.two(bits, FloatEqual, Order::NowGreater, marks),
                    Step::Pair(Pair::FloatUnequal) => self.two(bits, FloatUnequal, Order::NowGreater, marks),
                    Step::Pair(Pair::FloatGreater(order)) => self.two(bits, FloatGreater, order, marks),
                    Step::Pair(Pair::FloatNotLess(order)) => self.two(bits, FloatNotLess, order, marks),
                    Step::Pair(Pair::FloatExactly(by, order)) => {
                        self.two(bits, FloatExactly($of(by)), order, marks);
                    }
                    Step::Pair(Pair::FloatAtLeast(by, order)) => {
                        self.two(bits, FloatAtLeast($of(by)), order, marks);
                    }
                    Step::Remainder(..)
                    | Step::Pair(Pair::AtLeast(..) | Pair::Exactly(..) | Pair::ThenAtMost(_)) => {} // of whole numbers
                }
            }
            <$lane>::pack(simd, marks, out);
        }
    )* };
}

impl Sweep<'_, '_, '_> {
    #[inline(always)]
    fn phases<L>(&self) -> impl Iterator<Item = usize> {
        let phases = self.phases;
        (0..size_of::<L>()).filter(move |phase| phases >> phase & 1 == 1)
    }

    #[inline(always)]
    fn any<L: Marked, K: Key<L>, T: Test<L>>(&self, key: K, test: T) -> bool {
        self.phases::<L>().any(|phase| L::any(from(self.now, phase), key, test))
    }

    #[inline(always)]
    fn one<L: Marked, K: Key<L>, T: Test<L>>(&self, key: K, test: T, marks: &mut [L]) {
        for phase in self.phases::<L>() {
            L::mark(from(self.now, phase), phase, key, test, marks);
        }
    }

    #[inline(always)]
    fn two<L: Marked, K: Key<L>, T: TestTwo<L>>(&self, key: K, test: T, order: Order, marks: &mut [L]) {
        for phase in self.phases::<L>() {
            let now = from(self.now, phase);
            let then = match self.then {
                Earlier::None => return,
                Earlier::Bytes(then) => from(then, phase),
                Earlier::Phases(of) => of(phase),
            };
            match order {
                Order::NowGreater => L::mark_two(now, then, phase, key, test, marks),
                Order::ThenGreater => L::mark_two(then, now, phase, key, test, marks),
            }
        }
    }

    sweeps! {
        bytes, u8;
        words, u16;
        longs, u32;
        quads, u64;
    }

    float_sweeps! {
        singles, u32, nearest;
        doubles, u64, std::convert::identity::<f64>;
    }
}

fn from(bytes: &[u8], offset: usize) -> &[u8] {
    bytes.get(offset..).unwrap_or_default()
}

/// Adds a bit for every cell whose number of changes compares so.
#[inline(always)]
fn counted<S: Simd>(_simd: S, counts: &[u32], compare: Compare, than: u32, out: &mut [u64]) {
    for (word, counts) in out.iter_mut().zip(counts.chunks(64)) {
        for (bit, count) in counts.iter().enumerate() {
            *word |= u64::from(compare.holds(Some(count.cmp(&than)))) << bit;
        }
    }
}

/// Adds a bit for every place where the pattern stands.
#[inline(always)]
fn matched<S: Simd>(simd: S, now: &[u8], pattern: &[Masked], marks: &mut Marks, out: &mut [u64]) {
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

/// Adds a bit for every place where one of `width` bytes is another than before.
fn bytes_changed(now: &[u8], then: &[u8], width: usize, out: &mut [u64]) {
    let mut next = usize::MAX; // the next byte that differs
    for at in (0..now.len().min(then.len())).rev() {
        if now[at] != then[at] {
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
            let then: Vec<u8> = now.iter().zip(&steps).map(|(now, step)| now.wrapping_sub(*step)).collect();
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
                        let judge = Judge { level, ..Judge::new(ty, condition.clone()) };
                        let mut words = vec![u64::MAX; 64 * kind.cells_in_byte()];
                        let view = View {
                            now: &now,
                            then: Then::Bytes(0, &then),
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
