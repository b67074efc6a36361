//! One condition made ready for whole blocks: the fast version of [`plain`](super::plain).
//!
//! Comparisons with a value become ranges of keys, comparisons with earlier values one of a few tests of two keys; what is
//! neither is left to the plain version, cell by cell.

use super::bits::{WORDS_MOST, count, ones};
use super::condition::{Against, Change, Compare, Condition};
use super::pattern::Masked;
use super::plain::{self, Seen};
use super::sweep::{
    AtLeast, Decimal, Exactly, Float, FloatAtLeast, FloatEqual, FloatExactly, FloatGreater, FloatNotLess,
    FloatUnequal, Half, Int, Is, Key, Marked, Marks, Ones, Other, Same, Test, TestTwo, Within,
};
use super::value::{Kind, Part, Value, ValueType, low_32, nearest};
use crate::console::Endian;
use fearless_simd::{Level, Simd, dispatch};

/// Up to so many candidates of a block are looked at one by one.
const ONE_BY_ONE: usize = 24;

/// What is known of a block's earlier bytes.
#[derive(Clone, Copy)]
pub(super) enum Then<'a> {
    /// Nothing.
    Unknown,
    /// Its bytes, from this offset in it on.
    Bytes(usize, &'a [u8]),
    /// The bytes of each cell apart.
    Cells(&'a dyn Fn(u16) -> Option<&'a [u8]>),
}

/// A block as it is judged.
pub(super) struct View<'a> {
    /// Its bytes, and those after it that its last cells reach into.
    pub now: &'a [u8],
    /// The same earlier.
    pub then: Then<'a>,
    /// How often each cell changed.
    pub changes: &'a dyn Fn(u16) -> u32,
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

/// What needs no look at single cells.
#[derive(Debug)]
enum Plan {
    /// Everything passes.
    All,
    /// Nothing does.
    Nothing,
    /// One of these ranges holds the key.
    Ranges(Vec<(u64, u64)>),
    /// One of these tests holds; then the earlier value must be one as well where the flag says so.
    Tests(Vec<Pair>, bool),
    /// Bytes match a pattern, or do not.
    Pattern(bool),
    /// Whether bytes changed, or did not.
    Bytes(bool),
    /// Left to the plain version.
    Plain,
}

/// A test of two values.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Pair {
    Same,
    Other,
    AtLeast(u64, Order),
    Exactly(u64, Order),
    FloatEqual,
    FloatUnequal,
    FloatGreater(Order),
    FloatNotLess(Order),
    FloatExactly(f64, Order),
    FloatAtLeast(f64, Order),
}

/// Which of the two is the greater.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Order {
    NowGreater,
    ThenGreater,
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
    pub fn narrow(&self, view: &View<'_>, few: bool, marks: &mut Marks, words: &mut [u64]) {
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
                dispatch!(self.level, simd => self.sweep(simd, view, &[], &tests, marks, found));
            }
            Plan::Tests(tests, both_valid) => {
                let Then::Bytes(0, then) = view.then else { return self.one_by_one(view, words) };
                if then.len() < view.now.len() {
                    return self.one_by_one(view, words);
                }
                let steps: Vec<Step> = tests.iter().map(|test| Step::Pair(*test)).collect();
                dispatch!(self.level, simd => self.sweep(simd, view, then, &steps, marks, found));
                if let Kind::Bcd { .. } = self.ty.kind() {
                    let valid = [Step::Range(0, DECIMAL_MOST)];
                    let mut of_now = [0; WORDS_MOST];
                    let of_now = &mut of_now[..found.len()];
                    dispatch!(self.level, simd => self.sweep(simd, view, &[], &valid, marks, of_now));
                    and(found, of_now);
                    if *both_valid {
                        let earlier = View { now: then, ..*view };
                        of_now.fill(0);
                        dispatch!(self.level, simd => self.sweep(simd, &earlier, &[], &valid, marks, of_now));
                        and(found, of_now);
                    }
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
    fn passes(&self, view: &View<'_>, cell: u16) -> bool {
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
        };
        let now = view.now.get(offset..).unwrap_or_default();
        plain::passes(self.ty, &self.condition, &Seen { now, then, part, changes: (view.changes)(cell) })
    }

    fn one_by_one(&self, view: &View<'_>, words: &mut [u64]) {
        let mut left = [0; WORDS_MOST];
        for cell in ones(words).filter(|cell| self.passes(view, *cell)) {
            left[usize::from(cell) / 64] |= 1 << (cell % 64);
        }
        words.copy_from_slice(&left[..words.len()]);
    }

    /// Decimals shorter than the four bytes that they are read with: the last ones of the memory have not so many after them.
    fn left_over(&self, view: &View<'_>, found: &mut [u64]) {
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
        view: &View<'_>,
        then: &[u8],
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
                sweep.singles(simd, Float::<false>, Int::<u32, false> { bias: 0 }, marks, out)
            }
            (Kind::F32, true) => sweep.singles(simd, Float::<true>, Int::<u32, true> { bias: 0 }, marks, out),
            (Kind::F64, false) => {
                sweep.doubles(simd, Float::<false>, Int::<u64, false> { bias: 0 }, marks, out)
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

/// The greatest number that four bytes of decimal digits hold.
const DECIMAL_MOST: u64 = 99_999_999;

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

/// One pass over a block.
#[derive(Clone, Copy)]
enum Step {
    /// From key to key, both included.
    Range(u64, u64),
    Pair(Pair),
}

struct Sweep<'a> {
    now: &'a [u8],
    then: &'a [u8],
    steps: &'a [Step],
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
                    Step::Range(low, high) if low == high => self.one(key, Is(low as $lane), marks),
                    Step::Range(low, high) => {
                        self.one(key, Within { low: low as $lane, span: (high - low) as $lane }, marks);
                    }
                    Step::Pair(Pair::Same) => self.two(key, Same, Order::NowGreater, marks),
                    Step::Pair(Pair::Other) => self.two(key, Other, Order::NowGreater, marks),
                    Step::Pair(Pair::AtLeast(by, order)) => self.two(key, AtLeast(by as $lane), order, marks),
                    Step::Pair(Pair::Exactly(by, order)) => self.two(key, Exactly(by as $lane), order, marks),
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
                    Step::Pair(Pair::AtLeast(..) | Pair::Exactly(..)) => {} // of whole numbers
                }
            }
            <$lane>::pack(simd, marks, out);
        }
    )* };
}

impl Sweep<'_> {
    #[inline(always)]
    fn phases<L>(&self) -> impl Iterator<Item = usize> {
        let phases = self.phases;
        (0..size_of::<L>()).filter(move |phase| phases >> phase & 1 == 1)
    }

    #[inline(always)]
    fn one<L: Marked, K: Key<L>, T: Test<L>>(&self, key: K, test: T, marks: &mut [L]) {
        for phase in self.phases::<L>() {
            L::mark(self.now, phase, key, test, marks);
        }
    }

    #[inline(always)]
    fn two<L: Marked, K: Key<L>, T: TestTwo<L>>(&self, key: K, test: T, order: Order, marks: &mut [L]) {
        let (more, less) = match order {
            Order::NowGreater => (self.now, self.then),
            Order::ThenGreater => (self.then, self.now),
        };
        for phase in self.phases::<L>() {
            L::mark_two(more, less, phase, key, test, marks);
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

impl Plan {
    fn of(ty: ValueType, condition: &Condition) -> Self {
        let kind = ty.kind();
        if let Kind::Bytes { .. } = kind {
            return match condition {
                Condition::Unknown => Self::All,
                Condition::Changed(_) => Self::Bytes(true),
                Condition::Unchanged(_) => Self::Bytes(false),
                Condition::Matches { not, .. } => Self::Pattern(*not),
                _ => Self::Plain,
            };
        }
        match condition {
            Condition::Unknown if matches!(kind, Kind::Bcd { .. }) => Self::Ranges(vec![(0, DECIMAL_MOST)]),
            Condition::Unknown => Self::All,
            Condition::Compare(compare, Against::Value(value)) => {
                Self::ranges(kind, Bounds::of(kind, value).map(|bounds| bounds.that(*compare)), *compare)
            }
            Condition::Between(one, other) => {
                let (Some(one), Some(other)) = (Bounds::of(kind, one), Bounds::of(kind, other)) else {
                    return Self::Nothing;
                };
                let between = |low: &Bounds, high: &Bounds| (low.first, high.last);
                Self::of_ranges([between(&one, &other), between(&other, &one)])
            }
            Condition::Changed(_) => Self::Tests(vec![Pair::Other], false),
            Condition::Unchanged(_) => Self::Tests(vec![Pair::Same], false),
            Condition::Compare(compare, Against::Previous(_)) => {
                let test = if kind.is_float() { compare.of_floats() } else { compare.of_integers() };
                Self::Tests(vec![test], true)
            }
            Condition::Differs { change, at_least, by, from: Against::Previous(_) } => {
                let Some(test) = Pair::differs(by, *at_least) else { return Self::Plain };
                let tests = match change {
                    Change::Up => vec![test(Order::NowGreater)],
                    Change::Down => vec![test(Order::ThenGreater)],
                    Change::Either => vec![test(Order::NowGreater), test(Order::ThenGreater)],
                };
                Self::Tests(tests, true)
            }
            Condition::Differs { change, at_least, by, from: Against::Value(from) } => {
                let (Value::Integer(by), Value::Integer(from), Some(_)) = (by, from, kind.range()) else {
                    return Self::Plain;
                };
                let up = (from + by, if *at_least { i128::MAX } else { from + by });
                let down = (if *at_least { i128::MIN } else { from - by }, from - by);
                let wanted = match change {
                    Change::Up => vec![up],
                    Change::Down => vec![down],
                    Change::Either => vec![up, down],
                };
                Self::of_ranges(wanted.into_iter().filter_map(|(low, high)| keys_between(kind, low, high)))
            }
            _ => Self::Plain,
        }
    }

    fn ranges(kind: Kind, ranges: Option<Vec<(u64, u64)>>, compare: Compare) -> Self {
        match ranges {
            Some(ranges) => Self::of_ranges(ranges),
            // Nothing compares with nan but as unequal.
            None if compare == Compare::NotEqual && kind.is_float() => Self::All,
            None => Self::Nothing,
        }
    }

    fn of_ranges(ranges: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let ranges: Vec<_> = ranges.into_iter().filter(|(low, high)| low <= high).collect();
        if ranges.is_empty() { Self::Nothing } else { Self::Ranges(ranges) }
    }
}

impl Compare {
    fn of_integers(self) -> Pair {
        match self {
            Self::Equal => Pair::Same,
            Self::NotEqual => Pair::Other,
            Self::Less => Pair::AtLeast(1, Order::ThenGreater),
            Self::LessOrEqual => Pair::AtLeast(0, Order::ThenGreater),
            Self::Greater => Pair::AtLeast(1, Order::NowGreater),
            Self::GreaterOrEqual => Pair::AtLeast(0, Order::NowGreater),
        }
    }

    fn of_floats(self) -> Pair {
        match self {
            Self::Equal => Pair::FloatEqual,
            Self::NotEqual => Pair::FloatUnequal,
            Self::Less => Pair::FloatGreater(Order::ThenGreater),
            Self::LessOrEqual => Pair::FloatNotLess(Order::ThenGreater),
            Self::Greater => Pair::FloatGreater(Order::NowGreater),
            Self::GreaterOrEqual => Pair::FloatNotLess(Order::NowGreater),
        }
    }
}

impl Pair {
    fn differs(by: &Value, at_least: bool) -> Option<impl Fn(Order) -> Self> {
        let by = match by {
            Value::Integer(by) => Ok(u64::try_from(*by).ok()?),
            Value::Float(by) => Err(*by),
            Value::Bytes(_) => return None,
        };
        Some(move |order| match (by, at_least) {
            (Ok(by), true) => Self::AtLeast(by, order),
            (Ok(by), false) => Self::Exactly(by, order),
            (Err(by), true) => Self::FloatAtLeast(by, order),
            (Err(by), false) => Self::FloatExactly(by, order),
        })
    }
}

/// The keys at a value: the first that is not less than it, the last that is not greater, and the least and greatest keys
/// of any number of the type. (For a value that the type does not have exactly, `last` is below `first`.)
struct Bounds {
    first: u64,
    last: u64,
    least: u64,
    most: u64,
    /// The greatest key that there is, of something that is no number.
    beyond: u64,
}

impl Bounds {
    /// None for nan, and for values of another type.
    fn of(kind: Kind, value: &Value) -> Option<Self> {
        match (value, kind) {
            (Value::Integer(value), _) => {
                let (least, most) = kind.range()?;
                let (key, _) = keys_between(kind, *value, *value)?;
                let (least, most) = keys_between(kind, least, most)?;
                Some(Self { first: key, last: key, least, most, beyond: most })
            }
            (Value::Float(value), Kind::F32) => {
                let nearest = nearest(*value);
                let key = |number: f32| key_of_float(number.to_bits().into(), 32);
                let exact = f64::from(nearest).partial_cmp(value)?;
                let keys = [key(-0.0), key(0.0), key(nearest), key(f32::NEG_INFINITY), key(f32::INFINITY)];
                Some(Self::around(nearest == 0.0, exact, keys, u32::MAX.into()))
            }
            (Value::Float(value), Kind::F64) => {
                let key = |number: f64| key_of_float(number.to_bits(), 64);
                let exact = value.partial_cmp(value)?;
                let keys = [key(-0.0), key(0.0), key(*value), key(f64::NEG_INFINITY), key(f64::INFINITY)];
                Some(Self::around(*value == 0.0, exact, keys, u64::MAX))
            }
            _ => None,
        }
    }

    /// By the float nearest to the value and how it compares with it; both zeros are one value.
    fn around(zero: bool, exact: std::cmp::Ordering, keys: [u64; 5], beyond: u64) -> Self {
        let [minus_zero, plus_zero, key, least, most] = keys;
        let (low, high) = if zero { (minus_zero, plus_zero) } else { (key, key) };
        let (first, last) = match exact {
            std::cmp::Ordering::Equal => (low, high),
            std::cmp::Ordering::Less => (high + 1, high), // the nearest float is less than the value
            std::cmp::Ordering::Greater => (low, low - 1),
        };
        Self { first, last, least, most, beyond }
    }

    /// The ranges of keys that compare so with the value.
    fn that(&self, compare: Compare) -> Vec<(u64, u64)> {
        let below = |end: u64| (end > self.least).then(|| (self.least, end - 1));
        let above = |end: u64| (end < self.most).then(|| (end + 1, self.most));
        match compare {
            Compare::Equal => vec![(self.first, self.last)],
            Compare::NotEqual => {
                // What is no number is unequal as well.
                let low = (self.first > 0).then(|| (0, self.first - 1));
                let high = (self.last < self.beyond).then(|| (self.last + 1, self.beyond));
                low.into_iter().chain(high).collect()
            }
            Compare::Less => below(self.first).into_iter().collect(),
            Compare::LessOrEqual => vec![(self.least, self.last)],
            Compare::Greater => above(self.last).into_iter().collect(),
            Compare::GreaterOrEqual => vec![(self.first, self.most)],
        }
    }
}

/// The keys of the whole numbers from `low` to `high`, as far as the kind has them.
fn keys_between(kind: Kind, low: i128, high: i128) -> Option<(u64, u64)> {
    let (least, most) = kind.range()?;
    let (low, high) = (low.max(least), high.min(most));
    // Signed numbers are counted from the least one on: that is their bits with the sign bit turned round.
    let from = if kind.is_signed() { least } else { 0 };
    (low <= high).then_some(())?;
    Some((u64::try_from(low - from).ok()?, u64::try_from(high - from).ok()?))
}

/// See [`Float`].
fn key_of_float(bits: u64, width: u32) -> u64 {
    match width {
        32 => Key::<u32>::key(Float::<false>, low_32(bits)).into(),
        _ => Key::<u64>::key(Float::<false>, bits),
    }
}
