//! The window's contents: menus, docks, status bar and dialogs. Carries out the actions that panels request.

mod files;

use super::commands::Command;
use super::diagnostics::diagnostics;
use super::dialogs::{self, Dialog};
use super::docks::{Docks, FrontPanes, Panels};
use super::file_dialog::{FileDialogs, FileKind, ShowDialog};
use super::ignition::IgnitionPanel;
use super::keys_dialog::KeysDialog;
use super::layout::Pane;
use super::learn::LearnPanel;
use super::outside::{OpenOutside, Outside, documents};
use super::overlay::Overlay;
use super::recordings::Recordings;
use super::repaint::Pacer;
use super::serving::Serving;
use super::settings::Settings;
use super::theme::{self, PaletteChoice};
use super::toasts::Toasts;
use super::ui_context::{
    AttachMode, ConnectionStatus, UiAction, UiContext, is_recording, unavailable, until_repaint,
};
use super::view_sources::{DataSource, publish_replay};
use super::watches::{AddField, WatchesPanel};
use super::{menus, replay, status, values_panel, verify};
use crate::live::{Connection, ReplayCommand, SamplerCommand, View};
use crate::log::{Log, Topic};
use crate::process::Pid;
use crate::profile::{Addition, Library, Profile};
use crate::recording::Recording;
use crate::research::ReplaySnapshot;
use crate::start::LaunchedEmulator;
use eframe::egui::{self, CentralPanel, Frame, Margin, Panel, Ui, ViewportCommand};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Starts the embedded console and returns its process id.
pub type StartDemo = Box<dyn FnMut() -> anyhow::Result<Pid>>;

/// Everything in the window. It draws the [`View`] it is given and never blocks.
pub struct App {
    /// The user's settings.
    pub settings: Settings,
    log: Log,
    known: Vec<String>,
    profiles: Vec<Arc<Profile>>,
    start_demo: Option<StartDemo>,
    panels: Panels,
    dialog: Option<Dialog>,
    add_field: Option<AddField>,
    serving: Serving,
    overlay: Overlay,
    profile_folder: Option<PathBuf>,
    orders: Vec<SamplerCommand>,
    toasts: Toasts,
    recordings: Recordings,
    files: FileDialogs,
    outside: Option<OpenOutside>,
    /// The recording that is shown, and the first samples of its later connections.
    replayed: Option<(Arc<Recording>, Vec<u64>)>,
    /// The shown part of it, for searches.
    played: ReplaySnapshot,
    sampled: Option<DataSource>,
    applied_zoom: Option<f32>,
    applied_motion: Option<bool>,
    pacer: Pacer,
    /// Whether windows are cleared with [`App::clear_color`].
    cleared: bool,
    attach_mode: AttachMode,
    /// The panels drawn in the last frame.
    front_panes: FrontPanes,
}

impl App {
    /// Creates the window contents. `known` lists the names of the supported games.
    pub fn new(settings: Settings, log: Log, known: Vec<String>, start_demo: Option<StartDemo>) -> Self {
        let settings = settings.repaired();
        let files = FileDialogs::new(settings.recent_files.clone());
        let panels = Panels { watches: WatchesPanel::new(&settings.watches), ..Panels::default() };
        Self {
            settings,
            log,
            known,
            profiles: Library::built_in().profiles().to_vec(),
            start_demo,
            panels,
            dialog: None,
            add_field: None,
            serving: Serving::default(),
            overlay: Overlay::default(),
            profile_folder: None,
            orders: Vec::new(),
            toasts: Toasts::default(),
            recordings: Recordings::default(),
            files,
            outside: None,
            replayed: None,
            played: ReplaySnapshot::default(),
            sampled: None,
            applied_zoom: None,
            applied_motion: None,
            pacer: Pacer::default(),
            cleared: false,
            attach_mode: AttachMode::default(),
            front_panes: FrontPanes::default(),
        }
    }

    /// Sets what shows a file dialog; it is called on a thread of its own. Without it, paths can only be typed.
    pub fn set_file_dialog(&mut self, show: ShowDialog) {
        self.files.set_dialog(show);
    }

    /// Sets what opens files and folders in other programs; it is called on a thread of its own.
    pub fn set_outside(&mut self, open: OpenOutside) {
        self.outside = Some(open);
    }

    /// Sets the profiles of the games to search for.
    pub fn set_profiles(&mut self, profiles: &[Arc<Profile>]) {
        self.known = profiles.iter().map(|profile| profile.name.clone()).collect();
        self.profiles = profiles.to_vec();
    }

    /// Sets the server that the window controls.
    pub fn set_serving(&mut self, serving: Serving) {
        self.serving = serving;
    }

    /// Tracks an emulator that was launched before the window opened.
    pub fn track_launched(&mut self, started: Option<LaunchedEmulator>) {
        self.panels.attach.start.track(started);
    }

    /// Sets the folder that new fields are written to.
    pub fn set_profile_folder(&mut self, folder: Option<PathBuf>) {
        self.profile_folder = folder;
    }

    /// Sets the folders of recordings and of mismatch evidence.
    pub fn set_recording_folders(&mut self, folder: Option<PathBuf>, evidence: Option<PathBuf>) {
        self.recordings.set_folders(folder, evidence);
    }

    /// Records that this recording is shown now.
    pub fn set_recording(&mut self, recording: Arc<Recording>) {
        let breaks = recording.sections().iter().skip(1).map(|section| section.first).collect();
        self.replayed = Some((recording, breaks));
    }

    /// Whether a recording is shown.
    pub fn shows_recording(&self) -> bool {
        self.replayed.is_some()
    }

    /// The shown part of a recording, for searches. Whoever receives more views than the window draws publishes them here.
    pub fn played(&self) -> ReplaySnapshot {
        self.played.clone()
    }

    /// The overlay, for whoever receives views while the window is not drawn.
    pub fn overlay(&self) -> Overlay {
        self.overlay.clone()
    }

    /// The source to switch to, if the user chose one since the last call.
    pub fn take_source(&mut self) -> Option<DataSource> {
        self.sampled.take()
    }

    /// The pacer of the window's frames, for whoever draws them and whoever receives views.
    pub fn pacer(&self) -> Pacer {
        self.pacer.clone()
    }

    /// From now on, draw on windows that are cleared with [`App::clear_color`].
    pub fn draw_on_cleared(&mut self) {
        self.cleared = true;
    }

    /// The colour to clear windows with: that of panels, which then need not fill them. Without a GPU that would cost as much as
    /// the rest of a frame. With the overlay, which is transparent, it is none.
    pub fn clear_color(&self, panel: egui::Color32) -> egui::Color32 {
        if self.fills() { theme::CLEAR } else { panel }
    }

    fn fills(&self) -> bool {
        !self.cleared || self.settings.overlay.shown
    }

    /// The commands for the sampler since the last call.
    pub fn take_orders(&mut self) -> Vec<SamplerCommand> {
        std::mem::take(&mut self.orders)
    }

    /// Draws everything into `ui`, which fills the window.
    pub fn show(&mut self, ui: &mut Ui, view: &View) {
        let now = Instant::now();
        let ctx = ui.ctx().clone();
        self.apply_settings(&ctx);
        let look = self.settings.look(ctx.theme());
        let fill = if self.fills() { look.tokens.panel } else { theme::CLEAR };
        self.forget_ended_process(view);
        publish_replay(&self.played, view);
        let time = ctx.input(|input| input.time);
        let recorded = self.recordings.finished(view, &self.log);
        for saved in recorded.into_iter().chain(self.files.take_saved()) {
            self.toasts.saved(saved, time);
        }
        if let Some((path, recording)) = self.recordings.take(&self.log) {
            if let Some(path) = path {
                self.files.used(FileKind::Recording, &path);
            }
            self.sampled = Some(DataSource::Recording(Arc::clone(&recording)));
            self.set_recording(recording);
            // The panel in front may be one that shows nothing of it.
            if ![Pane::Predict, Pane::Verify].iter().any(|pane| self.front_panes.contains(*pane)) {
                self.settings.layouts.show(Pane::Predict);
            }
        }
        self.panels.watches.update(&ctx, view, &self.played, &mut self.settings.watches);
        self.take_dropped(&ctx, view);
        let marked = self.panels.watches.marked();
        let mut actions = Vec::new();
        self.panels.attach.start.poll(&ctx, self.attach_mode, &mut actions);
        let covered = self.dialog.is_some()
            || self.add_field.is_some()
            || self.serving.is_open()
            || self.panels.attach.start.is_open();
        let allowed = |command: Command| {
            (!covered || command.zooms()) && (view.replay.is_some() || !command.needs_recording())
        };
        if !self.dialog.as_ref().is_some_and(Dialog::reads_shortcut)
            && let Some(command) = self.settings.keys.pressed(&ctx, allowed)
        {
            actions.push(UiAction::Run(command));
        }
        if self.dialog.is_none() && self.add_field.is_none() {
            self.toasts.escape(&ctx);
        }
        let mut cx = UiContext {
            view,
            status: ConnectionStatus::of(view, now),
            now,
            look,
            attach_mode: self.attach_mode,
            demo: self.start_demo.is_some(),
            known: &self.known,
            profiles: &self.profiles,
            played: &self.played,
            watched: &marked.places,
            keys: &self.settings.keys,
            profile_folder: self.profile_folder.as_deref(),
            files: &mut self.files,
            actions: &mut actions,
        };
        let served = self.serving.address();
        let strip = Frame::new().fill(fill).inner_margin(Margin::symmetric(8, 3));
        Panel::top("menus").frame(strip).show(ui, |ui| menus::bar(ui, &mut cx, &self.settings));
        Panel::bottom("status").frame(strip).show(ui, |ui| status::bar(ui, &mut cx, served));
        if view.replay.is_some() {
            let breaks = self.replayed.as_ref().map_or(&[][..], |(_, breaks)| breaks);
            let strip = strip.fill(look.tokens.card);
            Panel::bottom("replay").frame(strip).show(ui, |ui| replay::bar(ui, &mut cx, breaks));
        }
        self.front_panes.begin_frame();
        let docks = CentralPanel::default()
            .frame(Frame::new().fill(fill).inner_margin(Margin::symmetric(4, 0)))
            .show(ui, |ui| {
                let tree = self.settings.layouts.for_size(ui.available_size());
                let mut docks = Docks {
                    panels: &mut self.panels,
                    cx: &mut cx,
                    log: &self.log,
                    searches: &mut self.settings.searches,
                    lab: &mut self.settings.lab,
                    watches: &mut self.settings.watches,
                    route: &mut self.settings.route,
                    ignition: &mut self.settings.ignition,
                    front_panes: &mut self.front_panes,
                    marked: &marked,
                };
                tree.ui(&mut docks, ui);
            });
        self.front_panes.end_frame(&ctx);
        self.toasts.show(ui, &look, &self.log, docks.response.rect.right_bottom(), &mut actions);
        files::drop_hint(&ctx, docks.response.rect);
        let (status, demo, mode) =
            (ConnectionStatus::of(view, now), self.start_demo.is_some(), self.attach_mode);
        let reason = |command| unavailable(command, view, status, (demo, mode));
        dialogs::show(ui, &mut self.dialog, &mut self.settings, &mut self.files, &reason, &mut actions);
        let folder = self.profile_folder.as_deref();
        self.add_field.take_if(|dialog| dialog.show(ui, look.tokens, folder));
        self.serving.show(ui, look.tokens, &mut actions);
        self.panels.attach.start.show_dialog(ui, look.tokens, &mut self.files);
        let (settings, keys) = (&mut self.settings.overlay, &self.settings.keys);
        let pressed = self.overlay.show(ui, settings, (keys, allowed), &look, view);
        actions.extend(pressed.into_iter().map(UiAction::Run));
        for action in actions {
            self.handle_action(&ctx, view, action);
        }
        if self.files.has_saved() {
            ctx.request_repaint();
        }
        if self.settings.recent_files != *self.files.recent() {
            self.settings.recent_files = self.files.recent().clone();
        }
        if let Some(wait) = until_repaint(view, now, self.pacer.regular()) {
            ctx.request_repaint_after(wait);
        }
    }

    fn apply_settings(&mut self, ctx: &egui::Context) {
        if self.applied_motion != Some(self.settings.reduced_motion) {
            theme::set_motion(ctx, !self.settings.reduced_motion);
            self.applied_motion = Some(self.settings.reduced_motion);
        }
        let Some(set) = self.applied_zoom else {
            theme::install(ctx);
            // The user may assign other shortcuts to zooming.
            ctx.options_mut(|options| options.zoom_with_keyboard = false);
            ctx.set_theme(self.settings.theme);
            ctx.request_repaint(); // the panels of this frame still have the old colours
            ctx.set_zoom_factor(self.settings.zoom);
            self.applied_zoom = Some(self.settings.zoom);
            return;
        };
        if ctx.options(|options| options.theme_preference) != self.settings.theme {
            ctx.set_theme(self.settings.theme);
            ctx.request_repaint();
        }
        if (self.settings.zoom - set).abs() > 1e-3 {
            ctx.set_zoom_factor(self.settings.zoom);
            self.applied_zoom = Some(self.settings.zoom);
        } else {
            // egui zooms by itself, too.
            self.settings.zoom = ctx.zoom_factor();
            self.applied_zoom = Some(self.settings.zoom);
        }
    }

    fn handle_action(&mut self, ctx: &egui::Context, view: &View, action: UiAction) {
        match action {
            UiAction::Run(command) => self.run(ctx, view, command),
            UiAction::Attach(pid) => self.attach(pid),
            UiAction::LearnGame(pid) => {
                self.settings.layouts.show(Pane::Learn);
                self.panels.learn.select(pid);
            }
            UiAction::OpenRecording(path) => self.recordings.open(ctx, path),
            UiAction::OpenFile(kind, path) => self.open_file(ctx, view, kind, path),
            UiAction::Outside(what) => self.open_outside(ctx, what),
            UiAction::Replay(order) => self.orders.push(SamplerCommand::Replay(order)),
            UiAction::SeekFrame(frame) => {
                let Some((recording, _)) = &self.replayed else { return };
                let last = recording.len().saturating_sub(1);
                let index = recording.index_of_frame(frame).unwrap_or(last);
                self.orders.push(SamplerCommand::Replay(ReplayCommand::Seek(index)));
            }
            UiAction::ReadRam(offsets) => self.orders.push(SamplerCommand::ReadRam(Some(offsets))),
            UiAction::ShowAddress(address) => {
                self.settings.layouts.show(Pane::Memory);
                if let Some(data) = &view.data {
                    self.panels.memory.go_to(&data.snapshot, address);
                }
            }
            UiAction::Copy(text, what) => {
                ctx.copy_text(text);
                tracing::debug!("copied: {what}");
            }
            UiAction::ShowRound(round) => {
                self.panels.predict.show_round(round);
                self.settings.layouts.show(Pane::Predict);
            }
            UiAction::AddWatches(watches) => {
                tracing::debug!("added to the watch list: {} cells", watches.len());
                self.panels.watches.add(watches);
            }
            UiAction::Select(address, len) => {
                self.settings.layouts.show(Pane::Memory);
                if let Some(data) = &view.data {
                    self.panels.memory.select(&data.snapshot, address, len);
                }
            }
            UiAction::SaveLayout(found) => {
                let (profile, layout) = *found;
                let addition = Addition::board(self.profile_folder.as_deref(), &profile, &layout);
                self.panels.ignition.set_save_result(files::write_addition(addition));
            }
            UiAction::MeasureDurations(player) => self.orders.push(SamplerCommand::Measure(player)),
            UiAction::SaveDurations(measured) => {
                let (profile, frames) = *measured;
                let addition = Addition::frames(self.profile_folder.as_deref(), &profile, &frames);
                self.panels.verify.set_save_result(files::write_addition(addition));
            }
            UiAction::AddField(field) => {
                let profile = view.target.as_ref().map(|target| Arc::clone(&target.profile));
                self.add_field = profile.map(|profile| AddField::new(*field, profile));
            }
        }
        ctx.request_repaint();
    }

    fn run(&mut self, ctx: &egui::Context, view: &View, command: Command) {
        // If both panels are in front, keyboard focus decides which one undoes.
        let ignition = self.front_panes.contains(Pane::Ignition)
            && (!self.front_panes.contains(Pane::Research) || IgnitionPanel::has_keyboard(ctx));
        let learn = self.front_panes.contains(Pane::Learn)
            && (!self.front_panes.contains(Pane::Research) || LearnPanel::has_keyboard(ctx));
        let settings = &mut self.settings;
        match command {
            Command::OpenPalette => self.dialog = Some(Dialog::palette()),
            Command::OpenSettings => self.dialog = Some(Dialog::Settings),
            Command::OpenShortcuts => self.dialog = Some(Dialog::Shortcuts(KeysDialog::default())),
            Command::OpenDocuments => {
                if let Some(index) = documents() {
                    self.open_outside(ctx, Outside::Document(index.to_owned()));
                }
            }
            Command::OpenAbout => self.dialog = Some(Dialog::About),
            Command::StartDemo => self.run_demo(),
            Command::StartEmulator => {
                settings.layouts.show(Pane::Emulators);
                self.files.abandon(super::start::game_id());
                self.panels.attach.start.open();
            }
            Command::AttachAutomatically => {
                self.attach_mode = AttachMode::Automatic;
                self.orders.push(SamplerCommand::Automatic);
            }
            Command::Detach => {
                self.attach_mode = AttachMode::Detached;
                self.orders.push(SamplerCommand::Detach);
            }
            Command::Record => self.record(view),
            Command::OpenRecording => {
                self.files.abandon(dialogs::recording_id());
                self.dialog = Some(Dialog::recordings(self.recordings.list()));
            }
            Command::OpenSample => self.recordings.open_sample(ctx),
            Command::BackToLive => self.back_to_live(),
            Command::PlayRecording => self.orders.push(SamplerCommand::Replay(replay::toggle(view))),
            Command::NextSample => self.orders.push(SamplerCommand::Replay(ReplayCommand::Step(1))),
            Command::PreviousSample => self.orders.push(SamplerCommand::Replay(ReplayCommand::Step(-1))),
            Command::NextMismatch => self.orders.push(SamplerCommand::Replay(ReplayCommand::NextMismatch)),
            Command::PreviousMismatch => {
                self.orders.push(SamplerCommand::Replay(ReplayCommand::PreviousMismatch));
            }
            Command::NextRound => self.orders.push(SamplerCommand::Replay(ReplayCommand::NextRound)),
            Command::PreviousRound => self.orders.push(SamplerCommand::Replay(ReplayCommand::PreviousRound)),
            Command::Show(pane) => {
                settings.layouts.show(pane);
                match pane {
                    Pane::Emulators => self.panels.attach.focus(),
                    Pane::Seeds => self.panels.seeds.focus(),
                    Pane::Lab => self.panels.lab.focus(),
                    Pane::Research => self.panels.research.focus(),
                    Pane::Watches => self.panels.watches.focus(),
                    Pane::Route => self.panels.route.focus(),
                    Pane::Ignition => self.panels.ignition.focus(),
                    Pane::Learn => self.panels.learn.focus(),
                    _ => {}
                }
            }
            Command::UndoStep if ignition => self.panels.ignition.undo(),
            Command::RedoStep if ignition => self.panels.ignition.redo(),
            Command::UndoStep if learn => self.panels.learn.undo(),
            Command::NewSearch | Command::UndoStep | Command::RedoStep => {
                settings.layouts.show(Pane::Research);
                match command {
                    Command::NewSearch => self.panels.research.new_search(),
                    Command::UndoStep => self.panels.research.undo(),
                    _ => self.panels.research.redo(),
                }
            }
            Command::GoToAddress => {
                settings.layouts.show(Pane::Memory);
                self.panels.memory.focus();
            }
            Command::AddWatch => {
                settings.layouts.show(Pane::Watches);
                self.panels.watches.focus();
            }
            Command::OpenWatches => {
                settings.layouts.show(Pane::Watches);
                self.panels.watches.focus_file();
            }
            Command::SaveWatches => {
                settings.layouts.show(Pane::Watches);
                self.panels.watches.save(&mut self.files, view, &settings.watches);
            }
            Command::PlanRoute => {
                settings.layouts.show(Pane::Route);
                self.panels.route.plan();
            }
            Command::FollowRoute => {
                settings.layouts.show(Pane::Route);
                self.panels.route.follow();
            }
            Command::MeasureDurations => {
                settings.layouts.show(Pane::Verify);
                self.panels.verify.measure_durations();
            }
            Command::Theme(theme) => settings.theme = theme,
            Command::TogglePalette => {
                settings.palette = match settings.palette {
                    PaletteChoice::Game => PaletteChoice::Wong,
                    PaletteChoice::Wong => PaletteChoice::Game,
                }
            }
            Command::ToggleLetters => settings.letters = !settings.letters,
            Command::ToggleReducedMotion => settings.reduced_motion = !settings.reduced_motion,
            Command::ZoomIn => egui::gui_zoom::zoom_in(ctx),
            Command::ZoomOut => egui::gui_zoom::zoom_out(ctx),
            Command::ZoomReset => ctx.set_zoom_factor(1.0),
            Command::ServeOverlays => self.serving.open(),
            Command::ToggleOverlay => settings.overlay.shown = !settings.overlay.shown,
            Command::ToggleClickThrough => settings.overlay.click_through = !settings.overlay.click_through,
            Command::ResetLayout => settings.layouts = super::layout::Layouts::default(),
            Command::CopyMismatches => ctx.copy_text(verify::as_text(&view.mismatches)),
            Command::CopyValues => match values_panel::table(view) {
                Some(table) => ctx.copy_text(table),
                None => tracing::warn!("no values to copy: no emulator attached"),
            },
            Command::CopyLog => ctx.copy_text(self.panels.log.text(&self.log)),
            Command::CopyDiagnostics => ctx.copy_text(diagnostics(view)),
            Command::FollowMessage => {
                if let Some(pane) = self.toasts.follow() {
                    self.run(ctx, view, Command::Show(pane));
                }
            }
            Command::DismissMessages => self.toasts.dismiss(),
            Command::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
        }
    }

    fn record(&mut self, view: &View) {
        if is_recording(view) {
            self.orders.push(SamplerCommand::Record(None));
            return;
        }
        let file = match &view.replay {
            Some(_) => Err("cannot record while a recording is shown".to_owned()),
            None => self.recordings.new_file(view),
        };
        match file {
            Ok(path) => self.orders.push(SamplerCommand::Record(Some(path))),
            Err(why) => self.log.push_about(Topic::Recording, tracing::Level::WARN, why),
        }
    }

    /// Closes the recording, if one is shown, and returns to the live session.
    fn back_to_live(&mut self) {
        if self.replayed.take().is_some() {
            self.sampled = Some(DataSource::Emulators);
        }
    }

    fn attach(&mut self, pid: Pid) {
        self.back_to_live();
        self.attach_mode = AttachMode::Process(pid);
        self.orders.push(SamplerCommand::Attach(pid));
    }

    /// Forgets the chosen process when it has ended, so that any emulator can be attached again.
    fn forget_ended_process(&mut self, view: &View) {
        let AttachMode::Process(pid) = self.attach_mode else { return };
        let lost = matches!(view.connection, Connection::Lost { .. });
        let was_it = view.target.as_ref().is_some_and(|target| target.pid == pid);
        if lost && was_it && !view.emulators.iter().any(|row| row.pid == pid) {
            self.attach_mode = AttachMode::Automatic;
            self.orders.push(SamplerCommand::Automatic);
        }
    }

    fn run_demo(&mut self) {
        let Some(start) = &mut self.start_demo else {
            self.log.push(tracing::Level::WARN, "This build has no demo");
            return;
        };
        match start() {
            Ok(pid) => {
                tracing::info!("demo started, process {pid}");
                self.attach(pid);
            }
            Err(error) => {
                self.log.push(tracing::Level::ERROR, format!("Could not start the demo: {error:#}"));
            }
        }
    }
}
