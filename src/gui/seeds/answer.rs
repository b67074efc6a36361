//! What the searchers said: how many remain, what is certain, what is likely, which games they are.

use super::SeedsPanel;
use super::engine::{Anniversary, Ready, Tsu};
use super::entry::{pair, title};
use crate::game::puyo_20th::Seed;
use crate::game::puyo_tsu::State;
use crate::gui::marks::{Mark, mark};
use crate::gui::puyo;
use crate::gui::scene::{Ask, Scene, span};
use crate::gui::widgets::{banner, card};
use crate::seeds::puyo_20th::{GAMES, Seen, upcoming, your_names};
use crate::seeds::puyo_tsu::{MOST_STATES, Parting, parting_in_words};
use crate::seeds::text::grouped;
use eframe::egui::{
    self, Align, Align2, FontId, Layout, ProgressBar, Rect, RichText, Role, ScrollArea, Sense, Ui,
    WidgetInfo, pos2, vec2,
};
use std::time::Duration;

/// The height of a game in the list, and of its puyos, in points.
const ROW: f32 = 30.0;
const SMALL: f32 = 13.0;
/// Coming pairs of a game in the list at most.
const LISTED_PAIRS: u32 = 24;
/// Next pairs whose chances are drawn.
const LIKELY: usize = 12;
/// From this many states on a search is not yet worth its while.
const MANY: f64 = 1000.0;

/// The same for the history.
pub fn in_few_words(answer: &Anniversary) -> String {
    match &answer.result {
        Err(_) => "no game".into(),
        Ok(found) => match found.seeds.as_slice() {
            [] => "no game".into(),
            [seed] => format!("seed 0x{seed:04X}"),
            seeds => format!("{} games", grouped(seeds.len() as u64)),
        },
    }
}

fn trouble(ui: &mut Ui, panel: &SeedsPanel, scene: &Scene<'_>) {
    if let Some(text) = &panel.trouble {
        let tokens = scene.look.tokens;
        banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, text);
    }
}

/// The large number, what it counts, and the buttons that copy the answer.
pub fn headline(ui: &mut Ui, scene: &mut Scene<'_>, count: u64, of_what: &str, texts: Option<[Text<'_>; 3]>) {
    large(ui, scene, &grouped(count), of_what, texts);
}

/// A number in large letters, and of what it is.
fn large(ui: &mut Ui, scene: &mut Scene<'_>, count: &str, of_what: &str, texts: Option<[Text<'_>; 3]>) {
    let response = ui.horizontal(|ui| {
        ui.label(RichText::new(count).size(30.0).strong().color(scene.look.tokens.text));
        ui.label(RichText::new(of_what).size(15.0));
        let Some(texts) = texts else { return };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for ((name, what), text) in COPIES.into_iter().zip(texts).rev() {
                if ui.button(name).on_hover_text("The same text as `nextscope find` prints").clicked() {
                    scene.copy(text(), what);
                }
            }
        });
    });
    let label = format!("{count} {of_what}");
    response.response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &label));
}

type Text<'a> = &'a dyn Fn() -> String;

const COPIES: [(&str, &str); 3] = [
    ("Copy table", "the answer as a table"),
    ("Copy JSON", "the answer as JSON"),
    ("Copy CSV", "the answer as CSV"),
];

pub fn nobody(ui: &mut Ui, scene: &Scene<'_>, why: &str) {
    let tokens = scene.look.tokens;
    banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, &format!("No game does this: {why}"));
}

/// That what follows is certain, and why.
pub fn certain_heading(ui: &mut Ui, scene: &Scene<'_>, why: &str) {
    let good = scene.look.tokens.good;
    ui.horizontal_wrapped(|ui| {
        mark(ui, Mark::Tick, good);
        ui.label(RichText::new("Certain").strong().color(good));
        ui.label(why);
    });
}

/// The coming pairs that are certain, each with its number, and how far that goes.
fn forecast(ui: &mut Ui, scene: &Scene<'_>, why: &str, first: u32, pairs: &[Seen], until: &str) {
    let tokens = scene.look.tokens;
    card(ui, tokens, |ui| {
        certain_heading(ui, scene, why);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            for (number, seen) in (u64::from(first) + 1..).zip(pairs) {
                numbered(ui, scene, number, *seen, &format!("certain, pair {number}"));
            }
        });
        if !until.is_empty() {
            ui.weak(until);
        }
    });
}

fn numbered(ui: &mut Ui, scene: &Scene<'_>, number: u64, seen: Seen, what: &str) {
    ui.allocate_ui_with_layout(vec2(26.0, 66.0), Layout::top_down(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        pair(ui, scene, seen, 24.0, what);
        ui.weak(RichText::new(number.to_string()).small());
    });
}

/// The answer of the 65,536 games.
pub fn anniversary(ui: &mut Ui, panel: &SeedsPanel, scene: &mut Scene<'_>) {
    trouble(ui, panel, scene);
    let Some(answer) = panel.current() else {
        ui.label("Asking the games…"); // the thread asks for a frame when it has the answer
        return;
    };
    let none = Vec::new();
    let found = answer.result.as_ref().ok();
    let seeds = found.map_or(&none, |found| &found.seeds);
    let (table, json, csv) =
        (|| answer.report().table(), || answer.report().json(), || answer.report().csv());
    let games = if seeds.len() == 1 { "game is left" } else { "games are left" };
    let of = format!("{games} of {}", grouped(GAMES as u64));
    headline(ui, scene, seeds.len() as u64, &of, Some([&table, &json, &csv]));
    if let Some(why) = answer.nobody() {
        nobody(ui, scene, &why);
        return;
    }
    let Some(found) = found else { return };
    if !answer.certain.is_empty() {
        let count = seeds.len();
        let why = if let [seed] = seeds.as_slice() {
            format!("it is seed 0x{seed:04X}")
        } else {
            format!("all {count} games agree")
        };
        let until = answer.parts_at.map_or_else(
            || {
                if answer.query.relabel {
                    "In your names of the colours; ? is a colour that you have not named yet".into()
                } else {
                    String::new()
                }
            },
            |pair| format!("They part at pair {}", u64::from(pair) + 1),
        );
        forecast(ui, scene, &why, found.next_pair, &answer.certain, &until);
    } else if found.seeds.len() > 1 {
        chances(ui, scene, answer, found);
    }
    ui.add_space(2.0);
    title(ui, "Games that are left");
    list(ui, seeds.len(), |ui, number| {
        if let Some(&seed) = seeds.get(number) {
            game(ui, scene, answer, seed);
        }
    });
}

/// How likely each next pair is.
fn chances(ui: &mut Ui, scene: &Scene<'_>, answer: &Anniversary, found: &crate::seeds::puyo_20th::Answer) {
    let look = scene.look;
    let number = u64::from(found.next_pair) + 1;
    #[expect(clippy::cast_precision_loss, reason = "at most 65,536")]
    let all = found.seeds.len() as f32;
    let share = |count: u32| f64::from(count) / f64::from(all);
    card(ui, look.tokens, |ui| {
        let names = if answer.query.relabel { ", in your names of the colours" } else { "" };
        title(ui, &format!("Pair {number}: how likely each one is{names}"));
        let most = found.next.first().map_or(1, |chance| chance.count);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
            for chance in found.next.iter().take(LIKELY) {
                let percent = format!("{:.1} %", 100.0 * share(chance.count));
                ui.allocate_ui_with_layout(vec2(46.0, 62.0), Layout::top_down(Align::Center), |ui| {
                    ui.set_width(46.0);
                    ui.spacing_mut().item_spacing.y = 2.0;
                    pair(ui, scene, chance.pair, 18.0, &format!("{percent}, {} games", chance.count));
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
            ui.weak(format!("and {more} others, together {:.1} %", 100.0 * share(rest)));
        }
    });
}

/// Rows that are all alike, of which only those in sight are drawn.
pub fn list(ui: &mut Ui, count: usize, mut row: impl FnMut(&mut Ui, usize)) {
    let height = (ui.clip_rect().bottom() - ui.cursor().top() - 4.0).clamp(3.0 * ROW, 12.0 * ROW);
    ui.spacing_mut().item_spacing.y = 1.0;
    ScrollArea::vertical().id_salt("games").max_height(height).auto_shrink([false, true]).show_rows(
        ui,
        ROW,
        count,
        |ui, rows| rows.for_each(|number| row(ui, number)),
    );
}

/// A game of the 65,536 in the list.
fn game(ui: &mut Ui, scene: &mut Scene<'_>, answer: &Anniversary, seed: Seed) {
    let (query, next) = (&answer.query, answer.query.next_pair());
    let (map, pairs) = upcoming(seed, query.pool, next, LISTED_PAIRS);
    let mut words = vec![format!("0x{seed:04X}"), map.letters()];
    if query.relabel {
        words.push(your_names(query, seed));
    }
    let pairs: Vec<_> = pairs.into_iter().map(known).collect();
    if line(ui, scene, "seed", &words, &pairs) {
        scene.asked.push(Ask::ShowRound(Some(Box::new(answer.shown(seed)))));
    }
}

fn known(pair: crate::game::puyo::Pair) -> Seen {
    Seen { axis: Some(pair.axis), child: Some(pair.child) }
}

/// One line of a list: words, then pairs as far as there is room. Returns whether it was clicked.
fn line(ui: &mut Ui, scene: &Scene<'_>, kind: &str, words: &[String], pairs: &[Seen]) -> bool {
    let look = scene.look;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let letters: Vec<String> = pairs.iter().take(8).map(|pair| pair.letters()).collect();
    let label = format!("Open {kind} {}, next {}", words.join(", "), letters.join(" "));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    if ui.is_rect_visible(rect) {
        let visuals = ui.style().interact(&response);
        let painter = ui.painter();
        if response.hovered() || response.has_focus() {
            painter.rect(rect, 3.0, visuals.weak_bg_fill, visuals.bg_stroke, egui::StrokeKind::Inside);
        }
        let mut x = rect.left() + 6.0;
        for (column, word) in words.iter().enumerate() {
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
            puyo::paint_seen_pair(painter, cell, pair.axis, pair.child, &look);
            x += SMALL + 4.0;
        }
    }
    response.on_hover_text("Opens the whole round in the prediction view, without an emulator").clicked()
}

/// The answer of Puyo Puyo Tsu; `enter` says that a search was asked for by Enter.
pub fn tsu(ui: &mut Ui, panel: &mut SeedsPanel, scene: &mut Scene<'_>, enter: bool) {
    trouble(ui, panel, scene);
    let ready = match Ready::of(&panel.asked) {
        Ok(ready) => ready,
        Err(why) => {
            running(ui, panel);
            nobody(ui, scene, &why);
            return;
        }
    };
    if let Some(found) = panel.current_tsu() {
        tsu_found(ui, scene, found);
        return;
    }
    if running(ui, panel) {
        return;
    }
    let Some(ready) = ready else {
        ui.label("Enter pairs as they were dealt: six or more are enough to search the 4,294,967,296 states");
        return;
    };
    estimate(ui, scene, &ready);
    ui.add_space(4.0);
    let button = egui::Button::new(RichText::new("Search all states").strong());
    let clicked = ui.add(button).on_hover_text("Tries all states on all cores (Enter)").clicked();
    if clicked || enter {
        panel.search_tsu(ui.ctx(), ready);
    }
}

/// Below so many, the states that give the same round decide how many are found: a round comes from five states on the mean.
const FEW: u64 = 20;

/// Roughly how many states would remain.
fn estimate(ui: &mut Ui, scene: &mut Scene<'_>, ready: &Ready) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^32, rounded")]
    let about = ready.expected.round() as u64;
    // By chance alone hardly any state is left; but each round comes from several states, and those of this one are.
    let (count, of_what) = if about < FEW {
        ("A few".to_owned(), "states expected of 4,294,967,296, most of them of one round (an estimate)")
    } else {
        (format!("About {}", grouped(about)), "states expected of 4,294,967,296 (an estimate)")
    };
    large(ui, scene, &count, of_what, None);
    #[expect(clippy::cast_precision_loss, reason = "2^24")]
    let most = MOST_STATES as f64;
    if ready.expected > most {
        ui.label(format!(
            "Too many to list: a search ends after {}. Enter more pairs first",
            grouped(MOST_STATES as u64)
        ));
    } else if ready.expected > MANY {
        ui.label("Each further pair leaves about a tenth of them: with a few more the game is certain");
    } else {
        ui.label("A search tells which; pairs entered afterwards narrow them down at once");
    }
}

/// The search that runs. Returns whether there is one.
fn running(ui: &mut Ui, panel: &mut SeedsPanel) -> bool {
    let Some(search) = &panel.search else { return false };
    if !search.whole {
        ui.label("Narrowing down what was found…");
        return true;
    }
    let (share, left) = search.progress();
    let left = left.map_or_else(String::new, |left| format!(", about {} left", span(left)));
    let text = format!("{:.0} %{left}", 100.0 * share);
    ui.label(format!("Searching all states for {}", search.asked.pieces()));
    let mut cancel = false;
    ui.horizontal(|ui| {
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let bar =
            ProgressBar::new(share as f32).text(text).desired_width((ui.available_width() - 90.0).max(80.0));
        ui.add(bar);
        cancel = ui.button("Cancel").clicked();
    });
    ui.weak(match search.found() {
        0 => "Nothing found so far".into(),
        found => format!("At least {} found so far", grouped(found)),
    });
    ui.ctx().request_repaint_after(Duration::from_millis(200));
    if cancel {
        panel.search = None;
    }
    true
}

fn tsu_found(ui: &mut Ui, scene: &mut Scene<'_>, found: &Tsu) {
    let (table, json, csv) = (|| found.report().table(), || found.report().json(), || found.report().csv());
    let states = &found.found.states;
    let what = if states.len() == 1 { "state gives this" } else { "states give this" };
    headline(ui, scene, states.len() as u64, what, Some([&table, &json, &csv]));
    if states.is_empty() {
        nobody(ui, scene, "all 4,294,967,296 states were tried");
        return;
    }
    let Some(answer) = &found.answer else {
        ui.label("Too many to compare their games: enter more pairs");
        tsu_list(ui, scene, found, &states.iter().map(|&state| (state, 1)).collect::<Vec<_>>());
        return;
    };
    let games = answer.classes.len();
    let parts = answer.parts_at.map(parting_in_words).unwrap_or_default();
    let certain: Vec<Seen> = found.certain.iter().copied().map(known).collect();
    let until = match answer.parts_at {
        Some(Parting::Pair { .. }) => format!("They part at {parts}"),
        Some(_) => format!("They differ only in {parts}"),
        None => String::new(),
    };
    let why = match games {
        1 if states.len() == 1 => "it is this state".to_owned(),
        1 => "all these states make the same game".to_owned(),
        _ => format!("all {} games agree", grouped(games as u64)),
    };
    if certain.is_empty() {
        ui.label(format!(
            "They make {} games, which part at {parts}: enter the next pair",
            grouped(games as u64)
        ));
    } else {
        forecast(ui, scene, &why, found.next(), &certain, &until);
    }
    ui.add_space(2.0);
    title(ui, if games == 1 { "Its states" } else { "Games that are left" });
    let classes: Vec<(State, usize)> = if games == 1 {
        states.iter().map(|&state| (state, 1)).collect()
    } else {
        let first =
            |class: &crate::seeds::puyo_tsu::Class| Some((*class.states.first()?, class.states.len()));
        answer.classes.iter().filter_map(first).collect()
    };
    tsu_list(ui, scene, found, &classes);
}

/// States, each with the number of those that make the same game.
fn tsu_list(ui: &mut Ui, scene: &mut Scene<'_>, found: &Tsu, rows: &[(State, usize)]) {
    list(ui, rows.len(), |ui, number| {
        let Some(&(state, same)) = rows.get(number) else { return };
        let mut words = vec![state.to_string()];
        if same > 1 {
            words.push(format!("and {} more", same - 1));
        }
        let pairs: Vec<Seen> = found.coming(state, LISTED_PAIRS).into_iter().map(known).collect();
        if line(ui, scene, "state", &words, &pairs) {
            scene.asked.push(Ask::ShowRound(Some(Box::new(found.shown(state)))));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_told_apart() {
        let words = [0, 7, 999, 1000, 65_536, 4_294_967_296].map(grouped);
        assert_eq!(words, ["0", "7", "999", "1,000", "65,536", "4,294,967,296"]);
    }
}
