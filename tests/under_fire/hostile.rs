//! Programs that imitate consoles: how they are classified, and what a search in them costs.

use super::maps::{FRAME_COUNTER, RAM, game_ram};
use super::process_target::mapping::Mapping;
use super::process_target::{Target, command, command_through, copy_exe, page, send, wait_for_exit};
use super::support::{held_up_here, resident};
use nextscope::console::StorageOrder;
use nextscope::emulator::{DetectionOutcome, DetectionReport, Detector};
use nextscope::profile::{Anchor, Library};
use nix::sys::mman::MapFlags;
use std::time::{Duration, Instant};

/// The time limit of a search in a program of unknown name, and in one with the name of an emulator: the
/// budgets of docs/emulators.md (a quarter of a second, two seconds) once for modules, once for the heap and
/// once for all memory, and the rest for checking the candidates of these.
const UNKNOWN_WITHIN: Duration = Duration::from_secs(2);
pub const KNOWN_WITHIN: Duration = Duration::from_secs(8);
/// How much a search may add to our own memory.
const GROWS_BY: u64 = 64 << 20;

/// The kind of hostile program, and the expected result of a search in it.
const SORTS: [(&str, Expected, &str); 9] = [
    ("copies", Expected::NoLock, "3,000 copies of a game under way in both byte orders, all counting frames"),
    ("still", Expected::NoLock, "the same, not counting"),
    ("text", Expected::NoLock, "64 MiB of nothing but the text of every anchor, in every byte order"),
    (
        "heap",
        Expected::NoLock,
        "6,000 heap blocks of exactly the size of a console's RAM with anchors in them, counting",
    ),
    ("blocks", Expected::NoLock, "2,000 mappings that say they are blocks of 4 MiB"),
    (
        "regions",
        Expected::NoLock,
        "20,000 regions, every second one unreadable, with anchors across their edges",
    ),
    ("vast", Expected::NoLock, "16 TiB that may be read and were never touched"),
    ("maps", Expected::Anything, "games under way that are mapped for 5 ms and unmapped, one after another"),
    (
        "one",
        Expected::Lock,
        "one game under way that counts frames: it is indistinguishable from an emulator, and treated as one",
    ),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// It must not be attached to.
    NoLock,
    /// It must be recognised as an emulator.
    Lock,
    /// Its memory differs from moment to moment: only time and memory are judged.
    Anything,
}

/// The role of the hostile process.
pub fn be_hostile(sort: &str) {
    let orders = [StorageOrder::AsOnBus, StorageOrder::SwappedWords];
    match sort {
        "copies" | "still" | "one" => {
            let count = if sort == "one" { 1 } else { 3_000 };
            let games = orders.map(game_ram);
            let mut memory = Mapping::anonymous(count * RAM, MapFlags::MAP_PRIVATE);
            for nth in 0..count {
                memory.put(nth * RAM, &games[nth % 2]);
            }
            drop(games);
            send("ready");
            run_or_stay(sort != "still", move || {
                for nth in 0..count {
                    let at = nth * RAM + orders[nth % 2].host_offset(FRAME_COUNTER);
                    memory.write(at, memory.read(at).wrapping_add(1));
                }
            });
        }
        "text" => {
            let text = all_text();
            let mut memory = Mapping::anonymous(64 << 20, MapFlags::MAP_PRIVATE);
            let mut at = 0;
            while at + text.len() <= memory.len() {
                memory.put(at, &text);
                at += text.len();
            }
            send("ready");
            wait_for_exit();
        }
        "heap" => {
            let game = game_ram(orders[1]);
            let text = all_text();
            let mut blocks: Vec<Vec<u8>> = Vec::new();
            for nth in 0..6_000_usize {
                // The Mega Drive's, System 16's and the NES's: the three whose RAM is in the heap itself.
                let mut block = vec![0; [RAM, 0x4000, 0x800][nth % 3]];
                if block.len() == RAM {
                    block.copy_from_slice(&game);
                } else {
                    let start = if block.len() == 0x800 { 0x750 } else { 0 };
                    let len = text.len().min(block.len() - start);
                    block[start..start + len].copy_from_slice(&text[..len]);
                }
                blocks.push(block);
            }
            send("ready");
            run_or_stay(true, move || {
                for block in &mut blocks {
                    let at = if block.len() == RAM { orders[1].host_offset(FRAME_COUNTER) } else { 0xB1 };
                    block[at] = std::hint::black_box(block[at]).wrapping_add(1);
                }
            });
        }
        "blocks" => {
            const LEN: u64 = 4 << 20;
            let mut mappings: Vec<Mapping> = Vec::new();
            for _ in 0..2_000 {
                let len = usize::try_from(LEN).unwrap() + 3 * page();
                let mut block = Mapping::anonymous(len, MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE);
                // The size word of a block with a mapping of its own (glibc, malloc.c), and a page that
                // separates it from its neighbour.
                block.put(8, &((LEN + 16).next_multiple_of(4096) | 2).to_ne_bytes());
                block.forbid(len - page(), page());
                mappings.push(block);
            }
            send("ready");
            wait_for_exit();
        }
        "regions" => {
            let text = all_text();
            let mut memory = Mapping::anonymous(20_000 * page(), MapFlags::MAP_PRIVATE);
            for nth in 0..20_000 {
                memory.put(nth * page(), &text[..text.len().min(page())]);
                memory.put(nth * page() + page() - 7, b"COMPILE");
            }
            for nth in (1..20_000).step_by(2) {
                memory.forbid(nth * page(), page());
            }
            send("ready");
            wait_for_exit();
        }
        "vast" => {
            let mut memory = Mapping::anonymous(16 << 40, MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE);
            memory.put(0, &all_text());
            send("ready");
            wait_for_exit();
        }
        "maps" => {
            let game = game_ram(orders[1]);
            send("ready");
            run_or_stay(true, move || {
                let mut memory = Mapping::anonymous(RAM, MapFlags::MAP_SHARED);
                memory.put(0, &game);
                let at = orders[1].host_offset(FRAME_COUNTER);
                for _ in 0..5 {
                    memory.write(at, memory.read(at).wrapping_add(1));
                    std::thread::sleep(Duration::from_millis(1)); // the pace of the count
                }
                memory.unmap(0, memory.len());
            });
        }
        other => super::lying::lie(other),
    }
}

/// Until the starter has exited.
fn run_or_stay(run: bool, mut step: impl FnMut() + Send + 'static) {
    if run {
        std::thread::spawn(move || {
            loop {
                step();
                std::thread::sleep(Duration::from_millis(5)); // the pace of the hostile program
            }
        });
    }
    wait_for_exit();
}

/// The text of every text anchor of every profile, in every byte order, one after another.
fn all_text() -> Vec<u8> {
    let mut all = Vec::new();
    for profile in Library::built_in().profiles() {
        for anchor in &profile.anchors {
            let text = match anchor {
                Anchor::ChecksummedPair { magic, .. } => magic.as_bytes().to_vec(),
                Anchor::Bytes { bytes, .. } => bytes.clone(),
                Anchor::NdsHeader { game_code } => game_code.as_bytes().to_vec(),
                Anchor::PieceBuffer { pattern } => pattern.clone(),
                Anchor::RngPair { first, .. } => first.to_be_bytes().to_vec(),
                Anchor::Pools | Anchor::PlausibleFields | Anchor::PlayfieldLayout => {
                    (0..64).map(|nth| [1, 3, 4, 5, 0][nth * nth % 5]).collect()
                }
            };
            for order in profile.console.domain().orders {
                let mut stored = text.clone();
                stored.resize(text.len().next_multiple_of(4), 0);
                order.reorder(&mut stored);
                all.extend(stored);
            }
        }
    }
    all
}

/// Searches as often as a session would, and returns the cost.
pub fn search(target: &Target, what: &str, limit: Duration, expected: Expected) -> DetectionReport {
    let profiles = Library::built_in().profiles().to_vec();
    let before = resident(std::process::id());
    let mut detector = Detector::default();
    let mut slowest = Duration::ZERO;
    let mut outcomes = Vec::new();
    let mut last = None;
    for _ in 0..3 {
        let (began, waited) = (Instant::now(), held_up_here());
        let report = detector.detect(target.pid(), &profiles);
        let took = began.elapsed();
        slowest = slowest.max(took);
        outcomes.push(match &report.outcome {
            DetectionOutcome::Found(_) => "found",
            DetectionOutcome::Paused(_) => "paused",
            DetectionOutcome::Ambiguous(_) => "ambiguous",
            DetectionOutcome::NoGame | DetectionOutcome::NotFound => "nothing",
            DetectionOutcome::Unreadable(_) => "unreadable",
        });
        // Time in which a core ran something else is not our fault.
        let waited = held_up_here().saturating_sub(waited);
        assert!(took.saturating_sub(waited) <= limit, "{what}: {took:?} {:#?}", report.attempts);
        match expected {
            Expected::NoLock => {
                assert!(!matches!(report.outcome, DetectionOutcome::Found(_)), "{what}: {report:?}");
            }
            Expected::Lock => {
                assert!(matches!(report.outcome, DetectionOutcome::Found(_)), "{what}: {report:?}");
            }
            Expected::Anything => {}
        }
        last = Some(report);
    }
    let grown = resident(std::process::id()).saturating_sub(before);
    println!(
        "{what}: {}; slowest {} ms (bound {}), memory {:+.1} MB",
        outcomes.join(", "),
        slowest.as_millis(),
        limit.as_millis(),
        grown as f64 / 1e6
    );
    assert!(grown < GROWS_BY, "{what}: grew by {grown} bytes");
    last.expect("three searches")
}

#[test]
fn hostile_programs_are_not_mistaken_for_consoles_and_cost_no_more_than_the_bounds() {
    println!("\nHostile programs");
    let folder = tempfile::tempdir().unwrap();
    let lying_name = folder.path().join("retroarch");
    copy_exe(&lying_name);
    for (sort, expected, what) in SORTS {
        println!("{sort}: {what}");
        let role = format!("hostile {sort}");
        for (name, command, limit) in [
            ("  of unknown name", command(&role), UNKNOWN_WITHIN),
            ("  called retroarch", command_through("env", &[], &lying_name, &role), KNOWN_WITHIN),
        ] {
            let mut target = Target::run(command);
            assert_eq!(target.receive(), "ready");
            search(&target, name, limit, expected);
        }
    }
}
