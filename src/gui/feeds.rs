//! Where views come from: the sampler of the running emulators, and beside it the player of a recording that is opened. The one goes
//! on with its work while the other is shown.

use super::app::{Sampled, publish_snapshot};
use super::overlay::Overlay;
use super::pace;
use crate::live::{self, Latest, Order, Publisher, Sampler, View};
use crate::profile::Profile;
use crate::research::ReplaySnapshot;
use eframe::egui;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the thread that waits for views looks whether it is still needed.
const LOOK_UP: Duration = Duration::from_millis(500);

/// Those who are told of every view that is shown.
#[derive(Clone)]
pub struct Listeners {
    /// The searches in recordings.
    pub replay_snapshot: ReplaySnapshot,
    /// The overlay.
    pub overlay: Overlay,
    /// Those whom the window serves.
    pub served: Arc<Publisher<View>>,
}

impl Listeners {
    fn tell(&self, ctx: &egui::Context, view: &Arc<View>) {
        self.served.publish(View::clone(view));
        if view.replay.is_some() {
            publish_snapshot(&self.replay_snapshot, view);
        }
        self.overlay.tell(ctx, view);
    }
}

/// A sampler, and the thread that waits for its views.
struct Feed {
    sampler: Sampler,
    view: Latest<View>,
    /// Whether its views are shown, and told to the listeners.
    shown: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
    waker: Option<JoinHandle<()>>,
}

impl Feed {
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

    /// Ends it on a thread of its own: it may be in the middle of a search.
    fn end(self) {
        self.shown.store(false, Ordering::Relaxed); // at once: it shows nothing any more
        let ended = std::thread::Builder::new().name("end of a sampler".into()).spawn(move || drop(self));
        if let Err(error) = ended {
            tracing::warn!("the system gives no thread: {error}");
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(waker) = self.waker.take() {
            let _ = waker.join(); // nothing is lost if it panicked
        }
    }
}

/// Asks for a frame whenever a view is published that is worth one.
fn wake(
    ctx: &egui::Context,
    mut views: Latest<View>,
    shown: &AtomicBool,
    ended: &AtomicBool,
    listeners: &Listeners,
) {
    let mut last = views.get();
    while !ended.load(Ordering::Relaxed) {
        let Some(view) = views.next(LOOK_UP) else { continue };
        let worth_a_frame = if shown.load(Ordering::Relaxed) {
            listeners.tell(ctx, &view);
            pace::worth_a_frame(&last, &view)
        } else {
            // What is recorded and which emulators run is shown beside a recording.
            let recording = |view: &View| view.recording.as_ref().map(|recording| recording.ended);
            recording(&last) != recording(&view) || !Arc::ptr_eq(&last.emulators, &view.emulators)
        };
        if worth_a_frame {
            // Asked for without any delay, egui would draw two.
            ctx.request_repaint_after(Duration::from_millis(1));
        }
        last = view;
    }
}

/// The live session, and the recording that is shown in its place.
pub struct Feeds {
    ctx: egui::Context,
    usual: live::Options,
    judge_by_library: bool,
    listeners: Listeners,
    /// None until it is asked for, when a recording was opened first.
    live: Option<Feed>,
    replay: Option<Feed>,
}

impl Feeds {
    /// Begins with what `options` say: the emulators that run, or a recording. With `judge_by_library`, recordings are judged by the
    /// profiles of the options, and not by those that they hold.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        ctx: &egui::Context,
        options: live::Options,
        judge_by_library: bool,
        listeners: Listeners,
    ) -> std::io::Result<Self> {
        // What the command line said of a process and a recording to be made holds for the first sampler only.
        let usual = live::Options { pid: None, record: None, replay: None, ..options.clone() };
        let mut feeds =
            Self { ctx: ctx.clone(), usual, judge_by_library, listeners, live: None, replay: None };
        if options.replay.is_some() {
            feeds.replay = Some(feeds.feed(options)?);
        } else {
            feeds.live = Some(feeds.feed(options)?);
        }
        Ok(feeds)
    }

    fn feed(&self, mut options: live::Options) -> std::io::Result<Feed> {
        if options.replay.is_some() && !self.judge_by_library {
            options.profiles.clear();
        }
        Feed::start(&self.ctx, Sampler::start(options)?, self.listeners.clone())
    }

    /// Shows a recording beside the live session, or the live session again, as it has gone on meanwhile.
    ///
    /// # Errors
    /// When the system gives no thread; then nothing changes.
    pub fn show(&mut self, sampled: Sampled) -> std::io::Result<()> {
        let replay = match sampled {
            Sampled::Recording(recording) => {
                let options = live::Options { replay: Some(recording), ..self.usual.clone() };
                Some(self.feed(options)?)
            }
            Sampled::Emulators => {
                if self.live.is_none() {
                    self.live = Some(self.feed(self.usual.clone())?);
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
                // It may be a while until there is something new.
                self.listeners.tell(&self.ctx, &live.view.get());
            }
        }
        Ok(())
    }

    /// The newest view of what is shown. That of a recording also says what the live session records and which emulators run.
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

    /// Gives an order to whom it concerns: moving about in a recording to its player, everything else to the live session.
    pub fn order(&self, order: Order) {
        let feed = match order {
            Order::Replay(_) => &self.replay,
            _ => &self.live,
        };
        if let Some(feed) = feed {
            feed.sampler.order(order);
        }
    }

    /// Uses these profiles from now on.
    pub fn use_profiles(&mut self, profiles: &[Arc<Profile>]) {
        self.usual.profiles = profiles.to_vec();
        let judged = self.replay.iter().filter(|_| self.judge_by_library);
        for feed in self.live.iter().chain(judged) {
            feed.sampler.order(Order::Profiles(profiles.to_vec()));
        }
    }
}
