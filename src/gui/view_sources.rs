//! Where views come from: the sampler of the running emulators and, beside it, the player of an open recording. The
//! live sampler keeps working while a recording is shown.

use super::overlay::Overlay;
use super::repaint::{self, Change, Pacer};
use crate::live::{self, Publisher, Sampler, SamplerCommand, Subscriber, View};
use crate::profile::Profile;
use crate::recording::Recording;
use crate::research::ReplaySnapshot;
use eframe::egui;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the waiting thread checks whether it is still needed.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// What the views come from.
#[derive(Debug, Clone)]
pub enum DataSource {
    /// The running emulators.
    Emulators,
    /// A recording.
    Recording(Arc<Recording>),
}

/// Publishes the shown part of a recording to searches.
pub fn publish_replay(played: &ReplaySnapshot, view: &View) {
    match (&view.replay, &view.data) {
        (Some(replay), Some(data)) => played.publish(&replay.name, &data.snapshot, data.frame),
        _ => played.clear(),
    }
}

/// Receivers of every view that is shown.
#[derive(Clone)]
pub struct Listeners {
    /// Searches in recordings.
    pub played: ReplaySnapshot,
    /// The overlay window.
    pub overlay: Overlay,
    /// The server.
    pub served: Arc<Publisher<View>>,
    /// The frames of the window.
    pub pacer: Pacer,
}

impl Listeners {
    fn publish(&self, ctx: &egui::Context, view: &Arc<View>) {
        self.served.publish(View::clone(view));
        if view.replay.is_some() {
            publish_replay(&self.played, view);
        }
        self.overlay.update(ctx, view);
    }
}

/// A sampler and the thread that waits for its views.
struct ViewSource {
    sampler: Sampler,
    view: Subscriber<View>,
    /// Whether the window and the listeners get its views.
    shown: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
    waker: Option<JoinHandle<()>>,
}

impl ViewSource {
    fn start(ctx: &egui::Context, sampler: Sampler, listeners: Listeners) -> std::io::Result<Self> {
        let (shown, ended) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        let waker = std::thread::Builder::new().name("window".into()).spawn({
            let (ctx, view) = (ctx.clone(), sampler.view());
            let (shown, ended) = (Arc::clone(&shown), Arc::clone(&ended));
            move || wake(&ctx, view, &shown, &ended, &listeners)
        })?;
        let view = sampler.view();
        Ok(Self { sampler, view, shown, ended, waker: Some(waker) })
    }

    /// Stops it on another thread: the sampler may be in the middle of a search.
    fn end(self) {
        self.shown.store(false, Ordering::Relaxed); // stop showing its views at once
        let ended = std::thread::Builder::new().name("sampler shutdown".into()).spawn(move || drop(self));
        if let Err(error) = ended {
            tracing::warn!("cannot start a thread: {error}");
        }
    }
}

impl Drop for ViewSource {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(waker) = self.waker.take() {
            let _ = waker.join(); // a panic of that thread loses nothing
        }
    }
}

/// Requests a repaint whenever a new view needs one.
fn wake(
    ctx: &egui::Context,
    mut views: Subscriber<View>,
    shown: &AtomicBool,
    ended: &AtomicBool,
    listeners: &Listeners,
) {
    let mut last = views.get();
    while !ended.load(Ordering::Relaxed) {
        let Some(view) = views.next(POLL_INTERVAL) else { continue };
        let change = if shown.load(Ordering::Relaxed) {
            listeners.publish(ctx, &view);
            repaint::change(&last, &view)
        } else {
            // Beside a recording, the window still shows the state of recording and the running emulators.
            let recording = |view: &View| view.recording.as_ref().map(|recording| recording.ended);
            let same = recording(&last) == recording(&view) && Arc::ptr_eq(&last.emulators, &view.emulators);
            if same { Change::Numbers } else { Change::Content }
        };
        if let Some(due) = change.due(&listeners.pacer, Instant::now()) {
            ctx.request_repaint_after(due);
        }
        last = view;
    }
}

/// The live session, and the recording shown in its place.
pub struct ViewSources {
    ctx: egui::Context,
    defaults: live::Options,
    judge_by_library: bool,
    listeners: Listeners,
    /// None until needed, if the session started with a recording.
    live: Option<ViewSource>,
    replay: Option<ViewSource>,
}

impl ViewSources {
    /// Starts with the running emulators, or with the recording in `options`. With `judge_by_library`, recordings are verified
    /// against the profiles in `options` instead of their own.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(
        ctx: &egui::Context,
        options: live::Options,
        judge_by_library: bool,
        listeners: Listeners,
    ) -> std::io::Result<Self> {
        // The process and the recording named on the command line apply to the first sampler only.
        let defaults = live::Options { pid: None, record: None, replay: None, ..options.clone() };
        let mut sources =
            Self { ctx: ctx.clone(), defaults, judge_by_library, listeners, live: None, replay: None };
        if options.replay.is_some() {
            sources.replay = Some(sources.source(options)?);
        } else {
            sources.live = Some(sources.source(options)?);
        }
        Ok(sources)
    }

    fn source(&self, mut options: live::Options) -> std::io::Result<ViewSource> {
        if options.replay.is_some() && !self.judge_by_library {
            options.profiles.clear();
        }
        ViewSource::start(&self.ctx, Sampler::start(options)?, self.listeners.clone())
    }

    /// Shows a recording beside the live session, or the live session again.
    ///
    /// # Errors
    /// When the thread cannot be started; nothing changes.
    pub fn show(&mut self, source: DataSource) -> std::io::Result<()> {
        let replay = match source {
            DataSource::Recording(recording) => {
                let options = live::Options { replay: Some(recording), ..self.defaults.clone() };
                Some(self.source(options)?)
            }
            DataSource::Emulators => {
                if self.live.is_none() {
                    self.live = Some(self.source(self.defaults.clone())?);
                }
                None
            }
        };
        let live_is_shown = replay.is_none();
        if let Some(old) = std::mem::replace(&mut self.replay, replay) {
            old.end();
        }
        if let Some(live) = &mut self.live {
            live.shown.store(live_is_shown, Ordering::Relaxed);
            if live_is_shown {
                // The next view may take a while.
                self.listeners.publish(&self.ctx, &live.view.get());
            }
        }
        Ok(())
    }

    /// The newest view. For a recording it includes the live session's emulators and state of recording.
    pub fn view(&mut self) -> Arc<View> {
        let live = self.live.as_mut().map(|live| live.view.get());
        match (&mut self.replay, live) {
            (Some(replay), Some(live)) => {
                let (recording, emulators) = (live.recording.clone(), Arc::clone(&live.emulators));
                Arc::new(View { recording, emulators, ..View::clone(&replay.view.get()) })
            }
            (Some(replay), None) => replay.view.get(),
            (None, live) => live.unwrap_or_default(),
        }
    }

    /// Sends seek and play commands to the player, all others to the live session.
    pub fn send(&self, command: SamplerCommand) {
        let source = match command {
            SamplerCommand::Replay(_) => &self.replay,
            _ => &self.live,
        };
        if let Some(source) = source {
            source.sampler.send(command);
        }
    }

    /// Replaces the profiles.
    pub fn use_profiles(&mut self, profiles: &[Arc<Profile>]) {
        self.defaults.profiles = profiles.to_vec();
        let judged = self.replay.iter().filter(|_| self.judge_by_library);
        for source in self.live.iter().chain(judged) {
            source.sampler.send(SamplerCommand::Profiles(profiles.to_vec()));
        }
    }
}
