//! The fast search held against the plain one: every type, order, alignment and condition; and what a search's life holds.

use super::condition::{Against, Change, Compare, Condition, ConditionError, Missing, Previous};
use super::pattern::Pattern;
use super::reference::{CellState, matches, places};
use super::value::{CellAddress, Kind, Part, Value, ValueType, nearest};
use super::*;
use nextscope_emulator::process::{HostAddr, Pid, ReadError};
use nextscope_memory::console::Endian;
use nextscope_task::Progress;
use proptest::prelude::*;

/// Memory of several spans, of which parts may have gone.
#[derive(Clone)]
struct Spans {
    spans: Vec<(u64, Vec<u8>)>,
    /// Addresses that cannot be read any more.
    gone: Vec<std::ops::Range<u64>>,
    ended: bool,
    /// Whether bytes are at hand without a copy.
    held: bool,
}

impl Source for Spans {
    fn spans(&self) -> Result<Vec<Span>, ReadError> {
        let span = |(start, bytes): &(u64, Vec<u8>)| Span { start: Address(*start), len: bytes.len() as u64 };
        Ok(self.spans.iter().map(span).collect())
    }

    fn read(&self, address: Address, buf: &mut [u8]) -> Result<(), ReadError> {
        let end = address.0 + buf.len() as u64;
        if self.ended {
            return Err(ReadError::Gone { pid: Pid(1) });
        }
        let gone = self.gone.iter().any(|gone| address.0 < gone.end && gone.start < end);
        match self.bytes(address, buf.len()) {
            Some(bytes) if !gone => {
                buf.copy_from_slice(bytes);
                Ok(())
            }
            _ => Err(ReadError::NotMapped { pid: Pid(1), addr: HostAddr(address.0) }),
        }
    }

    fn slice(&self, address: Address, len: usize) -> Option<&[u8]> {
        self.held.then(|| self.bytes(address, len)).flatten()
    }
}

impl Spans {
    fn bytes(&self, address: Address, len: usize) -> Option<&[u8]> {
        let holds = |(start, bytes): &&(u64, Vec<u8>)| {
            *start <= address.0 && address.0 + len as u64 <= start + bytes.len() as u64
        };
        let (start, bytes) = self.spans.iter().find(holds)?;
        let at = (address.0 - start) as usize;
        bytes.get(at..at + len)
    }

    fn rest(&self, address: Address) -> &[u8] {
        let (start, bytes) = self.spans.iter().rfind(|(start, _)| *start <= address.0).expect("inside");
        &bytes[(address.0 - start) as usize..]
    }
}

/// Numbers that look random, one after another.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
}

/// Bytes of which many are alike, so that every condition is met by some cells and not by others.
fn memory(numbers: &mut Numbers) -> Spans {
    const COMMON: [u8; 12] = [0, 0, 0, 1, 2, 0x7F, 0x80, 0xFF, 0x99, 0x10, 0x3F, 0xC0];
    let mut bytes = |len: usize| -> Vec<u8> {
        let mut filled = Vec::with_capacity(len);
        while filled.len() < len {
            let run = 1 + numbers.below(12);
            let one = numbers.next();
            match numbers.below(4) {
                0 => filled.extend((0..run).map(|_| numbers.next() as u8)),
                1 => filled.extend(one.to_le_bytes()),
                2 => filled.extend(std::iter::repeat_n(numbers.pick(&COMMON), run as usize)),
                _ => filled.extend((0..run).map(|_| numbers.pick(&COMMON))),
            }
        }
        filled.truncate(len);
        filled
    };
    let spans = vec![
        (0x1003, bytes(5)),
        (0x2000, bytes(2 * 4096 + 77)),
        (0x1_0001, bytes(4096)),
        (0x2_0000, bytes(1)),
    ];
    Spans { spans, gone: Vec::new(), ended: false, held: false }
}

/// The same memory a little later: some bytes are others, some a little more or less.
fn later(memory: &Spans, numbers: &mut Numbers) -> Spans {
    let mut later = memory.clone();
    for (_, bytes) in &mut later.spans {
        for byte in bytes.iter_mut() {
            match numbers.below(12) {
                0 => *byte = byte.wrapping_add(1),
                1 => *byte = byte.wrapping_sub(1),
                2 => *byte = numbers.next() as u8,
                _ => {}
            }
        }
    }
    later
}

/// Usually a value that occurs in the memory.
fn value(ty: ValueType, memory: &Spans, numbers: &mut Numbers) -> Value {
    let (start, bytes) = &memory.spans[1];
    let at = numbers.below(bytes.len() as u64 - 300);
    let part = numbers.pick(&[Part::Lower, Part::Upper]);
    let there = ty.read(memory.rest(Address(start + at)), part);
    match (there, ty.kind().range(), numbers.below(6)) {
        (Some(value), _, 0..4) => value,
        (_, Some((least, most)), 4) => Value::Integer(numbers.pick(&[least, most, 0, 1])),
        (_, Some((least, most)), _) => {
            Value::Integer(least + i128::from(numbers.next()) % (most - least + 1))
        }
        (_, None, 4) if ty.kind().is_float() => {
            let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-320, 1e300, 0.1];
            Value::Float(numbers.pick(&special))
        }
        _ if ty.kind().is_float() => Value::Float(numbers.next() as i64 as f64 / 1e6),
        (there, ..) => there.unwrap_or(Value::Integer(0)),
    }
}

fn amount(ty: ValueType, numbers: &mut Numbers) -> Value {
    match ty.kind().range() {
        Some((least, most)) => {
            let most = most - least;
            let any = i128::from(numbers.next()) % (most + 1);
            Value::Integer(numbers.pick(&[0, 1, 2, 1, 255.min(most), most, any]))
        }
        None => Value::Float(numbers.pick(&[0.0, 1.0, 0.5, 1e-3, 1e30])),
    }
}

const COMPARES: [Compare; 6] = [
    Compare::Equal,
    Compare::NotEqual,
    Compare::Less,
    Compare::LessOrEqual,
    Compare::Greater,
    Compare::GreaterOrEqual,
];

const EARLIER: [Previous; 4] =
    [Previous::LastSearch, Previous::LastFrame, Previous::First, Previous::LastChange];

/// Every condition that there is for a type, with values from the memory.
fn conditions(ty: ValueType, memory: &Spans, numbers: &mut Numbers) -> Vec<Condition> {
    let mut all = vec![Condition::Unknown];
    for previous in EARLIER {
        all.extend([Condition::Changed(previous), Condition::Unchanged(previous)]);
    }
    all.extend(COMPARES.map(|compare| Condition::Changes(compare, numbers.below(4) as u32)));
    if let Kind::Bytes { len } = ty.kind() {
        let Value::Bytes(bytes) = value(ty, memory, numbers) else { panic!("of bytes") };
        let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let masked = format!("{}{}", &digits[..2], "?".repeat(2 * usize::from(len) - 2));
        for pattern in [digits, masked] {
            let pattern = Pattern::bytes(&pattern).expect("a pattern");
            all.extend([false, true].map(|not| Condition::Matches { pattern: pattern.clone(), not }));
        }
        return all;
    }
    let cell = CellAddress { address: Address(0x2010), part: Part::Whole };
    let cell = match ty.kind() {
        Kind::Nibble => CellAddress { part: Part::Upper, ..cell },
        _ => cell,
    };
    let mut against: Vec<Against> = EARLIER.map(Against::Previous).to_vec();
    against.push(Against::Cell(cell));
    for other in &against {
        all.extend(COMPARES.map(|compare| Condition::Compare(compare, other.clone())));
    }
    for compare in COMPARES {
        all.push(Condition::Compare(compare, Against::Value(value(ty, memory, numbers))));
        all.push(Condition::Compare(compare, Against::Value(value(ty, memory, numbers))));
    }
    all.push(Condition::Between(value(ty, memory, numbers), value(ty, memory, numbers)));
    all.push(Condition::Between(value(ty, memory, numbers), value(ty, memory, numbers)));
    against.push(Against::Value(value(ty, memory, numbers)));
    for change in [Change::Up, Change::Down, Change::Either] {
        for at_least in [false, true] {
            for from in against.iter().cloned() {
                let by = amount(ty, numbers);
                all.push(Condition::Differs { change, at_least, by, from });
            }
        }
    }
    if ty.kind().is_integer() {
        let divisor = 1 + numbers.below(9);
        let remainder = Against::Value(Value::Integer(i128::from(numbers.below(divisor))));
        for equals in against.iter().cloned().chain([remainder]) {
            all.push(Condition::Modulo { divisor, equals });
        }
    }
    all
}

/// The plain search: a list of places, and copies of the memory.
#[derive(Clone)]
struct Plain {
    ty: ValueType,
    left: Vec<CellAddress>,
    first: Spans,
    last: Spans,
}

/// What the frames before were, for the plain version.
struct Frames(Vec<Spans>);

impl Frames {
    fn tracker(&self, ty: ValueType) -> Tracker {
        let mut tracker = Tracker::of_source(&self.0[0], ty).expect("small");
        self.0.iter().for_each(|frame| tracker.frame(frame).expect("readable"));
        tracker
    }

    /// The frames in which a cell became another one.
    fn changed(&self, ty: ValueType, place: CellAddress) -> Vec<usize> {
        let value = |frame: &Spans| {
            let bytes = &frame.rest(place.address)[..ty.width()];
            match ty.kind() {
                Kind::Nibble | Kind::BitCount => (ty.read(bytes, place.part), Vec::new()),
                _ => (None, bytes.to_vec()),
            }
        };
        (1..self.0.len()).filter(|nth| value(&self.0[nth - 1]) != value(&self.0[*nth])).collect()
    }
}

impl Plain {
    fn all(ty: ValueType, memory: &Spans, alignment: u64) -> Self {
        let spans = memory.spans.iter();
        let left = spans.flat_map(|(start, bytes)| places(ty, Address(*start), bytes.len(), alignment));
        let left = left.map(|(_, place)| place).collect();
        Self { ty, left, first: memory.clone(), last: memory.clone() }
    }

    fn step(&mut self, now: &Spans, condition: &Condition, frames: &Frames) {
        let condition = match condition.cell() {
            Some(place) => {
                let value = self.ty.read(now.rest(place.address), place.part).expect("a value");
                condition.with_cell(&value)
            }
            None => condition.clone(),
        };
        let (ty, first, last) = (self.ty, &self.first, &self.last);
        self.left.retain(|place| {
            let changed = || frames.changed(ty, *place);
            let previous = match condition.previous() {
                Some(Previous::First) => Some(first.rest(place.address)),
                Some(Previous::LastSearch) => Some(last.rest(place.address)),
                Some(Previous::LastFrame) => frames.0.last().map(|frame| frame.rest(place.address)),
                Some(Previous::LastChange) => {
                    let before = changed().last().map_or(0, |nth| nth - 1);
                    Some(frames.0[before].rest(place.address))
                }
                None => None,
            };
            let counts = matches!(condition, Condition::Changes(..));
            let changes = if counts { changed().len() as u32 } else { 0 };
            matches(
                ty,
                &condition,
                &CellState { now: now.rest(place.address), previous, part: place.part, changes },
            )
        });
        self.last = now.clone();
    }

    fn compare(&self, search: &Search, what: &str) {
        let rows = search.rows(0..search.len());
        let found: Vec<CellAddress> = rows.iter().map(|row| row.cell).collect();
        assert_eq!(found.len() as u64, search.len(), "{what}");
        if found != self.left {
            let extra = found.iter().find(|place| !self.left.contains(place));
            let missing = self.left.iter().find(|place| !found.contains(place));
            panic!(
                "{what}: {} found, {} expected; {extra:?} too much, {missing:?} missing",
                found.len(),
                self.left.len()
            );
        }
        // Compared by what is shown: nan is not equal to itself.
        let shown = |value: Option<Value>| value.map(|value| self.ty.show(&value, NumberFormat::Decimal));
        for row in rows.iter().step_by(1 + rows.len() / 50) {
            let at = |memory: &Spans| self.ty.read(memory.rest(row.cell.address), row.cell.part);
            assert_eq!(shown(row.last.clone()), shown(at(&self.last)), "{what}");
            assert_eq!(shown(row.first.clone()), shown(at(&self.first)), "{what}");
        }
    }
}

fn types() -> Vec<ValueType> {
    let bytes = [1, 2, 5].map(|len| Kind::Bytes { len });
    let kinds = Kind::NUMBERS.into_iter().chain(bytes);
    let both = |kind| [Endian::Big, Endian::Little].map(|order| ValueType::new(kind, order).expect("a type"));
    kinds.flat_map(both).collect()
}

fn start(
    source: &Spans,
    ty: ValueType,
    alignment: u64,
    condition: &Condition,
) -> Result<Search, SearchError> {
    let settings = Settings { alignment, ..Settings::new(ty) };
    Search::start(source, settings, condition, None, &Progress::default())
}

#[test]
fn every_condition_on_every_type_and_order_agrees_with_the_plain_version() {
    let mut asked = 0;
    for (nth, ty) in types().into_iter().enumerate() {
        let mut numbers = Numbers(nth as u64);
        let memory = memory(&mut numbers);
        // A cell to compare with must hold a decimal.
        let plant = |mut memory: Spans| {
            memory.spans[1].1[0x10..0x14].copy_from_slice(&[0x12, 0x34, 0x01, 0x00]);
            memory
        };
        let memory = plant(memory);
        let frames = [memory.clone(), later(&memory, &mut numbers)];
        let frames = Frames([&frames[..], &[later(&frames[1], &mut numbers)]].concat());
        let now = plant(later(&frames.0[2], &mut numbers));
        let tracker = frames.tracker(ty);
        let unknown = Plain::all(ty, &memory, 1);
        for condition in conditions(ty, &now, &mut numbers) {
            let what = format!("{} {:?}: {condition:?}", ty.kind(), ty.order());
            let mut plain = unknown.clone();
            plain.step(&memory, &Condition::Unknown, &frames);
            let mut search = start(&memory, ty, 1, &Condition::Unknown).expect("it begins");
            plain.compare(&search, "unknown");
            let before = search.len();
            let preview = search.preview(&now, &condition, Some(&tracker), &Progress::default());
            plain.step(&now, &condition, &frames);
            let outcome = search.step(&now, &condition, Some(&tracker), &Progress::default()).expect(&what);
            plain.compare(&search, &what);
            assert_eq!(outcome.left + outcome.gone, before);
            let preview = preview.expect(&what);
            assert_eq!((preview.left, preview.gone), (outcome.left, outcome.gone), "{what}");
            if condition.previous().is_none() {
                let mut plain = unknown.clone();
                plain.first = now.clone();
                plain.step(&now, &condition, &frames);
                let settings = Settings::new(ty);
                let first = Search::start(&now, settings, &condition, Some(&tracker), &Progress::default());
                plain.compare(&first.expect(&what), &what);
            }
            asked += 1;
        }
    }
    assert!(asked > 2500, "{asked} conditions");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    /// Several steps of any kind one after another, then all of them taken back and done again.
    #[test]
    fn whole_searches_agree_with_the_plain_version_forward_and_back(
        seed: u64,
        ty in prop::sample::select(types()),
        power in 0u32..7,
        held: bool,
    ) {
        let mut numbers = Numbers(seed);
        let mut now = memory(&mut numbers);
        now.held = held;
        let frames = Frames(vec![now.clone(), later(&now, &mut numbers)]);
        let tracker = frames.tracker(ty);
        let mut plain = Plain::all(ty, &now, 1 << power);
        let begin = numbers.pick(&conditions(ty, &now, &mut Numbers(seed)));
        let begin = if begin.previous().is_none() && begin.cell().is_none() { begin } else { Condition::Unknown };
        let settings = Settings { alignment: 1 << power, ..Settings::new(ty) };
        let mut search = Search::start(&now, settings, &begin, Some(&tracker), &Progress::default()).expect("it begins");
        plain.step(&now, &begin, &frames);
        plain.compare(&search, "the first step");
        let mut states = vec![plain.clone()];
        for _ in 0..5 {
            now = later(&now, &mut numbers);
            let all = conditions(ty, &now, &mut numbers);
            let condition = numbers.pick(&all);
            if condition.cell().is_some() {
                continue;
            }
            search.step(&now, &condition, Some(&tracker), &Progress::default()).expect("it can be asked");
            plain.step(&now, &condition, &frames);
            plain.compare(&search, &format!("{condition:?}"));
            states.push(plain.clone());
        }
        for state in states.iter().rev().skip(1) {
            let undone = search.undo().expect("a step");
            prop_assert!(undone.values_known);
            state.compare(&search, "taken back");
        }
        prop_assert_eq!(search.undo(), None);
        for state in states.iter().skip(1) {
            search.redo().expect("a step");
            state.compare(&search, "done again");
        }
        prop_assert_eq!(search.redo(), None);
    }

    #[test]
    fn rows_are_the_same_however_they_are_asked_for(seed: u64, from in 0u64..9000, len in 0u64..500) {
        let mut numbers = Numbers(seed);
        let memory = memory(&mut numbers);
        let ty = ValueType::new(Kind::U8, Endian::Big).expect("a type");
        let limit = Against::Value(Value::Integer(i128::from(numbers.below(256))));
        let search = start(&memory, ty, 1, &Condition::Compare(Compare::Less, limit)).expect("it begins");
        let all = search.rows(0..u64::MAX);
        let some = search.rows(from..from + len);
        let clip = |at: u64| (at as usize).min(all.len());
        prop_assert_eq!(&some[..], &all[clip(from)..clip(from + len)]);
        for row in &some {
            prop_assert!(search.contains(row.cell));
        }
    }
}

fn u16_search(memory: &Spans, keep: Retention) -> Search {
    let ty = ValueType::new(Kind::U16, Endian::Big).expect("a type");
    let settings = Settings { retention: keep, ..Settings::new(ty) };
    Search::start(memory, settings, &Condition::Unknown, None, &Progress::default()).expect("it begins")
}

const USUAL: Retention = Retention { first_values: None, history_bytes: None };

#[test]
fn memory_that_can_no_longer_be_read_takes_its_candidates_with_it() {
    let mut numbers = Numbers(1);
    let memory = memory(&mut numbers);
    let mut search = u16_search(&memory, USUAL);
    let mut partly = memory.clone();
    partly.gone.push(0x3000..0x3010);
    let outcome =
        search.step(&partly, &Condition::Unknown, None, &Progress::default()).expect("the rest is there");
    // All of the block, and the cell before it that reaches into it.
    assert_eq!((outcome.gone, outcome.unreadable), (4097, 4097));
    assert!(!search.contains(CellAddress { address: Address(0x2FFF), part: Part::Whole }));
    assert!(search.contains(CellAddress { address: Address(0x2FFE), part: Part::Whole }));
    assert!(search.contains(CellAddress { address: Address(0x4000), part: Part::Whole }));
}

#[test]
fn a_step_that_fails_or_is_cancelled_leaves_the_search_as_it_was() {
    let mut numbers = Numbers(2);
    let memory = memory(&mut numbers);
    let mut search = u16_search(&memory, USUAL);
    let now = later(&memory, &mut numbers);
    let changed = Condition::Changed(Previous::LastSearch);
    search.step(&now, &changed, None, &Progress::default()).expect("it steps");
    let before = search.rows(0..search.len());
    let ended = Spans { ended: true, ..now.clone() };
    let error = search.step(&ended, &changed, None, &Progress::default()).expect_err("it ended");
    assert!(matches!(error, SearchError::Read(ReadError::Gone { .. })));
    let progress = Progress::default();
    progress.cancel();
    let error = search.step(&later(&now, &mut numbers), &changed, None, &progress).expect_err("cancelled");
    assert!(matches!(error, SearchError::Cancelled));
    assert_eq!(search.rows(0..search.len()), before);
    assert_eq!(search.undos(), 1);
}

#[test]
fn what_cannot_be_asked_is_said() {
    let memory = memory(&mut Numbers(3));
    let mut search = u16_search(&memory, Retention { first_values: Some(false), ..USUAL });
    let mut ask = |condition: Condition| {
        search.step(&memory, &condition, None, &Progress::default()).expect_err("it cannot be asked")
    };
    let missing = |error, missing: Missing| match error {
        SearchError::Condition(ConditionError::NoPrevious(actual)) => assert_eq!(actual, missing),
        other => panic!("{other}"),
    };
    missing(ask(Condition::Changed(Previous::First)), Missing::First);
    missing(ask(Condition::Changed(Previous::LastFrame)), Missing::Frames);
    missing(ask(Condition::Changes(Compare::Less, 3)), Missing::Frames);
    let too_great = Condition::Compare(Compare::Less, Against::Value(Value::Integer(0x1_0000)));
    assert_eq!(
        ask(too_great).to_string(),
        "65536 is out of range: expected 0 to 65535 for 16-bit unsigned values"
    );
    let float = Condition::Compare(Compare::Less, Against::Value(Value::Float(1.0)));
    assert!(matches!(ask(float), SearchError::Condition(ConditionError::OtherType { .. })));
    let equals = Against::Previous(Previous::LastSearch);
    let zero = Condition::Modulo { divisor: 0, equals: equals.clone() };
    assert!(matches!(ask(zero), SearchError::Condition(ConditionError::DivisorZero)));
    let pattern = Pattern::bytes("00").expect("a pattern");
    let matches = Condition::Matches { pattern, not: false };
    assert!(matches!(ask(matches), SearchError::Condition(ConditionError::NotForType { .. })));
    let outside = CellAddress { address: Address(0x100), part: Part::Whole };
    let cell = Condition::Compare(Compare::Equal, Against::Cell(outside));
    assert!(matches!(ask(cell), SearchError::Cell { .. }));
    let ty = ValueType::new(Kind::F32, Endian::Big).expect("a type");
    let modulo = start(&memory, ty, 1, &Condition::Modulo { divisor: 2, equals }).expect_err("of floats");
    assert!(matches!(modulo, SearchError::Condition(ConditionError::NotForType { .. })));
    assert!(matches!(start(&memory, ty, 3, &Condition::Unknown), Err(SearchError::Alignment(3))));
    let first = start(&memory, ty, 1, &Condition::Changed(Previous::LastSearch)).expect_err("nothing before");
    missing(first, Missing::FirstSearch);
}

#[test]
fn steps_of_every_frame_are_taken_back_as_one_and_cells_taken_out_by_hand_come_back() {
    let mut numbers = Numbers(4);
    let mut now = memory(&mut numbers);
    let mut search = u16_search(&now, USUAL);
    let before = search.rows(0..u64::MAX);
    for _ in 0..5 {
        now = later(&now, &mut numbers);
        let unchanged = Condition::Unchanged(Previous::LastSearch);
        search.auto_step(&now, &unchanged, None, &Progress::default()).expect("it steps");
    }
    assert_eq!(search.undos(), 1);
    let left = search.rows(0..u64::MAX);
    assert!(!left.is_empty() && left.len() < before.len());
    let places: Vec<CellAddress> = left.iter().step_by(2).map(|row| row.cell).collect();
    assert_eq!(search.exclude(&places), places.len() as u64);
    assert_eq!(search.exclude(&places), 0);
    assert!(places.iter().all(|place| !search.contains(*place)));
    assert_eq!(search.len(), (left.len() - places.len()) as u64);
    search.undo().expect("taken out");
    assert_eq!(search.rows(0..u64::MAX), left);
    search.undo().expect("five frames");
    assert_eq!(search.rows(0..u64::MAX), before);
    search.redo().expect("five frames");
    assert_eq!(search.rows(0..u64::MAX), left);
}

#[test]
fn a_search_with_little_room_for_history_still_takes_back_its_candidates() {
    let mut numbers = Numbers(5);
    let memory = memory(&mut numbers);
    let mut search = u16_search(&memory, Retention { first_values: Some(false), history_bytes: Some(0) });
    let before: Vec<CellAddress> = search.rows(0..u64::MAX).iter().map(|row| row.cell).collect();
    let now = later(&memory, &mut numbers);
    search
        .step(&now, &Condition::Changed(Previous::LastSearch), None, &Progress::default())
        .expect("it steps");
    let undone = search.undo().expect("a step");
    assert!(!undone.values_known);
    let rows = search.rows(0..u64::MAX);
    assert_eq!(rows.iter().map(|row| row.cell).collect::<Vec<_>>(), before);
    // Nothing is known of the earlier values: nothing goes, and the next step knows them again.
    let same = Condition::Changed(Previous::LastSearch);
    let outcome = search.step(&now, &same, None, &Progress::default()).expect("it steps");
    let unknown = rows.iter().filter(|row| row.last.is_none()).count() as u64;
    assert!(unknown > 0);
    assert_eq!(outcome.left, unknown);
    let outcome = search.step(&now, &same, None, &Progress::default()).expect("it steps");
    assert_eq!(outcome.left, 0);
}

#[test]
fn memory_taken_stays_below_one_and_a_third_times_what_is_searched() {
    let mut numbers = Numbers(6);
    let bytes: Vec<u8> = (0..4 << 20).map(|_| numbers.next() as u8).collect();
    let mut now = Spans { spans: vec![(0, bytes)], gone: Vec::new(), ended: false, held: true };
    let size = 4u64 << 20;
    let keep = Retention { first_values: Some(false), history_bytes: Some(size / 8) };
    let mut search = u16_search(&now, keep);
    let mut most = size * 13 / 10;
    assert!(search.memory() < most, "{}", search.memory());
    for condition in [Compare::Greater, Compare::NotEqual, Compare::Less] {
        now = later(&now, &mut numbers);
        let condition = Condition::Compare(condition, Against::Previous(Previous::LastSearch));
        search.step(&now, &condition, None, &Progress::default()).expect("it steps");
        assert!(search.memory() < most, "{} after {condition:?}", search.memory());
        // Each further step must be taken back as well: a bit for every byte, as long as the candidates are that dense.
        most += size / 8 + size / 40;
    }
    // A few candidates in every block: only the bytes that they need are stored.
    let rare = Condition::Compare(Compare::Equal, Against::Value(Value::Integer(0x1234)));
    let ty = ValueType::new(Kind::U16, Endian::Big).expect("a type");
    let few = start(&now, ty, 1, &rare).expect("it begins");
    assert!(few.memory() < size / 8, "{}", few.memory());
    // When nothing is left, all values from before fit into memory.
    let mut search = u16_search(&now, keep);
    let changed = Condition::Changed(Previous::LastSearch);
    search.step(&now, &changed, None, &Progress::default()).expect("it steps");
    assert!(search.is_empty() && search.undo().expect("a step").values_known);
}

#[test]
fn changes_are_counted_of_the_candidates_alone_as_well() {
    let ty = ValueType::new(Kind::U16, Endian::Big).expect("a type");
    let bytes = |value: u8| {
        let mut bytes = vec![0; 0x2000];
        (bytes[0x11], bytes[0x100], bytes[0x1FFF]) = (value, value, 9);
        Spans { spans: vec![(0x8000, bytes)], gone: Vec::new(), ended: false, held: true }
    };
    let moved = Condition::Compare(Compare::Greater, Against::Value(Value::Integer(0)));
    let mut search = start(&bytes(1), ty, 2, &moved).expect("it begins");
    assert_eq!(search.len(), 3);
    let mut tracker = search.tracker().expect("few");
    for value in [1, 2, 2, 3] {
        tracker.frame(&bytes(value)).expect("readable");
    }
    let place = |address| CellAddress { address: Address(address), part: Part::Whole };
    assert_eq!(tracker.changes(place(0x8010)), Some(2));
    assert_eq!(tracker.changes(place(0x9FFE)), Some(0));
    assert_eq!(tracker.changes(place(0x9000)), None, "it is not watched");
    assert_eq!(tracker.before_last_change(Address(0x8010)), Some(&[0, 2][..]));
    let twice = Condition::Changes(Compare::Equal, 2);
    search.step(&bytes(3), &twice, Some(&tracker), &Progress::default()).expect("it steps");
    let left: Vec<u64> = search.rows(0..9).iter().map(|row| row.cell.address.0).collect();
    assert_eq!(left, [0x8010, 0x8100]);
    let other =
        Tracker::of_source(&bytes(0), ValueType::new(Kind::U8, Endian::Big).expect("a type")).expect("small");
    let error =
        search.step(&bytes(3), &twice, Some(&other), &Progress::default()).expect_err("of other cells");
    assert!(matches!(error, SearchError::OtherCells { .. }));
}

#[test]
fn single_floats_are_compared_as_the_numbers_that_they_are() {
    let ty = ValueType::new(Kind::F32, Endian::Little).expect("a type");
    let bytes: Vec<u8> =
        [0.1f32, 0.0, -0.0, f32::NAN, 1.0, -1.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    let memory = Spans { spans: vec![(0, bytes)], gone: Vec::new(), ended: false, held: true };
    let found = |compare, value: f64| {
        let condition = Condition::Compare(compare, Against::Value(Value::Float(value)));
        let search = start(&memory, ty, 4, &condition).expect("it begins");
        search.rows(0..9).iter().map(|row| row.cell.address.0 / 4).collect::<Vec<_>>()
    };
    assert_eq!(found(Compare::Equal, 0.1), [] as [u64; 0], "0.1 is no single");
    assert_eq!(found(Compare::Equal, nearest(0.1).into()), [0]);
    assert_eq!(found(Compare::Equal, -0.0), [1, 2]);
    assert_eq!(found(Compare::NotEqual, 0.0), [0, 3, 4, 5]);
    assert_eq!(found(Compare::Less, 0.1), [1, 2, 5]);
    assert_eq!(found(Compare::GreaterOrEqual, f64::NEG_INFINITY), [0, 1, 2, 4, 5]);
}
