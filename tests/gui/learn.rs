//! The Learn panel without a display: deals are noted by keys, clicks and text, and a recording of an unknown game becomes a profile.

use crate::gui_support::{
    Window, click, copied, draws_until, label, nothing_runs, press, sees, types_into, waits_for, window_on,
};
use crate::process_target::{Target, send};
use crate::unknown_game::{EACH, InRam, RAM, TITLE, Unknown, unknown};
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, vec2};
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::emulator::EmulatorInfo;
use nextscope::gui::Settings;
use nextscope::live::{Connection, EmulatorRow, ReplaySource, ReplayState, RowState, View};
use nextscope::process::HostAddr;
use nextscope::profile::parse;
use nextscope::recording::Recording;
use std::sync::Arc;

const AREA: &str = "Noted deals, ";
const TEXT: &str = "As text";

/// The role of a process that plays an unknown game.
pub const ROLE: &str = "unknown-game";

pub fn play() {
    let ram = vec![0_u8; RAM].leak();
    send(ram.as_ptr() as usize);
    let game = unknown(InRam::State);
    loop {
        game.play(ram, drop);
    }
}

/// A window on a recording of a game, paused at a frame.
fn window_at(game: &Unknown, frame: u64) -> Window {
    let recording = Arc::new(Recording::from_bytes(game.recording(), "unknown.nsrec").unwrap());
    let mut replay = crate::gui_support::replayed(false).replay.unwrap();
    replay = ReplayState { frame, name: recording.name().to_owned(), ..replay };
    let view = View {
        connection: Connection::Replaying { playing: false },
        replay: Some(replay),
        replayed: Some(ReplaySource { recording, detected_at: Arc::default() }),
        ..nothing_runs()
    };
    opened(view)
}

fn opened(view: View) -> Window {
    let mut window = window_on(view, Settings::default(), vec2(1280.0, 1600.0));
    press(&mut window, Modifiers::COMMAND, Key::J);
    window
}

/// Types into what has the keyboard.
fn types(window: &mut Window, text: &str) {
    for letter in text.chars() {
        window.event(Event::Text(letter.to_string()));
        window.run_steps(2);
    }
}

fn is_disabled(window: &Window, button: &str) -> bool {
    window.get_by_role_and_label(Role::Button, button).accesskit_node().is_disabled()
}

fn enters(window: &mut Window, text: &str) {
    types_into(window, Role::MultilineTextInput, TEXT, text);
}

fn empties(window: &mut Window, field: &str) {
    window.get_by_role_and_label(Role::TextInput, field).focus();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    press(window, Modifiers::NONE, Key::Delete);
}

fn learns(window: &mut Window) {
    window.get_by_role_and_label(Role::Button, "Learn rule").focus();
    window.run_steps(2);
    press(window, Modifiers::NONE, Key::Enter);
}

#[test]
fn a_recording_and_the_letters_of_its_pieces_become_a_profile() {
    let game = unknown(InRam::State);
    let mut window = window_at(&game, 0);
    let folder = tempfile::tempdir().unwrap();
    let profiles = folder.path().join("profiles");
    window.state_mut().0.set_profile_folder(Some(profiles.clone()));
    assert!(sees(&window, "unknown.nsrec") && is_disabled(&window, "Learn rule"));
    enters(&mut window, &game.letters);
    assert!(sees(&window, "45 deals noted"));
    click(&mut window, "First deal of a game");
    learns(&mut window);
    waits_for(&mut window, "Rule: certain; the chance that a wrong one explains as much is");
    assert!(window.query_by_label("Certain").is_some());
    for found in ["0x10, 1 byte, +1 per frame", "state at 0x148, 4 bytes, lowest first", "0x62 next; I="] {
        assert!(sees(&window, found), "{found}");
    }
    let rule = copied(&mut window, "Copy rule");
    assert!(rule.contains("kind = \"history\""), "{rule}");
    let report = copied(&mut window, "Copy report");
    assert!(
        report.contains("\nRule: certain;") && report.ends_with(&format!("{}\n", rule.trim_end())),
        "{report}"
    );

    // It takes effect in the folder of profiles, which did not exist.
    let path = profiles.join("my-game.toml");
    click(&mut window, "Save profile");
    waits_for(&mut window, "Saved ");
    let text = std::fs::read_to_string(&path).unwrap();
    let profile = parse(&text, "my-game.toml").0.unwrap();
    assert_eq!((profile.name.as_str(), profile.randomizer.is_some()), ("my-game", true), "{text}");
    assert!(text.contains("status = \"learned\"") && text.contains("Rule: certain"), "{text}");
    // An existing one needs another press.
    std::fs::write(&path, "mine").unwrap();
    click(&mut window, "Save profile");
    assert!(sees(&window, "File exists. Save again to overwrite"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    types_into(&mut window, Role::TextInput, "File", &profiles.join("other.txt").display().to_string());
    assert!(sees(&window, "The name of a profile ends with .toml"));

    click(&mut window, "Watch cells");
    press(&mut window, Modifiers::COMMAND, Key::T);
    for watch in ["frame counter", "generator", "piece in play", "piece next"] {
        assert!(sees(&window, watch), "{watch}");
    }
}

#[test]
fn few_deals_are_not_called_certain_and_wrong_ones_are_refused_with_the_reason() {
    let game = unknown(InRam::State);
    let mut window = window_at(&game, 0);
    enters(&mut window, &game.letters[..11]);
    assert!(sees(&window, "1 more deal at least") && is_disabled(&window, "Learn rule"));
    enters(&mut window, &format!("{}Q", &game.letters[..20]));
    assert!(sees(&window, "'Q' is no piece") && is_disabled(&window, "Learn rule"));
    enters(&mut window, &game.lines());
    assert!(sees(&window, "45 deals noted"), "lines of frames and letters");
    types_into(&mut window, Role::TextInput, "last frame", "soon");
    assert!(sees(&window, "A frame is a number") && is_disabled(&window, "Learn rule"));
    empties(&mut window, "last frame");
    types_into(&mut window, Role::TextInput, "first frame", "99999");
    learns(&mut window);
    waits_for(&mut window, "Frame 99999 is not in the recording");
    empties(&mut window, "first frame");

    let lines: Vec<String> = game.lines().lines().take(22).map(str::to_owned).collect();
    enters(&mut window, &lines.join("\n"));
    types_into(&mut window, Role::TextInput, "last frame", &(TITLE + EACH * 22).to_string());
    learns(&mut window);
    waits_for(&mut window, "Rules tried");
    assert!(window.query_by_label("Certain").is_none(), "{:?}", label(&window, "Rule: "));
    assert!(sees(&window, "22 deals"), "{:?}", label(&window, " deals"));
}

#[test]
fn deals_are_noted_at_the_frame_that_is_shown_and_taken_back() {
    let mut window = window_at(&unknown(InRam::State), 71);
    let text = |window: &Window| {
        window.get_by_role_and_label(Role::MultilineTextInput, TEXT).accesskit_node().value().unwrap()
    };
    types(&mut window, "tl");
    assert_eq!(text(&window), "71,T\n71,L\n", "the panel has the keyboard at once");
    assert!(label(&window, AREA).starts_with("Noted deals, 2: TL."));
    if let Some(replay) = &mut window.state_mut().1.replay {
        replay.frame = 94;
    }
    click(&mut window, "Enter piece S");
    assert_eq!(text(&window), "71,T\n71,L\n94,S\n");
    assert!(label(&window, "Deal 3").ends_with("piece S"));
    press(&mut window, Modifiers::NONE, Key::Backspace);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(text(&window), "71,T\n");
    assert!(is_disabled(&window, "Pairs"), "pieces are noted");
    types(&mut window, "r");
    assert!(sees(&window, "letters of pieces and of colours do not go together"));
    click(&mut window, "Undo");
    assert!(text(&window).is_empty() && is_disabled(&window, "Undo"));
    enters(&mut window, "TLS");
    click(&mut window, "Enter piece Z");
    assert_eq!(
        text(&window).split_whitespace().collect::<String>(),
        "TLSZ",
        "letters without frames stay so"
    );
}

#[test]
fn a_running_game_is_sampled_and_pairs_are_noted_axis_first() {
    let mut target = Target::start(ROLE);
    let HostAddr(address) = target.receive_addr();
    let row = EmulatorRow {
        pid: target.pid(),
        identity: EmulatorInfo {
            name: "FCEUX".into(),
            content: Some("unknown.NES".into()),
            known: true,
            ..EmulatorInfo::default()
        },
        program: "/usr/games/fceux".into(),
        state: RowState::NoGame,
        report: None,
    };
    let mut window = window_on(
        View { emulators: Arc::new(vec![row]), ..View::default() },
        Settings::default(),
        vec2(1280.0, 1600.0),
    );
    click(&mut window, "Learn this game");
    assert!(window.query_by_role_and_label(Role::ComboBox, "Console").is_some());
    types_into(&mut window, Role::TextInput, "RAM address", &format!("{address:x}"));
    window.get_by_role_and_label(Role::Button, "Start sampling").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Enter);
    draws_until(&mut window, "samples", |window| sees(window, "0 deals") && !sees(window, "0 samples"));
    waits_for(&mut window, "Click each deal, or type its letter");
    draws_until(&mut window, "the deals have the keyboard", |window| {
        window.get_by_label_contains(AREA).is_focused()
    });
    types(&mut window, "RBGG");
    assert!(label(&window, AREA).starts_with("Noted deals, 2: RB GG."), "{}", label(&window, AREA));
    assert!(label(&window, "Deal 1").ends_with("axis red, child blue"));
    types(&mut window, "y");
    assert!(label(&window, AREA).starts_with("Noted deals, 2: RB GG Y."));
    press(&mut window, Modifiers::NONE, Key::Backspace);
    press(&mut window, Modifiers::NONE, Key::Backspace);
    assert!(label(&window, AREA).starts_with("Noted deals, 1: RB."), "half a pair, and then a pair");
    click(&mut window, "Clear");
    click(&mut window, "Pieces");
    click(&mut window, "Enter piece I");
    assert!(label(&window, AREA).starts_with("Noted deals, 1: I."));

    // What was sampled is not lost when the emulator ends.
    for letter in "JLOSTZIJLOS".chars() {
        let samples = label(&window, " samples, ");
        draws_until(&mut window, "a sample", |window| label(window, " samples, ") != samples);
        types(&mut window, &letter.to_string());
    }
    target.kill();
    waits_for(&mut window, "Sampling ended: ");
    assert!(sees(&window, "12 deals") && !is_disabled(&window, "Learn rule"));
    learns(&mut window);
    waits_for(&mut window, "12 deals are too few");
    click(&mut window, "Start again");
    waits_for(&mut window, "Could not start sampling: process ");
    assert!(label(&window, AREA).starts_with("Noted deals, 0: none."));
}
