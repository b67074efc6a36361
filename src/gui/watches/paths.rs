//! Pointer paths to a watch: found on a thread, and followed again after a reset.

use super::follow::span;
use crate::gui::scene::Scene;
use crate::live::{Connection, Target};
use crate::research::watch::Watch;
use crate::research::{
    Address, MemorySource, PathFile, Paths as Found, Progress, Session, Settings, Step, ValueType, base_text,
    still_lead,
};
use eframe::egui::{self, Align, CollapsingHeader, DragValue, ProgressBar, RichText, ScrollArea, Ui};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

/// Pointers in a row that can be asked for: each more makes many times as many paths by chance.
const DEEPEST: usize = 6;

/// What is asked and what was found.
pub struct Paths {
    depth: usize,
    offset_most: u64,
    run: Option<Run>,
    found: Option<Result<Answer, String>>,
    /// What was found stays while it is followed again.
    kept: Option<Found>,
}

impl Default for Paths {
    fn default() -> Self {
        Self { depth: 2, offset_most: 0x400, run: None, found: None, kept: None }
    }
}

struct Answer {
    found: Found,
    /// How many there were before they were followed again.
    before: Option<usize>,
}

/// Work on a thread; dropping it cancels it.
struct Run {
    progress: Arc<Progress>,
    result: Receiver<Result<Answer, String>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

/// What is searched: the RAM of a console, or for an address outside it all memory of the emulator.
struct Place {
    target: Arc<Target>,
    console: bool,
}

/// Why no paths can be searched for.
fn why_not(scene: &Scene<'_>) -> &'static str {
    match scene.view.replay {
        Some(_) => {
            "A recording holds the console's RAM only, and not the emulator's memory in which pointers to it stand"
        }
        None => "No emulator is attached",
    }
}

impl Place {
    fn of(scene: &Scene<'_>, watch: &Watch) -> Option<Self> {
        let attached = matches!(scene.view.connection, Connection::Live | Connection::Paused { .. });
        let target = scene.view.target.clone().filter(|_| attached)?;
        let console = span(target.profile.console.domain(), watch.address, 1).is_some();
        Some(Self { target, console })
    }

    fn memory(&self) -> Result<MemorySource, String> {
        let memory = if self.console {
            MemorySource::console(self.target.pid, &[Arc::clone(&self.target.profile)])
        } else {
            MemorySource::process(self.target.pid)
        };
        memory.map_err(|error| error.to_string())
    }
}

/// Finds the paths.
fn search(place: &Place, step: &Step, progress: &Progress) -> Result<Answer, String> {
    let mut session = Session::new(place.memory()?, Settings::new(ValueType::BYTE));
    session.step(step, progress).map_err(|error| error.to_string())?;
    let found = session.paths().cloned().ok_or("no paths were searched")?;
    Ok(Answer { found, before: None })
}

/// Follows paths again, from where the modules stand now.
fn check(place: &Place, old: &Found, target: Address) -> Result<Answer, String> {
    let memory = place.memory()?;
    let modules = memory.modules().map_err(|error| error.to_string())?;
    // By the names of the modules, as from a file.
    let mut file =
        PathFile::read(&old.file.to_text(&old.modules), &modules).map_err(|error| error.to_string())?;
    let view = memory.view().map_err(|error| error.to_string())?;
    file.paths = still_lead(&file.paths, view.source(), target, file.kind);
    file.target = Some(target);
    Ok(Answer { found: Found { file, modules }, before: Some(old.file.paths.len()) })
}

impl Paths {
    fn start(
        &mut self,
        ctx: &egui::Context,
        work: impl FnOnce(&Progress) -> Result<Answer, String> + Send + 'static,
    ) {
        let progress = Arc::<Progress>::default();
        let (send, result) = channel();
        let (ctx, own) = (ctx.clone(), Arc::clone(&progress));
        let spawned = std::thread::Builder::new().name("pointers".into()).spawn(move || {
            let _ = send.send(work(&own)); // nobody waits for it any more
            ctx.request_repaint();
        });
        self.found = None;
        match spawned {
            Ok(_) => self.run = Some(Run { progress, result }),
            Err(error) => self.found = Some(Err(format!("the system gives no thread: {error}"))),
        }
    }

    fn take(&mut self) {
        let Some(run) = &self.run else { return };
        let answer = match run.result.try_recv() {
            Ok(answer) => answer,
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => Err("the search broke off".into()),
        };
        if let Ok(answer) = &answer {
            self.kept = Some(answer.found.clone());
        }
        (self.found, self.run) = (Some(answer), None);
    }

    fn running(&mut self, ui: &mut Ui) {
        let Some(run) = &self.run else { return };
        let share = run.progress.share();
        let mut cancel = false;
        ui.horizontal(|ui| {
            #[expect(clippy::cast_possible_truncation, reason = "a bar on the screen")]
            ui.add(ProgressBar::new(share as f32).desired_width(220.0).show_percentage());
            cancel = ui.button("Cancel").clicked();
        });
        ui.ctx().request_repaint_after(Duration::from_millis(100));
        if cancel {
            self.run = None;
        }
    }

    fn buttons(&mut self, ui: &mut Ui, scene: &Scene<'_>, watch: &Watch) {
        let place = Place::of(scene, watch);
        let possible = place.is_some();
        let find = ui.add_enabled(possible, egui::Button::new("Find paths"));
        let find = find.on_disabled_hover_text(why_not(scene)).clicked();
        let some = self.kept.as_ref().is_some_and(|found| !found.file.paths.is_empty());
        let again = ui.add_enabled(possible && some, egui::Button::new("Check again"));
        let again = again
            .on_hover_text(
                "After a reset or in another run: keeps the paths that lead to where the watch is now",
            )
            .clicked();
        let Some(place) = place else { return };
        let target = watch.address;
        if find {
            let step = Step::Pointers { target, depth: self.depth, offset: self.offset_most };
            self.start(ui.ctx(), move |progress| search(&place, &step, progress));
        } else if let (true, Some(old)) = (again, self.kept.clone()) {
            self.start(ui.ctx(), move |_| check(&place, &old, target));
        }
    }
}

/// Draws what leads to the watch.
pub fn show(ui: &mut Ui, paths: &mut Paths, scene: &Scene<'_>, watch: &Watch) {
    paths.take();
    let header = CollapsingHeader::new("Pointer paths that lead here").id_salt("pointer paths");
    let shown = header.show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Pointers in a row");
            ui.add(DragValue::new(&mut paths.depth).range(1..=DEEPEST).speed(0.05)).labelled_by(label.id);
            let label = ui.label("each so far before, at most");
            let offset =
                DragValue::new(&mut paths.offset_most).range(0..=0x1_0000).hexadecimal(1, false, true);
            ui.add(offset.prefix("0x")).labelled_by(label.id);
            if paths.run.is_none() {
                paths.buttons(ui, scene, watch);
            }
        });
        paths.running(ui);
        match &paths.found {
            Some(Ok(answer)) => list(ui, answer),
            Some(Err(why)) => {
                ui.colored_label(scene.look.tokens.caution, why);
            }
            None => {}
        }
    });
    if shown.header_response.clicked() || shown.openness > 0.0 && shown.openness < 1.0 {
        // What opens is brought into sight.
        shown.header_response.scroll_to_me(Some(Align::TOP));
    }
}

fn list(ui: &mut Ui, Answer { found, before }: &Answer) {
    let paths = &found.file.paths;
    let count = paths.len();
    let lead = if count == 1 { "1 path leads".into() } else { format!("{count} paths lead") };
    let target = found.file.target.unwrap_or_default();
    ui.label(match before {
        Some(before) => format!("{lead} to {target}, of {before} before"),
        None => format!("{lead} to {target}"),
    });
    let height = ui.text_style_height(&egui::TextStyle::Monospace);
    ScrollArea::vertical().id_salt("paths").max_height(120.0).show_rows(ui, height, count, |ui, rows| {
        for path in paths.get(rows).unwrap_or_default() {
            let begins = base_text(path.base, &found.modules);
            let text = if begins == path.base.to_string() {
                path.to_string()
            } else {
                format!("{path}   begins at {begins}")
            };
            ui.add(egui::Label::new(RichText::new(text).monospace()).extend());
        }
    });
}
