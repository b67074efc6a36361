//! Opens the real window with simulated data, so that every state can be inspected without an emulator:
//! `cargo run --example gui_gallery -- live --light --size 1280x800 --zoom 1.5`. With `real` it is the window
//! as `nextscope` opens it; `--recording FILE` writes a recording with a mismatch. With `unknown` this program is an emulator with a game
//! for the Learn panel: it prints the address of its RAM, begins to play at a line of input, and prints the letter of each piece.
#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../tests/gui_support/mod.rs"]
mod gui_support;
#[path = "../tests/recordings/support.rs"]
#[allow(dead_code)]
mod recordings;
#[path = "../tests/unknown_game/mod.rs"]
mod unknown_game;
#[path = "../tests/waiting/mod.rs"]
mod waiting;

use eframe::egui;
use gui_support::{Game, arcade};
use nextscope::emulator::EmulatorInfo;
use nextscope::gui::{App, OverlaySettings, PaletteChoice, Settings};
use nextscope::live::{Connection, EmulatorRow, RowState, View};
use nextscope::log::Log;
use nextscope::process::Pid;
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Gallery {
    app: App,
    view: View,
    running: Option<Game>,
    frames: u32,
    busy: f32,
    drawing: Duration,
    started: Instant,
}

impl eframe::App for Gallery {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        if let Some(game) = &mut self.running {
            game.frames(6);
            self.view = game.live(Duration::from_millis(3));
        }
        if let (Connection::Live, Some(data)) = (&self.view.connection, &mut self.view.data) {
            data.taken = Instant::now();
        }
        let cost = frame.info().cpu_usage.unwrap_or(0.0).max(0.0);
        self.app.pacer().drawn(Duration::from_secs_f32(cost), None, Instant::now());
        let drawing = Instant::now();
        self.app.show(ui, &self.view);
        self.drawing += drawing.elapsed();
        self.frames += 1;
        self.busy += cost;
        if self.frames.is_multiple_of(50) {
            let all = 1000.0 * self.busy / 50.0;
            let ui = 1000.0 * self.drawing.as_secs_f32() / 50.0;
            let at = self.started.elapsed().as_secs_f32();
            eprintln!(
                "{at:.1} s: 50 frames, {all:.2} ms each with painting, of which {ui:.2} ms in our code"
            );
            self.busy = 0.0;
            self.drawing = Duration::ZERO;
        }
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|found| found == word);
    let after =
        |word: &str| words.iter().position(|found| found == word).and_then(|at| words.get(at + 1)).cloned();
    if has("real") {
        let library = nextscope::profile::Library::load(None);
        let log = nextscope::log::start(1);
        let sampler = nextscope::live::Options::default();
        let options = nextscope::gui::Options {
            sampler,
            library: Some(library),
            log,
            start_demo: None,
            started: None,
            recordings: None,
            judge_by_library: false,
        };
        return nextscope::gui::run(options).expect("the window opens");
    }
    if let Some(file) = after("--recording") {
        return std::fs::write(file, gui_support::recorded(true)).expect("the recording is written");
    }
    let ms = Duration::from_millis;
    let mut running = None;
    let view = match words.first().map_or("live", String::as_str) {
        "first" => gui_support::nothing_runs(),
        "choosing" => gui_support::two_candidates(),
        "refused" => gui_support::refused(),
        "mismatch" => gui_support::mismatched(),
        "boot" => Game::booted().live(ms(3)),
        "paused" => Game::playing().paused(ms(4200)),
        "lost" => Game::playing().lost(ms(12_300)),
        "tap" => arcade::tap(7, true, 30).0.view(),
        "tap-narrowing" => arcade::tap_begun(0x22B, false).0.view(),
        "tap-chances" => arcade::tap(0x22B, false, 3).0.view(),
        "tap-known" => arcade::tap(0x22B, false, 14).0.view(),
        "unknown" => unknown(),
        "sega" => arcade::sega(0, 0).0.view(),
        "sega-counted" => arcade::sega(0x00C0_FFEE, 30).0.view(),
        _ => {
            running = Some(Game::playing());
            Game::playing().live(ms(3))
        }
    };
    let settings = Settings {
        theme: if has("--light") { egui::ThemePreference::Light } else { egui::ThemePreference::Dark },
        zoom: after("--zoom").and_then(|zoom| zoom.parse().ok()).unwrap_or(1.0),
        overlay: OverlaySettings { shown: has("--overlay"), ..OverlaySettings::default() },
        letters: !has("--no-letters"),
        palette: if has("--wong") { PaletteChoice::Wong } else { PaletteChoice::Game },
        ..Settings::default()
    };
    let size = after("--size").unwrap_or_else(|| "1280x800".into());
    let (width, height) = size.split_once('x').expect("--size WIDTHxHEIGHT");
    let size = [width.parse::<f32>().unwrap(), height.parse::<f32>().unwrap()];
    let known = vec![Game::booted().profile.name.clone()];
    let log = Log::default();
    if let Some(target) = &view.target {
        let (name, game) = (&target.identity.name, &target.profile.name);
        let (method, ms) = (target.method, target.elapsed.as_millis());
        log.push(tracing::Level::INFO, format!("attached to {name} (4711), {game}, by {method} in {ms} ms"));
    }
    let demo = || anyhow::bail!("there is no demo in the gallery");
    let app = App::new(settings, log, known, Some(Box::new(demo)));
    let started = Instant::now();
    let gallery = Gallery { app, view, running, frames: 0, busy: 0.0, drawing: Duration::ZERO, started };
    let viewport = egui::ViewportBuilder::default().with_inner_size(size).with_position([0.0, 0.0]);
    let native = eframe::NativeOptions { viewport, ..Default::default() };
    eframe::run_native("nextscope-gallery", native, Box::new(move |_| Ok(Box::new(gallery))))
        .expect("the window opens");
}

/// This program as an emulator with a game that no profile knows.
fn unknown() -> View {
    let ram = vec![0_u8; unknown_game::RAM].leak();
    println!("{:x}", ram.as_ptr() as usize);
    std::thread::spawn(move || {
        let game = unknown_game::unknown(unknown_game::InRam::State);
        std::io::stdin().read_line(&mut String::new()).expect("a line of input");
        game.play(ram, |letter| println!("{letter}"));
        std::thread::park();
    });
    let identity = EmulatorInfo {
        name: "Gallery".into(),
        content: Some("unknown.nes".into()),
        known: true,
        ..EmulatorInfo::default()
    };
    let row = EmulatorRow {
        pid: Pid(std::process::id()),
        identity,
        program: "gui_gallery".into(),
        state: RowState::NoGame,
        report: None,
    };
    View { emulators: Arc::new(vec![row]), ..View::default() }
}
