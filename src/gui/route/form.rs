//! The planner form: pairs, board and attacks.

use super::attack_form;
use super::live::LiveStart;
use super::preview;
use super::request::RouteSettings;
use super::source::{PairSource, StartBoard};
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::{controls, number};
use crate::pairs::PairGame;
use crate::text::capitalized;
use eframe::egui::{FontId, TextEdit, Ui};

pub fn show(ui: &mut Ui, cx: &UiContext<'_>, settings: &mut RouteSettings, live: Option<&LiveStart>) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Pairs");
        for source in PairSource::all() {
            ui.selectable_value(&mut settings.source, source, source.name());
        }
    });
    let pairs = ui.horizontal_wrapped(|ui| pairs(ui, cx, settings, live)).inner;
    // Without attacks their button needs no line of its own.
    let has_attacks = !settings.attacks.is_empty();
    ui.horizontal_wrapped(|ui| {
        start_board(ui, settings, live);
        if !has_attacks {
            attack_form::show(ui, cx.look.tokens, settings, pairs);
        }
    });
    if settings.start_board == StartBoard::Typed {
        board(ui, cx, settings, live);
    }
    if has_attacks {
        ui.horizontal_wrapped(|ui| attack_form::show(ui, cx.look.tokens, settings, pairs));
    }
}

/// Draws the inputs of the pair source, and the pairs or what is wrong; the number of known pairs.
fn pairs(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    settings: &mut RouteSettings,
    live: Option<&LiveStart>,
) -> Option<usize> {
    match settings.source {
        PairSource::Player1 | PairSource::Player2 => {
            if live.is_some_and(|live| !live.pairs.is_empty()) {
                ui.weak("The next pairs of the player in the running game");
            }
        }
        PairSource::Seed(game) => {
            let input = settings.seed_input(game);
            let mut seed = input.seed_of(game);
            let rules = game.rules();
            let hint = capitalized(rules.seed_help);
            text(ui, rules.seed_label, &mut seed, if rules.seed_bits > 16 { 100.0 } else { 70.0 }, &hint);
            if seed != input.seed_of(game) {
                input.seed = Some(seed);
            }
            controls(ui, rules, &mut input.choices);
            settings.forget_unchanged_seeds();
        }
        PairSource::Typed => {
            let width = (ui.available_width() - 180.0).clamp(120.0, 380.0);
            text(ui, "Letters", &mut settings.letters, width, "RR RG BY: axis first");
            for (game, rules) in PairGame::with_boards() {
                let name = format!("{} board", game.rules().short_name);
                let meaning = format!("{} rows, 12 of them visible", rules.rows);
                let chosen = settings.is_board_game(game);
                if ui.selectable_label(chosen, name).on_hover_text(meaning).clicked() {
                    game.rules().saved_name.clone_into(&mut settings.board_game);
                }
            }
        }
    }
    if matches!(settings.source, PairSource::Seed(_)) {
        number(
            ui,
            "First pair",
            &mut settings.first,
            1..=u32::from(u16::MAX),
            "Number of the first pair in the round",
        );
    }
    match settings.dealt(live) {
        Ok((first, dealt)) => {
            ui.end_row();
            preview::pairs(ui, cx, first, &dealt);
            Some(dealt.len())
        }
        Err(why) => {
            ui.colored_label(cx.look.tokens.bad, why);
            None
        }
    }
}

fn text(ui: &mut Ui, name: &str, value: &mut String, width: f32, hint: &str) {
    let label = ui.label(name);
    ui.add(TextEdit::singleline(value).hint_text(hint).desired_width(width))
        .labelled_by(label.id)
        .on_hover_text(hint);
}

/// The start board and its rules.
fn start_board(ui: &mut Ui, settings: &mut RouteSettings, live: Option<&LiveStart>) {
    let follows = settings.source.player().is_some();
    ui.label("Board");
    for start_board in
        StartBoard::ALL.into_iter().filter(|start_board| follows || *start_board != StartBoard::Current)
    {
        // Only a player has a current board.
        let chosen = settings.start_board == start_board
            || !follows && start_board == StartBoard::Empty && settings.start_board == StartBoard::Current;
        if ui.selectable_label(chosen, start_board.name()).clicked() && !chosen {
            settings.start_board = start_board;
        }
    }
    if follows {
        if settings.start_board == StartBoard::Current && live.is_some_and(|live| live.board.is_none()) {
            ui.weak("Board address unknown for this game: using an empty board");
        }
    } else {
        number(ui, "Group size", &mut settings.group, 2..=6, "Puyos that pop together; 4 by default");
    }
}

fn board(ui: &mut Ui, cx: &UiContext<'_>, settings: &mut RouteSettings, live: Option<&LiveStart>) {
    let wrong = settings.field(live).err();
    ui.horizontal_top(|ui| {
        let label = ui.label("Board rows or code");
        let field = TextEdit::multiline(&mut settings.board)
            .font(FontId::monospace(12.0))
            .hint_text(
                "rows of 6 letters from the top: R G B Y P, O garbage, . empty; or a puyop code or link",
            )
            .desired_width(300.0)
            .desired_rows(3);
        ui.add(field).labelled_by(label.id);
        if let Some(why) = wrong {
            ui.colored_label(cx.look.tokens.bad, why);
        }
    });
}
