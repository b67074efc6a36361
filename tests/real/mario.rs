//! Real NES emulators running our Dr. Mario cartridge: located, every round and capsule predicted and verified, every injected
//! fault flagged at its index.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::session::{
    Judge, Outcome, STARTED, at_once, built_in, live, present, ram_of, sampler_of, table, wait,
    watch_faults_until,
};
use crate::emulators::{Kind, MarioConfig, MarioFault, MarioFaultKind, MarioGame, mario_cells};
use nextscope::console::{ConsoleAddr, Snapshot};
use nextscope::games::dr_mario::live::{AHEAD, Mode, Observation, Prediction};
use nextscope::games::dr_mario::{Reserve, State};
use nextscope::live::{CheckId, Connection, Mismatch, Status, View};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Capsules to verify in total.
const WANTED: u64 = 5_000;

fn in_play(view: &View) -> bool {
    let observation = |view: &View| view.data.as_ref()?.observation.as_ref().ok()?.get().cloned();
    observation(view).is_some_and(|observation: Observation| observation.mode == Mode::Play)
}

fn prediction(view: &View) -> Option<&Prediction> {
    view.data.as_ref()?.prediction.as_ref()?.get()
}

/// Until this many capsules are verified, for at most this many seconds.
fn clean_run(kind: Kind, seconds: u64, capsules: u64) -> Outcome {
    // The viruses are compared before the first throw. At full speed rounds are long enough to repeat the reserve.
    let (throw_frames, capsules_per_level) = if kind.is_unthrottled() { (40, 140) } else { (6, 12) };
    let config = MarioConfig { throw_frames, capsules_per_level, ..MarioConfig::default() };
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, built_in());
    let name = kind.name();
    let mut lost = BTreeSet::new();
    let (mut bottles, mut starts_ahead, mut rounds_ahead) = (BTreeSet::new(), false, false);
    let mut note = |view: &View| {
        if let Connection::Lost { why, .. } = &view.connection {
            lost.insert(why.clone());
        }
        let Some(data) = view.data.as_ref() else { return };
        if data.verdict.status(CheckId::VIRUSES) == Status::Verified {
            bottles.insert(view.totals.rounds);
        }
        if let Some(prediction) = prediction(view) {
            let ahead = prediction.following.len();
            starts_ahead |= prediction.round.is_none() && ahead == usize::from(AHEAD);
            rounds_ahead |= prediction.round.is_some() && ahead > 0;
        }
    };
    let first = wait(&sampler, STARTED, name, |view| {
        note(view);
        live(view)
    });
    let end = Instant::now() + Duration::from_secs(seconds);
    let last = wait(&sampler, Duration::from_secs(seconds + 30), name, |view| {
        note(view);
        let verified =
            [CheckId::GENERATION, CheckId::QUEUE_P1, CheckId::FALLING_CAPSULE, CheckId::OPTION_STEPS];
        live(view)
            && in_play(view)
            && verified.iter().all(|id| view.data.as_ref().unwrap().verdict.status(*id) == Status::Verified)
            && (Instant::now() > end || view.totals.pairs_verified >= capsules)
    });
    let totals = last.totals;
    assert!(last.mismatches.is_empty(), "{name}: without a fault: {:#?}", last.mismatches);
    assert!(totals.pairs_verified > 0 && !bottles.is_empty(), "{name}: {totals:?}");
    assert_eq!(totals.attachments, 1, "{name}: {lost:?}");
    assert_eq!(totals.rounds_verified, totals.rounds, "{name}: {totals:?}");
    assert!(rounds_ahead, "{name}: the next rounds are predicted in play");
    if !kind.is_unthrottled() {
        assert!(totals.rounds_predicted + 1 >= totals.rounds, "{name}: {totals:?}");
        assert!(bottles.len() as u64 + 1 >= totals.rounds, "{name}: viruses of {bottles:?}, {totals:?}");
        assert!(starts_ahead, "{name}: the options screen predicts the coming frames");
    }
    println!("{name}: viruses of {} rounds compared", bottles.len());
    Outcome::of(kind, &first, &last, 0)
}

#[test]
fn every_capsule_and_every_virus_is_predicted_before_it_is_drawn() {
    let mut outcomes = at_once(&present(&Kind::NES), |kind| clean_run(kind, 14, u64::MAX));
    let quick = present(&Kind::NES_UNTHROTTLED);
    let verified =
        |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.totals.pairs_verified).sum::<u64>();
    for (done, &kind) in quick.iter().enumerate() {
        // The fast emulators compensate for a slow one.
        let left = WANTED.saturating_sub(verified(&outcomes)).div_ceil((quick.len() - done) as u64);
        outcomes.push(clean_run(kind, 40, left));
    }
    table("Dr. Mario: found and verified, no faults (pairs are capsules, rounds are levels)", &outcomes);
    let capsules = verified(&outcomes);
    println!("{capsules} capsules were predicted before they were drawn, none was wrong");
    let required = if quick.len() < 3 { 100 } else { WANTED };
    assert!(capsules >= required, "{capsules} capsules");
}

/// A fault in the form in which it must be flagged, and a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Flag {
    /// Level or round since power-on, modulo 256.
    level: u8,
    check: CheckId,
    player: u8,
    /// For the generator, the upper half of its state.
    index: u8,
}

impl Flag {
    fn of(mismatch: &Mismatch, skew: u64) -> Self {
        let player = u8::from(mismatch.field.starts_with("p2"));
        let index = mismatch.index.map_or_else(
            || {
                let digits = mismatch.actual.trim_start_matches("0x");
                let state = u16::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("{mismatch:#?}"));
                state.to_be_bytes()[0]
            },
            |index| u8::try_from(index).unwrap(),
        );
        Self { level: ((mismatch.round + skew) & 0xFF) as u8, check: mismatch.check, player, index }
    }

    const fn queue(player: u8) -> CheckId {
        if player == 0 { CheckId::QUEUE_P1 } else { CheckId::QUEUE_P2 }
    }

    fn expected(fault: &MarioFault) -> Self {
        let (check, player, index) = match fault.kind {
            MarioFaultKind::WrongCapsule | MarioFaultKind::IndexNotCounted => {
                (Self::queue(fault.player), fault.player, fault.index)
            }
            MarioFaultKind::WrongReserveEntry => (CheckId::GENERATION, 0, fault.index),
            MarioFaultKind::WrongVirus => (CheckId::VIRUSES, fault.player, fault.index),
            MarioFaultKind::WrongStep => (CheckId::OPTION_STEPS, 0, fault.wrong),
            MarioFaultKind::WrongFallingCapsule => (CheckId::FALLING_CAPSULE, fault.player, fault.index),
            MarioFaultKind::StepInReserve => (CheckId::GENERATION, 0, Self::first_after_extra_step(fault)),
            MarioFaultKind::FrozenCounter => panic!("{fault:?}"),
        };
        Self { level: fault.level, check, player, index }
    }

    /// The first capsule, in the order in which they are made, that differs because of the step. A step before all of them is another
    /// start, of which the state tells.
    fn first_after_extra_step(fault: &MarioFault) -> u8 {
        let state = State(u16::from_be_bytes([fault.right, fault.wrong]));
        let place = usize::from(fault.index);
        let (right, actual) = (Reserve::new(state).0, Reserve::with_extra_step(state, place).0);
        let first = (0..=place).rev().find(|place| right.0[*place] != actual.0[*place]);
        first.filter(|_| place < 127).map_or(state.step().high(), |place| u8::try_from(place).unwrap())
    }

    /// What a fault also leads to: a wrong capsule falls later, a wrong entry of the reserve is dealt to both players, and the
    /// next round starts in the wrong state.
    fn consequences(fault: &MarioFault) -> Vec<Self> {
        let falls =
            |player, index| Self { level: fault.level, check: CheckId::FALLING_CAPSULE, player, index };
        let capsule = fault.index.wrapping_sub(1) & 0x7F;
        match fault.kind {
            MarioFaultKind::WrongCapsule => vec![falls(fault.player, fault.index)],
            MarioFaultKind::IndexNotCounted => {
                vec![falls(fault.player, fault.index), falls(fault.player, capsule)]
            }
            MarioFaultKind::WrongReserveEntry => {
                let dealt = |player| Self { check: Self::queue(player), ..falls(player, capsule) };
                vec![dealt(0), dealt(1), falls(0, capsule), falls(1, capsule)]
            }
            MarioFaultKind::WrongStep => {
                let level = fault.level.wrapping_add(1);
                vec![Self { level, check: CheckId::GENERATION, ..Self::expected(fault) }]
            }
            _ => Vec::new(),
        }
    }
}

fn number(snapshot: &Snapshot, at: ConsoleAddr) -> u16 {
    snapshot.u16(at).expect("all RAM is read")
}

/// The faults after fault number `after`, up to the last complete record.
fn logged(snapshot: &Snapshot, after: u16) -> Vec<MarioFault> {
    let count = number(snapshot, mario_cells::FAULTS);
    assert!(count - after < MarioFault::RECORDS, "the log is a ring of 32 records");
    let parse = |number: u16| {
        let at = mario_cells::LOG.offset(u32::from((number - 1) % MarioFault::RECORDS) * 8);
        MarioFault::parse(snapshot.bytes(at, 8).unwrap(), number).expect("the log is complete")
    };
    (after + 1..=count).map(parse).collect()
}

/// Without a demo, so that every level is a round. The options screen is long enough to be sampled at full speed.
const SCRIPT: &[MarioGame] = &[
    MarioGame::two(93, [5, 5], 2),
    MarioGame::single(70, 2, 3),
    MarioGame::two(77, [3, 12], 2),
    MarioGame::single(81, 19, 2),
];

fn faulty_run(kind: Kind, seconds: u64) -> Outcome {
    // At full speed a capsule must fall for some samples.
    let fall_frames = if kind.is_unthrottled() { 200 } else { 12 };
    let config = MarioConfig {
        faults: &[
            MarioFaultKind::WrongCapsule,
            MarioFaultKind::WrongReserveEntry,
            MarioFaultKind::WrongVirus,
            MarioFaultKind::WrongStep,
            MarioFaultKind::IndexNotCounted,
            MarioFaultKind::WrongFallingCapsule,
            MarioFaultKind::StepInReserve,
        ],
        fall_frames,
        throw_frames: fall_frames / 2,
        capsules_per_level: 12,
        deals_per_fault: 3,
        levels_per_fault: 1,
        script: SCRIPT,
        ..MarioConfig::default()
    };
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, built_in());
    let name = kind.name();
    let ready = |view: &View| {
        let known = || prediction(view).is_some_and(|prediction| prediction.round.is_some());
        live(view) && in_play(view) && known()
    };
    let first = wait(&sampler, STARTED, name, ready);
    let started = number(ram_of(&first), mario_cells::LEVELS);
    let skew = u64::from(started) - first.totals.rounds;
    let mut read = number(ram_of(&first), mario_cells::FAULTS);
    let faults = RefCell::new(Vec::new());
    let kinds = || faults.borrow().iter().map(|fault: &MarioFault| fault.kind).collect::<BTreeSet<_>>();
    let every_kind = || kinds().len() == config.faults.len();
    let watched = watch_faults_until(&sampler, kind, seconds, every_kind, |ram| {
        let after = std::mem::replace(&mut read, number(ram, mario_cells::FAULTS));
        let news = logged(ram, after);
        faults.borrow_mut().extend_from_slice(&news);
        news.iter().map(Flag::expected).collect()
    });
    let kinds = kinds();
    assert_eq!(kinds.len(), config.faults.len(), "{name}: faults of every kind: {kinds:?}");
    let faults = faults.into_inner();
    let consequences: BTreeSet<Flag> = faults.iter().flat_map(Flag::consequences).collect();
    let expected: BTreeSet<Flag> = faults.iter().map(Flag::expected).collect();
    let flags = watched.last.mismatches.iter().map(|mismatch| Flag::of(mismatch, skew));
    let flags: BTreeSet<Flag> =
        flags.filter(|flag| expected.contains(flag) || !consequences.contains(flag)).collect();
    // Faults in frames that were not sampled cannot be detected; they are counted.
    let judge = Judge { tells: Flag::eq, can_be_unseen: |_| true };
    let judged = watched.judge(kind, &flags, &judge, |flag| u16::from(flag.level) > started);
    Outcome::of(kind, &first, &watched.last, judged)
}

#[test]
fn every_injected_fault_in_capsules_viruses_and_steps_is_flagged_at_its_index() {
    let mut outcomes = at_once(&present(&Kind::NES), |kind| faulty_run(kind, 20));
    for kind in present(&Kind::NES_UNTHROTTLED) {
        outcomes.push(faulty_run(kind, 10));
    }
    table("Dr. Mario: with injected faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} injected faults flagged at their index, none flagged without a fault");
    assert!(flagged >= 100 || outcomes.len() < 5, "{flagged} faults");
}

/// Deals go on while the frame counter stays: they are not verified, and nothing is wrong.
#[test]
fn a_counter_that_stops_for_a_second_is_no_mismatch() {
    let kinds = present(&[Kind::MednafenNes]);
    for kind in kinds {
        let config = MarioConfig {
            faults: &[MarioFaultKind::FrozenCounter],
            deals_per_fault: 12,
            fall_frames: 10,
            script: SCRIPT,
            ..MarioConfig::default()
        };
        let running = kind.start(&config.rom());
        let sampler = sampler_of(&running, built_in());
        let last = wait(&sampler, Duration::from_secs(60), kind.name(), |view| {
            live(view) && number(ram_of(view), mario_cells::FAULTS) >= 4 && view.totals.pairs_verified >= 20
        });
        assert!(last.mismatches.is_empty(), "{:#?}", last.mismatches);
    }
}
