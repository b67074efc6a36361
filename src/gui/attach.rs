//! The emulators that run: which one we are attached to, which could be, and why the others could not.

use super::commands::Command;
use super::marks::{Mark, mark};
use super::scene::{Ask, Scene, Standing, Wish};
use super::start::StartPanel;
use super::status::emulator;
use super::widgets::{card, copyable};
use crate::emulator::{DetectionOutcome, known_emulators};
use crate::live::{EmulatorRow, RowState};
use crate::process::{ReadError, Refusal, Rule};
use eframe::egui::{Button, CollapsingHeader, Id, Key, RichText, ScrollArea, TextEdit, Ui, vec2};

/// What the panel remembers.
#[derive(Debug, Default)]
pub struct AttachPanel {
    filter: String,
    focus_filter: bool,
    /// The emulators that the window starts.
    pub start: StartPanel,
}

impl AttachPanel {
    /// Puts the cursor into the filter when the panel is drawn next.
    pub fn focus(&mut self) {
        self.focus_filter = true;
    }

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>) {
        if let Some(replay) = &scene.view.replay {
            ui.label(RichText::new("A recording is shown").strong());
            ui.label(&replay.name);
            ui.weak("No emulator is looked for meanwhile, and nothing is attached to");
            let command = Command::BackToLive;
            if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                scene.run(command);
            }
            self.focus_filter = false;
            return;
        }
        let id = Id::unique("emulator filter");
        let field = TextEdit::singleline(&mut self.filter)
            .id(id)
            .hint_text("Filter by name, path or pid")
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
                if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                    scene.run(command);
                }
            }
        });
        self.start.show(ui, scene);
        let rows = std::sync::Arc::clone(&scene.view.emulators);
        let wanted = |row: &&EmulatorRow| matches_filter(row, &self.filter);
        let (likely, others): (Vec<_>, Vec<_>) = rows.iter().filter(wanted).partition(|row| is_likely(row));
        // Enter in the filter takes the only one that is left.
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) && !self.filter.is_empty()
        {
            let candidates: Vec<_> = likely.iter().chain(&others).filter(|row| can_attach(row)).collect();
            if let [only] = candidates.as_slice() {
                scene.asked.push(Ask::Attach(only.pid));
            }
        }
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            if likely.is_empty() {
                let words = if self.filter.is_empty() {
                    "No emulator is running"
                } else {
                    "No emulator matches the filter"
                };
                ui.weak(words);
            }
            for row in likely {
                ui.push_id(row.pid.0, |ui| card(ui, scene.look.tokens, |ui| draw_row(ui, scene, row)));
            }
            if !others.is_empty() {
                let open = (!self.filter.is_empty()).then_some(true);
                CollapsingHeader::new(format!("Other programs ({})", others.len()))
                    .id_salt("other programs")
                    .open(open)
                    .show(ui, |ui| {
                        for row in others {
                            ui.push_id(row.pid.0, |ui| draw_row(ui, scene, row));
                            ui.separator();
                        }
                    });
            }
        });
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

/// The mark and the word of a row, and what the row's game is.
fn words(row: &EmulatorRow) -> (Mark, String) {
    let game = row.report.as_ref().and_then(|report| match &report.outcome {
        DetectionOutcome::Found(found) | DetectionOutcome::Paused(found) => Some(found.profile.name.clone()),
        _ => None,
    });
    match &row.state {
        RowState::New => (Mark::Ring, "not looked into yet".into()),
        RowState::Attached => (Mark::Disc, "attached".into()),
        RowState::Candidate => (Mark::Play, game.unwrap_or_else(|| "a known game runs".into())),
        RowState::NoGame => (Mark::Ring, "no known game runs in it".into()),
        RowState::NotFound(_) => (Mark::Question, "its RAM was not found".into()),
        RowState::Refused(_) => (Mark::Cross, "it may not be read".into()),
    }
}

fn draw_row(ui: &mut Ui, scene: &mut Scene<'_>, row: &EmulatorRow) {
    let tokens = scene.look.tokens;
    let (sign, word) = words(row);
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
        ui.weak(format!("pid {}", row.pid));
    });
    ui.label(RichText::new(word).color(color));
    if let Some(content) = &row.identity.content {
        ui.weak(content).on_hover_text("The game file on its command line");
    }
    if !can_attach(row) {
        if let Some(target) = scene.view.target.as_ref().filter(|target| target.pid == row.pid) {
            ui.weak(format!("found by {} in {} ms", target.method, target.elapsed.as_millis()));
        }
    } else {
        let button =
            ui.button("Attach").on_hover_text(format!("Attach to {name}, pid {}, and no other", row.pid));
        if button.clicked() {
            scene.asked.push(Ask::Attach(row.pid));
        }
    }
    match &row.state {
        RowState::Refused(text) => refused(ui, scene, row, text),
        RowState::NotFound(text) if row.report.is_none() => {
            ui.label(text);
        }
        _ => {}
    }
    if let Some(report) = row.report.as_ref().filter(|report| !report.attempts.is_empty()) {
        CollapsingHeader::new("How its RAM was looked for").id_salt("attempts").show(ui, |ui| {
            for attempt in &report.attempts {
                ui.label(RichText::new(attempt.method.to_string()).strong());
                ui.label(&attempt.message);
            }
            ui.weak(format!("{} ms in all", report.elapsed.as_millis()));
        });
    }
}

/// The refusal itself, where the search kept it.
#[must_use]
pub fn refusal(row: &EmulatorRow) -> Option<&Refusal> {
    match &row.report.as_ref()?.outcome {
        DetectionOutcome::Unreadable(ReadError::Refused(refusal)) => Some(refusal),
        _ => None,
    }
}

/// The rule that refused, and the ways round it with their commands to copy.
pub fn refused(ui: &mut Ui, scene: &mut Scene<'_>, row: &EmulatorRow, text: &str) {
    let sentence = text.lines().next().unwrap_or(text);
    ui.label(sentence);
    let Some(refusal) = refusal(row) else {
        for line in text.lines().skip(1) {
            ui.label(line);
        }
        return;
    };
    // What is the best way round is a button as well.
    if matches!(refusal.rule, Rule::PtraceScope { value: 1 | 2 }) {
        let command = Command::StartEmulator;
        if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
            scene.run(command);
        }
    }
    for remedy in &refusal.remedies {
        ui.label(format!("- {}", remedy.text));
        if let Some(command) = &remedy.command {
            copyable(ui, scene, command, "command");
        }
    }
}

/// The rows among which the user must choose.
#[must_use]
pub fn candidates(scene: &Scene<'_>) -> Vec<EmulatorRow> {
    let is_candidate = |row: &&EmulatorRow| matches!(row.state, RowState::Candidate);
    scene.view.emulators.iter().filter(is_candidate).cloned().collect()
}

/// What to do next when there is nothing to show: one step, and the demo.
pub fn first_step(ui: &mut Ui, scene: &mut Scene<'_>) {
    ui.vertical_centered(|ui| {
        ui.set_max_width(460.0);
        ui.add_space((ui.available_height() * 0.12).min(60.0));
        if scene.standing == Standing::Choosing {
            choose(ui, scene);
            return;
        }
        if scene.wish != Wish::Automatic {
            chosen(ui, scene);
            return;
        }
        let rows = std::sync::Arc::clone(&scene.view.emulators);
        let known = |state: fn(&RowState) -> bool| rows.iter().find(|row| row.identity.known && state(&row.state));
        if let Some(row) = known(|state| matches!(state, RowState::Refused(_))) {
            let RowState::Refused(text) = &row.state else { return };
            ui.heading(format!("{} may not be read", emulator(&row.identity)));
            card(ui, scene.look.tokens, |ui| {
                ui.with_layout(egui::Layout::top_down(egui::Align::Min), |ui| {
                    refused(ui, scene, row, text);
                });
            });
        } else if let Some(row) = known(|state| matches!(state, RowState::NoGame)) {
            ui.heading(format!("Load a game in {}", emulator(&row.identity)));
            ui.label("It is running, but no known game runs in it yet; Nextscope attaches as soon as one does");
            games(ui, scene);
        } else if let Some(row) = known(|state| matches!(state, RowState::NotFound(_))) {
            ui.heading(format!("{} is running, but its RAM was not found", emulator(&row.identity)));
            ui.label("It is tried again all the time; start the game in it, or see in the list of emulators what was tried");
            games(ui, scene);
        } else {
            ui.heading("Start an emulator with the game");
            ui.label("Nextscope finds it and attaches by itself; nothing else is to be done");
            games(ui, scene);
        }
        ui.add_space(14.0);
        let runs = rows.iter().any(|row| row.identity.known);
        ui.weak(if runs { "Without that emulator" } else { "No emulator at hand?" });
        for command in [Command::StartDemo, Command::OpenRecording] {
            if command == Command::StartDemo && !scene.demo {
                continue;
            }
            let text = RichText::new(command.text()).size(16.0);
            if ui.add(Button::new(text).min_size(vec2(150.0, 0.0))).on_hover_text(command.tooltip()).clicked() {
                scene.run(command);
            }
        }
    });
}

/// When the user chose a process that shows nothing yet, or nothing at all.
fn chosen(ui: &mut Ui, scene: &mut Scene<'_>) {
    match scene.wish {
        Wish::Process(pid) => {
            ui.heading(format!("Waiting for process {pid}"));
            ui.label(
                "It was chosen and no other is looked into; the list of emulators says what is known of it",
            );
        }
        _ => {
            ui.heading("Detached");
            ui.label("Nextscope attaches to nothing until it is told to");
        }
    }
    ui.add_space(8.0);
    let command = Command::AttachAutomatically;
    if ui.button(RichText::new(command.text()).size(16.0)).on_hover_text(command.tooltip()).clicked() {
        scene.run(command);
    }
}

fn games(ui: &mut Ui, scene: &Scene<'_>) {
    ui.add_space(6.0);
    ui.weak(format!("Known games: {}", scene.known.join(", ")));
    ui.weak(format!("Known emulators: {}", known_emulators().join(", ")));
    ui.weak("Any other program in which one of these games runs is found as well, where the system lets it be read");
}

fn choose(ui: &mut Ui, scene: &mut Scene<'_>) {
    let rows = candidates(scene);
    ui.heading(format!("{} emulators run a known game", rows.len()));
    ui.label("Choose the one to attach to");
    ui.add_space(8.0);
    for row in rows {
        let (_, game) = words(&row);
        let text = format!("Attach to {}, pid {}", emulator(&row.identity), row.pid);
        if ui.button(RichText::new(text).size(15.0)).on_hover_text(&row.program).clicked() {
            scene.asked.push(Ask::Attach(row.pid));
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
