//! The ignition panel: a Pochi & Nyaa field to draw, its values under both rulesets, and an explanation.

mod builder;
mod engine;
mod examples;
mod explanation;
mod field_report;
mod files;
mod grid;
mod live;
mod needles;
mod player;
mod settings;
mod state;
mod text;
mod tools;

pub use settings::{FieldOverlay, IgnitionSettings, Part};

use super::marks::{Mark, mark};
use super::ui_context::UiContext;
use super::widgets::{Step, steps};
use crate::pochi::{Field, GridCell, from_grid_or_code};
use crate::text::counted;
use builder::Builder;
use eframe::egui::{Align, Button, Context, Layout, ScrollArea, Slider, Ui, WidgetInfo, vec2};
use field_report::FieldReport;
use files::Files;
use grid::{FieldView, Grid, KeyRequest};
use live::Live;
use player::Player;
use state::State;

/// Limits of the side of a cell, in points.
const MIN_SIDE: f32 = 9.0;
const MAX_SIDE: f32 = 40.0;
/// The limit if the tools are below the field.
const MAX_SIDE_STACKED: f32 = 26.0;
/// Height of the controls below the field, in points.
const CONTROLS_HEIGHT: f32 = 100.0;
/// Minimum width of the part below the field, and of the part beside it, in points.
const MIN_FIELD_WIDTH: f32 = 196.0;
const MIN_PARTS_WIDTH: f32 = 300.0;

#[derive(Default)]
pub struct IgnitionPanel {
    state: State,
    grid: Grid,
    player: Player,
    report: Option<FieldReport>,
    files: Files,
    builder: Builder,
    live: Live,
    /// The blocks of the hovered tail's wave.
    highlighted: Option<Vec<GridCell>>,
    /// Why pasted text was rejected.
    trouble: Option<String>,
    focus: bool,
    /// Whether the saved field has been restored.
    opened: bool,
}

impl IgnitionPanel {
    /// Focuses the field.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    pub fn has_keyboard(ctx: &Context) -> bool {
        ctx.memory(|memory| memory.has_focus(Grid::id()))
    }

    pub fn undo(&mut self) {
        self.state.undo();
    }

    pub fn redo(&mut self) {
        self.state.redo();
    }

    /// Replaces the field as one undo step; the needle stays.
    pub fn set_field(&mut self, field: Field) {
        if field != self.state.now().field {
            self.state.replace_field(field);
        }
    }

    /// Sets the result of [`super::ui_context::UiAction::SaveLayout`].
    pub fn set_save_result(&mut self, result: Result<String, String>) {
        self.live.set_save_result(result);
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, settings: &mut IgnitionSettings) {
        if !std::mem::replace(&mut self.opened, true)
            && let Ok((field, ignition)) = from_grid_or_code(&settings.saved_field)
        {
            self.state = State::of(field, ignition);
        }
        self.live.follow(cx, &mut self.state);
        let space = ui.available_size();
        let beside = space.x - tools::WIDTH - MIN_PARTS_WIDTH - 3.0 * ui.spacing().item_spacing.x;
        let side = self.side(beside, space.y - CONTROLS_HEIGHT);
        if self.width(side) > beside {
            // Stacked: the window is small, or the field is large.
            let side = self.side(space.x - tools::WIDTH, f32::INFINITY).min(MAX_SIDE_STACKED);
            ScrollArea::both().auto_shrink([false, false]).show(ui, |ui| {
                ui.set_max_width(space.x);
                self.painter(ui, cx, settings, side);
                ui.separator();
                self.values(ui, cx, settings);
                self.part(ui, cx, settings);
            });
        } else {
            ui.horizontal_top(|ui| {
                self.painter(ui, cx, settings, side);
                ui.separator();
                ui.vertical(|ui| {
                    self.values(ui, cx, settings);
                    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                        self.part(ui, cx, settings);
                    });
                });
            });
        }
        // The field was drawn before the controls beside it.
        if self.evaluate(settings) {
            ui.ctx().request_repaint();
        }
    }

    /// Width of the field and the part below it.
    fn width(&self, side: f32) -> f32 {
        (f32::from(self.state.now().field.width()) * side).max(MIN_FIELD_WIDTH)
    }

    /// Side of a cell for this space.
    fn side(&self, width: f32, height: f32) -> f32 {
        let field = &self.state.now().field;
        let width = width.max(MIN_FIELD_WIDTH) / f32::from(field.width());
        (height / f32::from(field.height())).min(width).clamp(MIN_SIDE, MAX_SIDE).floor()
    }

    /// Evaluates the field unless the evaluation is current; returns whether it did.
    fn evaluate(&mut self, settings: &mut IgnitionSettings) -> bool {
        let (painted, rules, ruleset) = (self.state.now(), settings.rules(), settings.ruleset());
        if self.report.as_ref().is_some_and(|report| report.is_for(painted, rules, ruleset)) {
            return false;
        }
        if let Some(code) = files::saved_code(painted) {
            settings.saved_field = code;
        }
        self.report = Some(FieldReport::new(painted, rules, ruleset));
        self.player.clear();
        (self.highlighted, self.trouble) = (None, None);
        true
    }

    /// The tools, the field and the wave controls.
    fn painter(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, settings: &mut IgnitionSettings, side: f32) {
        let column = |ui: &mut Ui, width: f32, add: &mut dyn FnMut(&mut Ui)| {
            ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(width);
                add(ui);
            });
        };
        ui.horizontal_top(|ui| {
            column(ui, tools::WIDTH, &mut |ui| {
                tools::show(ui, cx, &mut self.grid.tool, &mut self.state);
            });
            let width = self.width(side);
            column(ui, width, &mut |ui| {
                let at = self.field(ui, cx, settings, side);
                self.waves(ui, cx, at);
            });
        });
    }

    /// The field; returns the text for the current cell.
    fn field(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        settings: &mut IgnitionSettings,
        side: f32,
    ) -> String {
        let area = self.grid.area(ui, &self.state.now().field, side);
        if std::mem::take(&mut self.focus) {
            area.request_focus();
        }
        let does = self.grid.input(ui, &area, side, &mut self.state);
        self.evaluate(settings);
        match does {
            Some(KeyRequest::Step(step)) => self.step(step, cx),
            Some(KeyRequest::Pasted(text)) => self.paste(&text),
            Some(KeyRequest::Copied) => self.files.copy_link(cx, self.state.now()),
            None => {}
        }
        self.evaluate(settings);
        let Some(report) = &self.report else { return String::new() };
        let waves = report.shown().map_or(0, |one| one.waves.len());
        if let Some(wait) = self.player.tick(waves, cx.now, cx.look.motion) {
            ui.ctx().request_repaint_after(wait);
        }
        let current_cell = self.grid.current_cell(&self.state.now().field);
        let tail = self.grid.hovered.and_then(|at| report.tails.get(report.cell(at).tail?));
        let highlighted =
            self.highlighted.as_deref().or_else(|| tail.map(|(_, tail)| tail.visited.as_slice()));
        let shown = FieldView {
            report,
            shown_waves: self.player.shown(waves),
            overlay: settings.overlay,
            highlighted: highlighted.unwrap_or_default(),
        };
        self.grid.draw(ui, &area, cx, self.state.now(), shown, side);
        shown.cell_text(self.state.now(), current_cell)
    }

    fn step(&mut self, step: Step, cx: &UiContext<'_>) {
        let waves = self.report.as_ref().and_then(FieldReport::shown).map_or(0, |one| one.waves.len());
        self.player.step(step, waves, cx.now);
    }

    /// Parses rows, a code or a link.
    fn paste(&mut self, text: &str) {
        match from_grid_or_code(text) {
            Ok((field, None)) if field.in_game_size().as_ref() == Some(&field) => self.set_field(field),
            Ok((field, ignition)) => self.state.open_field(field, ignition),
            Err(why) => self.trouble = Some(format!("Invalid field: {why}")),
        }
    }

    /// The wave controls, and the text for the current cell.
    fn waves(&mut self, ui: &mut Ui, cx: &UiContext<'_>, at: String) {
        let sizes: Vec<usize> = match self.report.as_ref().and_then(FieldReport::shown) {
            Some(shown) => shown.waves.iter().map(Vec::len).collect(),
            None => Vec::new(),
        };
        let waves = sizes.len();
        let shown_waves = self.player.shown(waves);
        if let Some(step) = steps(
            ui,
            (shown_waves > 0, shown_waves < waves),
            self.player.plays(),
            ("the waves", Some("Space")),
        ) {
            self.player.step(step, waves, cx.now);
        }
        let mut to = shown_waves;
        if waves > 0 {
            ui.spacing_mut().slider_width = (ui.available_width() - 48.0).max(80.0);
            let slider = ui.add(Slider::new(&mut to, 0..=waves));
            slider.widget_info(|| {
                #[expect(clippy::cast_precision_loss, reason = "a small number")]
                let shown_waves = shown_waves as f64;
                WidgetInfo::slider(true, shown_waves, "Shown waves")
            });
        }
        if to != shown_waves {
            self.player.go(to);
        }
        let wave = match (waves, shown_waves.checked_sub(1).and_then(|wave| sizes.get(wave))) {
            (0, _) => "No waves. They appear here, to step through, when blocks ignite".to_owned(),
            (_, None) => format!("Start, {}", counted(waves as u64, "wave")),
            (_, Some(blocks)) => {
                format!("Wave {shown_waves} of {waves}: {}", counted(*blocks as u64, "block"))
            }
        };
        ui.label(wave);
        if let Some(refused) = &self.grid.refused {
            ui.colored_label(cx.look.tokens.caution, refused);
        }
        ui.weak(at);
    }

    /// The values, the overlay buttons and the part buttons.
    fn values(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, settings: &mut IgnitionSettings) {
        let Some(report) = &self.report else { return };
        explanation::values(ui, cx, report, &mut self.state, settings);
        if let Some(trouble) = &self.trouble {
            ui.horizontal_wrapped(|ui| {
                mark(ui, Mark::Cross, cx.look.tokens.bad);
                ui.colored_label(cx.look.tokens.bad, trouble);
            });
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.label("Show ");
            for overlay in FieldOverlay::ALL {
                let button = ui.add(Button::selectable(settings.overlay == overlay, overlay.name()));
                if button.on_hover_text(overlay.meaning()).clicked() {
                    settings.overlay = overlay;
                }
            }
        });
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for part in Part::ALL {
                ui.selectable_value(&mut settings.part, part, part.name());
            }
        });
        ui.add_space(2.0);
    }

    /// The selected part.
    fn part(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, settings: &mut IgnitionSettings) {
        let Some(report) = &self.report else { return };
        let highlighted = match settings.part {
            Part::Value => explanation::show(ui, cx, report, settings),
            Part::Needles => {
                needles::show(ui, cx, report, &mut self.state, settings);
                None
            }
            Part::Examples => {
                examples::show(ui, cx, &mut self.state);
                None
            }
            Part::Builder => {
                self.builder.show(ui, cx, &mut self.state, settings);
                None
            }
            Part::Files => {
                let pasted = self.files.show(ui, cx, self.state.now(), settings);
                if let Some(text) = pasted {
                    self.paste(&text);
                }
                None
            }
            Part::Live => {
                self.live.show(ui, cx, &mut self.state);
                None
            }
        };
        if highlighted != self.highlighted {
            self.highlighted = highlighted;
            ui.ctx().request_repaint(); // the field was drawn before
        }
    }
}
