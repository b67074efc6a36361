//! The window itself: opens it, starts the sampler, and brings the one to the other.

use super::app::{App, Sampled, StartDemo, lay_down};
use super::log::Log;
use super::overlay::Overlay;
use super::serving::Serving;
use super::settings::Settings;
use super::{APP_ID, pace};
use crate::live::{self, Latest, Order, Publisher, Sampler, View};
use crate::picture::icon;
use crate::profile::{Library, Profile, Watcher};
use crate::research::Played;
use eframe::egui::{self, ViewportBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The key under which settings are kept.
const SETTINGS: &str = "settings";
/// Points along a side of the icon that the window manager is given.
const ICON_SIDE: u16 = 128;
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
/// When there is no display or no OpenGL, or the system gives no thread.
pub fn run(options: Options) -> anyhow::Result<()> {
    let mut sampling = options.sampler;
    if let Some(library) = &options.library {
        sampling.profiles = library.profiles().to_vec();
    }
    let judge_by_library = options.judge_by_library;
    let source = Sampling { usual: sampling.clone(), judge_by_library };
    let sampler = source.start(sampling)?;
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
        app.know(&source.usual.profiles);
        app.follow_started(started);
        app.keep_profiles_in(library.as_ref().and_then(Library::folder).map(Path::to_owned));
        let (told, views) = live::latest(View::default());
        app.serve_from(Serving::new(views));
        app.keep_recordings_in(recordings, source.usual.evidence.clone());
        if let Some(recording) = &source.usual.replay {
            app.replays(Arc::clone(recording));
        }
        let window = Window::new(&creation.egui_ctx, app, source, sampler, told, &log, library)?;
        Ok(Box::new(window) as Box<dyn eframe::App>)
    };
    eframe::run_native(APP_ID, native, Box::new(create)).map_err(|error| {
        anyhow::anyhow!("{error}; without a display use `nextscope watch` or another subcommand")
    })
}

/// The settings that were kept, if there are any.
fn stored_settings(storage: &dyn eframe::Storage) -> Option<Settings> {
    let settings = Settings::from_text(&storage.get_string(SETTINGS)?);
    // They were kept in another notation once.
    settings.or_else(|| eframe::get_value(storage, SETTINGS))
}

/// How samplers are started, one after another: a recording has one of its own, so that nothing counted of it is mixed with
/// what was counted before.
struct Sampling {
    usual: live::Options,
    judge_by_library: bool,
}

impl Sampling {
    fn start(&self, options: live::Options) -> std::io::Result<Sampler> {
        let own = options.replay.is_some() && !self.judge_by_library;
        let profiles = if own { Vec::new() } else { options.profiles };
        Sampler::start(live::Options { profiles, ..options })
    }

    /// A sampler for that. What the command line said of a process holds for the first only.
    fn of(&self, sampled: Sampled) -> std::io::Result<Sampler> {
        let replay = match sampled {
            Sampled::Emulators => None,
            Sampled::Recording(recording) => Some(recording),
        };
        self.start(live::Options { pid: None, record: None, replay, ..self.usual.clone() })
    }
}

/// A sampler, and the thread that waits for its views.
struct Feed {
    sampler: Sampler,
    view: Latest<View>,
    wanted: Arc<AtomicBool>,
    waker: Option<JoinHandle<()>>,
}

impl Feed {
    fn start(ctx: &egui::Context, sampler: Sampler, shown: Shown) -> std::io::Result<Self> {
        let wanted = Arc::new(AtomicBool::new(true));
        let waker = std::thread::Builder::new().name("window".into()).spawn({
            let (ctx, view, wanted) = (ctx.clone(), sampler.view(), Arc::clone(&wanted));
            move || wake(&ctx, view, &wanted, &shown)
        })?;
        let view = sampler.view();
        Ok(Self { sampler, view, wanted, waker: Some(waker) })
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.wanted.store(false, Ordering::Relaxed);
        if let Some(waker) = self.waker.take() {
            let _ = waker.join(); // nothing is lost if it panicked
        }
    }
}

/// Those who are told of every view, whichever sampler it comes from.
#[derive(Clone)]
struct Shown {
    /// The searches in recordings.
    played: Played,
    overlay: Overlay,
    /// Those whom the window serves.
    told: Arc<Publisher<View>>,
}

struct Window {
    app: App,
    source: Sampling,
    feed: Feed,
    shown: Shown,
    libraries: Receiver<Arc<Library>>,
    _profiles: Option<Watcher>,
}

impl Window {
    fn new(
        ctx: &egui::Context,
        app: App,
        source: Sampling,
        sampler: Sampler,
        told: Publisher<View>,
        log: &Log,
        library: Option<Library>,
    ) -> std::io::Result<Self> {
        let on_line = ctx.clone();
        log.on_line(move || on_line.request_repaint());
        let shown = Shown { played: app.played(), overlay: app.overlay(), told: Arc::new(told) };
        let feed = Feed::start(ctx, sampler, shown.clone())?;
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
        Ok(Self { app, source, feed, shown, libraries, _profiles: profiles })
    }

    /// Looks at something else from now on. The old sampler ends on a thread of its own: it may be in the middle of a search.
    fn look_at(&mut self, ctx: &egui::Context, sampled: Sampled) {
        let feed = self.source.of(sampled).and_then(|sampler| Feed::start(ctx, sampler, self.shown.clone()));
        match feed {
            Ok(feed) => {
                let old = std::mem::replace(&mut self.feed, feed);
                old.wanted.store(false, Ordering::Relaxed); // at once: it shows nothing any more
                let ended =
                    std::thread::Builder::new().name("end of a sampler".into()).spawn(move || drop(old));
                if let Err(error) = ended {
                    tracing::warn!("the system gives no thread: {error}");
                }
            }
            Err(error) => tracing::error!("the system gives no thread to sample: {error}"),
        }
    }

    fn profiles(&mut self, profiles: &[Arc<Profile>]) {
        self.app.know(profiles);
        self.source.usual.profiles = profiles.to_vec();
        if !self.app.shows_recording() || self.source.judge_by_library {
            self.feed.sampler.order(Order::Profiles(profiles.to_vec()));
        }
    }
}

/// Asks for a frame whenever a view is published that is worth one.
fn wake(ctx: &egui::Context, mut views: Latest<View>, wanted: &AtomicBool, shown: &Shown) {
    let mut last = views.get();
    while wanted.load(Ordering::Relaxed) {
        let Some(view) = views.next(LOOK_UP).filter(|_| wanted.load(Ordering::Relaxed)) else { continue };
        shown.told.publish(View::clone(&view));
        if view.replay.is_some() {
            lay_down(&shown.played, &view);
        }
        shown.overlay.tell(ctx, &view);
        if pace::worth_a_frame(&last, &view) {
            // Asked for without any delay, egui would draw two.
            ctx.request_repaint_after(Duration::from_millis(1));
        }
        last = view;
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
            self.profiles(library.profiles());
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let view = self.feed.view.get();
        let cost = frame.info().cpu_usage.unwrap_or(0.0).clamp(0.0, 10.0);
        self.app.frame_took(Duration::from_secs_f32(cost));
        self.app.show(ui, &view);
        if let Some(sampled) = self.app.take_sampled() {
            self.look_at(ui.ctx(), sampled);
        }
        for order in self.app.take_orders() {
            self.feed.sampler.order(order);
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
