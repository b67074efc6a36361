//! Our own Genesis cartridge while its title waits for Start: recordings from power on, and what a press generates.

use super::genesis::{SEED, rom};
use nextscope::console::{ConsoleAddr, ConsoleId, Snapshot, StorageOrder};
use nextscope::demo::Buttons;
use nextscope::demo::console::Console;
use nextscope::games::puyo_tsu::{Setup, State, generate};
use nextscope::recording::Sample;
use nextscope::round_starts::PowerOnClock;
use std::time::Duration;

/// The frame of the console with a button before the wait.
const TAP: u32 = 25;
/// Frames that Start is held.
const HELD: u32 = 3;

/// The interrupt counter, the number of rounds, and the state before the generation (README of the cartridge).
const CLOCK: u32 = 0xFF_A000;
const ROUND: u32 = 0xFF_1014;
pub const SEED_BEFORE: u32 = 0xFF_1020;
const STATE: ConsoleAddr = ConsoleAddr(0xFF_A134);
const POOLS: [u32; 3] = [0xFF_AD00, 0xFF_AE00, 0xFF_AF00];

/// The cartridge whose first round is generated in this pass from that of the press on, such as `1` or `20/quiet`.
pub fn waiting_rom(start: &str) -> Vec<u8> {
    rom(SEED, &format!("fall=0,menu=1,start={start}"))
}

/// The buttons of a person who waits and presses Start in a frame, or never.
pub fn person(press: Option<u32>) -> impl Fn(u32) -> Buttons {
    move |frame| match frame {
        TAP => Buttons::LEFT,
        _ if press.is_some_and(|press| (press..press + HELD).contains(&frame)) => Buttons::START,
        _ => Buttons::NONE,
    }
}

/// All frames from power on, as the sampler would read them if it missed none.
pub fn record(rom: Vec<u8>, held: &dyn Fn(u32) -> Buttons, frames: u32) -> Vec<Sample> {
    let mut console = Console::new(rom).unwrap();
    let sample = |frame: u32| {
        console.press(held(frame));
        console.run_frame();
        let stored = console.ram().to_vec();
        let snapshot =
            Snapshot::from_stored(ConsoleId::Genesis.domain(), StorageOrder::SwappedWords, stored).unwrap();
        let counter = snapshot.u8(ConsoleAddr(0xFF_A069)).unwrap().into();
        // The recorder has been attached for a while.
        let elapsed = Duration::from_micros(u64::from(frame) * 16_689);
        Sample { snapshot, frame: 5000 + u64::from(frame), counter, elapsed }
    };
    (1..=frames).map(sample).collect()
}

/// A frame in which a press tells which state is used: the state moves in it, and in the 18th after it, the last before a generation in pass 20.
pub fn telling_press() -> u32 {
    let samples = record(waiting_rom("20"), &person(None), 600);
    let state = |frame: u32| samples[frame as usize - 1].snapshot.bytes(STATE, 4).unwrap().to_vec();
    let moves = |frame: u32| state(frame) != state(frame - 1);
    (200..500).find(|press| moves(*press) && moves(press + 18)).expect("a frame in which the state moves")
}

/// The frame of the clock that has this value.
pub fn clock_frame(value: u32) -> u32 {
    let clock = PowerOnClock::new(0x4022, 1_000_000).unwrap();
    clock.frame(value.into()).expect("a value of the clock").try_into().unwrap()
}

/// Frames of the embedded console before the first that the clock counts.
pub fn clock_offset() -> u32 {
    let mut console = Console::new(waiting_rom("1")).unwrap();
    (0..200).for_each(|_| console.run_frame());
    200 - clock_frame(console.long(CLOCK))
}

/// The state from which the first round is generated, and the frame, while these buttons are held from power on. The pools must be those of the
/// state.
pub fn generated(rom: Vec<u8>, pads: &[Buttons]) -> Option<(State, u32)> {
    let mut console = Console::new(rom).unwrap();
    let mut frame = 0;
    for pad in pads {
        console.press(*pad);
        console.run_frame();
        frame += 1;
        if console.long(ROUND) == 1 {
            break;
        }
    }
    if console.long(ROUND) == 0 {
        return None;
    }
    // The generation takes a few frames.
    (0..5).for_each(|_| console.run_frame());
    let state = State(console.long(SEED_BEFORE));
    let bytes = |pool: u32| (0..128).flat_map(|word| console.word(pool + 2 * word).to_be_bytes()).collect();
    let pools: [Vec<u8>; 3] = POOLS.map(bytes);
    let round = generate(state, Setup::VERSUS);
    for (pool, expected) in pools.iter().zip(round.pools) {
        assert_eq!(pool[..], expected.unwrap(), "the pools of {state}");
    }
    Some((state, frame))
}
