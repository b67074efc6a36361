//! The results: how many seeds remain, certain pairs, probabilities, and the list of games.

use super::engine::Session;
use super::pair_request::PairRequest;
use super::widgets::{ROW, certain_heading, heading, headline, large, list, no_match, pair};
use crate::gui::marks::Mark;
use crate::gui::puyo;
use crate::gui::ui_context::{UiAction, UiContext, duration_text};
use crate::gui::widgets::{banner, card, progress_row};
use crate::pairs::interactive::{AnswerRow, AnswerView, Preparation, SearchAnswer};
use crate::pairs::{Format, PartialPair};
use crate::seeds::text::grouped;
use crate::text::counted;
use eframe::egui::{
    self, Align, Align2, FontId, Layout, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};
use std::time::Duration;

/// Diameter of a puyo in the list, in points.
const SMALL: f32 = 13.0;
/// Maximum number of probabilities.
const LIKELY: usize = 12;

/// The result of the request, or the way to it; `enter` requests a search.
pub fn show(ui: &mut Ui, cx: &mut UiContext<'_>, request: &PairRequest, session: &mut Session, enter: bool) {
    if let Some(text) = &session.trouble {
        let tokens = cx.look.tokens;
        banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, text);
    }
    if let Some(found) = session.current(request) {
        result(ui, cx, found.answer.as_ref());
        return;
    }
    match request.prepare() {
        Err(why) => {
            running(ui, session);
            no_match(ui, cx, &why);
        }
        Ok(Preparation::Quick(_)) => {
            ui.label("Searching…"); // the task requests a repaint when it is done
        }
        _ if running(ui, session) => {}
        Ok(Preparation::Incomplete(what_to_enter)) => {
            ui.label(what_to_enter);
        }
        Ok(Preparation::Long(run, estimate)) => {
            large(ui, cx, &estimate.count, &estimate.of_what, None);
            ui.label(&estimate.advice);
            ui.add_space(4.0);
            let button = egui::Button::new(RichText::new("Search all states").strong());
            let clicked = ui.add(button).on_hover_text("Search on all cores (Enter)").clicked();
            if clicked || enter {
                session.start(request, run, ui.ctx());
            }
        }
    }
}

fn result(ui: &mut Ui, cx: &mut UiContext<'_>, answer: &dyn SearchAnswer) {
    let view = answer.view();
    let report = [Format::Text, Format::Json, Format::Csv].map(|format| move || answer.report(format));
    let [table, json, csv] = &report;
    headline(ui, cx, view.count as u64, &view.of_what, Some([table, json, csv]));
    if let Some(why) = &view.no_match {
        no_match(ui, cx, why);
        return;
    }
    if !view.remark.is_empty() {
        ui.label(&view.remark);
    }
    if !view.certain.is_empty() {
        forecast(ui, cx, view);
    } else if !view.chances.is_empty() {
        chances(ui, cx, view);
    }
    if !view.heading.is_empty() {
        ui.add_space(2.0);
        heading(ui, view.heading);
    }
    list(ui, view.rows, |ui, number| {
        let Some(row) = answer.row(number) else { return };
        if result_row(ui, cx, view.row_name, &row) {
            cx.actions.push(UiAction::ShowRound(answer.round(number).map(Box::new)));
        }
    });
}

/// The certain pairs with their numbers, and the end of certainty.
fn forecast(ui: &mut Ui, cx: &UiContext<'_>, view: &AnswerView) {
    let tokens = cx.look.tokens;
    card(ui, tokens, |ui| {
        certain_heading(ui, cx, &view.certain_why);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            for (number, seen) in (u64::from(view.next) + 1..).zip(&view.certain) {
                numbered(ui, cx, number, *seen, &format!("certain, pair {number}"));
            }
        });
        if !view.certain_until.is_empty() {
            ui.weak(&view.certain_until);
        }
    });
}

fn numbered(ui: &mut Ui, cx: &UiContext<'_>, number: u64, seen: PartialPair, what: &str) {
    ui.allocate_ui_with_layout(vec2(26.0, 66.0), Layout::top_down(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        pair(ui, cx, seen, 24.0, what);
        ui.weak(RichText::new(number.to_string()).small());
    });
}

/// The probability of each next pair.
fn chances(ui: &mut Ui, cx: &UiContext<'_>, view: &AnswerView) {
    let look = cx.look;
    let number = u64::from(view.next) + 1;
    #[expect(clippy::cast_precision_loss, reason = "at most 2^32")]
    let all = view.count as f64;
    let share = |count: u32| f64::from(count) / all;
    card(ui, look.tokens, |ui| {
        heading(ui, &format!("Pair {number}: probabilities{}", view.chances_note));
        let most = view.chances.first().map_or(1, |(_, count)| *count);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
            for &(likely, count) in view.chances.iter().take(LIKELY) {
                let percent = format!("{:.1} %", 100.0 * share(count));
                ui.allocate_ui_with_layout(vec2(46.0, 62.0), Layout::top_down(Align::Center), |ui| {
                    ui.set_width(46.0);
                    ui.spacing_mut().item_spacing.y = 2.0;
                    let what = format!("{percent}, {}", counted(u64::from(count), "game"));
                    pair(ui, cx, likely, 18.0, &what);
                    let (bar, _) = ui.allocate_exact_size(vec2(42.0, 5.0), Sense::hover());
                    ui.painter().rect_filled(bar, 2.0, look.tokens.line);
                    #[expect(clippy::cast_possible_truncation, reason = "a share")]
                    let part = (f64::from(count) / f64::from(most)) as f32;
                    let filled = Rect::from_min_size(bar.min, vec2(bar.width() * part, bar.height()));
                    ui.painter().rect_filled(filled, 2.0, look.tokens.accent);
                    ui.label(RichText::new(percent).small());
                });
            }
        });
        let rest: u32 = view.chances.iter().skip(LIKELY).map(|(_, count)| count).sum();
        if rest > 0 {
            let more = view.chances.len() - LIKELY;
            ui.weak(format!("{}, {:.1} % in total", counted(more as u64, "other"), 100.0 * share(rest)));
        }
    });
}

/// A line of the list: text, then as many pairs as fit. Returns whether it was clicked.
fn result_row(ui: &mut Ui, cx: &mut UiContext<'_>, kind: &str, row: &AnswerRow) -> bool {
    let AnswerRow { text, pairs } = row;
    let look = cx.look;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let letters: Vec<String> = pairs.iter().take(8).map(|pair| pair.letters()).collect();
    let label = format!("Open {kind} {}, next {}", text.join(", "), letters.join(" "));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    if ui.is_rect_visible(rect) {
        let visuals = ui.style().interact(&response);
        let painter = ui.painter();
        if response.hovered() || response.has_focus() {
            painter.rect(rect, 3.0, visuals.weak_bg_fill, visuals.bg_stroke, egui::StrokeKind::Inside);
        }
        let mut x = rect.left() + 6.0;
        for (column, word) in text.iter().enumerate() {
            let font = FontId::monospace(13.0);
            let color = if column == 0 { look.tokens.text } else { look.tokens.muted };
            let drawn = painter.text(pos2(x, rect.center().y), Align2::LEFT_CENTER, word, font, color);
            x = drawn.right() + 14.0;
        }
        for pair in pairs {
            if x + SMALL > rect.right() - 4.0 {
                break;
            }
            let cell = Rect::from_center_size(pos2(x + SMALL / 2.0, rect.center().y), puyo::pair_size(SMALL));
            puyo::paint_pattern_pair(painter, cell, pair.axis, pair.child, &look);
            x += SMALL + 4.0;
        }
    }
    let mut opened = response.clicked();
    response.context_menu(|ui| {
        if ui.button("Open in Predict").clicked() {
            opened = true;
            ui.close();
        }
        if ui.button(format!("Copy {kind}")).clicked() {
            cx.copy(text.join("\t"), "search result");
            ui.close();
        }
        if ui.button("Copy pairs").clicked() {
            let letters: Vec<String> = pairs.iter().map(|pair| pair.letters()).collect();
            cx.copy(letters.join(" "), "pairs");
            ui.close();
        }
    });
    response.on_hover_text("Open the full round in the Predict panel, without an emulator");
    opened
}

/// The running search. Returns whether there is one.
fn running(ui: &mut Ui, session: &mut Session) -> bool {
    let Some(search) = &session.search else { return false };
    if !search.full {
        ui.label("Narrowing the result…");
        return true;
    }
    let progress = search.task.progress();
    let share = progress.share();
    let left = search
        .task
        .time_left()
        .map_or_else(String::new, |left| format!(", about {} left", duration_text(left)));
    let text = format!("{:.0} %{left}", 100.0 * share);
    // A whole round would fill the panel.
    let pieces = search.request.pieces();
    let heading = format!("Searching all states for {pieces}");
    ui.add(egui::Label::new(heading).truncate()).on_hover_text(pieces);
    let cancel = progress_row(ui, share, text, "Cancel").clicked();
    ui.weak(match progress.found() {
        0 => "None found so far".into(),
        found => format!("At least {} found so far", grouped(found)),
    });
    ui.ctx().request_repaint_after(Duration::from_millis(200));
    if cancel {
        session.search = None;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let text = [0, 7, 999, 1000, 65_536, 4_294_967_296].map(grouped);
        assert_eq!(text, ["0", "7", "999", "1,000", "65,536", "4,294,967,296"]);
    }
}
