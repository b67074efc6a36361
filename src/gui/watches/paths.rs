//! Pointer paths to a watch: found on a thread, and followed again after a reset.

use super::follow::span;
use crate::console::{ConsoleId, Plan};
use crate::gui::scene::Scene;
use crate::live::{Connection, Target};
use crate::process::{Process, ReadError, Region};
use crate::profile::Profile;
use crate::research::watch::Watch;
use crate::research::{
    Address, Ground, PointerKind, PointerMap, PointerPath, PointerSettings, ProcessSource, Progress, Source,
    still_lead,
};
use eframe::egui::{self, Align, CollapsingHeader, DragValue, ProgressBar, RichText, Ui};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

/// Paths given back at most; what is more is chance, and falls away only by looking again.
const MOST: usize = 200;
/// Pointers in a row that can be asked for: each more makes many times as many paths by chance.
const DEEPEST: usize = 6;

/// What is asked and what was found.
pub struct Paths {
    depth: usize,
    offset_most: u64,
    run: Option<Run>,
    found: Option<Found>,
    trouble: Option<String>,
}

impl Default for Paths {
    fn default() -> Self {
        Self { depth: 2, offset_most: 0x400, run: None, found: None, trouble: None }
    }
}

struct Found {
    target: Address,
    kind: PointerKind,
    paths: Vec<PointerPath>,
    /// How many there were before they were followed again.
    before: Option<usize>,
}

/// Work on a thread; dropping it cancels it.
struct Run {
    progress: Arc<Progress>,
    result: Receiver<Result<Found, String>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

/// What is searched: the RAM of a console, or of an address outside it all memory of the emulator.
struct Place {
    target: Arc<Target>,
    kind: PointerKind,
    console: bool,
}

/// What a pointer is on a console; None where programs keep addresses in 16 bits, of which every second word would be one.
fn kind_on(console: ConsoleId) -> Option<PointerKind> {
    let order = console.domain().endian;
    let mask = if console.domain().address_bits < 32 {
        (1 << console.domain().address_bits) - 1
    } else {
        u64::from(u32::MAX)
    };
    let of = |alignment| Some(PointerKind { wide: false, order, mask, alignment });
    match console {
        ConsoleId::Genesis | ConsoleId::SystemC2 | ConsoleId::System16 => of(2),
        ConsoleId::Nds | ConsoleId::PsikyoSh2 | ConsoleId::Zn2 => of(4),
        ConsoleId::Nes => None,
    }
}

impl Place {
    fn of(scene: &Scene<'_>, watch: &Watch) -> Result<Self, &'static str> {
        let attached = matches!(scene.view.connection, Connection::Live | Connection::Paused { .. });
        let target = scene.view.target.clone().filter(|_| attached).ok_or("no emulator is attached")?;
        let console = target.profile.console;
        if span(console.domain(), watch.address, 1).is_none() {
            return Ok(Self { target, kind: PointerKind::NATIVE, console: false });
        }
        let kind = kind_on(console)
            .ok_or("pointers of 16 bits are not searched: chance would be most of what is found")?;
        Ok(Self { target, kind, console: true })
    }

    /// Opens what is searched and does something with it.
    fn with<R>(&self, work: impl FnOnce(&dyn Source, &dyn Fn(Address) -> bool) -> R) -> Result<R, String> {
        if self.console {
            let profiles: [Arc<Profile>; 1] = [Arc::clone(&self.target.profile)];
            let ground = Ground::console(self.target.pid, &profiles).map_err(|error| error.to_string())?;
            let Ground::Console(found) = ground else { return Err("it is no console".to_owned()) };
            let sampled = found.ram.sample(&Plan::whole(found.ram.domain));
            let snapshot = sampled.map_err(|error| error.to_string())?;
            // All RAM of a console stands still.
            return Ok(work(&snapshot, &|_| true));
        }
        let process = Process::open(self.target.pid).map_err(|error: ReadError| error.to_string())?;
        let regions = process.regions().map_err(|error| error.to_string())?;
        let modules: Vec<Region> =
            regions.into_iter().filter(|region| region.may_hold_data() && region.inode != 0).collect();
        let still = |cell: Address| {
            let after = modules.partition_point(|region| region.start.0 <= cell.0);
            after.checked_sub(1).is_some_and(|at| cell.0 < modules[at].end().0)
        };
        Ok(work(&ProcessSource::whole(Arc::new(process)), &still))
    }
}

impl Paths {
    fn start(
        &mut self,
        ctx: &egui::Context,
        work: impl FnOnce(&Progress) -> Result<Found, String> + Send + 'static,
    ) {
        let progress = Arc::<Progress>::default();
        let (send, result) = channel();
        let (ctx, own) = (ctx.clone(), Arc::clone(&progress));
        let spawned = std::thread::Builder::new().name("pointers".into()).spawn(move || {
            let _ = send.send(work(&own)); // nobody waits for it any more
            ctx.request_repaint();
        });
        match spawned {
            Ok(_) => (self.run, self.trouble) = (Some(Run { progress, result }), None),
            Err(error) => self.trouble = Some(format!("the system gives no thread: {error}")),
        }
    }

    fn search(&mut self, ctx: &egui::Context, place: Place, target: Address) {
        let settings = PointerSettings {
            kind: place.kind,
            offset_most: self.offset_most,
            depth: self.depth,
            most: MOST,
        };
        self.found = None;
        self.start(ctx, move |progress| {
            let paths = place.with(|source, still| {
                let map = PointerMap::new(source, settings.kind, progress)?;
                map.paths(target, &settings, still, progress)
            })?;
            let paths = paths.map_err(|error| error.to_string())?;
            Ok(Found { target, kind: settings.kind, paths, before: None })
        });
    }

    fn check(&mut self, ctx: &egui::Context, place: Place, target: Address) {
        let Some(Found { kind, paths, .. }) = &self.found else { return };
        let (kind, paths) = (*kind, paths.clone());
        self.start(ctx, move |_| {
            let left = place.with(|source, _| still_lead(&paths, source, target, kind))?;
            Ok(Found { target, kind, before: Some(paths.len()), paths: left })
        });
    }

    fn take(&mut self) {
        let Some(run) = &self.run else { return };
        match run.result.try_recv() {
            Ok(Ok(found)) => (self.found, self.run) = (Some(found), None),
            Ok(Err(why)) => (self.trouble, self.run) = (Some(why), None),
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => {
                (self.trouble, self.run) = (Some("the search broke off".into()), None);
            }
        }
    }
}

/// Draws what leads to the watch.
pub fn show(ui: &mut Ui, paths: &mut Paths, scene: &Scene<'_>, watch: &Watch) {
    paths.take();
    let header = CollapsingHeader::new("Pointer paths that lead here").id_salt("pointer paths");
    let shown = header.show(ui, |ui| {
        let place = Place::of(scene, watch);
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Pointers in a row");
            ui.add(DragValue::new(&mut paths.depth).range(1..=DEEPEST).speed(0.05)).labelled_by(label.id);
            let label = ui.label("each at most so far before");
            let offset =
                DragValue::new(&mut paths.offset_most).range(0..=0x1_0000).hexadecimal(1, false, true);
            ui.add(offset.prefix("0x")).labelled_by(label.id);
        });
        if let Some(run) = &paths.run {
            let share = run.progress.share();
            let mut cancel = false;
            ui.horizontal(|ui| {
                #[expect(clippy::cast_possible_truncation, reason = "a bar on the screen")]
                ui.add(ProgressBar::new(share as f32).desired_width(220.0).show_percentage());
                cancel = ui.button("Cancel").clicked();
            });
            ui.ctx().request_repaint_after(Duration::from_millis(100));
            if cancel {
                paths.run = None;
            }
            return;
        }
        ui.horizontal_wrapped(|ui| {
            let possible = place.is_ok();
            if ui.add_enabled(possible, egui::Button::new("Find paths")).clicked()
                && let Ok(place) = Place::of(scene, watch)
            {
                paths.search(ui.ctx(), place, watch.address);
            }
            let some = paths.found.as_ref().is_some_and(|found| !found.paths.is_empty());
            let check = ui.add_enabled(possible && some, egui::Button::new("Check again"));
            let check = check.on_hover_text(
                "After a reset or in another run: keeps the paths that lead to where the watch is now",
            );
            if check.clicked()
                && let Ok(place) = Place::of(scene, watch)
            {
                paths.check(ui.ctx(), place, watch.address);
            }
        });
        if let Err(why) = place {
            ui.weak(why);
        }
        if let Some(why) = &paths.trouble {
            ui.colored_label(scene.look.tokens.caution, why);
        }
        if let Some(found) = &paths.found {
            list(ui, found);
        }
    });
    if shown.header_response.clicked() || shown.openness > 0.0 && shown.openness < 1.0 {
        // What opens is brought into sight.
        shown.header_response.scroll_to_me(Some(Align::TOP));
    }
}

fn list(ui: &mut Ui, found: &Found) {
    let count = found.paths.len();
    let paths = if count == 1 { "1 path leads".into() } else { format!("{count} paths lead") };
    let said = match found.before {
        Some(before) => format!("{paths} to {}, of {before} before", found.target),
        None if count == MOST => format!("The {MOST} shortest paths to {}; there may be more", found.target),
        None => format!("{paths} to {}", found.target),
    };
    ui.label(said);
    for path in &found.paths {
        ui.label(RichText::new(path.to_string()).monospace());
    }
}
