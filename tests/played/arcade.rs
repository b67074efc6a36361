//! The Grand Master games and Sega's, on boards whose RAM is as an emulator keeps it.

pub use super::board::Board;

use nextscope::game::piece::{Dealer, Piece};
use nextscope::game::sega::State;
use nextscope::game::sega_cells::Cells;
use nextscope::game::sega_tetris::{Game, LENGTH, code};
use nextscope::game::tgm_cells;
use nextscope::game::tgm1::Tgm1;
use nextscope::game::tgm2::Tgm2;
use nextscope::live::{sega, tgm};
use nextscope::profile::{Library, Profile};

pub fn profile(id: &str) -> Profile {
    Library::built_in().by_id(id).expect("a built-in profile").as_ref().clone()
}

impl Board {
    pub fn tgm(&self) -> &tgm::Prediction {
        let forecast = self.forecast.as_ref().expect("a forecast");
        forecast.get().unwrap_or_else(|| panic!("{forecast:?}"))
    }

    pub fn sega(&self) -> &sega::Prediction {
        let forecast = self.forecast.as_ref().expect("a forecast");
        forecast.get().unwrap_or_else(|| panic!("{forecast:?}"))
    }

    pub fn sega_seen(&self) -> &sega::Observation {
        let seen = self.observation.as_ref().expect("an observation");
        seen.get().unwrap_or_else(|| panic!("{seen:?}"))
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
    pub fn begin(mut board: Board, mut dealer: D, state_of: fn(&D) -> (u32, Option<[Piece; 4]>)) -> Self {
        let next = dealer.deal();
        board.timer = 0;
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
    super::board::noise(len, 0x1988)
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
            self.stir();
            self.look();
        }
    }
}
