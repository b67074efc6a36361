//! Our own NDS cartridge in real emulators: it deals according to the documents, its log lists its changes,
//! and it behaves as its README describes. It uses no part of the companion except its reads, so that its own
//! tests rest on facts.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod emulators;
mod waiting;

use emulators::session::present;
use emulators::{Kind, NDS_ROM, NdsConfig, NdsFault, NdsFaultKind, Pace, Running, SeedRule, cells};
use nextscope::console::{ConsoleAddr, ConsoleId, Ram, StorageOrder};
use nextscope::games::puyo_20th::{PoolId, generate};
use nextscope::process::{HostAddr, Process, Region};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use waiting::{eventually_ok, eventually_some};

const POINTER: ConsoleAddr = ConsoleAddr(0x0211_A6DC);
const BLOCK: u32 = 0x0216_FAD8;
/// The address of the header's copy, and the part of it that DeSmuME overwrites with a homebrew's arguments.
const HEADER_COPY: ConsoleAddr = ConsoleAddr(0x027F_FE00);
const ARGUMENTS: std::ops::Range<usize> = 0x70..0x7C;

/// The contents of the cartridge's cells between two passes of its main loop.
#[derive(Debug, Clone)]
struct Sample {
    frame: u32,
    vblanks: u32,
    round: u32,
    stage: u32,
    faults: u32,
    seed: u32,
    before: u32,
    after: u32,
    block: u32,
    other_shuffle: bool,
    calls: u32,
    pointer: u32,
    state: u32,
    alternate: u32,
    map: [u32; 5],
    pools: [Vec<u8>; 3],
    /// Queue, pairs dealt, number of colours.
    players: [([u8; 4], u16, u8); 2],
}

struct Card {
    running: Running,
    ram: Ram,
    place: String,
}

impl Card {
    fn start(kind: Kind, config: NdsConfig) -> Self {
        let running = kind.start(&config.rom());
        let process = Process::open(running.pid()).expect("the emulator runs");
        let (region, base) = eventually_some(&format!("{}: the cartridge in main RAM", kind.name()), || {
            let regions = process.regions().unwrap_or_default();
            regions.into_iter().find_map(|region| main_ram(&process, &region).map(|base| (region, base)))
        });
        let domain = ConsoleId::Nds.domain();
        let memory = Arc::new(Process::open(running.pid()).unwrap());
        let ram = Ram { memory, domain, base, order: StorageOrder::AsOnBus };
        let path = region.path.map_or(String::new(), |path| path.display().to_string());
        let place = format!("{:#x} behind the start of {path:?}", base.0 - region.start.0);
        Self { running, ram, place }
    }

    fn bytes<const N: usize>(&self, addr: ConsoleAddr) -> [u8; N] {
        let mut bytes = [0; N];
        self.ram.read(addr, &mut bytes).expect("main RAM is there");
        bytes
    }

    fn word(&self, addr: ConsoleAddr) -> u32 {
        u32::from_le_bytes(self.bytes(addr))
    }

    /// A sample taken while the counters show that no pass was running.
    fn sample(&self) -> Sample {
        // The time between two passes is short: many reads without a pause hit it.
        eventually_some(&format!("{}: between two passes", self.running.kind.name()), || {
            (0..1000).find_map(|_| self.between_passes())
        })
    }

    /// A sample, unless a pass was running.
    fn between_passes(&self) -> Option<Sample> {
        let frame = self.word(cells::FRAMES);
        if frame == 0 || self.word(cells::DONE) != frame {
            return None;
        }
        let block = self.word(cells::BLOCK);
        let at = |offset: u32| ConsoleAddr(block).offset(offset);
        let map = self.bytes::<20>(at(0x1C4));
        let pools = self.bytes::<768>(at(0x1D8));
        let player = |at: ConsoleAddr| {
            let cells = self.bytes::<7>(at);
            (cells[..4].try_into().unwrap(), u16::from_le_bytes([cells[4], cells[5]]), cells[6])
        };
        let sample = Sample {
            frame,
            vblanks: self.word(cells::VBLANKS),
            round: self.word(cells::ROUND),
            stage: self.word(cells::STAGE),
            faults: self.word(cells::FAULTS),
            seed: self.word(cells::SEED),
            before: self.word(cells::BEFORE),
            after: self.word(cells::AFTER),
            block,
            other_shuffle: self.word(cells::OTHER_SHUFFLE) == 1,
            calls: self.word(cells::CALLS),
            pointer: self.word(POINTER),
            state: self.word(at(0x28)),
            alternate: self.word(at(0x9C)),
            map: std::array::from_fn(|i| u32::from_le_bytes(map[i * 4..i * 4 + 4].try_into().unwrap())),
            pools: std::array::from_fn(|i| pools[i * 256..(i + 1) * 256].to_vec()),
            players: cells::PLAYERS.map(player),
        };
        let still = self.word(cells::FRAMES) == frame && self.word(cells::DONE) == frame;
        still.then_some(sample)
    }

    fn wait(&self, what: &str, condition: impl Fn(&Sample) -> bool) -> Sample {
        eventually_ok(|| {
            let sample = self.sample();
            if condition(&sample) {
                return Ok(sample);
            }
            Err(format!("{}: {what}: {sample:?}", self.running.kind.name()))
        })
    }

    /// The faults of the log from `first` to `last`.
    fn faults(&self, first: u32, last: u32) -> BTreeSet<NdsFault> {
        let fault = |number| NdsFault::parse(&self.bytes::<32>(NdsFault::record(number)), number);
        (first..=last).map(|number| fault(number).expect("the log is complete")).collect()
    }
}

/// Where main RAM begins in a region: the cartridge's program as it is loaded, and a count that moves. An
/// emulator has several copies of the program, including the card itself.
fn main_ram(process: &Process, region: &Region) -> Option<HostAddr> {
    if !region.readable || !region.writable || region.len < 0x40_0000 {
        return None;
    }
    let program = &NDS_ROM[0x300..0x340];
    let mut piece = vec![0; 1 << 20];
    for (start, len) in process.touched_ranges(region) {
        let mut done = 0;
        while done < len {
            let here = usize::try_from((len - done).min(1 << 20)).unwrap();
            let from = start.offset(done);
            done += here as u64;
            if process.read_exact(from, &mut piece[..here]).is_err() {
                continue;
            }
            for at in memchr::memmem::find_iter(&piece[..here], b"NXCF") {
                let base = from.offset(at as u64);
                let word = |offset: u64| {
                    let mut bytes = [0; 4];
                    process
                        .read_exact(base.offset(offset), &mut bytes)
                        .ok()
                        .map(|()| u32::from_le_bytes(bytes))
                };
                let mut loaded = [0; 0x40];
                let same = process.read_exact(base.offset(0x100), &mut loaded).is_ok() && loaded == *program;
                if same && region.contains(base, 0x40_0000) && word(0x18_0024) == Some(BLOCK) {
                    let before = word(0x18_0000)?;
                    std::thread::sleep(Duration::from_millis(100)); // long enough for a running game to count
                    if word(0x18_0000)? != before {
                        return Some(base);
                    }
                }
            }
        }
    }
    None
}

fn vectors() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../crates/games/src/games/puyo_20th/vectors.json"))
        .expect("the vector file is JSON");
    file["generator"].as_array().expect("rows").clone()
}

fn number(text: &Value) -> u32 {
    u32::from_str_radix(&text.as_str().expect("text")[2..], 16).expect("a hexadecimal number")
}

/// One step of the generator (document: multiplier and increment).
fn step(state: u32) -> u32 {
    state.wrapping_mul(0x5D58_8B65).wrapping_add(0x0026_9EC3)
}

/// A long first round, made immediately from the first state, which nothing else advances.
fn one_round(state: u32, seed_rule: SeedRule) -> NdsConfig {
    NdsConfig {
        state,
        seed_rule,
        event_rate: 0,
        menu_frames: 1,
        frames_per_deal: [1, 2],
        pairs_per_round: u16::MAX,
        colors: [4, 5],
        ..NdsConfig::default()
    }
}

#[test]
fn every_emulator_deals_the_rounds_of_the_vectors() {
    for (turn, kind) in present(&Kind::NDS_UNTHROTTLED).into_iter().enumerate() {
        // All seeds in one emulator, one in each of the others: the cartridge is the same.
        let rows: Vec<Value> = vectors().into_iter().skip(turn).take(if turn == 0 { 6 } else { 1 }).collect();
        for row in rows {
            let seed = number(&row["seed"]);
            let card = Card::start(kind, one_round(seed << 16 | 0x5A5A, SeedRule::Upper));
            let sample = card.wait("a round", |sample| sample.round == 1 && sample.stage == 4);
            let name = format!("{}, {row}", kind.name());
            assert_eq!(sample.seed, seed, "{name}");
            let letters: String = sample.map.iter().map(|&code| b" RGBYP"[code as usize] as char).collect();
            assert_eq!(letters, row["color_map"].as_str().unwrap(), "{name}");
            assert_eq!(sample.state, number(&row["state_after"]), "{name}");
            assert_eq!(sample.after, sample.state, "{name}");
            assert_eq!(u64::from(sample.calls), row["calls"].as_u64().unwrap(), "{name}");
            assert!(sample.alternate < 0x8000, "{name}");
            for (pool, colors) in sample.pools.iter().zip(["3", "4", "5"]) {
                let expected = &row["pools"][colors];
                let digits: String = pool.iter().map(|&digit| char::from(b'0' + digit)).collect();
                assert_eq!(digits[..32], *expected["first32"].as_str().unwrap(), "{name}");
                let digest: String = Sha256::digest(pool).iter().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(digest, expected["sha256"].as_str().unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn the_seed_is_the_requested_half_of_the_state() {
    for kind in present(&[Kind::DesmumeCli(Pace::Unthrottled)]) {
        let state = 0x1234_ABCD;
        for (rule, seed, calls) in [
            (SeedRule::Upper, 0x1234, 1973),
            (SeedRule::NextUpper, step(state) >> 16, 1974),
            (SeedRule::Lower, 0xABCD, 1973),
        ] {
            let card = Card::start(kind, one_round(state, rule));
            let sample = card.wait("a round", |sample| sample.round == 1);
            assert_eq!((sample.before, sample.seed, sample.calls), (state, seed, calls), "{rule:?}");
            let after = (0..1973).fold(seed, |state, _| step(state));
            assert_eq!(sample.state, after, "{rule:?}");
        }
    }
}

#[test]
fn pairs_are_shown_two_deals_ahead_and_the_pool_is_a_loop() {
    for kind in present(&Kind::NDS_UNTHROTTLED) {
        let card = Card::start(kind, one_round(0x6119_0000, SeedRule::Upper));
        let mut sampled = [BTreeSet::new(), BTreeSet::new()];
        while sampled[0].iter().max() < Some(&300) || sampled[1].iter().max() < Some(&300) {
            let sample = card.sample();
            for ((queue, dealt, colors), sampled) in sample.players.iter().zip(&mut sampled) {
                if sample.round == 0 {
                    continue;
                }
                let pool = &sample.pools[usize::from(*colors) - 3];
                let ahead: Vec<u8> = (0..4).map(|i| pool[(usize::from(*dealt) * 2 + i) % 256]).collect();
                assert_eq!(queue[..], ahead, "{}: {dealt} dealt", kind.name());
                sampled.insert(*dealt);
            }
        }
    }
}

#[test]
fn counts_move_and_the_copy_of_the_header_is_unchanged() {
    let kinds = present(&Kind::NDS);
    std::thread::scope(|scope| {
        for kind in kinds {
            scope.spawn(move || {
                let card = Card::start(kind, NdsConfig::default());
                let first = card.wait("a round", |sample| sample.stage == 4);
                let began = Instant::now();
                std::thread::sleep(Duration::from_secs(3)); // frames are counted meanwhile
                let last = card.sample();
                let rate = f64::from(last.frame - first.frame) / began.elapsed().as_secs_f64();
                println!("{}: main RAM {}, {rate:.1} frames/s", kind.name(), card.place);
                assert!((20.0..75.0).contains(&rate), "{}: {rate} frames/s", kind.name());
                // A complete pass fits into a frame, so that both counts keep step; the two are not read in
                // the same moment.
                let (passes, vblanks) = (last.frame - first.frame, last.vblanks - first.vblanks);
                assert!(passes.abs_diff(vblanks) <= 1, "{}: {passes} passes, {vblanks}", kind.name());

                let copy = card.bytes::<0x160>(HEADER_COPY);
                let differing: Vec<usize> = (0..0x160).filter(|&i| copy[i] != NDS_ROM[i]).collect();
                assert!(differing.iter().all(|i| ARGUMENTS.contains(i)), "{}: {differing:x?}", kind.name());
                if !differing.is_empty() {
                    println!("{}: arguments at 70 of the header's copy", kind.name());
                    assert_eq!(copy[ARGUMENTS.start..][..4], *b"gra_", "{}", kind.name());
                }
            });
        }
    });
}

#[test]
fn the_block_moves_the_pointer_is_invalid_at_times_and_some_rounds_use_the_other_shuffle() {
    for kind in present(&[Kind::DesmumeCli(Pace::Unthrottled)]) {
        let config = NdsConfig {
            pairs_per_round: 12,
            rounds_per_move: 2,
            rounds_per_nowhere: 3,
            rounds_per_other_shuffle: 5,
            ..NdsConfig::default()
        };
        let card = Card::start(kind, config);
        let (mut blocks, mut strays, mut others) = (BTreeSet::new(), BTreeSet::new(), 0);
        let mut last = card.sample();
        while last.round < 60 {
            let sample = card.sample();
            blocks.insert(sample.block);
            if sample.stage > 1 {
                assert_eq!(sample.pointer, sample.block, "in a round the pointer refers to the block");
            }
            if sample.stage == 1 && sample.pointer != sample.block {
                strays.insert(sample.pointer);
            }
            if sample.round > 0 {
                assert_eq!(sample.other_shuffle, sample.round.is_multiple_of(5));
                assert_eq!(sample.other_shuffle, sample.alternate >= 0x8000);
                let round = generate(u16::try_from(sample.seed).unwrap());
                assert_eq!(round.color_map.cells(), sample.map, "the map is made before the shuffle");
                if sample.round != last.round {
                    let as_modelled =
                        PoolId::ALL.iter().zip(&sample.pools).all(|(id, p)| round.pool(*id)[..] == p[..]);
                    assert_eq!(as_modelled, !sample.other_shuffle, "round {}", sample.round);
                    others += u32::from(sample.other_shuffle);
                }
            }
            last = sample;
        }
        assert_eq!(blocks.len(), 4, "{blocks:x?}");
        assert!(strays.contains(&0) && strays.len() >= 3, "{strays:x?}");
        assert!(others >= 3, "{others}");
    }
}

#[test]
fn the_log_lists_exactly_the_changes() {
    // Two programs; the other two emulators use the same cores as the first.
    for kind in present(&[Kind::DesmumeCli(Pace::Unthrottled), Kind::RetroArchMelonDs(Pace::Unthrottled)]) {
        let config = NdsConfig {
            faults: 15,
            pairs_per_round: 20,
            frames_per_deal: [20, 30],
            draws_per_fault: 4,
            rounds_per_fault: 2,
            ..NdsConfig::default()
        };
        let card = Card::start(kind, config);
        let (mut found, mut queued, mut rounds) = (BTreeMap::<u32, BTreeSet<_>>::new(), BTreeSet::new(), 0);
        let (mut log, mut read) = (BTreeSet::new(), 0);
        while rounds < 8 {
            let sample = card.sample();
            log.extend(card.faults(read + 1, sample.faults));
            read = sample.faults;
            if sample.round == 0 {
                continue;
            }
            let generated = generate(u16::try_from(sample.seed).unwrap());
            assert_eq!(sample.after, generated.after.0);
            if let std::collections::btree_map::Entry::Vacant(entry) = found.entry(sample.round) {
                rounds += 1;
                let mut differences = BTreeSet::new();
                for (id, pool) in PoolId::ALL.into_iter().zip(&sample.pools) {
                    let right = generated.pool(id);
                    for i in (0..256).filter(|&i| right[i] != pool[i]) {
                        let kind = NdsFaultKind::Pool { colors: u8::try_from(id.colors()).unwrap() };
                        differences.insert((kind, i, u32::from(right[i]), u32::from(pool[i])));
                    }
                }
                let map = generated.color_map.cells();
                let swapped: Vec<usize> = (0..5).filter(|&i| map[i] != sample.map[i]).collect();
                if let [first, other] = swapped[..] {
                    let kind = NdsFaultKind::ColorMap { other: u8::try_from(other).unwrap() };
                    differences.insert((kind, first, map[first], sample.map[first]));
                } else {
                    assert!(swapped.is_empty(), "{swapped:?}");
                }
                entry.insert(differences);
            }
            for (player, (queue, dealt, colors)) in (0..).zip(&sample.players) {
                let pool = &sample.pools[usize::from(*colors) - 3];
                for i in 0..4 {
                    let right = pool[(usize::from(*dealt) * 2 + i) % 256];
                    if queue[i] != right {
                        let kind = NdsFaultKind::DealtPair { player, child: i % 2 == 1 };
                        let pair = usize::from(*dealt) + i / 2;
                        queued.insert((sample.round, kind, pair, u32::from(right), u32::from(queue[i])));
                    }
                }
            }
        }
        for (round, differences) in &found {
            let of_round = log.iter().filter(|fault| fault.round == *round);
            let logged: BTreeSet<_> = of_round
                .filter(|f| matches!(f.kind, NdsFaultKind::Pool { .. } | NdsFaultKind::ColorMap { .. }))
                .map(|f| (f.kind, usize::from(f.index), f.right, f.wrong))
                .collect();
            assert_eq!(*differences, logged, "{}: round {round}", kind.name());
            assert_eq!(logged.len(), if round % 2 == 0 { 2 } else { 0 }, "{}: round {round}", kind.name());
        }
        let dealt = |f: &&NdsFault| matches!(f.kind, NdsFaultKind::DealtPair { .. });
        let logged: BTreeSet<_> = log
            .iter()
            .filter(dealt)
            .map(|f| (f.round, f.kind, usize::from(f.index), f.right, f.wrong))
            .collect();
        let unlogged: Vec<_> = queued.difference(&logged).collect();
        assert!(unlogged.is_empty(), "{}: {unlogged:?}", kind.name());
        // An emulator may advance while we wait for a core of the machine, so that some queues are missed.
        assert!(queued.len() * 2 > logged.len() && !logged.is_empty(), "{}: {queued:?}", kind.name());
        let states = log.iter().filter(|f| f.kind == NdsFaultKind::State);
        for fault in states.clone() {
            assert_eq!(fault.right ^ fault.wrong, 1 << fault.index, "{}: {fault:?}", kind.name());
        }
        assert!(states.count() >= 3, "{}", kind.name());
        println!("{}: {} faults, all as logged", kind.name(), log.len());
    }
}

/// The README's rule 5, for the pairs that have landed when this many were dealt.
fn board_after(dealt: u16, pool: &[u8], map: &[u32; 5]) -> [u8; 78] {
    let mut board = [0; 78];
    for pair in 0..usize::from(dealt).saturating_sub(1) {
        let column = pair % 6;
        if board[6 + column] != 0 {
            board = [0; 78];
        }
        for digit in &pool[pair * 2 % 256..pair * 2 % 256 + 2] {
            let row = (0..13).rev().find(|row| board[row * 6 + column] == 0).expect("a column is free");
            board[row * 6 + column] = u8::try_from(map[usize::from(*digit)]).unwrap();
        }
    }
    board
}

#[test]
fn pairs_land_on_the_boards_in_the_order_of_columns() {
    for kind in present(&Kind::NDS_UNTHROTTLED) {
        let card = Card::start(kind, one_round(0x1234_0000, SeedRule::Upper));
        let (mut sampled, mut emptied) = (BTreeSet::new(), 0);
        let mut lying = [0; 2];
        // About 36 pairs fill a board.
        while sampled.len() < 100 || emptied < 2 {
            let sample = card.sample();
            let boards = [0x0218_1100, 0x0218_1180].map(|at| card.bytes::<78>(ConsoleAddr(at)));
            if sample.stage != 4 || card.word(cells::FRAMES) != sample.frame {
                continue;
            }
            for (nth, (_, dealt, colors)) in sample.players.iter().enumerate() {
                let pool = &sample.pools[usize::from(*colors) - 3];
                assert_eq!(boards[nth], board_after(*dealt, pool, &sample.map), "{}: {dealt}", kind.name());
                let lie = boards[nth].iter().filter(|cell| **cell != 0).count();
                emptied += u32::from(lie < std::mem::replace(&mut lying[nth], lie));
                sampled.insert((nth, *dealt));
            }
        }
    }
}
