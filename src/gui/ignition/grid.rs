//! The field: pointer and key input, and drawing of blocks, waves and tails.

use super::field_report::FieldReport;
use super::settings::FieldOverlay;
use super::state::{Painted, State, line};
use super::text;
use crate::gui::puyo::paint_puyo;
use crate::gui::theme::{Look, Tone, faded, mix};
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::{Step, moved_cursor};
use crate::pochi::{Color, Field, GridCell, Ignition};
use eframe::egui::{
    Align2, Color32, Event, FontId, Id, Key, Modifiers, Painter, PointerButton, Pos2, Rect, Response, Role,
    Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};

/// Cell side in points from which wave and tail numbers fit.
const NUMBERS_FROM: f32 = 17.0;

/// The pointer tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    Block(Color),
    Empty,
    Needle,
    /// Toggles a block as ignited.
    Ignite,
}

#[derive(Debug)]
pub struct Grid {
    pub tool: Tool,
    /// The cell of the key cursor.
    cursor: GridCell,
    /// The last cell of the current stroke.
    stroke: Option<GridCell>,
    pub hovered: Option<GridCell>,
    /// Whether keys were used after the pointer.
    by_keys: bool,
    /// Why the last click or key did nothing.
    pub refused: Option<String>,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            tool: Tool::Block(Color::Red),
            cursor: GridCell::new(0, 0),
            stroke: None,
            hovered: None,
            by_keys: false,
            refused: None,
        }
    }
}

/// What is drawn besides the field.
#[derive(Debug, Clone, Copy)]
pub struct FieldView<'a> {
    pub report: &'a FieldReport,
    /// Number of shown waves.
    pub shown_waves: usize,
    pub overlay: FieldOverlay,
    /// The blocks of the hovered tail's wave.
    pub highlighted: &'a [GridCell],
}

/// A request by keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRequest {
    /// Show another wave.
    Step(Step),
    /// Open this text as a field.
    Pasted(String),
    /// Copy field and ignition.
    Copied,
}

/// The colour in which a block is drawn.
pub fn body(color: Color) -> nextscope_boards::Color {
    match color {
        Color::Red => nextscope_boards::Color::RED,
        Color::Green => nextscope_boards::Color::GREEN,
        Color::Blue => nextscope_boards::Color::BLUE,
        Color::Yellow => nextscope_boards::Color::YELLOW,
    }
}

impl Grid {
    /// The one widget with key focus.
    pub fn id() -> Id {
        Id::unique("ignition field")
    }

    /// The current cell: under the pointer, or at the key cursor.
    pub fn current_cell(&self, field: &Field) -> GridCell {
        self.hovered.filter(|at| field.has(*at) && !self.by_keys).unwrap_or(self.cursor)
    }

    /// Size of the field with cells of `side` points.
    pub fn area(&self, ui: &mut Ui, field: &Field, side: f32) -> Response {
        let (_, rect) = ui.allocate_space(vec2(f32::from(field.width()), f32::from(field.height())) * side);
        ui.interact(rect, Self::id(), Sense::click_and_drag())
    }

    /// Handles pointer and keys.
    pub fn input(&mut self, ui: &Ui, area: &Response, side: f32, state: &mut State) -> Option<KeyRequest> {
        let field = &state.now().field;
        self.cursor =
            GridCell::new(self.cursor.x.min(field.width() - 1), self.cursor.y.min(field.height() - 1));
        self.hovered = area.hover_pos().and_then(|at| cell_at(at - area.rect.min, side, field));
        self.by_keys &= !ui.input(|input| input.pointer.is_moving() || input.pointer.any_down());
        self.mouse(ui, area, side, state);
        if area.has_focus() { self.keys(ui, area, state) } else { None }
    }

    pub fn draw(
        &self,
        ui: &Ui,
        area: &Response,
        cx: &UiContext<'_>,
        painted: &Painted,
        shown: FieldView<'_>,
        side: f32,
    ) {
        let (rect, Painted { field, ignition }) = (area.rect, painted);
        if ui.is_rect_visible(rect) {
            let drawn = Painting { field, ignition: ignition.as_ref(), shown, look: &cx.look, rect, side };
            drawn.paint(ui.painter());
            if area.has_focus() {
                let accent = cx.look.tokens.accent;
                let cursor = drawn.cell(self.cursor).expand(1.0);
                ui.painter().rect_stroke(cursor, 4.0, (2.5, accent), StrokeKind::Outside);
                ui.painter().rect_stroke(rect, 3.0, (1.5, accent), StrokeKind::Outside);
            }
        }
        for at in field.places() {
            let cell = ui.interact(cell_rect(rect, side, at), Self::id().with(at), Sense::hover());
            cell.widget_info(|| WidgetInfo::labeled(Role::Cell, true, shown.cell_text(painted, at)));
        }
        let label = || format!("Field, {}", shown.cell_text(painted, self.cursor));
        area.widget_info(|| WidgetInfo::labeled(Role::Grid, true, label()));
    }

    /// The left button uses the tool, the right one erases; a stroke is one undo step.
    fn mouse(&mut self, ui: &Ui, response: &Response, side: f32, state: &mut State) {
        let held = |button| ui.input(|input| input.pointer.button_down(button));
        let empties = held(PointerButton::Secondary);
        let tool = if empties { Tool::Empty } else { self.tool };
        let presses = response.is_pointer_button_down_on() && (empties || held(PointerButton::Primary));
        // A press and release between two frames is a click without a drag.
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
                self.refused = None;
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

    fn use_tool(&mut self, tool: Tool, at: GridCell, state: &mut State) {
        match tool {
            Tool::Block(color) => state.paint(at, Some(color)),
            Tool::Empty => state.paint(at, None),
            Tool::Needle => state.put_needle(at),
            Tool::Ignite => self.ignite(at, state),
        }
    }

    /// Toggles a block as ignited; an empty cell has none.
    fn ignite(&mut self, at: GridCell, state: &mut State) {
        if state.now().field.get(at).is_some() {
            state.toggle_ignited(at);
        } else {
            self.refused = Some(format!("No block to ignite at {}. Choose a block", text::place(at)));
        }
    }

    fn keys(&mut self, ui: &Ui, response: &Response, state: &mut State) -> Option<KeyRequest> {
        self.by_keys |= ui.input(|input| input.events.iter().any(|event| matches!(event, Event::Key { .. })));
        let field = &state.now().field;
        let last = (usize::from(field.width()) - 1, usize::from(field.height()) - 1);
        let cursor = (usize::from(self.cursor.x), usize::from(self.cursor.y));
        let (column, row) = moved_cursor(ui, response, cursor, last);
        let along = |number| u8::try_from(number).unwrap_or(u8::MAX);
        self.cursor = GridCell::new(along(column), along(row));
        let mut request = None;
        ui.input_mut(|input| {
            let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
            if pressed(Key::Delete) || pressed(Key::Backspace) {
                state.paint(self.cursor, None);
            }
            let steps =
                [(Key::PageUp, Step::Back), (Key::PageDown, Step::Forward), (Key::Space, Step::TogglePlay)];
            if let Some((_, step)) = steps.into_iter().find(|(key, _)| pressed(*key)) {
                request = Some(KeyRequest::Step(step));
            }
        });
        let events = ui.input(|input| input.events.clone());
        for event in events {
            match event {
                Event::Text(text) => text.chars().for_each(|letter| self.typed(letter, state)),
                Event::Paste(text) => request = Some(KeyRequest::Pasted(text)),
                Event::Copy => request = Some(KeyRequest::Copied),
                _ => {}
            }
        }
        request
    }

    fn typed(&mut self, letter: char, state: &mut State) {
        self.refused = None;
        match letter.to_ascii_uppercase() {
            '.' => state.paint(self.cursor, None),
            'N' => state.toggle_needle(self.cursor),
            'I' => self.ignite(self.cursor, state),
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

fn cell_at(at: Vec2, side: f32, field: &Field) -> Option<GridCell> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "inside the field, 64 at most"
    )]
    let cell = |along: f32| (along / side).clamp(0.0, 255.0) as u8;
    let place = GridCell::new(cell(at.x), cell(at.y));
    (at.x >= 0.0 && at.y >= 0.0 && field.has(place)).then_some(place)
}

fn cell_rect(rect: Rect, side: f32, at: GridCell) -> Rect {
    Rect::from_min_size(rect.min + vec2(f32::from(at.x), f32::from(at.y)) * side, Vec2::splat(side))
}

impl FieldView<'_> {
    /// A cell as text, with its overlay.
    pub fn cell_text(&self, painted: &Painted, at: GridCell) -> String {
        let text = text::cell(self.report, &painted.field, painted.ignition.as_ref(), at, self.shown_waves);
        let cell = self.report.cell(at);
        let more = match self.overlay {
            FieldOverlay::Nothing => None,
            FieldOverlay::Needles => cell.needle.map(|needle| {
                let values = needle.values;
                format!(", a {} needle: {} MVS, {} PS2", needle.color, values.mvs, values.ps2)
            }),
            FieldOverlay::OneMore => cell.gain.map(|more| format!(", one more block: {more:+}")),
        };
        let visited = if self.highlighted.contains(&at) { ", part of this tail's wave" } else { "" };
        text + more.as_deref().unwrap_or_default() + visited
    }
}

/// What a frame is painted from.
struct Painting<'a> {
    field: &'a Field,
    ignition: Option<&'a Ignition>,
    shown: FieldView<'a>,
    look: &'a Look,
    rect: Rect,
    side: f32,
}

impl Painting<'_> {
    fn cell(&self, at: GridCell) -> Rect {
        cell_rect(self.rect, self.side, at)
    }

    fn center(&self, at: GridCell) -> Pos2 {
        self.cell(at).center()
    }

    fn needle(&self) -> Option<GridCell> {
        match self.ignition {
            Some(Ignition::Needle { at, .. }) => Some(*at),
            _ => None,
        }
    }

    /// The wave that reached a block, if shown.
    fn wave(&self, at: GridCell) -> Option<usize> {
        self.shown.report.cell(at).wave.filter(|wave| *wave <= self.shown.shown_waves)
    }

    fn paint(&self, painter: &Painter) {
        let tokens = self.look.tokens;
        painter.rect_filled(self.rect, 2.0, tokens.card);
        for at in self.field.places() {
            self.background(painter, at);
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

    /// The overlay of a cell.
    fn background(&self, painter: &Painter, at: GridCell) {
        let tokens = self.look.tokens;
        let cell = self.shown.report.cell(at);
        let empty = self.field.get(at).is_none() && self.needle() != Some(at);
        let (fill, text) = match self.shown.overlay {
            FieldOverlay::Nothing => return,
            FieldOverlay::Needles => {
                let Some(needle) = cell.needle else { return };
                let value = needle.values.under(self.shown.report.ruleset());
                #[expect(clippy::cast_precision_loss, reason = "a share")]
                let share = value as f32 / self.shown.report.best() as f32;
                (mix(tokens.card, tokens.accent, 0.06 + 0.84 * share.clamp(0.0, 1.0)), value.to_string())
            }
            FieldOverlay::OneMore => {
                let Some(more) = cell.gain.filter(|more| *more != 0) else { return };
                let color = if more > 0 { tokens.good } else { tokens.bad };
                (mix(tokens.card, color, 0.22), format!("{more:+}"))
            }
        };
        painter.rect_filled(self.cell(at).shrink(0.5), 0.0, fill);
        if empty {
            let ink = Look::ink_on(fill);
            let font = FontId::proportional((self.side * 0.44).min(14.0));
            let label = painter.text(self.center(at), Align2::CENTER_CENTER, text, font, ink);
            if self.field.is_rest(at) {
                painter.hline(label.x_range(), label.bottom() + 0.5, (1.5, ink));
            }
        }
    }

    /// The paths by which waves reached a block.
    fn ways(&self, painter: &Painter, at: GridCell) {
        let (Some(_), Some(color)) = (self.wave(at), self.field.get(at)) else { return };
        let body = self.look.puyo(body(color), Tone::Live);
        for from in &self.shown.report.cell(at).from {
            let ends = [self.center(*from), self.center(at)];
            let highlighted = self.shown.highlighted.contains(from) && self.shown.highlighted.contains(&at);
            let edge = if highlighted { self.look.tokens.text } else { self.look.outline(body).color };
            painter.line_segment(ends, (self.side * 0.30, edge));
            painter.line_segment(ends, (self.side * 0.30 - 3.0, body));
        }
    }

    fn block(&self, painter: &Painter, at: GridCell, color: Color) {
        let tokens = self.look.tokens;
        let wave = self.wave(at);
        let burns =
            self.shown.shown_waves > 0 && self.shown.report.shown().is_some_and(|one| !one.waves.is_empty());
        // Blocks that the waves have not reached are dimmed.
        let tone = if burns && wave.is_none() { Tone::Dim } else { Tone::Live };
        let beneath = self.needle() == Some(at);
        let diameter = if self.side >= NUMBERS_FROM { (self.side * 0.8).min(24.5) } else { self.side };
        if !beneath {
            paint_puyo(painter, self.center(at), diameter, body(color), self.look, tone);
        }
        let frame = self.cell(at).shrink(1.0);
        if self.shown.highlighted.contains(&at) {
            painter.rect_stroke(frame, 4.0, (2.5, tokens.text), StrokeKind::Inside);
        } else if wave.is_some() && wave == Some(self.shown.shown_waves) && self.runs() {
            painter.rect_stroke(frame, 4.0, (2.0, tokens.caution), StrokeKind::Inside);
        }
        if self.side < NUMBERS_FROM {
            return;
        }
        let cell = self.shown.report.cell(at);
        if self.shown.overlay == FieldOverlay::Needles {
            if let Some(needle) = cell.needle.filter(|_| !beneath) {
                let value = needle.values.under(self.shown.report.ruleset()).to_string();
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

    /// Whether waves remain after the shown one.
    fn runs(&self) -> bool {
        self.shown.report.shown().is_some_and(|one| self.shown.shown_waves < one.waves.len())
    }

    /// A short text in a corner of a cell.
    fn tag(
        &self,
        painter: &Painter,
        at: GridCell,
        corner: Align2,
        text: &str,
        (fill, ink): (Color32, Color32),
    ) {
        let font = FontId::proportional((self.side * 0.33).clamp(7.5, 11.0));
        let galley = painter.layout_no_wrap(text.to_owned(), font, ink);
        let size = galley.size() + vec2(4.0, 0.0);
        let rect = corner.align_size_within_rect(size, self.cell(at).shrink(0.5));
        painter.rect_filled(rect, 3.0, fill);
        painter.galley(rect.min + vec2(2.0, 0.0), galley, ink);
    }

    /// A needle: a slim diamond in its colour, with a letter.
    fn paint_needle(&self, painter: &Painter, at: GridCell) {
        let tokens = self.look.tokens;
        let color = self.shown.report.color();
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
