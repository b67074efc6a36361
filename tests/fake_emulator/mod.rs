//! A fake emulator: this program, started again to place a known game's RAM in unusual ways.
//!
//! A test program that uses this has a `#[test] fn emulator()` that calls [`run`]; a bench calls it first.
#![allow(dead_code, reason = "each program uses its part")]

mod block;

use nextscope::console::{ConsoleAddr, ConsoleId, StorageOrder};
use nextscope::emulator::{DetectionReport, Detector};
use nextscope::process::Pid;
use nextscope::profile::{Anchor, Field, FieldKind, Liveness, Origin, Profile, Status};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const ROLE: &str = "NEXTSCOPE_TEST_EMULATOR";
const RAM: usize = 0x1_0000;

pub fn profile() -> Arc<Profile> {
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
        game: nextscope::games::puyo_tsu::ID,
        console: ConsoleId::Genesis,
        status: Status::Confirmed,
        notes: String::new(),
        roms: Vec::new(),
        anchors: vec![Anchor::ChecksummedPair {
            first: ConsoleAddr(0xFF_4800),
            second: ConsoleAddr(0xFF_4B00),
            length: 768,
            magic: "COMPILE!".into(),
            magic_offset: 0x2F8,
        }],
        liveness: vec![Liveness { field: "frame_counter".into(), per_frame: 1, modulo: 256, note: None }],
        fields: [("frame_counter".to_owned(), field)].into(),
        variants: [].into(),
        board: None,
        frames: None,
        randomizer: None,
        piece_codes: None,
        origin: Origin::BuiltIn,
        digest: String::new(),
        text: "".into(),
    })
}

/// RAM with the checksummed blocks, stored in that order.
fn ram(order: StorageOrder) -> Vec<u8> {
    let mut ram = vec![0; RAM];
    let block = block::checksummed_block();
    ram[0x4800..0x4B00].copy_from_slice(&block);
    ram[0x4B00..0x4E00].copy_from_slice(&block);
    order.reorder(&mut ram);
    ram
}

/// Runs the emulator if this program was started as one; otherwise returns at once.
pub fn run() {
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
    let stopped: Vec<Vec<u8>> = (0..copies).map(|_| ram(order)).collect();
    // Mapped and never touched, as in an emulator with large tables.
    let untouched: Vec<u8> = if role == "large" { vec![0; 1 << 30] } else { Vec::new() };
    println!("ready");
    loop {
        for game in &mut live {
            game[counter] = std::hint::black_box(game[counter]).wrapping_add(1);
        }
        std::hint::black_box((&live, &stopped, &untouched));
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A running fake emulator, killed when dropped.
pub struct Emulator(pub Child);

impl Emulator {
    pub fn start(role: &str) -> Self {
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

    pub fn detect(&self) -> DetectionReport {
        Detector::default().detect(Pid(self.0.id()), &[profile()])
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
