//! The best structure of so many blocks: what is asked, how far it is, and what was built.

use super::asked::IgnitionSettings;
use super::engine::{NEWS_EVERY, Order, Run};
use super::state::State;
use super::words;
use crate::gui::marks::{Mark, mark};
use crate::gui::scene::Scene;
use crate::pochi::{BLOCKS_MOST, BuildLimits, Built, Ruleset};
use crate::seeds::text::grouped;
use eframe::egui::{Button, DragValue, RichText, Slider, Ui};
use std::sync::Arc;

/// Shapes that are tried at the least effort; each step more is four times as many.
const EFFORT_LEAST: u64 = 250_000;

/// What the builder remembers.
#[derive(Default)]
pub struct Builder {
    run: Option<Run>,
    /// For what was built last, or is being built.
    order: Option<Order>,
    best: Option<Arc<Built>>,
    /// Whether that is final.
    done: bool,
    trouble: Option<String>,
}

impl Builder {
    /// Draws it; what is built goes into the field when that is asked for.
    pub fn show(&mut self, ui: &mut Ui, scene: &Scene<'_>, state: &mut State, asked: &mut IgnitionSettings) {
        self.take();
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Blocks");
            ui.add(DragValue::new(&mut asked.blocks).range(1..=BLOCKS_MOST).speed(0.2))
                .labelled_by(label.id)
                .on_hover_text("So many at most");
            let label = ui.label("Effort");
            ui.add(Slider::new(&mut asked.effort, 1..=5))
                .labelled_by(label.id)
                .on_hover_text("How many shapes are tried at most; each step is four times as many");
        });
        ui.horizontal_wrapped(|ui| {
            ui.checkbox(&mut asked.standing, "Stands by itself")
                .on_hover_text("No block and no needle needs a block of another colour below it");
            ui.checkbox(&mut asked.open, "Needle can fall in")
                .on_hover_text("No block stands above the needle");
        });
        ui.horizontal_wrapped(|ui| {
            let runs = self.run.is_some();
            let name = format!("Build for {}", asked.ruleset());
            let hint = "The most under the rules whose waves the field shows, with the answers taken to what is open";
            if ui.add_enabled(!runs, Button::new(name)).on_hover_text(hint).clicked() {
                self.start(ui, asked);
            }
            let cancel = ui.add_enabled(runs, Button::new("Cancel"));
            if let Some(run) = self.run.as_ref().filter(|_| cancel.clicked()) {
                run.cancel();
            }
        });
        if let Some(why) = &self.trouble {
            ui.colored_label(scene.look.tokens.bad, why);
        }
        if let Some(run) = &self.run {
            ui.horizontal_wrapped(|ui| {
                mark(ui, Mark::Play, scene.look.tokens.accent);
                ui.label(run.progress());
            });
            ui.ctx().request_repaint_after(NEWS_EVERY);
        }
        self.built(ui, scene, state);
    }

    fn start(&mut self, ui: &Ui, asked: &IgnitionSettings) {
        let effort = EFFORT_LEAST << (2 * (asked.effort.clamp(1, 5) - 1));
        let limits = BuildLimits { standing: asked.standing, open: asked.open, effort };
        let (ruleset, rules) = (asked.ruleset(), asked.rules());
        let order = Order { blocks: asked.blocks, ruleset, rules, limits };
        match Run::start(order, ui.ctx().clone()) {
            Ok(run) => {
                (self.run, self.order, self.trouble) = (Some(run), Some(order), None);
                (self.best, self.done) = (None, false);
            }
            Err(error) => self.trouble = Some(format!("The system gives no thread to build: {error}")),
        }
    }

    /// Takes over what the builder has found.
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

    fn built(&self, ui: &mut Ui, scene: &Scene<'_>, state: &mut State) {
        let (Some(built), Some(order)) = (&self.best, self.order) else {
            if self.run.is_none() {
                ui.weak("The most that so many blocks of one colour can be worth, and a structure that is worth it");
            }
            return;
        };
        ui.horizontal_wrapped(|ui| {
            let worth =
                format!("{} {} from {}", order.ruleset, built.value, words::counted(built.blocks, "block"));
            ui.label(RichText::new(worth).strong().size(16.0));
            let button = ui.add(Button::new("Put into the field"));
            if button.on_hover_text("Takes the place of what is painted; Undo brings that back").clicked() {
                state.open(built.field.clone(), Some(built.ignition.clone()));
            }
        });
        if !built.supports.is_empty() {
            let supports = u32::try_from(built.supports.len()).unwrap_or(u32::MAX);
            let blocks = words::counted(supports, "block");
            ui.weak(format!("It stands on {blocks} of other colours, which are left out"));
        }
        if !self.done {
            return;
        }
        let tokens = scene.look.tokens;
        ui.horizontal_wrapped(|ui| {
            if built.is_proven {
                mark(ui, Mark::Tick, tokens.good);
                ui.label(format!("Proven: {} can be worth no more", proven_of(&order)));
            } else {
                mark(ui, Mark::Question, tokens.caution);
                let cancelled = if built.is_cancelled { "cancelled; " } else { "" };
                let bound = match built.bound {
                    Some(bound) if !built.is_cancelled => {
                        format!("no structure is worth more than {bound}; more effort may find a better one")
                    }
                    _ => "there may be a better one".to_owned(),
                };
                ui.label(format!("Not proven: {cancelled}{bound}"));
            }
        });
        ui.weak(format!("{} shapes tried", grouped(built.tried)));
    }
}

/// "12 blocks that stand by themselves".
fn proven_of(order: &Order) -> String {
    let Order { blocks, ruleset, limits, .. } = order;
    let standing = if limits.standing { " that stand by themselves" } else { "" };
    let open = if limits.open { " below a needle that can fall in" } else { "" };
    let under = match ruleset {
        Ruleset::Mvs => "under the MVS rules",
        Ruleset::Ps2 => "under the PS2 rules",
    };
    format!("{}{standing}{open}, {under},", words::counted(*blocks, "block"))
}
