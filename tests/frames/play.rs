//! Our own cartridge with a table of times in its ROM, played on the embedded console by hands that press too soon now and then.

use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::demo::console::Console;
use nextscope::demo::{Buttons, CartridgeConfig, ROM};
use nextscope::frames::Moment;
use nextscope::profile::{Library, Profile};
use nextscope::puyo::reachable;
use nextscope::route::{Input, find_inputs};
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
    pub garbage_rows: &'static [u16],
    /// Puyos that pop together.
    pub group: u16,
}

/// The entry of a list for some rows.
pub fn entry(list: &[u16], rows: usize) -> u32 {
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
        let speed = 65_536_u32.div_ceil(fall_without_down.into());
        format!(
            "hand1=controller,deal2=60000,menu=1,schedule=versus,pairs=60000,garbage=5,press={press},release={release},down={fall},\
             fall={speed},lock={lock},delay={next},all-clear={all_clear},chain={chain},group={group},split={},chain-rows={},\
             garbage-rows={}",
            list(self.split),
            list(self.chain_rows),
            list(self.garbage_rows)
        )
    }

    pub fn rom(&self, seed: u32) -> Vec<u8> {
        let mut rom = ROM.to_vec();
        format!("{},seed={seed}", self.config()).parse::<CartridgeConfig>().unwrap().apply(&mut rom).unwrap();
        rom
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
    ahead: VecDeque<Buttons>,
    down: bool,
}

impl Hands {
    pub fn new(set: Set, seed: u32) -> Self {
        Self {
            set,
            random: Random(0x9E37_79B9 + u64::from(seed)),
            dealt: 0,
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
        let place = places[self.random.below(places.len())];
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

/// What RAM shows of player 1 after each pass of the main loop.
pub fn moments(set: Set, seed: u32, frames: usize) -> Vec<(u64, Moment)> {
    let profile = profile();
    let read = profile.game.definition().moments.expect("it can be measured").read;
    let mut console = Console::with_order(set.rom(seed), StorageOrder::AsOnBus).unwrap();
    let mut hands = Hands::new(set, seed);
    let mut moments = Vec::new();
    let mut last = 0;
    while moments.len() < frames {
        console.run_frame();
        let pass = console.long(PASSES);
        if pass == last {
            continue;
        }
        last = pass;
        let moment = read(&snapshot(&console), &profile, 0).unwrap();
        console.press(hands.buttons(&moment));
        moments.push((u64::from(pass), moment));
    }
    moments
}
