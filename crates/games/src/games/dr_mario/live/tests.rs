//! The tracker on RAM that the model fills: options screen, rounds, faults.

use crate::games::dr_mario::live::{AHEAD, NEXT_ROUNDS, Observation, Prediction};
use crate::games::dr_mario::{BOOT_STATE, ID, Levels, Round, State};
use crate::live::{CheckId, Mismatch, SampleContext, Status, Totals, Tracker, Update};
use crate::profile::{Profile, built_in_profiles};
use nextscope_memory::console::{Snapshot, StorageOrder};

const PLAYERS: [usize; 2] = [0x300, 0x380];
const FIELDS: [usize; 2] = [0x400, 0x500];

struct Console {
    ram: Vec<u8>,
    frame: u64,
    state: State,
    levels: Levels,
    tracker: Tracker,
    totals: Totals,
    profile: Profile,
    mismatches: Vec<Mismatch>,
    last: Option<Update>,
}

impl Console {
    fn new(levels: Levels) -> Self {
        let profile = built_in_profiles().into_iter().find(|profile| profile.game == ID).unwrap();
        let mut console = Self {
            ram: vec![0; profile.console.domain().len as usize],
            frame: 0,
            state: BOOT_STATE,
            levels,
            tracker: Tracker::new(ID),
            totals: Totals::default(),
            profile,
            mismatches: Vec::new(),
            last: None,
        };
        console.ram[0x710..0x71A].copy_from_slice(b"!DR.MARIO!");
        console.ram[0x725] = 3;
        console.ram[0x727] = u8::try_from(levels.players()).unwrap();
        console.ram[0x780..].fill(0xFF);
        console.set_levels();
        console
    }

    fn set_levels(&mut self) {
        for (number, player) in PLAYERS.into_iter().enumerate() {
            self.ram[player + 0x16] = self.levels.of(number);
        }
    }

    /// The next frame, and a sample of it.
    fn frame(&mut self, mode: u8) {
        self.frame += 1;
        self.ram[0x43] = self.ram[0x43].wrapping_add(1);
        self.ram[0x46] = mode;
        self.ram[0x17..0x19].copy_from_slice(&self.state.0.to_be_bytes());
        self.sample();
    }

    fn sample(&mut self) {
        let domain = self.profile.console.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, self.ram.clone()).unwrap();
        let sample = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let update = self.tracker.update(&sample, &mut self.totals);
        self.mismatches.extend(update.mismatches.clone());
        self.last = Some(update);
    }

    fn options(&mut self, frames: u32) {
        for _ in 0..frames {
            self.state = self.state.step();
            self.frame(1);
        }
    }

    /// Prepares a round and lets its viruses appear.
    fn start(&mut self) -> Round {
        let round = Round::new(self.state, self.levels);
        self.start_as(&round);
        round
    }

    fn start_as(&mut self, round: &Round) {
        self.set_levels();
        self.frame(2);
        self.ram[0x780..0x800].copy_from_slice(&round.reserve.0);
        for number in 0..2 {
            self.ram[FIELDS[number]..FIELDS[number] + 128].fill(0xFF);
            self.ram[PLAYERS[number] + 0x27] = 2;
            self.throw(round, number, 0);
        }
        self.frame(8);
        for (number, field) in FIELDS.into_iter().enumerate().take(self.levels.players()) {
            for at in 0..128 {
                self.ram[field + at] = round.viruses.bottles[number].byte(at);
                if at % 16 == 0 {
                    self.frame(8);
                }
            }
        }
        self.state = round.viruses.after;
        self.frame(8);
        self.frame(4);
        self.frame(4);
    }

    /// The cells of a player after `thrown` capsules.
    fn throw(&mut self, round: &Round, number: usize, thrown: u32) {
        let at = PLAYERS[number];
        let next = round.reserve.capsule(thrown).0;
        let falling = if thrown == 0 { round.reserve.0[0] } else { round.reserve.capsule(thrown - 1).0 };
        self.ram[at + 1..at + 3].copy_from_slice(&[falling / 3, falling % 3]);
        self.ram[at + 0x1A..at + 0x1C].copy_from_slice(&[next / 3, next % 3]);
        self.ram[at + 0x27] = u8::try_from((thrown + 2) % 128).unwrap();
    }

    fn play(&mut self, round: &Round, capsules: u32) {
        for thrown in 1..=capsules {
            for number in 0..self.levels.players() {
                self.throw(round, number, thrown);
                self.frame(4);
            }
            self.frame(4);
            // The first capsules clear a virus each.
            let virus = (0..128).find(|at| self.ram[0x400 + at] >> 4 == 0xD).filter(|_| thrown < 4);
            if let Some(at) = virus {
                self.ram[0x400 + at] = 0xFF;
            }
        }
    }

    fn prediction(&self) -> &Prediction {
        self.last.as_ref().unwrap().prediction.as_ref().unwrap().get::<Prediction>().unwrap()
    }

    fn observation(&self) -> &crate::live::Observation {
        self.last.as_ref().unwrap().observation.as_ref().unwrap()
    }

    fn view(&self) -> crate::live::PredictionView {
        self.last.as_ref().unwrap().prediction.as_ref().unwrap().view().clone()
    }
}

#[test]
fn every_round_is_predicted_before_it_is_made_and_every_capsule_verified() {
    for levels in [Levels::One(0), Levels::One(19), Levels::Two(5, 5), Levels::Two(3, 20)] {
        let mut console = Console::new(levels);
        console.options(100);
        let ahead = console.prediction().clone();
        assert_eq!((ahead.following.len(), &ahead.round), (usize::from(AHEAD), &None));
        console.options(7);
        // Start is pressed in the frame after: the generator steps once more.
        console.state = console.state.step();
        assert_eq!(ahead.following[7].state, console.state);
        let chosen = ahead.following[7].state.to_string();
        let frames_until =
            |console: &Console, state: &str| console.observation().frames_until(state).unwrap();
        assert_eq!(frames_until(&console, &chosen), Ok(1));
        assert!(frames_until(&console, "0x0000").is_err() && frames_until(&console, "next").is_err());
        for _ in 0..3 {
            let round = console.start();
            let prediction = console.prediction().clone();
            assert_eq!(prediction.round.as_deref(), Some(&round));
            assert_eq!(prediction.following.len(), NEXT_ROUNDS);
            assert_eq!(*prediction.following[0], round.next());
            console.play(&round, 140);
            let view = console.view();
            assert_eq!(view.players.len(), levels.players());
            assert_eq!(view.players[0].current, Some(round.reserve.capsule(139).pair()));
            assert_eq!(
                (view.players[0].pairs[0], view.players[0].dealt),
                (round.reserve.capsule(140).pair(), Some(140))
            );
            assert_eq!(view.follow_ups[0].boards[0].rows(), round.next().viruses.bottles[0].rows());
            console.levels = console.levels.next();
        }
        assert_eq!(console.mismatches, [], "{levels:?}");
        let verdict = console.tracker.verdict();
        let one_player = levels.players() == 1;
        for check in verdict.checks {
            let none = one_player && check.id == CheckId::QUEUE_P2;
            let expected = if none { Status::Nothing } else { Status::Verified };
            assert_eq!(check.status, expected, "{levels:?}: {check:?}");
        }
        let Totals { rounds, rounds_predicted, rounds_verified, pairs_verified, pairs_missed, .. } =
            console.totals;
        assert_eq!((rounds, rounds_predicted, rounds_verified, pairs_missed), (3, 3, 3, 0), "{levels:?}");
        assert_eq!(pairs_verified, 3 * 140 * levels.players() as u64);
    }
}

#[test]
fn a_round_in_progress_is_found_by_its_capsules() {
    let mut console = Console::new(Levels::One(7));
    console.options(321);
    let round = console.start();
    console.play(&round, 10);
    console.tracker = Tracker::new(ID);
    console.play(&round, 20);
    assert_eq!(console.prediction().round.as_deref(), Some(&round));
    assert_eq!(console.mismatches, []);
    // The level was won: its number is already the next one.
    console.tracker = Tracker::new(ID);
    console.ram[0x316] += 1;
    console.play(&round, 5);
    assert_eq!(console.prediction().round.as_deref(), Some(&round));
}

#[test]
fn each_fault_is_reported_once_at_its_index() {
    type Fault = fn(&mut Console, &Round);
    let faults: [(CheckId, &str, Option<u32>, Fault); 6] = [
        (CheckId::GENERATION, "reserve", Some(40), |console, round| {
            let _ = round;
            console.ram[0x780 + 40] = (console.ram[0x780 + 40] + 1) % 9;
        }),
        (CheckId::VIRUSES, "p1_field", Some(127), |console, round| {
            let wrong = round.viruses.bottles[0].virus(127).map_or(0, |code| (code + 1) % 3);
            console.ram[0x400 + 127] = 0xD0 | wrong;
        }),
        (CheckId::QUEUE_P1, "p1_next", Some(0), |console, _| {
            console.ram[0x31A] = (console.ram[0x31A] + 1) % 3;
        }),
        (CheckId::QUEUE_P2, "p2_next", Some(0), |console, _| {
            console.ram[0x39B] = (console.ram[0x39B] + 1) % 3;
        }),
        (CheckId::OPTION_STEPS, "rng_state", None, |console, _| console.state = console.state.step()),
        (CheckId::VIRUSES, "p2_field", Some(3), |console, _| console.ram[0x503] = 0xD1),
    ];
    for (check, field, index, fault) in faults {
        let mut console = Console::new(Levels::Two(4, 4));
        console.options(50);
        console.state = console.state.step();
        let round = console.start();
        // Before the fault, the round was verified; a fault in the reserve is made before that.
        if check == CheckId::GENERATION {
            console.tracker = Tracker::new(ID);
        }
        fault(&mut console, &round);
        for _ in 0..6 {
            console.frame(4);
        }
        let found: Vec<_> = console
            .mismatches
            .iter()
            .map(|mismatch| (mismatch.check, mismatch.field.as_str(), mismatch.index))
            .collect();
        assert_eq!(found, [(check, field, index)], "{:?}", console.mismatches);
        assert_eq!(console.tracker.verdict().status(check), Status::Mismatch);
    }
}

#[test]
fn a_step_too_many_in_the_reserve_is_reported_at_its_place_and_the_round_followed() {
    let mut console = Console::new(Levels::One(6));
    console.options(30);
    console.state = console.state.step();
    let wrong = Round::with_extra_step(console.state, 77, console.levels);
    let right = Round::new(console.state, console.levels);
    let first = (0..128).rev().find(|place| right.reserve.0[*place] != wrong.reserve.0[*place]).unwrap();
    console.start_as(&wrong);
    assert_eq!(console.prediction().round.as_deref(), Some(&wrong));
    console.play(&wrong, 20);
    console.levels = console.levels.next();
    let next = console.start();
    console.play(&next, 5);
    let found: Vec<_> =
        console.mismatches.iter().map(|mismatch| (mismatch.check, mismatch.index, mismatch.round)).collect();
    assert_eq!(found, [(CheckId::GENERATION, u32::try_from(first).ok(), 1)], "{:#?}", console.mismatches);
    let Totals { rounds, rounds_predicted, rounds_verified, .. } = console.totals;
    assert_eq!((rounds, rounds_predicted, rounds_verified), (2, 1, 1));
}

#[test]
fn a_step_between_two_rounds_is_reported() {
    let mut console = Console::new(Levels::One(3));
    console.options(9);
    let round = console.start();
    console.play(&round, 3);
    console.levels = console.levels.next();
    console.state = console.state.step();
    let round = console.start();
    console.play(&round, 3);
    let found: Vec<_> =
        console.mismatches.iter().map(|mismatch| (mismatch.check, mismatch.field.as_str())).collect();
    assert_eq!(found, [(CheckId::GENERATION, "rng_state")]);
    assert_eq!(console.totals.rounds_verified, 1);
}

#[test]
fn a_falling_capsule_that_was_not_next_is_reported() {
    let mut console = Console::new(Levels::One(2));
    console.options(9);
    console.state = console.state.step();
    let round = console.start();
    console.play(&round, 3);
    console.throw(&round, 0, 4);
    console.ram[0x301] = (console.ram[0x301] + 1) % 3;
    for _ in 0..4 {
        console.frame(4);
    }
    let found: Vec<_> = console.mismatches.iter().map(|mismatch| (mismatch.check, mismatch.index)).collect();
    assert_eq!(found, [(CheckId::FALLING_CAPSULE, Some(3))]);
}

#[test]
fn an_entry_of_the_reserve_that_changes_in_play_is_reported_once() {
    let mut console = Console::new(Levels::One(2));
    console.options(9);
    console.state = console.state.step();
    let round = console.start();
    console.play(&round, 3);
    console.ram[0x780 + 90] = (console.ram[0x780 + 90] + 4) % 9;
    console.play(&round, 2);
    let found: Vec<_> = console.mismatches.iter().map(|mismatch| (mismatch.check, mismatch.index)).collect();
    assert_eq!(found, [(CheckId::GENERATION, Some(90))]);
}

#[test]
fn too_many_steps_on_the_options_screen_are_reported_and_slow_frames_are_not() {
    let mut console = Console::new(Levels::One(0));
    console.options(20);
    for _ in 0..5 {
        console.frame(1); // a slow frame makes no step
    }
    console.options(5);
    assert_eq!(console.mismatches, []);
    // A sample in the middle of a step.
    let state = console.state;
    console.state = State(state.0 ^ 0x4000);
    console.frame(1);
    console.state = state.step();
    console.options(5);
    assert_eq!(console.mismatches, []);
    console.state = console.state.jump(40);
    console.options(5);
    let found: Vec<_> = console.mismatches.iter().map(|mismatch| mismatch.check).collect();
    assert_eq!(found, [CheckId::OPTION_STEPS]);
}

#[test]
fn the_demo_and_the_title_are_not_verified() {
    let mut console = Console::new(Levels::One(10));
    console.ram[0x741] = 0xFE;
    let round = console.start();
    console.ram[0x400..0x480].fill(0xD0);
    console.play(&round, 5);
    console.frame(0);
    assert_eq!((console.mismatches.len(), console.totals.rounds), (0, 0));
    let update = console.last.as_ref().unwrap();
    assert!(update.prediction.is_none());
    assert!(update.observation.as_ref().unwrap().get::<Observation>().is_some());
}
