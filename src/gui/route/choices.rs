//! The routes to choose from, as a table.

use crate::profile::Profile;
use crate::route::{Choice, ChoiceOrder, FrameTable, Route, ranked};
use crate::seeds::text::grouped;
use eframe::egui::{Button, CollapsingHeader, ComboBox, Grid, Role, Ui, WidgetInfo};

/// The orders with their labels and meanings.
const ORDERS: [(ChoiceOrder, &str, &str); 5] = [
    (ChoiceOrder::Goal, "Best for the goal", "As the planner ranks them"),
    (ChoiceOrder::Frames, "Fewest frames", "By the [frames] of the profile"),
    (ChoiceOrder::Points, "Most points", "Of all chains"),
    (ChoiceOrder::PointsPerFrame, "Most points per frame", "By the [frames] of the profile"),
    (ChoiceOrder::Taps, "Easiest to play", "The fewest taps per pair"),
];

/// The routes of a plan.
#[derive(Debug, Default)]
pub struct Choices {
    /// The best for the goal first.
    routes: Vec<Route>,
    /// The table that is shown, for this order and frame table.
    ranked: Option<(ChoiceOrder, Option<FrameTable>, Vec<Choice>)>,
}

impl Choices {
    pub fn new(routes: Vec<Route>) -> Self {
        Self { routes, ranked: None }
    }

    /// Draws the table, with frames by the profile; the route that is clicked. `current` is the route that is shown.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        profile: Option<&Profile>,
        order: &mut ChoiceOrder,
        current: Option<&Route>,
    ) -> Option<Route> {
        if self.routes.len() < 2 {
            return None;
        }
        let title = format!("{} routes to choose from", self.routes.len());
        let body = CollapsingHeader::new(title).id_salt("routes").show(ui, |ui| {
            let table = profile.and_then(FrameTable::of);
            orders(ui, order, table.is_some());
            self.table(ui, *order, table, current)
        });
        body.body_returned.flatten()
    }

    fn table(
        &mut self,
        ui: &mut Ui,
        order: ChoiceOrder,
        table: Option<FrameTable>,
        current: Option<&Route>,
    ) -> Option<Route> {
        if !matches!(&self.ranked, Some((known, with, _)) if *known == order && *with == table) {
            // Routes of the planner can be played, so that none is left out.
            let choices = ranked(&self.routes, order, table.as_ref(), usize::MAX).unwrap_or_default();
            self.ranked = Some((order, table, choices));
        }
        let (_, _, choices) = self.ranked.as_ref()?;
        let mut clicked = None;
        Grid::new("routes").num_columns(7).striped(true).spacing([12.0, 3.0]).show(ui, |ui| {
            for title in ["#", "Pairs", "Chain", "Points", "Frames", "Taps per pair", "Most taps"] {
                ui.weak(title);
            }
            ui.end_row();
            for (choice, rank) in choices.iter().zip(1..) {
                if row(ui, choice, rank, current == Some(&choice.route)) {
                    clicked = Some(choice.route.clone());
                }
                ui.end_row();
            }
        });
        clicked
    }
}

fn orders(ui: &mut Ui, order: &mut ChoiceOrder, has_frames: bool) {
    ui.horizontal(|ui| {
        let label = ui.label("Order");
        let name = ORDERS.iter().find(|(known, ..)| known == order).map_or("", |(_, name, _)| name);
        let chosen = ComboBox::from_id_salt("order of the routes").selected_text(name).show_ui(ui, |ui| {
            for (choice, name, meaning) in ORDERS {
                ui.add_enabled_ui(has_frames || !choice.needs_frames(), |ui| {
                    let value = ui.selectable_value(order, choice, name);
                    value.on_hover_text(meaning).on_disabled_hover_text("The profile has no [frames]");
                });
            }
        });
        chosen.response.labelled_by(label.id);
    });
}

/// Whether its number was clicked.
fn row(ui: &mut Ui, choice: &Choice, rank: usize, is_current: bool) -> bool {
    let pairs = choice.route.steps.len().to_string();
    let points = grouped(choice.route.score.into());
    let frames = choice.frames.map_or("-".into(), |frames| grouped(frames.into()));
    let taps = choice.taps_per_pair();
    let button = ui.add(Button::selectable(is_current, rank.to_string()));
    let label = format!(
        "Route {rank}: chain {}, {points} points, {pairs} pairs, {taps} taps per pair",
        choice.route.chain
    );
    button.widget_info(|| WidgetInfo::selected(Role::Button, true, is_current, &label));
    for text in [pairs, choice.route.chain.to_string(), points, frames, taps, choice.most_taps.to_string()] {
        ui.label(text);
    }
    button.on_hover_text("Show this route, and follow and export it").clicked()
}
