//! The structure builder: input, progress and result.

use super::engine::{BuildOrder, Run, UPDATE_INTERVAL};
use super::settings::IgnitionSettings;
use super::state::State;
use crate::gui::marks::{Mark, mark};
use crate::gui::ui_context::UiContext;
use crate::pochi::{BuildLimits, BuildResult, MAX_BLOCKS, Ruleset};
use crate::seeds::text::grouped;
use crate::text::counted;
use eframe::egui::{Button, DragValue, RichText, Slider, Ui};
use std::sync::Arc;

/// Shapes tried at the lowest effort; each level is four times as many.
const MIN_EFFORT_SHAPES: u64 = 250_000;

#[derive(Default)]
pub struct Builder {
    run: Option<Run>,
    /// The order of the current or last run.
    order: Option<BuildOrder>,
    best: Option<Arc<BuildResult>>,
    /// Whether the result is final.
    done: bool,
    trouble: Option<String>,
}

impl Builder {
    /// Draws the builder; the result goes into the field on request.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        cx: &UiContext<'_>,
        state: &mut State,
        settings: &mut IgnitionSettings,
    ) {
        self.take();
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Blocks");
            ui.add(DragValue::new(&mut settings.blocks).range(1..=MAX_BLOCKS).speed(0.2))
                .labelled_by(label.id)
                .on_hover_text("Maximum number of blocks");
            let label = ui.label("Effort");
            ui.add(Slider::new(&mut settings.effort, 1..=5))
                .labelled_by(label.id)
                .on_hover_text("Maximum number of shapes; each level is four times as many");
        });
        ui.horizontal_wrapped(|ui| {
            ui.checkbox(&mut settings.freestanding, "Stable")
                .on_hover_text("No block or needle needs a block of another colour below it");
            ui.checkbox(&mut settings.open, "Reachable by falling needle")
                .on_hover_text("No block is above the needle");
        });
        ui.horizontal_wrapped(|ui| {
            let runs = self.run.is_some();
            let name = format!("Build for {}", settings.ruleset());
            let hint =
                "Maximize the value under the shown ruleset, with the selected answers to open questions";
            if ui.add_enabled(!runs, Button::new(name)).on_hover_text(hint).clicked() {
                self.start(ui, settings);
            }
            let cancel = ui.add_enabled(runs, Button::new("Cancel"));
            if let Some(run) = self.run.as_ref().filter(|_| cancel.clicked()) {
                run.cancel();
            }
        });
        if let Some(why) = &self.trouble {
            ui.colored_label(cx.look.tokens.bad, why);
        }
        if let Some(run) = &self.run {
            ui.horizontal_wrapped(|ui| {
                mark(ui, Mark::Play, cx.look.tokens.accent);
                ui.label(run.progress());
            });
            ui.ctx().request_repaint_after(UPDATE_INTERVAL);
        }
        self.built(ui, cx, state);
    }

    fn start(&mut self, ui: &Ui, settings: &IgnitionSettings) {
        let effort = MIN_EFFORT_SHAPES << (2 * (settings.effort.clamp(1, 5) - 1));
        let limits = BuildLimits { freestanding: settings.freestanding, open: settings.open, effort };
        let (ruleset, rules) = (settings.ruleset(), settings.rules());
        let order = BuildOrder { blocks: settings.blocks, ruleset, rules, limits };
        let run = Run::start(order, ui.ctx());
        (self.run, self.order, self.trouble) = (Some(run), Some(order), None);
        (self.best, self.done) = (None, false);
    }

    /// Reads the builder's progress.
    fn take(&mut self) {
        let Some(run) = &self.run else { return };
        if let Some(best) = run.best() {
            self.best = Some(best);
        }
        match run.take() {
            Some(Ok(built)) => (self.best, self.done, self.run) = (Some(Arc::new(built)), true, None),
            Some(Err(why)) => (self.trouble, self.run) = (Some(why), None),
            None => {}
        }
    }

    fn built(&self, ui: &mut Ui, cx: &UiContext<'_>, state: &mut State) {
        let (Some(built), Some(order)) = (&self.best, self.order) else {
            if self.run.is_none() {
                ui.weak("Finds the maximum value of a number of blocks of one colour, and a structure that reaches it");
            }
            return;
        };
        ui.horizontal_wrapped(|ui| {
            let worth =
                format!("{} {} from {}", order.ruleset, built.value, counted(built.blocks.into(), "block"));
            ui.label(RichText::new(worth).strong().size(16.0));
            let button = ui.add(Button::new("Use in field"));
            if button.on_hover_text("Replace the field; undo restores it").clicked() {
                state.open_field(built.field.clone(), Some(built.ignition.clone()));
            }
        });
        if !built.supports.is_empty() {
            let blocks = counted(built.supports.len() as u64, "block");
            ui.weak(format!("It needs {blocks} of other colours below, which are not shown"));
        }
        if !self.done {
            return;
        }
        let tokens = cx.look.tokens;
        ui.horizontal_wrapped(|ui| {
            if built.is_proven {
                mark(ui, Mark::Tick, tokens.good);
                ui.label(format!("Proven maximum for {}", proven_of(&order)));
            } else {
                mark(ui, Mark::Question, tokens.caution);
                let cancelled = if built.is_cancelled { "cancelled; " } else { "" };
                let bound = match built.bound {
                    Some(bound) if !built.is_cancelled => {
                        format!("upper bound {bound}; more effort may find a better one")
                    }
                    _ => "there may be a better one".to_owned(),
                };
                ui.label(format!("Not proven: {cancelled}{bound}"));
            }
        });
        ui.weak(format!("{} shapes tried", grouped(built.tried)));
    }
}

/// "12 blocks that are stable".
fn proven_of(order: &BuildOrder) -> String {
    let BuildOrder { blocks, ruleset, limits, .. } = order;
    let freestanding = if limits.freestanding { " that are stable" } else { "" };
    let open = if limits.open { " with a reachable needle" } else { "" };
    let under = match ruleset {
        Ruleset::Mvs => "under the MVS rules",
        Ruleset::Ps2 => "under the PS2 rules",
    };
    format!("{}{freestanding}{open} {under}", counted((*blocks).into(), "block"))
}
