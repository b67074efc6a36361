//! Bloxeed, with its generators where the tests put them.

use nextscope::console::StorageOrder;
use nextscope::game::bloxeed::{Game, Table};
use nextscope::game::piece::{Dealer, Piece};
use nextscope::game::sega::State;
use nextscope::game::sega_tetris::code;
use nextscope::live::bloxeed;
use nextscope::profile::{Library, Profile, parse};
use std::ops::{Deref, DerefMut};

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
    super::board::noise(len, 0x1989)
}

/// A board on which Bloxeed is played.
pub struct Board {
    pub board: super::board::Board,
    pub game: Game,
    pub deals: u32,
}

impl Deref for Board {
    type Target = super::board::Board;

    fn deref(&self) -> &Self::Target {
        &self.board
    }
}

impl DerefMut for Board {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.board
    }
}

impl Board {
    pub fn new(profile: Profile, order: StorageOrder, game: Game) -> Self {
        let board = super::board::Board { patient: false, ..super::board::Board::new(profile, order) };
        Self { board, game, deals: 0 }
    }

    pub fn noisy(profile: Profile, order: StorageOrder, game: Game) -> Self {
        let mut board = Self::new(profile, order, game);
        board.ram = noise(board.ram.len());
        board
    }

    pub fn put(&mut self, at: usize, state: State) {
        self.board.ram[at..at + 4].copy_from_slice(&state.0.to_be_bytes());
    }

    pub fn show_states(&mut self) {
        self.put(SEED, self.game.piece_seed());
        self.put(STATE, self.game.pieces);
        self.put(MAIN, self.game.main);
    }

    /// Frames pass.
    pub fn looks(&mut self, frames: usize) {
        for _ in 0..frames {
            self.stir();
            self.look();
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

    pub fn forecast(&self) -> &bloxeed::Prediction {
        let forecast = self.forecast.as_ref().expect("a forecast");
        forecast.get().unwrap_or_else(|| panic!("{forecast:?}"))
    }

    pub fn seen(&self) -> &bloxeed::Observation {
        let seen = self.observation.as_ref().expect("an observation");
        seen.get().unwrap_or_else(|| panic!("{seen:?}"))
    }

    /// The generators' places, as offsets.
    pub fn places(&self) -> Option<(usize, usize, Option<usize>)> {
        let domain = self.profile.console.domain();
        let offset = |at| domain.offset_of(at).unwrap();
        self.seen().found.map(|found| (offset(found.seed), offset(found.state), found.main.map(offset)))
    }
}
