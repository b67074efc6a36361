//! The form of the goals and of the limits of the planner.

use super::goals::{GoalKind, GoalNumbers};
use super::limits::{MAX_CHAIN, MAX_PAIRS, MAX_POINTS, MAX_ROUTES, MAX_SECONDS};
use super::request::RouteSettings;
use crate::gui::theme::Tokens;
use crate::gui::widgets::number;
use eframe::egui::{ComboBox, DragValue, Ui};

/// Draws the inputs. `wrong` is why the goals cannot be planned.
pub fn show(ui: &mut Ui, tokens: &Tokens, settings: &mut RouteSettings, wrong: Option<&str>) {
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
    goal_number(ui, settings.goal_kind, &mut settings.numbers, ["At least", "Steps"]);
    if settings.goal_kind.can_be_followed() {
        next_goal(ui, settings);
    }
    if let Some(why) = wrong {
        ui.colored_label(tokens.bad, why);
        ui.end_row();
    }
    if settings.uses_target_points() {
        let meaning = "Points per garbage; 70 by default";
        number(ui, "Points per garbage", &mut settings.target_points, 1..=9999, meaning);
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

fn next_goal(ui: &mut Ui, settings: &mut RouteSettings) {
    let label = ui.label("Then");
    let name = |goal: Option<GoalKind>| goal.map_or("Nothing", GoalKind::name);
    let chosen = ComboBox::from_id_salt("next goal").selected_text(name(settings.next_goal));
    let chosen = chosen.show_ui(ui, |ui| {
        for goal in [None].into_iter().chain(GoalKind::ALL.map(Some)) {
            let value = ui.selectable_value(&mut settings.next_goal, goal, name(goal));
            if let Some(goal) = goal {
                value.on_hover_text(goal.meaning());
            }
        }
    });
    chosen.response.labelled_by(label.id).on_hover_text("Another goal, from where the first one is reached");
    if let Some(kind) = settings.next_goal {
        goal_number(ui, kind, &mut settings.next_numbers, ["Then at least", "Then steps"]);
    }
}

/// The number of a goal that has one. `labels` name an amount and a length.
fn goal_number(ui: &mut Ui, kind: GoalKind, numbers: &mut GoalNumbers, labels: [&str; 2]) {
    let [amount, length] = labels;
    match kind {
        GoalKind::Points => number(ui, amount, &mut numbers.points, 1..=MAX_POINTS, "Total points"),
        GoalKind::Garbage => number(ui, amount, &mut numbers.garbage, 1..=MAX_POINTS, "Total garbage"),
        GoalKind::ExactChain => {
            number(ui, length, &mut numbers.chain, 1..=MAX_CHAIN, "Exact length of the chain");
        }
        GoalKind::Chain
        | GoalKind::Score
        | GoalKind::PointsPerFrame
        | GoalKind::AllClear
        | GoalKind::Survive => {}
    }
}
