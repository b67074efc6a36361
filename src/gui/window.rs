//! The window itself: opens it, starts the sampler and connects the two.

use super::app::{App, StartDemo};
use super::app_id::APP_ID;
use super::file_dialog::show_native;
use super::outside::open_outside;
use super::repaint;
use super::serving::Serving;
use super::settings::Settings;
use super::settings_file::{settings_file, take_over_earlier};
use super::view_sources::{Listeners, ViewSources};
use crate::live::{self, View};
use crate::log::Log;
use crate::picture::icon;
use crate::process::limit_own_heap;
use crate::profile::{Library, Watcher};
use eframe::egui::{self, ViewportBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The key of the settings in storage.
const SETTINGS: &str = "settings";
/// Pixels per side of the window icon.
const ICON_SIDE: u16 = 128;

/// What the window shows.
pub struct Options {
    /// Options of the sampler. The profiles of `library` replace its profiles if there is one.
    pub sampler: live::Options,
    /// The profiles; edits in its folder apply while the window is open.
    pub library: Option<Library>,
    /// The log shown in the window; see [`crate::log::start`].
    pub log: Log,
    /// Starts the embedded console, if this build has one.
    pub start_demo: Option<StartDemo>,
    /// The folder for new recordings, if there is one.
    pub recordings: Option<PathBuf>,
    /// Whether recordings are verified against the profiles of `library` instead of their own.
    pub judge_by_library: bool,
    /// An emulator that was launched before.
    pub started: Option<crate::start::LaunchedEmulator>,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`NoWindow`] without a display or OpenGL; or when a thread cannot be started.
pub fn run(options: Options) -> anyhow::Result<()> {
    limit_own_heap();
    let mut sampling = options.sampler;
    if let Some(library) = &options.library {
        sampling.profiles = library.profiles().to_vec();
    }
    let judge_by_library = options.judge_by_library;
    let settings = settings_file();
    if let Some(file) = &settings {
        take_over_earlier(file);
    }
    let native = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("Nextscope")
            .with_app_id(APP_ID)
            .with_icon(egui::IconData {
                rgba: icon::points(ICON_SIDE),
                width: ICON_SIDE.into(),
                height: ICON_SIDE.into(),
            })
            .with_inner_size([1280.0, 800.0])
            .with_min_inner_size([480.0, 320.0]),
        // Nothing in the window has gradients, and without a GPU dithering costs more than the rest of a pixel.
        dithering: false,
        persistence_path: settings,
        ..eframe::NativeOptions::default()
    };
    let (log, library, start_demo, started) =
        (options.log, options.library, options.start_demo, options.started);
    let recordings = options.recordings;
    let create = move |creation: &eframe::CreationContext<'_>| {
        let stored = creation.storage.and_then(stored_settings).unwrap_or_default();
        let mut app = App::new(stored, log.clone(), Vec::new(), start_demo);
        app.draw_on_cleared();
        app.set_file_dialog(Arc::new(show_native));
        app.set_outside(Arc::new(open_outside));
        app.set_profiles(&sampling.profiles);
        app.track_launched(started);
        app.set_profile_folder(library.as_ref().and_then(Library::folder).map(Path::to_owned));
        let (publisher, views) = live::latest(View::default());
        app.set_serving(Serving::new(views));
        app.set_recording_folders(recordings, sampling.evidence.clone());
        if let Some(recording) = &sampling.replay {
            app.set_recording(Arc::clone(recording));
        }
        let listeners = Listeners {
            played: app.played(),
            overlay: app.overlay(),
            served: Arc::new(publisher),
            pacer: app.pacer(),
        };
        let sources = ViewSources::start(&creation.egui_ctx, sampling, judge_by_library, listeners)?;
        let window = Window::new(&creation.egui_ctx, app, sources, &log, library);
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native(APP_ID, native, Box::new(create)).map_err(|error| {
        tracing::debug!("{error}");
        explain(&error).into()
    })
}

/// Why the window cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum NoWindow {
    /// Neither DISPLAY nor WAYLAND_DISPLAY is set.
    #[error("no display (DISPLAY and WAYLAND_DISPLAY are not set){HINT}")]
    NotSet,
    /// The display cannot be reached.
    #[error("cannot reach the display ({0}){HINT}")]
    NotReached(String),
    /// The window library failed.
    #[error("cannot open the window: {0}{HINT}")]
    Other(String),
}

const HINT: &str = "\nuse `nextscope watch`, or another subcommand: they work on a terminal";

/// Errors of the window library name places in its source: report only what a user can act on.
fn explain(error: &eframe::Error) -> NoWindow {
    let displays: Vec<String> = ["WAYLAND_DISPLAY", "DISPLAY"]
        .into_iter()
        .filter_map(|name| {
            Some(format!("{name}={}", std::env::var(name).ok().filter(|value| !value.is_empty())?))
        })
        .collect();
    match error {
        eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_) if cfg!(target_os = "linux") => {
            if displays.is_empty() { NoWindow::NotSet } else { NoWindow::NotReached(displays.join(", ")) }
        }
        error => NoWindow::Other(error.to_string()),
    }
}

fn stored_settings(storage: &dyn eframe::Storage) -> Option<Settings> {
    // The first builds stored RON. Reading that as any value, not as settings, needs a fraction of the code.
    Settings::from_text(&storage.get_string(SETTINGS)?).or_else(|| {
        let stored: serde_json::Value = eframe::get_value(storage, SETTINGS)?;
        Settings::from_text(&stored.to_string())
    })
}

struct Window {
    // Dropped before the app, which ends the embedded console: that must not count as a lost connection.
    sources: ViewSources,
    app: App,
    libraries: Receiver<Arc<Library>>,
    _profiles: Option<Watcher>,
}

impl Window {
    fn new(ctx: &egui::Context, app: App, sources: ViewSources, log: &Log, library: Option<Library>) -> Self {
        let on_line = ctx.clone();
        log.on_line(move || on_line.request_repaint());
        let (send, libraries) = channel();
        let ctx = ctx.clone();
        let deliver = move |library| {
            let _ = send.send(library); // the window is closing
            ctx.request_repaint();
        };
        let watched = library.filter(|library| library.folder().is_some());
        let profiles = watched.and_then(|library| {
            Watcher::start(library, deliver).inspect_err(|error| tracing::warn!("{error}")).ok()
        });
        Self { app, sources, libraries, _profiles: profiles }
    }
}

impl eframe::App for Window {
    fn logic(&mut self, _: &egui::Context, _: &mut eframe::Frame) {
        while let Ok(library) = self.libraries.try_recv() {
            for file in library.diagnostics() {
                if file.failed() {
                    tracing::warn!(target: live::topic::PROFILE, "{}", file.render(false));
                }
            }
            self.app.set_profiles(library.profiles());
            self.sources.use_profiles(library.profiles());
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let view = self.sources.view();
        let cost = frame.info().cpu_usage.unwrap_or(0.0).clamp(0.0, 10.0);
        self.app.pacer().drawn(Duration::from_secs_f32(cost), repaint::spent(), Instant::now());
        self.app.show(ui, &view);
        if let Some(source) = self.app.take_source()
            && let Err(error) = self.sources.show(source)
        {
            tracing::error!("cannot start the sampler thread: {error}");
        }
        for order in self.app.take_orders() {
            self.sources.send(order);
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        self.app.clear_color(visuals.panel_fill).to_normalized_gamma_f32()
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        match self.app.settings.to_text() {
            Ok(text) => storage.set_string(SETTINGS, text),
            Err(error) => tracing::error!("cannot save the settings: {error}"),
        }
    }
}
