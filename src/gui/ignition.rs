//! The ignition panel: a field of Pochi & Nyaa that is painted, what an ignition in it is worth under both rules, and why.

mod asked;
mod builder;
mod engine;
mod examples;
mod files;
mod grid;
mod live;
mod needles;
mod player;
mod state;
mod told;
mod tools;
mod why;
mod words;

pub use asked::{IgnitionSettings, Overlay, Part};

use super::marks::{Mark, mark};
use super::scene::Scene;
use super::widgets::{Step, steps};
use crate::pochi::{Field, Place, from_grid_or_code};
use builder::Builder;
use eframe::egui::{Align, Button, Context, Layout, ScrollArea, Slider, Ui, WidgetInfo, vec2};
use files::Files;
use grid::{Asked, Grid, Shown};
use live::Live;
use player::Player;
use state::State;
use told::Told;

/// The sides that a cell can have, in points.
const SIDE_LEAST: f32 = 9.0;
const SIDE_MOST: f32 = 40.0;
/// The most where what is beside the field elsewhere stands below it.
const SIDE_BELOW: f32 = 26.0;
/// What stands below the field takes so much height, in points.
const BELOW: f32 = 100.0;
/// The least width of what stands below the field, and of what stands beside it, in points.
const BELOW_WIDTH: f32 = 196.0;
const BESIDE_WIDTH: f32 = 300.0;

/// What the panel remembers.
#[derive(Default)]
pub struct IgnitionPanel {
    state: State,
    grid: Grid,
    player: Player,
    told: Option<Told>,
    files: Files,
    builder: Builder,
    live: Live,
    /// The blocks that the wave visited whose tail is looked at in the list.
    lit: Option<Vec<Place>>,
    /// What was wrong with a text that was pasted.
    trouble: Option<String>,
    focus: bool,
    /// Whether the field that was kept has been opened.
    opened: bool,
}

impl IgnitionPanel {
    /// The keyboard goes to the field.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Whether the field has the keyboard.
    #[must_use]
    pub fn has_keyboard(ctx: &Context) -> bool {
        ctx.memory(|memory| memory.has_focus(Grid::id()))
    }

    /// Takes the last stroke back.
    pub fn undo(&mut self) {
        self.state.undo();
    }

    /// Makes it again.
    pub fn redo(&mut self) {
        self.state.redo();
    }

    /// Takes a field from elsewhere; the needle stays where it is. It is one step of the history.
    pub fn take_field(&mut self, field: Field) {
        if field != self.state.now().field {
            self.state.take(field);
        }
    }

    /// Tells what came of [`super::scene::Ask::KeepBoard`].
    pub fn kept(&mut self, result: Result<String, String>) {
        self.live.kept(result);
    }

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, asked: &mut IgnitionSettings) {
        if !std::mem::replace(&mut self.opened, true)
            && let Ok((field, ignition)) = from_grid_or_code(&asked.kept)
        {
            self.state = State::of(field, ignition);
        }
        self.live.follow(scene, &mut self.state);
        let space = ui.available_size();
        let beside = space.x - tools::WIDTH - BESIDE_WIDTH - 3.0 * ui.spacing().item_spacing.x;
        let side = self.side(beside, space.y - BELOW);
        if self.width(side) > beside {
            // One below the other: the window is small, or the field is large.
            let side = self.side(space.x - tools::WIDTH, f32::INFINITY).min(SIDE_BELOW);
            ScrollArea::both().auto_shrink([false, false]).show(ui, |ui| {
                ui.set_max_width(space.x);
                self.painter(ui, scene, asked, side);
                ui.separator();
                self.values(ui, scene, asked);
                self.part(ui, scene, asked);
            });
        } else {
            ui.horizontal_top(|ui| {
                self.painter(ui, scene, asked, side);
                ui.separator();
                ui.vertical(|ui| {
                    self.values(ui, scene, asked);
                    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                        self.part(ui, scene, asked);
                    });
                });
            });
        }
        // The field was drawn before what is beside it was asked.
        if self.work_out(asked) {
            ui.ctx().request_repaint();
        }
    }

    /// How wide the field and what stands below it are.
    fn width(&self, side: f32) -> f32 {
        (f32::from(self.state.now().field.width()) * side).max(BELOW_WIDTH)
    }

    /// The side of a cell where there is so much space.
    fn side(&self, width: f32, height: f32) -> f32 {
        let field = &self.state.now().field;
        let width = width.max(BELOW_WIDTH) / f32::from(field.width());
        (height / f32::from(field.height())).min(width).clamp(SIDE_LEAST, SIDE_MOST).floor()
    }

    /// Works out what is to be said of the field if it is not known yet; returns whether that was so.
    fn work_out(&mut self, asked: &mut IgnitionSettings) -> bool {
        let (painted, rules, ruleset) = (self.state.now(), asked.rules(), asked.ruleset());
        if self.told.as_ref().is_some_and(|told| told.is_of(painted, rules, ruleset)) {
            return false;
        }
        if let Some(kept) = files::kept(painted) {
            asked.kept = kept;
        }
        self.told = Some(Told::new(painted, rules, ruleset));
        self.player.clear();
        (self.lit, self.trouble) = (None, None);
        true
    }

    /// The tools, the field, and the waves that are shown.
    fn painter(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, asked: &mut IgnitionSettings, side: f32) {
        let column = |ui: &mut Ui, width: f32, add: &mut dyn FnMut(&mut Ui)| {
            ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(width);
                add(ui);
            });
        };
        ui.horizontal_top(|ui| {
            column(ui, tools::WIDTH, &mut |ui| {
                tools::show(ui, scene, &mut self.grid.tool, &mut self.state);
            });
            let width = self.width(side);
            column(ui, width, &mut |ui| {
                let at = self.field(ui, scene, asked, side);
                self.waves(ui, scene, at);
            });
        });
    }

    /// The field; gives the words for the cell that is looked at.
    fn field(
        &mut self,
        ui: &mut Ui,
        scene: &mut Scene<'_>,
        asked: &mut IgnitionSettings,
        side: f32,
    ) -> String {
        let area = self.grid.area(ui, &self.state.now().field, side);
        if std::mem::take(&mut self.focus) {
            area.request_focus();
        }
        let does = self.grid.input(ui, &area, side, &mut self.state);
        self.work_out(asked);
        match does {
            Some(Asked::Step(step)) => self.step(step, scene),
            Some(Asked::Pasted(text)) => self.paste(&text),
            Some(Asked::Copied) => self.files.copy_link(scene, self.state.now()),
            None => {}
        }
        self.work_out(asked);
        let Some(told) = &self.told else { return String::new() };
        let waves = told.shown().map_or(0, |one| one.waves.len());
        if let Some(wait) = self.player.tick(waves, scene.now, scene.look.motion) {
            ui.ctx().request_repaint_after(wait);
        }
        let looked_at = self.grid.looked_at(&self.state.now().field);
        let tail = self.grid.hovered.and_then(|at| told.tails.get(told.cell(at).tail?));
        let lit = self.lit.as_deref().or_else(|| tail.map(|(_, tail)| tail.visited.as_slice()));
        let shown =
            Shown { told, ran: self.player.ran(waves), overlay: asked.overlay, lit: lit.unwrap_or_default() };
        self.grid.draw(ui, &area, scene, self.state.now(), shown, side);
        shown.in_words(self.state.now(), looked_at)
    }

    fn step(&mut self, step: Step, scene: &Scene<'_>) {
        let waves = self.told.as_ref().and_then(Told::shown).map_or(0, |one| one.waves.len());
        self.player.step(step, waves, scene.now);
    }

    /// Takes a text as rows, code or link.
    fn paste(&mut self, text: &str) {
        match from_grid_or_code(text) {
            Ok((field, None)) if field.in_game_size().as_ref() == Some(&field) => self.take_field(field),
            Ok((field, ignition)) => self.state.open(field, ignition),
            Err(why) => self.trouble = Some(format!("This is no field: {why}")),
        }
    }

    /// What chooses the wave that is shown, and what is to be said of the cell that is looked at.
    fn waves(&mut self, ui: &mut Ui, scene: &Scene<'_>, at: String) {
        let sizes: Vec<usize> = match self.told.as_ref().and_then(Told::shown) {
            Some(shown) => shown.waves.iter().map(Vec::len).collect(),
            None => Vec::new(),
        };
        let waves = sizes.len();
        let ran = self.player.ran(waves);
        if let Some(step) =
            steps(ui, (ran > 0, ran < waves), self.player.plays(), ("the waves", Some("Space")))
        {
            self.player.step(step, waves, scene.now);
        }
        let mut to = ran;
        ui.spacing_mut().slider_width = (ui.available_width() - 48.0).max(80.0);
        let slider = ui.add_enabled(waves > 0, Slider::new(&mut to, 0..=waves));
        slider.widget_info(|| {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let ran = ran as f64;
            WidgetInfo::slider(waves > 0, ran, "Waves that have run")
        });
        if to != ran {
            self.player.go(to);
        }
        let wave = match (waves, ran.checked_sub(1).and_then(|wave| sizes.get(wave))) {
            (0, _) => "No wave".to_owned(),
            (_, None) => format!("Before the first of {}", words::counted(count(waves), "wave")),
            (_, Some(blocks)) => {
                format!("Wave {ran} of {waves}: {}", words::counted(count(*blocks), "block"))
            }
        };
        ui.label(wave);
        ui.weak(at);
    }

    /// The values, what the cells show, and which part is open.
    fn values(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, asked: &mut IgnitionSettings) {
        let Some(told) = &self.told else { return };
        why::values(ui, scene, told, &mut self.state, asked);
        if let Some(trouble) = &self.trouble {
            ui.horizontal_wrapped(|ui| {
                mark(ui, Mark::Cross, scene.look.tokens.bad);
                ui.colored_label(scene.look.tokens.bad, trouble);
            });
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.label("Show ");
            for overlay in Overlay::ALL {
                let button = ui.add(Button::selectable(asked.overlay == overlay, overlay.name()));
                if button.on_hover_text(overlay.meaning()).clicked() {
                    asked.overlay = overlay;
                }
            }
        });
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for part in Part::ALL {
                ui.selectable_value(&mut asked.part, part, part.name());
            }
        });
        ui.add_space(2.0);
    }

    /// The part that is open.
    fn part(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, asked: &mut IgnitionSettings) {
        let Some(told) = &self.told else { return };
        let lit = match asked.part {
            Part::Value => why::show(ui, scene, told, asked),
            Part::Needles => {
                needles::show(ui, scene, told, &mut self.state, asked);
                None
            }
            Part::Examples => {
                examples::show(ui, scene, &mut self.state);
                None
            }
            Part::Builder => {
                self.builder.show(ui, scene, &mut self.state, asked);
                None
            }
            Part::Files => {
                let pasted = self.files.show(ui, scene, self.state.now(), asked);
                if let Some(text) = pasted {
                    self.paste(&text);
                }
                None
            }
            Part::Live => {
                self.live.show(ui, scene, &mut self.state);
                None
            }
        };
        if lit != self.lit {
            self.lit = lit;
            ui.ctx().request_repaint(); // the field was drawn before
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
