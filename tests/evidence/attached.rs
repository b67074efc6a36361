//! The same games in the memory of another process: located there, watched by the sampler, and their faults
//! saved as evidence.

use crate::cases::{Case, DECLARED, DECLARED_SEED, Samples, cases, parsed, with_fault};
use crate::cli_support::{answer, errors, joined, nextscope, serve, served_state, status, text};
use crate::games::{assert_same, each};
use crate::process_target::{Target, command, next_command, send};
use crate::waiting::{PATIENCE, within};
use nextscope::games::piece::{Dealer, letters};
use nextscope::games::tgm::tgm2::Tgm2;
use nextscope::live::{Connection, Evidence, Options, Sampler};
use nextscope::profile::{FrameCounter, Profile};
use nextscope::recording::Recording;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long a sample is shown, for a game whose frames are counted, and for one that is sampled 70 times a
/// second.
const FRAME: Duration = Duration::from_millis(16);
const LOOK: Duration = Duration::from_millis(28);
/// All games are played at once, each in its own process, and for some all seeds are tried before the
/// evidence is written.
const LIMIT: Duration = PATIENCE.saturating_mul(2);
/// How often the fault is played, at most.
const ATTEMPTS: usize = 3;
/// The piece of the declared game that the fault replaces, from 0.
const FAULTY: usize = 7;

/// Contains a console's RAM as an emulator does, and plays a case's game in it again and again, like a user
/// who reloads a state; with the fault in it once, as soon as a line arrives; then it pauses until the next
/// line, and so on.
///
/// In the role `repeat-fault` the fault is there each time.
pub fn role(name: &str, case: &str) {
    assert!(["play", "repeat-fault"].contains(&name), "no such role");
    let cases = cases();
    let case = cases.iter().find(|one| one.name == case).expect("a case");
    let (profile, clean) = (case.played)();
    let faulty = with_fault(case, clean.clone());
    // The right bytes are elsewhere too while the fault is there.
    let clean = with_fault(&case.without_fault(), clean);
    let shown = shown(&parsed(&profile));
    let len = usize::try_from(clean[0].0.domain().len).expect("it fits");
    let mut ram = std::hint::black_box(vec![0_u8; len]);
    let mut play = |samples: &Samples, goes_on: &dyn Fn() -> bool| {
        for (snapshot, _) in samples.iter().take_while(|_| goes_on()) {
            for (at, bytes) in snapshot.parts() {
                ram[at..at + bytes.len()].copy_from_slice(bytes);
            }
            std::hint::black_box(&mut ram);
            std::thread::sleep(shown); // the pace of the console
        }
    };
    let lines = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&lines);
    std::thread::spawn(move || {
        while next_command().is_some() {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        std::process::exit(0);
    });
    send("ready");
    if name == "repeat-fault" {
        loop {
            play(&faulty, &|| true);
        }
    }
    let all_heard = |heard: usize| lines.load(Ordering::Relaxed) == heard;
    let mut heard = 0;
    loop {
        while all_heard(heard) {
            play(&clean, &|| all_heard(heard));
        }
        heard += 1;
        play(&faulty, &|| true);
        if within(LIMIT, || (!all_heard(heard)).then_some(())).is_some() {
            heard += 1;
        }
    }
}

fn shown(profile: &Profile) -> Duration {
    if FrameCounter::of(profile).is_some() { FRAME } else { LOOK }
}

fn started(role: &str, case: &str) -> Target {
    let mut program = command(&format!("{role} {case}"));
    program.env("MALLOC_ARENA_MAX", "1"); // thread blocks are in the heap too, as in an emulator
    let mut target = Target::run(program);
    target.receive();
    target
}

fn is_found_watched_and_recorded(case: &Case) {
    let root = tempfile::tempdir().unwrap();
    let (profile, samples) = (case.played)();
    let profile = Arc::new(parsed(&profile));
    let shown = shown(&profile);
    let mut target = started("play", case.name);
    let sampler = Sampler::start(Options {
        pid: Some(target.pid()),
        profiles: vec![profile],
        evidence: Some(root.path().to_owned()),
        ..Options::default()
    })
    .unwrap();
    let mut views = sampler.view();
    let mut look_for = |limit: Duration, is_so: &dyn Fn(&nextscope::live::View) -> bool| {
        let mut view = views.get();
        let found = within(limit, || {
            // Many tests wait in parallel here: only for new views.
            if let Some(newer) = views.next(Duration::from_millis(50)) {
                view = newer;
            }
            is_so(&view).then_some(())
        });
        (found.is_some(), view)
    };
    let found = |what: &str, (found, view): (bool, Arc<nextscope::live::View>)| {
        let state = (&view.connection, &view.totals, &view.mismatches);
        assert!(found, "{}: not within {LIMIT:?}: {what}: {state:?}", case.name);
        view
    };
    // One full loop, wherever it began: the state that is loaded is no fault.
    let playing_time = shown * u32::try_from(samples.len()).unwrap();
    let is_live = |view: &nextscope::live::View| matches!(view.connection, Connection::Live);
    found("it is found", look_for(LIMIT, &|view| is_live(view) && view.data.is_some()));
    std::thread::sleep(playing_time); // the game is played for this long
    let predicts =
        |view: &nextscope::live::View| view.data.as_ref().is_some_and(|data| data.prediction.is_some());
    let view = found("a forecast", look_for(LIMIT, &predicts));
    assert_eq!(*view.mismatches, [], "{}", case.name);
    let is = |check, field: &str| (check, field) == (case.check, case.field);
    let is_flagged =
        |view: &nextscope::live::View| view.mismatches.iter().any(|one| is(one.check, &one.field));
    // On a busy machine the moment in which this field is wrong may not be sampled: then other fields are.
    let flagged = (1..ATTEMPTS).find_map(|_| {
        target.send_command("the fault");
        let (flagged, view) = look_for(2 * playing_time, &is_flagged);
        if !flagged {
            target.send_command("go on");
            std::thread::sleep(playing_time);
        }
        flagged.then_some(view)
    });
    let view = flagged.unwrap_or_else(|| {
        target.send_command("the fault");
        found("the mismatch", look_for(LIMIT, &is_flagged))
    });
    let found = view.mismatches.iter().find(|one| is(one.check, &one.field)).unwrap();
    let path = found.evidence.as_ref().expect("evidence");
    // Evidence includes the samples after the mismatch, which may be noticed when the game is already paused.
    target.send_command("go on");
    // The end of a session aborts long work: the report would say that nothing was reproduced.
    let written = within(LIMIT, || path.exists().then_some(()));
    assert!(written.is_some(), "{}: not within {LIMIT:?}: the evidence is written", case.name);
    drop(sampler); // it is complete from here on
    let evidence = Evidence::of(&Recording::open(path).unwrap()).expect("evidence");
    assert!(evidence.is_of(found) && evidence.reproduced, "{}: {found}", case.name);
    let path = path.to_str().unwrap();
    assert_same(&answer(&["evidence", path], 0)["mismatch"], found);
    let again = answer(&["verify", "--replay", path], 1);
    let again = again["mismatches"].as_array().unwrap();
    assert!(again.iter().any(|one| one["evidence"] == path), "{}: {again:?}", case.name);
}

/// One thread each: most of the time they wait.
#[test]
fn a_wrong_byte_in_another_process_becomes_evidence_in_every_game() {
    each(is_found_watched_and_recorded);
}

/// A profile that declares its randomizer, in a folder for `--profiles`.
fn declared_profile() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let case = cases().into_iter().find(|case| case.name == DECLARED).unwrap();
    std::fs::write(folder.path().join("tap.toml"), (case.played)().0).unwrap();
    folder
}

/// The coming pieces of a live state, if there are any; they must be those of the game.
fn coming(state: &Value) -> Option<String> {
    let player = state["players"].as_array()?.first()?;
    assert_eq!((&state["profile"], &state["game"]["id"]), (&"tgm2p".into(), &"declared".into()));
    let pieces = player["current"].as_str().unwrap_or_default().to_owned() + &joined(&player["next"]);
    let game = letters(&Tgm2::new(DECLARED_SEED).deal_many(60));
    // A state that was loaded a moment ago may still look like the start of a game.
    (pieces.len() > 10 && game.contains(&pieces)).then_some(pieces)
}

#[test]
fn watch_and_serve_follow_a_declared_randomizer_in_another_process() {
    let folder = declared_profile();
    let profiles = folder.path().to_str().unwrap();
    let target = started("play", DECLARED);
    let pid = target.pid().0.to_string();
    let source = ["--pid", &pid, "--profiles", profiles, "--wait", "60"];
    let output = nextscope(&[&["watch", "--json", "--seconds", "12"][..], &source].concat());
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let text = text(&output);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["mismatch"].is_null()), "{text}");
    let shown: Vec<String> = lines.iter().filter_map(coming).collect();
    assert!(shown.len() > 10, "{text}");
    let last = lines.iter().rev().find(|line| coming(line).is_some()).unwrap();
    assert!(last["game"]["state"].as_str().unwrap().starts_with("0x"), "{last}");
    assert!(last["game"]["dealt"].is_u64() && last["game"]["if_drawn_in"].is_null(), "{last}");

    let (mut server, ready) = serve(&[&["--seconds", "120"][..], &source].concat());
    let served = within(LIMIT, || {
        std::thread::sleep(Duration::from_millis(50));
        coming(&served_state(&ready))
    });
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(served.is_some());
}

#[test]
fn verify_flags_a_wrong_byte_of_a_declared_randomizer_in_another_process() {
    let folder = declared_profile();
    let source = ["--profiles", folder.path().to_str().unwrap(), "--wait", "60"];
    let verify = |target: &Target, options: &[&str], expected| {
        let pid = target.pid().0.to_string();
        answer(&[&["verify", "--pid", &pid, "--seconds", "120"][..], &source, options].concat(), expected)
    };
    let report = verify(&started("play", DECLARED), &["--pairs", "30"], 0);
    assert_eq!(report["result"], "verified", "{report}");
    assert!(report["totals"]["verified"].as_u64().unwrap() >= 30, "{report}");
    assert_eq!(report["checks"][0]["id"], "declared-generator", "{report}");

    let report = verify(&started("repeat-fault", DECLARED), &["--fail-fast"], 1);
    assert_eq!(report["result"], "mismatch", "{report}");
    let mismatch = &report["mismatches"][0];
    assert_eq!((&mismatch["check"], &mismatch["field"]), (&"declared-deals".into(), &"next".into()));
    let piece = |key: &str| mismatch[key].as_str().unwrap().to_owned();
    let game = letters(&Tgm2::new(DECLARED_SEED).deal_many(60));
    // Which number it has depends on when the game was first sampled; which piece it is does not.
    assert_eq!(piece("expected"), game[FAULTY..=FAULTY], "{mismatch}");
    assert_ne!(piece("actual"), piece("expected"));
    assert!(mismatch["index"].is_u64(), "{mismatch}");
}
