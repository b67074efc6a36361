//! The search of a game whose options the panel makes a form of: fields, boards that are painted cell by cell, and the result as text.

use crate::gui::puyo::paint_pattern;
use crate::gui::ui_context::UiContext;
use crate::options::{BoardSpec, OptionKind, OptionSpec, OptionValues};
use crate::pairs::{FindError, Format, PairGame};
use crate::text::capitalized;
use eframe::egui::{
    Align2, FontId, Rect, Response, Role, Sense, StrokeKind, TextEdit, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use nextscope_boards::Color;
use std::collections::BTreeMap;

/// Size of a cell of a board, in points.
const CELL: f32 = 20.0;

/// The texts of options, by their names.
type OptionTexts = BTreeMap<&'static str, String>;

#[derive(Default)]
pub struct FindForm {
    pub game: Option<PairGame>,
    /// The texts of the options that were filled in.
    texts: OptionTexts,
    /// The sign with which each board is painted.
    brushes: BTreeMap<&'static str, char>,
    /// The result for these texts.
    result: Option<(OptionTexts, Result<String, String>)>,
}

impl FindForm {
    /// The games with a form.
    pub fn all() -> impl Iterator<Item = PairGame> {
        PairGame::all().filter(|game| game.rules().find.form)
    }

    /// Opens the empty form of a game.
    pub fn select(&mut self, game: PairGame) {
        *self = Self { game: Some(game), ..Self::default() };
    }

    /// Whether nothing was filled in.
    pub fn is_empty(&self) -> bool {
        self.texts.values().all(String::is_empty)
    }

    /// Buttons for the games; whether one of them was clicked.
    pub fn games(&mut self, ui: &mut Ui) -> bool {
        let mut clicked = false;
        for game in Self::all() {
            if ui.selectable_label(self.game == Some(game), game.game().name()).clicked() {
                self.select(game);
                clicked = true;
            }
        }
        clicked
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let Some(game) = self.game else { return };
        let options = game.rules().find.options.iter().filter(|option| option.name != "csv");
        let (boards, fields): (Vec<_>, Vec<_>) =
            options.partition(|option| matches!(option.kind, OptionKind::Board(_)));
        ui.horizontal_wrapped(|ui| {
            for option in fields {
                self.field(ui, option);
            }
        });
        ui.horizontal_wrapped(|ui| {
            for option in boards {
                if let OptionKind::Board(board) = option.kind {
                    ui.vertical(|ui| self.board(ui, cx, option, board));
                }
            }
        });
        ui.separator();
        match self.search(game) {
            Ok(text) => ui.monospace(text),
            Err(why) => ui.weak(why),
        };
    }

    fn field(&mut self, ui: &mut Ui, option: &'static OptionSpec) {
        let name = label(option);
        let width = match option.kind {
            OptionKind::Flag => {
                let mut on = self.texts.contains_key(option.name);
                if ui.checkbox(&mut on, name).on_hover_text(option.help).changed() {
                    self.set(option.name, if on { "on" } else { "" });
                }
                return;
            }
            OptionKind::File | OptionKind::Dump | OptionKind::Frame | OptionKind::Profile => return,
            OptionKind::Number(..) => 60.0,
            _ => 220.0,
        };
        let mut text = self.text(option.name).to_owned();
        let label = ui.label(name);
        let field =
            TextEdit::singleline(&mut text).hint_text(option.default.unwrap_or("")).desired_width(width);
        if ui.add(field).labelled_by(label.id).on_hover_text(option.help).changed() {
            self.set(option.name, &text);
        }
    }

    fn board(&mut self, ui: &mut Ui, cx: &UiContext<'_>, option: &'static OptionSpec, board: &BoardSpec) {
        let name = label(option);
        let [untouched, first, ..] = board.signs else { return };
        let brush = self.brushes.get(option.name).copied().unwrap_or(*first);
        ui.horizontal(|ui| {
            ui.strong(&name);
            for sign in board.signs {
                let shown = ui.selectable_label(brush == *sign, sign.to_string());
                if shown.on_hover_text(option.help).clicked() {
                    self.brushes.insert(option.name, *sign);
                }
            }
            if ui.button("Clear").clicked() {
                self.set(option.name, "");
            }
        });
        let mut cells = cells(self.text(option.name), board, *untouched);
        let response = paint(ui, cx, &name, board, &cells);
        let pressed = response.is_pointer_button_down_on() || response.clicked();
        if let Some(at) = response.interact_pointer_pos().filter(|_| pressed) {
            let place = (at - response.rect.min) / CELL;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cell")]
            let (column, row) = (place.x.max(0.0) as usize, place.y.max(0.0) as usize);
            let at = row * board.columns + column;
            if column < board.columns && cells.get(at).is_some_and(|cell| *cell != brush) {
                cells[at] = brush;
                let rows: Vec<String> = cells.chunks(board.columns).map(|row| row.iter().collect()).collect();
                let touched = cells.iter().any(|cell| cell != untouched);
                self.set(option.name, if touched { rows.join("/") } else { String::new() }.as_str());
            }
        }
        let mut text = self.text(option.name).to_owned();
        let field = TextEdit::singleline(&mut text)
            .hint_text("rows from the top, separated by /")
            .desired_width(points(board.columns));
        let response = ui.add(field).on_hover_text(option.help);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, format!("{name} as text")));
        if response.changed() {
            self.set(option.name, &text);
        }
    }

    fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    fn set(&mut self, name: &'static str, text: &str) {
        if text.is_empty() {
            self.texts.remove(name);
        } else {
            self.texts.insert(name, text.to_owned());
        }
    }

    /// The result, which is computed again when something changed.
    fn search(&mut self, game: PairGame) -> Result<String, String> {
        if let Some((_, result)) = self.result.as_ref().filter(|(texts, _)| *texts == self.texts) {
            return result.clone();
        }
        let result = run(game, &self.texts);
        self.result = Some((self.texts.clone(), result.clone()));
        result
    }
}

fn label(option: &OptionSpec) -> String {
    capitalized(&option.name.replace('-', " "))
}

fn run(game: PairGame, texts: &BTreeMap<&'static str, String>) -> Result<String, String> {
    let find = &game.rules().find;
    let mut values = OptionValues::new(find.options, 0);
    for option in find.options {
        let Some(text) = texts.get(option.name) else { continue };
        let value = option.parse(text.trim());
        values.set(option.name, value.ok_or_else(|| format!("{}: invalid value {text:?}", label(option)))?);
    }
    let search = (find.prepare)(&values, Format::Text).map_err(|error: FindError| error.to_string())?;
    Ok(search.run().map(|outcome| outcome.output).unwrap_or_default())
}

/// The cells of a board as text; rows that are left out are at the top.
fn cells(text: &str, board: &BoardSpec, untouched: char) -> Vec<char> {
    let rows: Vec<&str> =
        text.split(|c: char| c == '/' || c.is_whitespace()).filter(|row| !row.is_empty()).collect();
    let missing = board.rows.saturating_sub(rows.len());
    let above = std::iter::repeat_n("", missing);
    let row = |row: &str| -> Vec<char> {
        row.chars().chain(std::iter::repeat(untouched)).take(board.columns).collect()
    };
    let mut cells: Vec<char> = above.chain(rows).flat_map(row).collect();
    cells.truncate(board.rows * board.columns);
    cells
}

#[expect(clippy::cast_precision_loss, reason = "a number of cells")]
fn points(cells: usize) -> f32 {
    cells as f32 * CELL
}

fn paint(ui: &mut Ui, cx: &UiContext<'_>, name: &str, board: &BoardSpec, cells: &[char]) -> Response {
    let size = vec2(points(board.columns), points(board.rows));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| {
        let rows: Vec<String> = cells.chunks(board.columns).map(|row| row.iter().collect()).collect();
        WidgetInfo::labeled(Role::Image, true, format!("{name}: {}", rows.join(" ")))
    });
    if ui.is_rect_visible(rect) {
        let (painter, tokens) = (ui.painter(), cx.look.tokens);
        painter.rect(rect, 2.0, tokens.panel, (1.0, tokens.line), StrokeKind::Outside);
        for (at, sign) in cells.iter().enumerate() {
            let corner =
                pos2(rect.left() + points(at % board.columns), rect.top() + points(at / board.columns));
            let center = Rect::from_min_size(corner, Vec2::splat(CELL)).center();
            match Color::from_letter(*sign) {
                Some(color) => paint_pattern(painter, center, CELL, Some(color), &cx.look),
                None => {
                    let font = FontId::proportional(CELL * 0.6);
                    painter.text(center, Align2::CENTER_CENTER, sign, font, tokens.muted);
                }
            }
        }
    }
    response
}
