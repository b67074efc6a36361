//! The tracker on RAM that built-in models fill: games, resets, loaded states, samples in the middle of a write, faults.

use super::{Observation, Prediction};
use crate::games::declared::ID;
use crate::games::piece::{Dealer, Piece};
use crate::games::tetris_nes::{BOOT_STATE, Pick, Spawner, spawn_orientation};
use crate::games::tgm::tgm2::Tgm2;
use crate::live::{CheckId, Mismatch, SampleContext, Status, Totals, Tracker, Update};
use crate::profile::{Profile, parse};
use nextscope_memory::console::{Snapshot, StorageOrder};

const TGM2: &str = include_str!("../models/tgm2.toml");
const NES: &str = include_str!("../models/tetris-nes.toml");
const BAG: &str = include_str!("../models/tetris-worlds-arika.toml");
const MEAN_BEAN: &str = include_str!("../models/mean-bean.toml");

const STATE: usize = 0x10;
const NEXT: usize = 0x20;
const DEALS: usize = 0x30;

fn profile(section: &str, next: u32, state: u32, deals: bool) -> Profile {
    let deals = if deals { "deals = { address = 0x30, type = \"u8\", source = \"test\" }" } else { "" };
    let text = format!(
        "id = \"x\"\nname = \"X\"\nconsole = \"nes\"\nstatus = \"unconfirmed\"\n[fields]\n\
         rng_state = {{ address = 0x10, type = \"bytes\", length = {state}, source = \"test\" }}\n\
         next = {{ address = 0x20, type = \"bytes\", length = {next}, source = \"test\" }}\n{deals}\n{section}"
    );
    let (profile, diagnostics) = parse(&text, "x.toml");
    profile.unwrap_or_else(|| panic!("{diagnostics:#?}"))
}

pub(super) struct Console {
    pub ram: Vec<u8>,
    frame: u64,
    tracker: Tracker,
    pub totals: Totals,
    profile: Profile,
    pub mismatches: Vec<Mismatch>,
    pub last: Option<Update>,
}

impl Console {
    pub fn new(profile: Profile) -> Self {
        Self {
            ram: vec![0; profile.console.domain().len as usize],
            frame: 0,
            tracker: Tracker::new(ID),
            totals: Totals::default(),
            profile,
            mismatches: Vec::new(),
            last: None,
        }
    }

    pub fn frame(&mut self) {
        self.frame += 1;
        let domain = self.profile.console.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, self.ram.clone()).unwrap();
        let sample = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let update = self.tracker.update(&sample, &mut self.totals);
        self.mismatches.extend(update.mismatches.clone());
        self.last = Some(update);
    }

    pub fn frames(&mut self, count: u32) {
        (0..count).for_each(|_| self.frame());
    }

    pub fn coming(&self) -> Vec<Piece> {
        let prediction = self.last.as_ref().unwrap().prediction.as_ref();
        prediction.map_or_else(Vec::new, |prediction| prediction.view().pieces[0].pieces.clone())
    }

    pub fn status(&self, check: CheckId) -> Status {
        self.tracker.verdict().status(check)
    }
}

/// TAP on a console: the generator's state, and a list of the coming pieces.
#[derive(Clone)]
struct Tap {
    dealer: Tgm2,
    queue: Vec<Piece>,
}

impl Tap {
    fn start(seed: u32, list: usize) -> Self {
        let mut dealer = Tgm2::new(seed);
        let queue = dealer.deal_many(list);
        Self { dealer, queue }
    }

    fn deal(&mut self) {
        self.queue.remove(0);
        self.queue.push(self.dealer.deal());
    }

    fn write(&self, console: &mut Console) {
        console.ram[STATE..STATE + 4].copy_from_slice(&self.dealer.rng.0.to_be_bytes());
        for (cell, piece) in console.ram[NEXT..].iter_mut().zip(&self.queue) {
            *cell = u8::try_from("IZSJLOT".find(piece.letter()).unwrap()).unwrap();
        }
    }
}

fn tap(list: u32) -> Console {
    Console::new(profile(TGM2, list, 4, false))
}

#[test]
fn a_game_is_predicted_from_its_start_and_every_piece_is_verified() {
    let mut console = tap(1);
    // The seed is there before the first piece.
    console.ram[STATE..STATE + 4].copy_from_slice(&0x43B7_u32.to_be_bytes());
    console.ram[NEXT] = 6;
    console.frames(3);
    assert!(console.coming().is_empty(), "the history is unknown");
    let mut game = Tap::start(0x43B7, 1);
    game.write(&mut console);
    console.frames(2);
    let expected = Tgm2::new(0x43B7).deal_many(15);
    assert_eq!(console.coming(), expected);
    for number in 2..60_u64 {
        game.deal();
        game.write(&mut console);
        console.frame();
        assert_eq!(console.totals.pairs_verified, number);
        assert_eq!(console.coming()[0], game.queue[0]);
        assert_eq!(console.coming()[1..], game.dealer.clone().deal_many(14));
    }
    assert_eq!((console.totals.pairs_missed, &console.mismatches[..]), (0, &[][..]));
    let view = console.last.as_ref().unwrap().prediction.clone().unwrap();
    assert_eq!(view.view().pieces[0].position, "59 pieces dealt");
    for check in [CheckId::DECLARED_GENERATOR, CheckId::DECLARED_DEALS] {
        assert_eq!(console.status(check), Status::Verified);
    }
}

#[test]
fn a_game_in_progress_is_predicted_once_its_history_is_known() {
    for (list, deals_until_known) in [(1, 3), (2, 2), (4, 0)] {
        let mut console = tap(list);
        let mut game = Tap::start(7, list as usize);
        (0..50).for_each(|_| game.deal());
        game.write(&mut console);
        console.frames(2);
        for deal in 0..20 {
            let prediction = console.last.as_ref().unwrap().prediction.clone();
            let tentative = prediction.as_ref().is_some_and(|prediction| prediction.view().note.is_some());
            let is_known = prediction.is_some() && !tentative;
            // What looks like the start of a game takes a few deals more to be certain.
            assert!(is_known || deal < deals_until_known + 8, "{list}: {deal}");
            assert!(!is_known || deal >= deals_until_known, "{list}: {deal}");
            if is_known {
                let all = [game.queue.clone(), game.dealer.clone().deal_many(14)].concat();
                assert_eq!(console.coming(), all);
            }
            game.deal();
            game.write(&mut console);
            console.frames(2);
        }
        assert_eq!(console.mismatches, []);
    }
}

#[test]
fn resets_loaded_states_and_missed_frames_are_no_mismatches() {
    let mut console = tap(4);
    let mut game = Tap::start(1, 4);
    let mut saved = game.clone();
    for step in 0..400_u32 {
        match step % 50 {
            20 => saved = game.clone(),
            35 => game = saved.clone(),
            45 => game = Tap::start(step, 4),
            // Pieces that no sample sees.
            10 => (0..5).for_each(|_| game.deal()),
            _ => game.deal(),
        }
        game.write(&mut console);
        console.frames(2);
        let all = [game.queue.clone(), game.dealer.clone().deal_many(14)].concat();
        assert_eq!(console.coming(), all, "{step}");
    }
    assert_eq!(console.mismatches, []);
    // A loaded state may look like the next deal of the game.
    assert!((11..=17).contains(&console.totals.rounds), "{}", console.totals.rounds);
    assert_eq!(console.status(CheckId::DECLARED_DEALS), Status::Verified);
}

/// The fewer pieces are in RAM, the more often another game looks like the next pieces of this one.
#[test]
fn states_of_other_games_are_no_mismatches_however_few_pieces_are_in_ram() {
    let mut random = nextscope_boards::SplitMix64(5);
    for list in 1..=4 {
        let mut console = tap(list);
        let mut game = Tap::start(1, list as usize);
        for step in 0..100_000_u32 {
            if random.draw().is_multiple_of(6) {
                game = Tap::start(random.draw() % 0x1_0000, list as usize);
                (0..random.draw() % 9).for_each(|_| game.deal());
            } else {
                game.deal();
            }
            game.write(&mut console);
            console.frames(2);
            assert_eq!(console.mismatches, [], "{list} in RAM, step {step}");
        }
        assert!(console.totals.pairs_verified > 50_000, "{list}: {}", console.totals.pairs_verified);
    }
}

#[test]
fn samples_in_the_middle_of_a_write_are_no_mismatches() {
    let mut console = tap(2);
    let mut game = Tap::start(9, 2);
    (0..10).for_each(|_| game.deal());
    game.write(&mut console);
    console.frames(2);
    for step in 0..100 {
        let before = console.ram.clone();
        game.deal();
        game.write(&mut console);
        let after = std::mem::replace(&mut console.ram, before);
        // The state first, the list first, or half of the state.
        let part = [STATE..STATE + 4, NEXT..NEXT + 2, STATE + 2..STATE + 4][step % 3].clone();
        console.ram[part.clone()].copy_from_slice(&after[part]);
        console.frame();
        console.ram = after;
        console.frames(2);
    }
    assert_eq!(console.mismatches, []);
    assert_eq!(console.coming()[2..], game.dealer.clone().deal_many(14));
}

#[test]
fn a_wrong_piece_is_reported_once_with_its_number() {
    let mut console = tap(4);
    let mut game = Tap::start(7, 4);
    game.write(&mut console);
    console.frames(2);
    for _ in 0..5 {
        game.deal();
        game.write(&mut console);
        console.frames(2);
    }
    game.deal();
    game.write(&mut console);
    let right = game.queue[3];
    let wrong = if right == Piece::O { Piece::T } else { Piece::O };
    game.queue[3] = wrong;
    game.write(&mut console);
    console.frames(4);
    game.queue[3] = right;
    for _ in 0..5 {
        game.deal();
        game.write(&mut console);
        console.frames(2);
    }
    let [mismatch] = &console.mismatches[..] else { panic!("{:#?}", console.mismatches) };
    assert_eq!((mismatch.check, mismatch.index), (CheckId::DECLARED_DEALS, Some(9)));
    assert_eq!((&*mismatch.expected, &*mismatch.actual), (&*right.to_string(), &*wrong.to_string()));
    assert_eq!(mismatch.field, "next");
    assert_eq!(console.totals.mismatches, 1);
    assert_eq!(console.coming()[4..], game.dealer.clone().deal_many(14), "the game goes on");
}

#[test]
fn a_wrong_declaration_is_reported() {
    let wrong = TGM2.replace("12345", "12347");
    for list in 2..=4 {
        let mut console = Console::new(profile(&wrong, list, 4, false));
        let mut game = Tap::start(7, list as usize);
        for _ in 0..10 {
            game.deal();
            game.write(&mut console);
            console.frames(2);
        }
        let [mismatch] = &console.mismatches[..] else { panic!("{list}: {:#?}", console.mismatches) };
        assert_eq!(mismatch.check, CheckId::DECLARED_GENERATOR);
        assert!(mismatch.what.contains("check [randomizer.generator]"), "{}", mismatch.what);
    }
}

#[test]
fn cleared_ram_and_menus_that_step_the_generator_are_no_game_and_no_mismatch() {
    let mut console = tap(4);
    console.frames(5);
    let update = console.last.as_ref().unwrap();
    let observation = update.observation.as_ref().unwrap();
    assert!(update.prediction.is_none() && observation.without_prediction().contains("0x00000000"));
    assert!(observation.details(None).is_object());
    assert_eq!(console.totals.rounds, 0);
    let mut game = Tap::start(7, 4);
    for step in 0..50_u32 {
        game.dealer = Tgm2::new(step * 977);
        game.write(&mut console);
        console.frames(2);
    }
    assert_eq!(console.mismatches, []);
}

#[test]
fn a_bag_is_predicted_from_the_first_one_that_is_made() {
    use crate::games::piece::GameDealer;
    use crate::games::tetris_worlds::TetrisWorlds;
    use crate::games::uniform::{Kind, Uniform};
    let mut console = Console::new(profile(BAG, 3, 4, false));
    let start = || TetrisWorlds::new(Uniform::new(Kind::Arika, 0x5EED), false);
    let pieces = start().deal_many(80);
    let mut dealer = start();
    dealer.deal_many(16);
    for dealt in 16..60 {
        // The built-in model draws as it deals; this game has made all draws of a bag at its start.
        let mut made = dealer;
        while !made.bag().is_empty() {
            made.deal();
        }
        let state = u32::from_str_radix(&made.state_after()[2..], 16).unwrap();
        console.ram[STATE..STATE + 4].copy_from_slice(&state.to_be_bytes());
        for (cell, piece) in console.ram[NEXT..].iter_mut().zip(&pieces[dealt - 3..dealt]) {
            *cell = u8::try_from("IJLOSTZ".find(piece.letter()).unwrap()).unwrap();
        }
        console.frames(2);
        // The fourth bag is made for piece 22.
        let expected = if dealt < 22 { Vec::new() } else { pieces[dealt - 3..dealt + 14].to_vec() };
        assert_eq!(console.coming(), expected, "{dealt}");
        let update = console.last.as_ref().unwrap().observation.as_ref().unwrap();
        assert!(
            update
                .without_prediction()
                .ends_with("the next pieces depend on all before them: start a new game")
        );
        dealer.deal();
    }
    assert_eq!((console.totals.rounds, &console.mismatches[..]), (1, &[][..]));
}

/// The NES game: a step every frame, and one more for a second draw.
#[test]
fn a_generator_that_frames_step_gives_conditional_predictions() {
    let mut console = Console::new(profile(NES, 1, 2, true));
    let mut spawner = Spawner { state: BOOT_STATE, count: 0, last: 0 };
    let mut waited = 0;
    for frame in 0..6000_u32 {
        spawner.state = spawner.state.step();
        waited += 1;
        if frame % 23 == 5 {
            spawner.pick_by(Pick::Code);
            waited = 0;
        }
        console.ram[STATE..STATE + 2].copy_from_slice(&spawner.state.0.to_be_bytes());
        console.ram[NEXT] = spawner.last;
        console.ram[DEALS] = spawner.count;
        console.frame();
        if frame > 10 {
            let view = console.last.as_ref().unwrap().prediction.as_ref().unwrap().view();
            let waits = view.pieces[0].waits.as_ref().unwrap();
            for (ahead, piece) in waits.frames.iter().enumerate().take(30) {
                let mut later = spawner;
                (0..=ahead).for_each(|_| later.state = later.state.step());
                assert_eq!(later.pick_by(Pick::Code).0, *piece, "frame {frame}, {ahead}");
            }
            assert!(view.note.as_ref().unwrap().contains("depends on the frame"));
        }
    }
    assert!(waited > 0 && console.mismatches.is_empty(), "{:#?}", console.mismatches);
    let Totals { pairs_verified, pairs_missed, .. } = console.totals;
    assert!(pairs_verified > 240 && pairs_verified + pairs_missed > 250, "{pairs_verified} {pairs_missed}");
    // A piece that no frame gives.
    spawner.state = spawner.state.step();
    let mut now = spawner;
    now.pick_by(Pick::Code);
    let possible = console.last.as_ref().unwrap().prediction.clone().unwrap();
    let possible = &possible.view().pieces[0].waits.as_ref().unwrap().frames[..2];
    let wrong = Piece::ALL.into_iter().find(|piece| {
        let mut last = spawner;
        let at_once = {
            last.pick_by(Pick::Code);
            last.last
        };
        !possible.contains(piece) && at_once != spawn_orientation(*piece)
    });
    console.ram[STATE..STATE + 2].copy_from_slice(&now.state.0.to_be_bytes());
    console.ram[NEXT] = spawn_orientation(wrong.unwrap());
    console.ram[DEALS] = now.count;
    console.frame();
    now.state = now.state.step();
    console.ram[STATE..STATE + 2].copy_from_slice(&now.state.0.to_be_bytes());
    console.frame();
    assert!(console.mismatches.len() <= 1);
}

#[test]
fn pairs_are_predicted_too() {
    let observed = |console: &Console| {
        let update = console.last.as_ref().unwrap();
        (
            update.observation.as_ref().unwrap().get::<Observation>().is_some(),
            update.prediction.as_ref().map(|prediction| {
                (prediction.get::<Prediction>().is_some(), prediction.view().players[0].pairs.clone())
            }),
        )
    };
    let mut console = Console::new(profile(MEAN_BEAN, 4, 4, false));
    let program =
        std::sync::Arc::new(super::super::Program::new(console.profile.randomizer.clone().unwrap()).unwrap());
    let mut dealer = super::super::DeclaredDealer::new(program, 0x1234_5678);
    let mut pairs: Vec<u8> = Vec::new();
    console.ram[STATE..STATE + 4].copy_from_slice(&0x1234_5678_u32.to_be_bytes());
    console.frames(2);
    pairs.extend((0..2).map(|_| dealer.deal_number()));
    for step in 0..40 {
        if step > 0 {
            pairs.push(dealer.deal_number());
        }
        let state = u32::try_from(dealer.state().word).unwrap();
        console.ram[STATE..STATE + 4].copy_from_slice(&state.to_be_bytes());
        for (cell, pair) in console.ram[NEXT..].chunks_mut(2).zip(&pairs[pairs.len() - 2..]) {
            cell.copy_from_slice(&[pair >> 4, pair & 0xF]);
        }
        console.frames(2);
        let (known, prediction) = observed(&console);
        let (own, coming) = prediction.unwrap();
        let mut after = dealer.clone();
        let right: Vec<_> = std::iter::repeat_with(|| after.deal_pair().unwrap()).take(14).collect();
        assert!(known && own && coming[2..] == right, "{step}");
    }
    assert_eq!(
        (console.totals.pairs_verified, console.totals.pairs_missed, &console.mismatches[..]),
        (41, 0, &[][..])
    );
}

/// RAM may contain anything, and a file may declare draws that take hours: each sample ends soon, and none panics.
#[test]
fn no_ram_and_no_declaration_stops_the_sampler() {
    let slow = "[randomizer]\ndeals = \"pieces\"\nkinds = [\"I\", \"J\", \"L\", \"O\", \"S\", \"T\", \"Z\"]\n\
                seed = { bits = 16 }\ndraw = { bits = 64, method = \"modulo\" }\n\
                generator = { kind = \"shift-register\", width = 64, form = \"galois\", direction = \"right\", \
                taps = 0xD800000000000000, shifts = 64 }\n";
    let bag = "deal = { kind = \"bag\", copies = 16, shuffle = { method = \"swaps\", count = 65535 } }\n";
    let history = "deal = { kind = \"history\", length = 8, tries = 64, discarded = 16 }\n";
    let models = [
        (TGM2.to_owned(), 4),
        (NES.to_owned(), 2),
        (BAG.to_owned(), 4),
        (MEAN_BEAN.to_owned(), 4),
        (format!("{slow}{bag}queue = {{ length = 4096 }}\n"), 8),
        (format!("{slow}{history}clock = \"both\"\n"), 8),
        (format!("{slow}{history}other_calls = 65535\n"), 8),
    ];
    let mut random = nextscope_boards::SplitMix64(1);
    for (section, state) in models {
        let text = profile(&section, 4, state, true).text.replace("\"u8\"", "\"bytes\", length = 8");
        let mut console = Console::new(parse(&text, "x.toml").0.unwrap());
        for sample in 0..60_u64 {
            match random.draw() % 4 {
                0 => console.ram[STATE..DEALS + 8]
                    .iter_mut()
                    .for_each(|byte| *byte = random.draw().to_le_bytes()[0] % 8),
                1 => console.ram[NEXT..NEXT + 4].rotate_left(1),
                2 => console.ram[STATE] ^= 1,
                _ => {}
            }
            console.ram[DEALS..DEALS + 8]
                .copy_from_slice(&(u64::MAX - 30).wrapping_add(sample).to_be_bytes());
            console.frame += u64::from(random.draw() % 4000);
            console.frames(2);
        }
    }
}
