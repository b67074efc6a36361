//! The window itself: opens it, starts the sampler, and brings the one to the other.

use super::APP_ID;
use super::app::{App, StartDemo};
use super::feeds::{Feeds, Listeners};
use super::log::Log;
use super::serving::Serving;
use super::settings::Settings;
use crate::live::{self, View};
use crate::picture::icon;
use crate::profile::{Library, Watcher};
use eframe::egui::{self, ViewportBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The key under which settings are kept.
const SETTINGS: &str = "settings";
/// Points along a side of the icon that the window manager is given.
const ICON_SIDE: u16 = 128;

/// What the window is to show.
pub struct Options {
    /// How to sample. The profiles of `library` are used when there is one.
    pub sampler: live::Options,
    /// The profiles; edits in its folder are taken over while the window is open.
    pub library: Option<Library>,
    /// The log that the window shows; see [`super::log::start`].
    pub log: Log,
    /// Starts the embedded console, where there is one.
    pub start_demo: Option<StartDemo>,
    /// Where recordings that are made in the window are kept; None where there is no such folder.
    pub recordings: Option<PathBuf>,
    /// Whether recordings are judged by the profiles of `library`, and not by those that they hold.
    pub judge_by_library: bool,
    /// An emulator that was started, to be followed.
    pub started: Option<crate::start::Started>,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`NoWindow`] when there is no display or no OpenGL; or when the system gives no thread.
pub fn run(options: Options) -> anyhow::Result<()> {
    let mut sampling = options.sampler;
    if let Some(library) = &options.library {
        sampling.profiles = library.profiles().to_vec();
    }
    let judge_by_library = options.judge_by_library;
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
        ..eframe::NativeOptions::default()
    };
    let (log, library, start_demo, started) =
        (options.log, options.library, options.start_demo, options.started);
    let recordings = options.recordings;
    let create = move |creation: &eframe::CreationContext<'_>| {
        let stored = creation.storage.and_then(stored_settings).unwrap_or_default();
        let mut app = App::new(stored, log.clone(), Vec::new(), start_demo);
        app.know(&sampling.profiles);
        app.follow_started(started);
        app.keep_profiles_in(library.as_ref().and_then(Library::folder).map(Path::to_owned));
        let (told, views) = live::latest(View::default());
        app.serve_from(Serving::new(views));
        app.keep_recordings_in(recordings, sampling.evidence.clone());
        if let Some(recording) = &sampling.replay {
            app.replays(Arc::clone(recording));
        }
        let listeners = Listeners {
            replay_snapshot: app.replay_snapshot(),
            overlay: app.overlay(),
            served: Arc::new(told),
        };
        let feeds = Feeds::start(&creation.egui_ctx, sampling, judge_by_library, listeners)?;
        let window = Window::new(&creation.egui_ctx, app, feeds, &log, library);
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native(APP_ID, native, Box::new(create)).map_err(|error| {
        tracing::debug!("{error}");
        no_window(&error).into()
    })
}

/// Why the window cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum NoWindow {
    /// Neither DISPLAY nor WAYLAND_DISPLAY is set.
    #[error("no display (DISPLAY and WAYLAND_DISPLAY are not set){WITHOUT}")]
    NotSet,
    /// There is a display by its name, and it cannot be reached.
    #[error("no display ({0} cannot be reached){WITHOUT}")]
    NotReached(String),
    /// There is a display, and no window.
    #[error("the window cannot be opened: {0}{WITHOUT}")]
    Other(String),
}

/// What to do then.
const WITHOUT: &str = "\nuse `nextscope watch`, or another subcommand: they work on a terminal";

/// Of an error of the window library, which names places in its source, what a user can do something about.
fn no_window(error: &eframe::Error) -> NoWindow {
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

/// The settings that were kept, if there are any.
fn stored_settings(storage: &dyn eframe::Storage) -> Option<Settings> {
    let settings = Settings::from_text(&storage.get_string(SETTINGS)?);
    // They were kept in another notation once.
    settings.or_else(|| eframe::get_value(storage, SETTINGS))
}

struct Window {
    // Before the app, which ends the embedded console: that is no loss of a connection.
    feeds: Feeds,
    app: App,
    libraries: Receiver<Arc<Library>>,
    _profiles: Option<Watcher>,
}

impl Window {
    fn new(ctx: &egui::Context, app: App, feeds: Feeds, log: &Log, library: Option<Library>) -> Self {
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
        Self { app, feeds, libraries, _profiles: profiles }
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
            self.app.know(library.profiles());
            self.feeds.use_profiles(library.profiles());
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let view = self.feeds.view();
        let cost = frame.info().cpu_usage.unwrap_or(0.0).clamp(0.0, 10.0);
        self.app.frame_took(Duration::from_secs_f32(cost));
        self.app.show(ui, &view);
        if let Some(sampled) = self.app.take_sampled()
            && let Err(error) = self.feeds.show(sampled)
        {
            tracing::error!("the system gives no thread to sample: {error}");
        }
        for order in self.app.take_orders() {
            self.feeds.order(order);
        }
    }

    fn clear_color(&self, _: &egui::Visuals) -> [f32; 4] {
        [0.0; 4] // the overlay is seen through; the main window is drawn over all of it
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        match self.app.settings.to_text() {
            Ok(text) => storage.set_string(SETTINGS, text),
            Err(error) => tracing::error!("the settings are not kept: {error}"),
        }
    }
}
