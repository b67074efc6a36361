//! Single-piece games in the window: certain pieces, pieces that depend on the frame, checks.

use crate::gui_support::{Window, arcade, window_on};
use eframe::egui::{OutputCommand, Vec2, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
use nextscope::games::piece::{Dealer, Piece, letters};
use nextscope::games::tetris_nes::{Spawner, spawn_orientation};
use nextscope::gui::{OverlaySettings, Settings};
use nextscope::live::{Connection, Data, SampleContext, Target, Totals, Tracker, View};
use nextscope::process::Pid;
use nextscope::profile::Library;
use nextscope::text::counted;
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
    let mut tracker = Tracker::new(nextscope::games::tetris_nes::ID);
    let mut totals = Totals::default();
    let mut data = None;
    for frame in 1..=3_u64 {
        spawner.state = spawner.state.step();
        ram[0x17..0x19].copy_from_slice(&spawner.state.0.to_be_bytes());
        ram[0xB1] = frame.to_le_bytes()[0];
        let domain = ConsoleId::Nes.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram.clone()).unwrap();
        let look = SampleContext { snapshot: &snapshot, profile: &profile, frame };
        let nextscope::live::Update { observation, prediction, mismatches } =
            tracker.update(&look, &mut totals);
        assert_eq!(mismatches, []);
        data = Some(Data {
            taken: Instant::now(),
            frame,
            frames_per_second: 60.0,
            observation,
            prediction,
            verdict: Arc::new(tracker.verdict()),
            snapshot,
        });
    }
    let target = Target {
        pid: Pid(4711),
        identity: EmulatorInfo { name: "FCEUX".into(), known: true, ..EmulatorInfo::default() },
        profile,
        method: DetectionMethod::KnownBuild,
        proof: DetectionEvidence { anchors: Vec::new(), liveness: String::new() },
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

fn window_with(view: View, settings: Settings, size: Vec2) -> Window {
    let mut window = window_on(view, settings, size);
    window.run();
    window
}

fn window(view: View) -> Window {
    window_with(view, Settings::default(), vec2(1280.0, 900.0))
}

fn sees(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

/// The certain pieces shown: large pieces, then the rows below with their numbers.
fn strips(window: &Window, who: &str, from: &str) -> String {
    let mut all = String::new();
    for piece in window.query_all_by_label_contains(&format!("{who}, then: piece ")) {
        all.extend(piece.accesskit_node().label().unwrap().chars().last());
    }
    for first in 1..=1000 {
        let start = format!("{who}, pieces {first} to ");
        for strip in window.query_all_by_label_contains(&start) {
            let label = strip.accesskit_node().label().unwrap();
            let (_, pieces) = label.split_once(&format!(" {from}: ")).unwrap();
            all += pieces;
        }
    }
    all
}

#[test]
fn a_known_generator_state_predicts_all_pieces() {
    let (machine, dealer) = arcade::tap(7, true, 5);
    let window = window(machine.view());
    // Reference 3.4: the first recorded game begins JTOLSJTZISOZLITJ.
    assert!(sees(&window, "player 1, now: piece S") && sees(&window, "player 1, next: piece J"));
    assert!(sees(&window, "6 pieces sampled") && sees(&window, "certain by the generator state in RAM"));
    assert!(sees(&window, "Piece 5 of the game"));
    let ahead = letters(&dealer.to_owned().deal_many(60));
    assert!(ahead.starts_with("TZISOZLITJ"));
    assert_eq!(strips(&window, "player 1", "ahead"), ahead);
    assert!(!sees(&window, "Chances of the piece after the next") && !sees(&window, "Full 3-colour pool"));
}

#[test]
fn probabilities_are_shown_while_several_states_are_left() {
    let (begun, ..) = arcade::tap_begun(0x22B, false);
    let Some(forecast) = begun.forecast().get::<nextscope::games::tgm::live::Prediction>() else {
        panic!("a game of the Grand Master")
    };
    assert!(forecast.narrowing);
    let first = window(begun.view());
    assert!(sees(&first, "narrowing down the generator states..."));
    assert!(sees(&first, "Before the first piece of the game"));
    assert!(sees(&first, "player 1, next: piece ") && !sees(&first, "Chances of the piece after the next"));
    drop(first);

    let (machine, _) = arcade::tap(0x22B, false, 3);
    let Some(forecast) = machine.forecast().get::<nextscope::games::tgm::live::Prediction>() else {
        panic!("a game of the Grand Master")
    };
    let overlay = OverlaySettings { shown: true, ..OverlaySettings::default() };
    let settings = Settings { overlay, ..Settings::default() };
    let some = window_with(machine.view(), settings, vec2(1280.0, 900.0));
    assert!(sees(&some, "Chances of the piece after the next"));
    for (piece, chance) in Piece::ALL.into_iter().zip(forecast.chances) {
        assert!(sees(&some, &format!("player 1, {:.1} % after the next: piece {piece}", 100.0 * chance)));
    }
    let left = forecast.remaining.unwrap();
    assert!(left > 1000);
    let grouped = format!("{},{:03} generator states left", left / 1000, left % 1000);
    assert!(left >= 1_000_000 || sees(&some, &grouped), "{grouped}");
    let mut likeliest: Vec<(Piece, f32)> = Piece::ALL.into_iter().zip(forecast.chances).collect();
    likeliest.sort_by(|one, other| other.1.total_cmp(&one.1));
    let (piece, chance) = likeliest[0];
    assert!(sees(&some, &format!("overlay, player 1, then {piece}: {:.0} %", 100.0 * chance)));
    drop(some);

    let (machine, dealer) = arcade::tap(0x22B, false, 14);
    let known = window(machine.view());
    assert!(sees(&known, "1 generator state left") && sees(&known, "certain by the pieces sampled"));
    assert_eq!(strips(&known, "player 1", "ahead"), letters(&dealer.to_owned().deal_many(60)));
}

#[test]
fn sega_tetris_shows_all_pieces_and_their_address() {
    let (machine, game) = arcade::sega(0, 0);
    let mut first = window_with(machine.view(), Settings::default(), vec2(1280.0, 1100.0));
    // Codes 4 0 4 0 0 6 (reference 4.2).
    let opening: Vec<Piece> = game.to_owned().deal_many(6);
    assert_eq!(letters(&opening), "TITIIJ");
    assert!(sees(&first, "this game, first: piece T"));
    assert!(sees(&first, "power-on pattern: battery RAM was cleared"));
    assert!(sees(&first, "The next piece is unknown"));
    for (monkey, caption) in [(false, "skipped"), (true, "shown")] {
        let pieces = letters(&game.next_game(monkey).deal_many(20));
        assert!(sees(
            &first,
            &format!("if the bonus screen (monkey) is {caption}, pieces 1 to 20 of the game: {pieces}")
        ));
    }
    let command = "nextscope profile locate --profile sega-tetris --pid 4711 --write FILE";
    assert!(sees(&first, "Found by content: pieces at 0x") && sees(&first, command));
    let mut copied = Vec::new();
    for number in 0..first.query_all_by_label("Copy").count() {
        first.query_all_by_label("Copy").nth(number).expect("a button").click();
        for _ in 0..4 {
            first.step();
            copied.extend(first.output().platform_output.commands.iter().cloned());
        }
    }
    assert!(copied.iter().any(|done| matches!(done, OutputCommand::CopyText(text) if text == command)));
    // Expand the rest.
    first.query_by_label_contains("Also certain: pieces ").unwrap().click();
    first.run();
    let all: Vec<Piece> = game.to_owned().deal_many(1000);
    assert_eq!(strips(&first, "this game", "of the game"), letters(&all[1..]));
    drop(first);

    let (machine, game) = arcade::sega(0x00C0_FFEE, 30);
    let overlay = OverlaySettings { shown: true, ..OverlaySettings::default() };
    let later =
        window_with(machine.view(), Settings { overlay, ..Settings::default() }, vec2(1280.0, 1100.0));
    let next = game.ahead(0);
    assert!(sees(&later, &format!("this game, next: piece {next}")));
    assert!(sees(&later, &format!("overlay, player 1, ahead 0: piece {next}")));
    assert!(sees(&later, "Pieces verified") && !sees(&later, "Pairs"));
    assert!(sees(&later, "Piece 31 of 1,000 is next") && sees(&later, "piece counter at 0x"));
}

#[test]
fn pieces_waits_and_checks_have_labels() {
    let (view, spawner) = view();
    let window = window(view);
    let sees = |text: &str| sees(&window, text);
    assert!(sees("player 1, now: piece Z") && sees("player 1, next: piece I"));
    for frames in [1, 7, 60] {
        let (piece, _) = spawner.after(frames).pick();
        assert!(sees(&format!("player 1, after {}: {piece}", counted(frames, "frame"))), "{frames}");
    }
    assert!(sees("player 1, frames to wait for"));
    assert!(sees("Dealt piece") && sees("Generator steps"));
    assert!(!sees("Full 3-colour pool"), "no pool of puyos");
}
