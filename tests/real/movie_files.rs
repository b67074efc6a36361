//! Exported movies, played by the emulators that they are for, from power on: each pair appears in its frame, on the planned board.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::movies::{Cells, Changes, play_in_desmume};
use crate::emulators::session::present;
use crate::emulators::{Kind, NdsConfig, Pace};
use crate::movies::{Appearance, PlannedMovie, nds, profile, wrong_times};
use nextscope::puyo::Field;
use std::time::Instant;

/// Player 1 of the NDS cartridge (its README).
const NDS_CELLS: Cells = Cells { count: 0x0218_1004, board: 0x0218_1100, board_bytes: nds::BOARD_BYTES };

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

#[test]
fn desmume_plays_a_movie_from_power_on_to_the_planned_board() {
    if present(&[Kind::PyDesmume(Pace::Unthrottled)]).is_empty() {
        return;
    }
    let started = Instant::now();
    let rom = nds_rom();
    let play = |plan: &PlannedMovie, movie: &nextscope::route::export::Movie| {
        let dsm = movie.dsm(&profile("puyo-20th-nds")).unwrap();
        let changes = play_in_desmume(&rom, dsm.as_bytes(), NDS_CELLS);
        (plan.verify(&appearances(&changes, nds::board)), appearances(&changes, nds::board))
    };
    // A movie without input tells when the first pair can be moved.
    let idle = nds::planned(2, 120);
    let idle = PlannedMovie { route: nextscope::route::Route { steps: Vec::new(), ..idle.route }, ..idle };
    let (_, seen) = play(&idle, &idle.movie());
    let lead_in = seen.first().expect("a pair appears without input").frame;

    let plan = nds::planned(2, lead_in);
    let (verdict, _) = play(&plan, &plan.movie());
    assert_eq!(verdict, Ok(()));
    report("py-desmume", &plan, started);
    let mut absorbed = Vec::new();
    for wrong in wrong_times(&plan) {
        let (verdict, seen) = play(&plan, &plan.movie_with(&wrong.table, wrong.lead_in));
        verdict.expect_err(wrong.part);
        if plan.reaches_every_board(&seen) {
            absorbed.push(wrong.part);
        }
    }
    // The game waits for a movie that is late: the boards are right, at a later frame.
    assert!(absorbed.iter().all(|part| part.ends_with("+ 1")), "{absorbed:?}");
    println!("py-desmume in all: {:.1} s", started.elapsed().as_secs_f64());
}
