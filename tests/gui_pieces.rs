//! A game of single pieces in the window: what is certain, what depends on the frame, the checks.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use eframe::egui::{Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::emulator::{Identity, Method, Proof};
use nextscope::game::GameId;
use nextscope::game::tetris_nes::{Spawner, spawn_orientation};
use nextscope::gui::log::Log;
use nextscope::gui::{App, Settings};
use nextscope::live::{Connection, Data, Look, Target, Totals, Tracker, View};
use nextscope::process::Pid;
use nextscope::profile::Library;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A game that has just begun, in its own RAM, as the sampler shows it.
fn view() -> (View, Spawner) {
    let profile = Arc::clone(Library::built_in().by_id("tetris-nes").unwrap());
    let mut spawner = Spawner::default();
    let (current, next) = spawner.start(); // Z and I (reference 3.2)
    let mut ram = vec![0; ConsoleId::Nes.domain().len as usize];
    ram[0x400..0x4C8].fill(0xEF);
    (ram[0xC0], ram[0xA7], ram[0x62], ram[0xBF]) =
        (4, 2, spawn_orientation(current), spawn_orientation(next));
    ram[0x3F4] = 1;
    (ram[0x19], ram[0x1A]) = (spawner.last, spawner.count);
    let mut tracker = Tracker::new(GameId::TetrisNes);
    let mut totals = Totals::default();
    let mut data = None;
    for frame in 1..=3_u64 {
        spawner.state = spawner.state.step();
        ram[0x17..0x19].copy_from_slice(&spawner.state.0.to_be_bytes());
        ram[0xB1] = frame.to_le_bytes()[0];
        let domain = ConsoleId::Nes.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram.clone()).unwrap();
        let look = Look { snapshot: &snapshot, profile: &profile, frame };
        let (observation, forecast, mismatches) = tracker.look(&look, &mut totals);
        assert_eq!(mismatches, []);
        data = Some(Data {
            taken: Instant::now(),
            frame,
            frames_per_second: 60.0,
            observation,
            forecast,
            verdict: Arc::new(tracker.verdict()),
            snapshot,
        });
    }
    let target = Target {
        pid: Pid(4711),
        identity: Identity { name: "FCEUX".into(), known: true, ..Identity::default() },
        profile,
        method: Method::KnownBuild,
        proof: Proof { anchors: Vec::new(), moved: String::new() },
        ram: String::new(),
        elapsed: Duration::from_millis(12),
    };
    let view = View {
        connection: Connection::Live,
        target: Some(Arc::new(target)),
        data,
        totals,
        ..View::default()
    };
    (view, spawner)
}

#[test]
fn pieces_and_waits_are_found_by_label_and_checks_by_name() {
    let (view, spawner) = view();
    let app = App::new(Settings::default(), Log::default(), vec!["Tetris (NES, USA)".into()], None);
    let show = |ui: &mut Ui, (app, view): &mut (App, View)| {
        if let Some(data) = &mut view.data {
            data.taken = Instant::now();
        }
        app.show(ui, view);
    };
    let builder = Harness::builder().with_size(vec2(1280.0, 800.0)).with_theme(Theme::Dark);
    let mut window = builder.build_ui_state(show, (app, view));
    window.run();
    let sees = |text: &str| window.query_all_by_label_contains(text).next().is_some();
    assert!(sees("player 1, now: piece Z") && sees("player 1, next: piece I"));
    for frames in [1, 7, 60] {
        let (piece, _) = spawner.after(frames).pick();
        assert!(sees(&format!("player 1, picked in {frames} frames: {piece}")), "{frames}");
    }
    assert!(sees("player 1, frames to wait for"));
    assert!(sees("Dealt piece") && sees("Generator steps"));
    assert!(!sees("Whole 3-colour pool"), "no pool of puyos");
}
