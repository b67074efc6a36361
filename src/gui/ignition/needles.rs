//! Where else a needle could go, the best places first.

use super::asked::IgnitionSettings;
use super::state::State;
use super::told::Told;
use super::words;
use crate::gui::scene::Scene;
use crate::pochi::{Ignition, Needle};
use eframe::egui::{Button, Grid, RichText, Ui};

/// Needles that are listed at most.
const LISTED: usize = 40;

/// Draws the list; choosing one puts the needle there.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, told: &Told, state: &mut State, asked: &mut IgnitionSettings) {
    if !told.is_small {
        ui.weak(
            "Needles are gone through in fields of at most 7 columns and 16 rows; the game's has 7 and 12",
        );
        return;
    }
    ui.checkbox(&mut asked.resting, "Only where it comes to rest")
        .on_hover_text("Empty cells with a block or the floor below; others need the field to change first");
    let listed: Vec<&Needle> = told.needles.iter().filter(|needle| needle.rests || !asked.resting).collect();
    if listed.is_empty() {
        ui.weak("No needle would touch a block of its colour");
        return;
    }
    let mut chosen = None;
    Grid::new("needles").num_columns(4).min_col_width(20.0).spacing([8.0, 3.0]).striped(true).show(
        ui,
        |ui| {
            for title in ["Needle", "MVS", "PS2", "There it"] {
                ui.weak(title);
            }
            ui.end_row();
            for (rank, needle) in (1..).zip(listed.iter().take(LISTED)) {
                let here = state.now().ignition.as_ref().is_some_and(|ignition| match ignition {
                    Ignition::Needle { at, .. } => *at == needle.at && told.color() == Some(needle.color),
                    Ignition::Blocks(_) => false,
                });
                let text = format!("{rank}. {}, {}", needle.color, words::place(needle.at));
                if ui.add(Button::selectable(here, text)).on_hover_text("Puts the needle there").clicked() {
                    chosen = Some(**needle);
                }
                for (value, ps2) in [(needle.values.mvs, false), (needle.values.ps2, true)] {
                    let text = RichText::new(value.to_string());
                    ui.label(if asked.ps2 == ps2 {
                        text.strong()
                    } else {
                        text.color(scene.look.tokens.muted)
                    });
                }
                let (word, meaning) = match (needle.rests, state.now().field.get(needle.at)) {
                    (true, _) => ("rests", "The needle comes to rest there"),
                    (false, None) => {
                        ("falls on", "The needle falls past that cell as long as nothing is below it")
                    }
                    (false, Some(_)) => ("replaces", "The needle stands in the place of a block"),
                };
                ui.weak(word).on_hover_text(meaning);
                ui.end_row();
            }
        },
    );
    if let Some(more) = listed.len().checked_sub(LISTED).filter(|more| *more > 0) {
        ui.weak(format!("and {more} more, none of them better"));
    }
    if let Some(Needle { at, color, .. }) = chosen {
        state.ignite(Ignition::Needle { at, color: Some(color) });
    }
}
