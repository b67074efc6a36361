//! Bloxeed, with its generators where the tests put them.

use super::{Kept, keep};
use nextscope::console::{ByteArray, Memory, Ram, Snapshot, StorageOrder};
use nextscope::emulator::anchors_stand;
use nextscope::game::bloxeed::{Game, Table};
use nextscope::game::piece::{Dealer, Piece};
use nextscope::game::sega::State;
use nextscope::game::sega_tetris::code;
use nextscope::live::{CheckId, Forecast, Look, Mismatch, Observation, Status, Totals, Tracker, bloxeed};
use nextscope::process::HostAddr;
use nextscope::profile::{Library, Profile, parse};
use std::sync::Arc;

pub const BASE: HostAddr = HostAddr(0x7F00_0000_1000);
/// Where the tests put what no document tells.
pub const SEED: usize = 0x00A2;
pub const STATE: usize = 0x11B4;
pub const MAIN: usize = 0x2336;
pub const PIECE: usize = 0x0101;

/// The built-in recipe; the boards here draw by the plain table where a test does not say otherwise.
pub fn recipe() -> Profile {
    let mut recipe = Library::built_in().by_id("bloxeed").expect("a built-in profile").as_ref().clone();
    recipe.variants.insert("table".into(), Table::Plain.id().into());
    recipe
}

pub fn recipe_text() -> String {
    let text = include_str!("../../profiles/bloxeed.toml");
    text.replace("table = \"table\"", "table = \"plain\"")
}

/// The recipe on another console, as the test cartridge has it.
pub fn genesis_recipe() -> Profile {
    let text = recipe_text().replace("\"system-16\"", "\"genesis\"");
    parse(&text, "genesis").0.expect("a good profile")
}

/// The recipe and the places where the tests put everything.
pub fn known() -> Profile {
    let mut text = recipe_text();
    for (name, at, kind) in [
        ("piece_seed", SEED, "u32"),
        ("piece_state", STATE, "u32"),
        ("rng_state", MAIN, "u32"),
        ("drawn_piece", PIECE, "u8"),
    ] {
        let address = 0xFF_C000 + at;
        text += &format!("[fields.{name}]\naddress = {address:#X}\ntype = {kind:?}\nsource = \"a test\"\n");
    }
    let (profile, diagnostics) = parse(&text, "known");
    assert_eq!(diagnostics, []);
    profile.unwrap()
}

pub fn noise(len: usize) -> Vec<u8> {
    let mut seed = 0x1989_u64;
    let next = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 56) as u8
    };
    (0..len).map(next).collect()
}

/// A board's RAM as an emulator keeps it, looked at through a profile, and the game that is played on it.
pub struct Board {
    pub profile: Profile,
    pub order: StorageOrder,
    /// In bus order.
    pub ram: Vec<u8>,
    pub game: Game,
    pub deals: u32,
    pub frame: u64,
    pub tracker: Tracker,
    pub totals: Totals,
    pub mismatches: Vec<Mismatch>,
    pub observation: Option<Observation>,
    pub forecast: Option<Forecast>,
    pub kept: Kept,
}

impl Board {
    pub fn new(profile: Profile, order: StorageOrder, game: Game) -> Self {
        Self {
            ram: vec![0; profile.console.domain().len as usize],
            tracker: Tracker::new(profile.game),
            profile,
            order,
            game,
            deals: 0,
            frame: 0,
            totals: Totals::default(),
            mismatches: Vec::new(),
            observation: None,
            forecast: None,
            kept: None,
        }
    }

    pub fn noisy(profile: Profile, order: StorageOrder, game: Game) -> Self {
        let mut board = Self::new(profile, order, game);
        board.ram = noise(board.ram.len());
        board
    }

    pub fn snapshot(&self, order: StorageOrder) -> Snapshot {
        let mut bytes = self.ram.clone();
        self.order.reorder(&mut bytes);
        let memory: Arc<dyn Memory + Send + Sync> = Arc::new(ByteArray { base: BASE, bytes });
        let ram = Ram { memory, domain: self.profile.console.domain(), base: BASE, order };
        ram.sample(&self.profile.plan()).expect("the RAM is there")
    }

    pub fn stands(&self, order: StorageOrder) -> bool {
        !anchors_stand(&self.snapshot(order), &self.profile).is_empty()
    }

    pub fn put(&mut self, at: usize, state: State) {
        self.ram[at..at + 4].copy_from_slice(&state.0.to_be_bytes());
    }

    pub fn show_states(&mut self) {
        self.put(SEED, self.game.piece_seed());
        self.put(STATE, self.game.pieces);
        self.put(MAIN, self.game.main);
    }

    /// Frames pass, in which a counter and some noise move.
    pub fn looks(&mut self, frames: usize) {
        for _ in 0..frames {
            self.frame += 1;
            self.ram[0x20..0x22].copy_from_slice(&u16::try_from(self.frame & 0x1FF).unwrap().to_be_bytes());
            self.ram[0x24] = self.ram[0x24].wrapping_mul(5).wrapping_add(77);
            let snapshot = self.snapshot(self.order);
            keep(&mut self.kept, &snapshot, self.frame);
            let look = Look { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
            let (observation, forecast, found) = self.tracker.look(&look, &mut self.totals);
            self.observation = Some(observation.expect("the fields are there"));
            self.forecast = forecast;
            self.mismatches.extend(found);
        }
    }

    /// The next piece is drawn, another one shown when that is given; every third time an item is drawn too.
    pub fn deal(&mut self, instead: Option<u8>) -> Piece {
        let piece = self.game.deal();
        self.deals += 1;
        if self.deals.is_multiple_of(3) {
            self.game.draw_item();
        }
        self.show_states();
        self.ram[PIECE] = instead.unwrap_or_else(|| code(piece));
        self.looks(4);
        piece
    }

    pub fn play(&mut self, pieces: usize) {
        for _ in 0..pieces {
            self.deal(None);
        }
    }

    pub fn begin(&mut self, game: Game) {
        self.game = game;
        self.show_states();
        self.looks(4);
    }

    pub fn check(&self, id: CheckId) -> Status {
        self.tracker.verdict().status(id)
    }

    pub fn forecast(&self) -> &bloxeed::Forecast {
        match self.forecast.as_ref().expect("a forecast") {
            Forecast::Bloxeed(forecast) => forecast,
            other => panic!("{other:?}"),
        }
    }

    pub fn seen(&self) -> &bloxeed::Observation {
        match self.observation.as_ref().expect("an observation") {
            Observation::Bloxeed(seen) => seen,
            other => panic!("{other:?}"),
        }
    }

    /// The generators' places, as offsets.
    pub fn places(&self) -> Option<(usize, usize, Option<usize>)> {
        let domain = self.profile.console.domain();
        let offset = |at| domain.offset_of(at).unwrap();
        self.seen().found.map(|found| (offset(found.seed), offset(found.state), found.main.map(offset)))
    }
}
