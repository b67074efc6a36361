//! Durations measured in the window: while the test cartridge is played, from the recording of that, and written into a profile.

use crate::gui_support::{click, draws_until, labels, sees, waits_for};
use eframe::egui::{Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use nextscope::demo::{DemoOptions, DemoProcess, spawn_program};
use nextscope::gui::{App, Settings};
use nextscope::live::{self, Sampler, Subscriber, View, measure_recording};
use nextscope::log::Log;
use nextscope::profile::{FrameStatus, Library, parse};
use nextscope::recording::Recording;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Times that are not those of the built-in profile. The cartridge itself presses the buttons.
const CARTRIDGE: &str = "hand1=controller,robot=1,deal2=60000,menu=1,schedule=versus,pairs=60000,garbage=0,press=1,release=2,down=2,\
                         fall=8192,lock=5,delay=9,chain=20,group=3";

struct Running {
    app: App,
    view: Subscriber<View>,
    sampler: Sampler,
    /// The file of the last recording.
    recorded: Option<PathBuf>,
    _console: Option<DemoProcess>,
}

type Window = Harness<'static, Running>;

fn window(options: live::Options, folder: &Path, console: Option<DemoProcess>) -> Window {
    let recording = options.replay.clone();
    let sampler = Sampler::start(options).unwrap();
    let mut app = App::new(Settings::default(), Log::default(), Vec::new(), None);
    app.set_profile_folder(Some(folder.join("profiles")));
    app.set_recording_folders(Some(folder.join("recordings")), None);
    app.set_profiles(Library::built_in().profiles());
    if let Some(recording) = recording {
        app.set_recording(recording);
    }
    let running = Running { app, view: sampler.view(), sampler, recorded: None, _console: console };
    let show = |ui: &mut Ui, running: &mut Running| {
        let view = running.view.get();
        running.recorded = view.recording.as_ref().map(|recording| recording.path.clone());
        running.app.show(ui, &view);
        for order in running.app.take_orders() {
            running.sampler.send(order);
        }
    };
    Harness::builder().with_size(vec2(1280.0, 1900.0)).with_theme(Theme::Dark).build_ui_state(show, running)
}

/// Presses a button as a screen reader does. A click is at a position, and while a game is played, what is above a button may move it.
fn press_button(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    window.run_steps(3);
}

#[test]
fn durations_are_measured_live_and_in_the_recording_and_written_into_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let demo = DemoOptions { speed: 2.0, config: CARTRIDGE.parse().unwrap(), ..DemoOptions::default() };
    let console = spawn_program(Path::new(env!("CARGO_BIN_EXE_nextscope")), &demo).unwrap();
    let profiles = Library::built_in().profiles().to_vec();
    let options = live::Options { pid: Some(console.pid()), profiles, ..live::Options::default() };
    let mut live = window(options, folder.path(), Some(console));
    waits_for(&mut live, "puyo-tsu-genesis");
    click(&mut live, "Tools");
    click(&mut live, "Start or stop measuring frame times");
    waits_for(&mut live, "Stop measuring");
    // Enough for a number that is certain.
    draws_until(&mut live, "certain durations", |live| labels(live, "exact").len() > 2);
    let path = live.state().recorded.clone().expect("a recording is the evidence");
    press_button(&mut live, "Stop measuring");
    draws_until(&mut live, "the end of the measurement", |live| !sees(live, "Stop measuring"));
    press_button(&mut live, "Write to my profile");
    waits_for(&mut live, "Saved to ");
    let written = std::fs::read_to_string(folder.path().join("profiles/puyo-tsu-genesis.toml")).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(written.contains(&format!("nextscope frames measure, {name}, player 1")), "{written}");
    let frames = parse(&written, "written").0.expect("a valid profile").frames.expect("a table");
    assert!(matches!(frames.status, FrameStatus::PartlyConfirmed | FrameStatus::Measured));
    let fall = frames.fall.frames.get();
    assert!(fall == 2 || !frames.fall.source.contains("frames measure"), "{fall}: {}", frames.fall.source);
    draws_until(&mut live, "the end of the recording", |_| {
        Recording::open(&path).is_ok_and(|recording| recording.damage().is_empty() && !recording.is_empty())
    });
    drop(live);

    let recording = Arc::new(Recording::open(&path).unwrap());
    let options = live::Options { replay: Some(Arc::clone(&recording)), ..live::Options::default() };
    let mut replayed = window(options, folder.path(), None);
    waits_for(&mut replayed, "puyo-tsu-genesis");
    click(&mut replayed, "Tools");
    click(&mut replayed, "Start or stop measuring frame times");
    waits_for(&mut replayed, "not timed");
    let expected = measure_recording(&recording, &[], 0, |_, _| true).unwrap();
    assert!(expected.is_measured());
    for (part, estimate) in &expected.times {
        assert!(sees(&replayed, &part.label()), "{part}");
        assert!(sees(&replayed, &estimate.certainty.to_string()), "{part}");
        for seen in &estimate.seen {
            let link = format!("{} seen {}×, go to frame {}", seen.frames, seen.count, seen.at[0]);
            assert!(sees(&replayed, &link), "{part}: {link}");
        }
    }
    // A frame leads to the sample.
    let seen = expected.times.iter().find_map(|(_, estimate)| estimate.seen.first()).unwrap();
    let frame = seen.at[0];
    let link = format!("go to frame {frame}");
    replayed.query_all_by_label_contains(&link).next().unwrap().scroll_to_me();
    replayed.run_steps(30);
    replayed.query_all_by_label_contains(&link).next().unwrap().click();
    draws_until(&mut replayed, "the frame", |window| {
        let view = window.state().view.clone().get();
        view.replay.as_ref().is_some_and(|replay| replay.frame == frame)
    });
}
