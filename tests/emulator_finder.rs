//! The finder on real processes: this test program starts itself again as an emulator that it invents.
#![allow(clippy::expect_used, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

use nextscope::console::{ConsoleAddr, ConsoleId, StorageOrder};
use nextscope::emulator::{Finder, Method, Outcome, Report, ambiguous};
use nextscope::game::GameId;
use nextscope::process::Pid;
use nextscope::profile::{Anchor, Field, FieldKind, Liveness, Origin, Profile, Status};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const ROLE: &str = "NEXTSCOPE_TEST_EMULATOR";
const MAGIC: &[u8; 8] = b"COMPILE!";
const RAM: usize = 0x1_0000;

fn profile() -> Arc<Profile> {
    let field = Field {
        name: "frame_counter".into(),
        address: ConsoleAddr(0xFF_A069),
        through: None,
        kind: FieldKind::U8,
        confirmed: true,
        source: "test".into(),
        note: None,
    };
    Arc::new(Profile {
        id: "test".into(),
        name: "Test".into(),
        game: GameId::PuyoTsu,
        console: ConsoleId::Genesis,
        status: Status::Confirmed,
        notes: String::new(),
        roms: Vec::new(),
        anchors: vec![Anchor::ChecksummedPair {
            first: ConsoleAddr(0xFF_4800),
            second: ConsoleAddr(0xFF_4B00),
            length: 768,
            magic: String::from_utf8(MAGIC.to_vec()).unwrap(),
            magic_offset: 0x2F8,
        }],
        liveness: vec![Liveness { field: "frame_counter".into(), per_frame: 1, modulo: 256, note: None }],
        fields: [("frame_counter".to_owned(), field)].into(),
        variants: [].into(),
        board: None,
        frames: None,
        origin: Origin::BuiltIn,
        digest: String::new(),
        text: "".into(),
    })
}

/// RAM with the self-checking blocks, stored in that order. The magic is put together at run time, so that no other copy of it in
/// this process looks like the game.
fn ram(order: StorageOrder) -> Vec<u8> {
    let mut ram = vec![0; RAM];
    for block in [0x4800, 0x4B00] {
        ram[block + 0x2F8..block + 0x300].copy_from_slice(MAGIC);
        let words = ram[block + 2..block + 0x300].chunks(2);
        let sum = words.fold(0_u16, |sum, word| sum.wrapping_add(u16::from_be_bytes([word[0], word[1]])));
        ram[block..block + 2].copy_from_slice(&sum.to_be_bytes());
    }
    order.reorder(&mut ram);
    ram
}

/// What the started program does; in the test run itself it does nothing.
#[test]
fn emulator() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let order = StorageOrder::SwappedWords;
    let counter = order.host_offset(0xA069);
    let (games, copies) = match role.as_str() {
        "heap" => (1, 0),
        "large" => (1, 0),
        "copies" => (1, 3),
        "two" => (2, 0),
        "stopped" => (0, 1),
        "nothing" => (0, 0),
        other => panic!("unknown role {other}"),
    };
    let mut live: Vec<Vec<u8>> = (0..games).map(|_| ram(order)).collect();
    let still: Vec<Vec<u8>> = (0..copies).map(|_| ram(order)).collect();
    // Mapped and never touched, as in an emulator with large tables.
    let untouched: Vec<u8> = if role == "large" { vec![0; 1 << 30] } else { Vec::new() };
    println!("ready");
    loop {
        for game in &mut live {
            game[counter] = std::hint::black_box(game[counter]).wrapping_add(1);
        }
        std::hint::black_box((&live, &still, &untouched));
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A started program that ends with the test.
struct Emulator(Child);

impl Emulator {
    fn start(role: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "emulator", "--nocapture"])
            .env(ROLE, role)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("ready")), "{role} did not start");
        Self(child)
    }

    fn find(&self) -> Report {
        Finder::default().find(Pid(self.0.id()), &[profile()])
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_program_of_unknown_name_is_found_by_its_heap_or_content() {
    let emulator = Emulator::start("heap");
    let report = emulator.find();
    let Outcome::Found(found) = &report.outcome else { panic!("{report:?}") };
    assert!(matches!(found.method, Method::MallocChunk | Method::ContentAnchor));
    assert_eq!(found.ram.order, StorageOrder::SwappedWords);
    assert!(!report.identity.known);
    assert!(found.proof.moved.starts_with("frame_counter"), "{:?}", found.proof);
}

#[test]
fn a_gigabyte_that_was_never_touched_is_not_read() {
    let emulator = Emulator::start("large");
    let before = resident(emulator.0.id());
    let report = emulator.find();
    assert!(matches!(report.outcome, Outcome::Found(_)), "{report:?}");
    assert!(resident(emulator.0.id()) < before + 16 * 1024, "the search must not make it grow");
    assert!(report.elapsed < Duration::from_secs(1), "{:?}", report.elapsed);
}

/// KiB of a process in memory.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn copies_that_stand_still_do_not_matter() {
    let emulator = Emulator::start("copies");
    let report = emulator.find();
    assert!(matches!(report.outcome, Outcome::Found(_)), "{report:?}");
}

#[test]
fn two_games_in_one_process_are_ambiguous() {
    let emulator = Emulator::start("two");
    let report = emulator.find();
    let Outcome::Ambiguous(places) = &report.outcome else { panic!("{report:?}") };
    assert_eq!(places.len(), 2);
    let told = ambiguous(places);
    assert!(places.iter().all(|place| told.contains(&place.ram.base.to_string())), "{told}");
    let told = ambiguous(&[places.as_slice(); 100].concat());
    assert!(told.contains("200 places") && told.matches("0x").count() == 3, "{told}");
}

#[test]
fn a_game_that_stands_still_is_paused() {
    let emulator = Emulator::start("stopped");
    let report = emulator.find();
    assert!(matches!(report.outcome, Outcome::Paused(_)), "{report:?}");
}

#[test]
fn a_program_without_a_game_is_searched_in_vain_and_not_over_and_over() {
    let emulator = Emulator::start("nothing");
    let mut finder = Finder::default();
    let first = finder.find(Pid(emulator.0.id()), &[profile()]);
    assert!(matches!(first.outcome, Outcome::NotFound), "{first:?}");
    assert_eq!(first.attempts.len(), 7, "every method says something");
    let second = finder.find(Pid(emulator.0.id()), &[profile()]);
    assert!(matches!(second.outcome, Outcome::NotFound), "{second:?}");
    assert!(second.attempts.iter().any(|attempt| attempt.said.contains("a moment ago")), "{second:?}");
}

#[test]
fn a_place_that_proved_right_is_remembered() {
    let emulator = Emulator::start("heap");
    let mut finder = Finder::default();
    let first = finder.find(Pid(emulator.0.id()), &[profile()]);
    let second = finder.find(Pid(emulator.0.id()), &[profile()]);
    let (Outcome::Found(first), Outcome::Found(second)) = (&first.outcome, &second.outcome) else {
        panic!("{first:?} {second:?}")
    };
    assert_eq!(first.ram.base, second.ram.base);
    assert_eq!(second.method, Method::Remembered);
}

#[test]
fn a_process_that_has_ended_is_unreadable() {
    let mut emulator = Emulator::start("nothing");
    emulator.0.kill().unwrap();
    emulator.0.wait().unwrap();
    assert!(matches!(emulator.find().outcome, Outcome::Unreadable(_)));
}
