//! The window itself: opens it, starts the sampler, and brings the one to the other.

use super::app::{App, StartDemo};
use super::log::Log;
use super::settings::Settings;
use super::{APP_ID, pace};
use crate::live::{self, Latest, Order, Sampler, View};
use crate::profile::{Library, Watcher};
use eframe::egui::{self, ViewportBuilder};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The key under which settings are kept.
const SETTINGS: &str = "settings";
/// How often the thread that waits for views looks whether it is still wanted.
const LOOK_UP: Duration = Duration::from_millis(500);

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
    /// An emulator that was started, to be followed.
    pub started: Option<crate::start::Started>,
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// When there is no display or no OpenGL, or the system gives no thread.
pub fn run(options: Options) -> anyhow::Result<()> {
    let mut sampling = options.sampler;
    if let Some(library) = &options.library {
        sampling.profiles = library.profiles().to_vec();
    }
    let known = sampling.profiles.clone();
    let sampler = Sampler::start(sampling)?;
    let native = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("Nextscope")
            .with_app_id(APP_ID)
            .with_inner_size([1280.0, 800.0])
            .with_min_inner_size([480.0, 320.0]),
        ..eframe::NativeOptions::default()
    };
    let (log, library, start_demo, started) =
        (options.log, options.library, options.start_demo, options.started);
    let create = move |creation: &eframe::CreationContext<'_>| {
        let stored = creation.storage.and_then(|storage| eframe::get_value::<Settings>(storage, SETTINGS));
        let mut app = App::new(stored.unwrap_or_default(), log.clone(), Vec::new(), start_demo);
        app.know(&known);
        app.follow_started(started);
        app.keep_profiles_in(library.as_ref().and_then(Library::folder).map(Path::to_owned));
        let window = Window::new(&creation.egui_ctx, app, sampler, &log, library)?;
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native(APP_ID, native, Box::new(create)).map_err(|error| {
        anyhow::anyhow!("{error}; without a display use `nextscope watch` or another subcommand")
    })
}

struct Window {
    app: App,
    sampler: Sampler,
    view: Latest<View>,
    libraries: Receiver<Arc<Library>>,
    _profiles: Option<Watcher>,
    wanted: Arc<AtomicBool>,
    waker: Option<JoinHandle<()>>,
}

impl Window {
    fn new(
        ctx: &egui::Context,
        app: App,
        sampler: Sampler,
        log: &Log,
        library: Option<Library>,
    ) -> std::io::Result<Self> {
        let on_line = ctx.clone();
        log.on_line(move || on_line.request_repaint());
        let wanted = Arc::new(AtomicBool::new(true));
        let waker = std::thread::Builder::new().name("window".into()).spawn({
            let (ctx, view, wanted) = (ctx.clone(), sampler.view(), Arc::clone(&wanted));
            move || wake(&ctx, view, &wanted)
        })?;
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
        let view = sampler.view();
        Ok(Self { app, sampler, view, libraries, _profiles: profiles, wanted, waker: Some(waker) })
    }
}

/// Asks for a frame whenever a view is published that is worth one.
fn wake(ctx: &egui::Context, mut views: Latest<View>, wanted: &AtomicBool) {
    let mut shown = views.get();
    while wanted.load(Ordering::Relaxed) {
        let Some(view) = views.next(LOOK_UP) else { continue };
        if pace::worth_a_frame(&shown, &view) {
            // Asked for without any delay, egui would draw two.
            ctx.request_repaint_after(Duration::from_millis(1));
        }
        shown = view;
    }
}

impl eframe::App for Window {
    fn logic(&mut self, _: &egui::Context, _: &mut eframe::Frame) {
        while let Ok(library) = self.libraries.try_recv() {
            for file in library.diagnostics() {
                if file.failed() {
                    tracing::warn!("{}", file.render(false));
                }
            }
            self.app.know(library.profiles());
            self.sampler.order(Order::Profiles(library.profiles().to_vec()));
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let view = self.view.get();
        let cost = frame.info().cpu_usage.unwrap_or(0.0).clamp(0.0, 10.0);
        self.app.frame_took(Duration::from_secs_f32(cost));
        self.app.show(ui, &view);
        for order in self.app.take_orders() {
            self.sampler.order(order);
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, SETTINGS, &self.app.settings);
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.wanted.store(false, Ordering::Relaxed);
        if let Some(waker) = self.waker.take() {
            let _ = waker.join(); // nothing is lost if it panicked
        }
    }
}
