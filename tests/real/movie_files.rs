//! Exported movies, played by the emulators that they are for, from power on: each pair appears in its frame, on the planned board.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::movies::{
    Cells, Changes, Passes, play_in_desmume, play_in_genesis_plus_gx, play_in_mame, play_in_mednafen,
};
use crate::emulators::session::present;
use crate::emulators::{Kind, NdsConfig, Pace};
use crate::movies::readers::read_bk2;
use crate::movies::{Appearance, PlannedMovie, genesis, nds, profile, wrong_times};
use nextscope::demo::Buttons;
use nextscope::puyo::Field;
use nextscope::route::Route;
use nextscope::route::export::Movie;
use std::time::Instant;

/// Player 1 of the NDS cartridge (its README).
const NDS_CELLS: Cells = Cells { count: 0x0218_1004, board: 0x0218_1100, board_bytes: nds::BOARD_BYTES };

/// Player 1 of the Genesis cartridge.
const GENESIS_CELLS: Cells = Cells { count: 0xFF_85A6, board: 0xFF_8000, board_bytes: genesis::BOARD_BYTES };

/// The pairs before the first chain of a planned route, at most.
const PAIRS: u32 = 10;

fn appearances(changes: &Changes, board: fn(&[u8]) -> Field) -> Vec<Appearance> {
    let appearance = |(frame, bytes): &(u32, Vec<u8>)| Appearance { frame: *frame, board: board(bytes) };
    changes.iter().map(appearance).collect()
}

fn nds_rom() -> Vec<u8> {
    let config = NdsConfig {
        keys_move_pairs: true,
        frames_per_deal: [4, 60_000],
        colors: [4, 4],
        event_rate: 0,
        ..NdsConfig::default()
    };
    config.rom()
}

/// Says what was played, and how long that took.
fn report(emulator: &str, plan: &PlannedMovie, started: Instant) {
    println!(
        "{emulator}: {} pairs, chain {}, {} frames from power on, each pair in its frame; {:.1} s",
        plan.route.steps.len(),
        plan.route.chain,
        plan.movie().frames(),
        started.elapsed().as_secs_f64()
    );
}

/// A movie without input, which tells when the first pair can be moved.
fn idle(plan: &PlannedMovie) -> PlannedMovie {
    PlannedMovie { route: Route { steps: Vec::new(), ..plan.route.clone() }, ..plan.clone() }
}

/// Plays the movie with the true times, which must go as planned, and those with wrong times, which must not: all of them, or where that
/// takes long only those in which these parts are wrong.
fn true_and_wrong_times(
    emulator: &str,
    wrong_parts: Option<&[&str]>,
    plan: impl Fn(u32) -> PlannedMovie,
    play: &impl Fn(&Movie) -> Vec<Appearance>,
) -> PlannedMovie {
    let started = Instant::now();
    // Longer than any of these games waits for the first pair.
    let seen = play(&idle(&plan(150)).movie());
    let lead_in = seen.first().expect("a pair appears without input").frame;
    let plan = plan(lead_in);
    assert_eq!(plan.verify(&play(&plan.movie())), Ok(()), "{emulator}");
    report(emulator, &plan, started);
    let mut absorbed = Vec::new();
    let is_played = |part: &str| wrong_parts.is_none_or(|parts| parts.contains(&part));
    for wrong in wrong_times(&plan).iter().filter(|wrong| is_played(wrong.part)) {
        let seen = play(&plan.movie_with(&wrong.table, wrong.lead_in));
        let difference = plan.verify(&seen).expect_err(wrong.part);
        println!("{emulator}, {}: {difference}", wrong.part);
        if plan.reaches_every_board(&seen) {
            absorbed.push(wrong.part);
        }
    }
    // The game waits for a movie that is late: the boards are right, at a later frame.
    assert!(absorbed.iter().all(|part| part.ends_with("+ 1")), "{absorbed:?}");
    println!("{emulator}: {:.1} s in all", started.elapsed().as_secs_f64());
    plan
}

#[test]
fn desmume_plays_a_movie_from_power_on_to_the_planned_board() {
    if present(&[Kind::PyDesmume(Pace::Unthrottled)]).is_empty() {
        return;
    }
    let (rom, profile) = (nds_rom(), profile("puyo-20th-nds"));
    let play = |movie: &Movie| {
        let dsm = movie.dsm(&profile).unwrap();
        appearances(&play_in_desmume(&rom, dsm.as_bytes(), NDS_CELLS), nds::board)
    };
    let wrong = [
        "press - 1",
        "release - 1",
        "fall - 1",
        "lock - 1",
        "chain - 1",
        "next - 1",
        "next + 1",
        "lead-in - 1",
    ];
    let plan = true_and_wrong_times("py-desmume", Some(&wrong), |lead_in| nds::planned(2, lead_in), &play);
    // Up to the highest rows and between two walls, where the cartridge's own rules of turning matter.
    let (mut state, mut tall) = (3_u64, 0);
    for _ in 0..4 {
        let plan = nds::random(&mut state, plan.lead_in);
        assert_eq!(plan.verify(&play(&plan.movie())), Ok(()), "{} random pairs", plan.route.steps.len());
        let steps = plan.route.steps.iter();
        tall += steps.filter(|step| step.after.heights().iter().any(|height| *height > 11)).count();
    }
    assert!(tall > 5, "{tall} boards with high columns");
}

fn genesis_plan(lead_in: u32) -> PlannedMovie {
    genesis::movie_of(genesis::planned_beyond_the_chain(genesis::SEED, PAIRS), lead_in)
}

#[test]
fn mame_plays_a_movie_from_power_on_to_the_planned_board() {
    if present(&[Kind::Mame]).is_empty() {
        return;
    }
    let (rom, profile) = (genesis::rom(genesis::SEED, genesis::SETTINGS), profile("puyo-tsu-genesis"));
    let play = |movie: &Movie| {
        let changes = play_in_mame(&rom, &movie.inp(&profile).unwrap(), movie.frames(), GENESIS_CELLS);
        appearances(&changes, genesis::board)
    };
    let wrong = ["fall - 1", "chain - 1", "next - 1", "next + 1"];
    true_and_wrong_times("MAME", Some(&wrong), genesis_plan, &play);
}

/// BizHawk does not run here, but its core does: it plays the log of a .bk2 that a strict reader accepts.
#[test]
fn the_core_of_bizhawk_plays_a_movie_from_power_on_to_the_planned_board() {
    if present(&[Kind::GenesisPlusGx]).is_empty() {
        return;
    }
    let (rom, profile) = (genesis::rom(genesis::SEED, genesis::SETTINGS), profile("puyo-tsu-genesis"));
    let play = |movie: &Movie| {
        let frames = read_bk2(&movie.bk2(&profile).unwrap()).expect("BizHawk reads it");
        let pad: Vec<Buttons> = frames.iter().map(|frame| frame.pads[0]).collect();
        appearances(&play_in_genesis_plus_gx(&rom, &pad, GENESIS_CELLS), genesis::board)
    };
    true_and_wrong_times("Genesis Plus GX", None, genesis_plan, &play);
}

/// Mednafen plays at the speed of the console, and its movies have no frame numbers that could be read: passes of the game are compared.
#[test]
fn mednafen_plays_a_movie_from_power_on_to_the_planned_board() {
    if present(&[Kind::MednafenWindow]).is_empty() {
        return;
    }
    let started = Instant::now();
    let (rom, profile) = (genesis::rom(genesis::SEED, genesis::SETTINGS), profile("puyo-tsu-genesis"));
    let play = |movie: &Movie, changes: usize| {
        let mcm = movie.mcm(&profile).unwrap();
        let passes = (0..10).find_map(|_| play_in_mednafen(&rom, &mcm, GENESIS_CELLS, changes));
        passes.expect("the emulator is read in every frame")
    };
    // A movie that begins too late: its first button tells which pass reads which frame of the movie.
    let late = genesis_plan(150);
    let probe = play(&late.movie(), 2);
    let frames_before_passes = late.lead_in - probe.first_pressed;
    let seen = |passes: &Passes| {
        let changes = passes.changes.iter();
        let frame = |pass: &u32| pass + frames_before_passes + 1;
        let changes = changes.map(|(pass, board)| (frame(pass), board.clone())).collect();
        appearances(&changes, genesis::board)
    };
    let plan = genesis_plan(seen(&probe)[0].frame);
    let pairs = plan.route.steps.len();
    assert_eq!(plan.verify(&seen(&play(&plan.movie(), pairs + 1))), Ok(()), "Mednafen");
    report("Mednafen", &plan, started);
    for wrong in wrong_times(&plan).iter().filter(|wrong| ["next - 1", "next + 1"].contains(&wrong.part)) {
        // The second pair is lost or late, and so the third appears at another time, if at all.
        let seen = seen(&play(&plan.movie_with(&wrong.table, wrong.lead_in), 3));
        let difference = plan.verify(&seen).expect_err(wrong.part);
        assert!(difference.contains("pair 3 appears"), "{difference}");
        println!("Mednafen, {}: {difference}", wrong.part);
    }
    println!("Mednafen: {:.1} s in all", started.elapsed().as_secs_f64());
}
