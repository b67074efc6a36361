//! Other needle positions, best first.

use super::field_report::FieldReport;
use super::settings::IgnitionSettings;
use super::state::State;
use super::text;
use crate::gui::ui_context::UiContext;
use crate::pochi::{Ignition, Needle};
use eframe::egui::{Button, Grid, RichText, Ui};

/// Maximum number of listed needles.
const MAX_LISTED: usize = 40;

/// Draws the list; selecting an entry moves the needle.
pub fn show(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    report: &FieldReport,
    state: &mut State,
    settings: &mut IgnitionSettings,
) {
    if !report.is_small {
        ui.weak("Needles are listed only for fields up to 7 columns and 16 rows (the game uses 7 by 12)");
        return;
    }
    ui.checkbox(&mut settings.resting, "Resting positions only")
        .on_hover_text("Empty cells above a block or the floor");
    let listed: Vec<&Needle> =
        report.needles.iter().filter(|needle| needle.rests || !settings.resting).collect();
    if listed.is_empty() {
        ui.weak("No needle touches a block of its colour");
        return;
    }
    let mut chosen = None;
    Grid::new("needles").num_columns(4).min_col_width(20.0).spacing([8.0, 3.0]).striped(true).show(
        ui,
        |ui| {
            for title in ["Needle", "MVS", "PS2", "Position"] {
                ui.weak(title);
            }
            ui.end_row();
            for (rank, needle) in (1..).zip(listed.iter().take(MAX_LISTED)) {
                let here = state.now().ignition.as_ref().is_some_and(|ignition| match ignition {
                    Ignition::Needle { at, .. } => *at == needle.at && report.color() == Some(needle.color),
                    Ignition::Blocks(_) => false,
                });
                let text = format!("{rank}. {}, {}", needle.color, text::place(needle.at));
                if ui.add(Button::selectable(here, text)).on_hover_text("Move the needle here").clicked() {
                    chosen = Some(**needle);
                }
                for (value, ps2) in [(needle.values.mvs, false), (needle.values.ps2, true)] {
                    let text = RichText::new(value.to_string());
                    ui.label(if settings.ps2 == ps2 {
                        text.strong()
                    } else {
                        text.color(cx.look.tokens.muted)
                    });
                }
                let (word, meaning) = match (needle.rests, state.now().field.get(needle.at)) {
                    (true, _) => ("rests", "The needle comes to rest here"),
                    (false, None) => ("falls on", "The needle falls through: nothing is below"),
                    (false, Some(_)) => ("replaces", "The needle replaces a block"),
                };
                ui.weak(word).on_hover_text(meaning);
                ui.end_row();
            }
        },
    );
    if let Some(more) = listed.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        ui.weak(format!("{more} more, none better"));
    }
    if let Some(Needle { at, color, .. }) = chosen {
        state.ignite(Ignition::Needle { at, color: Some(color) });
    }
}
