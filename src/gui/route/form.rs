//! The planner form: pairs, board, goal and limits.

use super::live::LiveStart;
use super::preview;
use super::request::{
    GoalKind, MAX_CHAIN, MAX_PAIRS, MAX_POINTS, MAX_ROUTES, MAX_SECONDS, PairSource, RouteSettings,
    StartBoard,
};
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::controls;
use crate::pairs::PairGame;
use crate::text::capitalized;
use eframe::egui::{ComboBox, DragValue, FontId, TextEdit, Ui};
use std::ops::RangeInclusive;

pub fn show(ui: &mut Ui, cx: &UiContext<'_>, settings: &mut RouteSettings, live: Option<&LiveStart>) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Pairs");
        for source in PairSource::all() {
            ui.selectable_value(&mut settings.source, source, source.name());
        }
    });
    ui.horizontal_wrapped(|ui| pairs(ui, cx, settings, live));
    ui.horizontal_wrapped(|ui| start_board(ui, settings, live));
    if settings.start_board == StartBoard::Typed {
        board(ui, cx, settings, live);
    }
}

fn number(ui: &mut Ui, name: &str, value: &mut u32, range: RangeInclusive<u32>, meaning: &str) {
    let label = ui.label(name);
    ui.add(DragValue::new(value).range(range).speed(0.2)).labelled_by(label.id).on_hover_text(meaning);
}

/// The inputs of the pair source, and what is wrong with them.
fn pairs(ui: &mut Ui, cx: &UiContext<'_>, settings: &mut RouteSettings, live: Option<&LiveStart>) {
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
        }
        Err(why) => drop(ui.colored_label(cx.look.tokens.bad, why)),
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

fn next_goal(ui: &mut Ui, settings: &mut RouteSettings) {
    let label = ui.label("Then");
    let name = |goal: Option<GoalKind>| goal.map_or("Nothing", GoalKind::name);
    let chosen = ComboBox::from_id_salt("next goal").selected_text(name(settings.next_goal));
    let chosen = chosen.show_ui(ui, |ui| {
        for goal in [None].into_iter().chain(GoalKind::NEXT.map(Some)) {
            ui.selectable_value(&mut settings.next_goal, goal, name(goal));
        }
    });
    chosen.response.labelled_by(label.id).on_hover_text("Another goal, from where the first one is reached");
}

pub fn goal(ui: &mut Ui, settings: &mut RouteSettings) {
    let meaning =
        "The route places at most this many pairs. More pairs allow longer chains and take longer to plan";
    number(ui, "Pairs to use", &mut settings.pairs, 1..=MAX_PAIRS, meaning);
    let label = ui.label("Goal");
    let chosen = ComboBox::from_id_salt("goal").selected_text(settings.goal_kind.name());
    let chosen = chosen.show_ui(ui, |ui| {
        for goal_kind in GoalKind::ALL {
            ui.selectable_value(&mut settings.goal_kind, goal_kind, goal_kind.name())
                .on_hover_text(goal_kind.meaning());
        }
    });
    chosen.response.labelled_by(label.id);
    match settings.goal_kind {
        GoalKind::Points => number(ui, "At least", &mut settings.points, 1..=MAX_POINTS, "Total points"),
        GoalKind::Garbage => {
            number(ui, "At least", &mut settings.garbage, 1..=MAX_POINTS, "Total garbage");
            let meaning = "Points per garbage; 70 by default";
            number(ui, "Points per garbage", &mut settings.target_points, 1..=9999, meaning);
        }
        GoalKind::ExactChain => {
            number(ui, "Steps", &mut settings.chain, 1..=MAX_CHAIN, "Exact length of the chain");
        }
        GoalKind::Chain | GoalKind::Score | GoalKind::AllClear => {}
    }
    if settings.goal_kind.can_be_followed() {
        next_goal(ui, settings);
    }
    let meaning = "The best routes, to choose one that is easy to play or short";
    number(ui, "Routes", &mut settings.routes, 1..=MAX_ROUTES, meaning);
    let meaning = "Planning ends after this time, or earlier when all placements were tried. The best route so far is shown meanwhile";
    number(ui, "Seconds", &mut settings.seconds, 1..=MAX_SECONDS, meaning);
    let label = ui.label("Threads");
    let threads = DragValue::new(&mut settings.threads).range(0..=1024).speed(0.2);
    let threads = threads
        .custom_formatter(|threads, _| if threads < 1.0 { "all".into() } else { format!("{threads:.0}") })
        .custom_parser(|text| if text.trim() == "all" { Some(0.0) } else { text.trim().parse().ok() });
    let meaning = "How many processor threads plan at the same time; 0 uses all of the machine";
    ui.add(threads).labelled_by(label.id).on_hover_text(meaning);
}
