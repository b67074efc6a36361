//! The verifier of NES Tetris against a game that is played here frame by frame in a RAM image, read through the built-in
//! profile: whole, with samples missing, with samples in the middle of interrupts and picks, and with faults.

use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::emulator::{anchors_stand, any_anchor_stands};
use nextscope::game::GameId;
use nextscope::game::piece::Piece;
use nextscope::game::tetris_nes::{BOOT_STATE, Spawner, TABLE, spawn_orientation};
use nextscope::live::{CheckId, Data, Forecast, Look, Mismatch, Observation, Shown, Status, Totals, Tracker};
use nextscope::profile::{Library, Profile};
use std::sync::Arc;
use std::time::Instant;

struct Game {
    profile: Arc<Profile>,
    ram: Vec<u8>,
    spawner: Spawner,
    frame: u64,
    dealt: u32,
    next: Piece,
    music: u8,
    tracker: Tracker,
    totals: Totals,
    found: Vec<Mismatch>,
    forecast: Option<Forecast>,
    seen: Option<Observation>,
}

impl Game {
    fn new() -> Self {
        let library = Library::built_in();
        let mut game = Self {
            profile: Arc::clone(library.by_id("tetris-nes").unwrap()),
            ram: vec![0; ConsoleId::Nes.domain().len as usize],
            spawner: Spawner { state: BOOT_STATE, count: 250, last: 0x0A },
            frame: 0,
            dealt: 0,
            next: Piece::T,
            music: 0,
            tracker: Tracker::new(GameId::TetrisNes),
            totals: Totals::default(),
            found: Vec::new(),
            forecast: None,
            seen: None,
        };
        game.ram[0x400..0x4C8].fill(0xEF);
        game.ram[0x750..0x755].copy_from_slice(&[0x12, 0x34, 0x56, 0x78, 0x9A]);
        game.mode(4, 0);
        game
    }

    fn mode(&mut self, mode: u8, state: u8) {
        (self.ram[0xC0], self.ram[0xA7]) = (mode, state);
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::from_stored(ConsoleId::Nes.domain(), StorageOrder::AsOnBus, self.ram.clone()).unwrap()
    }

    fn sample(&mut self) {
        let snapshot = self.snapshot();
        let look = Look { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let (seen, forecast, found) = self.tracker.look(&look, &mut self.totals);
        self.seen = Some(seen.unwrap());
        self.forecast = forecast;
        self.found.extend(found);
    }

    /// The interrupt in two halves: the frame is counted, then the generator steps and the main loop is told.
    fn count(&mut self) {
        self.frame += 1;
        self.ram[0xB1..0xB3].copy_from_slice(&((self.frame & 0xFFFF) as u16).to_le_bytes());
    }

    fn step(&mut self) {
        self.spawner.state = self.spawner.state.step();
        self.put();
        self.ram[0x33] = 1;
    }

    fn put(&mut self) {
        self.ram[0x17..0x19].copy_from_slice(&self.spawner.state.0.to_be_bytes());
        (self.ram[0x19], self.ram[0x1A]) = (self.spawner.last, self.spawner.count);
    }

    fn rest(&mut self) {
        self.music = self.music.wrapping_add(1);
        (self.ram[0x6B4], self.ram[0x33]) = (self.music, 0);
    }

    /// A frame without a deal.
    fn pass(&mut self) {
        self.count();
        self.step();
        self.rest();
    }

    fn frames(&mut self, count: usize) {
        for _ in 0..count {
            self.pass();
            self.sample();
        }
    }

    fn counted(&mut self, piece: Piece) {
        let at = 0x3F0 + 2 * TABLE.iter().position(|(other, _)| *other == piece).unwrap();
        let count = (self.ram[at] >> 4) * 10 + (self.ram[at] & 0xF) + 1;
        (self.ram[at], self.ram[at + 1]) =
            (((count % 100 / 10) << 4) | (count % 10), self.ram[at + 1] + count / 100);
        self.dealt += 1;
    }

    fn start(&mut self) {
        self.mode(4, 2);
        self.ram[0x3F0..0x3FE].fill(0);
        self.dealt = 0;
        let (current, next) = self.spawner.start();
        self.put();
        self.ram[0x62] = spawn_orientation(current);
        self.counted(current);
        self.show_next(next);
    }

    fn show_next(&mut self, next: Piece) {
        self.next = next;
        self.ram[0xBF] = spawn_orientation(next);
    }

    /// What the main loop does when a piece is dealt.
    fn deal(&mut self) {
        let current = self.next;
        self.ram[0x62] = spawn_orientation(current);
        self.counted(current);
        let (next, _) = self.spawner.pick();
        self.put();
        self.show_next(next);
    }

    /// A frame with a deal.
    fn dealing(&mut self) {
        self.count();
        self.step();
        self.deal();
        self.rest();
    }

    /// A game under way, seen from its preparation on.
    fn begun() -> Self {
        let mut game = Self::new();
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

    fn status(&self, id: CheckId) -> Status {
        self.tracker.verdict().status(id)
    }

    fn flags(&self) -> Vec<(&str, Option<u32>)> {
        self.found.iter().map(|mismatch| (mismatch.field.as_str(), mismatch.index)).collect()
    }
}

#[test]
fn every_piece_of_a_game_that_is_seen_whole_is_verified() {
    let mut game = Game::begun();
    assert_eq!((game.totals.rounds, game.totals.rounds_verified, game.totals.pairs_verified), (1, 1, 2));
    for deal in 0..300 {
        game.dealing();
        game.sample();
        game.frames(3 + deal % 5);
    }
    assert_eq!(game.found, []);
    assert_eq!((game.totals.pairs_verified, game.totals.pairs_unseen), (302, 0));
    for id in [
        CheckId::GeneratorSteps,
        CheckId::SpawnCount,
        CheckId::DealtPiece,
        CheckId::CurrentPiece,
        CheckId::Statistics,
    ] {
        assert_eq!(game.status(id), Status::Holds, "{id:?}");
    }
}

#[test]
fn the_forecast_says_what_each_coming_frame_would_pick_and_how_long_to_wait() {
    let mut game = Game::begun();
    for wait in 1..60 {
        let Some(Forecast::TetrisNes(forecast)) = game.forecast.clone() else { panic!("a forecast") };
        assert_eq!((forecast.next, forecast.ahead.len()), (game.next, 60));
        assert_eq!(forecast.current, nextscope::game::tetris_nes::piece_of(game.ram[0x62]));
        for piece in Piece::ALL {
            let first = forecast.ahead.iter().position(|ahead| *ahead == piece).map(|at| at + 1);
            assert_eq!(forecast.wait_for(piece), first);
        }
        game.frames(wait - 1);
        game.dealing();
        game.sample();
        assert_eq!(game.next, forecast.ahead[wait - 1], "{wait} frames on");
        game.frames(3);
    }
}

#[test]
fn frames_that_nobody_saw_are_not_told_and_never_wrong() {
    let mut game = Game::begun();
    for deal in 0..400 {
        for _ in 0..deal % 3 {
            game.pass(); // unseen
        }
        game.dealing();
        for _ in 0..deal % 4 {
            game.pass(); // unseen
        }
        game.frames(4);
    }
    assert_eq!(game.found, []);
    let totals = game.totals;
    assert_eq!(totals.pairs_verified + totals.pairs_unseen, 402, "{totals:?}");
    assert!(totals.pairs_verified > 50 && totals.pairs_unseen > 100, "{totals:?}");
}

#[test]
fn samples_in_the_middle_of_interrupts_and_picks_are_no_mismatch() {
    let mut game = Game::begun();
    for deal in 0..500 {
        game.count();
        if deal % 3 == 0 {
            game.sample(); // the frame is counted, the generator not yet stepped
            game.step();
        } else {
            game.step();
            if deal % 3 == 1 {
                game.sample(); // the pass is to come
            }
        }
        if deal % 5 == 0 {
            let before = game.spawner;
            game.spawner.count = before.count.wrapping_add(1);
            game.put();
            game.sample(); // counted, not yet picked
            game.spawner = before;
        }
        game.deal();
        game.rest();
        if deal % 2 == 0 {
            game.sample();
        }
        game.frames(4);
    }
    assert_eq!(game.found, []);
    assert!(game.totals.pairs_verified > 300, "{:?}", game.totals);
}

#[test]
fn two_bytes_of_the_state_seen_between_their_writes_are_no_mismatch() {
    let mut game = Game::begun();
    for _ in 0..200 {
        game.count();
        let right = game.spawner.state.step();
        game.ram[0x17] = right.high(); // the second byte is the old one
        game.sample();
        game.step();
        game.rest();
        game.frames(1);
    }
    assert_eq!(game.found, []);
}

#[test]
fn wrong_pieces_are_flagged_at_their_number() {
    let mut game = Game::begun();
    let mut wrong = Vec::new();
    for deal in 0..140 {
        game.count();
        game.step();
        game.deal();
        if deal % 4 == 0 {
            let place = TABLE.iter().position(|(piece, _)| *piece == game.next).unwrap();
            let (piece, orientation) = TABLE[(place + 1 + deal / 4 % 6) % 7];
            game.spawner.last = orientation;
            game.put();
            game.show_next(piece);
            wrong.push(("next_piece", Some(game.dealt)));
        }
        game.rest();
        game.sample();
        game.frames(5);
    }
    assert_eq!(game.flags(), wrong);
    assert_eq!(game.totals.mismatches, 35);
    assert_eq!(game.totals.pairs_verified, 2 + 140 - 35);
}

#[test]
fn an_extra_step_a_flipped_bit_and_a_pick_that_is_not_counted_are_flagged() {
    let mut game = Game::begun();
    let mut wrong = Vec::new();
    for deal in 0..90 {
        let skipped = deal % 9 == 8;
        if skipped {
            game.spawner.count = game.spawner.count.wrapping_sub(1);
        }
        game.dealing();
        if skipped {
            wrong.push(("spawn_count", Some(game.dealt)));
        }
        game.sample();
        game.frames(4);
        if deal % 9 == 2 || deal % 9 == 5 {
            game.pass();
            game.spawner.state = match deal % 9 {
                2 => game.spawner.state.step(),
                _ => nextscope::game::tetris_nes::State(game.spawner.state.0 ^ 0x4000),
            };
            game.put();
            wrong.push(("rng_state", Some(game.dealt)));
            game.sample();
            game.frames(4);
        }
    }
    assert_eq!(game.flags(), wrong);
}

#[test]
fn another_current_piece_and_other_statistics_are_flagged() {
    let mut game = Game::begun();
    game.dealing();
    let other =
        TABLE.iter().find(|(piece, _)| nextscope::game::tetris_nes::piece_of(game.ram[0x62]) != Some(*piece));
    game.ram[0x62] = other.unwrap().1;
    game.sample();
    game.frames(3);
    assert_eq!(game.flags(), [("current_piece", Some(game.dealt))]);
    game.dealing();
    let counts = game.ram[0x3F0..0x3FE].to_vec();
    game.ram[0x3F0..0x3FE].rotate_left(2);
    assert_ne!(counts, game.ram[0x3F0..0x3FE]);
    game.sample();
    game.frames(3);
    assert!(game.flags().contains(&("statistics", Some(game.dealt))), "{:?}", game.flags());
}

#[test]
fn the_demo_and_the_menus_are_not_verified_and_forecast_nothing() {
    let mut game = Game::new();
    for (mode, state) in [(1, 0), (3, 0), (5, 2)] {
        game.mode(mode, state);
        for _ in 0..20 {
            game.spawner.state = game.spawner.state.jump(5);
            game.frames(1);
            assert!(game.forecast.is_none());
        }
    }
    assert_eq!(game.found, []);
    assert_eq!(game.status(CheckId::DealtPiece), Status::Nothing);
}

#[test]
fn the_anchors_stand_in_a_game_and_not_in_other_memory() {
    let mut game = Game::begun();
    game.frames(1);
    assert_eq!(anchors_stand(&game.snapshot(), &game.profile).len(), 2);
    game.ram[0x750] = 0;
    assert_eq!(anchors_stand(&game.snapshot(), &game.profile).len(), 1);
    game.ram[0xBF] = 0x13;
    assert!(!any_anchor_stands(&game.snapshot(), &game.profile));
    for fill in [0, 0xEF, 0xFF, 2] {
        game.ram.fill(fill);
        assert!(!any_anchor_stands(&game.snapshot(), &game.profile), "{fill:02X}");
    }
}

#[test]
fn what_is_shown_has_the_pieces_and_the_waits() {
    let game = Game::begun();
    let data = Data {
        snapshot: game.snapshot(),
        taken: Instant::now(),
        frame: game.frame,
        frames_per_second: 60.0,
        observation: Ok(game.seen.clone().unwrap()),
        forecast: game.forecast.clone(),
        verdict: Arc::new(game.tracker.verdict()),
    };
    let shown = Shown::of(&data).unwrap();
    let [player] = &shown.pieces[..] else { panic!("one player") };
    assert_eq!((player.pieces.as_slice(), player.dealt), (&[game.next][..], Some(1)));
    assert_eq!(player.waits.as_ref().unwrap().frames.len(), 60);
    assert!(shown.players.is_empty());
}
