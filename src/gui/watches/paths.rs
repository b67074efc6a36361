//! Pointer paths to a watch: searched in the background, and checked again after a reset.

use super::follow::span;
use crate::gui::repaint;
use crate::gui::ui_context::UiContext;
use crate::live::{Connection, Target};
use crate::research::watch::Watch;
use crate::research::{
    Address, MemorySource, PathFile, Paths as Found, Session, Settings, Step, ValueType, base_text,
    still_lead,
};
use crate::task::{Progress, Task};
use crate::text::counted;
use eframe::egui::{self, Align, CollapsingHeader, DragValue, ProgressBar, RichText, ScrollArea, Ui};
use std::sync::Arc;
use std::time::Duration;

/// Maximum path depth: each level multiplies the number of accidental paths.
const MAX_DEPTH: usize = 6;

/// Input and results of the path search.
pub struct Paths {
    depth: usize,
    max_offset: u64,
    run: Option<Task<Result<Answer, String>>>,
    found: Option<Result<Answer, String>>,
    /// The last paths, last while they are checked.
    last: Option<Found>,
}

impl Default for Paths {
    fn default() -> Self {
        Self { depth: 2, max_offset: 0x400, run: None, found: None, last: None }
    }
}

struct Answer {
    found: Found,
    /// The number of paths before a check.
    before: Option<usize>,
}

/// The searched memory: a console's RAM, or all memory of the emulator for an address outside.
struct Place {
    target: Arc<Target>,
    console: bool,
}

/// Why a path search is impossible.
fn why_not(cx: &UiContext<'_>) -> &'static str {
    match cx.view.replay {
        Some(_) => {
            "A recording contains only the console's RAM, not the emulator's memory with pointers to it"
        }
        None => "No emulator attached",
    }
}

impl Place {
    fn of(cx: &UiContext<'_>, watch: &Watch) -> Option<Self> {
        let attached = matches!(cx.view.connection, Connection::Live | Connection::Paused { .. });
        let target = cx.view.target.clone().filter(|_| attached)?;
        let console = span(target.profile.console.domain(), watch.address, 1).is_some();
        Some(Self { target, console })
    }

    fn source(&self) -> Result<MemorySource, String> {
        let source = if self.console {
            MemorySource::console(self.target.pid, &[Arc::clone(&self.target.profile)])
        } else {
            MemorySource::process(self.target.pid)
        };
        source.map_err(|error| error.to_string())
    }
}

fn search(place: &Place, step: &Step, progress: &Progress) -> Result<Answer, String> {
    let mut session = Session::new(place.source()?, Settings::new(ValueType::BYTE));
    session.step(step, progress).map_err(|error| error.to_string())?;
    let found = session.paths().cloned().ok_or("no paths found")?;
    Ok(Answer { found, before: None })
}

/// Follows the paths again from the current module addresses.
fn check(place: &Place, old: &Found, target: Address) -> Result<Answer, String> {
    let source = place.source()?;
    let modules = source.modules().map_err(|error| error.to_string())?;
    // Resolve by module name, as for paths from a file.
    let mut file =
        PathFile::read(&old.file.to_text(&old.modules), &modules).map_err(|error| error.to_string())?;
    let view = source.view().map_err(|error| error.to_string())?;
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
        self.found = None;
        self.run = Some(Task::start("pointers", repaint::waker(ctx), |task| work(task.progress())));
    }

    fn take(&mut self) {
        let Some(ended) = self.run.as_ref().and_then(Task::poll) else { return };
        let answer = ended.unwrap_or_else(|error| Err(format!("the search {error}")));
        if let Ok(answer) = &answer {
            self.last = Some(answer.found.clone());
        }
        (self.found, self.run) = (Some(answer), None);
    }

    fn running(&mut self, ui: &mut Ui) {
        let Some(run) = &self.run else { return };
        let share = run.progress().share();
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

    fn buttons(&mut self, ui: &mut Ui, cx: &UiContext<'_>, watch: &Watch) {
        let place = Place::of(cx, watch);
        let possible = place.is_some();
        let find = ui.add_enabled(possible, egui::Button::new("Find paths"));
        let find = find.on_disabled_hover_text(why_not(cx)).clicked();
        let some = self.last.as_ref().is_some_and(|found| !found.file.paths.is_empty());
        let again = ui.add_enabled(possible && some, egui::Button::new("Check paths"));
        let again = again
            .on_hover_text("After a reset or restart: keep only paths that still lead to the watch")
            .clicked();
        let Some(place) = place else { return };
        let target = watch.address;
        if find {
            let step = Step::Pointers { target, depth: self.depth, offset: self.max_offset };
            self.start(ui.ctx(), move |progress| search(&place, &step, progress));
        } else if let (true, Some(old)) = (again, self.last.clone()) {
            self.start(ui.ctx(), move |_| check(&place, &old, target));
        }
    }
}

/// Draws the paths to the watch.
pub fn show(ui: &mut Ui, paths: &mut Paths, cx: &UiContext<'_>, watch: &Watch) {
    paths.take();
    let header = CollapsingHeader::new("Pointer paths to this address").id_salt("pointer paths");
    let shown = header.show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Maximum depth");
            ui.add(DragValue::new(&mut paths.depth).range(1..=MAX_DEPTH).speed(0.05)).labelled_by(label.id);
            let label = ui.label("Maximum offset");
            let offset =
                DragValue::new(&mut paths.max_offset).range(0..=0x1_0000).hexadecimal(1, false, true);
            ui.add(offset.prefix("0x")).labelled_by(label.id);
            if paths.run.is_none() {
                paths.buttons(ui, cx, watch);
            }
        });
        paths.running(ui);
        match &paths.found {
            Some(Ok(answer)) => list(ui, answer),
            Some(Err(why)) => {
                ui.colored_label(cx.look.tokens.caution, why);
            }
            None => {}
        }
    });
    if shown.header_response.clicked() || shown.openness > 0.0 && shown.openness < 1.0 {
        // Scroll new results into view.
        shown.header_response.scroll_to_me(Some(Align::TOP));
    }
}

fn list(ui: &mut Ui, Answer { found, before }: &Answer) {
    let paths = &found.file.paths;
    let count = paths.len();
    let lead = counted(count as u64, "path");
    let target = found.file.target.unwrap_or_default();
    ui.label(match before {
        Some(before) => format!("{lead} to {target} (of {before})"),
        None => format!("{lead} to {target}"),
    });
    let height = ui.text_style_height(&egui::TextStyle::Monospace);
    ScrollArea::vertical().id_salt("paths").max_height(120.0).show_rows(ui, height, count, |ui, rows| {
        for path in paths.get(rows).unwrap_or_default() {
            let begins = base_text(path.base, &found.modules);
            let text = if begins == path.base.to_string() {
                path.to_string()
            } else {
                format!("{path}   starts at {begins}")
            };
            ui.add(egui::Label::new(RichText::new(text).monospace()).extend());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_crashes_is_reported() {
        let mut paths = Paths::default();
        paths.start(&egui::Context::default(), |_| panic!("a fault"));
        while paths.run.is_some() {
            paths.take();
        }
        assert_eq!(paths.found.and_then(Result::err).as_deref(), Some("the search crashed: a fault"));
    }
}
