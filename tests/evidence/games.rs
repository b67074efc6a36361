//! Evidence of each game with checks: from a wrong byte in RAM to a report page, and the same from a
//! recording.

use crate::cases::{Case, built_in, cases, declared_nes, nes_declared, parsed, with_fault};
use crate::cli_support::{answer, errors, nextscope, status, text};
use crate::played::{arcade, bloxeed};
use crate::support::Session;
use nextscope::live::{
    Mismatch, Options, ReplayCommand, SampleContext, Sampler, SamplerCommand, Totals, Tracker,
};
use nextscope::profile::Library;
use nextscope::recording::Recording;
use nextscope::report::{Format, Report};
use std::path::Path;
use std::sync::Arc;

/// Both kinds of report describe the mismatch and draw it.
fn assert_described(case: &Case, mismatch: &Mismatch, page: &str, listing: &str) {
    let escaped = mismatch.what.replace('\'', "&#39;");
    for part in [escaped.as_str(), case.field, case.drawn, &mismatch.expected, &mismatch.actual] {
        assert!(page.contains(part), "{}: {part} in {page}", case.name);
    }
    for part in [&format!("`{}`", case.field), &mismatch.expected, &mismatch.actual] {
        assert!(listing.contains(part), "{}: {part} in {listing}", case.name);
    }
    let drawn = if case.drawn.contains("pair") { "** " } else { "| Emulator |" };
    assert!(listing.contains(drawn) || case.field == "p1_queue" || case.field == "statistics", "{listing}");
    if let Some(index) = mismatch.index {
        assert!(page.contains(&format!("<th>First index (from 0)</th><td>{index}</td>")), "{}", case.name);
    }
    for picture in page.split("<svg").skip(1) {
        let picture = format!("<svg{}</svg>", picture.split("</svg>").next().unwrap());
        roxmltree::Document::parse(&picture).unwrap_or_else(|error| panic!("{error}: {picture}"));
    }
    // Of the pieces only the wrong ones are marked.
    if case.drawn.contains("Piece") || case.drawn.contains("model has") {
        let marks = page.matches("class=\"mark\"").count();
        let wrong =
            mismatch.expected.chars().zip(mismatch.actual.chars()).filter(|(one, other)| one != other);
        assert!(marks >= wrong.count() && marks > 0, "{}: {marks} marks", case.name);
    }
}

fn report_of(arguments: &[&str], options: [&str; 2], root: &Path, expected: i32) -> [String; 2] {
    let files = [root.join("out.html"), root.join("out.md")];
    let ask = |file: usize| [options[file], files[file].to_str().unwrap(), "--force"];
    for which in [0, 1] {
        let output = nextscope(&[arguments, &ask(which)].concat());
        assert_eq!(status(&output), expected, "{arguments:?}: {}{}", text(&output), errors(&output));
    }
    files.map(|file| std::fs::read_to_string(file).unwrap())
}

pub fn assert_same(json: &serde_json::Value, mismatch: &Mismatch) {
    let ours = serde_json::to_value(mismatch).unwrap();
    for name in ["check", "what", "expected", "actual", "field", "index", "frame", "round"] {
        assert_eq!(json[name], ours[name], "{name} of {mismatch}");
    }
}

fn goes_all_the_way(case: &Case) {
    let root = tempfile::tempdir().unwrap();
    let (profile, clean) = (case.played)();
    let mut session = Session::new(&parsed(&profile), root.path());
    for (snapshot, frame) in with_fault(case, clean) {
        session.sample(&snapshot, frame);
    }
    let (found, recording) = session.end();
    // Another check may notice a wrong piece first.
    let is = |mismatch: &Mismatch| (mismatch.check, mismatch.field.as_str()) == (case.check, case.field);
    let number = found.iter().position(is).unwrap_or_else(|| panic!("{}: {found:?}", case.name));
    let first = found[number].clone();
    assert!(case.index.is_none() || first.index == case.index, "{}: {first}", case.name);

    // The file: the same again, and everything a reader needs.
    let path = first.evidence.as_ref().expect("evidence").to_str().unwrap().to_owned();
    let file = answer(&["evidence", &path], 0);
    assert_same(&file["mismatch"], &first);
    assert_eq!(file["reproduced_when_written"], true, "{}", case.name);
    assert!(file["place"].is_string(), "{}: {file}", case.name);
    let fields: Vec<&str> =
        file["differences"].as_array().unwrap().iter().filter_map(|one| one["field"].as_str()).collect();
    assert!(fields.contains(&case.field), "{}: {fields:?}", case.name);
    let [page, listing] = report_of(&["evidence", &path], ["--html", "--markdown"], root.path(), 0);
    assert_described(case, &first, &page, &listing);
    if let Some(folder) = std::env::var_os("NEXTSCOPE_TEST_PAGES") {
        let name = case.name.replace([' ', ','], "-");
        std::fs::write(Path::new(&folder).join(format!("{name}.html")), &page).unwrap();
    }
    let again = answer(&["verify", "--replay", &path], 1);
    let again = again["mismatches"].as_array().unwrap();
    assert!(again.iter().any(|one| one["evidence"] == path.as_str()), "{}: {again:?}", case.name);

    // The corrected profile yields no mismatch.
    let profiles = root.path().join("profiles");
    std::fs::create_dir(&profiles).unwrap();
    let corrected = (case.corrected)(&profile);
    parsed(&corrected);
    std::fs::write(profiles.join("corrected.toml"), corrected).unwrap();
    let output = nextscope(&["evidence", &path, "--profiles", profiles.to_str().unwrap()]);
    assert_eq!(status(&output), 1, "{}: {}{}", case.name, text(&output), errors(&output));
    assert!(text(&output).contains(case.corrected_says), "{}: {}", case.name, text(&output));

    // The complete recording gives the same result, and evidence can be extracted from it afterwards.
    let complete = root.path().join("whole.nsrec");
    std::fs::write(&complete, recording).unwrap();
    let complete = complete.to_str().unwrap();
    let [page, listing] =
        report_of(&["verify", "--replay", complete], ["--report", "--report"], root.path(), 1);
    if case.field != "p1_queue" {
        assert_described(case, &first, &page, &listing);
    }
    assert!(page.contains("whole.nsrec, sample ") && page.contains("RAM before and after"), "{page}");
    assert_eq!(page.matches("nextscope verify --replay whole.nsrec").count(), 1);
    let late = root.path().join("late");
    let verified = answer(&["verify", "--replay", complete, "--evidence", late.to_str().unwrap()], 1);
    let reported = verified["mismatches"].as_array().unwrap();
    assert_eq!(reported.len(), found.len(), "{}", case.name);
    assert_same(&reported[number], &first);
    let file = answer(&["evidence", reported[number]["evidence"].as_str().unwrap()], 0);
    assert_same(&file["mismatch"], &first);
    assert_eq!(file["reproduced_when_written"], true, "{}", case.name);
}

/// Every case in its own thread.
pub fn each(check: fn(&Case)) {
    let cases = cases();
    let failed: Vec<&str> = std::thread::scope(|scope| {
        let run = |case| (case, scope.spawn(move || check(case)));
        let runs: Vec<(&Case, _)> = cases.iter().map(run).collect();
        runs.into_iter().filter_map(|(case, run)| run.join().is_err().then_some(case.name)).collect()
    });
    assert!(failed.is_empty(), "{failed:?}");
}

/// One thread each: most of the time is spent in processes.
#[test]
fn evidence_of_every_game_leads_from_a_wrong_byte_to_a_page_and_back() {
    each(goes_all_the_way);
}

#[test]
fn evidence_of_a_declared_randomizer_leads_from_a_wrong_byte_to_a_page_and_back() {
    goes_all_the_way(&declared_nes());
}

/// The declared model sees in each sample what the built-in one sees.
#[test]
fn a_declared_randomizer_agrees_with_the_built_in_model() {
    let (text, samples) = nes_declared();
    let profiles = [parsed(&built_in("tetris-nes")), parsed(&text)];
    let mut trackers = profiles.each_ref().map(|profile| (Tracker::new(profile.game), Totals::default()));
    let mut compared = 0;
    for (snapshot, frame) in &samples {
        let mut views = Vec::new();
        for (profile, (tracker, totals)) in profiles.iter().zip(&mut trackers) {
            let update = tracker.update(&SampleContext { snapshot, profile, frame: *frame }, totals);
            assert_eq!(update.mismatches, [], "{}, frame {frame}", profile.id);
            views.extend(update.prediction.map(|prediction| prediction.view().pieces[0].clone()));
        }
        let [built_in, declared] = &views[..] else { continue };
        assert_eq!(built_in.pieces[0], declared.pieces[0], "frame {frame}");
        assert_eq!(
            built_in.waits.as_ref().unwrap().frames,
            declared.waits.as_ref().unwrap().frames,
            "frame {frame}"
        );
        compared += 1;
    }
    assert!(compared > 150, "{compared} of {}", samples.len());
    assert_eq!(trackers[1].1.mismatches, 0);
}

/// A model that predicts nothing cannot be wrong: it yields no mismatch, and so no evidence.
#[test]
fn every_game_with_checks_has_its_case() {
    let library = Library::built_in();
    let mut games: Vec<_> = cases().iter().map(|case| parsed(&(case.played)().0).game.id()).collect();
    games.push("puyo-tsu"); // see the other tests of this program
    for profile in library.profiles() {
        let has = games.contains(&profile.game.id());
        assert_eq!(has, profile.game.has_predictor(), "{}", profile.id);
    }
}

/// The output of the window's "Save report" while a recording is open: the view of a player that has come to
/// the mismatch.
#[test]
fn a_report_of_a_played_recording_shows_the_bytes_in_ram() {
    let cases = cases();
    let case = cases.iter().find(|case| case.field == "pool_4").unwrap();
    let root = tempfile::tempdir().unwrap();
    let (profile, clean) = (case.played)();
    let mut session = Session::new(&parsed(&profile), root.path());
    for (snapshot, frame) in with_fault(case, clean) {
        session.sample(&snapshot, frame);
    }
    let (found, bytes) = session.end();
    let recording = Arc::new(Recording::from_bytes(bytes, "played.nsrec").unwrap());
    let sampler = Sampler::start(Options { replay: Some(recording), ..Options::default() }).unwrap();
    let mut views = sampler.view();
    let mut at = |order: ReplayCommand, mismatches: usize| {
        sampler.send(SamplerCommand::Replay(order));
        crate::waiting::eventually_ok(|| {
            let view = views.get();
            let complete = view.replay.as_ref().is_some_and(|replay| replay.complete);
            if complete && view.data.is_some() && view.mismatches.len() == mismatches {
                return Ok(view);
            }
            Err(format!("{mismatches} mismatches: {:?}", view.replay))
        })
    };
    let before = Report::of_view(&at(ReplayCommand::Seek(1), 0));
    assert!(before.cases.is_empty(), "what is reported is what was verified so far");
    let page = Report::of_view(&at(ReplayCommand::Seek(u64::MAX), found.len())).write(Format::Html);
    assert!(page.contains(case.drawn) && page.contains("played.nsrec, sample "), "{page}");
    assert!(page.contains("RAM before and after"), "{page}");
    // Back to where there was no mismatch yet, and forward again.
    assert!(Report::of_view(&at(ReplayCommand::Seek(1), 0)).cases.is_empty());
    let again = Report::of_view(&at(ReplayCommand::NextMismatch, found.len())).write(Format::Html);
    assert!(again.contains(case.drawn), "{again}");
}

/// A recording contains a game's behaviour while it is played: addresses are located there as in a running
/// game.
#[test]
fn addresses_are_located_in_recordings() {
    let root = tempfile::tempdir().unwrap();
    let recorded = |field: &str, name: &str| {
        let case = cases().into_iter().find(|case| case.field == field).unwrap();
        let (profile, samples) = (case.played)();
        let last = samples.last().unwrap().1.to_string();
        let mut session = Session::new(&parsed(&profile), &root.path().join("none"));
        samples.iter().for_each(|(snapshot, frame)| session.sample(snapshot, *frame));
        let path = root.path().join(name);
        std::fs::write(&path, session.end().1).unwrap();
        (path.to_str().unwrap().to_owned(), last)
    };
    let locate = |profile: &str, path: &str, more: &[&str]| {
        nextscope(&[&["profile", "locate", "--json", "--profile", profile, "--dump", path], more].concat())
    };
    let parse_output = |output: std::process::Output| -> serde_json::Value {
        assert_eq!(status(&output), 0, "{}", errors(&output));
        serde_json::from_str(&text(&output)).unwrap()
    };
    let at = |offset: usize| serde_json::Value::from(format!("0x{:06X}", 0xFF_C000 + offset));

    let (sega, last) = recorded("sequence", "sega.nsrec");
    let all = parse_output(locate("sega-tetris", &sega, &[]));
    assert_eq!((&all["sequence"], &all["index"]), (&at(arcade::LAYOUT.sequence), &at(arcade::LAYOUT.index)));
    let one = parse_output(locate("sega-tetris", &sega, &["--frame", &last]));
    assert_eq!((&one["sequence"], &one["index"]), (&all["sequence"], &serde_json::Value::Null));

    let (items, last) = recorded("drawn_piece", "bloxeed.nsrec");
    let all = parse_output(locate("bloxeed", &items, &[]));
    assert_eq!((&all["piece_seed"], &all["piece"]), (&at(bloxeed::SEED), &at(bloxeed::PIECE)));
    let one = parse_output(locate("bloxeed", &items, &["--frame", &last]));
    assert_eq!((&one["piece_seed"], &one["piece"]), (&all["piece_seed"], &serde_json::Value::Null));

    let refused = |output: std::process::Output, why: &str| {
        assert!(status(&output) == 2 && errors(&output).contains(why), "{}", errors(&output));
    };
    refused(locate("sega-tetris", &sega, &["--frame", "99999999"]), "frame 99999999 is not in the recording");
    let (ds, _) = recorded("pool_4", "ds.nsrec");
    refused(
        locate("sega-tetris", &ds, &[]),
        "a recording of the Nintendo DS, but profile sega-tetris is for the ",
    );
    let ram = root.path().join("ram.bin");
    std::fs::write(&ram, arcade::noise(0x4000)).unwrap();
    refused(locate("sega-tetris", ram.to_str().unwrap(), &["--frame", "1"]), "--frame needs a recording");
}
