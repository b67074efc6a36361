//! A board painted with symbols by mouse or keyboard.

use crate::gui::theme::{Look, Tokens};
use crate::gui::widgets::moved_cursor;
use crate::research::{BoardError, BoardPattern};
use eframe::egui::{
    Align2, Button, Color32, DragValue, Event, FontId, Rect, Response, RichText, Role, Sense, StrokeKind, Ui,
    Vec2, WidgetInfo, vec2,
};

/// Side of a cell, in points.
const SIDE: f32 = 20.0;
/// The offered symbols: anything, empty, and kinds of piece. Others can be typed.
const SYMBOLS: [u8; 8] = *b"?.abcdef";

#[derive(Debug, Clone)]
pub struct Board {
    width: usize,
    height: usize,
    cells: Vec<u8>,
    symbol: u8,
    cursor: (usize, usize),
}

impl Default for Board {
    /// The visible board of Puyo Puyo: 6 cells wide and 12 high.
    fn default() -> Self {
        Self { width: 6, height: 12, cells: vec![b'?'; 6 * 12], symbol: b'.', cursor: (0, 0) }
    }
}

impl Board {
    /// The pattern to search for.
    ///
    /// # Errors
    /// If too little is painted.
    pub fn painted(&self) -> Result<BoardPattern, BoardError> {
        let cell = |symbol: &u8| (*symbol != b'?').then_some(*symbol);
        let rows: Vec<Vec<Option<u8>>> =
            self.cells.chunks(self.width).map(|row| row.iter().map(cell).collect()).collect();
        BoardPattern::new(&rows)
    }

    fn resize(&mut self, width: usize, height: usize) {
        let mut cells = vec![b'?'; width * height];
        for row in 0..height.min(self.height) {
            for column in 0..width.min(self.width) {
                cells[row * width + column] = self.cells[row * self.width + column];
            }
        }
        (self.width, self.height, self.cells) = (width, height, cells);
        self.cursor = (self.cursor.0.min(width - 1), self.cursor.1.min(height - 1));
    }

    /// Draws the symbols and the board.
    pub fn show(&mut self, ui: &mut Ui, look: &Look) {
        ui.horizontal_wrapped(|ui| {
            let (mut width, mut height) = (self.width, self.height);
            ui.label("Board of");
            ui.add(DragValue::new(&mut width).range(1..=64)).accessible_name("cells across");
            ui.label("by");
            ui.add(DragValue::new(&mut height).range(1..=64)).accessible_name("cells down");
            if (width, height) != (self.width, self.height) {
                self.resize(width, height);
            }
            if ui.button("Clear").on_hover_text("Set all cells to ? (anything)").clicked() {
                self.cells.fill(b'?');
            }
        });
        ui.horizontal_wrapped(|ui| {
            ui.label("Paint");
            for symbol in SYMBOLS {
                let (name, meaning) = match symbol {
                    b'?' => ("?".to_owned(), "Anything"),
                    b'.' => (".".to_owned(), "Empty"),
                    _ => (char::from(symbol).to_string(), "One kind of piece, with any code"),
                };
                let text = RichText::new(&name).monospace();
                let button = ui.add(Button::selectable(self.symbol == symbol, text));
                if button.on_hover_text(meaning).accessible_name(format!("paint {name}")).clicked() {
                    self.symbol = symbol;
                }
            }
        });
        self.grid(ui, look);
    }

    fn grid(&mut self, ui: &mut Ui, look: &Look) {
        let size = vec2(SIDE * count(self.width), SIDE * count(self.height));
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        if let Some(at) = response.interact_pointer_pos()
            && (response.is_pointer_button_down_on() || response.clicked())
            && let Some(cell) = self.cell_at(at - rect.min)
        {
            self.cursor = cell;
            self.paint(self.symbol);
            response.request_focus();
        }
        if response.has_focus() {
            self.keys(ui, &response);
        }
        let painter = ui.painter();
        for row in 0..self.height {
            for column in 0..self.width {
                let min = rect.min + vec2(SIDE * count(column), SIDE * count(row));
                let cell = Rect::from_min_size(min, vec2(SIDE - 1.0, SIDE - 1.0));
                let symbol = self.cells[row * self.width + column];
                let color = fill(look.tokens, symbol);
                painter.rect_filled(cell, 2.0, color);
                let ink = if matches!(symbol, b'?' | b'.') { look.tokens.muted } else { Look::ink_on(color) };
                let font = FontId::monospace(12.0);
                painter.text(cell.center(), Align2::CENTER_CENTER, char::from(symbol), font, ink);
            }
        }
        let (column, row) = self.cursor;
        if response.has_focus() {
            let at = rect.min + vec2(SIDE * count(column), SIDE * count(row));
            let cell = Rect::from_min_size(at, vec2(SIDE - 1.0, SIDE - 1.0));
            painter.rect_stroke(cell, 2.0, (2.0, look.tokens.accent), StrokeKind::Inside);
        }
        let symbol = char::from(self.cells[row * self.width + column]);
        let label = format!("Board, row {}, column {}: {symbol}", row + 1, column + 1);
        response.widget_info(|| WidgetInfo::labeled(Role::Grid, true, &label));
        response.on_hover_text("Click or drag to paint; or use the arrow keys and type letters or digits");
    }

    fn cell_at(&self, at: Vec2) -> Option<(usize, usize)> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the board")]
        let cell = |along: f32| (along.max(0.0) / SIDE) as usize;
        let (column, row) = (cell(at.x), cell(at.y));
        (column < self.width && row < self.height && at.x >= 0.0 && at.y >= 0.0).then_some((column, row))
    }

    fn paint(&mut self, symbol: u8) {
        let (column, row) = self.cursor;
        self.cells[row * self.width + column] = symbol;
    }

    fn keys(&mut self, ui: &Ui, response: &Response) {
        self.cursor = moved_cursor(ui, response, self.cursor, (self.width - 1, self.height - 1));
        let typed: String = ui.input(|input| {
            let text = input.events.iter().filter_map(|event| match event {
                Event::Text(text) => Some(text.as_str()),
                _ => None,
            });
            text.collect()
        });
        for symbol in typed.bytes().filter(u8::is_ascii_graphic) {
            self.paint(symbol);
            let next = self.cursor.1 * self.width + self.cursor.0 + 1;
            let next = next.min(self.cells.len() - 1);
            self.cursor = (next % self.width, next / self.width);
        }
    }
}

/// The colour of a symbol; its letter is shown, too.
fn fill(tokens: &Tokens, symbol: u8) -> Color32 {
    match symbol {
        b'?' => tokens.card,
        b'.' => tokens.line,
        other => tokens.series[usize::from(other.wrapping_sub(b'a')) % tokens.series.len()],
    }
}

#[expect(clippy::cast_precision_loss, reason = "cells of a board, at most 64")]
fn count(cells: usize) -> f32 {
    cells as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_painted_stays_when_the_board_grows() {
        let mut board = Board { cursor: (5, 11), ..Board::default() };
        board.paint(b'a');
        board.resize(8, 13);
        assert_eq!(board.cells[11 * 8 + 5], b'a');
        board.resize(3, 3);
        assert_eq!(board.cursor, (2, 2));
        assert!(matches!(board.painted(), Err(BoardError::TooLittle { painted: 0, .. })));
    }

    #[test]
    fn a_point_is_in_the_cell_that_is_drawn_there() {
        let board = Board::default();
        assert_eq!(board.cell_at(vec2(1.0, 1.0)), Some((0, 0)));
        assert_eq!(board.cell_at(vec2(5.5 * SIDE, 11.5 * SIDE)), Some((5, 11)));
        assert_eq!(board.cell_at(vec2(6.5 * SIDE, 0.0)), None);
        assert_eq!(board.cell_at(vec2(-1.0, 0.0)), None);
    }
}
