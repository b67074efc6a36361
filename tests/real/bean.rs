//! Real emulators running our own cartridge that deals as Mean Bean Machine and Puyo Puyo do: located, predicted, verified,
//! every interrupt inside a generation found at its draw, every injected fault flagged.
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing emulator is a failure; without, it is reported as skipped.

use crate::emulators::session::{
    Judge, Outcome, STARTED, at_once, built_in, live, present, ram_of, sampler_of, table, wait, watch_faults,
};
use crate::emulators::{
    BEAN_ROM, BeanConfig, BeanFault, BeanFaultKind, BeanGeneration, Kind, PUYO_ROM, bean_cells, bean_faults,
};
use nextscope::demo::console::Console;
use nextscope::emulator::identify_ram;
use nextscope::games::mean_bean::live::{Interrupts, Prediction};
use nextscope::games::mean_bean::{Setup, State, generate_interrupted};
use nextscope::live::{CheckId, Mismatch, Status, View, route_start};
use nextscope::puyo::Rules;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Emulators that run at 60 frames per second, together an acceptable load for two cores.
const PACED: [Kind; 5] =
    [Kind::Embedded, Kind::Mednafen, Kind::Mame, Kind::RetroArchGpgx, Kind::RetroArchPicoDrive];

/// Those that run at full speed.
const UNTHROTTLED: [Kind; 1] = [Kind::BlastEmUnthrottled];

/// Pairs that are predicted and drawn, with an emulator at full speed.
const REQUIRED: u64 = 5_000;

/// The result for the generation of the round in play.
fn generation(view: &View) -> Option<Status> {
    let in_play = live(view) && ram_of(view).u8(bean_cells::ACTIVITY) == Ok(bean_cells::PLAY);
    Some(view.data.as_ref().filter(|_| in_play)?.verdict.status(CheckId::GENERATION))
}

/// A view in play whose generation is verified.
fn settled(view: &View) -> bool {
    generation(view) == Some(Status::Verified)
}

fn prediction(view: &View) -> Option<&Prediction> {
    view.data.as_ref()?.prediction.as_ref()?.get()
}

/// The cartridge counts generations from its start, the session from attaching.
fn skew(view: &View) -> u32 {
    ram_of(view).u32(bean_cells::GENERATIONS).unwrap() - u32::try_from(view.totals.rounds).unwrap()
}

/// What the model said about the interrupts in the generations, and what the cartridge logged.
#[derive(Default)]
struct Classified {
    /// By the number of the generation since power-on.
    logged: BTreeMap<u32, BeanGeneration>,
    said: Vec<Interrupts>,
    /// Whether a route could start with the pair that falls, and with the one after it.
    starts: [bool; 2],
    /// Why connections ended.
    lost: Vec<String>,
}

impl Classified {
    fn note(&mut self, view: &View) {
        if let nextscope::live::Connection::Lost { why, .. } = &view.connection
            && self.lost.last() != Some(why)
        {
            self.lost.push(why.clone());
        }
        if !live(view) {
            return;
        }
        let count = ram_of(view).u32(bean_cells::GENERATIONS).unwrap();
        let after = self.logged.keys().next_back().copied().unwrap_or(count.saturating_sub(1)).min(count);
        self.logged.extend((after + 1..).zip(BeanGeneration::logged(ram_of(view), after)));
        let Some(prediction) = prediction(view) else { return };
        if let Some(start) = route_start(view, 0) {
            let player = &prediction.players[0];
            let fell = !player.falling;
            let first = if fell { player.pairs.first().copied() } else { player.current };
            assert!(start.pairs.first().copied() == first && start.rules == Rules::FIRST, "{start:?}");
            self.starts[usize::from(fell)] |= start.settled;
        }
        if prediction.interrupts.len() > self.said.len() {
            self.said = prediction.interrupts.to_vec();
        }
    }

    /// Each generation has the interrupts that the cartridge logged for its state. How many had none, one and two.
    fn judge(&self, name: &str) -> [usize; 3] {
        let record = |said: &Interrupts, after: u32| {
            self.logged.range(after + 1..).find(|(_, logged)| state_before(logged) == said.before)
        };
        let mut numbers = [0; 3];
        let mut after = 0;
        // The first may be older than the log.
        for said in self.said.iter().skip_while(|said| record(said, 0).is_none()) {
            let (&number, logged) = record(said, after)
                .unwrap_or_else(|| panic!("{name}: the cartridge logged no such generation: {said:?}"));
            assert!(
                agree(said, logged),
                "{name}, generation {number}: {said:?}, the cartridge logged {logged:?}"
            );
            numbers[inside(logged).len()] += 1;
            after = number;
        }
        numbers
    }
}

fn setup(logged: &BeanGeneration) -> Setup {
    Setup { mode: logged.mode, stage: logged.stage }
}

/// The interrupts inside a generation. A step before the first draw makes the state before the generation the next one; one after
/// the last is not in it.
fn inside(logged: &BeanGeneration) -> Vec<u16> {
    let draws = if setup(logged).is_versus() { 504 } else { 256 };
    logged.extra_steps.iter().copied().filter(|draw| (1..draws).contains(draw)).collect()
}

fn state_before(logged: &BeanGeneration) -> State {
    let steps = logged.extra_steps.iter().filter(|draw| **draw == 0).count();
    State(logged.before).jump(steps.try_into().unwrap())
}

/// Whether the model found the logged interrupts. Two neighbouring draws may give the same pools.
fn agree(said: &Interrupts, logged: &BeanGeneration) -> bool {
    let inside = inside(logged);
    let drawn: Vec<u16> = said.draws.iter().map(|draw| draw - 1).collect();
    let pools = |extra: &[u16]| generate_interrupted(said.before, setup(logged), extra).pools;
    said.mode == logged.mode && (inside == drawn || pools(&inside) == pools(&drawn))
}

/// Watches for so many seconds; the generations with no interrupt, one and two.
fn watched_run(kind: Kind, config: BeanConfig, seconds: u64) -> (Outcome, [usize; 3]) {
    let end = Duration::from_secs(seconds);
    watched_until(kind, config, end + Duration::from_secs(30), |watched, _| watched > end)
}

/// Watches until `enough` says so of the time and of what was classified.
fn watched_until(
    kind: Kind,
    config: BeanConfig,
    limit: Duration,
    enough: impl Fn(Duration, &Classified) -> bool,
) -> (Outcome, [usize; 3]) {
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, built_in());
    let name = kind.name();
    let mut classified = Classified::default();
    let first = wait(&sampler, STARTED, name, |view| {
        classified.note(view);
        settled(view)
    });
    let start = Instant::now();
    let last = wait(&sampler, limit, name, |view| {
        classified.note(view);
        enough(start.elapsed(), &classified) && settled(view)
    });
    assert!(last.mismatches.is_empty(), "{name}: a mismatch without a fault: {:#?}", last.mismatches);
    assert!(last.totals.rounds_verified > 0, "{name}: {:?}", last.totals);
    assert_eq!(last.totals.attachments, 1, "{name}: {:?}", classified.lost);
    let numbers = classified.judge(name);
    let [none, one, two] = numbers;
    println!(
        "{name}: generations with no interrupt {none}, with one {one}, with two {two}, all classified right"
    );
    assert!(classified.starts[0], "{name}: a route can start with the pair that falls");
    assert!(numbers.iter().sum::<usize>() > 0, "{name}: {:?} {:?}", classified.said, classified.logged);
    let rewrites = ram_of(&last).u32(bean_cells::REWRITES).unwrap();
    println!("{name}: opponents set their own pairs {rewrites} times");
    (Outcome::of(kind, &first, &last, 0), numbers)
}

fn clean_run(kind: Kind, config: BeanConfig, seconds: u64) -> Outcome {
    watched_run(kind, config, seconds).0
}

/// The checksum of the ROM tells the games apart until there are pools.
#[test]
fn each_rom_is_recognised_as_its_game_from_power_on() {
    for (rom, id) in [(BEAN_ROM, "mean-bean-genesis"), (PUYO_ROM, "puyo-puyo-1-genesis")] {
        let config = BeanConfig { rom, only_mode: Some(1), ..BeanConfig::default() };
        let mut console = Console::new(config.rom()).unwrap();
        let mut before_pools = 0;
        for frame in 0..200 {
            console.run_frame();
            let Some((ram, profile)) = identify_ram(console.ram(), &built_in()) else { continue };
            assert_eq!(profile.id, id, "frame {frame}");
            before_pools += u32::from(ram.u32(bean_cells::GENERATIONS) == Ok(0));
        }
        assert!(before_pools > 10, "{id}: {before_pools} frames");
        assert!(console.long(bean_cells::GENERATIONS.0) > 0, "{id}");
    }
}

/// Short rounds of versus, whose generation takes one and a half frames.
#[test]
fn interrupts_in_generations_are_found_at_their_draws() {
    for kind in present(&UNTHROTTLED) {
        for rom in [BEAN_ROM, PUYO_ROM] {
            let config = BeanConfig {
                rom,
                pairs_per_round: 3,
                frames_per_deal: [20, 20],
                only_mode: Some(1),
                ..BeanConfig::default()
            };
            // A slow machine needs longer for the same numbers. A few more than required: the cartridge's log may begin later.
            let enough = |watched: Duration, classified: &Classified| {
                let count =
                    |interrupts| classified.said.iter().filter(|said| said.draws.len() == interrupts).count();
                watched > Duration::from_secs(10) && count(1) > 24 && count(2) > 14
            };
            let (_, numbers) = watched_until(kind, config, Duration::from_secs(60), enough);
            assert!(numbers[1] > 20 && numbers[2] > 10, "{}: {numbers:?}", kind.name());
        }
    }
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
            BeanFaultKind::Pool => format!("pool_{}", fault.side + 4),
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
    // The other game than in the runs without faults.
    let rom = if kind.is_unthrottled() { BEAN_ROM } else { PUYO_ROM };
    let running = kind.start(&BeanConfig { rom, faults, frames_per_deal, ..BeanConfig::default() }.rom());
    let sampler = sampler_of(&running, built_in());
    let first = wait(&sampler, STARTED, kind.name(), |view| {
        view.totals.rounds > 0 && generation(view).is_some_and(|status| status != Status::NotVerified)
    });
    let skew = skew(&first);
    let mut read = ram_of(&first).u32(bean_cells::FAULTS).unwrap();
    // Rounds of exercise have no generation.
    let read_before = skew + u32::try_from(first.totals.rounds).unwrap() - 1;
    let mut generations = read_before;
    let mut rounds = BTreeMap::new();
    let watched = watch_faults(&sampler, kind, seconds, |ram| {
        for generation in BeanGeneration::logged(ram, generations) {
            generations += 1;
            rounds.insert(generations, generation.round);
        }
        let after = std::mem::replace(&mut read, ram.u32(bean_cells::FAULTS).unwrap());
        BeanFault::logged(ram, after).into_iter().map(Flag::of).collect()
    });
    let generation_of = |mismatch: &Mismatch| u32::try_from(mismatch.round).unwrap() + skew;
    let as_flag = |mismatch: &Mismatch| {
        let round = rounds.get(&generation_of(mismatch));
        Flag {
            round: *round.unwrap_or_else(|| panic!("{}: {mismatch:?}, {skew}, {rounds:?}", kind.name())),
            field: mismatch.field.clone(),
            index: mismatch.index.unwrap_or(u32::MAX),
            exchanged: false,
        }
    };
    // Rounds before the first whose generation could be verified have faults too, which were not read.
    let of_interest = watched.last.mismatches.iter().filter(|mismatch| generation_of(mismatch) > read_before);
    let flags: BTreeSet<Flag> = of_interest.map(as_flag).collect();
    let judge = Judge {
        tells: Flag::tells,
        // At 1,500 frames a second a pause of the machine lets pairs be drawn and dealt between two samples.
        can_be_unseen: |fault| fault.field.ends_with("_queue"),
    };
    let first_round = ram_of(&first).u32(bean_cells::ROUND).unwrap();
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
