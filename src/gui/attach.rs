//! The emulators panel: running emulators, the connection, and why others cannot be attached.

use super::commands::Command;
use super::layout::Pane;
use super::marks::{Mark, mark};
use super::start::StartPanel;
use super::status::emulator;
use super::ui_context::{AttachMode, ConnectionStatus, UiAction, UiContext};
use super::widgets::{card, copyable};
use crate::emulator::{DetectionOutcome, known_emulators};
use crate::live::{EmulatorRow, RowState};
use crate::process::{ReadError, Refusal, Rule};
use eframe::egui::{
    Button, CollapsingHeader, Grid, Id, Key, RichText, ScrollArea, Sense, TextEdit, Ui, UiBuilder, vec2,
};

#[derive(Debug, Default)]
pub struct AttachPanel {
    filter: String,
    focus_filter: bool,
    /// Emulators that the window launches.
    pub start: StartPanel,
}

impl AttachPanel {
    /// Focuses the filter in the next frame.
    pub fn focus(&mut self) {
        self.focus_filter = true;
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        if let Some(replay) = &cx.view.replay {
            ui.label(RichText::new("A recording is open").strong());
            ui.label(&replay.name);
            ui.weak("Emulators are not attached while a recording is open");
            let command = Command::BackToLive;
            if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                cx.run(command);
            }
            self.focus_filter = false;
            return;
        }
        let id = Id::unique("emulator filter");
        let field = TextEdit::singleline(&mut self.filter)
            .id(id)
            .hint_text("Filter by name, path or PID")
            .desired_width(f32::INFINITY);
        let response = ui.add(field);
        if std::mem::take(&mut self.focus_filter) {
            response.request_focus();
        }
        if response.has_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            self.filter.clear();
        }
        ui.horizontal_wrapped(|ui| {
            for command in [Command::AttachAutomatically, Command::Detach] {
                let reason = cx.unavailable(command);
                let button = ui.add_enabled(reason.is_none(), Button::new(command.text()));
                let button = button.on_hover_text(command.tooltip());
                if button.on_disabled_hover_text(reason.unwrap_or_default()).clicked() {
                    cx.run(command);
                }
            }
        });
        self.start.show(ui, cx);
        let rows = std::sync::Arc::clone(&cx.view.emulators);
        let is_match = |row: &&EmulatorRow| matches_filter(row, &self.filter);
        let (likely, others): (Vec<_>, Vec<_>) = rows.iter().filter(is_match).partition(|row| is_likely(row));
        // Enter in the filter attaches to the only match.
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) && !self.filter.is_empty()
        {
            let candidates: Vec<_> = likely.iter().chain(&others).filter(|row| can_attach(row)).collect();
            if let [only] = candidates.as_slice() {
                cx.actions.push(UiAction::Attach(only.pid));
            }
        }
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            if likely.is_empty() {
                let state_label = if self.filter.is_empty() { "No emulator running" } else { "No match" };
                ui.weak(state_label);
            }
            for row in likely {
                // The menu belongs to what is below the buttons.
                let scope = UiBuilder::new().id_salt(row.pid.0).sense(Sense::CLICK);
                let drawn =
                    ui.scope_builder(scope, |ui| card(ui, cx.look.tokens, |ui| draw_row(ui, cx, row)));
                drawn.response.context_menu(|ui| row_menu(ui, cx, row));
            }
            if !others.is_empty() {
                let open = (!self.filter.is_empty()).then_some(true);
                CollapsingHeader::new(format!("Other programs ({})", others.len()))
                    .id_salt("other programs")
                    .open(open)
                    .show(ui, |ui| {
                        for row in others {
                            ui.push_id(row.pid.0, |ui| draw_row(ui, cx, row));
                            ui.separator();
                        }
                    });
            }
        });
    }
}

/// What can be done with an emulator.
fn row_menu(ui: &mut Ui, cx: &mut UiContext<'_>, row: &EmulatorRow) {
    if can_attach(row) && ui.button("Attach only to this").clicked() {
        cx.actions.push(UiAction::Attach(row.pid));
        ui.close();
    }
    for (text, copied, what) in
        [("Copy PID", row.pid.to_string(), "PID"), ("Copy program path", row.program.clone(), "program path")]
    {
        if ui.button(text).clicked() {
            cx.copy(copied, what);
            ui.close();
        }
    }
}

fn is_likely(row: &EmulatorRow) -> bool {
    row.identity.known || matches!(row.state, RowState::Attached | RowState::Candidate)
}

fn can_attach(row: &EmulatorRow) -> bool {
    !matches!(row.state, RowState::Attached)
}

fn matches_filter(row: &EmulatorRow, filter: &str) -> bool {
    let identity = &row.identity;
    let parts = [Some(&identity.name), identity.core.as_ref(), identity.content.as_ref(), Some(&row.program)];
    let text: Vec<String> = parts.into_iter().flatten().map(|part| part.to_lowercase()).collect();
    filter
        .to_lowercase()
        .split_whitespace()
        .all(|word| row.pid.to_string().contains(word) || text.iter().any(|part| part.contains(word)))
}

/// Icon and state of a row, with its game.
fn state_label(row: &EmulatorRow) -> (Mark, String) {
    let game = row.report.as_ref().and_then(|report| match &report.outcome {
        DetectionOutcome::Found(found) | DetectionOutcome::Paused(found) => Some(found.profile.name.clone()),
        _ => None,
    });
    match &row.state {
        RowState::New => (Mark::Ring, "Not checked yet".into()),
        RowState::Attached => (Mark::Disc, "Attached".into()),
        RowState::Candidate => (Mark::Play, game.unwrap_or_else(|| "Known game running".into())),
        RowState::NoGame => (Mark::Ring, "No known game".into()),
        RowState::NotFound(_) => (Mark::Question, "RAM not found".into()),
        RowState::Refused(_) => (Mark::Cross, "Permission denied".into()),
    }
}

fn draw_row(ui: &mut Ui, cx: &mut UiContext<'_>, row: &EmulatorRow) {
    // A right click on a text opens the menu of the row.
    ui.style_mut().interaction.selectable_labels = false;
    let tokens = cx.look.tokens;
    let (sign, word) = state_label(row);
    let name = emulator(&row.identity);
    let color = match row.state {
        RowState::Attached | RowState::Candidate => tokens.good,
        RowState::Refused(_) => tokens.bad,
        RowState::NotFound(_) => tokens.caution,
        RowState::New | RowState::NoGame => tokens.muted,
    };
    ui.horizontal_wrapped(|ui| {
        mark(ui, sign, color);
        let what = if row.identity.name.is_empty() { &row.program } else { &name };
        ui.label(RichText::new(what).strong()).on_hover_text(&row.program);
        ui.weak(format!("PID {}", row.pid));
    });
    ui.label(RichText::new(word).color(color));
    if let Some(content) = &row.identity.content {
        ui.weak(content).on_hover_text("Game file from its command line");
    }
    if !can_attach(row) {
        if let Some(target) = cx.view.target.as_ref().filter(|target| target.pid == row.pid) {
            ui.weak(format!("RAM located by {} in {} ms", target.method, target.elapsed.as_millis()));
        }
    } else {
        let (text, meaning) = match row.state {
            RowState::NoGame => ("Wait for a game", "Attach to this emulator when a known game runs in it"),
            _ => ("Attach", "Attach only to this emulator"),
        };
        let button = ui.button(text).on_hover_text(format!("{meaning}: {name}, PID {}", row.pid));
        if button.clicked() {
            cx.actions.push(UiAction::Attach(row.pid));
        }
    }
    if row.identity.known && matches!(row.state, RowState::NoGame | RowState::NotFound(_)) {
        let button = ui.button("Learn this game");
        let meaning = "Note its pieces while you play, and find the rule by which it deals";
        if button.on_hover_text(format!("{meaning}: {name}, PID {}", row.pid)).clicked() {
            cx.actions.push(UiAction::LearnGame(row.pid));
        }
    }
    match &row.state {
        RowState::Refused(text) => refused(ui, cx, row, text),
        RowState::NotFound(text) if row.report.is_none() => {
            ui.label(text);
        }
        _ => {}
    }
    if let Some(report) = row.report.as_ref().filter(|report| !report.attempts.is_empty()) {
        CollapsingHeader::new("Detection details").id_salt("attempts").show(ui, |ui| {
            for attempt in &report.attempts {
                ui.label(RichText::new(attempt.method.to_string()).strong());
                ui.label(&attempt.message);
            }
            ui.weak(format!("{} ms in total", report.elapsed.as_millis()));
        });
    }
}

/// The refusal in the search report.
pub fn refusal(row: &EmulatorRow) -> Option<&Refusal> {
    match &row.report.as_ref()?.outcome {
        DetectionOutcome::Unreadable(ReadError::Refused(refusal)) => Some(refusal),
        _ => None,
    }
}

/// The rule that refused access, and its remedies with commands to copy.
pub fn refused(ui: &mut Ui, cx: &mut UiContext<'_>, row: &EmulatorRow, text: &str) {
    let sentence = text.lines().next().unwrap_or(text);
    ui.label(sentence);
    let Some(refusal) = refusal(row) else {
        for line in text.lines().skip(1) {
            ui.label(line);
        }
        return;
    };
    // Launching the emulator is the best remedy, so it gets a button.
    if matches!(refusal.rule, Rule::PtraceScope { value: 1 | 2 }) {
        let command = Command::StartEmulator;
        if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
            cx.run(command);
        }
    }
    for remedy in &refusal.remedies {
        ui.label(format!("- {}", remedy.text));
        if let Some(command) = &remedy.command {
            copyable(ui, cx, command, "command");
        }
    }
}

/// The emulators to select from.
pub fn candidates(cx: &UiContext<'_>) -> Vec<EmulatorRow> {
    let is_candidate = |row: &&EmulatorRow| matches!(row.state, RowState::Candidate);
    cx.view.emulators.iter().filter(is_candidate).cloned().collect()
}

/// The next step when there is nothing to show.
pub fn first_step(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.vertical_centered(|ui| {
        ui.set_max_width(560.0);
        ui.add_space((ui.available_height() * 0.12).min(60.0));
        if cx.status == ConnectionStatus::Choosing {
            select(ui, cx);
            return;
        }
        if cx.attach_mode != AttachMode::Automatic {
            waiting(ui, cx);
            return;
        }
        let rows = std::sync::Arc::clone(&cx.view.emulators);
        let known =
            |state: fn(&RowState) -> bool| rows.iter().find(|row| row.identity.known && state(&row.state));
        if let Some(row) = known(|state| matches!(state, RowState::Refused(_))) {
            let RowState::Refused(text) = &row.state else { return };
            ui.heading(format!("No permission to read {}", emulator(&row.identity)));
            card(ui, cx.look.tokens, |ui| {
                ui.with_layout(egui::Layout::top_down(egui::Align::Min), |ui| {
                    refused(ui, cx, row, text);
                });
            });
        } else if let Some(row) = known(|state| matches!(state, RowState::NoGame)) {
            ui.heading(format!("Load a game in {}", emulator(&row.identity)));
            ui.label("It runs no known game yet. Nextscope attaches as soon as it does");
            games(ui, cx);
        } else if let Some(row) = known(|state| matches!(state, RowState::NotFound(_))) {
            ui.heading(format!("{} is running, but its RAM was not found", emulator(&row.identity)));
            ui.label(
                "Start the game; Nextscope keeps trying. The Emulators panel shows the detection details",
            );
            games(ui, cx);
        } else {
            ui.heading("Nextscope shows the coming pieces of puzzle games that run in emulators");
            ui.label("Start an emulator with the game: Nextscope attaches automatically");
            ui.add_space(6.0);
            large(ui, cx, Command::StartEmulator);
            games(ui, cx);
        }
        ui.add_space(14.0);
        let runs = rows.iter().any(|row| row.identity.known);
        ui.weak(if runs { "Without that emulator" } else { "No emulator?" });
        if cx.demo {
            large(ui, cx, Command::StartDemo);
        }
        for command in [Command::OpenSample, Command::OpenRecording] {
            large(ui, cx, command);
        }
        ui.add_space(14.0);
        ui.weak("Tools that need no emulator");
        Grid::new("tools without an emulator").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
            for pane in [Pane::Seeds, Pane::Route, Pane::Lab, Pane::Ignition] {
                let command = Command::Show(pane);
                if ui.button(pane.title()).clicked() {
                    cx.run(command);
                }
                ui.label(command.tooltip());
                ui.end_row();
            }
        });
    });
}

fn large(ui: &mut Ui, cx: &mut UiContext<'_>, command: Command) {
    let text = RichText::new(command.text()).size(16.0);
    let button = Button::new(text).min_size(vec2(230.0, 0.0));
    if ui.add(button).on_hover_text(command.tooltip()).clicked() {
        cx.run(command);
    }
}

/// The process that the user chose shows nothing yet, or auto-attach is off.
fn waiting(ui: &mut Ui, cx: &mut UiContext<'_>) {
    match cx.attach_mode {
        AttachMode::Process(pid) => {
            ui.heading(format!("Waiting for process {pid}"));
            ui.label("Only this process is attached. The Emulators panel shows its state");
        }
        _ => {
            ui.heading("Detached");
            ui.label("Auto-attach is off");
        }
    }
    ui.add_space(8.0);
    let command = Command::AttachAutomatically;
    if ui.button(RichText::new(command.text()).size(16.0)).on_hover_text(command.tooltip()).clicked() {
        cx.run(command);
    }
}

fn games(ui: &mut Ui, cx: &UiContext<'_>) {
    ui.add_space(6.0);
    CollapsingHeader::new("Supported games and emulators").show(ui, |ui| {
        ui.weak(format!("Games: {}", cx.known.join(", ")));
        ui.weak(format!("Emulators: {}", known_emulators().join(", ")));
        ui.weak("Other programs that run these games are found, too, if the system permits reading them");
    });
}

fn select(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let rows = candidates(cx);
    ui.heading(format!("{} emulators run a known game", rows.len()));
    ui.label("Select an emulator");
    ui.add_space(8.0);
    for row in rows {
        let (_, game) = state_label(&row);
        let text = format!("Attach to {}, PID {}", emulator(&row.identity), row.pid);
        if ui.button(RichText::new(text).size(15.0)).on_hover_text(&row.program).clicked() {
            cx.actions.push(UiAction::Attach(row.pid));
        }
        ui.weak(game);
        ui.add_space(4.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::EmulatorInfo;
    use crate::process::Pid;

    #[test]
    fn the_filter_wants_every_word_in_name_core_content_path_or_pid() {
        let row = EmulatorRow {
            pid: Pid(4711),
            identity: EmulatorInfo {
                name: "RetroArch".into(),
                core: Some("picodrive_libretro.so".into()),
                content: Some("Puyo.md".into()),
                ..EmulatorInfo::default()
            },
            program: "/usr/bin/retroarch".into(),
            state: RowState::New,
            report: None,
        };
        for filter in ["", "retro", "RETRO pico", "471", "puyo", "/usr/bin"] {
            assert!(matches_filter(&row, filter), "{filter}");
        }
        for filter in ["blastem", "retro blastem", "4712"] {
            assert!(!matches_filter(&row, filter), "{filter}");
        }
    }
}
