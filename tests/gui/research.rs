//! The Research panel without a display: addresses are found by clicks and keys, in a live console and in dumps.

use crate::gui_support::{draws_until, press, sees};
use crate::nds_game::{BLOCK, FRAMES, recorded};
use crate::waiting::eventually;
use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, Theme, Ui, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::console::{ConsoleAddr, StorageOrder};
use nextscope::demo::console::Console;
use nextscope::demo::{DemoOptions, DemoProcess, spawn_program};
use nextscope::gui::{App, Settings};
use nextscope::live::{Options, ReplayCommand, Sampler, SamplerCommand, Subscriber, View};
use nextscope::log::Log;
use nextscope::profile::Library;
use nextscope::recording::Recording;
use std::path::Path;
use std::sync::Arc;

/// Where the cartridge counts the pairs of player 1 (its `ram.inc`), which docs/research.md finds.
const PAIRS_DEALT: ConsoleAddr = ConsoleAddr(0xFF_85A6);
const BOARD: usize = 0x8000;

pub struct State {
    app: App,
    view: View,
    latest: Option<Subscriber<View>>,
}

pub type Window = Harness<'static, State>;

pub fn window(latest: Option<Subscriber<View>>) -> Window {
    let app = App::new(Settings::default(), Log::default(), Vec::new(), None);
    let show = |ui: &mut Ui, state: &mut State| {
        if let Some(latest) = &mut state.latest {
            state.view = View::clone(&latest.get());
        }
        state.app.show(ui, &state.view);
    };
    let state = State { app, view: crate::gui_support::nothing_runs(), latest };
    let mut window = Harness::builder()
        .with_size(vec2(1600.0, 1100.0))
        .with_theme(Theme::Dark)
        .build_ui_state(show, state);
    window.run_steps(3);
    press(&mut window, Modifiers::COMMAND, Key::Num9);
    window
}

/// The embedded console, its sampler, and the window.
pub struct Live {
    pub window: Window,
    console: DemoProcess,
    _sampler: Sampler,
}

pub fn live() -> Live {
    live_at(4.0)
}

fn live_at(speed: f64) -> Live {
    let program = Path::new(env!("CARGO_BIN_EXE_nextscope"));
    let options = DemoOptions { speed, ..DemoOptions::default() };
    let console = spawn_program(program, &options).unwrap();
    let profiles = Library::built_in().profiles().to_vec();
    let sampler =
        Sampler::start(Options { pid: Some(console.pid()), profiles, ..Options::default() }).unwrap();
    let mut window = window(Some(sampler.view()));
    waits_for(&mut window, "68K RAM in Nextscope demo console");
    Live { window, console, _sampler: sampler }
}

impl Live {
    fn pairs(&self) -> u16 {
        let data = self.window.state().view.data.as_ref();
        data.and_then(|data| data.snapshot.u16(PAIRS_DEALT).ok()).unwrap_or(0)
    }

    /// Waits until player 1 is dealt one more pair.
    fn one_more_pair(&mut self) {
        let before = self.pairs();
        eventually("a pair is dealt", || {
            self.window.step();
            self.pairs() > before
        });
    }
}

/// Replaces the text of a field.
pub fn fill(window: &mut Window, name: &str, text: &str) {
    window.get_by_role_and_label(Role::TextInput, name).focus();
    window.run_steps(2);
    press(window, Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.into()));
    window.run_steps(2);
}

/// Selects an entry of a list.
pub fn choose(window: &mut Window, list: &str, entry: &str) {
    window.get_by_role_and_label(Role::ComboBox, list).click();
    window.run_steps(3);
    window.get_all_by_label(entry).last().unwrap().click();
    window.run_steps(3);
}

pub fn push(window: &mut Window, button: &str) {
    window.get_by_role_and_label(Role::Button, button).click();
    window.run_steps(3);
}

/// The number of cells in the table.
pub fn left(window: &mut Window) -> u64 {
    let label = all_labels(window, "Results, ").pop().expect("a table");
    let digits = label.trim_start_matches("Results, ").split(' ').next().unwrap();
    digits.replace(',', "").parse().unwrap()
}

pub fn all_labels(window: &Window, part: &str) -> Vec<String> {
    let nodes = window.query_all_by_label_contains(part);
    let text = |node: &egui_kittest::kittest::AccessKitNode<'_>| node.label().or_else(|| node.value());
    nodes.filter_map(|node| text(&node.accesskit_node())).collect()
}

pub fn waits_for(window: &mut Window, text: &str) {
    waits_until(window, text, |window| sees(window, text));
}

/// Draws until it holds.
pub fn waits_until(window: &mut Window, what: &str, holds: impl FnMut(&mut Window) -> bool) {
    draws_until(window, what, holds);
}

/// Presses Search and waits for this step of the history.
pub fn search(window: &mut Window, steps: usize) {
    push(window, "Search");
    waits_until(window, "the step", |window| sees(window, &format!("Step {steps}: ")));
}

#[test]
fn clicks_find_the_pair_counter_of_a_live_game() {
    let mut live = live();
    choose(&mut live.window, "Type", "16-bit unsigned");
    choose(&mut live.window, "Align", "2 bytes");
    live.one_more_pair();
    search(&mut live.window, 1);
    assert_eq!(left(&mut live.window), 0x8000, "every aligned word");
    assert!(sees(&live.window, "Step 1: unknown, 32,768 cells left"));
    push(&mut live.window, "differs by");
    push(&mut live.window, "by at least");
    push(&mut live.window, "previous value");
    for step in 2..6 {
        live.one_more_pair();
        search(&mut live.window, step);
    }
    push(&mut live.window, "less <");
    push(&mut live.window, "a value");
    fill(&mut live.window, "value", "200");
    push(&mut live.window, "Every frame");
    waits_until(&mut live.window, "frames", |window| {
        all_labels(window, " frames, ").iter().any(|label| !label.starts_with("0 "))
    });
    push(&mut live.window, "Every frame");
    waits_for(&mut live.window, "Step 6: every frame: < 200");
    let few = left(&mut live.window);
    assert!((1..=30).contains(&few), "{few} are left");
    let rows = all_labels(&live.window, "0xFF85A6: ");
    assert!(!rows.is_empty(), "the count of pairs is among {:?}", all_labels(&live.window, "0xFF"));

    // Undone and redone by keyboard.
    live.window.get_by_role_and_label(Role::Button, "Search").focus();
    press(&mut live.window, Modifiers::COMMAND, Key::Z);
    waits_until(&mut live.window, "undo", |window| {
        sees(window, "Step 6: every frame: < 200") && sees(window, "undone")
    });
    assert!(left(&mut live.window) >= few);
    press(&mut live.window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    waits_until(&mut live.window, "redo", |window| !sees(window, "undone"));
    assert_eq!(left(&mut live.window), few);

    // It is shown in the Memory panel, watched, and excluded from the search.
    live.window.get_by_label_contains("0xFF85A6: ").click();
    live.window.run_steps(3);
    push(&mut live.window, "Go to");
    waits_for(&mut live.window, "Memory, 0xFF85A6");
    assert!(sees(&live.window, ", field p1_pairs_dealt"), "the profile knows the cell: {rows:?}");
    push(&mut live.window, "Watch");
    live.window.run_steps(3);
    assert!(sees(&live.window, "Added 1 cell to the watch list"));
    assert!(sees(&live.window, "watched: p1_pairs_dealt"), "the watch has the name of the field");
    push(&mut live.window, "Watch");
    assert!(sees(&live.window, "Already in the watch list"));
    push(&mut live.window, "Exclude watched");
    waits_for(&mut live.window, "Step 7: watched cells removed");
    assert_eq!(left(&mut live.window), few - 1);
    assert!(!sees(&live.window, "0xFF85A6: "));
}

/// Recordings of a Nintendo DS game contain only parts of RAM.
#[test]
fn only_recorded_parts_of_ram_are_searched() {
    let recording = Recording::from_bytes(recorded(120, &[(60, 0x0230_0004)]), "ds.nsrec").unwrap();
    let options = Options { replay: Some(Arc::new(recording)), ..Options::default() };
    let sampler = Sampler::start(options).unwrap();
    let mut window = window(Some(sampler.view()));
    let go = |window: &mut Window, index: u64| {
        sampler.send(SamplerCommand::Replay(ReplayCommand::Seek(index)));
        waits_until(window, "the sample", |window| {
            window.state().view.replay.as_ref().is_some_and(|replay| replay.index == index)
        });
    };
    waits_for(&mut window, "Main RAM in ds.nsrec");
    assert_eq!(all_labels(&window, "of the 4194304 bytes of Main RAM were recorded").len(), 1);
    choose(&mut window, "Type", "32-bit unsigned");
    choose(&mut window, "Align", "4 bytes");
    go(&mut window, 5);
    search(&mut window, 1);
    push(&mut window, "differs by");
    push(&mut window, "by at least");
    push(&mut window, "previous value");
    for step in 2..6 {
        go(&mut window, 10 * step as u64);
        search(&mut window, step);
    }
    assert!(sees(&window, &format!("0x{FRAMES:X}: ")), "{:?}", all_labels(&window, "0x"));
    window.get_by_label_contains(&format!("0x{FRAMES:X}: ")).click();
    window.run_steps(3);
    push(&mut window, "Go to");
    waits_for(&mut window, "  frame_counter + 0  byte ");
    assert!(sees(&window, "(·· not recorded)"));
    // The block moves: its cells become unreadable.
    push(&mut window, "New search");
    waits_for(&mut window, "No search yet. Select a condition and press Search");
    search(&mut window, 1);
    go(&mut window, 80);
    search(&mut window, 2);
    let cells = (BLOCK.end - BLOCK.start) / 4;
    waits_for(&mut window, &format!("{cells} cells no longer readable"));
    assert_eq!(left(&mut window), 2, "the pointer to it changed, and the count of frames");
}

/// Without a profile the user selects the console, and its RAM is searched in the emulator's heap.
#[test]
fn console_ram_is_searched_without_a_profile() {
    let mut live = live();
    push(&mut live.window, "Any game");
    // Of the blocks of its size one counts frames.
    waits_for(&mut live.window, "that counts frames");
    let label = all_labels(&live.window, "that counts frames").pop().unwrap();
    let target = live.window.state().view.target.clone().unwrap();
    let at = target.ram.split("at ").nth(1).unwrap().split(',').next().unwrap().to_owned();
    assert!(label.contains(&at), "{label}; it is at {at}");
    choose(&mut live.window, "Type", "32-bit unsigned");
    choose(&mut live.window, "Bytes", "swapped in 16-bit words");
    fill(&mut live.window, "RAM address", &at);
    press(&mut live.window, Modifiers::NONE, Key::Enter);
    waits_for(&mut live.window, "(given by you), no known game");
    // The search reads the same value as the sampler.
    live.console.send("pause").unwrap();
    waits_for(&mut live.window, "Paused");
    let state = ConsoleAddr(0xFF_A134);
    let value = live.window.state().view.data.as_ref().unwrap().snapshot.u32(state).unwrap();
    push(&mut live.window, "equal =");
    fill(&mut live.window, "value", &value.to_string());
    search(&mut live.window, 1);
    waits_for(&mut live.window, &format!("0xFFA134: {value}"));
}

#[test]
fn the_preview_equals_the_result_of_the_step() {
    let mut live = live();
    live.one_more_pair();
    search(&mut live.window, 1);
    live.one_more_pair();
    live.console.send("pause").unwrap();
    waits_for(&mut live.window, "Paused");
    // With the game paused the preview does not change any more.
    let outlook = |window: &Window| all_labels(window, "Would leave ").pop();
    waits_until(&mut live.window, "a preview", |window| outlook(window).is_some());
    for (step, question) in [(2, "unchanged"), (3, "less <"), (4, "modulo")] {
        push(&mut live.window, question);
        if question == "less <" {
            push(&mut live.window, "a value");
            fill(&mut live.window, "value", "100");
        }
        if question == "modulo" {
            fill(&mut live.window, "remainder", "1");
        }
        // The preview of the previous condition is gone.
        waits_until(&mut live.window, "a preview", |window| outlook(window).is_some());
        let foreseen = outlook(&live.window).unwrap();
        search(&mut live.window, step);
        let cells = foreseen.trim_start_matches("Would leave ").to_owned();
        assert!(
            all_labels(&live.window, &format!("Step {step}: "))
                .iter()
                .any(|label| label.contains(&format!(", {cells} left"))),
            "{foreseen}, and then: {:?}",
            all_labels(&live.window, &format!("Step {step}: "))
        );
    }
}

pub fn dump(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

pub fn open(window: &mut Window, path: &str) {
    fill(window, "file to search", path);
    press(window, Modifiers::NONE, Key::Enter);
}

/// RAM as the 68000 sees it when player 1 has been dealt so many pairs.
fn ram_after(pairs: u16) -> Vec<u8> {
    let mut console = Console::with_order(nextscope::demo::ROM.to_vec(), StorageOrder::AsOnBus).unwrap();
    let at = usize::try_from(PAIRS_DEALT.0 - 0xFF_0000).unwrap();
    for _ in 0..20_000 {
        console.run_frame();
        if u16::from_be_bytes(console.ram()[at..at + 2].try_into().unwrap()) >= pairs {
            return console.ram().to_vec();
        }
    }
    panic!("the cartridge deals pairs");
}

#[test]
fn only_the_visible_rows_of_millions_of_cells_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..4u32 << 20).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let path = dump(folder.path(), "large.bin", &bytes);
    let mut window = window(None);
    push(&mut window, "Dumps");
    open(&mut window, &path);
    waits_for(&mut window, "large.bin, 1 of 1");
    search(&mut window, 1);
    assert_eq!(left(&mut window), 4 << 20);
    waits_for(&mut window, &format!("0x0: {}", bytes[0]));
    window.get_by_label_contains("Results, ").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::End);
    waits_for(&mut window, &format!("0x3FFFFF: {}", bytes[0x3F_FFFF]));
    press(&mut window, Modifiers::NONE, Key::PageUp);
    press(&mut window, Modifiers::SHIFT, Key::ArrowDown);
    press(&mut window, Modifiers::SHIFT, Key::ArrowDown);
    waits_for(&mut window, "4,194,304 cells left, 3 selected");
    // Only visible rows are drawn. The bench `research` measures the frame time.
    let rows = all_labels(&window, "0x").len();
    assert!((3..400).contains(&rows), "{rows} rows are drawn");
    press(&mut window, Modifiers::NONE, Key::Home);
    waits_for(&mut window, &format!("0x0: {}", bytes[0]));
}

#[test]
fn dumps_are_searched_in_turn_and_steps_are_undone() {
    let folder = tempfile::tempdir().unwrap();
    let first = dump(folder.path(), "first.bin", &[1, 2, 3, 4, 5, 6, 7, 8]);
    let second = dump(folder.path(), "second.bin", &[1, 2, 4, 5, 5, 7, 8, 8]);
    let mut window = window(None);
    push(&mut window, "Dumps");
    open(&mut window, &first);
    waits_for(&mut window, "first.bin, 1 of 1");
    search(&mut window, 1);
    open(&mut window, &second);
    waits_for(&mut window, "first.bin, 1 of 2");
    push(&mut window, "Next dump");
    waits_for(&mut window, "second.bin, 2 of 2");
    waits_for(&mut window, "Would leave 4 cells");
    search(&mut window, 2);
    assert_eq!(all_labels(&window, "Step 2: "), ["Step 2: changed, 4 cells left"]);
    waits_for(&mut window, "0x2: 4");
    window.get_by_label_contains("0x3: 5").click();
    window.run_steps(3);
    push(&mut window, "Remove");
    waits_for(&mut window, "Step 3: 0x3 removed, 3 cells left");
    push(&mut window, "Undo: 0x3 removed");
    waits_for(&mut window, "Redo: 0x3 removed");
    push(&mut window, "Redo: 0x3 removed");
    waits_for(&mut window, "Redone: 0x3 removed: 3 cells left");
    // Back to the first step by its bar.
    window.get_by_label("Step 1: unknown, 8 cells left").click();
    waits_until(&mut window, "8 cells", |window| left(window) == 8);
    // A typed step, first with an error.
    fill(&mut window, "command-line step", "biger");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(sees(&window, "unknown step `biger`"));
    fill(&mut window, "command-line step", "> first");
    press(&mut window, Modifiers::NONE, Key::Enter);
    waits_for(&mut window, "Step 2: > first, 4 cells left");
}

#[test]
fn searches_in_tabs_are_independent() {
    let folder = tempfile::tempdir().unwrap();
    let path = dump(folder.path(), "bytes.bin", &[7; 64]);
    let mut window = window(None);
    push(&mut window, "Dumps");
    open(&mut window, &path);
    waits_for(&mut window, "bytes.bin, 1 of 1");
    search(&mut window, 1);
    push(&mut window, "New search");
    waits_for(&mut window, "No search yet. Select a condition and press Search");
    waits_for(&mut window, "bytes.bin, 1 of 1");
    push(&mut window, "equal =");
    fill(&mut window, "value", "8");
    search(&mut window, 1);
    assert_eq!(left(&mut window), 0);
    assert!(sees(&window, "Search 1 (64)") && sees(&window, "Search 2 (0)"));
    push(&mut window, "Rename");
    fill(&mut window, "name of the search", "eights");
    press(&mut window, Modifiers::NONE, Key::Enter);
    waits_for(&mut window, "eights (0)");
    push(&mut window, "Search 1 (64)");
    assert_eq!(left(&mut window), 64);
    push(&mut window, "eights (0)");
    push(&mut window, "Close");
    assert!(!sees(&window, "eights"));
    assert_eq!(left(&mut window), 64);
}

#[test]
fn pools_sequences_and_a_painted_board_are_found_by_structure() {
    let folder = tempfile::tempdir().unwrap();
    let ram = ram_after(23);
    let path = dump(folder.path(), "ram.bin", &ram);
    let mut window = window(None);
    push(&mut window, "Dumps");
    open(&mut window, &path);
    waits_for(&mut window, "ram.bin, 1 of 1");
    push(&mut window, "By structure");
    push(&mut window, "Find");
    waits_for(&mut window, "Watch 0xFFAD00");
    push(&mut window, "Piece sequence");
    let pool: String = ram[0xAE00..0xAE14].iter().map(|code| char::from(b'p' + code)).collect();
    fill(&mut window, "piece sequence", &pool);
    push(&mut window, "Find");
    waits_for(&mut window, "Watch 0xFFAE00");
    // The board as a player sees it: twelve rows from the third on.
    push(&mut window, "Board");
    window.get_by_label_contains("Board, row 1, column 1").focus();
    window.run_steps(2);
    for row in 2..14 {
        for column in 0..6 {
            let letter = match ram[BOARD + 12 * row + 2 * column] {
                0 => ".".to_owned(),
                code => char::from(b'a' + (code >> 4 & 7)).to_string(),
            };
            window.event(Event::Text(letter));
        }
    }
    window.run_steps(3);
    push(&mut window, "Find");
    waits_for(&mut window, "Watch 0xFF8018");
}

#[test]
fn long_steps_show_their_progress_and_are_cancelled() {
    let mut live = live_at(1.0);
    let line = "command-line step";
    search(&mut live.window, 1);
    let places = |window: &Window| {
        ["differs by", "Every frame", "Start over", "Step 1: unknown", "Results, "]
            .map(|label| window.get_by_label_contains(label).rect().min)
    };
    let before = places(&live.window);
    fill(&mut live.window, line, "wait 9s");
    press(&mut live.window, Modifiers::NONE, Key::Enter);
    waits_for(&mut live.window, "wait 9s ");
    let field = live.window.get_by_role_and_label(Role::TextInput, line);
    assert!(field.is_focused(), "the progress bar does not take the focus");
    assert_eq!(places(&live.window), before, "nothing moves");
    waits_until(&mut live.window, "more than a tenth", |window| {
        let labels = all_labels(window, "wait 9s ");
        let share = labels.iter().find_map(|label| label.strip_prefix("wait 9s ")?.strip_suffix(" %"));
        share.is_some_and(|percent| percent.parse::<u32>().unwrap() > 10)
    });
    push(&mut live.window, "Cancel");
    waits_for(&mut live.window, "wait 9s was cancelled");
    fill(&mut live.window, "command-line step", "rng 36000");
    press(&mut live.window, Modifiers::NONE, Key::Enter);
    waits_for(&mut live.window, "rng 36000 ");
    push(&mut live.window, "Cancel");
    waits_for(&mut live.window, "rng 36000 was cancelled");
    // A round begins meanwhile, so that the generator runs.
    push(&mut live.window, "Generators");
    push(&mut live.window, "Find");
    waits_for(&mut live.window, "generators, 400 frames ");
    waits_for(&mut live.window, "Puyo Puyo Tsu's: ");
    assert!(sees(&live.window, "Watch 0xFFA134"), "the state of the cartridge's generator");
}
