//! The search in single-piece games: input, matching states and their next pieces.

use super::engine::failed;
use super::history::History;
use super::piece_job::{Finished, Running, SearchResult};
use super::piece_request::{LAST_FIRST, MAX_STEPS, PieceRequest};
use super::widgets::{certain_heading, heading, headline, list, no_match};
use crate::games::piece::Piece;
use crate::gui::marks::Mark;
use crate::gui::piece;
use crate::gui::theme::Tone;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::{EntryArea, banner, card, typed_text};
use crate::seeds::pieces::PieceGame;
use crate::seeds::pieces::{
    GamePosition, ListedState, Narrowing, PieceQuery, Steps, parse_pieces, piece_letters,
};
use crate::seeds::text::grouped;
use eframe::egui::{
    self, ComboBox, DragValue, Key, Layout, Modifiers, ProgressBar, Response, RichText, Role, TextEdit, Ui,
    WidgetInfo, vec2,
};
use std::time::Duration;

/// Side of a square of entered and next pieces, in points.
const SIDE: f32 = 9.0;
/// Side of a piece in the list of states.
const CHIP: f32 = 15.0;
/// Minimum number of finished pieces for a search of billions of seeds.
const MIN_PIECES: usize = 8;

pub struct PieceSearch {
    /// None while a paired game is selected.
    pub game: Option<PieceGame>,
    variant: &'static str,
    at: u32,
    middle: bool,
    /// Minimum and maximum frames between pieces.
    steps: [u32; 2],
    pieces: Vec<Option<Piece>>,
    typed: String,
    wrong: Option<String>,
    running: Option<Running>,
    finished: Option<Finished>,
    trouble: Option<String>,
    /// The request of a search that crashed; it is not restarted automatically.
    crashed: Option<PieceQuery>,
}

impl Default for PieceSearch {
    fn default() -> Self {
        Self {
            game: None,
            variant: "",
            at: 1,
            middle: false,
            steps: [1; 2],
            pieces: Vec::new(),
            typed: String::new(),
            wrong: None,
            running: None,
            finished: None,
            trouble: None,
            crashed: None,
        }
    }
}

impl PieceSearch {
    pub fn select(&mut self, game: PieceGame) {
        self.game = Some(game);
        self.variant = game.variant("").unwrap_or_default();
    }

    /// Whether nothing was entered.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.typed.is_empty()
    }

    /// The games; whether one was clicked.
    pub fn games(&mut self, ui: &mut Ui) -> bool {
        let mut clicked = false;
        ui.horizontal_wrapped(|ui| {
            ui.label("Single pieces");
            for &game in PieceGame::ALL {
                if ui.selectable_label(self.game == Some(game), game.name()).clicked() {
                    self.select(game);
                    clicked = true;
                }
            }
        });
        clicked
    }

    /// The view of the selected game. `focus` sends the next letters to the pieces.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, history: &mut History, focus: &mut bool) {
        let Some(game) = self.game else { return };
        self.options(ui, game);
        self.entry(ui, cx, focus);
        self.update_search(ui.ctx(), game, history);
        ui.add_space(4.0);
        self.answer(ui, cx, game);
    }

    /// Restores a request.
    pub fn restore(&mut self, request: &PieceRequest) {
        let Some((game, variant)) = request.known() else { return };
        (self.game, self.variant) = (Some(game), variant);
        (self.at, self.middle, self.steps) = (request.at, request.middle, request.steps);
        (self.pieces, self.wrong) = (request.read(), None);
        self.typed = piece_letters(&self.pieces);
    }

    /// The current request, for the history.
    fn request(&self, game: PieceGame) -> PieceRequest {
        PieceRequest {
            game: game.id().into(),
            variant: self.variant.into(),
            at: self.at,
            middle: self.middle,
            steps: self.steps,
            pieces: piece_letters(&self.pieces),
        }
    }

    fn options(&mut self, ui: &mut Ui, game: PieceGame) {
        ui.horizontal_wrapped(|ui| {
            if game.variants().len() > 1 {
                let label = ui.label("Variant");
                let combo = ComboBox::from_id_salt("variant").selected_text(self.variant);
                let shown = combo.show_ui(ui, |ui| {
                    for &(name, meaning) in game.variants() {
                        ui.selectable_value(&mut self.variant, name, name).on_hover_text(meaning);
                    }
                });
                shown.response.labelled_by(label.id);
            }
            if game.rules().from_middle {
                ui.checkbox(&mut self.middle, "Start mid-game").on_hover_text(
                    "The number of earlier pieces is unknown; the first four pieces set the game's memory",
                );
            } else {
                self.middle = false;
            }
            if !self.middle {
                let label = ui.label("First piece number");
                ui.add(DragValue::new(&mut self.at).range(1..=LAST_FIRST).speed(0.2))
                    .labelled_by(label.id)
                    .on_hover_text(
                        "Number of the first entered piece in the game, if you missed earlier ones",
                    );
            }
            if game.has_option("steps") {
                let [least, most] = &mut self.steps;
                let label = ui.label("Frames between pieces");
                ui.add(DragValue::new(least).range(0..=MAX_STEPS).speed(0.5))
                    .labelled_by(label.id)
                    .on_hover_text("The generator advances every frame: frames between two pieces");
                *most = (*most).max(*least);
                let label = ui.label("to");
                ui.add(DragValue::new(most).range(*least..=MAX_STEPS).speed(0.5))
                    .labelled_by(label.id)
                    .on_hover_text("Maximum, if the exact number of frames is unknown");
            }
        });
    }

    fn entry(&mut self, ui: &mut Ui, cx: &UiContext<'_>, focus: &mut bool) {
        let before = self.pieces.clone();
        let mut ours = false;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            for piece in Piece::ALL.map(Some).into_iter().chain([None]) {
                let response = piece::button(ui, piece, SIDE, &cx.look);
                ours |= response.has_focus();
                if response.clicked() {
                    self.pieces.push(piece);
                    *focus = true;
                }
            }
            let some = !self.pieces.is_empty();
            let back = ui.add_enabled(some, egui::Button::new("Remove last"));
            ours |= back.has_focus();
            if back.on_hover_text("Remove the last piece (Backspace)").clicked() {
                self.pieces.pop();
                *focus = true;
            }
            if ui.add_enabled(some, egui::Button::new("Clear")).on_hover_text("Remove all pieces").clicked() {
                self.pieces.clear();
                *focus = true;
            }
            self.text_field(ui);
        });
        let area = self.entered(ui, cx);
        if std::mem::take(focus) {
            area.request_focus();
        }
        if ours || area.has_focus() {
            self.letters(ui);
        }
        if let Some(wrong) = &self.wrong {
            ui.colored_label(cx.look.tokens.bad, wrong);
        }
        if before != self.pieces {
            self.typed = piece_letters(&self.pieces);
            ui.ctx().request_repaint();
        }
    }

    fn text_field(&mut self, ui: &mut Ui) {
        let label = ui.label("As text");
        let width = (ui.available_size_before_wrap().x - 16.0).clamp(140.0, 420.0);
        let field = TextEdit::singleline(&mut self.typed).hint_text("JTOLS?").desired_width(width);
        let field = ui.add(field).labelled_by(label.id);
        if field.changed() {
            match parse_pieces(&self.typed) {
                Ok(pieces) => (self.pieces, self.wrong) = (pieces, None),
                Err(error) => self.wrong = Some(error.to_string()),
            }
        } else if !field.has_focus() && self.wrong.is_none() {
            self.typed = piece_letters(&self.pieces);
        }
    }

    /// The entered pieces; accepts typed letters.
    fn entered(&self, ui: &mut Ui, cx: &UiContext<'_>) -> Response {
        let entered = if self.pieces.is_empty() { "none".into() } else { piece_letters(&self.pieces) };
        let area = EntryArea {
            id: "single pieces entered",
            row: piece::piece_size(SIDE).y,
            label: &format!("Entered pieces: {entered}. Type I J L O S T Z or ?; Backspace removes the last"),
            hint: self.pieces.is_empty().then_some("Click the pieces or type I J L O S T Z ? here"),
        };
        area.show(ui, cx.look.tokens, |ui| {
            for (number, &entered) in (u64::from(self.at)..).zip(&self.pieces) {
                match entered {
                    Some(entered) => {
                        let what = format!("Entered, piece {number}");
                        piece::piece(ui, entered, SIDE, &what, &cx.look, Tone::Live);
                    }
                    None => {
                        ui.label(RichText::new(" ? ").size(2.0 * SIDE));
                    }
                }
            }
        })
    }

    fn letters(&mut self, ui: &Ui) {
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Backspace)) {
            self.pieces.pop();
        }
        let text = typed_text(ui);
        if text.is_empty() {
            return;
        }
        match parse_pieces(&text) {
            Ok(pieces) => {
                self.pieces.extend(pieces);
                self.wrong = None;
            }
            Err(error) => self.wrong = Some(error.to_string()),
        }
    }

    fn query(&self, game: PieceGame) -> Option<PieceQuery> {
        let mut query = PieceQuery::new(game, self.variant)?;
        query.at = if self.middle { GamePosition::Unknown } else { GamePosition::Piece(self.at) };
        query.pieces.clone_from(&self.pieces);
        let [least, most] = self.steps;
        query.later = Steps::between(least, most)?;
        Some(query)
    }

    /// Starts a search for a new request, and reads its result.
    fn update_search(&mut self, ctx: &egui::Context, game: PieceGame, history: &mut History) {
        let Some(query) = self.query(game) else { return };
        let ended = self.running.as_ref().and_then(|running| running.task.poll());
        if let Some(Err(error)) = &ended {
            self.crashed = self.running.take().map(|running| running.query);
            self.trouble = Some(failed(error));
        }
        if let Some(Ok(Some(finished))) = ended {
            if *finished.narrowing.query() == query
                && let Ok(result) = &finished.result
            {
                history.add_pieces(self.request(game), summary(&finished.narrowing, result));
            }
            (self.finished, self.running) = (Some(finished), None);
        }
        let request = self.running.as_ref().map(|running| &running.query);
        let finished = self.finished.as_ref().map(|finished| finished.narrowing.query());
        if request == Some(&query) || finished == Some(&query) || self.crashed.as_ref() == Some(&query) {
            return;
        }
        self.running = None; // another request: the old search is useless
        let given = query.pieces.iter().flatten().count();
        if given == 0 || (given < MIN_PIECES && !query.is_quick()) {
            return;
        }
        let before = self.finished.as_ref().map(|finished| &finished.narrowing);
        let running = Running::start(query, before, ctx);
        (self.running, self.trouble, self.crashed) = (Some(running), None, None);
    }

    fn answer(&self, ui: &mut Ui, cx: &mut UiContext<'_>, game: PieceGame) {
        if let Some(text) = &self.trouble {
            let tokens = cx.look.tokens;
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, text);
        }
        if let Some(running) = &self.running {
            let starts = running.query.starts();
            ui.label(format!("Searching {} states…", grouped(starts)));
            if !running.query.is_quick() {
                #[expect(clippy::cast_possible_truncation, reason = "a share")]
                let share = running.task.progress().share() as f32;
                ui.add(ProgressBar::new(share).show_percentage());
            }
            ui.ctx().request_repaint_after(Duration::from_millis(100));
            return;
        }
        let query = self.query(game);
        let finished =
            self.finished.as_ref().filter(|finished| Some(finished.narrowing.query()) == query.as_ref());
        let Some(finished) = finished else {
            let starts = query.map_or(0, |query| query.starts());
            ui.label(format!(
                "Enter the dealt pieces to narrow the {} states of {}",
                grouped(starts),
                game.name()
            ));
            return;
        };
        match &finished.result {
            Ok(result) => answered(ui, cx, &finished.narrowing, result),
            Err(reject) => {
                ui.label(reject.to_string());
            }
        }
    }
}

/// A summary for the history.
fn summary(narrowing: &Narrowing, result: &SearchResult) -> String {
    match (narrowing.remaining(), result.report.listed()) {
        (0, _) => "no match".into(),
        (1, [state]) => format!("state {}", state.state),
        (left, _) => states(left),
    }
}

fn states(count: u64) -> String {
    if count == 1 { "1 state".into() } else { format!("{} states", grouped(count)) }
}

fn answered(ui: &mut Ui, cx: &mut UiContext<'_>, narrowing: &Narrowing, result: &SearchResult) {
    let report = &result.report;
    let (table, json, csv) = (|| report.table(), || report.json(), || report.csv());
    let (left, starts) = (narrowing.remaining(), grouped(narrowing.query().starts()));
    let matching = if left == 1 { "matches" } else { "match" };
    headline(ui, cx, left, &format!("of {starts} states {matching}"), Some([&table, &json, &csv]));
    if let Some(why) = report.no_match_reason() {
        no_match(ui, cx, &why);
        return;
    }
    if result.certain.is_empty() {
        chances(ui, cx, narrowing);
    } else {
        let why = match result.games {
            Some(1) if left > 1 => "all these states deal the same next pieces".into(),
            Some(games) if games > 1 => format!("all {} games agree", grouped(games as u64)),
            _ => String::new(),
        };
        certain(ui, cx, narrowing, &result.certain, &why);
    }
    if let Some(hint) = report.hint() {
        ui.label(hint);
    }
    if report.listed().is_empty() {
        ui.label("Too many to list. Enter more pieces");
        return;
    }
    ui.add_space(2.0);
    let listed = report.listed().len() as u64;
    if listed < left {
        heading(ui, &format!("First {} matching states", grouped(listed)));
    } else {
        heading(ui, "Matching states");
    }
    list(ui, report.listed().len(), |ui, number| {
        if let Some(listed) = report.listed().get(number) {
            result_row(ui, cx, listed);
        }
    });
}

fn certain(ui: &mut Ui, cx: &UiContext<'_>, narrowing: &Narrowing, pieces: &[Piece], why: &str) {
    let tokens = cx.look.tokens;
    let first = narrowing.query().next_number();
    card(ui, tokens, |ui| {
        certain_heading(ui, cx, why);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
            for (ahead, &coming) in (0..).zip(pieces) {
                // From mid-game, pieces are counted from the last entered one.
                let number = first.unwrap_or(1) + ahead;
                let what = if first.is_some() {
                    format!("certain, piece {number}")
                } else {
                    format!("certain, next {number}")
                };
                ui.allocate_ui_with_layout(
                    piece::piece_size(SIDE) + vec2(0.0, 14.0),
                    Layout::top_down(egui::Align::Center),
                    |ui| {
                        ui.spacing_mut().item_spacing.y = 0.0;
                        piece::piece(ui, coming, SIDE, &what, &cx.look, Tone::Live);
                        ui.weak(RichText::new(number.to_string()).small());
                    },
                );
            }
        });
    });
}

/// The probability of each next piece.
fn chances(ui: &mut Ui, cx: &UiContext<'_>, narrowing: &Narrowing) {
    let (Some(chances), Some(counts)) = (narrowing.next_chances(), narrowing.next_counts()) else { return };
    card(ui, cx.look.tokens, |ui| {
        heading(ui, "Next piece: probabilities");
        let what = |piece: Piece, percent: &str| format!("{percent}, {}", states(counts[piece.index()]));
        piece::chances(ui, chances, SIDE, what, &cx.look, Tone::Live);
    });
}

/// A state of the list with its next pieces.
fn result_row(ui: &mut Ui, cx: &UiContext<'_>, listed: &ListedState) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(&listed.state).monospace());
        ui.weak(RichText::new(format!("now {}", listed.state_after)).monospace());
        for coming in listed.next.chars().filter_map(Piece::from_letter).take(24) {
            if ui.available_width() < CHIP {
                break;
            }
            piece::chip(ui, coming, CHIP, &format!("then {coming}"), &cx.look, Tone::Live);
        }
    })
    .response
    .widget_info(|| {
        WidgetInfo::labeled(Role::Label, true, format!("State {}, next {}", listed.state, listed.next))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Task;

    #[test]
    fn a_search_that_crashes_is_reported_and_not_begun_again() {
        let game = PieceGame::from_id("tgm1").unwrap();
        let mut single = PieceSearch {
            pieces: vec![Some(Piece::I); 3],
            variant: game.variant("").unwrap(),
            ..PieceSearch::default()
        };
        let query = single.query(game).unwrap();
        single.running = Some(Running { query, task: Task::start("test", || (), |_| panic!("a fault")) });
        while single.running.is_some() {
            single.update_search(&egui::Context::default(), game, &mut History::default());
        }
        single.update_search(&egui::Context::default(), game, &mut History::default());
        assert!(single.running.is_none());
        assert_eq!(single.trouble.as_deref(), Some("The search crashed: a fault. Edit the input to retry"));
    }
}
