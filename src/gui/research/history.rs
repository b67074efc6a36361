//! Undo, redo and the bars of the steps.

use super::engine::{Job, Shown, Worker};
use super::strip;
use crate::gui::ui_context::UiContext;
use crate::research::Step;
use eframe::egui::{Button, Ui};

/// Draws undo, redo and the history.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, worker: &Worker, shown: &Shown) {
    let step = |number: usize| shown.steps.get(number).map_or("", |step| step.what.as_str());
    let named = |word: &str, number: usize| format!("{word}: {}", shortened(step(number)));
    ui.horizontal_wrapped(|ui| {
        let (text, hover) = match (shown.at, shown.restorable) {
            (0, true) => {
                ("Undo: start over".to_owned(), "Return to the results before Start over".to_owned())
            }
            (0, false) => ("Undo".into(), "The first step cannot be undone. Start over instead".into()),
            (at, _) => (named("Undo", at), format!("Undo: {}", step(at))),
        };
        let back = shown.at > 0 || shown.restorable;
        let button = ui.add_enabled(back, Button::new(text)).on_hover_text(&hover);
        if button.on_disabled_hover_text(&hover).clicked() {
            undo(worker, shown);
        }
        let forth = shown.at + 1 < shown.steps.len();
        let text = if forth { named("Redo", shown.at + 1) } else { "Redo".into() };
        let hover = format!("Redo with the same results: {}", step(shown.at + 1));
        if ui.add_enabled(forth, Button::new(text)).on_hover_text(hover).clicked() {
            worker.post(Job::Go(shown.at + 1));
        }
        let hover = "Discard all steps, to search with another type or alignment; can be undone";
        if ui.button("Start over").on_hover_text(hover).clicked() {
            worker.post(Job::Step(Step::New, "start over".into()));
        }
        if let Some(step) = strip::show(ui, cx.look.tokens, &shown.steps, shown.at) {
            worker.post(Job::Go(step));
        }
    });
}

/// Undoes the last step, or else "Start over".
pub fn undo(worker: &Worker, shown: &Shown) {
    match shown.at.checked_sub(1) {
        Some(before) => worker.post(Job::Go(before)),
        None if shown.restorable => worker.post(Job::Restore),
        None => {}
    }
}

/// Shortens a text for a button.
pub fn shortened(text: &str) -> String {
    const MOST: usize = 24;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST - 1).chain(['…']).collect()
    }
}
