//! The window's contents: menus, docks, status bar, dialogs; what the user asks for is done here.

use super::commands::Command;
use super::diagnostics::diagnostics;
use super::dialogs::{self, Dialog};
use super::docks::{Docks, Panels};
use super::ignition::IgnitionPanel;
use super::keys_dialog::KeysDialog;
use super::layout::Pane;
use super::log::{Log, Topic};
use super::overlay::Overlay;
use super::recordings::Recordings;
use super::scene::{Ask, Scene, Standing, Wish, next_frame, records};
use super::serving::Serving;
use super::settings::{PaletteChoice, Settings};
use super::theme::{self, Look};
use super::toasts::Toasts;
use super::watches::{AddField, WatchesPanel};
use super::{menus, raw, replay, status, verify};
use crate::live::{Connection, Order, ReplayOrder, View};
use crate::process::Pid;
use crate::profile::{Addition, Library, Profile};
use crate::recording::Recording;
use crate::research::ReplaySnapshot;
use crate::start::Started;
use eframe::egui::{self, CentralPanel, Frame, Margin, Panel, Ui, ViewportCommand};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Starts the embedded console; the number of its process.
pub type StartDemo = Box<dyn FnMut() -> anyhow::Result<Pid>>;

/// What the sampler is to look at.
#[derive(Debug, Clone)]
pub enum Sampled {
    /// The emulators that run.
    Emulators,
    /// A recording.
    Recording(Arc<Recording>),
}

/// Everything in the window. It draws the [`View`] it is given and never waits for anything.
pub struct App {
    /// What the user chose.
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
    orders: Vec<Order>,
    toasts: Toasts,
    recordings: Recordings,
    /// The recording that is shown, and with which samples its connections but the first begin.
    replayed: Option<(Arc<Recording>, Vec<u64>)>,
    /// What is shown of it.
    replay_snapshot: ReplaySnapshot,
    sampled: Option<Sampled>,
    zoom_set: Option<f32>,
    still: Option<bool>,
    frame_cost: Duration,
    wish: Wish,
    /// The panels that were drawn last.
    in_front: Vec<Pane>,
}

impl App {
    /// A window with these settings. `known` names the games that are looked for.
    #[must_use]
    pub fn new(settings: Settings, log: Log, known: Vec<String>, start_demo: Option<StartDemo>) -> Self {
        let settings = settings.repaired();
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
            replayed: None,
            replay_snapshot: ReplaySnapshot::default(),
            sampled: None,
            zoom_set: None,
            still: None,
            frame_cost: Duration::ZERO,
            wish: Wish::default(),
            in_front: Vec::new(),
        }
    }

    /// Tells the games that are looked for from now on.
    pub fn know(&mut self, profiles: &[Arc<Profile>]) {
        self.known = profiles.iter().map(|profile| profile.name.clone()).collect();
        self.profiles = profiles.to_vec();
    }

    /// Gives it what it may serve to overlays.
    pub fn serve_from(&mut self, serving: Serving) {
        self.serving = serving;
    }

    /// Follows an emulator that was started.
    pub fn follow_started(&mut self, started: Option<Started>) {
        self.panels.attach.start.follow(started);
    }

    /// Names the folder into which fields that are found are written.
    pub fn keep_profiles_in(&mut self, folder: Option<PathBuf>) {
        self.profile_folder = folder;
    }

    /// Names the folder in which recordings are kept, and that of evidence of mismatches.
    pub fn keep_recordings_in(&mut self, folder: Option<PathBuf>, evidence: Option<PathBuf>) {
        self.recordings.keep_in(folder, evidence);
    }

    /// Tells that this recording is shown from now on.
    pub fn replays(&mut self, recording: Arc<Recording>) {
        let breaks = recording.sections().iter().skip(1).map(|section| section.first).collect();
        self.replayed = Some((recording, breaks));
    }

    /// Whether a recording is shown.
    #[must_use]
    pub fn shows_recording(&self) -> bool {
        self.replayed.is_some()
    }

    /// What of a recording is shown, for searches: whoever sees more views than the window draws lays them down here.
    #[must_use]
    pub fn replay_snapshot(&self) -> ReplaySnapshot {
        self.replay_snapshot.clone()
    }

    /// The overlay, for whoever sees views while the window is not drawn.
    #[must_use]
    pub fn overlay(&self) -> Overlay {
        self.overlay.clone()
    }

    /// What the sampler is to look at from now on, when that was asked for since the last call.
    pub fn take_sampled(&mut self) -> Option<Sampled> {
        self.sampled.take()
    }

    /// Tells how long the last frame took to draw, so that a machine without a graphics processor is not kept busy.
    pub fn frame_took(&mut self, cost: Duration) {
        self.frame_cost = cost;
    }

    /// What the sampler is to do, as asked for since the last call.
    pub fn take_orders(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.orders)
    }

    /// Draws everything into `ui`, which fills the window.
    pub fn show(&mut self, ui: &mut Ui, view: &View) {
        let now = Instant::now();
        let ctx = ui.ctx().clone();
        self.apply_settings(&ctx);
        let look = Look::new(&self.settings, ctx.theme());
        self.forget_ended_choice(view);
        publish_snapshot(&self.replay_snapshot, view);
        self.recordings.tell_end(view, &self.log);
        if let Some(recording) = self.recordings.take(&self.log) {
            self.sampled = Some(Sampled::Recording(Arc::clone(&recording)));
            self.replays(recording);
        }
        self.panels.watches.keep(&ctx, view, &self.replay_snapshot, &mut self.settings.watches);
        self.take_dropped(&ctx, view);
        let marked = self.panels.watches.marked();
        let mut asked = Vec::new();
        self.panels.attach.start.keep(&ctx, self.wish, &mut asked);
        let covered = self.dialog.is_some()
            || self.add_field.is_some()
            || self.serving.is_open()
            || self.panels.attach.start.is_open();
        let allowed = |command: Command| {
            (!covered || command.zooms()) && (view.replay.is_some() || !command.is_of_replay())
        };
        if !self.dialog.as_ref().is_some_and(Dialog::takes_keys)
            && let Some(command) = self.settings.keys.pressed(&ctx, allowed)
        {
            asked.push(Ask::Run(command));
        }
        if self.dialog.is_none() && self.add_field.is_none() {
            self.toasts.escape(&ctx);
        }
        let mut scene = Scene {
            view,
            standing: Standing::of(view, now),
            now,
            look,
            wish: self.wish,
            demo: self.start_demo.is_some(),
            known: &self.known,
            profiles: &self.profiles,
            replay_snapshot: &self.replay_snapshot,
            watched: &marked.places,
            keys: &self.settings.keys,
            asked: &mut asked,
        };
        let served = self.serving.address();
        let fill = look.tokens.panel;
        let strip = Frame::new().fill(fill).inner_margin(Margin::symmetric(8, 3));
        Panel::top("menus").frame(strip).show(ui, |ui| menus::bar(ui, &mut scene, &self.settings));
        Panel::bottom("status").frame(strip).show(ui, |ui| status::bar(ui, &mut scene, served));
        if view.replay.is_some() {
            let breaks = self.replayed.as_ref().map_or(&[][..], |(_, breaks)| breaks);
            let strip = strip.fill(look.tokens.card);
            Panel::bottom("replay").frame(strip).show(ui, |ui| replay::bar(ui, &mut scene, breaks));
        }
        self.in_front.clear();
        let docks = CentralPanel::default()
            .frame(Frame::new().fill(fill).inner_margin(Margin::symmetric(4, 0)))
            .show(ui, |ui| {
                let tree = self.settings.layouts.for_size(ui.available_size());
                let mut docks = Docks {
                    panels: &mut self.panels,
                    scene: &mut scene,
                    log: &self.log,
                    searches: &mut self.settings.searches,
                    lab: &mut self.settings.lab,
                    watches: &mut self.settings.watches,
                    route: &mut self.settings.route,
                    ignition: &mut self.settings.ignition,
                    in_front: &mut self.in_front,
                    marked: &marked,
                };
                tree.ui(&mut docks, ui);
            });
        self.toasts.show(ui, &look, &self.log, docks.response.rect.right_bottom(), &mut asked);
        dialogs::show(ui, &mut self.dialog, &mut self.settings, &mut asked);
        let folder = self.profile_folder.as_deref();
        self.add_field.take_if(|dialog| dialog.show(ui, look.tokens, folder));
        self.serving.show(ui, look.tokens, &mut asked);
        self.panels.attach.start.show_dialog(ui, look.tokens);
        let (settings, keys) = (&mut self.settings.overlay, &self.settings.keys);
        let pressed = self.overlay.show(ui, settings, (keys, allowed), &look, view);
        asked.extend(pressed.into_iter().map(Ask::Run));
        for ask in asked {
            self.obey(&ctx, view, ask);
        }
        if let Some(wait) = next_frame(view, now) {
            // Drawing the age of the data takes no more than a twelfth of one core.
            ctx.request_repaint_after(wait.max((self.frame_cost * 12).min(Duration::from_millis(400))));
        }
    }

    fn apply_settings(&mut self, ctx: &egui::Context) {
        if self.still != Some(self.settings.reduced_motion) {
            theme::set_motion(ctx, !self.settings.reduced_motion);
            self.still = Some(self.settings.reduced_motion);
        }
        let Some(set) = self.zoom_set else {
            theme::install(ctx);
            // The user may choose other keys for it.
            ctx.options_mut(|options| options.zoom_with_keyboard = false);
            ctx.set_theme(self.settings.theme);
            ctx.request_repaint(); // the panels of this frame have the old colours yet
            ctx.set_zoom_factor(self.settings.zoom);
            self.zoom_set = Some(self.settings.zoom);
            return;
        };
        if ctx.options(|options| options.theme_preference) != self.settings.theme {
            ctx.set_theme(self.settings.theme);
            ctx.request_repaint();
        }
        if (self.settings.zoom - set).abs() > 1e-3 {
            ctx.set_zoom_factor(self.settings.zoom);
            self.zoom_set = Some(self.settings.zoom);
        } else {
            // Commands zoom without us.
            self.settings.zoom = ctx.zoom_factor();
            self.zoom_set = Some(self.settings.zoom);
        }
    }

    fn obey(&mut self, ctx: &egui::Context, view: &View, ask: Ask) {
        match ask {
            Ask::Run(command) => self.run(ctx, view, command),
            Ask::Attach(pid) => self.attach(pid),
            Ask::OpenRecording(path) => self.recordings.open(ctx, path, &self.log),
            Ask::Replay(order) => self.orders.push(Order::Replay(order)),
            Ask::ToFrame(frame) => {
                let Some((recording, _)) = &self.replayed else { return };
                let last = recording.len().saturating_sub(1);
                let index = recording.index_of_frame(frame).unwrap_or(last);
                self.orders.push(Order::Replay(ReplayOrder::Seek(index)));
            }
            Ask::LookAt(offsets) => self.orders.push(Order::LookAt(Some(offsets))),
            Ask::GoTo(address) => {
                self.settings.layouts.show(Pane::Memory);
                if let Some(data) = &view.data {
                    self.panels.memory.go_to(&data.snapshot, address);
                }
            }
            Ask::Copy(text, what) => {
                ctx.copy_text(text);
                tracing::debug!("copied: {what}");
            }
            Ask::ShowRound(round) => {
                self.panels.predict.show_round(round);
                self.settings.layouts.show(Pane::Predict);
            }
            Ask::Watch(watches) => {
                tracing::debug!("to the watch list: {} cells", watches.len());
                self.panels.watches.add(watches);
            }
            Ask::Select(address, len) => {
                self.settings.layouts.show(Pane::Memory);
                if let Some(data) = &view.data {
                    self.panels.memory.select(&data.snapshot, address, len);
                }
            }
            Ask::KeepBoard(found) => {
                let (profile, layout) = *found;
                let addition = Addition::board(self.profile_folder.as_deref(), &profile, &layout);
                let written = addition.and_then(|addition| addition.write().map(|()| addition.path));
                self.panels.ignition.kept(match written {
                    Ok(path) => Ok(format!("Written to {}", path.display())),
                    Err(error) => Err(error.to_string()),
                });
            }
            Ask::AddField(field) => {
                let profile = view.target.as_ref().map(|target| Arc::clone(&target.profile));
                self.add_field = profile.map(|profile| AddField::new(*field, profile));
            }
        }
        ctx.request_repaint();
    }

    /// Does what a command says.
    fn run(&mut self, ctx: &egui::Context, view: &View, command: Command) {
        // Where both are in front, the keyboard decides whose steps are meant.
        let ignition = self.in_front.contains(&Pane::Ignition)
            && (!self.in_front.contains(&Pane::Research) || IgnitionPanel::has_keyboard(ctx));
        let settings = &mut self.settings;
        match command {
            Command::OpenPalette => self.dialog = Some(Dialog::palette()),
            Command::OpenSettings => self.dialog = Some(Dialog::Settings),
            Command::OpenShortcuts => self.dialog = Some(Dialog::Shortcuts(KeysDialog::default())),
            Command::OpenAbout => self.dialog = Some(Dialog::About),
            Command::StartDemo => self.run_demo(),
            Command::StartEmulator => {
                settings.layouts.show(Pane::Emulators);
                self.panels.attach.start.open();
            }
            Command::AttachAutomatically => {
                self.wish = Wish::Automatic;
                self.orders.push(Order::Automatic);
            }
            Command::Detach => {
                self.wish = Wish::Nothing;
                self.orders.push(Order::Detach);
            }
            Command::Record => self.record(view),
            Command::OpenRecording => {
                self.dialog = Some(Dialog::recordings(self.recordings.list()));
            }
            Command::BackToLive => self.go_live(),
            Command::PlayRecording => self.orders.push(Order::Replay(replay::toggle(view))),
            Command::NextSample => self.orders.push(Order::Replay(ReplayOrder::Step(1))),
            Command::PreviousSample => self.orders.push(Order::Replay(ReplayOrder::Step(-1))),
            Command::NextMismatch => self.orders.push(Order::Replay(ReplayOrder::NextMismatch)),
            Command::PreviousMismatch => self.orders.push(Order::Replay(ReplayOrder::PreviousMismatch)),
            Command::NextRound => self.orders.push(Order::Replay(ReplayOrder::NextRound)),
            Command::PreviousRound => self.orders.push(Order::Replay(ReplayOrder::PreviousRound)),
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
                    _ => {}
                }
            }
            Command::UndoStep if ignition => self.panels.ignition.undo(),
            Command::RedoStep if ignition => self.panels.ignition.redo(),
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
                self.panels.watches.save(view, &settings.watches);
            }
            Command::PlanRoute => {
                settings.layouts.show(Pane::Route);
                self.panels.route.plan();
            }
            Command::FollowRoute => {
                settings.layouts.show(Pane::Route);
                self.panels.route.follow();
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
            Command::CopyValues => match raw::table(view) {
                Some(table) => ctx.copy_text(table),
                None => tracing::warn!("no values to copy: no emulator is attached"),
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

    /// Opens files that were dropped on the window.
    fn take_dropped(&mut self, ctx: &egui::Context, view: &View) {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        let mut dumps = Vec::new();
        for file in &dropped {
            if replay::is_recording(file.path()) {
                self.recordings.open(ctx, file.path().to_owned(), &self.log);
            } else if self.panels.watches.dropped(file.path(), view, &mut self.settings.watches) {
                self.settings.layouts.show(Pane::Watches);
            } else {
                dumps.push(file.path().to_owned());
            }
        }
        if !dumps.is_empty() {
            self.panels.research.open_dumps(dumps);
            self.settings.layouts.show(Pane::Research);
        }
    }

    /// Begins to record, or ends the recording.
    fn record(&mut self, view: &View) {
        if records(view) {
            self.orders.push(Order::Record(None));
            return;
        }
        let file = match &view.replay {
            Some(_) => Err("a recording is shown: there is nothing to record".to_owned()),
            None => self.recordings.new_file(view),
        };
        match file {
            Ok(path) => self.orders.push(Order::Record(Some(path))),
            Err(why) => self.log.push_about(Topic::Recording, tracing::Level::WARN, why),
        }
    }

    /// Leaves the recording that is shown, if any: the live session, which has gone on, is shown again.
    fn go_live(&mut self) {
        if self.replayed.take().is_some() {
            self.sampled = Some(Sampled::Emulators);
        }
    }

    fn attach(&mut self, pid: Pid) {
        self.go_live();
        self.wish = Wish::Process(pid);
        self.orders.push(Order::Attach(pid));
    }

    /// A choice holds as long as there is what was chosen: when that process has ended, any emulator will do again.
    fn forget_ended_choice(&mut self, view: &View) {
        let Wish::Process(pid) = self.wish else { return };
        let lost = matches!(view.connection, Connection::Lost { .. });
        let was_it = view.target.as_ref().is_some_and(|target| target.pid == pid);
        if lost && was_it && !view.emulators.iter().any(|row| row.pid == pid) {
            self.wish = Wish::Automatic;
            self.orders.push(Order::Automatic);
        }
    }

    fn run_demo(&mut self) {
        let Some(start) = &mut self.start_demo else {
            self.log.push(tracing::Level::WARN, "This build has no demo to start");
            return;
        };
        match start() {
            Ok(pid) => {
                tracing::info!("the demo runs as process {pid}");
                self.attach(pid);
            }
            Err(error) => self.log.push(tracing::Level::ERROR, format!("The demo did not start: {error:#}")),
        }
    }
}

/// Lays down what of a recording is shown, for those who search it.
pub(super) fn publish_snapshot(snapshot: &ReplaySnapshot, view: &View) {
    match (&view.replay, &view.data) {
        (Some(replay), Some(data)) => snapshot.publish(&replay.name, &data.snapshot, data.frame),
        _ => snapshot.clear(),
    }
}
