//! The Grand Master games and Sega's, on boards whose RAM is as an emulator keeps it.

use super::{Kept, keep};
use nextscope::console::{ByteArray, ConsoleAddr, Domain, Endian, Memory, Ram, StorageOrder};
use nextscope::emulator::anchors_stand;
use nextscope::game::piece::{Dealer, Piece};
use nextscope::game::sega::State;
use nextscope::game::sega_cells::Cells;
use nextscope::game::sega_tetris::{Game, LENGTH, code};
use nextscope::game::tgm_cells;
use nextscope::game::tgm1::Tgm1;
use nextscope::game::tgm2::Tgm2;
use nextscope::live::{CheckId, Forecast, Look, Mismatch, Observation, Status, Totals, Tracker, sega, tgm};
use nextscope::process::HostAddr;
use nextscope::profile::{Library, Profile};
use std::sync::Arc;
use std::time::Duration;

pub const BASE: HostAddr = HostAddr(0x7F00_0000_1000);

pub fn profile(id: &str) -> Profile {
    Library::built_in().by_id(id).expect("a built-in profile").as_ref().clone()
}

/// A board's RAM as an emulator keeps it, looked at through a profile.
pub struct Board {
    pub profile: Profile,
    pub order: StorageOrder,
    /// In bus order.
    pub ram: Vec<u8>,
    pub frame: u64,
    pub tracker: Tracker,
    pub totals: Totals,
    pub mismatches: Vec<Mismatch>,
    pub observation: Option<Observation>,
    pub forecast: Option<Forecast>,
    /// The game waits after each look until everything is known that takes longer.
    pub patient: bool,
    pub kept: Kept,
}

impl Board {
    pub fn new(profile: Profile, order: StorageOrder) -> Self {
        let domain = profile.console.domain();
        assert!(domain.orders.contains(&order));
        Self {
            ram: vec![0; domain.len as usize],
            tracker: Tracker::new(profile.game),
            profile,
            order,
            frame: 0,
            totals: Totals::default(),
            mismatches: Vec::new(),
            observation: None,
            forecast: None,
            patient: true,
            kept: None,
        }
    }

    pub fn domain(&self) -> &'static Domain {
        self.profile.console.domain()
    }

    pub fn ram_kept_in(&self, order: StorageOrder) -> Ram {
        let mut bytes = self.ram.clone();
        self.order.reorder(&mut bytes);
        let memory: Arc<dyn Memory + Send + Sync> = Arc::new(ByteArray { base: BASE, bytes });
        Ram { memory, domain: self.domain(), base: BASE, order }
    }

    pub fn put(&mut self, field: &str, value: u32) {
        let Some(field) = self.profile.field(field) else { return };
        let (address, len) = (field.address, field.len());
        let mut bytes = value.to_be_bytes()[4 - len.min(4)..].to_vec();
        if self.domain().endian == Endian::Little {
            bytes.reverse();
        }
        self.put_bytes(address, &bytes);
    }

    pub fn put_bytes(&mut self, address: ConsoleAddr, bytes: &[u8]) {
        let span = self.domain().span(address, bytes.len()).expect("inside the RAM");
        self.ram[span].copy_from_slice(bytes);
    }

    /// One frame passes.
    pub fn look(&mut self) {
        self.frame += 1;
        let plan = self.profile.plan();
        let snapshot = self.ram_kept_in(self.order).sample(&plan).expect("the RAM is there");
        keep(&mut self.kept, &snapshot, self.frame);
        let look = Look { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let (observation, forecast, found) = self.tracker.look(&look, &mut self.totals);
        self.observation = Some(observation.expect("the fields are there"));
        self.forecast = forecast;
        self.mismatches.extend(found);
        if self.patient {
            self.settle();
        }
    }

    /// Waits for what takes longer than a look, as a sampler does between two of them.
    pub fn settle(&mut self) {
        while self.tracker.outstanding().is_some() {
            if let Some(found) = self.tracker.work(self.frame, &mut self.totals) {
                self.mismatches.extend(found);
                self.forecast = self.tracker.forecast();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub fn looks(&mut self, count: usize) {
        (0..count).for_each(|_| self.look());
    }

    pub fn stands(&self, order: StorageOrder) -> bool {
        let snapshot = self.ram_kept_in(order).sample(&self.profile.plan()).expect("the RAM is there");
        !anchors_stand(&snapshot, &self.profile).is_empty()
    }

    pub fn status(&self, id: CheckId) -> Status {
        self.tracker.verdict().status(id)
    }

    pub fn tgm(&self) -> &tgm::Forecast {
        match self.forecast.as_ref().expect("a forecast") {
            Forecast::Tgm(forecast) => forecast,
            other => panic!("{other:?}"),
        }
    }

    pub fn sega(&self) -> &sega::Forecast {
        match self.forecast.as_ref().expect("a forecast") {
            Forecast::Sega(forecast) => forecast,
            other => panic!("{other:?}"),
        }
    }

    pub fn sega_seen(&self) -> &sega::Observation {
        match self.observation.as_ref().expect("an observation") {
            Observation::Sega(seen) => seen,
            other => panic!("{other:?}"),
        }
    }
}

/// A game of the Grand Master, played by a model on a board.
pub struct Played<D> {
    pub board: Board,
    pub dealer: D,
    pub state_of: fn(&D) -> (u32, Option<[Piece; 4]>),
    pub next: Piece,
}

pub fn state_of_tgm2(dealer: &Tgm2) -> (u32, Option<[Piece; 4]>) {
    (dealer.rng.0, dealer.history.pieces())
}

pub fn state_of_tgm1(dealer: &Tgm1) -> (u32, Option<[Piece; 4]>) {
    (dealer.rng.0, dealer.history.pieces())
}

impl<D: Dealer> Played<D> {
    pub fn begin(board: Board, mut dealer: D, state_of: fn(&D) -> (u32, Option<[Piece; 4]>)) -> Self {
        let next = dealer.deal();
        let mut played = Self { board, dealer, state_of, next };
        played.board.put("state", 1);
        played.board.put("current", 0);
        played.board.put("next", tgm_cells::code(next).into());
        played.show_state();
        played.board.looks(3);
        played
    }

    pub fn show_state(&mut self) {
        let (rng, history) = (self.state_of)(&self.dealer);
        self.board.put("rng_state", rng);
        if let (Some(history), Some(field)) = (history, self.board.profile.field("history")) {
            let address = field.address;
            self.board.put_bytes(address, &history.map(tgm_cells::number));
        }
    }

    /// The next piece comes into play; another one than the model's is drawn when that is given.
    pub fn deal(&mut self, instead: Option<Piece>) -> Piece {
        self.board.put("state", 2);
        self.board.put("current", tgm_cells::code(self.next).into());
        let drawn = self.dealer.deal();
        self.next = instead.unwrap_or(drawn);
        self.board.put("next", tgm_cells::code(self.next).into());
        self.show_state();
        self.board.looks(3);
        self.next
    }

    /// The piece in play is laid down.
    pub fn lay(&mut self) {
        for state in [3, 5] {
            self.board.put("state", state);
            self.board.looks(2);
        }
    }

    pub fn play(&mut self, pieces: usize) {
        for _ in 0..pieces {
            self.deal(None);
            self.lay();
        }
    }
}

pub fn without(mut profile: Profile, fields: &[&str]) -> Profile {
    profile.fields.retain(|name, _| !fields.contains(&name.as_str()));
    profile
}

/// Where a test puts what no document tells.
pub struct Layout {
    pub sequence: usize,
    pub cells: Cells,
    pub state: usize,
    pub index: usize,
    pub piece: usize,
}

pub const LAYOUT: Layout =
    Layout { sequence: 0x0E41, cells: Cells::Bytes, state: 0x2336, index: 0x30, piece: 0x0101 };

pub fn noise(len: usize) -> Vec<u8> {
    let mut seed = 0x1988_u64;
    let next = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 56) as u8
    };
    (0..len).map(next).collect()
}

impl Board {
    pub fn lay_out(&mut self, layout: &Layout, codes: &[u8; LENGTH], state: State) {
        for (number, code) in codes.iter().enumerate() {
            let at = layout.sequence + number * layout.cells.stride();
            self.ram[at..at + layout.cells.stride()].fill(0);
            self.ram[at + layout.cells.stride() - 1] = *code;
        }
        self.ram[layout.state..layout.state + 4].copy_from_slice(&state.0.to_be_bytes());
        self.ram[layout.index..layout.index + 2].fill(0);
    }

    /// A piece of the game comes into play.
    pub fn deal_sega(&mut self, layout: &Layout, game: &mut Game) {
        let piece = game.deal();
        let index = u16::try_from(game.index()).unwrap();
        self.ram[layout.index..layout.index + 2].copy_from_slice(&index.to_be_bytes());
        self.ram[layout.piece] = code(piece);
        // A counter of frames, and noise that moves.
        for _ in 0..6 {
            self.ram[0x20..0x22].copy_from_slice(&u16::try_from(self.frame & 0x1FF).unwrap().to_be_bytes());
            self.ram[0x24] = self.ram[0x24].wrapping_mul(5).wrapping_add(77);
            self.look();
        }
    }
}
