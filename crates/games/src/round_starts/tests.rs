//! Runs of a made-up game: what is measured, what contradicts, and what is not offered.

use super::*;
use std::collections::BTreeSet;

const POWER_ON: u32 = 0xB007;
const START: [PadButtons; 2] = [PadButtons::START, PadButtons::NONE];
const NONE: [PadButtons; 2] = [PadButtons::NONE; 2];

/// A game that generates a round some frames after Start.
#[derive(Clone)]
struct Game {
    /// The frame of the press.
    press: Option<u64>,
    /// Frames until the pools change.
    delay: u64,
    /// Whether the state does not move from the press on.
    quiet: bool,
    /// The last frame of the recording.
    end: u64,
    /// A button before the wait.
    tap: u64,
    /// Added to the states from this frame on.
    differs: Option<u64>,
    missed: BTreeSet<u64>,
}

impl Default for Game {
    fn default() -> Self {
        let missed = BTreeSet::new();
        Self { press: Some(203), delay: 20, quiet: true, end: 400, tap: 30, differs: None, missed }
    }
}

impl Game {
    /// The state without a press: another one in every seventh frame.
    fn waiting(&self, frame: u64) -> u32 {
        let differs = u32::from(self.differs.is_some_and(|from| frame >= from));
        let moved = u32::try_from(frame / 7).expect("small");
        if moved == 0 { POWER_ON } else { 1000 + 2 * moved + differs }
    }

    fn moment(&self, frame: u64) -> WaitMoment {
        let press = self.press.unwrap_or(1_000_000);
        let generated = press + self.delay;
        let seed = self.waiting(if self.quiet { press - 1 } else { generated - 1 });
        let pads = match frame {
            _ if frame == self.tap => START,
            _ if (press..press + 3).contains(&frame) => START,
            _ if frame == generated + 10 => [PadButtons::A, PadButtons::NONE],
            _ => NONE,
        };
        let state = match frame {
            _ if frame >= generated => 7,
            _ if frame >= press && self.quiet => seed,
            _ => self.waiting(frame),
        };
        WaitMoment {
            clock: Some(frame),
            is_clock_held: false,
            pads,
            state,
            pools: if frame >= generated { seed.into() } else { 0 },
            dealt: u16::from(frame >= generated + 50),
        }
    }

    fn record(&self, reader: &mut RunReader, recorded: u64) {
        for frame in (1..=self.end).filter(|frame| !self.missed.contains(frame)) {
            let moment = self.moment(frame);
            reader.sample(recorded + frame, &moment, &|state| u64::from(state) == moment.pools);
        }
    }
}

fn runs(games: &[Game]) -> Vec<Run> {
    let one = |(number, game): (usize, &Game)| {
        let mut reader = RunReader::new(number, POWER_ON);
        game.record(&mut reader, 1000);
        reader.finish()
    };
    games.iter().enumerate().flat_map(one).collect()
}

fn only(runs: &[Run]) -> Wait {
    let mut waits = waits(runs, 1);
    assert_eq!(waits.len(), 1, "{waits:?}");
    waits.remove(0)
}

/// The same wait without a press, for longer.
fn longer(game: &Game) -> Game {
    Game { press: None, ..game.clone() }
}

#[test]
fn a_start_is_measured_and_every_state_of_the_wait_is_offered() {
    let game = Game::default();
    let runs = runs(&[game.clone(), longer(&game)]);
    let shown: Vec<_> = runs.iter().map(|run| (run.origin, run.frames(), run.missed())).collect();
    assert_eq!(shown, [(Origin::PowerOn, Some((1, 400)), 0); 2]);
    let wait = only(&runs);
    assert_eq!((wait.delay(), wait.first_pair_delay()), (Some((20, 20)), Some((70, 70))));
    let start = wait.starts[0].generation;
    assert_eq!((start.frame, start.state, start.first_pair), (223, Some(game.waiting(202)), Some(273)));
    let press = start.press.expect("a press");
    assert_eq!((press.frame, press.recorded, press.names().as_str()), (203, 1203, "Start"));
    assert_eq!(
        (wait.runs.as_slice(), wait.frames, wait.offsets.as_slice()),
        (&[1, 0][..], (32, 401), &[-1][..])
    );
    assert_eq!(wait.agreement, Agreement { compared: 202, unsettled: 0, differs_at: None });
    let states: Vec<u32> = wait.offers.iter().map(|offer| offer.state).collect();
    assert_eq!(states, (28..401).step_by(7).map(|frame| game.waiting(frame)).collect::<Vec<_>>());
    for offer in &wait.offers {
        for frame in offer.frame..=offer.last {
            assert_eq!(game.waiting(frame - 1), offer.state, "{offer:?}");
        }
        assert_eq!(
            (offer.recorded, offer.generated),
            (Some((1, 1000 + offer.frame)), Some(offer.frame + 20))
        );
    }
}

/// Whether the press stops the generator, or it did not move by chance, only a longer wait can tell.
#[test]
fn without_a_longer_wait_only_states_that_stay_are_offered() {
    let game = Game::default();
    let alone = only(&runs(std::slice::from_ref(&game)));
    assert_eq!(alone.offsets, (-1..20).collect::<Vec<i64>>());
    assert!(alone.offers.is_empty(), "no state stays for 21 frames");
    let quick = Game { delay: 5, ..game };
    let alone = only(&runs(std::slice::from_ref(&quick)));
    assert!(!alone.offers.is_empty());
    for offer in &alone.offers {
        let stays = (offer.frame - 1..=offer.last + 4).all(|frame| quick.waiting(frame) == offer.state);
        assert!(stays, "{offer:?}");
    }
}

#[test]
fn a_state_that_moves_after_the_press_needs_a_longer_wait() {
    let game = Game { press: Some(200), quiet: false, ..Game::default() };
    let alone = only(&runs(std::slice::from_ref(&game)));
    assert_eq!((alone.offsets.len(), alone.offers.len()), (0, 0));
    assert_eq!(alone.starts[0].generation.state, Some(game.waiting(219)));

    let longer = longer(&game);
    let two = only(&runs(&[game.clone(), longer.clone()]));
    assert_eq!(two.offsets, [17, 18, 19], "frames 217 to 219 have one state");
    assert!(two.offers.len() > 20);
    for offer in &two.offers {
        assert_eq!(game.waiting(offer.frame + 19), offer.state, "{offer:?}");
        assert_eq!(game.waiting(offer.last + 19), offer.state, "{offer:?}");
    }
    // Another start says more precisely which frame it is.
    let later = Game { press: Some(297), ..game.clone() };
    let three = only(&runs(&[game, longer, later]));
    assert_eq!(three.offsets, [18, 19]);
    assert_eq!(three.starts.len(), 2);
}

#[test]
fn delays_that_contradict_each_other_are_not_averaged() {
    let [one, other] = [20, 21].map(|delay| Game { delay, ..Game::default() });
    let runs = runs(&[one.clone(), other, longer(&one)]);
    let wait = only(&runs);
    assert_eq!(wait.delay(), Some((21, 20)), "the fewest are more than the most");
    assert_eq!(wait.offsets, [-1], "the state is the same nevertheless");
    assert!(!wait.offers.is_empty() && wait.offers.iter().all(|offer| offer.generated.is_none()));
    let opening = opening(&runs, &wait, 100).expect("known buttons");
    assert_eq!(opening.frames.len(), 100 + 71, "the longer time until the first pair");
}

#[test]
fn frames_without_a_sample_are_unknown() {
    let with = |missed: &[u64]| Game { missed: missed.iter().copied().collect(), ..Game::default() };
    let wait = |missed: &[u64]| only(&runs(&[with(missed), longer(&with(&[]))]));
    // The frame of the press may be either.
    let press = wait(&[202]);
    assert_eq!((press.delay(), press.offsets.len(), press.offers.len()), (Some((20, 21)), 0, 0));
    // The generation may be in any of three frames.
    let generation = wait(&[221, 222]);
    assert_eq!((generation.delay(), generation.offsets.as_slice()), (Some((18, 20)), &[-1][..]));
    assert!(generation.offers.iter().all(|offer| offer.generated.is_none()));
    // A second recording shows it.
    let both = only(&runs(&[with(&[221, 222]), with(&[]), longer(&with(&[]))]));
    assert_eq!(both.delay(), Some((20, 20)));
    // No state of frames 98 to 104 is known.
    let missed: Vec<u64> = (98..105).collect();
    let game = with(&missed);
    let runs = runs(&[game.clone(), longer(&game)]);
    let gap = only(&runs);
    assert_eq!(runs[0].missed(), 7);
    assert!(gap.offers.iter().all(|offer| offer.state != game.waiting(98)));
    assert!(gap.offers.iter().any(|offer| offer.state == game.waiting(97)));
    assert_eq!(opening(&runs, &gap, 150), Err(OpeningError::Gap(98, 104)));
    for (gap, text) in [
        (OpeningError::Gap(98, 104), "the buttons in frames 98 to 104 are unknown, because they were not"),
        (OpeningError::Gap(37, 37), "the buttons in frame 37 are unknown, because it was not"),
    ] {
        assert_eq!(gap.to_string(), format!("{text} sampled: record the wait again"));
    }
    // Neither is one of the second recording if it differs.
    let other = Game { differs: Some(100), ..with(&[]) };
    assert_eq!(only(&self::runs(&[game, other])).agreement.differs_at, Some(105));
}

#[test]
fn states_are_used_up_to_the_first_difference() {
    let differing = Game { differs: Some(147), end: 190, press: None, ..Game::default() };
    let runs = runs(&[Game::default(), differing, Game { press: Some(104), ..Game::default() }]);
    let wait = only(&runs);
    assert_eq!(wait.agreement, Agreement { compared: 147, unsettled: 0, differs_at: Some(147) });
    // The other wait says that the state of frame 104 would do as well as that of frame 103.
    assert_eq!(wait.offsets, [-1, 0]);
    assert_eq!(wait.offers.last().map(|offer| offer.last), Some(146), "the last frame with a known state");
    // The start in frame 200 alone says nothing of the frames before the difference.
    let late = only(&runs[..2]);
    assert_eq!((late.offsets.len(), late.offers.len()), (0, 0));
}

#[test]
fn samples_a_frame_apart_are_no_difference_but_not_used() {
    let game = Game::default();
    let late = |frame: u64| if frame == 140 { 139 } else { frame };
    let mut reader = RunReader::new(2, POWER_ON);
    for frame in 1..=190 {
        let moment = WaitMoment { state: game.waiting(late(frame)), ..game.moment(frame) };
        reader.sample(frame, &moment, &|_| false);
    }
    let mut runs = runs(&[game.clone(), longer(&game)]);
    runs.extend(reader.finish());
    let wait = only(&runs);
    assert_eq!(wait.agreement, Agreement { compared: 202, unsettled: 1, differs_at: None });
    let offered = |frame: u64| wait.offers.iter().any(|offer| (offer.frame..=offer.last).contains(&frame));
    assert!(offered(140) && !offered(141) && offered(142), "a press in 141 uses the state of 140");
}

#[test]
fn other_buttons_are_another_wait() {
    let runs = runs(&[Game::default(), Game { tap: 31, ..Game::default() }]);
    let all = waits(&runs, 1);
    assert_eq!(all.iter().map(|wait| wait.runs.clone()).collect::<Vec<_>>(), [vec![0], vec![1]]);
    assert!(all.iter().all(|wait| wait.starts.len() == 1 && wait.agreement.compared == 0));
    assert!(waits(&runs, 2).iter().all(|wait| wait.starts.is_empty() && wait.offers.is_empty()));
}

#[test]
fn pools_without_a_press_are_no_start() {
    let game = Game { tap: 0, ..Game::default() };
    let mut reader = RunReader::new(0, POWER_ON);
    for frame in 1..=400 {
        let moment = WaitMoment { pads: NONE, ..game.moment(frame) };
        reader.sample(frame, &moment, &|state| u64::from(state) == moment.pools);
    }
    let runs = reader.finish();
    assert_eq!((runs[0].generations.len(), runs[0].starts().count()), (1, 0));
    assert!(only(&runs).offers.is_empty());
}

#[test]
fn each_power_on_is_a_run() {
    let mut reader = RunReader::new(0, POWER_ON);
    let game = Game::default();
    game.record(&mut reader, 0);
    reader.sample(401, &WaitMoment { clock: Some(0), state: 0, ..game.moment(1) }, &|_| false);
    game.record(&mut reader, 401);
    // A reset does not set the generator again.
    for frame in 1..100 {
        let moment = WaitMoment { state: 5, ..game.moment(frame) };
        reader.sample(900 + frame, &moment, &|_| false);
    }
    // A loaded state, with a later clock.
    for frame in 5000..5100 {
        reader.sample(frame - 4000, &game.moment(frame), &|_| false);
    }
    // A clock that is half written, and one that says nothing.
    reader.sample(1101, &WaitMoment { clock: Some(77), ..game.moment(5101) }, &|_| false);
    reader.sample(1102, &WaitMoment { clock: None, ..game.moment(5102) }, &|_| false);
    reader.sample(1103, &game.moment(5103), &|_| false);
    let runs = reader.finish();
    let shown: Vec<_> = runs.iter().map(|run| (run.origin, run.frames(), run.starts().count())).collect();
    assert_eq!(
        shown,
        [
            (Origin::PowerOn, Some((1, 400)), 1),
            (Origin::PowerOn, Some((1, 400)), 1),
            (Origin::Reset, Some((1, 99)), 0),
            (Origin::Later, Some((5000, 5103)), 0),
        ]
    );
    let compared = waits(&runs, 1).into_iter().find(|wait| wait.runs.len() > 1).expect("two power ons");
    assert_eq!((compared.runs, compared.agreement.differs_at), (vec![0, 1], None));
}

/// The buttons of a wait without a press.
fn longer_frames() -> Vec<[PadButtons; 2]> {
    let game = longer(&Game::default());
    (1..=400).map(|frame| game.moment(frame).pads).collect()
}

#[test]
fn a_run_that_begins_later_is_left_out_if_it_does_not_continue_one_from_power_on() {
    // From frame 50 on.
    let begins_later = |game: Game| Game { missed: (1..50).collect(), ..game };
    let waits_for = |later: Game| {
        let runs = runs(&[later, Game::default()]);
        assert_eq!((runs[0].origin, runs[1].origin), (Origin::Later, Origin::PowerOn));
        waits(&runs, 1).iter().map(|wait| wait.runs.clone()).collect::<Vec<_>>()
    };
    let waiting = longer(&Game::default());
    assert_eq!(waits_for(begins_later(waiting.clone())), [vec![0, 1]], "the same wait, for longer");
    let other_states = Game { differs: Some(50), ..waiting.clone() };
    assert_eq!(waits_for(begins_later(other_states)), [vec![1]], "other buttons before, perhaps");
    let missed = (1..201).collect();
    assert_eq!(waits_for(Game { missed, ..waiting.clone() }), [vec![1]], "a single state is no evidence");
    assert_eq!(waits_for(begins_later(Game { tap: 60, ..waiting })), [vec![1]], "other buttons");
    let other_start = Game { press: Some(100), differs: Some(50), ..Game::default() };
    assert_eq!(waits_for(begins_later(other_start.clone())), [vec![1]], "its start is of another wait");
    let runs = runs(&[begins_later(other_start)]);
    assert_eq!(waits(&runs, 1).len(), 1, "without a run from power on it is used");
}

#[test]
fn the_buttons_are_those_of_the_recording_with_the_press_moved() {
    let game = Game { missed: BTreeSet::from([1, 2, 3, 60, 61]), ..Game::default() };
    let runs = runs(&[game]);
    let wait = only(&runs);
    let opening = opening(&runs, &wait, 100).expect("known buttons");
    let mut expected = vec![NONE; 99 + 71];
    expected[29] = START;
    expected[99..102].fill(START);
    // 10 frames after the generation, which is 20 after the press.
    expected[99 + 30] = [PadButtons::A, PadButtons::NONE];
    assert_eq!((opening.frames, opening.press), (expected, 100));
    assert_eq!(opening.assumed, [1..=3, 60..=61]);

    // A recording that begins later does not matter if another one has the buttons.
    let late = Game { missed: (1..50).collect(), ..longer(&Game::default()) };
    let both = self::runs(&[Game::default(), late]);
    let wait = only(&both);
    assert_eq!((wait.runs.as_slice(), wait.frames), (&[1, 0][..], (32, 401)));
    assert_eq!(super::opening(&both, &wait, 203).expect("known buttons").frames.len(), 202 + 71);
    // In frame 204 the run from power on does not wait any more, but the other one does.
    let composed = super::opening(&both, &wait, 204).expect("known buttons");
    assert_eq!((composed.frames.len(), composed.press), (203 + 71, 204));
    assert_eq!(composed.frames[..203], longer_frames()[..203]);

    let later = Game { missed: (1..50).collect(), ..Game::default() };
    let runs = self::runs(&[later]);
    assert_eq!(runs[0].origin, Origin::Later);
    let error = super::opening(&runs, &only(&runs), 100).expect_err("unknown buttons");
    assert_eq!(error, OpeningError::NotFromPowerOn(50));
    let short = Game { end: 250, ..Game::default() };
    let runs = self::runs(&[short]);
    assert_eq!(super::opening(&runs, &only(&runs), 100), Err(OpeningError::NoFirstPair));
}

#[test]
fn a_held_clock_makes_the_frames_of_earlier_buttons_unknown() {
    let held = |at: u64| {
        let game = Game::default();
        let mut reader = RunReader::new(0, POWER_ON);
        for frame in 1..=400 {
            let moment = WaitMoment { is_clock_held: frame == at, ..game.moment(frame) };
            reader.sample(frame, &moment, &|state| u64::from(state) == moment.pools);
        }
        let runs = reader.finish();
        opening(&runs, &only(&runs), 100)
    };
    assert_eq!(held(50), Err(OpeningError::Held(50)), "there is a button in frame 30");
    assert!(held(20).is_ok());
}

#[test]
fn buttons_have_names() {
    let press = |buttons| Press { frame: 1, before: None, recorded: 1, buttons };
    let both = PadButtons::LEFT | PadButtons::START;
    assert_eq!(press([both, PadButtons::NONE]).names(), "Left+Start");
    assert_eq!(press([PadButtons::NONE, PadButtons::A]).names(), "A of pad 2");
    assert!(!press([both, both]).is_exact());
}
