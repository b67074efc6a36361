//! Real emulators running our own cartridge: located, predicted, verified, and every injected fault flagged.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::session::{
    Judge, Outcome, STARTED, at_once, built_in, live, present, ram_of, run_for, sampler_of, table, wait,
    watch_faults,
};
use crate::emulators::{Config, Kind};
use nextscope::console::{ConsoleAddr, Snapshot};
use nextscope::live::{CheckId, Mismatch, Status};
use std::collections::BTreeSet;

/// Emulators that run at 60 frames per second, together an acceptable load for two cores.
const PACED: [Kind; 6] = [
    Kind::Embedded,
    Kind::BlastEmWindow,
    Kind::Mednafen,
    Kind::Mame,
    Kind::RetroArchGpgx,
    Kind::RetroArchPicoDrive,
];

/// Those that run at full speed.
const UNTHROTTLED: [Kind; 2] = [Kind::BlastEmUnthrottled, Kind::Renamed];

fn clean_run(kind: Kind, seconds: u64) -> Outcome {
    let running = kind.start(&Config::default().rom());
    let sampler = sampler_of(&running, built_in());
    let (first, last) = run_for(&sampler, kind, seconds);
    assert!(
        last.mismatches.is_empty(),
        "{}: a mismatch without a fault: {:#?}",
        kind.name(),
        last.mismatches
    );
    assert!(last.totals.rounds_verified > 0, "{}: {:?}", kind.name(), last.totals);
    assert_eq!(last.totals.attachments, 1, "{}", kind.name());
    let verdict = &last.data.as_ref().unwrap().verdict;
    for id in [CheckId::COLOR_SET, CheckId::QUEUE_P1, CheckId::QUEUE_P2] {
        assert_ne!(verdict.status(id), Status::Mismatch, "{}", kind.name());
    }
    Outcome::of(kind, &first, &last, 0)
}

/// Pairs that are forecast and drawn, with an emulator at full speed.
const WANTED: u64 = 10_000;

#[test]
fn every_emulator_is_located_and_every_pair_is_forecast_before_it_is_drawn() {
    let mut outcomes = at_once(&present(&PACED), |kind| clean_run(kind, 30));
    let quick = present(&UNTHROTTLED);
    let verified =
        |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.totals.pairs_verified).sum::<u64>();
    for &kind in &quick {
        outcomes.push(clean_run(kind, 10));
    }
    // A slow machine needs longer for the same number.
    for &kind in quick.iter().cycle().take(6) {
        if verified(&outcomes) < WANTED {
            outcomes.push(clean_run(kind, 10));
        }
    }
    table("Forecast and verified, no faults", &outcomes);
    let pairs = verified(&outcomes);
    println!("{pairs} pairs were forecast before they were drawn, none wrong");
    let required = if quick.is_empty() { 500 } else { WANTED };
    assert!(pairs >= required, "{pairs} pairs");
}

/// One record of the cartridge's own log of its faults (see its README).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Fault {
    round: u32,
    field: String,
    index: u32,
}

const LOG_COUNT: ConsoleAddr = ConsoleAddr(0xFF_1010);
const ROUND: ConsoleAddr = ConsoleAddr(0xFF_1014);
const LOG: ConsoleAddr = ConsoleAddr(0xFF_2000);

fn faults(snapshot: &Snapshot, after: u32) -> Vec<Fault> {
    let count = snapshot.u32(LOG_COUNT).unwrap();
    assert!(count - after <= 255, "the log is a ring of 256 records");
    (after + 1..=count)
        .map(|number| {
            let record = LOG.offset((number - 1) % 256 * 16);
            assert_eq!(snapshot.u32(record).unwrap(), number, "the log is complete");
            let kind = snapshot.u8(record.offset(4)).unwrap();
            let which = usize::from(snapshot.u8(record.offset(5)).unwrap());
            let field = match kind {
                1 => ["pool_3", "pool_4", "pool_5"][which],
                2 => ["p1_queue", "p2_queue"][which],
                _ => panic!("fault kind {kind}"),
            };
            Fault {
                round: snapshot.u32(record.offset(12)).unwrap(),
                field: field.into(),
                index: snapshot.u16(record.offset(6)).unwrap().into(),
            }
        })
        .collect()
}

fn faulty_run(kind: Kind, seconds: u64) -> Outcome {
    // Without events the state before a round is always sampled. With them it is sometimes missed, and then
    // the byte of a wrong count is known only after all states were tried, which takes longer than these
    // rounds last.
    let frames_per_deal = if UNTHROTTLED.contains(&kind) { [12, 18] } else { [4, 6] };
    let config = Config { faults: 3, event_rate: Some(0), frames_per_deal, ..Config::default() };
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, built_in());
    // Rounds are distinguished by their number, which the cartridge counts from its start and we from
    // attaching.
    let first = wait(&sampler, STARTED, kind.name(), |view| live(view) && view.totals.rounds > 0);
    let skew = ram_of(&first).u32(ROUND).unwrap() - u32::try_from(first.totals.rounds).unwrap();
    let mut read = ram_of(&first).u32(LOG_COUNT).unwrap();
    let watched = watch_faults(&sampler, kind, seconds, |ram| {
        let after = std::mem::replace(&mut read, ram.u32(LOG_COUNT).unwrap());
        faults(ram, after)
    });
    let as_fault = |mismatch: &Mismatch| Fault {
        round: u32::try_from(mismatch.round).unwrap() + skew,
        field: mismatch.field.clone(),
        index: mismatch.index.unwrap_or(u32::MAX),
    };
    let flagged: BTreeSet<Fault> = watched.last.mismatches.iter().map(as_fault).collect();
    let judge = Judge {
        tells: |flag: &Fault, fault| flag == fault,
        // At 1,500 frames a second a pause of the machine lets pairs be drawn and dealt between two samples.
        can_be_unseen: |fault| fault.field.ends_with("_queue"),
    };
    let first_round = skew + u32::try_from(first.totals.rounds).unwrap();
    let judged = watched.judge(kind, &flagged, &judge, |flag| flag.round > first_round);
    assert!(judged > 5, "{}: {judged} faults", kind.name());
    Outcome::of(kind, &first, &watched.last, judged)
}

#[test]
fn every_injected_fault_is_flagged_at_its_index_and_nothing_else_is() {
    let mut outcomes = at_once(&present(&PACED), |kind| faulty_run(kind, 20));
    for kind in present(&UNTHROTTLED) {
        outcomes.push(faulty_run(kind, 5));
    }
    table("With injected faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} injected faults, every one flagged at its index");
    assert!(flagged >= 100);
}
