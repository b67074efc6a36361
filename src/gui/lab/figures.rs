//! The plots, and beside them the table of all numbers.

use super::plots::{self, Series};
use super::settings::Plots;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::card;
use crate::stats::{Measured, csv, json, lines, table};
use eframe::egui::{Align, Grid, Label, Layout, RichText, ScrollArea, Sense, Ui, vec2};

/// From this width on the table is beside the plots, below it under them; in points.
const BESIDE_FROM: f32 = 560.0;
/// Minimum height of plots and table, in points.
const MIN_HEIGHT: f32 = 260.0;
/// Height of the title of a plot, in points.
const TITLE: f32 = 46.0;

/// From this width on the table has the errors of its numbers, below it narrow columns; in points.
const FULL_FROM: f32 = 700.0;
/// Widths of the column of names and of a narrow one, the space between narrow columns, and that around the table, in points.
const NAME: f32 = 124.0;
const NARROW: f32 = 62.0;
const GAP: f32 = 6.0;
const MARGINS: f32 = 48.0;

/// Draws both.
pub fn show(ui: &mut Ui, cx: &mut UiContext<'_>, measured: &[Measured], names: &[String], shown: Plots) {
    let tokens = cx.look.tokens;
    let series = Series { measured, names, tokens };
    legend(ui, &series);
    let width = ui.available_width();
    let height = (ui.available_height() - 30.0).max(MIN_HEIGHT);
    if width < BESIDE_FROM {
        plots(ui, &series, shown, MIN_HEIGHT);
        numbers(ui, cx, &series, f32::INFINITY);
        return;
    }
    // The table gets what its narrow columns need, and the rest is the plots' unless it is more than the full columns need.
    #[expect(clippy::cast_precision_loss, reason = "a few randomizers")]
    let columns = names.len() as f32;
    let table = NAME + columns * (NARROW + GAP) + MARGINS;
    let plot_width = (width * 0.4).min(width - table).max(width * 0.25).max(width - 760.0);
    ui.horizontal_top(|ui| {
        let column = Layout::top_down(Align::Min);
        ui.allocate_ui_with_layout(vec2(plot_width, height), column, |ui| {
            ui.set_width(plot_width);
            plots(ui, &series, shown, height);
        });
        ui.allocate_ui_with_layout(vec2(ui.available_width(), height), column, |ui| {
            numbers(ui, cx, &series, height);
        });
    });
}

/// The colours of the randomizers.
fn legend(ui: &mut Ui, series: &Series<'_>) {
    ui.horizontal_wrapped(|ui| {
        for (number, name) in series.names.iter().enumerate() {
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
            ui.painter().rect_filled(rect, 2.0, series.color(number));
            ui.label(name);
        }
    });
}

/// The plots share the height.
fn plots(ui: &mut Ui, series: &Series<'_>, shown: Plots, height: f32) {
    let count = if shown == Plots::Both { 2.0 } else { 1.0 };
    let height = (height / count - TITLE - 8.0).max(110.0);
    if shown != Plots::Survival {
        plots::histogram(ui, series, height);
        ui.add_space(8.0);
    }
    if shown != Plots::Histogram {
        plots::survival(ui, series, height);
    }
}

/// A cell of the table: narrow ones lack the error of the number, which the tooltip has.
fn cell(ui: &mut Ui, text: RichText, whole: &str, width: Option<f32>) {
    let label = Label::new(text);
    match width {
        Some(width) => {
            ui.scope(|ui| {
                ui.set_max_width(width);
                ui.add(label.truncate()).on_hover_text(whole);
            });
        }
        None => drop(ui.add(label.extend())),
    }
}

fn numbers(ui: &mut Ui, cx: &mut UiContext<'_>, series: &Series<'_>, height: f32) {
    let narrow = ui.available_width() < FULL_FROM;
    ui.horizontal_wrapped(|ui| {
        for (name, make) in
            [("Copy table", table as fn(&[Measured]) -> String), ("Copy CSV", csv), ("Copy JSON", json)]
        {
            if ui.button(name).on_hover_text("Same output as `nextscope stats`").clicked() {
                cx.copy(make(series.measured), "statistics");
            }
        }
    });
    card(ui, series.tokens, |ui| {
        let area = ScrollArea::both().id_salt("figures").max_height(height - 60.0);
        area.show(ui, |ui| {
            Grid::new("figures").striped(true).spacing([if narrow { GAP } else { 16.0 }, 4.0]).show(
                ui,
                |ui| {
                    ui.label("");
                    for (number, name) in series.names.iter().enumerate() {
                        let title = RichText::new(name).strong().color(series.color(number));
                        ui.scope(|ui| {
                            if narrow {
                                ui.set_max_width(NARROW);
                            }
                            let label = Label::new(title);
                            ui.add(if narrow { label.wrap() } else { label.extend() });
                        });
                    }
                    ui.end_row();
                    for line in lines(series.measured) {
                        let name = Label::new(line.name.as_ref());
                        ui.scope(|ui| {
                            if narrow {
                                ui.set_max_width(NAME);
                            }
                            ui.add(if narrow { name.wrap() } else { name.extend() });
                        });
                        for value in line.cells {
                            let short = value.split(" +- ").next().filter(|_| narrow).unwrap_or(&value);
                            let text = RichText::new(short).monospace();
                            cell(ui, text, &value, narrow.then_some(NARROW));
                        }
                        ui.end_row();
                    }
                },
            );
        });
    });
}
