//! Real emulators running our own cartridge that deals as Mean Bean Machine and Puyo Puyo do: located, predicted, verified,
//! every injected fault flagged.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::session::{
    Judge, Outcome, at_once, built_in, live, present, ram_of, run_for, sampler_of, table, wait, watch_faults,
};
use crate::emulators::{BeanConfig, BeanFault, BeanFaultKind, Kind, PUYO_ROM, bean_cells, bean_faults};
use nextscope::live::Mismatch;
use std::collections::BTreeSet;
use std::time::Duration;

/// Emulators that run at 60 frames per second, together an acceptable load for two cores.
const PACED: [Kind; 5] =
    [Kind::Embedded, Kind::Mednafen, Kind::Mame, Kind::RetroArchGpgx, Kind::RetroArchPicoDrive];

/// Those that run at full speed.
const UNTHROTTLED: [Kind; 1] = [Kind::BlastEmUnthrottled];

/// Pairs that are predicted and drawn, with an emulator at full speed.
const REQUIRED: u64 = 5_000;

fn clean_run(kind: Kind, config: BeanConfig, seconds: u64) -> Outcome {
    let running = kind.start(&config.rom());
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
    // The run must have had what is easily mistaken for a fault.
    let rewrites = ram_of(&last).u32(bean_cells::REWRITES).unwrap();
    println!("{}: opponents set their own pairs {rewrites} times", kind.name());
    Outcome::of(kind, &first, &last, 0)
}

#[test]
fn every_pair_of_the_bean_cartridge_is_predicted_before_it_is_drawn() {
    let mut outcomes = at_once(&present(&PACED), |kind| clean_run(kind, BeanConfig::default(), 30));
    let quick = present(&UNTHROTTLED);
    let verified =
        |outcomes: &[Outcome]| outcomes.iter().map(|outcome| outcome.totals.pairs_verified).sum::<u64>();
    for &kind in &quick {
        outcomes.push(clean_run(kind, BeanConfig { rom: PUYO_ROM, ..BeanConfig::default() }, 10));
    }
    // A slow machine needs longer for the same number.
    for &kind in quick.iter().cycle().take(6) {
        if verified(&outcomes) < REQUIRED {
            outcomes.push(clean_run(kind, BeanConfig::default(), 10));
        }
    }
    table("Bean cartridge: predicted and verified, no faults", &outcomes);
    let pairs = verified(&outcomes);
    println!("{pairs} pairs were predicted before they were drawn, none wrong");
    let required = if quick.is_empty() { 500 } else { REQUIRED };
    assert!(pairs >= required, "{pairs} pairs");
}

/// A fault in the form in which it must be flagged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Flag {
    round: u32,
    field: String,
    index: u32,
    /// Two pairs were exchanged: this one and the next are wrong.
    exchanged: bool,
}

impl Flag {
    fn of(fault: BeanFault) -> Self {
        let player = fault.side + 1;
        let exchanged = fault.kind == BeanFaultKind::Order;
        let field = match fault.kind {
            BeanFaultKind::Pool => format!("p{player}_pool"),
            BeanFaultKind::Pair | BeanFaultKind::Order => format!("p{player}_queue"),
            kind => panic!("{kind:?} faults are not switched on"),
        };
        Self { round: fault.round, field, index: fault.index.into(), exchanged }
    }

    /// Whether this flag is what a fault must cause.
    fn tells(&self, fault: &Self) -> bool {
        let near = self.index == fault.index || (fault.exchanged && self.index == fault.index + 1);
        self.round == fault.round && self.field == fault.field && near
    }
}

fn faulty_run(kind: Kind, seconds: u64) -> Outcome {
    let frames_per_deal = if kind.is_unthrottled() { [12, 18] } else { [4, 6] };
    let faults = bean_faults::POOL | bean_faults::PAIR | bean_faults::ORDER;
    let running = kind.start(&BeanConfig { faults, frames_per_deal, ..BeanConfig::default() }.rom());
    let sampler = sampler_of(&running, built_in());
    // The cartridge counts rounds from its start, the session from attaching.
    let first =
        wait(&sampler, Duration::from_secs(20), kind.name(), |view| live(view) && view.totals.rounds > 0);
    let skew = ram_of(&first).u32(bean_cells::ROUND).unwrap() - u32::try_from(first.totals.rounds).unwrap();
    let mut read = ram_of(&first).u32(bean_cells::FAULTS).unwrap();
    let watched = watch_faults(&sampler, kind, seconds, |ram| {
        let after = std::mem::replace(&mut read, ram.u32(bean_cells::FAULTS).unwrap());
        BeanFault::logged(ram, after).into_iter().map(Flag::of).collect()
    });
    let as_flag = |mismatch: &Mismatch| Flag {
        round: u32::try_from(mismatch.round).unwrap() + skew,
        field: mismatch.field.clone(),
        index: mismatch.index.unwrap_or(u32::MAX),
        exchanged: false,
    };
    let flags: BTreeSet<Flag> = watched.last.mismatches.iter().map(as_flag).collect();
    let judge = Judge {
        tells: Flag::tells,
        // At 1,500 frames a second a pause of the machine lets pairs be drawn and dealt between two samples.
        can_be_unseen: |fault| fault.field.ends_with("_queue"),
    };
    let first_round = skew + u32::try_from(first.totals.rounds).unwrap();
    let judged = watched.judge(kind, &flags, &judge, |flag| flag.round > first_round);
    assert!(judged > 5, "{}: {judged} faults", kind.name());
    Outcome::of(kind, &first, &watched.last, judged)
}

#[test]
fn every_injected_fault_of_the_bean_cartridge_is_flagged_at_its_index() {
    let mut outcomes = at_once(&present(&PACED), |kind| faulty_run(kind, 20));
    for kind in present(&UNTHROTTLED) {
        outcomes.push(faulty_run(kind, 5));
    }
    table("Bean cartridge: with injected faults", &outcomes);
    let flagged: usize = outcomes.iter().map(|outcome| outcome.flagged).sum();
    println!("{flagged} injected faults, every one flagged at its index");
    assert!(flagged >= 100);
}
