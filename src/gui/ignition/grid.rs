//! The field as it is painted: mouse and keys, and the pictures of blocks, waves and tails.

use super::asked::Overlay;
use super::state::{Painted, State, line};
use super::told::Told;
use super::words;
use crate::game::puyo;
use crate::gui::puyo::paint_puyo;
use crate::gui::scene::Scene;
use crate::gui::theme::{Look, Tone, faded, mix};
use crate::gui::widgets::{Step, moved_cursor};
use crate::pochi::{Color, Field, Ignition, Place};
use eframe::egui::{
    Align2, Color32, Event, FontId, Id, Key, Modifiers, Painter, PointerButton, Pos2, Rect, Response, Role,
    Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};

/// From this side on, in points, a cell has place for the numbers of waves and tails.
const NUMBERS_FROM: f32 = 17.0;

/// What the mouse does in the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Paints blocks.
    Block(Color),
    /// Empties cells.
    Empty,
    /// Puts the needle.
    Needle,
    /// Lets a block ignite, or no longer.
    Ignite,
}

/// What the grid remembers.
#[derive(Debug)]
pub struct Grid {
    /// What the mouse does.
    pub tool: Tool,
    /// The cell that the keys are in.
    cursor: Place,
    /// The cell that the stroke which is being made came to last.
    stroke: Option<Place>,
    /// The cell under the mouse.
    pub hovered: Option<Place>,
    /// Whether keys were used after the mouse.
    by_keys: bool,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            tool: Tool::Block(Color::Red),
            cursor: Place::new(0, 0),
            stroke: None,
            hovered: None,
            by_keys: false,
        }
    }
}

/// What is drawn beside the field itself.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// What is to be said of it.
    pub told: &'a Told,
    /// Waves that have run.
    pub ran: usize,
    /// What the cells show.
    pub overlay: Overlay,
    /// The blocks that the wave visited whose tail is looked at.
    pub lit: &'a [Place],
}

/// What was asked for by keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Show another wave.
    Step(Step),
    /// Take this text as a field.
    Pasted(String),
    /// Copy the field and what ignites in it.
    Copied,
}

/// The colour by which a block is drawn.
#[must_use]
pub fn body(color: Color) -> puyo::Color {
    match color {
        Color::Red => puyo::Color::RED,
        Color::Green => puyo::Color::GREEN,
        Color::Blue => puyo::Color::BLUE,
        Color::Yellow => puyo::Color::YELLOW,
    }
}

impl Grid {
    /// The one widget that takes the keys.
    #[must_use]
    pub fn id() -> Id {
        Id::unique("ignition field")
    }

    /// The cell that is looked at: under the mouse, or where the keys are.
    #[must_use]
    pub fn looked_at(&self, field: &Field) -> Place {
        self.hovered.filter(|at| field.has(*at) && !self.by_keys).unwrap_or(self.cursor)
    }

    /// The space that the field takes with cells of `side` points.
    pub fn area(&self, ui: &mut Ui, field: &Field, side: f32) -> Response {
        let (_, rect) = ui.allocate_space(vec2(f32::from(field.width()), f32::from(field.height())) * side);
        ui.interact(rect, Self::id(), Sense::click_and_drag())
    }

    /// Does what mouse and keys say.
    pub fn input(&mut self, ui: &Ui, area: &Response, side: f32, state: &mut State) -> Option<Asked> {
        let field = &state.now().field;
        self.cursor = Place::new(self.cursor.x.min(field.width() - 1), self.cursor.y.min(field.height() - 1));
        self.hovered = area.hover_pos().and_then(|at| cell_at(at - area.rect.min, side, field));
        self.by_keys &= !ui.input(|input| input.pointer.is_moving() || input.pointer.any_down());
        self.mouse(ui, area, side, state);
        if area.has_focus() { self.keys(ui, area, state) } else { None }
    }

    /// Draws the field.
    pub fn draw(
        &self,
        ui: &Ui,
        area: &Response,
        scene: &Scene<'_>,
        painted: &Painted,
        shown: Shown<'_>,
        side: f32,
    ) {
        let (rect, Painted { field, ignition }) = (area.rect, painted);
        if ui.is_rect_visible(rect) {
            let drawn = Drawn { field, ignition: ignition.as_ref(), shown, look: &scene.look, rect, side };
            drawn.paint(ui.painter());
            if area.has_focus() {
                let accent = scene.look.tokens.accent;
                let cursor = drawn.cell(self.cursor).expand(1.0);
                ui.painter().rect_stroke(cursor, 4.0, (2.5, accent), StrokeKind::Outside);
                ui.painter().rect_stroke(rect, 3.0, (1.5, accent), StrokeKind::Outside);
            }
        }
        for at in field.places() {
            let cell = ui.interact(cell_rect(rect, side, at), Self::id().with(at), Sense::hover());
            cell.widget_info(|| WidgetInfo::labeled(Role::Cell, true, shown.in_words(painted, at)));
        }
        let words = || format!("Field, {}", shown.in_words(painted, self.cursor));
        area.widget_info(|| WidgetInfo::labeled(Role::Grid, true, words()));
    }

    /// The left button paints with the tool, the right one empties; a stroke is one step of the history.
    fn mouse(&mut self, ui: &Ui, response: &Response, side: f32, state: &mut State) {
        let held = |button| ui.input(|input| input.pointer.button_down(button));
        let empties = held(PointerButton::Secondary);
        let tool = if empties { Tool::Empty } else { self.tool };
        let presses = response.is_pointer_button_down_on() && (empties || held(PointerButton::Primary));
        // A press and a release between two frames are a click that was never held.
        let clicked = !presses && self.stroke.is_none();
        let tool = if clicked && response.secondary_clicked() { Tool::Empty } else { tool };
        let clicked = clicked && (response.clicked() || response.secondary_clicked());
        let cell = response.interact_pointer_pos().and_then(|at| {
            cell_at(at - response.rect.min, side, &state.now().field).filter(|_| presses || clicked)
        });
        if let Some(at) = cell {
            response.request_focus();
            let from = self.stroke.unwrap_or(at);
            if self.stroke.is_none() {
                state.begin_stroke();
                self.use_tool(tool, at, state);
            } else if tool != Tool::Ignite && from != at {
                for at in line(from, at).into_iter().skip(1) {
                    self.use_tool(tool, at, state);
                }
            }
            (self.stroke, self.cursor) = (Some(at), at);
        }
        if !presses && self.stroke.take().is_some() {
            state.end_stroke();
        }
    }

    fn use_tool(&self, tool: Tool, at: Place, state: &mut State) {
        match tool {
            Tool::Block(color) => state.paint(at, Some(color)),
            Tool::Empty => state.paint(at, None),
            Tool::Needle => state.put_needle(at),
            Tool::Ignite => state.toggle_ignited(at),
        }
    }

    /// The keys of the field.
    fn keys(&mut self, ui: &Ui, response: &Response, state: &mut State) -> Option<Asked> {
        self.by_keys |= ui.input(|input| input.events.iter().any(|event| matches!(event, Event::Key { .. })));
        let field = &state.now().field;
        let last = (usize::from(field.width()) - 1, usize::from(field.height()) - 1);
        let cursor = (usize::from(self.cursor.x), usize::from(self.cursor.y));
        let (column, row) = moved_cursor(ui, response, cursor, last);
        let along = |number| u8::try_from(number).unwrap_or(u8::MAX);
        self.cursor = Place::new(along(column), along(row));
        let mut asked = None;
        ui.input_mut(|input| {
            let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
            if pressed(Key::Delete) || pressed(Key::Backspace) {
                state.paint(self.cursor, None);
            }
            let steps = [(Key::PageUp, Step::Back), (Key::PageDown, Step::On), (Key::Space, Step::Toggle)];
            if let Some((_, step)) = steps.into_iter().find(|(key, _)| pressed(*key)) {
                asked = Some(Asked::Step(step));
            }
        });
        let events = ui.input(|input| input.events.clone());
        for event in events {
            match event {
                Event::Text(text) => text.chars().for_each(|letter| self.typed(letter, state)),
                Event::Paste(text) => asked = Some(Asked::Pasted(text)),
                Event::Copy => asked = Some(Asked::Copied),
                _ => {}
            }
        }
        asked
    }

    fn typed(&mut self, letter: char, state: &mut State) {
        match letter.to_ascii_uppercase() {
            '.' => state.paint(self.cursor, None),
            'N' => state.toggle_needle(self.cursor),
            'I' => state.toggle_ignited(self.cursor),
            'F' => state.fall(),
            'C' => state.clear(),
            letter => {
                if let Some(color) = Color::from_letter(letter) {
                    self.tool = Tool::Block(color);
                    state.paint(self.cursor, Some(color));
                }
            }
        }
    }
}

fn cell_at(at: Vec2, side: f32, field: &Field) -> Option<Place> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "inside the field, 64 at most"
    )]
    let cell = |along: f32| (along / side).clamp(0.0, 255.0) as u8;
    let place = Place::new(cell(at.x), cell(at.y));
    (at.x >= 0.0 && at.y >= 0.0 && field.has(place)).then_some(place)
}

fn cell_rect(rect: Rect, side: f32, at: Place) -> Rect {
    Rect::from_min_size(rect.min + vec2(f32::from(at.x), f32::from(at.y)) * side, Vec2::splat(side))
}

impl Shown<'_> {
    /// What is in a cell, and what the overlay says of it.
    #[must_use]
    pub fn in_words(&self, painted: &Painted, at: Place) -> String {
        let text = words::cell(self.told, &painted.field, painted.ignition.as_ref(), at, self.ran);
        let cell = self.told.cell(at);
        let more = match self.overlay {
            Overlay::Nothing => None,
            Overlay::Needles => cell.needle.map(|needle| {
                let values = needle.values;
                format!(", a {} needle: {} MVS, {} PS2", needle.color, values.mvs, values.ps2)
            }),
            Overlay::OneMore => cell.more.map(|more| format!(", one block more: {more:+}")),
        };
        let visited = if self.lit.contains(&at) { ", visited by the wave of this tail" } else { "" };
        text + more.as_deref().unwrap_or_default() + visited
    }
}

/// The field on the screen.
struct Drawn<'a> {
    field: &'a Field,
    ignition: Option<&'a Ignition>,
    shown: Shown<'a>,
    look: &'a Look,
    rect: Rect,
    side: f32,
}

impl Drawn<'_> {
    fn cell(&self, at: Place) -> Rect {
        cell_rect(self.rect, self.side, at)
    }

    fn center(&self, at: Place) -> Pos2 {
        self.cell(at).center()
    }

    fn needle(&self) -> Option<Place> {
        match self.ignition {
            Some(Ignition::Needle { at, .. }) => Some(*at),
            _ => None,
        }
    }

    /// The wave that has reached a block, if it has.
    fn wave(&self, at: Place) -> Option<usize> {
        self.shown.told.cell(at).wave.filter(|wave| *wave <= self.shown.ran)
    }

    fn paint(&self, painter: &Painter) {
        let tokens = self.look.tokens;
        painter.rect_filled(self.rect, 2.0, tokens.card);
        for at in self.field.places() {
            self.ground(painter, at);
        }
        let faint = faded(tokens.line, 0.6);
        for x in 1..self.field.width() {
            painter.vline(self.rect.left() + f32::from(x) * self.side, self.rect.y_range(), (1.0, faint));
        }
        for y in 1..self.field.height() {
            painter.hline(self.rect.x_range(), self.rect.top() + f32::from(y) * self.side, (1.0, faint));
        }
        painter.rect_stroke(self.rect, 2.0, (1.0, tokens.line), StrokeKind::Outside);
        for at in self.field.places() {
            self.ways(painter, at);
        }
        for at in self.field.places() {
            if let Some(color) = self.field.get(at) {
                self.block(painter, at, color);
            }
        }
        if let Some(at) = self.needle() {
            self.paint_needle(painter, at);
        }
    }

    /// What the overlay says of a cell.
    fn ground(&self, painter: &Painter, at: Place) {
        let tokens = self.look.tokens;
        let cell = self.shown.told.cell(at);
        let empty = self.field.get(at).is_none() && self.needle() != Some(at);
        let (fill, text) = match self.shown.overlay {
            Overlay::Nothing => return,
            Overlay::Needles => {
                let Some(needle) = cell.needle else { return };
                let value = needle.values.under(self.shown.told.ruleset());
                #[expect(clippy::cast_precision_loss, reason = "a share")]
                let share = value as f32 / self.shown.told.best() as f32;
                (mix(tokens.card, tokens.accent, 0.06 + 0.84 * share.clamp(0.0, 1.0)), value.to_string())
            }
            Overlay::OneMore => {
                let Some(more) = cell.more.filter(|more| *more != 0) else { return };
                let color = if more > 0 { tokens.good } else { tokens.bad };
                (mix(tokens.card, color, 0.22), format!("{more:+}"))
            }
        };
        painter.rect_filled(self.cell(at).shrink(0.5), 0.0, fill);
        if empty {
            let ink = Look::ink_on(fill);
            let font = FontId::proportional((self.side * 0.44).min(14.0));
            let said = painter.text(self.center(at), Align2::CENTER_CENTER, text, font, ink);
            if self.field.is_rest(at) {
                painter.hline(said.x_range(), said.bottom() + 0.5, (1.5, ink));
            }
        }
    }

    /// The ways by which waves came to a block.
    fn ways(&self, painter: &Painter, at: Place) {
        let (Some(_), Some(color)) = (self.wave(at), self.field.get(at)) else { return };
        let body = self.look.puyo(body(color), Tone::Live);
        for from in &self.shown.told.cell(at).from {
            let ends = [self.center(*from), self.center(at)];
            let lit = self.shown.lit.contains(from) && self.shown.lit.contains(&at);
            let edge = if lit { self.look.tokens.text } else { self.look.outline(body).color };
            painter.line_segment(ends, (self.side * 0.30, edge));
            painter.line_segment(ends, (self.side * 0.30 - 3.0, body));
        }
    }

    fn block(&self, painter: &Painter, at: Place, color: Color) {
        let tokens = self.look.tokens;
        let wave = self.wave(at);
        let burns = self.shown.ran > 0 && self.shown.told.shown().is_some_and(|one| !one.waves.is_empty());
        // What the waves have not reached stands back.
        let tone = if burns && wave.is_none() { Tone::Dim } else { Tone::Live };
        let beneath = self.needle() == Some(at);
        let diameter = if self.side >= NUMBERS_FROM { (self.side * 0.8).min(24.5) } else { self.side };
        if !beneath {
            paint_puyo(painter, self.center(at), diameter, body(color), self.look, tone);
        }
        let frame = self.cell(at).shrink(1.0);
        if self.shown.lit.contains(&at) {
            painter.rect_stroke(frame, 4.0, (2.5, tokens.text), StrokeKind::Inside);
        } else if wave.is_some() && wave == Some(self.shown.ran) && self.runs() {
            painter.rect_stroke(frame, 4.0, (2.0, tokens.caution), StrokeKind::Inside);
        }
        if self.side < NUMBERS_FROM {
            return;
        }
        let cell = self.shown.told.cell(at);
        if self.shown.overlay == Overlay::Needles {
            if let Some(needle) = cell.needle.filter(|_| !beneath) {
                let value = needle.values.under(self.shown.told.ruleset()).to_string();
                self.tag(painter, at, Align2::RIGHT_BOTTOM, &value, (tokens.card, tokens.muted));
            }
            return;
        }
        if let Some(wave) = wave {
            self.tag(painter, at, Align2::LEFT_TOP, &wave.to_string(), (tokens.card, tokens.text));
            if let Some(tail) = cell.tail {
                let text = format!("T{}", tail + 1);
                self.tag(
                    painter,
                    at,
                    Align2::RIGHT_BOTTOM,
                    &text,
                    (tokens.accent, Look::ink_on(tokens.accent)),
                );
            }
        }
    }

    /// Whether waves are still to run after the one that is shown.
    fn runs(&self) -> bool {
        self.shown.told.shown().is_some_and(|one| self.shown.ran < one.waves.len())
    }

    /// A small word in a corner of a cell.
    fn tag(&self, painter: &Painter, at: Place, corner: Align2, text: &str, (fill, ink): (Color32, Color32)) {
        let font = FontId::proportional((self.side * 0.33).clamp(7.5, 11.0));
        let galley = painter.layout_no_wrap(text.to_owned(), font, ink);
        let size = galley.size() + vec2(4.0, 0.0);
        let rect = corner.align_size_within_rect(size, self.cell(at).shrink(0.5));
        painter.rect_filled(rect, 3.0, fill);
        painter.galley(rect.min + vec2(2.0, 0.0), galley, ink);
    }

    /// A needle: a slim diamond in its colour with the letter of that colour.
    fn paint_needle(&self, painter: &Painter, at: Place) {
        let tokens = self.look.tokens;
        let color = self.shown.told.color();
        let fill = color.map_or(tokens.muted, |color| self.look.puyo(body(color), Tone::Live));
        let (center, long, slim) = (self.center(at), self.side * 0.48, self.side * 0.34);
        let points = [(0.0, -long), (slim, 0.0), (0.0, long), (-slim, 0.0)];
        let points: Vec<Pos2> = points.map(|(x, y)| pos2(center.x + x, center.y + y)).into();
        painter.add(Shape::convex_polygon(points, fill, Stroke::new(1.5, tokens.text)));
        let letter = color.map_or('?', Color::letter);
        if self.look.letters || color.is_none() {
            let font = FontId::proportional(self.side * 0.42);
            painter.text(center, Align2::CENTER_CENTER, letter, font, Look::ink_on(fill));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_in_the_cell_that_is_drawn_there() {
        let (field, side) = (Field::default(), 28.0);
        let rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(7.0, 12.0) * side);
        for at in field.places() {
            assert_eq!(cell_at(cell_rect(rect, side, at).center().to_vec2(), side, &field), Some(at));
        }
        assert_eq!(cell_at(vec2(7.2 * side, 1.0), side, &field), None);
        assert_eq!(cell_at(vec2(-1.0, 0.0), side, &field), None);
    }
}
