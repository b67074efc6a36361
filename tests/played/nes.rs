//! NES Tetris, with every write of its interrupt and its main loop as a step of its own.

use super::{Recorded, record};
use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::games::piece::Piece;
use nextscope::games::tetris_nes::{BOOT_STATE, Spawner, TABLE, spawn_orientation};
use nextscope::live::{CheckId, Mismatch, Observation, Prediction, SampleContext, Status, Totals, Tracker};
use nextscope::profile::{Library, Profile};
use std::sync::Arc;

pub struct Game {
    pub profile: Arc<Profile>,
    pub ram: Vec<u8>,
    pub spawner: Spawner,
    pub frame: u64,
    pub dealt: u32,
    pub next: Piece,
    pub music: u8,
    pub tracker: Tracker,
    pub totals: Totals,
    pub found: Vec<Mismatch>,
    pub forecast: Option<Prediction>,
    pub seen: Option<Observation>,
    pub recorded: Recorded,
}

impl Game {
    pub fn new() -> Self {
        let library = Library::built_in();
        let mut game = Self {
            profile: Arc::clone(library.by_id("tetris-nes").unwrap()),
            ram: vec![0; ConsoleId::Nes.domain().len as usize],
            spawner: Spawner { state: BOOT_STATE, count: 250, last: 0x0A },
            frame: 0,
            dealt: 0,
            next: Piece::T,
            music: 0,
            tracker: Tracker::new(nextscope::games::tetris_nes::ID),
            totals: Totals::default(),
            found: Vec::new(),
            forecast: None,
            seen: None,
            recorded: None,
        };
        game.ram[0x400..0x4C8].fill(0xEF);
        game.ram[0x750..0x755].copy_from_slice(&[0x12, 0x34, 0x56, 0x78, 0x9A]);
        game.mode(4, 0);
        game
    }

    pub fn mode(&mut self, mode: u8, state: u8) {
        (self.ram[0xC0], self.ram[0xA7]) = (mode, state);
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot::from_stored(ConsoleId::Nes.domain(), StorageOrder::AsOnBus, self.ram.clone()).unwrap()
    }

    pub fn sample(&mut self) {
        let snapshot = self.snapshot();
        record(&mut self.recorded, &snapshot, self.frame);
        let look = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let nextscope::live::Update { observation: seen, prediction: forecast, mismatches: found } =
            self.tracker.update(&look, &mut self.totals);
        self.seen = Some(seen.unwrap());
        self.forecast = forecast;
        self.found.extend(found);
    }

    /// The interrupt in two halves: the frame is counted, then the generator steps and the main loop is notified.
    pub fn count(&mut self) {
        self.frame += 1;
        self.ram[0xB1..0xB3].copy_from_slice(&((self.frame & 0xFFFF) as u16).to_le_bytes());
    }

    pub fn step(&mut self) {
        self.spawner.state = self.spawner.state.step();
        self.put();
        self.ram[0x33] = 1;
    }

    pub fn put(&mut self) {
        self.ram[0x17..0x19].copy_from_slice(&self.spawner.state.0.to_be_bytes());
        (self.ram[0x19], self.ram[0x1A]) = (self.spawner.last, self.spawner.count);
    }

    pub fn rest(&mut self) {
        self.music = self.music.wrapping_add(1);
        (self.ram[0x6B4], self.ram[0x33]) = (self.music, 0);
    }

    /// A frame without a deal.
    pub fn pass(&mut self) {
        self.count();
        self.step();
        self.rest();
    }

    pub fn frames(&mut self, count: usize) {
        for _ in 0..count {
            self.pass();
            self.sample();
        }
    }

    pub fn counted(&mut self, piece: Piece) {
        let at = 0x3F0 + 2 * TABLE.iter().position(|(other, _)| *other == piece).unwrap();
        let count = (self.ram[at] >> 4) * 10 + (self.ram[at] & 0xF) + 1;
        (self.ram[at], self.ram[at + 1]) =
            (((count % 100 / 10) << 4) | (count % 10), self.ram[at + 1] + count / 100);
        self.dealt += 1;
    }

    pub fn start(&mut self) {
        self.mode(4, 2);
        self.ram[0x3F0..0x3FE].fill(0);
        self.dealt = 0;
        let (current, next) = self.spawner.start();
        self.put();
        self.ram[0x62] = spawn_orientation(current);
        self.counted(current);
        self.show_next(next);
    }

    pub fn show_next(&mut self, next: Piece) {
        self.next = next;
        self.ram[0xBF] = spawn_orientation(next);
    }

    /// What the main loop does when a piece is dealt.
    pub fn deal(&mut self) {
        let current = self.next;
        self.ram[0x62] = spawn_orientation(current);
        self.counted(current);
        let (next, _) = self.spawner.pick();
        self.put();
        self.show_next(next);
    }

    /// A frame with a deal.
    pub fn dealing(&mut self) {
        self.count();
        self.step();
        self.deal();
        self.rest();
    }

    /// A game under way, seen from its preparation on.
    pub fn begun() -> Self {
        Self::new().begin()
    }

    pub fn begin(self) -> Self {
        let mut game = self;
        game.put();
        game.frames(5);
        game.count();
        game.step();
        game.start();
        game.rest();
        game.sample();
        game.frames(4);
        game
    }

    pub fn status(&self, id: CheckId) -> Status {
        self.tracker.verdict().status(id)
    }

    pub fn flags(&self) -> Vec<(&str, Option<u32>)> {
        self.found.iter().map(|mismatch| (mismatch.field.as_str(), mismatch.index)).collect()
    }
}
