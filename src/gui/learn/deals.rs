//! The deals that the user notes: by clicks on drawn pieces, by letters, or as text.

use crate::games::piece::Piece;
use crate::gui::theme::Tone;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::{EntryArea, typed_text};
use crate::gui::{piece, puyo};
use crate::research::learn::{LettersError, WrittenDeals, symbols};
use eframe::egui::{
    Button, Context, Id, Key, Modifiers, Response, Role, Sense, TextEdit, TextStyle, Ui, WidgetInfo,
};
use nextscope_boards::{Color, Pair};

/// Side of a square of a piece, diameter of a colour's button and of a noted puyo, in points.
const SIDE: f32 = 9.0;
const BUTTON: f32 = 30.0;
const PUYO: f32 = 18.0;
/// The colours in the order of their letters.
const COLORS: [Color; 5] = [Color::RED, Color::GREEN, Color::BLUE, Color::YELLOW, Color::PURPLE];
const AREA: &str = "noted deals";

/// When a deal is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// While this sample of a running game is the newest one.
    Sample(usize),
    /// While this frame of a recording is shown.
    Frame(u64),
}

#[derive(Default)]
pub struct NotedDeals {
    written: WrittenDeals,
    /// The deals of a recording as text: letters in order, or a frame and letters on each line.
    text: String,
    is_pairs: bool,
    /// Whether the first deal is the first of a game.
    pub from_start: bool,
    /// The axis of a pair whose child is not entered yet.
    axis: Option<Color>,
    wrong: Option<String>,
}

impl NotedDeals {
    pub const fn written(&self) -> &WrittenDeals {
        &self.written
    }

    /// Whether the text is wrong, so that the deals are not what the user means.
    pub const fn is_wrong(&self) -> bool {
        self.wrong.is_some()
    }

    pub fn clear(&mut self) {
        *self = Self { is_pairs: self.is_pairs, from_start: self.from_start, ..Self::default() };
    }

    /// Whether this can be undone: a deal, or half a pair.
    pub const fn is_empty(&self) -> bool {
        self.written.is_empty() && self.text.is_empty() && self.axis.is_none()
    }

    /// Takes the last deal back, or half a pair.
    pub fn undo(&mut self) {
        if self.axis.take().is_some() {
            return;
        }
        if self.text.is_empty() {
            self.written.undo();
            self.wrong = None;
            return;
        }
        let text = self.text.trim_end();
        let end = if has_frames(text) {
            text.rfind('\n').map_or(0, |at| at + 1)
        } else {
            let letters = text.char_indices().rev().filter(|(_, letter)| letter.is_alphabetic());
            letters.take(if self.is_pairs { 2 } else { 1 }).last().map_or(0, |(at, _)| at)
        };
        self.text.truncate(end);
        self.read();
    }

    /// Notes letters: of a piece, or of half a pair; several deals at once have no times.
    fn note(&mut self, letters: &str, moment: Moment) -> Result<(), LettersError> {
        let letters: String = symbols(letters)?.iter().map(|symbol| symbol.letter()).collect();
        let is_color = |letter: char| Color::from_letter(letter).is_some();
        if self.is_empty() {
            self.is_pairs = letters.chars().any(is_color);
        }
        if letters.chars().any(|letter| is_color(letter) != self.is_pairs) {
            return Err(LettersError::Mixed);
        }
        let axis = self.axis.take().map(Color::letter);
        let mut deals: String = axis.into_iter().chain(letters.chars()).collect();
        if self.is_pairs && !deals.len().is_multiple_of(2) {
            self.axis = deals.pop().and_then(Color::from_letter);
        }
        match moment {
            _ if deals.is_empty() => {}
            Moment::Sample(sample) => self.written.write(&deals, sample)?,
            Moment::Frame(frame) => {
                if self.text.trim().is_empty() || has_frames(&self.text) {
                    let end = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { "\n" };
                    self.text = format!("{}{end}{frame},{deals}\n", self.text);
                } else {
                    self.text.push_str(&deals);
                }
                self.read();
            }
        }
        Ok(())
    }

    /// Reads the text.
    fn read(&mut self) {
        let read = if has_frames(&self.text) {
            WrittenDeals::from_lines(&self.text)
        } else {
            WrittenDeals::from_letters(&self.text)
        };
        match read {
            Ok(written) => (self.written, self.wrong) = (written, None),
            Err(error) => self.wrong = Some(error.to_string()),
        }
        if let Some(deal) = self.written.letters().next() {
            self.is_pairs = deal.len() == 2;
        }
    }

    /// Draws the controls. Without a moment nothing can be noted. `focus` sends the next letters to the deals.
    pub fn show(&mut self, ui: &mut Ui, cx: &UiContext<'_>, moment: Option<Moment>, focus: &mut bool) {
        let mut entered = String::new();
        let mut ours = false;
        ui.horizontal_wrapped(|ui| {
            let is_free = self.is_empty();
            for (is_pairs, name, hover) in [
                (false, "Pieces", "The seven tetrominoes"),
                (true, "Pairs", "Two colours: the axis first, then the child"),
            ] {
                let choice = Button::selectable(self.is_pairs == is_pairs, name);
                let choice = ui.add_enabled(is_free || self.is_pairs == is_pairs, choice);
                let why = "Clear the deals first";
                if choice.on_hover_text(hover).on_disabled_hover_text(why).clicked() {
                    self.is_pairs = is_pairs;
                }
            }
            let undo = ui.add_enabled(!is_free, Button::new("Undo"));
            ours |= undo.has_focus();
            if undo.on_hover_text("Take the last deal back (Backspace)").clicked() {
                self.undo();
            }
            let clear = ui.add_enabled(!is_free, Button::new("Clear"));
            if clear.on_hover_text("Remove all deals").clicked() {
                self.clear();
            }
            let hover =
                "Check it if the first deal is the first of a game: the rule may begin differently there";
            ui.checkbox(&mut self.from_start, "First deal of a game").on_hover_text(hover);
        });
        ui.horizontal_wrapped(|ui| {
            if moment.is_none() {
                ui.disable();
            }
            let mut button = |response: Response, letter: char| {
                ours |= response.has_focus();
                if response.clicked() {
                    entered.push(letter);
                    *focus = true;
                }
            };
            if self.is_pairs {
                for color in COLORS {
                    button(puyo::button(ui, Some(color), BUTTON, &cx.look), color.letter());
                }
            } else {
                for piece in Piece::ALL {
                    button(piece::button(ui, Some(piece), SIDE, &cx.look), piece.letter());
                }
            }
        });
        let area = self.area(ui, cx, moment);
        if std::mem::take(focus) {
            area.request_focus();
        }
        if ours || area.has_focus() {
            if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Backspace)) {
                self.undo();
            }
            entered.push_str(&typed_text(ui));
        }
        if let Some(moment) = moment.filter(|_| !entered.is_empty()) {
            if let Err(error) = self.note(&entered, moment) {
                self.wrong = Some(error.to_string());
            } else if matches!(moment, Moment::Sample(_)) {
                self.wrong = None;
            }
            ui.ctx().request_repaint(); // the deals were drawn before
        }
        if let Some(wrong) = &self.wrong {
            ui.colored_label(cx.look.tokens.bad, wrong);
        }
    }

    /// The text field for the deals of a recording.
    pub fn text_field(&mut self, ui: &mut Ui) {
        let label = ui.label("As text");
        let hint = "Letters in order: ITLISZLJ… Or a line for each deal, with a frame in which it was in play: 1200,T";
        let field = TextEdit::multiline(&mut self.text).hint_text(hint).font(TextStyle::Monospace);
        let field = ui.add(field.desired_rows(2).desired_width(f32::INFINITY)).labelled_by(label.id);
        if field.changed() {
            self.axis = None;
            self.read();
        }
    }

    /// The noted deals; accepts typed letters.
    fn area(&self, ui: &mut Ui, cx: &UiContext<'_>, moment: Option<Moment>) -> Response {
        let letters = if self.is_pairs { "R G B Y P" } else { "I J L O S T Z" };
        let mut deals: Vec<String> = self.written.letters().collect();
        let count = deals.len();
        if self.is_pairs {
            deals.extend(self.axis.map(|axis| axis.letter().to_string()));
        }
        let noted =
            if deals.is_empty() { "none".into() } else { deals.join(if self.is_pairs { " " } else { "" }) };
        let hint = match moment {
            _ if !deals.is_empty() => None,
            None => Some("The deals appear here".to_owned()),
            Some(Moment::Frame(_)) => Some(format!(
                "Step through the recording and click each deal, or type its letter ({letters}), while it falls"
            )),
            Some(Moment::Sample(_)) => {
                Some(format!("Click each deal, or type its letter ({letters}), while it falls"))
            }
        };
        let area = EntryArea {
            id: AREA,
            row: piece::piece_size(SIDE).y,
            label: &format!(
                "Noted deals, {count}: {noted}. Type {letters}; Backspace takes the last one back"
            ),
            hint: hint.as_deref(),
        };
        area.show(ui, cx.look.tokens, |ui| {
            for (nth, deal) in (1..).zip(&deals) {
                drawn(ui, cx, deal, &format!("Deal {nth}"));
            }
        })
    }

    /// Whether the deals have the keyboard.
    pub fn has_keyboard(ctx: &Context) -> bool {
        ctx.memory(|memory| memory.has_focus(Id::unique(AREA)))
    }
}

/// Whether a text of deals has their frames.
fn has_frames(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit())
}

/// A deal by its letters; of half a pair the axis.
fn drawn(ui: &mut Ui, cx: &UiContext<'_>, deal: &str, what: &str) {
    let mut letters = deal.chars();
    let (first, child) = (letters.next().unwrap_or('?'), letters.next().and_then(Color::from_letter));
    match (Piece::from_letter(first), Color::from_letter(first), child) {
        (Some(piece), _, _) => drop(piece::piece(ui, piece, SIDE, what, &cx.look, Tone::Live)),
        (_, Some(axis), Some(child)) => {
            drop(puyo::pair(ui, Pair { axis, child }, PUYO, what, &cx.look, Tone::Live));
        }
        (_, axis, _) => {
            let (rect, half) = ui.allocate_exact_size(puyo::pair_size(PUYO), Sense::hover());
            puyo::paint_pattern_pair(ui.painter(), rect, axis, None, &cx.look);
            let label = format!("{what}: axis {}", axis.map_or("unknown", Color::name));
            half.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
        }
    }
}
