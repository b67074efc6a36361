//! The results: how many seeds remain, certain pairs, probabilities, and the list of games.

use super::engine::{Anniversary, Ready, Tsu};
use super::state::SeedsPanel;
use super::widgets::{ROW, certain_heading, heading, headline, large, list, no_match, pair};
use crate::games::puyo_20th::Seed;
use crate::games::puyo_20th::seeds::{GAMES, PartialPair, color_names, upcoming};
use crate::games::puyo_tsu::State;
use crate::games::puyo_tsu::seeds::{MAX_STATES, RoundDifference, describe_difference};
use crate::gui::marks::Mark;
use crate::gui::puyo;
use crate::gui::ui_context::{UiAction, UiContext, duration_text};
use crate::gui::widgets::{banner, card};
use crate::seeds::text::grouped;
use crate::text::counted;
use eframe::egui::{
    self, Align, Align2, FontId, Layout, ProgressBar, Rect, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};
use std::time::Duration;

/// Diameter of a puyo in the list, in points.
const SMALL: f32 = 13.0;
/// Maximum number of next pairs per game in the list.
const LISTED_PAIRS: u32 = 24;
/// Maximum number of probabilities.
const LIKELY: usize = 12;
/// From this expected number of states a search is not worthwhile yet.
const SEARCH_LIMIT: f64 = 1000.0;

/// A summary for the history.
pub fn summary(answer: &Anniversary) -> String {
    match &answer.result {
        Err(_) => "no match".into(),
        Ok(found) => match found.seeds.as_slice() {
            [] => "no match".into(),
            [seed] => format!("seed 0x{seed:04X}"),
            seeds => format!("{} games", grouped(seeds.len() as u64)),
        },
    }
}

fn trouble(ui: &mut Ui, panel: &SeedsPanel, cx: &UiContext<'_>) {
    if let Some(text) = &panel.trouble {
        let tokens = cx.look.tokens;
        banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, text);
    }
}

/// The certain pairs with their numbers, and the end of certainty.
fn forecast(ui: &mut Ui, cx: &UiContext<'_>, why: &str, first: u32, pairs: &[PartialPair], until: &str) {
    let tokens = cx.look.tokens;
    card(ui, tokens, |ui| {
        certain_heading(ui, cx, why);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            for (number, seen) in (u64::from(first) + 1..).zip(pairs) {
                numbered(ui, cx, number, *seen, &format!("certain, pair {number}"));
            }
        });
        if !until.is_empty() {
            ui.weak(until);
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

/// The result among the 65,536 games.
pub fn anniversary(ui: &mut Ui, panel: &SeedsPanel, cx: &mut UiContext<'_>) {
    trouble(ui, panel, cx);
    let Some(answer) = panel.current() else {
        ui.label("Searching…"); // the task requests a repaint when it is done
        return;
    };
    let none = Vec::new();
    let found = answer.result.as_ref().ok();
    let seeds = found.map_or(&none, |found| &found.seeds);
    let (table, json, csv) =
        (|| answer.report().table(), || answer.report().json(), || answer.report().csv());
    let matching = if seeds.len() == 1 { "matches" } else { "match" };
    let of = format!("of {} games {matching}", grouped(GAMES as u64));
    headline(ui, cx, seeds.len() as u64, &of, Some([&table, &json, &csv]));
    if let Some(why) = answer.no_match_reason() {
        no_match(ui, cx, &why);
        return;
    }
    let Some(found) = found else { return };
    if !answer.certain.is_empty() {
        let count = seeds.len();
        let why = if let [seed] = seeds.as_slice() {
            format!("seed 0x{seed:04X}")
        } else {
            format!("all {count} games agree")
        };
        let until = answer.differs_at.map_or_else(
            || {
                if answer.query.relabel {
                    "With your colour names; ? is a colour that you have not entered yet".into()
                } else {
                    String::new()
                }
            },
            |pair| format!("They first differ at pair {}", u64::from(pair) + 1),
        );
        forecast(ui, cx, &why, found.next_pair, &answer.certain, &until);
    } else if found.seeds.len() > 1 {
        chances(ui, cx, answer, found);
    }
    ui.add_space(2.0);
    heading(ui, "Matching games");
    list(ui, seeds.len(), |ui, number| {
        if let Some(&seed) = seeds.get(number) {
            game(ui, cx, answer, seed);
        }
    });
}

/// The probability of each next pair.
fn chances(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    answer: &Anniversary,
    found: &crate::games::puyo_20th::seeds::Answer,
) {
    let look = cx.look;
    let number = u64::from(found.next_pair) + 1;
    #[expect(clippy::cast_precision_loss, reason = "at most 65,536")]
    let all = found.seeds.len() as f32;
    let share = |count: u32| f64::from(count) / f64::from(all);
    card(ui, look.tokens, |ui| {
        let names = if answer.query.relabel { ", with your colour names" } else { "" };
        heading(ui, &format!("Pair {number}: probabilities{names}"));
        let most = found.next.first().map_or(1, |chance| chance.count);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
            for chance in found.next.iter().take(LIKELY) {
                let percent = format!("{:.1} %", 100.0 * share(chance.count));
                ui.allocate_ui_with_layout(vec2(46.0, 62.0), Layout::top_down(Align::Center), |ui| {
                    ui.set_width(46.0);
                    ui.spacing_mut().item_spacing.y = 2.0;
                    pair(
                        ui,
                        cx,
                        chance.pair,
                        18.0,
                        &format!("{percent}, {}", counted(u64::from(chance.count), "game")),
                    );
                    let (bar, _) = ui.allocate_exact_size(vec2(42.0, 5.0), Sense::hover());
                    ui.painter().rect_filled(bar, 2.0, look.tokens.line);
                    #[expect(clippy::cast_possible_truncation, reason = "a share")]
                    let part = (f64::from(chance.count) / f64::from(most)) as f32;
                    let filled = Rect::from_min_size(bar.min, vec2(bar.width() * part, bar.height()));
                    ui.painter().rect_filled(filled, 2.0, look.tokens.accent);
                    ui.label(RichText::new(percent).small());
                });
            }
        });
        let rest: u32 = found.next.iter().skip(LIKELY).map(|chance| chance.count).sum();
        if rest > 0 {
            let more = found.next.len() - LIKELY;
            ui.weak(format!("{}, {:.1} % in total", counted(more as u64, "other"), 100.0 * share(rest)));
        }
    });
}

/// One of the 65,536 games in the list.
fn game(ui: &mut Ui, cx: &mut UiContext<'_>, answer: &Anniversary, seed: Seed) {
    let (query, next) = (&answer.query, answer.query.next_pair());
    let (map, pairs) = upcoming(seed, query.pool, next, LISTED_PAIRS);
    let mut text = vec![format!("0x{seed:04X}"), map.letters()];
    if query.relabel {
        text.push(color_names(query, seed));
    }
    let pairs: Vec<_> = pairs.into_iter().map(known).collect();
    if result_row(ui, cx, "seed", &text, &pairs) {
        cx.actions.push(UiAction::ShowRound(Some(Box::new(answer.shown(seed)))));
    }
}

fn known(pair: nextscope_boards::Pair) -> PartialPair {
    PartialPair { axis: Some(pair.axis), child: Some(pair.child) }
}

/// A line of the list: text, then as many pairs as fit. Returns whether it was clicked.
fn result_row(ui: &mut Ui, cx: &UiContext<'_>, kind: &str, text: &[String], pairs: &[PartialPair]) -> bool {
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
    response.on_hover_text("Open the full round in the Predict panel, without an emulator").clicked()
}

/// The result for Puyo Puyo Tsu; `enter` requests a search.
pub fn tsu(ui: &mut Ui, panel: &mut SeedsPanel, cx: &mut UiContext<'_>, enter: bool) {
    trouble(ui, panel, cx);
    let ready = match Ready::of(&panel.request) {
        Ok(ready) => ready,
        Err(why) => {
            running(ui, panel);
            no_match(ui, cx, &why);
            return;
        }
    };
    if let Some(found) = panel.current_tsu() {
        tsu_found(ui, cx, found);
        return;
    }
    if running(ui, panel) {
        return;
    }
    let Some(ready) = ready else {
        ui.label("Enter the dealt pairs. Six or more are enough to search all 4,294,967,296 states");
        return;
    };
    estimate(ui, cx, &ready);
    ui.add_space(4.0);
    let button = egui::Button::new(RichText::new("Search all states").strong());
    let clicked = ui.add(button).on_hover_text("Search on all cores (Enter)").clicked();
    if clicked || enter {
        panel.search_tsu(ui.ctx(), ready);
    }
}

/// Below this number the states that produce the same round dominate: five on average.
const FEW: u64 = 20;

/// An estimate of the number of matching states.
fn estimate(ui: &mut Ui, cx: &mut UiContext<'_>, ready: &Ready) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^32, rounded")]
    let about = ready.expected.round() as u64;
    // Hardly any other state matches by chance, but those of the actual round do.
    let (count, of_what) = if about < FEW {
        ("A few".to_owned(), "of 4,294,967,296 states expected, most of them of one round (estimate)")
    } else {
        (format!("About {}", grouped(about)), "of 4,294,967,296 states expected (estimate)")
    };
    large(ui, cx, &count, of_what, None);
    #[expect(clippy::cast_precision_loss, reason = "2^24")]
    let most = MAX_STATES as f64;
    if ready.expected > most {
        ui.label(format!(
            "Too many to list: a search stops at {}. Enter more pairs first",
            grouped(MAX_STATES as u64)
        ));
    } else if ready.expected > SEARCH_LIMIT {
        ui.label("Each pair leaves about a tenth of them. A few more pairs identify the game");
    } else {
        ui.label("Search to list them. More pairs narrow the result immediately");
    }
}

/// The running search. Returns whether there is one.
fn running(ui: &mut Ui, panel: &mut SeedsPanel) -> bool {
    let Some(search) = &panel.search else { return false };
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
    ui.label(format!("Searching all states for {}", search.request.pieces()));
    let mut cancel = false;
    ui.horizontal(|ui| {
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let bar =
            ProgressBar::new(share as f32).text(text).desired_width((ui.available_width() - 90.0).max(80.0));
        ui.add(bar);
        cancel = ui.button("Cancel").clicked();
    });
    ui.weak(match progress.found() {
        0 => "None found so far".into(),
        found => format!("At least {} found so far", grouped(found)),
    });
    ui.ctx().request_repaint_after(Duration::from_millis(200));
    if cancel {
        panel.search = None;
    }
    true
}

fn tsu_found(ui: &mut Ui, cx: &mut UiContext<'_>, found: &Tsu) {
    let (table, json, csv) = (|| found.report().table(), || found.report().json(), || found.report().csv());
    let states = &found.found.states;
    let what =
        if states.len() == 1 { "of 4,294,967,296 states matches" } else { "of 4,294,967,296 states match" };
    headline(ui, cx, states.len() as u64, what, Some([&table, &json, &csv]));
    if states.is_empty() {
        no_match(ui, cx, "all 4,294,967,296 states were searched");
        return;
    }
    let Some(answer) = &found.answer else {
        ui.label("Too many states to compare. Enter more pairs");
        tsu_list(ui, cx, found, &states.iter().map(|&state| (state, 1)).collect::<Vec<_>>());
        return;
    };
    let games = answer.classes.len();
    let difference = answer.differs_at.map(describe_difference).unwrap_or_default();
    let certain: Vec<PartialPair> = found.certain.iter().copied().map(known).collect();
    let until = match answer.differs_at {
        Some(RoundDifference::Pair { .. }) => format!("They first differ at {difference}"),
        Some(_) => format!("They differ only in {difference}"),
        None => String::new(),
    };
    let why = match games {
        1 if states.len() == 1 => "the only state".to_owned(),
        1 => "all these states produce the same game".to_owned(),
        _ => format!("all {} games agree", grouped(games as u64)),
    };
    if certain.is_empty() {
        ui.label(format!(
            "They produce {} games, which first differ at {difference}. Enter the next pair",
            grouped(games as u64)
        ));
    } else {
        forecast(ui, cx, &why, found.next(), &certain, &until);
    }
    ui.add_space(2.0);
    heading(ui, if games == 1 { "States of this game" } else { "Matching games" });
    let classes: Vec<(State, usize)> = if games == 1 {
        states.iter().map(|&state| (state, 1)).collect()
    } else {
        let first =
            |class: &crate::games::puyo_tsu::seeds::Class| Some((*class.states.first()?, class.states.len()));
        answer.classes.iter().filter_map(first).collect()
    };
    tsu_list(ui, cx, found, &classes);
}

/// States, each with the number of others that produce the same game.
fn tsu_list(ui: &mut Ui, cx: &mut UiContext<'_>, found: &Tsu, rows: &[(State, usize)]) {
    list(ui, rows.len(), |ui, number| {
        let Some(&(state, same)) = rows.get(number) else { return };
        let mut text = vec![state.to_string()];
        if same > 1 {
            text.push(format!("and {} more", same - 1));
        }
        let pairs: Vec<PartialPair> = found.coming(state, LISTED_PAIRS).into_iter().map(known).collect();
        if result_row(ui, cx, "state", &text, &pairs) {
            cx.actions.push(UiAction::ShowRound(Some(Box::new(found.shown(state)))));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_told_apart() {
        let text = [0, 7, 999, 1000, 65_536, 4_294_967_296].map(grouped);
        assert_eq!(text, ["0", "7", "999", "1,000", "65,536", "4,294,967,296"]);
    }
}
