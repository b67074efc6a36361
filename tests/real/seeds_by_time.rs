//! A movie from power on that presses Start in the frame that gives a chosen round, played by emulators. The wait was recorded in the embedded
//! console; a movie with one press says which frame of the emulator is which of the game's clock, as docs/routes.md describes.

use crate::emulators::Kind;
use crate::emulators::movies::{Cells, Changes, play_in_genesis_plus_gx, play_in_mame};
use crate::emulators::session::present;
use crate::movies::genesis::{BOARD_BYTES, board, pairs, table};
use crate::movies::readers::read_bk2;
use crate::movies::waits::{SEED_BEFORE, clock_frame, person, record, telling_press, waiting_rom};
use crate::movies::{Appearance, PlannedMovie, profile};
use nextscope::demo::Buttons;
use nextscope::puyo::Rules;
use nextscope::round_starts::{Offer, Opening, PadButtons, Run, RunReader, Wait, opening, waits};
use nextscope::route::export::{LeadIn, Movie};
use nextscope::route::{Goal, Limits, Route, Start, plan};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The title waits for Start, and the round is generated 19 frames later; the state moves on.
const START: &str = "20";
/// Player 1's count of pairs and board; the buttons of pad 1 and the clock; the number of rounds and the state before the generation.
const PAIRS: Cells = Cells { count: 0xFF_85A6, board: 0xFF_8000, board_bytes: BOARD_BYTES };
const PAD: Cells = Cells { count: 0xFF_F070, board: 0xFF_A000, board_bytes: 4 };
const ROUND: Cells = Cells { count: 0xFF_1016, board: SEED_BEFORE, board_bytes: 4 };
/// The frame with the press of the movie that says which frame of the clock it is.
const PROBE: u64 = 200;

/// What two recordings in the embedded console say: a start, and a longer wait.
fn measured() -> (Vec<Run>, Wait) {
    let profile = profile("puyo-tsu-genesis");
    let reader = profile.game.definition().round_starts.expect("the game has a clock");
    let mut runs = Vec::new();
    for (number, (press, frames)) in [(Some(telling_press()), 700), (None, 650)].into_iter().enumerate() {
        let mut run = RunReader::new(number, reader.power_on_state);
        for sample in record(waiting_rom(START), &person(press), frames) {
            let moment = (reader.read)(&sample.snapshot, &profile).expect("all fields");
            let generates = |state| (reader.generates)(&sample.snapshot, &profile, state);
            run.sample(sample.frame, &moment, &generates);
        }
        runs.extend(run.finish());
    }
    let wait = waits(&runs, 1).remove(0);
    (runs, wait)
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().expect("four bytes"))
}

/// Plays movies in an emulator: one that says which frame of the clock its frames are, the right one, and those that press a frame early or late.
fn press_gives_the_chosen_round(emulator: &str, play: &dyn Fn(&Movie, Cells) -> Changes) {
    let started = Instant::now();
    let (runs, wait) = measured();
    let idle =
        Route { steps: Vec::new(), ..Route::replay(&Start::empty(Vec::new(), Rules::TSU), &[]).unwrap() };
    let mut probe = vec![[PadButtons::NONE; 2]; 260];
    probe[usize::try_from(PROBE).unwrap() - 1..][..3].fill([PadButtons::START, PadButtons::NONE]);
    let probe = Opening { frames: probe, press: PROBE, assumed: Vec::new() };
    let movie = Movie::after(&idle, &table(), LeadIn::recorded(0, &probe)).unwrap();
    let seen = play(&movie, PAD);
    let (_, clock) = seen.first().expect("the game reads Start");
    let offset = u32::try_from(PROBE).unwrap() - clock_frame(number(clock));

    // A state that only one frame gives, and a route with a chain.
    let one_frame = |offer: &&Offer| offer.frame == offer.last && offer.frame > 100;
    let offer = wait.offers.iter().find(one_frame).expect("a state that only one frame gives");
    let start = Start::empty(pairs(offer.state, 10), Rules::TSU);
    let limits = Limits { time: None, width: 50, threads: 1, ..Limits::default() };
    let planned = plan(&start, Goal::Chain, &limits, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let route = planned.route.expect("a chain");
    let opening = opening(&runs, &wait, offer.frame).expect("all buttons");
    let movie = |offset| Movie::after(&route, &table(), LeadIn::recorded(offset, &opening)).unwrap();

    let right = movie(offset);
    let rounds = play(&right, ROUND);
    let press = offset + u32::try_from(offer.frame).unwrap();
    assert_eq!(number(&rounds[0].1), offer.state, "{emulator}: the round after Start in frame {press}");
    let lead_in = right.frames() - table().total(&route).unwrap();
    let plan = PlannedMovie { route: route.clone(), table: table(), lead_in };
    let appearance = |(frame, bytes): &(u32, Vec<u8>)| Appearance { frame: *frame, board: board(bytes) };
    let seen: Vec<Appearance> = play(&right, PAIRS).iter().map(appearance).collect();
    assert_eq!(plan.verify(&seen), Ok(()), "{emulator}");
    println!(
        "{emulator}: Start in frame {press} from power on gives {:08X} in frame {}, {} pairs, each in its frame; {:.1} s",
        offer.state,
        rounds[0].0,
        plan.route.steps.len(),
        started.elapsed().as_secs_f64()
    );
    for wrong in [offset - 1, offset + 1] {
        let rounds = play(&movie(wrong), ROUND);
        assert_ne!(number(&rounds[0].1), offer.state, "{emulator}: a frame off");
    }
}

#[test]
fn the_core_of_bizhawk_starts_the_chosen_round() {
    if present(&[Kind::GenesisPlusGx]).is_empty() {
        return;
    }
    let profile = profile("puyo-tsu-genesis");
    press_gives_the_chosen_round("Genesis Plus GX", &|movie, cells| {
        let frames = read_bk2(&movie.bk2(&profile).unwrap()).expect("BizHawk reads it");
        let pad: Vec<Buttons> = frames.iter().map(|frame| frame.pads[0]).collect();
        play_in_genesis_plus_gx(&waiting_rom(START), &pad, cells)
    });
}

#[test]
fn mame_starts_the_chosen_round() {
    if present(&[Kind::Mame]).is_empty() {
        return;
    }
    let profile = profile("puyo-tsu-genesis");
    press_gives_the_chosen_round("MAME", &|movie, cells| {
        play_in_mame(&waiting_rom(START), &movie.inp(&profile).unwrap(), movie.frames(), cells)
    });
}
