//! Emulators that the window launches: buttons for saved commands, and a dialog for a new one.

use super::commands::Command;
use super::file_dialog::typed_path;
use super::file_dialog::{FileDialogs, FileKind};
use super::theme::Tokens;
use super::ui_context::{AttachMode, UiAction, UiContext};
use crate::process::{Launch, Pid, namespace_refusal};
use crate::start::{
    LaunchEvent, LaunchedEmulator, SavedCommand, SavedCommands, Suggestion, join_words, split_words,
    suggestions,
};
use eframe::egui::{self, Frame, Id, Label, Modal, RichText, ScrollArea, TextEdit, Ui};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Poll interval until the emulator's process is known.
const SEARCH_INTERVAL: Duration = Duration::from_millis(100);
/// Poll interval after that.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Width of the labels in the dialog, in points.
const LABELS: f32 = 96.0;
/// Height of the buttons below the fields, in points.
const BELOW: f32 = 44.0;

/// Width of the buttons beside the game file, in points.
const BROWSE: f32 = 150.0;

/// The id of the field for the game file.
pub fn game_id() -> Id {
    Id::unique("game file")
}

#[derive(Debug, Default)]
pub struct StartPanel {
    /// The file of saved commands, if not the default one.
    file: Option<PathBuf>,
    /// The saved commands, once loaded.
    remembered: Option<Result<SavedCommands, String>>,
    form: Option<Form>,
    running: Vec<Running>,
    error: Option<String>,
}

#[derive(Debug)]
struct Running {
    started: LaunchedEmulator,
    /// The process that the window attached to.
    attached: Option<Pid>,
}

#[derive(Debug, Default)]
struct Form {
    game: String,
    command: String,
    name: String,
    in_namespace: bool,
    /// Why user namespaces are not available.
    no_namespace: Option<String>,
    installed: Vec<Suggestion>,
    /// The selected emulator, and the command generated for it.
    chosen: Option<(Suggestion, String)>,
    focus: bool,
    error: Option<String>,
}

impl StartPanel {
    pub fn open(&mut self) {
        self.form = Some(Form {
            no_namespace: namespace_refusal(),
            installed: suggestions(),
            focus: true,
            ..Form::default()
        });
    }

    /// Opens the dialog for a game.
    pub fn open_with(&mut self, game: &Path) {
        self.open();
        if let Some(form) = &mut self.form {
            form.game = game.display().to_string();
        }
    }

    /// Whether the dialog is open and receives key presses.
    pub fn is_open(&self) -> bool {
        self.form.is_some()
    }

    /// Tracks an emulator that was launched elsewhere.
    pub fn track(&mut self, started: Option<LaunchedEmulator>) {
        self.running.extend(started.map(|mut started| {
            started.detach();
            Running { started, attached: None }
        }));
    }

    /// Checks the launched emulators; called every frame.
    pub fn poll(&mut self, ctx: &egui::Context, attach_mode: AttachMode, actions: &mut Vec<UiAction>) {
        for running in &mut self.running {
            let Some(news) = running.started.poll() else { continue };
            match &news {
                LaunchEvent::Runs(pid) => {
                    if running.attached != Some(*pid) {
                        actions.push(UiAction::Attach(*pid));
                    }
                    running.attached = Some(*pid);
                    self.error = None;
                }
                LaunchEvent::Ended { status, .. } => {
                    let said = news.describe(running.started.program());
                    if status.is_some() {
                        tracing::warn!("{said}");
                        self.error = Some(said);
                    } else {
                        tracing::info!("{said}");
                    }
                    // Stop waiting for a process that is gone.
                    let theirs = [running.attached, Some(running.started.pid())];
                    if matches!(attach_mode, AttachMode::Process(pid) if theirs.contains(&Some(pid))) {
                        actions.push(UiAction::Run(Command::AttachAutomatically));
                    }
                }
            }
        }
        self.running.retain(|running| !running.started.has_ended());
        if let Some(every) = self.running.iter().map(|running| wait(&running.started)).min() {
            ctx.request_repaint_after(every);
        }
    }

    fn remembered(&mut self) -> &mut Result<SavedCommands, String> {
        let file = &self.file;
        self.remembered.get_or_insert_with(|| {
            file.as_deref()
                .map_or_else(SavedCommands::load, SavedCommands::load_from)
                .map_err(|error| error.to_string())
        })
    }

    /// Draws the buttons in the Emulators panel.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let commands = match self.remembered() {
            Ok(remembered) => remembered.commands().to_vec(),
            Err(why) => {
                ui.colored_label(cx.look.tokens.bad, why.as_str());
                Vec::new()
            }
        };
        let (mut start, mut forget) = (None, None);
        ui.horizontal_wrapped(|ui| {
            for saved in &commands {
                let button =
                    ui.button(format!("Start {}", saved.name)).on_hover_text(join_words(&saved.command));
                if button.clicked() {
                    start = Some(saved.clone());
                }
                button.context_menu(|ui| {
                    if ui.button(format!("Forget {}", saved.name)).clicked() {
                        forget = Some(saved.name.clone());
                        ui.close();
                    }
                });
            }
            let command = Command::StartEmulator;
            if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                cx.run(command);
            }
        });
        if let Some(why) = &self.error {
            ui.colored_label(cx.look.tokens.bad, why);
        }
        if let Some(saved) = start {
            self.error = self.launch_and_track(&saved.launch()).err();
        }
        if let Some(name) = forget
            && let Ok(remembered) = self.remembered()
        {
            self.error = remembered.delete(&name).err().map(|error| error.to_string());
        }
    }

    fn launch_and_track(&mut self, launch: &Launch) -> Result<(), String> {
        let started = LaunchedEmulator::start(launch).map_err(|error| error.to_string())?;
        self.track(Some(started));
        Ok(())
    }

    /// Draws the dialog if it is open.
    pub fn show_dialog(&mut self, ui: &Ui, tokens: &Tokens, files: &mut FileDialogs) {
        let Some(form) = &mut self.form else { return };
        let ctx = ui.ctx().clone();
        let frame = Frame::popup(ui.style()).inner_margin(14);
        let response = Modal::new(Id::unique("start an emulator")).frame(frame).show(&ctx, |ui| {
            let height = ui.ctx().content_rect().height();
            ui.set_max_height((height - 60.0).max(120.0));
            ui.visuals_mut().text_edit_bg_color = Some(tokens.panel);
            ui.set_width(ui.available_width().min(480.0));
            form.show(ui, tokens, files)
        });
        let done = match response.inner {
            Some(Pressed::Start) => match self.start_entered() {
                Ok(()) => {
                    let game = self.form.as_ref().map(|form| typed_path(&form.game));
                    if let Some(game) = game.filter(|game| !game.as_os_str().is_empty()) {
                        files.used(FileKind::Game, &game);
                    }
                    true
                }
                Err(why) => {
                    if let Some(form) = &mut self.form {
                        form.error = Some(why);
                    }
                    false
                }
            },
            Some(Pressed::Close) => true,
            None => response.should_close(),
        };
        if done {
            self.form = None;
        }
    }

    /// Launches the command in the dialog, and saves it if it has a name.
    fn start_entered(&mut self) -> Result<(), String> {
        let Some(form) = &self.form else { return Ok(()) };
        let command = split_words(&form.command)?;
        let folder = std::env::current_dir().ok();
        let in_namespace = form.in_namespace && form.no_namespace.is_none();
        let name = form.name.trim().to_owned();
        let saved = SavedCommand { name, command, folder, in_namespace };
        // Saving may fail without harm, so it comes first.
        if !saved.name.is_empty() {
            let remembered = self.remembered().as_mut().map_err(|why| why.clone())?;
            remembered.save(saved.clone()).map_err(|error| error.to_string())?;
        }
        self.launch_and_track(&saved.launch())
    }
}

fn wait(started: &LaunchedEmulator) -> Duration {
    if started.emulator().is_some() { CHECK_INTERVAL } else { SEARCH_INTERVAL }
}

enum Pressed {
    Start,
    Close,
}

impl Form {
    fn show(&mut self, ui: &mut Ui, tokens: &Tokens, files: &mut FileDialogs) -> Option<Pressed> {
        ui.heading("Start emulator");
        let mut pressed = None;
        // Keep the buttons visible in the smallest window.
        let height = (ui.available_height() - BELOW).max(60.0);
        ScrollArea::vertical().max_height(height).show(ui, |ui| {
            ui.label("Nextscope may read an emulator that it launches. The emulator keeps running when Nextscope closes");
            ui.add_space(6.0);
            if self.fields(ui, files) {
                pressed = Some(Pressed::Start);
            }
            if let Some(why) = &self.error {
                ui.colored_label(tokens.bad, why);
            }
        });
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            let ready = !self.command.trim().is_empty();
            if ui.add_enabled(ready, egui::Button::new("Start")).clicked() {
                pressed = Some(Pressed::Start);
            }
            if ui.button("Cancel").clicked() {
                pressed = Some(Pressed::Close);
            }
        });
        pressed
    }

    /// The input fields; true if Enter was pressed in the command field.
    fn fields(&mut self, ui: &mut Ui, files: &mut FileDialogs) -> bool {
        row(ui, "Game file", |ui, label| {
            ui.horizontal(|ui| {
                let width = (ui.available_width() - BROWSE).max(80.0);
                let game = TextEdit::singleline(&mut self.game).hint_text("/path/to/game.md");
                let game = ui.add(game.desired_width(width)).labelled_by(label);
                if std::mem::take(&mut self.focus) {
                    game.request_focus();
                }
                let chosen = match files.browse(ui, game_id(), FileKind::Game, &self.game) {
                    Some(Err(why)) => {
                        self.error = Some(why);
                        None
                    }
                    chosen => chosen.and_then(Result::ok),
                };
                let chosen = chosen.or_else(|| files.recent_button(ui, FileKind::Game));
                if let Some(game) = chosen {
                    self.game = game.display().to_string();
                }
            });
        });
        row(ui, "Installed", |ui, _| self.emulators(ui));
        let entered = row(ui, "Command", |ui, label| {
            let hint = "program and arguments, as in a terminal";
            let command = TextEdit::singleline(&mut self.command).hint_text(hint);
            let command = ui.add(command.desired_width(f32::INFINITY)).labelled_by(label);
            command.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter))
        });
        row(ui, "Save as", |ui, label| {
            let name = TextEdit::singleline(&mut self.name).hint_text("name (optional)");
            ui.add(name.desired_width(f32::INFINITY)).labelled_by(label);
        });
        row(ui, "Permissions", |ui, _| {
            let text = "Run in its own user namespace";
            let offered = self.no_namespace.is_none();
            ui.add_enabled(offered, egui::Checkbox::new(&mut self.in_namespace, text)).on_hover_text(
                "Allows reading even if kernel.yama.ptrace_scope is 2. The emulator loses supplementary groups: sound or graphics may fail",
            );
            if let Some(why) = &self.no_namespace {
                ui.add(Label::new(RichText::new(why).weak().small()).wrap());
            }
        });
        entered
    }

    /// A button for each installed emulator that plays the game. The selected one generates the command, and again whenever
    /// the game file changes.
    fn emulators(&mut self, ui: &mut Ui) {
        let game = typed_path(&self.game).display().to_string();
        let matching: Vec<&Suggestion> =
            self.installed.iter().filter(|suggestion| suggestion.plays(&game)).collect();
        if matching.is_empty() {
            ui.weak("No supported emulator for this file is installed");
            return;
        }
        if let Some((chosen, written)) = &mut self.chosen
            && *written == self.command
        {
            *written = join_words(&chosen.command(&game));
            self.command.clone_from(written);
        }
        let mut clicked = None;
        ui.horizontal_wrapped(|ui| {
            for suggestion in matching {
                let command = join_words(&suggestion.command(&game));
                let chosen = self.command == command;
                let button = ui.add(egui::Button::new(suggestion.name).selected(chosen));
                if button.on_hover_text(&command).clicked() {
                    clicked = Some((suggestion.clone(), command));
                }
            }
        });
        if let Some((suggestion, command)) = clicked {
            self.command.clone_from(&command);
            self.chosen = Some((suggestion, command));
        }
    }
}

/// A row of the dialog: a label and its controls. Not a grid, because wrapped text in a grid cell gets no height.
fn row<R>(ui: &mut Ui, label: &str, add: impl FnOnce(&mut Ui, Id) -> R) -> R {
    let row = ui.horizontal_top(|ui| {
        let size = egui::vec2(LABELS, ui.spacing().interact_size.y);
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let label = ui
            .allocate_ui_with_layout(size, layout, |ui| {
                ui.set_min_size(size);
                ui.label(label).id
            })
            .inner;
        ui.vertical(|ui| add(ui, label)).inner
    });
    ui.add_space(3.0);
    row.inner
}

#[cfg(all(test, target_os = "linux"))]
#[path = "start_tests.rs"]
mod tests;
