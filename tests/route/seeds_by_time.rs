//! The way from recordings of a wait to a movie from power on, which presses Start in the frame that gives the chosen round: the movie is played,
//! and the round and the boards are those that the command printed. A press that is a frame off gives another round.

use super::movie_files::{lead_in, replay};
use crate::movies::PlannedMovie;
use crate::movies::genesis::{SEED, SETTINGS, pairs, profile_text, table};
use crate::movies::readers::{PadFrame, read_bk2, read_gmv, read_inp, read_mcm};
use crate::movies::waits::{clock_offset, generated, person, record, telling_press, waiting_rom};
use crate::recordings;
use nextscope::demo::Buttons;
use nextscope::demo::console::Console;
use nextscope::puyo::{Placement, Rotation, Rules};
use nextscope::recording::Sample;
use nextscope::route::{Route, Start};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// Frames of a recording: until long after the first pair.
const FRAMES: u32 = 700;

/// A folder with a profile that has the times of the cartridge, and recordings.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("profiles")).unwrap();
        std::fs::write(folder.path().join("profiles/puyo-tsu-genesis.toml"), profile_text()).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn recording(&self, name: &str, samples: &[Sample]) -> PathBuf {
        let path = self.path(name);
        let header = recordings::header(&recordings::profile("puyo-tsu-genesis"));
        std::fs::write(&path, recordings::written(&header, samples)).unwrap();
        path
    }

    fn run(&self, json: bool, recordings: &[&Path], arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
        command.args(json.then_some("--json")).arg("--profiles").arg(self.path("profiles"));
        command
            .args(["route", "puyo-tsu", "--goal", "chain", "--pairs", "8", "--width", "30", "--level", "3"]);
        for recording in recordings {
            command.arg("--states-from").arg(recording);
        }
        command.args(arguments).output().unwrap()
    }

    fn answer(&self, recordings: &[&Path], arguments: &[&str]) -> Value {
        let output = self.run(true, recordings, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn recorded(start: &str, press: Option<u32>, frames: u32) -> Vec<Sample> {
    record(waiting_rom(start), &person(press), frames)
}

fn frame(best: &Value, key: &str) -> u32 {
    best[key].as_u64().unwrap_or_else(|| panic!("{key}: {best}")).try_into().unwrap()
}

fn state(best: &Value) -> u32 {
    u32::from_str_radix(best["seed"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// The route of an entry.
fn route(best: &Value) -> Route {
    let place = |placement: &Value| {
        let rotation = match placement["rotation"].as_str().unwrap() {
            "up" => Rotation::Up,
            "right" => Rotation::Right,
            "down" => Rotation::Down,
            _ => Rotation::Left,
        };
        let column = placement["column"].as_u64().unwrap() - 1;
        Placement::new(column.try_into().unwrap(), rotation).unwrap()
    };
    let places: Vec<Placement> = best["placements"].as_array().unwrap().iter().map(place).collect();
    Route::replay(&Start::empty(pairs(state(best), 8), Rules::TSU), &places).unwrap()
}

fn pads(frames: &[PadFrame]) -> Vec<Buttons> {
    frames.iter().map(|frame| frame.pads[0]).collect()
}

/// Searches, writes movies for a state that only one frame gives, and plays them. `delay` is the time from the press to the generation.
fn movie_plays_the_chosen_round(start: &str, delay: u32, recordings: &[Vec<Sample>]) {
    movie_plays_the_chosen_round_from(start, delay, recordings, 0);
}

/// The same with a press not before this frame of the clock.
fn movie_plays_the_chosen_round_from(start: &str, delay: u32, recordings: &[Vec<Sample>], first: u32) {
    let folder = Folder::new();
    let files: Vec<PathBuf> = recordings
        .iter()
        .enumerate()
        .map(|(number, samples)| folder.recording(&format!("{number}.nsrec"), samples))
        .collect();
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let found = folder.answer(&files, &[]);
    assert_eq!(found["starts"]["unknown"], Value::Null, "{found}");
    let best = found["best"].as_array().unwrap();
    let is_only = |best: &Value| best["clock_frame"] == best["last_clock_frame"];
    let rank = best.iter().position(|best| is_only(best) && frame(best, "clock_frame") >= first);
    let rank = rank.expect("a state that only one frame gives");
    let chosen = &best[rank];
    assert!(chosen["chain"].as_u64().unwrap() > 0);

    let offset = clock_offset();
    let movie = |ending: &str| folder.path(&format!("route.{ending}"));
    let [bk2, gmv, mcm, inp] = ["bk2", "gmv", "mcm", "inp"].map(movie);
    let outs = [&bk2, &gmv, &mcm, &inp].map(|file| file.to_str().unwrap());
    let outs = outs.iter().flat_map(|file| ["--out", file]).collect::<Vec<_>>();
    let choice = (rank + 1).to_string();
    let offset_text = offset.to_string();
    let options = [&["--clock-offset", &offset_text, "--choose", &choice][..], &outs].concat();
    assert_eq!(folder.answer(&files, &options)["best"][rank], *chosen);

    let frames = read_bk2(&std::fs::read(bk2).unwrap()).unwrap();
    assert!(read_gmv(&std::fs::read(gmv).unwrap()).unwrap() == frames);
    assert!(read_mcm(&std::fs::read(mcm).unwrap()).unwrap() == frames);
    assert!(read_inp(&std::fs::read(inp).unwrap()).unwrap() == frames);
    let press = frame(chosen, "clock_frame") + offset;
    let pressed = pads(&frames).iter().position(|pad| *pad == Buttons::START).unwrap() + 1;
    assert_eq!(pressed, press as usize, "the frame of Start in the movie");

    let (seed, at) = generated(waiting_rom(start), &pads(&frames)).expect("a round");
    assert_eq!((seed.0, at), (state(chosen), press + delay));
    assert_eq!(frame(chosen, "generated_clock_frame") + offset, at);
    let route = route(chosen);
    let length = table().total(&route).unwrap();
    let lead_in = u32::try_from(frames.len()).unwrap() - length;
    let plan = PlannedMovie { route, table: table(), lead_in };
    let console = || Console::new(waiting_rom(start)).unwrap();
    assert_eq!(plan.verify(&replay(console(), &frames)), Ok(()), "{start}");
    println!(
        "{start}: Start in frame {press} gives {seed} in {at}, {} pairs, each in its frame",
        plan.route.steps.len()
    );

    // A frame early or late: another round.
    let mut late = frames.clone();
    late.insert(0, PadFrame { pads: [Buttons::NONE; 2] });
    for (what, frames) in [("late", &late[..]), ("early", &frames[1..])] {
        let (other, _) = generated(waiting_rom(start), &pads(frames)).expect("a round");
        assert_ne!(other, seed, "a frame {what}");
        assert!(plan.verify(&replay(console(), frames)).is_err(), "a frame {what}");
    }
}

#[test]
fn a_round_generated_in_the_frame_of_the_press() {
    movie_plays_the_chosen_round("1", 0, &[recorded("1", Some(telling_press()), FRAMES)]);
}

/// A recording that ends with the press, and one that waits for longer.
fn start_and_wait(start: &str) -> [Vec<Sample>; 2] {
    [recorded(start, Some(telling_press()), FRAMES), recorded(start, None, FRAMES)]
}

#[test]
fn a_round_generated_later_from_the_state_before_the_press() {
    let recordings = start_and_wait("20/quiet");
    let folder = Folder::new();
    let alone = folder.answer(&[&folder.recording("start.nsrec", &recordings[0])], &[]);
    let why = alone["starts"]["unknown"].as_str().expect("no state stays for so long");
    assert!(why.contains("would have moved"), "{why}");
    movie_plays_the_chosen_round("20/quiet", 19, &recordings);
}

#[test]
fn a_round_generated_later_from_a_state_that_moves_on() {
    let recordings = start_and_wait("20");
    let folder = Folder::new();
    let file = folder.recording("start.nsrec", &recordings[0]);
    let alone = folder.answer(&[&file], &[]);
    let why = alone["starts"]["unknown"].as_str().expect("no press can be timed");
    assert!(why.contains("moves between the press and the generation"), "{why}");
    assert!(alone["best"][0]["last_clock_frame"].is_null(), "{alone}");
    let refused = folder.run(false, &[&file], &["--clock-offset", "1", "--out", "route.bk2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("record a second wait"));
    movie_plays_the_chosen_round("20", 19, &recordings);
}

/// The recorder attached while this cartridge showed its title, in this frame; then the console was switched off and on.
fn after_a_partial_run(shown: Vec<u8>, from: usize, samples: &[Sample]) -> Vec<Sample> {
    const SHOWN: usize = 190;
    let earlier = record(shown, &person(None), u32::try_from(from + SHOWN).unwrap());
    let all = earlier[from..].iter().chain(samples).cloned();
    let numbered = all.zip(5000..).map(|(sample, frame)| Sample {
        frame,
        elapsed: Duration::from_micros(frame * 16_689),
        ..sample
    });
    numbered.collect()
}

#[test]
fn a_run_that_begins_on_the_title_does_not_prevent_the_movie() {
    let press = telling_press();
    let recorded = recorded("1", Some(press), FRAMES);
    // It continues the wait of the run from power on, so that a press after that of the recording is offered.
    let later = press + 1 - clock_offset();
    movie_plays_the_chosen_round_from(
        "1",
        0,
        &[after_a_partial_run(waiting_rom("1"), 100, &recorded)],
        later,
    );
    movie_plays_the_chosen_round("1", 0, &[after_a_partial_run(waiting_rom("1"), 100, &recorded)]);
    // With other states, or without a frame in common, it says nothing of the wait from power on.
    let other = crate::movies::genesis::rom(77, "fall=0,menu=1,start=1");
    for (shown, from) in [(other, 100), (waiting_rom("1"), 600)] {
        let samples = after_a_partial_run(shown, from, &recorded);
        movie_plays_the_chosen_round("1", 0, std::slice::from_ref(&samples));
        let folder = Folder::new();
        let file = folder.recording("partial.nsrec", &samples);
        let found = folder.answer(&[&file], &[]);
        let runs = &found["starts"]["runs"];
        assert_eq!((&runs[0]["begins"], &runs[0]["used"]), (&"later".into(), &false.into()), "{found}");
        assert_eq!((&runs[1]["begins"], &runs[1]["used"]), (&"power-on".into(), &true.into()), "{found}");
        let text = String::from_utf8(folder.run(false, &[&file], &[]).stdout).unwrap();
        assert!(text.contains("begins later and continues no run from power on, not used"), "{text}");
    }
}

/// Recordings that differ, as those of a game whose state depends on more than the buttons.
#[test]
fn states_after_the_first_difference_are_not_offered() {
    let folder = Folder::new();
    let samples = recorded("1", Some(400), FRAMES);
    let mut other = recorded("1", None, 390);
    let from = 200;
    let differing = record(crate::movies::genesis::rom(77, "fall=0,menu=1,start=1"), &person(None), 390);
    other[from..].clone_from_slice(&differing[from..]);
    let files = [folder.recording("a.nsrec", &samples), folder.recording("b.nsrec", &other)];
    let found = folder.answer(&[&files[0], &files[1]], &[]);
    // With the start after the difference, nothing says from which state the round is generated.
    assert!(found["starts"]["unknown"].as_str().unwrap().contains("differ before the press"), "{found}");
    let wait = &found["starts"]["waits"][0];
    let differs = frame(wait, "differs_at") + clock_offset();
    // The first different frame may look like a sample that is a frame early; it is not used either.
    assert!((201..=202).contains(&differs), "{wait}");
    // With a start before it, the states up to it are offered.
    let early = folder.recording("early.nsrec", &recorded("1", Some(150), FRAMES));
    let found = folder.answer(&[&files[0], &files[1], &early], &[]);
    assert_eq!(found["starts"]["unknown"], Value::Null, "{found}");
    assert!(found["states"].as_u64().unwrap() > 20);
    let best = found["best"].as_array().unwrap();
    assert!(best.iter().all(|best| frame(best, "last_clock_frame") + clock_offset() <= differs), "{found}");
    let text = String::from_utf8(folder.run(false, &[&files[0], &files[1], &early], &[]).stdout).unwrap();
    let said = format!("the same up to frame {} in all runs", differs - clock_offset() - 1);
    assert!(text.contains(&said), "{text}");
}

#[test]
fn frames_that_were_not_sampled_are_said_and_not_offered() {
    let folder = Folder::new();
    let mut samples = recorded("1", Some(300), FRAMES);
    samples.drain(150..160);
    let file = folder.recording("missed.nsrec", &samples);
    let found = folder.answer(&[&file], &[]);
    assert_eq!(found["starts"]["runs"][0]["missed"], 10);
    let offset = clock_offset();
    for best in found["best"].as_array().unwrap() {
        let (first, last) = (frame(best, "clock_frame") + offset, frame(best, "last_clock_frame") + offset);
        // A press uses the state of the frame before.
        assert!(last <= 151 || first > 161, "frames {first} to {last}");
    }
    let out = folder.path("route.bk2");
    let refused = folder.run(false, &[&file], &["--out", out.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--clock-offset"));
    let late =
        found["best"].as_array().unwrap().iter().position(|best| frame(best, "clock_frame") + offset > 161);
    let choice = (late.expect("a later frame") + 1).to_string();
    let arguments = ["--choose", &choice, "--clock-offset", "5", "--out", out.to_str().unwrap()];
    let refused = folder.run(false, &[&file], &arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("were not sampled"), "{refused:?}");
    assert!(!out.exists());
}

#[test]
fn the_text_says_what_was_measured() {
    let folder = Folder::new();
    let [start, wait] = start_and_wait("20/quiet");
    let files = [folder.recording("start.nsrec", &start), folder.recording("wait.nsrec", &wait)];
    let output = folder.run(false, &[&files[0], &files[1]], &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let (pressed, press) = (telling_press(), telling_press() - clock_offset());
    for line in [
        "start.nsrec, from power on, frames 1 to".to_owned(),
        format!(
            "  Start in frame {press} (recording: {}), generated 19 frames later from state",
            5000 + pressed
        ),
        format!("first pair in frame {}, 27 frames after the press", press + 27),
        format!("the same in all {} frames that were compared", press - 1),
        "the round is generated from the state of the frame before the press (measured in 1 start)".into(),
        "\nStart in frame ".into(),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    println!("{text}");
}

/// A game that starts its round by itself: nothing is pressed, and the frame of the first pair is the lead-in of a movie.
#[test]
fn the_first_pair_of_a_round_without_a_press_is_printed() {
    let folder = Folder::new();
    let idle = |_: u32| Buttons::NONE;
    let samples = record(crate::movies::genesis::rom(SEED, SETTINGS), &idle, 300);
    let file = folder.recording("idle.nsrec", &samples);
    let found = folder.answer(&[&file], &[]);
    let run = &found["starts"]["runs"][0];
    assert_eq!(run["starts"].as_array().unwrap().len(), 0, "{run}");
    let first_pair = frame(&run["unpressed"][0], "first_pair_frame");
    assert_eq!(first_pair + clock_offset(), lead_in(SEED));
    let text = String::from_utf8(folder.run(false, &[&file], &[]).stdout).unwrap();
    assert!(text.contains("  a round without a press, generated in frame "), "{text}");
    assert!(text.contains(&format!(", first pair in frame {first_pair}\n")), "{text}");
}

#[test]
fn the_steps_and_other_routes_of_the_chosen_state_are_shown() {
    let folder = Folder::new();
    let file = folder.recording("start.nsrec", &recorded("1", Some(telling_press()), FRAMES));
    let answer = folder.answer(&[&file], &["--choose", "2", "--steps"]);
    let (steps, best) = (answer["steps"].as_array().unwrap(), &answer["best"][1]);
    assert_eq!(steps.len(), usize::try_from(best["pairs_used"].as_u64().unwrap()).unwrap());
    let places = |of: &Value| -> Vec<String> {
        let one = |step: &Value| format!("{} {} {}", step["pair"], step["column"], step["rotation"]);
        of.as_array().unwrap().iter().map(one).collect()
    };
    assert_eq!(places(&answer["steps"]), places(&best["placements"]));
    assert_eq!((&answer["routes"], &answer["start"]["rows"][0]), (&Value::Null, &"......".into()));
    let text = String::from_utf8(folder.run(false, &[&file], &["--choose", "2", "--steps"]).stdout).unwrap();
    let press = format!("Route of Start in frame {}", frame(best, "clock_frame"));
    assert!(text.contains(&press) && text.contains("After pair 1 ("), "{text}");

    let out = folder.path("easy.json");
    let options = ["--routes", "3", "--sort", "taps", "--out", out.to_str().unwrap()];
    let answer = folder.answer(&[&file], &options);
    let routes = answer["routes"].as_array().unwrap();
    assert_eq!((routes.len(), &answer["steps"]), (3, &Value::Null));
    let taps = |route: &Value| route["taps"].as_u64().unwrap() * 100 / route["pairs_used"].as_u64().unwrap();
    assert!(routes.is_sorted_by_key(taps), "{answer}");
    let written: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(places(&written["steps"]), places(&routes[0]["placements"]));
    let text = String::from_utf8(folder.run(false, &[&file], &["--routes", "3"]).stdout).unwrap();
    assert!(text.contains("Routes of Start in frame ") && text.contains("taps per pair"), "{text}");
}
