//! The sampler: how it records, and how it plays a recording.

use super::support::{Game, header, profile, read, written};
use nextscope::demo::{CartridgeConfig, DemoOptions, DemoProcess, spawn_program};
use nextscope::live::{
    CheckId, Connection, Mismatch, Options, ReplayCommand, ReplayVerifier, RoundMark, Sampler,
    SamplerCommand, Status, Subscriber, Totals, View,
};
use nextscope::profile::Library;
use nextscope::recording::{Event, Recording, Sample};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const FAULTY: &str = "faults=both,fault-every=5,deal1=5,deal2=7,pairs=40,menu=20";

fn console(config: &str, speed: f64) -> DemoProcess {
    let config = config.parse::<CartridgeConfig>().expect(config);
    let options = DemoOptions { speed, config, ..DemoOptions::default() };
    spawn_program(Path::new(env!("CARGO_BIN_EXE_nextscope")), &options).unwrap()
}

fn library() -> Vec<Arc<nextscope::profile::Profile>> {
    Library::built_in().profiles().to_vec()
}

/// Waits for a view, long enough for a busy machine.
fn until(views: &mut Subscriber<View>, what: &str, done: impl Fn(&View) -> bool) -> Arc<View> {
    crate::waiting::eventually_ok(|| {
        let view = views.get();
        if done(&view) {
            return Ok(view);
        }
        Err(format!("{what}: {:?} {:?} {:?}", view.connection, view.replay, view.recording))
    })
}

/// All of it, judged from its beginning.
fn judged(recording: Recording) -> (Totals, Vec<Mismatch>) {
    let mut verifier = ReplayVerifier::new(Arc::new(recording), Vec::new()).unwrap();
    let mut mismatches = Vec::new();
    while let Some(verified) = verifier.step().unwrap() {
        mismatches.extend(verified.mismatches);
    }
    (verifier.totals(), mismatches)
}

#[test]
fn a_recording_is_judged_as_it_was_live_including_faults() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("faults.nsrec");
    let mut console = console(FAULTY, 4.0);
    let options = Options {
        pid: Some(console.pid()),
        profiles: library(),
        record: Some(file.clone()),
        ..Options::default()
    };
    let sampler = Sampler::start(options).unwrap();
    let mut views = sampler.view();
    until(&mut views, "rounds with faults", |view| view.totals.rounds >= 3 && view.totals.mismatches >= 2);
    console.send("pause").unwrap();
    let live = until(&mut views, "a pause", |view| matches!(view.connection, Connection::Paused { .. }));
    sampler.send(SamplerCommand::Record(None));
    let ended = until(&mut views, "the end of the file", |view| {
        view.recording.as_ref().is_some_and(|recording| recording.ended)
    });
    let state = ended.recording.as_ref().unwrap();
    assert_eq!((state.error.as_ref(), state.left_out), (None, 0));

    let recording = Recording::open(&file).unwrap();
    assert_eq!(recording.damage(), &[]);
    assert_eq!((recording.len(), recording.bytes()), (state.samples, state.bytes));
    assert_eq!(recording.header().emulator, live.target.as_ref().unwrap().identity);
    let (totals, mismatches) = judged(recording);
    let counted = |totals: &Totals| {
        let Totals {
            rounds,
            rounds_predicted,
            pairs_verified,
            pairs_missed,
            mismatches,
            frames,
            frames_missed,
            ..
        } = *totals;
        let Totals { boards_verified, chains_verified, boards_missed, jumps, attachments, .. } = *totals;
        let boards = [boards_verified, chains_verified, boards_missed];
        (
            [rounds, rounds_predicted, pairs_verified, pairs_missed, mismatches],
            [frames, frames_missed, jumps, attachments],
            boards,
        )
    };
    assert_eq!(counted(&totals), counted(&live.totals));
    assert_eq!(mismatches, *live.mismatches);
}

#[test]
fn a_search_over_all_states_for_a_running_round_is_reported_and_closing_does_not_wait_for_it() {
    let mut game = Game::new("");
    // So far into the round that walking back from the state does not reach its beginning.
    (0..300).for_each(|_| drop(game.sample()));
    let samples: Vec<Sample> = (0..100).map(|_| game.sample()).collect();
    let recording = Arc::new(read(written(&header(&profile("puyo-tsu-genesis")), &samples)));
    let play =
        || Sampler::start(Options { replay: Some(Arc::clone(&recording)), ..Options::default() }).unwrap();
    let share = |view: &View| view.replay.as_ref().and_then(|replay| replay.searching);
    let sampler = play();
    let mut views = sampler.view();
    let first = until(&mut views, "the search", |view| share(view).is_some());
    let replay = first.replay.as_ref().unwrap();
    assert!(!replay.complete && replay.verified < replay.samples, "{replay:?}");
    let further = until(&mut views, "its progress", |view| share(view) > share(&first));
    assert!(share(&further).is_some_and(|share| share <= 1.0), "{:?}", further.replay);
    // It tries part of all states at a time; all of them would take seconds more.
    let start = Instant::now();
    drop(sampler);
    let closing = start.elapsed();
    let start = Instant::now();
    let sampler = play();
    let view = until(&mut sampler.view(), "the end", |view| {
        view.replay.as_ref().is_some_and(|replay| replay.complete)
    });
    let total = start.elapsed();
    assert!(share(&view).is_none());
    assert!(closing < total, "closing took {closing:?}, all of it {total:?}");
}

#[test]
fn a_lost_and_restored_connection_is_recorded_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.nsrec");
    let mut first = console("menu=5", 1.0);
    let sampler =
        Sampler::start(Options { pid: Some(first.pid()), profiles: library(), ..Options::default() })
            .unwrap();
    let mut views = sampler.view();
    until(&mut views, "the first", |view| view.data.is_some());
    sampler.send(SamplerCommand::Record(Some(file.clone())));
    let recorded =
        |view: &View, samples| view.recording.as_ref().is_some_and(|state| state.samples > samples);
    until(&mut views, "samples of the first", |view| recorded(view, 5));
    first.kill().unwrap();
    until(&mut views, "the loss", |view| matches!(view.connection, Connection::Lost { .. }));
    let second = console("menu=5", 1.0);
    sampler.send(SamplerCommand::Attach(second.pid()));
    let target = |view: &View| view.target.as_ref().is_some_and(|target| target.pid == second.pid());
    let again = until(&mut views, "the second", |view| target(view) && view.data.is_some());
    let before = again.recording.as_ref().unwrap().samples;
    until(&mut views, "samples of the second", |view| recorded(view, before + 5));
    drop(sampler); // without a command to end the file
    let recording = Recording::open(&file).unwrap();
    assert_eq!(recording.damage(), &[]);
    assert!(recording.is_finished());
    let pids: Vec<_> = recording.sections().iter().map(|section| section.header.pid).collect();
    assert_eq!(pids, [first.pid(), second.pid()]);
    let lost = recording.events().iter().filter(|(_, event)| matches!(event, Event::Lost(_))).count();
    assert_eq!(lost, 2, "the first was lost, the second detached: {:?}", recording.events());
    assert_eq!(judged(recording).0.attachments, 2);
}

#[test]
fn totals_of_another_emulator_start_at_zero_and_a_report_names_only_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.nsrec");
    let faulty = console(FAULTY, 4.0);
    let options = Options {
        pid: Some(faulty.pid()),
        profiles: library(),
        record: Some(file.clone()),
        ..Options::default()
    };
    let sampler = Sampler::start(options).unwrap();
    let mut views = sampler.view();
    until(&mut views, "a mismatch", |view| view.totals.mismatches >= 1);
    let second = console("menu=5", 4.0);
    sampler.send(SamplerCommand::Attach(second.pid()));
    let is_second = |view: &View| view.target.as_ref().is_some_and(|target| target.pid == second.pid());
    let view = until(&mut views, "a round of the second", |view| is_second(view) && view.totals.rounds > 0);
    assert_eq!((view.totals.mismatches, view.mismatches.len(), view.totals.attachments), (0, 0, 2));
    assert_eq!(view.earlier.len(), 1);
    let earlier = &view.earlier[0];
    assert_eq!((earlier.target.pid, earlier.mismatches.is_empty()), (faulty.pid(), false));
    assert!(earlier.totals.mismatches >= 1 && earlier.totals.samples > 0);
    let report = nextscope::report::Report::of_view(&view);
    let text = format!("{report:?}");
    assert!(!text.contains(&earlier.mismatches[0].what), "{text}");
    // When the same process is attached again, the count continues.
    sampler.send(SamplerCommand::Detach);
    let left = until(&mut views, "nothing attached", |view| matches!(view.connection, Connection::Searching));
    sampler.send(SamplerCommand::Attach(second.pid()));
    let again = until(&mut views, "the second again", |view| view.totals.attachments == 3);
    assert!(again.totals.samples >= left.totals.samples && left.totals.samples > 0);
    assert_eq!(again.earlier.len(), 1);
    drop(sampler);
    // The recording has the same.
    let mut verifier = ReplayVerifier::new(Arc::new(Recording::open(&file).unwrap()), Vec::new()).unwrap();
    let mut last = None;
    while let Some(verified) = verifier.step().unwrap() {
        last = Some(verified);
    }
    let view = verifier.view(&last.unwrap());
    assert_eq!((view.totals.mismatches, view.mismatches.len(), view.totals.attachments), (0, 0, 3));
    assert_eq!(view.earlier.len(), 1);
    assert_eq!(view.earlier[0].totals.mismatches, view.earlier[0].mismatches.len() as u64);
}

#[test]
fn automatic_attaching_to_the_attached_process_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("again.nsrec");
    let console = console("menu=5,pairs=250", 2.0);
    let options = Options {
        pid: Some(console.pid()),
        profiles: library(),
        record: Some(file.clone()),
        ..Options::default()
    };
    let sampler = Sampler::start(options).unwrap();
    let mut views = sampler.view();
    let generation = |view: &View| {
        view.data.as_ref().map_or(Status::Nothing, |data| data.verdict.status(CheckId::GENERATION))
    };
    let before = until(&mut views, "a round", |view| generation(view) == Status::Verified);
    sampler.send(SamplerCommand::Automatic);
    // The same profile, read again, counts as unchanged too.
    sampler.send(SamplerCommand::Profiles(library()));
    let last = before.totals.samples + 120;
    let after = until(&mut views, "samples after it", |view| {
        assert!(view.totals.rounds > before.totals.rounds || generation(view) == Status::Verified);
        view.totals.samples >= last
    });
    assert_eq!((after.totals.rounds, after.totals.attachments), (before.totals.rounds, 1));
    drop(sampler);
    let recording = Recording::open(&file).unwrap();
    let profiles = recording.events().iter().filter(|(_, event)| matches!(event, Event::Profile(_))).count();
    assert_eq!(profiles, 0, "{:?}", recording.events());
}

#[test]
fn an_edited_profile_is_used_while_a_recording_is_shown() {
    let profile = profile("puyo-tsu-genesis");
    let mut game = Game::new("menu=5");
    let samples: Vec<Sample> = (0..300).map(|_| game.sample()).collect();
    let recording = Arc::new(read(written(&header(&profile), &samples)));
    let sampler = Sampler::start(Options { replay: Some(recording), ..Options::default() }).unwrap();
    let mut views = sampler.view();
    let name = |view: &View| view.target.as_ref().map(|target| target.profile.name.clone());
    let at = |view: &View| view.replay.as_ref().map_or(0, |replay| replay.index);
    sampler.send(SamplerCommand::Replay(ReplayCommand::Seek(200)));
    let before = until(&mut views, "sample 200", |view| at(view) == 200 && view.data.is_some());
    assert_eq!(name(&before), Some(profile.name.clone()));
    let mut edited = profile.as_ref().clone();
    "Edited".clone_into(&mut edited.name);
    sampler.send(SamplerCommand::Profiles(vec![Arc::new(edited)]));
    let edited = |view: &View| name(view).as_deref() == Some("Edited");
    let after = until(&mut views, "the edited profile", |view| edited(view) && at(view) == 200);
    assert_eq!((at(&after), after.data.as_ref().unwrap().frame), (200, before.data.as_ref().unwrap().frame));
    until(&mut views, "all of it judged again", |view| {
        view.replay.as_ref().is_some_and(|replay| replay.complete)
    });
}

#[test]
fn an_unwritable_file_ends_the_recording_and_not_the_sampling() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there.nsrec");
    std::fs::write(&there, b"something else").unwrap();
    let console = console("menu=5", 1.0);
    let options = Options {
        pid: Some(console.pid()),
        profiles: library(),
        record: Some(folder.path().join("none/x.nsrec")),
        ..Options::default()
    };
    let sampler = Sampler::start(options).unwrap();
    let mut views = sampler.view();
    let error = |view: &View| view.recording.as_ref().and_then(|state| state.error.clone());
    let view =
        until(&mut views, "live", |view| matches!(view.connection, Connection::Live) && view.data.is_some());
    assert!(error(&view).expect("an error").contains("cannot be written"));
    sampler.send(SamplerCommand::Record(Some(there.clone())));
    let view = until(&mut views, "the second", |view| {
        view.recording.as_ref().is_some_and(|state| state.path == there)
    });
    assert!(error(&view).expect("an error").contains("file exists"));
    let frame = view.data.as_ref().unwrap().frame;
    until(&mut views, "it goes on", |view| view.data.as_ref().is_some_and(|data| data.frame > frame + 5));
    drop(sampler);
    assert_eq!(std::fs::read(&there).unwrap(), b"something else");
}

/// A game with faults, frame by frame.
fn played(frames: usize) -> (Vec<Sample>, Arc<Recording>) {
    let mut game = Game::new(FAULTY);
    let samples: Vec<Sample> = (0..frames).map(|_| game.sample()).collect();
    let recording = read(written(&header(&profile("puyo-tsu-genesis")), &samples));
    (samples, Arc::new(recording))
}

/// The view of a run from the beginning at each of these samples.
fn run(recording: &Arc<Recording>, indices: &[u64]) -> Vec<View> {
    let mut verifier = ReplayVerifier::new(Arc::clone(recording), Vec::new()).unwrap();
    let mut views = Vec::new();
    while let Some(verified) = verifier.step().unwrap() {
        if indices.contains(&verified.index) {
            views.push(verifier.view(&verified));
        }
    }
    views
}

fn assert_same(one: &View, other: &View) {
    let (a, b) = (one.data.as_ref().unwrap(), other.data.as_ref().unwrap());
    assert_eq!((a.frame, &a.snapshot, &a.observation), (b.frame, &b.snapshot, &b.observation));
    assert_eq!((&a.prediction, &a.verdict), (&b.prediction, &b.verdict), "frame {}", a.frame);
    assert_eq!((one.totals, &one.mismatches), (other.totals, &other.mismatches), "frame {}", a.frame);
    assert_eq!(one.target.as_ref().unwrap().profile, other.target.as_ref().unwrap().profile);
}

#[test]
fn every_jump_in_a_recording_shows_the_same_as_a_run_from_its_beginning() {
    let (samples, recording) = played(2500);
    let stops = [0, 1, 299, 300, 301, 777, 1234, 1999, 2300, 2499];
    let expected = run(&recording, &stops);
    let sampler =
        Sampler::start(Options { replay: Some(Arc::clone(&recording)), ..Options::default() }).unwrap();
    let mut views = sampler.view();
    // Forward, back, to and fro.
    for number in [9, 0, 5, 4, 3, 2, 8, 1, 7, 6, 9, 8] {
        sampler.send(SamplerCommand::Replay(ReplayCommand::Seek(stops[number])));
        let at = |view: &View| view.replay.as_ref().is_some_and(|replay| replay.index == stops[number]);
        let view = until(&mut views, "a sample", |view| at(view) && view.data.is_some());
        assert!(matches!(view.connection, Connection::Replaying { playing: false }));
        assert_same(&view, &expected[number]);
        assert_eq!(
            view.data.as_ref().unwrap().snapshot,
            samples[usize::try_from(stops[number]).unwrap()].snapshot
        );
    }
    for (step, to) in [(1, 2301), (-2, 2299), (-5000, 0), (5000, 2499)] {
        sampler.send(SamplerCommand::Replay(ReplayCommand::Step(step)));
        until(&mut views, "a step", |view| view.replay.as_ref().is_some_and(|replay| replay.index == to));
    }
}

#[test]
fn mismatch_navigation_and_playback_to_the_end() {
    let (_, recording) = played(2500);
    let mut verifier = ReplayVerifier::new(Arc::clone(&recording), Vec::new()).unwrap();
    let mut wrong = Vec::new();
    let mut rounds = Vec::new();
    while let Some(verified) = verifier.step().unwrap() {
        if !verified.mismatches.is_empty() {
            wrong.push(verified.index);
        }
        if verifier.totals().rounds > rounds.len() as u64 {
            rounds.push(RoundMark { sample: verified.index, number: verifier.totals().rounds });
        }
    }
    assert!(wrong.len() >= 2 && rounds.len() >= 2, "{wrong:?} {rounds:?}");
    let sampler =
        Sampler::start(Options { replay: Some(Arc::clone(&recording)), ..Options::default() }).unwrap();
    let mut views = sampler.view();
    let order = |order| sampler.send(SamplerCommand::Replay(order));
    let mut at = |index: u64| {
        until(&mut views, "a mismatch", |view| {
            view.replay.as_ref().is_some_and(|replay| replay.index == index)
        })
    };
    order(ReplayCommand::NextMismatch);
    assert_eq!(at(wrong[0]).totals.mismatches, 1);
    order(ReplayCommand::NextMismatch);
    at(wrong[1]);
    order(ReplayCommand::PreviousMismatch);
    at(wrong[0]);
    // At full speed, and from the beginning again after the end.
    order(ReplayCommand::Speed(0.0));
    order(ReplayCommand::Play);
    at(2499);
    let done = until(&mut views, "the end", |view| {
        let complete = view.replay.as_ref().is_some_and(|replay| replay.complete);
        complete && matches!(view.connection, Connection::Replaying { playing: false })
    });
    let replay = done.replay.as_ref().unwrap();
    assert_eq!(&*replay.mismatches, wrong.as_slice());
    assert_eq!(&*replay.rounds, rounds.as_slice());
    let detected: Vec<u64> =
        done.replayed.as_ref().unwrap().detected_at.iter().map(|detected| detected.sample).collect();
    assert_eq!(detected.len(), done.mismatches.len(), "a sample for each frame");
    assert_eq!((detected.first(), detected.last()), (wrong.first(), wrong.last()));
    assert_eq!((replay.samples, replay.verified, replay.length), (2500, 2500, recording.length()));
    assert_eq!(done.totals, verifier.totals());
    let at_round = |views: &mut Subscriber<View>, round: &RoundMark| {
        until(views, "a round", |view| {
            view.replay.as_ref().is_some_and(|replay| replay.index == round.sample)
        })
    };
    for round in rounds.iter().rev() {
        order(ReplayCommand::PreviousRound);
        assert_eq!(at_round(&mut views, round).totals.rounds, round.number);
    }
    for round in &rounds[1..] {
        order(ReplayCommand::NextRound);
        at_round(&mut views, round);
    }
    order(ReplayCommand::Seek(2499));
    until(&mut views, "the end again", |view| {
        view.replay.as_ref().is_some_and(|replay| replay.index == 2499)
    });
    order(ReplayCommand::Speed(1.0));
    order(ReplayCommand::Play);
    until(&mut views, "once more", |view| {
        let early = view.replay.as_ref().is_some_and(|replay| replay.index < 100);
        early && matches!(view.connection, Connection::Replaying { playing: true })
    });
    order(ReplayCommand::Pause);
    until(&mut views, "a pause", |view| matches!(view.connection, Connection::Replaying { playing: false }));
}

#[test]
fn an_explicit_profile_replaces_the_recordings_own() {
    let (_, recording) = played(300);
    let own = profile("puyo-tsu-genesis");
    // One in which player 1's queue is at an empty address.
    let moved = own.text.replacen("0xFF85A0", "0xFF3000", 1);
    assert_ne!(*own.text, *moved);
    let (given, diagnostics) = nextscope::profile::parse(&moved, "mine.toml");
    let given = given.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let verifier = |given| {
        let mut verifier = ReplayVerifier::new(Arc::clone(&recording), given).unwrap();
        while verifier.step().unwrap().is_some() {}
        verifier.totals().pairs_verified
    };
    assert!(verifier(vec![Arc::new(given)]) < verifier(vec![]));
}
