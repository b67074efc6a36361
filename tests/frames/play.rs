//! Our own cartridge with a table of times in its ROM, played on the embedded console by hands that press too soon now and then.

use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::demo::console::Console;
use nextscope::demo::{Buttons, CartridgeConfig, ROM};
use nextscope::frames::{Moment, Part};
use nextscope::profile::{Library, Profile};
use nextscope::puyo::{Placement, Rules, reachable, reference};
use nextscope::route::{Input, find_inputs};
use nextscope_boards::Pair;
use std::collections::VecDeque;
use std::sync::Arc;

/// The passes of the main loop.
const PASSES: u32 = 0xFF_1018;

/// What is set in ROM.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    pub press: u16,
    pub release: u16,
    pub fall: u16,
    pub fall_without_down: u16,
    pub lock: u16,
    pub next: u16,
    pub all_clear: u16,
    pub chain: u16,
    pub split: &'static [u16],
    pub chain_rows: &'static [u16],
    /// Empty: no garbage falls.
    pub garbage_rows: &'static [u16],
    /// Puyos that pop together.
    pub group: u16,
}

/// The entry of a list for some rows.
fn entry(list: &[u16], rows: usize) -> u32 {
    list.get(rows).or(list.last()).copied().unwrap_or(0).into()
}

impl Set {
    /// The cartridge as it is built, but for the chains.
    pub const BUILT: Self = Self {
        press: 1,
        release: 1,
        fall: 1,
        fall_without_down: 2,
        lock: 1,
        next: 8,
        all_clear: 0,
        chain: 24,
        split: &[0],
        chain_rows: &[0],
        garbage_rows: &[0],
        group: 3,
    };

    pub fn config(&self) -> String {
        let list = |list: &[u16]| list.iter().map(u16::to_string).collect::<Vec<_>>().join("/");
        let Self { press, release, fall, fall_without_down, lock, next, all_clear, chain, group, .. } = *self;
        let (every, garbage_rows) =
            if self.garbage_rows.is_empty() { (0, &[0][..]) } else { (5, self.garbage_rows) };
        let speed = 65_536_u32.div_ceil(fall_without_down.into());
        format!(
            "hand1=controller,deal2=60000,menu=1,schedule=versus,pairs=60000,garbage={},press={press},release={release},down={fall},\
             fall={speed},lock={lock},delay={next},all-clear={all_clear},chain={chain},group={group},split={},chain-rows={},\
             garbage-rows={}",
            every,
            list(self.split),
            list(self.chain_rows),
            list(garbage_rows)
        )
    }

    /// The ROM with these times; `robot` is whether the cartridge itself presses the buttons.
    pub fn rom(&self, seed: u32, robot: bool) -> Vec<u8> {
        let mut rom = ROM.to_vec();
        format!("{},seed={seed},robot={}", self.config(), u8::from(robot))
            .parse::<CartridgeConfig>()
            .unwrap()
            .apply(&mut rom)
            .unwrap();
        rom
    }
}

pub const TABLES: [Set; 4] = [
    Set::BUILT,
    Set {
        press: 1,
        release: 2,
        fall: 2,
        fall_without_down: 16,
        lock: 16,
        next: 12,
        all_clear: 30,
        chain: 55,
        split: &[0, 19, 24, 28, 31, 34, 37, 40, 42, 44, 46, 48, 50],
        chain_rows: &[0, 25, 27, 29, 31, 33],
        garbage_rows: &[10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34],
        group: 4,
    },
    Set {
        press: 3,
        release: 4,
        fall: 3,
        fall_without_down: 7,
        lock: 2,
        next: 1,
        all_clear: 7,
        chain: 9,
        split: &[0, 1, 3],
        chain_rows: &[4, 0, 11, 2],
        garbage_rows: &[], // none, so that boards are cleared
        group: 2,
    },
    Set {
        press: 2,
        release: 3,
        fall: 4,
        fall_without_down: 5,
        lock: 33,
        next: 40,
        all_clear: 1,
        chain: 3,
        split: &[0, 0, 7],
        chain_rows: &[0, 1],
        garbage_rows: &[60],
        group: 3,
    },
];

impl Set {
    /// What the measurement must say of a part.
    pub fn of(&self, part: Part) -> u32 {
        match part {
            Part::Press => self.press.into(),
            Part::Release => self.release.into(),
            Part::Fall => self.fall.into(),
            Part::FallWithoutDown => self.fall_without_down.into(),
            Part::Lock(0) => self.lock.into(),
            Part::Lock(rows) => entry(self.split, rows),
            Part::Chain(rows) => u32::from(self.chain) + entry(self.chain_rows, rows),
            Part::OnlyChain(rows) => self.of(Part::Chain(rows)) + self.of(Part::Next),
            Part::Next => self.next.into(),
            Part::AllClear => self.all_clear.into(),
            Part::Garbage(rows) => entry(self.garbage_rows, rows),
        }
    }
}

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

pub fn profile() -> Arc<Profile> {
    Arc::clone(Library::built_in().by_id("puyo-tsu-genesis").unwrap())
}

pub fn snapshot(console: &Console) -> Snapshot {
    let domain = ConsoleId::Genesis.domain();
    Snapshot::from_stored(domain, StorageOrder::AsOnBus, console.ram().to_vec()).unwrap()
}

/// Hands that play pair by pair, from what a moment shows.
pub struct Hands {
    set: Set,
    random: Random,
    dealt: u16,
    /// The pair that will be dealt.
    next: Pair,
    ahead: VecDeque<Buttons>,
    down: bool,
}

impl Hands {
    pub fn new(set: Set, seed: u32) -> Self {
        Self {
            set,
            random: Random(0x9E37_79B9 + u64::from(seed)),
            dealt: 0,
            next: Pair::from_bytes(0, 0),
            ahead: VecDeque::new(),
            down: true,
        }
    }

    /// The buttons for the next frame.
    pub fn buttons(&mut self, now: &Moment) -> Buttons {
        if now.dealt != self.dealt {
            self.dealt = now.dealt;
            self.choose(now);
        }
        self.next = now.next;
        match self.ahead.pop_front() {
            Some(buttons) => buttons,
            None if now.falling.is_some() && self.down => Buttons::DOWN,
            None => Buttons::NONE,
        }
    }

    fn choose(&mut self, now: &Moment) {
        self.ahead.clear();
        self.down = self.random.below(6) > 0;
        let Some(field) = now.field else { return };
        let places: Vec<_> = reachable(&field).iter().collect();
        if places.is_empty() {
            return;
        }
        // Half of the pairs go where least is left, the others anywhere.
        let left = |place: &&Placement| {
            let (mut board, rules) = (field, now.rules.unwrap_or(Rules::TSU));
            board.land(self.next, **place, rules);
            reference::fire(&mut board, rules);
            board.count()
        };
        let best = places.iter().min_by_key(left).copied();
        let any = places[self.random.below(places.len())];
        let place = best.filter(|_| self.random.below(2) == 0).unwrap_or(any);
        for tap in find_inputs(&field, place).map(|inputs| inputs.taps).unwrap_or_default() {
            let button = match tap {
                Input::Left => Buttons::LEFT,
                Input::Right => Buttons::RIGHT,
                Input::Anticlockwise => Buttons::A,
                Input::Clockwise => Buttons::B,
                Input::Down => continue,
            };
            let more = self.random.below(3);
            self.hold(button, usize::from(self.set.press) + more);
            if self.set.release > 1 && self.random.below(3) == 0 {
                // Too soon: it does nothing.
                self.hold(Buttons::NONE, usize::from(self.set.release) - 1);
                self.hold(button, usize::from(self.set.press) + more);
            }
            let more = self.random.below(2);
            self.hold(Buttons::NONE, usize::from(self.set.release) + more);
        }
    }

    fn hold(&mut self, buttons: Buttons, frames: usize) {
        self.ahead.extend(std::iter::repeat_n(buttons, frames));
    }
}

/// Plays, and gives RAM after each pass of the main loop with what it shows of player 1.
pub fn play(set: Set, seed: u32, frames: usize, mut each: impl FnMut(u64, Snapshot, Moment)) {
    let profile = profile();
    let read = profile.game.definition().moments.expect("it can be measured").read;
    let mut console = Console::with_order(set.rom(seed, false), StorageOrder::AsOnBus).unwrap();
    let mut hands = Hands::new(set, seed);
    let (mut sampled, mut last) = (0, 0);
    while sampled < frames {
        console.run_frame();
        let pass = console.long(PASSES);
        if pass == last {
            continue;
        }
        last = pass;
        sampled += 1;
        let snapshot = snapshot(&console);
        let moment = read(&snapshot, &profile, 0).unwrap();
        console.press(hands.buttons(&moment));
        each(u64::from(pass), snapshot, moment);
    }
}

/// What RAM shows of player 1 after each pass of the main loop.
pub fn moments(set: Set, seed: u32, frames: usize) -> Vec<(u64, Moment)> {
    let mut moments = Vec::new();
    play(set, seed, frames, |pass, _, moment| moments.push((pass, moment)));
    moments
}
