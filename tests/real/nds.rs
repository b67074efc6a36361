//! Real Nintendo DS emulators running our own cartridge: located, predicted, verified, every injected fault
//! flagged; also while the game's block moves and the pointer to it is invalid.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::session::{
    Judge, Outcome, STARTED, at_once, live, present, ram_of, run_for, table, wait, watch_faults,
};
use crate::emulators::{Kind, NdsConfig, NdsFault, NdsFaultKind, Pace, Running, SeedRule, cells};
use nextscope::console::{ConsoleAddr, Snapshot};
use nextscope::live::{CheckId, Mismatch, Sampler, SamplerCommand, Status, View};
use nextscope::profile::{Profile, built_in_files, parse};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// At full speed, one after another; the others at 60 frames per second, all at once.
const QUICK: [Kind; 2] = [Kind::DesmumeCli(Pace::Unthrottled), Kind::RetroArchMelonDs(Pace::Unthrottled)];

/// The built-in profile, and with `queues` the cartridge's own queues as well: the game's are not known.
fn profile(queues: bool) -> Arc<Profile> {
    let (path, text) = built_in_files().iter().find(|(path, _)| path.contains("puyo-20th")).unwrap();
    let more = if queues { include_str!("../cartridges/nds-20th/queues.toml") } else { "" };
    let (profile, diagnostics) = parse(&format!("{text}{more}"), path);
    assert_eq!(diagnostics, []);
    Arc::new(profile.unwrap())
}

fn sampler_of(running: &Running, queues: bool) -> Sampler {
    let sampler = crate::emulators::session::sampler_of(running, vec![profile(queues)]);
    // The cartridge's own cells: counters and the log of its faults.
    sampler.send(SamplerCommand::ReadRam(Some(0x18_0000..0x18_4000)));
    sampler
}

/// Deals that a sampler can follow: some milliseconds each.
fn frames_per_deal(kind: Kind) -> [u16; 2] {
    if kind.is_unthrottled() { [12, 18] } else { [4, 6] }
}

fn clean_run(kind: Kind, seconds: u64) -> Outcome {
    let config = NdsConfig { frames_per_deal: frames_per_deal(kind), ..NdsConfig::default() };
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, true);
    let (first, last) = run_for(&sampler, kind, seconds);
    assert!(last.mismatches.is_empty(), "{}: without a fault: {:#?}", kind.name(), last.mismatches);
    assert!(last.totals.rounds_verified > 0, "{}: {:?}", kind.name(), last.totals);
    assert_eq!(last.totals.attachments, 1, "{}", kind.name());
    let round_seed = last.data.as_ref().unwrap().verdict.status(CheckId::ROUND_SEED);
    assert_ne!(round_seed, Status::Mismatch, "{}", kind.name());
    Outcome::of(kind, &first, &last, 0)
}

/// Pairs that are forecast and drawn, with an emulator at full speed.
const WANTED: u64 = 10_000;

#[test]
fn every_ds_emulator_is_located_and_every_pair_is_forecast_before_it_is_drawn() {
    let mut outcomes = at_once(&present(&Kind::NDS), |kind| clean_run(kind, 25));
    let quick = present(&QUICK);
    let verified =
        |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.totals.pairs_verified).sum::<u64>();
    for &kind in &quick {
        outcomes.push(clean_run(kind, 20));
    }
    // A slow machine needs longer for the same number.
    for &kind in quick.iter().cycle().take(6) {
        if verified(&outcomes) < WANTED {
            outcomes.push(clean_run(kind, 20));
        }
    }
    table("Puyo 20th on DS emulators: forecast and verified, no faults", &outcomes);
    let pairs = verified(&outcomes);
    let foreseen: u64 = outcomes.iter().map(|outcome| outcome.totals.rounds_predicted).sum();
    println!(
        "{pairs} pairs were forecast before they were drawn, none wrong; the pools of {foreseen} rounds were forecast \
         before they were made"
    );
    let required = if quick.is_empty() { 300 } else { WANTED };
    assert!(pairs >= required, "{pairs} pairs");
}

/// A fault in the form in which it must be flagged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Flag {
    round: u32,
    field: String,
    index: Option<u32>,
}

impl Flag {
    fn of(fault: &NdsFault) -> Self {
        let index = Some(u32::from(fault.index));
        let (field, index) = match fault.kind {
            NdsFaultKind::Pool { colors } => (format!("pool_{colors}"), index),
            NdsFaultKind::DealtPair { player, .. } => (format!("p{}_queue", player + 1), index),
            NdsFaultKind::ColorMap { other } => {
                ("color_map".into(), Some(u32::from(fault.index).min(u32::from(other))))
            }
            NdsFaultKind::State => ("rng_state".into(), None),
        };
        Self { round: fault.round, field, index }
    }

    fn flagged(mismatch: &Mismatch, skew: u32) -> Self {
        let round = u32::try_from(mismatch.round).unwrap() + skew;
        Self { round, field: mismatch.field.clone(), index: mismatch.index }
    }
}

fn number(snapshot: &Snapshot, at: ConsoleAddr) -> u32 {
    snapshot.u32(at).expect("the cartridge's cells are read")
}

fn logged(snapshot: &Snapshot, after: u32) -> Vec<Flag> {
    let count = number(snapshot, cells::FAULTS);
    assert!(count - after < NdsFault::RECORDS, "the log is a ring of 256 records");
    (after + 1..=count)
        .map(|number| {
            let record = snapshot.bytes(NdsFault::record(number), NdsFault::RECORD_LEN as usize).unwrap();
            Flag::of(&NdsFault::parse(record, number).expect("the log is complete"))
        })
        .collect()
}

fn faulty_run(kind: Kind, faults: u16, seconds: u64) -> Outcome {
    let config = NdsConfig {
        faults,
        event_rate: 0,
        frames_per_deal: frames_per_deal(kind),
        pairs_per_round: 60,
        ..NdsConfig::default()
    };
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, true);
    // The cartridge's cells are not in the snapshot until the command to read them is handled.
    let ready = |view: &View| live(view) && view.totals.rounds > 0 && ram_of(view).u32(cells::ROUND).is_ok();
    let first = wait(&sampler, STARTED, kind.name(), ready);
    let skew = number(ram_of(&first), cells::ROUND) - u32::try_from(first.totals.rounds).unwrap();
    let mut read = number(ram_of(&first), cells::FAULTS);
    let watched = watch_faults(&sampler, kind, seconds, |ram| {
        let after = std::mem::replace(&mut read, number(ram, cells::FAULTS));
        logged(ram, after)
    });
    let flagged: BTreeSet<Flag> = watched.last.mismatches.iter().map(|m| Flag::flagged(m, skew)).collect();
    let judge = Judge {
        tells: |flag: &Flag, fault| flag == fault,
        can_be_unseen: |fault| fault.field.ends_with("_queue"),
    };
    let first_round = skew + u32::try_from(first.totals.rounds).unwrap();
    let judged = watched.judge(kind, &flagged, &judge, |flag| flag.round > first_round);
    assert!(judged > 3, "{}: {judged} faults", kind.name());
    Outcome::of(kind, &first, &watched.last, judged)
}

const POOL: u16 = 1;
const DEALT: u16 = 2;
const MAP: u16 = 4;
const STATE: u16 = 8;

#[test]
fn every_injected_fault_is_flagged_at_its_index_and_nothing_else_is() {
    // Only one of pool, map and state at a time: of several in one round the first is reported.
    let faults = |kind| match kind {
        Kind::RetroArchDesmume(_) => MAP | DEALT,
        Kind::RetroArchMelonDs(Pace::Console) => STATE | DEALT,
        _ => POOL | DEALT,
    };
    let mut outcomes = at_once(&present(&Kind::NDS), |kind| faulty_run(kind, faults(kind), 25));
    for kind in present(&QUICK) {
        outcomes.push(faulty_run(kind, faults(kind), 8));
    }
    table("Puyo 20th on DS emulators: with injected faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} injected faults, every one flagged at its index");
    assert!(flagged >= 100 || outcomes.len() < 6, "{flagged} faults");
}

#[test]
fn a_moving_block_an_invalid_pointer_and_another_shuffle_are_no_mismatch() {
    let run = |kind: Kind| {
        let config = NdsConfig {
            frames_per_deal: [2, 3],
            pairs_per_round: 30,
            rounds_per_move: 2,
            rounds_per_nowhere: 3,
            rounds_per_other_shuffle: 4,
            seed_rule: SeedRule::NextUpper,
            ..NdsConfig::default()
        };
        let running = kind.start(&config.rom());
        let sampler = sampler_of(&running, true);
        wait(&sampler, STARTED, kind.name(), live);
        let end = Instant::now() + Duration::from_secs(25);
        let (mut bases, mut invalid, mut other, mut reading) = (BTreeSet::new(), 0, 0, 0);
        let last = wait(&sampler, Duration::from_secs(60), kind.name(), |view| {
            if let Some(data) = view.data.as_ref().filter(|_| live(view)) {
                let checks = &data.verdict.checks;
                let says = |text: &str| checks.iter().any(|check| check.detail.contains(text));
                invalid += u32::from(says("which is outside"));
                other += u32::from(says("not modelled: these pools come from an unpublished shuffle"));
                reading += u32::from(data.verdict.status(CheckId::ROUND_SEED) == Status::Mismatch);
                bases.insert(number(&data.snapshot, ConsoleAddr(0x0211_A6DC)));
            }
            Instant::now() > end && live(view)
        });
        assert!(last.mismatches.is_empty(), "{}: {:#?}", kind.name(), last.mismatches);
        assert!(last.totals.rounds_verified >= 4, "{}: {:?}", kind.name(), last.totals);
        assert!(bases.len() >= 3, "{}: the block was at {bases:X?}", kind.name());
        assert!(
            invalid > 0 && other > 0,
            "{}: pointer invalid {invalid}, other shuffle {other}",
            kind.name()
        );
        assert!(
            reading > 0,
            "{}: the profile's interpretation of the seed does not match this cartridge",
            kind.name()
        );
        Outcome::of(kind, &last, &last, 0)
    };
    let outcomes = at_once(&present(&Kind::NDS), run);
    table("Puyo 20th on DS emulators: moving block, stray pointer, other shuffle", &outcomes);
}

#[test]
fn the_built_in_profile_alone_shows_and_checks_the_pools() {
    let kinds = present(&[Kind::DesmumeCli(Pace::Console)]);
    for kind in kinds {
        let running = kind.start(&NdsConfig::default().rom());
        let sampler = sampler_of(&running, false);
        let settled = |view: &View| {
            live(view)
                && view.data.as_ref().is_some_and(|data| {
                    data.verdict.status(CheckId::GENERATION) == Status::Verified
                        && data.verdict.status(CheckId::QUEUE_P1) == Status::Nothing
                        && data.prediction.is_some()
                })
        };
        let view = wait(&sampler, STARTED, kind.name(), settled);
        assert_eq!(view.totals.mismatches, 0);
    }
}
