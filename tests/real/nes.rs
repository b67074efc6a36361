//! Real NES emulators running our own cartridge: located, forecast, verified, every injected fault flagged.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::session::{
    Judge, Length, Outcome, STARTED, at_once, built_in, live, present, ram_of, sampler_of, table, wait,
    watch_faults,
};
use crate::emulators::{Kind, NesConfig, NesFault, nes_cells};
use nextscope::console::Snapshot;
use nextscope::live::{CheckId, Connection, Mismatch, Status, View};
use std::collections::BTreeSet;

/// Deals in quick succession. At full speed an emulator makes a frame in 0.2 ms: with less work in each, the
/// main loop is sampled more often at rest.
fn config(kind: Kind) -> NesConfig {
    let (work, frames_per_deal) = if kind.is_unthrottled() { (3, 6) } else { (12, 8) };
    NesConfig { work, frames_per_deal, ..NesConfig::default() }
}

/// Pieces to verify in total.
const WANTED: u64 = 10_000;

/// The checks that a run without faults must pass.
const CHECKS: [CheckId; 4] =
    [CheckId::GENERATOR_STEPS, CheckId::DEALT_PIECE, CheckId::CURRENT_PIECE, CheckId::STATISTICS];

/// Until this many pieces are verified, for at most this many seconds.
fn clean_run(kind: Kind, seconds: u64, pieces: u64) -> Outcome {
    let running = kind.start(&config(kind).rom());
    let sampler = sampler_of(&running, built_in());
    let mut lost = BTreeSet::new();
    let mut places = BTreeSet::new();
    let mut hear = |view: &View| {
        places.extend(view.target.as_ref().map(|target| format!("{}, by {}", target.ram, target.method)));
        if let Connection::Lost { why, .. } = &view.connection {
            lost.insert(why.clone());
        }
    };
    let first = wait(&sampler, STARTED, kind.name(), |view| {
        hear(view);
        live(view)
    });
    let length = Length::seconds(seconds);
    let mut forecast = false;
    let last = wait(&sampler, length.limit(), kind.name(), |view| {
        forecast |= view.data.as_ref().is_some_and(|data| {
            data.prediction
                .as_ref()
                .and_then(|it| it.get::<nextscope::games::tetris_nes::live::Prediction>())
                .is_some_and(|nes| nes.ahead.len() == 60)
        });
        hear(view);
        // Right after the beginning of a game a check has nothing to say yet.
        let is_judged = |id: &CheckId| {
            view.data.as_ref().is_some_and(|data| data.verdict.status(*id) != Status::NotVerified)
        };
        let is_over = length.is_over(view) || view.totals.pairs_verified >= pieces;
        live(view) && is_over && CHECKS.iter().all(is_judged)
    });
    assert!(last.mismatches.is_empty(), "{}: without a fault: {:#?}", kind.name(), last.mismatches);
    assert!(last.totals.pairs_verified > 0, "{}: {:?}", kind.name(), last.totals);
    assert_eq!(last.totals.attachments, 1, "{}: {lost:?} {places:?}", kind.name());
    assert!(forecast, "{}: the coming frames are forecast", kind.name());
    let verdict = &last.data.as_ref().unwrap().verdict;
    for id in CHECKS {
        assert_eq!(verdict.status(id), Status::Verified, "{}: {id:?}", kind.name());
    }
    Outcome::of(kind, &first, &last, 0)
}

#[test]
fn every_nes_emulator_is_located_and_every_piece_is_the_one_its_frame_picks() {
    // The state must be sampled in the frame of the pick, and the timers of Windows are good for 60 frames a second.
    let (seconds, quick) =
        if cfg!(windows) { (60, Vec::new()) } else { (12, present(&Kind::NES_UNTHROTTLED)) };
    let mut outcomes = at_once(&present(&Kind::NES), |kind| clean_run(kind, seconds, u64::MAX));
    let verified =
        |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.totals.pairs_verified).sum::<u64>();
    for (done, &kind) in quick.iter().enumerate() {
        // The fast emulators compensate for a slow one.
        let left = WANTED.saturating_sub(verified(&outcomes)).div_ceil((quick.len() - done) as u64);
        outcomes.push(clean_run(kind, 30, left));
    }
    table("NES Tetris: found and verified, no faults (pairs are pieces, rounds are games)", &outcomes);
    let pieces = verified(&outcomes);
    println!("{pieces} pieces were the only one that their frame picks");
    let required = if cfg!(windows) {
        150
    } else if quick.len() < 3 {
        250
    } else {
        WANTED
    };
    assert!(pieces >= required, "{pieces} pieces");
}

/// A fault in the form in which it must be flagged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Flag {
    game: u8,
    field: &'static str,
    index: u32,
}

impl Flag {
    /// Whether this flag is what a fault must cause. A wrong step with a deal between the same two samples,
    /// as after missed frames, belongs to either piece, and may resemble a second roll.
    fn tells(&self, fault: &Self) -> bool {
        let near = self.index.abs_diff(fault.index) <= 1;
        let step = fault.field == "rng_state" && ["rng_state", "next_piece"].contains(&self.field);
        self == fault || (self.game == fault.game && step && near)
    }
}

fn flagged(mismatch: &Mismatch, skew: u64) -> Flag {
    let field = ["next_piece", "rng_state", "spawn_count", "current_piece", "statistics"];
    Flag {
        game: ((mismatch.round + skew) & 0xFF) as u8,
        field: field.into_iter().find(|field| *field == mismatch.field).expect("a field of the model"),
        index: mismatch.index.unwrap(),
    }
}

fn number(snapshot: &Snapshot, at: nextscope::console::ConsoleAddr) -> u16 {
    snapshot.u16(at).expect("all RAM is read")
}

/// The faults after fault number `after`, up to the last complete record.
fn logged(snapshot: &Snapshot, after: u16) -> Vec<Flag> {
    let count = number(snapshot, nes_cells::FAULTS);
    assert!(count - after < NesFault::RECORDS, "the log is a ring of 32 records");
    let parse = |number: u16| {
        let at = nes_cells::LOG.offset(u32::from((number - 1) % NesFault::RECORDS) * 8);
        let fault = NesFault::parse(snapshot.bytes(at, 8).unwrap(), number).expect("the log is complete");
        Flag { game: fault.game, field: fault.field(), index: fault.index.into() }
    };
    (after + 1..=count).map(parse).collect()
}

fn faulty_run(kind: Kind, seconds: u64) -> Outcome {
    let frames_per_deal = if kind.is_unthrottled() { 28 } else { 12 };
    let config =
        NesConfig { faults: 7, deals_per_fault: 3, frames_per_deal, pieces_per_game: 900, ..config(kind) };
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, built_in());
    let ready = |view: &View| {
        live(view)
            && view.totals.rounds > 0
            && view.data.as_ref().is_some_and(|data| data.prediction.is_some())
    };
    let first = wait(&sampler, STARTED, kind.name(), ready);
    let skew = u64::from(number(ram_of(&first), nes_cells::GAME)) - first.totals.rounds;
    let mut read = number(ram_of(&first), nes_cells::FAULTS);
    let watched = watch_faults(&sampler, kind, seconds, |ram| {
        let after = std::mem::replace(&mut read, number(ram, nes_cells::FAULTS));
        logged(ram, after)
    });
    let flags: BTreeSet<Flag> =
        watched.last.mismatches.iter().map(|mismatch| flagged(mismatch, skew)).collect();
    let first_index = u32::from(number(ram_of(&first), nes_cells::DEALT)) + 1;
    let started = ((first.totals.rounds + skew) & 0xFF) as u8;
    // Faults in frames that were not sampled cannot be detected; they are counted.
    let judge = Judge { tells: Flag::tells, can_be_unseen: |_| true };
    let judged = watched.judge(kind, &flags, &judge, |flag| flag.game > started || flag.index > first_index);
    Outcome::of(kind, &first, &watched.last, judged)
}

#[test]
fn every_detectable_injected_fault_is_flagged_at_its_index_and_nothing_else_is() {
    let mut outcomes = at_once(&present(&Kind::NES), |kind| faulty_run(kind, 12));
    for kind in present(&Kind::NES_UNTHROTTLED) {
        outcomes.push(faulty_run(kind, 5));
    }
    table("NES Tetris: with injected faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} injected faults flagged at their index, none flagged without a fault");
    assert!(flagged >= 100 || outcomes.len() < 5, "{flagged} faults");
}
