//! The embedded console: our cartridge on a real 68000 core compared with the vectors, invalid ROMs, the
//! process.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod waiting;

use nextscope::console::StorageOrder;
use nextscope::demo::console::{Console, ConsoleError};
use nextscope::demo::{Buttons, CartridgeConfig, DemoError, DemoOptions, DemoProcess, ROM, spawn_program};
use nextscope::games::puyo_tsu::{Setup, Shuffle, State, generate};
use nextscope::process::{HostAddr, Process};
use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use waiting::eventually_some;

const PASSES: u32 = 0xFF_1018;
const PASS_BYTE: u32 = 0xFF_A069;
const TICKS: u32 = 0xFF_A000;
const ROUND: u32 = 0xFF_1014;
const STATE_ID: u32 = 0xFF_1004;
const SEED_BEFORE: u32 = 0xFF_1020;
const SEED_AFTER: u32 = 0xFF_1024;
const FAULT_SWITCH: u32 = 0xFF_1000;
const PAUSED: u32 = 0xFF_1002;
const FAULTS: u32 = 0xFF_1010;
const FAULT_LOG: u32 = 0xFF_2000;
const PAD_1: u32 = 0xFF_F070;
const QUEUES: [u32; 2] = [0xFF_85A0, 0xFF_8DA0];
const POOLS: u32 = 0xFF_AD00;
const COLOR_SET: u32 = 0xFF_A4E2;

const GENERATE: u8 = 2;
const MENU: u8 = 3;
const PLAY: u8 = 4;

/// Work RAM as on the 68000's bus.
struct Bus(Vec<u8>);

impl Bus {
    fn of(console: &Console, order: StorageOrder) -> Self {
        let mut ram = console.ram().to_vec();
        order.reorder(&mut ram);
        Self(ram)
    }

    fn bytes(&self, address: u32, count: usize) -> &[u8] {
        let at = address as usize & 0xFFFF;
        &self.0[at..at + count]
    }

    fn u8(&self, address: u32) -> u8 {
        self.bytes(address, 1)[0]
    }

    fn u16(&self, address: u32) -> u16 {
        u16::from_be_bytes(self.bytes(address, 2).try_into().unwrap())
    }

    fn u32(&self, address: u32) -> u32 {
        u32::from_be_bytes(self.bytes(address, 4).try_into().unwrap())
    }
}

fn bus(console: &Console) -> Bus {
    Bus::of(console, StorageOrder::SwappedWords)
}

fn configured(config: &str) -> Vec<u8> {
    let mut rom = ROM.to_vec();
    config.parse::<CartridgeConfig>().expect(config).apply(&mut rom).expect("our cartridge");
    rom
}

/// Runs until `done`, at most `frames` frames.
fn run_until(console: &mut Console, frames: u32, done: impl Fn(&Bus) -> bool) -> Bus {
    for _ in 0..=frames {
        let bus = bus(console);
        if done(&bus) {
            return bus;
        }
        console.run_frame();
    }
    panic!("the condition was not met in {frames} frames");
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn vectors() -> Value {
    serde_json::from_str(include_str!("../crates/games/src/games/puyo_tsu/vectors.json"))
        .expect("the vector file is JSON")
}

#[test]
fn the_cartridge_boots_with_valid_options_and_counts_every_frame() {
    for order in StorageOrder::OF_16_BIT_BUS {
        let mut console = Console::with_order(ROM.to_vec(), order).unwrap();
        for _ in 0..60 {
            console.run_frame();
        }
        let first = Bus::of(&console, order);
        for block in [0xFF_4800, 0xFF_4B00] {
            assert_eq!(first.bytes(block + 0x2F8, 8), b"COMPILE!");
            let sum = (1..384).fold(0_u16, |sum, word| sum.wrapping_add(first.u16(block + 2 * word)));
            assert_eq!(sum, first.u16(block));
        }
        // Before the first round (the title and the settings take 90 passes) every pass fits into a frame.
        for frame in 1..=20 {
            console.run_frame();
            let now = Bus::of(&console, order);
            assert_eq!(now.u32(PASSES), first.u32(PASSES) + frame);
            assert_eq!(now.u8(PASS_BYTE), (first.u32(PASSES) + frame).to_be_bytes()[3]);
            assert_eq!(now.u32(TICKS), (first.u32(TICKS) + frame * 0x4022) % 1_000_000);
        }
        assert_eq!(console.frames(), 80);
        assert_ne!(console.colors()[1], 0, "the palette is set");
    }
}

#[test]
fn only_generation_takes_longer_than_a_frame() {
    let mut console = Console::new(configured("pairs=20,menu=5")).unwrap();
    let mut before = run_until(&mut console, 100, |bus| bus.u32(PASSES) == 1);
    let mut half_done = 0;
    for _ in 0..3600 {
        console.run_frame();
        let now = bus(&console);
        let generating = now.u8(STATE_ID) == GENERATE;
        half_done += u32::from(generating);
        let passes = now.u32(PASSES) - before.u32(PASSES);
        assert!(passes == 1 || passes == 0 && before.u8(STATE_ID) == GENERATE);
        before = now;
    }
    let rounds = before.u32(ROUND);
    assert!(rounds >= 3);
    assert!((rounds..=2 * rounds).contains(&half_done), "{half_done} frames in {rounds} rounds");
}

#[test]
fn rounds_generated_by_the_68000_match_the_vectors() {
    let vectors = vectors();
    let rows = vectors["generator"].as_array().expect("rows");
    assert_eq!(rows.len(), 8);
    for row in rows {
        let seed = u32::from_str_radix(&row["seed"].as_str().unwrap()[2..], 16).unwrap();
        let mut rom = ROM.to_vec();
        // In the configuration 0 means the boot constant, so that one is changed where the code loads it.
        let constant = 0x3587_9DE2_u32.to_be_bytes();
        let at = rom.windows(4).position(|bytes| bytes == constant).expect("the boot constant");
        rom[at..at + 4].copy_from_slice(&seed.to_be_bytes());
        // The first entry of the schedule: mode, rank, pop count.
        let byte = |key: &str| u8::try_from(row[key].as_u64().unwrap()).unwrap();
        let versus = row["mode"] == "versus";
        rom[0x222..0x225].copy_from_slice(&[u8::from(versus), byte("rank"), byte("pop_count")]);

        let mut console = Console::new(rom).unwrap();
        let bus = run_until(&mut console, 200, |bus| bus.u8(STATE_ID) == MENU);
        assert_eq!(bus.u32(SEED_BEFORE), seed);
        assert_eq!(format!("0x{:08X}", bus.u32(SEED_AFTER)), row["state_after"], "{row}");
        assert_eq!(hex(bus.bytes(COLOR_SET, 8)), row["color_set"].as_str().unwrap().to_lowercase());
        let pools = row["pools"].as_object().unwrap();
        assert_eq!(pools.len(), if versus { 3 } else { 2 });
        for (name, expected) in pools {
            let address = 0xFF_0000 | u32::from_str_radix(name, 16).unwrap();
            let pool = bus.bytes(address, 256);
            assert_eq!(hex(&pool[..32]), expected["first32"].as_str().unwrap(), "{name} of {row}");
            assert_eq!(hex(Sha256::digest(pool)), expected["sha256"].as_str().unwrap(), "{name} of {row}");
        }
    }
}

#[test]
fn a_configured_seed_generates_the_first_round() {
    let mut console = Console::new(configured("seed=0x12345678,schedule=versus")).unwrap();
    let bus = run_until(&mut console, 200, |bus| bus.u8(STATE_ID) == MENU);
    assert_eq!((bus.u32(SEED_BEFORE), bus.u32(SEED_AFTER)), (0x1234_5678, 0xF02F_4CA9));
}

#[test]
fn pairs_are_dealt_in_vector_order() {
    let vectors = vectors();
    for (key, level) in [("level1", 0), ("level3", 2), ("level5", 4)] {
        let mut rom = configured("deal1=2,deal2=2,menu=1");
        rom[0x225..0x227].copy_from_slice(&[level, level]);
        let mut console = Console::new(rom).unwrap();
        run_until(&mut console, 200, |bus| bus.u8(STATE_ID) == PLAY);
        let expected = vectors["dealt_versus_35879DE2"][key].as_str().unwrap();
        for (number, pair) in (0..).zip(expected.split(' ')) {
            let dealt = run_until(&mut console, 3, |bus| bus.u16(QUEUES[0] + 6) == number);
            for queue in QUEUES {
                let next = dealt.bytes(queue, 2);
                assert_eq!(format!("{}{}", next[0], next[1]), pair, "pair {number}, {key}");
            }
        }
    }
}

#[test]
fn requested_faults_are_made_and_logged() {
    let mut console =
        Console::new(configured("faults=both,fault-every=7,deal1=4,deal2=6,pairs=60,menu=5")).unwrap();
    let mut logged = 0;
    let (mut in_pools, mut in_pairs) = (0, 0);
    let mut announced: Vec<(u32, usize, u16, usize, u8)> = Vec::new();
    for _ in 0..3000 {
        console.run_frame();
        let bus = bus(&console);
        let round = bus.u32(ROUND);
        while logged < bus.u32(FAULTS) {
            let record = FAULT_LOG + (logged & 0xFF) * 16;
            logged += 1;
            assert_eq!((bus.u32(record), bus.u32(record + 12)), (logged, round));
            let (place, index) = (usize::from(bus.u8(record + 5)), bus.u16(record + 6));
            let (right, wrong) = (bus.u8(record + 8), bus.u8(record + 9));
            assert_ne!(right, wrong);
            if bus.u8(record + 4) == 1 {
                in_pools += 1;
                let setup = Setup {
                    mode: bus.u8(0xFF_A130),
                    rank: bus.u8(0xFF_A105),
                    pop_count: bus.u8(0xFF_480E),
                    shuffle: Shuffle::default(),
                };
                let model = generate(State(bus.u32(SEED_BEFORE)), setup);
                let pool = model.pools[place].expect("a pool of this round");
                assert_eq!(pool[usize::from(index)], right);
                let mut there = *bus.bytes(POOLS, 768)[256 * place..].first_chunk::<256>().unwrap();
                assert_eq!(there[usize::from(index)], wrong);
                there[usize::from(index)] = right;
                assert_eq!(there, pool, "no other byte is wrong");
            } else {
                in_pairs += 1;
                announced.push((round, place, index, usize::from(bus.u8(record + 10)), wrong));
            }
        }
        announced.retain(|&(of_round, player, number, byte, wrong)| {
            let queue = QUEUES[player];
            if of_round == round && bus.u16(queue + 6) == number {
                assert_eq!(bus.bytes(queue, 2)[byte], wrong);
                return false;
            }
            of_round == round
        });
    }
    assert!(in_pools >= 3 && in_pairs >= 30, "{in_pools} and {in_pairs}");
}

#[test]
fn buttons_reach_the_cartridge() {
    let mut console = Console::new(ROM.to_vec()).unwrap();
    (0..30).for_each(|_| console.run_frame());
    for (buttons, bits) in [
        (Buttons::A, 0x40),
        (Buttons::B, 0x10),
        (Buttons::START, 0x80),
        (Buttons::UP | Buttons::LEFT, 0x05),
        (Buttons::NONE, 0),
    ] {
        console.press(buttons);
        console.run_frame();
        assert_eq!(
            bus(&console).bytes(PAD_1, 2),
            [bits, bits],
            "held and newly pressed: {}",
            buttons.names()
        );
        console.run_frame();
        assert_eq!(bus(&console).bytes(PAD_1, 2), [bits, 0]);
        assert_eq!(bus(&console).bytes(PAD_1 + 6, 2), [0, 0], "the second controller is unchanged");
    }
    let bus = bus(&console);
    assert_eq!((bus.u8(FAULT_SWITCH), bus.u8(PAUSED)), (3, 0xFF));
}

#[test]
fn a_reset_restarts_with_the_randomizer_state_unchanged() {
    let mut console = Console::new(ROM.to_vec()).unwrap();
    run_until(&mut console, 400, |bus| bus.u8(STATE_ID) == PLAY);
    console.reset();
    let after = run_until(&mut console, 30, |bus| bus.u32(PASSES) == 5);
    assert_ne!(after.u32(0xFF_A134), 0x3587_9DE2);
    assert_eq!(after.u32(ROUND), 0);
    console.power_cycle();
    let after = run_until(&mut console, 30, |bus| bus.u32(PASSES) == 5);
    assert_eq!(after.u32(0xFF_A134), 0x3587_9DE2);
}

#[test]
fn invalid_roms_are_refused_with_a_reason() {
    for (rom, error, says) in [
        (vec![], ConsoleError::TooShort { bytes: 0 }, "too short"),
        (vec![0; 0x1FF], ConsoleError::TooShort { bytes: 0x1FF }, "too short"),
        (vec![0; 0x1_0000], ConsoleError::NoHeader, "not a Mega Drive ROM"),
        (vec![0x5A; 0x40_0001], ConsoleError::TooLong { bytes: 0x40_0001 }, "too long"),
    ] {
        let got = Console::new(rom).expect_err(says);
        assert_eq!(got, error);
        assert!(got.to_string().contains(says), "{got}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Noise as a program: any instruction, any stack, any vectors.
    #[test]
    fn noise_with_a_header_never_panics(
        mut rom in prop::collection::vec(any::<u8>(), 0x200..0x3000),
        start in 0_u32..0x3000,
        stack in any::<u32>(),
        even in any::<bool>(),
    ) {
        rom[0x100..0x104].copy_from_slice(b"SEGA");
        rom[..4].copy_from_slice(&stack.to_be_bytes());
        let mask = if even { !1 } else { !0 };
        rom[4..8].copy_from_slice(&(start & mask).to_be_bytes());
        for vector in rom[8..0x100].chunks_exact_mut(4) {
            // Into the ROM, where there is more noise to run.
            vector[..2].fill(0);
            vector[2] &= 0x1F;
            if even { vector[3] &= 0xFE }
        }
        let mut console = Console::new(rom).unwrap();
        for frame in 1..=4 {
            console.run_frame();
            prop_assert_eq!(console.frames(), frame);
        }
        console.reset();
        console.run_frame();
    }

    /// Our own cartridge with a few words of its program changed: closer to real code than noise.
    #[test]
    fn a_damaged_cartridge_never_panics(
        damage in prop::collection::vec((0x2A0_usize..0x1600, any::<u8>()), 1..12),
    ) {
        let mut rom = ROM.to_vec();
        for (at, byte) in damage {
            rom[at] = byte;
        }
        let mut console = Console::new(rom).unwrap();
        for _ in 0..40 {
            console.run_frame();
        }
    }

    #[test]
    fn noise_is_not_a_rom(rom in prop::collection::vec(0_u8..0x40, 0..0x1000)) {
        prop_assert!(Console::new(rom).is_err());
    }
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_nextscope"))
}

fn start(arguments: &str) -> DemoProcess {
    let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
    spawn_program(program(), &DemoOptions::parse(&arguments).unwrap()).expect("it starts")
}

/// The console's RAM in another process, located by the two option blocks alone.
struct Outside {
    process: Process,
    ram: HostAddr,
    order: StorageOrder,
}

impl Outside {
    fn find(demo: &DemoProcess, order: StorageOrder) -> Self {
        let process = Process::open(demo.pid()).expect("it runs");
        let mut magic = *b"COMPILE!";
        order.reorder(&mut magic);
        let ram = eventually_some("RAM is found", || {
            let regions = process.regions().expect("a child can be read");
            let found: Vec<_> = regions
                .iter()
                .filter(|region| region.readable && region.writable && region.len < 1 << 26)
                .flat_map(|region| {
                    let mut bytes = vec![0; usize::try_from(region.len).unwrap()];
                    let read = process.read_exact(region.start, &mut bytes).is_ok();
                    let hits = (0..bytes.len().saturating_sub(0x308)).filter(|at| {
                        read && bytes[*at..].starts_with(&magic) && bytes[at + 0x300..].starts_with(&magic)
                    });
                    hits.map(|at| region.start.offset(at as u64)).collect::<Vec<_>>()
                })
                .collect();
            assert!(found.len() <= 1, "RAM is in one place");
            found.first().copied()
        });
        Self { process, ram: HostAddr(ram.0 - 0x4AF8), order }
    }

    fn bus(&self) -> Bus {
        let mut bytes = vec![0; 0x1_0000];
        self.process.read_exact(self.ram, &mut bytes).expect("it is read");
        self.order.reorder(&mut bytes);
        Bus(bytes)
    }
}

#[test]
fn the_process_exposes_ram_to_a_reader_in_either_order() {
    for (text, order) in [("bus", StorageOrder::AsOnBus), ("swapped", StorageOrder::SwappedWords)] {
        // The menu of the first round lasts until it was read.
        let config = "seed=0xDEADBEEF,schedule=versus,menu=60000";
        let demo = start(&format!("--speed 20 --order {text} --config {config}"));
        let outside = Outside::find(&demo, order);
        let bus = eventually_some("a round was made", || {
            Some(outside.bus()).filter(|bus| bus.u8(STATE_ID) == MENU)
        });
        let model = generate(State(0xDEAD_BEEF), Setup::VERSUS);
        assert_eq!(bus.u32(SEED_AFTER), model.after.0);
        assert_eq!(bus.bytes(POOLS, 256), model.pools[0].unwrap());
    }
}

#[test]
fn commands_press_pause_resume_reset_and_reload() {
    let mut demo = start("--speed 10 --config seed=0x12345678");
    let outside = Outside::find(&demo, StorageOrder::SwappedWords);
    eventually_some("it plays", || (outside.bus().u8(STATE_ID) == PLAY).then_some(()));

    demo.send("press a\nrelease").unwrap();
    demo.send("press b\nrelease").unwrap();
    eventually_some("both faults are on", || (outside.bus().u8(FAULT_SWITCH) == 3).then_some(()));
    demo.send("press a\nrelease").unwrap();
    eventually_some("pool faults are off", || (outside.bus().u8(FAULT_SWITCH) == 2).then_some(()));

    demo.send("pause").unwrap();
    let still = eventually_some("time stops", || {
        let passes = outside.bus().u32(PASSES);
        std::thread::sleep(Duration::from_millis(50)); // long enough for a pass if it were not paused
        (outside.bus().u32(PASSES) == passes).then_some(passes)
    });
    demo.send("resume").unwrap();
    eventually_some("time continues", || (outside.bus().u32(PASSES) > still).then_some(()));

    demo.send("reset").unwrap();
    eventually_some("it starts again", || (outside.bus().u32(ROUND) == 0).then_some(()));
    eventually_some("it runs again", || (outside.bus().u8(STATE_ID) == PLAY).then_some(()));
    assert_ne!(outside.bus().u32(SEED_BEFORE), 0x1234_5678, "a reset preserves the randomizer");

    demo.send("load").unwrap();
    eventually_some("a first round from the seed", || {
        let bus = outside.bus();
        (bus.u32(SEED_BEFORE) == 0x1234_5678 && bus.u32(ROUND) == 1).then_some(())
    });
    demo.send("speed 0.01").unwrap();
    assert!(demo.is_running());
}

#[test]
fn speed_1_is_59_92_frames_a_second() {
    let demo = start("");
    let outside = Outside::find(&demo, StorageOrder::SwappedWords);
    eventually_some("it runs", || (outside.bus().u32(PASSES) > 0).then_some(()));
    // Passes, not ticks, before the first generation: 90 passes are one and a half seconds.
    let count = || (Instant::now(), outside.bus().u32(PASSES));
    let (began, first) = count();
    let (ended, last) =
        eventually_some("a second of it", || Some(count()).filter(|(_, passes)| passes - first >= 60));
    assert!(last < 90, "measured before the first generation");
    let rate = f64::from(last - first) / ended.duration_since(began).as_secs_f64();
    assert!((55.0..62.0).contains(&rate), "{rate} frames per second");
}

#[test]
fn it_ends_when_it_is_killed_or_dropped() {
    let mut killed = start("--speed 0");
    let process = Process::open(killed.pid()).unwrap();
    killed.kill().unwrap();
    assert!(process.check_running().is_err() && !killed.is_running());
    assert!(matches!(killed.send("release"), Err(DemoError::Ended)));

    for speed in ["0", "1", "0.01"] {
        let dropped = start(&format!("--speed {speed}"));
        let process = Process::open(dropped.pid()).unwrap();
        drop(dropped);
        assert!(process.check_running().is_err());
        let status = start(&format!("--speed {speed}")).end().unwrap();
        assert!(status.success(), "it exits and is not killed: {status}");
    }
}

/// A console as a shell starts it, and its first line.
fn by_hand(arguments: &[&str], stdin: Stdio) -> (std::process::Child, String) {
    let mut command = Command::new(program());
    command.arg("demo-console").args(arguments).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (child, line)
}

#[test]
fn it_ends_when_its_standard_input_closes_and_prints_only_the_ready_line() {
    let (mut child, line) = by_hand(&["--speed", "0"], Stdio::piped());
    assert_eq!(line, format!("ready {}\n", child.id()));
    drop(child.stdin.take());
    let status = eventually_some("it ended", || child.try_wait().unwrap());
    assert!(status.success());
    let mut rest = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
    child.stderr.take().unwrap().read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
}

/// The shell starts it with an input that this test keeps open, prints its pid, and ends.
#[cfg(unix)]
#[test]
fn it_ends_when_its_parent_ends_even_if_its_input_stays_open() {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("exec 3<&0; \"$0\" demo-console --speed 1 <&3 & read line; exit 0").arg(program());
    // The shell's own `read` waits for a line that never comes, until it is killed below.
    shell.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut shell = shell.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let pid = line.trim().strip_prefix("ready ").and_then(|pid| pid.parse().ok()).expect("it is ready");
    let process = Process::open(nextscope::process::Pid(pid)).unwrap();
    shell.kill().unwrap();
    shell.wait().unwrap();
    eventually_some("the console has ended", || process.check_running().is_err().then_some(()));
    drop(writer);
}

#[test]
fn invalid_options_end_it_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Some(path)
    };
    let config: CartridgeConfig = "menu=1".parse().unwrap();
    let mut other = ROM.to_vec();
    other[0x200] = b'X';
    for (rom, config, says) in [
        (Some(folder.path().join("none.bin")), CartridgeConfig::default(), "cannot be read"),
        (file("empty.bin", b""), CartridgeConfig::default(), "too short"),
        (file("zeros.bin", &[0; 4096]), CartridgeConfig::default(), "not a Mega Drive ROM"),
        (file("other.bin", &other), config, "not our own cartridge"),
    ] {
        let options = DemoOptions { rom, config, ..DemoOptions::default() };
        let error = spawn_program(program(), &options).expect_err(says);
        assert!(matches!(error, DemoError::NotReady { .. }) && error.to_string().contains(says), "{error}");
    }
    let missing = spawn_program(&folder.path().join("nextscope"), &DemoOptions::default());
    assert!(matches!(missing, Err(DemoError::Start { .. })));
    // Not a console: it ends without output.
    if Path::new("/bin/true").exists() {
        let wrong = spawn_program(Path::new("/bin/true"), &DemoOptions::default());
        assert!(matches!(wrong, Err(DemoError::NotReady { .. })), "{wrong:?}");
    }
}

#[test]
fn unknown_commands_and_a_halt_are_reported_on_standard_error() {
    let mut rom = vec![0; 0x400];
    rom[0x100..0x104].copy_from_slice(b"SEGA");
    rom[7] = 1; // a reset to an odd address
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.bin");
    std::fs::write(&path, rom).unwrap();
    let (mut child, _) = by_hand(&["--rom", path.to_str().unwrap()], Stdio::piped());
    let mut complaints = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    complaints.read_line(&mut line).unwrap();
    assert!(line.contains("halted"), "{line}");
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"dance\nquit\n").unwrap();
    line.clear();
    complaints.read_line(&mut line).unwrap();
    assert!(line.contains("unknown command `dance`"), "{line}");
    assert!(child.wait().unwrap().success());
}
